// The accumulator end of matrix: reads an entry of ACC, adds the sums, writes it back.
//
// Interface: in c the entry of a result, and whether it adds; the array's sums in c+6, with `deep_pipeline` in c+7.
// Timing: c+5 the entry is read, c+6 added, c+7 written; with `deep_pipeline`, where ACC takes a cycle more, added and written in c+7.
// Reset: synchronous; nothing on its way.
module weft_matrix_accumulate #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,
    parameter BLOCK = CONFIG[weft_config_pkg::AT_BLOCK+:32],
    parameter ENTRY_BITS = $clog2(CONFIG[weft_config_pkg::AT_ACC_BYTES+:32]) - $clog2(BLOCK) - 2
) (
    input  logic clock,
    input  logic reset,
    input  logic valid,
    input  logic [ENTRY_BITS-1:0] entry,
    input  logic add,
    output logic read_valid,
    output logic [ENTRY_BITS-1:0] read_entry,
    input  logic [32*BLOCK-1:0] read_data,
    input  logic [32*BLOCK-1:0] sums,
    output logic write_valid,
    output logic [ENTRY_BITS-1:0] write_entry,
    output logic [32*BLOCK-1:0] write_data
);
  // Bit or field i belongs to the result whose address was issued i + 1 cycles ago.
  logic [6:0] valids;
  // verilator lint_off UNUSEDSIGNAL
  logic [6:0] adds;  // the last one is read with `deep_pipeline` alone
  // verilator lint_on UNUSEDSIGNAL
  logic [7*ENTRY_BITS-1:0] entries;

  assign read_valid = valids[4] && adds[4];
  assign read_entry = entries[4*ENTRY_BITS+:ENTRY_BITS];
  assign write_valid = valids[6];
  assign write_entry = entries[6*ENTRY_BITS+:ENTRY_BITS];

  if (CONFIG[weft_config_pkg::AT_DEEP_PIPELINE+:32] != 0) begin : g_deep
    always_comb begin
      write_data = {32 * BLOCK{1'bx}};
      if (valids[6]) begin
        for (int n = 0; n < BLOCK; n++) write_data[n*32+:32] = sums[n*32+:32] + (adds[6] ? read_data[n*32+:32] : 32'd0);
      end
    end
  end else begin : g_shallow
    always_ff @(posedge clock) begin
      if (valids[5]) begin
        for (int n = 0; n < BLOCK; n++) write_data[n*32+:32] <= sums[n*32+:32] + (adds[5] ? read_data[n*32+:32] : 32'd0);
      end
    end
  end

  always_ff @(posedge clock) begin
    if (valid || valids != 0) begin
      adds <= {adds[5:0], add};
      entries <= {entries[6*ENTRY_BITS-1:0], entry};
    end
    valids <= reset ? 7'd0 : {valids[5:0], valid};
  end
endmodule
