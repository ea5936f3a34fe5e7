// The machine: registers, counters, the memory port, control (weft_control), units and memories (weft_datapath).
//
// Interface: a register slave, a memory master, a trace port; README.md in this folder describes them.
// Timing: docs/timing.md. Cycle 0 is the one in which the write to START is taken; all units are in reset while no run is on.
// Clocks: all of it is on `clock`. With WEFT_CLOCK_GATES control and each unit have a clock of their own, from weft_clocks, which is not here:
// hw/tb/stand_ins has the one of simulation, a chip may have its own.
// Reset: synchronous; memories keep what they hold. A write to ABORT resets all but these and what the driver has written.
module weft_machine #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,
    localparam WIDTH = CONFIG[weft_config_pkg::AT_MEMORY_WIDTH+:32],
    localparam BURST_BITS = $clog2(CONFIG[weft_config_pkg::AT_MEMORY_BURST+:32]) + 1
) (
    input  logic clock,
    input  logic reset,
    output logic running,  // a run is on
    input  logic register_valid,
    output logic register_ready,
    input  logic register_write,
    input  logic [11:0] register_address,
    input  logic [63:0] register_write_data,
    input  logic [1:0] register_write_strobe,
    output logic register_read_valid,
    output logic [63:0] register_read_data,
    output logic interrupt_request,
    output logic memory_valid,
    input  logic memory_ready,
    input  logic memory_error,
    input  logic bus_busy,
    output logic [1:0] memory_master,
    output logic [63:0] memory_address,
    output logic [10:0] memory_bytes,
    output logic [8:0] memory_beats,
    input  logic read_valid,
    input  logic read_fetch,
    input  logic [8*WIDTH-1:0] read_data,
    input  logic write_request,
    output logic write_valid,
    output logic [8*WIDTH-1:0] write_data,
    output logic [WIDTH-1:0] write_strobe,
    output logic trace_dispatched,
    output logic [31:0] trace_dispatched_number,
    output logic [3:0] trace_started,
    output logic [127:0] trace_started_numbers,
    output logic [3:0] trace_finished,
    output logic [127:0] trace_finished_numbers
);
  weft_config_check #(
      .CONFIG(CONFIG)
  ) config_check ();

  // ---- clocks ----
`ifdef WEFT_CLOCK_GATES
  logic control_clock, load_clock, matrix_clock, vector_clock, store_clock;
  weft_clocks clocks (
      .clock(clock),
      .idle(idle),
      .start(start),
      .finish(finish),
      .flying(flying),
      .fetches(grant[0] || read_valid && read_fetch),
      .dispatches(!(count_fetch_empty || count_fence || count_full != 0)),
      .fault(fault),
      .control_clock(control_clock),
      .load_clock(load_clock),
      .matrix_clock(matrix_clock),
      .vector_clock(vector_clock),
      .store_clock(store_clock)
  );
`endif

  // ---- registers ----
  logic start_run, aborts, idle, halt, fault;
  logic [3:0] fault_code;
  logic [31:0] fault_number, next_number;
  logic [8*64-1:0] region_base, region_limit;
  logic [7:0] region_writable;
  logic [63:0] watchdog_limit, cycles, counter_data;
  logic counter_read;
  logic [5:0] counter_index;
  weft_registers #(
      .CONFIG(CONFIG)
  ) registers (
      .clock(clock),
      .reset(reset),
      .register_valid(register_valid),
      .register_ready(register_ready),
      .register_write(register_write),
      .register_address(register_address),
      .register_write_data(register_write_data),
      .register_write_strobe(register_write_strobe),
      .register_read_valid(register_read_valid),
      .register_read_data(register_read_data),
      .start(start_run),
      .aborts(aborts),
      .running(running),
      .idle(idle),
      .halts(halt),
      .fault(fault),
      .fault_code(fault_code),
      .fault_number(fault_number),
      .bus_busy(bus_busy),
      .memory_error(memory_error),
      .next_number(next_number),
      .region_base(region_base),
      .region_limit(region_limit),
      .region_writable(region_writable),
      .watchdog_limit(watchdog_limit),
      .interrupt_request(interrupt_request),
      .counter_read(counter_read),
      .counter_index(counter_index),
      .counter_data(counter_data)
  );

  // ---- memory port ----
  logic [2:0] request, grant, lost;  // fetch, store, load
  logic [49:0] fetch_address;
  logic [63:0] store_address, load_address;
  logic [BURST_BITS-1:0] fetch_bytes, store_bytes, load_bytes, fetch_beats, store_beats, load_beats;
  logic [2:0] store_region, load_region;  // for an assertion
  weft_port #(
      .CONFIG(CONFIG)
  ) port (
      .clock(clock),
      .running(running),
      .fetch_base(region_base[63:10]),
      .request(request),
      .grant(grant),
      .lost(lost),
      .fetch_address(fetch_address),
      .fetch_bytes(fetch_bytes),
      .fetch_beats(fetch_beats),
      .store_address(store_address),
      .store_bytes(store_bytes),
      .store_beats(store_beats),
      .load_address(load_address),
      .load_bytes(load_bytes),
      .load_beats(load_beats),
      .memory_valid(memory_valid),
      .memory_ready(memory_ready),
      .memory_master(memory_master),
      .memory_address(memory_address),
      .memory_bytes(memory_bytes),
      .memory_beats(memory_beats)
  );

  // ---- control ----
  logic [4*512-1:0] heads;
  // verilator lint_off UNUSEDSIGNAL
  logic [3:0] flying;  // asked for by vector
  logic [15:0] count_wait;  // no unit waits for itself
  // verilator lint_on UNUSEDSIGNAL
  logic [3:0] ready, start, refused, finish, finish_acc_banks, count_full, count_busy, count_empty;
  logic [4*32-1:0] start_numbers, finish_numbers;
  logic [31:0] number;
  logic pass, count_fetch_empty, count_fence;
  weft_control #(
      .CONFIG(CONFIG)
  ) control (
`ifdef WEFT_CLOCK_GATES
      .clock(control_clock),
`else
      .clock(clock),
`endif
      .idle(idle),
      .running(running),
      .cycles(cycles),
      .watchdog_limit(watchdog_limit),
      .region_limit(region_limit),
      .region_writable(region_writable),
      .fetch_request(request[0]),
      .fetch_grant(grant[0]),
      .fetch_address(fetch_address),
      .fetch_bytes(fetch_bytes),
      .fetch_beats(fetch_beats),
      .fetch_beat(read_valid && read_fetch),
      .fetch_data(read_data),
      .heads(heads),
      .flying(flying),
      .ready(ready),
      .start(start),
      .refused(refused),
      .start_numbers(start_numbers),
      .finish(finish),
      .finish_acc_banks(finish_acc_banks),
      .finish_numbers(finish_numbers),
      .pass(pass),
      .number(number),
      .halt(halt),
      .fault(fault),
      .fault_code(fault_code),
      .fault_number(fault_number),
      .next_number(next_number),
      .count_fetch_empty(count_fetch_empty),
      .count_full(count_full),
      .count_fence(count_fence),
      .count_busy(count_busy),
      .count_empty(count_empty),
      .count_wait(count_wait)
  );

  // ---- units and memories ----
  logic load_pending, store_pending, stream, slot, fill_valid;
  weft_datapath #(
      .CONFIG(CONFIG)
  ) datapath (
      .clock(clock),
`ifdef WEFT_CLOCK_GATES
      .load_clock(load_clock),
      .matrix_clock(matrix_clock),
      .vector_clock(vector_clock),
      .store_clock(store_clock),
`endif
      .idle(idle),
      .running(running),
      .region_base(region_base),
      .heads(heads),
      .vector_flying(flying[weft_isa_pkg::UNIT_VECTOR]),
      .ready(ready),
      .start(start),
      .finish(finish),
      .finish_acc_banks(finish_acc_banks),
      .load_pending(load_pending),
      .load_request(request[2]),
      .load_grant(grant[2]),
      .load_region(load_region),
      .load_address(load_address),
      .load_bytes(load_bytes),
      .load_beats(load_beats),
      .beat(read_valid && !read_fetch && running),
      .read_data(read_data),
      .store_pending(store_pending),
      .store_request(request[1]),
      .store_grant(grant[1]),
      .store_region(store_region),
      .store_address(store_address),
      .store_bytes(store_bytes),
      .store_beats(store_beats),
      .write_request(write_request && running),
      .write_valid(write_valid),
      .write_data(write_data),
      .write_strobe(write_strobe),
      .stream(stream),
      .slot(slot),
      .fill_valid(fill_valid)
  );

  // ---- events ----
  logic [weft_config_pkg::COUNTERS-1:0] events;
  always_comb begin
    events = 0;
    events[weft_config_pkg::COUNTER_INSTRUCTIONS] = pass;
    events[weft_config_pkg::COUNTER_FETCH_LOST] = lost[0];
    events[weft_config_pkg::COUNTER_STORE_LOST] = lost[1];
    events[weft_config_pkg::COUNTER_LOAD_LOST] = lost[2];
    events[weft_config_pkg::COUNTER_LOAD_LIMIT] = load_pending && !request[2];
    events[weft_config_pkg::COUNTER_STORE_LIMIT] = store_pending && !request[1];
    events[weft_config_pkg::COUNTER_DISPATCH_EMPTY] = count_fetch_empty;
    events[weft_config_pkg::COUNTER_DISPATCH_FULL_LOAD+:4] = count_full;
    events[weft_config_pkg::COUNTER_DISPATCH_FENCE] = count_fence;
    events[weft_config_pkg::COUNTER_LOAD_BUSY+:4] = count_busy;
    events[weft_config_pkg::COUNTER_LOAD_EMPTY+:4] = count_empty;
    events[weft_config_pkg::COUNTER_LOAD_WAIT_MATRIX+:3] = count_wait[3:1];
    events[weft_config_pkg::COUNTER_MATRIX_WAIT_LOAD+:3] = {count_wait[7:6], count_wait[4]};
    events[weft_config_pkg::COUNTER_VECTOR_WAIT_LOAD+:3] = {count_wait[11], count_wait[9:8]};
    events[weft_config_pkg::COUNTER_STORE_WAIT_LOAD+:3] = count_wait[14:12];
    events[weft_config_pkg::COUNTER_MATRIX_STREAM] = stream;
    events[weft_config_pkg::COUNTER_VECTOR_SLOTS] = slot;
    events[weft_config_pkg::COUNTER_FILL_LINES] = fill_valid;
  end
  weft_counters #(
      .CONFIG(CONFIG)
  ) counters (
      .clock(clock),
      .reset(reset),
      .clear(start_run || aborts),
      .run(running),
      .increment(events),
      .grant(grant),
      .granted_bytes(memory_bytes),
      .granted_beats(memory_beats),
      .cycles(cycles),
      .read(counter_read),
      .read_index(counter_index),
      .read_data(counter_data)
  );

  // In the cycle after the last one the units are not in reset yet.
  assign trace_dispatched = running && pass;
  assign trace_dispatched_number = number;
  assign trace_started = running ? start & ~refused : 4'd0;
  assign trace_started_numbers = start_numbers;
  assign trace_finished = running ? finish : 4'd0;
  assign trace_finished_numbers = finish_numbers;

`ifndef SYNTHESIS
  // No burst leaves its region, and none of store goes to one that the driver has not made writable.
  always_ff @(posedge clock) begin : region_bounds
    logic [2:0] memory_region;
    logic [63:0] memory_offset;
    if (memory_valid && !reset) begin
      memory_region = memory_master == 2'd0 ? 3'd0 : memory_master == 2'd1 ? store_region : load_region;
      memory_offset = memory_address - region_base[{6'd0, memory_region}*64+:64];
      if ((memory_offset + {53'd0, memory_bytes} <= region_limit[{6'd0, memory_region}*64+:64]) !== 1'b1)
        $error("weft_machine: a burst leaves its region");
      if ((memory_master != 2'd1 || region_writable[memory_region]) !== 1'b1)
        $error("weft_machine: a region that is not writable is written");
    end
  end
`endif
endmodule
