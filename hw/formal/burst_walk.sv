// weft_burst_walk: no burst leaves the extents of its instruction, crosses a boundary, or has other beats than those its
// bytes touch. Induction over the loops as the instruction means them: the module must be where they are, run by run, and its
// bursts must lie in the run. What is assumed is arithmetic: a place that is the start and at most count - 1 strides of
// each level lies between `low` and `high`, the extents that weft_extents adds up from the same fields; that they lie in
// the region is what is checked before the start.
//
// Two parts: 0 is that the module is where the loops are, 1, which assumes what 0 has proven, that its bursts then are
// right. Together they are sums of three addends of 50 bits in one question, which takes a solver minutes.
//
// modules weft_burst_walk
// parts 0 1
// parameter BOUNDARY 256 1024
// cover going && left_0 == 0 && left_1 == 0 && left_2 == 0 && count[15:0] == 2 && count[31:16] == 2 && count[47:32] == 2
// cover going && last && done != 0 && bytes != BOUNDARY
// mutation weft_burst_walk: s/first_bytes = fits ? the_run : /first_bytes = /
// mutation weft_burst_walk: s/!ends\[1\] ? the_address_stride/ends[1] ? the_address_stride/
// mutation weft_burst_walk: s/next_address : ends\[1\] ? place_0 : place_1/next_address : ends[1] ? place_1 : place_0/
// mutation weft_burst_walk: s/next_local : ends\[1\] ? local_0 : local_1/next_local : local_1/
// mutation weft_burst_walk: s/at_end\[1\] ? again\[15:0\]/at_end[1] ? again[31:16]/
// mutation weft_burst_walk: s/place_1 <= this_address;//
// mutation weft_burst_walk: s/(ends\[1\] ? begins\[0\] : begins\[1\])/begins[1]/
// mutation weft_burst_walk: s/reach\[OFFSET_BITS\] ? least + 1'b1 : least/least/
// mutation weft_burst_walk: s/~({1'b0, start_run} ^ start_low)/({1'b0, start_run} ^ start_low)/
// mutation weft_burst_walk: s/carry = next_address\[OFFSET_BITS\] ^/carry =/
// mutation weft_burst_walk: s/once <= {start_count\[47:32\] == 1,/once <= {start_count[31:16] == 1,/
// mutation weft_burst_walk: s/|| start_run\[OFFSET_BITS\] \&\&/|| start_run[OFFSET_BITS] ||/
// mutation weft_burst_walk: s/WIDTH\[OFFSET_BITS+1:0\] - 1'b1 +/WIDTH[OFFSET_BITS+1:0] +/
// mutation weft_burst_walk: s/bytes <= ends_next ? {1'b0, end_offset} + 1'b1/bytes <= ends_next ? {1'b0, end_offset}/
// mutation weft_burst_walk: s/ends_next = more == 1/ends_next = more <= 2/
module proof #(
    parameter integer BOUNDARY = 256,
    parameter integer PART = 0
) (
    input logic clock,
    input logic start,
    input logic [49:0] start_address,
    input logic [23:0] start_local,
    input logic [23:0] start_run,
    input logic [47:0] start_count,
    input logic [95:0] start_address_stride,
    input logic [71:0] start_local_stride,
    input logic [49:0] start_low,
    input logic [49:0] start_high,
    input logic advance
);
  localparam integer WIDTH = 8;
  localparam integer OFFSET = $clog2(BOUNDARY);
  localparam integer BITS = OFFSET + 1;
  logic [49:0] address;
  logic [23:0] local_address;
  logic [BITS-1:0] bytes;
  logic [$clog2(BOUNDARY/WIDTH):0] beats;
  logic last;
  logic going = 1'b0;
  weft_burst_walk #(
      .BOUNDARY(BOUNDARY),
      .WIDTH(WIDTH)
  ) dut (
      .clock(clock),
      .going(going),
      .start(start),
      .start_address(start_address),
      .start_local(start_local),
      .start_run(start_run),
      .start_count(start_count),
      .start_address_stride(start_address_stride),
      .start_local_stride(start_local_stride),
      .advance(advance),
      .address(address),
      .local_address(local_address),
      .bytes(bytes),
      .beats(beats),
      .last(last)
  );

  (* hierconn *) wire [49:0] \dut.place_1 , \dut.place_0 , \dut.from_address ;
  (* hierconn *) wire [23:0] \dut.local_1 , \dut.local_0 , \dut.from_local ;
  (* hierconn *) wire [31:0] \dut.by_address ;
  (* hierconn *) wire [23:0] \dut.by_local ;
  (* hierconn *) wire [OFFSET:0] \dut.run ;
  (* hierconn *) wire [23:0] \dut.run_less ;
  (* hierconn *) wire \dut.run_long , \dut.run_ends ;
  (* hierconn *) wire [24-OFFSET:0] \dut.more ;
  (* hierconn *) wire [OFFSET-1:0] \dut.end_offset ;
  (* hierconn *) wire [31:0] \dut.again ;
  (* hierconn *) wire [1:0] \dut.once ;
  (* hierconn *) wire [95:0] \dut.address_stride ;
  (* hierconn *) wire [71:0] \dut.local_stride ;
  (* hierconn *) wire [47:0] \dut.left ;
  (* hierconn *) wire [2:0] \dut.at_end ;

  // ---- the loops ----
  logic [47:0] count;
  logic [95:0] stride;
  logic [71:0] stride_local;
  logic [23:0] run;
  logic [49:0] low, high;
  logic [49:0] place_0, place_1, place;  // where this iteration of level 0, of level 1, and this run begin
  logic [23:0] local_0, local_1, local_2;
  logic [15:0] left_0, left_1, left_2;
  logic [23:0] done;  // bytes of the run before this burst
  logic [49:0] here;  // place + done
  logic [49:0] next;  // where the next run begins
  logic [23:0] next_local;
  always_comb begin
    if (left_2 != 0) begin
      next = place + {{18{stride[95]}}, stride[95:64]};
      next_local = local_2 + stride_local[71:48];
    end else if (left_1 != 0) begin
      next = place_1 + {{18{stride[63]}}, stride[63:32]};
      next_local = local_1 + stride_local[47:24];
    end else begin
      next = place_0 + {{18{stride[31]}}, stride[31:0]};
      next_local = local_0 + stride_local[23:0];
    end
  end
  always_ff @(posedge clock) begin
    if (start) begin
      going <= 1'b1;
      {count, stride, stride_local, run} <= {start_count, start_address_stride, start_local_stride, start_run};
      {low, high} <= {start_low, start_high};
      {place_0, place_1, place, here} <= {4{start_address}};
      {local_0, local_1, local_2} <= {3{start_local}};
      left_0 <= start_count[15:0] - 16'd1;
      left_1 <= start_count[31:16] - 16'd1;
      left_2 <= start_count[47:32] - 16'd1;
      done <= 24'd0;
    end else if (advance && last) begin
      going <= 1'b0;
    end else if (advance && done + bytes != run) begin
      done <= done + bytes;
      here <= {here[49:OFFSET] + 1'b1, {OFFSET{1'b0}}};  // where a burst ends that is not the run's last
    end else if (advance) begin
      done <= 24'd0;
      {place, here} <= {2{next}};
      local_2 <= next_local;
      if (left_2 != 0) begin
        left_2 <= left_2 - 16'd1;
      end else if (left_1 != 0) begin
        left_2 <= count[47:32] - 16'd1;
        left_1 <= left_1 - 16'd1;
        place_1 <= next;
        local_1 <= next_local;
      end else begin
        left_2 <= count[47:32] - 16'd1;
        left_1 <= count[31:16] - 16'd1;
        left_0 <= left_0 - 16'd1;
        {place_0, place_1} <= {2{next}};
        {local_0, local_1} <= {2{next_local}};
      end
    end
  end

  always_comb begin
    assume (!advance || going);
    assume (!start || !going);
    // Of a legal instruction no run and no count is 0.
    if (start) assume (start_run != 0 && start_count[15:0] != 0 && start_count[31:16] != 0 && start_count[47:32] != 0);
  end

  logic position;  // where the module is
  logic burst;  // what it says of the burst
  logic [23:0] rest;  // bytes of the run from this burst on
  logic [24:0] reach;  // from the boundary below to the run's last byte
  always_comb begin
    rest = run - done;
    reach = {1'b0, rest} + here[OFFSET-1:0] - 1'b1;
    position = \dut.address_stride == stride && \dut.local_stride == stride_local;
    position = position && \dut.again == {count[47:32] - 16'd1, count[31:16] - 16'd1};
    position = position && \dut.once == {count[47:32] == 1, count[31:16] == 1};
    position = position && \dut.run_less == run - 1'b1 && \dut.run_long == (run > BOUNDARY) && \dut.run == run[OFFSET:0];
    position = position && \dut.place_1 == place_1 && \dut.place_0 == place_0;
    position = position && \dut.local_1 == local_1 && \dut.local_0 == local_0;
    position = position && \dut.from_address == (left_2 != 0 ? place : left_1 != 0 ? place_1 : place_0);
    position = position && \dut.from_local == (left_2 != 0 ? local_2 : left_1 != 0 ? local_1 : local_0);
    position = position && \dut.by_address == (left_2 != 0 ? stride[95:64] : left_1 != 0 ? stride[63:32] : stride[31:0]);
    position = position && \dut.by_local == (left_2 != 0 ? stride_local[71:48] : left_1 != 0 ? stride_local[47:24] : stride_local[23:0]);
    position = position && \dut.left == {left_2, left_1, left_0};
    position = position && \dut.at_end == {left_2 == 0, left_1 == 0, left_0 == 0};
    position = position && address == here;
    position = position && local_address == local_2 + done;
    position = position && done < run && run != 0;
    burst = \dut.more == reach[24:OFFSET] && \dut.run_ends == (reach[24:OFFSET] == 0) && \dut.end_offset == reach[OFFSET-1:0];
    burst = burst && bytes == (reach[24:OFFSET] == 0 ? rest[OFFSET:0] : BOUNDARY - here[OFFSET-1:0]);
    burst = burst && beats == (here[2:0] + bytes + 7) / WIDTH;
  end

  // What is assumed of `here` is arithmetic: it moves from boundary to boundary within a run.
  if (PART == 0) begin : g_position
    always_comb begin
      if (going) assert (position && burst);
    end
  end else begin : g_bursts
    always_comb begin
      if (going) begin
        assume (position && burst);
        assume (place >= low && {1'b0, place} + {27'd0, run} <= {1'b0, high});
        assert (here == place + done);
        assert (address >= low);
        assert ({1'b0, address} + bytes <= {1'b0, high});
        assert (bytes != 0 && address[BITS-2:0] + bytes <= BOUNDARY);
        assert (last == (left_0 == 0 && left_1 == 0 && left_2 == 0 && done + bytes == run));
      end
    end
  end
endmodule
