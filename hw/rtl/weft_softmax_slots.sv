// The sequencer of SOFTMAX: which vector is read or written in which slot.
//
// A start in T takes the instruction. Slots are the cycles T+1 to T+S, with `slot`, in groups of four (`phase`); `finish` is high in
// F = T + S + DRAIN, `busy` in T+1 to F. A step has a group for each vector of a row, twice, and at least SOFTMAX_LEAST groups. In
// step k, from 0, and for each vector,
//
//   first   phase 0  is a vector of row k - 1 read, to be added up
//           phase 1  a vector of row k, whose largest element is searched
//   last    phase 0  a vector of row k - 2, to be scaled and written in phase 2 of the third group after that
//
// and between the two groups pass without work where a row has few vectors: rows + 2 steps in all. So the reads and the writes of
// ACT never meet, and the tables are busy all the time in rows of many vectors: they give a quarter of a vector in a cycle.
//
// In the cycle after a read, with the vector on the port of ACT, there is `take` (`scaled`: it is to be scaled, else added up; `first` and
// `last` of its row), or `ahead` with `ahead_first` and `ahead_last`.
// `next_row` is high in phase 1 of the first group of a step: in it and before it, what works on a vector belongs to the step before.
// `complete` is high in phase 0 of the second group after the last one in which a row is added up, or could be: `added` says if one was.
// `clear` (synchronous): idle. Idle, the outputs that ask for something are 0.
module weft_softmax_slots #(
    parameter integer ACT_LINE_BITS = 14
) (
    input  logic                     clock,
    input  logic                     clear,
    input  logic                     start,
    // verilator lint_off UNUSEDSIGNAL
    input  logic [            511:0] instruction,  // the other fields belong to dispatch and the lanes
    // verilator lint_on UNUSEDSIGNAL
    output logic                     finish,
    output logic                     slot,
    output logic                     busy,
    output logic [              1:0] phase,
    output logic                     act_valid,
    output logic                     act_write,
    output logic [ACT_LINE_BITS-1:0] act_line,
    output logic                     take,
    output logic                     scaled,
    output logic                     first,
    output logic                     last,
    output logic                     ahead,
    output logic                     ahead_first,
    output logic                     ahead_last,
    output logic                     next_row,
    output logic                     complete,
    output logic                     added
);
  localparam [11:0] LEAST = weft_config_pkg::DURATION_SOFTMAX_LEAST[11:0];

  logic [11:0] group, vectors, first_groups;  // groups begun in this part, from 1; of the last part; of the first, with those without work
  logic begins;  // the first part of a step
  logic reading;  // a vector of the row is left in this part
  logic row_end;  // and it is the last one
  logic searching, adding, scaling;  // what there is a row for in this step
  logic all_found;  // no row is left to be searched
  logic [1:0] ended;  // the group before, and the one before that, was the last one of the row
  logic [3:0] writes;  // a vector was read, to be scaled, in this group, in the one before, ...
  logic [1:0] drained;  // groups after the last slot

  logic read_next, read_row, read_again, write;
  assign read_next = slot && phase == 2'd1 && begins && reading && searching;
  assign read_row = slot && phase == 2'd0 && begins && reading && adding;
  assign read_again = slot && phase == 2'd0 && !begins && scaling;
  assign write = phase == 2'd2 && writes[3];
  assign finish = busy && !slot && phase == 2'd2 && drained == 2'd2;
  assign next_row = slot && phase == 2'd1 && begins && group == 12'd1;
  assign complete = slot && phase == 2'd0 && ended[1];
  assign added = adding;
  assign row_end = group == vectors;

  logic [ACT_LINE_BITS-1:0] next_line, row_line, again_line, out_line;
  logic rows_end;
  // verilator lint_off UNUSEDSIGNAL
  logic [6:0] unused;  // counted here
  // verilator lint_on UNUSEDSIGNAL
  logic [35:0] counts;
  logic [53:0] strides;
  logic [17:0] base;
  assign counts = instruction[weft_isa_pkg::VECTOR_COUNT_LSB+:36];
  assign strides = instruction[weft_isa_pkg::VECTOR_A_STRIDE_LSB+:54];
  assign base = instruction[weft_isa_pkg::VECTOR_A_LSB+:18];
  weft_vector_walk #(
      .BITS(ACT_LINE_BITS)
  ) walk_next (
      .clock(clock),
      .start(start),
      .base(base),
      .counts(counts),
      .strides(strides),
      .step(read_next),
      .line(next_line),
      .block_end(unused[0]),
      .last(rows_end)
  );
  weft_vector_walk #(
      .BITS(ACT_LINE_BITS)
  ) walk_row (
      .clock(clock),
      .start(start),
      .base(base),
      .counts(counts),
      .strides(strides),
      .step(read_row),
      .line(row_line),
      .block_end(unused[1]),
      .last(unused[2])
  );
  weft_vector_walk #(
      .BITS(ACT_LINE_BITS)
  ) walk_again (
      .clock(clock),
      .start(start),
      .base(base),
      .counts(counts),
      .strides(strides),
      .step(read_again),
      .line(again_line),
      .block_end(unused[3]),
      .last(unused[4])
  );
  weft_vector_walk #(
      .BITS(ACT_LINE_BITS)
  ) walk_out (
      .clock(clock),
      .start(start),
      .base(instruction[weft_isa_pkg::VECTOR_OUT_LSB+:18]),
      .counts(counts),
      .strides(instruction[weft_isa_pkg::VECTOR_OUT_STRIDE_LSB+:54]),
      .step(write),
      .line(out_line),
      .block_end(unused[5]),
      .last(unused[6])
  );

  assign act_valid = write || read_next || read_row || read_again;
  assign act_write = write;
  assign act_line = phase[1] ? out_line : phase[0] ? next_line : begins ? row_line : again_line;

  always_ff @(posedge clock) begin : steps
    logic [11:0] length;
    if (busy) begin
      phase <= phase + 2'd1;
      take <= read_row || read_again;
      scaled <= !begins;
      first <= group == 12'd1;
      last <= row_end;
      ahead <= read_next;
      ahead_first <= group == 12'd1;
      ahead_last <= row_end;
      if (read_next && rows_end) all_found <= 1'b1;
      if (read_again) writes[0] <= 1'b1;
      if (phase == 2'd3) begin
        writes <= {writes[2:0], 1'b0};
        ended <= {ended[0], begins && reading && row_end};
        if (!slot) drained <= drained + 2'd1;
        group <= group + 12'd1;
        if (row_end) reading <= 1'b0;
        if (begins && group == first_groups) begin
          begins <= 1'b0;
          group <= 12'd1;
          reading <= 1'b1;
        end
        if (!begins && row_end) begin
          begins <= 1'b1;
          group <= 12'd1;
          reading <= 1'b1;
          searching <= searching && !all_found;
          adding <= searching;
          scaling <= adding;
          if (scaling && !adding) slot <= 1'b0;
        end
      end
      if (finish) begin
        busy <= 1'b0;
        writes <= 4'd0;
      end
    end
    if (start) begin
      length = instruction[weft_isa_pkg::VECTOR_COUNT_LSB+24+:12];
      busy <= 1'b1;
      slot <= 1'b1;
      phase <= 2'd0;
      group <= 12'd1;
      vectors <= length;
      first_groups <= length + length < LEAST && !length[11] ? LEAST - length : length;
      begins <= 1'b1;
      reading <= 1'b1;
      searching <= 1'b1;
      adding <= 1'b0;
      scaling <= 1'b0;
      all_found <= 1'b0;
      ended <= 2'd0;
      drained <= 2'd0;
    end
    if (clear) begin
      busy <= 1'b0;
      slot <= 1'b0;
      take <= 1'b0;
      ahead <= 1'b0;
      writes <= 4'd0;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clock) begin : promises
    if (!clear && busy) begin
      if (start !== 1'b0) $error("weft_softmax_slots: a start before the finish");
      if ((finish && slot) !== 1'b0) $error("weft_softmax_slots: finish in a slot");
    end
  end
`endif
endmodule
