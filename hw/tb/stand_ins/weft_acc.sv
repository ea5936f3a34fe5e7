// ACC: accumulators.
//
// For simulation alone, in place of hw/rtl/weft_acc.sv, whose interface and timing it has: one array instead of banks, so that a cycle costs
// what is read and written in it. Who owns which bank is not checked here. hw/tb/CMakeLists.txt says which libraries of the RTL have it;
// the tests cosim_banks_* hold the machine with its banks against the same simulator.
module weft_acc #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,
    parameter ENTRY = 32 * CONFIG[weft_config_pkg::AT_BLOCK+:32],
    parameter ENTRIES = CONFIG[weft_config_pkg::AT_ACC_BYTES+:32] / CONFIG[weft_config_pkg::AT_BLOCK+:32] / 4,
    parameter ENTRY_BITS = $clog2(ENTRIES)
) (
    input  logic clock,
    input  logic matrix_read_valid,
    input  logic [ENTRY_BITS-1:0] matrix_read_entry,
    output logic [ENTRY-1:0] matrix_read_data,
    input  logic matrix_write_valid,
    input  logic [ENTRY_BITS-1:0] matrix_write_entry,
    input  logic [ENTRY-1:0] matrix_write_data,
    input  logic vector_valid,
    input  logic [ENTRY_BITS-1:0] vector_entry,
    output logic [ENTRY-1:0] vector_read_data
);
  logic [ENTRY-1:0] memory[0:ENTRIES-1];

  // What is read in this cycle: with `deep_pipeline` what was asked for in the one before, which costs a simulator less than a register behind
  // the entry, and is the same, as nothing writes an entry between.
  logic matrix_now, vector_now;
  logic [ENTRY_BITS-1:0] matrix_entry, vector_entry_now;
  if (CONFIG[weft_config_pkg::AT_DEEP_PIPELINE+:32] != 0) begin : g_deep
    always_ff @(posedge clock) begin : late
      matrix_now <= matrix_read_valid;
      matrix_entry <= matrix_read_entry;
      vector_now <= vector_valid;
      vector_entry_now <= vector_entry;
    end
  end else begin : g_shallow
    assign matrix_now = matrix_read_valid;
    assign matrix_entry = matrix_read_entry;
    assign vector_now = vector_valid;
    assign vector_entry_now = vector_entry;
  end

  // Reads and writes stand apart: see weft_act.sv beside this file.
  always_ff @(posedge clock) begin
    if (matrix_now) matrix_read_data <= memory[matrix_entry];
  end
  always_ff @(posedge clock) begin
    if (vector_now) vector_read_data <= memory[vector_entry_now];
  end
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clock) begin
    if (matrix_write_valid) memory[matrix_write_entry] = matrix_write_data;
  end
  /* verilator lint_on BLKSEQ */
endmodule
