// Fetch: reads the program region in bursts into a buffer of instructions.
//
// Interface: bursts go to the arbiter, read beats come back in order; dispatch sees the oldest instruction of the buffer and takes it.
// Timing: docs/timing.md, Fetch and dispatch.
// Reset: synchronous; the buffer is empty, the next instruction is number 0.
module weft_fetch #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,
    parameter WIDTH = CONFIG[weft_config_pkg::AT_MEMORY_WIDTH+:32],
    parameter DEPTH = CONFIG[weft_config_pkg::AT_FETCH_BUFFER+:32],
    parameter BURST_BITS = $clog2(CONFIG[weft_config_pkg::AT_MEMORY_BURST+:32]) + 1
) (
    input  logic clock,
    input  logic reset,
    // verilator lint_off UNUSEDSIGNAL
    input  logic [63:0] limit,  // bytes of the program region; whole instructions count
    // verilator lint_on UNUSEDSIGNAL
    output logic request,
    input  logic grant,
    output logic [49:0] address,
    output logic [BURST_BITS-1:0] bytes,
    output logic [BURST_BITS-1:0] beats,
    input  logic beat,
    input  logic [8*WIDTH-1:0] beat_data,
    output logic valid,  // an instruction is in the buffer
    output logic [511:0] instruction,
    input  logic take,
    output logic at_end,  // all was requested and nothing is outstanding
    output logic [31:0] taken  // number of the next instruction to take
);
  localparam [31:0] FETCH_BURSTS = CONFIG[weft_config_pkg::AT_FETCH_BURSTS+:32];
  localparam INDEX_BITS = $clog2(DEPTH);
  localparam PER_BURST = CONFIG[weft_config_pkg::AT_MEMORY_BURST+:32] / 64;  // instructions
  localparam BEATS = 64 / WIDTH;  // of an instruction
  localparam BEAT_BITS = $clog2(BEATS);
  localparam WIDTH_BITS = $clog2(WIDTH);
  localparam SIZE_BITS = $clog2(PER_BURST + 1);
  localparam BURST_INDEX = $clog2(PER_BURST);
  localparam [31:0] MOST = 32'h7fffffff;  // instructions that a program can have
  localparam [SIZE_BITS-1:0] WHOLE = PER_BURST[SIZE_BITS-1:0];
  localparam [INDEX_BITS:0] ROOM = DEPTH[INDEX_BITS:0];

  logic [511:0] buffer[0:(1<<INDEX_BITS)-1];
  logic [31:0] end_number;
  assign end_number = limit[63:37] != 0 ? MOST : limit[37:6];

  // ---- bursts ----
  // A program is whole bursts and a shorter one at its end, the tail, which may be empty.
  logic [31:0] whole_left;  // whole bursts to request
  logic has_whole;  // there are some: it is wide
  logic has_tail;  // the tail is still to be requested
  logic [SIZE_BITS-1:0] tail;
  logic [31:0] offset;  // next instruction to request
  logic [INDEX_BITS:0] room;  // in the buffer, without what is on its way
  logic [4:0] outstanding;
  logic [SIZE_BITS-1:0] size;  // instructions of the next burst
  assign size = has_whole ? WHOLE : tail;
  assign request = (has_whole || has_tail) && outstanding < FETCH_BURSTS[4:0] && room >= (INDEX_BITS + 1)'(size);
  assign at_end = !has_whole && !has_tail && outstanding == 0;
  assign address = {12'd0, offset, 6'd0};
  assign bytes = BURST_BITS'({size, 6'd0});
  assign beats = BURST_BITS'({size, 6'd0}) >> WIDTH_BITS;

  // ---- beats ----
  logic [INDEX_BITS:0] arrived;  // instructions, as many bits as tell whether the buffer is full
  logic [SIZE_BITS-1:0] arriving;  // instructions of the oldest burst that have arrived
  logic [BEAT_BITS-1:0] beat_index;
  logic [SIZE_BITS-1:0] oldest;  // size of the oldest burst outstanding
  logic arrives;  // the beat completes an instruction
  logic retires;  // and its burst
  assign oldest = !has_whole && !has_tail && outstanding == 1 && tail != 0 ? tail : WHOLE;
  assign arrives = beat && (&beat_index);
  assign retires = arrives && arriving + 1'b1 == oldest;
  assign valid = arrived != taken[INDEX_BITS:0];
  assign instruction = buffer[taken[INDEX_BITS-1:0]];

  always_ff @(posedge clock) begin
    if (reset) begin
      whole_left <= end_number >> BURST_INDEX;
      has_whole <= end_number >> BURST_INDEX != 0;
      has_tail <= (end_number & (PER_BURST - 1)) != 0;
      tail <= SIZE_BITS'(end_number & (PER_BURST - 1));
      offset <= 0;
      room <= ROOM;
      arrived <= 0;
      taken <= 0;
      outstanding <= 0;
      arriving <= 0;
      beat_index <= 0;
    end else begin
      if (grant) begin
        offset <= offset + PER_BURST;
        if (has_whole) whole_left <= whole_left - 1;
        else has_tail <= 1'b0;
        has_whole <= whole_left > 1;
      end
      // `grant` and `take` come late: they choose among what is added up.
      case ({grant, take})
        2'b01: room <= room + 1'b1;
        2'b10: room <= room - (INDEX_BITS + 1)'(size);
        2'b11: room <= room - (INDEX_BITS + 1)'(size) + 1'b1;
        default: ;
      endcase
      if (beat) begin
        // Word by word: of a slice that moves each bit has an enable of its own to a synthesiser, and with it a RAM of its own.
        for (int i = 0; i < BEATS; i++) begin
          if (beat_index == i[BEAT_BITS-1:0]) buffer[arrived[INDEX_BITS-1:0]][i*8*WIDTH+:8*WIDTH] <= beat_data;
        end
        beat_index <= beat_index + 1'b1;
      end
      if (arrives) begin
        arrived <= arrived + 1'b1;
        arriving <= retires ? 0 : arriving + 1'b1;
      end
      if (grant != retires) outstanding <= grant ? outstanding + 5'd1 : outstanding - 5'd1;
      if (take) taken <= taken + 1;
    end
  end
endmodule
