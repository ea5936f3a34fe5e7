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
// mutation weft_burst_walk: s/bytes = run_ends ? remaining\[OFFSET_BITS:0\] : room/bytes = room/
// mutation weft_burst_walk: s/next_address = address_1 +/next_address = run_address +/
// mutation weft_burst_walk: s/next_address = address_0 +/next_address = address_1 +/
// mutation weft_burst_walk: s/at_end\[1\] ? count\[31:16\] - 16'd1/at_end[1] ? count[31:16]/
// mutation weft_burst_walk: s/address_1 <= next_address;//
// mutation weft_burst_walk: s/remaining <= run;//
// mutation weft_burst_walk: s/left\[i\] <= start_count\[i\*16+:16\] - 16'd1/left[i] <= start_count[i*16+:16]/
// mutation weft_burst_walk: s/address\[WIDTH_BITS-1:0\]} - 1'b1/address[WIDTH_BITS-1:0]}/
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
  localparam integer BITS = $clog2(BOUNDARY) + 1;
  logic [49:0] address;
  logic [23:0] local_address;
  logic [BITS-1:0] bytes;
  logic [BITS-1:0] beats;
  logic last;
  weft_burst_walk #(
      .BOUNDARY(BOUNDARY),
      .WIDTH(WIDTH)
  ) dut (
      .clock(clock),
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

  (* hierconn *) wire [49:0] \dut.run_address ;
  (* hierconn *) wire [49:0] \dut.address_1 ;
  (* hierconn *) wire [49:0] \dut.address_0 ;
  (* hierconn *) wire [23:0] \dut.remaining ;
  (* hierconn *) wire [23:0] \dut.run ;
  (* hierconn *) wire [47:0] \dut.count ;
  (* hierconn *) wire [95:0] \dut.address_stride ;
  (* hierconn *) wire [15:0] \dut.left[0] , \dut.left[1] , \dut.left[2] ;

  // ---- the loops ----
  logic going = 1'b0;
  logic [47:0] count;
  logic [95:0] stride;
  logic [23:0] run;
  logic [49:0] low, high;
  logic [49:0] place_0, place_1, place;  // where this iteration of level 0, of level 1, and this run begin
  logic [15:0] left_0, left_1, left_2;
  logic [23:0] done;  // bytes of the run before this burst
  always_ff @(posedge clock) begin
    if (start) begin
      going <= 1'b1;
      {count, stride, run} <= {start_count, start_address_stride, start_run};
      {low, high} <= {start_low, start_high};
      {place_0, place_1, place} <= {3{start_address}};
      left_0 <= start_count[15:0] - 16'd1;
      left_1 <= start_count[31:16] - 16'd1;
      left_2 <= start_count[47:32] - 16'd1;
      done <= 24'd0;
    end else if (advance && done + bytes != run) begin
      done <= done + bytes;
    end else if (advance) begin
      done <= 24'd0;
      if (left_2 != 0) begin
        left_2 <= left_2 - 16'd1;
        place <= place + {{18{stride[95]}}, stride[95:64]};
      end else if (left_1 != 0) begin
        left_2 <= count[47:32] - 16'd1;
        left_1 <= left_1 - 16'd1;
        place_1 <= place_1 + {{18{stride[63]}}, stride[63:32]};
        place <= place_1 + {{18{stride[63]}}, stride[63:32]};
      end else begin
        left_2 <= count[47:32] - 16'd1;
        left_1 <= count[31:16] - 16'd1;
        left_0 <= left_0 - 16'd1;
        place_0 <= place_0 + {{18{stride[31]}}, stride[31:0]};
        place_1 <= place_0 + {{18{stride[31]}}, stride[31:0]};
        place <= place_0 + {{18{stride[31]}}, stride[31:0]};
      end
    end
  end

  always_comb begin
    assume (!advance || (going && !last));
    // Of a legal instruction no run and no count is 0.
    if (start) assume (start_run != 0 && start_count[15:0] != 0 && start_count[31:16] != 0 && start_count[47:32] != 0);
  end

  logic position;  // where the module is
  always_comb begin
    position = \dut.run == run && \dut.count == count && \dut.address_stride == stride;
    position = position && \dut.run_address == place && \dut.address_1 == place_1 && \dut.address_0 == place_0;
    position = position && \dut.left[2] == left_2 && \dut.left[1] == left_1 && \dut.left[0] == left_0;
    position = position && address == place + done;
    position = position && {1'b0, done} + {1'b0, \dut.remaining } == {1'b0, run} && \dut.remaining != 0;
  end

  if (PART == 0) begin : g_position
    always_comb begin
      if (going) assert (position);
    end
  end else begin : g_bursts
    always_comb begin
      if (going) begin
        assume (position);
        assume (place >= low && {1'b0, place} + {27'd0, run} <= {1'b0, high});
        assert (address >= low);
        assert ({1'b0, address} + bytes <= {1'b0, high});
        assert (bytes != 0 && address[BITS-2:0] + bytes <= BOUNDARY);
        assert (beats == (address[2:0] + bytes + 7) / WIDTH);
        assert (last == (left_0 == 0 && left_1 == 0 && left_2 == 0 && done + bytes == run));
      end
    end
  end
endmodule
