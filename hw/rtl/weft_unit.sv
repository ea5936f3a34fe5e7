// What the four units share: the queue, the start of its head, the instructions in flight with their banks, the finish.
//
// Interface: dispatch pushes instructions, and says of each in the cycle after whether it is outside a memory or region; the unit itself
// says when it is `ready` for the one at the head and when the oldest in flight finishes (`finish`). `start` is high in the cycle in
// which the head starts; a start that faults counts as one. `meets` says whether the banks of the head meet those of others.
// Timing: docs/timing.md, Start, ownership, finish. Everything but start, faults and the wait outputs follows from registers.
// Reset: synchronous; queue empty, nothing in flight.
module weft_unit #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,
    parameter END = 512,  // bits of an instruction that are kept
    parameter FLIGHTS = 8,
    parameter MASKS = 47,  // bits of all bank masks together
    parameter PORTS = 0,  // ports of RAMs that several banks share
    parameter BANKS = MASKS + PORTS  // what an instruction owns
) (
    input  logic clock,
    input  logic reset,
    // dispatch
    input  logic push,
    // verilator lint_off UNUSEDSIGNAL
    input  logic [511:0] push_instruction,  // the reserved bits are zero
    // verilator lint_on UNUSEDSIGNAL
    input  logic [31:0] push_number,
    input  logic pushed_outside,  // of what was pushed in the cycle before
    // verilator lint_off UNUSEDSIGNAL
    input  logic [PORTS:0] push_ports,  // that it will own; the lowest bit is none
    // verilator lint_on UNUSEDSIGNAL
    output logic full,
    // semaphores
    input  logic [3:0] tokens,  // producers whose semaphore holds a token
    output logic [3:0] waits,  // producers of whom the head takes a token when it starts
    output logic [3:0] signals,  // consumers to whom the oldest in flight gives one when it finishes
    // the unit
    output logic [511:0] instruction,  // at the head
    input  logic ready,
    output logic start,
    input  logic finish,
    // banks
    output logic [BANKS-1:0] owned,  // by the instructions in flight
    output logic [BANKS-1:0] head_banks,  // of the one at the head
    input  logic meets,  // owned by other units, or starting in one that comes first; counts when the head starts
    output logic [3:0] finish_acc_banks,
    // faults and counters
    output logic fault_address,
    output logic fault_bank,
    output logic [31:0] start_number,
    output logic [31:0] finish_number,
    output logic waiting,  // there is a head
    output logic flying,  // something is in flight
    output logic count_busy,
    output logic count_empty,
    output logic [3:0] count_wait  // by producer
);
  localparam BANK_LSB = weft_isa_pkg::LOAD_ACT_BANKS_LSB;
  localparam WAIT_LSB = weft_isa_pkg::LOAD_WAIT_LSB;
  localparam ACC_LSB = weft_isa_pkg::LOAD_ACC_BANKS_LSB;
  localparam SIGNAL_LSB = weft_isa_pkg::LOAD_SIGNAL_LSB;
  localparam INDEX_BITS = $clog2(FLIGHTS);
  localparam SLOTS = 1 << INDEX_BITS;

  // ---- queue ----
  localparam [31:0] DEPTH = CONFIG[weft_config_pkg::AT_QUEUE_DEPTH+:32];
  localparam PLACE_BITS = $clog2(DEPTH);
  localparam [31:0] LAST = DEPTH - 1;
  // What it waits for is asked for at once; the rest not before the unit is ready, which it is in the second cycle after a start at the
  // earliest.
  localparam WAITS = 4;
  logic [WAITS-1:0] head_waits;
  logic [END+31+PORTS:0] head, push_data;
  logic [$clog2(DEPTH+1)-1:0] queued;
  if (PORTS == 0) begin : g_no_ports
    assign push_data = {push_number, push_instruction[END-1:0]};
    assign head_banks = head[BANK_LSB+:MASKS];
  end else begin : g_ports
    assign push_data = {push_ports[PORTS:1], push_number, push_instruction[END-1:0]};
    assign head_banks = {head[END+32+:PORTS], head[BANK_LSB+:MASKS]};
  end
  weft_queue #(
      .WIDTH(WAITS + END + 32 + PORTS),
      .DEPTH(DEPTH),
      .EARLY(WAITS)
  ) queue (
      .clock(clock),
      .reset(reset),
      .push(push),
      .push_data({push_data, push_instruction[WAIT_LSB+:WAITS]}),
      .pop(start),
      .head({head, head_waits}),
      .count(queued),
      .full(full)
  );
  assign waiting = queued != 0;
  assign instruction = {{512 - END{1'b0}}, head[END-1:0]};
  assign start_number = head[END+:32];

  // Which entries are outside, in a ring beside the queue: it comes a cycle late, in time for a head that starts at once.
  function automatic [PLACE_BITS-1:0] next(input [PLACE_BITS-1:0] place);
    next = place == LAST[PLACE_BITS-1:0] ? {PLACE_BITS{1'b0}} : place + 1'b1;
  endfunction
  logic [DEPTH-1:0] outsides;
  logic [PLACE_BITS-1:0] head_place, free_place, late_place;
  logic late;  // an entry came in the cycle before, to late_place
  logic outside;
  assign outside = late && late_place == head_place ? pushed_outside : outsides[head_place];
  // Here and below a register is read above the line that writes it, which spares a simulator a copy.
  always_ff @(posedge clock) begin
    for (int i = 0; i < DEPTH; i++) begin  // an index would be decoded behind what comes late
      if (late && late_place == i[PLACE_BITS-1:0]) outsides[i] <= pushed_outside;
    end
    late <= push;
    if (push) late_place <= free_place;
    if (push) free_place <= next(free_place);
    if (start) head_place <= next(head_place);
    if (reset) begin
      head_place <= 0;
      free_place <= 0;
      late <= 1'b0;
    end
  end

  // ---- start ----
  logic [3:0] missing;
  assign waits = head_waits;
  assign missing = waits & ~tokens;
  assign start = waiting && missing == 0 && ready;
  assign fault_address = start && outside;
  assign fault_bank = start && meets && !outside;

  // ---- in flight ----
  // The banks of each, none in a place that is free; the rest of the oldest one alone is asked for.
  logic [SLOTS*BANKS-1:0] banks;
  logic [39:0] flights[0:SLOTS-1];  // number, signal, ACC banks
  logic [INDEX_BITS-1:0] first;
  logic [INDEX_BITS-1:0] free;
  logic [INDEX_BITS:0] count;
  logic [39:0] oldest;
  assign oldest = flights[first];
  assign flying = count != 0;
  assign finish_number = oldest[8+:32];
  assign finish_acc_banks = oldest[3:0];
  assign signals = oldest[7:4];

  logic [BANKS-1:0] sum;  // temporary
  /* verilator lint_off BLKSEQ */  // the temporary above, and the banks, which are known in this block alone
  always_ff @(posedge clock) begin
    if (start || finish) begin
      sum = head_banks & {BANKS{start}};
      for (int i = 0; i < SLOTS; i++) begin
        sum = sum | banks[i*BANKS+:BANKS] & ~{BANKS{finish && first == i[INDEX_BITS-1:0]}};
        if (start && free == i[INDEX_BITS-1:0]) banks[i*BANKS+:BANKS] = head_banks;
        else if (finish && first == i[INDEX_BITS-1:0]) banks[i*BANKS+:BANKS] = 0;
      end
      owned <= sum;
      if (start) flights[free] <= {start_number, head[SIGNAL_LSB+:4], head[ACC_LSB+:4]};
      if (start) free <= free + 1'b1;
      if (finish) first <= first + 1'b1;
      if (start != finish) count <= start ? count + 1'b1 : count - 1'b1;
    end
    if (reset) begin
      first <= 0;
      free <= 0;
      count <= 0;
      owned <= 0;
      banks = 0;
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---- counters: a cycle is busy, empty, or waits for the first producer without a token ----
  assign count_busy = flying || (waiting && missing == 0);
  assign count_empty = !flying && !waiting;
  assign count_wait = flying || !waiting ? 4'd0 : missing & (~missing + 4'd1);

`ifndef SYNTHESIS
  always_ff @(posedge clock) begin : flights_promised
    if (!reset && finish && !flying) $error("finish without an instruction in flight");
    if (!reset && start && count == FLIGHTS[INDEX_BITS:0]) $error("more instructions in flight than there is room for");
  end
`endif
endmodule
