// The vector unit: lane-wise work on lines of ACT and entries of ACC (docs/timing.md, section Vector).
//
// `start` in T takes `instruction`, a legal VECTOR whose addresses lie inside the memories; `slot` is high in T+1 to T+S, and
// `finish` in F. The next start can come in F+1. Memories are read with an address in one cycle and the data in the next; ACT has
// one port, and at most one read or write a cycle goes to it. LUT: lut_index holds an entry for each lane.
// `reset` and `stop` (synchronous): nothing is in flight; what is in the data registers stays and means nothing.
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
    input  logic [           8*B-1:0] lut_read_data
);
  logic clear;
  logic busy, latch, take_a, window_begin, take_b, emit;
  logic [3:0] latch_line;

  assign clear = reset || stop;

  weft_vector_slots #(
      .CONFIG(CONFIG),
      .ACT_LINE_BITS (ACT_LINE_BITS),
      .ACC_ENTRY_BITS(ACC_ENTRY_BITS),
      .PAR_LINE_BITS (PAR_LINE_BITS)
  ) slots (
      .clock(clock),
      .clear(clear),
      .start(start),
      .instruction(instruction),
      .finish(finish),
      .slot(slot),
      .busy(busy),
      .act_valid(act_valid),
      .act_write(act_write),
      .act_line(act_line),
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
      .busy(busy),
      .latch(latch),
      .latch_line(latch_line),
      .par_read_data(par_read_data),
      .take_a(take_a),
      .window_begin(window_begin),
      .take_b(take_b),
      .emit(emit),
      .act_read_data(act_read_data),
      .acc_read_data(acc_read_data),
      .lut_valid(lut_valid),
      .lut_index(lut_index),
      .lut_read_data(lut_read_data),
      .result(act_write_data)
  );
endmodule
