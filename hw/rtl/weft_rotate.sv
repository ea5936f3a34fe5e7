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
  // verilator lint_off UNUSEDSIGNAL
  logic [16*BYTES-1:0] moved;  // the upper half is what was not selected
  // verilator lint_on UNUSEDSIGNAL

  always_comb begin
    if (enable) moved = lines >> {offset, 3'b000};
    else moved = {16 * BYTES{1'bx}};
  end
  assign result = moved[8*BYTES-1:0];
endmodule
