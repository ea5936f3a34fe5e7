// What the four units share: the queue, the start of its head, the instructions in flight with their banks, the finish.
//
// Interface: dispatch pushes instructions; the unit itself says when it is `ready` for the one at the head and when the oldest in flight
// finishes (`finish`). `start` is high in the cycle in which the head starts; a start that faults counts as one.
// Timing: docs/timing.md, Start, ownership, finish. Everything but start, faults and the wait outputs follows from registers.
// Reset: synchronous; queue empty, nothing in flight.
module weft_unit #(
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
    input  logic push_outside,
    // verilator lint_off UNUSEDSIGNAL
    input  logic [PORTS:0] push_ports,  // that it will own; the lowest bit is none
    // verilator lint_on UNUSEDSIGNAL
    output logic full,
    // semaphores
    input  logic [3:0] tokens,  // producers whose semaphore holds a token
    output logic [3:0] take,
    output logic [3:0] give,
    // the unit
    output logic [511:0] instruction,  // at the head
    input  logic ready,
    output logic start,
    input  logic finish,
    // banks
    output logic [BANKS-1:0] owned,  // by the instructions in flight
    output logic [BANKS-1:0] starting,  // by the one that starts now
    input  logic [BANKS-1:0] others,  // owned by other units, or starting in one that comes first
    output logic [BANKS-1:0] finish_banks,
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
  localparam SIGNAL_LSB = weft_isa_pkg::LOAD_SIGNAL_LSB;
  localparam INDEX_BITS = $clog2(FLIGHTS);
  localparam SLOTS = 1 << INDEX_BITS;

  // ---- queue ----
  logic [END+32+PORTS:0] head;
  logic [BANKS-1:0] head_banks;
  logic [$clog2(weft_config_pkg::QUEUE_DEPTH+1)-1:0] queued;
  logic [END+32+PORTS:0] push_data;
  if (PORTS == 0) begin : g_no_ports
    assign push_data = {push_outside, push_number, push_instruction[END-1:0]};
    assign head_banks = head[BANK_LSB+:MASKS];
  end else begin : g_ports
    assign push_data = {push_ports[PORTS:1], push_outside, push_number, push_instruction[END-1:0]};
    assign head_banks = {head[END+33+:PORTS], head[BANK_LSB+:MASKS]};
  end
  weft_queue #(
      .WIDTH(END + 33 + PORTS),
      .DEPTH(weft_config_pkg::QUEUE_DEPTH)
  ) queue (
      .clock(clock),
      .reset(reset),
      .push(push),
      .push_data(push_data),
      .pop(start),
      .head(head),
      .count(queued),
      .full(full)
  );
  assign waiting = queued != 0;
  assign instruction = {{512 - END{1'b0}}, head[END-1:0]};
  assign start_number = head[END+:32];

  // ---- start ----
  logic [3:0] wanted;
  logic [3:0] missing;
  logic outside;
  assign wanted = waiting ? head[WAIT_LSB+:4] : 4'd0;
  assign missing = wanted & ~tokens;
  assign outside = head[END+32];
  assign start = waiting && missing == 0 && ready;
  assign take = start ? wanted : 4'd0;
  assign starting = start ? head_banks : {BANKS{1'b0}};
  assign fault_address = start && outside;
  assign fault_bank = (starting & others) != 0 && !outside;

  // ---- in flight ----
  logic [BANKS+35:0] flights[0:SLOTS-1];  // number, signal, banks
  logic [INDEX_BITS-1:0] first;
  logic [INDEX_BITS-1:0] free;
  logic [INDEX_BITS:0] count;
  logic [BANKS+35:0] oldest;
  assign oldest = flights[first];
  assign flying = count != 0;
  assign finish_number = oldest[BANKS+4+:32];
  assign finish_banks = oldest[BANKS-1:0];
  assign give = finish ? oldest[BANKS+:4] : 4'd0;

  logic [BANKS-1:0] sum;  // temporary
  logic [INDEX_BITS-1:0] at;  // temporary
  /* verilator lint_off BLKSEQ */  // the temporaries above
  always_ff @(posedge clock) begin
    if (reset) begin
      first <= 0;
      free <= 0;
      count <= 0;
      owned <= 0;
    end else if (start || finish) begin
      sum = start ? head_banks : {BANKS{1'b0}};
      for (int i = 0; i < SLOTS; i++) begin
        at = first + i[INDEX_BITS-1:0];
        if (i[INDEX_BITS:0] < count && !(finish && i == 0)) sum = sum | flights[at][BANKS-1:0];
      end
      owned <= sum;
      if (start) begin
        flights[free] <= {start_number, head[SIGNAL_LSB+:4], head_banks};
        free <= free + 1'b1;
      end
      if (finish) first <= first + 1'b1;
      if (start != finish) count <= start ? count + 1'b1 : count - 1'b1;
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---- counters: a cycle is busy, empty, or waits for the first producer without a token ----
  assign count_busy = flying || (waiting && missing == 0);
  assign count_empty = !flying && !waiting;
  assign count_wait = flying ? 4'd0 : missing & (~missing + 4'd1);

`ifndef SYNTHESIS
  always_ff @(posedge clock) begin : flights_promised
    if (!reset && finish && !flying) $error("finish without an instruction in flight");
    if (!reset && start && count == FLIGHTS[INDEX_BITS:0]) $error("more instructions in flight than there is room for");
  end
`endif
endmodule
