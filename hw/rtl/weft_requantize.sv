// The pipeline of the lanes, from the operands to the byte; one 33 x 32 multiplier a lane, in six pieces.
//
//   A  the operand: `near` where it comes from ACT by itself, else `a`
//   X  A shifted left; `as_float`: A rounded to 24 significant bits, ties to even
//   M  the products of two pieces of X and three of the multiplier
//   P  their sum: X * multiplier, 64 bits; `single`: with the places that it is to be shifted, 31 - left
//   E  P again, `as_float` with its places: its excess, how many significant bits it has beyond 24. On the long way alone: `as_float`,
//      ADD and SUB
//   H  P >> 31, saturated; `single`, `as_float`: P >> places. With what is left to shift: right; `as_float`: 31 - left + right - excess,
//      or 0 bits
//   R  H >> rest
//   Z  R, rounded up or not, + zero, clamped to [lowest, highest]: a byte, on `result`
//
// With `deep_pipeline` some of these are two stages, which halve what a stage does between its registers:
//
//   Y  the operand, of three registers: A, sums, `near`; shifted left by a multiple of 8; `as_float`: how many bits are too many. X is the rest
//   S  three sums of two products each. P is their sum
//   F  behind E, on the long way, which `single`, `once` then, and SOFTMAX take, too: E >> places, a multiple of 8. H is the rest,
//      and tells R what fell out as R needs it
//
// H and R only shift, and keep what fell out in three bits: `half` is the highest bit, `more` says that there is a 1 below it,
// `full` that there are only ones below it. They tell whether R rounds up: see is_up(). Two roundings in a row are one that way,
// since the first one adds at most a 1 below the bits that fall out in R: H >> 31, half up, with `half` for more and full too.
//
// as_float: X may be 2^31, which is why it has a 33rd bit. When excess is above 31 - left + right, R has 24 bits or more and is
// clamped like the still larger one that it stands for.
//
// What comes in T is in A in T+1, X in T+2, M, P (E), H, R, and in Z in T+7 (long: T+8), and stays there until the next one; with
// `deep_pipeline` in Z in T+9 (long: T+11). With
// `take_a` or `take_b` it is on the port of ACT (REQUANT: ACC). Into A goes:
//
//   REQUANT             accumulator + bias
//   RESCALE             a - zero_a
//   ADD, SUB            (a - zero_a) << 20 as SCALE_A, then (b - zero_b) << 20 as SCALE_B, of which left_a and left_b have 13. Scaled a is in R one cycle before scaled b
//                       and kept; when b is there, their sum goes into A, which is free in every third cycle (SQUARED_DIFFERENCE, with
//                       `deep_pipeline`: a cycle later, where A is free)
//   MUL                 a cycle after b came: a - zero_a as PRODUCT, whose multiplier is b - zero_b; four cycles later the product, from P
//                       (with `deep_pipeline` seven, from E)
//   SQUARED_DIFFERENCE  as SUB, but 7 places to the left; the difference comes back as PRODUCT, whose multiplier is the difference, and as many
//                       cycles later its square
//   SOFTMAX             exponentials of a quarter of the lanes, in all quarters, with `words` on the port of LUT; only those of `quarter` get into
//                       Z. Their multiplier is multiplier_a, their shift right_a
//   COPY, MAX, MIN, POOL, LUT, FILL
//                       nothing. With `emit` their byte is in Z in the next cycle: for COPY, MAX, MIN and POOL, a cycle after the last operand came, a,
//                       the larger, the smaller or the maximum, which is `held` from then on, clamped; for LUT, then too, the entry on the port of LUT; for
//                       FILL the byte that is `held` since `fill`
//
// RESULT takes multiplier and shifts of its lane and ends in Z; SCALE_A and SCALE_B take their own.
//
// What a stage of all lanes does in a cycle is decided in the cycle before, by a register: a wire to the lanes takes half a cycle, and
// two with a gate between them are one too many. The function does not change while anything is under way. A stage without work
// costs one test in simulation.
// `clear` (synchronous): nothing is under way.
module weft_requantize #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,
    parameter integer B = CONFIG[weft_config_pkg::AT_BLOCK+:32]  // lanes
) (
    input  logic            clock,
    input  logic            clear,
    // the function
    input  logic            requant,
    input  logic            sum_asked,      // ADD, SUB, SQUARED_DIFFERENCE
    input  logic            subtract,
    input  logic            square_asked,   // SQUARED_DIFFERENCE
    input  logic            mul_asked,
    input  logic            smaller,        // MIN, and not MAX
    input  logic            lut_asked,
    input  logic            softmax_asked,
    input  logic            pool,           // or COPY: of one tap
    input  logic            direct,         // operand a goes into X when it comes
    input  logic            single_asked,
    input  logic            as_float,
    input  logic            once_asked,     // `single` or `as_float`
    input  logic            long_way,       // `as_float`, ADD, SUB, SQUARED_DIFFERENCE; deep: `once`, if it is REQUANT's, and SOFTMAX, too
    // parameters: of each lane, and of all; a shift takes a byte
    input  logic [32*B-1:0] bias,
    input  logic [32*B-1:0] multiplier,
    input  logic [ 8*B-1:0] left,           // 0 to 31
    input  logic [ 8*B-1:0] right,          // 0 to 31
    input  logic [    31:0] multiplier_a,
    input  logic [    31:0] multiplier_b,
    input  logic [     4:0] left_a,
    input  logic [     4:0] left_b,
    input  logic [     4:0] right_a,
    input  logic [     4:0] right_b,
    input  logic [     7:0] zero_a,
    input  logic [     7:0] zero_b,
    input  logic [     7:0] zero,
    input  logic [     7:0] lowest,         // signed
    input  logic [     7:0] highest,
    input  logic [     8:0] above_low,      // zero - lowest
    input  logic [     8:0] above_high,     // zero - highest - 1
    // operands
    input  logic            fill,
    input  logic [     7:0] fill_byte,
    input  logic            take_a,
    input  logic            window_begin,   // POOL: first tap
    input  logic            take_b,
    input  logic            words,          // SOFTMAX
    input  logic [     1:0] quarter,
    input  logic            emit,
    input  logic [ 8*B-1:0] act_data,
    input  logic [32*B-1:0] acc_data,
    input  logic [ 8*B-1:0] lut_data,
    output logic [ 8*B-1:0] result
);
  // What the configuration lacks nobody asks for, and what serves it alone is not built. Without `gemmlowp` REQUANT alone scales.
  localparam GEMMLOWP = CONFIG[weft_config_pkg::AT_GEMMLOWP+:32] != 0;
  localparam MULTIPLY = GEMMLOWP && CONFIG[weft_config_pkg::AT_MULTIPLY+:32] != 0;
  localparam LOOKUP = CONFIG[weft_config_pkg::AT_LOOKUP+:32] != 0;
  localparam SOFTMAX = GEMMLOWP && LOOKUP && CONFIG[weft_config_pkg::AT_SOFTMAX+:32] != 0;
  localparam DEEP = CONFIG[weft_config_pkg::AT_DEEP_PIPELINE+:32] != 0;
  logic sum, mul, square, lut, softmax, single, once;
  assign sum = GEMMLOWP && sum_asked;
  assign mul = MULTIPLY && mul_asked;
  assign square = MULTIPLY && square_asked;
  assign lut = LOOKUP && lut_asked;
  assign softmax = SOFTMAX && softmax_asked;
  assign single = GEMMLOWP ? single_asked : !as_float;
  assign once = !GEMMLOWP || once_asked;

  localparam [1:0] RESULT = 2'd0;
  localparam [1:0] SCALE_A = 2'd1;
  localparam [1:0] SCALE_B = 2'd2;
  localparam [1:0] PRODUCT = 2'd3;

  // The quarter of each lane.
  function automatic [2*B-1:0] quarters();
    for (integer i = 0; i < B; i = i + 1) quarters[2*i+:2] = 2'(i * 4 / B);
  endfunction
  localparam [2*B-1:0] AT_QUARTER = quarters();

  logic a_valid, x_valid, m_valid, p_valid, h_valid;
  logic [1:0] a_phase, x_phase, m_phase, p_phase, h_phase;
  // With `deep_pipeline` alone.
  // verilator lint_off UNUSEDSIGNAL
  // verilator lint_off UNDRIVEN
  logic y_valid, s_valid, to_f, b_scaled, from_sum, y_product, y_own;
  logic [1:0] y_phase, s_phase, e_phase;
  logic [32*B-1:0] summed;  // a sum that goes into A
  logic [32*B-1:0] y;
  logic [8*B-1:0] y_below, y_amount;  // ones for bits that are too many; by how much Y is still shifted left
  logic [64*B-1:0] s_low, s_middle, s_high, f;
  logic [8*B-1:0] f_out, f_places;  // {over, more, half}
  logic [8*B-1:0] e_byte;  // of five which byte says by how much, one-hot
  logic [16*B-1:0] e_bits;  // what each of them would say
  logic [8*B-1:0] late_right, late_places;  // shifts of the operand that came last, for H: those of the next block may be here before it
  // verilator lint_on UNDRIVEN
  // verilator lint_on UNUSEDSIGNAL
  // What stages do, as registers.
  logic a_product, a_own;  // the multiplier of A's: PRODUCT; that of the lane
  logic to_e, to_places, to_h, to_z, to_scaled_a, both_scaled, p_product;
  logic [1:0] to_h_phase;
  // Of 32 or 64 bits in each lane for a simulator's sake, the flags and X too.
  logic [32*B-1:0] a;  // don't care without a_valid, as M
  // What comes from ACT comes late, behind the choice of a sub-bank, and goes into registers of its own with at most a sum in front. They are
  // don't care when nothing came.
  logic [16*B-1:0] near;  // operand - zero, 9 bits
  logic from_near;  // A is in `near`
  logic [8*B-1:0] arrived;  // an operand of COPY, MAX, MIN, MUL, POOL
  logic arrived_a, arrived_b, arrived_begin;  // take_a, take_b, window_begin of that
  logic [32*B-1:0] factor, h, r, scaled_a;
  logic [64*B-1:0] x;  // 33 bits
  logic [8*B-1:0] amount;  // by which A is shifted left
  // Products of X's lower 17 bits (l) and the rest (h) with bits 0 to 10, 11 to 21, and 22 to 31 of the multiplier. Without m_valid
  // they are don't care: registers that have to keep their content need a multiplexer behind the multipliers, and this is the
  // longest path of the machine. They change no more often for that, since X and the multiplier stay.
  logic [32*B-1:0] m_l0, m_l1, m_l2, m_h0, m_h1, m_h2;
  logic [64*B-1:0] p, e;
  logic [8*B-1:0] places;  // by which H shifts
  logic [8*B-1:0] rest;  // what is left to shift in R
  logic [32*B-1:0] h_out;  // {over, more, half}
  logic [32*B-1:0] r_out;  // {which, full, more, half}: is_up()
  logic [8*B-1:0] held;  // a until b comes, then of MUL b; of POOL the maximum

  logic enter, enter_near;
  assign enter_near = (take_a && direct && !requant) || (take_b && sum);
  assign enter = (take_a && direct) || (take_b && sum) || (arrived_b && mul) || (SOFTMAX && words) || p_product || both_scaled;

  // Sign-extends a byte.
  function automatic [31:0] extended(input [7:0] value);
    extended = {{24{value[7]}}, value};
  endfunction

  // value > other, as signed bytes: compared without signs they are a gate shorter.
  function automatic is_above(input [7:0] value, input [7:0] other);
    is_above = {!value[7], value[6:0]} > {!other[7], other[6:0]};
  endfunction

  function automatic [7:0] clamped(input [7:0] value, input [7:0] low, input [7:0] high);
    clamped = is_above(low, value) ? low : is_above(value, high) ? high : value;
  endfunction

  // A product is shifted in H in two steps, between which `deep_pipeline` has its registers. First a multiple of 8, at most 56: {over, more,
  // half, sign, 39 bits}; over: there are more than these. Each step of it keeps what those after it can reach.
  function automatic [42:0] coarse_shift(input [63:0] product, input [5:3] count);
    logic [63:0] value, below;
    logic over, more, half, sign;
    value = product;
    sign = product[63];
    over = 1'b0;
    more = 1'b0;
    half = 1'b0;
    for (integer k = 5; k >= 3; k = k - 1) begin
      below = (64'd1 << ((1 << k) - 1)) - 64'd1;
      if (k != 5) over = over | (!count[k] && ((value ^ {64{sign}}) >> (31 + (1 << k)) & {below[62:0], 1'b1}) != 0);
      more = more | (count[k] && (half || (value & below) != 0));
      if (count[k]) begin
        half = value[(1<<k)-1];
        value = $signed(value) >>> (1 << k);
      end
    end
    coarse_shift = {over, more, half, sign, value[38:0]};
  endfunction

  // Then what is left, at most 7: {over, more, half, result}. over: it has more than 32 bits; bit 31 is the sign in any case.
  function automatic [34:0] fine_shift(input [42:0] coarse, input [2:0] count);
    logic [7:0] fewer, reached, lower;  // fewer: below `count`
    logic [7:0] with_half;
    logic sign;
    sign = coarse[39];
    for (integer i = 0; i < 8; i = i + 1) fewer[i] = i[2:0] < count;
    reached = coarse[38:31] ^ {8{sign}};
    with_half = {coarse[6:0], coarse[40]};
    lower = with_half & fewer;
    fine_shift = {
      coarse[42] | ((reached & ~fewer) != 0), coarse[41] | (lower != 0), with_half[count], sign, 31'(coarse[38:0] >> count)
    };
  endfunction

  // `value` >> count: {full, more, half, result}. What fell out before is lower. What falls out is told eight bits at a time, so that few
  // gates lie one behind the other.
  function automatic [34:0] second_shift(input [31:0] value, input [4:0] count, input [2:0] fallen);
    logic [31:0] sign, with_half;
    logic [7:0] fewer, group;
    logic more, full, some, all;
    sign = {32{value[31]}};
    with_half = {value[30:0], fallen[0]};
    for (integer i = 0; i < 8; i = i + 1) fewer[i] = i[2:0] < count[2:0];
    more = fallen[1];
    full = fallen[2];
    for (integer i = 0; i < 4; i = i + 1) begin
      group = with_half[8*i+:8];
      some = count[4:3] > i[1:0] ? group != 0 : count[4:3] == i[1:0] && (group & fewer) != 0;
      all = count[4:3] > i[1:0] ? &group : count[4:3] != i[1:0] || (group | ~fewer) == 8'hff;
      more = more | some;
      full = full & all;
    end
    second_shift = {full, more, 1'(with_half >> count), ((value ^ sign) >> count) ^ sign};
  endfunction

  // What does not fit is the largest or smallest of its sign.
  function automatic [31:0] saturated(input over, input [31:0] value);
    saturated = over ? {value[31], {31{!value[31]}}} : value;
  endfunction

  // {full, more, half} of what H shifted out, as R needs it: see H and R above.
  function automatic [2:0] fallen_of(input even, input one, input odd, input more, input half);
    logic up;
    up = half && (!even || more || odd);
    fallen_of = {up && !one, one ? more : up, up};
  endfunction

  // An operand in `near`, for the sums 7 places to the left.
  function automatic [31:0] near_operand(input of_sum, input [15:0] value);
    near_operand = of_sum ? {{9{value[15]}}, value, 7'd0} : {{16{value[15]}}, value};
  endfunction

  // Is a result of R rounded up, {which, full, more, half}? A half goes to even, or away from zero: which of the two it is, with the lowest
  // bit or the sign, R has said.
  function automatic is_up(input [3:0] out);
    is_up = out[3] ? out[0] || out[2] : out[0] && out[1];
  endfunction

  // Is value + offset + carry negative?
  function automatic is_negative(input [31:0] value, input [8:0] offset, input carry);
    // verilator lint_off UNUSEDSIGNAL
    logic [32:0] total;
    // verilator lint_on UNUSEDSIGNAL
    total = {value[31], value} + {{24{offset[8]}}, offset} + {32'd0, carry};
    is_negative = total[32];
  endfunction

  // As many ones as a value has significant bits above 24, at most 7, told from its highest byte. A negative power of two, whose complement
  // has a bit less, is itself with one bit more or less.
  function automatic [6:0] below_of(input [7:0] high);
    logic [6:0] differs;
    differs = high[6:0] ^ {7{high[7]}};
    for (integer i = 0; i < 7; i = i + 1) below_of[i] = (differs >> i) != 0;
  endfunction

  // value without the bits below, ties to even, with one bit more, since it may become 2^31. A half is added to the lowest bit that
  // stays; in a tie this one is 0 then.
  function automatic [32:0] rounded_sum(input [31:0] value, input [6:0] below);
    logic [6:0] half;
    logic [7:0] last;
    logic tie;
    half = below & ~{1'b0, below[6:1]};
    last = {below, 1'b1} & ~{1'b0, below};
    tie = below[0] && ((value[6:0] ^ half) & below) == 0;
    rounded_sum = ({value[31], value} + {26'd0, half}) & ~{26'd0, below} & ~({25'd0, last} & {33{tie}});
  endfunction

  // How many significant bits a product has beyond 24, from its sign and the 39 bits that may be too many: 0 to 39. As above,
  // powers of two do not matter. Five bytes tell at once what they would say of the lower three bits; the first that has a 1 is heard. Which one
  // that is, one-hot, behind the upper three bits:
  function automatic [7:0] excess_byte(input [39:0] product);
    logic [39:0] top;
    logic [4:0] any;
    top = {product[38:0] ^ {39{product[39]}}, 1'b0};
    for (integer i = 0; i < 5; i = i + 1) any[i] = top[8*i+:8] != 0;
    excess_byte = {
      any[4], !any[4] && (any[3] || any[2]), !any[4] && (any[3] || (!any[2] && any[1])),
      any & ~{1'b0, any[4], any[4:3] != 0, any[4:2] != 0, any[4:1] != 0}
    };
  endfunction
  function automatic [2:0] heard(input [4:0] which, input [14:0] bits);
    heard = bits[2:0] & {3{which[0]}} | bits[5:3] & {3{which[1]}} | bits[8:6] & {3{which[2]}} | bits[11:9] & {3{which[3]}}
        | bits[14:12] & {3{which[4]}};
  endfunction
  function automatic [14:0] excess_bits(input [39:0] product);
    logic [39:0] top;
    // verilator lint_off UNUSEDSIGNAL
    logic [7:0] bits;  // the lowest says nothing
    // verilator lint_on UNUSEDSIGNAL
    top = {product[38:0] ^ {39{product[39]}}, 1'b0};
    for (integer i = 0; i < 5; i = i + 1) begin
      bits = top[8*i+:8];
      excess_bits[3*i+2] = bits[7:4] != 0;
      excess_bits[3*i+1] = bits[7:6] != 0 || (bits[5:4] == 0 && bits[3:2] != 0);
      excess_bits[3*i] = bits[7] || (!bits[6] && (bits[5] || (!bits[4] && (bits[3] || (!bits[2] && bits[1])))));
    end
  endfunction

  // The stages from the last to the first, but for A, whose operand comes first: so a simulator needs no second copy of a register.
  always_ff @(posedge clock) begin : stages
    logic [32*B-1:0] value, product, next_sum;
    logic [16*B-1:0] next_near;
    logic [8*B-1:0] next_amount, next_arrived, chosen;
    logic [B-1:0] keeps;
    logic [7:0] offset;
    logic [1:0] phase;
    logic [32:0] operand;
    logic [31:0] shifted;
    // verilator lint_off UNUSEDSIGNAL
    logic [32:0] added;
    // verilator lint_on UNUSEDSIGNAL
    logic [64*B-1:0] source;
    logic [34:0] moved;
    logic [2:0] fallen;
    logic [7:0] byte_heard;
    logic [6:0] more;
    logic [8:0] difference;
    logic [11:0] low_factor, middle_factor, high_factor;
    logic [17:0] low_x;
    logic [15:0] high_x;
    logic carry;

    // Products of nothing. Above the products themselves, so that nothing is kept: as a condition of its own, Yosys keeps them (two gates).
    m_l0 <= {32 * B{1'bx}};
    m_l1 <= {32 * B{1'bx}};
    m_l2 <= {32 * B{1'bx}};
    m_h0 <= {32 * B{1'bx}};
    m_h1 <= {32 * B{1'bx}};
    m_h2 <= {32 * B{1'bx}};
    // What goes into A. The function alone, where it can, says which: it is there long before.
    phase = RESULT;
    // Without an operand don't care, as are the products below: nothing is kept, which would take an enable.
    value = {32 * B{1'bx}};
    next_sum = {32 * B{1'bx}};
    next_amount = {8 * B{1'bx}};
    next_near = {16 * B{1'bx}};
    next_arrived = {8 * B{1'bx}};
    // The larger of what is held and what arrived, or the smaller.
    keeps = {B{1'b1}};
    chosen = {8 * B{1'bx}};
    if (arrived_a || arrived_b) begin
      for (integer i = 0; i < B; i = i + 1) begin
        keeps[i] = (is_above(held[8*i+:8], arrived[8*i+:8]) != smaller) && !(pool && arrived_begin);
        chosen[8*i+:8] = keeps[i] ? held[8*i+:8] : arrived[8*i+:8];
      end
    end
    if (enter) begin
      next_amount = once ? {8 * B{1'b0}} : left;
      if (enter_near) begin
        offset = sum && take_b ? zero_b : zero_a;
        for (integer i = 0; i < B; i = i + 1) begin
          difference = {act_data[8*i+7], act_data[8*i+:8]} - {offset[7], offset};
          next_near[16*i+:16] = {{7{difference[8]}}, difference};
        end
        if (sum) begin
          next_amount = {B{3'd0, take_b ? left_b : left_a}};
          phase = take_b ? SCALE_B : SCALE_A;
        end
      end else if (requant || both_scaled) begin
        for (integer i = 0; i < B; i = i + 1) begin
          carry = is_up(r_out[32*i+:4]) ^ subtract;
          // One adder, with a bit in front of the lowest for the carry.
          added = {requant ? acc_data[32*i+:32] : scaled_a[32*i+:32], 1'b1}
              + {requant ? bias[32*i+:32] : r[32*i+:32] ^ {32{subtract}}, !requant && carry};
          if (DEEP) next_sum[32*i+:32] = added[32:1];
          else value[32*i+:32] = added[32:1];
        end
        if (square) begin
          next_amount = {8 * B{1'b0}};
          phase = PRODUCT;
        end
      end else if (p_product) begin
        for (integer i = 0; i < B; i = i + 1) value[32*i+:32] = DEEP ? e[64*i+:32] : p[64*i+:32];
      end else if (softmax) begin
        for (integer i = 0; i < B; i = i + 1) value[32*i+:32] = lut_data[32*(i%(B/4))+:32];
      end else begin
        for (integer i = 0; i < B; i = i + 1) value[32*i+:32] = extended(held[8*i+:8]) - extended(zero_a);
        next_amount = {8 * B{1'b0}};
        phase = PRODUCT;
      end
    end
    if ((take_a && !direct) || (take_b && !sum)) next_arrived = act_data;

    // Z
    if (emit) begin
      for (integer i = 0; i < B; i = i + 1) begin  // both clamped, beside the choice
        result[8*i+:8] <= lut ? lut_data[8*i+:8]
            : keeps[i] ? clamped(held[8*i+:8], lowest, highest) : clamped(arrived[8*i+:8], lowest, highest);
      end
    end else if (to_z) begin
      for (integer i = 0; i < B; i = i + 1) begin
        carry = is_up(r_out[32*i+:4]);
        if (!softmax || quarter == AT_QUARTER[2*i+:2]) begin
          result[8*i+:8] <= is_negative(r[32*i+:32], above_low, carry) ? lowest
              : !is_negative(r[32*i+:32], above_high, carry) ? highest
              : r[32*i+:8] + zero + {7'd0, carry};
        end
      end
    end

    // R
    if (to_scaled_a) begin
      for (integer i = 0; i < B; i = i + 1) begin
        scaled_a[32*i+:32] <= r[32*i+:32] + {31'd0, is_up(r_out[32*i+:4])};
      end
    end
    if (h_valid) begin
      for (integer i = 0; i < B; i = i + 1) begin
        if (DEEP) begin
          moved = second_shift(h[32*i+:32], rest[8*i+:5], h_out[32*i+:3]);
        end else begin
          moved = second_shift(saturated(h_out[32*i+2], h[32*i+:32]), rest[8*i+:5],
                               fallen_of(as_float, single, h[32*i], h_out[32*i+1], h_out[32*i]));
        end
        r[32*i+:32] <= moved[31:0];
        r_out[32*i+:32] <= {28'd0, as_float ? moved[0] : !moved[31], moved[34:32]};
      end
    end

    // H
    if (DEEP && to_h) begin
      source = long_way ? f : p;
      for (integer i = 0; i < B; i = i + 1) begin
        if (once && long_way) begin
          moved = fine_shift({f_out[8*i+:3], f[64*i+63], f[64*i+:39]}, f_places[8*i+:3]);
          fallen = fallen_of(as_float, single, moved[0], moved[33], moved[32]);
        end else begin
          moved[31:0] = {source[64*i+63], source[64*i+31+:31]};
          moved[34] = source[64*i+63] != source[64*i+62];
          fallen = {3{source[64*i+30]}};
        end
        h[32*i+:32] <= saturated(moved[34], moved[31:0]);
        h_out[32*i+:32] <= {29'd0, fallen};
      end
    end
    if (!DEEP && to_h) begin
      source = long_way ? e : p;
      if (once) begin
        for (integer i = 0; i < B; i = i + 1) begin
          moved = fine_shift(coarse_shift(source[64*i+:64], places[8*i+3+:3]), places[8*i+:3]);
          h[32*i+:32] <= moved[31:0];
          h_out[32*i+:32] <= {29'd0, moved[34:32]};
        end
      end else begin
        for (integer i = 0; i < B; i = i + 1) begin
          h[32*i+:32] <= {source[64*i+63], source[64*i+31+:31]};
          h_out[32*i+:32] <= {29'd0, source[64*i+63] ^ source[64*i+62], 1'bx, source[64*i+30]};  // nobody asks for `more`
        end
      end
    end
    if (to_h) begin
      if (as_float) begin
        for (integer i = 0; i < B; i = i + 1) begin
          more = DEEP ? late_places[8*i+:7] - {1'b0, f_places[8*i+:6]}
              : {2'd0, ~left[8*i+:5]} + {2'd0, right[8*i+:5]} - {1'b0, places[8*i+:6]};
          rest[8*i+:8] <= more[6] ? 8'd0 : more[5] ? 8'd31 : {3'd0, more[4:0]};
        end
      end else if (!softmax && (!sum || to_h_phase == RESULT)) begin
        rest <= DEEP ? late_right : right;
      end else begin
        rest <= {B{3'd0, softmax || to_h_phase == SCALE_A ? right_a : right_b}};
      end
    end

    // F
    if (DEEP && to_f) begin
      f <= e;
      f_places <= places;
      if (once) begin
        for (integer i = 0; i < B; i = i + 1) begin
          {f_out[8*i+:3], f[64*i+63], f[64*i+:39]} <= coarse_shift(e[64*i+:64], places[8*i+3+:3]);
          if (as_float) f_places[8*i+:3] <= heard(e_byte[8*i+:5], e_bits[16*i+:15]);
        end
      end
    end

    // E
    if (to_e) e <= p;
    if (DEEP && to_e) begin
      for (integer i = 0; i < B; i = i + 1) begin
        places[8*i+:8] <= {2'd0, late_places[8*i+:6]};
        if (as_float) {places[8*i+3+:3], e_byte[8*i+:5]} <= excess_byte(p[64*i+24+:40]);
        e_bits[16*i+:16] <= {1'b0, excess_bits(p[64*i+24+:40])};
      end
    end
    if (!DEEP && to_places) begin
      if (as_float) begin
        for (integer i = 0; i < B; i = i + 1) begin
          byte_heard = excess_byte(p[64*i+24+:40]);
          places[8*i+:8] <= {2'd0, byte_heard[7:5], heard(byte_heard[4:0], excess_bits(p[64*i+24+:40]))};
        end
      end else begin
        places <= ~left & {B{8'h1f}};
      end
    end

    // P
    if (DEEP && s_valid) begin
      for (integer i = 0; i < B; i = i + 1) p[64*i+:64] <= s_low[64*i+:64] + s_middle[64*i+:64] + s_high[64*i+:64];
    end
    if (!DEEP && m_valid) begin
      for (integer i = 0; i < B; i = i + 1) begin
        p[64*i+:64] <= ((64'($signed(m_h1[32*i+:32])) << 28) | 64'(m_l0[32*i+:32]))
            + (64'($signed(m_h0[32*i+:32])) << 17) + (64'(m_l1[32*i+:32]) << 11)
            + (64'($signed(m_l2[32*i+:32])) << 22) + (64'($signed(m_h2[32*i+:32])) << 39);
      end
    end

    // S
    if (DEEP && m_valid) begin
      for (integer i = 0; i < B; i = i + 1) begin
        s_low[64*i+:64] <= ((64'($signed(m_h1[32*i+:32])) << 28) | 64'(m_l0[32*i+:32])) + (64'($signed(m_h0[32*i+:32])) << 17);
        s_middle[64*i+:64] <= (64'(m_l1[32*i+:32]) << 11) + (64'($signed(m_l2[32*i+:32])) << 22);
        s_high[64*i+:64] <= 64'($signed(m_h2[32*i+:32])) << 39;
      end
    end

    // M
    if (x_valid) begin
      for (integer i = 0; i < B; i = i + 1) begin
        low_x = {1'b0, x[64*i+:17]};
        high_x = x[64*i+17+:16];
        low_factor = {1'b0, factor[32*i+:11]};
        middle_factor = {1'b0, factor[32*i+11+:11]};
        high_factor = {{2{factor[32*i+31]}}, factor[32*i+22+:10]};
        m_l0[32*i+:32] <= 32'($signed(low_x)) * 32'($signed(low_factor));
        m_l1[32*i+:32] <= 32'($signed(low_x)) * 32'($signed(middle_factor));
        m_l2[32*i+:32] <= 32'($signed(low_x)) * 32'($signed(high_factor));
        m_h0[32*i+:32] <= 32'($signed(high_x)) * 32'($signed(low_factor));
        m_h1[32*i+:32] <= 32'($signed(high_x)) * 32'($signed(middle_factor));
        m_h2[32*i+:32] <= 32'($signed(high_x)) * 32'($signed(high_factor));
      end
    end

    // X
    if (DEEP && y_valid) begin
      for (integer i = 0; i < B; i = i + 1) begin
        shifted = y[32*i+:32] << y_amount[8*i+:3];
        operand = as_float ? rounded_sum(y[32*i+:32], y_below[8*i+:7]) : {shifted[31], shifted};
        x[64*i+:64] <= {{31{operand[32]}}, operand};
      end
    end

    // Y
    if (DEEP && a_valid) begin
      for (integer i = 0; i < B; i = i + 1) begin
        shifted = from_near ? near_operand(sum, near[16*i+:16]) : from_sum ? summed[32*i+:32] : a[32*i+:32];
        y[32*i+:32] <= shifted << {amount[8*i+3+:2], 3'd0};
        y_amount[8*i+:8] <= {5'd0, amount[8*i+:3]};
        y_below[8*i+:8] <= {1'b0, below_of(summed[32*i+24+:8])};
      end
    end

    if (!DEEP && a_valid) begin
      // One of the two is 0: one gate behind the carry of the sum, where nothing better would be placed for a choice.
      for (integer i = 0; i < B; i = i + 1) begin
        operand = 33'd0;
        if (as_float) operand = rounded_sum(a[32*i+:32], below_of(a[32*i+24+:8]));
        shifted = 32'd0;
        if (!as_float) shifted = from_near ? near_operand(sum, near[16*i+:16]) : a[32*i+:32];
        shifted = shifted << amount[8*i+:5];
        operand = operand | {shifted[31], shifted};
        x[64*i+:64] <= {{31{operand[32]}}, operand};
      end
    end

    // With X: its multiplier.
    if (DEEP ? y_valid : a_valid) begin
      product = multiplier;
      if (DEEP ? y_product : a_product) begin
        for (integer i = 0; i < B; i = i + 1) begin
          product[32*i+:32] = !square ? extended(held[8*i+:8]) - extended(zero_b) : DEEP ? y[32*i+:32] : a[32*i+:32];
        end
      end else if (!(DEEP ? y_own : a_own)) begin
        product = {B{softmax || (DEEP ? y_phase : a_phase) == SCALE_A ? multiplier_a : multiplier_b}};
      end
      factor <= product;
    end

    // A
    a <= value;
    summed <= next_sum;
    amount <= next_amount;
    near <= next_near;
    arrived <= next_arrived;

    // What waits.
    if (arrived_a && pool) held <= chosen;
    else if (arrived_a || (arrived_b && mul)) held <= arrived;

    // What is under way, and what stages do next.
    b_scaled <= h_valid && h_phase == SCALE_B;
    both_scaled <= GEMMLOWP && (DEEP && square ? b_scaled : h_valid && h_phase == SCALE_B);
    to_scaled_a <= h_valid && h_phase == SCALE_A;
    to_z <= h_valid && h_phase == RESULT;
    h_valid <= to_h;
    h_phase <= to_h_phase;
    if (DEEP) begin
      to_h <= long_way ? to_f : s_valid && s_phase != PRODUCT;
      to_h_phase <= long_way ? e_phase : s_phase;
      p_product <= MULTIPLY && to_e && p_phase == PRODUCT;
      to_e <= s_valid && (long_way || s_phase == PRODUCT);
      p_phase <= s_phase;
      x_phase <= y_phase;
      x_valid <= y_valid;
    end else begin
      to_h <= long_way ? p_valid && p_phase != PRODUCT : m_valid && m_phase != PRODUCT;
      to_h_phase <= long_way ? p_phase : m_phase;
      to_e <= long_way && m_valid;
      to_places <= as_float ? m_valid : single && x_valid;
      p_product <= MULTIPLY && m_valid && m_phase == PRODUCT;
      p_phase <= m_phase;
      x_phase <= a_phase;
      x_valid <= a_valid;
      p_valid <= m_valid;
    end
    to_f <= long_way && to_e && p_phase != PRODUCT;
    e_phase <= p_phase;
    s_phase <= m_phase;
    s_valid <= m_valid;
    y_phase <= a_phase;
    y_product <= a_product;
    y_own <= a_own;
    y_valid <= a_valid;
    if (DEEP && take_a) begin  // the operand that comes now is the first that has the shifts that are here
      late_right <= right;
      for (integer i = 0; i < B; i = i + 1) begin
        late_places[8*i+:8] <= {1'b0, {2'd0, ~left[8*i+:5]} + (as_float ? {2'd0, right[8*i+:5]} : 7'd0)};
      end
    end
    m_phase <= x_phase;
    a_phase <= phase;
    a_product <= phase == PRODUCT;
    a_own <= !softmax && phase == RESULT;
    m_valid <= x_valid;
    a_valid <= enter;
    from_near <= enter_near;
    from_sum <= !enter_near && (requant || both_scaled);
    arrived_a <= take_a && !direct;
    arrived_b <= take_b && !sum;
    arrived_begin <= window_begin;
    if (fill) held <= {B{fill_byte}};
    if (clear) begin
      both_scaled <= 1'b0;
      to_scaled_a <= 1'b0;
      to_z <= 1'b0;
      h_valid <= 1'b0;
      to_h <= 1'b0;
      to_e <= 1'b0;
      to_places <= 1'b0;
      to_f <= 1'b0;
      b_scaled <= 1'b0;
      y_valid <= 1'b0;
      s_valid <= 1'b0;
      p_product <= 1'b0;
      p_valid <= 1'b0;
      m_valid <= 1'b0;
      x_valid <= 1'b0;
      a_valid <= 1'b0;
      arrived_a <= 1'b0;
      arrived_b <= 1'b0;
    end
  end
endmodule
