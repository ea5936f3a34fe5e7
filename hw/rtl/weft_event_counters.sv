// The counters of weft_counters, all but that of cycles, which it reads with them.
//
// `zero` in a cycle: all 0 from the next one on. A read is as in weft_counters.
//
// Registers are zeroed a cycle later, as there are hundreds of them, far from where `zero` comes from. Nothing is lost: events are
// counted in the cycle after they happen. A read in between is 0.
// The counters of events are split. Their low 6 bits are planes: bit k of all counters is one vector,
// so that a cycle is a few operations on vectors in simulation and no carry chain in hardware. A
// counter whose low bits wrap becomes `pending`; a pointer walks along the counters, as long as one is, reads the high part of a
// pending one, in a small memory, and adds one to it in the cycle after. It is back before the low bits wrap again: there are
// fewer counters than 2^6 cycles by more than two.
// Reset: `zero`.
module weft_event_counters (
    input  logic                                 clock,
    input  logic                                 zero,
    input  logic                                 run,
    input  logic [weft_config_pkg::COUNTERS-1:0] increment,
    input  logic [                          2:0] grant,
    input  logic [                         10:0] granted_bytes,
    input  logic [                          8:0] granted_beats,
    input  logic [                         63:0] cycles,
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

  // What happens is taken into registers first, as events come late in a cycle, and counted in the next one.
  logic [COUNTERS-1:0] events;
  logic [2:0] granted;
  logic [10:0] new_bytes;
  logic [8:0] new_beats;
  logic clear;  // `zero` in the cycle before
  always_ff @(posedge clock) begin
    clear <= zero;
    events <= zero || !run ? {COUNTERS{1'b0}} : increment & ~NO_EVENTS;
    granted <= zero || !run ? 3'd0 : grant;
    new_bytes <= granted_bytes;
    new_beats <= granted_beats;
  end

  // Bytes and beats, by master.
  logic [63:0] bytes[0:2];
  logic [63:0] beats[0:2];
  generate
    for (genvar m = 0; m < 3; m = m + 1) begin : g_master
      always_ff @(posedge clock) begin
        if (clear) begin
          bytes[m] <= 64'd0;
          beats[m] <= 64'd0;
        end else if (granted[m]) begin
          bytes[m] <= bytes[m] + {53'd0, new_bytes};
          beats[m] <= beats[m] + {55'd0, new_beats};
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
        assign carry = events;
      end else begin : g_next
        assign carry = g_plane[k-1].carry & g_plane[k-1].plane;
      end
      always_ff @(posedge clock) begin
        if (clear) plane <= {COUNTERS{1'b0}};
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
  logic found;  // in the cycle before a pending one,
  logic [5:0] place;  // here,
  logic [63-LOW:0] value;  // whose high part this is
  always_ff @(posedge clock) begin
    if (clear) begin
      written <= {COUNTERS{1'b0}};
      pending <= {COUNTERS{1'b0}};
      pointer <= 6'd0;
    end else begin
      pending <= wraps | (pending & ~(ONE << pointer));
      if (pending != 0) pointer <= pointer == LAST ? 6'd0 : pointer + 6'd1;
      if (found) begin
        high[place] <= value + 1'b1;
        written[place] <= 1'b1;
      end
    end
    found <= !clear && pending[pointer];
    place <= pointer;
    if (pending[pointer]) value <= written[pointer] ? high[pointer] : {64 - LOW{1'b0}};  // no counter is pending twice in a row
  end

  // Read: what is held, and what is not in it yet, to be added in the cycle after.
  logic [63-LOW:0] high_read;
  logic [63:0] held;
  logic [10:0] rest;
  always_comb begin
    high_read = {64 - LOW{1'b0}};
    if (read && written[read_index]) high_read = high[read_index];
  end
  assign read_data = held + {53'd0, rest};
  always_ff @(posedge clock) begin
    if (read) begin
      rest <= 11'd0;
      case ({26'd0, read_index})
        weft_config_pkg::COUNTER_CYCLES: held <= cycles;
        weft_config_pkg::COUNTER_FETCH_BYTES: begin
          held <= bytes[0];
          if (granted[0]) rest <= new_bytes;
        end
        weft_config_pkg::COUNTER_STORE_BYTES: begin
          held <= bytes[1];
          if (granted[1]) rest <= new_bytes;
        end
        weft_config_pkg::COUNTER_LOAD_BYTES: begin
          held <= bytes[2];
          if (granted[2]) rest <= new_bytes;
        end
        weft_config_pkg::COUNTER_FETCH_BEATS: begin
          held <= beats[0];
          if (granted[0]) rest <= {2'd0, new_beats};
        end
        weft_config_pkg::COUNTER_STORE_BEATS: begin
          held <= beats[1];
          if (granted[1]) rest <= {2'd0, new_beats};
        end
        weft_config_pkg::COUNTER_LOAD_BEATS: begin
          held <= beats[2];
          if (granted[2]) rest <= {2'd0, new_beats};
        end
        default: begin
          held <= read_index > LAST ? 64'd0 : {high_read, low_read};
          if (read_index <= LAST) rest <= {4'd0, pending[read_index] || (found && place == read_index), 5'd0, events[read_index]};
        end
      endcase
      if (clear) begin
        held <= 64'd0;
        rest <= 11'd0;
      end
    end
  end
endmodule
