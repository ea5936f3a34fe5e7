// Reads weight tiles from WGT, 2B bytes a cycle, for the shadow registers of the array.
// Interface: `start` with the instruction when it starts, `next_tile` in the cycle of the first pixel of a pass that is not the last: the tile
// after it is read in the W = B/2 cycles after that. `reads` counts the cycles of the current tile.
// Timing: a line read in t is at the array's shadow registers in t+1, two rows a cycle: `row` and the one after it (modulo B).
// Rows past the tile come as rows to be zeroed. A depthwise tile of an odd number of rows ends in the middle of a line.
// Reset: synchronous; nothing is being read.
`include "weft_isa_slices.svh"
module weft_matrix_weights #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,
    parameter BLOCK = CONFIG[weft_config_pkg::AT_BLOCK+:32],
    parameter BLOCK_BITS = $clog2(BLOCK),
    parameter LINE_BITS = $clog2(CONFIG[weft_config_pkg::AT_WGT_BYTES+:32]) - BLOCK_BITS
) (
    input  logic clock,
    input  logic reset,
    input  logic start,
    /* verilator lint_off UNUSEDSIGNAL */ input logic [511:0] instruction, /* verilator lint_on UNUSEDSIGNAL */
    input  logic next_tile,
    output logic [BLOCK_BITS-1:0] reads,  // cycles of reading before this one; W when all is read
    output logic [1:0] wgt_valid,
    output logic [LINE_BITS-2:0] wgt_line,
    output logic shadow_valid,
    output logic [1:0] shadow_zero,  // this row of the two has no weights
    output logic [BLOCK_BITS-1:0] shadow_row,
    output logic signed [7:0] weight_zero
);
  localparam [BLOCK_BITS-1:0] CYCLES = BLOCK_BITS'(BLOCK / 2);

  logic [LINE_BITS-1:0] tile_line;  // of the tile that is read or was read last
  logic [BLOCK_BITS:0] tile_rows;
  logic reading;
  logic signed [7:0] zero;
  assign reading = reads != CYCLES;

  // Rows of the two halves of this read, and whether the tile has them.
  logic [BLOCK_BITS:0] lower;
  logic [BLOCK_BITS:0] upper;
  assign lower = {reads, 1'b0} - {{BLOCK_BITS{1'b0}}, tile_line[0]};
  assign upper = lower + 1'b1;
  assign wgt_valid = reading ? {upper < tile_rows, lower < tile_rows} : 2'b00;
  assign wgt_line = tile_line[LINE_BITS-1:1] + {{LINE_BITS - 1 - BLOCK_BITS{1'b0}}, reads};

  // verilator lint_off UNUSEDSIGNAL
  logic [8:0] taps;  // of a depthwise window; at most B
  // verilator lint_on UNUSEDSIGNAL
  assign taps = {6'd0, instruction[`WEFT_MATRIX_WINDOW_ROWS]}
      * {3'd0, instruction[`WEFT_MATRIX_WINDOW_COLUMNS]};

  always_ff @(posedge clock) begin
    if (reading) begin
      shadow_zero <= ~wgt_valid;
      shadow_row <= lower[BLOCK_BITS-1:0];
      weight_zero <= zero;
    end
    if (next_tile && !start) tile_line <= tile_line + {{LINE_BITS - BLOCK_BITS - 1{1'b0}}, tile_rows};
    if (start) begin
      tile_line <= instruction[weft_isa_pkg::MATRIX_WGT_LSB+BLOCK_BITS+:LINE_BITS];
      tile_rows <= instruction[`WEFT_MATRIX_MODE] ? taps[BLOCK_BITS:0] : BLOCK[BLOCK_BITS:0];
      zero <= instruction[`WEFT_MATRIX_WEIGHT_ZERO];
    end
    shadow_valid <= !reset && reading;
    if (reading) reads <= reads + 1'b1;
    if (start || next_tile) reads <= 0;
    if (reset) reads <= CYCLES;
  end
endmodule
