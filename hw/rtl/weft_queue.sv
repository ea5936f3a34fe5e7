// Bounded queue of DEPTH entries; DEPTH is any number from 2 up.
//
// What is pushed in T is on `head` from T+1 on if the queue is then at its turn: `head` is the oldest
// entry whenever count != 0, and comes from a register. `pop` drops it at the end of the cycle. Push
// and pop in one cycle are allowed, also when the queue is full. `count` and `full` are as of the
// beginning of the cycle. A cycle without push and pop costs one test in simulation.
// With EARLY < WIDTH the bits from EARLY on may come to the head a cycle later than the others, in the second cycle after a pop; there
// must be no pop in the first one then, and no push into a full queue. So a `pop` that is late in its cycle does not go to hundreds of
// enables.
// Reset: empty.
module weft_queue #(
    parameter integer WIDTH = 8,
    parameter integer DEPTH = 4,
    parameter integer EARLY = WIDTH
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
  logic [  EARLY-1:0] ring          [0:DEPTH-2];
  logic [POINTER-1:0] first;  // the entry behind the head
  logic [POINTER-1:0] free;   // where the next one goes
  logic               more;   // count > 1, as a register: the choice of the next head is wide
  logic               stays;  // an entry is left after the pop
  logic [  EARLY-1:0] head_early;

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
      if (pop && more || push && !stays) head_early <= more ? ring[first] : push_data[EARLY-1:0];
      if (pop && more) first <= next(first);
      if (push) begin  // whether it stays there comes later in a cycle
        // verilator lint_off BLKSEQ
        ring[free] = push_data[EARLY-1:0];  // blocking, after the only place that reads: see weft_ram
        // verilator lint_on BLKSEQ
      end
      if (push && stays) free <= next(free);
    end
  end

  if (EARLY == WIDTH) begin : g_at_once
    assign head = head_early;
  end else begin : g_late
    (* ram_style = "distributed" *)
    logic [WIDTH-EARLY-1:0] ring_late[0:DEPTH-2];
    logic [WIDTH-EARLY-1:0] head_late;
    logic popped;  // in the cycle before, with an entry left or pushed then:
    logic [POINTER-1:0] from;  // it is here; where nothing is behind the head, `first` is `free`
    assign head = {head_late, head_early};
    always_ff @(posedge clock) begin
      if (popped) head_late <= ring_late[from];
      else if (push && count == 0) head_late <= push_data[WIDTH-1:EARLY];
      if (push) begin
        // verilator lint_off BLKSEQ
        ring_late[free] = push_data[WIDTH-1:EARLY];  // as above
        // verilator lint_on BLKSEQ
      end
      if (pop) from <= first;
      if (pop || popped) popped <= pop && (more || push);
      if (reset) popped <= 1'b0;
    end
`ifndef SYNTHESIS
    logic was;  // a pop
    always_ff @(posedge clock) begin : apart
      was <= pop && !reset;
      if (!reset && (was && pop) === 1'b1) $error("weft_queue: a pop right behind another one");
      if (!reset && (push && full) === 1'b1) $error("weft_queue: a push into a full queue");
    end
`endif
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
