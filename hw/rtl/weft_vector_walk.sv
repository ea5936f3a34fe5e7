// The addresses of one operand of VECTOR: three loop levels with a stride each.
//
// `start` in T takes the fields of the instruction (level 0, the outermost, in the low bits). `line` is the address of the
// first vector from T+1 on; `step` in a cycle moves it to the next vector in the cycle after. `block_end` says that `line` is
// the last vector of its index of level 0, `last` that it is the last of all; a step from there leads nowhere. Addresses wrap:
// dispatch has checked that they lie inside the memory.
// No reset: everything is undefined until the first start.
module weft_vector_walk #(
    parameter integer BITS = 14  // of an address
) (
    input  logic            clock,
    input  logic            start,
    // verilator lint_off UNUSEDSIGNAL
    input  logic [    17:0] base,       // an address in a smaller memory needs fewer bits
    // verilator lint_on UNUSEDSIGNAL
    input  logic [    35:0] counts,
    input  logic [    53:0] strides,
    input  logic            step,
    output logic [BITS-1:0] line,
    output logic            block_end,
    output logic            last
);
  logic [BITS-1:0] block_line;  // the first vector of this index of level 0
  logic [BITS-1:0] row_line;  // the first vector of this index of level 1
  logic [11:0] c, y, x;  // vectors begun in each level, from 1
  logic [11:0] c_count, y_count, x_count;
  logic [BITS-1:0] c_stride, y_stride, x_stride;
  logic row_end;

  assign row_end = x == x_count;
  assign block_end = row_end && y == y_count;
  assign last = block_end && c == c_count;

  always_ff @(posedge clock) begin : walk
    logic [BITS-1:0] next;
    if (step) begin
      if (!row_end) begin
        line <= line + x_stride;
        x <= x + 12'd1;
      end else begin
        next = row_line + y_stride;
        x <= 12'd1;
        y <= y + 12'd1;
        if (block_end) begin
          next = block_line + c_stride;
          block_line <= next;
          y <= 12'd1;
          c <= c + 12'd1;
        end
        row_line <= next;
        line <= next;
      end
    end
    if (start) begin
      line <= BITS'(base);
      row_line <= BITS'(base);
      block_line <= BITS'(base);
      c <= 12'd1;
      y <= 12'd1;
      x <= 12'd1;
      c_count <= counts[11:0];
      y_count <= counts[23:12];
      x_count <= counts[35:24];
      c_stride <= BITS'($signed(strides[17:0]));
      y_stride <= BITS'($signed(strides[35:18]));
      x_stride <= BITS'($signed(strides[53:36]));
    end
  end
endmodule
