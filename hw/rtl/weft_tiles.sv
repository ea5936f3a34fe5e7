// Do the weight tiles of a MATRIX instruction end outside WGT?
// Interface: `instruction` stays on the input from `begin_check` until T+7; of other opcodes `outside` means nothing.
// Timing: begin_check in T+1. Two products of counts, from T+1 and from T+2 on, and that of these, from T+4 on, take two cycles each, one
// for the products of either half of a factor and one to add them; the lines of all tiles T+6. outside is right in T+7 alone.
// Reset: none; what a check that is given up leaves does not reach the next one.
//
// A product of more than LINES bits is `beyond`: no memory holds so many lines, and counts are at least 1. What is computed from
// its lower bits then means nothing. Between checks the registers of products are don't care: a simulator then does not multiply, and
// hardware has no enables, which would be two gates more.
`include "weft_isa_slices.svh"
module weft_tiles #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,
    parameter BLOCK = CONFIG[weft_config_pkg::AT_BLOCK+:32],
    parameter [31:0] WGT_BYTES = CONFIG[weft_config_pkg::AT_WGT_BYTES+:32]
) (
    input  logic clock,
    input  logic begin_check,
    // verilator lint_off UNUSEDSIGNAL
    input  logic [511:0] instruction,
    // verilator lint_on UNUSEDSIGNAL
    output logic outside
);
  localparam COUNT = 14;  // bits
  localparam HALF = 7;
  localparam TILE = 9;  // 7 * 63 lines are the most that the fields of a window hold
  localparam BLOCK_BITS = $clog2(BLOCK);
  localparam LINES = $clog2(WGT_BYTES / BLOCK + 1);  // so many bits hold the number of lines of WGT
  localparam LOWER = LINES / 2;
  localparam END = 26;  // bits of an address, of the last byte of tiles that are not beyond, and a sign

  // - WGT_BYTES - 1. Not ~END'(WGT_BYTES): Yosys 0.23 inverts the 32 bits of the constant.
  localparam [END-1:0] SIZE = WGT_BYTES[END-1:0];
  localparam [END-1:0] INSIDE = ~SIZE;

  logic [4*COUNT-1:0] counts;
  logic depthwise;
  logic [2:0] rows;
  logic [8:0] columns;
  assign counts = instruction[`WEFT_MATRIX_TILE_COUNT];
  assign depthwise = instruction[`WEFT_MATRIX_MODE] == weft_isa_pkg::MODE_DEPTHWISE[0];
  assign rows = instruction[`WEFT_MATRIX_WINDOW_ROWS];
  assign columns = {3'd0, instruction[`WEFT_MATRIX_WINDOW_COLUMNS]};

  logic [6:2] step;  // it is T+2, ... T+6
  // Of two levels: the outer ones, then the inner ones.
  logic [COUNT-1:0] count_0, count_1;
  logic [COUNT+HALF-1:0] pair_low, pair_high;
  logic [2*COUNT-1:0] pair;
  logic [LINES-1:0] outer;
  assign count_0 = begin_check ? counts[0+:COUNT] : counts[2*COUNT+:COUNT];
  assign count_1 = begin_check ? counts[COUNT+:COUNT] : counts[3*COUNT+:COUNT];
  // Of all levels, and the lines of a tile.
  logic [LINES+LOWER-1:0] tiles_low;
  logic [2*LINES-LOWER-1:0] tiles_high;
  logic [2*LINES-1:0] tiles;
  logic [TILE-1:0] tile_lines;
  logic [LINES+TILE-1:0] lines;
  logic beyond;

  logic [END-1:0] begins;  // first byte of the first tile - WGT_BYTES - 1; negative when inside
  logic [END-1:0] past;  // the same of the first byte after the last tile
  assign past = begins + (END'(lines[LINES-1:0]) << BLOCK_BITS);
  assign outside = (beyond && tile_lines != 0) || lines[LINES+TILE-1:LINES] != 0 || !past[END-1];

  always_ff @(posedge clock) begin
    // A register is read above the line that writes it, which spares a simulator a copy.
    if (step[3]) beyond <= (pair >> LINES) != 0;
    else if (step[4]) beyond <= beyond || (pair >> LINES) != 0;
    else if (step[6]) beyond <= beyond || (tiles >> LINES) != 0;
    if (begin_check || step != 0) begin
      lines <= (LINES + TILE)'(tile_lines) * (LINES + TILE)'(tiles[LINES-1:0]);
      tiles <= {tiles_high, {LOWER{1'b0}}} + (2 * LINES)'(tiles_low);
      tiles_high <= (2 * LINES - LOWER)'(outer) * (2 * LINES - LOWER)'(pair[LINES-1:LOWER]);
      tiles_low <= (LINES + LOWER)'(outer) * (LINES + LOWER)'(pair[LOWER-1:0]);
      if (step[3]) outer <= LINES'(pair);
      pair <= {pair_high, {HALF{1'b0}}} + {{HALF{1'b0}}, pair_low};
      pair_high <= {{HALF{1'b0}}, count_0} * {{COUNT{1'b0}}, count_1[COUNT-1:HALF]};
      pair_low <= {{HALF{1'b0}}, count_0} * {{COUNT{1'b0}}, count_1[HALF-1:0]};
    end else begin
      lines <= {LINES + TILE{1'bx}};
      tiles <= {2 * LINES{1'bx}};
      tiles_high <= {2 * LINES - LOWER{1'bx}};
      tiles_low <= {LINES + LOWER{1'bx}};
      pair <= {2 * COUNT{1'bx}};
      pair_high <= {COUNT + HALF{1'bx}};
      pair_low <= {COUNT + HALF{1'bx}};
    end
    if (begin_check) begin
      begins <= END'(instruction[`WEFT_MATRIX_WGT]) + INSIDE;
      tile_lines <= depthwise ? (rows[0] ? columns : 9'd0) + (rows[1] ? columns << 1 : 9'd0) + (rows[2] ? columns << 2 : 9'd0)
                              : BLOCK[TILE-1:0];
    end
    step <= {step[5:2], begin_check};
  end
endmodule
