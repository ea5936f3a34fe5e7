// Adds up how far an instruction reaches, one loop level a cycle, and says whether that passes a memory or a region.
//
// Interface: `instruction` stays on the input from `begin_check` (the cycle after dispatch took it) until `outside` was used.
// Timing: begin_check in T+1, the levels are added in T+1 to T+CHECK, outside is right from T+CHECK+1 on.
// Reset: none needed; begin_check sets everything.
//
// Three sums run side by side, each with a lowest and a highest reach, relative to the base:
//   sum 0  LOAD, STORE: external bytes   VECTOR: lines of the result
//   sum 1  LOAD, FILL, STORE: bytes on chip   MATRIX: bytes of ACT   VECTOR: lines (entries) of a
//   sum 2  MATRIX: entries of ACC   VECTOR: lines of b
// and beside them the lines of records in PAR and the bytes of weights.
module weft_extents #(
    parameter BLOCK = weft_config_pkg::BLOCK
) (
    input  logic clock,
    input  logic begin_check,
    input  logic [511:0] instruction,
    input  logic [8*64-1:0] region_limit,
    output logic outside
);
  localparam BLOCK_BITS = $clog2(BLOCK);
  localparam [63:0] ACT_LINES = {32'd0, weft_config_pkg::ACT_BYTES} >> BLOCK_BITS;
  localparam [63:0] PAR_LINES = {32'd0, weft_config_pkg::PAR_BYTES} >> BLOCK_BITS;
  localparam [63:0] ACC_ENTRIES = {32'd0, weft_config_pkg::ACC_BYTES} >> (BLOCK_BITS + 2);
  localparam [63:0] SUM_RECORD = (16 + {32'd0, BLOCK} - 1) / {32'd0, BLOCK};  // lines of the record of ADD

  logic [3:0] opcode;
  logic is_load, is_fill, is_store, is_matrix, is_vector;
  assign opcode = instruction[3:0];
  assign is_load = opcode == weft_isa_pkg::OPCODE_LOAD[3:0];
  assign is_fill = opcode == weft_isa_pkg::OPCODE_FILL[3:0];
  assign is_store = opcode == weft_isa_pkg::OPCODE_STORE[3:0];
  assign is_matrix = opcode == weft_isa_pkg::OPCODE_MATRIX[3:0];
  assign is_vector = opcode == weft_isa_pkg::OPCODE_VECTOR[3:0];

  logic depthwise;
  logic [3:0] vector_function;
  assign depthwise = instruction[weft_isa_pkg::MATRIX_MODE_LSB+:1] == weft_isa_pkg::MODE_DEPTHWISE[0];
  assign vector_function = instruction[weft_isa_pkg::VECTOR_FUNCTION_LSB+:4];

  // Depthwise: columns that one row of outputs reads after the first, and the rows of a window after the first.
  logic [17:0] depthwise_columns;
  logic signed [31:0] window_rows;

  // ---- the levels, one in each cycle ----
  logic [2:0] level;
  logic busy;
  logic [2:0] now;  // the level that is added in this cycle
  logic adding;
  assign now = begin_check ? 3'd0 : level;
  assign adding = begin_check || busy;

  // The levels of each field side by side: what `now` chooses from.
  logic [47:0] load_count;
  logic [95:0] load_address_stride;
  logic [71:0] load_local_stride;
  logic [47:0] store_count;
  logic [95:0] store_address_stride;
  logic [71:0] store_local_stride;
  logic [47:0] fill_count;
  logic [71:0] fill_local_stride;
  logic [55:0] matrix_tile_count;
  logic [95:0] matrix_tile_act_stride;
  logic [59:0] matrix_tile_acc_stride;
  logic [35:0] vector_count;
  logic [53:0] vector_out_stride;
  logic [53:0] vector_a_stride;
  logic [53:0] vector_b_stride;
  logic [11:0] vector_window_count;
  logic [31:0] vector_window_stride;
  assign load_count = instruction[weft_isa_pkg::LOAD_COUNT_LSB+:48];
  assign load_address_stride = instruction[weft_isa_pkg::LOAD_ADDRESS_STRIDE_LSB+:96];
  assign load_local_stride = instruction[weft_isa_pkg::LOAD_LOCAL_STRIDE_LSB+:72];
  assign store_count = instruction[weft_isa_pkg::STORE_COUNT_LSB+:48];
  assign store_address_stride = instruction[weft_isa_pkg::STORE_ADDRESS_STRIDE_LSB+:96];
  assign store_local_stride = instruction[weft_isa_pkg::STORE_LOCAL_STRIDE_LSB+:72];
  assign fill_count = instruction[weft_isa_pkg::FILL_COUNT_LSB+:48];
  assign fill_local_stride = instruction[weft_isa_pkg::FILL_LOCAL_STRIDE_LSB+:72];
  assign matrix_tile_count = instruction[weft_isa_pkg::MATRIX_TILE_COUNT_LSB+:56];
  assign matrix_tile_act_stride = instruction[weft_isa_pkg::MATRIX_TILE_ACT_STRIDE_LSB+:96];
  assign matrix_tile_acc_stride = instruction[weft_isa_pkg::MATRIX_TILE_ACC_STRIDE_LSB+:60];
  assign vector_count = instruction[weft_isa_pkg::VECTOR_COUNT_LSB+:36];
  assign vector_out_stride = instruction[weft_isa_pkg::VECTOR_OUT_STRIDE_LSB+:54];
  assign vector_a_stride = instruction[weft_isa_pkg::VECTOR_A_STRIDE_LSB+:54];
  assign vector_b_stride = instruction[weft_isa_pkg::VECTOR_B_STRIDE_LSB+:54];
  assign vector_window_count = instruction[weft_isa_pkg::VECTOR_WINDOW_COUNT_LSB+:12];
  assign vector_window_stride = instruction[weft_isa_pkg::VECTOR_WINDOW_STRIDE_LSB+:32];

  // Iterations after the first one, and the stride, of a level of each sum.
  logic signed [17:0] steps_0, steps_1, steps_2;
  logic signed [31:0] stride_0, stride_1, stride_2;
  logic [17:0] columns;  // depthwise: columns read after the first one
  logic [8:0] in_three;  // offset of a level among three of 16, 24, 32, 12 and 18 bits: index now
  always_comb begin
    steps_0 = 0;
    steps_1 = 0;
    steps_2 = 0;
    stride_0 = 0;
    stride_1 = 0;
    stride_2 = 0;
    columns = 0;
    in_three = {6'd0, now};
    if (adding && (is_load || is_store || is_fill) && now < 3) begin
      if (is_load) begin
        steps_0 = {2'd0, load_count[6'(in_three*16)+:16]} - 18'd1;
        stride_0 = load_address_stride[7'(in_three*32)+:32];
        stride_1 = 32'($signed(load_local_stride[7'(in_three*24)+:24]));
      end else if (is_store) begin
        steps_0 = {2'd0, store_count[6'(in_three*16)+:16]} - 18'd1;
        stride_0 = store_address_stride[7'(in_three*32)+:32];
        stride_1 = 32'($signed(store_local_stride[7'(in_three*24)+:24]));
      end else begin
        steps_0 = {2'd0, fill_count[6'(in_three*16)+:16]} - 18'd1;
        stride_1 = 32'($signed(fill_local_stride[7'(in_three*24)+:24]));
      end
      steps_1 = steps_0;
    end else if (adding && is_matrix && now < 4) begin
      steps_1 = {4'd0, matrix_tile_count[6'(in_three*14)+:14]} - 18'd1;
      stride_1 = 32'($signed(matrix_tile_act_stride[7'(in_three*24)+:24]));
      steps_2 = steps_1;
      stride_2 = 32'($signed(matrix_tile_acc_stride[6'(in_three*15)+:15]));
    end else if (adding && is_matrix) begin
      columns = {4'd0, instruction[weft_isa_pkg::MATRIX_PIXEL_COUNT_LSB+14+:14]} - 18'd1;
      if (now == 4) begin
        steps_1 = {4'd0, instruction[weft_isa_pkg::MATRIX_PIXEL_COUNT_LSB+:14]} - 18'd1;
        stride_1 = 32'($signed(instruction[weft_isa_pkg::MATRIX_PIXEL_ACT_STRIDE_LSB+:24]));
        steps_2 = steps_1;
        stride_2 = 32'($signed(instruction[weft_isa_pkg::MATRIX_PIXEL_ACC_STRIDE_LSB+:15]));
      end else begin
        steps_1 = depthwise ? depthwise_columns : columns;
        stride_1 = 32'($signed(instruction[weft_isa_pkg::MATRIX_PIXEL_ACT_STRIDE_LSB+24+:24]));
        steps_2 = columns;
        stride_2 = 32'($signed(instruction[weft_isa_pkg::MATRIX_PIXEL_ACC_STRIDE_LSB+15+:15]));
      end
    end else if (adding && is_vector && now < 3) begin
      steps_0 = {6'd0, vector_count[6'(in_three*12)+:12]} - 18'd1;
      steps_1 = steps_0;
      steps_2 = steps_0;
      stride_0 = 32'($signed(vector_out_stride[6'(in_three*18)+:18]));
      stride_1 = 32'($signed(vector_a_stride[6'(in_three*18)+:18]));
      stride_2 = 32'($signed(vector_b_stride[6'(in_three*18)+:18]));
    end else if (adding && is_vector && now < 5 && vector_function == weft_isa_pkg::FUNCTION_POOL[3:0]) begin
      in_three = {6'd0, now} - 9'd3;
      steps_1 = {12'd0, vector_window_count[4'(in_three*6)+:6]} - 18'd1;
      stride_1 = 32'($signed(vector_window_stride[5'(in_three*16)+:16]));
    end
  end


  logic [3:0] rows_after;
  assign rows_after = {1'b0, instruction[weft_isa_pkg::MATRIX_WINDOW_ROWS_LSB+:3]} - 4'd1;
  always_ff @(posedge clock) begin
    if (begin_check && is_matrix) begin
      depthwise_columns <= ({4'd0, instruction[weft_isa_pkg::MATRIX_PIXEL_COUNT_LSB+14+:14]} - 18'd1)
          * {14'd0, instruction[weft_isa_pkg::MATRIX_WINDOW_STEP_LSB+:4]}
          + {12'd0, instruction[weft_isa_pkg::MATRIX_WINDOW_COLUMNS_LSB+:6]} - 18'd1;
      window_rows <= 32'($signed(rows_after))
          * 32'($signed(instruction[weft_isa_pkg::MATRIX_WINDOW_ROW_STRIDE_LSB+:24]));
    end
  end

  logic signed [51:0] low_0, high_0, low_1, high_1, low_2, high_2;
  logic [39:0] tiles;  // no more than BEYOND counts
  localparam [39:0] BEYOND = 40'd1 << 25;
  logic [13:0] tile_count;
  assign tile_count = matrix_tile_count[6'({6'd0, now}*14)+:14];

  logic signed [51:0] reach_0, reach_1, reach_2;  // temporaries
  /* verilator lint_off BLKSEQ */  // the temporaries above
  always_ff @(posedge clock) begin
    if (begin_check) begin
      busy <= 1'b1;
      level <= 3'd1;
    end else if (busy) begin
      level <= level + 3'd1;
      busy <= level != 3'd5;
    end
    if (adding) begin
      reach_0 = 52'(steps_0) * 52'(stride_0);
      reach_1 = 52'(steps_1) * 52'(stride_1);
      reach_2 = 52'(steps_2) * 52'(stride_2);
      low_0 <= (begin_check ? 52'sd0 : low_0) + (reach_0 < 0 ? reach_0 : 52'sd0);
      high_0 <= (begin_check ? 52'sd0 : high_0) + (reach_0 > 0 ? reach_0 : 52'sd0);
      low_1 <= (begin_check ? 52'sd0 : low_1) + (reach_1 < 0 ? reach_1 : 52'sd0);
      high_1 <= (begin_check ? 52'sd0 : high_1) + (reach_1 > 0 ? reach_1 : 52'sd0);
      low_2 <= (begin_check ? 52'sd0 : low_2) + (reach_2 < 0 ? reach_2 : 52'sd0);
      high_2 <= (begin_check ? 52'sd0 : high_2) + (reach_2 > 0 ? reach_2 : 52'sd0);
      if (is_matrix && now == 1 && depthwise) begin
        low_1 <= low_1 + (reach_1 < 0 ? reach_1 : 52'sd0) + (window_rows < 0 ? 52'(window_rows) : 52'sd0);
        high_1 <= high_1 + (reach_1 > 0 ? reach_1 : 52'sd0) + (window_rows > 0 ? 52'(window_rows) : 52'sd0);
      end
      if (now == 0) tiles <= {26'd0, tile_count};
      else if (now < 4) tiles <= tiles >= BEYOND ? BEYOND : tiles * {26'd0, tile_count};
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---- against the memories ----
  // Is base + [low, high] + span outside a memory of `size`?
  function automatic logic passes(input logic signed [51:0] low, input logic signed [51:0] high,
                                  input logic [31:0] base, input logic [31:0] span, input logic [63:0] size);
    logic signed [63:0] lowest;
    logic signed [63:0] highest;
    lowest = 64'(low) + $signed({32'd0, base});
    highest = 64'(high) + $signed({32'd0, base}) + $signed({32'd0, span});
    passes = lowest < 0 || $unsigned(highest) > size;
  endfunction

  function automatic logic [63:0] target_bytes(input logic [1:0] memory);
    case (memory)
      weft_isa_pkg::TARGET_ACT[1:0]: target_bytes = {32'd0, weft_config_pkg::ACT_BYTES};
      weft_isa_pkg::TARGET_WGT[1:0]: target_bytes = {32'd0, weft_config_pkg::WGT_BYTES};
      weft_isa_pkg::TARGET_PAR[1:0]: target_bytes = {32'd0, weft_config_pkg::PAR_BYTES};
      default: target_bytes = 64'd256 * {32'd0, BLOCK};
    endcase
  endfunction

  logic two_operands;
  logic requant;
  logic sums;
  logic [63:0] record_end;
  logic [31:0] tile_bytes;
  always_comb begin
    outside = 1'b0;
    sums = vector_function == weft_isa_pkg::FUNCTION_ADD[3:0] || vector_function == weft_isa_pkg::FUNCTION_SUB[3:0];
    two_operands = sums || vector_function == weft_isa_pkg::FUNCTION_MUL[3:0]
        || vector_function == weft_isa_pkg::FUNCTION_MAX[3:0] || vector_function == weft_isa_pkg::FUNCTION_MIN[3:0];
    requant = vector_function == weft_isa_pkg::FUNCTION_REQUANT[3:0];
    record_end = 0;
    tile_bytes = 0;
    if (!adding) begin
      case (1'b1)
        is_load:
        outside = passes(low_0, high_0, instruction[weft_isa_pkg::LOAD_ADDRESS_LSB+:32],
            {8'd0, instruction[weft_isa_pkg::LOAD_RUN_LSB+:24]},
            region_limit[{6'd0, instruction[weft_isa_pkg::LOAD_REGION_LSB+:3]}*64+:64])
            || passes(low_1, high_1, {8'd0, instruction[weft_isa_pkg::LOAD_LOCAL_LSB+:24]},
            {8'd0, instruction[weft_isa_pkg::LOAD_RUN_LSB+:24]},
            target_bytes(instruction[weft_isa_pkg::LOAD_MEMORY_LSB+:2]));
        is_fill:
        outside = passes(low_1, high_1, {8'd0, instruction[weft_isa_pkg::FILL_LOCAL_LSB+:24]},
            {8'd0, instruction[weft_isa_pkg::FILL_RUN_LSB+:24]}, {32'd0, weft_config_pkg::ACT_BYTES});
        is_store:
        outside = passes(low_0, high_0, instruction[weft_isa_pkg::STORE_ADDRESS_LSB+:32],
            {8'd0, instruction[weft_isa_pkg::STORE_RUN_LSB+:24]},
            region_limit[{6'd0, instruction[weft_isa_pkg::STORE_REGION_LSB+:3]}*64+:64])
            || passes(low_1, high_1, {8'd0, instruction[weft_isa_pkg::STORE_LOCAL_LSB+:24]},
            {8'd0, instruction[weft_isa_pkg::STORE_RUN_LSB+:24]}, {32'd0, weft_config_pkg::ACT_BYTES});
        is_matrix: begin
          tile_bytes = depthwise ? 32'(instruction[weft_isa_pkg::MATRIX_WINDOW_ROWS_LSB+:3])
              * 32'(instruction[weft_isa_pkg::MATRIX_WINDOW_COLUMNS_LSB+:6]) * BLOCK : BLOCK * BLOCK;
          outside = passes(low_1, high_1, {8'd0, instruction[weft_isa_pkg::MATRIX_ACT_LSB+:24]}, BLOCK,
              {32'd0, weft_config_pkg::ACT_BYTES})
              || passes(low_2, high_2, {18'd0, instruction[weft_isa_pkg::MATRIX_ACC_LSB+:14]}, 32'd1, ACC_ENTRIES)
              || {40'd0, instruction[weft_isa_pkg::MATRIX_WGT_LSB+:24]} + {24'd0, tiles} * {32'd0, tile_bytes}
              > {32'd0, weft_config_pkg::WGT_BYTES};
        end
        is_vector: begin
          record_end = {50'd0, instruction[weft_isa_pkg::VECTOR_PAR_LSB+:14]} + (requant
              ? {52'd0, instruction[weft_isa_pkg::VECTOR_COUNT_LSB+:12]}
              * (instruction[weft_isa_pkg::VECTOR_PER_CHANNEL_LSB] ? 64'd9 : 64'd4) : sums ? SUM_RECORD : 64'd0);
          outside = passes(low_0, high_0, {14'd0, instruction[weft_isa_pkg::VECTOR_OUT_LSB+:18]}, 32'd1, ACT_LINES)
              || (vector_function != weft_isa_pkg::FUNCTION_FILL[3:0]
              && passes(low_1, high_1, {14'd0, instruction[weft_isa_pkg::VECTOR_A_LSB+:18]}, 32'd1,
                        requant ? ACC_ENTRIES : ACT_LINES))
              || (two_operands
              && passes(low_2, high_2, {14'd0, instruction[weft_isa_pkg::VECTOR_B_LSB+:18]}, 32'd1, ACT_LINES))
              || ((requant || sums) && record_end > PAR_LINES);
        end
        default: outside = 1'b0;
      endcase
    end
  end

`ifdef VERILATOR  // alone knows $error in an elaboration
  if (weft_isa_pkg::FUNCTIONS != 11) begin : g_functions
    $error("weft_extents knows 11 values of FUNCTION in isa/instructions.def: say of the others what it reads");
  end
`endif
endmodule
