// B x B multipliers: the weights in use, those that come next (shadow), the operands, and the sums.
//
// Interface: two rows of weights a cycle into the shadow registers; `move` takes the shadow into use; a dense pixel (B bytes, one for each
// row of weights) or a column of a depthwise window comes in; out come B sums. Row j of the weights belongs to input lane j (dense) or tap j
// (depthwise); the newest column of a window is its first taps.
// Timing, for a pixel whose address was issued in c: it comes in, and its weights move, at the end of c+2; its products are
// added up after that, and the sums are there in c+6. The tree is written before its pipeline registers; synthesis moves
// them into it (retiming).
// Reset: none; results count only where the control says so.
//
// All state is in one clocked block that reads it before it changes it, so that the loops run over plain arrays.
module weft_matrix_array #(
    parameter BLOCK = weft_config_pkg::BLOCK,
    parameter BLOCK_BITS = $clog2(BLOCK)
) (
    input  logic clock,
    input  logic shadow_valid,
    input  logic [1:0] shadow_zero,
    input  logic [BLOCK_BITS-1:0] shadow_row,
    input  logic [16*BLOCK-1:0] shadow_data,
    input  logic signed [7:0] weight_zero,
    input  logic move,
    input  logic dense_valid,
    input  logic [8*BLOCK-1:0] dense_bytes,
    input  logic column_valid,
    input  logic [2:0] column_rows,
    input  logic [32*BLOCK-1:0] column,
    output logic [32*BLOCK-1:0] sums
);
  logic signed [8:0] shadow[0:BLOCK*BLOCK-1];
  logic signed [8:0] weights[0:BLOCK*BLOCK-1];
  logic [8*BLOCK-1:0] pixel;
  logic [8*BLOCK-1:0] window[0:BLOCK-1];  // by tap
  logic multiply_dense;
  logic multiply_window;
  logic multiply_delayed;
  logic multiply_delayed_2;
  logic [32*BLOCK-1:0] sums_4;  // in c+4 and c+5
  logic [32*BLOCK-1:0] sums_5;

  logic signed [31:0] total[0:BLOCK-1];  // temporaries
  logic signed [31:0] byte_of_lane;
  logic [BLOCK_BITS-1:0] row;
  /* verilator lint_off BLKSEQ */  // see above
  always_ff @(posedge clock) begin
    // c+5, c+4, c+3: read what the later stages hold before the earlier ones change it.
    if (multiply_delayed_2) sums <= sums_5;
    if (multiply_delayed) sums_5 <= sums_4;
    multiply_delayed_2 <= multiply_delayed;
    multiply_delayed <= multiply_dense || multiply_window;
    if (multiply_dense || multiply_window) begin
      for (int n = 0; n < BLOCK; n++) total[n] = 0;
`ifdef SYNTHESIS
      // One multiplier for pixels and windows, with the choice before it; outside of the loops it costs a simulator less.
      for (int j = 0; j < BLOCK; j++) begin
        for (int n = 0; n < BLOCK; n++) begin
          total[n] = total[n]
              + 32'($signed(multiply_dense ? pixel[j*8+:8] : window[j][n*8+:8])) * 32'(weights[j*BLOCK+n]);
        end
      end
`else
      if (multiply_dense) begin
        for (int j = 0; j < BLOCK; j++) begin
          byte_of_lane = 32'($signed(pixel[j*8+:8]));
          for (int n = 0; n < BLOCK; n++) total[n] = total[n] + byte_of_lane * 32'(weights[j*BLOCK+n]);
        end
      end else begin
        for (int j = 0; j < BLOCK; j++) begin
          for (int n = 0; n < BLOCK; n++) total[n] = total[n] + 32'($signed(window[j][n*8+:8])) * 32'(weights[j*BLOCK+n]);
        end
      end
`endif
      for (int n = 0; n < BLOCK; n++) sums_4[n*32+:32] <= total[n];
    end

    // c+2
    multiply_dense = dense_valid;
    multiply_window = column_valid;
    if (dense_valid) pixel = dense_bytes;
    if (column_valid) begin
      for (int j = BLOCK - 1; j >= 0; j--) begin
        case (column_rows)
          3'd1: window[j] = j < 1 ? column[8*BLOCK-1:0] : window[j<1?0 : j-1];
          3'd2: window[j] = j < 2 ? column[(j<2?j : 0)*8*BLOCK+:8*BLOCK] : window[j<2?0 : j-2];
          3'd3: window[j] = j < 3 ? column[(j<3?j : 0)*8*BLOCK+:8*BLOCK] : window[j<3?0 : j-3];
          default: window[j] = j < 4 ? column[(j<4?j : 0)*8*BLOCK+:8*BLOCK] : window[j<4?0 : j-4];
        endcase
      end
    end
    if (move) begin
      for (int i = 0; i < BLOCK * BLOCK; i++) weights[i] = shadow[i];
    end
    if (shadow_valid) begin
      for (int half = 0; half < 2; half++) begin
        row = shadow_row + half[BLOCK_BITS-1:0];
        for (int n = 0; n < BLOCK; n++) begin
          shadow[{row, n[BLOCK_BITS-1:0]}] = shadow_zero[half] ? 9'sd0
              : 9'($signed(shadow_data[half*8*BLOCK+n*8+:8])) - 9'(weight_zero);
        end
      end
    end
  end
  /* verilator lint_on BLKSEQ */
endmodule
