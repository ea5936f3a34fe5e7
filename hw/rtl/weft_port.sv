// The memory port: who may send a burst in this cycle, and what stands on the port then.
//
// Interface: the three masters fetch, store and load, in this order in request, grant and lost; the address of fetch is an offset
// into region 0, whose base is a multiple of 1024, the others have their base; bytes and beats are those of the burst. Nothing is on the port while no run
// is on; what is granted then goes to masters in reset.
// Timing: combinational; the clock serves an assertion of weft_arbiter.
// Reset: none.
module weft_port #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,
    parameter BURST_BITS = $clog2(CONFIG[weft_config_pkg::AT_MEMORY_BURST+:32]) + 1
) (
    input  logic clock,
    input  logic running,
    input  logic [53:0] fetch_base,  // in units of 1024 bytes
    input  logic [2:0] request,
    output logic [2:0] grant,
    output logic [2:0] lost,
    // verilator lint_off UNUSEDSIGNAL
    // A burst has at most 256 beats, which fit 9 bits; its bytes may need 11.
    input  logic [49:0] fetch_address,
    input  logic [BURST_BITS-1:0] fetch_bytes,
    input  logic [BURST_BITS-1:0] fetch_beats,
    input  logic [63:0] store_address,
    input  logic [BURST_BITS-1:0] store_bytes,
    input  logic [BURST_BITS-1:0] store_beats,
    input  logic [63:0] load_address,
    input  logic [BURST_BITS-1:0] load_bytes,
    input  logic [BURST_BITS-1:0] load_beats,
    // verilator lint_on UNUSEDSIGNAL
    output logic memory_valid,
    input  logic memory_ready,
    output logic [1:0] memory_master,
    output logic [63:0] memory_address,
    output logic [10:0] memory_bytes,
    output logic [8:0] memory_beats
);
  logic requested;
  assign memory_valid = running && requested;
  weft_arbiter arbiter (
      .clock(clock),
      .request(request),
      .memory_ready(memory_ready),
      .memory_valid(requested),
      .memory_master(memory_master),
      .grant(grant),
      .lost(lost)
  );
  always_comb begin
    memory_address = {fetch_base + {14'd0, fetch_address[49:10]}, fetch_address[9:0]};
    memory_bytes = 11'(fetch_bytes);
    memory_beats = 9'(fetch_beats);
    if (memory_master == 2'd1) begin
      memory_address = store_address;
      memory_bytes = 11'(store_bytes);
      memory_beats = 9'(store_beats);
    end else if (memory_master == 2'd2) begin
      memory_address = load_address;
      memory_bytes = 11'(load_bytes);
      memory_beats = 9'(load_beats);
    end
  end
endmodule
