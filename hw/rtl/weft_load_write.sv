// Writes what load brings: a beat that is on the port in R is written to its memory in R+LOAD_WRITE; a line of FILL in the
// cycle in which weft_load names it.
//
// Interface: a beat with the local address of its byte 0, the first and the last of its bytes that are meant, and its memory; out
// come two neighbouring lines of that memory. Bytes without a strobe are any of the beat's.
// Timing: one register between the port and the memories.
// Reset: synchronous; no write pending.
module weft_load_write #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,
    parameter BLOCK = CONFIG[weft_config_pkg::AT_BLOCK+:32],
    parameter WIDTH = CONFIG[weft_config_pkg::AT_MEMORY_WIDTH+:32],
    parameter BLOCK_BITS = $clog2(BLOCK)
) (
    input  logic clock,
    input  logic reset,
    input  logic beat,
    input  logic [8*WIDTH-1:0] beat_data,
    input  logic [23:0] beat_local,
    input  logic [$clog2(WIDTH)-1:0] beat_from,
    input  logic [$clog2(WIDTH)-1:0] beat_to,
    input  logic [1:0] beat_memory,
    input  logic beat_coded,  // others write it
    output logic [3:0] write_valid,  // by memory: ACT, WGT, PAR, LUT
    output logic [23-BLOCK_BITS:0] write_line,  // of the lower half
    output logic [2*BLOCK-1:0] write_strobe,
    output logic [16*BLOCK-1:0] write_data,
    input  logic [23:0] fill_local,
    input  logic [BLOCK_BITS:0] fill_bytes,
    output logic [23-BLOCK_BITS:0] fill_line,
    output logic [BLOCK-1:0] fill_strobe
);
  localparam WIDTH_BITS = $clog2(WIDTH);
  logic [BLOCK_BITS-1:0] offset;
  assign offset = beat_local[BLOCK_BITS-1:0];

  // A byte goes to the place in its line that its local address says, and to all that are a multiple of WIDTH apart.
  logic [WIDTH-1:0] strobe;
  logic [8*WIDTH-1:0] rotated;
  logic [8*WIDTH-1:0] held;
  assign strobe = ({WIDTH{1'b1}} << beat_from) & ~({WIDTH{1'b1}} << beat_to << 1);
  always_comb begin
    for (int i = 0; i < WIDTH; i++) begin
      rotated[8*i+:8] = beat_data[{i[WIDTH_BITS-1:0] - offset[WIDTH_BITS-1:0], 3'b000}+:8];
    end
  end
  always_ff @(posedge clock) begin
    if (reset) begin
      write_valid <= 4'd0;
    end else begin
      write_valid <= beat && !beat_coded ? 4'd1 << beat_memory : 4'd0;
    end
    if (beat) begin
      write_line <= beat_local[23:BLOCK_BITS];
      write_strobe <= {{2 * BLOCK - WIDTH{1'b0}}, strobe} << offset;
      held <= rotated;
    end
  end
  assign write_data = {2 * BLOCK / WIDTH{held}};

  assign fill_line = fill_local[23:BLOCK_BITS];
  assign fill_strobe = ~({BLOCK{1'b1}} << fill_bytes) << fill_local[BLOCK_BITS-1:0];
endmodule
