// Fetch: reads the program region in bursts into a buffer of instructions.
//
// Interface: bursts go to the arbiter, read beats come back in order; dispatch sees the oldest instruction of the buffer and takes it.
// Timing: docs/timing.md, Fetch and dispatch.
// Reset: synchronous; the buffer is empty, the next instruction is number 0.
module weft_fetch #(
    parameter WIDTH = weft_config_pkg::MEMORY_WIDTH,
    parameter DEPTH = weft_config_pkg::FETCH_BUFFER,
    parameter BURST_BITS = $clog2(weft_config_pkg::MEMORY_BURST) + 1
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
  localparam INDEX_BITS = $clog2(DEPTH);
  localparam PER_BURST = weft_config_pkg::MEMORY_BURST / 64;  // instructions
  localparam BEATS = 64 / WIDTH;  // of an instruction
  localparam BEAT_BITS = $clog2(BEATS);
  localparam WIDTH_BITS = $clog2(WIDTH);
  localparam [31:0] MOST = 32'h7fffffff;  // instructions that a program can have

  logic [511:0] buffer[0:(1<<INDEX_BITS)-1];
  logic [31:0] end_number;
  logic [31:0] offset;  // next instruction to request
  logic [31:0] arrived;
  assign end_number = limit[63:37] != 0 ? MOST : limit[37:6];

  // ---- bursts ----
  logic [31:0] to_boundary;
  logic [31:0] to_end;
  logic [31:0] size;  // instructions of the next burst
  logic [31:0] held;  // instructions in the buffer or on their way
  assign to_boundary = PER_BURST - (offset & (PER_BURST - 1));
  assign to_end = end_number - offset;
  assign size = to_boundary < to_end ? to_boundary : to_end;
  assign held = offset - taken;
  assign address = {12'd0, offset, 6'd0};
  assign bytes = {size[BURST_BITS-7:0], 6'd0};
  assign beats = bytes >> WIDTH_BITS;

  // Instructions of the bursts that are outstanding, oldest first.
  logic [4:0] sizes[0:15];
  logic [3:0] first;
  logic [3:0] free;
  logic [4:0] outstanding;
  logic [4:0] arriving;  // instructions of the oldest burst that have arrived
  assign request = offset != end_number && outstanding < weft_config_pkg::FETCH_BURSTS[4:0] && held + size <= DEPTH;
  assign at_end = offset == end_number && outstanding == 0;

  // ---- beats ----
  logic [BEAT_BITS-1:0] beat_index;
  logic arrives;  // the beat completes an instruction
  logic retires;  // and its burst
  assign arrives = beat && (&beat_index);
  assign retires = arrives && arriving + 5'd1 == sizes[first];
  assign valid = arrived != taken;
  assign instruction = buffer[taken[INDEX_BITS-1:0]];

  always_ff @(posedge clock) begin
    if (reset) begin
      offset <= 0;
      arrived <= 0;
      taken <= 0;
      first <= 0;
      free <= 0;
      outstanding <= 0;
      arriving <= 0;
      beat_index <= 0;
    end else begin
      if (grant) begin
        offset <= offset + size;
        sizes[free] <= size[4:0];
        free <= free + 4'd1;
      end
      if (beat) begin
        buffer[arrived[INDEX_BITS-1:0]][beat_index*8*WIDTH+:8*WIDTH] <= beat_data;
        beat_index <= beat_index + 1'b1;
      end
      if (arrives) begin
        arrived <= arrived + 1;
        arriving <= retires ? 5'd0 : arriving + 5'd1;
      end
      if (retires) first <= first + 4'd1;
      if (grant != retires) outstanding <= grant ? outstanding + 5'd1 : outstanding - 5'd1;
      if (take) taken <= taken + 1;
    end
  end
endmodule
