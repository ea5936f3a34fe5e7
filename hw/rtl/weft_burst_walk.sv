// Walks over the runs of a three-level strided copy, in loop order (level 0 outermost), and cuts each run into bursts
// that do not cross a multiple of BOUNDARY bytes.
//
// Interface: `start` with the fields of the instruction sets up the first burst; `advance` moves to the next one and means
// nothing on the last. `going` is 1 from the cycle after a start to that of the last burst, and 0 in the cycle of a start. `address`
// and `local_address` are those of the first byte of the burst. No run and no count is 0.
// Timing: all outputs are registers; the burst after a start or an advance in T is there in T+1. `start` and `advance` come late in a
// cycle: they do no more than choose.
// Reset: none; nothing is meaningful before the first start.
//
// Levels keep the place where their current iteration began, so that none needs a multiplication. The first burst of a run
// follows from the low bits of its address: the upper ones are added meanwhile.
module weft_burst_walk #(
    parameter BOUNDARY = 256,  // bytes, a power of two
    parameter WIDTH = 8,  // bytes of a beat, a power of two, less than BOUNDARY
    parameter ADDRESS_BITS = 50,
    parameter STRIDE_BITS = 32,  // of an address, signed; at most ADDRESS_BITS
    parameter LOCAL_BITS = 24
) (
    input  logic clock,
    input  logic going,
    input  logic start,
    input  logic [ADDRESS_BITS-1:0] start_address,
    input  logic [LOCAL_BITS-1:0] start_local,
    input  logic [23:0] start_run,
    input  logic [47:0] start_count,  // 3 x 16, level 0 in the low bits
    input  logic [3*STRIDE_BITS-1:0] start_address_stride,
    input  logic [3*LOCAL_BITS-1:0] start_local_stride,
    input  logic advance,
    output logic [ADDRESS_BITS-1:0] address,
    output logic [LOCAL_BITS-1:0] local_address,
    output logic [$clog2(BOUNDARY):0] bytes,
    output logic [$clog2(BOUNDARY/WIDTH):0] beats,
    output logic last
);
  localparam OFFSET_BITS = $clog2(BOUNDARY);
  localparam WIDTH_BITS = $clog2(WIDTH);
  localparam BEAT_BITS = OFFSET_BITS - WIDTH_BITS;
  localparam [OFFSET_BITS:0] WHOLE = BOUNDARY[OFFSET_BITS:0];
  localparam [BEAT_BITS:0] WHOLE_BEATS = WHOLE[OFFSET_BITS:WIDTH_BITS];

  // ---- where runs begin ----
  // This run, and the one after it: from where, and by how much. `ends` are the levels that are in their last iteration in the run that
  // begins now; the level that moves on after it is the innermost other one.
  logic [3*STRIDE_BITS-1:0] address_stride;
  logic [3*LOCAL_BITS-1:0] local_stride;
  logic [31:0] again;  // iterations after the first one, of levels 1 and 2
  logic [1:0] once;  // that is none
  logic [47:0] left;  // iterations after this one
  logic [2:0] at_end;  // that is none
  logic [ADDRESS_BITS-1:0] place_1, place_0, from_address;  // where iterations of levels 1 and 0 began
  logic [LOCAL_BITS-1:0] local_1, local_0, from_local;
  logic [STRIDE_BITS-1:0] by_address;
  logic [LOCAL_BITS-1:0] by_local;

  // With the run, what shows at once that it is longer than a burst.
  logic [OFFSET_BITS:0] run;  // low bits
  logic [23:0] run_less;
  logic run_long;

  // ---- the burst ----
  logic run_ends;
  logic [24-OFFSET_BITS:0] more;  // bursts of the run after this one
  logic [OFFSET_BITS-1:0] end_offset;  // of the last byte of the run, from the boundary below
  logic ends_next;
  assign ends_next = more == 1;
  assign last = run_ends && (&at_end);

  // What begins is worked out where it is taken, so that a simulator does no work for a walk that rests.
  always_ff @(posedge clock) begin : walk
    logic begins_run;
    // The run that begins.
    logic [ADDRESS_BITS-1:0] by_wide, next_address, this_address;
    logic [LOCAL_BITS-1:0] next_local, this_local;
    logic [3*STRIDE_BITS-1:0] the_address_stride;
    logic [3*LOCAL_BITS-1:0] the_local_stride;
    logic [1:0] begins;  // an iteration of this level
    logic [2:0] ends;
    logic from_this;
    // Its first burst. `reach` is exact unless the run is longer than a burst.
    logic [OFFSET_BITS:0] the_run;
    logic the_run_long;
    logic [OFFSET_BITS-1:0] offset;
    logic [OFFSET_BITS-1:0] from_low, by_low, less_low;
    logic [OFFSET_BITS:0] three;
    logic [24:0] start_low;
    logic [24:0] start_reach;
    logic carry;
    logic [OFFSET_BITS:0] reach;  // from the boundary below to the last byte, low bits
    logic fits;
    logic [OFFSET_BITS:0] first_bytes;
    logic [BEAT_BITS:0] first_beats;
    // verilator lint_off UNUSEDSIGNAL
    logic [OFFSET_BITS+1:0] touched;  // bytes of the beats that a run touches that fits, rounded up; of others it has more
    // verilator lint_on UNUSEDSIGNAL
    logic [24-OFFSET_BITS:0] least;  // of a run, be its first burst a whole one
    // What reads a register stands before what sets it: a simulator then needs no second copy of it.
    begins_run = start || advance && run_ends;
    if (advance && !begins_run) begin
      address <= {address[ADDRESS_BITS-1:OFFSET_BITS] + 1'b1, {OFFSET_BITS{1'b0}}};
      local_address <= local_address + LOCAL_BITS'(bytes);
      bytes <= ends_next ? {1'b0, end_offset} + 1'b1 : WHOLE;
      beats <= ends_next ? {1'b0, end_offset[OFFSET_BITS-1:WIDTH_BITS]} + 1'b1 : WHOLE_BEATS;
      run_ends <= ends_next;
      more <= more - 1'b1;
    end
    if (begins_run) begin
      by_wide = ADDRESS_BITS'($signed(by_address));
      next_address = from_address + by_wide;
      next_local = from_local + by_local;
      this_address = going ? next_address : start_address;
      this_local = going ? next_local : start_local;
      the_address_stride = going ? address_stride : start_address_stride;
      the_local_stride = going ? local_stride : start_local_stride;
      begins = {!going || at_end[2], !going || (&at_end[2:1])};
      ends[2] = going ? (at_end[2] ? once[1] : left[47:32] == 1) : start_count[47:32] == 1;
      ends[1] = going ? (!at_end[2] ? at_end[1] : at_end[1] ? once[0] : left[31:16] == 1) : start_count[31:16] == 1;
      ends[0] = going ? (begins[0] ? left[15:0] == 1 : at_end[0]) : start_count[15:0] == 1;
      from_this = !ends[2] || (ends[1] ? begins[0] : begins[1]);

      the_run = going ? run : start_run[OFFSET_BITS:0];
      the_run_long = going ? run_long :
          start_run[23:OFFSET_BITS+1] != 0 || start_run[OFFSET_BITS] && start_run[OFFSET_BITS-1:0] != 0;
      offset = this_address[OFFSET_BITS-1:0];
      // The sum of three, not that of two behind that of two; its carry is without that of the place.
      from_low = from_address[OFFSET_BITS-1:0];
      by_low = by_wide[OFFSET_BITS-1:0];
      less_low = run_less[OFFSET_BITS-1:0];
      three = {1'b0, from_low ^ by_low ^ less_low} + {from_low & by_low | from_low & less_low | by_low & less_low, 1'b0};
      carry = next_address[OFFSET_BITS] ^ from_address[OFFSET_BITS] ^ by_wide[OFFSET_BITS];
      start_low = 25'(start_address[OFFSET_BITS-1:0]);
      start_reach = ~({1'b0, start_run} ^ start_low) + {start_run | start_low[23:0], 1'b0};  // the sum less 1
      reach = going ? three ^ {carry, {OFFSET_BITS{1'b0}}} : start_reach[OFFSET_BITS:0];
      fits = !the_run_long && !reach[OFFSET_BITS];
      first_bytes = fits ? the_run : WHOLE - {1'b0, offset};
      touched = {1'b0, the_run} + WIDTH[OFFSET_BITS+1:0] - 1'b1 +
          {{OFFSET_BITS + 2 - WIDTH_BITS{1'b0}}, offset[WIDTH_BITS-1:0]};
      first_beats = fits ? touched[OFFSET_BITS:WIDTH_BITS] :
          WHOLE_BEATS - {1'b0, offset[OFFSET_BITS-1:WIDTH_BITS]};
      least = {1'b0, run_less[23:OFFSET_BITS]};

      address <= this_address;
      local_address <= this_local;
      bytes <= first_bytes;
      beats <= first_beats;
      run_ends <= fits;
      more <= !going ? start_reach[24:OFFSET_BITS] : reach[OFFSET_BITS] ? least + 1'b1 : least;
      end_offset <= reach[OFFSET_BITS-1:0];
      by_address <= !ends[2] ? the_address_stride[2*STRIDE_BITS+:STRIDE_BITS] :
          !ends[1] ? the_address_stride[STRIDE_BITS+:STRIDE_BITS] : the_address_stride[STRIDE_BITS-1:0];
      by_local <= !ends[2] ? the_local_stride[2*LOCAL_BITS+:LOCAL_BITS] :
          !ends[1] ? the_local_stride[LOCAL_BITS+:LOCAL_BITS] : the_local_stride[LOCAL_BITS-1:0];
      from_address <= !going ? start_address : from_this ? next_address : ends[1] ? place_0 : place_1;
      from_local <= !going ? start_local : from_this ? next_local : ends[1] ? local_0 : local_1;
      if (begins[1]) begin
        place_1 <= this_address;
        local_1 <= this_local;
      end
      if (begins[0]) begin
        place_0 <= this_address;
        local_0 <= this_local;
      end
      left <= start ? {start_count[47:32] - 16'd1, start_count[31:16] - 16'd1, start_count[15:0] - 16'd1} : {
        at_end[2] ? again[31:16] : left[47:32] - 16'd1,
        !begins[1] ? left[31:16] : at_end[1] ? again[15:0] : left[31:16] - 16'd1,
        begins[0] ? left[15:0] - 16'd1 : left[15:0]
      };
      at_end <= ends;
      if (start) begin
        run <= start_run[OFFSET_BITS:0];
        run_less <= start_run - 1'b1;
        run_long <= the_run_long;
        address_stride <= start_address_stride;
        local_stride <= start_local_stride;
        again <= {start_count[47:32] - 16'd1, start_count[31:16] - 16'd1};
        once <= {start_count[47:32] == 1, start_count[31:16] == 1};
      end
    end
  end
endmodule
