// What SOFTMAX finds out about rows, a quarter of a vector (B / 4 elements) in a cycle: the largest element, the exponentials of
// what is below it, their sum and, in weft_reciprocal, the scale.
//
// LUT holds exponentials: four neighbouring lanes hold the four bytes of one, so of B elements a quarter has a table in a cycle.
// weft_softmax_slots says what is on the port of ACT: with `take` in phase 1 a vector whose exponentials are needed, to be added up or
// (`scaled`) to be scaled; with `ahead` in phase 2 one of the next row; with `complete` that the sum of the row, if one is `added` up, is complete in the next cycle.
//
// Of a vector that is taken in T (phase 1), quarter q is in LUT's address in T+2+q, with lut_valid, and its exponentials are on LUT's
// port in T+3+q, which is phase q: with `words` if it is to be scaled. Else they are in `sum` from T+5+q on. With `complete` the scale of
// the row before may still be taken; in the cycle after it weft_reciprocal takes the sum.
// Of a vector that comes ahead in T (phase 2) quarter q is compared in T+1+q; `next_largest` is right in T+7, of all vectors since
// ahead_first. Then comes next_row, with it the largest elements go one row on.
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
    input  logic           take,
    input  logic           scaled,
    input  logic           first,
    input  logic           last,
    input  logic           ahead,
    input  logic           ahead_first,
    input  logic           ahead_last,
    input  logic           next_row,
    input  logic           complete,
    input  logic           added,
    input  logic [8*B-1:0] act_read_data,
    output logic           lut_valid,
    output logic [8*B-1:0] lut_index,
    input  logic [8*B-1:0] lut_read_data,
    output logic           words,
    output logic [   31:0] scale,
    output logic [    4:0] shift
);
  localparam integer Q = B / 4;  // elements of a quarter

  logic [B-1:0] tail;  // lanes of the last vector that hold channels

  // ---- the largest element of the next row ----
  logic [8*B-1:0] next_vector;  // without what holds no channel
  logic next_valid, next_first, next_last;
  logic [8*Q-1:0] largest_of;  // by lanes of a quarter
  logic [4*Q-1:0] largest_of_two;
  logic pairs_valid, all_valid;
  logic [7:0] next_largest, largest, largest_before;  // of the row that is added up, and of the one that is scaled

  function automatic [7:0] larger_of(input [7:0] a, input [7:0] b);
    larger_of = $signed(a) > $signed(b) ? a : b;
  endfunction

  always_ff @(posedge clock) begin : maxima
    logic [7:0] best;
    logic [1:0] quarter;
    logic [8*Q-1:0] bytes;
    if (busy) begin
      if (next_row) begin
        largest <= next_largest;
        largest_before <= largest;
      end
      if (all_valid) begin
        best = largest_of_two[7:0];
        for (integer i = 1; i < Q / 2; i = i + 1) best = larger_of(best, largest_of_two[8*i+:8]);
        next_largest <= best;
      end
      if (pairs_valid) begin
        for (integer i = 0; i < Q / 2; i = i + 1) begin
          largest_of_two[8*i+:8] <= larger_of(largest_of[16*i+:8], largest_of[16*i+8+:8]);
        end
      end
      all_valid <= pairs_valid;
      pairs_valid <= next_valid && next_last && phase == 2'd2;
      if (next_valid) begin
        quarter = phase + 2'd1;
        bytes = next_vector[8*Q*quarter+:8*Q];
        for (integer i = 0; i < Q; i = i + 1) begin
          largest_of[8*i+:8] <= next_first && quarter == 2'd0 ? bytes[8*i+:8] : larger_of(largest_of[8*i+:8], bytes[8*i+:8]);
        end
      end
      if (ahead) begin
        for (integer i = 0; i < B; i = i + 1) begin
          next_vector[8*i+:8] <= ahead_last && !tail[i] ? 8'h80 : act_read_data[8*i+:8];
        end
        next_first <= ahead_first;
        next_last <= ahead_last;
      end
      if (phase == 2'd2) next_valid <= ahead;
    end
    if (clear) begin
      next_valid <= 1'b0;
      pairs_valid <= 1'b0;
      all_valid <= 1'b0;
    end
  end

  // ---- exponentials and their sum: the vector, the index, the exponential, the sum of a quarter, the sum ----
  logic [8*B-1:0] vector;
  logic vector_valid, vector_scaled, vector_first, vector_last;
  logic [8*Q-1:0] index;
  logic index_valid, index_scaled, index_first, index_last;
  logic data_valid, data_scaled, data_first;
  logic [Q-1:0] counts;  // which of the exponentials on LUT's port are of a channel
  logic [23:0] quarter_sum;
  logic quarter_valid, quarter_begins;
  logic [27:0] sum;
  logic sum_complete;

  assign lut_valid = index_valid;
  for (genvar i = 0; i < B; i = i + 1) begin : g_index
    assign lut_index[8*i+:8] = index[8*(i/4)+:8];
  end
  assign words = data_valid && data_scaled;

  always_ff @(posedge clock) begin : exponentials
    logic [1:0] quarter;
    logic [7:0] from;
    logic [8*Q-1:0] bytes;
    // verilator lint_off UNUSEDSIGNAL
    logic [31:0] word;  // rounded: its lowest bits are not added up
    // verilator lint_on UNUSEDSIGNAL
    logic [23:0] total;
    if (busy) begin
      sum_complete <= complete && added;
      if (quarter_valid) sum <= (quarter_begins ? 28'd0 : sum) + {4'd0, quarter_sum};
      quarter_valid <= data_valid && !data_scaled;
      quarter_begins <= data_first && phase == 2'd0;
      if (data_valid && !data_scaled) begin
        total = 24'd0;
        for (integer i = 0; i < Q; i = i + 1) begin
          word = lut_read_data[32*i+:32] & {32{counts[i]}};
          total = total + {4'd0, word[31:12]} + {23'd0, word[11]};
        end
        quarter_sum <= total;
      end
      data_valid <= index_valid;
      data_scaled <= index_scaled;
      data_first <= index_first;
      quarter = phase + 2'd1;
      counts <= index_last ? tail[Q*quarter+:Q] : {Q{1'b1}};
      index_valid <= vector_valid;
      index_scaled <= vector_scaled;
      index_first <= vector_first;
      index_last <= vector_last;
      if (vector_valid) begin
        quarter = {!phase[1], phase[0]};
        bytes = vector[8*Q*quarter+:8*Q];
        from = vector_scaled ? largest_before : largest;
        for (integer i = 0; i < Q; i = i + 1) index[8*i+:8] <= from - bytes[8*i+:8];
      end
      if (phase == 2'd1) vector_valid <= take;
      if (take) begin
        vector <= act_read_data;
        vector_scaled <= scaled;
        vector_first <= first;
        vector_last <= last;
      end
    end
    if (start) begin
      for (integer i = 0; i < B; i = i + 1) tail[i] <= i[5:0] < lanes;
    end
    if (clear) begin
      vector_valid <= 1'b0;
      index_valid <= 1'b0;
      data_valid <= 1'b0;
      quarter_valid <= 1'b0;
      sum_complete <= 1'b0;
    end
  end

  weft_reciprocal reciprocal (
      .clock(clock),
      .clear(clear),
      .start(sum_complete),
      .sum(sum),
      .scale(scale),
      .shift(shift)
  );
endmodule
