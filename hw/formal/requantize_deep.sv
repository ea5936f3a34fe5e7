// weft_requantize rounds as said with `deep_pipeline`: as in requantize.sv each stage that rounds, or two that do together, of any operand, is
// the plain one below, of the magnitude.
// `as_float`: part 0: the sum, in X. Part 1: the product, in H, with what is left to shift. Part 2: to an integer, in R.
// Part 3: as gemmlowp: the high half, in H, and its shift, in R. Part 4: `single`, in H and R. Part 5: the byte, in Z. Part 6: P is the
// sum of the products. The multipliers are cut out: the product is anything that two such factors can have.
//
// modules weft_requantize
// parts 0 1 2 3 4 5 6
// parameter LANES 1
// cut t:$mul
// mutation weft_requantize: s/below\[0\] \&\& //
// mutation weft_requantize: s/{26'd0, half}/{26'd0, below}/
// mutation weft_requantize: s/(any\[3\] || any\[2\])/any[3]/
// mutation weft_requantize: s/ || (!any\[2\] \&\& any\[1\])//
// mutation weft_requantize: s/ || (!bits\[2\] \&\& bits\[1\])//
// mutation weft_requantize: s/bits\[5:4\] == 0 \&\& bits\[3:2\] != 0/bits[3:2] != 0/
// mutation weft_requantize: s/more\[6\] ? 8'd0 : //
// mutation weft_requantize: s/(!as_float || moved\[33\] || moved\[0\])/(!as_float || moved[33])/
// mutation weft_requantize: s/more = more | (count\[k\] \&\& (half || /more = more | (count[k] \&\& (/
// mutation weft_requantize: s/coarse\[42\] | ((reached/((reached/
// mutation weft_requantize: s/(reached \& ~fewer)/(reached)/
// mutation weft_requantize: s/coarse\[41\] | (lower != 0)/(lower != 0)/
// mutation weft_requantize: s/moved\[34\] ? {moved/1'b0 ? {moved/
// mutation weft_requantize: s/count\[4:3\] == i\[1:0\] \&\& (group/count[4:3] != i[1:0] \&\& (group/
// mutation weft_requantize: s/(group | ~fewer) == 8'hff/(group | fewer) == 8'hff/
// mutation weft_requantize: s/half \&\& !single, single/half, single/
// mutation weft_requantize: s/as_float ? moved\[0\] : !moved\[31\]/moved[0]/
// mutation weft_requantize: s/out\[3\] ? out\[0\] || out\[2\]/out[3] ? out[0]/
// mutation weft_requantize: s/<< 22);/<< 21);/
// mutation weft_requantize: s/total = {value\[31\], value}/total = {1'b0, value}/
module proof #(
    parameter integer PART  = 0,
    parameter integer LANES = 1
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

  localparam [weft_config_pkg::CONFIG_BITS-1:0] DEEP =
      weft_config_pkg::CONFIG | (weft_config_pkg::CONFIG_BITS'(1) << weft_config_pkg::AT_DEEP_PIPELINE);
  weft_requantize #(
      .CONFIG(DEEP),
      .B(LANES)
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
      .long_way(AS_FLOAT || SINGLE),
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
      .lut_done(1'b0),
      .words(1'b0),
      .quarter(2'd0),
      .emit(1'b0),
      .act_data(8'd0),
      .acc_data(acc),
      .lut_data(8'd0)
  );

  (* hierconn *) wire \dut.a_valid , \dut.y_valid , \dut.m_valid , \dut.to_e , \dut.to_f , \dut.to_h , \dut.h_valid , \dut.to_z ;
  (* hierconn *) wire [31:0] \dut.summed ;
  (* hierconn *) wire [63:0] \dut.x ;
  (* hierconn *) wire [31:0] \dut.m_l0 , \dut.m_l1 , \dut.m_l2 , \dut.m_h0 , \dut.m_h1 , \dut.m_h2 ;
  (* hierconn *) wire [63:0] \dut.p , \dut.e ;
  (* hierconn *) wire [7:0] \dut.late_right , \dut.late_places , \dut.f_places , \dut.rest ;
  (* hierconn *) wire [31:0] \dut.h , \dut.r ;
  (* hierconn *) wire [31:0] \dut.h_out , \dut.r_out ;
  (* hierconn *) wire [7:0] \dut.result ;

  // What went into a stage one cycle ago, and two, if anything did.
  logic took = 1'b0, from_a = 1'b0, from_a_2 = 1'b0, from_m = 1'b0, from_m_2 = 1'b0, from_p = 1'b0, from_p_2 = 1'b0;
  logic from_e = 1'b0, from_e_2 = 1'b0, to_h = 1'b0, from_h = 1'b0, from_r = 1'b0;
  logic [31:0] a, a_2, h, r;
  logic [63:0] p, p_2, e, e_2, products, products_2;
  logic [5:0] f_places;
  logic [6:0] total;
  logic [4:0] a_left, a_right, late_right, h_rest;
  logic h_full, h_more, h_half, r_full, r_more, r_half;
  logic [7:0] r_zero, r_lowest, r_highest;
  always_ff @(posedge clock) begin
    took <= take_a;
    from_a <= \dut.a_valid ;
    from_a_2 <= from_a;
    from_m <= \dut.m_valid ;
    from_m_2 <= from_m;
    from_p <= \dut.to_e ;
    from_p_2 <= from_p;
    from_e <= \dut.to_f ;
    from_e_2 <= from_e;
    to_h <= \dut.to_h ;
    from_h <= \dut.h_valid ;
    from_r <= \dut.to_z ;
    a <= \dut.summed ;
    a_2 <= a;
    products <= ((64'($signed(\dut.m_h1 )) << 28) | 64'(\dut.m_l0 )) + (64'($signed(\dut.m_h0 )) << 17) + (64'(\dut.m_l1 ) << 11)
        + (64'($signed(\dut.m_l2 )) << 22) + (64'($signed(\dut.m_h2 )) << 39);
    products_2 <= products;
    p <= \dut.p ;
    p_2 <= p;
    e <= \dut.e ;
    e_2 <= e;
    f_places <= \dut.f_places [5:0];
    total <= \dut.late_places [6:0];
    a_left <= left;
    a_right <= right;
    late_right <= \dut.late_right [4:0];
    h <= \dut.h ;
    h_full <= \dut.h_out [2];
    h_more <= \dut.h_out [1];
    h_half <= \dut.h_out [0];
    h_rest <= \dut.rest [4:0];
    r <= \dut.r ;
    r_full <= \dut.r_out [2];
    r_more <= \dut.r_out [1];
    r_half <= \dut.r_out [0];
    r_zero <= zero;
    r_lowest <= lowest;
    r_highest <= highest;
  end

  // Rounded up as R found it: a half to even, or away from zero.
  function automatic rounds_up(input even, input negative, input odd, input full, input more, input half);
    if (even) rounds_up = half ? more || odd : full && odd;
    else rounds_up = negative ? half && more : half || full;
  endfunction
  logic [31:0] r_rounded;
  assign r_rounded = \dut.r
      + {31'd0, rounds_up(AS_FLOAT, \dut.r [31], \dut.r [0], \dut.r_out [2], \dut.r_out [1], \dut.r_out [0])};
  // Which of the two it is R has said in the fourth bit.
  always_comb begin
    if (from_h) assert (\dut.r_out [3] == (AS_FLOAT ? \dut.r [0] : !\dut.r [31]));
    if (took) assert (\dut.late_right == {3'd0, a_right});
    if (took) assert (\dut.late_places == {1'b0, 7'd31 - {2'd0, a_left} + (AS_FLOAT ? {2'd0, a_right} : 7'd0)});
  end

  if (PART == 0) begin : g_sum
    logic [32:0] magnitude;
    logic [31:0] bits;
    always_comb begin
      magnitude = a_2[31] ? -{1'b1, a_2} : {1'b0, a_2};
      bits = a_2 ^ {32{a_2[31]}};
    end
    for (genvar k = 0; k <= 7; k = k + 1) begin : g_excess
      logic [32:0] quotient, rounded, rounded_sum;
      logic [7:0] part, half;
      always_comb begin
        half = (8'd1 << k) >> 1;
        part = magnitude[7:0] & ((8'd1 << k) - 8'd1);
        quotient = magnitude >> k;
        rounded = (quotient + {32'd0, part > half || (part == half && k != 0 && quotient[0])}) << k;
        rounded_sum = a_2[31] ? -rounded : rounded;
        if (from_a_2 && (k == 0 ? bits >> 24 == 0 : bits >> (23 + k) == 1))
          assert (\dut.x == {{31{rounded_sum[32]}}, rounded_sum});
      end
    end
  end else if (PART == 1) begin : g_product
    logic [63:0] bits_of_p, magnitude, bits;
    logic [31:0] h_rounded;
    always_comb begin
      bits_of_p = p_2 ^ {64{p_2[63]}};
      bits = e_2 ^ {64{e_2[63]}};
      magnitude = e_2[63] ? -e_2 : e_2;
      // The factors are at most 2^31 in magnitude: see X in part 0.
      assume ((\dut.p [63] ? -\dut.p : \dut.p ) <= 64'h4000000000000000);
      assume ((\dut.e [63] ? -\dut.e : \dut.e ) <= 64'h4000000000000000);
      assume (magnitude <= 64'h4000000000000000);
      assume (total <= 62);  // of the five bits that it is made of
      h_rounded = \dut.h + {31'd0, \dut.h_out [0]};
      if (to_h) assert (\dut.h_out [2:0] == {3{\dut.h_out [0]}});
    end
    for (genvar k = 0; k <= 39; k = k + 1) begin : g_excess
      logic [63:0] part, half;
      logic [31:0] quotient, rounded;
      always_comb begin
        half = (64'd1 << k) >> 1;
        part = magnitude & ((64'd1 << k) - 64'd1);
        quotient = magnitude >> k;
        rounded = quotient + {31'd0, part > half || (part == half && k != 0 && quotient[0])};
        if (from_p_2 && (k == 0 ? bits_of_p >> 24 == 0 : bits_of_p >> (23 + k) == 1)) assert (\dut.f_places == k);
        if (from_e_2 && f_places == k && (k == 0 ? bits >> 24 == 0 : bits >> (23 + k) == 1)) begin
          assert (h_rounded == (e_2[63] ? -rounded : rounded));
          assert (\dut.rest == (total <= k ? 0 : total - k >= 31 ? 31 : total - k));
        end
      end
    end
  end else if (PART == 2) begin : g_integer
    logic [31:0] h_rounded, magnitude;
    always_comb begin
      // What H rounds to has at most 24 bits and a carry, and tells of one bit behind it, which part 1 shows.
      assume (\dut.h [31:25] == 7'd0 || \dut.h [31:25] == 7'h7f);
      assume (\dut.h_out [2:0] == {3{\dut.h_out [0]}});
      h_rounded = h + {31'd0, h_half};
      magnitude = h_rounded[31] ? -h_rounded : h_rounded;
    end
    for (genvar k = 0; k <= 31; k = k + 1) begin : g_rest
      logic [31:0] part, half, quotient, rounded;
      always_comb begin
        half = (32'd1 << k) >> 1;
        part = magnitude & ((32'd1 << k) - 32'd1);
        quotient = magnitude >> k;
        rounded = quotient + {31'd0, part > half || (part == half && k != 0 && quotient[0])};
        if (from_h && h_rest == k) assert (r_rounded == (h_rounded[31] ? -rounded : rounded));
      end
    end
  end else if (PART == 3) begin : g_gemmlowp
    function automatic [63:0] magnitude_of(input [63:0] value);
      magnitude_of = value[63] ? -value : value;
    endfunction
    logic [63:0] high;
    logic [31:0] h_rounded, saturated, magnitude;
    always_comb begin
      // The factors are at most 2^31 in magnitude, so no product lies between this and 2^62.
      assume (magnitude_of(\dut.p ) <= 64'h3fffffff80000000 || magnitude_of(\dut.p ) == 64'h4000000000000000);
      assume (magnitude_of(p) <= 64'h3fffffff80000000 || magnitude_of(p) == 64'h4000000000000000);
      high = $signed(p + 64'h40000000) >>> 31;
      saturated = high == 64'h80000000 ? 32'h7fffffff : high[31:0];
      if (to_h) begin
        assert (\dut.rest == {3'd0, late_right});
        assert (\dut.h + {31'd0, \dut.h_out [0]} == saturated);
        assert (\dut.h_out [2:0] == {3{\dut.h_out [0]}});
        assert (\dut.h != 32'h7fffffff || !\dut.h_out [0]);
      end
      // As just shown of every cycle.
      assume ({h_full, h_more, h_half} == {3{h_half}});
      assume (h != 32'h7fffffff || !h_half);
      h_rounded = h + {31'd0, h_half};
      magnitude = h_rounded[31] ? -h_rounded : h_rounded;
    end
    for (genvar k = 0; k <= 31; k = k + 1) begin : g_right
      logic [32:0] rounded;
      always_comb begin
        rounded = ({1'b0, magnitude} + ((33'd1 << k) >> 1)) >> k;
        if (from_h && h_rest == k) assert (r_rounded == (h_rounded[31] ? -rounded[31:0] : rounded[31:0]));
      end
    end
  end else if (PART == 4) begin : g_single
    logic [63:0] shifted, below;
    logic fits;
    logic [33:0] wide, magnitude;  // with the two bits behind H
    always_comb begin
      shifted = $signed(e_2) >>> f_places;
      below = e_2 & ((64'd1 << f_places) - 64'd1);
      fits = shifted[63:31] == 0 || shifted[63:31] == {33{1'b1}};
      if (from_e_2) begin
        assert (\dut.rest == {3'd0, late_right});
        assert (\dut.h == (fits ? shifted[31:0] : {e_2[63], {31{!e_2[63]}}}));
        assert (\dut.h_out [2:0] == {
          1'b0,
          (below & ~(64'd1 << (f_places - 6'd1))) != 0 && f_places > 1,
          f_places != 0 && (below >> (f_places - 6'd1)) != 0
        });
      end
      wide = {h, h_half, h_more};
      magnitude = wide[33] ? -wide : wide;
      assume (!h_full);  // as just shown of every cycle
    end
    for (genvar k = 0; k <= 31; k = k + 1) begin : g_right
      logic [34:0] rounded;
      always_comb begin
        rounded = ({1'b0, magnitude} + (35'd2 << k)) >> (k + 2);
        // What does not fit is clamped, rounded up or not.
        if (from_h && h_rest == k && !(k == 0 && h == 32'h7fffffff))
          assert (r_rounded == (wide[33] ? -rounded[31:0] : rounded[31:0]));
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
      if (from_m_2) assert (\dut.p == products_2);
    end
  end
endmodule
