// The B lanes of the vector unit: what they are to compute (function and parameters) and, in weft_requantize, their pipeline.
// A start takes the fields of the instruction. After that weft_vector_slots says what is on the read ports of the memories: with
// `latch` line `latch_line` of a record in PAR, with `take_a` and `take_b` the operands (`window_begin`: the first tap of a POOL
// window). For LUT the bytes of operand a are the indices, and the entries come a cycle later. `emit` is passed on. For SOFTMAX
// weft_softmax_lanes uses the tables: with `words` exponentials are on their port, with `take_scale` in the first cycle of a row comes what they
// are multiplied by, with `take_shift` three cycles later, when the row before has been shifted, by how much they are shifted.
//
// Multiplier and shifts of the result are kept for each lane whatever the function; COPY, LUT, MAX and MIN scale by
// 2^30 * 2^1 / 2^31. The record of a channel block is latched while vectors of the block before are still in the pipeline: its
// biases arrive after the last of them has entered, its multipliers and shifts, some lines later, after it has left the stages that
// use them. Short records (isa/record.h) have their shifts beside the multipliers: as many above the instruction's, 0 to 7.
// `clear` (synchronous): nothing is under way; parameters stay.
`include "weft_isa_slices.svh"
module weft_vector_lanes #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,
    parameter integer B = CONFIG[weft_config_pkg::AT_BLOCK+:32]
) (
    input  logic            clock,
    input  logic            clear,
    input  logic            start,
    // verilator lint_off UNUSEDSIGNAL
    input  logic [   511:0] instruction,    // the other fields belong to dispatch and the sequencer
    // verilator lint_on UNUSEDSIGNAL
    input  logic            latch,
    input  logic [     3:0] latch_line,
    input  logic [ 8*B-1:0] par_read_data,
    input  logic            take_a,
    input  logic            window_begin,
    input  logic            take_b,
    input  logic            emit,
    input  logic            words,
    input  logic [     1:0] quarter,        // SOFTMAX: which of the lanes' results are finished in this cycle
    input  logic            take_scale,
    input  logic            take_shift,
    input  logic [    31:0] scale,
    input  logic [     4:0] scale_shift,    // to the right
    input  logic [ 8*B-1:0] act_read_data,
    input  logic [32*B-1:0] acc_read_data,
    output logic            lut_valid,
    output logic [ 8*B-1:0] lut_index,
    input  logic [ 8*B-1:0] lut_read_data,
    output logic [ 8*B-1:0] result
);
  // Where the second half of an ADD record is.
  localparam [31:0] HALF_LINE = 32'd8 / B;
  localparam [31:0] HALF = 32'd64 % (8 * B);  // bit

  // Without it there are no sums, which alone have a record of their own.
  localparam GEMMLOWP = CONFIG[weft_config_pkg::AT_GEMMLOWP+:32] != 0;
  localparam SHORT_RECORDS = CONFIG[weft_config_pkg::AT_SHORT_RECORDS+:32] != 0;
  localparam DEEP = CONFIG[weft_config_pkg::AT_DEEP_PIPELINE+:32] != 0;
  localparam SOFTMAX = CONFIG[weft_config_pkg::AT_SOFTMAX+:32] != 0 && CONFIG[weft_config_pkg::AT_LOOKUP+:32] != 0
      && CONFIG[weft_config_pkg::AT_GEMMLOWP+:32] != 0;

  // The function.
  logic requant, sum, subtract, square, mul, smaller, pool, lut, softmax;
  logic direct;  // operand a goes into X as it comes
  logic single, as_float;  // how REQUANT rounds; neither: as gemmlowp
  logic once, long_way;  // what follows from these, as registers: see weft_requantize

  // Parameters: of each lane for RESULT, of all lanes for the operands of ADD and SUB. Shifts take a byte.
  logic [32*B-1:0] bias, multiplier;
  logic [8*B-1:0] left, right;
  logic [31:0] multiplier_a, multiplier_b;
  logic [4:0] left_a, left_b, right_a, right_b;
  logic [7:0] zero_a, zero_b, zero;
  logic [7:0] lowest, highest;
  logic [8:0] above_low, above_high;  // zero - lowest, zero - highest - 1

  // Short records: the instruction's shift; of each lane whether its shift is 4 or more above that; of the lanes of a line of
  // multipliers, their shifts.
  logic is_short;
  logic [5:0] base_shift;
  logic [B-1:0] above;
  logic [6*B/4-1:0] held_shifts;

  // ADD and SUB shift their operands 13 places further than SQUARED_DIFFERENCE. Shifted by 31 places, none of these bytes is left.
  function automatic [4:0] further(input [4:0] places, input nearer);
    further = nearer ? places : places > 5'd18 ? 5'd31 : places + 5'd13;
  endfunction

  // Left and right shift of a stored exponent (two's complement, -32 acts as -31).
  function automatic [4:0] left_of(input [5:0] stored);
    left_of = stored[5] ? 5'd0 : stored[4:0];
  endfunction
  function automatic [4:0] right_of(input [5:0] stored);
    right_of = !stored[5] ? 5'd0 : stored == 6'd32 ? 5'd31 : -stored[4:0];
  endfunction

  // ---- parameters ----

  // SOFTMAX: when the multipliers and shifts of a row are those of what is in the stages that use them.
  logic scale_due, shift_due;
  logic [4:0] due_shift;
  if (SOFTMAX && DEEP) begin : g_later
    logic [3:0] shift_waits;  // it was taken so many cycles ago
    always_ff @(posedge clock) begin : waits
      scale_due <= take_scale;  // the scale stays until its shift is taken
      shift_waits <= {shift_waits[2:0], take_shift};
      if (take_shift) due_shift <= scale_shift;
    end
    assign shift_due = shift_waits[3];
  end else begin : g_at_once
    assign scale_due = take_scale;
    assign shift_due = take_shift;
    assign due_shift = scale_shift;
  end

  always_ff @(posedge clock) begin : parameters
    logic [3:0] code;
    logic sums, unclamped;
    logic [5:0] shift;
    logic [1:0] quarter_of;
    logic [6*B/4-1:0] new_shifts;
    logic [1:0] rounding;
    logic [7:0] offset, least, most;
    if (latch && requant) begin
      for (integer i = 0; i < 4; i = i + 1) begin
        if (!is_short && latch_line == i[3:0]) bias[8*B*i+:8*B] <= par_read_data;
        if (latch_line == i[3:0] + (is_short ? 4'd3 : 4'd4)) begin
          multiplier[8*B*i+:8*B] <= par_read_data;
          for (integer k = B / 4 * i; k < B / 4 * (i + 1); k = k + 1) begin
            if (is_short) multiplier[32*k+30+:2] <= 2'b01;
          end
        end
      end
      if (is_short) begin
        for (integer i = 0; i < 3 * B; i = i + 1) begin
          if (latch_line == 4'(i / B)) begin
            bias[32*(i/3)+8*(i%3)+:8] <= par_read_data[8*(i%B)+:8];
            if (i % 3 == 2) begin
              bias[32*(i/3)+23+:9] <= {9{par_read_data[8*(i%B)+6]}};
              above[i/3] <= par_read_data[8*(i%B)+7];
            end
          end
        end
      end
      // Shifts: all of them in the last line, or those of a quarter of the lanes in each line of multipliers. The first three quarters
      // wait for a cycle, as the last vector before, `as_float`, still needs its own.
      quarter_of = latch_line[1:0] + 2'd1;
      for (integer k = 0; k < B / 4; k = k + 1) begin
        new_shifts[6*k+:6] = base_shift + {3'd0, above[B/4*quarter_of+k], par_read_data[32*k+30+:2]};
      end
      held_shifts <= new_shifts;
      for (integer i = 0; i < B; i = i + 1) begin
        shift = !is_short ? par_read_data[8*i+:6] : i < B / 4 * 3 ? held_shifts[6*(i%(B/4))+:6] : new_shifts[6*(i%(B/4))+:6];
        if (latch_line == (!is_short ? 4'd8 : i < B / 4 * 3 ? 4'(i / (B / 4)) + 4'd4 : 4'd6)) begin
          left[8*i+:8] <= {3'd0, left_of(shift)};
          right[8*i+:8] <= {3'd0, right_of(shift)};
        end
      end
    end else if (GEMMLOWP && latch) begin
      // 16 bytes: multipliers of a, b and result, then their shifts.
      if (latch_line == 4'd0) begin
        multiplier_a <= par_read_data[31:0];
        multiplier_b <= par_read_data[63:32];
      end
      if (latch_line == HALF_LINE[3:0]) begin
        multiplier <= {B{par_read_data[HALF+:32]}};
        left_a  <= further(left_of(par_read_data[HALF+32+:6]), square);
        right_a <= right_of(par_read_data[HALF+32+:6]);
        left_b  <= further(left_of(par_read_data[HALF+40+:6]), square);
        right_b <= right_of(par_read_data[HALF+40+:6]);
        left <= {B{3'd0, left_of(par_read_data[HALF+48+:6])}};
        right <= {B{3'd0, right_of(par_read_data[HALF+48+:6])}};
      end
    end
    if (SOFTMAX && scale_due) multiplier_a <= scale;
    if (SOFTMAX && shift_due) right_a <= due_shift;
    if (start) begin
      code = instruction[`WEFT_VECTOR_FUNCTION];
      requant <= code == weft_isa_pkg::FUNCTION_REQUANT[3:0];
      is_short <= SHORT_RECORDS && instruction[`WEFT_VECTOR_PER_CHANNEL]
          && instruction[`WEFT_VECTOR_SHORT_RECORDS];
      base_shift <= instruction[`WEFT_VECTOR_SHIFT];
      sums = code == weft_isa_pkg::FUNCTION_ADD[3:0] || code == weft_isa_pkg::FUNCTION_SUB[3:0]
          || code == weft_isa_pkg::FUNCTION_SQUARED_DIFFERENCE[3:0];
      sum <= sums;
      subtract <= code == weft_isa_pkg::FUNCTION_SUB[3:0] || code == weft_isa_pkg::FUNCTION_SQUARED_DIFFERENCE[3:0];
      square <= code == weft_isa_pkg::FUNCTION_SQUARED_DIFFERENCE[3:0];
      softmax <= code == weft_isa_pkg::FUNCTION_SOFTMAX[3:0];
      mul <= code == weft_isa_pkg::FUNCTION_MUL[3:0];
      smaller <= code == weft_isa_pkg::FUNCTION_MIN[3:0];
      pool <= code == weft_isa_pkg::FUNCTION_POOL[3:0] || code == weft_isa_pkg::FUNCTION_COPY[3:0];
      lut <= code == weft_isa_pkg::FUNCTION_LUT[3:0];
      direct <= code == weft_isa_pkg::FUNCTION_REQUANT[3:0] || sums || code == weft_isa_pkg::FUNCTION_RESCALE[3:0];
      unclamped = code == weft_isa_pkg::FUNCTION_FILL[3:0];
      rounding = code == weft_isa_pkg::FUNCTION_REQUANT[3:0]
          ? instruction[`WEFT_VECTOR_ROUNDING] : weft_isa_pkg::ROUNDING_GEMMLOWP[1:0];
      single <= rounding == weft_isa_pkg::ROUNDING_SINGLE[1:0];
      as_float <= rounding == weft_isa_pkg::ROUNDING_FLOAT[1:0];
      once <= rounding == weft_isa_pkg::ROUNDING_SINGLE[1:0] || rounding == weft_isa_pkg::ROUNDING_FLOAT[1:0];
      long_way <= rounding == weft_isa_pkg::ROUNDING_FLOAT[1:0] || (GEMMLOWP && sums) || (DEEP
          && (rounding == weft_isa_pkg::ROUNDING_SINGLE[1:0] || code == weft_isa_pkg::FUNCTION_SOFTMAX[3:0]));
      shift = instruction[`WEFT_VECTOR_SHIFT];
      multiplier <= {B{1'b0, instruction[`WEFT_VECTOR_MULTIPLIER]}};
      left <= {B{3'd0, left_of(shift)}};
      right <= {B{3'd0, right_of(shift)}};
      if (code == weft_isa_pkg::FUNCTION_SOFTMAX[3:0]) left <= {B{8'd0}};
      zero_a <= instruction[`WEFT_VECTOR_A_ZERO];
      zero_b <= instruction[`WEFT_VECTOR_B_ZERO];
      offset = instruction[`WEFT_VECTOR_OUT_ZERO];
      least = unclamped ? 8'h80 : instruction[`WEFT_VECTOR_LOW];
      most = unclamped ? 8'h7f : instruction[`WEFT_VECTOR_HIGH];
      zero <= offset;
      lowest <= least;
      highest <= most;
      above_low <= {offset[7], offset} - {least[7], least};
      above_high <= {offset[7], offset} + ~{most[7], most};
    end
  end

  // ---- operands ----

  assign lut_valid = take_a && lut;
  assign lut_index = act_read_data;

  weft_requantize #(
      .CONFIG(CONFIG),
      .B(B)
  ) requantize (
      .clock(clock),
      .clear(clear),
      .requant(requant),
      .sum_asked(sum),
      .subtract(subtract),
      .square_asked(square),
      .mul_asked(mul),
      .smaller(smaller),
      .lut_asked(lut),
      .softmax_asked(softmax),
      .pool(pool),
      .direct(direct),
      .single_asked(single),
      .as_float(as_float),
      .once_asked(once),
      .long_way(long_way),
      .bias(bias),
      .multiplier(multiplier),
      .left(left),
      .right(right),
      .multiplier_a(multiplier_a),
      .multiplier_b(multiplier_b),
      .left_a(left_a),
      .left_b(left_b),
      .right_a(right_a),
      .right_b(right_b),
      .zero_a(zero_a),
      .zero_b(zero_b),
      .zero(zero),
      .lowest(lowest),
      .highest(highest),
      .above_low(above_low),
      .above_high(above_high),
      .fill(start),
      .fill_byte(instruction[`WEFT_VECTOR_OUT_ZERO]),
      .take_a(take_a),
      .window_begin(window_begin),
      .take_b(take_b),
      .words(words),
      .quarter(quarter),
      .emit(emit),
      .act_data(act_read_data),
      .acc_data(acc_read_data),
      .lut_data(lut_read_data),
      .result(result)
  );

`ifdef VERILATOR  // alone knows $error in an elaboration
  if (weft_isa_pkg::FUNCTIONS != 13) begin : g_functions
    $error("weft_vector_lanes knows 13 values of FUNCTION in isa/instructions.def: say of the others what it computes");
  end
  if (weft_isa_pkg::ROUNDINGS != 3) begin : g_roundings
    $error("weft_vector_lanes knows 3 values of ROUNDING in isa/instructions.def: say of the others how they round");
  end
`endif
endmodule
