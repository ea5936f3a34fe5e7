// Adds up how far an instruction reaches, and says whether that passes a memory or a region.
// Interface: `instruction` stays on the input from `begin_check` (the cycle after dispatch took it: `take`, with its opcode) until
// `outside` was used.
// Timing: begin_check in T+1. A level of each sum is chosen in T+1, T+2 and T+3, multiplied and added in the three cycles after
// (weft_reach), and the sums compared in T+7: outside is right from T+8 = T+CHECK+2 on, the cycle after that in which the instruction
// may first be pushed, until the third one after the next begin_check.
// Reset: none; begin_check sets everything.
//
// Three levels a sum, MATRIX with 6 on ACT and on ACC, and POOL with 5, have two sums for an address, added in the end:
//   sum 0  LOAD, STORE: external bytes    MATRIX: bytes of ACT, pixel rows and tile levels 3, 2   VECTOR: lines of the result
//   sum 1  LOAD, FILL, STORE: bytes on chip    MATRIX: bytes of ACT, tile levels 0, 1 and pixel columns   VECTOR: lines (entries) of a, but POOL
//   sum 2  MATRIX: entries of ACC, levels as sum 1    VECTOR: lines of b, which POOL has none of: lines of a
//   sum 3  MATRIX: entries of ACC, levels as sum 0    POOL: lines of a, the window
// Each starts with the address as its lowest and with address + span - size - 1 as its highest reach: inside is what has the signs
// 0 and 1. Beside them the lines of records in PAR, and weights (weft_tiles).
`include "weft_isa_slices.svh"
module weft_extents #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,
    parameter BLOCK = CONFIG[weft_config_pkg::AT_BLOCK+:32]
) (
    input  logic clock,
    input  logic take,
    input  logic [3:0] taken_opcode,
    input  logic begin_check,
    input  logic [511:0] instruction,
    input  logic [8*64-1:0] region_limit,
    output logic outside
);
  localparam [31:0] ACT_BYTES = CONFIG[weft_config_pkg::AT_ACT_BYTES+:32];
  localparam [31:0] PAR_BYTES = CONFIG[weft_config_pkg::AT_PAR_BYTES+:32];
  localparam [31:0] WGT_BYTES = CONFIG[weft_config_pkg::AT_WGT_BYTES+:32];
  localparam BLOCK_BITS = $clog2(BLOCK);
  localparam [31:0] ACT_LINES = ACT_BYTES >> BLOCK_BITS;
  localparam [31:0] PAR_LINES = PAR_BYTES >> BLOCK_BITS;
  localparam [31:0] ACC_ENTRIES = CONFIG[weft_config_pkg::AT_ACC_BYTES+:32] >> (BLOCK_BITS + 2);
  localparam [31:0] SUM_RECORD = (16 + BLOCK - 1) / BLOCK;  // lines of the record of ADD
  // Bits of a sum. On chip a level that reaches 2^24 bytes or 2^18 lines away is outside wherever it starts: the address has fewer
  // bits, and no memory is larger. What is far needs no further sum.
  localparam EXTERNAL = 51;
  localparam [EXTERNAL-1:0] SIZE_ACT = {{EXTERNAL - 32{1'b0}}, ACT_LINES};
  localparam [EXTERNAL-1:0] INSIDE_ACT = ~SIZE_ACT;  // not ~EXTERNAL'(ACT_LINES): Yosys 0.23 inverts the 32 bits of the constant
  localparam BYTES = 29;
  localparam LINES = 23;
  localparam FAR_BYTES = 24;
  localparam FAR_LINES = 18;

  logic is_load, is_fill, is_store, is_matrix, is_vector, is_external;  // as registers: they choose hundreds of bits
  always_ff @(posedge clock) begin
    if (take) begin
      is_load <= taken_opcode == weft_isa_pkg::OPCODE_LOAD[3:0];
      is_fill <= taken_opcode == weft_isa_pkg::OPCODE_FILL[3:0];
      is_store <= taken_opcode == weft_isa_pkg::OPCODE_STORE[3:0];
      is_matrix <= taken_opcode == weft_isa_pkg::OPCODE_MATRIX[3:0];
      is_vector <= taken_opcode == weft_isa_pkg::OPCODE_VECTOR[3:0];
    end
  end
  assign is_external = is_load || is_store;

  // Coded weights: one run, to units of 8 WIDTH bytes.
  localparam COMPRESSION = CONFIG[weft_config_pkg::AT_COMPRESSION+:32];
  localparam UNIT_BITS = $clog2(CONFIG[weft_config_pkg::AT_MEMORY_WIDTH+:32]) + 3;
  logic [15:0] units;
  logic to_units;
  logic coded;  // the same from T+2 on
  assign units = instruction[`WEFT_LOAD_UNITS];
  always_ff @(posedge clock) begin
    if (begin_check) coded <= to_units;
  end
  assign to_units = COMPRESSION != 0 && units != 0
      && instruction[`WEFT_LOAD_MEMORY] == weft_isa_pkg::TARGET_WGT[1:0];

  logic depthwise;
  logic [3:0] vector_function;
  logic pool, sums, requant, two_operands;
  assign depthwise = instruction[`WEFT_MATRIX_MODE] == weft_isa_pkg::MODE_DEPTHWISE[0];
  assign vector_function = instruction[`WEFT_VECTOR_FUNCTION];
  assign pool = is_vector && vector_function == weft_isa_pkg::FUNCTION_POOL[3:0];
  assign requant = vector_function == weft_isa_pkg::FUNCTION_REQUANT[3:0];
  assign sums = vector_function == weft_isa_pkg::FUNCTION_ADD[3:0] || vector_function == weft_isa_pkg::FUNCTION_SUB[3:0]
      || vector_function == weft_isa_pkg::FUNCTION_SQUARED_DIFFERENCE[3:0];
  assign two_operands = sums || vector_function == weft_isa_pkg::FUNCTION_MUL[3:0]
      || vector_function == weft_isa_pkg::FUNCTION_MAX[3:0] || vector_function == weft_isa_pkg::FUNCTION_MIN[3:0];

  // ---- the level of each sum in T+1, T+2 and T+3: the iterations after the first one, and the stride ----
  logic [7:2] step;  // it is T+2, ... T+7
  logic [2:0] level;  // one-hot
  logic first;  // begin_check once more: it chooses four hundred bits
  assign level = {step[3:2], first};

  // The field of the level, of three that lie side by side.
  function automatic logic [31:0] of_32(input logic [95:0] fields, input logic [2:0] index);
    of_32 = fields[0+:32] & {32{index[0]}} | fields[32+:32] & {32{index[1]}} | fields[64+:32] & {32{index[2]}};
  endfunction
  function automatic logic [23:0] of_24(input logic [71:0] fields, input logic [2:0] index);
    of_24 = fields[0+:24] & {24{index[0]}} | fields[24+:24] & {24{index[1]}} | fields[48+:24] & {24{index[2]}};
  endfunction
  function automatic logic [17:0] of_18(input logic [53:0] fields, input logic [2:0] index);
    of_18 = fields[0+:18] & {18{index[0]}} | fields[18+:18] & {18{index[1]}} | fields[36+:18] & {18{index[2]}};
  endfunction
  function automatic logic [15:0] of_16(input logic [47:0] fields, input logic [2:0] index);
    of_16 = fields[0+:16] & {16{index[0]}} | fields[16+:16] & {16{index[1]}} | fields[32+:16] & {16{index[2]}};
  endfunction
  function automatic logic [14:0] of_15(input logic [44:0] fields, input logic [2:0] index);
    of_15 = fields[0+:15] & {15{index[0]}} | fields[15+:15] & {15{index[1]}} | fields[30+:15] & {15{index[2]}};
  endfunction
  function automatic logic [13:0] of_14(input logic [41:0] fields, input logic [2:0] index);
    of_14 = fields[0+:14] & {14{index[0]}} | fields[14+:14] & {14{index[1]}} | fields[28+:14] & {14{index[2]}};
  endfunction
  function automatic logic [11:0] of_12(input logic [35:0] fields, input logic [2:0] index);
    of_12 = fields[0+:12] & {12{index[0]}} | fields[12+:12] & {12{index[1]}} | fields[24+:12] & {12{index[2]}};
  endfunction

  // Fields of MATRIX: of tile level i, and of pixel level i.
  logic [4*14-1:0] tile_count;
  logic [4*24-1:0] tile_act_stride;
  logic [4*15-1:0] tile_acc_stride;
  logic [2*14-1:0] pixel_count;
  logic [2*24-1:0] pixel_act_stride;
  logic [2*15-1:0] pixel_acc_stride;
  assign tile_count = instruction[`WEFT_MATRIX_TILE_COUNT];
  assign tile_act_stride = instruction[`WEFT_MATRIX_TILE_ACT_STRIDE];
  assign tile_acc_stride = instruction[`WEFT_MATRIX_TILE_ACC_STRIDE];
  assign pixel_count = instruction[`WEFT_MATRIX_PIXEL_COUNT];
  assign pixel_act_stride = instruction[`WEFT_MATRIX_PIXEL_ACT_STRIDE];
  assign pixel_acc_stride = instruction[`WEFT_MATRIX_PIXEL_ACC_STRIDE];

  // Depthwise: columns that one row of outputs reads after the first one, (pixels - 1) * step + columns - 1, but at least 0.
  logic [17:0] all_steps;
  logic signed [7:0] more_columns;
  logic signed [19:0] columns_after;
  logic [17:0] columns;
  assign columns = columns_after < 0 ? 18'd0 : columns_after[17:0];

  logic [15:0] steps_0;
  logic [17:0] steps_1;
  logic [13:0] steps_2, steps_3;
  logic signed [31:0] stride_0;
  logic signed [23:0] stride_1;
  logic signed [17:0] stride_2;
  logic signed [15:0] stride_3;
  always_ff @(posedge clock) begin : levels
    logic [15:0] count, other_count;
    logic [5:0] window_count;
    logic [15:0] window_stride;
    logic one_run;
    if (begin_check || step[2] || step[3]) begin
      window_count = first ? instruction[`WEFT_VECTOR_WINDOW_COUNT_AT(0)]
          : instruction[`WEFT_VECTOR_WINDOW_COUNT_AT(1)];
      window_stride = !pool || step[3] ? 16'd0 : first ? instruction[`WEFT_VECTOR_WINDOW_STRIDE_AT(0)]
          : instruction[`WEFT_VECTOR_WINDOW_STRIDE_AT(1)];
      other_count = {2'd0, of_14({tile_count[2*14+:14], tile_count[3*14+:14], pixel_count[0+:14]}, level)};
      count = of_16(instruction[`WEFT_LOAD_COUNT], level) & {16{is_load}}
          | of_16(instruction[`WEFT_STORE_COUNT], level) & {16{is_store}}
          | of_16(instruction[`WEFT_FILL_COUNT], level) & {16{is_fill}}
          | {2'd0, of_14({pixel_count[14+:14], tile_count[0+:28]}, level)} & {16{is_matrix}}
          | {4'd0, of_12(instruction[`WEFT_VECTOR_COUNT], level)} & {16{is_vector}};
      steps_0 <= (is_matrix ? other_count : count) - 16'd1;
      steps_1 <= is_matrix && depthwise && step[3] ? columns : {2'd0, count - 16'd1};
      steps_2 <= count[13:0] - 14'd1;
      steps_3 <= (is_matrix ? other_count[13:0] : {8'd0, window_count}) - 14'd1;
      (* parallel_case *)  // registers choose, not what is decoded from the opcode; VECTOR is the default
      case (1'b1)
        is_load: begin
          one_run = begin_check ? to_units : coded;
          stride_0 <= one_run ? 32'd0 : of_32(instruction[`WEFT_LOAD_ADDRESS_STRIDE], level);
          stride_1 <= one_run ? 24'd0 : of_24(instruction[`WEFT_LOAD_LOCAL_STRIDE], level);
        end
        is_store: begin
          stride_0 <= of_32(instruction[`WEFT_STORE_ADDRESS_STRIDE], level);
          stride_1 <= of_24(instruction[`WEFT_STORE_LOCAL_STRIDE], level);
        end
        is_fill: begin
          stride_0 <= 32'd0;
          stride_1 <= of_24(instruction[`WEFT_FILL_LOCAL_STRIDE], level);
        end
        is_matrix: begin
          stride_0 <= 32'($signed(of_24({tile_act_stride[2*24+:24], tile_act_stride[3*24+:24], pixel_act_stride[0+:24]}, level)));
          stride_1 <= of_24({pixel_act_stride[24+:24], tile_act_stride[0+:48]}, level);
        end
        default: begin
          stride_0 <= 32'($signed(of_18(instruction[`WEFT_VECTOR_OUT_STRIDE], level)));
          stride_1 <= 24'($signed(of_18(instruction[`WEFT_VECTOR_A_STRIDE], level)));
        end
      endcase
      if (is_matrix) begin
        stride_2 <= 18'($signed(of_15({pixel_acc_stride[15+:15], tile_acc_stride[0+:30]}, level)));
        stride_3 <= 16'($signed(of_15({tile_acc_stride[2*15+:15], tile_acc_stride[3*15+:15], pixel_acc_stride[0+:15]}, level)));
      end else begin
        stride_2 <= pool ? of_18(instruction[`WEFT_VECTOR_A_STRIDE], level) : of_18(instruction[`WEFT_VECTOR_B_STRIDE], level);
        stride_3 <= window_stride;  // 0: the sum is 0
      end
    end
    if (begin_check) begin
      all_steps <= 18'(pixel_count[14+:14]) * 18'(instruction[`WEFT_MATRIX_WINDOW_STEP]);
      more_columns <= {2'd0, instruction[`WEFT_MATRIX_WINDOW_COLUMNS]}
          - {4'd0, instruction[`WEFT_MATRIX_WINDOW_STEP]} - 8'd1;
    end
    if (step[2]) columns_after <= {2'd0, all_steps} + 20'(more_columns);
    first <= take;
    step <= {step[6:2], begin_check};
  end

  // ---- where the sums start: prepared in T+1 and T+2, set in T+3 ----
  // The rows of a window after the first one are part of sum 0 of MATRIX, the ends of rows that dense pixels leave out, too.
  logic [2:0] rows_after;
  logic signed [23:0] row_stride;
  assign rows_after = instruction[`WEFT_MATRIX_WINDOW_ROWS] == 0 ? 3'd0
      : instruction[`WEFT_MATRIX_WINDOW_ROWS] - 3'd1;
  assign row_stride = instruction[`WEFT_MATRIX_WINDOW_ROW_STRIDE];

  // A limit of 2^50 bytes or more is beyond all reaches. Limits do not change in a run: which are is known long before it matters.
  logic [7:0] endless;
  always_ff @(posedge clock) begin : beyond
    for (int region = 0; region < 8; region++) endless[region] <= region_limit[region*64+50+:14] != 0;
  end
  function automatic logic [49:0] limit_of(input logic [8*64-1:0] limits, input logic [7:0] without, input logic [2:0] region);
    limit_of = limits[{6'd0, region}*64+:50] | {50{without[region]}};
  endfunction

  logic [31:0] base_0;
  logic [23:0] base_1;
  logic [17:0] base_2;
  logic signed [33:0] end_0;
  logic [24:0] run_1, end_1;
  logic signed [EXTERNAL-1:0] rest_0, start_0;  // rest: what end_0 still needs
  logic signed [25:0] more_0;
  logic upwards;
  logic [23:0] size_1;
  logic uses_0, uses_1, uses_2, adds_act;
  always_ff @(posedge clock) begin
    if (begin_check) begin
      uses_0 <= is_external || is_vector;
      uses_1 <= is_external || is_fill || is_matrix || (is_vector && !pool && vector_function != weft_isa_pkg::FUNCTION_FILL[3:0]);
      uses_2 <= is_matrix || (is_vector && (pool || two_operands));
      adds_act <= is_matrix;
      (* parallel_case *)  // registers choose, not what is decoded from the opcode; VECTOR is the default
      case (1'b1)
        is_load: begin
          base_0 <= instruction[`WEFT_LOAD_ADDRESS];
          end_0 <= {2'd0, instruction[`WEFT_LOAD_ADDRESS]} + {10'd0, instruction[`WEFT_LOAD_RUN]};
          rest_0 <= {1'b1, ~limit_of(region_limit, endless, instruction[`WEFT_LOAD_REGION])};
          base_1 <= instruction[`WEFT_LOAD_LOCAL];
          run_1 <= to_units ? 25'(units) << UNIT_BITS : {1'b0, instruction[`WEFT_LOAD_RUN]};
          case (instruction[`WEFT_LOAD_MEMORY])
            weft_isa_pkg::TARGET_ACT[1:0]: size_1 <= ACT_BYTES[23:0];
            weft_isa_pkg::TARGET_WGT[1:0]: size_1 <= WGT_BYTES[23:0];
            weft_isa_pkg::TARGET_PAR[1:0]: size_1 <= PAR_BYTES[23:0];
            default: size_1 <= 24'd256 * BLOCK[23:0];
          endcase
        end
        is_store: begin
          base_0 <= instruction[`WEFT_STORE_ADDRESS];
          end_0 <= {2'd0, instruction[`WEFT_STORE_ADDRESS]} + {10'd0, instruction[`WEFT_STORE_RUN]};
          rest_0 <= {1'b1, ~limit_of(region_limit, endless, instruction[`WEFT_STORE_REGION])};
          base_1 <= instruction[`WEFT_STORE_LOCAL];
          run_1 <= {1'b0, instruction[`WEFT_STORE_RUN]};
          size_1 <= ACT_BYTES[23:0];
        end
        is_fill: begin
          base_1 <= instruction[`WEFT_FILL_LOCAL];
          run_1 <= {1'b0, instruction[`WEFT_FILL_RUN]};
          size_1 <= ACT_BYTES[23:0];
        end
        is_matrix: begin
          base_0 <= 32'd0;
          end_0 <= rows_after[0] ? 34'(row_stride) : 34'd0;
          rest_0 <= rows_after[1] ? EXTERNAL'(row_stride) <<< 1 : 0;
          base_1 <= instruction[`WEFT_MATRIX_ACT];
          run_1 <= BLOCK[24:0];
          size_1 <= ACT_BYTES[23:0];
        end
        default: begin
          base_0 <= {14'd0, instruction[`WEFT_VECTOR_OUT]};
          end_0 <= {16'd0, instruction[`WEFT_VECTOR_OUT]} + 34'd1;
          rest_0 <= INSIDE_ACT;
          base_1 <= {6'd0, instruction[`WEFT_VECTOR_A]};
          run_1 <= 25'd1;
          size_1 <= requant ? ACC_ENTRIES[23:0] : ACT_LINES[23:0];
        end
      endcase
      more_0 <= is_matrix && rows_after[2] ? 26'(row_stride) <<< 2 : 26'd0;
      upwards <= !row_stride[23];
      base_2 <= is_matrix ? {4'd0, instruction[`WEFT_MATRIX_ACC]} : pool ? instruction[`WEFT_VECTOR_A] : instruction[`WEFT_VECTOR_B];
    end
    if (step[2]) begin
      start_0 <= EXTERNAL'(end_0) + rest_0 + EXTERNAL'(more_0);
      end_1 <= {1'b0, base_1} + run_1;
    end
  end

  // ---- the sums ----
  logic multiply;
  assign multiply = step[4:2] != 0;
  logic signed [EXTERNAL-1:0] low_0, high_0;
  logic signed [BYTES-1:0] low_1, high_1;
  logic signed [LINES-1:0] low_2, high_2, low_3, high_3;
  logic far_0, far_1, far_2, far_3;
  weft_reach #(.STEPS(16), .STRIDE(32), .PARTS(4), .SUM(EXTERNAL), .FAR(FAR_BYTES)) reach_0 (
      .clock(clock),
      .multiply(multiply),
      .steps(steps_0),
      .stride(stride_0),
      .load(step[3]),
      .low_start(!adds_act ? EXTERNAL'({1'b0, base_0}) : upwards ? 0 : start_0),
      .high_start(adds_act && !upwards ? 0 : start_0),
      .low(low_0),
      .high(high_0),
      .is_far(far_0)
  );
  weft_reach #(.STEPS(18), .STRIDE(24), .PARTS(3), .SUM(BYTES), .FAR(FAR_BYTES)) reach_1 (
      .clock(clock),
      .multiply(multiply),
      .steps(steps_1),
      .stride(stride_1),
      .load(step[3]),
      .low_start({5'd0, base_1}),
      .high_start({4'd0, end_1} + ~{5'd0, size_1}),
      .low(low_1),
      .high(high_1),
      .is_far(far_1)
  );
  weft_reach #(.STEPS(14), .STRIDE(18), .PARTS(2), .SUM(LINES), .FAR(FAR_LINES)) reach_2 (
      .clock(clock),
      .multiply(multiply),
      .steps(steps_2),
      .stride(stride_2),
      .load(step[3]),
      .low_start({5'd0, base_2}),
      .high_start({5'd0, base_2} - (adds_act ? ACC_ENTRIES[LINES-1:0] : ACT_LINES[LINES-1:0])),
      .low(low_2),
      .high(high_2),
      .is_far(far_2)
  );
  weft_reach #(.STEPS(14), .STRIDE(16), .PARTS(2), .SUM(LINES), .FAR(FAR_LINES)) reach_3 (
      .clock(clock),
      .multiply(multiply),
      .steps(steps_3),
      .stride(stride_3),
      .load(step[3]),
      .low_start({LINES{1'b0}}),
      .high_start({LINES{1'b0}}),
      .low(low_3),
      .high(high_3),
      .is_far(far_3)
  );

  // ---- records and weights ----
  logic tiles_outside, has_tiles;
  weft_tiles #(.BLOCK(BLOCK)) weights (
      .clock(clock),
      .begin_check(begin_check),
      .instruction(instruction),
      .outside(tiles_outside)
  );
  localparam SHORT_RECORDS = CONFIG[weft_config_pkg::AT_SHORT_RECORDS+:32] != 0;
  logic [11:0] records;
  logic [15:0] record;
  logic record_outside;
  assign records = instruction[`WEFT_VECTOR_COUNT_AT(0)];
  always_ff @(posedge clock) begin
    if (begin_check) begin
      has_tiles <= is_matrix;
      record <= !is_vector ? 16'd0 : sums ? SUM_RECORD[15:0] : !requant ? 16'd0
          : !instruction[`WEFT_VECTOR_PER_CHANNEL] ? {2'd0, records, 2'd0}
          : SHORT_RECORDS && instruction[`WEFT_VECTOR_SHORT_RECORDS] ? {1'b0, records, 3'd0} - {4'd0, records}
          : {1'b0, records, 3'd0} + {4'd0, records};
    end
    if (step[2]) record_outside <= record != 0
        && {3'd0, instruction[`WEFT_VECTOR_PAR]} + {1'b0, record} > PAR_LINES[16:0];
  end

  // ---- the signs ----
  // Sum 1 of MATRIX has its second part in sum 0: it is added always, as a choice in front of the addition would be in its path.
  // Four parts, which one gate takes together. MATRIX uses all sums.
  logic [3:0] parts;
  assign outside = parts != 0;
  always_ff @(posedge clock) begin : signs
    logic signed [BYTES-1:0] act_low, act_high;
    logic signed [LINES-1:0] acc_low, acc_high;
    if (step[7]) begin
      act_low = low_1 + low_0[BYTES-1:0];
      act_high = high_1 + high_0[BYTES-1:0];
      acc_low = low_2 + low_3;
      acc_high = high_2 + high_3;
      parts[0] <= (uses_0 && (low_0 < 0 || high_0 >= 0)) || record_outside
          || (uses_1 && (far_1 || (adds_act && far_0))) || (uses_2 && (far_2 || far_3));
      parts[1] <= uses_1 && (adds_act ? act_low < 0 : low_1 < 0);
      parts[2] <= uses_1 && (adds_act ? act_high >= 0 : high_1 >= 0);
      parts[3] <= (uses_2 && (acc_low < 0 || acc_high >= 0)) || (has_tiles && tiles_outside);
    end
  end

`ifdef VERILATOR  // alone knows $error in an elaboration
  if (weft_isa_pkg::FUNCTIONS != 13) begin : g_functions
    $error("weft_extents knows 13 values of FUNCTION in isa/instructions.def: say of the others what it reads");
  end
  if (weft_config_pkg::DURATION_CHECK < 6) begin : g_check
    $error("weft_extents takes six cycles");
  end
  if (ACT_LINES > 1 << FAR_LINES || ACC_ENTRIES > 1 << FAR_LINES || ACT_BYTES > 1 << FAR_BYTES
      || WGT_BYTES > 1 << FAR_BYTES || PAR_BYTES > 1 << FAR_BYTES) begin : g_far
    $error("weft_extents takes for outside what is inside a memory");
  end
`endif
endmodule
