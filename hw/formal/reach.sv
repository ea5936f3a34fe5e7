// weft_reach: the sums are those of plain products of levels that came three cycles ago, in the bits that they have; is_far says
// whether one of them was no number of FAR + 1 bits. Induction over a ghost with the levels on their way; steps of 4 bits, strides of 12.
//
// modules weft_reach
// parts 2 3 4
// mutation weft_reach: s/if (i == PARTS - 1) begin/if (i == PARTS) begin/
// mutation weft_reach: s/reach\[PRODUCT-1\] ? low : high/reach[PRODUCT-1] ? high : low/
// mutation weft_reach: s/<< (i \* PART)/<< (i * PART + (i == 1 ? 1 : 0))/
// mutation weft_reach: s/if (reached \&\& !load) begin/if (multiplied \&\& !load) begin/
// mutation weft_reach: s/reach\[PRODUCT-1:FAR\] != {PRODUCT - FAR/reach[PRODUCT-1:FAR+1] != {PRODUCT - FAR - 1/
// mutation weft_reach: s/is_far  <= 1'b0;//
module proof #(
    parameter integer PART = 2
) (
    input logic clock,
    input logic multiply,
    input logic [3:0] steps,
    input logic signed [11:0] stride,
    input logic load,
    input logic signed [10:0] low_start,
    input logic signed [10:0] high_start
);
  localparam integer SUM = 11;
  localparam integer FAR = 8;
  logic signed [SUM-1:0] low, high;
  logic is_far;
  weft_reach #(.STEPS(4), .STRIDE(12), .PARTS(PART), .SUM(SUM), .FAR(FAR)) dut (.*);
  (* hierconn *) wire \dut.multiplied , \dut.reached ;
  (* hierconn *) wire signed [15:0] \dut.reach ;
  (* hierconn *) wire [15:0] \dut.all_shares ;

  // Levels on their way, and the sums.
  logic [1:0] there;
  logic [3:0] steps_1, steps_2;
  logic signed [11:0] stride_1, stride_2;
  logic signed [15:0] product_1, product_2;
  logic signed [SUM-1:0] lowest, highest;
  logic farther;
  logic [1:0] age = 2'd0;  // cycles since the start, up to 3
  logic loaded = 1'b0;
  assign product_1 = $signed({12'd0, steps_1}) * stride_1;
  assign product_2 = $signed({12'd0, steps_2}) * stride_2;
  always_ff @(posedge clock) begin
    if (age != 3) age <= age + 2'd1;
    there <= {there[0], multiply};
    steps_1 <= steps;
    stride_1 <= stride;
    steps_2 <= steps_1;
    stride_2 <= stride_1;
    if (load) begin
      loaded <= 1'b1;
      lowest <= low_start;
      highest <= high_start;
      farther <= 1'b0;
    end else if (there[1]) begin
      if (product_2 < 0) lowest <= lowest + product_2[SUM-1:0];
      if (product_2 > 0) highest <= highest + product_2[SUM-1:0];
      if (product_2 >= (1 <<< FAR) || product_2 < -(1 <<< FAR)) farther <= 1'b1;
    end
  end

  always_comb begin
    if (age >= 1) assert (\dut.multiplied == there[0] && (!there[0] || \dut.all_shares == product_1));
    if (age >= 2) assert (\dut.reached == there[1] && (!there[1] || \dut.reach == product_2));
    assume (age >= 2 || !loaded);  // an instruction comes later than that
    if (loaded) begin
      assert (low == lowest && high == highest && is_far == farther);
    end
  end
endmodule
