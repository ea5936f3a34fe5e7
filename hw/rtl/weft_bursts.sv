// The bursts of load or store that are outstanding, in order, and which bytes of each beat they mean.
//
// Interface: `push` with a burst that was granted; `beat` when a beat of the oldest one passes (read data on the port, or a
// write beat asked for). For that beat: the local address of its byte 0 (which may lie before the burst's first byte), the
// strobes of its bytes, whether it is the burst's last one, and the mark that came with the push. `room` says whether one
// more burst of `beats` beats may be outstanding.
// Timing: outputs follow from registers; a burst counts from the cycle after its push to that of its last beat.
// Reset: synchronous; nothing outstanding.
module weft_bursts #(
    parameter BURSTS = 64,
    parameter BEATS = 160,
    parameter BURST_BITS = 9,  // bits of a burst's bytes and beats
    parameter WIDTH = 8,  // bytes of a beat
    parameter MARK = 3  // bits kept with each burst
) (
    input  logic clock,
    input  logic reset,
    input  logic push,
    input  logic [$clog2(WIDTH)-1:0] push_offset,  // of the first byte in its beat
    input  logic [23:0] push_local,
    input  logic [BURST_BITS-1:0] bytes,
    input  logic [BURST_BITS-1:0] beats,
    input  logic [MARK-1:0] push_mark,
    output logic room,
    input  logic beat,
    output logic [23:0] beat_local,
    output logic [WIDTH-1:0] beat_strobe,
    output logic beat_last,
    output logic [MARK-1:0] beat_mark
);
  localparam OFFSET_BITS = $clog2(WIDTH);
  localparam INDEX_BITS = $clog2(BURSTS);
  localparam ENTRY = MARK + BURST_BITS + 1 + OFFSET_BITS + 24;

  // An entry: mark, end (offset + bytes), offset, local address of byte 0 of the first beat.
  logic [ENTRY-1:0] entries[0:BURSTS-1];
  logic [INDEX_BITS-1:0] first;
  logic [INDEX_BITS-1:0] free;
  logic [INDEX_BITS:0] count;
  logic [15:0] outstanding;  // beats
  logic [BURST_BITS:0] position;  // of the next beat, bytes from byte 0 of the first one

  assign room = count < BURSTS[INDEX_BITS:0] && outstanding + {{16 - BURST_BITS{1'b0}}, beats} <= BEATS[15:0];

  logic [ENTRY-1:0] head;
  logic [BURST_BITS:0] head_end;
  logic [OFFSET_BITS-1:0] head_offset;
  assign head = entries[first];
  assign beat_mark = head[ENTRY-1-:MARK];
  assign head_end = head[24+OFFSET_BITS+:BURST_BITS+1];
  assign head_offset = head[24+:OFFSET_BITS];
  assign beat_local = head[23:0] + {{23 - BURST_BITS{1'b0}}, position};
  logic [BURST_BITS:0] after;
  assign after = position + WIDTH[BURST_BITS:0];
  assign beat_last = after >= head_end;
  logic [OFFSET_BITS-1:0] short;  // bytes of the last beat that are not meant
  assign short = after[OFFSET_BITS-1:0] - head_end[OFFSET_BITS-1:0];
  localparam [WIDTH-1:0] ALL = {WIDTH{1'b1}};
  assign beat_strobe = (position == 0 ? ALL << head_offset : ALL) & (beat_last ? ALL >> short : ALL);

  logic retire;
  assign retire = beat && beat_last;
  logic [BURST_BITS:0] push_end;
  assign push_end = {1'b0, bytes} + {{BURST_BITS + 1 - OFFSET_BITS{1'b0}}, push_offset};
  logic [BURST_BITS:0] head_beats;  // of the oldest burst
  assign head_beats = (head_end + WIDTH[BURST_BITS:0] - 1'b1) >> OFFSET_BITS;

  always_ff @(posedge clock) begin
    if (reset) begin
      first <= 0;
      free <= 0;
      count <= 0;
      outstanding <= 0;
      position <= 0;
    end else if (push || beat) begin
      if (push) begin
        entries[free] <= {push_mark, push_end, push_offset, push_local - {{24 - OFFSET_BITS{1'b0}}, push_offset}};
        free <= free == BURSTS[INDEX_BITS-1:0] - 1'b1 ? 0 : free + 1'b1;
      end
      if (beat) position <= beat_last ? 0 : after;
      if (retire) first <= first == BURSTS[INDEX_BITS-1:0] - 1'b1 ? 0 : first + 1'b1;
      if (push != retire) count <= push ? count + 1'b1 : count - 1'b1;
      outstanding <= outstanding + (push ? {{16 - BURST_BITS{1'b0}}, beats} : 16'd0)
          - (retire ? {{15 - BURST_BITS{1'b0}}, head_beats} : 16'd0);
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clock) begin : in_order
    if (!reset && beat && count == 0) $error("a beat came and no burst is outstanding");
  end
`endif
endmodule
