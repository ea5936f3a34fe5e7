// Do the weight tiles of a MATRIX instruction end outside WGT?
//
// Interface: `instruction` stays on the input from `begin_check` until `outside` was used; of other opcodes `outside` means nothing.
// Timing: begin_check in T+1, two products of counts in T+1 and T+2, that of these in T+3, the lines of all tiles in T+4, the
// comparison in T+5: outside is right from T+6 on.
// Reset: none; what a check that is given up leaves does not reach the next one.
//
// A product of more than LINES bits is `beyond`: no memory holds so many lines, and counts are at least 1. What is computed from
// its lower bits then means nothing.
module weft_tiles #(
    parameter BLOCK = weft_config_pkg::BLOCK,
    parameter WGT_BYTES = weft_config_pkg::WGT_BYTES
) (
    input  logic clock,
    input  logic begin_check,
    // verilator lint_off UNUSEDSIGNAL
    input  logic [511:0] instruction,
    // verilator lint_on UNUSEDSIGNAL
    output logic outside
);
  localparam COUNT = 14;  // bits
  localparam TILE = 9;  // 7 * 63 lines are the most that the fields of a window hold
  localparam BLOCK_BITS = $clog2(BLOCK);
  localparam LINES = $clog2(WGT_BYTES / BLOCK + 1);  // so many bits hold the number of lines of WGT
  localparam FACTOR = LINES > TILE ? LINES : TILE;
  localparam END = 25 + LINES + FACTOR + BLOCK_BITS;  // bits of the last byte, and a sign

  logic [4*COUNT-1:0] counts;
  logic depthwise;
  logic [2:0] rows;
  logic [8:0] columns;
  assign counts = instruction[weft_isa_pkg::MATRIX_TILE_COUNT_LSB+:4*COUNT];
  assign depthwise = instruction[weft_isa_pkg::MATRIX_MODE_LSB] == weft_isa_pkg::MODE_DEPTHWISE[0];
  assign rows = instruction[weft_isa_pkg::MATRIX_WINDOW_ROWS_LSB+:3];
  assign columns = {3'd0, instruction[weft_isa_pkg::MATRIX_WINDOW_COLUMNS_LSB+:6]};

  logic [5:2] step;  // it is T+2, ... T+5
  // Of two levels: the outer ones in T+1, the inner ones in T+2.
  logic [2*COUNT-1:0] pair;
  logic [LINES-1:0] outer;
  // Of all levels in T+3, times the lines of a tile in T+4.
  logic [LINES+FACTOR-1:0] product;
  logic [TILE-1:0] tile_lines;
  logic beyond;

  logic [COUNT-1:0] count_0, count_1;
  logic [LINES-1:0] factor_0;
  logic [FACTOR-1:0] factor_1;
  assign count_0 = begin_check ? counts[0+:COUNT] : counts[2*COUNT+:COUNT];
  assign count_1 = begin_check ? counts[COUNT+:COUNT] : counts[3*COUNT+:COUNT];
  assign factor_0 = step[3] ? outer : product[LINES-1:0];
  assign factor_1 = step[3] ? FACTOR'(LINES'(pair)) : FACTOR'(tile_lines);

  logic [END-1:0] past;  // first byte after the last tile - WGT_BYTES - 1; negative when inside
  assign past = END'(instruction[weft_isa_pkg::MATRIX_WGT_LSB+:24]) + (END'(product) << BLOCK_BITS) + ~END'(WGT_BYTES);

  always_ff @(posedge clock) begin
    step <= {step[4:2], begin_check};
    if (begin_check) begin
      tile_lines <= depthwise ? (rows[0] ? columns : 9'd0) + (rows[1] ? columns << 1 : 9'd0) + (rows[2] ? columns << 2 : 9'd0)
                              : BLOCK[TILE-1:0];
    end
    if (begin_check || step[2]) pair <= {{COUNT{1'b0}}, count_0} * {{COUNT{1'b0}}, count_1};
    if (step[2]) outer <= LINES'(pair);
    if (step[3] || step[4]) product <= {{FACTOR{1'b0}}, factor_0} * {{LINES{1'b0}}, factor_1};
    if (step[2]) beyond <= (pair >> LINES) != 0;
    else if (step[3]) beyond <= beyond || (pair >> LINES) != 0;
    else if (step[4]) beyond <= beyond || (product >> LINES) != 0;
    if (step[5]) outside <= beyond ? tile_lines != 0 : !past[END-1];
  end
endmodule
