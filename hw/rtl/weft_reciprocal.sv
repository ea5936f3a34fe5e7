// The scale of a row of SOFTMAX: 1 over the sum of its exponentials, as a multiplier and a shift (weft_softmax_normalised(),
// weft_reciprocal_of_one_plus() in base/fixed_point.h). A multiplier of 32 x 12 bits, in two pieces, that takes a factor in three; seven
// products: the first guess and three Newton steps.
//
// Interface: `start` in T takes `sum`; `scale` and `shift` are right from T + 37 on, until the next start.
// Timing: starts are at least 37 cycles apart.
// `clear` (synchronous): nothing is under way. Without a start nothing changes.
//
// T: leading zeros by fours. T+1: normalised. Then seven times five cycles: in the first three the products of both pieces of the multiplicand with
// 11, 11 and 10 bits of the factor, the lowest first; in the second to the fourth they are added up, with what weft_high_mul() rounds by;
// in the fifth the upper bits of the sum, its result, are added to something.
module weft_reciprocal (
    input  logic        clock,
    input  logic        clear,
    input  logic        start,
    input  logic [27:0] sum,
    output logic [31:0] scale,
    output logic [ 4:0] shift
);
  // 48 / 17, -32 / 17 and 1, with two integer bits.
  localparam [31:0] GUESS = 32'd1515870810;
  localparam [31:0] SLOPE = -32'd1010580540;
  localparam [31:0] ONE = 32'h20000000;

  localparam signed [44:0] ROUND = 45'sd1 <<< 30;

  localparam [1:0] FIRST = 2'd0;  // the guess: GUESS + denominator * SLOPE
  localparam [1:0] ERROR = 2'd1;  // ONE - denominator * x
  localparam [1:0] CORRECTION = 2'd2;  // x + x * error * 4

  logic normalising, multiplying;
  logic [4:0] zeros;
  logic [27:0] unnormalised;
  logic [30:0] denominator;  // half of it, without a sign
  logic [31:0] x;
  logic [1:0] kind;
  logic [1:0] steps;  // CORRECTIONs done
  logic [2:0] cycle;  // of a product
  logic [31:0] multiplicand;
  logic signed [11:0] piece;  // of the factor, and what is left of it
  logic [20:0] factor_rest;
  logic signed [31:0] low, high;  // products of the lower 16 bits of the multiplicand, and of the rest
  // verilator lint_off UNUSEDSIGNAL
  logic signed [44:0] product;  // without the 11 or 22 bits that fell out; none saturates
  // verilator lint_on UNUSEDSIGNAL

  // Leading zeros, 0 to 7 times four.
  function automatic [2:0] fours_of(input [27:0] value);
    logic [6:0] some;
    for (integer i = 0; i < 7; i = i + 1) some[i] = value[4*i+:4] != 4'd0;
    fours_of[2] = some[6:3] == 4'd0;
    fours_of[1] = some[6:3] != 4'd0 ? some[6:5] == 2'd0 : some[2:1] == 2'd0;
    fours_of[0] = !some[6] && (some[5] || (!some[4] && (some[3] || (!some[2] && (some[1] || !some[0])))));
  endfunction

  // Of four bits of which one is 1.
  function automatic [1:0] zeros_of(input [2:0] value);
    zeros_of = value[2] ? 2'd0 : value[1] ? 2'd1 : value[0] ? 2'd2 : 2'd3;
  endfunction

  assign shift = 5'd31 - zeros;
  assign scale = x[31] == x[30] ? {x[30:0], 1'b0} : {x[31], {31{!x[31]}}};

  always_ff @(posedge clock) begin : newton
    logic [31:0] rounded, next;
    logic [30:0] by_fours, normal;
    logic [1:0] left;
    logic [31:0] factor;
    logic signed [16:0] low_part, high_part;
    // Without a product don't care, as in weft_requantize: registers that keep their content need a multiplexer behind the multipliers.
    low <= 32'sdx;
    high <= 32'sdx;
    if (multiplying) begin
      rounded = product[40:9];
      next = (kind == FIRST ? GUESS : kind == ERROR ? ONE : x)
          + (kind == FIRST ? rounded : kind == ERROR ? ~rounded : {rounded[29:0], 2'd0}) + {31'd0, kind == ERROR};
      piece <= {cycle == 3'd1 && factor_rest[11], factor_rest[10:0]};  // the last one has the sign
      factor_rest <= {{11{factor_rest[20]}}, factor_rest[20:11]};
      low_part = {1'b0, multiplicand[15:0]};
      high_part = {multiplicand[31], multiplicand[31:16]};
      low <= 32'(low_part) * 32'(piece);
      high <= 32'(high_part) * 32'(piece);
      product <= (cycle == 3'd1 ? ROUND : product >>> 11) + 45'(low) + (45'(high) <<< 16);
      cycle <= cycle + 3'd1;
      if (cycle == 3'd4) begin
        if (kind != ERROR) x <= next;
        multiplicand <= next;
        factor = kind == ERROR ? x : {1'b0, denominator};
        piece <= {1'b0, factor[10:0]};
        factor_rest <= factor[31:11];
        kind <= kind == ERROR ? CORRECTION : ERROR;
        cycle <= 3'd0;
        if (kind == CORRECTION) steps <= steps + 2'd1;
        if (kind == CORRECTION && steps == 2'd2) multiplying <= 1'b0;
      end
    end
    if (normalising) begin
      by_fours = {unnormalised, 3'd0} << {zeros[4:2], 2'd0};
      left = zeros[4:2] == 3'd7 ? 2'd0 : zeros_of(by_fours[30:28]);
      normal = by_fours << left;
      zeros[1:0] <= left;
      denominator <= normal;
      piece <= {1'b0, normal[10:0]};
      factor_rest <= {1'b0, normal[30:11]};
      multiplicand <= SLOPE;
      kind <= FIRST;
      steps <= 2'd0;
      cycle <= 3'd0;
      multiplying <= 1'b1;
      normalising <= 1'b0;
    end
    if (start) begin
      zeros[4:2] <= fours_of(sum);
      unnormalised <= sum;
      normalising <= 1'b1;
      multiplying <= 1'b0;
    end
    if (clear) begin
      normalising <= 1'b0;
      multiplying <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clock) begin : promises
    if (!clear && (start && (normalising || multiplying)) === 1'b1) $error("weft_reciprocal: a start before the result");
  end
`endif
endmodule
