// Decodes a unit of coded weights (isa/coding.h has the form), as many of them in a cycle as two beats have bytes, and writes them.
//
// Interface: `unit` with what weft_units hands over, which stays for four cycles: with it what is added to each weight, and the byte
// address in WGT that its LOAD writes from, which counts if it is `fresh`; others are written behind the one before. Out come two
// neighbouring lines.
// Timing: what is written comes from registers, in the sixth to the ninth cycle after `unit`. Units are at least four cycles apart.
// Reset: synchronous; nothing to write.
//
// Stages: codes of the lanes and which are escapes; how many escapes are before each; the extension from the first of them on; the bits
// of each lane; its value; the weight.
module weft_unit_lanes #(
    parameter BLOCK = 16,
    parameter WIDTH = 8,  // bytes of a beat
    parameter BLOCK_BITS = $clog2(BLOCK)
) (
    input  logic clock,
    input  logic reset,
    input  logic unit,
    input  logic fresh,
    input  logic [64*WIDTH-1:0] planes,
    input  logic [8*WIDTH-1:0] extension,
    input  logic [7:0] head,
    input  logic more,
    // verilator lint_off UNUSEDSIGNAL
    input  logic [23:0] local_address,  // a multiple of two lines
    // verilator lint_on UNUSEDSIGNAL
    input  logic [7:0] base,
    output logic write_valid,
    output logic [23-BLOCK_BITS:0] write_line,  // of the lower half
    output logic [2*BLOCK-1:0] write_strobe,
    output logic [16*BLOCK-1:0] write_data
);
  localparam BITS = 8 * WIDTH;
  localparam LANES = 2 * WIDTH;
  localparam RANK = $clog2(LANES);  // bits of a lane
  localparam AT_BITS = 24 - RANK;  // of an address in groups of lanes
  localparam PLACE = $clog2(BITS);
  localparam STAGES = 6;

  // ---- which lanes, and where they go: by stage ----
  logic [1:0] part;
  logic [STAGES-1:0] valid;  // of stages 1 to 6
  logic [STAGES*AT_BITS-1:0] place;
  logic [AT_BITS-1:0] next_place;
  logic going;
  logic first_1;  // the first lanes of a unit are in stage 1
  assign going = unit || part != 0;
  always_ff @(posedge clock) begin : places
    logic [AT_BITS-1:0] this_place;
    valid <= {valid[STAGES-2:0], going};
    if (going) begin
      this_place = unit && fresh ? AT_BITS'(local_address[23:BLOCK_BITS+1]) << (BLOCK_BITS + 1 - RANK) : next_place;
      place[0+:AT_BITS] <= this_place;
      next_place <= this_place + 1'b1;
      first_1 <= unit;
      part <= unit ? 2'd1 : part + 2'd1;
    end
    for (int s = 1; s < STAGES; s++) if (valid[s-1]) place[AT_BITS*s+:AT_BITS] <= place[AT_BITS*(s-1)+:AT_BITS];
    if (reset) begin
      valid <= {STAGES{1'b0}};
      part <= 2'd0;
    end
  end

  // ---- stage 1: codes ----
  logic [8*LANES-1:0] code_1, code_2, code_3, code_4, value_5;
  logic [LANES-1:0] escape_1, escape_2, escape_3, escape_4;
  logic [7:0] head_1, head_2, head_3, head_4;
  logic more_1, more_2, more_3, more_4;
  logic [7:0] base_1, base_2, base_3, base_4, base_5;
  always_ff @(posedge clock) begin : codes
    logic [1:0] quarter;
    logic [7:0] code;
    logic [8*LANES-1:0] rows;
    quarter = unit ? 2'd0 : part;
    if (going) begin
      for (int b = 0; b < 8; b++) rows[LANES*b+:LANES] = planes[BITS*b+LANES*quarter+:LANES];
      for (int i = 0; i < LANES; i++) begin
        for (int b = 0; b < 8; b++) code[b] = rows[LANES*b+i];
        code_1[8*i+:8] <= code;
        escape_1[i] <= head != 0 && (code | ~head) == 8'hff;
      end
      head_1 <= head;
      more_1 <= more;
      base_1 <= base;
    end
  end

  // ---- stage 2: escapes before each lane, and where in the extension the first one is ----
  // verilator lint_off UNUSEDSIGNAL
  logic [LANES*RANK-1:0] rank_2, rank_3;  // of a lane that has few before it the upper bits are 0
  // verilator lint_on UNUSEDSIGNAL
  logic [RANK:0] count_2;
  logic [PLACE+1:0] from_2;
  logic [BITS-1:0] extension_2;
  always_ff @(posedge clock) begin : ranks
    logic [LANES*(RANK+1)-1:0] upto;  // escapes up to lane i, first in pairs of lanes, then in four, ...
    if (valid[0]) begin
      for (int i = 0; i < LANES; i++) upto[(RANK+1)*i+:RANK+1] = (RANK + 1)'(escape_1[i]);
      for (int s = 0; s < RANK; s++) begin
        for (int i = 0; i < LANES; i++) begin
          if (i[s]) upto[(RANK+1)*i+:RANK+1] = upto[(RANK+1)*i+:RANK+1] + upto[(RANK+1)*(((i>>s)<<s)-1)+:RANK+1];
        end
      end
      rank_2[0+:RANK] <= {RANK{1'b0}};
      for (int i = 1; i < LANES; i++) rank_2[RANK*i+:RANK] <= upto[(RANK+1)*(i-1)+:RANK];
      count_2 <= upto[(RANK+1)*(LANES-1)+:RANK+1];
      from_2 <= first_1 ? {PLACE + 2{1'b0}} : from_2 + ((PLACE + 2)'(count_2) << (more_2 ? 2 : 1));
      if (first_1) extension_2 <= extension;
      code_2 <= code_1;
      escape_2 <= escape_1;
      head_2 <= head_1;
      more_2 <= more_1;
      base_2 <= base_1;
    end
  end

  // ---- stage 3: the extension from there on ----
  logic [BITS-1:0] extension_3;
  always_ff @(posedge clock) begin
    if (valid[1]) begin
      extension_3 <= from_2[PLACE+1:PLACE] != 0 ? {BITS{1'b0}} : extension_2 >> from_2[PLACE-1:0];
      rank_3 <= rank_2;
      code_3 <= code_2;
      escape_3 <= escape_2;
      head_3 <= head_2;
      more_3 <= more_2;
      base_3 <= base_2;
    end
  end

  // ---- stage 4: the bits of each lane, those of the escape of its rank ----
  logic [4*LANES-1:0] by_rank;
  logic [4*LANES-1:0] bits_4;
  always_comb begin
    for (int r = 0; r < LANES; r++) by_rank[4*r+:4] = more_3 ? extension_3[4*r+:4] : {2'd0, extension_3[2*r+:2]};
  end
  for (genvar i = 0; i < LANES; i++) begin : g_bits
    // Lane i has rank i at most.
    localparam OF_RANK = i < 2 ? 1 : $clog2(i + 1);
    logic [OF_RANK-1:0] rank;
    assign rank = rank_3[RANK*i+:OF_RANK];
    always_ff @(posedge clock) begin
      if (valid[2]) bits_4[4*i+:4] <= by_rank[4*rank+:4];
    end
  end
  always_ff @(posedge clock) begin
    if (valid[2]) begin
      code_4 <= code_3;
      escape_4 <= escape_3;
      head_4 <= head_3;
      more_4 <= more_3;
      base_4 <= base_3;
    end
  end

  // ---- stage 5: the value ----
  always_ff @(posedge clock) begin : values
    logic [7:0] rest;
    if (valid[3]) begin
      for (int i = 0; i < LANES; i++) begin
        rest = code_4[8*i+:8] & ~head_4;
        rest = more_4 ? {rest[3:0], bits_4[4*i+:4]} : {rest[5:0], bits_4[4*i+:2]};
        value_5[8*i+:8] <= escape_4[i] ? head_4 + rest : code_4[8*i+:8];
      end
      base_5 <= base_4;
    end
  end

  // ---- stage 6: the weight ----
  logic [8*LANES-1:0] weights;
  always_ff @(posedge clock) begin
    if (valid[4]) begin
      for (int i = 0; i < LANES; i++) begin
        weights[8*i+:8] <= ({1'b0, value_5[8*i+1+:7]} ^ {8{value_5[8*i]}}) + base_5;
      end
    end
  end
  logic [23:0] address;
  assign address = {place[STAGES*AT_BITS-1-:AT_BITS], {RANK{1'b0}}};
  assign write_valid = valid[STAGES-1];
  assign write_line = address[23:BLOCK_BITS];
  assign write_strobe = (2 * BLOCK)'({LANES{1'b1}}) << address[BLOCK_BITS-1:0];
  assign write_data = {2 * BLOCK / LANES{weights}};
endmodule
