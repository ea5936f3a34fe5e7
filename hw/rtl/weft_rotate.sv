// The rotate of an unaligned read: BYTES consecutive bytes out of two lines, from byte `offset` of the
// first line on. Combinational. `lines` holds the first line in its low half. When `enable` is 0 the
// result is undefined, and in simulation such a cycle costs one test.
module weft_rotate #(
    parameter integer BYTES = 16  // a power of two
) (
    input  logic                     enable,
    input  logic [16*BYTES-1:0]      lines,
    input  logic [$clog2(BYTES)-1:0] offset,
    output logic [8*BYTES-1:0]       result
);
  localparam integer BITS = $clog2(BYTES);

  // Whole words first, then a word each by what is left of the offset.
  // verilator lint_off UNUSEDSIGNAL
  logic [16*BYTES-1:0] moved;  // the upper part is what was not selected
  // verilator lint_on UNUSEDSIGNAL

  always_comb begin
    moved = lines;
    if (enable) begin
      for (integer s = BITS - 1; s >= 2; s = s - 1) moved = offset[s] ? moved >> (8 << s) : moved;
      for (integer w = 0; w < BYTES / 4; w = w + 1) result[32*w+:32] = 32'(moved[32*w+:64] >> {offset[1:0], 3'b000});
    end else begin
      result = {8 * BYTES{1'bx}};
    end
  end
endmodule
