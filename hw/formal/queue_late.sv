// weft_queue with bits that come to the head later: it is the queue that hw/formal/queue.sv proves, but for the late bits in the cycle
// after a pop. Assumed is the contract: no pop when empty, no push into a full queue, even if it is popped, no pop right behind another
// one.
//
// modules weft_queue
// parameter DEPTH 2 3 4 5 8
// cover popped && \dut.g_late.popped && count == DEPTH - 1
// mutation weft_queue: s/if (popped) head_late/if (popped \&\& more) head_late/
// mutation weft_queue: s/else if (push \&\& count == 0) head_late/else if (push \&\& !more) head_late/
// mutation weft_queue: s/popped <= pop \&\& (more || push)/popped <= pop \&\& more/
// mutation weft_queue: s/if (pop) from <= first/if (pop) from <= next(first)/
// mutation weft_queue: s/ring_late\[free\] = /ring_late[first] = /
module proof #(
    parameter integer DEPTH = 3
) (
    input logic clock,
    input logic reset,
    input logic push,
    input logic [1:0] push_data,
    input logic pop
);
  localparam integer COUNT = $clog2(DEPTH + 1);
  localparam integer POINTER = DEPTH > 2 ? $clog2(DEPTH - 1) : 1;
  logic [1:0] head, whole_head;
  logic [COUNT-1:0] count, whole_count;
  logic full, whole_full;
  weft_queue #(.WIDTH(2), .DEPTH(DEPTH), .EARLY(1)) dut (.*);
  weft_queue #(.WIDTH(2), .DEPTH(DEPTH)) whole (.head(whole_head), .count(whole_count), .full(whole_full), .*);

  (* hierconn *) wire [POINTER-1:0] \dut.first , \dut.free , \whole.first , \whole.free ;
  (* hierconn *) wire [POINTER-1:0] \dut.g_late.from ;
  (* hierconn *) wire \dut.more , \whole.more , \dut.g_late.popped ;
  // The rings, an entry after the other.
  (* hierconn *) wire \dut.ring[0] , \dut.ring[1] , \dut.ring[2] , \dut.ring[3] ;
  (* hierconn *) wire \dut.ring[4] , \dut.ring[5] , \dut.ring[6] ;
  (* hierconn *) wire \dut.g_late.ring_late[0] , \dut.g_late.ring_late[1] , \dut.g_late.ring_late[2] ;
  (* hierconn *) wire \dut.g_late.ring_late[3] , \dut.g_late.ring_late[4] , \dut.g_late.ring_late[5] ;
  (* hierconn *) wire \dut.g_late.ring_late[6] ;
  (* hierconn *) wire [1:0] \whole.ring[0] , \whole.ring[1] , \whole.ring[2] , \whole.ring[3] ;
  (* hierconn *) wire [1:0] \whole.ring[4] , \whole.ring[5] , \whole.ring[6] ;
  logic [7:0] early, late;
  logic [15:0] both;
  assign early = {1'b0, \dut.ring[6] , \dut.ring[5] , \dut.ring[4] , \dut.ring[3] , \dut.ring[2] , \dut.ring[1] , \dut.ring[0] };
  assign late = {
    1'b0, \dut.g_late.ring_late[6] , \dut.g_late.ring_late[5] , \dut.g_late.ring_late[4] , \dut.g_late.ring_late[3] ,
    \dut.g_late.ring_late[2] , \dut.g_late.ring_late[1] , \dut.g_late.ring_late[0]
  };
  assign both = {
    2'd0, \whole.ring[6] , \whole.ring[5] , \whole.ring[4] , \whole.ring[3] , \whole.ring[2] , \whole.ring[1] , \whole.ring[0]
  };

  logic started = 1'b0;
  logic popped;  // in the cycle before
  always_ff @(posedge clock) begin
    started <= 1'b1;
    popped <= pop && !reset;
  end
  always_comb begin
    assume (started || reset);
    assume (!pop || whole_count != 0);
    assume (!push || whole_count != DEPTH);
    assume (!(pop && popped && started));
  end

  function automatic [3:0] place(input [3:0] sum);  // in the ring
    place = sum >= DEPTH - 1 ? sum - (DEPTH - 1) : sum;
  endfunction

  always_comb begin
    if (started) begin
      assert (count == whole_count && full == whole_full);
      if (count != 0) assert (head[0] == whole_head[0]);
      if (count != 0 && !popped) assert (head[1] == whole_head[1]);
      // Why: pointers, and what lies behind the head, are the same; what was popped before says where the head's late bit is.
      assert (\dut.first == \whole.first && \dut.free == \whole.free && \dut.more == \whole.more );
      assert (count <= DEPTH && \dut.first < DEPTH - 1 && \dut.more == (count > 1) && full == (count == DEPTH));
      assert (\dut.free == (count == 0 ? \dut.first : place(\dut.first + count - 1)));
      for (integer i = 1; i < DEPTH; i = i + 1) begin
        if (i < count) begin
          assert (early[place(\dut.first + i - 1)] == both[2*place(\dut.first + i - 1)]);
          assert (late[place(\dut.first + i - 1)] == both[2*place(\dut.first + i - 1)+1]);
        end
      end
      assert (\dut.g_late.popped == (popped && count != 0));
      if (popped && count != 0) assert (\dut.g_late.from < DEPTH - 1 && late[\dut.g_late.from ] == whole_head[1]);
    end
  end
endmodule
