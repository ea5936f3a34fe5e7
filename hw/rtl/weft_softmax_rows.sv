// One of SOFTMAX's three ways through the rows of its operand: which vector is read, and when.
//
// `start` in T takes the fields of the instruction, from T+1 on groups are counted: `next_group` is high in the last cycle of each. The first
// row begins with group `delay` and each has `period` groups, at least as many as vectors; what is over passes without work. A vector is
// read in the cycle of its group in which `now` is high: then `read` is, `line` is its address, and `first` and `last` tell of its place in
// its row. `ended`: no vector is left.
// No reset: everything is undefined until the first start.
module weft_softmax_rows #(
    parameter integer ACT_LINE_BITS = 14
) (
    input  logic                     clock,
    input  logic                     start,
    input  logic [             17:0] base,
    input  logic [             35:0] counts,
    input  logic [             53:0] strides,
    input  logic [             13:0] delay,
    input  logic [             11:0] period,
    input  logic                     now,
    input  logic                     next_group,
    output logic                     read,
    output logic [ACT_LINE_BITS-1:0] line,
    output logic                     first,
    output logic                     last,
    output logic                     ended
);
  logic [13:0] waits;  // groups until the first row begins
  logic [11:0] group, groups, vectors;  // of a row: begun, from 1; in all; those with a vector
  logic reading;  // a vector of the row is left in this group or after it
  logic rows_end;
  // verilator lint_off UNUSEDSIGNAL
  logic unused;  // vectors are counted here, which a short row goes on after
  // verilator lint_on UNUSEDSIGNAL

  assign read = now && waits == 14'd0 && reading && !ended;
  assign first = group == 12'd1;
  assign last = group == vectors;

  weft_vector_walk #(
      .BITS(ACT_LINE_BITS)
  ) walk (
      .clock(clock),
      .start(start),
      .base(base),
      .counts(counts),
      .strides(strides),
      .step(read),
      .line(line),
      .block_end(unused),
      .last(rows_end)
  );

  always_ff @(posedge clock) begin : rows
    if (read && rows_end) ended <= 1'b1;
    if (next_group) begin
      if (waits != 14'd0) begin
        waits <= waits - 14'd1;
      end else if (group == groups) begin
        group <= 12'd1;
        reading <= 1'b1;
      end else begin
        group <= group + 12'd1;
        if (last) reading <= 1'b0;
      end
    end
    if (start) begin
      waits <= delay;
      group <= 12'd1;
      groups <= period;
      vectors <= counts[35:24];
      reading <= 1'b1;
      ended <= 1'b0;
    end
  end
endmodule
