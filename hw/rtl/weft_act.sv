// ACT: activations, RAMS RAMs of four line-interleaved sub-banks. Line n lies in sub-bank n % 4. A RAM holds neighbouring banks.
//
// Interface: five masters, each with banks of its own (isa/instructions.def, act_banks), and in a RAM one of them at a time reads and
// one writes (docs/timing.md). Load writes two neighbouring lines with byte strobes, fill one line; matrix reads one line of each
// sub-bank; vector reads or writes one line; store reads two neighbouring lines.
// Timing: data of a read of cycle T are on the read_data of its master in T+1, with `deep_pipeline` in T+2, behind a register.
// Reset: none.
module weft_act #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,
    parameter LINE = 8 * CONFIG[weft_config_pkg::AT_BLOCK+:32],
    parameter LINES = CONFIG[weft_config_pkg::AT_ACT_BYTES+:32] / CONFIG[weft_config_pkg::AT_BLOCK+:32],
    parameter LINE_BITS = $clog2(LINES),
    parameter RAMS = CONFIG[weft_config_pkg::AT_ACT_RAMS+:32],
    parameter RAM_BITS = RAMS > 1 ? $clog2(RAMS) : 1,
    parameter ROW_BITS = LINE_BITS - 2 - $clog2(RAMS)
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

  // Which sub-bank and RAM were read last, for the choice of the data.
  localparam DEEP = CONFIG[weft_config_pkg::AT_DEEP_PIPELINE+:32] != 0;
  logic [1:0] vector_sub, vector_sub_read;
  logic [RAM_BITS-1:0] vector_ram, vector_ram_read;
  logic [1:0] store_sub, store_sub_read;
  logic [2*RAM_BITS-1:0] store_ram, store_ram_read;
  always_ff @(posedge clock) begin
    if (vector_valid && !vector_write) begin
      vector_sub_read <= vector_line[1:0];
      vector_ram_read <= RAM_BITS'(vector_line >> (ROW_BITS + 2));
    end
    if (store_valid != 0) begin
      store_sub_read <= store_line[1:0];
      store_ram_read <= {RAM_BITS'(store_next >> (ROW_BITS + 2)), RAM_BITS'(store_line >> (ROW_BITS + 2))};
    end
  end

  if (DEEP) begin : g_deep
    always_ff @(posedge clock) begin : choices
      vector_sub <= vector_sub_read;
      vector_ram <= vector_ram_read;
      store_sub <= store_sub_read;
      store_ram <= store_ram_read;
    end
  end else begin : g_shallow
    assign vector_sub = vector_sub_read;
    assign vector_ram = vector_ram_read;
    assign store_sub = store_sub_read;
    assign store_ram = store_ram_read;
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

    // One bit for each RAM: which master uses it, whether it is written, whether it is read.
    logic [RAMS-1:0] load_select;
    logic [RAMS-1:0] fill_select;
    logic [RAMS-1:0] matrix_select;
    logic [RAMS-1:0] vector_select;
    logic [RAMS-1:0] store_select;
    logic [RAMS-1:0] write_select;
    logic [RAMS-1:0] read_select;
    localparam [RAMS-1:0] ONE = 1;
    always_comb begin
      load_select = 0;
      fill_select = 0;
      matrix_select = 0;
      vector_select = 0;
      store_select = 0;
      if (load_here) load_select = ONE << RAM_BITS'(load_at >> ROW_BITS);
      if (fill_here) fill_select = ONE << RAM_BITS'(fill_line >> (ROW_BITS + 2));
      if (matrix_valid[k]) matrix_select = ONE << RAM_BITS'(matrix_at >> ROW_BITS);
      if (vector_here) vector_select = ONE << RAM_BITS'(vector_line >> (ROW_BITS + 2));
      if (store_here) store_select = ONE << RAM_BITS'(store_at >> ROW_BITS);
      write_select = load_select | fill_select;
      read_select = matrix_select | store_select;
      if (vector_write) write_select = write_select | vector_select;
      else read_select = read_select | vector_select;
    end
`ifndef SYNTHESIS
    always_ff @(posedge clock) begin : one_master
      if (((load_select & fill_select) | (vector_write ? (load_select | fill_select) & vector_select : '0)) != 0)
        $error("a RAM of ACT is written by two masters in one cycle");
      if (((matrix_select & store_select) | (vector_write ? '0 : (matrix_select | store_select) & vector_select)) != 0)
        $error("a RAM of ACT is read by two masters in one cycle");
    end
`endif

    logic [RAM_BITS-1:0] matrix_ram, matrix_ram_read;
    always_ff @(posedge clock) begin
      if (matrix_valid[k]) matrix_ram_read <= RAM_BITS'(matrix_at >> ROW_BITS);
    end

    logic [LINE-1:0] read[0:RAMS-1];
    logic [LINE-1:0] data[0:RAMS-1];
    if (DEEP) begin : g_deep  // the way out of a block RAM takes half a cycle
      always_ff @(posedge clock) begin : registers
        for (int b = 0; b < RAMS; b++) data[b] <= read[b];
        matrix_ram <= matrix_ram_read;
      end
    end else begin : g_shallow
      for (genvar b = 0; b < RAMS; b++) begin : g_data
        assign data[b] = read[b];
      end
      assign matrix_ram = matrix_ram_read;
    end
    for (genvar b = 0; b < RAMS; b++) begin : g_ram
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
          .read_data(read[b])
      );
    end
    assign matrix_read_data[k*LINE+:LINE] = data[matrix_ram];
    assign vector_data[k] = data[vector_ram];
    assign store_data[k] = data[store_sub == k ? store_ram[RAM_BITS-1:0] : store_ram[2*RAM_BITS-1:RAM_BITS]];
  end

  logic [1:0] store_sub_next;
  assign store_sub_next = store_sub + 2'd1;
  assign vector_read_data = vector_data[vector_sub];
  assign store_read_data = {store_data[store_sub_next], store_data[store_sub]};
endmodule
