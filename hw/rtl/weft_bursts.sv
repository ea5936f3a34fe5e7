// The bursts of load or store that are outstanding, in order, and which bytes of each beat they mean.
//
// Interface: `push` with a burst that was granted; `beat` when a beat of the oldest one passes (read data on the port, or a
// write beat asked for). For that beat: the local address of its byte 0 (which may lie before the burst's first byte), the
// first and the last of its bytes that are meant, whether it is the burst's last one, and the mark that came with the push. `room` says
// whether one more burst of `beats` beats may be outstanding.
// Timing: all that is said of a beat comes from registers; a burst counts from the cycle after its push to that of its last beat.
// Reset: synchronous; nothing outstanding.
module weft_bursts #(
    parameter BURSTS = 64,
    parameter BEATS = 160,
    parameter BURST_BEATS = 32,  // of the longest burst
    parameter WIDTH = 8,  // bytes of a beat
    parameter LOCAL_BITS = 24,
    parameter MARK = 3  // bits kept with each burst
) (
    input  logic clock,
    input  logic reset,
    input  logic push,
    input  logic [$clog2(WIDTH)-1:0] push_offset,  // of the first byte in its beat
    input  logic [LOCAL_BITS-1:0] push_local,
    input  logic [$clog2(WIDTH)-1:0] push_bytes,  // low bits
    input  logic [$clog2(BURST_BEATS):0] beats,
    input  logic [MARK-1:0] push_mark,
    output logic room,
    input  logic beat,
    output logic [LOCAL_BITS-1:0] beat_local,
    output logic [$clog2(WIDTH)-1:0] beat_from,
    output logic [$clog2(WIDTH)-1:0] beat_to,
    output logic beat_last,
    output logic [MARK-1:0] beat_mark
);
  localparam OFFSET_BITS = $clog2(WIDTH);
  localparam BEAT_BITS = $clog2(BURST_BEATS);
  localparam SPACE_BITS = $clog2(BEATS + 1);
  localparam ENTRY = MARK + 1 + BEAT_BITS + 2 * OFFSET_BITS + LOCAL_BITS;
  localparam [OFFSET_BITS-1:0] TOP = {OFFSET_BITS{1'b1}};

  // ---- the limits ----
  logic full;
  logic [SPACE_BITS-1:0] space;  // beats that may be added to those outstanding
  assign room = !full && SPACE_BITS'(beats) <= space;

  // ---- the oldest burst, and those behind it ----
  // An entry: mark, only one beat, beats less 1, offsets of the first and of the last byte in their beats, local address of byte 0 of
  // the first beat.
  localparam DEPTH = BURSTS > 2 ? BURSTS - 1 : 2;
  localparam QUEUED_BITS = $clog2(DEPTH + 1);
  logic [ENTRY-1:0] push_entry;
  logic [ENTRY-1:0] second;
  logic [QUEUED_BITS-1:0] queued;
  logic queue_full;
  logic valid;  // there is an oldest one
  logic some;  // there is a second one
  logic retire;
  logic open;  // for an oldest one
  logic [BEAT_BITS-1:0] beats_less;
  assign beats_less = beats[BEAT_BITS-1:0] - 1'b1;
  assign push_entry = {
    push_mark, beats == 1, beats_less, push_offset, push_offset + push_bytes - 1'b1,
    push_local - LOCAL_BITS'(push_offset)
  };
  assign retire = beat && beat_last;
  assign open = !valid || retire;
  assign some = queued != 0;
  assign full = BURSTS > 2 ? queue_full : some;
  weft_queue #(
      .WIDTH(ENTRY),
      .DEPTH(DEPTH)
  ) queue (
      .clock(clock),
      .reset(reset),
      .push(push && !(open && !some)),
      .push_data(push_entry),
      .pop(open && some),
      .head(second),
      .count(queued),
      .full(queue_full)
  );

  logic [BEAT_BITS-1:0] left;  // beats of the oldest burst after this one
  logic [BEAT_BITS-1:0] all_left;  // after its first one
  logic [OFFSET_BITS-1:0] end_to;  // of its last beat
  logic before_last;  // the next beat is its last one
  assign before_last = left == 1;
  // A register is read above the line that writes it, which spares a simulator a copy.
  always_ff @(posedge clock) begin : oldest
    logic [ENTRY-1:0] next;
    logic next_single;
    logic [BEAT_BITS-1:0] next_left;
    logic [OFFSET_BITS-1:0] next_to;
    logic opens;
    opens = open && (push || some);
    if (beat && !opens) begin
      beat_to <= before_last ? end_to : TOP;
      beat_last <= before_last;
      left <= left - 1'b1;
      beat_local <= beat_local + WIDTH[LOCAL_BITS-1:0];
      beat_from <= 0;
    end
    if (opens) begin
      next = some ? second : push_entry;
      next_single = next[LOCAL_BITS+2*OFFSET_BITS+BEAT_BITS];
      next_left = next[LOCAL_BITS+2*OFFSET_BITS+:BEAT_BITS];
      next_to = next[LOCAL_BITS+:OFFSET_BITS];
      beat_mark <= next[ENTRY-1-:MARK];
      beat_local <= next[LOCAL_BITS-1:0];
      beat_from <= next[LOCAL_BITS+OFFSET_BITS+:OFFSET_BITS];
      beat_to <= next_single ? next_to : TOP;
      beat_last <= next_single;
      left <= next_left;
      all_left <= next_left;
      end_to <= next_to;
    end
    if (push || retire) valid <= push || some;
    if (reset) valid <= 1'b0;
  end

  logic [SPACE_BITS-1:0] space_then;  // but for the push
  assign space_then = space + (retire ? SPACE_BITS'(all_left) + 1'b1 : {SPACE_BITS{1'b0}});
  always_ff @(posedge clock) begin
    if (reset) space <= BEATS[SPACE_BITS-1:0];
    else if (push || retire) space <= push ? space_then - SPACE_BITS'(beats) : space_then;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clock) begin : in_order
    if (!reset && beat && !valid) $error("a beat came and no burst is outstanding");
  end
`endif
endmodule
