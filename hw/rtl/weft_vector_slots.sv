// The sequencer of the vector unit: what each slot is, all addresses, and when results are due. SOFTMAX, which goes through rows,
// has a sequencer of its own (weft_softmax_slots).
// A start in T takes the instruction. Slots are the cycles T+1 to T+S, with `slot`; `finish` is high in F = T + S + DRAIN, `busy`
// in T+1 to F. A slot reads a PAR line, operand a (REQUANT: ACC, else ACT) or operand b, or is kept for a write to ACT; of
// SQUARED_DIFFERENCE two slots before the one for the write do nothing, as its lanes are busy for longer. The
// write itself comes DRAIN cycles after the slot of its vector (REQUANT: its ACC slot), in a write slot again or behind
// the last slot, so that the last one is in F; of POOL in the write slot of the next vector, the last one DRAIN cycles after its own.
// With `deep_pipeline` what ACC and ACT read comes a cycle later; ACC is read a cycle before its slot, as a record's lines come first. A window of
// one tap has a slot of nothing behind it then: POOL has its byte too late for the write slot of the next vector. And the last line of a record of
// sums, which is needed no sooner than the first operand comes, is read beside it.
//
// With the data of a read on the port of the memory, the lanes hear what came: `latch` with the number of the
// line in its record, `take_a` (`window_begin`: the first tap of a window) or `take_b`. `emit` is high when bytes are to go to
// the clamp as they are: FILL in T+1, COPY, LUT, MAX, MIN and POOL one cycle after the write slot (`deep_pipeline`: two).
// `clear` (synchronous): idle. Idle, the outputs that ask for something are 0.
`include "weft_isa_slices.svh"
module weft_vector_slots #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,
    // From the configuration; nobody sets them.
    parameter integer ACT_LINE_BITS  = $clog2(CONFIG[weft_config_pkg::AT_ACT_BYTES+:32] / CONFIG[weft_config_pkg::AT_BLOCK+:32]),
    parameter integer ACC_ENTRY_BITS = $clog2(CONFIG[weft_config_pkg::AT_ACC_BYTES+:32] / CONFIG[weft_config_pkg::AT_BLOCK+:32]) - 2,
    parameter integer PAR_LINE_BITS  = $clog2(CONFIG[weft_config_pkg::AT_PAR_BYTES+:32] / CONFIG[weft_config_pkg::AT_BLOCK+:32])
) (
    input  logic                      clock,
    input  logic                      clear,
    input  logic                      start,
    // verilator lint_off UNUSEDSIGNAL
    input  logic [             511:0] instruction,   // the other fields belong to dispatch and the lanes
    // verilator lint_on UNUSEDSIGNAL
    output logic                      finish,
    output logic                      slot,
    output logic                      act_valid,
    output logic                      act_write,
    output logic [ ACT_LINE_BITS-1:0] act_line,
    output logic                      acc_valid,
    output logic [ACC_ENTRY_BITS-1:0] acc_entry,
    output logic                      par_valid,
    output logic [ PAR_LINE_BITS-1:0] par_line,
    output logic                      latch,
    output logic [               3:0] latch_line,
    output logic                      take_a,
    output logic                      window_begin,
    output logic                      take_b,
    output logic                      emit
);
  localparam integer A_BITS = ACT_LINE_BITS > ACC_ENTRY_BITS ? ACT_LINE_BITS : ACC_ENTRY_BITS;
  localparam integer LONGEST = CONFIG[weft_config_pkg::AT_DEEP_PIPELINE+:32] != 0
      ? weft_config_pkg::DEEP_DRAIN_SQUARED_DIFFERENCE : weft_config_pkg::DRAIN_SQUARED_DIFFERENCE;
  localparam [31:0] SUM_LINES = (32'd15 + CONFIG[weft_config_pkg::AT_BLOCK+:32]) / CONFIG[weft_config_pkg::AT_BLOCK+:32];

  localparam SHORT_RECORDS = CONFIG[weft_config_pkg::AT_SHORT_RECORDS+:32] != 0;
  localparam DEEP = CONFIG[weft_config_pkg::AT_DEEP_PIPELINE+:32] != 0;

  // What a slot does.
  localparam [2:0] LATCH = 3'd0;
  localparam [2:0] READ_A = 3'd1;
  localparam [2:0] READ_B = 3'd2;
  localparam [2:0] WRITE = 3'd3;
  localparam [2:0] PAUSE = 3'd4;
  localparam [2:0] PAUSE_AGAIN = 3'd5;

  logic busy;
  logic [2:0] kind;
  logic a_read, b_read, window_began, came;  // what take_a, take_b, window_begin, emit are without `deep_pipeline`
  logic requant, pool, fill, square, two, bytes;  // the function; two: with operand b; bytes: `emit` tells when they are there
  logic [3:0] record_line, record_end;  // line of the record, and the last one that has a slot of its own
  logic beside;  // the last line of the record is read beside the first operand

  // ---- what is due how many cycles after a slot: bit i stands for i cycles ----

  logic [LONGEST:1] vectors;  // the slot from which the write of a vector counts that is not the last
  logic [LONGEST:1] lasts;  // the same of the last vector
  logic [LONGEST:1] due, last_due;
  logic written_before;  // POOL: a vector is waiting for its write
  logic vector_slot;
  logic write;

  assign vector_slot = slot && (requant ? kind == READ_A : kind == WRITE);
  assign write = (vectors & due) != 0 || finish || (pool && vector_slot && written_before);
  assign finish = (lasts & last_due) != 0;

  // ---- addresses ----

  logic [A_BITS-1:0] a_line;
  // verilator lint_off UNUSEDSIGNAL
  logic [A_BITS-1:0] tap_line;  // of ACT, which may have fewer lines than ACC has entries
  // verilator lint_on UNUSEDSIGNAL
  logic [ACT_LINE_BITS-1:0] b_line, out_line;
  logic block_end, last;  // of the vector of this slot
  logic a_block_end, a_last;  // of the one that walk_a is at
  logic ahead, read_ahead;  // REQUANT may read a cycle ahead of its slots: does it, and now
  // verilator lint_off UNUSEDSIGNAL
  logic [3:0] unused;  // the walks go in step; walk_a says where they are
  // verilator lint_on UNUSEDSIGNAL

  weft_vector_walk #(
      .BITS(A_BITS)
  ) walk_a (
      .clock(clock),
      .start(start),
      .base(instruction[`WEFT_VECTOR_A]),
      .counts(instruction[`WEFT_VECTOR_COUNT]),
      .strides(instruction[`WEFT_VECTOR_A_STRIDE]),
      .step(ahead ? read_ahead : vector_slot),
      .line(a_line),
      .block_end(a_block_end),
      .last(a_last)
  );

  if (DEEP) begin : g_ahead
    logic read_block_end, read_last;  // of what was read last
    assign ahead = requant;
    assign read_ahead = slot && (kind == LATCH ? record_line == record_end : !block_end);
    assign block_end = requant ? read_block_end : a_block_end;
    assign last = requant ? read_last : a_last;
    always_ff @(posedge clock) begin : reads
      if (read_ahead) begin
        read_block_end <= a_block_end;
        read_last <= a_last;
      end
    end
  end else begin : g_in_time
    assign ahead = 1'b0;
    assign read_ahead = slot && kind == READ_A;
    assign block_end = a_block_end;
    assign last = a_last;
  end
  weft_vector_walk #(
      .BITS(ACT_LINE_BITS)
  ) walk_b (
      .clock(clock),
      .start(start),
      .base(instruction[`WEFT_VECTOR_B]),
      .counts(instruction[`WEFT_VECTOR_COUNT]),
      .strides(instruction[`WEFT_VECTOR_B_STRIDE]),
      .step(vector_slot && two),
      .line(b_line),
      .block_end(unused[0]),
      .last(unused[1])
  );
  weft_vector_walk #(
      .BITS(ACT_LINE_BITS)
  ) walk_out (
      .clock(clock),
      .start(start),
      .base(instruction[`WEFT_VECTOR_OUT]),
      .counts(instruction[`WEFT_VECTOR_COUNT]),
      .strides(instruction[`WEFT_VECTOR_OUT_STRIDE]),
      .step(write),
      .line(out_line),
      .block_end(unused[2]),
      .last(unused[3])
  );

  // The window of POOL: lines from the vector's first one to the row and to the tap.
  logic [A_BITS-1:0] row_offset, tap_offset, row_stride, tap_stride;
  logic [5:0] row, tap, row_count, tap_count;  // rows and taps begun, from 1
  logic row_end, window_end;

  assign row_end = tap == tap_count;
  assign window_end = row_end && row == row_count;
  assign tap_line = a_line + tap_offset;

  assign act_write = write;
  assign act_valid = write || (slot && ((kind == READ_A && !requant) || kind == READ_B));
  assign act_line = write ? out_line : kind == READ_B ? b_line : tap_line[ACT_LINE_BITS-1:0];
  assign acc_valid = requant && read_ahead;
  assign acc_entry = a_line[ACC_ENTRY_BITS-1:0];
  assign par_valid = slot && (kind == LATCH || (beside && kind == READ_A));

  // The bits of the drain of a function, without and with `deep_pipeline`: of the last vector's, and of the next one that is in a slot of the same
  // kind, of which there is one in `period`.
  function automatic [2*LONGEST-1:0] after(input [31:0] drain, input [31:0] deep, input [31:0] period);
    logic [31:0] cycles;
    cycles = DEEP ? deep : drain;
    after = {LONGEST'(1) << (cycles - 32'd1), LONGEST'(1) << ((cycles + period - 32'd1) / period * period - 32'd1)};
  endfunction

  // ---- the next slot; a register is read above the line that writes it, which spares a simulator a copy ----

  always_ff @(posedge clock) begin : slots
    logic [3:0] code;
    logic [1:0] rounding;
    logic sum, as_float, once;
    logic [A_BITS-1:0] next_row;
    logic [2:0] now;
    logic ends_row, ends_window;
    now = kind;
    ends_row = row_end;
    ends_window = window_end;
    if (busy) begin
      latch <= par_valid;
      latch_line <= beside && kind == READ_A ? SUM_LINES[3:0] - 4'd1 : record_line;
      a_read <= slot && kind == READ_A;
      b_read <= slot && kind == READ_B;
      window_began <= tap == 6'd1 && row == 6'd1;
      came <= bytes && vector_slot;
      take_a <= DEEP && !requant ? a_read : slot && kind == READ_A;
      take_b <= DEEP ? b_read : slot && kind == READ_B;
      window_begin <= DEEP ? window_began : tap == 6'd1 && row == 6'd1;
      emit <= DEEP ? came : bytes && vector_slot;
      vectors <= {vectors[LONGEST-1:1], vector_slot && !last && !pool};
      lasts <= {lasts[LONGEST-1:1], vector_slot && last};
      if (finish) begin
        busy <= 1'b0;
        vectors <= {LONGEST{1'b0}};
        lasts <= {LONGEST{1'b0}};
      end
      if (vector_slot) written_before <= 1'b1;
      if (slot) begin
        case (now)
          LATCH: begin
            par_line <= par_line + 1'b1;
            if (record_line == record_end) kind <= READ_A;
            record_line <= record_line == record_end ? 4'd0 : record_line + 4'd1;
          end
          READ_A: begin
            beside <= 1'b0;
            if (requant) begin
              if (block_end) kind <= LATCH;
              if (last) slot <= 1'b0;
            end else if (two) begin
              kind <= READ_B;
            end else if (ends_window) begin
              kind <= DEEP && pool && tap == 6'd1 && row == 6'd1 ? PAUSE_AGAIN : WRITE;
            end
            next_row = ends_window ? {A_BITS{1'b0}} : row_offset + row_stride;
            tap <= ends_row ? 6'd1 : tap + 6'd1;
            tap_offset <= ends_row ? next_row : tap_offset + tap_stride;
            if (ends_row) begin
              row <= ends_window ? 6'd1 : row + 6'd1;
              row_offset <= next_row;
            end
          end
          READ_B: kind <= square ? PAUSE : WRITE;
          PAUSE: kind <= PAUSE_AGAIN;
          PAUSE_AGAIN: kind <= WRITE;
          default: begin
            if (!fill) kind <= READ_A;
            if (last) slot <= 1'b0;
          end
        endcase
      end
    end
    if (start) begin
      code = instruction[`WEFT_VECTOR_FUNCTION];
      sum = code == weft_isa_pkg::FUNCTION_ADD[3:0] || code == weft_isa_pkg::FUNCTION_SUB[3:0]
          || code == weft_isa_pkg::FUNCTION_SQUARED_DIFFERENCE[3:0];
      rounding = instruction[`WEFT_VECTOR_ROUNDING];
      as_float = rounding == weft_isa_pkg::ROUNDING_FLOAT[1:0];
      once = as_float || rounding == weft_isa_pkg::ROUNDING_SINGLE[1:0];
      busy <= 1'b1;
      slot <= 1'b1;
      requant <= code == weft_isa_pkg::FUNCTION_REQUANT[3:0];
      pool <= code == weft_isa_pkg::FUNCTION_POOL[3:0];
      square <= code == weft_isa_pkg::FUNCTION_SQUARED_DIFFERENCE[3:0];
      fill <= code == weft_isa_pkg::FUNCTION_FILL[3:0];
      bytes <= code == weft_isa_pkg::FUNCTION_POOL[3:0] || code == weft_isa_pkg::FUNCTION_COPY[3:0] || code == weft_isa_pkg::FUNCTION_LUT[3:0]
          || code == weft_isa_pkg::FUNCTION_MAX[3:0] || code == weft_isa_pkg::FUNCTION_MIN[3:0];
      two <= sum || code == weft_isa_pkg::FUNCTION_MUL[3:0]
          || code == weft_isa_pkg::FUNCTION_MAX[3:0] || code == weft_isa_pkg::FUNCTION_MIN[3:0];
      emit <= code == weft_isa_pkg::FUNCTION_FILL[3:0];
      written_before <= 1'b0;
      record_line <= 4'd0;
      beside <= DEEP && sum;
      record_end <= sum ? SUM_LINES[3:0] - (DEEP ? 4'd2 : 4'd1)
          : !instruction[`WEFT_VECTOR_PER_CHANNEL] ? 4'd3
          : SHORT_RECORDS && instruction[`WEFT_VECTOR_SHORT_RECORDS] ? 4'd6 : 4'd8;
      par_line <= PAR_LINE_BITS'(instruction[`WEFT_VECTOR_PAR]);
      row <= 6'd1;
      tap <= 6'd1;
      row_offset <= {A_BITS{1'b0}};
      tap_offset <= {A_BITS{1'b0}};
      row_count <= 6'd1;
      tap_count <= 6'd1;
      if (code == weft_isa_pkg::FUNCTION_POOL[3:0]) begin
        row_count <= instruction[`WEFT_VECTOR_WINDOW_COUNT_AT(0)];
        tap_count <= instruction[`WEFT_VECTOR_WINDOW_COUNT_AT(1)];
      end
      row_stride <= A_BITS'($signed(instruction[`WEFT_VECTOR_WINDOW_STRIDE_AT(0)]));
      tap_stride <= A_BITS'($signed(instruction[`WEFT_VECTOR_WINDOW_STRIDE_AT(1)]));
      case (code)
        weft_isa_pkg::FUNCTION_REQUANT[3:0]: begin
          kind <= LATCH;
          {last_due, due} <= after(weft_config_pkg::DRAIN_REQUANT + (as_float ? weft_config_pkg::DURATION_FLOAT_DRAIN : 0),
                                   weft_config_pkg::DEEP_DRAIN_REQUANT + (once ? weft_config_pkg::DURATION_ONCE_DRAIN : 0), 1);
        end
        weft_isa_pkg::FUNCTION_ADD[3:0], weft_isa_pkg::FUNCTION_SUB[3:0]: begin
          kind <= DEEP && SUM_LINES == 1 ? READ_A : LATCH;
          {last_due, due} <= after(weft_config_pkg::DRAIN_ADD, weft_config_pkg::DEEP_DRAIN_ADD, 3);
        end
        weft_isa_pkg::FUNCTION_SQUARED_DIFFERENCE[3:0]: begin
          kind <= DEEP && SUM_LINES == 1 ? READ_A : LATCH;
          {last_due, due} <= after(weft_config_pkg::DRAIN_SQUARED_DIFFERENCE, weft_config_pkg::DEEP_DRAIN_SQUARED_DIFFERENCE, 1);
        end
        weft_isa_pkg::FUNCTION_MUL[3:0]: begin
          kind <= READ_A;
          {last_due, due} <= after(weft_config_pkg::DRAIN_MUL, weft_config_pkg::DEEP_DRAIN_MUL, 3);
        end
        weft_isa_pkg::FUNCTION_MAX[3:0], weft_isa_pkg::FUNCTION_MIN[3:0]: begin
          kind <= READ_A;
          {last_due, due} <= after(weft_config_pkg::DRAIN_MAX, weft_config_pkg::DEEP_DRAIN_MAX, 3);
        end
        weft_isa_pkg::FUNCTION_POOL[3:0]: begin
          kind <= READ_A;
          {last_due, due} <= after(weft_config_pkg::DRAIN_POOL, weft_config_pkg::DEEP_DRAIN_POOL, 1);
        end
        weft_isa_pkg::FUNCTION_FILL[3:0]: begin
          kind <= WRITE;
          {last_due, due} <= after(weft_config_pkg::DRAIN_FILL, weft_config_pkg::DEEP_DRAIN_FILL, 1);
        end
        weft_isa_pkg::FUNCTION_LUT[3:0], weft_isa_pkg::FUNCTION_COPY[3:0]: begin
          kind <= READ_A;
          {last_due, due} <= after(weft_config_pkg::DRAIN_COPY, weft_config_pkg::DEEP_DRAIN_COPY, 2);
        end
        default: begin  // RESCALE
          kind <= READ_A;
          {last_due, due} <= after(weft_config_pkg::DRAIN_RESCALE, weft_config_pkg::DEEP_DRAIN_RESCALE, 2);
        end
      endcase
    end
    if (clear) begin
      busy   <= 1'b0;
      slot   <= 1'b0;
      latch  <= 1'b0;
      take_a <= 1'b0;
      take_b <= 1'b0;
      emit   <= 1'b0;
      a_read <= 1'b0;
      b_read <= 1'b0;
      came   <= 1'b0;
      vectors <= {LONGEST{1'b0}};
      lasts <= {LONGEST{1'b0}};
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clock) begin : promises
    if (!clear && busy) begin
      if (start !== 1'b0) $error("weft_vector_slots: a start before the finish");
      if ((write && slot && kind != WRITE && kind != PAUSE && kind != PAUSE_AGAIN && !requant) !== 1'b0) $error("weft_vector_slots: a write meets a read of ACT");
      if ((finish && slot) !== 1'b0) $error("weft_vector_slots: finish in a slot");
    end
  end
`endif

`ifdef VERILATOR  // alone knows $error in an elaboration
  if (weft_isa_pkg::FUNCTIONS != 13) begin : g_functions
    $error("weft_vector_slots knows 13 values of FUNCTION in isa/instructions.def: say of the others how long it takes");
  end
`endif
endmodule
