// LUT: one table of 256 bytes for each lane.
//
// For simulation alone, in place of hw/rtl/weft_lut.sv, whose interface and timing it has: one array instead of banks, so that a cycle costs
// what is read and written in it. Who owns which bank is not checked here. hw/tb/CMakeLists.txt says which libraries of the RTL have it;
// the tests cosim_banks_* hold the machine with its banks against the same simulator.
module weft_lut #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,
    parameter BLOCK = CONFIG[weft_config_pkg::AT_BLOCK+:32],
    parameter LINE = 8 * BLOCK
) (
    input  logic clock,
    input  logic load_valid,
    input  logic [7:0] load_line,  // of the lower half
    input  logic [2*BLOCK-1:0] load_strobe,
    input  logic [2*LINE-1:0] load_data,
    input  logic read_valid,
    input  logic [LINE-1:0] read_index,
    input  logic sum_valid,
    input  logic [LINE-1:0] sum_index,
    output logic [LINE-1:0] read_data,
    output logic [LINE-1:0] sum_data
);
  localparam BLOCK_BITS = $clog2(BLOCK);
  logic [7:0] memory[0:256*BLOCK-1];  // by lane

  logic [7:0] load_next;
  assign load_next = load_line + 8'd1;

  // Reads and writes stand apart: see weft_act.sv beside this file.
  always_ff @(posedge clock) begin
    if (read_valid) begin
      for (int l = 0; l < BLOCK; l++) read_data[l*8+:8] <= memory[{l[BLOCK_BITS-1:0], read_index[l*8+:8]}];
    end
    if (sum_valid) begin
      for (int l = 0; l < BLOCK; l++) sum_data[l*8+:8] <= memory[{l[BLOCK_BITS-1:0], sum_index[l*8+:8]}];
    end
  end
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clock) begin
    if (load_valid) begin
      for (int l = 0; l < BLOCK; l++) begin
        if (load_strobe[l]) memory[{l[BLOCK_BITS-1:0], load_line}] = load_data[l*8+:8];
        else if (load_strobe[BLOCK+l]) memory[{l[BLOCK_BITS-1:0], load_next}] = load_data[LINE+l*8+:8];
      end
    end
  end
  /* verilator lint_on BLKSEQ */
endmodule
