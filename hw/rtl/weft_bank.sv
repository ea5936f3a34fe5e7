// One RAM of a memory whose banks belong to one unit at a time, with one write and one read port, and in front of each the choice of
// the master that owns it.
//
// Interface: `write` or `read`, and which master asks (`load`, `fill`, else vector; `matrix`, `store`, else vector); the other inputs are
// buses that all banks share. Load and fill write with byte strobes; load brings two halves, `load_half` says which of them this bank takes.
// Timing: what is written in T is read by a read in T+1; `read_data` holds the line read in the cycle before, until the next read.
// Reset: none; the program initialises what it reads.
//
// The choice stands inside the clocked blocks, and not in front of them, so that a simulator does no work for a bank that rests.
module weft_bank #(
    parameter WIDTH = 128,  // bits of a line
    parameter DEPTH = 128,  // lines
    parameter ADDRESS_BITS = $clog2(DEPTH)
) (
    input  logic clock,
    input  logic write,
    input  logic load,
    input  logic fill,
    input  logic read,
    input  logic matrix,
    input  logic store,
    input  logic load_half,
    input  logic [ADDRESS_BITS-1:0] load_address,
    input  logic [WIDTH/4-1:0] load_strobe,
    input  logic [2*WIDTH-1:0] load_data,
    input  logic [ADDRESS_BITS-1:0] fill_address,
    input  logic [WIDTH/8-1:0] fill_strobe,
    input  logic [7:0] fill_value,
    input  logic [ADDRESS_BITS-1:0] matrix_address,
    input  logic [ADDRESS_BITS-1:0] vector_address,
    input  logic [WIDTH-1:0] vector_data,
    input  logic [ADDRESS_BITS-1:0] store_address,
    output logic [WIDTH-1:0] read_data
);
  // No line is read and written in one cycle, since its bank has one owner: synthesis need not care what that would give.
  (* no_rw_check *)
  logic [WIDTH-1:0] memory[0:DEPTH-1];

  logic [ADDRESS_BITS-1:0] read_address;

  // Temporaries of the clocked block: assigned before they are read, never kept from cycle to cycle.
  logic [ADDRESS_BITS-1:0] address;
  logic [WIDTH-1:0] data;
  logic [WIDTH/8-1:0] strobe;

  // The memory itself is written with blocking assignments too: nothing reads a line in the cycle in which it is written, and a
  // simulator need not keep sixteen bytes back until the end of the cycle.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clock) begin
    if (write) begin
      address = load ? load_address : fill ? fill_address : vector_address;
      data = load ? (load_half ? load_data[2*WIDTH-1:WIDTH] : load_data[WIDTH-1:0])
          : fill ? {WIDTH / 8{fill_value}}
          : vector_data;
      strobe = load ? (load_half ? load_strobe[WIDTH/4-1:WIDTH/8] : load_strobe[WIDTH/8-1:0])
          : fill ? fill_strobe
          : {WIDTH / 8{1'b1}};
      for (int i = 0; i < WIDTH / 8; i++) begin
        if (strobe[i]) memory[address][i*8+:8] = data[i*8+:8];
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  always_ff @(posedge clock) begin
    if (read) read_data <= memory[read_address];
  end
  assign read_address = matrix ? matrix_address : store ? store_address : vector_address;

`ifndef SYNTHESIS
  always_ff @(posedge clock) begin : collision
    if (read && write && read_address == (load ? load_address : fill ? fill_address : vector_address))
      $error("line %0d of a RAM is read and written in one cycle", read_address);
  end
`endif
endmodule
