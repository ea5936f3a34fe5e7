// Dispatch: takes instructions from fetch in order, decodes them, and puts each into the queue of its unit. FENCE and HALT are
// carried out here.
//
// Interface: as named. `pass` is high in the cycle in which an instruction passes, with `push` for the unit that gets it.
// `outside` belongs to the instruction that was pushed in the cycle before.
// Timing: taken in T, decoded and added up in T+1 to T+CHECK, tried from T+CHECK+1 on, idle in the cycle after it passed.
// Reset: synchronous; idle.
module weft_dispatch #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG
) (
    input  logic clock,
    input  logic reset,
    input  logic [8*64-1:0] region_limit,
    // fetch
    input  logic valid,
    input  logic [511:0] fetched,
    input  logic [31:0] fetched_number,
    input  logic at_end,
    output logic take,
    // units
    input  logic [3:0] full,
    input  logic all_idle,  // queues empty and nothing in flight
    output logic [3:0] push,
    output logic [511:0] instruction,
    output logic [31:0] number,
    output logic outside,  // the instruction that was pushed in the cycle before
    // events
    output logic pass,
    output logic halt,
    output logic trying,  // without success
    output logic fault_encoding,
    output logic fault_program_end,
    output logic [31:0] next_number,  // of the next instruction to pass
    output logic count_empty,
    output logic [3:0] count_full,
    output logic count_fence
);
  logic working;
  logic begin_check;  // it is T+1
  logic [3:0] left;  // cycles of the check that are left
  logic attempt;
  logic [3:0] unit;  // one-hot; 0: carried out here
  logic ends;  // it is HALT

  logic legal;
  weft_encoding #(
      .CONFIG(CONFIG)
  ) encoding (
      .clock(clock),
      .begin_check(begin_check),
      .instruction(instruction),
      .legal(legal)
  );
  weft_extents #(
      .CONFIG(CONFIG)
  ) extents (
      .clock(clock),
      .take(take),
      .taken_opcode(fetched[3:0]),
      .begin_check(begin_check),
      .instruction(instruction),
      .region_limit(region_limit),
      .outside(outside)
  );

  assign take = !working && valid;
  assign fault_encoding = attempt && !legal;
  assign push = attempt && legal ? unit & ~full : 4'd0;
  assign pass = push != 0 || (attempt && legal && unit == 0 && all_idle);
  assign halt = pass && ends;
  assign trying = attempt && !pass;
  assign fault_program_end = !working && !valid && at_end;
  assign next_number = working ? number : fetched_number;
  assign count_empty = !working && !valid;
  assign count_full = attempt && legal ? unit & full : 4'd0;
  assign count_fence = attempt && legal && unit == 0 && !all_idle;

  always_ff @(posedge clock) begin
    if (reset) begin
      working <= 1'b0;
      begin_check <= 1'b0;
      attempt <= 1'b0;
    end else begin
      begin_check <= take;
      if (take) working <= 1'b1;
      else if (pass) working <= 1'b0;
      if (working) attempt <= attempt ? !pass : left == 4'd1;
    end
    if (take) begin
      instruction <= fetched;
      number <= fetched_number;
      left <= weft_config_pkg::DURATION_CHECK[3:0];
    end else if (working && !attempt) begin
      left <= left - 4'd1;
    end
    if (begin_check) begin
      case (instruction[3:0])
        weft_isa_pkg::OPCODE_LOAD[3:0], weft_isa_pkg::OPCODE_FILL[3:0]: unit <= 4'b0001;
        weft_isa_pkg::OPCODE_MATRIX[3:0]: unit <= 4'b0010;
        weft_isa_pkg::OPCODE_VECTOR[3:0]: unit <= 4'b0100;
        weft_isa_pkg::OPCODE_STORE[3:0]: unit <= 4'b1000;
        default: unit <= 4'b0000;
      endcase
      ends <= instruction[3:0] == weft_isa_pkg::OPCODE_HALT[3:0];
    end
  end
endmodule
