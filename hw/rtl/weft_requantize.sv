// The pipeline of the lanes, from the operands to the byte; one 32 x 32 multiplier a lane.
//
//   X  operand, shifted left; `as_float`: rounded to 24 significant bits, ties to even
//   P  X * multiplier, 64 bits
//   H  (P + 2^30) >> 31, saturated; `single`: P >> right, half away from zero, saturated; `as_float`: P >> excess, ties to
//      even; the excess of P is how many significant bits it has beyond 24
//   R  H >> right, half away from zero; `single`: H; `as_float`: H >> (right - excess), ties to even
//   Z  R + zero, clamped to [low, high]: a byte, on `result`
//
// as_float: X may be 2^31, which is why it has a 33rd bit. When excess is above `right`, H is R: it has 24 bits or more and is
// clamped like the still larger one that it stands for.
//
// What comes in T is in X in T+1, P in T+2, H in T+3, R in T+4, Z in T+5 and stays there until the next one. With `take_a`, `take_b`
// or `lut_done` it is on the port of ACT (REQUANT: ACC; lut_done: LUT). Into X goes:
//
//   REQUANT             accumulator + bias
//   COPY, RESCALE       a - zero_a
//   LUT                 the entry
//   MAX, MIN            with b: the larger or smaller of a, held, and b
//   ADD, SUB            (a - zero_a) << 20 as SCALE_A, then (b - zero_b) << 20 as SCALE_B. Scaled a is in R one cycle before scaled b
//                       and kept; when b is there, their sum goes into X, which is free in every third cycle
//   MUL                 with b: a - zero_a as PRODUCT, whose multiplier is b - zero_b; two cycles later the product, from P
//   POOL, FILL          nothing. `held` is the maximum, or the byte since `fill`; with `emit` in T it is, clamped, in Z in T+1
//
// RESULT takes multiplier and shifts of its lane and ends in Z; SCALE_A and SCALE_B take their own. `low` and `high` are the limits
// of R: zero is added behind the clamp. Without `busy` a cycle costs one test in simulation, and so does a stage without work.
// `clear` (synchronous): nothing is under way.
module weft_requantize #(
    parameter integer B = weft_config_pkg::BLOCK  // lanes
) (
    input  logic            clock,
    input  logic            clear,
    input  logic            busy,           // else nothing is under way or comes
    // the function
    input  logic            requant,
    input  logic            sum,            // ADD, SUB
    input  logic            subtract,
    input  logic            mul,
    input  logic            max,
    input  logic            pool,
    input  logic            direct,         // operand a goes into X when it comes
    input  logic            single,
    input  logic            as_float,
    // parameters: of each lane, and of all; a shift takes a byte
    input  logic [32*B-1:0] bias,
    input  logic [32*B-1:0] multiplier,
    input  logic [ 8*B-1:0] left,           // 0 to 31
    input  logic [ 8*B-1:0] right,          // 0 to 31; `single`, `as_float`: to 62
    input  logic [    31:0] multiplier_a,
    input  logic [    31:0] multiplier_b,
    input  logic [     4:0] left_a,
    input  logic [     4:0] left_b,
    input  logic [     4:0] right_a,
    input  logic [     4:0] right_b,
    input  logic [     7:0] zero_a,
    input  logic [     7:0] zero_b,
    input  logic [     7:0] zero,
    input  logic [     8:0] low,            // signed
    input  logic [     8:0] high,
    // operands
    input  logic            fill,
    input  logic [     7:0] fill_byte,
    input  logic            take_a,
    input  logic            window_begin,   // POOL: first tap
    input  logic            take_b,
    input  logic            lut_done,
    input  logic            emit,
    input  logic [ 8*B-1:0] act_data,
    input  logic [32*B-1:0] acc_data,
    input  logic [ 8*B-1:0] lut_data,
    output logic [ 8*B-1:0] result
);
  localparam [1:0] RESULT = 2'd0;
  localparam [1:0] SCALE_A = 2'd1;
  localparam [1:0] SCALE_B = 2'd2;
  localparam [1:0] PRODUCT = 2'd3;

  logic x_valid, p_valid, h_valid, r_valid;
  logic [1:0] x_phase, p_phase, h_phase, r_phase;
  logic [32*B-1:0] x, h, r, scaled_a;
  logic [B-1:0] x_sign;  // bit 32 of each X
  logic [64*B-1:0] p;
  logic [8*B-1:0] rest;  // as_float: what is left to shift in R
  logic [8*B-1:0] held;  // a until b comes, then b

  logic both_scaled, p_product, enter;
  assign both_scaled = r_valid && r_phase == SCALE_B;
  assign p_product = p_valid && p_phase == PRODUCT;
  assign enter = (take_a && direct) || take_b || lut_done || p_product || both_scaled;

  // Sign-extends a byte.
  function automatic [31:0] extended(input [7:0] value);
    extended = {{24{value[7]}}, value};
  endfunction

  function automatic [31:0] clamped(input signed [31:0] value, input signed [31:0] least,
                                    input signed [31:0] most);
    clamped = value < least ? least : value > most ? most : value;
  endfunction

  // value / 2^exponent, to nearest, half away from zero or to even: half of the divisor is added, one less where a half goes down:
  // to a negative result, or to an even one. From a positive value the sum may reach the sign bit and is still positive.
  function automatic [31:0] rounded(input [31:0] value, input [4:0] exponent, input even);
    logic [31:0] one, total, sign;
    one = 32'd1 << exponent;
    total = value + ((one - {31'd0, even ? (value & one) == 0 : value[31]}) >> 1);
    sign = {32{value[31] & total[31]}};
    rounded = ((total ^ sign) >> exponent) ^ sign;
  endfunction

  // (product + 2^30) / 2^31, of a product without its low 30 bits. The one that does not fit is 2^62.
  function automatic [31:0] high_half(input [33:0] product);
    high_half = product[33:32] == 2'b01 ? 32'h7fffffff : product[32:1] + {31'd0, product[0]};
  endfunction

  // product / 2^exponent, to nearest, half away from zero or to even, saturated; exponent 0 to 62.
  function automatic [31:0] rounded_once(input [63:0] product, input [5:0] exponent, input even);
    logic [63:0] one, total, sign;
    one = 64'd1 << exponent;
    total = product + ((one - {63'd0, even ? (product & one) == 0 : product[63]}) >> 1);
    sign = {64{total[63]}};
    total = (total ^ sign) >> exponent;
    rounded_once = (total[63:31] == 0 ? total[31:0] : 32'h7fffffff) ^ sign[31:0];
  endfunction

  // value to 24 significant bits, ties to even, with one bit more, since it may become 2^31. `below` has as many ones as bits are
  // too many, at most 7. A negative power of two, whose complement has a bit less, is itself with one bit more or less.
  function automatic [32:0] rounded_sum(input [31:0] value);
    logic [6:0] below;
    logic [7:0] last;
    logic up;
    below[6] = value[30] ^ value[31];
    for (integer i = 5; i >= 0; i = i - 1) below[i] = below[i+1] | (value[24+i] ^ value[31]);
    last = {below, 1'b1} & ~{1'b0, below};
    up = below[0] && (value[7:0] & last) != 0;
    rounded_sum = ({value[31], value} + {27'd0, below[6:1]} + {32'd0, up}) & ~{26'd0, below};
  endfunction

  // How many significant bits a product has beyond 24, from its sign and the 39 bits that may be too many: 0 to 39. As above,
  // powers of two do not matter.
  function automatic [5:0] excess_of(input [39:0] product);
    logic [39:1] top;
    logic [5:0] bits;
    top = product[38:0] ^ {39{product[39]}};
    bits[5] = top[39:32] != 0;
    bits[4] = !bits[5] && top[31:16] != 0;
    if (bits[4]) top[15:1] = top[31:17];
    bits[3] = !bits[5] && top[15:8] != 0;
    if (bits[3]) top[7:1] = top[15:9];
    if (bits[5]) top[7:1] = top[39:33];
    bits[2] = top[7:4] != 0;
    if (bits[2]) top[3:1] = top[7:5];
    bits[1] = top[3:2] != 0;
    bits[0] = bits[1] ? top[3] : top[1];
    excess_of = bits;
  endfunction

  // Operands first, then the stages from the last to the first: so a simulator needs no second copy of a register.
  always_ff @(posedge clock) begin : stages
    logic [32*B-1:0] value, factor;
    logic [8*B-1:0] amount, divisor;
    logic [1:0] phase;
    logic [31:0] least, most;
    logic [32:0] operand;
    logic [5:0] excess;
    logic [6:0] more;

    if (busy) begin
      // What goes into X.
      phase = RESULT;
      if (enter) begin
        amount = left;
        if (take_a && requant) begin
          for (integer i = 0; i < B; i = i + 1) begin
            value[32*i+:32] = acc_data[32*i+:32] + bias[32*i+:32];
          end
        end else if (both_scaled) begin
          for (integer i = 0; i < B; i = i + 1) begin
            value[32*i+:32] = subtract ? scaled_a[32*i+:32] - r[32*i+:32]
                : scaled_a[32*i+:32] + r[32*i+:32];
          end
        end else if (p_product) begin
          for (integer i = 0; i < B; i = i + 1) value[32*i+:32] = p[64*i+:32];
        end else if (take_b && sum) begin
          amount = {B{3'd0, left_b}};
          phase = SCALE_B;
          for (integer i = 0; i < B; i = i + 1) begin
            value[32*i+:32] = (extended(act_data[8*i+:8]) - extended(zero_b)) << 20;
          end
        end else if (take_b && mul) begin
          amount = {B{8'd0}};
          phase = PRODUCT;
          for (integer i = 0; i < B; i = i + 1) begin
            value[32*i+:32] = extended(held[8*i+:8]) - extended(zero_a);
          end
        end else if (take_b) begin
          for (integer i = 0; i < B; i = i + 1) begin
            value[32*i+:32] = ($signed(held[8*i+:8]) > $signed(act_data[8*i+:8])) == max
                ? extended(held[8*i+:8]) : extended(act_data[8*i+:8]);
          end
        end else if (sum) begin
          amount = {B{3'd0, left_a}};
          phase = SCALE_A;
          for (integer i = 0; i < B; i = i + 1) begin
            value[32*i+:32] = (extended(act_data[8*i+:8]) - extended(zero_a)) << 20;
          end
        end else if (lut_done) begin
          for (integer i = 0; i < B; i = i + 1) value[32*i+:32] = extended(lut_data[8*i+:8]);
        end else begin
          for (integer i = 0; i < B; i = i + 1) begin
            value[32*i+:32] = extended(act_data[8*i+:8]) - extended(zero_a);
          end
        end
      end

      // Z
      least = {{23{low[8]}}, low};
      most  = {{23{high[8]}}, high};
      if (emit) begin
        for (integer i = 0; i < B; i = i + 1) begin
          result[8*i+:8] <= 8'(clamped(extended(held[8*i+:8]), least, most));
        end
      end else if (r_valid && r_phase == RESULT) begin
        for (integer i = 0; i < B; i = i + 1) begin
          result[8*i+:8] <= 8'(clamped(r[32*i+:32], least, most)) + zero;
        end
      end

      // R
      if (r_valid && r_phase == SCALE_A) scaled_a <= r;
      if (h_valid) begin
        if (single) r <= h;
        else begin
          divisor = as_float ? rest : h_phase == RESULT ? right
              : {B{3'd0, h_phase == SCALE_A ? right_a : right_b}};
          for (integer i = 0; i < B; i = i + 1) begin
            r[32*i+:32] <= rounded(h[32*i+:32], divisor[8*i+:5], as_float);
          end
        end
      end

      // H
      if (p_valid && p_phase != PRODUCT) begin
        if (single || as_float) begin
          for (integer i = 0; i < B; i = i + 1) begin
            excess = right[8*i+:6];
            if (as_float) begin
              excess = excess_of(p[64*i+24+:40]);
              more = {1'b0, right[8*i+:6]} - {1'b0, excess};
              rest[8*i+:8] <= more[6] ? 8'd0 : more[5] ? 8'd31 : {3'd0, more[4:0]};
            end
            h[32*i+:32] <= rounded_once(p[64*i+:64], excess, as_float);
          end
        end else begin
          for (integer i = 0; i < B; i = i + 1) h[32*i+:32] <= high_half(p[64*i+30+:34]);
        end
      end

      // P
      if (x_valid) begin
        factor = multiplier;
        if (x_phase == PRODUCT) begin
          for (integer i = 0; i < B; i = i + 1) begin
            factor[32*i+:32] = extended(held[8*i+:8]) - extended(zero_b);
          end
        end else if (x_phase != RESULT) begin
          factor = {B{x_phase == SCALE_A ? multiplier_a : multiplier_b}};
        end
        for (integer i = 0; i < B; i = i + 1) begin
          p[64*i+:64] <= $signed({x_sign[i], x[32*i+:32]}) * $signed(factor[32*i+:32]);
        end
      end

      // X
      if (enter) begin
        for (integer i = 0; i < B; i = i + 1) begin
          if (as_float) operand = rounded_sum(value[32*i+:32]);
          else begin
            operand[31:0] = value[32*i+:32] << amount[8*i+:5];
            operand[32] = operand[31];
          end
          x_sign[i] <= operand[32];
          x[32*i+:32] <= operand[31:0];
        end
      end

      // What waits.
      if (take_a && pool && !window_begin) begin
        for (integer i = 0; i < B; i = i + 1) begin
          if ($signed(act_data[8*i+:8]) > $signed(held[8*i+:8])) held[8*i+:8] <= act_data[8*i+:8];
        end
      end else if ((take_a && !direct) || (take_b && mul)) begin
        held <= act_data;
      end

      // What is under way.
      r_phase <= h_phase;
      h_phase <= p_phase;
      p_phase <= x_phase;
      x_phase <= phase;
      r_valid <= h_valid;
      h_valid <= p_valid && p_phase != PRODUCT;
      p_valid <= x_valid;
      x_valid <= enter;
    end
    if (fill) held <= {B{fill_byte}};
    if (clear) begin
      r_valid <= 1'b0;
      h_valid <= 1'b0;
      p_valid <= 1'b0;
      x_valid <= 1'b0;
    end
  end
endmodule
