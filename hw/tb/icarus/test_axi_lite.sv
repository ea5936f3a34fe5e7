// weft_axi_lite: reads and writes at random from two independent sides of a driver, with idle and with
// waiting on every channel, with `hold`, and with a register slave that is not always ready. Every
// write that is answered with OKAY is done once, before its response; writes of part of a register are not done.
module test;
  logic clock = 0, reset = 1, hold = 0;
  always #5 clock = !clock;

  logic s_axi_awvalid = 0, s_axi_awready, s_axi_wvalid = 0, s_axi_wready, s_axi_bvalid, s_axi_bready = 0;
  logic s_axi_arvalid = 0, s_axi_arready, s_axi_rvalid, s_axi_rready = 0;
  logic [11:0] s_axi_awaddr, s_axi_araddr;
  logic [63:0] s_axi_wdata, s_axi_rdata;
  logic [7:0] s_axi_wstrb;
  logic [1:0] s_axi_bresp, s_axi_rresp;
  logic register_valid, register_write, register_read_valid;
  logic register_ready = 0;
  logic [11:0] register_address;
  logic [63:0] register_write_data, register_read_data;

  weft_axi_lite dut (.*);

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
    s_axi_bready <= $urandom % 16 >= waits;
    s_axi_rready <= $urandom % 16 >= waits;
  end
  task pause;
    while ($urandom % 16 < waits) @(negedge clock);
  endtask

  // What is valid stays the same until it is taken.
  reg [1:0] held;
  reg [65:0] was_r;
  reg [1:0] was_b;
  always @(posedge clock) begin
    if (held[0] && !(s_axi_bvalid && s_axi_bresp === was_b)) $fatal(1, "B changes before it is taken");
    if (held[1] && !(s_axi_rvalid && {s_axi_rresp, s_axi_rdata} === was_r)) $fatal(1, "R changes before it is taken");
    held  <= reset ? 2'b00 : {s_axi_rvalid && !s_axi_rready, s_axi_bvalid && !s_axi_bready};
    was_b <= s_axi_bresp;
    was_r <= {s_axi_rresp, s_axi_rdata};
  end

  // The driver: each channel runs as far ahead as it can. Writes go to the lower half, reads to the upper
  // half, which does not change.
  localparam integer COUNT = 1000;
  integer n, k, m, q, b, i, start, scenario, full;
  reg [11:0] to[0:COUNT-1], from[0:COUNT-1];
  reg [63:0] data[0:COUNT-1], mirror[0:255];
  reg [7:0] strobes[0:COUNT-1];

  task send_addresses;
    for (n = 0; n < COUNT; n = n + 1) begin
      pause;
      s_axi_awaddr = to[n];
      s_axi_awvalid = 1;
      @(posedge clock);
      while (!s_axi_awready) @(posedge clock);
      @(negedge clock) s_axi_awvalid = 0;
    end
  endtask
  task send_data;
    for (k = 0; k < COUNT; k = k + 1) begin
      pause;
      s_axi_wdata  = data[k];
      s_axi_wstrb  = strobes[k];
      s_axi_wvalid = 1;
      @(posedge clock);
      while (!s_axi_wready) @(posedge clock);
      @(negedge clock) s_axi_wvalid = 0;
    end
  endtask
  task take_responses;
    begin
      full = 0;
      for (b = 0; b < COUNT; b = b + 1) begin
        @(posedge clock);
        while (!(s_axi_bvalid && s_axi_bready)) @(posedge clock);
        if (s_axi_bresp != (strobes[b] == 8'hff ? 0 : 2)) $fatal(1, "response %0d to %b", s_axi_bresp, strobes[b]);
        full = full + (strobes[b] == 8'hff);
        #1;
        if (done != full && done != full + 1) $fatal(1, "%0d writes done, %0d answered", done, full);
      end
    end
  endtask
  task send_reads;
    for (m = 0; m < COUNT; m = m + 1) begin
      pause;
      s_axi_araddr  = from[m];
      s_axi_arvalid = 1;
      @(posedge clock);
      while (!s_axi_arready) @(posedge clock);
      @(negedge clock) s_axi_arvalid = 0;
    end
  endtask
  task take_reads;
    for (q = 0; q < COUNT; q = q + 1) begin
      @(posedge clock);
      while (!(s_axi_rvalid && s_axi_rready)) @(posedge clock);
      if (s_axi_rresp != 0 || s_axi_rdata !== registers[from[q][11:3]]) $fatal(1, "read %0d is %h", q, s_axi_rdata);
    end
  endtask

  initial begin
    for (i = 0; i < 512; i = i + 1) registers[i] = {$urandom, $urandom};
    for (i = 0; i < 256; i = i + 1) mirror[i] = registers[i];
    repeat (3) @(posedge clock);
    @(negedge clock) reset = 0;
    for (scenario = 0; scenario < 4; scenario = scenario + 1) begin
      waits = scenario * 4;
      done = 0;
      read = 0;
      for (i = 0; i < COUNT; i = i + 1) begin
        to[i] = $urandom % 2048;
        from[i] = 2048 + $urandom % 2048;
        data[i] = {$urandom, $urandom};
        strobes[i] = $urandom % 4 != 0 ? 8'hff : $urandom;
        if (strobes[i] == 8'hff) mirror[to[i][11:3]] = data[i];
      end
      start = $time;
      fork
        send_addresses;
        send_data;
        take_responses;
        send_reads;
        take_reads;
      join
      repeat (10) @(posedge clock);
      if (s_axi_bvalid || s_axi_rvalid || done != full || read != COUNT) $fatal(1, "an access too many");
      for (i = 0; i < 256; i = i + 1)
        if (registers[i] !== mirror[i]) $fatal(1, "register %0d is wrong", i);
      $display("waits %0d: 2000 accesses in %0d cycles", waits, ($time - start) / 10);
    end
    $finish;
  end
  initial #10000000 $fatal(1, "hangs");
endmodule
