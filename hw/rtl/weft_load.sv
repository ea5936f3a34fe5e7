// Load: LOAD and FILL. An issue stage that holds one instruction, and a list of those in flight.
//
// Interface: `start` with the instruction when `ready`; bursts are requested from the arbiter; beats that come back are written by
// weft_load_write; FILL writes lines itself. `finish` is high in the cycle in which the oldest instruction in flight finishes.
// Timing: docs/timing.md, Load.
// Reset: synchronous; nothing in flight.
module weft_load #(
    parameter WIDTH = weft_config_pkg::MEMORY_WIDTH,
    parameter FLIGHTS = weft_config_pkg::LOAD_INSTRUCTIONS,
    parameter BURST_BITS = $clog2(weft_config_pkg::MEMORY_BURST) + 1,
    parameter BLOCK = weft_config_pkg::BLOCK
) (
    input  logic clock,
    input  logic reset,
    input  logic [511:0] instruction,  // at the head of the queue
    output logic ready,
    input  logic start,
    output logic finish,
    // bursts
    output logic pending,
    output logic request,
    input  logic grant,
    output logic [2:0] region,
    output logic [49:0] address,
    output logic [BURST_BITS-1:0] bytes,
    output logic [BURST_BITS-1:0] beats,
    // beats, in the cycle in which they are on the port
    input  logic beat,
    output logic [23:0] beat_local,
    output logic [WIDTH-1:0] beat_strobe,
    output logic [1:0] beat_memory,
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
  localparam BANKS = weft_config_pkg::ACT_BANKS;
  localparam RAMS = weft_config_pkg::ACT_RAMS;

  logic is_fill;
  assign is_fill = instruction[3:0] == weft_isa_pkg::OPCODE_FILL[3:0];

  // ---- issue stage ----
  logic issuing;
  logic filling;
  logic last;
  logic room;
  logic [23:0] local_address;
  logic [1:0] memory;

  weft_burst_walk #(
      .BOUNDARY(weft_config_pkg::MEMORY_BURST),
      .WIDTH(WIDTH)
  ) walk (
      .clock(clock),
      .start(start && !is_fill),
      .start_address({18'd0, instruction[weft_isa_pkg::LOAD_ADDRESS_LSB+:32]}),
      .start_local(instruction[weft_isa_pkg::LOAD_LOCAL_LSB+:24]),
      .start_run(instruction[weft_isa_pkg::LOAD_RUN_LSB+:24]),
      .start_count(instruction[weft_isa_pkg::LOAD_COUNT_LSB+:48]),
      .start_address_stride(instruction[weft_isa_pkg::LOAD_ADDRESS_STRIDE_LSB+:96]),
      .start_local_stride(instruction[weft_isa_pkg::LOAD_LOCAL_STRIDE_LSB+:72]),
      .advance(grant),
      .address(address),
      .local_address(local_address),
      .bytes(bytes),
      .beats(beats),
      .last(last)
  );

  assign pending = issuing;
  assign request = issuing && room;

  logic beat_end;  // of a burst
  logic beat_of_last;  // of the last burst of an instruction
  weft_bursts #(
      .BURSTS(weft_config_pkg::LOAD_BURSTS),
      .BEATS(weft_config_pkg::LOAD_BEATS),
      .BURST_BITS(BURST_BITS),
      .WIDTH(WIDTH),
      .MARK(3)
  ) bursts (
      .clock(clock),
      .reset(reset),
      .push(grant),
      .push_offset(address[$clog2(WIDTH)-1:0]),
      .push_local(local_address),
      .bytes(bytes),
      .beats(beats),
      .push_mark({last, memory}),
      .room(room),
      .beat(beat),
      .beat_local(beat_local),
      .beat_strobe(beat_strobe),
      .beat_last(beat_end),
      .beat_mark({beat_of_last, beat_memory})
  );

  // ---- FILL ----
  logic fill_last;
  // verilator lint_off UNUSEDSIGNAL
  logic [49:0] fill_address;  // wider than ACT
  // verilator lint_on UNUSEDSIGNAL
  // verilator lint_off UNUSEDSIGNAL
  logic [$clog2(BLOCK):0] fill_beats;  // always one
  // verilator lint_on UNUSEDSIGNAL
  logic [23:0] fill_unused;
  weft_burst_walk #(
      .BOUNDARY(BLOCK),
      .WIDTH(BLOCK)
  ) fill (
      .clock(clock),
      .start(start && is_fill),
      .start_address({26'd0, instruction[weft_isa_pkg::FILL_LOCAL_LSB+:24]}),
      .start_local(24'd0),
      .start_run(instruction[weft_isa_pkg::FILL_RUN_LSB+:24]),
      .start_count(instruction[weft_isa_pkg::FILL_COUNT_LSB+:48]),
      .start_address_stride({
        {8{instruction[weft_isa_pkg::FILL_LOCAL_STRIDE_LSB+71]}},
        instruction[weft_isa_pkg::FILL_LOCAL_STRIDE_LSB+48+:24],
        {8{instruction[weft_isa_pkg::FILL_LOCAL_STRIDE_LSB+47]}},
        instruction[weft_isa_pkg::FILL_LOCAL_STRIDE_LSB+24+:24],
        {8{instruction[weft_isa_pkg::FILL_LOCAL_STRIDE_LSB+23]}},
        instruction[weft_isa_pkg::FILL_LOCAL_STRIDE_LSB+:24]
      }),
      .start_local_stride(72'd0),
      .advance(filling),
      .address(fill_address),
      .local_address(fill_unused),
      .bytes(fill_bytes),
      .beats(fill_beats),
      .last(fill_last)
  );
  assign fill_valid = filling;
  assign fill_local = fill_address[23:0];

  always_ff @(posedge clock) begin
    if (reset) begin
      issuing <= 1'b0;
      filling <= 1'b0;
    end else if (start) begin
      issuing <= !is_fill;
      filling <= is_fill;
    end else begin
      if (grant && last) issuing <= 1'b0;
      if (fill_last) filling <= 1'b0;
    end
    if (start) begin
      memory <= instruction[weft_isa_pkg::LOAD_MEMORY_LSB+:2];
      region <= instruction[weft_isa_pkg::LOAD_REGION_LSB+:3];
      fill_value <= instruction[weft_isa_pkg::FILL_VALUE_LSB+:8];
    end
  end

  // ---- in flight ----
  logic complete;  // the last beat of a LOAD is written in this cycle
  logic [SLOTS-1:0] done;
  logic [SLOTS-1:0] loads;
  logic [SLOTS*RAMS-1:0] rams;
  logic [INDEX_BITS-1:0] first;
  logic [INDEX_BITS-1:0] free;
  logic [INDEX_BITS:0] count;

  always_ff @(posedge clock) begin
    if (reset) complete <= 1'b0;
    else complete <= beat && beat_end && beat_of_last;
  end

  logic [RAMS-1:0] wanted;
  always_comb begin
    for (int r = 0; r < RAMS; r++) wanted[r] = |instruction[LSB+r*(BANKS/RAMS)+:BANKS/RAMS];
  end

  logic meets;
  always_comb begin
    meets = 1'b0;
    if (is_fill) begin
      for (int i = 0; i < SLOTS; i++) begin
        if (loads[i] && (rams[i*RAMS+:RAMS] & wanted) != 0) meets = 1'b1;
      end
    end
  end
  assign ready = !issuing && !filling && count < FLIGHTS[INDEX_BITS:0] && !meets;

  // A completing LOAD is the oldest one that is not done, a completing FILL the newest instruction.
  logic head_done;
  assign head_done = done[first] || (loads[first] ? complete : filling && fill_last);
  assign finish = count != 0 && head_done;

  logic [INDEX_BITS-1:0] at;  // temporary
  logic found;  // temporary
  /* verilator lint_off BLKSEQ */  // the temporaries above
  always_ff @(posedge clock) begin
    if (reset) begin
      first <= 0;
      free <= 0;
      count <= 0;
      done <= 0;
      loads <= 0;
    end else begin
      if (complete) begin
        found = 1'b0;
        for (int i = 0; i < SLOTS; i++) begin
          at = first + i[INDEX_BITS-1:0];
          if (!found && loads[at] && !done[at]) begin
            found = 1'b1;
            done[at] <= 1'b1;
          end
        end
      end
      if (filling && fill_last) done[free-1'b1] <= 1'b1;
      if (start) begin
        loads[free] <= !is_fill;
        done[free] <= 1'b0;
        rams[free*RAMS+:RAMS] <= wanted;
        free <= free + 1'b1;
      end
      if (finish) begin
        loads[first] <= 1'b0;
        done[first] <= 1'b0;
        first <= first + 1'b1;
      end
      if (start != finish) count <= start ? count + 1'b1 : count - 1'b1;
    end
  end
  /* verilator lint_on BLKSEQ */
endmodule
