// weft_arbiter: at most one grant, by priority, none without a request, none without memory_ready,
// and every request that is not granted is lost. Combinational: true for all inputs.
//
// modules weft_arbiter
// mutation weft_arbiter: s/request\[2\] \&\& !request\[1\]/request[2]/
// mutation weft_arbiter: s/memory_ready ? first/1'b1 ? first/
// mutation weft_arbiter: s/request \& ~grant/request \& ~first/
// mutation weft_arbiter: s/{first\[2\], first\[1\]}/{first[1], first[2]}/
module proof (
    input logic clock,
    input logic [2:0] request,
    input logic memory_ready
);
  logic memory_valid;
  logic [1:0] memory_master;
  logic [2:0] grant;
  logic [2:0] lost;
  weft_arbiter dut (.*);

  always_comb begin
    assert ($countones(grant) <= 1);
    assert ((grant & ~request) == 0);
    assert (memory_ready || grant == 0);
    assert (memory_valid == (request != 0));
    assert (lost == (request ^ grant));
    if (memory_ready) begin
      assert (grant[0] == request[0]);
      assert (grant[1] == (request[1] && !request[0]));
      assert (grant[2] == (request == 3'b100));
    end
    if (request != 0) begin
      assert (request[memory_master]);
      assert (grant == (memory_ready ? 3'b001 << memory_master : 0));
    end
  end
endmodule
