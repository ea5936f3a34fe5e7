// How far the loop levels of one address reach: adds (count - 1) * stride over levels, those below zero to the lowest reach, the
// others to the highest.
//
// Interface: in a cycle with `multiply`, `steps` (the count less one) and `stride` are a level. `load` sets both sums. `far` is
// sticky from the load on: the product of a level was no number of FAR + 1 bits; a sum narrower than products is wrong then.
// Timing: a level multiplied in T is in the sums from T+3 on; levels may come in every cycle. What load sets in T counts from T+1
// on; it must come in or before the cycle after that of the first level.
// Reset: none; load sets everything. Levels on their way when a check is given up are through two cycles later.
//
// A product is made of two narrower ones, of the lower SPLIT bits of the stride and of those above, in T, which T+1 adds.
module weft_reach #(
    parameter STEPS = 16,  // bits, at least 2
    parameter STRIDE = 32,
    parameter SPLIT = 16,
    parameter SUM = 51,
    parameter FAR = 24
) (
    input  logic clock,
    input  logic multiply,
    input  logic [STEPS-1:0] steps,
    input  logic signed [STRIDE-1:0] stride,
    input  logic load,
    input  logic signed [SUM-1:0] low_start,
    input  logic signed [SUM-1:0] high_start,
    output logic signed [SUM-1:0] low,
    output logic signed [SUM-1:0] high,
    output logic far
);
  localparam PRODUCT = STEPS + STRIDE;
  localparam UPPER = PRODUCT - SPLIT;  // bits of the product of the upper part

  logic multiplied, reached;  // the registers behind hold a level
  logic [STEPS+SPLIT-1:0] lower;
  logic signed [UPPER-1:0] upper;
  logic signed [PRODUCT-1:0] reach;

  // Either sum takes part in the one addition.
  logic signed [SUM-1:0] next;
  assign next = (reach[PRODUCT-1] ? low : high) + SUM'(reach);

  always_ff @(posedge clock) begin
    multiplied <= multiply;
    reached <= multiplied;
    if (multiply) begin
      lower <= {{SPLIT{1'b0}}, steps} * {{STEPS{1'b0}}, stride[SPLIT-1:0]};
      upper <= UPPER'($signed({1'b0, steps})) * UPPER'($signed(stride[STRIDE-1:SPLIT]));
    end
    if (multiplied) reach <= {upper + UPPER'($signed({1'b0, lower[STEPS+SPLIT-1:SPLIT]})), lower[SPLIT-1:0]};
    if (load) begin
      low  <= low_start;
      high <= high_start;
      far  <= 1'b0;
    end else if (reached) begin
      if (reach[PRODUCT-1]) low <= next;
      else high <= next;
      if (reach[PRODUCT-1:FAR] != {PRODUCT - FAR{reach[PRODUCT-1]}}) far <= 1'b1;
    end
  end
endmodule
