// weft_requantize rounds as said, without `deep_pipeline` (which requantize_deep.sv has): each stage that rounds, of any operand, is the
// plain one below, of the magnitude.
// `as_float`: part 0: the sum, in X. Part 1: the product, in H, with what is left to shift. Part 2: to an integer, in R.
// Part 3: as gemmlowp: the high half, in H, and its shift, in R. Part 4: `single`, in H and R. Part 5: the byte, in Z.
// R's result and the bits behind it stand for R rounded; Z and A add what rounds_up() says, which part 5 holds against the one here.
// How many bits are too many is told from the complement of what is negative. A negative power of two has one bit less there; it
// is itself all the same. The multipliers are cut out: the product is anything that two such factors can have.
//
// modules weft_requantize
// parts 0 1 2 3 4 5
// parameter LANES 1
// cut t:$mul
// mutation weft_requantize: s/below\[0\] \&\& //
// mutation weft_requantize: s/{26'd0, half}/{26'd0, below}/
// mutation weft_requantize: s/rounded_sum = ({value\[31\], value}/rounded_sum = ({1'b0, value}/
// mutation weft_requantize: s/ | first >> 24 | first >> 32//
// mutation weft_requantize: s/ \& top << 6//
// mutation weft_requantize: s/more\[6\] ? 8'd0 : //
// mutation weft_requantize: s/more\[5\] ? 8'd31/more[5] ? 8'd15/
// mutation weft_requantize: s/(!as_float || h_out\[32\*i+1\] || h\[32\*i\])/(!as_float || h_out[32*i+1])/
// mutation weft_requantize: s/more = more | (count\[k\] \&\& (half || /more = more | (count[k] \&\& (/
// mutation weft_requantize: s/over | (value\[31\] ^ sign)/over/
// mutation weft_requantize: s/fallen\[2\] \& (lower == mask)/lower == mask/
// mutation weft_requantize: s/half \&\& !single, single/half, single/
// mutation weft_requantize: s/negative ? out\[0\] \&\& out\[1\]/negative ? out[0]/
// mutation weft_requantize: s/h_out\[32\*i+2\] ? {h\[32\*i+31\], {31{!h/h_out[32*i+2] ? {h[32*i+31], {31{h/
// mutation weft_requantize: s/source\[64\*i+63\] ^ source\[64\*i+62\], 1'bx/1'b0, 1'bx/
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
  localparam [0:0] AS_FLOAT = PART <= 2;
  localparam [0:0] SINGLE = PART == 4;

  localparam [weft_config_pkg::CONFIG_BITS-1:0] SHALLOW =
      weft_config_pkg::CONFIG & ~(weft_config_pkg::CONFIG_BITS'(1) << weft_config_pkg::AT_DEEP_PIPELINE);
  weft_requantize #(
      .CONFIG(SHALLOW),
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
      .long_way(AS_FLOAT),
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

  (* hierconn *) wire \dut.a_valid , \dut.to_places , \dut.to_h , \dut.h_valid , \dut.to_z ;
  (* hierconn *) wire [31:0] \dut.a ;
  (* hierconn *) wire [63:0] \dut.x ;
  (* hierconn *) wire [63:0] \dut.p , \dut.e ;
  (* hierconn *) wire [7:0] \dut.places , \dut.rest ;
  (* hierconn *) wire [31:0] \dut.h , \dut.r ;
  (* hierconn *) wire [31:0] \dut.h_out , \dut.r_out ;
  (* hierconn *) wire [7:0] \dut.result ;

  // What went into a stage in the cycle before, if anything did.
  logic from_a = 1'b0, from_m = 1'b0, from_p = 1'b0, from_e = 1'b0, from_h = 1'b0, from_r = 1'b0;
  logic [31:0] a, h, r;
  logic [63:0] p, e;
  logic [5:0] e_excess, p_places;
  logic [4:0] m_left, p_left, p_right, h_rest;
  logic h_over, h_more, h_half, r_full, r_more, r_half;
  logic [7:0] r_zero, r_lowest, r_highest;
  always_ff @(posedge clock) begin
    from_a <= \dut.a_valid ;
    from_m <= \dut.to_places ;
    from_p <= AS_FLOAT ? \dut.to_places : \dut.to_h ;
    from_e <= \dut.to_h ;
    from_h <= \dut.h_valid ;
    from_r <= \dut.to_z ;
    a <= \dut.a ;
    p <= \dut.p ;
    e <= \dut.e ;
    e_excess <= \dut.places [5:0];
    p_places <= \dut.places [5:0];
    m_left <= left;
    p_left <= left;
    p_right <= right;
    h <= \dut.h_out [2]? {\dut.h [31], {31{!\dut.h [31]}}} : \dut.h ;
    h_over <= \dut.h_out [2];
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

  // R's result with what is behind it, rounded.
  function automatic rounds_up(input even, input negative, input odd, input full, input more, input half);
    if (even) rounds_up = half ? more || odd : full && odd;
    else rounds_up = negative ? half && more : half || full;
  endfunction
  logic [31:0] r_rounded;
  assign r_rounded = \dut.r
      + {31'd0, rounds_up(AS_FLOAT, \dut.r [31], \dut.r [0], \dut.r_out [2], \dut.r_out [1], \dut.r_out [0])};

  if (PART == 0) begin : g_sum
    logic [32:0] magnitude;
    logic [31:0] bits;
    always_comb begin
      magnitude = a[31] ? -{1'b1, a} : {1'b0, a};
      bits = a ^ {32{a[31]}};
    end
    for (genvar k = 0; k <= 7; k = k + 1) begin : g_excess
      logic [32:0] quotient, rounded, rounded_sum;
      logic [7:0] part, half;
      always_comb begin
        half = (8'd1 << k) >> 1;
        part = magnitude[7:0] & ((8'd1 << k) - 8'd1);
        quotient = magnitude >> k;
        rounded = (quotient + {32'd0, part > half || (part == half && k != 0 && quotient[0])}) << k;
        rounded_sum = a[31] ? -rounded : rounded;
        if (from_a && (k == 0 ? bits >> 24 == 0 : bits >> (23 + k) == 1))
          assert (\dut.x == {{31{rounded_sum[32]}}, rounded_sum});
      end
    end
  end else if (PART == 1) begin : g_product
    logic [63:0] bits_of_p, magnitude, bits;
    logic [31:0] h_rounded;
    logic [6:0] total;
    always_comb begin
      bits_of_p = p ^ {64{p[63]}};
      bits = e ^ {64{e[63]}};
      magnitude = e[63] ? -e : e;
      // The factors are at most 2^31 in magnitude: see X in part 0.
      assume ((\dut.p [63] ? -\dut.p : \dut.p ) <= 64'h4000000000000000);
      assume ((\dut.e [63] ? -\dut.e : \dut.e ) <= 64'h4000000000000000);
      assume (magnitude <= 64'h4000000000000000);
      h_rounded = \dut.h + {31'd0, \dut.h_out [0]&& (\dut.h_out [1]|| \dut.h [0])};
      total = 7'd31 - {2'd0, p_left} + {2'd0, p_right};
    end
    for (genvar k = 0; k <= 39; k = k + 1) begin : g_excess
      logic [63:0] part, half;
      logic [31:0] quotient, rounded;
      always_comb begin
        half = (64'd1 << k) >> 1;
        part = magnitude & ((64'd1 << k) - 64'd1);
        quotient = magnitude >> k;
        rounded = quotient + {31'd0, part > half || (part == half && k != 0 && quotient[0])};
        if (from_p && (k == 0 ? bits_of_p >> 24 == 0 : bits_of_p >> (23 + k) == 1)) assert (\dut.places == k);
        if (from_e && e_excess == k && (k == 0 ? bits >> 24 == 0 : bits >> (23 + k) == 1)) begin
          assert (!\dut.h_out [2]);
          assert (h_rounded == (e[63] ? -rounded : rounded));
          assert (\dut.rest == (total <= k ? 0 : total - k >= 31 ? 31 : total - k));
        end
      end
    end
  end else if (PART == 2) begin : g_integer
    logic [31:0] h_rounded, magnitude;
    always_comb begin
      // What H rounds to has at most 24 bits and a carry, which part 1 shows.
      assume (!\dut.h_out [2]&& (\dut.h [31:25] == 7'd0 || \dut.h [31:25] == 7'h7f));
      h_rounded = h + {31'd0, h_half && (h_more || h[0])};
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
      if (from_p) begin
        assert (\dut.rest == {3'd0, p_right});
        assert (\dut.h_out [2]== (high == 64'h80000000));
        assert ((\dut.h_out [2]? 32'h7fffffff : \dut.h + {31'd0, \dut.h_out [0]}) == saturated);
        assert (!\dut.h_out [2]|| (!\dut.h [31] && !\dut.h_out [0]));
      end
      // As just shown of every cycle.
      assume (!h_over || (!h[31] && !h_half));
      assume (h != 32'h7fffffff || !h_half || h_over);
      h_rounded = h + {31'd0, h_half && !h_over};
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
      if (from_m) assert (\dut.places == 8'd31 - {3'd0, m_left});
      assume (p_places <= 31);  // as just shown, of the cycle before
      shifted = $signed(p) >>> p_places;
      below = p & ((64'd1 << p_places) - 64'd1);
      fits = shifted[63:31] == 0 || shifted[63:31] == {33{1'b1}};
      if (from_p) begin
        assert (\dut.rest == {3'd0, p_right});
        assert (\dut.h_out [2]== !fits);
        assert (\dut.h [31] == p[63]);
        assert (!fits || \dut.h == shifted[31:0]);
        assert (\dut.h_out [0]== (p_places != 0 && (below >> (p_places - 6'd1)) != 0));
        assert (\dut.h_out [1]== ((below & ~(64'd1 << (p_places - 6'd1))) != 0 && p_places > 1));
      end
      wide = {h, h_half, h_more};
      magnitude = wide[33] ? -wide : wide;
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
  end else begin : g_byte
    logic [33:0] value;
    always_comb begin
      value = {{2{r[31]}}, r} + {33'd0, rounds_up(1'b0, r[31], r[0], r_full, r_more, r_half)} + {{26{r_zero[7]}}, r_zero};
      if (from_r)
        assert (\dut.result == ($signed(value) < $signed({{26{r_lowest[7]}}, r_lowest}) ? r_lowest
            : $signed(value) > $signed({{26{r_highest[7]}}, r_highest}) ? r_highest : value[7:0]));
    end
  end
endmodule
