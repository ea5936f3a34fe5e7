// weft_bursts: of every beat it says what the burst means that was pushed, in order: local address, first and last byte, whether it is the
// last one, the mark; `room` is true exactly when one more burst keeps both limits. Induction over a shift register that holds
// the bursts as they were pushed. Assumed is the contract: a burst is pushed when there is room, has the beats that its bytes
// touch, and a beat comes when a burst is outstanding.
//
// modules weft_bursts weft_queue
// parameter BURSTS 2 3 4
// cover count == BURSTS && !room
// cover count < BURSTS && !room
// cover push && beat && beat_last && count == 1
// cover beat && index == 1 && beat_last && beat_to != 3
// mutation weft_bursts: s/SPACE_BITS'(beats) <= space/SPACE_BITS'(beats) <= space + 1'b1/
// mutation weft_bursts: s/room = !full \&\&/room =/
// mutation weft_bursts: s/BURSTS > 2 ? BURSTS - 1 : 2/BURSTS/
// mutation weft_bursts: s/push_mark, beats == 1,/push_mark, beats <= 2,/
// mutation weft_bursts: s/push_offset + push_bytes - 1'b1/push_offset + push_bytes/
// mutation weft_bursts: s/push_local - LOCAL_BITS'(push_offset)/push_local/
// mutation weft_bursts: s/.push(push \&\& !(open \&\& !some))/.push(push \&\& !open)/
// mutation weft_bursts: s/open = !valid || retire/open = !valid/
// mutation weft_bursts: s/beat_to <= next_single ? next_to : TOP/beat_to <= next_to/
// mutation weft_bursts: s/beat_to <= before_last ? end_to : TOP/beat_to <= before_last ? beat_to : TOP/
// mutation weft_bursts: s/beat_from <= 0;//
// mutation weft_bursts: s/before_last = left == 1/before_last = left <= 2/
// mutation weft_bursts: s/SPACE_BITS'(all_left) + 1'b1/SPACE_BITS'(all_left)/
// mutation weft_bursts: s/valid <= push || some/valid <= some/
module proof #(
    parameter integer BURSTS = 3
) (
    input logic clock,
    input logic reset,
    input logic push,
    input logic [1:0] push_offset,
    input logic [3:0] push_local,
    input logic [4:0] bytes,
    input logic [2:0] beats,
    input logic push_mark,
    input logic beat
);
  localparam integer BEATS = 9;
  logic room, beat_last, beat_mark;
  logic [3:0] beat_local;
  logic [1:0] beat_from, beat_to;
  weft_bursts #(
      .BURSTS(BURSTS),
      .BEATS(BEATS),
      .BURST_BEATS(4),
      .WIDTH(4),
      .LOCAL_BITS(4),
      .MARK(1)
  ) dut (
      .clock(clock),
      .reset(reset),
      .push(push),
      .push_offset(push_offset),
      .push_local(push_local),
      .push_bytes(bytes[1:0]),
      .beats(beats),
      .push_mark(push_mark),
      .room(room),
      .beat(beat),
      .beat_local(beat_local),
      .beat_from(beat_from),
      .beat_to(beat_to),
      .beat_last(beat_last),
      .beat_mark(beat_mark)
  );
  (* hierconn *) wire \dut.valid , \dut.queue.first , \dut.queue.free , \dut.queue.more , \dut.queue.full ;
  (* hierconn *) wire [1:0] \dut.queued ;
  (* hierconn *) wire [11:0] \dut.second , \dut.queue.ring[0] , \dut.queue.ring[1] ;
  (* hierconn *) wire [1:0] \dut.left , \dut.all_left , \dut.end_to ;
  (* hierconn *) wire [3:0] \dut.space ;

  // The bursts, oldest in the lowest bits: mark, beats, bytes, local address, offset.
  logic started = 1'b0;
  logic [59:0] held;
  logic [2:0] count;
  logic [2:0] after;
  logic [2:0] index;  // of the oldest one's next beat
  logic ends;
  assign ends = index + 3'd1 == held[13:11];
  assign after = count - (beat && ends);
  always_ff @(posedge clock) begin
    started <= 1'b1;
    if (reset) begin
      count <= 0;
      index <= 0;
    end else begin
      count <= after + push;
      if (beat) index <= ends ? 3'd0 : index + 3'd1;
      if (beat && ends) held <= held >> 15;
      if (push) begin
        for (int i = 0; i < 4; i++) begin
          if (after == i) held[15*i+:15] <= {push_mark, beats, bytes, push_local, push_offset};
        end
      end
    end
  end

  function automatic logic [1:0] to(input [14:0] burst);
    to = burst[1:0] + burst[7:6] - 2'd1;
  endfunction
  function automatic logic [11:0] entry(input [14:0] burst);
    entry = {burst[14], burst[13:11] == 1, burst[12:11] - 2'd1, burst[1:0], to(burst), burst[5:2] - {2'd0, burst[1:0]}};
  endfunction

  logic [5:0] total;  // beats
  logic [14:0] first;
  always_comb begin
    first = held[14:0];
    total = 0;
    for (int i = 0; i < 4; i++) if (i < count) total = total + held[15*i+11+:3];
    assume (started || reset);
    if (push) assume (room && bytes != 0);
    assume (beats >= 1 && beats <= 4);
    if (push) assume (beats == (bytes + push_offset + 5'd3) / 4 && bytes + push_offset <= 16);
    if (beat) assume (count != 0);
    if (started) begin
      assert (room == (count < BURSTS && total + beats <= BEATS));
      assert (count <= BURSTS && total <= BEATS && \dut.space == BEATS - total);
      assert (\dut.valid == (count != 0) && \dut.queued == (count == 0 ? 0 : count - 1));
      for (int i = 0; i < 4; i++) if (i < count) assert (held[15*i+11+:3] >= 1 && held[15*i+11+:3] <= 4);
      if (count != 0) begin
        assert (index < first[13:11]);
        assert (beat_mark == first[14] && beat_last == ends);
        assert (beat_local == first[5:2] - {2'd0, first[1:0]} + {index[1:0], 2'd0});
        assert (beat_from == (index == 0 ? first[1:0] : 2'd0));
        assert (beat_to == (ends ? to(first) : 2'd3));
        assert (\dut.left == first[12:11] - 2'd1 - index[1:0] && \dut.all_left == first[12:11] - 2'd1 && \dut.end_to == to(first));
      end else begin
        assert (index == 0);
      end
      // The queue behind the oldest one.
      assert (\dut.queue.more == (\dut.queued > 1) && \dut.queue.full == (\dut.queued == (BURSTS > 2 ? BURSTS - 1 : 2)));
      if (BURSTS < 4) assert (!\dut.queue.first && !\dut.queue.free );
      else assert (\dut.queue.free == \dut.queue.first ^ (\dut.queued == 2));
      if (count > 1) assert (\dut.second == entry(held[29:15]));
      if (count > 2) assert ((\dut.queue.first ? \dut.queue.ring[1] : \dut.queue.ring[0] ) == entry(held[44:30]));
      if (count > 3) assert ((\dut.queue.first ? \dut.queue.ring[0] : \dut.queue.ring[1] ) == entry(held[59:45]));
    end
  end
endmodule
