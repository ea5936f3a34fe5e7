// weft_semaphores: the level of every semaphore is what was given minus what was taken since reset; it
// is never below zero and never above the maximum; `available` says that it is not zero; `overflow`
// is raised exactly when a give would pass the maximum. Induction over a ghost that counts gives and
// takes, modulo 256. The only assumption is the contract: a take finds its tokens.
//
// modules weft_semaphores
// parameter MAX 1 3 5
// mutation weft_semaphores: s/take\[c\] && wait_masks\[4\*c+p\]/take[c] \&\& wait_masks[4*p+c]/
// mutation weft_semaphores: s/given\[i\] && !taken\[i\] && !is_full/given[i] \&\& !is_full/
// mutation weft_semaphores: s/ & ~taken\[4\*p+:4\]//
// mutation weft_semaphores: s/== ALMOST\[BITS-1:0\]/== SEMAPHORE_MAX[BITS-1:0]/
// mutation weft_semaphores: s/tokens\[i\*BITS+:BITS\] > 1/tokens[i*BITS+:BITS] != 0/
// mutation weft_semaphores: s/available\[4\*c+p\] = not_empty\[4\*p+c\]/available[4*c+p] = not_empty[4*c+p]/
// mutation weft_semaphores: s/tokens <= next;/tokens <= next; if (take == 4'b0011) tokens <= tokens;/
module proof #(
    parameter [31:0] MAX = 3
) (
    input logic clock,
    input logic reset,
    input logic [3:0] take,
    input logic [15:0] wait_masks,
    input logic [3:0] give,
    input logic [15:0] signal_masks
);
  localparam integer BITS = $clog2(MAX + 1);
  logic [15:0] available;
  logic [3:0] overflow;
  weft_semaphores #(.SEMAPHORE_MAX(MAX)) dut (.*);

  // State of the module that the induction speaks about.
  (* hierconn *) wire [16*BITS-1:0] \dut.tokens ;
  (* hierconn *) wire [15:0] \dut.not_empty ;
  (* hierconn *) wire [15:0] \dut.is_full ;

  logic started = 1'b0;
  always_ff @(posedge clock) started <= 1'b1;
  always_comb assume (started || reset);

  logic [3:0] passes;  // of each producer: some semaphore would pass the maximum
  logic [15:0] pass;
  always_comb begin
    for (integer p = 0; p < 4; p = p + 1) passes[p] = pass[4*p+:4] != 0;
    if (started) assert (overflow == passes);
  end

  generate
    for (genvar p = 0; p < 4; p = p + 1) begin : g_producer
      for (genvar c = 0; c < 4; c = c + 1) begin : g_consumer
        if (p == c) begin : g_none
          assign pass[4*p+c] = 1'b0;
          always_comb if (started) assert (!available[4*c+p]);
          always_comb if (started) assert (!\dut.is_full [4*p+c]);
          always_comb if (started) assert (\dut.tokens [(4*p+c)*BITS+:BITS] == 0);
        end else begin : g_semaphore
          logic [7:0] gave;
          logic [7:0] took;
          logic [7:0] level;
          logic gives;
          logic takes;
          assign level = gave - took;
          assign gives = give[p] && signal_masks[4*p+c];
          assign takes = take[c] && wait_masks[4*c+p];
          assign pass[4*p+c] = {1'b0, level} + gives - takes > MAX;
          always_comb assume (!takes || available[4*c+p]);
          always_ff @(posedge clock) begin
            if (reset) begin
              gave <= 0;
              took <= 0;
            end else begin
              gave <= gave + (gives && !pass[4*p+c]);
              took <= took + takes;
            end
          end
          always_comb begin
            if (started) begin
              assert (level <= MAX);
              assert (available[4*c+p] == (level != 0));
              assert (\dut.tokens [(4*p+c)*BITS+:BITS] == level);
              assert (\dut.not_empty [4*p+c] == (level != 0));
              assert (\dut.is_full [4*p+c] == (level == MAX));
            end
          end
        end
      end
    end
  endgenerate
endmodule
