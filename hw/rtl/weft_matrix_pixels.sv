// Walks a MATRIX: for each weight tile its pixels, an address of ACT and an entry of ACC a cycle.
// Interface: `load` with the instruction in the last cycle before it streams (u - 1); from then on the outputs describe the current
// cycle. A pass (one weight tile) takes at least W = B/2 cycles; in the cycles that hold it open address_valid is 0.
// Depthwise reads a column of the window in each cycle; result_valid is 1 in those that complete a window.
// With DENSE_ROWS tiles of the innermost level go through the rows of a window: two_rows says that in this pass one ends at lane
// row_end, and that the lanes from there on lie row_stride further. The address moves on by as much where the next pass begins behind it.
// Timing: outputs follow from registers. Where the next pass begins is worked out in the first three cycles of a pass, which has four
// or more.
// Reset: synchronous; not streaming.
`include "weft_isa_slices.svh"
module weft_matrix_pixels #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,
    parameter BLOCK = CONFIG[weft_config_pkg::AT_BLOCK+:32]
) (
    input  logic clock,
    input  logic reset,
    input  logic load,
    input  logic [511:0] instruction,
    output logic streaming,
    output logic last_tile,  // this pass is the last of its instruction
    output logic last_cycle,  // of the stream
    output logic first,  // first pixel of a pass
    output logic address_valid,
    output logic [23:0] address,
    output logic result_valid,
    output logic [13:0] entry,
    output logic add,  // to the accumulator, instead of overwriting it
    output logic depthwise,
    output logic [2:0] rows,  // of a window
    output logic [23:0] row_stride,
    output logic [23:0] row_stride_2,  // depthwise: twice as much; dense: as much
    output logic [23:0] row_stride_3,  // depthwise: three times as much; dense: a line more
    output logic two_rows,
    output logic [5:0] row_end,
    output logic signed [7:0] zero  // of the bytes of dense pixels
);
  localparam DENSE_ROWS = CONFIG[weft_config_pkg::AT_DENSE_ROWS+:32] != 0;
  localparam [5:0] LANES = BLOCK[5:0];
  localparam [5:0] OPEN = 6'(BLOCK / 2 - 1);  // cycles of a pass besides the first, at least

  // ---- fields of the instruction ----
  logic accumulate;
  logic [55:0] tile_count;  // 4 x 14
  logic [95:0] tile_act_stride;  // 4 x 24
  logic [59:0] tile_acc_stride;  // 4 x 15
  logic [27:0] pixel_count;  // 2 x 14
  logic [47:0] pixel_act_stride;  // 2 x 24
  // verilator lint_off UNUSEDSIGNAL
  logic [29:0] pixel_acc_stride;  // 2 x 15; 2 x 15; entries have 14 bits
  // verilator lint_on UNUSEDSIGNAL
  logic [2:0] first_ends;  // dense: rows of the window that end before its last one
  logic [5:0] first_end;  // and the lane where the first of them does
  logic [5:0] between_ends;
  logic [5:0] fill_columns;  // columns before the first result of a row
  logic [3:0] skip_columns;  // columns between results

  // ---- the walk ----
  logic [23:0] tile_act[0:3];  // where the current iteration of each tile level began
  logic [13:0] tile_acc[0:3];
  logic [13:0] tile_left[0:3];  // iterations after this one
  logic [3:0] tile_again;  // this level is not in its first iteration
  logic [3:0] reduction;  // its accumulator stride is 0
  logic [23:0] row_address;
  logic [13:0] row_entry;
  logic [13:0] rows_left;
  logic [13:0] columns_left;
  logic [5:0] until_result;
  logic [2:0] ends;  // of rows, in this pass or later
  logic [5:0] elapsed;  // cycles of this pass before this one, no more than OPEN counts
  logic held;  // all pixels of this pass are out
  // The ends of the counts above, as registers: the end of a stream is chosen from them, far from here.
  logic last_row;  // rows_left is 0
  logic last_column;  // columns_left is 0
  logic at_result;  // until_result is 0
  logic open;  // elapsed is OPEN

  logic row_ends;
  logic pixels_end;
  logic pass_ends;
  assign address_valid = streaming && !held;
  assign result_valid = address_valid && at_result;
  assign row_ends = result_valid && last_column;
  assign pixels_end = row_ends && last_row;
  assign pass_ends = (held || pixels_end) && open;
  assign last_cycle = streaming && pass_ends && last_tile;
  assign first = streaming && elapsed == 0;
  assign add = accumulate || (tile_again & reduction) != 0;

  // Where the next pass begins: the innermost level that is not in its last iteration moves on, those inside it begin again.
  logic [3:0] moving;  // that level, one bit; none in the last pass
  logic [3:0] begin_again;  // levels inside it, or all
  logic [23:0] from_act, stride_act;  // of that level; registers from the second cycle of a pass on
  logic [13:0] from_acc, stride_acc;
  logic [23:0] coming_act;  // from the third
  logic [13:0] coming_acc;
  logic coming_last;
  logic row_passed;  // a row ends before it
  logic [2:0] coming_ends;
  logic [5:0] coming_end;
  always_comb begin
    moving = 4'd0;
    begin_again = 4'b1111;
    for (int i = 0; i < 4; i++) begin
      if (tile_left[i] != 0) begin
        moving = 4'd1 << i;
        begin_again = 4'b1110 << i;
      end
    end
  end

  // Temporaries. A register is read above the line that writes it, which spares a simulator a copy.
  logic passes_row;
  logic [2:0] window_ends;
  logic all_last;  // levels are in their last iteration
  logic row_out;
  logic steps;  // to the next pixel

  /* verilator lint_off BLKSEQ */  // the temporaries above
  always_ff @(posedge clock) begin
    row_out = row_ends;
    steps = streaming && !pass_ends && !load;
    if (steps) begin
      if (DENSE_ROWS && elapsed == 6'd2 && row_passed) coming_act <= coming_act + row_stride;
      if (elapsed == 6'd1) begin
        coming_act <= from_act + stride_act;
        coming_acc <= from_acc + stride_acc;
      end
      if (elapsed == 6'd0) begin
        from_act <= tile_act[3];
        from_acc <= tile_acc[3];
        all_last = 1'b1;
        for (int i = 0; i < 4; i++) begin
          if (moving[i]) begin
            from_act <= tile_act[i];
            from_acc <= tile_acc[i];
            stride_act <= tile_act_stride[i*24+:24];
            stride_acc <= tile_acc_stride[i*15+:14];
            if (tile_left[i] != 1) all_last = 1'b0;
          end else if (begin_again[i]) begin
            if (tile_count[i*14+:14] != 1) all_last = 1'b0;
          end else if (tile_left[i] != 0) begin
            all_last = 1'b0;
          end
        end
        coming_last <= all_last;
        if (DENSE_ROWS) begin
          passes_row = ends != 0 && row_end <= LANES;
          row_passed <= moving[3] && passes_row;
          coming_ends <= moving[3] ? ends - {2'd0, passes_row} : first_ends;
          coming_end <= moving[3] ? row_end - LANES + (passes_row ? between_ends : 6'd0) : first_end;
        end
      end
      if (pixels_end) held <= 1'b1;
      if (!open) begin
        elapsed <= elapsed + 6'd1;
        open <= elapsed == OPEN - 6'd1;
      end
      if (!row_out) begin
        address <= address + pixel_act_stride[47:24];
        if (at_result) begin
          entry <= entry + pixel_acc_stride[28:15];
          columns_left <= columns_left - 14'd1;
          last_column <= columns_left == 14'd1;
        end
        until_result <= at_result ? {2'd0, skip_columns} : until_result - 6'd1;
        at_result <= at_result ? skip_columns == 0 : until_result == 6'd1;
      end else begin
        address <= row_address + pixel_act_stride[23:0];
        row_address <= row_address + pixel_act_stride[23:0];
        entry <= row_entry + pixel_acc_stride[13:0];
        row_entry <= row_entry + pixel_acc_stride[13:0];
        rows_left <= rows_left - 14'd1;
        last_row <= rows_left == 14'd1;
        columns_left <= pixel_count[27:14] - 14'd1;
        last_column <= pixel_count[27:14] == 14'd1;
        until_result <= fill_columns;
        at_result <= fill_columns == 0;
      end
    end
    if (streaming && pass_ends && !load) begin
      for (int i = 0; i < 4; i++) begin
        if (moving[i]) begin
          tile_left[i] <= tile_left[i] - 14'd1;
          tile_again[i] <= 1'b1;
        end
        if (begin_again[i]) begin
          tile_left[i] <= tile_count[i*14+:14] - 14'd1;
          tile_again[i] <= 1'b0;
        end
        if (moving[i] || begin_again[i]) begin
          tile_act[i] <= coming_act;
          tile_acc[i] <= coming_acc;
        end
      end
      last_tile <= coming_last;
      if (DENSE_ROWS) begin
        ends <= coming_ends;
        row_end <= coming_end;
        two_rows <= coming_ends != 0 && coming_end < LANES;
      end
      address <= coming_act;
      row_address <= coming_act;
      entry <= coming_acc;
      row_entry <= coming_acc;
      rows_left <= pixel_count[13:0] - 14'd1;
      last_row <= pixel_count[13:0] == 14'd1;
      columns_left <= pixel_count[27:14] - 14'd1;
      last_column <= pixel_count[27:14] == 14'd1;
      until_result <= fill_columns;
      at_result <= fill_columns == 0;
      elapsed <= 6'd0;
      open <= 1'b0;
      held <= 1'b0;
    end
    if (load) begin
      depthwise <= instruction[`WEFT_MATRIX_MODE];
      accumulate <= instruction[`WEFT_MATRIX_ACCUMULATE];
      tile_count <= instruction[`WEFT_MATRIX_TILE_COUNT];
      tile_act_stride <= instruction[`WEFT_MATRIX_TILE_ACT_STRIDE];
      tile_acc_stride <= instruction[`WEFT_MATRIX_TILE_ACC_STRIDE];
      pixel_count <= instruction[`WEFT_MATRIX_PIXEL_COUNT];
      pixel_act_stride <= instruction[`WEFT_MATRIX_PIXEL_ACT_STRIDE];
      pixel_acc_stride <= instruction[`WEFT_MATRIX_PIXEL_ACC_STRIDE];
      rows <= instruction[`WEFT_MATRIX_WINDOW_ROWS];
      zero <= instruction[`WEFT_MATRIX_ACT_ZERO];
      row_stride <= instruction[`WEFT_MATRIX_WINDOW_ROW_STRIDE];
      if (!DENSE_ROWS || instruction[`WEFT_MATRIX_MODE]) begin
        row_stride_2 <= {instruction[weft_isa_pkg::MATRIX_WINDOW_ROW_STRIDE_LSB+:23], 1'b0};
        row_stride_3 <= 24'd3 * instruction[`WEFT_MATRIX_WINDOW_ROW_STRIDE];
        first_ends <= 3'd0;
        ends <= 3'd0;
        two_rows <= 1'b0;
      end else begin
        row_stride_2 <= instruction[`WEFT_MATRIX_WINDOW_ROW_STRIDE];
        row_stride_3 <= instruction[`WEFT_MATRIX_WINDOW_ROW_STRIDE] + BLOCK[23:0];
        window_ends = instruction[`WEFT_MATRIX_WINDOW_ROWS] == 0 ? 3'd0
            : instruction[`WEFT_MATRIX_WINDOW_ROWS] - 3'd1;
        first_ends <= window_ends;
        ends <= window_ends;
        two_rows <= window_ends != 0 && instruction[`WEFT_MATRIX_WINDOW_FIRST] < LANES;
      end
      if (DENSE_ROWS) begin
        first_end <= instruction[`WEFT_MATRIX_WINDOW_FIRST];
        row_end <= instruction[`WEFT_MATRIX_WINDOW_FIRST];
        between_ends <= instruction[`WEFT_MATRIX_WINDOW_COLUMNS];
      end else begin
        row_end <= 6'd0;
      end
      fill_columns <= instruction[`WEFT_MATRIX_MODE] ? instruction[`WEFT_MATRIX_WINDOW_COLUMNS] - 6'd1 : 6'd0;
      skip_columns <= instruction[`WEFT_MATRIX_MODE] ? instruction[`WEFT_MATRIX_WINDOW_STEP] - 4'd1 : 4'd0;
      all_last = 1'b1;
      for (int i = 0; i < 4; i++) begin
        tile_act[i] <= instruction[`WEFT_MATRIX_ACT];
        tile_acc[i] <= instruction[`WEFT_MATRIX_ACC];
        tile_left[i] <= instruction[`WEFT_MATRIX_TILE_COUNT_AT(i)] - 14'd1;
        reduction[i] <= instruction[`WEFT_MATRIX_TILE_ACC_STRIDE_AT(i)] == 0;
        if (instruction[`WEFT_MATRIX_TILE_COUNT_AT(i)] != 1) all_last = 1'b0;
      end
      tile_again <= 4'd0;
      last_tile <= all_last;
      address <= instruction[`WEFT_MATRIX_ACT];
      row_address <= instruction[`WEFT_MATRIX_ACT];
      entry <= instruction[`WEFT_MATRIX_ACC];
      row_entry <= instruction[`WEFT_MATRIX_ACC];
      rows_left <= instruction[`WEFT_MATRIX_PIXEL_COUNT_AT(0)] - 14'd1;
      last_row <= instruction[`WEFT_MATRIX_PIXEL_COUNT_AT(0)] == 14'd1;
      columns_left <= instruction[`WEFT_MATRIX_PIXEL_COUNT_AT(1)] - 14'd1;
      last_column <= instruction[`WEFT_MATRIX_PIXEL_COUNT_AT(1)] == 14'd1;
      until_result <= instruction[`WEFT_MATRIX_MODE] ? instruction[`WEFT_MATRIX_WINDOW_COLUMNS] - 6'd1 : 6'd0;
      at_result <= !instruction[`WEFT_MATRIX_MODE] || instruction[`WEFT_MATRIX_WINDOW_COLUMNS] == 6'd1;
      elapsed <= 6'd0;
      open <= 1'b0;
      held <= 1'b0;
    end
    streaming <= !reset && (load || (streaming && !last_cycle));
  end
  /* verilator lint_on BLKSEQ */
endmodule
