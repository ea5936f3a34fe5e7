// Every counter of isa/counters.def, indexed by weft_config_pkg::COUNTER_*. Where the configuration has no counters there is
// that of cycles alone, and all others read 0.
//
// While `run` is 1 a counter goes up by one in each cycle with its bit of `increment`; `cycles` does
// so in every running cycle. Bytes and beats go up at a grant (a bit for each master: 0 fetch, 1
// store, 2 load) by granted_bytes and granted_beats. The bits of `increment` for these seven are
// ignored. `cycles` is the number of running cycles since `clear`, before this one.
// A read asked for in T (read) has its value on read_data in T+1: what the counter held at the
// beginning of T, exact also while the machine runs; an index past the last one reads 0.
// clear and reset: all 0.
module weft_counters #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG
) (
    input  logic                                 clock,
    input  logic                                 reset,
    input  logic                                 clear,
    input  logic                                 run,
    // verilator lint_off UNUSEDSIGNAL
    input  logic [weft_config_pkg::COUNTERS-1:0] increment,  // without counters nobody counts these
    input  logic [                          2:0] grant,
    input  logic [                         10:0] granted_bytes,
    input  logic [                          8:0] granted_beats,
    // verilator lint_on UNUSEDSIGNAL
    output logic [                         63:0] cycles,
    input  logic                                 read,
    input  logic [                          5:0] read_index,
    output logic [                         63:0] read_data
);
  logic zero;
  assign zero = reset || clear;

  always_ff @(posedge clock) begin
    if (zero) cycles <= 64'd0;
    else if (run) cycles <= cycles + 64'd1;
  end

  generate
    if (CONFIG[weft_config_pkg::AT_PERFORMANCE_COUNTERS+:32] != 0) begin : g_all
      weft_event_counters event_counters (
          .clock(clock),
          .zero(zero),
          .run(run),
          .increment(increment),
          .grant(grant),
          .granted_bytes(granted_bytes),
          .granted_beats(granted_beats),
          .cycles(cycles),
          .read(read),
          .read_index(read_index),
          .read_data(read_data)
      );
    end else begin : g_cycles
      always_ff @(posedge clock) begin
        if (read) read_data <= {26'd0, read_index} == weft_config_pkg::COUNTER_CYCLES ? cycles : 64'd0;
      end
    end
  endgenerate
endmodule
