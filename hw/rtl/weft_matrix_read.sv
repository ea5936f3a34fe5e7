// From the address of a pixel to lines of ACT, and from those to what the array takes.
//
// Interface: in c the address of a pixel (dense: B bytes at any address; depthwise: the first line of a column of the window).
// two_rows: the lanes of a dense pixel from row_end on lie row_stride, which is whole lines, further, in lines of other sub-banks than
// the lanes before them (isa/verify/rules.c). Both parts then have the same offset in a line, and one rotate does.
// Timing: c: one read for each sub-bank. c+1: the lines are chosen from the banks. c+2: dense_bytes holds the B bytes of the pixel, or
// column the lines of the column, row 0 first, with dense_valid or column_valid. With `deep_pipeline` ACT takes a cycle more, and both are
// in c+2 and c+3.
// Reset: synchronous; nothing on its way.
module weft_matrix_read #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,
    parameter BLOCK = CONFIG[weft_config_pkg::AT_BLOCK+:32],
    parameter BLOCK_BITS = $clog2(BLOCK),
    parameter LINE_BITS = $clog2(CONFIG[weft_config_pkg::AT_ACT_BYTES+:32]) - BLOCK_BITS
) (
    input  logic clock,
    input  logic reset,
    input  logic valid,
    // verilator lint_off UNUSEDSIGNAL
    input  logic [23:0] address,  // extents were checked: the upper bits are zero
    // verilator lint_on UNUSEDSIGNAL
    input  logic depthwise,
    input  logic signed [7:0] zero,  // with activation_zero_point: given on beside the bytes of a dense pixel
    input  logic [2:0] rows,
    // verilator lint_off UNUSEDSIGNAL
    input  logic [23:0] row_stride,  // a multiple of B, in a memory of fewer lines
    input  logic [23:0] row_stride_2,  // depthwise: twice as much; dense: as much
    input  logic [23:0] row_stride_3,  // depthwise: three times as much; dense: a line more
    input  logic two_rows,
    input  logic [5:0] row_end,
    // verilator lint_on UNUSEDSIGNAL
    output logic [3:0] act_valid,
    output logic [4*(LINE_BITS-2)-1:0] act_line,
    input  logic [32*BLOCK-1:0] act_read_data,
    output logic dense_valid,
    output logic [8*BLOCK-1:0] dense_bytes,
    output logic signed [7:0] dense_zero,
    output logic column_valid,
    output logic [2:0] column_rows,
    output logic [32*BLOCK-1:0] column
);
  localparam LINE = 8 * BLOCK;
  localparam DEEP = CONFIG[weft_config_pkg::AT_DEEP_PIPELINE+:32] != 0;
  localparam DENSE_ROWS = CONFIG[weft_config_pkg::AT_DENSE_ROWS+:32] != 0;
  localparam [6:0] LANES = BLOCK[6:0];

  // ---- c: which line of each sub-bank ----
  logic [BLOCK_BITS-1:0] offset;
  // Of row i; dense: the line of the first byte and the one after it, and the same in the next row of the window.
  logic [LINE_BITS-1:0] line[0:3];
  logic splits;  // a row ends in this pixel
  logic [6:0] turn;  // the byte of the two lines where it does
  logic [3:0] wanted;
  logic hit;  // temporaries
  logic [LINE_BITS-3:0] at;
  assign offset = address[BLOCK_BITS-1:0];
  assign splits = DENSE_ROWS && two_rows && !depthwise;
  assign turn = {1'b0, row_end} + 7'(offset);
  always_comb begin
    wanted = 4'd0;
    act_valid = 4'd0;
    act_line = 0;
    line[0] = address[BLOCK_BITS+:LINE_BITS];
    line[1] = line[0] + (depthwise ? row_stride[BLOCK_BITS+:LINE_BITS] : LINE_BITS'(1));
    line[2] = line[0] + row_stride_2[BLOCK_BITS+:LINE_BITS];
    line[3] = line[0] + row_stride_3[BLOCK_BITS+:LINE_BITS];
    if (valid && depthwise) begin
      for (int i = 0; i < 4; i++) begin
        if (i[2:0] < rows) wanted[i] = 1'b1;
      end
    end else if (valid && splits) begin
      wanted = {offset != 0, turn < LANES, turn > LANES, row_end != 0};
    end else if (valid) begin
      wanted = {2'b00, offset != 0, 1'b1};
    end
    // No two lie in one sub-bank. Lines 2 and 3 are wanted of windows alone.
    for (int k = 0; k < 4; k++) begin
      at = 0;
      for (int i = 0; i < 2; i++) begin
        hit = wanted[i] && line[i][1:0] == k[1:0];
        act_valid[k] = act_valid[k] | hit;
        at = at | ({LINE_BITS - 2{hit}} & line[i][LINE_BITS-1:2]);
      end
      if (depthwise || splits) begin
        for (int i = 2; i < 4; i++) begin
          hit = wanted[i] && line[i][1:0] == k[1:0];
          act_valid[k] = act_valid[k] | hit;
          at = at | ({LINE_BITS - 2{hit}} & line[i][LINE_BITS-1:2]);
        end
      end
      act_line[k*(LINE_BITS-2)+:LINE_BITS-2] = at;
    end
  end

  // ---- c+1 (`deep_pipeline`: c+2): the lines, by sub-bank ----
  logic valid_0, valid_1, valid_2;  // a cycle after the address; with the lines; behind them
  logic depthwise_0, depthwise_1, depthwise_2;
  logic [2:0] rows_0, rows_1, rows_2;
  logic [7:0] subs_0, subs_1, subs_2;  // sub-bank of each row, 4 x 2
  logic [BLOCK_BITS-1:0] offset_0, offset_1, offset_2;
  logic [4*LINE-1:0] lines;
  logic splits_0, splits_1, splits_2;
  logic signed [7:0] zero_0, zero_1;
  logic [6:0] turn_0, turn_1;
  logic [2*BLOCK-1:0] further;  // by byte of the two lines: it lies in the next row
  if (DEEP) begin : g_deep
    always_ff @(posedge clock) begin : waits
      valid_1 <= !reset && valid_0;
      if (valid_0) begin
        depthwise_1 <= depthwise_0;
        rows_1 <= rows_0;
        subs_1 <= subs_0;
        offset_1 <= offset_0;
        splits_1 <= splits_0;
        if (DENSE_ROWS && splits_0) turn_1 <= turn_0;
        zero_1 <= zero_0;
      end
    end
  end else begin : g_shallow
    assign valid_1 = valid_0;
    assign depthwise_1 = depthwise_0;
    assign rows_1 = rows_0;
    assign subs_1 = subs_0;
    assign offset_1 = offset_0;
    assign splits_1 = splits_0;
    assign turn_1 = turn_0;
    assign zero_1 = zero_0;
  end
  always_ff @(posedge clock) begin
    if (reset) begin
      valid_0 <= 1'b0;
      valid_2 <= 1'b0;
    end else begin
      valid_0 <= valid;
      valid_2 <= valid_1;
    end
    if (valid) begin
      depthwise_0 <= depthwise;
      rows_0 <= rows;
      subs_0 <= {line[3][1:0], line[2][1:0], line[1][1:0], line[0][1:0]};
      offset_0 <= offset;
      splits_0 <= splits;
      if (DENSE_ROWS && splits) turn_0 <= turn;
      zero_0 <= zero;
    end
    if (valid_1) begin
      depthwise_2 <= depthwise_1;
      rows_2 <= rows_1;
      subs_2 <= subs_1;
      offset_2 <= offset_1;
      lines <= act_read_data;
      splits_2 <= splits_1;
      dense_zero <= zero_1;
      if (DENSE_ROWS && splits_1) begin
        for (int i = 0; i < 2 * BLOCK; i++) further[i] <= i[6:0] >= turn_1;
      end
    end
  end

  // ---- c+2 (c+3): the line of each row, and for dense pixels the rotate; a cycle without a pixel costs a simulator one test ----
  always_comb begin
    column = {4 * LINE{1'bx}};
    if (valid_2) begin
      for (int k = 0; k < 4; k++) begin
        column[k*LINE+:LINE] = subs_2[2*k+1] ? (subs_2[2*k] ? lines[3*LINE+:LINE] : lines[2*LINE+:LINE])
            : subs_2[2*k] ? lines[LINE+:LINE] : lines[0+:LINE];
      end
    end
  end
  logic [2*LINE-1:0] pair;
  always_comb begin
    pair = column[0+:2*LINE];
    if (DENSE_ROWS && splits_2) begin
      for (int i = 0; i < 2 * BLOCK; i++) begin
        if (further[i]) pair[8*i+:8] = column[2*LINE+8*i+:8];
      end
    end
  end
  weft_rotate #(
      .BYTES(BLOCK)
  ) rotate (
      .enable(valid_2 && !depthwise_2),
      .lines(pair),
      .offset(offset_2),
      .result(dense_bytes)
  );
  assign dense_valid = valid_2 && !depthwise_2;
  assign column_valid = valid_2 && depthwise_2;
  assign column_rows = rows_2;

`ifndef SYNTHESIS
  always_ff @(posedge clock) begin : sub_banks_differ
    if (valid) begin
      for (int i = 1; i < 4; i++) begin
        for (int j = 0; j < i; j++) begin
          if (wanted[i] && wanted[j] && line[i][1:0] == line[j][1:0]) $error("two lines of a window lie in one sub-bank");
        end
      end
    end
  end
`endif
endmodule
