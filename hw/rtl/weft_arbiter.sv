// The memory port: at most one burst is granted in a cycle, fetch before store before load.
//
// request, grant and lost have a bit for each master: 0 fetch, 1 store, 2 load. All combinational:
// memory_valid and memory_master show the request that is first; it is granted in a cycle with
// memory_ready. `lost` are the requests that are not granted. The clock serves the assertion alone.
module weft_arbiter (
    input  logic       clock,
    input  logic [2:0] request,
    input  logic       memory_ready,
    output logic       memory_valid,
    output logic [1:0] memory_master,
    output logic [2:0] grant,
    output logic [2:0] lost
);
  logic [2:0] first;

  assign first[0] = request[0];
  assign first[1] = request[1] && !request[0];
  assign first[2] = request[2] && !request[1] && !request[0];

  assign memory_valid = request != 0;
  assign memory_master = {first[2], first[1]};
  assign grant = memory_ready ? first : 3'b000;
  assign lost = request & ~grant;

`ifndef SYNTHESIS
  always_ff @(posedge clock) begin : one_grant
    if ((grant & (grant - 3'd1)) !== 3'd0) $error("weft_arbiter: two grants in a cycle");
  end
`else
  // verilator lint_off UNUSEDSIGNAL
  logic unused;  // synthesis drops the assertion and with it the clock
  // verilator lint_on UNUSEDSIGNAL
  assign unused = clock;
`endif
endmodule
