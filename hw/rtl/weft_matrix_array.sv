// B x B multipliers: the weights in use, those that come next (shadow), the operands, and the sums.
//
// Interface: two rows of weights a cycle into the shadow registers; `move` takes the shadow into use; a dense pixel (B bytes, one for each
// row of weights) or a column of a depthwise window comes in; out come B sums. Row j of the weights belongs to input lane j (dense) or tap j
// (depthwise); the newest column of a window is its first taps.
// A row of weights that are all 0 is not `used`: what stands on its lane or tap then counts as 0. In hardware that changes nothing;
// in simulation a lane that nobody has written, or a tap past the end of a window, is x, and 0 * x would be x.
// The bytes of a dense pixel come with the zero point that is subtracted from them (with activation_zero_point), before they are registers.
// Timing, for a pixel whose address was issued in c: it comes in, as the operands of the multipliers, and its weights move, at the end
// of c+2; c+3 multiplies and does nothing else, as that alone is the longest path of the module; c+4
// adds products in groups of four, c+5 adds the groups; the sums are there in c+6. With `deep_pipeline` all of this is a cycle later, and
// rows of weights wait in a register for a cycle before they come into the shadow: whether they are used takes one.
// Reset: none; results count only where the control says so.
//
// All state is in one clocked block that reads it before it changes it, so that the loops run over plain arrays.
module weft_matrix_array #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,
    parameter BLOCK = CONFIG[weft_config_pkg::AT_BLOCK+:32],
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
    input  logic signed [7:0] dense_zero,
    input  logic [8*BLOCK-1:0] dense_bytes,
    input  logic column_valid,
    input  logic [2:0] column_rows,
    input  logic [32*BLOCK-1:0] column,
    output logic [32*BLOCK-1:0] sums
);
  localparam integer GROUPS = BLOCK / 4;
  localparam ZERO_POINT = CONFIG[weft_config_pkg::AT_WEIGHT_ZERO_POINT+:32] != 0;
  localparam integer BITS = ZERO_POINT ? 9 : 8;
  localparam PIXEL_ZERO = CONFIG[weft_config_pkg::AT_ACTIVATION_ZERO_POINT+:32] != 0;
  localparam integer PIXEL_BITS = PIXEL_ZERO ? 9 : 8;

  // Of 32 bits for a simulator's sake, which does sixteen at once. Weights and operands have 9, without a zero point 8; products 18,
  // groups 20.
  // verilator lint_off UNUSEDSIGNAL
  logic signed [31:0] shadow[0:BLOCK*BLOCK-1];
  logic signed [31:0] weights[0:BLOCK*BLOCK-1];
  logic signed [31:0] operands[0:BLOCK*BLOCK-1];
  // verilator lint_on UNUSEDSIGNAL
  // The rows that come into the shadow at the end of this cycle.
  logic come;
  logic [1:0] come_zero;
  logic [BLOCK_BITS-1:0] come_row;
  logic [16*BLOCK-1:0] come_data;
  logic signed [7:0] zero_point;
  if (CONFIG[weft_config_pkg::AT_DEEP_PIPELINE+:32] != 0) begin : g_deep
    always_ff @(posedge clock) begin : waits
      come <= shadow_valid;
      if (shadow_valid) begin
        come_zero <= shadow_zero;
        come_row <= shadow_row;
        come_data <= shadow_data;
        zero_point <= ZERO_POINT ? weight_zero : 8'sd0;
      end
    end
  end else begin : g_shallow
    assign come = shadow_valid;
    assign come_zero = shadow_zero;
    assign come_row = shadow_row;
    assign come_data = shadow_data;
    assign zero_point = ZERO_POINT ? weight_zero : 8'sd0;
  end
  logic signed [7:0] pixel_zero;
  assign pixel_zero = PIXEL_ZERO ? dense_zero : 8'sd0;
  logic [8*BLOCK-1:0] window[0:BLOCK-1];  // by tap
  logic [BLOCK-1:0] shadow_used;  // by row
  logic [BLOCK-1:0] used;
  logic multiply;
  logic multiply_delayed;
  logic multiply_delayed_2;
  logic signed [31:0] products[0:BLOCK*BLOCK-1];
  logic signed [31:0] groups[0:GROUPS*BLOCK-1];

  logic signed [31:0] total[0:BLOCK-1];  // temporaries
  logic signed [31:0] lane;
  logic [BLOCK_BITS-1:0] row;
  /* verilator lint_off BLKSEQ */  // see above
  always_ff @(posedge clock) begin
    // c+5, c+4, c+3 (with `deep_pipeline` a cycle later, as what follows): the later stages first.
    if (multiply_delayed_2) begin
      for (int n = 0; n < BLOCK; n++) total[n] = groups[n];
      for (int g = 1; g < GROUPS; g++) begin
        for (int n = 0; n < BLOCK; n++) total[n] = total[n] + groups[g*BLOCK+n];
      end
      for (int n = 0; n < BLOCK; n++) sums[n*32+:32] <= total[n];
    end
    if (multiply_delayed) begin
      for (int g = 0; g < GROUPS; g++) begin
        for (int n = 0; n < BLOCK; n++) begin
          groups[g*BLOCK+n] = products[4*g*BLOCK+n] + products[(4*g+1)*BLOCK+n] + products[(4*g+2)*BLOCK+n] + products[(4*g+3)*BLOCK+n];
        end
      end
    end
    multiply_delayed_2 = multiply_delayed;
    multiply_delayed = multiply;
    if (multiply) begin
      // Cut to what they have, so that synthesis sees how narrow the multipliers are.
      for (int i = 0; i < BLOCK * BLOCK; i++) products[i] = 32'($signed(operands[i][PIXEL_BITS-1:0])) * 32'($signed(weights[i][BITS-1:0]));
    end

    // c+2
    multiply = dense_valid || column_valid;
    if (move) begin
      for (int i = 0; i < BLOCK * BLOCK; i++) weights[i] = shadow[i];
      used = shadow_used;
    end
    if (dense_valid) begin
      for (int j = 0; j < BLOCK; j++) begin
        lane = used[j] ? 32'($signed(dense_bytes[j*8+:8])) - 32'(pixel_zero) : 0;
        for (int n = 0; n < BLOCK; n++) operands[j*BLOCK+n] = lane;
      end
    end
    if (column_valid) begin
      for (int j = BLOCK - 1; j >= 0; j--) begin
        case (column_rows)
          3'd1: window[j] = j < 1 ? column[8*BLOCK-1:0] : window[j<1?0 : j-1];
          3'd2: window[j] = j < 2 ? column[(j<2?j : 0)*8*BLOCK+:8*BLOCK] : window[j<2?0 : j-2];
          3'd3: window[j] = j < 3 ? column[(j<3?j : 0)*8*BLOCK+:8*BLOCK] : window[j<3?0 : j-3];
          default: window[j] = j < 4 ? column[(j<4?j : 0)*8*BLOCK+:8*BLOCK] : window[j<4?0 : j-4];
        endcase
      end
      for (int j = 0; j < BLOCK; j++) begin
        for (int n = 0; n < BLOCK; n++) operands[j*BLOCK+n] = used[j] ? 32'($signed(window[j][n*8+:8])) : 0;
      end
    end
    if (come) begin
      for (int half = 0; half < 2; half++) begin
        row = come_row + half[BLOCK_BITS-1:0];
        for (int n = 0; n < BLOCK; n++) begin
          shadow[{row, n[BLOCK_BITS-1:0]}] = come_zero[half] ? 0
              : 32'($signed(come_data[half*8*BLOCK+n*8+:8])) - 32'(zero_point);
        end
        shadow_used[row] = !come_zero[half] && come_data[half*8*BLOCK+:8*BLOCK] != {BLOCK{zero_point}};
      end
    end
  end
  /* verilator lint_on BLKSEQ */
endmodule
