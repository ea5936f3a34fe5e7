// weft_extents: from T+8 until the third cycle after the next begin_check `outside` is what a plain reference says, which adds up in 68
// bits what weft_footprint_of() (isa/footprint.c) lists: of every opcode and function, with limits of regions of any size. Of FENCE, HALT
// and what is no opcode it is 0. A check may be given up when it is two cycles old or older, and another begun. Sizes are those of ref16.
//
// What a solver cannot do is cut out, and stands for itself in the reference. The products of weft_reach are any values that products of
// the reference's count and stride can be: 0 if there is one iteration or the stride is 0, else with the sign of the stride and no
// larger than its bits allow. That weft_reach multiplies what it is given, and when its products come, is proven in reach.sv; here, that
// it is given the reference's levels (part 1) and adds up what comes then. weft_tiles is cut out, too: the reference takes what it says
// in T+7 (tiles.sv proves that). The small products of rows, columns and records are real ones. Of an instruction is assumed what
// weft_encoding sees to: no count and no run is 0, a function is one. The order in which levels are added is that of the hardware; the
// reference's sums are so wide that it does not matter.
//
// Parts: 0: where the check is, which sums count, the records in PAR. 1: the levels. 2, 3 and 4: sum 0, 1, and 2 and 3: they are the
// reference's in the bits that they have, and lie between bounds; what is far is outside. They assume what part 0 shows. 5: what is said
// of such sums; it assumes what parts 0, 2, 3 and 4 show.
//
// modules weft_extents weft_reach weft_tiles
// parts 0 1 2 3 4 5
// cut c:*reach_?.$mul* c:*weights.*
// cover now == 7 && is_load && coded && !verdict
// cover now == 7 && is_load && !coded && verdict
// cover now == 7 && is_fill && !verdict
// cover now == 7 && is_fill && verdict
// cover now == 7 && is_store && !verdict
// cover now == 7 && is_store && verdict
// cover now == 7 && is_matrix && depthwise && columns > 9 && !verdict
// cover now == 7 && is_matrix && !depthwise && rows == 2 && !tiles && verdict
// cover now == 7 && is_vector && pool && low_3 < 0 && high_3 > 0 && !verdict
// cover now == 7 && is_vector && requant && !record_outside && verdict
// mutation weft_extents: s/steps_2 <= count\[13:0\] - 14'd1/steps_2 <= count[13:0]/
// mutation weft_extents: s/ && vector_function != weft_isa_pkg::FUNCTION_FILL\[3:0\])/)/
// mutation weft_extents: s/sums || vector_function == weft_isa_pkg::FUNCTION_MUL\[3:0\]/sums/
// mutation weft_extents: s/stride_0 <= one_run ? 32'd0 : /stride_0 <= /
// mutation weft_extents: s/18'(\$signed(of_15/18'($unsigned(of_15/
// mutation weft_extents: s/{pixel_count\[14+:14\], tile_count/{pixel_count[0+:14], tile_count/
// mutation weft_extents: s/columns_after < 0 ? 18'd0 : columns_after/columns_after/
// mutation weft_extents: s/3'd0} - {4'd0, records}/3'd0}/
// mutation weft_extents: s/\*64+50+:14\] != 0/*64+51+:13] != 0/
// mutation weft_extents: s/rows_after\[1\] ? EXTERNAL'(row_stride) <<< 1 : 0/0/
// mutation weft_extents: s/upwards <= !row_stride\[23\]/upwards <= 1'b1/
// mutation weft_extents: s/ + ~{5'd0, size_1}/ - {5'd0, size_1}/
// mutation weft_extents: s/size_1 <= requant ? ACC_ENTRIES\[23:0\] : /size_1 <= /
// mutation weft_extents: s/(far_1 || (adds_act \&\& far_0))/(adds_act \&\& far_0)/
// mutation weft_extents: s/(adds_act \&\& far_0)/1'b0/
// mutation weft_extents: s/low_0 < 0 || high_0 >= 0/low_0 < 0 || high_0 > 0/
// mutation weft_extents: s/acc_high = high_2 + high_3/acc_high = high_2/
module proof #(
    parameter integer PART = 0
) (
    input logic clock,
    input logic take,
    input logic [511:0] fetched,
    input logic [511:0] region_limit
);
  localparam logic [31:0] BLOCK = weft_config_pkg::BLOCK;
  localparam logic [31:0] ACT_LINES = weft_config_pkg::ACT_BYTES / BLOCK;
  localparam logic [31:0] PAR_LINES = weft_config_pkg::PAR_BYTES / BLOCK;
  localparam logic [31:0] ACC_ENTRIES = weft_config_pkg::ACC_BYTES / (4 * BLOCK);
  localparam integer WIDE = 68;  // bits: a limit has 64, and no sum comes near this

  // ---- a check, as dispatch makes it ----
  logic begun = 1'b0;  // not the first cycle
  logic [3:0] now = 4'd0;  // T + now; 8: the check is done; 0: there was none
  logic [511:0] instruction;
  logic [63:0] limit;  // of the region, as it was in T+1
  logic [511:0] limits_before;
  logic outside;
  weft_extents dut (
      .clock(clock),
      .take(take),
      .taken_opcode(fetched[3:0]),
      .begin_check(now == 1),
      .instruction(instruction),
      .region_limit(region_limit),
      .outside(outside)
  );
  (* hierconn *) wire \dut.first ;
  (* hierconn *) wire [7:2] \dut.step ;
  logic is_load, is_fill, is_store, is_matrix, is_vector;
  logic [2:0] region;
  assign is_load = instruction[3:0] == weft_isa_pkg::OPCODE_LOAD;
  assign is_fill = instruction[3:0] == weft_isa_pkg::OPCODE_FILL;
  assign is_store = instruction[3:0] == weft_isa_pkg::OPCODE_STORE;
  assign is_matrix = instruction[3:0] == weft_isa_pkg::OPCODE_MATRIX;
  assign is_vector = instruction[3:0] == weft_isa_pkg::OPCODE_VECTOR;
  assign region = is_load ? instruction[weft_isa_pkg::LOAD_REGION_LSB+:3] : instruction[weft_isa_pkg::STORE_REGION_LSB+:3];
  always_ff @(posedge clock) begin
    begun <= 1'b1;
    now <= take ? 4'd1 : now == 0 || now == 8 ? now : now + 4'd1;
    if (take) instruction <= fetched;
    for (integer i = 0; i < 8; i = i + 1) if (now == 1 && region == i) limit <= region_limit[64*i+:64];
    limits_before <= region_limit;
  end
  always_comb begin
    assume (!take || now == 0 || now >= 3);
    if (!begun) assume (\dut.step == 0 && !\dut.first );  // the first check comes long after the clock
    if (now == 1) assume (region_limit == limits_before);  // limits do not change in a run
  end

  // ---- of a legal instruction ----
  for (genvar i = 0; i < 4; i = i + 1) begin : g_legal
    always_comb begin
      if (i < 3 && is_load) assume (instruction[weft_isa_pkg::LOAD_COUNT_LSB+16*i+:16] != 0);
      if (i < 3 && is_fill) assume (instruction[weft_isa_pkg::FILL_COUNT_LSB+16*i+:16] != 0);
      if (i < 3 && is_store) assume (instruction[weft_isa_pkg::STORE_COUNT_LSB+16*i+:16] != 0);
      if (i < 3 && is_vector) assume (instruction[weft_isa_pkg::VECTOR_COUNT_LSB+12*i+:12] != 0);
      if (i < 2 && is_vector) assume (instruction[weft_isa_pkg::VECTOR_WINDOW_COUNT_LSB+6*i+:6] != 0);
      if (is_matrix) assume (instruction[weft_isa_pkg::MATRIX_TILE_COUNT_LSB+14*i+:14] != 0);
      if (i < 2 && is_matrix) assume (instruction[weft_isa_pkg::MATRIX_PIXEL_COUNT_LSB+14*i+:14] != 0);
    end
  end
  logic [3:0] vector_function;
  assign vector_function = instruction[weft_isa_pkg::VECTOR_FUNCTION_LSB+:4];
  always_comb begin
    if (is_load) assume (instruction[weft_isa_pkg::LOAD_RUN_LSB+:24] != 0);
    if (is_fill) assume (instruction[weft_isa_pkg::FILL_RUN_LSB+:24] != 0);
    if (is_store) assume (instruction[weft_isa_pkg::STORE_RUN_LSB+:24] != 0);
    if (is_vector) assume (vector_function < weft_isa_pkg::FUNCTIONS);
  end

  // ---- the reference: what an instruction reads and writes, as weft_footprint_of() has it ----
  logic coded, depthwise, pool, requant, reads_a, reads_b, sum_record;
  always_comb begin
    coded = is_load && instruction[weft_isa_pkg::LOAD_MEMORY_LSB+:2] == weft_isa_pkg::TARGET_WGT
        && instruction[weft_isa_pkg::LOAD_UNITS_LSB+:16] != 0;
    depthwise = instruction[weft_isa_pkg::MATRIX_MODE_LSB] == weft_isa_pkg::MODE_DEPTHWISE;
    pool = 1'b0;
    requant = 1'b0;
    reads_a = 1'b1;
    reads_b = 1'b0;
    sum_record = 1'b0;
    case (vector_function)
      weft_isa_pkg::FUNCTION_REQUANT: requant = 1'b1;
      weft_isa_pkg::FUNCTION_ADD, weft_isa_pkg::FUNCTION_SUB, weft_isa_pkg::FUNCTION_SQUARED_DIFFERENCE: begin
        reads_b = 1'b1;
        sum_record = 1'b1;
      end
      weft_isa_pkg::FUNCTION_MUL, weft_isa_pkg::FUNCTION_MAX, weft_isa_pkg::FUNCTION_MIN: reads_b = 1'b1;
      weft_isa_pkg::FUNCTION_POOL: pool = 1'b1;
      weft_isa_pkg::FUNCTION_FILL: reads_a = 1'b0;
      default: ;
    endcase
  end

  // The columns that one row of outputs reads, and the rows of a window: at least 1.
  logic [18:0] columns;
  logic [2:0] rows;
  always_comb begin
    columns = (instruction[weft_isa_pkg::MATRIX_PIXEL_COUNT_LSB+14+:14] - 19'd1) * instruction[weft_isa_pkg::MATRIX_WINDOW_STEP_LSB+:4]
        + instruction[weft_isa_pkg::MATRIX_WINDOW_COLUMNS_LSB+:6];
    if (columns == 0) columns = 19'd1;
    rows = instruction[weft_isa_pkg::MATRIX_WINDOW_ROWS_LSB+:3];
    if (rows == 0) rows = 3'd1;
  end
  logic signed [26:0] row_reach;
  assign row_reach = $signed(instruction[weft_isa_pkg::MATRIX_WINDOW_ROW_STRIDE_LSB+:24]) * $signed({1'b0, rows - 3'd1});

  // Each access begins at `base`, has `span` bytes (lines, entries) there, and must stay below `size`.
  logic [31:0] base_0;
  logic [23:0] base_1, span_0, span_1;
  logic [17:0] base_2;
  logic [63:0] size_0;
  logic [31:0] size_1, size_2;
  always_comb begin
    base_0 = 0;
    span_0 = 0;
    size_0 = limit;
    base_1 = 0;
    span_1 = 24'd1;
    size_1 = weft_config_pkg::ACT_BYTES;
    base_2 = 0;
    size_2 = ACT_LINES;
    if (is_load) begin
      base_0 = instruction[weft_isa_pkg::LOAD_ADDRESS_LSB+:32];
      span_0 = instruction[weft_isa_pkg::LOAD_RUN_LSB+:24];
      base_1 = instruction[weft_isa_pkg::LOAD_LOCAL_LSB+:24];
      span_1 = coded ? instruction[weft_isa_pkg::LOAD_UNITS_LSB+:16] * 8 * weft_config_pkg::MEMORY_WIDTH
          : instruction[weft_isa_pkg::LOAD_RUN_LSB+:24];
      case (instruction[weft_isa_pkg::LOAD_MEMORY_LSB+:2])
        weft_isa_pkg::TARGET_ACT: size_1 = weft_config_pkg::ACT_BYTES;
        weft_isa_pkg::TARGET_WGT: size_1 = weft_config_pkg::WGT_BYTES;
        weft_isa_pkg::TARGET_PAR: size_1 = weft_config_pkg::PAR_BYTES;
        default: size_1 = 256 * BLOCK;
      endcase
    end
    if (is_store) begin
      base_0 = instruction[weft_isa_pkg::STORE_ADDRESS_LSB+:32];
      span_0 = instruction[weft_isa_pkg::STORE_RUN_LSB+:24];
      base_1 = instruction[weft_isa_pkg::STORE_LOCAL_LSB+:24];
      span_1 = instruction[weft_isa_pkg::STORE_RUN_LSB+:24];
    end
    if (is_fill) begin
      base_1 = instruction[weft_isa_pkg::FILL_LOCAL_LSB+:24];
      span_1 = instruction[weft_isa_pkg::FILL_RUN_LSB+:24];
    end
    if (is_matrix) begin
      base_1 = instruction[weft_isa_pkg::MATRIX_ACT_LSB+:24];
      span_1 = BLOCK;
      base_2 = instruction[weft_isa_pkg::MATRIX_ACC_LSB+:14];
      size_2 = ACC_ENTRIES;
    end
    if (is_vector) begin
      base_0 = instruction[weft_isa_pkg::VECTOR_OUT_LSB+:18];
      span_0 = 24'd1;
      size_0 = ACT_LINES;
      base_1 = instruction[weft_isa_pkg::VECTOR_A_LSB+:18];
      size_1 = requant ? ACC_ENTRIES : ACT_LINES;
      base_2 = pool ? instruction[weft_isa_pkg::VECTOR_A_LSB+:18] : instruction[weft_isa_pkg::VECTOR_B_LSB+:18];
    end
  end

  // Where the sums start: the first byte, and that behind the last one less size + 1, which is negative inside. In MATRIX sums 0 and 3
  // are what is added to sums 1 and 2.
  logic signed [WIDE-1:0] first_0, first_1, first_2, past_0, past_1, past_2;
  always_comb begin
    first_0 = is_matrix ? (row_reach < 0 ? WIDE'(row_reach) : 0) : WIDE'($signed({1'b0, base_0}));
    past_0 = is_matrix ? (row_reach < 0 ? 0 : WIDE'(row_reach))
        : WIDE'($signed({1'b0, base_0})) + WIDE'($signed({1'b0, span_0})) - WIDE'($signed({1'b0, size_0})) - 68'sd1;
    first_1 = WIDE'($signed({1'b0, base_1}));
    past_1 = first_1 + WIDE'($signed({1'b0, span_1})) - WIDE'($signed({1'b0, size_1})) - 68'sd1;
    first_2 = WIDE'($signed({1'b0, base_2}));
    past_2 = first_2 + 68'sd1 - WIDE'($signed({1'b0, size_2})) - 68'sd1;
  end

  logic uses_0, uses_1, uses_2;  // sum 3 is always there, as 0 if nothing reaches
  assign uses_0 = is_load || is_store || is_matrix || is_vector;
  assign uses_1 = is_load || is_store || is_fill || is_matrix || (is_vector && reads_a && !pool);  // POOL's lines of a are in sum 2
  assign uses_2 = is_matrix || (is_vector && (reads_b || pool));

  // Lines of records in PAR.
  logic [15:0] record;
  logic record_outside;
  always_comb begin
    record = 0;
    if (is_vector && requant)
      record = {4'd0, instruction[weft_isa_pkg::VECTOR_COUNT_LSB+:12]}
          * (!instruction[weft_isa_pkg::VECTOR_PER_CHANNEL_LSB] ? 16'd4
          : instruction[weft_isa_pkg::VECTOR_SHORT_RECORDS_LSB] ? 16'd7 : 16'd9);
    if (is_vector && sum_record) record = (16 + BLOCK - 1) / BLOCK;
    record_outside = record != 0 && {18'd0, instruction[weft_isa_pkg::VECTOR_PAR_LSB+:14]} + record > PAR_LINES;
  end

  // ---- levels and products ----
  (* hierconn *) wire \dut.multiply ;
  (* hierconn *) wire [15:0] \dut.steps_0 ;
  (* hierconn *) wire [17:0] \dut.steps_1 ;
  (* hierconn *) wire [13:0] \dut.steps_2 , \dut.steps_3 ;
  (* hierconn *) wire signed [31:0] \dut.stride_0 ;
  (* hierconn *) wire signed [23:0] \dut.stride_1 ;
  (* hierconn *) wire signed [17:0] \dut.stride_2 ;
  (* hierconn *) wire signed [15:0] \dut.stride_3 ;
  (* hierconn *) wire \dut.reach_0.multiplied , \dut.reach_1.multiplied , \dut.reach_2.multiplied , \dut.reach_3.multiplied ;
  (* hierconn *) wire \dut.reach_0.reached , \dut.reach_1.reached , \dut.reach_2.reached , \dut.reach_3.reached ;
  (* hierconn *) wire signed [47:0] \dut.reach_0.reach ;
  (* hierconn *) wire signed [41:0] \dut.reach_1.reach ;
  (* hierconn *) wire signed [31:0] \dut.reach_2.reach ;
  (* hierconn *) wire signed [29:0] \dut.reach_3.reach ;
  (* hierconn *) wire signed [50:0] \dut.low_0 , \dut.high_0 ;
  (* hierconn *) wire signed [28:0] \dut.low_1 , \dut.high_1 ;
  (* hierconn *) wire signed [22:0] \dut.low_2 , \dut.high_2 , \dut.low_3 , \dut.high_3 ;
  (* hierconn *) wire \dut.far_0 , \dut.far_1 , \dut.far_2 , \dut.far_3 ;

  // Of each sum: the reference's levels, the products that stand for theirs, and what they add up to.
  logic [4*WIDE-1:0] all_low, all_high;
  logic [3:0] all_far, arrived;
  for (genvar s = 0; s < 4; s = s + 1) begin : g_sum
    localparam integer FAR = s < 2 ? 24 : 18;
    // The most that factors of the multiplier's bits can be; of strides downwards.
    localparam logic signed [WIDE-1:0] STEPS = s == 0 ? 68'hffff : s == 1 ? 68'h3ffff : 68'h3fff;
    localparam logic signed [WIDE-1:0] STRIDE = 68'd1 << (s == 0 ? 31 : s == 1 ? 23 : s == 2 ? 17 : 15);
    logic [17:0] steps_now;
    logic signed [31:0] stride_now;
    logic signed [WIDE-1:0] product, first, past;
    if (s == 0) begin : g_0
      assign {steps_now, stride_now} = {2'd0, \dut.steps_0 , \dut.stride_0 };
      assign product = WIDE'(\dut.reach_0.reach );
      assign first = first_0;
      assign past = past_0;
    end else if (s == 1) begin : g_1
      assign {steps_now, stride_now} = {\dut.steps_1 , {8{\dut.stride_1 [23]}}, \dut.stride_1 };
      assign product = WIDE'(\dut.reach_1.reach );
      assign first = first_1;
      assign past = past_1;
    end else if (s == 2) begin : g_2
      assign {steps_now, stride_now} = {4'd0, \dut.steps_2 , {14{\dut.stride_2 [17]}}, \dut.stride_2 };
      assign product = WIDE'(\dut.reach_2.reach );
      assign first = first_2;
      assign past = past_2;
    end else begin : g_3
      assign {steps_now, stride_now} = {4'd0, \dut.steps_3 , {16{\dut.stride_3 [15]}}, \dut.stride_3 };
      assign product = WIDE'(\dut.reach_3.reach );
      assign first = 0;
      assign past = 0;
    end

    logic [3*19-1:0] all_counts;
    logic [3*32-1:0] all_strides;
    for (genvar k = 0; k < 3; k = k + 1) begin : g_level
      // MATRIX: the level of tiles that it is, if it is none of pixels: of columns in sums 1 and 2, of rows in sums 0 and 3.
      localparam integer TILE = s == 1 || s == 2 ? k : 4 - k;
      localparam logic [0:0] PIXEL = s == 1 || s == 2 ? k == 2 : k == 0;
      logic [18:0] count;
      logic signed [31:0] stride;
      always_comb begin
        count = 19'd1;
        stride = 32'd0;
        if (is_load && !coded && s < 2) begin
          count = instruction[weft_isa_pkg::LOAD_COUNT_LSB+16*k+:16];
          if (s == 0) stride = $signed(instruction[weft_isa_pkg::LOAD_ADDRESS_STRIDE_LSB+32*k+:32]);
          else stride = $signed(instruction[weft_isa_pkg::LOAD_LOCAL_STRIDE_LSB+24*k+:24]);
        end
        if (is_store && s < 2) begin
          count = instruction[weft_isa_pkg::STORE_COUNT_LSB+16*k+:16];
          if (s == 0) stride = $signed(instruction[weft_isa_pkg::STORE_ADDRESS_STRIDE_LSB+32*k+:32]);
          else stride = $signed(instruction[weft_isa_pkg::STORE_LOCAL_STRIDE_LSB+24*k+:24]);
        end
        if (is_fill && s == 1) begin
          count = instruction[weft_isa_pkg::FILL_COUNT_LSB+16*k+:16];
          stride = $signed(instruction[weft_isa_pkg::FILL_LOCAL_STRIDE_LSB+24*k+:24]);
        end
        if (is_matrix && !PIXEL) begin
          count = instruction[weft_isa_pkg::MATRIX_TILE_COUNT_LSB+14*TILE+:14];
          if (s < 2) stride = $signed(instruction[weft_isa_pkg::MATRIX_TILE_ACT_STRIDE_LSB+24*TILE+:24]);
          else stride = $signed(instruction[weft_isa_pkg::MATRIX_TILE_ACC_STRIDE_LSB+15*TILE+:15]);
        end
        if (is_matrix && PIXEL) begin
          count = instruction[weft_isa_pkg::MATRIX_PIXEL_COUNT_LSB+14*(s==1||s==2)+:14];
          if (s == 1 && depthwise) count = columns;
          if (s < 2) stride = $signed(instruction[weft_isa_pkg::MATRIX_PIXEL_ACT_STRIDE_LSB+24*(s==1)+:24]);
          else stride = $signed(instruction[weft_isa_pkg::MATRIX_PIXEL_ACC_STRIDE_LSB+15*(s==2)+:15]);
        end
        if (is_vector && s < 3) begin
          count = instruction[weft_isa_pkg::VECTOR_COUNT_LSB+12*k+:12];
          if (s == 0) stride = $signed(instruction[weft_isa_pkg::VECTOR_OUT_STRIDE_LSB+18*k+:18]);
          else if (s == 1 || pool) stride = $signed(instruction[weft_isa_pkg::VECTOR_A_STRIDE_LSB+18*k+:18]);
          else stride = $signed(instruction[weft_isa_pkg::VECTOR_B_STRIDE_LSB+18*k+:18]);
        end
        if (is_vector && pool && s == 3 && k < 2) begin
          count = instruction[weft_isa_pkg::VECTOR_WINDOW_COUNT_LSB+6*k+:6];
          stride = $signed(instruction[weft_isa_pkg::VECTOR_WINDOW_STRIDE_LSB+16*k+:16]);
        end
      end
      assign all_counts[19*k+:19] = count;
      assign all_strides[32*k+:32] = stride;
    end

    // This sum's level in T+2, T+3 and T+4 is that of the reference.
    logic used, there;
    logic [18:0] count;
    logic signed [31:0] stride;
    assign used = s == 0 ? uses_0 : s == 1 ? uses_1 : s == 2 ? uses_2 : 1'b1;
    always_comb begin
      case (now)
        4'd2: {count, stride} = {all_counts[0+:19], all_strides[0+:32]};
        4'd3: {count, stride} = {all_counts[19+:19], all_strides[32+:32]};
        default: {count, stride} = {all_counts[38+:19], all_strides[64+:32]};
      endcase
      there = stride_now == stride && (stride == 0 || {1'b0, steps_now} + 19'd1 == count);
    end
    assign arrived[s] = !used || there;

    // In T+4, T+5 and T+6 its product is in `reach`.
    logic [18:0] count_before;
    logic signed [31:0] stride_before;
    always_comb begin
      case (now)
        4'd4: {count_before, stride_before} = {all_counts[0+:19], all_strides[0+:32]};
        4'd5: {count_before, stride_before} = {all_counts[19+:19], all_strides[32+:32]};
        default: {count_before, stride_before} = {all_counts[38+:19], all_strides[64+:32]};
      endcase
      if (used && now >= 4 && now <= 6 && (PART == 0 || PART == (s < 2 ? s + 2 : 4))) begin
        if (count_before == 1 || stride_before == 0) assume (product == 0);
        else if (stride_before < 0) assume (product < 0 && product >= -STEPS * STRIDE);
        else assume (product > 0 && product <= STEPS * (STRIDE - 1));
      end
    end
    logic signed [WIDE-1:0] low, high;
    logic far;
    always_ff @(posedge clock) begin
      if (now == 3) begin
        low <= first;
        high <= past;
        far <= 1'b0;
      end else if (now >= 4 && now <= 6) begin
        if (product < 0) low <= low + product;
        else high <= high + product;
        if (product < -(68'sd1 <<< FAR) || product >= 68'sd1 <<< FAR) far <= 1'b1;
      end
    end
    assign all_low[WIDE*s+:WIDE] = low;
    assign all_high[WIDE*s+:WIDE] = high;
    assign all_far[s] = far;
  end

  logic signed [WIDE-1:0] low_0, high_0, low_1, high_1, low_2, high_2, low_3, high_3;
  assign {low_3, low_2, low_1, low_0} = all_low;
  assign {high_3, high_2, high_1, high_0} = all_high;

  // ---- what the reference says in T+7 ----
  logic verdict, tiles;
  always_comb begin
    tiles = \dut.tiles_outside ;
    verdict = record_outside;
    if (is_matrix) begin
      verdict = tiles || low_0 + low_1 < 0 || high_0 + high_1 >= 0 || low_2 + low_3 < 0 || high_2 + high_3 >= 0;
    end else begin
      if (uses_0) verdict = verdict || low_0 < 0 || high_0 >= 0;
      if (uses_1) verdict = verdict || low_1 < 0 || high_1 >= 0;
      if (uses_2) verdict = verdict || low_2 + low_3 < 0 || high_2 + high_3 >= 0;
    end
  end
  // From T+8 on: that it was said, and cycles since the next begin_check.
  logic expected, said = 1'b0;
  logic [1:0] since = 2'd0;
  always_ff @(posedge clock) begin
    if (now == 7) begin
      expected <= verdict;
      said <= 1'b1;
      since <= 2'd0;
    end else if (said && (now == 1 || since != 0)) begin
      since <= since + 2'd1;
      if (since == 3) said <= 1'b0;
    end
  end

  // ---- part 0 ----
  // What a check that was given up leaves is three cycles ahead or more.
  (* hierconn *) wire \dut.is_load , \dut.is_fill , \dut.is_store , \dut.is_matrix , \dut.is_vector ;
  (* hierconn *) wire \dut.uses_0 , \dut.uses_1 , \dut.uses_2 , \dut.adds_act , \dut.has_tiles , \dut.record_outside , \dut.tiles_outside ;
  logic control;
  always_comb begin
    control = \dut.first == (now == 1) && (now != 0 || !\dut.step [2]);
    for (integer i = 2; i <= 7; i = i + 1) if (now != 0 && i <= now + 2) control = control && \dut.step [i] == (i == now);
    if (now >= 4) begin
      control = control && {\dut.reach_0.multiplied , \dut.reach_1.multiplied , \dut.reach_2.multiplied , \dut.reach_3.multiplied }
          == {4{now <= 5}};
      control = control && {\dut.reach_0.reached , \dut.reach_1.reached , \dut.reach_2.reached , \dut.reach_3.reached }
          == {4{now <= 6}};
    end
    if (now >= 1) begin
      control = control && {\dut.is_load , \dut.is_fill , \dut.is_store , \dut.is_matrix , \dut.is_vector }
          == {is_load, is_fill, is_store, is_matrix, is_vector};
    end
    if (now >= 2) begin
      control = control && {\dut.uses_0 , \dut.uses_1 , \dut.uses_2 , \dut.adds_act , \dut.has_tiles }
          == {uses_0 && !is_matrix, uses_1, uses_2, is_matrix, is_matrix};
    end
    if (now >= 3) control = control && \dut.record_outside == record_outside;
  end

  // ---- parts 2, 3 and 4: the sums from T+4 to T+7 ----
  localparam logic signed [WIDE-1:0] BYTES = 68'sd1 <<< 24;  // farther than any memory
  localparam logic signed [WIDE-1:0] LINES = 68'sd1 <<< 18;
  localparam logic signed [WIDE-1:0] MOST = 68'sd1 <<< 47;  // than any product
  logic signed [WIDE-1:0] k;  // levels that are in them
  logic sums_0, sums_1, sums_2, sums_3;
  assign k = $signed({64'd0, now - 4'd4});
  always_comb begin
    sums_0 = \dut.low_0 == low_0[50:0];
    if (is_matrix) begin
      sums_0 = sums_0 && \dut.high_0 == high_0[50:0] && \dut.far_0 == all_far[0] && low_0 <= 0 && high_0 >= 0;
      if (all_far[0]) sums_0 = sums_0 && (low_0 < -BYTES || high_0 >= BYTES);
      else sums_0 = sums_0 && low_0 >= -BYTES * (3 + k) && high_0 <= BYTES * (3 + k);
    end else begin
      sums_0 = sums_0 && low_0 >= -MOST * k && low_0 < 68'sd1 <<< 32;
      if (!is_vector && limit[63:50] != 0) begin  // nothing comes up to that, nor to what the module has instead
        sums_0 = sums_0 && WIDE'(\dut.high_0 ) <= -MOST * 8 + (68'sd1 <<< 33) + MOST * k;
        sums_0 = sums_0 && high_0 <= -MOST * 8 + (68'sd1 <<< 33) + MOST * k;
      end else begin
        sums_0 = sums_0 && \dut.high_0 == high_0[50:0] && high_0 <= (68'sd1 <<< 33) + MOST * k && high_0 >= -MOST * 8;
      end
    end

    sums_1 = \dut.low_1 == low_1[28:0] && \dut.high_1 == high_1[28:0] && \dut.far_1 == all_far[1];
    sums_1 = sums_1 && low_1 < (is_vector ? LINES : BYTES) && high_1 >= (is_vector ? -LINES : -BYTES);
    if (all_far[1]) sums_1 = sums_1 && (low_1 < 0 || high_1 >= 0);
    else sums_1 = sums_1 && low_1 >= -BYTES * k && high_1 <= BYTES * (2 + k);

    sums_2 = \dut.low_2 == low_2[22:0] && \dut.high_2 == high_2[22:0] && \dut.far_2 == all_far[2];
    sums_2 = sums_2 && low_2 < LINES && high_2 >= -LINES;
    if (all_far[2]) sums_2 = sums_2 && (low_2 < 0 || high_2 >= 0);
    else sums_2 = sums_2 && low_2 >= -LINES * k && high_2 <= LINES * (1 + k);

    sums_3 = \dut.low_3 == low_3[22:0] && \dut.high_3 == high_3[22:0] && \dut.far_3 == all_far[3];
    sums_3 = sums_3 && low_3 <= 0 && high_3 >= 0 && (is_matrix || (is_vector && pool) || (low_3 == 0 && high_3 == 0));
    if (all_far[3]) sums_3 = sums_3 && (low_3 < -LINES || high_3 >= LINES);
    else sums_3 = sums_3 && low_3 >= -LINES * k && high_3 <= LINES * k;

    if (now < 4 || now > 7) {sums_0, sums_1, sums_2, sums_3} = 4'b1111;
    if (!uses_0) sums_0 = 1'b1;
    if (!uses_1) sums_1 = 1'b1;
    if (!uses_2) sums_2 = 1'b1;
  end

  always_comb begin
    if (PART == 0) assert (control);
    else assume (control);
    if (PART == 1 && now >= 2 && now <= 4) assert (&arrived && \dut.multiply );
    if (PART == 2) assert (sums_0);
    if (PART == 3) assert (sums_1);
    if (PART == 4) assert (sums_2 && sums_3);
    if (PART == 5) begin
      assume (sums_0 && sums_1 && sums_2 && sums_3);
      if (said) assert (outside == expected);
      if (now == 8) assert (said && since == 0);
      if (said && since == 0) assert (now == 8 || now == 1);
    end
  end
endmodule
