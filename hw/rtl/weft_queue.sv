// Bounded queue of DEPTH entries; DEPTH is any number from 2 up.
//
// What is pushed in T is on `head` from T+1 on if the queue is then at its turn: `head` is the oldest
// entry whenever count != 0, and comes from a register. `pop` drops it at the end of the cycle. Push
// and pop in one cycle are allowed, also when the queue is full. `count` and `full` are as of the
// beginning of the cycle. A cycle without push and pop costs one test in simulation.
// Reset: empty.
module weft_queue #(
    parameter integer WIDTH = 8,
    parameter integer DEPTH = 4
) (
    input  logic                       clock,
    input  logic                       reset,
    input  logic                       push,
    input  logic [WIDTH-1:0]           push_data,
    input  logic                       pop,
    output logic [WIDTH-1:0]           head,
    output logic [$clog2(DEPTH+1)-1:0] count,
    output logic                       full
);
  // The entries behind the head lie in a ring of DEPTH - 1.
  localparam integer COUNT = $clog2(DEPTH + 1);
  localparam integer POINTER = DEPTH > 2 ? $clog2(DEPTH - 1) : 1;
  localparam [31:0] RING = DEPTH - 1;
  localparam [31:0] RING_END = DEPTH - 2;

  (* ram_style = "distributed" *)  // a block RAM would be nearly empty, and slow in front of `head`
  logic [  WIDTH-1:0] ring          [0:DEPTH-2];
  logic [POINTER-1:0] first;  // the entry behind the head
  logic [POINTER-1:0] free;   // where the next one goes
  logic               more;   // count > 1, as a register: the choice of the next head is wide
  logic               stays;  // an entry is left after the pop

  function automatic [POINTER-1:0] next(input [POINTER-1:0] pointer);
    next = pointer == RING_END[POINTER-1:0] ? {POINTER{1'b0}} : pointer + 1'b1;
  endfunction

  assign stays = pop ? more : count != 0;

  always_ff @(posedge clock) begin
    if (reset) begin
      count <= {COUNT{1'b0}};
      full  <= 1'b0;
      more  <= 1'b0;
      first <= {POINTER{1'b0}};
      free  <= {POINTER{1'b0}};
    end else if (push || pop) begin
      if (push && !pop) begin
        count <= count + 1'b1;
        full  <= count == RING[COUNT-1:0];
        more  <= count != 0;
      end else if (pop && !push) begin
        count <= count - 1'b1;
        full  <= 1'b0;
        more  <= count > 2;
      end
      if (pop && more || push && !stays) head <= more ? ring[first] : push_data;
      if (pop && more) first <= next(first);
      if (push) begin  // whether it stays there comes later in a cycle
        // verilator lint_off BLKSEQ
        ring[free] = push_data;  // blocking, after the only place that reads: see weft_ram
        // verilator lint_on BLKSEQ
      end
      if (push && stays) free <= next(free);
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clock) begin : bounds
    if (!reset) begin
      if ((push && full && !pop) !== 1'b0) $error("weft_queue: push into a full queue");
      if ((pop && count == 0) !== 1'b0) $error("weft_queue: pop from an empty queue");
    end
  end
`endif
endmodule
