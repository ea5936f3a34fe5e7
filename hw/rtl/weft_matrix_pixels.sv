// Walks a MATRIX: for each weight tile its pixels, an address of ACT and an entry of ACC a cycle.
//
// Interface: `load` with the instruction in the last cycle before it streams (u - 1); from then on the outputs describe the current
// cycle. A pass (one weight tile) takes at least W = B/2 cycles; in the cycles that hold it open address_valid is 0.
// Depthwise reads a column of the window in each cycle; result_valid is 1 in those that complete a window.
// Timing: outputs follow from registers. Where the next pass begins is worked out in the first two cycles of a pass, which has four
// or more.
// Reset: synchronous; not streaming.
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
    output logic [23:0] row_stride_3  // three times as much
);
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
  logic [5:0] elapsed;  // cycles of this pass before this one, no more than OPEN counts
  logic held;  // all pixels of this pass are out

  logic row_ends;
  logic pixels_end;
  logic pass_ends;
  assign address_valid = streaming && !held;
  assign result_valid = address_valid && until_result == 0;
  assign row_ends = result_valid && columns_left == 0;
  assign pixels_end = row_ends && rows_left == 0;
  assign pass_ends = (held || pixels_end) && elapsed >= OPEN;
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
  logic all_last;  // levels are in their last iteration
  logic row_out;
  logic steps;  // to the next pixel

  /* verilator lint_off BLKSEQ */  // the temporaries above
  always_ff @(posedge clock) begin
    row_out = row_ends;
    steps = streaming && !pass_ends && !load;
    if (steps) begin
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
      end
      if (pixels_end) held <= 1'b1;
      if (elapsed < OPEN) elapsed <= elapsed + 6'd1;
      if (!row_out) begin
        address <= address + pixel_act_stride[47:24];
        if (until_result == 0) begin
          entry <= entry + pixel_acc_stride[28:15];
          columns_left <= columns_left - 14'd1;
        end
        until_result <= until_result != 0 ? until_result - 6'd1 : {2'd0, skip_columns};
      end else begin
        address <= row_address + pixel_act_stride[23:0];
        row_address <= row_address + pixel_act_stride[23:0];
        entry <= row_entry + pixel_acc_stride[13:0];
        row_entry <= row_entry + pixel_acc_stride[13:0];
        rows_left <= rows_left - 14'd1;
        columns_left <= pixel_count[27:14] - 14'd1;
        until_result <= fill_columns;
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
      address <= coming_act;
      row_address <= coming_act;
      entry <= coming_acc;
      row_entry <= coming_acc;
      rows_left <= pixel_count[13:0] - 14'd1;
      columns_left <= pixel_count[27:14] - 14'd1;
      until_result <= fill_columns;
      elapsed <= 6'd0;
      held <= 1'b0;
    end
    if (load) begin
      depthwise <= instruction[weft_isa_pkg::MATRIX_MODE_LSB];
      accumulate <= instruction[weft_isa_pkg::MATRIX_ACCUMULATE_LSB];
      tile_count <= instruction[weft_isa_pkg::MATRIX_TILE_COUNT_LSB+:56];
      tile_act_stride <= instruction[weft_isa_pkg::MATRIX_TILE_ACT_STRIDE_LSB+:96];
      tile_acc_stride <= instruction[weft_isa_pkg::MATRIX_TILE_ACC_STRIDE_LSB+:60];
      pixel_count <= instruction[weft_isa_pkg::MATRIX_PIXEL_COUNT_LSB+:28];
      pixel_act_stride <= instruction[weft_isa_pkg::MATRIX_PIXEL_ACT_STRIDE_LSB+:48];
      pixel_acc_stride <= instruction[weft_isa_pkg::MATRIX_PIXEL_ACC_STRIDE_LSB+:30];
      rows <= instruction[weft_isa_pkg::MATRIX_WINDOW_ROWS_LSB+:3];
      row_stride <= instruction[weft_isa_pkg::MATRIX_WINDOW_ROW_STRIDE_LSB+:24];
      row_stride_3 <= 24'd3 * instruction[weft_isa_pkg::MATRIX_WINDOW_ROW_STRIDE_LSB+:24];
      fill_columns <= instruction[weft_isa_pkg::MATRIX_MODE_LSB] ? instruction[weft_isa_pkg::MATRIX_WINDOW_COLUMNS_LSB+:6] - 6'd1 : 6'd0;
      skip_columns <= instruction[weft_isa_pkg::MATRIX_MODE_LSB] ? instruction[weft_isa_pkg::MATRIX_WINDOW_STEP_LSB+:4] - 4'd1 : 4'd0;
      all_last = 1'b1;
      for (int i = 0; i < 4; i++) begin
        tile_act[i] <= instruction[weft_isa_pkg::MATRIX_ACT_LSB+:24];
        tile_acc[i] <= instruction[weft_isa_pkg::MATRIX_ACC_LSB+:14];
        tile_left[i] <= instruction[weft_isa_pkg::MATRIX_TILE_COUNT_LSB+i*14+:14] - 14'd1;
        reduction[i] <= instruction[weft_isa_pkg::MATRIX_TILE_ACC_STRIDE_LSB+i*15+:15] == 0;
        if (instruction[weft_isa_pkg::MATRIX_TILE_COUNT_LSB+i*14+:14] != 1) all_last = 1'b0;
      end
      tile_again <= 4'd0;
      last_tile <= all_last;
      address <= instruction[weft_isa_pkg::MATRIX_ACT_LSB+:24];
      row_address <= instruction[weft_isa_pkg::MATRIX_ACT_LSB+:24];
      entry <= instruction[weft_isa_pkg::MATRIX_ACC_LSB+:14];
      row_entry <= instruction[weft_isa_pkg::MATRIX_ACC_LSB+:14];
      rows_left <= instruction[weft_isa_pkg::MATRIX_PIXEL_COUNT_LSB+:14] - 14'd1;
      columns_left <= instruction[weft_isa_pkg::MATRIX_PIXEL_COUNT_LSB+14+:14] - 14'd1;
      until_result <= instruction[weft_isa_pkg::MATRIX_MODE_LSB] ? instruction[weft_isa_pkg::MATRIX_WINDOW_COLUMNS_LSB+:6] - 6'd1 : 6'd0;
      elapsed <= 6'd0;
      held <= 1'b0;
    end
    streaming <= !reset && (load || (streaming && !last_cycle));
  end
  /* verilator lint_on BLKSEQ */
endmodule
