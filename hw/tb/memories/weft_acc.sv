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

  // Reads and writes stand apart: see weft_act.sv beside this file.
  localparam DEEP = CONFIG[weft_config_pkg::AT_DEEP_PIPELINE+:32] != 0;
  logic matrix_late, vector_late;
  logic [ENTRY_BITS-1:0] matrix_entry, late_entry;
  always_ff @(posedge clock) begin
    if (DEEP ? matrix_late : matrix_read_valid) matrix_read_data <= memory[DEEP ? matrix_entry : matrix_read_entry];
    if (DEEP) begin
      matrix_late  <= matrix_read_valid;
      matrix_entry <= matrix_read_entry;
    end
  end
  always_ff @(posedge clock) begin
    if (DEEP ? vector_late : vector_valid) vector_read_data <= memory[DEEP ? late_entry : vector_entry];
    if (DEEP) begin
      vector_late <= vector_valid;
      late_entry  <= vector_entry;
    end
  end
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clock) begin
    if (matrix_write_valid) memory[matrix_write_entry] = matrix_write_data;
  end
  /* verilator lint_on BLKSEQ */
endmodule
