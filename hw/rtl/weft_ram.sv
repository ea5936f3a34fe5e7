// Memory with a port that reads or writes, and one that reads.
//
// With `enable` in cycle T: a write puts write_data at `address`, a read has its data on read_data in
// T+1, where they stay until the next read. A write leaves read_data alone. With STROBES = 1 a write
// changes only the bytes whose bit in `strobe` is set, with STROBES = 0 all of them.
// With other_enable in T the content of other_address is on other_data in T+1, until the next such read. It never comes with a write.
// No reset: content and what was read are undefined at first.
//
// `memory` is written with a blocking assignment, in a cycle that does not read it, so that a simulator need not keep a line back
// until the end of the cycle. Synthesis infers byte enables from the loop, and no second port where other_enable is always 0.
module weft_ram #(
    parameter integer WIDTH   = 64,  // bits, a multiple of 8
    parameter integer DEPTH   = 256,
    parameter integer STROBES = 1
) (
    input  logic                     clock,
    input  logic                     enable,
    input  logic                     write,
    input  logic [WIDTH/8-1:0]       strobe,
    input  logic [$clog2(DEPTH)-1:0] address,
    input  logic [WIDTH-1:0]         write_data,
    output logic [WIDTH-1:0]         read_data,
    input  logic                     other_enable,
    input  logic [$clog2(DEPTH)-1:0] other_address,
    output logic [WIDTH-1:0]         other_data
);
  (* no_rw_check *)  // synthesis need not care what a read and a write in one cycle would give
  logic [WIDTH-1:0] memory[0:DEPTH-1];

  // verilator lint_off BLKSEQ
  generate
    if (STROBES != 0) begin : g_strobes
      always_ff @(posedge clock) begin
        if (enable && !write) read_data <= memory[address];
        if (other_enable) other_data <= memory[other_address];
        if (enable && write) begin
          for (integer i = 0; i < WIDTH / 8; i = i + 1) begin
            if (strobe[i]) memory[address][8*i+:8] = write_data[8*i+:8];
          end
        end
      end
    end else begin : g_whole
      // verilator lint_off UNUSEDSIGNAL
      logic [WIDTH/8-1:0] unused;  // without strobes the port is there and ignored
      // verilator lint_on UNUSEDSIGNAL
      assign unused = strobe;
      always_ff @(posedge clock) begin
        if (other_enable) other_data <= memory[other_address];
        if (enable) begin
          if (!write) read_data <= memory[address];
          else memory[address] = write_data;
        end
      end
    end
  endgenerate
  // verilator lint_on BLKSEQ

`ifndef SYNTHESIS
  always_ff @(posedge clock) begin : collision
    if ((enable && write && other_enable) !== 1'b0) $error("weft_ram: address %0d is written while it is read", address);
  end
`endif
endmodule
