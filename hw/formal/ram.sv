// weft_ram: a read gives what was written last, byte by byte, and only reads change read_data, on both ports. Induction over a
// second memory; bytes that were never written are not compared.
//
// modules weft_ram
// parameter STROBES 0 1
// mutation weft_ram: s/enable \&\& !write) read/enable) read/
// mutation weft_ram: s/enable \&\& write) begin/enable) begin/
// mutation weft_ram: s/other_data <= memory\[other_address\]/other_data <= memory[address]/
// mutation weft_ram: s/if (other_enable) other_data/other_data/
// mutation weft_ram: s/if (strobe\[i\])/if (strobe[0])/
// mutation weft_ram: s/if (strobe\[i\])//
module proof #(
    parameter integer STROBES = 1
) (
    input logic clock,
    input logic enable,
    input logic write,
    input logic [1:0] strobe,
    input logic [1:0] address,
    input logic [15:0] write_data,
    input logic other_enable,
    input logic [1:0] other_address
);
  logic [15:0] read_data, other_data;
  weft_ram #(.WIDTH(16), .DEPTH(4), .STROBES(STROBES)) dut (.*);
  (* hierconn *) wire [15:0] \dut.memory[0] , \dut.memory[1] , \dut.memory[2] , \dut.memory[3] ;
  logic [63:0] memory;
  assign memory = {\dut.memory[3] , \dut.memory[2] , \dut.memory[1] , \dut.memory[0] };

  logic [63:0] content;
  logic [7:0] written = 8'd0;  // bytes
  logic [15:0] expected, other_expected;
  logic [1:0] known = 2'd0, other_known = 2'd0;  // bytes of what is expected
  always_ff @(posedge clock) begin
    if (enable && write) begin
      for (integer i = 0; i < 2; i = i + 1) begin
        if (strobe[i] || STROBES == 0) begin
          content[16*address+8*i+:8] <= write_data[8*i+:8];
          written[2*address+i] <= 1'b1;
        end
      end
    end
    if (enable && !write) begin
      expected <= content[16*address+:16];
      known <= written[2*address+:2];
    end
    if (other_enable) begin
      other_expected <= content[16*other_address+:16];
      other_known <= written[2*other_address+:2];
    end
  end

  always_comb begin
    assume (!(enable && write && other_enable));
    for (integer i = 0; i < 8; i = i + 1) begin
      if (written[i]) assert (memory[8*i+:8] == content[8*i+:8]);
    end
    for (integer i = 0; i < 2; i = i + 1) begin
      if (known[i]) assert (read_data[8*i+:8] == expected[8*i+:8]);
      if (other_known[i]) assert (other_data[8*i+:8] == other_expected[8*i+:8]);
    end
  end
endmodule
