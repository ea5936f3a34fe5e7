// Walks over the runs of a three-level strided copy, in loop order (level 0 outermost), and cuts each run into bursts
// that do not cross a multiple of BOUNDARY bytes.
//
// Interface: `start` with the fields of the instruction sets up the first burst; `advance` moves to the next one and must
// not be given on the last. address and local are those of the first byte of the burst.
// Timing: outputs follow from registers; the burst after a start or an advance in T is there in T+1.
// Reset: none; nothing is meaningful before the first start.
//
// Each level keeps the place where its current iteration began, so that no level needs a multiplication.
module weft_burst_walk #(
    parameter BOUNDARY = 256,  // bytes, a power of two
    parameter WIDTH = 8  // bytes of a beat, a power of two
) (
    input  logic clock,
    input  logic start,
    input  logic [49:0] start_address,
    input  logic [23:0] start_local,
    input  logic [23:0] start_run,
    input  logic [47:0] start_count,  // 3 x 16, level 0 in the low bits
    input  logic [95:0] start_address_stride,  // 3 x 32
    input  logic [71:0] start_local_stride,  // 3 x 24
    input  logic advance,
    output logic [49:0] address,
    output logic [23:0] local_address,
    output logic [$clog2(BOUNDARY):0] bytes,
    output logic [$clog2(BOUNDARY):0] beats,
    output logic last
);
  localparam OFFSET_BITS = $clog2(BOUNDARY);
  localparam WIDTH_BITS = $clog2(WIDTH);

  logic [23:0] run;
  // verilator lint_off UNUSEDSIGNAL
  logic [47:0] count;  // level 0 never begins again
  // verilator lint_on UNUSEDSIGNAL
  logic [95:0] address_stride;
  logic [71:0] local_stride;
  logic [23:0] remaining;  // bytes of the run from this burst on
  logic [2:0] at_end;  // this level is in its last iteration
  logic [15:0] left[0:2];  // iterations after this one
  logic [49:0] run_address;  // where this run, this iteration of level 1, of level 0 began
  logic [49:0] address_1;
  logic [49:0] address_0;
  logic [23:0] run_local;
  logic [23:0] local_1;
  logic [23:0] local_0;

  logic [OFFSET_BITS:0] room;
  assign room = BOUNDARY[OFFSET_BITS:0] - {1'b0, address[OFFSET_BITS-1:0]};
  logic run_ends;
  assign run_ends = remaining <= {{23 - OFFSET_BITS{1'b0}}, room};
  assign bytes = run_ends ? remaining[OFFSET_BITS:0] : room;
  // verilator lint_off UNUSEDSIGNAL
  logic [OFFSET_BITS+1:0] reach;  // from the start of the first beat to the last byte; in bytes; only the beats count
  // verilator lint_on UNUSEDSIGNAL
  assign reach = {1'b0, bytes} + {{OFFSET_BITS + 2 - WIDTH_BITS{1'b0}}, address[WIDTH_BITS-1:0]} - 1'b1;
  assign beats = {{WIDTH_BITS{1'b0}}, reach[OFFSET_BITS:WIDTH_BITS]} + 1'b1;
  assign at_end = {left[2] == 0, left[1] == 0, left[0] == 0};
  assign last = run_ends && (&at_end);

  // Where the next run begins.
  logic [49:0] next_address;
  logic [23:0] next_local;
  always_comb begin
    if (!at_end[2]) begin
      next_address = run_address + {{18{address_stride[95]}}, address_stride[95:64]};
      next_local = run_local + local_stride[71:48];
    end else if (!at_end[1]) begin
      next_address = address_1 + {{18{address_stride[63]}}, address_stride[63:32]};
      next_local = local_1 + local_stride[47:24];
    end else begin
      next_address = address_0 + {{18{address_stride[31]}}, address_stride[31:0]};
      next_local = local_0 + local_stride[23:0];
    end
  end

  always_ff @(posedge clock) begin
    if (start) begin
      run <= start_run;
      count <= start_count;
      address_stride <= start_address_stride;
      local_stride <= start_local_stride;
      address <= start_address;
      run_address <= start_address;
      address_1 <= start_address;
      address_0 <= start_address;
      local_address <= start_local;
      run_local <= start_local;
      local_1 <= start_local;
      local_0 <= start_local;
      remaining <= start_run;
      for (int i = 0; i < 3; i++) left[i] <= start_count[i*16+:16] - 16'd1;
    end else if (advance && !run_ends) begin
      address <= address + {{49 - OFFSET_BITS{1'b0}}, bytes};
      local_address <= local_address + {{23 - OFFSET_BITS{1'b0}}, bytes};
      remaining <= remaining - {{23 - OFFSET_BITS{1'b0}}, bytes};
    end else if (advance) begin
      remaining <= run;
      address <= next_address;
      run_address <= next_address;
      local_address <= next_local;
      run_local <= next_local;
      left[2] <= at_end[2] ? count[47:32] - 16'd1 : left[2] - 16'd1;
      if (at_end[2]) begin
        left[1] <= at_end[1] ? count[31:16] - 16'd1 : left[1] - 16'd1;
        address_1 <= next_address;
        local_1 <= next_local;
        if (at_end[1]) begin
          left[0] <= left[0] - 16'd1;
          address_0 <= next_address;
          local_0 <= next_local;
        end
      end
    end
  end
endmodule
