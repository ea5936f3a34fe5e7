// What SOFTMAX finds out about rows, a quarter of a vector (B / 4 elements) in a cycle: the largest element, the exponentials of
// what is below it, their sum and, in weft_reciprocal, the scale.
//
// LUT holds exponentials: four neighbouring lanes hold the four bytes of one, so of B elements a quarter has a table in a cycle, on each of
// its two ports. weft_softmax_slots says what is on the port of ACT: with `search` in phase 2 a vector whose row's largest element is
// searched, with `add` in phase 0 one whose exponentials are added up, with `scale` in phase 1 one whose are to be scaled.
//
// search in T: quarter q is compared in T+1+q, and `largest` is right in T+7, of all vectors since `first`, until the next row's is: which
// is just when the last quarter of a row that is added up has been subtracted from it.
// add in T: quarter q is in sum_index in T+2+q, with sum_valid; its exponentials are on sum_read_data in T+3+q, and in `sum` from T+5+q on.
// weft_reciprocal takes the sum of a row in T+8 of its last vector. One reciprocal takes longer than a row may: there are three, in turn.
// scale in T: quarter q is in word_index in T+2+q, with word_valid, and its exponentials are on LUT's port in T+3+q, with `words`: which is
// phase q. In phase 0 of the first vector of a row there is take_scale, with `scale`, in phase 3 take_shift, with `shift`.
// Lanes that hold no channel of the last vector count as the smallest byte, and their exponentials as 0.
// `clear` (synchronous): nothing is under way.
module weft_softmax_lanes #(
    parameter integer B = 16
) (
    input  logic           clock,
    input  logic           clear,
    input  logic           start,
    input  logic [    5:0] lanes,          // of the last vector of a row
    input  logic           busy,
    input  logic [    1:0] phase,
    input  logic           search,
    input  logic           add,
    input  logic           scale,
    input  logic           first,
    input  logic           last,
    input  logic [8*B-1:0] act_read_data,
    output logic           sum_valid,
    output logic [8*B-1:0] sum_index,
    input  logic [8*B-1:0] sum_read_data,
    output logic           word_valid,
    output logic [8*B-1:0] word_index,
    output logic           words,
    output logic           take_scale,
    output logic           take_shift,
    output logic [   31:0] multiplier,
    output logic [    4:0] shift
);
  localparam integer Q = B / 4;  // elements of a quarter
  localparam integer RECIPROCALS = 3;

  logic [B-1:0] tail;  // lanes of the last vector that hold channels
  logic [1:0] quarter_before;  // two cycles ago it was the one of this phase
  assign quarter_before = {!phase[1], phase[0]};

  // ---- the largest element ----
  logic [8*B-1:0] next_vector;  // without what holds no channel; its next quarter is the lowest
  logic next_valid, next_first, next_last;  // next_first: that quarter is the first one of a row
  logic [8*Q-1:0] largest_of;  // by lanes of a quarter
  logic [4*Q-1:0] largest_of_two;
  logic pairs_valid, all_valid;
  logic [7:0] largest;

  function automatic [7:0] larger_of(input [7:0] a, input [7:0] b);
    larger_of = $signed(a) > $signed(b) ? a : b;
  endfunction

  always_ff @(posedge clock) begin : maxima
    logic [7:0] best;
    logic [8*Q-1:0] bytes;
    if (busy) begin
      if (all_valid) begin
        best = largest_of_two[7:0];
        for (integer i = 1; i < Q / 2; i = i + 1) best = larger_of(best, largest_of_two[8*i+:8]);
        largest <= best;
      end
      if (pairs_valid) begin
        for (integer i = 0; i < Q / 2; i = i + 1) begin
          largest_of_two[8*i+:8] <= larger_of(largest_of[16*i+:8], largest_of[16*i+8+:8]);
        end
      end
      all_valid <= pairs_valid;
      pairs_valid <= next_valid && next_last && phase == 2'd2;
      if (next_valid) begin
        bytes = next_vector[8*Q-1:0];
        for (integer i = 0; i < Q; i = i + 1) begin
          largest_of[8*i+:8] <= next_first ? bytes[8*i+:8] : larger_of(largest_of[8*i+:8], bytes[8*i+:8]);
        end
      end
      // A choice between quarters in front of the comparison would be the longest path of this module.
      next_vector <= next_vector >> 8 * Q;
      next_first <= 1'b0;
      if (search) begin
        for (integer i = 0; i < B; i = i + 1) begin
          next_vector[8*i+:8] <= last && !tail[i] ? 8'h80 : act_read_data[8*i+:8];
        end
        next_first <= first;
        next_last <= last;
      end
      if (phase == 2'd2) next_valid <= search;
    end
    if (clear) begin
      next_valid <= 1'b0;
      pairs_valid <= 1'b0;
      all_valid <= 1'b0;
    end
  end

  // ---- the sum: the vector, the index, the exponential, the sum of a quarter, the sum ----
  logic [8*B-1:0] added;
  logic added_valid, added_first, added_last;
  logic [8*Q-1:0] added_index;
  logic index_first, index_last;
  logic data_valid, data_first, data_last;
  logic [Q-1:0] counts;  // which of the exponentials on LUT's port are of a channel
  logic [23:0] quarter_sum;
  logic quarter_valid, quarter_first, quarter_last;
  logic [27:0] sum;
  logic sum_complete;
  logic [7:0] largest_of_sum;

  for (genvar i = 0; i < B; i = i + 1) begin : g_sum_index
    assign sum_index[8*i+:8] = added_index[8*(i/4)+:8];
  end

  always_ff @(posedge clock) begin : sums
    logic [1:0] quarter;
    logic [8*Q-1:0] bytes;
    // verilator lint_off UNUSEDSIGNAL
    logic [31:0] word;  // rounded: its lowest bits are not added up
    // verilator lint_on UNUSEDSIGNAL
    logic [23:0] total;
    if (busy) begin
      sum_complete <= quarter_valid && quarter_last && phase == 2'd3;
      if (quarter_valid) sum <= (quarter_first ? 28'd0 : sum) + {4'd0, quarter_sum};
      quarter_valid <= data_valid;
      quarter_first <= data_first && phase == 2'd3;
      quarter_last <= data_last;
      if (data_valid) begin
        total = 24'd0;
        for (integer i = 0; i < Q; i = i + 1) begin
          word = sum_read_data[32*i+:32] & {32{counts[i]}};
          total = total + {4'd0, word[31:12]} + {23'd0, word[11]};
        end
        quarter_sum <= total;
      end
      data_valid <= sum_valid;
      data_first <= index_first;
      data_last <= index_last;
      counts <= index_last ? tail[Q*quarter_before+:Q] : {Q{1'b1}};
      sum_valid <= added_valid;
      index_first <= added_first;
      index_last <= added_last;
      if (added_valid) begin
        quarter = phase - 2'd1;
        bytes = added[8*Q*quarter+:8*Q];
        for (integer i = 0; i < Q; i = i + 1) added_index[8*i+:8] <= largest - bytes[8*i+:8];
        if (added_last) largest_of_sum <= largest;
      end
      if (phase == 2'd0) added_valid <= add;
      if (add) begin
        added <= act_read_data;
        added_first <= first;
        added_last <= last;
      end
    end
    if (start) begin
      for (integer i = 0; i < B; i = i + 1) tail[i] <= i[5:0] < lanes;
    end
    if (clear) begin
      added_valid <= 1'b0;
      sum_valid <= 1'b0;
      data_valid <= 1'b0;
      quarter_valid <= 1'b0;
      sum_complete <= 1'b0;
    end
  end

  // ---- the scale ----
  // The reciprocal that takes the next sum, and the one of the row that is scaled next: one bit each.
  logic [RECIPROCALS-1:0] begun, taken;
  logic [32*RECIPROCALS-1:0] multipliers;
  logic [5*RECIPROCALS-1:0] shifts;
  logic [8*RECIPROCALS-1:0] largests;
  logic [7:0] largest_before;

  for (genvar k = 0; k < RECIPROCALS; k = k + 1) begin : g_reciprocal
    weft_reciprocal reciprocal (
        .clock(clock),
        .clear(clear),
        .start(sum_complete && begun[k]),
        .sum(sum),
        .scale(multipliers[32*k+:32]),
        .shift(shifts[5*k+:5])
    );
  end

  always_comb begin : choice
    multiplier = 32'd0;
    shift = 5'd0;
    largest_before = 8'd0;
    for (integer k = 0; k < RECIPROCALS; k = k + 1) begin
      multiplier = multiplier | (multipliers[32*k+:32] & {32{taken[k]}});
      shift = shift | (shifts[5*k+:5] & {5{taken[k]}});
      largest_before = largest_before | (largests[8*k+:8] & {8{taken[k]}});
    end
  end

  always_ff @(posedge clock) begin : turns
    for (integer k = 0; k < RECIPROCALS; k = k + 1) begin
      if (sum_complete && begun[k]) largests[8*k+:8] <= largest_of_sum;
    end
    if (sum_complete) begun <= {begun[RECIPROCALS-2:0], begun[RECIPROCALS-1]};
    if (take_shift) taken <= {taken[RECIPROCALS-2:0], taken[RECIPROCALS-1]};
    if (start || clear) begin
      begun <= RECIPROCALS'(1);
      taken <= RECIPROCALS'(1);
    end
  end

  // ---- what is scaled: the vector, the index, the exponential ----
  logic [8*B-1:0] scaled;
  logic scaled_valid, scaled_first;
  logic [8*Q-1:0] scaled_index;
  logic word_first, words_first;
  logic [7:0] largest_of_scaled;

  for (genvar i = 0; i < B; i = i + 1) begin : g_word_index
    assign word_index[8*i+:8] = scaled_index[8*(i/4)+:8];
  end
  assign take_scale = words && words_first && phase == 2'd0;
  assign take_shift = words && words_first && phase == 2'd3;

  always_ff @(posedge clock) begin : exponentials
    logic [8*Q-1:0] bytes;
    if (busy) begin
      words <= word_valid;
      words_first <= word_first;
      word_valid <= scaled_valid;
      word_first <= scaled_first;
      if (scaled_valid) begin
        bytes = scaled[8*Q*quarter_before+:8*Q];
        for (integer i = 0; i < Q; i = i + 1) scaled_index[8*i+:8] <= largest_of_scaled - bytes[8*i+:8];
      end
      if (phase == 2'd1) scaled_valid <= scale;
      if (scale) begin
        scaled <= act_read_data;
        scaled_first <= first;
        if (first) largest_of_scaled <= largest_before;
      end
    end
    if (clear) begin
      scaled_valid <= 1'b0;
      word_valid <= 1'b0;
      words <= 1'b0;
    end
  end
endmodule
