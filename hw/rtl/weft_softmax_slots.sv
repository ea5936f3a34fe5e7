// The sequencer of SOFTMAX: which vector is read or written in which slot.
// A start in T takes the instruction. Slots are the cycles T+1 to T+S, with `slot`, in groups of four (`phase`); `finish` is high in
// F = T + S + DRAIN, `busy` in T+1 to F. The rows are gone through three times at once, a vector in each group, in rows of x vectors that
// take L groups, x but at least SOFTMAX_LEAST. Row r, from 0,
//
//   from group L * r on                            is read in phase 1, and its largest element searched
//   from group L * (r + 1) on                      in phase 3, and its exponentials added up
//   from group L * (r + 1) + x + SOFTMAX_SCALE on  in phase 0, to be scaled and written in phase 2, LATER groups after that
//
// So the reads and the writes of ACT never meet, and both ports of the tables, each of which gives a quarter of a vector in a cycle, are
// busy all the time: one with what is added up, one with what is scaled. Between the two is the time that a reciprocal takes.
//
// In the cycle after a read, with the vector on the port of ACT, there is `search`, `add` or `scale`; `first` and `last` tell of its place in its row.
// `clear` (synchronous): idle. Idle, the outputs that ask for something are 0.
`include "weft_isa_slices.svh"
module weft_softmax_slots #(
    parameter integer ACT_LINE_BITS = 14,
    parameter integer LATER = 3
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
    output logic                     search,
    output logic                     add,
    output logic                     scale,
    output logic                     first,
    output logic                     last
);
  localparam [11:0] LEAST = weft_config_pkg::DURATION_SOFTMAX_LEAST[11:0];
  localparam [13:0] SCALE = weft_config_pkg::DURATION_SOFTMAX_SCALE[13:0];

  logic [LATER:0] writes;  // a vector was read, to be scaled, in this group, in the one before, ...
  logic [2:0] drained;  // groups after the last slot
  logic group_end;
  logic [11:0] length, period;
  logic read_search, read_add, read_scale, write;
  logic [ACT_LINE_BITS-1:0] search_line, add_line, scale_line, out_line;
  logic [2:0] firsts, lasts;
  logic scale_ended;
  // verilator lint_off UNUSEDSIGNAL
  logic [3:0] unused;  // what is scaled ends last, and with it what is written
  // verilator lint_on UNUSEDSIGNAL
  logic [35:0] counts;
  logic [53:0] strides;
  logic [17:0] base;

  assign counts = instruction[`WEFT_VECTOR_COUNT];
  assign strides = instruction[`WEFT_VECTOR_A_STRIDE];
  assign base = instruction[`WEFT_VECTOR_A];
  assign length = counts[35:24];
  assign period = length < LEAST ? LEAST : length;
  assign group_end = slot && phase == 2'd3;
  assign write = phase == 2'd2 && writes[LATER];
  assign finish = busy && !slot && phase == 2'd2 && drained == 3'(LATER - 1);

  weft_softmax_rows #(
      .ACT_LINE_BITS(ACT_LINE_BITS)
  ) rows_search (
      .clock(clock),
      .start(start),
      .base(base),
      .counts(counts),
      .strides(strides),
      .delay(14'd0),
      .period(period),
      .now(slot && phase == 2'd1),
      .next_group(group_end),
      .read(read_search),
      .line(search_line),
      .first(firsts[0]),
      .last(lasts[0]),
      .ended(unused[0])
  );
  weft_softmax_rows #(
      .ACT_LINE_BITS(ACT_LINE_BITS)
  ) rows_add (
      .clock(clock),
      .start(start),
      .base(base),
      .counts(counts),
      .strides(strides),
      .delay({2'd0, period}),
      .period(period),
      .now(group_end),
      .next_group(group_end),
      .read(read_add),
      .line(add_line),
      .first(firsts[1]),
      .last(lasts[1]),
      .ended(unused[1])
  );
  weft_softmax_rows #(
      .ACT_LINE_BITS(ACT_LINE_BITS)
  ) rows_scale (
      .clock(clock),
      .start(start),
      .base(base),
      .counts(counts),
      .strides(strides),
      .delay({2'd0, period} + {2'd0, length} + SCALE),
      .period(period),
      .now(slot && phase == 2'd0),
      .next_group(group_end),
      .read(read_scale),
      .line(scale_line),
      .first(firsts[2]),
      .last(lasts[2]),
      .ended(scale_ended)
  );
  weft_vector_walk #(
      .BITS(ACT_LINE_BITS)
  ) walk_out (
      .clock(clock),
      .start(start),
      .base(instruction[`WEFT_VECTOR_OUT]),
      .counts(counts),
      .strides(instruction[`WEFT_VECTOR_OUT_STRIDE]),
      .step(write),
      .line(out_line),
      .block_end(unused[2]),
      .last(unused[3])
  );

  assign act_valid = write || read_search || read_add || read_scale;
  assign act_write = write;
  assign act_line = phase[1] ? (phase[0] ? add_line : out_line) : phase[0] ? search_line : scale_line;

  always_ff @(posedge clock) begin : groups
    if (busy) begin
      phase <= phase + 2'd1;
      search <= read_search;
      add <= read_add;
      scale <= read_scale;
      first <= phase[1] ? firsts[1] : phase[0] ? firsts[0] : firsts[2];
      last <= phase[1] ? lasts[1] : phase[0] ? lasts[0] : lasts[2];
      if (read_scale) writes[0] <= 1'b1;
      if (phase == 2'd3) begin
        writes <= {writes[LATER-1:0], 1'b0};
        if (!slot) drained <= drained + 3'd1;
        if (scale_ended) slot <= 1'b0;
      end
      if (finish) begin
        busy <= 1'b0;
        writes <= {LATER + 1{1'b0}};
      end
    end
    if (start) begin
      busy <= 1'b1;
      slot <= 1'b1;
      phase <= 2'd0;
      drained <= 3'd0;
    end
    if (clear) begin
      busy <= 1'b0;
      slot <= 1'b0;
      search <= 1'b0;
      add <= 1'b0;
      scale <= 1'b0;
      writes <= {LATER + 1{1'b0}};
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
