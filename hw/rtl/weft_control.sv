// The control of the machine: fetch, dispatch, the heads of the four queues, their tokens, and which fault ends a run.
// Interface: units in the order load, matrix, vector, store; instructions of 512 bits and numbers of 32 lie side by side.
//   fetch_*        master of the memory port, region 0; a beat of 64 bytes or less is on fetch_data with fetch_beat
//   heads          the head of each queue; start[u]: it starts in this cycle, which `ready` of the unit allows
//   finish         the unit's oldest instruction in flight finishes; finish_acc_banks: the ACC banks that matrix then frees
//   refused[u]     the start of u is one with fault ADDRESS, WRITE or BANK
//   pass           an instruction, with `number`, passes dispatch; halt: it is HALT
//   fault          ends the run; its code and number are there in the next cycle
//   count_*        what the counters of the same names count
// Timing: docs/timing.md.
// Reset: `idle`, which is 1 while no run is on: everything is empty, every semaphore 0.
`include "weft_isa_slices.svh"
module weft_control #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,
    localparam WIDTH = CONFIG[weft_config_pkg::AT_MEMORY_WIDTH+:32],
    localparam BURST_BITS = $clog2(CONFIG[weft_config_pkg::AT_MEMORY_BURST+:32]) + 1
) (
    input  logic clock,
    input  logic idle,
    input  logic running,
    input  logic [63:0] cycles,  // before this one
    input  logic [63:0] watchdog_limit,
    input  logic [8*64-1:0] region_limit,
    input  logic [7:0] region_writable,
    output logic fetch_request,
    input  logic fetch_grant,
    output logic [49:0] fetch_address,
    output logic [BURST_BITS-1:0] fetch_bytes,
    output logic [BURST_BITS-1:0] fetch_beats,
    input  logic fetch_beat,
    input  logic [8*WIDTH-1:0] fetch_data,
    output logic [4*512-1:0] heads,
    output logic [3:0] flying,
    input  logic [3:0] ready,
    output logic [3:0] start,
    output logic [3:0] refused,
    output logic [4*32-1:0] start_numbers,
    input  logic [3:0] finish,
    output logic [3:0] finish_acc_banks,
    output logic [4*32-1:0] finish_numbers,
    output logic pass,
    output logic [31:0] number,
    output logic halt,
    output logic fault,
    output logic [3:0] fault_code,
    output logic [31:0] fault_number,
    output logic [31:0] next_number,
    output logic count_fetch_empty,
    output logic [3:0] count_full,
    output logic count_fence,
    output logic [3:0] count_busy,
    output logic [3:0] count_empty,
    output logic [15:0] count_wait  // [4*u+v]: u waits for a token of v
);
  localparam MATRIX = weft_isa_pkg::UNIT_MATRIX;
  localparam STORE = weft_isa_pkg::UNIT_STORE;
  localparam MASKS = weft_isa_pkg::LOAD_LUT_BANKS_LSB + 1 - weft_isa_pkg::LOAD_ACT_BANKS_LSB;
  // Where several banks of ACT share a RAM, an instruction owns its read port, its write port or both, too.
  localparam ACT_BANKS = CONFIG[weft_config_pkg::AT_ACT_BANKS+:32];
  localparam RAMS = CONFIG[weft_config_pkg::AT_ACT_RAMS+:32];
  localparam PORTS = RAMS < ACT_BANKS ? 2 * RAMS : 0;
  localparam BANKS = MASKS + PORTS;

  // ---- fetch and dispatch ----
  logic fetch_valid, fetch_end, take, all_idle, outside;
  logic [511:0] fetched, instruction;
  logic [31:0] fetched_number;
  logic [3:0] full, push;
  logic trying, fault_encoding, fault_program_end;
  weft_fetch #(
      .CONFIG(CONFIG)
  ) fetch (
      .clock(clock),
      .reset(idle),
      .limit(region_limit[63:0]),
      .request(fetch_request),
      .grant(fetch_grant),
      .address(fetch_address),
      .bytes(fetch_bytes),
      .beats(fetch_beats),
      .beat(fetch_beat),
      .beat_data(fetch_data),
      .valid(fetch_valid),
      .instruction(fetched),
      .take(take),
      .at_end(fetch_end),
      .taken(fetched_number)
  );
  weft_dispatch #(
      .CONFIG(CONFIG)
  ) dispatch (
      .clock(clock),
      .reset(idle),
      .region_limit(region_limit),
      .valid(fetch_valid),
      .fetched(fetched),
      .fetched_number(fetched_number),
      .at_end(fetch_end),
      .take(take),
      .full(full),
      .all_idle(all_idle),
      .push(push),
      .instruction(instruction),
      .number(number),
      .outside(outside),
      .pass(pass),
      .halt(halt),
      .trying(trying),
      .fault_encoding(fault_encoding),
      .fault_program_end(fault_program_end),
      .next_number(next_number),
      .count_empty(count_fetch_empty),
      .count_full(count_full),
      .count_fence(count_fence)
  );

  // Ports of RAMs of ACT, of the instruction that dispatch holds, by unit: bits 1 to RAMS to read, the others to write. Dispatch
  // checks it for longer than this takes.
  logic taken;
  logic [4*(PORTS+1)-1:0] push_ports;
  // verilator lint_off UNSIGNED
  always_ff @(posedge clock) begin : ports  // of none, where each bank has a RAM of its own: then no r is less than PORTS / 2
    logic [31:0] act_banks, vector_reads, vector_writes;
    taken <= take;
    if (taken) begin
      act_banks = instruction[`WEFT_LOAD_ACT_BANKS];
      vector_writes = act_banks & ~instruction[`WEFT_VECTOR_INPUT_BANKS];
      vector_reads = instruction[`WEFT_VECTOR_APART] ? act_banks & instruction[`WEFT_VECTOR_INPUT_BANKS] : act_banks;
      push_ports <= 0;
      for (int r = 0; r < PORTS / 2; r++) begin
        push_ports[weft_isa_pkg::UNIT_LOAD*(PORTS+1)+1+RAMS+r] <= |act_banks[r*(ACT_BANKS/RAMS)+:ACT_BANKS/RAMS];
        push_ports[MATRIX*(PORTS+1)+1+r] <= |act_banks[r*(ACT_BANKS/RAMS)+:ACT_BANKS/RAMS];
        push_ports[weft_isa_pkg::UNIT_VECTOR*(PORTS+1)+1+r] <= |vector_reads[r*(ACT_BANKS/RAMS)+:ACT_BANKS/RAMS];
        push_ports[weft_isa_pkg::UNIT_VECTOR*(PORTS+1)+1+RAMS+r] <= |vector_writes[r*(ACT_BANKS/RAMS)+:ACT_BANKS/RAMS];
        push_ports[STORE*(PORTS+1)+1+r] <= |act_banks[r*(ACT_BANKS/RAMS)+:ACT_BANKS/RAMS];
      end
    end
  end
  // verilator lint_on UNSIGNED

  // ---- what the units share ----
  logic [3:0] waiting, fault_address, fault_bank, overflow;
  logic [11:0] meets;  // of each unit, in three parts: whether the banks of its head meet those of others
  logic [15:0] tokens, waits, signals;
  logic [4*BANKS-1:0] owned, head_banks;
  // verilator lint_off UNUSEDSIGNAL
  logic [15:0] freed_acc_banks;  // matrix wants its own
  // verilator lint_on UNUSEDSIGNAL
  assign finish_acc_banks = freed_acc_banks[MATRIX*4+:4];
  localparam [127:0] ENDS = {
    weft_isa_pkg::STORE_END, weft_isa_pkg::VECTOR_END, weft_isa_pkg::MATRIX_END, weft_isa_pkg::LOAD_END
  };
  localparam [127:0] FLIGHTS = {
    CONFIG[weft_config_pkg::AT_STORE_INSTRUCTIONS+:32], 32'd2, CONFIG[weft_config_pkg::AT_MATRIX_INSTRUCTIONS+:32], CONFIG[weft_config_pkg::AT_LOAD_INSTRUCTIONS+:32]
  };
  for (genvar u = 0; u < 4; u++) begin : g_unit
    // Do the banks of the head meet those in flight in the other units, or those at the head of one before that starts now? All
    // masks meet before it is known who starts.
    logic [BANKS-1:0] head, others;
    localparam LOWER = BANKS / 2;
    localparam UPPER = BANKS - LOWER;
    logic [BANKS-1:0] both;
    logic [3:0] heads_meet;
    assign head = head_banks[u*BANKS+:BANKS];
    assign others = owned[(u^1)*BANKS+:BANKS] | owned[(u^2)*BANKS+:BANKS] | owned[(u^3)*BANKS+:BANKS];
    for (genvar v = 0; v < 4; v++) begin : g_before
      if (v < u) begin : g_meets
        assign heads_meet[v] = (head & head_banks[v*BANKS+:BANKS]) != 0;
      end else begin : g_none
        assign heads_meet[v] = 1'b0;
      end
    end
    assign both = head & others;
    // Are there any? What is added to ones carries if it is not 0: a carry is faster than a tree of gates, whose wires take longer.
    logic [LOWER:0] lower;
    logic [UPPER:0] upper;
    assign lower = {1'b0, both[LOWER-1:0]} + {1'b0, {LOWER{1'b1}}};
    assign upper = {1'b0, both[LOWER+:UPPER]} + {1'b0, {UPPER{1'b1}}};
    assign meets[3*u+:3] = {(heads_meet & start) != 0, upper[UPPER], lower[LOWER]};
    weft_unit #(
        .CONFIG(CONFIG),
        .END(ENDS[u*32+:32]),
        .FLIGHTS(FLIGHTS[u*32+:32]),
        .MASKS(MASKS),
        .PORTS(PORTS)
    ) unit (
        .clock(clock),
        .reset(idle),
        .push(push[u]),
        .push_instruction(instruction),
        .push_number(number),
        .pushed_outside(outside),
        .push_ports(push_ports[u*(PORTS+1)+:PORTS+1]),
        .full(full[u]),
        .tokens(tokens[4*u+:4]),
        .waits(waits[4*u+:4]),
        .signals(signals[4*u+:4]),
        .instruction(heads[u*512+:512]),
        .ready(ready[u]),
        .start(start[u]),
        .finish(finish[u]),
        .owned(owned[u*BANKS+:BANKS]),
        .head_banks(head_banks[u*BANKS+:BANKS]),
        .meets(meets[3*u+:3] != 0),
        .finish_acc_banks(freed_acc_banks[u*4+:4]),
        .fault_address(fault_address[u]),
        .fault_bank(fault_bank[u]),
        .start_number(start_numbers[u*32+:32]),
        .finish_number(finish_numbers[u*32+:32]),
        .waiting(waiting[u]),
        .flying(flying[u]),
        .count_busy(count_busy[u]),
        .count_empty(count_empty[u]),
        .count_wait(count_wait[4*u+:4])
    );
  end
  assign all_idle = (waiting | flying) == 0;

  // A STORE that starts, to a region that the driver has not made writable.
  logic fault_write;
  assign fault_write = start[STORE] && !region_writable[heads[STORE*512+`WEFT_STORE_REGION]];
  assign refused = fault_address | fault_bank | {fault_write, 3'd0};

  weft_semaphores #(
      .SEMAPHORE_MAX(CONFIG[weft_config_pkg::AT_SEMAPHORE_MAX+:32])
  ) semaphores (
      .clock(clock),
      .reset(idle),
      .take(start),
      .wait_masks(waits),
      .give(finish),
      .signal_masks(signals),
      .available(tokens),
      .overflow(overflow)
  );

  weft_faults faults (
      .clock(clock),
      .running(running),
      .dispatch_encoding(fault_encoding),
      .dispatch_program_end(fault_program_end),
      .dispatch_number(next_number),
      .overflow(overflow),
      .finish_numbers(finish_numbers),
      .outside(fault_address),
      .unwritable(fault_write),
      .bank(fault_bank),
      .meets(meets),
      .start_numbers(start_numbers),
      .in_flight(flying),
      .starts(start),
      .blocked(trying),
      .head_valid(waiting),
      .cycles(cycles),
      .watchdog_limit(watchdog_limit),
      .halts(halt),
      .next_number(next_number),
      .fault(fault),
      .code(fault_code),
      .number(fault_number)
  );
endmodule
