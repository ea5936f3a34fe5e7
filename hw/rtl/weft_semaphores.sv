// The 12 semaphores: one counter from each working unit to each other one.
//
// Units in the order load, matrix, vector, store. In T `take[c]` takes a token from every producer in
// the wait mask of consumer c (wait_masks[4*c +: 4], a bit for each producer), `give[p]` gives one to
// every consumer in the signal mask of producer p (signal_masks[4*p +: 4]). Both may happen to one
// semaphore in one cycle. `available[4*c +: 4]` are the producers whose semaphore towards c is not
// empty at the beginning of the cycle; a take needs all of its mask there. `overflow[p]` is
// combinational in the cycle of the give: one of its semaphores would hold more than SEMAPHORE_MAX;
// that semaphore stays full. Bits on the diagonal of masks must be 0.
// Reset: all empty; weft_machine resets it with every start.
module weft_semaphores #(
    parameter [31:0] SEMAPHORE_MAX = 63
) (
    input  logic        clock,
    input  logic        reset,
    input  logic [ 3:0] take,
    input  logic [15:0] wait_masks,
    input  logic [ 3:0] give,
    input  logic [15:0] signal_masks,
    output logic [15:0] available,
    output logic [ 3:0] overflow
);
  localparam [31:0] ALMOST = SEMAPHORE_MAX - 1;
  localparam integer BITS = SEMAPHORE_MAX == 0 ? 1 : $clog2(SEMAPHORE_MAX + 1);  // 0: weft_config_check says that it is impossible

  // Semaphore [4*p + c] is from producer p to consumer c.
  logic [16*BITS-1:0] tokens;
  logic [16*BITS-1:0] next;
  logic [15:0] not_empty;
  logic [15:0] is_full;
  logic [15:0] given;
  logic [15:0] taken;
  logic active;

  assign active = take != 0 || give != 0;

  // `take` and `give` come last of all, and go through one gate each.
  for (genvar p = 0; p < 4; p = p + 1) begin : g_producer
    for (genvar c = 0; c < 4; c = c + 1) begin : g_consumer
      assign given[4*p+c] = p != c && give[p] && signal_masks[4*p+c];
      assign taken[4*p+c] = p != c && take[c] && wait_masks[4*c+p];
    end
    assign overflow[p] = give[p] && (signal_masks[4*p+:4] & is_full[4*p+:4] & ~taken[4*p+:4]) != 0;
  end

  always_comb begin
    next = tokens;
    if (active) begin
      for (integer i = 0; i < 16; i = i + 1) begin
        if (given[i] && !taken[i] && !is_full[i]) begin
          next[i*BITS+:BITS] = tokens[i*BITS+:BITS] + 1'b1;
        end else if (taken[i] && !given[i] && not_empty[i]) begin
          next[i*BITS+:BITS] = tokens[i*BITS+:BITS] - 1'b1;
        end
      end
    end
  end

  always_ff @(posedge clock) begin
    if (active) begin
      for (integer i = 0; i < 16; i = i + 1) begin
        // From what the semaphore holds: takes and gives come late in a cycle.
        if (given[i] && !taken[i]) begin
          not_empty[i] <= 1'b1;
          is_full[i] <= is_full[i] || tokens[i*BITS+:BITS] == ALMOST[BITS-1:0];
        end else if (taken[i] && !given[i]) begin
          not_empty[i] <= tokens[i*BITS+:BITS] > 1;
          is_full[i] <= 1'b0;
        end
      end
      tokens <= next;
    end
    if (reset) begin
      tokens <= {16 * BITS{1'b0}};
      not_empty <= 16'd0;
      is_full <= 16'd0;
    end
  end

  always_comb begin
    for (integer c = 0; c < 4; c = c + 1) begin
      for (integer p = 0; p < 4; p = p + 1) available[4*c+p] = not_empty[4*p+c];
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clock) begin : empty_take
    if (!reset) begin
      if ((taken & ~not_empty) !== 16'd0) $error("weft_semaphores: a token is taken from an empty semaphore");
    end
  end
`endif
endmodule
