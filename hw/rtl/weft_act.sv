// ACT: activations, banks of four line-interleaved sub-banks. Line n lies in sub-bank n % 4.
//
// Interface: five masters, each with banks of its own (isa/instructions.def, act_banks). Load writes two neighbouring lines with byte
// strobes, fill one line; matrix reads one line of each sub-bank; vector reads or writes one line; store reads two neighbouring lines.
// Timing: data of a read of cycle T are on the read_data of its master in T+1.
// Reset: none.
module weft_act #(
    parameter LINE = 8 * weft_config_pkg::BLOCK,
    parameter LINES = weft_config_pkg::ACT_BYTES / weft_config_pkg::BLOCK,
    parameter LINE_BITS = $clog2(LINES),
    parameter BANKS = weft_config_pkg::ACT_BANKS,
    parameter BANK_BITS = $clog2(BANKS),
    parameter ROW_BITS = LINE_BITS - 2 - BANK_BITS
) (
    input  logic clock,
    input  logic load_valid,
    input  logic [LINE_BITS-1:0] load_line,  // of the lower half
    input  logic [LINE/4-1:0] load_strobe,
    input  logic [2*LINE-1:0] load_data,
    input  logic fill_valid,
    input  logic [LINE_BITS-1:0] fill_line,
    input  logic [LINE/8-1:0] fill_strobe,
    input  logic [7:0] fill_value,
    input  logic [3:0] matrix_valid,  // by sub-bank
    input  logic [4*(LINE_BITS-2)-1:0] matrix_line,  // line / 4, by sub-bank
    output logic [4*LINE-1:0] matrix_read_data,
    input  logic vector_valid,
    input  logic vector_write,
    input  logic [LINE_BITS-1:0] vector_line,
    input  logic [LINE-1:0] vector_write_data,
    output logic [LINE-1:0] vector_read_data,
    input  logic [1:0] store_valid,  // lower, upper line
    input  logic [LINE_BITS-1:0] store_line,  // of the lower one
    output logic [2*LINE-1:0] store_read_data
);
  // The line after the one that a master named; masters do not use it when it is outside.
  logic [LINE_BITS-1:0] load_next;
  logic [LINE_BITS-1:0] store_next;
  logic [1:0] load_halves;
  assign load_next = load_line + 1'b1;
  assign store_next = store_line + 1'b1;
  assign load_halves = {load_valid && load_strobe[LINE/4-1:LINE/8] != 0, load_valid && load_strobe[LINE/8-1:0] != 0};

  // Which sub-bank and bank were read last, for the choice of the data in the cycle after.
  logic [1:0] vector_sub;
  logic [BANK_BITS-1:0] vector_bank;
  logic [1:0] store_sub;
  logic [2*BANK_BITS-1:0] store_bank;
  always_ff @(posedge clock) begin
    if (vector_valid && !vector_write) begin
      vector_sub <= vector_line[1:0];
      vector_bank <= vector_line[LINE_BITS-1-:BANK_BITS];
    end
    if (store_valid != 0) begin
      store_sub <= store_line[1:0];
      store_bank <= {store_next[LINE_BITS-1-:BANK_BITS], store_line[LINE_BITS-1-:BANK_BITS]};
    end
  end

  logic [LINE-1:0] vector_data[0:3];
  logic [LINE-1:0] store_data[0:3];

  for (genvar k = 0; k < 4; k++) begin : g_sub
    logic load_half;
    logic store_half;
    logic [LINE_BITS-3:0] load_at;
    logic [LINE_BITS-3:0] store_at;
    logic [LINE_BITS-3:0] matrix_at;
    logic load_here;
    logic fill_here;
    logic vector_here;
    logic store_here;
    assign load_half = load_line[1:0] != k;
    assign load_at = load_half ? load_next[LINE_BITS-1:2] : load_line[LINE_BITS-1:2];
    assign load_here = load_half ? load_halves[1] && load_next[1:0] == k : load_halves[0];
    assign fill_here = fill_valid && fill_line[1:0] == k;
    assign matrix_at = matrix_line[k*(LINE_BITS-2)+:LINE_BITS-2];
    assign vector_here = vector_valid && vector_line[1:0] == k;
    assign store_half = store_line[1:0] != k;
    assign store_at = store_half ? store_next[LINE_BITS-1:2] : store_line[LINE_BITS-1:2];
    assign store_here = store_half ? store_valid[1] && store_next[1:0] == k : store_valid[0];

    // One bit for each bank: which master uses it, whether it is written, whether it is read.
    logic [BANKS-1:0] load_select;
    logic [BANKS-1:0] fill_select;
    logic [BANKS-1:0] matrix_select;
    logic [BANKS-1:0] vector_select;
    logic [BANKS-1:0] store_select;
    logic [BANKS-1:0] write_select;
    logic [BANKS-1:0] read_select;
    localparam [BANKS-1:0] ONE = 1;
    always_comb begin
      load_select = 0;
      fill_select = 0;
      matrix_select = 0;
      vector_select = 0;
      store_select = 0;
      if (load_here) load_select = ONE << load_at[LINE_BITS-3-:BANK_BITS];
      if (fill_here) fill_select = ONE << fill_line[LINE_BITS-1-:BANK_BITS];
      if (matrix_valid[k]) matrix_select = ONE << matrix_at[LINE_BITS-3-:BANK_BITS];
      if (vector_here) vector_select = ONE << vector_line[LINE_BITS-1-:BANK_BITS];
      if (store_here) store_select = ONE << store_at[LINE_BITS-3-:BANK_BITS];
      write_select = load_select | fill_select;
      read_select = matrix_select | store_select;
      if (vector_write) write_select = write_select | vector_select;
      else read_select = read_select | vector_select;
    end
`ifndef SYNTHESIS
    always_ff @(posedge clock) begin : one_owner
      if (((write_select & read_select) | (load_select & (fill_select | vector_select)) | (fill_select & vector_select)
          | (matrix_select & (store_select | vector_select)) | (store_select & vector_select)) != 0)
        $error("a bank of ACT is used by two masters in one cycle");
    end
`endif

    logic [BANK_BITS-1:0] matrix_bank;
    always_ff @(posedge clock) begin
      if (matrix_valid[k]) matrix_bank <= matrix_at[LINE_BITS-3-:BANK_BITS];
    end

    logic [LINE-1:0] data[0:BANKS-1];
    for (genvar b = 0; b < BANKS; b++) begin : g_bank
      weft_bank #(
          .WIDTH(LINE),
          .DEPTH(1 << ROW_BITS)
      ) ram (
          .clock(clock),
          .write(write_select[b]),
          .load(load_select[b]),
          .fill(fill_select[b]),
          .read(read_select[b]),
          .matrix(matrix_select[b]),
          .store(store_select[b]),
          .load_half(load_half),
          .load_address(load_at[ROW_BITS-1:0]),
          .load_strobe(load_strobe),
          .load_data(load_data),
          .fill_address(fill_line[2+:ROW_BITS]),
          .fill_strobe(fill_strobe),
          .fill_value(fill_value),
          .matrix_address(matrix_at[ROW_BITS-1:0]),
          .vector_address(vector_line[2+:ROW_BITS]),
          .vector_data(vector_write_data),
          .store_address(store_at[ROW_BITS-1:0]),
          .read_data(data[b])
      );
    end
    assign matrix_read_data[k*LINE+:LINE] = data[matrix_bank];
    assign vector_data[k] = data[vector_bank];
    assign store_data[k] = data[store_sub == k ? store_bank[BANK_BITS-1:0] : store_bank[2*BANK_BITS-1:BANK_BITS]];
  end

  logic [1:0] store_sub_next;
  assign store_sub_next = store_sub + 2'd1;
  assign vector_read_data = vector_data[vector_sub];
  assign store_read_data = {store_data[store_sub_next], store_data[store_sub]};
endmodule
