// A memory that is written two neighbouring lines at a time, by load, and read by one other: two line-interleaved sub-banks, each a RAM.
// Line n lies in sub-bank n % 2.
//
// Interface: load writes two neighbouring lines with byte strobes; a read takes a line of one sub-bank or of both, of the same row.
// Timing: data of a read of cycle T are on read_data in T+1.
// Reset: none.
//
// Banks are neighbouring lines that have one owner at a time. They lie in the same RAMs: one master writes and one reads, so a port for each
// serves all banks, and there is no choice between RAMs behind their data, which come late in a cycle.
module weft_line_pairs #(
    parameter LINE = 128,  // bits of a line
    parameter LINES = 1024,
    // verilator lint_off UNUSEDPARAM
    parameter BANKS = 8,  // for an assertion
    // verilator lint_on UNUSEDPARAM
    parameter LINE_BITS = $clog2(LINES),
    parameter ROW_BITS = LINE_BITS - 1
) (
    input  logic clock,
    input  logic load_valid,
    input  logic [LINE_BITS-1:0] load_line,  // of the lower half
    input  logic [LINE/4-1:0] load_strobe,
    input  logic [2*LINE-1:0] load_data,
    input  logic [1:0] read_valid,  // by sub-bank
    input  logic [ROW_BITS-1:0] read_line,  // line / 2
    output logic [2*LINE-1:0] read_data  // by sub-bank
);
  // verilator lint_off UNUSEDSIGNAL
  logic [LINE_BITS-1:0] load_next;  // the sub-bank of the upper line is the other one
  // verilator lint_on UNUSEDSIGNAL
  logic [1:0] load_halves;
  assign load_next = load_line + 1'b1;
  assign load_halves = {load_valid && load_strobe[LINE/4-1:LINE/8] != 0, load_valid && load_strobe[LINE/8-1:0] != 0};

  for (genvar k = 0; k < 2; k++) begin : g_sub
    logic load_half;
    logic [ROW_BITS-1:0] load_at;
    assign load_half = load_line[0] != k;
    assign load_at = load_half ? load_next[LINE_BITS-1:1] : load_line[LINE_BITS-1:1];
`ifndef SYNTHESIS
    localparam BANK_ROW_BITS = ROW_BITS - $clog2(BANKS);
    always_ff @(posedge clock) begin : one_owner
      if (load_halves[load_half] && read_valid[k] && load_at >> BANK_ROW_BITS == read_line >> BANK_ROW_BITS)
        $error("%m: a bank is used by two masters in one cycle");
    end
`endif
    weft_bank #(
        .WIDTH(LINE),
        .DEPTH(1 << ROW_BITS)
    ) ram (
        .clock(clock),
        .write(load_halves[load_half]),
        .load(1'b1),
        .fill(1'b0),
        .read(read_valid[k]),
        .matrix(1'b1),
        .store(1'b0),
        .load_half(load_half),
        .load_address(load_at),
        .load_strobe(load_strobe),
        .load_data(load_data),
        .fill_address({ROW_BITS{1'b0}}),
        .fill_strobe({LINE / 8{1'b0}}),
        .fill_value(8'd0),
        .matrix_address(read_line),
        .vector_address({ROW_BITS{1'b0}}),
        .vector_data({LINE{1'b0}}),
        .store_address({ROW_BITS{1'b0}}),
        .read_data(read_data[k*LINE+:LINE])
    );
  end
endmodule
