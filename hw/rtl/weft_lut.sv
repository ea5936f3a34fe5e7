// LUT: one table of 256 bytes for each lane. Line i holds entry i of every lane's table. Without look-ups in the configuration
// there is none, and 0 is read.
//
// Interface: load writes two neighbouring lines with byte strobes (a beat has at most B bytes, so never both bytes of one lane);
// vector reads one entry of every lane, and for the sums of SOFTMAX another one.
// Timing: data of a read of cycle T are on read_data, or sum_data, in T+1.
// Reset: none.
module weft_lut #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,
    parameter BLOCK = CONFIG[weft_config_pkg::AT_BLOCK+:32],
    parameter LINE = 8 * BLOCK
) (
    // verilator lint_off UNUSEDSIGNAL
    input  logic clock,
    input  logic load_valid,
    input  logic [7:0] load_line,  // of the lower half
    input  logic [2*BLOCK-1:0] load_strobe,
    input  logic [2*LINE-1:0] load_data,
    input  logic read_valid,
    input  logic [LINE-1:0] read_index,
    input  logic sum_valid,
    input  logic [LINE-1:0] sum_index,
    // verilator lint_on UNUSEDSIGNAL
    output logic [LINE-1:0] read_data,
    output logic [LINE-1:0] sum_data
);
  localparam LANES = CONFIG[weft_config_pkg::AT_LOOKUP+:32] != 0 ? BLOCK : 0;
  // verilator lint_off UNUSEDSIGNAL
  logic [7:0] load_next;
  // verilator lint_on UNUSEDSIGNAL
  assign load_next = load_line + 8'd1;

  if (LANES == 0) begin : g_none
    assign read_data = {LINE{1'b0}};
    assign sum_data = {LINE{1'b0}};
  end
  for (genvar l = 0; l < LANES; l++) begin : g_lane
    logic load_here;
    assign load_here = load_valid && (load_strobe[l] || load_strobe[BLOCK+l]);
    weft_ram #(
        .WIDTH(8),
        .DEPTH(256)
    ) ram (
        .clock(clock),
        .enable(load_here || read_valid),
        .write(load_here),
        .strobe(1'b1),
        .address(!load_here ? read_index[l*8+:8] : load_strobe[l] ? load_line : load_next),
        .write_data(load_strobe[l] ? load_data[l*8+:8] : load_data[LINE+l*8+:8]),
        .read_data(read_data[l*8+:8]),
        .other_enable(sum_valid),
        .other_address(sum_index[l*8+:8]),
        .other_data(sum_data[l*8+:8])
    );
`ifndef SYNTHESIS
    always_ff @(posedge clock) begin : one_owner
      if (load_here && (read_valid || sum_valid)) $error("LUT used by load and vector in one cycle");
    end
`endif
  end
endmodule
