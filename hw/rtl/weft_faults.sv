// Which fault is reported, and the two faults that no single unit sees: deadlock and watchdog.
//
// All combinational, from the events of one cycle. Units in the order load, matrix, vector, store;
// numbers of instructions lie side by side, 32 bits each, load in the lowest bits.
//   dispatch_*      faults of dispatch and the number they carry
//   overflow        a unit's finish passes a semaphore's maximum; number: finish_numbers
//   outside, bank   a unit's start passes a limit, meets banks in flight; number: start_numbers
//   unwritable      a start of store is to a region that cannot be written; number: that of store
//   in_flight       a unit has an instruction in flight (its finish included)
//   starts          a unit starts an instruction now
//   blocked         dispatch is trying an instruction and does not pass it on
//   head_valid      a unit's queue is not empty; head_numbers: the number of its head
//   cycle           number of this cycle; watchdog_limit 0: no limit
//   halts           HALT passes now
//   next_number     the next instruction to pass dispatch, as of the beginning of the cycle
// Priority (docs/timing.md): dispatch; of load, matrix, vector, store in turn overflow, outside, unwritable, bank;
// deadlock; watchdog. Inputs count only while `running`. code and number are 0 without a fault.
module weft_faults (
    input  logic         running,
    input  logic         dispatch_encoding,
    input  logic         dispatch_program_end,
    input  logic [ 31:0] dispatch_number,
    input  logic [  3:0] overflow,
    input  logic [127:0] finish_numbers,
    input  logic [  3:0] outside,
    input  logic         unwritable,
    input  logic [  3:0] bank,
    input  logic [127:0] start_numbers,
    input  logic [  3:0] in_flight,
    input  logic [  3:0] starts,
    input  logic         blocked,
    input  logic [  3:0] head_valid,
    input  logic [127:0] head_numbers,
    input  logic [ 63:0] cycle,
    input  logic [ 63:0] watchdog_limit,
    input  logic         halts,
    input  logic [ 31:0] next_number,
    output logic         fault,
    output logic [  3:0] code,
    output logic [ 31:0] number
);
  logic dispatch_fault;
  logic unit_fault;
  logic deadlock;
  logic watchdog;

  assign dispatch_fault = dispatch_encoding || dispatch_program_end;
  assign unit_fault = (overflow | outside | bank) != 0 || unwritable;
  assign deadlock = blocked && (in_flight | starts) == 0;
  assign watchdog = cycle == watchdog_limit && watchdog_limit != 0 && !halts;
  assign fault = running && (dispatch_fault || unit_fault || deadlock || watchdog);

  // The smallest number among the heads. A function: Icarus makes an always_comb that reads what it has
  // written trigger itself for ever.
  function automatic [31:0] smallest(input [3:0] valid, input [127:0] numbers);
    smallest = 32'hffffffff;
    for (integer unit = 0; unit < 4; unit = unit + 1) begin
      if (valid[unit] && numbers[32*unit+:32] < smallest) smallest = numbers[32*unit+:32];
    end
  endfunction

  // The fault of the first unit that has one: later assignments win, so units come in reverse order.
  logic [ 3:0] unit_code;
  logic [31:0] unit_number;
  always_comb begin
    unit_code   = weft_isa_pkg::FAULT_NONE[3:0];
    unit_number = 32'd0;
    if (unit_fault) begin
      for (integer unit = 3; unit >= 0; unit = unit - 1) begin
        if (overflow[unit]) begin
          unit_code   = weft_isa_pkg::FAULT_SEMAPHORE[3:0];
          unit_number = finish_numbers[32*unit+:32];
        end else if (outside[unit] || unwritable && unit == 3 || bank[unit]) begin
          unit_code = outside[unit] ? weft_isa_pkg::FAULT_ADDRESS[3:0]
                      : unwritable && unit == 3 ? weft_isa_pkg::FAULT_WRITE[3:0]
                                                : weft_isa_pkg::FAULT_BANK[3:0];
          unit_number = start_numbers[32*unit+:32];
        end
      end
    end
  end

  always_comb begin
    code   = weft_isa_pkg::FAULT_NONE[3:0];
    number = 32'd0;
    if (fault) begin
      if (dispatch_fault) begin
        code = dispatch_encoding ? weft_isa_pkg::FAULT_ENCODING[3:0]
                                 : weft_isa_pkg::FAULT_PROGRAM_END[3:0];
        number = dispatch_number;
      end else if (unit_fault) begin
        code   = unit_code;
        number = unit_number;
      end else if (deadlock) begin
        code   = weft_isa_pkg::FAULT_DEADLOCK[3:0];
        number = smallest(head_valid, head_numbers);
      end else begin
        code   = weft_isa_pkg::FAULT_WATCHDOG[3:0];
        number = next_number;
      end
    end
  end
endmodule
