// Writes what load brings: a beat that is on the port in R is written to its memory in R+LOAD_WRITE; a line of FILL in the
// cycle in which weft_load names it.
//
// Interface: a beat with the local address of its byte 0, its strobes and its memory; out come two neighbouring lines of that memory.
// Timing: one register between the port and the memories.
// Reset: synchronous; no write pending.
module weft_load_write #(
    parameter BLOCK = weft_config_pkg::BLOCK,
    parameter WIDTH = weft_config_pkg::MEMORY_WIDTH,
    parameter BLOCK_BITS = $clog2(BLOCK)
) (
    input  logic clock,
    input  logic reset,
    input  logic beat,
    input  logic [8*WIDTH-1:0] beat_data,
    input  logic [23:0] beat_local,
    input  logic [WIDTH-1:0] beat_strobe,
    input  logic [1:0] beat_memory,
    output logic [3:0] write_valid,  // by memory: ACT, WGT, PAR, LUT
    output logic [23-BLOCK_BITS:0] write_line,  // of the lower half
    output logic [2*BLOCK-1:0] write_strobe,
    output logic [16*BLOCK-1:0] write_data,
    input  logic [23:0] fill_local,
    input  logic [BLOCK_BITS:0] fill_bytes,
    output logic [23-BLOCK_BITS:0] fill_line,
    output logic [BLOCK-1:0] fill_strobe
);
  logic [BLOCK_BITS-1:0] offset;
  assign offset = beat_local[BLOCK_BITS-1:0];

  always_ff @(posedge clock) begin
    if (reset) begin
      write_valid <= 4'd0;
    end else begin
      write_valid <= beat ? 4'd1 << beat_memory : 4'd0;
    end
    if (beat) begin
      write_line <= beat_local[23:BLOCK_BITS];
      write_strobe <= {{2 * BLOCK - WIDTH{1'b0}}, beat_strobe} << offset;
      write_data <= {{16 * BLOCK - 8 * WIDTH{1'b0}}, beat_data} << {offset, 3'b000};
    end
  end

  assign fill_line = fill_local[23:BLOCK_BITS];
  assign fill_strobe = ~({BLOCK{1'b1}} << fill_bytes) << fill_local[BLOCK_BITS-1:0];
endmodule
