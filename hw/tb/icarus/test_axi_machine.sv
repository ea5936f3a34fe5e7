// weft_axi_machine around a stand-in for the machine: runs that halt, runs that end in a fault with
// bursts on their way, errors on the bus; with an idle bus, with each channel slow, and with all of them.
// As soon as a run shows its end, memory must hold what was written.
module test;
  localparam [63:0] BASE = 64'h1_2345_0000;
  localparam integer SIZE = 8192;
  logic clock = 0;
  logic aresetn = 0;
  always #5 clock = !clock;

  logic interrupt_request;
  logic awvalid = 0, awready, wvalid = 0, wready, bvalid, bready = 0;
  logic arvalid = 0, arready, rvalid, rready = 0;
  logic [11:0] awaddr, araddr;
  logic [63:0] wdata, rdata;
  logic [7:0] wstrb;
  logic [1:0] bresp, rresp;

  logic m_arvalid, m_arready, m_rvalid, m_rready, m_rlast, m_awvalid, m_awready;
  logic m_wvalid, m_wready, m_wlast, m_bvalid, m_bready;
  logic [63:0] m_araddr, m_awaddr, m_rdata, m_wdata;
  logic [7:0] m_arlen, m_awlen, m_wstrb;
  logic [2:0] m_arsize, m_awsize;
  logic [1:0] m_arburst, m_awburst, m_rresp, m_bresp;

  weft_axi_machine dut (
      .aclk(clock),
      .aresetn(aresetn),
      .interrupt_request(interrupt_request),
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
      .m_axi_arvalid(m_arvalid),
      .m_axi_arready(m_arready),
      .m_axi_araddr(m_araddr),
      .m_axi_arlen(m_arlen),
      .m_axi_arsize(m_arsize),
      .m_axi_arburst(m_arburst),
      .m_axi_rvalid(m_rvalid),
      .m_axi_rready(m_rready),
      .m_axi_rdata(m_rdata),
      .m_axi_rresp(m_rresp),
      .m_axi_rlast(m_rlast),
      .m_axi_awvalid(m_awvalid),
      .m_axi_awready(m_awready),
      .m_axi_awaddr(m_awaddr),
      .m_axi_awlen(m_awlen),
      .m_axi_awsize(m_awsize),
      .m_axi_awburst(m_awburst),
      .m_axi_wvalid(m_wvalid),
      .m_axi_wready(m_wready),
      .m_axi_wdata(m_wdata),
      .m_axi_wstrb(m_wstrb),
      .m_axi_wlast(m_wlast),
      .m_axi_bvalid(m_bvalid),
      .m_axi_bready(m_bready),
      .m_axi_bresp(m_bresp)
  );
  defparam dut.master.WRITES = 5;  // so that they do run out
  axi_memory #(
      .SIZE(SIZE),
      .BASE(BASE)
  ) external (
      .clock(clock),
      .reset(!aresetn),
      .arvalid(m_arvalid),
      .arready(m_arready),
      .araddr(m_araddr),
      .arlen(m_arlen),
      .arsize(m_arsize),
      .arburst(m_arburst),
      .rvalid(m_rvalid),
      .rready(m_rready),
      .rdata(m_rdata),
      .rresp(m_rresp),
      .rlast(m_rlast),
      .awvalid(m_awvalid),
      .awready(m_awready),
      .awaddr(m_awaddr),
      .awlen(m_awlen),
      .awsize(m_awsize),
      .awburst(m_awburst),
      .wvalid(m_wvalid),
      .wready(m_wready),
      .wdata(m_wdata),
      .wstrb(m_wstrb),
      .wlast(m_wlast),
      .bvalid(m_bvalid),
      .bready(m_bready),
      .bresp(m_bresp)
  );

  // ---- the driver ----

  task write(input [11:0] address, input [63:0] value);
    begin
      @(negedge clock);
      awvalid = 1;
      awaddr = address;
      wvalid = 1;
      wdata = value;
      wstrb = 8'hff;
      bready = 1;
      fork
        begin
          @(posedge clock);
          while (!awready) @(posedge clock);
          @(negedge clock) awvalid = 0;
        end
        begin
          @(posedge clock);
          while (!wready) @(posedge clock);
          @(negedge clock) wvalid = 0;
        end
      join
      while (!bvalid) @(posedge clock);
      if (bresp != 0) $fatal(1, "a write of a register fails");
      @(negedge clock) bready = 0;
    end
  endtask

  logic [63:0] value;
  task read(input [11:0] address);
    begin
      @(negedge clock);
      arvalid = 1;
      araddr = address;
      rready = 1;
      @(posedge clock);
      while (!arready) @(posedge clock);
      @(negedge clock) arvalid = 0;
      while (!rvalid) @(posedge clock);
      value = rdata;
      @(negedge clock) rready = 0;
    end
  endtask

  integer i, run, scenario, first_beats, started;
  reg last_fails = 0;
  integer beats = 0, cycles = 0, faults = 0;

  task load_window;
    for (i = 0; i < SIZE; i = i + 1) dut.machine.window[i] = external.memory[i];
  endtask

  // One run; error: 0 none, 1 a read answers with an error, 2 a write, 3 the last write, after the end.
  task go(input integer kind, input integer bursts, input integer error, input by_interrupt);
    begin
      load_window;
      dut.machine.kind = kind;
      dut.machine.bursts = bursts;
      external.error_r = error == 1 ? 20 : -1;
      external.error_b = error == 2 ? 1 : -1;
      last_fails = error == 3;
      write(12'h020, by_interrupt ? 64'd3 : 64'd1);
      write(12'h010, 64'd1);
      if (by_interrupt) begin
        while (!interrupt_request) @(posedge clock);
        if (dut.busy) $fatal(1, "interrupt while the bus is busy");
        read(12'h018);
      end else begin
        read(12'h018);
        while (value[0]) read(12'h018);
      end
      beats = beats + dut.machine.beats_moved;
      cycles = cycles + dut.machine.cycle;
      if (value[1:0] != 2'b10) $fatal(1, "status %h at the end", value);
      if (dut.busy) $fatal(1, "the end shows while the bus is busy");
      if (kind == 0 && error != 0 && external.error_r < 0 && external.error_b < 0 &&
          !last_fails) begin
        if (value[11:8] != weft_isa_pkg::FAULT_BUS || value[63:32] != 1234)
          $fatal(1, "status %h after an error on the bus", value);
        faults = faults + 1;
      end else if (kind == 1) begin
        if (value[11:8] != weft_isa_pkg::FAULT_BANK || value[63:32] != 77)
          $fatal(1, "status %h after a fault", value);
        faults = faults + 1;
      end else begin
        if (value[11:8] != 0) $fatal(1, "status %h: a fault from nowhere", value);
        for (i = 0; i < SIZE; i = i + 1)
          if (external.memory[i] !== dut.machine.window[i])
            $fatal(1, "byte %0d is %h, not %h", i, external.memory[i], dut.machine.window[i]);
      end
    end
  endtask

  initial begin
    for (i = 0; i < SIZE; i = i + 1) external.memory[i] = $urandom;
    repeat (3) @(posedge clock);
    @(negedge clock) aresetn = 1;
    write(12'h040, BASE + 5);  // the low ten bits read 0
    read(12'h040);
    if (value != BASE) $fatal(1, "region base is %h", value);
    read(12'h200 + 8 * 7);
    if (value[5:0] != 7) $fatal(1, "counter 7 reads %h", value);
    // Idle, each of the five channels slow, all a little slow, all very slow.
    for (scenario = 0; scenario < 8; scenario = scenario + 1) begin
      external.wait_ar = scenario == 1 ? 14 : scenario == 6 ? 4 : scenario == 7 ? 11 : 0;
      external.wait_r = scenario == 2 ? 10 : scenario == 6 ? 4 : scenario == 7 ? 11 : 0;
      external.wait_aw = scenario == 3 ? 13 : scenario == 6 ? 4 : scenario == 7 ? 11 : 0;
      external.wait_w = scenario == 4 ? 13 : scenario == 6 ? 4 : scenario == 7 ? 11 : 0;
      external.wait_b = scenario == 5 ? 15 : scenario == 6 ? 4 : scenario == 7 ? 11 : 0;
      beats = 0;
      cycles = 0;
      for (run = 0; run < 4; run = run + 1) go(run % 3 == 2 ? 2 : 0, 300, 0, run % 2);
      $display("scenario %0d: %0d beats in %0d cycles", scenario, beats, cycles);
      for (run = 0; run < 4; run = run + 1) begin
        go(1, 100, 0, run % 2);
        go(0, 60, 0, 0);
        go(0, 60, 1 + run % 3, run % 4 == 0);
      end
    end
    $display("%0d runs with faults", faults);
    $finish;
  end

  // The last response of the run, when the machine has stopped and does not wait for it any more.
  always @(posedge clock) begin
    if (last_fails && !dut.running && dut.master.responses == 1 && !external.bvalid) begin
      external.error_b = 0;
      last_fails = 0;
    end
  end

  initial begin
    #200000000 $fatal(1, "hangs");
  end
endmodule
