// The vector unit: lane-wise work on lines of ACT and entries of ACC (docs/timing.md, section Vector).
// `start` in T takes `instruction`, a legal VECTOR whose addresses lie inside the memories; `slot` is high in T+1 to T+S, and
// `finish` in F. The next start can come in F+1. Memories are read with an address in one cycle and the data in the next, ACT and ACC with
// `deep_pipeline` in the one after that; ACT has one port, and at most one read or write a cycle goes to it. LUT: lut_index holds an entry for each lane.
// `reset` and `stop` (synchronous): nothing is in flight; what is in the data registers stays and means nothing.
`include "weft_isa_slices.svh"
module weft_vector #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,
    // From the configuration; nobody sets them.
    parameter integer B              = CONFIG[weft_config_pkg::AT_BLOCK+:32],
    parameter integer ACT_LINE_BITS  = $clog2(CONFIG[weft_config_pkg::AT_ACT_BYTES+:32] / CONFIG[weft_config_pkg::AT_BLOCK+:32]),
    parameter integer ACC_ENTRY_BITS = $clog2(CONFIG[weft_config_pkg::AT_ACC_BYTES+:32] / CONFIG[weft_config_pkg::AT_BLOCK+:32]) - 2,
    parameter integer PAR_LINE_BITS  = $clog2(CONFIG[weft_config_pkg::AT_PAR_BYTES+:32] / CONFIG[weft_config_pkg::AT_BLOCK+:32])
) (
    input  logic                      clock,
    input  logic                      reset,
    input  logic                      start,
    input  logic [             511:0] instruction,
    input  logic                      stop,
    output logic                      finish,
    output logic                      slot,
    // ACT
    output logic                      act_valid,
    output logic                      act_write,
    output logic [ ACT_LINE_BITS-1:0] act_line,
    output logic [           8*B-1:0] act_write_data,
    input  logic [           8*B-1:0] act_read_data,
    // ACC, read only
    output logic                      acc_valid,
    output logic [ACC_ENTRY_BITS-1:0] acc_entry,
    input  logic [          32*B-1:0] acc_read_data,
    // PAR, read only
    output logic                      par_valid,
    output logic [ PAR_LINE_BITS-1:0] par_line,
    input  logic [           8*B-1:0] par_read_data,
    // LUT, read only
    output logic                      lut_valid,
    output logic [           8*B-1:0] lut_index,
    input  logic [           8*B-1:0] lut_read_data,
    // and once more, for the sums of SOFTMAX
    output logic                      lut_sum_valid,
    output logic [           8*B-1:0] lut_sum_index,
    // verilator lint_off UNUSEDSIGNAL
    input  logic [           8*B-1:0] lut_sum_read_data
    // verilator lint_on UNUSEDSIGNAL
);
  localparam SOFTMAX = CONFIG[weft_config_pkg::AT_SOFTMAX+:32] != 0 && CONFIG[weft_config_pkg::AT_LOOKUP+:32] != 0
      && CONFIG[weft_config_pkg::AT_GEMMLOWP+:32] != 0;

  logic clear;
  logic latch, take_a, window_begin, take_b, emit;
  logic [3:0] latch_line;

  // SOFTMAX has a sequencer of its own, and more to do before the lanes get anything.
  logic is_softmax;
  logic slots_finish, slots_slot, slots_act_valid, slots_act_write, lanes_lut_valid;
  logic [ACT_LINE_BITS-1:0] slots_act_line;
  logic [8*B-1:0] lanes_lut_index;
  logic rows_finish, rows_slot, rows_act_valid, rows_act_write, rows_busy, word_valid;
  logic [ACT_LINE_BITS-1:0] rows_act_line;
  logic [8*B-1:0] word_index;
  logic [1:0] phase;
  logic words, take_scale, take_shift;
  logic [31:0] scale;
  logic [4:0] scale_shift;

  assign clear = reset || stop;
  assign is_softmax = SOFTMAX && instruction[`WEFT_VECTOR_FUNCTION] == weft_isa_pkg::FUNCTION_SOFTMAX[3:0];
  assign finish = slots_finish || rows_finish;
  assign slot = slots_slot || rows_slot;
  assign act_valid = slots_act_valid || rows_act_valid;
  assign act_write = rows_busy ? rows_act_write : slots_act_write;
  assign act_line = rows_busy ? rows_act_line : slots_act_line;
  assign lut_valid = lanes_lut_valid || word_valid;
  assign lut_index = rows_busy ? word_index : lanes_lut_index;

  if (SOFTMAX) begin : g_softmax
    logic search, add, scaled, first, last;
    logic read_search, read_add, read_scaled, read_first, read_last;
    logic [8*B-1:0] row_data;
    if (CONFIG[weft_config_pkg::AT_DEEP_PIPELINE+:32] != 0) begin : g_group_later
      // What ACT gives a cycle later is taken a whole group later, so that each phase does what it does without `deep_pipeline`.
      logic [14:0] read_1_2_3;
      logic [16*B-1:0] data_1_2;
      always_ff @(posedge clock) begin : group
        if (rows_busy) begin
          {search, add, scaled, first, last, read_1_2_3} <= {read_1_2_3, read_search, read_add, read_scaled, read_first, read_last};
          {row_data, data_1_2} <= {data_1_2, act_read_data};
        end
        if (clear || start) {search, add, scaled, first, last, read_1_2_3} <= 20'd0;
      end
    end else begin : g_at_once
      assign {search, add, scaled, first, last} = {read_search, read_add, read_scaled, read_first, read_last};
      assign row_data = act_read_data;
    end
    weft_softmax_slots #(
        .ACT_LINE_BITS(ACT_LINE_BITS),
        // A group for ACT's register, and one for lanes that are four stages longer.
        .LATER(CONFIG[weft_config_pkg::AT_DEEP_PIPELINE+:32] != 0 ? 5 : 3)
    ) rows (
        .clock(clock),
        .clear(clear),
        .start(start && is_softmax),
        .instruction(instruction),
        .finish(rows_finish),
        .slot(rows_slot),
        .busy(rows_busy),
        .phase(phase),
        .act_valid(rows_act_valid),
        .act_write(rows_act_write),
        .act_line(rows_act_line),
        .search(read_search),
        .add(read_add),
        .scale(read_scaled),
        .first(read_first),
        .last(read_last)
    );
    weft_softmax_lanes #(
        .B(B)
    ) exponentials (
        .clock(clock),
        .clear(clear),
        .start(start),
        .lanes(instruction[`WEFT_VECTOR_LANES]),
        .busy(rows_busy),
        .phase(phase),
        .search(search),
        .add(add),
        .scale(scaled),
        .first(first),
        .last(last),
        .act_read_data(row_data),
        .sum_valid(lut_sum_valid),
        .sum_index(lut_sum_index),
        .sum_read_data(lut_sum_read_data),
        .word_valid(word_valid),
        .word_index(word_index),
        .words(words),
        .take_scale(take_scale),
        .take_shift(take_shift),
        .multiplier(scale),
        .shift(scale_shift)
    );
  end else begin : g_no_softmax
    assign rows_finish = 1'b0;
    assign rows_slot = 1'b0;
    assign rows_busy = 1'b0;
    assign phase = 2'd0;
    assign rows_act_valid = 1'b0;
    assign rows_act_write = 1'b0;
    assign rows_act_line = {ACT_LINE_BITS{1'b0}};
    assign lut_sum_valid = 1'b0;
    assign lut_sum_index = {8 * B{1'b0}};
    assign word_valid = 1'b0;
    assign word_index = {8 * B{1'b0}};
    assign words = 1'b0;
    assign take_scale = 1'b0;
    assign take_shift = 1'b0;
    assign scale = 32'd0;
    assign scale_shift = 5'd0;
  end

  weft_vector_slots #(
      .CONFIG(CONFIG),
      .ACT_LINE_BITS (ACT_LINE_BITS),
      .ACC_ENTRY_BITS(ACC_ENTRY_BITS),
      .PAR_LINE_BITS (PAR_LINE_BITS)
  ) slots (
      .clock(clock),
      .clear(clear),
      .start(start && !is_softmax),
      .instruction(instruction),
      .finish(slots_finish),
      .slot(slots_slot),
      .act_valid(slots_act_valid),
      .act_write(slots_act_write),
      .act_line(slots_act_line),
      .acc_valid(acc_valid),
      .acc_entry(acc_entry),
      .par_valid(par_valid),
      .par_line(par_line),
      .latch(latch),
      .latch_line(latch_line),
      .take_a(take_a),
      .window_begin(window_begin),
      .take_b(take_b),
      .emit(emit)
  );

  weft_vector_lanes #(
      .CONFIG(CONFIG),
      .B(B)
  ) lanes (
      .clock(clock),
      .clear(clear),
      .start(start),
      .instruction(instruction),
      .latch(latch),
      .latch_line(latch_line),
      .par_read_data(par_read_data),
      .take_a(take_a),
      .window_begin(window_begin),
      .take_b(take_b),
      .emit(emit),
      .words(words),
      .quarter({!phase[1], phase[0]}),
      .take_scale(take_scale),
      .take_shift(take_shift),
      .scale(scale),
      .scale_shift(scale_shift),
      .act_read_data(act_read_data),
      .acc_read_data(acc_read_data),
      .lut_valid(lanes_lut_valid),
      .lut_index(lanes_lut_index),
      .lut_read_data(lut_read_data),
      .result(act_write_data)
  );
endmodule
