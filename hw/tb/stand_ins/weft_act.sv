// ACT: activations.
//
// For simulation alone, in place of hw/rtl/weft_act.sv, whose interface and timing it has: one array instead of banks, so that a cycle costs
// what is read and written in it. Who owns which bank is not checked here. hw/tb/CMakeLists.txt says which libraries of the RTL have it;
// the tests cosim_banks_* hold the machine with its banks against the same simulator.
module weft_act #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,
    parameter LINE = 8 * CONFIG[weft_config_pkg::AT_BLOCK+:32],
    parameter LINES = CONFIG[weft_config_pkg::AT_ACT_BYTES+:32] / CONFIG[weft_config_pkg::AT_BLOCK+:32],
    parameter LINE_BITS = $clog2(LINES)
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
  logic [LINE-1:0] memory[0:LINES-1];

  logic [LINE_BITS-1:0] load_next;
  logic [LINE_BITS-1:0] store_next;
  assign load_next = load_line + 1'b1;
  assign store_next = store_line + 1'b1;

  // What matrix and store read in this cycle: as in weft_acc.sv beside this file. Vector may write a line in the cycle after it has read it: its
  // line waits.
  logic [3:0] matrix_now;
  logic [4*(LINE_BITS-2)-1:0] matrix_line_now;
  logic [1:0] store_now;
  logic [LINE_BITS-1:0] store_line_now;
  logic [LINE_BITS-1:0] store_next_now;
  logic [LINE-1:0] vector_data;
  if (CONFIG[weft_config_pkg::AT_DEEP_PIPELINE+:32] != 0) begin : g_deep
    always_ff @(posedge clock) begin : matrix_late
      matrix_now <= matrix_valid;
      if (matrix_valid != 0) matrix_line_now <= matrix_line;
    end
    always_ff @(posedge clock) begin : store_late
      store_now <= store_valid;
      if (store_valid != 0) begin
        store_line_now <= store_line;
        store_next_now <= store_next;
      end
    end
    always_ff @(posedge clock) begin : vector_late
      vector_read_data <= vector_data;
    end
  end else begin : g_shallow
    assign matrix_now = matrix_valid;
    assign matrix_line_now = matrix_line;
    assign store_now = store_valid;
    assign store_line_now = store_line;
    assign store_next_now = store_next;
    assign vector_read_data = vector_data;
  end

  // Reads and writes stand apart, so that a simulator may do each when what it needs is there: nothing reads a line in the cycle in
  // which it is written.
  always_ff @(posedge clock) begin
    for (int k = 0; k < 4; k++) begin
      if (matrix_now[k]) begin
        matrix_read_data[k*LINE+:LINE] <= memory[{matrix_line_now[k*(LINE_BITS-2)+:LINE_BITS-2], k[1:0]}];
      end
    end
  end
  always_ff @(posedge clock) begin
    if (vector_valid && !vector_write) vector_data <= memory[vector_line];
  end
  always_ff @(posedge clock) begin
    if (store_now[0]) store_read_data[0+:LINE] <= memory[store_line_now];
    if (store_now[1]) store_read_data[LINE+:LINE] <= memory[store_next_now];
  end

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clock) begin
    if (vector_valid && vector_write) memory[vector_line] = vector_write_data;
    if (fill_valid) begin
      for (int i = 0; i < LINE / 8; i++) begin
        if (fill_strobe[i]) memory[fill_line][i*8+:8] = fill_value;
      end
    end
    if (load_valid) begin
      if (load_strobe[0+:LINE/8] != 0) begin
        for (int i = 0; i < LINE / 8; i++) begin
          if (load_strobe[i]) memory[load_line][i*8+:8] = load_data[i*8+:8];
        end
      end
      if (load_strobe[LINE/8+:LINE/8] != 0) begin
        for (int i = 0; i < LINE / 8; i++) begin
          if (load_strobe[LINE/8+i]) memory[load_next][i*8+:8] = load_data[LINE+i*8+:8];
        end
      end
    end
  end
  /* verilator lint_on BLKSEQ */
endmodule
