// Matrix: one instruction streams, the next one waits with its first weight tile already loaded.
// Interface: `start` with the instruction when `ready`; reads of ACT, WGT and ACC, writes of ACC; `finish` in the cycle in which the oldest
// instruction in flight finishes.
// Timing: docs/timing.md, Matrix. An instruction that started in T moves from waiting to streaming at the end of u - 1.
// Reset: synchronous; nothing in flight.
`include "weft_isa_slices.svh"
module weft_matrix #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,
    parameter BLOCK = CONFIG[weft_config_pkg::AT_BLOCK+:32],
    parameter BLOCK_BITS = $clog2(BLOCK),
    parameter FLIGHTS = CONFIG[weft_config_pkg::AT_MATRIX_INSTRUCTIONS+:32],
    parameter ACT_LINE_BITS = $clog2(CONFIG[weft_config_pkg::AT_ACT_BYTES+:32]) - BLOCK_BITS,
    parameter WGT_LINE_BITS = $clog2(CONFIG[weft_config_pkg::AT_WGT_BYTES+:32]) - BLOCK_BITS,
    parameter ENTRY_BITS = $clog2(CONFIG[weft_config_pkg::AT_ACC_BYTES+:32]) - BLOCK_BITS - 2
) (
    input  logic clock,
    input  logic reset,
    input  logic [511:0] instruction,  // at the head of the queue
    output logic ready,
    input  logic start,
    output logic finish,
    input  logic [3:0] finish_acc_banks,  // of the oldest instruction in flight
    output logic stream,  // a cycle of a stream
    output logic [3:0] act_valid,
    output logic [4*(ACT_LINE_BITS-2)-1:0] act_line,
    input  logic [32*BLOCK-1:0] act_read_data,
    output logic [1:0] wgt_valid,
    output logic [WGT_LINE_BITS-2:0] wgt_line,
    input  logic [16*BLOCK-1:0] wgt_read_data,
    output logic acc_read_valid,
    output logic [ENTRY_BITS-1:0] acc_read_entry,
    input  logic [32*BLOCK-1:0] acc_read_data,
    output logic acc_write_valid,
    output logic [ENTRY_BITS-1:0] acc_write_entry,
    output logic [32*BLOCK-1:0] acc_write_data
);
  localparam DRAIN = weft_config_pkg::DURATION_MATRIX_DRAIN;
  localparam [BLOCK_BITS-1:0] LOADED = BLOCK_BITS'(BLOCK / 2 - 2);  // reads before the last cycle of the first tile

  // ---- the instruction that waits ----
  logic waiting;
  logic [511:0] next;
  logic [3:0] next_banks;
  logic [BLOCK_BITS-1:0] reads;
  logic last_tile;
  logic last_cycle;
  logic first;
  logic moves;  // from waiting to streaming, at the end of this cycle

  // Instructions that stream or drain, by the ACC banks they share.
  logic [3:0] sharing[0:3];
  logic [3:0] busy_banks;  // of those that do not finish now
  always_comb begin
    for (int b = 0; b < 4; b++) begin
      busy_banks[b] = sharing[b] != 0 && !(finish && finish_acc_banks[b] && sharing[b] == 1);
    end
  end
  assign moves = waiting && reads >= LOADED && (!stream || last_cycle) && (next_banks & busy_banks) == 0;

  logic [3:0] count;  // in flight
  assign ready = count < FLIGHTS[3:0] && !waiting && (!stream || last_tile);

  logic [DRAIN-1:0] ends;  // bit i: a stream ended i + 1 cycles ago
  assign finish = ends[DRAIN-1];

  always_ff @(posedge clock) begin
    if (start) waiting <= 1'b1;
    else if (moves) waiting <= 1'b0;
    if (start != finish) count <= start ? count + 4'd1 : count - 4'd1;
    ends <= {ends[DRAIN-2:0], last_cycle};
    if (moves || finish) begin
      for (int b = 0; b < 4; b++) begin
        sharing[b] <= sharing[b] + {3'd0, moves && next_banks[b]} - {3'd0, finish && finish_acc_banks[b]};
      end
    end
    if (reset) begin
      waiting <= 1'b0;
      count <= 0;
      ends <= 0;
      for (int b = 0; b < 4; b++) sharing[b] <= 0;
    end
    if (start) begin
      next <= instruction;
      next_banks <= instruction[`WEFT_MATRIX_ACC_BANKS];
    end
  end

  // ---- addresses ----
  logic address_valid, result_valid, add, depthwise;
  logic [23:0] address, row_stride, row_stride_2, row_stride_3;
  // verilator lint_off UNUSEDSIGNAL
  logic [13:0] entry;  // extents were checked: the upper bits are zero
  // verilator lint_on UNUSEDSIGNAL
  logic [2:0] rows;
  logic two_rows;
  logic [5:0] row_end;
  logic signed [7:0] zero;
  weft_matrix_pixels #(
      .CONFIG(CONFIG)
  ) pixels (
      .clock(clock),
      .reset(reset),
      .load(moves),
      .instruction(next),
      .streaming(stream),
      .last_tile(last_tile),
      .last_cycle(last_cycle),
      .first(first),
      .address_valid(address_valid),
      .address(address),
      .result_valid(result_valid),
      .entry(entry),
      .add(add),
      .depthwise(depthwise),
      .rows(rows),
      .row_stride(row_stride),
      .row_stride_2(row_stride_2),
      .row_stride_3(row_stride_3),
      .two_rows(two_rows),
      .row_end(row_end),
      .zero(zero)
  );

  // ---- weights ----
  logic shadow_valid;
  logic [1:0] shadow_zero;
  logic [BLOCK_BITS-1:0] shadow_row;
  logic signed [7:0] weight_zero;
  weft_matrix_weights #(
      .CONFIG(CONFIG)
  ) weights (
      .clock(clock),
      .reset(reset),
      .start(start),
      .instruction(instruction),
      .next_tile(first && !last_tile),
      .reads(reads),
      .wgt_valid(wgt_valid),
      .wgt_line(wgt_line),
      .shadow_valid(shadow_valid),
      .shadow_zero(shadow_zero),
      .shadow_row(shadow_row),
      .weight_zero(weight_zero)
  );

  // ---- data ----
  localparam MOVE = CONFIG[weft_config_pkg::AT_DEEP_PIPELINE+:32] != 0 ? 3 : 2;  // cycles after the first address
  logic [MOVE-1:0] first_delayed;  // bit i: i + 1 cycles ago
  always_ff @(posedge clock) begin
    first_delayed <= reset ? {MOVE{1'b0}} : {first_delayed[MOVE-2:0], first};
  end

  logic dense_valid, column_valid;
  logic [8*BLOCK-1:0] dense_bytes;
  logic signed [7:0] dense_zero;
  logic [2:0] column_rows;
  logic [32*BLOCK-1:0] column;
  weft_matrix_read #(
      .CONFIG(CONFIG)
  ) read (
      .clock(clock),
      .reset(reset),
      .valid(address_valid),
      .address(address),
      .depthwise(depthwise),
      .rows(rows),
      .row_stride(row_stride),
      .row_stride_2(row_stride_2),
      .row_stride_3(row_stride_3),
      .two_rows(two_rows),
      .row_end(row_end),
      .zero(zero),
      .act_valid(act_valid),
      .act_line(act_line),
      .act_read_data(act_read_data),
      .dense_valid(dense_valid),
      .dense_bytes(dense_bytes),
      .dense_zero(dense_zero),
      .column_valid(column_valid),
      .column_rows(column_rows),
      .column(column)
  );

  logic [32*BLOCK-1:0] sums;
  weft_matrix_array #(
      .CONFIG(CONFIG)
  ) array (
      .clock(clock),
      .shadow_valid(shadow_valid),
      .shadow_zero(shadow_zero),
      .shadow_row(shadow_row),
      .shadow_data(wgt_read_data),
      .weight_zero(weight_zero),
      .move(first_delayed[MOVE-1]),
      .dense_valid(dense_valid),
      .dense_bytes(dense_bytes),
      .dense_zero(dense_zero),
      .column_valid(column_valid),
      .column_rows(column_rows),
      .column(column),
      .sums(sums)
  );

  weft_matrix_accumulate #(
      .CONFIG(CONFIG)
  ) accumulate (
      .clock(clock),
      .reset(reset),
      .valid(result_valid),
      .entry(entry[ENTRY_BITS-1:0]),
      .add(add),
      .read_valid(acc_read_valid),
      .read_entry(acc_read_entry),
      .read_data(acc_read_data),
      .sums(sums),
      .write_valid(acc_write_valid),
      .write_entry(acc_write_entry),
      .write_data(acc_write_data)
  );
endmodule
