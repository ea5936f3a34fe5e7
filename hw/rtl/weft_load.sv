// Load: LOAD and FILL. An issue stage that holds one instruction, and a list of those in flight.
// Interface: `start` with the instruction when `ready`; bursts are requested from the arbiter, `address` with the base of their region;
// beats that come back are written by weft_load_write, those of coded weights by weft_units and weft_unit_lanes; FILL writes lines itself. `finish` is high in the cycle in which the oldest
// instruction in flight finishes.
// Timing: docs/timing.md, Load. A burst and a line of FILL come from registers, the address through a sum; `grant` may come late.
// Reset: synchronous; nothing in flight.
`include "weft_isa_slices.svh"
module weft_load #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,
    parameter WIDTH = CONFIG[weft_config_pkg::AT_MEMORY_WIDTH+:32],
    parameter FLIGHTS = CONFIG[weft_config_pkg::AT_LOAD_INSTRUCTIONS+:32],
    parameter BURST = CONFIG[weft_config_pkg::AT_MEMORY_BURST+:32],
    parameter BURSTS = CONFIG[weft_config_pkg::AT_LOAD_BURSTS+:32],
    parameter BEATS = CONFIG[weft_config_pkg::AT_LOAD_BEATS+:32],
    parameter BLOCK = CONFIG[weft_config_pkg::AT_BLOCK+:32],
    parameter BURST_BITS = $clog2(BURST) + 1
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
    // beats, in the cycle in which they are on the port
    input  logic beat,
    output logic [23:0] beat_local,  // of byte 0
    output logic [$clog2(WIDTH)-1:0] beat_from,  // the first byte that is meant
    output logic [$clog2(WIDTH)-1:0] beat_to,  // the last one
    output logic [1:0] beat_memory,
    output logic beat_coded,  // it belongs to coded weights
    output logic beat_first,  // of its instruction
    output logic [15:0] coded_units,  // with the first one
    output logic [7:0] coded_base,
    output logic [23:0] coded_local,
    // lines of FILL
    output logic fill_valid,
    output logic [23:0] fill_local,  // of the first byte to write in its line
    output logic [$clog2(BLOCK):0] fill_bytes,
    output logic [7:0] fill_value
);
  localparam INDEX_BITS = $clog2(FLIGHTS);
  localparam SLOTS = 1 << INDEX_BITS;
  localparam LSB = weft_isa_pkg::LOAD_ACT_BANKS_LSB;
  // Of ACT: FILL writes in the cycles in which beats may come, so it waits for LOADs that write the same RAMs.
  localparam BANKS = CONFIG[weft_config_pkg::AT_ACT_BANKS+:32];
  localparam RAMS = CONFIG[weft_config_pkg::AT_ACT_RAMS+:32];
  localparam WIDTH_BITS = $clog2(WIDTH);
  localparam BEAT_BITS = $clog2(BURST) - WIDTH_BITS;

  localparam COMPRESSION = CONFIG[weft_config_pkg::AT_COMPRESSION+:32];
  localparam LAST_DECODE = weft_config_pkg::DURATION_LOAD_DECODE - 1;

  logic is_fill;
  logic to_wgt;  // it is a LOAD
  logic is_coded;
  // Nothing else is in this queue, and one bit tells them apart.
  localparam [31:0] FILL_ALONE = weft_isa_pkg::OPCODE_FILL & ~weft_isa_pkg::OPCODE_LOAD;
  assign is_fill = instruction[$clog2(FILL_ALONE)];
  assign to_wgt = !is_fill && instruction[`WEFT_LOAD_MEMORY] == weft_isa_pkg::TARGET_WGT[1:0];
  assign is_coded = COMPRESSION != 0 && to_wgt && instruction[`WEFT_LOAD_UNITS] != 0;

  // ---- issue stage ----
  logic issuing;
  logic filling;
  logic rests;  // neither, as a register: `issuing` goes to every bit of the walk, and this to the start of the next instruction
  logic last;
  logic room;
  logic [23:0] local_address;
  logic [1:0] memory;
  logic coded;
  logic [BEAT_BITS:0] burst_beats;
  logic [53:0] base;  // of the region, in units of 1024 bytes
  logic [49:0] offset;  // in the region

  weft_burst_walk #(
      .BOUNDARY(BURST),
      .WIDTH(WIDTH)
  ) walk (
      .clock(clock),
      .going(issuing),
      .start(start && !is_fill),
      .start_address({18'd0, instruction[`WEFT_LOAD_ADDRESS]}),
      .start_local(instruction[`WEFT_LOAD_LOCAL]),
      .start_run(instruction[`WEFT_LOAD_RUN]),
      .start_count(is_coded ? {3{16'd1}} : instruction[`WEFT_LOAD_COUNT]),
      .start_address_stride(instruction[`WEFT_LOAD_ADDRESS_STRIDE]),
      .start_local_stride(instruction[`WEFT_LOAD_LOCAL_STRIDE]),
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

  logic beat_end;  // of a burst
  logic beat_of_last;  // of the last burst of an instruction
  weft_bursts #(
      .BURSTS(BURSTS),
      .BEATS(BEATS),
      .BURST_BEATS(BURST / WIDTH),
      .WIDTH(WIDTH),
      .MARK(4)
  ) bursts (
      .clock(clock),
      .reset(reset),
      .push(grant),
      .push_offset(offset[WIDTH_BITS-1:0]),
      .push_local(local_address),
      .push_bytes(bytes[WIDTH_BITS-1:0]),
      .beats(burst_beats),
      .push_mark({last, coded, memory}),
      .room(room),
      .beat(beat),
      .beat_local(beat_local),
      .beat_from(beat_from),
      .beat_to(beat_to),
      .beat_last(beat_end),
      .beat_mark({beat_of_last, beat_coded, beat_memory})
  );
  always_ff @(posedge clock) begin
    if (reset) beat_first <= 1'b1;
    else if (beat) beat_first <= beat_end && beat_of_last;
  end

  // What LOADs of coded weights say of themselves, until their first beat.
  if (COMPRESSION != 0) begin : g_coded
    // verilator lint_off UNUSEDSIGNAL
    logic [$clog2(FLIGHTS+1)-1:0] waiting;
    logic all;
    // verilator lint_on UNUSEDSIGNAL
    weft_queue #(
        .WIDTH(48),
        .DEPTH(FLIGHTS)
    ) codings (
        .clock(clock),
        .reset(reset),
        .push(start && is_coded),
        .push_data({
          instruction[`WEFT_LOAD_UNITS], instruction[`WEFT_LOAD_BASE],
          instruction[`WEFT_LOAD_LOCAL]
        }),
        .pop(beat && beat_coded && beat_first),
        .head({coded_units, coded_base, coded_local}),
        .count(waiting),
        .full(all)
    );
  end else begin : g_plain
    assign {coded_units, coded_base, coded_local} = 48'd0;
  end

  // ---- FILL: "bursts" of a line, one a cycle ----
  logic fill_last;
  // verilator lint_off UNUSEDSIGNAL
  logic fill_unused;
  logic [1:0] fill_beats;
  // verilator lint_on UNUSEDSIGNAL
  weft_burst_walk #(
      .BOUNDARY(BLOCK),
      .WIDTH(BLOCK / 2),
      .ADDRESS_BITS(24),
      .STRIDE_BITS(24),
      .LOCAL_BITS(1)
  ) fill (
      .clock(clock),
      .going(filling),
      .start(start && is_fill),
      .start_address(instruction[`WEFT_FILL_LOCAL]),
      .start_local(1'b0),
      .start_run(instruction[`WEFT_FILL_RUN]),
      .start_count(instruction[`WEFT_FILL_COUNT]),
      .start_address_stride(instruction[`WEFT_FILL_LOCAL_STRIDE]),
      .start_local_stride(3'd0),
      .advance(filling),
      .address(fill_local),
      .local_address(fill_unused),
      .bytes(fill_bytes),
      .beats(fill_beats),
      .last(fill_last)
  );
  assign fill_valid = filling;

  always_ff @(posedge clock) begin
    if (reset) begin
      issuing <= 1'b0;
      filling <= 1'b0;
      rests <= 1'b1;
    end else if (start) begin
      rests <= 1'b0;
      issuing <= !is_fill;
      filling <= is_fill;
    end else begin
      if (grant && last) issuing <= 1'b0;
      if (fill_last) filling <= 1'b0;
      if (grant && last || filling && fill_last) rests <= 1'b1;
    end
    if (start) begin
      memory <= instruction[`WEFT_LOAD_MEMORY];
      coded <= is_coded;
      region <= instruction[`WEFT_LOAD_REGION];
      base <= region_base[{6'd0, instruction[`WEFT_LOAD_REGION]}*64+10+:54];
      fill_value <= instruction[`WEFT_FILL_VALUE];
    end
  end

  // ---- in flight ----
  // LOADs complete in their order, those of coded weights in theirs, and FILLs in theirs: the oldest instruction is complete when one of
  // its kind is that has not finished.
  logic [SLOTS-1:0] loads;  // what is no LOAD in flight is 0
  logic [SLOTS-1:0] decodes;  // the same for LOADs of coded weights
  logic [SLOTS*RAMS-1:0] rams;  // of ACT
  logic [INDEX_BITS-1:0] first;
  logic [INDEX_BITS-1:0] free;
  logic [INDEX_BITS:0] count;
  logic full;
  logic [INDEX_BITS:0] loads_complete;  // and not finished
  logic [INDEX_BITS:0] fills_complete;
  logic [INDEX_BITS:0] decodes_complete;
  logic load_completes;  // its last beat is written in this cycle
  logic [LAST_DECODE:0] decoding;  // it has its last write so many cycles later
  logic decode_completes;
  logic fill_completes;
  logic first_loads;
  logic first_decodes;
  logic finish_load;
  logic finish_decode;
  logic finish_fill;
  assign fill_completes = filling && fill_last;
  assign first_loads = loads[first];
  assign first_decodes = COMPRESSION != 0 && decodes[first];
  assign decode_completes = COMPRESSION != 0 && decoding[LAST_DECODE];
  assign finish_load = first_loads && !first_decodes && (load_completes || loads_complete != 0);
  assign finish_decode = first_decodes && (decode_completes || decodes_complete != 0);
  assign finish_fill = count != 0 && !first_loads && (fill_completes || fills_complete != 0);
  assign finish = finish_load || finish_decode || finish_fill;

  always_ff @(posedge clock) begin
    if (start) begin
      for (int i = 0; i < SLOTS; i++) begin
        if (free == i[INDEX_BITS-1:0]) rams[i*RAMS+:RAMS] <= wanted;
      end
    end
    for (int i = 0; i < SLOTS; i++) begin
      if (finish && first == i[INDEX_BITS-1:0]) loads[i] <= 1'b0;
      if (start && free == i[INDEX_BITS-1:0]) loads[i] <= !is_fill;
      if (finish && first == i[INDEX_BITS-1:0]) decodes[i] <= 1'b0;
      if (start && free == i[INDEX_BITS-1:0]) decodes[i] <= is_coded;
    end
    if (start != finish) begin
      full <= start && count == FLIGHTS[INDEX_BITS:0] - 1'b1;
      count <= start ? count + 1'b1 : count - 1'b1;
    end
    if (load_completes != finish_load) loads_complete <= load_completes ? loads_complete + 1'b1 : loads_complete - 1'b1;
    if (fill_completes != finish_fill) fills_complete <= fill_completes ? fills_complete + 1'b1 : fills_complete - 1'b1;
    if (decode_completes != finish_decode) begin
      decodes_complete <= decode_completes ? decodes_complete + 1'b1 : decodes_complete - 1'b1;
    end
    load_completes <= beat && beat_end && beat_of_last && !beat_coded;
    decoding <= {decoding[LAST_DECODE-1:0], COMPRESSION != 0 && beat && beat_end && beat_of_last && beat_coded};
    if (start) free <= free + 1'b1;
    if (finish) first <= first + 1'b1;
    if (reset) begin
      first <= 0;
      free <= 0;
      count <= 0;
      full <= 1'b0;
      loads <= 0;
      decodes <= 0;
      decoding <= 0;
      decodes_complete <= 0;
      load_completes <= 1'b0;
      loads_complete <= 0;
      fills_complete <= 0;
    end
  end

  // FILL waits for LOADs in flight that write the same RAM of ACT. Behind a LOAD that starts the issue stage is not idle: it counts a cycle later.
  logic [RAMS-1:0] wanted;
  logic [RAMS-1:0] loading;  // by the LOADs in flight
  logic started;
  always_comb begin
    for (int r = 0; r < RAMS; r++) wanted[r] = |instruction[LSB+r*(BANKS/RAMS)+:BANKS/RAMS];
  end
  always_ff @(posedge clock) begin : waits
    logic [RAMS-1:0] sum;
    started <= start;
    if (reset) begin
      loading <= 0;
    end else if (started || finish) begin
      sum = 0;
      for (int i = 0; i < SLOTS; i++) begin
        sum = sum | (rams[i*RAMS+:RAMS] & {RAMS{loads[i] && !(finish && first == i[INDEX_BITS-1:0])}});
      end
      loading <= sum;
    end
  end
  // Plain beats would reach WGT before decoded ones.
  assign ready = rests && !full && !(is_fill && (loading & wanted) != 0)
      && !(COMPRESSION != 0 && to_wgt && !is_coded && decodes != 0);
endmodule
