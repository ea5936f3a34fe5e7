// weft_queue: what comes out is what went in, in order; count and full are right; for any DEPTH, also
// those that are not a power of two, with push and pop in one cycle, also when full. Induction over
// a shift register that holds the same entries. Assumed is the contract: no pop when empty, no push
// into a full queue that is not popped.
//
// modules weft_queue
// parameter DEPTH 2 3 4 5 8
// mutation weft_queue: s/assign stays = pop ? more : count != 0/assign stays = count != 0/
// mutation weft_queue: s/full  <= count == RING\[COUNT-1:0\]/full <= count == RING[COUNT-1:0] - 1'b1/
// mutation weft_queue: s/pointer == RING_END\[POINTER-1:0\]/pointer == RING_END[POINTER-1:0] + 1'b1/
// mutation weft_queue: s/if (pop \&\& more)/if (pop)/
// mutation weft_queue: s/head_early <= more ?/head_early <= pop ?/
// mutation weft_queue: s/more  <= count > 2/more <= count > 1/
// mutation weft_queue: s/if (push \&\& stays)/if (push \&\& more)/
module proof #(
    parameter integer DEPTH = 3
) (
    input logic clock,
    input logic reset,
    input logic push,
    input logic [WIDTH-1:0] push_data,
    input logic pop
);
  localparam integer WIDTH = 2;
  localparam integer COUNT = $clog2(DEPTH + 1);
  localparam integer POINTER = DEPTH > 2 ? $clog2(DEPTH - 1) : 1;
  logic [WIDTH-1:0] head;
  logic [COUNT-1:0] count;
  logic full;
  weft_queue #(.WIDTH(WIDTH), .DEPTH(DEPTH)) dut (.*);

  (* hierconn *) wire [POINTER-1:0] \dut.first ;
  (* hierconn *) wire [POINTER-1:0] \dut.free ;
  (* hierconn *) wire \dut.more ;
  // The ring, an entry after the other; scripts/formal turns memories into registers first.
  (* hierconn *) wire [WIDTH-1:0] \dut.ring[0] , \dut.ring[1] , \dut.ring[2] , \dut.ring[3] ;
  (* hierconn *) wire [WIDTH-1:0] \dut.ring[4] , \dut.ring[5] , \dut.ring[6] ;
  logic [8*WIDTH-1:0] ring;
  assign ring = {2'd0, \dut.ring[6] , \dut.ring[5] , \dut.ring[4] , \dut.ring[3] , \dut.ring[2] ,
                 \dut.ring[1] , \dut.ring[0] };

  logic started = 1'b0;
  always_ff @(posedge clock) started <= 1'b1;
  always_comb begin
    assume (started || reset);
    assume (!pop || level != 0);
    assume (!push || pop || level != DEPTH);
  end

  // The entries, oldest in the lowest bits.
  logic [3:0] level;
  logic [(DEPTH+1)*WIDTH-1:0] entries;
  logic [3:0] after;
  assign after = level - pop;
  always_ff @(posedge clock) begin
    if (reset) begin
      level <= 0;
    end else begin
      level <= after + push;
      if (pop) entries <= entries >> WIDTH;
      if (push) entries[after*WIDTH+:WIDTH] <= push_data;
      if (push && pop) begin
        entries <= entries >> WIDTH;
        entries[after*WIDTH+:WIDTH] <= push_data;
      end
    end
  end

  function automatic [3:0] place(input [3:0] sum);  // in the ring
    place = sum >= DEPTH - 1 ? sum - (DEPTH - 1) : sum;
  endfunction

  always_comb begin
    if (started) begin
      assert (level <= DEPTH);
      assert (count == level);
      assert (full == (level == DEPTH));
      assert (\dut.more == (level > 1));
      if (level != 0) assert (head == entries[WIDTH-1:0]);
      // Where the others lie.
      assert (\dut.first < DEPTH - 1 && \dut.free < DEPTH - 1);
      assert (\dut.free == (level == 0 ? \dut.first : place(\dut.first + level - 1)));
      for (integer i = 1; i < DEPTH; i = i + 1) begin
        if (i < level) begin
          assert (ring[place(\dut.first + i - 1)*WIDTH+:WIDTH] == entries[i*WIDTH+:WIDTH]);
        end
      end
    end
  end
endmodule
