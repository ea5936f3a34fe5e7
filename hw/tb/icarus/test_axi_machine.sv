// weft_axi_machine around a stand-in for the machine: runs that halt, runs that end in a fault with
// bursts on their way, errors on the bus, runs that are aborted, on a bus that works, that stands still and is reset or goes
// on later; with an idle bus, with each channel slow, and with all of them.
// As soon as a run shows its end, memory must hold what was written; registers answer within a few cycles, always.
module test;
  localparam [63:0] BASE = 64'h1_2345_0000;
  localparam integer SIZE = 8192;
  logic clock = 0;
  logic aresetn = 0;
  always #5 clock = !clock;

  logic interrupt_request;
  logic s_axi_awvalid = 0, s_axi_awready, s_axi_wvalid = 0, s_axi_wready, s_axi_bvalid, s_axi_bready = 0;
  logic s_axi_arvalid = 0, s_axi_arready, s_axi_rvalid, s_axi_rready = 0;
  logic [11:0] s_axi_awaddr, s_axi_araddr;
  logic [63:0] s_axi_wdata, s_axi_rdata;
  logic [7:0] s_axi_wstrb;
  logic [1:0] s_axi_bresp, s_axi_rresp;

  logic m_axi_arvalid, m_axi_arready, m_axi_rvalid, m_axi_rready, m_axi_rlast, m_axi_awvalid, m_axi_awready;
  logic m_axi_wvalid, m_axi_wready, m_axi_wlast, m_axi_bvalid, m_axi_bready;
  logic [63:0] m_axi_araddr, m_axi_awaddr, m_axi_rdata, m_axi_wdata;
  logic [7:0] m_axi_arlen, m_axi_awlen, m_axi_wstrb;
  logic [2:0] m_axi_arsize, m_axi_awsize;
  logic [1:0] m_axi_arburst, m_axi_awburst, m_axi_rresp, m_axi_bresp;
  logic [2:0] m_axi_arid, m_axi_awid, m_axi_arprot, m_axi_awprot;
  logic [3:0] m_axi_arcache, m_axi_awcache;
  logic bus_aresetn = 1;

  weft_axi_machine #(
      .ID_WIDTH(3),
      .READ_ID(3'd5),
      .WRITE_ID(3'd2),
      .READ_CACHE(4'b1111),
      .WRITE_CACHE(4'b0011),
      .PROT(3'b001)
  ) dut (
      .aclk(clock),
      .m_axi_aresetn(aresetn && bus_aresetn),
      .m_axi_rid(3'd5),
      .m_axi_bid(3'd2),
      .*
  );
  always @(posedge clock)
    if (m_axi_arid !== 5 || m_axi_awid !== 2 || m_axi_arcache !== 15 || m_axi_awcache !== 3 || m_axi_arprot !== 1 ||
        m_axi_awprot !== 1)
      $fatal(1, "an ID, CACHE or PROT is not that of the parameters");
  defparam dut.master.WRITES = 5;  // so that they do run out
  axi_memory #(
      .SIZE(SIZE),
      .BASE(BASE)
  ) external (
      .reset(!aresetn || !bus_aresetn),
      .*
  );

  // ---- the driver ----

  task write(input [11:0] address, input [63:0] value);
    begin
      @(negedge clock);
      s_axi_awvalid = 1;
      s_axi_awaddr = address;
      s_axi_wvalid = 1;
      s_axi_wdata = value;
      s_axi_wstrb = 8'hff;
      s_axi_bready = 1;
      fork
        begin
          @(posedge clock);
          while (!s_axi_awready) @(posedge clock);
          @(negedge clock) s_axi_awvalid = 0;
        end
        begin
          @(posedge clock);
          while (!s_axi_wready) @(posedge clock);
          @(negedge clock) s_axi_wvalid = 0;
        end
      join
      while (!s_axi_bvalid) @(posedge clock);
      if (s_axi_bresp != 0) $fatal(1, "a write of a register fails");
      @(negedge clock) s_axi_bready = 0;
    end
  endtask

  logic [63:0] value;
  integer asked;
  localparam integer ANSWER = 100;  // time in which a register answers
  task read(input [11:0] address);
    begin
      @(negedge clock);
      asked = $time;
      s_axi_arvalid = 1;
      s_axi_araddr = address;
      s_axi_rready = 1;
      @(posedge clock);
      while (!s_axi_arready) @(posedge clock);
      @(negedge clock) s_axi_arvalid = 0;
      while (!s_axi_rvalid) @(posedge clock);
      value = s_axi_rdata;
      if ($time - asked > ANSWER) $fatal(1, "register %h answers after %0d", address, $time - asked);
      @(negedge clock) s_axi_rready = 0;
    end
  endtask

  integer i, run, scenario, slow;
  reg last_fails = 0;
  integer beats = 0, cycles = 0, faults = 0, late = 0, aborts = 0, resets = 0, busy = 0, stood = 0;

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
      slow = external.wait_b;
      if (error == 3) external.wait_b = 15;
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
      external.wait_b = slow;
      beats = beats + dut.machine.beats_moved;
      cycles = cycles + dut.machine.cycle;
      if (value[1:0] != 2'b10) $fatal(1, "status %h at the end", value);
      if (dut.busy) $fatal(1, "the end shows while the bus is busy");
      if (kind != 1 && error != 0 && external.error_r < 0 && external.error_b < 0 &&
          !last_fails) begin
        if (value[11:8] != weft_isa_pkg::FAULT_BUS || value[63:32] != 1234)
          $fatal(1, "status %h after an error on the bus", value);
        faults = faults + 1;
        late = late + (error == 3);
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

  // Waits of the channels: 16 is for ever.
  integer waits[0:4];
  task stop;
    begin
      waits[0] = external.wait_ar;
      waits[1] = external.wait_r;
      waits[2] = external.wait_aw;
      waits[3] = external.wait_w;
      waits[4] = external.wait_b;
      {external.wait_ar, external.wait_r, external.wait_aw, external.wait_w, external.wait_b} = {5{32'd16}};
    end
  endtask
  task go_on;
    begin
      external.wait_ar = waits[0];
      external.wait_r = waits[1];
      external.wait_aw = waits[2];
      external.wait_w = waits[3];
      external.wait_b = waits[4];
    end
  endtask
  task reset_bus;
    begin
      @(negedge clock) bus_aresetn = 0;
      repeat (4) @(negedge clock);
      read(12'h018);
      if (value[1:0] != 2'b01) $fatal(1, "status %h while the bus is in reset", value);
      @(negedge clock) bus_aresetn = 1;
      resets = resets + 1;
    end
  endtask

  // A run that is aborted after `length` cycles; the bus stands still from then on when `stops`: it is reset, or goes on later.
  task abort_run(input integer length, input stops, input resets_bus);
    begin
      load_window;
      dut.machine.kind = 0;
      dut.machine.bursts = 300;
      write(12'h020, 64'd3);
      write(12'h010, 64'd1);
      repeat (length) @(posedge clock);
      if (stops) stop;
      write(12'h030, 64'd1 << 32);  // START and ABORT look at the low half
      read(12'h018);
      if (value[0] != 1) $fatal(1, "the high half of ABORT does something: status %h", value);
      write(12'h030, 64'd1);
      aborts = aborts + 1;
      if (dut.running) $fatal(1, "aborted, the machine still runs");
      read(12'h018);
      if (value[63:1] != 0) $fatal(1, "status %h after an abort", value);
      if (stops) begin
        repeat (200) @(posedge clock);
        read(12'h018);
        stood = stood + value[0];
        if (value[0]) begin
          write(12'h010, 64'd1);
          write(12'h040, 64'd0);
          if (dut.running || dut.machine.region_base[63:0] != BASE) $fatal(1, "a write does something while the bus is busy");
        end
        if (resets_bus) reset_bus;
        go_on;
      end
      read(12'h018);
      while (value[0]) begin
        busy = busy + 1;
        read(12'h018);
      end
      if (value != 0) $fatal(1, "status %h after an abort, the bus quiet", value);
      read(12'h020);
      if (value != 2) $fatal(1, "interrupt register %h after an abort", value);
      if (dut.machine.region_base[63:0] != BASE) $fatal(1, "an abort changes a region");
    end
  endtask

  // The bus stops, and is reset, in the middle of a run: it ends with fault BUS.
  task lose_bus;
    begin
      load_window;
      dut.machine.kind = 0;
      dut.machine.bursts = 300;
      write(12'h020, 64'd3);
      write(12'h010, 64'd1);
      repeat ($urandom % 200) @(posedge clock);
      stop;
      repeat (200) @(posedge clock);
      read(12'h018);
      if (value != 1) $fatal(1, "status %h while the bus stands", value);
      reset_bus;
      while (!interrupt_request) @(posedge clock);
      read(12'h018);
      if (value != {32'd1234, 20'd0, weft_isa_pkg::FAULT_BUS[3:0], 8'h02}) $fatal(1, "status %h after a reset of the bus", value);
      go_on;
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
      dut.machine.stores = scenario == 5 ? 14 : 0;
      beats = 0;
      cycles = 0;
      for (run = 0; run < 4; run = run + 1) go(run % 3 == 2 ? 2 : 0, 300, 0, run % 2);
      $display("scenario %0d: %0d beats in %0d cycles", scenario, beats, cycles);
      for (run = 0; run < 9; run = run + 1) begin
        go(1, 100, 0, run % 2);
        go(0, 50, 0, 0);
        go(run % 3 == 2 ? 2 : 0, 50, 1 + run % 3, run > 2);
      end
      for (run = 0; run < 12; run = run + 1) begin
        abort_run($urandom % 100, run % 4 == 3, run % 8 == 7);
        if (run % 4 != 2) go(run % 3 == 2 ? 2 : 0, 30, 0, run % 2);
      end
      lose_bus;
      go(0, 30, 0, 0);
    end
    if (aborts != 96 || resets != 16 || stood < 10 || busy < 50)
      $fatal(1, "%0d aborts, %0d resets of the bus, %0d that left it busy, %0d reads then: too few", aborts, resets, stood, busy);
    if (together_ar < 100 || together_aw < 20 || together < 100)
      $fatal(1, "%0d, %0d, %0d bursts in consecutive cycles: too few", together_ar, together_aw, together);
    if (late < 4) $fatal(1, "%0d errors after the end: too few", late);
    $display("%0d runs with faults, %0d of them after the end; %0d aborts, %0d resets of the bus", faults, late, aborts, resets);
    $finish;
  end

  // Bursts in consecutive cycles: on AR, on AW, and a read after a write or the other way round.
  integer together_ar = 0, together_aw = 0, together = 0;
  logic ar_before = 0, aw_before = 0;
  always @(posedge clock) begin
    together_ar = together_ar + (ar_before && m_axi_arvalid && m_axi_arready);
    together_aw = together_aw + (aw_before && m_axi_awvalid && m_axi_awready);
    together = together + (aw_before && m_axi_arvalid && m_axi_arready || ar_before && m_axi_awvalid && m_axi_awready);
    ar_before <= m_axi_arvalid && m_axi_arready;
    aw_before <= m_axi_awvalid && m_axi_awready;
  end

  // The last response of the run, when the machine has stopped and does not wait for it any more.
  always @(posedge clock) begin
    if (last_fails && !dut.running && dut.master.responses == 1 && !external.m_axi_bvalid) begin
      external.error_b = 0;
      last_fails = 0;
    end
  end

  initial begin
    #200000000 $fatal(1, "hangs");
  end
endmodule
