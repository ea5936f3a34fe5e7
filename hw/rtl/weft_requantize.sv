// The back half of the lanes' pipeline: multiply, round, clamp; one 32 x 32 multiplier a lane.
//
//   P  x * multiplier, 64 bits
//   H  (P + 2^30) >> 31, saturated; `single`: P >> right, half away from zero, saturated
//   R  H >> right, half away from zero; `single`: H
//   Z  R + zero, clamped to [low, high], a byte
//
// An operand on x in T (x_valid) is in P in T+1, in H in T+2, in R in T+3 and, if its phase is RESULT, in Z in T+4. The phase
// says whose multiplier and shift it takes; with r_valid it is on r_phase:
//
//   RESULT     those of its lane
//   SCALE_A    multiplier_a, right_a
//   SCALE_B    multiplier_b, right_b
//   PRODUCT    multiplier: its byte of `bytes` minus zero_b; it ends in P, with p_product
//
// `emit` in T brings `bytes`, clamped, into Z of T+1. Z stays until the next. `low` and `high` are the limits of R: zero is added
// behind the clamp. A stage without work costs one test in simulation. `clear` (synchronous): nothing is under way.
module weft_requantize #(
    parameter integer B = weft_config_pkg::BLOCK  // lanes
) (
    input  logic            clock,
    input  logic            clear,
    input  logic            single,
    input  logic            x_valid,
    input  logic [     1:0] x_phase,
    input  logic [32*B-1:0] x,
    input  logic [32*B-1:0] multiplier,
    input  logic [ 8*B-1:0] right,         // 0 to 31, `single`: to 62
    input  logic [    31:0] multiplier_a,
    input  logic [    31:0] multiplier_b,
    input  logic [     4:0] right_a,
    input  logic [     4:0] right_b,
    input  logic [     7:0] zero_b,
    input  logic [     7:0] zero,
    input  logic [     9:0] low,           // signed
    input  logic [     9:0] high,
    input  logic            emit,
    input  logic [ 8*B-1:0] bytes,
    output logic            p_product,
    output logic [64*B-1:0] p,
    output logic            r_valid,
    output logic [     1:0] r_phase,
    output logic [32*B-1:0] r,
    output logic [ 8*B-1:0] z
);
  localparam [1:0] RESULT = 2'd0;
  localparam [1:0] SCALE_A = 2'd1;
  localparam [1:0] PRODUCT = 2'd3;

  logic p_valid, h_valid;
  logic [1:0] p_phase, h_phase;
  logic [32*B-1:0] h;

  assign p_product = p_valid && p_phase == PRODUCT;

  always_ff @(posedge clock) begin : control
    if (clear) begin
      p_valid <= 1'b0;
      h_valid <= 1'b0;
      r_valid <= 1'b0;
    end else begin
      p_valid <= x_valid;
      h_valid <= p_valid && !p_product;
      r_valid <= h_valid;
      p_phase <= x_phase;
      h_phase <= p_phase;
      r_phase <= h_phase;
    end
  end

  // From the last stage to the first, so that a simulator needs no second copy of the registers.
  always_ff @(posedge clock) begin : stages
    logic [32*B-1:0] factor;
    logic [8*B-1:0] exponent;
    logic signed [31:0] value;
    logic signed [63:0] wide;
    logic signed [31:0] least, most;
    logic [63:0] nudge;  // half of the divisor; one less for a negative value
    least = {{22{low[9]}}, low};
    most = {{22{high[9]}}, high};
    if (emit) begin
      for (integer i = 0; i < B; i = i + 1) begin
        value = {{24{bytes[8*i+7]}}, bytes[8*i+:8]};
        value = value < least ? least : value > most ? most : value;
        z[8*i+:8] <= value[7:0];
      end
    end else if (r_valid && r_phase == RESULT) begin
      for (integer i = 0; i < B; i = i + 1) begin
        value = r[32*i+:32];
        value = value < least ? least : value > most ? most : value;
        z[8*i+:8] <= value[7:0] + zero;
      end
    end
    if (h_valid) begin
      exponent = right;
      if (single) exponent = {B{8'd0}};
      if (h_phase != RESULT) exponent = {B{3'd0, h_phase == SCALE_A ? right_a : right_b}};
      for (integer i = 0; i < B; i = i + 1) begin
        value = h[32*i+:32];
        nudge = ((64'd1 << exponent[8*i+:5]) - {63'd0, value[31]}) >> 1;
        wide = ($signed({{32{value[31]}}, value}) + $signed(nudge)) >>> exponent[8*i+:5];
        r[32*i+:32] <= wide[31:0];
      end
    end
    if (p_valid) begin
      for (integer i = 0; i < B; i = i + 1) begin
        wide = p[64*i+:64];
        if (single) begin
          nudge = ((64'd1 << right[8*i+:6]) - {63'd0, wide[63]}) >> 1;
          wide  = (wide + $signed(nudge)) >>> right[8*i+:6];
        end else begin
          wide = (wide + 64'sd1073741824) >>> 31;
        end
        if (wide > 64'sd2147483647) value = 32'h7fffffff;
        else if (wide < -64'sd2147483648) value = 32'h80000000;
        else value = wide[31:0];
        h[32*i+:32] <= value;
      end
    end
    if (x_valid) begin
      factor = multiplier;
      if (x_phase == PRODUCT) begin
        for (integer i = 0; i < B; i = i + 1) begin
          factor[32*i+:32] = {{24{bytes[8*i+7]}}, bytes[8*i+:8]} - {{24{zero_b[7]}}, zero_b};
        end
      end else if (x_phase != RESULT) begin
        factor = {B{x_phase == SCALE_A ? multiplier_a : multiplier_b}};
      end
      for (integer i = 0; i < B; i = i + 1) begin
        p[64*i+:64] <= $signed(x[32*i+:32]) * $signed(factor[32*i+:32]);
      end
    end
  end
endmodule
