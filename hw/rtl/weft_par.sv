// PAR: per-channel parameters, one bank or two, each of two line-interleaved sub-banks.
//
// Interface: load writes two neighbouring lines with byte strobes; vector reads one line.
// Timing: data of a read of cycle T are on read_data in T+1.
// Reset: none.
module weft_par #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,
    parameter LINE = 8 * CONFIG[weft_config_pkg::AT_BLOCK+:32],
    parameter LINES = CONFIG[weft_config_pkg::AT_PAR_BYTES+:32] / CONFIG[weft_config_pkg::AT_BLOCK+:32],
    parameter LINE_BITS = $clog2(LINES)
) (
    input  logic clock,
    input  logic load_valid,
    input  logic [LINE_BITS-1:0] load_line,  // of the lower half
    input  logic [LINE/4-1:0] load_strobe,
    input  logic [2*LINE-1:0] load_data,
    input  logic read_valid,
    input  logic [LINE_BITS-1:0] read_line,
    output logic [LINE-1:0] read_data
);
  logic sub;
  always_ff @(posedge clock) begin
    if (read_valid) sub <= read_line[0];
  end

  logic [2*LINE-1:0] sub_data;
  weft_line_pairs #(
      .LINE (LINE),
      .LINES(LINES),
      .BANKS(CONFIG[weft_config_pkg::AT_PAR_BANKS+:32])
  ) lines (
      .clock(clock),
      .load_valid(load_valid),
      .load_line(load_line),
      .load_strobe(load_strobe),
      .load_data(load_data),
      .read_valid({read_valid && read_line[0], read_valid && !read_line[0]}),
      .read_line(read_line[LINE_BITS-1:1]),
      .read_data(sub_data)
  );
  assign read_data = sub ? sub_data[2*LINE-1:LINE] : sub_data[LINE-1:0];
endmodule
