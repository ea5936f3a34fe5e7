// WGT or PAR: written two neighbouring lines at a time, read one or two.
//
// For simulation alone, in place of hw/rtl/weft_line_pairs.sv, whose interface and timing it has: one array instead of banks, so that a cycle costs
// what is read and written in it. Who owns which bank is not checked here. hw/tb/CMakeLists.txt says which libraries of the RTL have it;
// the tests cosim_banks_* hold the machine with its banks against the same simulator.
module weft_line_pairs #(
    parameter LINE = 128,  // bits of a line
    parameter LINES = 1024,
    // verilator lint_off UNUSEDPARAM
    parameter BANKS = 8,
    // verilator lint_on UNUSEDPARAM
    parameter LINE_BITS = $clog2(LINES)
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
  logic [LINE-1:0] memory[0:LINES-1];

  logic [LINE_BITS-1:0] load_next;
  assign load_next = load_line + 1'b1;

  // Reads and writes stand apart: see weft_act.sv beside this file.
  always_ff @(posedge clock) begin
    if (read_valid[0]) read_data[0+:LINE] <= memory[{read_line, 1'b0}];
    if (read_valid[1]) read_data[LINE+:LINE] <= memory[{read_line, 1'b1}];
  end
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clock) begin
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
