// weft_requantize rounds as float32 does (`as_float`): each of its three roundings, of any operand, is the plain one below, of the
// magnitude. Part 0: the sum, in X. Part 1: the product, in H, with what is left to shift. Part 2: to an integer, in R.
// How many bits are too many is told from the complement of what is negative. A negative power of two has one bit less there; it
// is itself all the same. The multiplier is cut out: the product is anything that two such factors can have.
//
// modules weft_requantize
// parts 0 1 2
// parameter LANES 1
// cut t:$mul
// mutation weft_requantize: s/below\[0\] \&\& //
// mutation weft_requantize: s/{27'd0, below\[6:1\]}/{26'd0, below}/
// mutation weft_requantize: s/rounded_sum = ({value\[31\], value}/rounded_sum = ({1'b0, value}/
// mutation weft_requantize: s/even ? (product & one) == 0 : product\[63\]/product[63]/
// mutation weft_requantize: s/even ? (value & one) == 0/even ? (value \& one) != 0/
// mutation weft_requantize: s/if (bits\[4\]) top\[15:1\] = top\[31:17\];//
// mutation weft_requantize: s/more\[6\] ? 8'd0 : //
// mutation weft_requantize: s/more\[5\] ? 8'd31/more[5] ? 8'd15/
module proof #(
    parameter integer PART  = 0,
    parameter integer LANES = 1
) (
    input logic clock,
    input logic take_a,
    input logic [31:0] acc,
    input logic [31:0] bias,
    input logic [31:0] multiplier,
    input logic [5:0] right
);
  weft_requantize #(
      .B(LANES)
  ) dut (
      .clock(clock),
      .clear(1'b0),
      .busy(1'b1),
      .requant(1'b1),
      .sum(1'b0),
      .subtract(1'b0),
      .mul(1'b0),
      .max(1'b0),
      .pool(1'b0),
      .direct(1'b1),
      .single(1'b0),
      .as_float(1'b1),
      .bias(bias),
      .multiplier(multiplier),
      .left(8'd0),
      .right({2'd0, right}),
      .multiplier_a(32'd0),
      .multiplier_b(32'd0),
      .left_a(5'd0),
      .left_b(5'd0),
      .right_a(5'd0),
      .right_b(5'd0),
      .zero_a(8'd0),
      .zero_b(8'd0),
      .zero(8'd0),
      .low(9'd0),
      .high(9'd0),
      .fill(1'b0),
      .fill_byte(8'd0),
      .take_a(take_a),
      .window_begin(1'b0),
      .take_b(1'b0),
      .lut_done(1'b0),
      .emit(1'b0),
      .act_data(8'd0),
      .acc_data(acc),
      .lut_data(8'd0)
  );

  (* hierconn *) wire \dut.x_sign ;
  (* hierconn *) wire [31:0] \dut.x ;
  (* hierconn *) wire [63:0] \dut.p ;
  (* hierconn *) wire [31:0] \dut.h ;
  (* hierconn *) wire [31:0] \dut.r ;
  (* hierconn *) wire [7:0] \dut.rest ;
  (* hierconn *) wire \dut.p_valid , \dut.h_valid ;
  (* hierconn *) wire [1:0] \dut.p_phase ;

  // What went into a stage in the cycle before, if anything did.
  logic from_operand = 1'b0, from_p = 1'b0, from_h = 1'b0;
  logic [31:0] sum, h;
  logic [63:0] p;
  logic [5:0] p_right;
  logic [4:0] h_rest;
  always_ff @(posedge clock) begin
    from_operand <= take_a;
    from_p <= \dut.p_valid && \dut.p_phase != 2'd3;
    from_h <= \dut.h_valid ;
    sum <= acc + bias;
    p <= \dut.p ;
    p_right <= right;
    h <= \dut.h ;
    h_rest <= \dut.rest [4:0];
  end

  if (PART == 0) begin : g_sum
    logic [32:0] magnitude;
    logic [31:0] bits;
    always_comb begin
      magnitude = sum[31] ? -{1'b1, sum} : {1'b0, sum};
      bits = sum ^ {32{sum[31]}};
    end
    for (genvar e = 0; e <= 7; e = e + 1) begin : g_excess
      logic [32:0] quotient, rounded;
      logic [7:0] part, half;
      always_comb begin
        half = (8'd1 << e) >> 1;
        part = magnitude[7:0] & ((8'd1 << e) - 8'd1);
        quotient = magnitude >> e;
        rounded = (quotient + {32'd0, part > half || (part == half && e != 0 && quotient[0])}) << e;
        if (from_operand && (e == 0 ? bits >> 24 == 0 : bits >> (23 + e) == 1))
          assert ({\dut.x_sign , \dut.x } == (sum[31] ? -rounded : rounded));
      end
    end
  end else if (PART == 1) begin : g_product
    logic [63:0] magnitude, bits;
    always_comb begin
      magnitude = p[63] ? -p : p;
      bits = p ^ {64{p[63]}};
      // The factors are at most 2^31 in magnitude: see X in part 0.
      assume (magnitude <= 64'h4000000000000000);
    end
    for (genvar e = 0; e <= 39; e = e + 1) begin : g_excess
      logic [63:0] part, half;
      logic [31:0] quotient, rounded;
      always_comb begin
        half = (64'd1 << e) >> 1;
        part = magnitude & ((64'd1 << e) - 64'd1);
        quotient = magnitude >> e;
        rounded = quotient + {31'd0, part > half || (part == half && e != 0 && quotient[0])};
        if (from_p && (e == 0 ? bits >> 24 == 0 : bits >> (23 + e) == 1)) begin
          assert (\dut.h == (p[63] ? -rounded : rounded));
          assert (\dut.rest == (p_right <= e ? 0 : p_right - e >= 31 ? 31 : p_right - e));
        end
      end
    end
  end else begin : g_integer
    logic [31:0] magnitude;
    always_comb magnitude = h[31] ? -h : h;
    for (genvar e = 0; e <= 31; e = e + 1) begin : g_rest
      logic [31:0] part, half, quotient, rounded;
      always_comb begin
        half = (32'd1 << e) >> 1;
        part = magnitude & ((32'd1 << e) - 32'd1);
        quotient = magnitude >> e;
        rounded = quotient + {31'd0, part > half || (part == half && e != 0 && quotient[0])};
        if (from_h && h_rest == e) assert (\dut.r == (h[31] ? -rounded : rounded));
      end
    end
  end
endmodule
