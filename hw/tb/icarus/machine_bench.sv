// The whole machine in Icarus Verilog, for hw/tb/icarus/model.c: one run, from files to files of its working folder.
//
// It reads what the memories hold at first from act.hex, wgt.hex, acc.hex, par.hex, lut.hex (in the form of
// struct weft_state) and external.hex, starts the machine with +watchdog=CYCLES and the regions of
// the mask +writable=MASK writable, waits for the interrupt until
// +give_up=CYCLES, and writes the same files again, and `trace`, a line for everything that happened:
//
//     burst MASTER ADDRESS BYTES CYCLE FIRST     dispatched | started | finished NUMBER CYCLE
//     broken CYCLE REASON                        what a correct machine does not do
//     status HEX     counter INDEX HEX           as the register slave shows them
//     end CYCLE                                  the last line of a run that could be carried out
//
// FOLDER stands in front of the names of these files, and CONFIG is the machine's configuration: two_machines.sv has two.
module machine_bench #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,
    parameter FOLDER = "./",  // with its slash; "" would be a byte 0
    parameter ALONE = 1  // ends the simulation
);
  localparam integer B = CONFIG[weft_config_pkg::AT_BLOCK+:32];
  localparam integer WIDTH = CONFIG[weft_config_pkg::AT_MEMORY_WIDTH+:32];
  localparam integer IDLE_CYCLES = 200;  // after the end, in which nothing may happen

  logic clock = 0, reset = 1;
  always #5 clock = !clock;

  logic running = 0;
  logic finished = 0;
  logic [63:0] cycle = 0;
  logic [63:0] watchdog, give_up, writable;
  integer trace;

  logic register_valid = 0, register_ready, register_write, register_read_valid, interrupt_request;
  logic [11:0] register_address;
  logic [63:0] register_write_data, register_read_data;
  logic memory_valid, read_valid, read_fetch, write_request, write_valid;
  logic [1:0] memory_master;
  logic [63:0] memory_address;
  logic [10:0] memory_bytes;
  logic [8:0] memory_beats;
  logic [8*WIDTH-1:0] read_data, write_data;
  logic [WIDTH-1:0] write_strobe;
  logic trace_dispatched;
  logic [31:0] trace_dispatched_number;
  logic [3:0] trace_started, trace_finished;
  logic [127:0] trace_started_numbers, trace_finished_numbers;
  weft_machine #(
      .CONFIG(CONFIG)
  ) machine (
      .running(),
      .memory_ready(1'b1),
      .memory_error(1'b0),
      .bus_busy(1'b0),
      .register_write_strobe(2'b11),
      .*
  );
  external_memory #(
      .CONFIG(CONFIG)
  ) memory (
      .*
  );

  // ---- what happens ----

  logic starts;  // cycle 0 is the one in which the write to START is taken
  assign starts = register_valid && register_ready && register_write
      && register_address == weft_config_pkg::REGISTER_START[11:0];
  integer u;
  always @(posedge clock) begin
    cycle <= starts ? 64'd1 : cycle + 64'd1;
    if (starts) running <= 1'b1;
    if (!reset && !running
        && (memory_valid !== 1'b0 || trace_dispatched !== 1'b0 || trace_started !== 4'd0 || trace_finished !== 4'd0))
      memory.broken("something happens while the machine does not run");
    if (running) begin
      if (^{memory_valid, trace_dispatched, trace_started, trace_finished, interrupt_request} === 1'bx)
        memory.broken("an output of the machine is undefined");
      if (trace_dispatched) $fdisplay(trace, "dispatched %0d %0d", trace_dispatched_number, cycle);
      for (u = 0; u < 4; u = u + 1) begin
        if (trace_started[u]) $fdisplay(trace, "started %0d %0d", trace_started_numbers[32*u+:32], cycle);
        if (trace_finished[u]) $fdisplay(trace, "finished %0d %0d", trace_finished_numbers[32*u+:32], cycle);
      end
    end
  end

  // ---- on-chip memories: weft_bench.sv says how each is divided into RAMs ----

  localparam integer ACT_RAM = CONFIG[weft_config_pkg::AT_ACT_BYTES+:32] / CONFIG[weft_config_pkg::AT_ACT_RAMS+:32];
  localparam integer ACC_BANK = CONFIG[weft_config_pkg::AT_ACC_BYTES+:32] / CONFIG[weft_config_pkg::AT_ACC_BANKS+:32];
  reg [63:0] act[0:CONFIG[weft_config_pkg::AT_ACT_BYTES+:32]/8-1];
  reg [63:0] wgt[0:CONFIG[weft_config_pkg::AT_WGT_BYTES+:32]/8-1];
  reg [63:0] acc[0:CONFIG[weft_config_pkg::AT_ACC_BYTES+:32]/8-1];
  reg [63:0] par[0:CONFIG[weft_config_pkg::AT_PAR_BYTES+:32]/8-1];
  reg [63:0] lut[0:256*B/8-1];
  event preset, dump;

`define WEFT_ROWS(WORDS, RAM, ROWS, BYTES, BEGIN, STEP)                                                       \
  integer row, i;                                                                                              \
  always @(preset) for (row = 0; row < (ROWS); row = row + 1) for (i = 0; i < (BYTES) / 8; i = i + 1)           \
    RAM.memory[row][64*i+:64] = WORDS[((BEGIN) + row * (STEP)) / 8 + i];                                       \
  always @(dump) for (row = 0; row < (ROWS); row = row + 1) for (i = 0; i < (BYTES) / 8; i = i + 1)             \
    WORDS[((BEGIN) + row * (STEP)) / 8 + i] = RAM.memory[row][64*i+:64];

  for (genvar k = 0; k < 4; k = k + 1) begin : g_act
    for (genvar b = 0; b < CONFIG[weft_config_pkg::AT_ACT_RAMS+:32]; b = b + 1) begin : g_ram
      `WEFT_ROWS(act, machine.datapath.act.g_sub[k].g_ram[b].ram, ACT_RAM / B / 4, B, b * ACT_RAM + k * B, 4 * B)
    end
  end
  for (genvar k = 0; k < 2; k = k + 1) begin : g_wgt
    `WEFT_ROWS(wgt, machine.datapath.wgt.g_sub[k].ram, CONFIG[weft_config_pkg::AT_WGT_BYTES+:32] / B / 2, B, k * B, 2 * B)
  end
  for (genvar k = 0; k < 2; k = k + 1) begin : g_par
    `WEFT_ROWS(par, machine.datapath.par.lines.g_sub[k].ram, CONFIG[weft_config_pkg::AT_PAR_BYTES+:32] / B / 2, B, k * B, 2 * B)
  end
  for (genvar b = 0; b < CONFIG[weft_config_pkg::AT_ACC_BANKS+:32]; b = b + 1) begin : g_acc
    `WEFT_ROWS(acc, machine.datapath.acc.g_bank[b].ram, ACC_BANK / B / 4, 4 * B, b * ACC_BANK, 4 * B)
  end
  localparam LOOKUP = CONFIG[weft_config_pkg::AT_LOOKUP+:32] != 0;
  for (genvar l = 0; l < (LOOKUP ? B : 0); l = l + 1) begin : g_lut
    integer row;
    always @(preset) for (row = 0; row < 256; row = row + 1)
      machine.datapath.lut.g_lane[l].ram.memory[row] = lut[(row*B+l)/8][8*(l%8)+:8];
    always @(dump) for (row = 0; row < 256; row = row + 1)
      lut[(row*B+l)/8][8*(l%8)+:8] = machine.datapath.lut.g_lane[l].ram.memory[row];
  end

  // ---- the run ----

  task access(input write, input [11:0] address, input [63:0] value);
    begin
      register_valid = 1;
      register_write = write;
      register_address = address;
      register_write_data = value;
      @(negedge clock);
      if (register_ready !== 1'b1 || (!write && register_read_valid !== 1'b1))
        memory.broken("the register slave does not answer");
      register_valid = 0;
    end
  endtask

  integer i;
  initial begin
    trace = $fopen({FOLDER, "trace"}, "w");
    memory.open;
    if (!$value$plusargs("watchdog=%d", watchdog)) watchdog = 0;
    if (!$value$plusargs("give_up=%d", give_up)) give_up = 1000;
    if (!$value$plusargs("writable=%d", writable)) writable = 0;
    $readmemh({FOLDER, "act.hex"}, act);
    $readmemh({FOLDER, "wgt.hex"}, wgt);
    $readmemh({FOLDER, "acc.hex"}, acc);
    $readmemh({FOLDER, "par.hex"}, par);
    if (LOOKUP) $readmemh({FOLDER, "lut.hex"}, lut);
    if (memory.total != 0) $readmemh({FOLDER, "external.hex"}, memory.words, 0, memory.total / 8 - 1);
`ifndef WEFT_UNDEFINED  // else what nobody has written is x: for programs that do not read it
    ->preset;
`endif
    repeat (4) @(negedge clock);
    reset = 0;
    $display("reset is over");  // what assertions say before that is about undefined registers
    access(0, weft_config_pkg::REGISTER_CONFIGURATION, 0);
    if (register_read_data !== CONFIG[weft_config_pkg::AT_FINGERPRINT+:64]) memory.broken("CONFIGURATION is not that of the package");
    access(1, weft_config_pkg::REGISTER_WATCHDOG, watchdog);
    for (i = 0; i < 8; i = i + 1) begin
      access(1, weft_config_pkg::REGISTER_REGION_BASE + 8 * i, {21'd0, i[2:0], 40'd0});
      access(1, weft_config_pkg::REGISTER_REGION_LIMIT + 8 * i, memory.limits[i]);
    end
    access(1, weft_config_pkg::REGISTER_REGION_WRITABLE, writable);
    access(1, weft_config_pkg::REGISTER_INTERRUPT, 3);  // none pending, enabled
    access(1, weft_config_pkg::REGISTER_START, 1);
    while (interrupt_request !== 1'b1 && cycle <= give_up) @(negedge clock);
    if (interrupt_request !== 1'b1) memory.broken("the machine does not end");
    running = 0;
    repeat (IDLE_CYCLES) @(negedge clock);
    access(0, weft_config_pkg::REGISTER_STATUS, 0);
    $fdisplay(trace, "status %h", register_read_data);
    for (i = 0; i < weft_config_pkg::COUNTERS; i = i + 1) begin
      access(0, weft_config_pkg::REGISTER_COUNTER + 8 * i, 0);
      $fdisplay(trace, "counter %0d %h", i, register_read_data);
    end
`ifndef WEFT_UNDEFINED  // else what was read above is written back
    ->dump;
    #1;
`endif
    $writememh({FOLDER, "act.hex"}, act);
    $writememh({FOLDER, "wgt.hex"}, wgt);
    $writememh({FOLDER, "acc.hex"}, acc);
    $writememh({FOLDER, "par.hex"}, par);
    if (LOOKUP) $writememh({FOLDER, "lut.hex"}, lut);
    if (memory.total != 0) $writememh({FOLDER, "external.hex"}, memory.words, 0, memory.total / 8 - 1);
    $fdisplay(trace, "end %0d", cycle);
    $fclose(trace);
    finished = 1;
    if (ALONE) $finish;
  end
endmodule
