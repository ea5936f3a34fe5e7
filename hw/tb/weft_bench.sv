// The bench: the machine, and external memory and an observer in C++ (hw/tb/calls.cpp) behind scalar
// DPI calls. clock.cpp drives clock, reset and the register slave, and reads the interrupt.
//
// At the posedge that ends cycle t the calls hand over what the machine shows in t: the write data,
// the burst that is accepted, what the trace port says; and then fetch what the memory shows in t+1.
// memory_ready is always 1: a burst is accepted in the cycle in which it is requested with priority.
//
// `dump` and `preset` are clocks of their own: a rising edge copies one row of every memory, `row`, to
// or from calls.cpp. While they rest they cost nothing.
//
// Reset: nothing is on the memory port, and what the machine shows in reset is not looked at.
module weft_bench (
    input  logic        clock,
    input  logic        reset,
    input  logic [63:0] model,                // the object of machine.h, for its DPI functions
    input  logic        register_valid,
    output logic        register_ready,
    input  logic        register_write,
    input  logic [11:0] register_address,
    input  logic [63:0] register_write_data,
    output logic        register_read_valid,
    output logic [63:0] register_read_data,
    output logic        interrupt_request,
    input  logic        dump,
    input  logic        preset,
    input  logic [31:0] row
);
  localparam integer B = weft_config_pkg::BLOCK;
  localparam integer WIDTH = weft_config_pkg::MEMORY_WIDTH;
  localparam integer WORDS = (WIDTH + 7) / 8;  // of 64 bits in a beat

  // Write data, 8 bytes each; then what else the machine shows in this cycle. The result is what the
  // memory shows in the next one: an enum weft_port_beat of sim/timing/memory.h.
  localparam [31:0] BEAT_FETCH = 32'd1;
  localparam [31:0] BEAT_LOAD = 32'd2;
  localparam [31:0] BEAT_WRITE = 32'd3;
  import "DPI-C" function void weft_bench_put(
    input longint unsigned model,
    input int unsigned index,
    input longint unsigned word
  );
  import "DPI-C" function int unsigned weft_bench_cycle(
    input longint unsigned model,
    input bit write_valid,
    input int unsigned write_strobe,
    input bit memory_valid,
    input int unsigned memory_master,
    input longint unsigned memory_address,
    input int unsigned memory_bytes,
    input int unsigned memory_beats
  );
  // Read data, 8 bytes each.
  import "DPI-C" function longint unsigned weft_bench_get(
    input longint unsigned model,
    input int unsigned index
  );
  // What an instruction did.
  localparam [31:0] DISPATCHED = 32'd0;
  localparam [31:0] STARTED = 32'd1;
  localparam [31:0] FINISHED = 32'd2;
  import "DPI-C" function void weft_bench_trace(
    input longint unsigned model,
    input int unsigned kind,
    input int unsigned number
  );
  // A word of 8 bytes of an on-chip memory; of LUT, which is written a byte at a time, one byte.
  import "DPI-C" function void weft_bench_dump(
    input longint unsigned model,
    input int unsigned memory,
    input int unsigned offset,
    input longint unsigned word
  );
  import "DPI-C" function longint unsigned weft_bench_preset(
    input longint unsigned model,
    input int unsigned memory,
    input int unsigned offset
  );

  logic               memory_valid;
  logic [        1:0] memory_master;
  logic [       63:0] memory_address;
  logic [       10:0] memory_bytes;
  logic [        8:0] memory_beats;
  logic               read_valid;
  logic               read_fetch;
  logic [8*WIDTH-1:0] read_data;
  logic               write_request;
  logic               write_valid;
  logic [8*WIDTH-1:0] write_data;
  logic [  WIDTH-1:0] write_strobe;
  logic               trace_dispatched;
  logic [       31:0] trace_dispatched_number;
  logic [        3:0] trace_started;
  logic [      127:0] trace_started_numbers;
  logic [        3:0] trace_finished;
  logic [      127:0] trace_finished_numbers;

  weft_machine machine (
      // verilator lint_off PINCONNECTEMPTY
      .running(),  // the driver reads STATUS
      // verilator lint_on PINCONNECTEMPTY
      .memory_ready(1'b1),
      .memory_error(1'b0),
      .bus_busy(1'b0),
      .register_write_strobe(2'b11),
      .*
  );

  // ---- external memory and trace ----

  // verilator lint_off UNUSEDSIGNAL
  logic [64*WORDS-1:0] read_words;  // a beat of 4 bytes takes half of a word
  // verilator lint_on UNUSEDSIGNAL
  logic [64*WORDS-1:0] write_words;

  assign read_data   = read_words[8*WIDTH-1:0];
  assign write_words = (64 * WORDS)'(write_data);

  always_ff @(posedge clock) begin : memory
    automatic logic [31:0] beat;
    if (reset) begin
      read_valid <= 1'b0;
      read_fetch <= 1'b0;
      write_request <= 1'b0;
    end else begin
      if (write_valid) begin
        for (integer i = 0; i < WORDS; i = i + 1) begin
          weft_bench_put(model, i, write_words[64*i+:64]);
        end
      end
      beat = weft_bench_cycle(model, write_valid, 32'(write_strobe), memory_valid,
                              32'(memory_master), memory_address, 32'(memory_bytes),
                              32'(memory_beats));
      read_valid <= beat == BEAT_FETCH || beat == BEAT_LOAD;
      read_fetch <= beat == BEAT_FETCH;
      write_request <= beat == BEAT_WRITE;
      if (beat == BEAT_FETCH || beat == BEAT_LOAD) begin
        for (integer i = 0; i < WORDS; i = i + 1) begin
          read_words[64*i+:64] <= weft_bench_get(model, i);
        end
      end
      if (trace_dispatched) weft_bench_trace(model, DISPATCHED, trace_dispatched_number);
      if ((trace_started | trace_finished) != 4'd0) begin
        for (integer u = 0; u < 4; u = u + 1) begin
          if (trace_started[u]) weft_bench_trace(model, STARTED, trace_started_numbers[32*u+:32]);
          if (trace_finished[u]) weft_bench_trace(model, FINISHED, trace_finished_numbers[32*u+:32]);
        end
      end
    end
  end

  // ---- on-chip memories ----

  // Memories by their number in isa/instructions.def, bytes of a bank, and rows of a RAM, or of the part of one that a bank is. With
  // WEFT_BENCH_BANKS the memories are those of hw/rtl, without they are those of hw/tb/stand_ins, whose lines lie side by side: a row is then
  // every ROWS-th line.
  localparam integer ACT = 0;
  localparam integer WGT = 1;
  localparam integer ACC = 2;
  localparam integer PAR = 3;
  localparam integer LUT = 4;
  localparam integer ACT_RAM = weft_config_pkg::ACT_BYTES / weft_config_pkg::ACT_RAMS;
  localparam integer WGT_BANK = weft_config_pkg::WGT_BYTES / weft_config_pkg::WGT_BANKS;
  localparam integer ACC_BANK = weft_config_pkg::ACC_BYTES / weft_config_pkg::ACC_BANKS;
  localparam integer PAR_BANK = weft_config_pkg::PAR_BYTES / weft_config_pkg::PAR_BANKS;
  localparam integer ACT_ROWS = ACT_RAM / B / 4;
  localparam integer WGT_ROWS = WGT_BANK / B / 2;
  localparam integer ACC_ROWS = ACC_BANK / B / 4;
  localparam integer PAR_ROWS = PAR_BANK / B / 2;
  localparam integer LUT_ROWS = 256;

`ifdef WEFT_BENCH_BANKS
  localparam integer WGT_INDEX = $clog2(weft_config_pkg::WGT_BYTES / B / 2);  // all banks of WGT lie in two RAMs, those of PAR too
  localparam integer PAR_INDEX = $clog2(weft_config_pkg::PAR_BYTES / B / 2);
`define WEFT_BENCH_ROW(MEMORY, RAM, INDEX, ROWS, BYTES, OFFSET)                            \
  always @(posedge dump) begin                                                             \
    if (row < (ROWS)) begin                                                                \
      for (integer i = 0; i < (BYTES) / 8; i = i + 1) begin                                \
        weft_bench_dump(model, MEMORY, (OFFSET) + 8 * i,                                   \
                        RAM.memory[INDEX][64*i+:64]);                                      \
      end                                                                                  \
    end                                                                                    \
  end                                                                                      \
  always @(posedge preset) begin                                                           \
    if (row < (ROWS)) begin                                                                \
      for (integer i = 0; i < (BYTES) / 8; i = i + 1) begin                                \
        RAM.memory[INDEX][64*i+:64] =                                                      \
            weft_bench_preset(model, MEMORY, (OFFSET) + 8 * i);                            \
      end                                                                                  \
    end                                                                                    \
  end

  generate
    for (genvar k = 0; k < 4; k = k + 1) begin : g_act
      for (genvar b = 0; b < weft_config_pkg::ACT_RAMS; b = b + 1) begin : g_ram
        `WEFT_BENCH_ROW(ACT, machine.datapath.act.g_sub[k].g_ram[b].ram, row[$clog2(ACT_ROWS)-1:0], ACT_ROWS, B,
                        b * ACT_RAM + (4 * row + k) * B)
      end
    end
    for (genvar k = 0; k < 2; k = k + 1) begin : g_wgt
      for (genvar b = 0; b < weft_config_pkg::WGT_BANKS; b = b + 1) begin : g_bank
        `WEFT_BENCH_ROW(WGT, machine.datapath.wgt.g_sub[k].ram, WGT_INDEX'(b * WGT_ROWS + row), WGT_ROWS, B,
                        b * WGT_BANK + (2 * row + k) * B)
      end
      for (genvar b = 0; b < weft_config_pkg::PAR_BANKS; b = b + 1) begin : g_par
        `WEFT_BENCH_ROW(PAR, machine.datapath.par.lines.g_sub[k].ram, PAR_INDEX'(b * PAR_ROWS + row), PAR_ROWS, B,
                        b * PAR_BANK + (2 * row + k) * B)
      end
    end
    for (genvar b = 0; b < weft_config_pkg::ACC_BANKS; b = b + 1) begin : g_acc
      `WEFT_BENCH_ROW(ACC, machine.datapath.acc.g_bank[b].ram, row[$clog2(ACC_ROWS)-1:0], ACC_ROWS, 4 * B, b * ACC_BANK + 4 * row * B)
    end
    for (genvar l = 0; l < (weft_config_pkg::LOOKUP != 0 ? B : 0); l = l + 1) begin : g_lut
      always @(posedge dump) begin
        if (row < LUT_ROWS) begin
          weft_bench_dump(model, LUT, row * B + l,
                          64'(machine.datapath.lut.g_lane[l].ram.memory[row[7:0]]));
        end
      end
      always @(posedge preset) begin
        if (row < LUT_ROWS) begin
          machine.datapath.lut.g_lane[l].ram.memory[row[7:0]] = 8'(weft_bench_preset(model, LUT, row * B + l));
        end
      end
    end
  endgenerate
`else
`define WEFT_BENCH_ROWS(MEMORY, ARRAY, ROWS, LINES, BYTES)                                                           \
  always @(posedge dump) begin                                                                                      \
    if (row < (ROWS)) begin                                                                                         \
      for (integer line = row; line < (LINES); line = line + (ROWS)) begin                                          \
        for (integer i = 0; i < (BYTES) / 8; i = i + 1) begin                                                       \
          weft_bench_dump(model, MEMORY, line * (BYTES) + 8 * i, ARRAY.memory[line[$clog2(LINES)-1:0]][64*i+:64]);  \
        end                                                                                                         \
      end                                                                                                           \
    end                                                                                                             \
  end                                                                                                               \
  always @(posedge preset) begin                                                                                    \
    if (row < (ROWS)) begin                                                                                         \
      for (integer line = row; line < (LINES); line = line + (ROWS)) begin                                          \
        for (integer i = 0; i < (BYTES) / 8; i = i + 1) begin                                                       \
          ARRAY.memory[line[$clog2(LINES)-1:0]][64*i+:64] = weft_bench_preset(model, MEMORY, line * (BYTES) + 8 * i); \
        end                                                                                                         \
      end                                                                                                           \
    end                                                                                                             \
  end

  `WEFT_BENCH_ROWS(ACT, machine.datapath.act, ACT_ROWS, weft_config_pkg::ACT_BYTES / B, B)
  `WEFT_BENCH_ROWS(WGT, machine.datapath.wgt, WGT_ROWS, weft_config_pkg::WGT_BYTES / B, B)
  `WEFT_BENCH_ROWS(PAR, machine.datapath.par.lines, PAR_ROWS, weft_config_pkg::PAR_BYTES / B, B)
  `WEFT_BENCH_ROWS(ACC, machine.datapath.acc, ACC_ROWS, weft_config_pkg::ACC_BYTES / (4 * B), 4 * B)
  generate
    if (weft_config_pkg::LOOKUP != 0) begin : g_lut
      always @(posedge dump) begin
        if (row < LUT_ROWS) begin
          for (integer l = 0; l < B; l = l + 1) begin
            weft_bench_dump(model, LUT, row * B + l, 64'(machine.datapath.lut.memory[256*l+row]));
          end
        end
      end
      always @(posedge preset) begin
        if (row < LUT_ROWS) begin
          for (integer l = 0; l < B; l = l + 1) begin
            machine.datapath.lut.memory[256*l+row] = 8'(weft_bench_preset(model, LUT, row * B + l));
          end
        end
      end
    end
  endgenerate
`endif
endmodule
