// weft_axi_lite of 64 and of 32 bits side by side: reads and writes at random from two independent sides of a driver, with
// idle and with waiting on every channel, and with a register slave that is not always ready. Every write that is answered
// with OKAY is done once, before its response, on the halves its strobes name; writes of parts of a half are not done.
module side #(
    parameter integer WIDTH = 64
) (
    input logic clock,
    input logic reset,
    input logic [31:0] waits,  // chance in 16 that a side waits in a cycle
    input logic go,  // a scenario begins
    output logic over
);
  localparam integer BYTES = WIDTH / 8;
  logic s_axi_awvalid = 0, s_axi_awready, s_axi_wvalid = 0, s_axi_wready, s_axi_bvalid, s_axi_bready = 0;
  logic s_axi_arvalid = 0, s_axi_arready, s_axi_rvalid, s_axi_rready = 0;
  logic [11:0] s_axi_awaddr, s_axi_araddr;
  logic [WIDTH-1:0] s_axi_wdata, s_axi_rdata;
  logic [BYTES-1:0] s_axi_wstrb;
  logic [1:0] s_axi_bresp, s_axi_rresp;
  logic register_valid, register_write, register_read_valid;
  logic register_ready = 0;
  logic [11:0] register_address;
  logic [63:0] register_write_data, register_read_data;
  logic [1:0] register_write_strobe;

  weft_axi_lite #(.WIDTH(WIDTH)) dut (.*);

  // The register slave: 512 registers of two halves.
  reg [31:0] registers[0:1023];
  integer done = 0, read = 0, h;
  always @(posedge clock) begin
    register_read_valid <= 0;
    if (register_valid && register_ready && !reset) begin
      if (register_write) begin
        if (register_write_strobe == 0) $fatal(1, "a write of nothing");
        for (h = 0; h < 2; h = h + 1)
          if (register_write_strobe[h]) registers[2*register_address[11:3]+h] = register_write_data[32*h+:32];
        done = done + 1;
      end else begin
        register_read_data <= {registers[2*register_address[11:3]+1], registers[2*register_address[11:3]]};
        register_read_valid <= 1;
        read = read + 1;
      end
    end
  end

  always @(negedge clock) begin
    register_ready <= $urandom % 16 >= waits / 2;
    s_axi_bready <= $urandom % 16 >= waits;
    s_axi_rready <= $urandom % 16 >= waits;
  end
  task pause;
    while ($urandom % 16 < waits) @(negedge clock);
  endtask

  // What is valid stays the same until it is taken.
  reg [1:0] held;
  reg [WIDTH+1:0] was_r;
  reg [1:0] was_b;
  always @(posedge clock) begin
    if (held[0] && !(s_axi_bvalid && s_axi_bresp === was_b)) $fatal(1, "B changes before it is taken");
    if (held[1] && !(s_axi_rvalid && {s_axi_rresp, s_axi_rdata} === was_r)) $fatal(1, "R changes before it is taken");
    held  <= reset ? 2'b00 : {s_axi_rvalid && !s_axi_rready, s_axi_bvalid && !s_axi_bready};
    was_b <= s_axi_bresp;
    was_r <= {s_axi_rresp, s_axi_rdata};
  end

  // The driver: each channel runs as far ahead as it can. Writes go to the lower half of the map, reads to the upper
  // half, which does not change.
  localparam integer COUNT = 1000;
  integer n, k, m, q, b, i, start, full;
  reg [11:0] to[0:COUNT-1], from[0:COUNT-1];
  reg [WIDTH-1:0] data[0:COUNT-1];
  reg [31:0] mirror[0:511];
  reg [BYTES-1:0] strobes[0:COUNT-1];

  function good(input [7:0] strobe);
    good = WIDTH == 32 ? strobe == 8'h0f : strobe == 8'hff || strobe == 8'h0f || strobe == 8'hf0;
  endfunction

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
        if (s_axi_bresp != (good(strobes[b]) ? 0 : 2)) $fatal(1, "response %0d to %b", s_axi_bresp, strobes[b]);
        full = full + good(strobes[b]);
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
  reg [63:0] expected;
  task take_reads;
    for (q = 0; q < COUNT; q = q + 1) begin
      @(posedge clock);
      while (!(s_axi_rvalid && s_axi_rready)) @(posedge clock);
      expected = {registers[2*from[q][11:3]+1], registers[2*from[q][11:3]]};
      if (WIDTH == 32 && from[q][2]) expected = expected >> 32;
      if (s_axi_rresp != 0 || s_axi_rdata !== expected[WIDTH-1:0]) $fatal(1, "read %0d is %h", q, s_axi_rdata);
    end
  endtask

  // What a write leaves in the registers.
  task write_mirror(input integer address, input [WIDTH-1:0] value, input [BYTES-1:0] strobe);
    if (good(strobe)) begin
      if (WIDTH == 32) mirror[address/4] = value;
      else begin
        if (strobe[0]) mirror[address/8*2] = value;
        if (strobe[BYTES-1]) mirror[address/8*2+1] = value >> 32;
      end
    end
  endtask

  initial begin
    over = 0;
    for (i = 0; i < 1024; i = i + 1) registers[i] = $urandom;
    for (i = 0; i < 512; i = i + 1) mirror[i] = registers[i];
  end

  always @(posedge go) begin
    over = 0;
    done = 0;
    read = 0;
    for (i = 0; i < COUNT; i = i + 1) begin
      to[i] = $urandom % 2048;
      from[i] = 2048 + $urandom % 2048;
      data[i] = {$urandom, $urandom};
      strobes[i] = $urandom % 4 == 0 ? $urandom : WIDTH == 32 || $urandom % 2 ? 8'hff : $urandom % 2 ? 8'h0f : 8'hf0;
      write_mirror(to[i], data[i], strobes[i]);
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
    for (i = 0; i < 512; i = i + 1)
      if (registers[i] !== mirror[i]) $fatal(1, "half %0d is wrong", i);
    $display("%0d bits, waits %0d: 2000 accesses in %0d cycles", WIDTH, waits, ($time - start) / 10);
    over = 1;
  end
endmodule

module test;
  logic clock = 0, reset = 1, go = 0;
  always #5 clock = !clock;
  integer scenario;
  logic [31:0] waits = 0;
  logic whole_over, half_over;
  side #(.WIDTH(64)) whole (
      .over(whole_over),
      .*
  );
  side #(.WIDTH(32)) half (
      .over(half_over),
      .*
  );

  initial begin
    repeat (3) @(posedge clock);
    @(negedge clock) reset = 0;
    for (scenario = 0; scenario < 4; scenario = scenario + 1) begin
      waits = scenario * 4;
      go = 1;
      @(negedge clock) go = 0;
      while (!(whole_over && half_over)) @(negedge clock);
    end
    $finish;
  end
  initial #10000000 $fatal(1, "hangs");
endmodule
