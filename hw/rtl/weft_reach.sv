// How far the loop levels of one address reach: adds (count - 1) * stride over levels, those below zero to the lowest reach, the
// others to the highest.
//
// Interface: in a cycle with `multiply`, `steps` (the count less one) and `stride` are a level. `load` sets both sums. `is_far` is
// sticky from the load on: the product of a level was no number of FAR + 1 bits; a sum narrower than products is wrong then.
// Timing: a level multiplied in T is in the sums from T+3 on; levels may come in every cycle. What load sets in T counts from T+1
// on; it must come in or before the cycle after that of the first level.
// Reset: none; load sets everything. Levels on their way when a check is given up are through two cycles later.
//
// A product is made of PARTS narrow ones, each with so many bits of the stride, in T, which T+1 adds. Without a level the registers of
// both are don't care: so a simulator does not multiply, and hardware has no enable, which would be two gates more.
module weft_reach #(
    parameter STEPS = 16,  // bits
    parameter STRIDE = 32,
    parameter PARTS = 4,
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
    output logic is_far
);
  localparam PART = STRIDE / PARTS;  // bits
  localparam PRODUCT = STEPS + STRIDE;
  localparam WIDE = STEPS + PART;  // of the product of a part

  logic multiplied, reached;  // the registers behind hold a level
  for (genvar i = 0; i < PARTS; i++) begin : g_part
    logic [PRODUCT-1:0] share;  // of the part, at its place
    if (i == PARTS - 1) begin : g_signed
      logic signed [WIDE-1:0] product;
      always_ff @(posedge clock) begin
        if (multiply) product <= WIDE'($signed({1'b0, steps})) * WIDE'($signed(stride[i*PART+:PART]));
        else product <= {WIDE{1'bx}};
      end
      assign share = PRODUCT'(product) << (i * PART);
    end else begin : g_unsigned
      logic [WIDE-1:0] product;
      always_ff @(posedge clock) begin
        if (multiply) product <= WIDE'(steps) * WIDE'(stride[i*PART+:PART]);
        else product <= {WIDE{1'bx}};
      end
      assign share = PRODUCT'(product) << (i * PART);
    end
  end

  logic [PRODUCT-1:0] all_shares;
  if (PARTS == 2) begin : g_two
    assign all_shares = g_part[0].share + g_part[1].share;
  end else if (PARTS == 3) begin : g_three
    assign all_shares = g_part[0].share + g_part[1].share + g_part[2].share;
  end else begin : g_four
    // The lowest and the highest one have no bit in common, as a part is no narrower than half the steps.
    assign all_shares = (g_part[0].share | g_part[3].share) + g_part[1].share + g_part[2].share;
  end
  logic signed [PRODUCT-1:0] reach;
  logic signed [SUM-1:0] next;  // temporary: either sum takes part in the one addition
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clock) begin
    if (reached && !load) begin
      next = (reach[PRODUCT-1] ? low : high) + SUM'(reach);
      if (reach[PRODUCT-1]) low <= next;
      else high <= next;
      if (reach[PRODUCT-1:FAR] != {PRODUCT - FAR{reach[PRODUCT-1]}}) is_far <= 1'b1;
    end
    if (load) begin
      low  <= low_start;
      high <= high_start;
      is_far  <= 1'b0;
    end
    if (multiplied) reach <= all_shares;
    else reach <= {PRODUCT{1'bx}};
    reached <= multiplied;
    multiplied <= multiply;
  end
  /* verilator lint_on BLKSEQ */
endmodule
