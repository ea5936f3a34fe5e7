// A memory that is written two neighbouring lines at a time: banks of two line-interleaved sub-banks. Line n lies in sub-bank n % 2.
//
// Interface: load writes two neighbouring lines with byte strobes; a read takes a line of one sub-bank or of both, of the same row.
// Timing: data of a read of cycle T are on read_data in T+1.
// Reset: none.
module weft_line_pairs #(
    parameter LINE = 128,  // bits of a line
    parameter LINES = 1024,
    parameter BANKS = 8,
    parameter LINE_BITS = $clog2(LINES),
    parameter ROW_BITS = LINE_BITS - 1 - $clog2(BANKS),
    parameter BANK_BITS = BANKS > 1 ? $clog2(BANKS) : 1
) (
    input  logic clock,
    input  logic load_valid,
    input  logic [LINE_BITS-1:0] load_line,  // of the lower half
    input  logic [LINE/4-1:0] load_strobe,
    input  logic [2*LINE-1:0] load_data,
    input  logic [1:0] read_valid,  // by sub-bank
    input  logic [LINE_BITS-2:0] read_line,  // line / 2
    output logic [2*LINE-1:0] read_data  // by sub-bank
);
  // verilator lint_off UNUSEDSIGNAL
  logic [LINE_BITS-1:0] load_next;  // the sub-bank of the upper line is the other one
  // verilator lint_on UNUSEDSIGNAL
  logic [1:0] load_halves;
  assign load_next = load_line + 1'b1;
  assign load_halves = {load_valid && load_strobe[LINE/4-1:LINE/8] != 0, load_valid && load_strobe[LINE/8-1:0] != 0};

  logic [BANK_BITS-1:0] bank;
  always_ff @(posedge clock) begin
    if (read_valid != 0) bank <= BANK_BITS'(read_line >> ROW_BITS);
  end

  for (genvar k = 0; k < 2; k++) begin : g_sub
    logic load_half;
    logic [LINE_BITS-2:0] load_at;
    logic [BANKS-1:0] load_select;
    logic [BANKS-1:0] read_select;
    localparam [BANKS-1:0] ONE = 1;
    assign load_half = load_line[0] != k;
    assign load_at = load_half ? load_next[LINE_BITS-1:1] : load_line[LINE_BITS-1:1];
    always_comb begin
      load_select = 0;
      read_select = 0;
      if (load_halves[load_half]) load_select = ONE << (load_at >> ROW_BITS);
      if (read_valid[k]) read_select = ONE << (read_line >> ROW_BITS);
    end
`ifndef SYNTHESIS
    always_ff @(posedge clock) begin : one_owner
      if ((load_select & read_select) != 0) $error("%m: a bank is used by two masters in one cycle");
    end
`endif

    logic [LINE-1:0] data[0:BANKS-1];
    for (genvar b = 0; b < BANKS; b++) begin : g_bank
      weft_bank #(
          .WIDTH(LINE),
          .DEPTH(1 << ROW_BITS)
      ) ram (
          .clock(clock),
          .write(load_select[b]),
          .load(1'b1),
          .fill(1'b0),
          .read(read_select[b]),
          .matrix(1'b1),
          .store(1'b0),
          .load_half(load_half),
          .load_address(load_at[ROW_BITS-1:0]),
          .load_strobe(load_strobe),
          .load_data(load_data),
          .fill_address({ROW_BITS{1'b0}}),
          .fill_strobe({LINE / 8{1'b0}}),
          .fill_value(8'd0),
          .matrix_address(read_line[ROW_BITS-1:0]),
          .vector_address({ROW_BITS{1'b0}}),
          .vector_data({LINE{1'b0}}),
          .store_address({ROW_BITS{1'b0}}),
          .read_data(data[b])
      );
    end
    assign read_data[k*LINE+:LINE] = data[bank];
  end
endmodule
