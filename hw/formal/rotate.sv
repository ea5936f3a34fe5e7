// weft_rotate: byte i of the result is byte offset + i of the two lines, for every offset and content.
//
// modules weft_rotate
// parameter BYTES 8 16 32
// mutation weft_rotate: s/{offset\[1:0\], 3'b000}/{offset[1:0], 2'b00}/
// mutation weft_rotate: s/moved >> (8/moved << (8/
// mutation weft_rotate: s/offset\[s\] ?/offset[s] ^ (offset == 5) ?/
module proof #(
    parameter integer BYTES = 8
) (
    input logic [16*BYTES-1:0] lines,
    input logic [$clog2(BYTES)-1:0] offset
);
  logic [8*BYTES-1:0] result;
  weft_rotate #(.BYTES(BYTES)) dut (.enable(1'b1), .lines(lines), .offset(offset), .result(result));

  // One assertion for each offset, so that each selection is a constant.
  generate
    for (genvar o = 0; o < BYTES; o = o + 1) begin : g_offset
      always_comb begin
        if (offset == o) assert (result == lines[8*o+:8*BYTES]);
      end
    end
  endgenerate
endmodule
