// weft_tiles: in T+7 `outside` is what a reference says that multiplies the counts: do the tiles, one behind the other, end behind WGT? Of
// every MATRIX instruction without a count of 0, that weft_encoding lets through. A check may be given up when it is two cycles old or
// older, and another begun. WGT is that of ref16.
//
// Nothing is cut out. A product is the reference's by the halves of one factor, x * y = x * lower + (x * upper << 7), as a solver does not
// see that in time. The reference's multipliers have the operands of the module's own, in the same cycle, so that Yosys finds them to be
// the same; that each operand is the reference's is shown in that cycle. The reference leaves off where a product is more than WGT has
// lines: as the other factors are at least 1, it gets no smaller; tiles of no lines are looked at first.
//
// Parts: 0: the products of two counts each. 1: of all, and the lines. 2: what is said of them. Each assumes what those before it show.
//
// modules weft_tiles
// parts 0 1 2
// cover now == 7 && depthwise && pair_0 > 9 && pair_1 > 9 && tile_lines > 9 && !verdict
// cover now == 7 && !depthwise && pair_0 > 9 && pair_1 > 9 && !verdict
// cover now == 7 && pair_0 < 100 && pair_1 < 100 && verdict
// mutation weft_tiles: s/rows\[2\] ? columns << 2/rows[2] ? columns << 1/
// mutation weft_tiles: s/if (step\[3\]) beyond <= (pair >> LINES) != 0;/if (step[3]) beyond <= 1'b0;/
// mutation weft_tiles: s/else if (step\[4\]) beyond <= beyond ||/else if (step[4]) beyond <=/
// mutation weft_tiles: s/else if (step\[6\]) beyond <= beyond ||/else if (step[6]) beyond <=/
// mutation weft_tiles: s/beyond \&\& tile_lines != 0/beyond/
// mutation weft_tiles: s/count_1\[COUNT-1:HALF\]/count_1[COUNT-1:HALF+1]/
// mutation weft_tiles: s/if (step\[3\]) outer/if (step[4]) outer/
// mutation weft_tiles: s/INSIDE = ~SIZE/INSIDE = ~(SIZE << 1)/
module proof #(
    parameter integer PART = 0
) (
    input logic clock,
    input logic take,
    input logic [511:0] fetched
);
  localparam logic [31:0] BLOCK = weft_config_pkg::BLOCK;
  localparam integer LINES = 14;  // bits of a number of lines of WGT

  // ---- a check, as dispatch makes it ----
  logic begun = 1'b0;  // not the first cycle
  logic [3:0] now = 4'd0;  // T + now; 8: the check is done; 0: there was none
  logic [511:0] instruction;
  logic outside;
  weft_tiles dut (
      .clock(clock),
      .begin_check(now == 1),
      .instruction(instruction),
      .outside(outside)
  );
  (* hierconn *) wire [6:2] \dut.step ;
  (* hierconn *) wire [20:0] \dut.pair_low , \dut.pair_high ;
  (* hierconn *) wire [27:0] \dut.pair , \dut.tiles ;
  (* hierconn *) wire [LINES-1:0] \dut.outer ;
  (* hierconn *) wire [20:0] \dut.tiles_low , \dut.tiles_high ;
  (* hierconn *) wire [8:0] \dut.tile_lines ;
  (* hierconn *) wire [LINES+8:0] \dut.lines ;
  (* hierconn *) wire \dut.beyond ;
  logic [13:0] count_0, count_1, count_2, count_3;
  logic depthwise;
  assign {count_3, count_2, count_1, count_0} = instruction[weft_isa_pkg::MATRIX_TILE_COUNT_LSB+:56];
  assign depthwise = instruction[weft_isa_pkg::MATRIX_MODE_LSB] == weft_isa_pkg::MODE_DEPTHWISE;
  always_ff @(posedge clock) begin
    begun <= 1'b1;
    now <= take ? 4'd1 : now == 0 || now == 8 ? now : now + 4'd1;
    if (take) instruction <= fetched;
  end
  always_comb begin
    assume (!take || now == 0 || now >= 3);
    if (!begun) assume (\dut.step == 0);  // the first check comes long after the clock
    if (now != 0) assume (count_0 != 0 && count_1 != 0 && count_2 != 0 && count_3 != 0);
  end

  // ---- the reference ----
  // x * y by the halves of y, of levels 0 and 1 and then of levels 2 and 3.
  logic [13:0] x, y;
  logic [20:0] lower, upper, all_lower, all_upper;
  assign x = now == 1 ? count_0 : count_2;
  assign y = now == 1 ? count_1 : count_3;
  logic [27:0] pair_0, pair_1, all;  // levels 0 and 1, levels 2 and 3, all levels
  logic [8:0] tile_lines;
  logic [22:0] lines;
  logic more, verdict;  // more: than WGT has lines, without those of a tile
  assign tile_lines = depthwise
      ? instruction[weft_isa_pkg::MATRIX_WINDOW_ROWS_LSB+:3] * instruction[weft_isa_pkg::MATRIX_WINDOW_COLUMNS_LSB+:6] : BLOCK;
  assign more = pair_0 >> LINES != 0 || pair_1 >> LINES != 0 || all >> LINES != 0;
  always_comb begin
    if (tile_lines == 0) verdict = instruction[weft_isa_pkg::MATRIX_WGT_LSB+:24] > weft_config_pkg::WGT_BYTES;
    else verdict = more || {13'd0, instruction[weft_isa_pkg::MATRIX_WGT_LSB+:24]} + {14'd0, lines} * BLOCK > weft_config_pkg::WGT_BYTES;
  end
  always_ff @(posedge clock) begin
    lower <= {7'd0, x} * {14'd0, y[6:0]};
    upper <= {7'd0, x} * {14'd0, y[13:7]};
    if (now == 2) pair_0 <= {upper, 7'd0} + {7'd0, lower};
    if (now == 3) pair_1 <= {upper, 7'd0} + {7'd0, lower};
    all_lower <= {7'd0, \dut.outer } * {14'd0, \dut.pair [6:0]};
    all_upper <= {7'd0, \dut.outer } * {14'd0, \dut.pair [13:7]};
    if (now == 5) all <= {all_upper, 7'd0} + {7'd0, all_lower};
    lines <= {14'd0, \dut.tile_lines } * {9'd0, \dut.tiles [LINES-1:0]};
  end

  // What a check that was given up leaves is three cycles ahead or more.
  logic control, pairs, tiles;
  always_comb begin
    control = now != 0 || !\dut.step [2];
    for (integer i = 2; i <= 6; i = i + 1) if (now != 0 && i <= now + 2) control = control && \dut.step [i] == (i == now);
    if (now >= 2 && now <= 7) control = control && \dut.tile_lines == tile_lines;
    pairs = 1'b1;
    if (now == 2 || now == 3) pairs = \dut.pair_low == lower && \dut.pair_high == upper;
    if (now == 3) pairs = pairs && \dut.pair == pair_0;
    if (now == 4) pairs = \dut.pair == pair_1 && \dut.outer == pair_0[LINES-1:0] && \dut.beyond == (pair_0 >> LINES != 0);
    tiles = 1'b1;
    if (now == 5) tiles = \dut.tiles_low == all_lower && \dut.tiles_high == all_upper;
    if (now == 6) tiles = \dut.tiles == all;
    if (now == 5 || now == 6) tiles = tiles && \dut.beyond == (pair_0 >> LINES != 0 || pair_1 >> LINES != 0);
    if (now == 7) tiles = \dut.lines == lines && \dut.beyond == more && (tile_lines != 0 || lines == 0);

    if (PART == 0) assert (control && pairs);
    else assume (control && pairs);
    if (PART == 1) assert (tiles);
    if (PART == 2) begin
      assume (tiles);
      if (now == 7) assert (outside == verdict);
    end
  end
endmodule
