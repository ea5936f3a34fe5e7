// Store: an issue stage that holds one instruction, and up to store_instructions in flight.
// Interface: `start` with the instruction when `ready`; bursts are requested from the arbiter, `address` with the base of their region;
// `grant` may come late in its cycle. When the port asks for a write beat, its lines are read from ACT and the data follow STORE_DRAIN cycles later. `finish` is high in the cycle in which the oldest instruction finishes.
// Timing: asked in r: lines are read in r, are there in r+1, lie in a register in r+2, rotated on the port in r+3. With `deep_pipeline` they are
// there in r+2, lie in the register in r+3, and behind it are rotated on their way to the port.
// Reset: synchronous; nothing in flight.
`include "weft_isa_slices.svh"
module weft_store #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,
    parameter BLOCK = CONFIG[weft_config_pkg::AT_BLOCK+:32],
    parameter WIDTH = CONFIG[weft_config_pkg::AT_MEMORY_WIDTH+:32],
    parameter FLIGHTS = CONFIG[weft_config_pkg::AT_STORE_INSTRUCTIONS+:32],
    parameter BURST = CONFIG[weft_config_pkg::AT_MEMORY_BURST+:32],
    parameter BURSTS = CONFIG[weft_config_pkg::AT_STORE_BURSTS+:32],
    parameter BEATS = CONFIG[weft_config_pkg::AT_STORE_BEATS+:32],
    parameter ACT_BYTES = CONFIG[weft_config_pkg::AT_ACT_BYTES+:32],
    parameter BURST_BITS = $clog2(BURST) + 1,
    parameter BLOCK_BITS = $clog2(BLOCK),
    parameter LINE_BITS = $clog2(ACT_BYTES) - BLOCK_BITS
) (
    input  logic clock,
    input  logic reset,
    input  logic [8*64-1:0] region_base,  // multiples of 1024
    // verilator lint_off UNUSEDSIGNAL
    input  logic [511:0] instruction,  // at the head of the queue; without the fields that weft_unit reads
    // verilator lint_on UNUSEDSIGNAL
    output logic ready,
    input  logic start,
    output logic finish,
    // bursts
    output logic pending,
    output logic request,
    input  logic grant,
    output logic [2:0] region,
    output logic [63:0] address,
    output logic [BURST_BITS-1:0] bytes,
    output logic [BURST_BITS-1:0] beats,
    // write beats
    input  logic write_request,
    output logic write_valid,
    output logic [8*WIDTH-1:0] write_data,
    output logic [WIDTH-1:0] write_strobe,
    // ACT
    output logic [1:0] read_valid,  // lower, upper line
    output logic [LINE_BITS-1:0] read_line,  // of the lower one
    input  logic [16*BLOCK-1:0] read_data
);
  localparam LOCAL_BITS = LINE_BITS + BLOCK_BITS;  // extents were checked: the bits above are zero
  localparam WIDTH_BITS = $clog2(WIDTH);
  localparam BEAT_BITS = $clog2(BURST) - WIDTH_BITS;
  logic issuing;
  logic last;
  logic room;
  logic [LOCAL_BITS-1:0] local_address;
  logic [BEAT_BITS:0] burst_beats;
  logic [53:0] base;  // of the region, in units of 1024 bytes
  logic [49:0] offset;  // in the region

  weft_burst_walk #(
      .BOUNDARY(BURST),
      .WIDTH(WIDTH),
      .LOCAL_BITS(LOCAL_BITS)
  ) walk (
      .clock(clock),
      .going(issuing),
      .start(start),
      .start_address({18'd0, instruction[`WEFT_STORE_ADDRESS]}),
      .start_local(instruction[weft_isa_pkg::STORE_LOCAL_LSB+:LOCAL_BITS]),
      .start_run(instruction[`WEFT_STORE_RUN]),
      .start_count(instruction[`WEFT_STORE_COUNT]),
      .start_address_stride(instruction[`WEFT_STORE_ADDRESS_STRIDE]),
      .start_local_stride({
        instruction[weft_isa_pkg::STORE_LOCAL_STRIDE_LSB+48+:LOCAL_BITS],
        instruction[weft_isa_pkg::STORE_LOCAL_STRIDE_LSB+24+:LOCAL_BITS],
        instruction[weft_isa_pkg::STORE_LOCAL_STRIDE_LSB+:LOCAL_BITS]
      }),
      .advance(grant),
      .address(offset),
      .local_address(local_address),
      .bytes(bytes),
      .beats(burst_beats),
      .last(last)
  );

  assign pending = issuing;
  assign request = issuing && room;
  assign address = {base + {14'd0, offset[49:10]}, offset[9:0]};
  assign beats = BURST_BITS'(burst_beats);

  logic [LOCAL_BITS-1:0] beat_local;
  logic [WIDTH_BITS-1:0] beat_from;
  logic [WIDTH_BITS-1:0] beat_to;
  logic beat_end;  // of a burst
  logic beat_of_last;  // of the last burst of an instruction
  weft_bursts #(
      .BURSTS(BURSTS),
      .BEATS(BEATS),
      .BURST_BEATS(BURST / WIDTH),
      .WIDTH(WIDTH),
      .LOCAL_BITS(LOCAL_BITS),
      .MARK(1)
  ) bursts (
      .clock(clock),
      .reset(reset),
      .push(grant),
      .push_offset(offset[WIDTH_BITS-1:0]),
      .push_local(local_address),
      .push_bytes(bytes[WIDTH_BITS-1:0]),
      .beats(burst_beats),
      .push_mark(last),
      .room(room),
      .beat(write_request),
      .beat_local(beat_local),
      .beat_from(beat_from),
      .beat_to(beat_to),
      .beat_last(beat_end),
      .beat_mark(beat_of_last)
  );

  // ---- in flight ----
  logic [7:0] count;
  logic full;
  logic rests;  // !issuing, which goes to every bit of the walk; this goes to the start of the next instruction
  assign ready = rests && !full;
  always_ff @(posedge clock) begin
    if (reset) begin
      issuing <= 1'b0;
      rests <= 1'b1;
      count <= 0;
      full <= 1'b0;
    end else begin
      if (start || grant && last) begin
        issuing <= start;
        rests <= !start;
      end
      if (start != finish) begin
        count <= start ? count + 8'd1 : count - 8'd1;
        full <= start && count == FLIGHTS[7:0] - 8'd1;
      end
    end
    if (start) begin
      region <= instruction[`WEFT_STORE_REGION];
      base <= region_base[{6'd0, instruction[`WEFT_STORE_REGION]}*64+10+:54];
    end
  end

  // ---- write beats ----
  // The two lines from that of byte 0 on; of these the ones that bytes of the beat lie in.
  logic [BLOCK_BITS:0] from;
  logic [BLOCK_BITS:0] to;
  assign from = {1'b0, beat_local[BLOCK_BITS-1:0]} + (BLOCK_BITS + 1)'(beat_from);
  assign to = {1'b0, beat_local[BLOCK_BITS-1:0]} + (BLOCK_BITS + 1)'(beat_to);
  assign read_valid = write_request ? {to[BLOCK_BITS], !from[BLOCK_BITS]} : 2'b00;
  assign read_line = beat_local[LOCAL_BITS-1:BLOCK_BITS];

  // Index i: asked for i + 1 cycles ago.
  logic [2:0] asked;
  logic [2:0] ends;
  logic [BLOCK_BITS-1:0] offset_1;
  logic [BLOCK_BITS-1:0] offset_2;
  logic [WIDTH-1:0] strobe_1;
  logic [WIDTH-1:0] strobe_2;
  logic [16*BLOCK-1:0] lines;
  // verilator lint_off UNUSEDSIGNAL
  logic [16*BLOCK-1:0] rotated;  // a beat takes its lower part
  // verilator lint_on UNUSEDSIGNAL
  // A register is read above the line that writes it, which spares a simulator a copy.
  if (CONFIG[weft_config_pkg::AT_DEEP_PIPELINE+:32] != 0) begin : g_deep
    logic [BLOCK_BITS-1:0] offset_3;
    always_comb begin
      rotated = {16 * BLOCK{1'bx}};
      if (asked[2]) rotated = lines >> {offset_3, 3'b000};
    end
    assign write_data = rotated[8*WIDTH-1:0];
    always_ff @(posedge clock) begin : lines_read
      if (asked[1]) begin
        offset_3 <= offset_2;
        write_strobe <= strobe_2;
        lines <= read_data;
      end
    end
  end else begin : g_shallow
    assign rotated = lines >> {offset_2, 3'b000};
    always_ff @(posedge clock) begin : lines_read
      if (asked[1]) begin
        write_data <= rotated[8*WIDTH-1:0];
        write_strobe <= strobe_2;
      end
      if (asked[0]) lines <= read_data;
    end
  end
  always_ff @(posedge clock) begin : beats_asked
    if (asked[0]) begin
      offset_2 <= offset_1;
      strobe_2 <= strobe_1;
    end
    if (write_request) begin
      offset_1 <= beat_local[BLOCK_BITS-1:0];
      strobe_1 <= ({WIDTH{1'b1}} << beat_from) & ~({WIDTH{1'b1}} << beat_to << 1);
    end
    asked <= reset ? 3'd0 : {asked[1:0], write_request};
    ends <= reset ? 3'd0 : {ends[1:0], write_request && beat_end && beat_of_last};
  end
  assign write_valid = asked[2];
  assign finish = ends[2];

`ifndef SYNTHESIS
  initial begin : depth
    if (weft_config_pkg::DURATION_STORE_DRAIN != 3) $error("weft_store has 3 stages");
  end
`endif
endmodule
