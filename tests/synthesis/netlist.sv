// What hw/tools/ecp5_netlist.py changes: products in registers, with and without an enable, and sums with constant bits.
module netlist (
    input  logic               clock,
    input  logic               enable,
    input  logic signed [16:0] a,
    input  logic signed [10:0] b,
    input  logic        [10:0] c,
    input  logic        [11:0] d,
    output logic signed [27:0] product_always,  // in the multiplier's register
    output logic        [21:0] enabled,  // too
    output logic signed [27:0] twice,  // not: it goes into two registers
    output logic signed [27:0] twice_more,
    output logic        [13:0] sum,
    output logic        [12:0] difference,
    output logic        [11:0] negative,
    output logic               less
);
  logic signed [27:0] product;
  assign product = a * $signed({b[9:0], 1'b1});
  always_ff @(posedge clock) begin
    product_always <= a * b;
    if (enable) enabled <= c * d[10:0];
    twice <= product;
    if (enable) twice_more <= product;
  end
  assign sum = {2'b00, d} + {3'b010, c};
  assign difference = {1'b0, d} - 13'd1365;
  assign negative = -d;
  assign less = {1'b0, c} < d;
endmodule
