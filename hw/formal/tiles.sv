// weft_tiles: in the cycle after the check `outside` says whether the tiles end outside WGT, of a plain product in 64 bits. Counts are
// powers of two here, so that a solver can multiply them; the narrow products of whatever factors are weft_reach's as well, and proven
// there. Induction over the seven cycles of a check; WGT is that of ref16.
//
// modules weft_tiles
// mutation weft_tiles: s/if (step\[3\]) beyond <= (pair >> LINES) != 0;/if (step[3]) beyond <= 1'b0;/
// mutation weft_tiles: s/else if (step\[4\]) beyond <= beyond ||/else if (step[4]) beyond <=/
// mutation weft_tiles: s/rows\[2\] ? columns << 2/rows[2] ? columns << 1/
// mutation weft_tiles: s/beyond \&\& tile_lines != 0/beyond/
// mutation weft_tiles: s/(beyond \&\& tile_lines != 0) ||/beyond ? tile_lines != 0 :/
// mutation weft_tiles: s/+ ~END'(WGT_BYTES)/- END'(WGT_BYTES)/
module proof (
    input logic clock,
    input logic begin_check,
    input logic [511:0] instruction
);
  logic outside;
  weft_tiles dut (.*);

  // The cycle of a check: 1 is that of begin_check. It is not given up, as dispatch gives none up but for good.
  logic [3:0] now = 4'd0;
  logic [511:0] instruction_before;
  logic [2:0] age = 3'd0;  // cycles since the start; what the registers held then is through when the first check begins
  (* hierconn *) wire [6:2] \dut.step ;
  always_ff @(posedge clock) begin
    now <= begin_check ? 4'd2 : now == 0 || now == 8 ? 4'd0 : now + 4'd1;
    instruction_before <= instruction;
    if (age != 7) age <= age + 3'd1;
  end
  always_comb begin
    assume (!begin_check || (now == 0 && age == 7));
    if (age == 7) assert (\dut.step == {now == 6, now == 5, now == 4, now == 3, now == 2});
    assert (age == 7 || now == 0);
    assume (now == 0 || instruction == instruction_before);
    assert (now <= 8);
  end

  function automatic logic [4:0] power(input logic [13:0] count);
    power = 0;
    for (integer i = 0; i < 14; i = i + 1) if (count[i]) power = i;
  endfunction
  logic [13:0] count[0:3];
  logic [6:0] power_all;
  logic [63:0] lines, last;
  assign power_all = power(count[0]) + power(count[1]) + power(count[2]) + power(count[3]);
  for (genvar i = 0; i < 4; i = i + 1) begin : g_level
    assign count[i] = instruction[weft_isa_pkg::MATRIX_TILE_COUNT_LSB+14*i+:14];
    always_comb assume (count[i] != 0 && (count[i] & (count[i] - 1)) == 0);
  end
  assign lines = instruction[weft_isa_pkg::MATRIX_MODE_LSB]
      ? instruction[weft_isa_pkg::MATRIX_WINDOW_ROWS_LSB+:3] * {58'd0, instruction[weft_isa_pkg::MATRIX_WINDOW_COLUMNS_LSB+:6]}
      : weft_config_pkg::BLOCK;
  // Of 2^30 tiles and more none is inside.
  assign last = instruction[weft_isa_pkg::MATRIX_WGT_LSB+:24] + ((lines * weft_config_pkg::BLOCK) << (power_all > 30 ? 30 : power_all));
  always_comb begin
    if (now == 7 || now == 8) assert (outside == (last > weft_config_pkg::WGT_BYTES));
  end
endmodule
