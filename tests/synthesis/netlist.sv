// What hw/tools/ecp5_netlist.py changes: products in registers, with and without an enable, sums with constant bits and carries, a memory of 8 words, and
// block RAMs with a register behind them.
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
    output logic               less,
    output logic        [ 9:0] kept,
    output logic        [ 8:0] late,  // in the block RAM's register
    output logic        [15:0] wide,  // too
    output logic        [ 8:0] seldom,  // not: with an enable
    output logic        [ 8:0] early,  // not: it goes elsewhere, too
    output logic        [ 8:0] early_late,
    output logic        [ 9:0] fifth  // the address that is read is constant, that of writes is not
);
  logic signed [27:0] product;
  logic [9:0] memory[8];
  logic [8:0] late_memory[600], seldom_memory[600], early_memory[600], late_read, seldom_read;
  logic [15:0] wide_memory[600], wide_read;
  assign product = a * $signed({b[9:0], 1'b1});
  always_ff @(posedge clock) begin
    product_always <= a * b;
    if (enable) enabled <= c * d[10:0];
    twice <= product;
    if (enable) twice_more <= product;
    if (enable) memory[a[2:0]] <= b[9:0];
  end
  // Another word is read than is written.
  always_ff @(posedge clock) begin
    if (enable) late_memory[a[5:0]] <= a[8:0];
    if (d[1]) late_read <= late_memory[{a[5:2], ~a[1:0]}];
    late <= late_read;
    if (enable) wide_memory[a[5:0]] <= a[15:0];
    if (d[1]) wide_read <= wide_memory[{a[5:2], ~a[1:0]}];
    wide <= wide_read;
    if (enable) seldom_memory[a[5:0]] <= a[8:0];
    if (d[1]) seldom_read <= seldom_memory[{a[5:2], ~a[1:0]}];
    if (enable) seldom <= seldom_read;
    if (enable) early_memory[a[5:0]] <= a[8:0];
    if (d[1]) early <= early_memory[{a[5:2], ~a[1:0]}];
    early_late <= early;
  end
  assign sum = {2'b00, d} + {3'b010, c};
  assign difference = {1'b0, d} - 13'd1365;
  assign negative = -d;
  assign kept = memory[c[2:0]];
  assign fifth = memory[5];
  assign less = {1'b0, c} < d;
endmodule
