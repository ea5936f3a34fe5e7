// Which fault is reported, and the two faults that no single unit sees: deadlock and watchdog.
//
// `fault` is combinational, from the events of one cycle; it comes late. Its code and number are there in the next cycle, chosen then from
// events that went into registers. Units in the order load, matrix, vector, store;
// numbers of instructions lie side by side, 32 bits each, load in the lowest bits.
//   dispatch_*      faults of dispatch and the number they carry
//   overflow        a unit's finish passes a semaphore's maximum; number: finish_numbers
//   outside, bank   a unit's start passes a limit, meets banks in flight; number: start_numbers, of the head of its queue
//   meets           in three parts: what `bank` says of a unit that starts and passes no limit
//   unwritable      a start of store is to a region that cannot be written; number: that of store
//   in_flight       a unit has an instruction in flight (its finish included)
//   starts          a unit starts an instruction now
//   blocked         dispatch is trying an instruction and does not pass it on
//   head_valid      a unit's queue is not empty
//   cycles          before this one; watchdog_limit 0: no limit
//   halts           HALT passes now: the watchdog is no fault then, though `fault` says it is: code and number are 0
//   next_number     the next instruction to pass dispatch, as of the beginning of the cycle
// Priority (docs/timing.md): dispatch; of load, matrix, vector, store in turn overflow, outside, unwritable, bank;
// deadlock; watchdog. Inputs count only while `running`. code and number are 0 without a fault.
// Reset: none.
module weft_faults (
    input  logic         clock,
    input  logic         running,
    input  logic         dispatch_encoding,
    input  logic         dispatch_program_end,
    input  logic [ 31:0] dispatch_number,
    input  logic [  3:0] overflow,
    input  logic [127:0] finish_numbers,
    input  logic [  3:0] outside,
    input  logic         unwritable,
    input  logic [  3:0] bank,
    input  logic [ 11:0] meets,  // three parts of each unit
    input  logic [127:0] start_numbers,
    input  logic [  3:0] in_flight,
    input  logic [  3:0] starts,
    input  logic         blocked,
    input  logic [  3:0] head_valid,
    input  logic [ 63:0] cycles,
    input  logic [ 63:0] watchdog_limit,
    input  logic         halts,
    input  logic [ 31:0] next_number,
    output logic         fault,
    output logic [  3:0] code,  // of the cycle before
    output logic [ 31:0] number
);
  logic dispatch_fault;
  logic unit_fault;
  logic deadlock;
  logic at_limit;
  logic watchdog;

  assign dispatch_fault = dispatch_encoding || dispatch_program_end;
  // What tells that banks meet comes last of all. A start that meets something faults, for this reason or as `outside`.
  logic [11:0] met;
  for (genvar u = 0; u < 4; u++) begin : g_met
    assign met[3*u+:3] = meets[3*u+:3] & {3{starts[u]}};
  end
  assign unit_fault = {overflow, outside, met, unwritable} != 0;
  assign deadlock = blocked && (in_flight | starts) == 0;
  // cycles + 1 == watchdog_limit, without a carry that runs: when all lower bits are right, one comes out of a bit that was 1 and is 0.
  // HALT ends the run as well, so `fault` need not ask for it, which comes late; the code does.
  assign at_limit = (cycles ^ watchdog_limit) == {cycles[62:0] & ~watchdog_limit[62:0], 1'b1} && watchdog_limit != 0;
  assign watchdog = at_limit && !halts;
  assign fault = running && (dispatch_fault || unit_fault || deadlock || at_limit);

  function automatic [31:0] chosen(input [3:0] which, input [127:0] numbers);
    chosen = numbers[31:0] & {32{which[0]}} | numbers[63:32] & {32{which[1]}} | numbers[95:64] & {32{which[2]}}
        | numbers[127:96] & {32{which[3]}};
  endfunction
  // DEADLOCK: the head with the smallest number, one-hot: none before it is as small, none behind it smaller. low_1: head 0 is not above
  // head 1; low_2: heads 0 and 1 are not above head 2; low_3.
  function automatic [3:0] smallest_of(input [3:0] valid, input low_1, input [1:0] low_2, input [2:0] low_3);
    smallest_of[0] = valid[0] && (valid[3:1] & ~{low_3[0], low_2[0], low_1}) == 0;
    smallest_of[1] = valid[1] && (valid & {!low_3[1], !low_2[1], 1'b0, low_1}) == 0;
    smallest_of[2] = valid[2] && (valid & {!low_3[2], 1'b0, low_2}) == 0;
    smallest_of[3] = valid[3] && (valid[2:0] & low_3) == 0;
  endfunction

  // ---- the next cycle ----
  // Events as they were: what is chosen among them is not in their way.
  logic ran, encoding, program_end, unwritable_was, deadlock_was, watchdog_was;
  logic [3:0] overflow_was, outside_was, bank_was;
  logic [127:0] finish_numbers_were, start_numbers_were;
  logic [31:0] dispatch_number_was, next_number_was;
  logic [3:0] valid_was;
  logic low_1;
  logic [1:0] low_2;
  logic [2:0] low_3;
  always_ff @(posedge clock) begin
    ran <= running;
    encoding <= dispatch_encoding;
    program_end <= dispatch_program_end;
    overflow_was <= overflow;
    outside_was <= outside;
    unwritable_was <= unwritable;
    bank_was <= bank;
    deadlock_was <= deadlock;
    watchdog_was <= watchdog;
    finish_numbers_were <= finish_numbers;
    start_numbers_were <= start_numbers;
    dispatch_number_was <= dispatch_number;
    next_number_was <= next_number;
    if (blocked && in_flight == 0) begin
      valid_was <= head_valid;
      low_1 <= start_numbers[31:0] <= start_numbers[63:32];
      low_2 <= {start_numbers[63:32] <= start_numbers[95:64], start_numbers[31:0] <= start_numbers[95:64]};
      low_3 <= {
        start_numbers[95:64] <= start_numbers[127:96],
        start_numbers[63:32] <= start_numbers[127:96],
        start_numbers[31:0] <= start_numbers[127:96]
      };
    end
  end

  // Who is reported, one-hot: nobody before it in the order has a fault; and what a unit would report.
  logic [3:0] faulty, reported, smallest;
  logic [15:0] unit_codes;
  logic [127:0] unit_numbers;
  logic by_dispatch, by_deadlock, by_watchdog;
  assign faulty = overflow_was | outside_was | bank_was | {unwritable_was, 3'd0};
  assign by_dispatch = ran && (encoding || program_end);
  assign reported = ran && !by_dispatch ? faulty & {faulty[2:0] == 0, faulty[1:0] == 0, !faulty[0], 1'b1} : 4'd0;
  for (genvar u = 0; u < 4; u++) begin : g_unit
    assign unit_codes[4*u+:4] = overflow_was[u] ? weft_isa_pkg::FAULT_SEMAPHORE[3:0]
        : outside_was[u] ? weft_isa_pkg::FAULT_ADDRESS[3:0]
        : u == weft_isa_pkg::UNIT_STORE && unwritable_was ? weft_isa_pkg::FAULT_WRITE[3:0] : weft_isa_pkg::FAULT_BANK[3:0];
    assign unit_numbers[32*u+:32] = overflow_was[u] ? finish_numbers_were[32*u+:32] : start_numbers_were[32*u+:32];
  end
  assign by_deadlock = ran && !by_dispatch && faulty == 0 && deadlock_was;
  assign by_watchdog = ran && !by_dispatch && faulty == 0 && !deadlock_was && watchdog_was;

  assign smallest = smallest_of(valid_was, low_1, low_2, low_3) & {4{by_deadlock}};
  assign number = dispatch_number_was & {32{by_dispatch}} | chosen(reported | smallest, unit_numbers)
      | {32{by_deadlock && valid_was == 0}} | next_number_was & {32{by_watchdog}};
  assign code = (encoding ? weft_isa_pkg::FAULT_ENCODING[3:0] : weft_isa_pkg::FAULT_PROGRAM_END[3:0]) & {4{by_dispatch}}
      | unit_codes[3:0] & {4{reported[0]}} | unit_codes[7:4] & {4{reported[1]}} | unit_codes[11:8] & {4{reported[2]}}
      | unit_codes[15:12] & {4{reported[3]}}
      | weft_isa_pkg::FAULT_DEADLOCK[3:0] & {4{by_deadlock}} | weft_isa_pkg::FAULT_WATCHDOG[3:0] & {4{by_watchdog}};
endmodule
