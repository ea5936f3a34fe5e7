// weft_axi_lite: reads and writes at random from two independent sides of a driver, with idle and with
// waiting on every channel, with `hold`, and with a register slave that is not always ready. Every
// write that is answered with OKAY is done once, before its response; writes of part of a register are not done.
module test;
  logic clock = 0, reset = 1, hold = 0;
  always #5 clock = !clock;

  logic awvalid = 0, awready, wvalid = 0, wready, bvalid, bready = 0;
  logic arvalid = 0, arready, rvalid, rready = 0;
  logic [11:0] awaddr, araddr;
  logic [63:0] wdata, rdata;
  logic [7:0] wstrb;
  logic [1:0] bresp, rresp;
  logic register_valid, register_write, register_read_valid;
  logic register_ready = 0;
  logic [11:0] register_address;
  logic [63:0] register_write_data, register_read_data;

  weft_axi_lite dut (
      .clock(clock),
      .reset(reset),
      .hold(hold),
      .s_axi_awvalid(awvalid),
      .s_axi_awready(awready),
      .s_axi_awaddr(awaddr),
      .s_axi_wvalid(wvalid),
      .s_axi_wready(wready),
      .s_axi_wdata(wdata),
      .s_axi_wstrb(wstrb),
      .s_axi_bvalid(bvalid),
      .s_axi_bready(bready),
      .s_axi_bresp(bresp),
      .s_axi_arvalid(arvalid),
      .s_axi_arready(arready),
      .s_axi_araddr(araddr),
      .s_axi_rvalid(rvalid),
      .s_axi_rready(rready),
      .s_axi_rdata(rdata),
      .s_axi_rresp(rresp),
      .register_valid(register_valid),
      .register_ready(register_ready),
      .register_write(register_write),
      .register_address(register_address),
      .register_write_data(register_write_data),
      .register_read_valid(register_read_valid),
      .register_read_data(register_read_data)
  );

  // The register slave: 512 registers.
  reg [63:0] registers[0:511];
  integer done = 0, read = 0;
  always @(posedge clock) begin
    register_read_valid <= 0;
    if (register_valid && register_ready && !reset) begin
      if (hold) $fatal(1, "an access while held");
      if (register_write) begin
        registers[register_address[11:3]] = register_write_data;
        done = done + 1;
      end else begin
        register_read_data <= registers[register_address[11:3]];
        register_read_valid <= 1;
        read = read + 1;
      end
    end
  end

  integer waits = 0;  // chance in 16 that a side waits in a cycle
  always @(negedge clock) begin
    register_ready <= $urandom % 16 >= waits / 2;
    hold <= $urandom % 16 < waits / 4;
    bready <= $urandom % 16 >= waits;
    rready <= $urandom % 16 >= waits;
  end
  task pause;
    while ($urandom % 16 < waits) @(negedge clock);
  endtask

  // What is valid stays the same until it is taken.
  reg [1:0] held;
  reg [65:0] was_r;
  reg [1:0] was_b;
  always @(posedge clock) begin
    if (held[0] && !(bvalid && bresp === was_b)) $fatal(1, "B changes before it is taken");
    if (held[1] && !(rvalid && {rresp, rdata} === was_r)) $fatal(1, "R changes before it is taken");
    held  <= reset ? 2'b00 : {rvalid && !rready, bvalid && !bready};
    was_b <= bresp;
    was_r <= {rresp, rdata};
  end

  // The driver. Writes go to the lower half, which it alone changes, so that it knows what they hold;
  // reads go to the upper half, which does not change, and to what the writer reads back.
  integer n, wrote, partial, scenario, total = 0;
  reg [63:0] mirror[0:255];
  reg [7:0] index;
  reg full;
  task write_side(input integer count);
    for (n = 0; n < count; n = n + 1) begin
      index = $urandom;
      full = $urandom % 4 != 0;
      awaddr = {1'b0, index, 3'd0} | $urandom % 8;
      wdata = {$urandom, $urandom};
      wstrb = full ? 8'hff : $urandom % 255;
      if (full) mirror[index] = wdata;
      fork
        begin
          pause;
          awvalid = 1;
          @(posedge clock);
          while (!awready) @(posedge clock);
          @(negedge clock) awvalid = 0;
        end
        begin
          pause;
          wvalid = 1;
          @(posedge clock);
          while (!wready) @(posedge clock);
          @(negedge clock) wvalid = 0;
        end
      join
      while (!(bvalid && bready)) @(posedge clock);
      if (bresp != (full ? 0 : 2)) $fatal(1, "response %0d to strobes %b", bresp, wstrb);
      if (registers[index] !== mirror[index]) $fatal(1, "register %0d after its response", index);
      @(negedge clock);
      wrote = wrote + full;
    end
  endtask
  integer m;
  reg [7:0] where;
  task read_side(input integer count);
    for (m = 0; m < count; m = m + 1) begin
      where = $urandom;
      pause;
      araddr = {1'b1, where, 3'd0};
      arvalid = 1;
      @(posedge clock);
      while (!arready) @(posedge clock);
      @(negedge clock) arvalid = 0;
      @(posedge clock);
      while (!(rvalid && rready)) @(posedge clock);
      if (rresp != 0 || rdata !== registers[256+where]) $fatal(1, "read of %0d is %h", where, rdata);
      @(negedge clock);
    end
  endtask

  integer i, start;
  initial begin
    for (i = 0; i < 512; i = i + 1) registers[i] = {$urandom, $urandom};
    for (i = 0; i < 256; i = i + 1) mirror[i] = registers[i];
    repeat (3) @(posedge clock);
    @(negedge clock) reset = 0;
    for (scenario = 0; scenario < 4; scenario = scenario + 1) begin
      waits = scenario * 4;
      wrote = 0;
      done = 0;
      read = 0;
      start = $time;
      fork
        write_side(1000);
        read_side(1000);
      join
      if (done != wrote || read != 1000) $fatal(1, "%0d of %0d writes done", done, wrote);
      $display("waits %0d: 2000 accesses in %0d cycles", waits, ($time - start) / 10);
    end
    $finish;
  end
  initial #10000000 $fatal(1, "hangs");
endmodule
