// Memory with one read port and one write port on the same clock.
//
// A read issued in T (read_enable) has its data on read_data in T+1, where they stay until the next
// read. What is written in T is read by a read issued in T+1 or later; a read and a write of one
// address in the same cycle are not allowed: the data are undefined in hardware, and an assertion
// says so. No reset: content and read_data are undefined at first.
module weft_ram_2 #(
    parameter integer WIDTH = 64,
    parameter integer DEPTH = 256
) (
    input  logic                     clock,
    input  logic                     read_enable,
    input  logic [$clog2(DEPTH)-1:0] read_address,
    output logic [WIDTH-1:0]         read_data,
    input  logic                     write_enable,
    input  logic [$clog2(DEPTH)-1:0] write_address,
    input  logic [WIDTH-1:0]         write_data
);
  (* no_rw_check *)  // synthesis need not care what a read and a write of one address would give
  logic [WIDTH-1:0] memory[0:DEPTH-1];

  // Blocking, after the only place that reads: see weft_ram.
  // verilator lint_off BLKSEQ
  always_ff @(posedge clock) begin
    if (read_enable) read_data <= memory[read_address];
    if (write_enable) memory[write_address] = write_data;
  end
  // verilator lint_on BLKSEQ

`ifndef SYNTHESIS
  always_ff @(posedge clock) begin : collision
    if ((read_enable && write_enable && read_address == write_address) !== 1'b0)
      $error("weft_ram_2: address %0d is read and written at once", read_address);
  end
`endif
endmodule
