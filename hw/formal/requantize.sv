// weft_requantize rounds as said, without `deep_pipeline` and with it (DEEP): each stage that rounds, or two that do together, of any
// operand, is the plain one below, of the magnitude.
// `as_float`: part 0: the sum, in X. Part 1: the product, in H, with what is left to shift. Part 2: to an integer, in R.
// Part 3: as gemmlowp: the high half, in H, and its shift, in R. Part 4: `single`, in H and R. Part 5: the byte, in Z. Part 6: P is the
// sum of the products.
// R's result and the bits behind it stand for R rounded; Z and A add what is_up() says, which part 5 holds against the one here.
// How many bits are too many is told from the complement of what is negative. A negative power of two has one bit less there; it
// is itself all the same. The multipliers are cut out: the product is anything that two such factors can have.
//
// modules weft_requantize
// parts 0 1 2 3 4 5 6
// parameter DEEP 0 1
// cut t:$mul
// mutation weft_requantize: s/below\[0\] \&\& //
// mutation weft_requantize: s/{26'd0, half}/{26'd0, below}/
// mutation weft_requantize: s/rounded_sum = ({value\[31\], value}/rounded_sum = ({1'b0, value}/
// mutation weft_requantize: s/(any\[3\] || any\[2\])/any[3]/
// mutation weft_requantize: s/ || (!bits\[2\] \&\& bits\[1\])//
// mutation weft_requantize: s/more\[6\] ? 8'd0 : //
// mutation weft_requantize: s/more\[5\] ? 8'd31/more[5] ? 8'd15/
// mutation weft_requantize: s/(!even || more || odd)/(!even || more)/
// mutation weft_requantize: s/more = more | (count\[k\] \&\& (half || /more = more | (count[k] \&\& (/
// mutation weft_requantize: s/coarse\[42\] | ((reached/((reached/
// mutation weft_requantize: s/(reached \& ~fewer)/(reached)/
// mutation weft_requantize: s/(group | ~fewer) == 8'hff/(group | fewer) == 8'hff/
// mutation weft_requantize: s/up \&\& !one, one/up, one/
// mutation weft_requantize: s/as_float ? moved\[0\] : !moved\[31\]/moved[0]/
// mutation weft_requantize: s/out\[3\] ? out\[0\] || out\[2\]/out[3] ? out[0]/
// mutation weft_requantize: s/over ? {value\[31\], {31{!value/over ? {value[31], {31{value/
// mutation weft_requantize: s/source\[64\*i+63\] ^ source\[64\*i+62\], 1'bx/1'b0, 1'bx/
// mutation weft_requantize: s/total = {value\[31\], value}/total = {1'b0, value}/
// mutation weft_requantize: s/ || (!any\[2\] \&\& any\[1\])//
// mutation weft_requantize: s/bits\[5:4\] == 0 \&\& bits\[3:2\] != 0/bits[3:2] != 0/
// mutation weft_requantize: s/coarse\[41\] | (lower != 0)/(lower != 0)/
// mutation weft_requantize: s/count\[4:3\] == i\[1:0\] \&\& (group/count[4:3] != i[1:0] \&\& (group/
// mutation weft_requantize: s/<< 22);/<< 21);/
// mutation weft_requantize: s/<< 39);/<< 38);/
module proof #(
    parameter integer PART = 0,
    parameter integer DEEP = 0
) (
    input logic clock,
    input logic take_a,
    input logic [31:0] acc,
    input logic [31:0] bias,
    input logic [31:0] multiplier,
    input logic [4:0] left,
    input logic [4:0] right,
    input logic [7:0] zero,
    input logic [7:0] lowest,
    input logic [7:0] highest
);
  localparam [0:0] AS_FLOAT = PART <= 2 || PART == 6;
  localparam [0:0] SINGLE = PART == 4;
  localparam [0:0] BY_F = DEEP && (AS_FLOAT || SINGLE);  // the shift of H is two stages, F and H

  localparam [weft_config_pkg::CONFIG_BITS-1:0] DEEP_PIPELINE = weft_config_pkg::CONFIG_BITS'(1) << weft_config_pkg::AT_DEEP_PIPELINE;
  weft_requantize #(
      .CONFIG(DEEP ? weft_config_pkg::CONFIG | DEEP_PIPELINE : weft_config_pkg::CONFIG & ~DEEP_PIPELINE),
      .B(1)
  ) dut (
      .clock(clock),
      .clear(1'b0),
      .requant(1'b1),
      .sum_asked(1'b0),
      .subtract(1'b0),
      .square_asked(1'b0),
      .mul_asked(1'b0),
      .smaller(1'b0),
      .lut_asked(1'b0),
      .softmax_asked(1'b0),
      .pool(1'b0),
      .direct(1'b1),
      .single_asked(SINGLE),
      .as_float(AS_FLOAT),
      .once_asked(AS_FLOAT || SINGLE),
      .long_way(AS_FLOAT || BY_F),
      .bias(bias),
      .multiplier(multiplier),
      .left({3'd0, left}),
      .right({3'd0, right}),
      .multiplier_a(32'd0),
      .multiplier_b(32'd0),
      .left_a(5'd0),
      .left_b(5'd0),
      .right_a(5'd0),
      .right_b(5'd0),
      .zero_a(8'd0),
      .zero_b(8'd0),
      .zero(zero),
      .lowest(lowest),
      .highest(highest),
      .above_low({zero[7], zero} - {lowest[7], lowest}),
      .above_high({zero[7], zero} + ~{highest[7], highest}),
      .fill(1'b0),
      .fill_byte(8'd0),
      .take_a(take_a),
      .window_begin(1'b0),
      .take_b(1'b0),
      .words(1'b0),
      .quarter(2'd0),
      .emit(1'b0),
      .act_data(8'd0),
      .acc_data(acc),
      .lut_data(8'd0)
  );

  (* hierconn *) wire \dut.a_valid , \dut.m_valid , \dut.to_places , \dut.to_e , \dut.to_f , \dut.to_h , \dut.h_valid , \dut.to_z ;
  (* hierconn *) wire [31:0] \dut.a , \dut.summed ;
  (* hierconn *) wire [63:0] \dut.x ;
  (* hierconn *) wire [31:0] \dut.m_l0 , \dut.m_l1 , \dut.m_l2 , \dut.m_h0 , \dut.m_h1 , \dut.m_h2 ;
  (* hierconn *) wire [63:0] \dut.p , \dut.e ;
  (* hierconn *) wire [7:0] \dut.late_right , \dut.late_places , \dut.places , \dut.f_places , \dut.rest ;
  (* hierconn *) wire [31:0] \dut.h , \dut.r ;
  (* hierconn *) wire [31:0] \dut.h_out , \dut.r_out ;
  (* hierconn *) wire [7:0] \dut.result ;

  // The product, of those of the pieces of its factors: P.
  logic [63:0] sum_of_products;
  assign sum_of_products = 64'(\dut.m_l0 ) + (64'(\dut.m_l1 ) << 11) + (64'($signed(\dut.m_l2 )) << 22)
      + (64'($signed(\dut.m_h0 )) << 17) + (64'($signed(\dut.m_h1 )) << 28) + (64'($signed(\dut.m_h2 )) << 39);
  // The places that H shifts by, as it reads them.
  logic [7:0] places;
  assign places = DEEP ? \dut.f_places : \dut.places ;
  // By how much a product is to be shifted: as_float in H and R together, else in H.
  logic [6:0] asked;
  assign asked = 7'd31 - {2'd0, left} + (AS_FLOAT ? {2'd0, right} : 7'd0);
  // H, saturated: without DEEP R does that, where a bit of H's says so.
  logic h_is_over;
  logic [31:0] h_saturated;
  assign h_is_over = !DEEP && \dut.h_out [2];
  assign h_saturated = h_is_over ? {\dut.h [31], {31{!\dut.h [31]}}} : \dut.h ;

  // What went into a stage one cycle ago, if anything did; where DEEP has two stages for it (`_1` is between them), two cycles ago.
  logic took = 1'b0, from_a_1 = 1'b0, from_a = 1'b0, from_m_1 = 1'b0, from_m = 1'b0, from_p_1 = 1'b0, from_p = 1'b0;
  logic from_e_1 = 1'b0, from_e = 1'b0, to_h = 1'b0, from_h = 1'b0, from_r = 1'b0;
  logic [31:0] a_1, a, h, r;
  logic [63:0] products_1, products, p_1, p, shifted_1, shifted;  // `shifted`: what H shifted, from P or E
  logic [5:0] h_places;
  logic [6:0] took_asked, total, total_1;
  logic [4:0] took_right, h_right, h_rest;
  logic h_over, h_full, h_more, h_half, r_full, r_more, r_half;
  logic [7:0] r_zero, r_lowest, r_highest;
  always_ff @(posedge clock) begin
    took <= take_a;
    took_asked <= asked;
    took_right <= right;
    from_a_1 <= \dut.a_valid ;
    from_a <= DEEP ? from_a_1 : \dut.a_valid ;
    a_1 <= \dut.summed ;
    a <= DEEP ? a_1 : \dut.a ;
    from_m_1 <= \dut.m_valid ;
    from_m <= DEEP ? from_m_1 : \dut.m_valid ;
    products_1 <= sum_of_products;
    products <= DEEP ? products_1 : sum_of_products;
    from_p_1 <= \dut.to_e ;
    from_p <= DEEP ? from_p_1 : \dut.to_places ;
    p_1 <= \dut.p ;
    p <= DEEP ? p_1 : \dut.p ;
    from_e_1 <= \dut.to_f ;
    from_e <= BY_F ? from_e_1 : \dut.to_h ;
    shifted_1 <= \dut.e ;
    shifted <= BY_F ? shifted_1 : AS_FLOAT ? \dut.e : \dut.p ;
    h_places <= places[5:0];
    total_1 <= total;
    total <= DEEP ? \dut.late_places [6:0] : asked;
    h_right <= DEEP ? \dut.late_right [4:0] : right;
    to_h <= \dut.to_h ;
    from_h <= \dut.h_valid ;
    h <= h_saturated;
    h_over <= h_is_over;
    h_full <= DEEP && \dut.h_out [2];
    h_more <= \dut.h_out [1];
    h_half <= \dut.h_out [0];
    h_rest <= \dut.rest [4:0];
    from_r <= \dut.to_z ;
    r <= \dut.r ;
    r_full <= \dut.r_out [2];
    r_more <= \dut.r_out [1];
    r_half <= \dut.r_out [0];
    r_zero <= zero;
    r_lowest <= lowest;
    r_highest <= highest;
  end

  function automatic [63:0] magnitude_of(input [63:0] value);
    magnitude_of = value[63] ? -value : value;
  endfunction

  // The plain one: value / 2^k, rounded to the nearest; a half to even, or away from zero.
  function automatic [63:0] rounded(input even, input [63:0] value, input integer k);
    logic [63:0] half, part, quotient;
    half = (64'd1 << k) >> 1;
    part = magnitude_of(value) & ((64'd1 << k) - 64'd1);
    quotient = magnitude_of(value) >> k;
    quotient = quotient + {63'd0, part > half || (part == half && k != 0 && (!even || quotient[0]))};
    rounded = value[63] ? -quotient : quotient;
  endfunction

  // Has a value k significant bits more than 24 (0: or less)?
  function automatic has_excess(input [63:0] value, input integer k);
    logic [63:0] bits;
    bits = value ^ {64{value[63]}};
    has_excess = k == 0 ? bits >> 24 == 0 : bits >> (23 + k) == 1;
  endfunction

  function automatic [63:0] extended(input [31:0] value);
    extended = {{32{value[31]}}, value};
  endfunction

  // Is H rounded up where a half goes to even? With DEEP `half` says it itself.
  function automatic h_is_up(input odd, input more, input half);
    h_is_up = half && (DEEP || more || odd);
  endfunction

  // R's result with what is behind it, rounded: a half to even, or away from zero.
  function automatic rounds_up(input even, input negative, input odd, input full, input more, input half);
    if (even) rounds_up = half ? more || odd : full && odd;
    else rounds_up = negative ? half && more : half || full;
  endfunction
  logic [31:0] r_rounded;
  assign r_rounded = \dut.r
      + {31'd0, rounds_up(AS_FLOAT, \dut.r [31], \dut.r [0], \dut.r_out [2], \dut.r_out [1], \dut.r_out [0])};

  always_comb begin
    // Which of the two it is R has said in the fourth bit.
    if (from_h) assert (\dut.r_out [3] == (AS_FLOAT ? \dut.r [0] : !\dut.r [31]));
    if (DEEP && took) assert (\dut.late_right == {3'd0, took_right} && \dut.late_places == {1'b0, took_asked});
  end

  if (PART == 0) begin : g_sum
    for (genvar k = 0; k <= 7; k = k + 1) begin : g_excess
      always_comb begin
        if (from_a && has_excess(extended(a), k)) assert (\dut.x == rounded(1'b1, extended(a), k) << k);
      end
    end
  end else if (PART == 1) begin : g_product
    logic [31:0] h_rounded;
    always_comb begin
      // The factors are at most 2^31 in magnitude: see X in part 0.
      assume (magnitude_of(\dut.p ) <= 64'h4000000000000000);
      assume (magnitude_of(\dut.e ) <= 64'h4000000000000000);
      if (DEEP) assume (total <= 62);  // of the five bits that it is made of
      h_rounded = \dut.h + {31'd0, h_is_up(\dut.h [0], \dut.h_out [1], \dut.h_out [0])};
      if (DEEP && to_h) assert (\dut.h_out [2:0] == {3{\dut.h_out [0]}});
    end
    for (genvar k = 0; k <= 39; k = k + 1) begin : g_excess
      logic [63:0] plain;
      always_comb begin
        plain = rounded(1'b1, shifted, k);
        if (from_p && has_excess(p, k)) assert (places == k);
        if (from_e && h_places == k && has_excess(shifted, k)) begin
          assert (!h_is_over);
          assert (h_rounded == plain[31:0]);
          assert (\dut.rest == (total <= k ? 0 : total - k >= 31 ? 31 : total - k));
        end
      end
    end
  end else if (PART == 2) begin : g_integer
    logic [31:0] h_rounded;
    always_comb begin
      // What H rounds to has at most 24 bits and a carry, and fits; with DEEP it tells of one bit behind it. Part 1 shows that.
      assume (\dut.h [31:25] == 7'd0 || \dut.h [31:25] == 7'h7f);
      assume (DEEP ? \dut.h_out [2:0] == {3{\dut.h_out [0]}} : !\dut.h_out [2]);
      h_rounded = h + {31'd0, h_is_up(h[0], h_more, h_half)};
    end
    for (genvar k = 0; k <= 31; k = k + 1) begin : g_rest
      logic [63:0] plain;
      always_comb begin
        plain = rounded(1'b1, extended(h_rounded), k);
        if (from_h && h_rest == k) assert (r_rounded == plain[31:0]);
      end
    end
  end else if (PART == 3) begin : g_gemmlowp
    logic [63:0] high;
    logic [31:0] h_rounded;
    always_comb begin
      // The factors are at most 2^31 in magnitude, so no product lies between this and 2^62.
      assume (magnitude_of(\dut.p ) <= 64'h3fffffff80000000 || magnitude_of(\dut.p ) == 64'h4000000000000000);
      high = $signed(shifted + 64'h40000000) >>> 31;
      if (from_e) begin
        assert (\dut.rest == {3'd0, h_right});
        assert (h_saturated + {31'd0, \dut.h_out [0]&& !h_is_over} == (high == 64'h80000000 ? 32'h7fffffff : high[31:0]));
        assert (h_saturated != 32'h7fffffff || !\dut.h_out [0]|| h_is_over);
        if (DEEP) assert (\dut.h_out [2:0] == {3{\dut.h_out [0]}});
        else assert (h_is_over == (high == 64'h80000000));
        assert (!h_is_over || (!\dut.h [31] && !\dut.h_out [0]));
      end
      // As just shown of every cycle.
      assume (h != 32'h7fffffff || !h_half || h_over);
      assume (DEEP ? {h_full, h_more} == {2{h_half}} : !h_over || (!h[31] && !h_half));
      h_rounded = h + {31'd0, h_half && !h_over};
    end
    for (genvar k = 0; k <= 31; k = k + 1) begin : g_right
      logic [63:0] plain;
      always_comb begin
        plain = rounded(1'b0, extended(h_rounded), k);
        if (from_h && h_rest == k) assert (r_rounded == plain[31:0]);
      end
    end
  end else if (PART == 4) begin : g_single
    logic [63:0] plain_h, below;
    logic fits;
    logic [33:0] wide;  // with the two bits behind H
    always_comb begin
      if (from_p) assert (places == {1'b0, DEEP ? total_1 : total});
      plain_h = $signed(shifted) >>> h_places;
      below = shifted & ((64'd1 << h_places) - 64'd1);
      fits = plain_h[63:31] == 0 || plain_h[63:31] == {33{1'b1}};
      if (from_e) begin
        assert (\dut.rest == {3'd0, h_right});
        assert (h_saturated == (fits ? plain_h[31:0] : {shifted[63], {31{!shifted[63]}}}));
        assert (\dut.h_out [2:0] == {
          !DEEP && !fits,
          (below & ~(64'd1 << (h_places - 6'd1))) != 0 && h_places > 1,
          h_places != 0 && (below >> (h_places - 6'd1)) != 0
        });
      end
      wide = {h, h_half, h_more};
      if (DEEP) assume (!h_full);  // as just shown of every cycle
    end
    for (genvar k = 0; k <= 31; k = k + 1) begin : g_right
      logic [63:0] plain;
      always_comb begin
        plain = rounded(1'b0, {{30{wide[33]}}, wide}, k + 2);
        // What does not fit is clamped, rounded up or not.
        if (from_h && h_rest == k && !(k == 0 && h == 32'h7fffffff)) assert (r_rounded == plain[31:0]);
        if (from_h && h_rest == 0) assert (\dut.r == h);
      end
    end
  end else if (PART == 5) begin : g_byte
    logic [33:0] value;
    always_comb begin
      assume (\dut.r_out [3] == !\dut.r [31]);  // as shown of what comes from H
      value = {{2{r[31]}}, r} + {33'd0, rounds_up(1'b0, r[31], r[0], r_full, r_more, r_half)} + {{26{r_zero[7]}}, r_zero};
      if (from_r)
        assert (\dut.result == ($signed(value) < $signed({{26{r_lowest[7]}}, r_lowest}) ? r_lowest
            : $signed(value) > $signed({{26{r_highest[7]}}, r_highest}) ? r_highest : value[7:0]));
    end
  end else begin : g_sum_of_products
    // The highest product of the lower half of X has nothing below bit 28, and the lowest nothing above bit 27, which their factors show.
    always_comb begin
      assume (\dut.m_l0 [31:28] == 4'd0);
      if (from_m) assert (\dut.p == products);
    end
  end
endmodule
