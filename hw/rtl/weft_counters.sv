// Every counter of isa/counters.def, indexed by weft_config_pkg::COUNTER_*.
//
// While `run` is 1 a counter goes up by one in each cycle with its bit of `increment`; `cycles` does
// so in every running cycle. Bytes and beats go up at a grant (a bit for each master: 0 fetch, 1
// store, 2 load) by granted_bytes and granted_beats. The bits of `increment` for these seven are
// ignored. `cycles` is the number of running cycles since `clear`, before this one.
// A read asked for in T (read) has its value on read_data in T+1: what the counter held at the
// beginning of T, exact also while the machine runs; an index past the last one reads 0.
// clear and reset: all 0.
//
// The counters of events are split. Their low 6 bits are planes: bit k of all counters is one vector,
// so that a cycle is a few operations on vectors in simulation and no carry chain in hardware. A
// counter whose low bits wrap becomes `pending`; a pointer walks along the counters and adds one to the
// high part of a pending one, in a small memory. It is back before the low bits wrap again: there are
// fewer counters than 2^6 cycles.
module weft_counters (
    input  logic                                 clock,
    input  logic                                 reset,
    input  logic                                 clear,
    input  logic                                 run,
    input  logic [weft_config_pkg::COUNTERS-1:0] increment,
    input  logic [                          2:0] grant,
    input  logic [                         10:0] granted_bytes,
    input  logic [                          8:0] granted_beats,
    output logic [                         63:0] cycles,
    input  logic                                 read,
    input  logic [                          5:0] read_index,
    output logic [                         63:0] read_data
);
  localparam integer COUNTERS = weft_config_pkg::COUNTERS;
  localparam [5:0] LAST = weft_config_pkg::COUNTERS[5:0] - 6'd1;
  localparam integer LOW = 6;
  localparam [COUNTERS-1:0] ONE = 1;
  localparam [COUNTERS-1:0] NO_EVENTS = ONE << weft_config_pkg::COUNTER_CYCLES |
      ONE << weft_config_pkg::COUNTER_FETCH_BYTES | ONE << weft_config_pkg::COUNTER_FETCH_BEATS |
      ONE << weft_config_pkg::COUNTER_STORE_BYTES | ONE << weft_config_pkg::COUNTER_STORE_BEATS |
      ONE << weft_config_pkg::COUNTER_LOAD_BYTES | ONE << weft_config_pkg::COUNTER_LOAD_BEATS;

  logic zero;
  assign zero = reset || clear;

  // Cycles.
  always_ff @(posedge clock) begin
    if (zero) cycles <= 64'd0;
    else if (run) cycles <= cycles + 64'd1;
  end

  // Bytes and beats, by master: the low half at the grant, which comes late in a cycle, and the carry into the other half a cycle later.
  localparam integer HALF = 16;
  logic [63:0] bytes[0:2];
  logic [63:0] beats[0:2];
  logic [2:0] carry_bytes, carry_beats;
  generate
    for (genvar m = 0; m < 3; m = m + 1) begin : g_master
      always_ff @(posedge clock) begin
        if (zero) begin
          bytes[m] <= 64'd0;
          beats[m] <= 64'd0;
          carry_bytes[m] <= 1'b0;
          carry_beats[m] <= 1'b0;
        end else begin
          if (run && grant[m]) begin
            {carry_bytes[m], bytes[m][HALF-1:0]} <= {1'b0, bytes[m][HALF-1:0]} + {6'd0, granted_bytes};
            {carry_beats[m], beats[m][HALF-1:0]} <= {1'b0, beats[m][HALF-1:0]} + {8'd0, granted_beats};
          end else begin
            carry_bytes[m] <= 1'b0;
            carry_beats[m] <= 1'b0;
          end
          if (carry_bytes[m]) bytes[m][63:HALF] <= bytes[m][63:HALF] + 1'b1;
          if (carry_beats[m]) beats[m][63:HALF] <= beats[m][63:HALF] + 1'b1;
        end
      end
    end
  endgenerate

  // Low bits of the events.
  logic [COUNTERS-1:0] wraps;
  logic [LOW-1:0] low_read;  // of the counter at read_index
  generate
    for (genvar k = 0; k < LOW; k = k + 1) begin : g_plane
      logic [COUNTERS-1:0] carry;
      logic [COUNTERS-1:0] plane;
      if (k == 0) begin : g_first
        assign carry = run ? increment & ~NO_EVENTS : {COUNTERS{1'b0}};
      end else begin : g_next
        assign carry = g_plane[k-1].carry & g_plane[k-1].plane;
      end
      always_ff @(posedge clock) begin
        if (zero) plane <= {COUNTERS{1'b0}};
        else plane <= plane ^ carry;
      end
      assign low_read[k] = read && plane[read_index];
    end
  endgenerate
  assign wraps = g_plane[LOW-1].carry & g_plane[LOW-1].plane;

  // High bits.
  logic [63-LOW:0] high[0:COUNTERS-1];
  logic [COUNTERS-1:0] written;  // not written since the clear: 0
  logic [COUNTERS-1:0] pending;
  logic [5:0] pointer;
  always_ff @(posedge clock) begin
    if (zero) begin
      written <= {COUNTERS{1'b0}};
      pending <= {COUNTERS{1'b0}};
      pointer <= 6'd0;
    end else if (pending != 0 || wraps != 0) begin
      pending <= pending | wraps;
      pointer <= pointer == LAST ? 6'd0 : pointer + 6'd1;
      if (pending[pointer]) begin
        if (!wraps[pointer]) pending[pointer] <= 1'b0;
        high[pointer] <= written[pointer] ? high[pointer] + 1'b1 : {{63 - LOW{1'b0}}, 1'b1};
        written[pointer] <= 1'b1;
      end
    end
  end

  // Read: the index chooses, then a carry that is still on its way is added.
  logic [63-LOW:0] high_read;
  logic [63:0] read_value;
  logic event_carry, half_carry;
  always_comb begin
    high_read = {64 - LOW{1'b0}};
    if (read && written[read_index]) high_read = high[read_index];
    read_value = 64'd0;
    event_carry = 1'b0;
    half_carry = 1'b0;
    if (read) begin
      case ({26'd0, read_index})
        weft_config_pkg::COUNTER_CYCLES: read_value = cycles;
        weft_config_pkg::COUNTER_FETCH_BYTES: {half_carry, read_value} = {carry_bytes[0], bytes[0]};
        weft_config_pkg::COUNTER_STORE_BYTES: {half_carry, read_value} = {carry_bytes[1], bytes[1]};
        weft_config_pkg::COUNTER_LOAD_BYTES: {half_carry, read_value} = {carry_bytes[2], bytes[2]};
        weft_config_pkg::COUNTER_FETCH_BEATS: {half_carry, read_value} = {carry_beats[0], beats[0]};
        weft_config_pkg::COUNTER_STORE_BEATS: {half_carry, read_value} = {carry_beats[1], beats[1]};
        weft_config_pkg::COUNTER_LOAD_BEATS: {half_carry, read_value} = {carry_beats[2], beats[2]};
        default: if (read_index <= LAST) {event_carry, read_value} = {pending[read_index], high_read, low_read};
      endcase
    end
  end
  always_ff @(posedge clock) begin
    if (read) begin
      read_data[LOW-1:0] <= read_value[LOW-1:0];
      read_data[63:LOW] <= read_value[63:LOW] + {{63 - HALF{1'b0}}, half_carry, {HALF - LOW{1'b0}}} + {{63 - LOW{1'b0}}, event_carry};
    end
  end
endmodule
