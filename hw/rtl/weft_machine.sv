// The machine: registers, fetch and dispatch, the four units, their memories, the memory port.
//
// Interface: a register slave, a memory master, a trace port; README.md in this folder describes them.
// Timing: docs/timing.md. Cycle 0 is the one in which the write to START is taken; all units are in reset while no run is on.
// Reset: synchronous; memories keep what they hold.
module weft_machine #(
    parameter WIDTH = weft_config_pkg::MEMORY_WIDTH,
    parameter BURST_BITS = $clog2(weft_config_pkg::MEMORY_BURST) + 1
) (
    input  logic clock,
    input  logic reset,
    output logic running,  // a run is on
    input  logic register_valid,
    output logic register_ready,
    input  logic register_write,
    input  logic [11:0] register_address,
    input  logic [63:0] register_write_data,
    output logic register_read_valid,
    output logic [63:0] register_read_data,
    output logic interrupt_request,
    output logic memory_valid,
    input  logic memory_ready,
    input  logic memory_error,
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
  localparam LOAD = weft_isa_pkg::UNIT_LOAD;
  localparam MATRIX = weft_isa_pkg::UNIT_MATRIX;
  localparam VECTOR = weft_isa_pkg::UNIT_VECTOR;
  localparam STORE = weft_isa_pkg::UNIT_STORE;
  localparam BLOCK = weft_config_pkg::BLOCK;
  localparam BLOCK_BITS = $clog2(BLOCK);
  localparam ACT_BITS = $clog2(weft_config_pkg::ACT_BYTES) - BLOCK_BITS;  // of a line
  localparam WGT_BITS = $clog2(weft_config_pkg::WGT_BYTES) - BLOCK_BITS;
  localparam PAR_BITS = $clog2(weft_config_pkg::PAR_BYTES) - BLOCK_BITS;
  localparam ACC_BITS = $clog2(weft_config_pkg::ACC_BYTES) - BLOCK_BITS - 2;
  localparam BANKS = weft_isa_pkg::LOAD_LUT_BANKS_LSB + 1 - weft_isa_pkg::LOAD_ACT_BANKS_LSB;
  localparam ACC_BANK = weft_isa_pkg::LOAD_ACC_BANKS_LSB - weft_isa_pkg::LOAD_ACT_BANKS_LSB;

  // ---- registers, counters, faults ----
  logic start_run, halt, fault;
  logic [3:0] fault_code;
  logic [31:0] fault_number, next_number;
  logic [8*64-1:0] region_base, region_limit;
  logic [63:0] watchdog_limit, cycle, counter_data;
  logic counter_read;
  logic [5:0] counter_index;
  weft_registers registers (
      .clock(clock),
      .reset(reset),
      .register_valid(register_valid),
      .register_ready(register_ready),
      .register_write(register_write),
      .register_address(register_address),
      .register_write_data(register_write_data),
      .register_read_valid(register_read_valid),
      .register_read_data(register_read_data),
      .start(start_run),
      .running(running),
      .halts(halt),
      .fault(fault),
      .fault_code(fault_code),
      .fault_number(fault_number),
      .memory_error(memory_error),
      .next_number(next_number),
      .region_base(region_base),
      .region_limit(region_limit),
      .watchdog_limit(watchdog_limit),
      .interrupt_request(interrupt_request),
      .counter_read(counter_read),
      .counter_index(counter_index),
      .counter_data(counter_data)
  );
  logic idle;  // between runs
  assign idle = reset || !running;

  // ---- memory port ----
  logic [2:0] request, grant, lost;  // fetch, store, load
  logic [49:0] fetch_address, store_address, load_address;
  logic [BURST_BITS-1:0] fetch_bytes, store_bytes, load_bytes, fetch_beats, store_beats, load_beats;
  logic [2:0] store_region, load_region;
  weft_arbiter arbiter (
      .clock(clock),
      .request(running ? request : 3'd0),
      .memory_ready(memory_ready),
      .memory_valid(memory_valid),
      .memory_master(memory_master),
      .grant(grant),
      .lost(lost)
  );
  always_comb begin
    memory_address = region_base[63:0] + {14'd0, fetch_address};
    memory_bytes = 11'(fetch_bytes);
    memory_beats = 9'(fetch_beats);
    if (memory_master == 2'd1) begin
      memory_address = region_base[{6'd0, store_region}*64+:64] + {14'd0, store_address};
      memory_bytes = 11'(store_bytes);
      memory_beats = 9'(store_beats);
    end else if (memory_master == 2'd2) begin
      memory_address = region_base[{6'd0, load_region}*64+:64] + {14'd0, load_address};
      memory_bytes = 11'(load_bytes);
      memory_beats = 9'(load_beats);
    end
  end

  // ---- fetch and dispatch ----
  logic fetch_valid, fetch_end, take, all_idle, outside;
  logic [511:0] fetched, instruction;
  logic [31:0] fetched_number, number;
  logic [3:0] full, push, count_full;
  logic pass, trying, fault_encoding, fault_program_end, count_fetch_empty, count_fence;
  weft_fetch fetch (
      .clock(clock),
      .reset(idle),
      .limit(region_limit[63:0]),
      .request(request[0]),
      .grant(grant[0]),
      .address(fetch_address),
      .bytes(fetch_bytes),
      .beats(fetch_beats),
      .beat(read_valid && read_fetch),
      .beat_data(read_data),
      .valid(fetch_valid),
      .instruction(fetched),
      .take(take),
      .at_end(fetch_end),
      .taken(fetched_number)
  );
  weft_dispatch dispatch (
      .clock(clock),
      .reset(idle),
      .region_limit(region_limit),
      .valid(fetch_valid),
      .fetched(fetched),
      .fetched_number(fetched_number),
      .at_end(fetch_end),
      .take(take),
      .full(full),
      .all_idle(all_idle),
      .push(push),
      .instruction(instruction),
      .number(number),
      .outside(outside),
      .pass(pass),
      .halt(halt),
      .trying(trying),
      .fault_encoding(fault_encoding),
      .fault_program_end(fault_program_end),
      .next_number(next_number),
      .count_empty(count_fetch_empty),
      .count_full(count_full),
      .count_fence(count_fence)
  );

  // ---- what the units share ----
  logic [3:0] ready, started, finish, waiting, flying;
  logic [3:0] fault_address, fault_bank, overflow, count_busy, count_empty;
  // verilator lint_off UNUSEDSIGNAL
  logic [15:0] tokens, wanted, given, count_wait;  // no unit waits for itself
  // verilator lint_on UNUSEDSIGNAL
  logic [4*512-1:0] heads;
  // verilator lint_off UNUSEDSIGNAL
  logic [4*BANKS-1:0] owned, starting, finish_banks;  // of those that finish, matrix wants its ACC banks
  // verilator lint_on UNUSEDSIGNAL
  logic [4*32-1:0] start_number, finish_number;
  localparam [127:0] ENDS = {
    weft_isa_pkg::STORE_END, weft_isa_pkg::VECTOR_END, weft_isa_pkg::MATRIX_END, weft_isa_pkg::LOAD_END
  };
  localparam [127:0] FLIGHTS = {
    weft_config_pkg::STORE_INSTRUCTIONS, 32'd2, weft_config_pkg::MATRIX_INSTRUCTIONS, weft_config_pkg::LOAD_INSTRUCTIONS
  };
  for (genvar u = 0; u < 4; u++) begin : g_unit
    // Banks of the other units in flight, and of those before this one that start now.
    logic [BANKS-1:0] others;
    always_comb begin
      others = 0;
      for (int v = 0; v < 4; v++) begin
        if (v != u) others = others | owned[v*BANKS+:BANKS];
        if (v < u) others = others | starting[v*BANKS+:BANKS];
      end
    end
    weft_unit #(
        .END(ENDS[u*32+:32]),
        .FLIGHTS(FLIGHTS[u*32+:32]),
        .BANKS(BANKS)
    ) unit (
        .clock(clock),
        .reset(idle),
        .push(push[u]),
        .push_instruction(instruction),
        .push_number(number),
        .push_outside(outside),
        .full(full[u]),
        .tokens(tokens[4*u+:4]),
        .take(wanted[4*u+:4]),
        .give(given[4*u+:4]),
        .instruction(heads[u*512+:512]),
        .ready(ready[u]),
        .start(started[u]),
        .finish(finish[u]),
        .owned(owned[u*BANKS+:BANKS]),
        .starting(starting[u*BANKS+:BANKS]),
        .others(others),
        .finish_banks(finish_banks[u*BANKS+:BANKS]),
        .fault_address(fault_address[u]),
        .fault_bank(fault_bank[u]),
        .start_number(start_number[u*32+:32]),
        .finish_number(finish_number[u*32+:32]),
        .waiting(waiting[u]),
        .flying(flying[u]),
        .count_busy(count_busy[u]),
        .count_empty(count_empty[u]),
        .count_wait(count_wait[4*u+:4])
    );
  end
  assign all_idle = (waiting | flying) == 0;

  weft_semaphores #(
      .SEMAPHORE_MAX(weft_config_pkg::SEMAPHORE_MAX)
  ) semaphores (
      .clock(clock),
      .reset(idle),
      .take(started),
      .wait_masks(wanted),
      .give(finish),
      .signal_masks(given),
      .available(tokens),
      .overflow(overflow)
  );

  weft_faults faults (
      .running(running),
      .dispatch_encoding(fault_encoding),
      .dispatch_program_end(fault_program_end),
      .dispatch_number(next_number),
      .overflow(overflow),
      .finish_numbers(finish_number),
      .outside(fault_address),
      .bank(fault_bank),
      .start_numbers(start_number),
      .in_flight(flying),
      .starts(started),
      .blocked(trying),
      .head_valid(waiting),
      .head_numbers(start_number),
      .cycle(cycle),
      .watchdog_limit(watchdog_limit),
      .halts(halt),
      .next_number(next_number),
      .fault(fault),
      .code(fault_code),
      .number(fault_number)
  );

  // ---- load and store ----
  logic load_pending, store_pending, beat, fill_valid;
  logic [23:0] beat_local, fill_local;
  logic [WIDTH-1:0] beat_strobe;
  logic [1:0] beat_memory;
  logic [BLOCK_BITS:0] fill_bytes;
  logic [7:0] fill_value;
  assign beat = read_valid && !read_fetch && running;
  weft_load load (
      .clock(clock),
      .reset(idle),
      .instruction(heads[LOAD*512+:512]),
      .ready(ready[LOAD]),
      .start(started[LOAD]),
      .finish(finish[LOAD]),
      .pending(load_pending),
      .request(request[2]),
      .grant(grant[2]),
      .region(load_region),
      .address(load_address),
      .bytes(load_bytes),
      .beats(load_beats),
      .beat(beat),
      .beat_local(beat_local),
      .beat_strobe(beat_strobe),
      .beat_memory(beat_memory),
      .fill_valid(fill_valid),
      .fill_local(fill_local),
      .fill_bytes(fill_bytes),
      .fill_value(fill_value)
  );

  logic [3:0] load_valid;
  // verilator lint_off UNUSEDSIGNAL
  logic [23-BLOCK_BITS:0] load_line, fill_line;  // extents were checked: the upper bits are zero
  // verilator lint_on UNUSEDSIGNAL
  logic [2*BLOCK-1:0] load_strobe;
  logic [16*BLOCK-1:0] load_data;
  logic [BLOCK-1:0] fill_strobe;
  weft_load_write load_write (
      .clock(clock),
      .reset(idle),
      .beat(beat),
      .beat_data(read_data),
      .beat_local(beat_local),
      .beat_strobe(beat_strobe),
      .beat_memory(beat_memory),
      .write_valid(load_valid),
      .write_line(load_line),
      .write_strobe(load_strobe),
      .write_data(load_data),
      .fill_local(fill_local),
      .fill_bytes(fill_bytes),
      .fill_line(fill_line),
      .fill_strobe(fill_strobe)
  );

  logic [1:0] store_valid;
  logic [ACT_BITS-1:0] store_line;
  logic [16*BLOCK-1:0] store_read_data;
  weft_store store (
      .clock(clock),
      .reset(idle),
      .instruction(heads[STORE*512+:512]),
      .ready(ready[STORE]),
      .start(started[STORE]),
      .finish(finish[STORE]),
      .pending(store_pending),
      .request(request[1]),
      .grant(grant[1]),
      .region(store_region),
      .address(store_address),
      .bytes(store_bytes),
      .beats(store_beats),
      .write_request(write_request && running),
      .write_valid(write_valid),
      .write_data(write_data),
      .write_strobe(write_strobe),
      .read_valid(store_valid),
      .read_line(store_line),
      .read_data(store_read_data)
  );

  // ---- matrix ----
  logic stream;
  logic [3:0] matrix_act_valid;
  logic [4*(ACT_BITS-2)-1:0] matrix_act_line;
  logic [32*BLOCK-1:0] matrix_act_data, matrix_acc_data, matrix_acc_write_data;
  logic [1:0] wgt_valid;
  logic [WGT_BITS-2:0] wgt_line;
  logic [16*BLOCK-1:0] wgt_data;
  logic matrix_acc_valid, matrix_acc_write;
  logic [ACC_BITS-1:0] matrix_acc_entry, matrix_acc_write_entry;
  weft_matrix matrix (
      .clock(clock),
      .reset(idle),
      .instruction(heads[MATRIX*512+:512]),
      .ready(ready[MATRIX]),
      .start(started[MATRIX]),
      .finish(finish[MATRIX]),
      .finish_acc_banks(finish_banks[MATRIX*BANKS+ACC_BANK+:4]),
      .stream(stream),
      .act_valid(matrix_act_valid),
      .act_line(matrix_act_line),
      .act_read_data(matrix_act_data),
      .wgt_valid(wgt_valid),
      .wgt_line(wgt_line),
      .wgt_read_data(wgt_data),
      .acc_read_valid(matrix_acc_valid),
      .acc_read_entry(matrix_acc_entry),
      .acc_read_data(matrix_acc_data),
      .acc_write_valid(matrix_acc_write),
      .acc_write_entry(matrix_acc_write_entry),
      .acc_write_data(matrix_acc_write_data)
  );

  // ---- vector ----
  logic slot, vector_act_valid, vector_act_write, vector_acc_valid, par_valid, lut_valid;
  logic [ACT_BITS-1:0] vector_act_line;
  logic [8*BLOCK-1:0] vector_act_write_data, vector_act_data, par_data, lut_index, lut_data;
  logic [ACC_BITS-1:0] vector_acc_entry;
  logic [32*BLOCK-1:0] vector_acc_data;
  logic [PAR_BITS-1:0] par_line;
  assign ready[VECTOR] = !flying[VECTOR];
  weft_vector vector (
      .clock(clock),
      .reset(idle),
      .stop(1'b0),
      .start(started[VECTOR]),
      .instruction(heads[VECTOR*512+:512]),
      .finish(finish[VECTOR]),
      .slot(slot),
      .act_valid(vector_act_valid),
      .act_write(vector_act_write),
      .act_line(vector_act_line),
      .act_write_data(vector_act_write_data),
      .act_read_data(vector_act_data),
      .acc_valid(vector_acc_valid),
      .acc_entry(vector_acc_entry),
      .acc_read_data(vector_acc_data),
      .par_valid(par_valid),
      .par_line(par_line),
      .par_read_data(par_data),
      .lut_valid(lut_valid),
      .lut_index(lut_index),
      .lut_read_data(lut_data)
  );

  // ---- memories ----
  // Accesses that a fault left in the pipelines do nothing: an instruction that broke a promise could otherwise use a bank that is
  // not its own.
  weft_act act (
      .clock(clock),
      .load_valid(running && load_valid[weft_isa_pkg::TARGET_ACT]),
      .load_line(load_line[ACT_BITS-1:0]),
      .load_strobe(load_strobe),
      .load_data(load_data),
      .fill_valid(running && fill_valid),
      .fill_line(fill_line[ACT_BITS-1:0]),
      .fill_strobe(fill_strobe),
      .fill_value(fill_value),
      .matrix_valid(running ? matrix_act_valid : 4'd0),
      .matrix_line(matrix_act_line),
      .matrix_read_data(matrix_act_data),
      .vector_valid(running && vector_act_valid),
      .vector_write(vector_act_write),
      .vector_line(vector_act_line),
      .vector_write_data(vector_act_write_data),
      .vector_read_data(vector_act_data),
      .store_valid(running ? store_valid : 2'd0),
      .store_line(store_line),
      .store_read_data(store_read_data)
  );
  weft_wgt wgt (
      .clock(clock),
      .load_valid(running && load_valid[weft_isa_pkg::TARGET_WGT]),
      .load_line(load_line[WGT_BITS-1:0]),
      .load_strobe(load_strobe),
      .load_data(load_data),
      .read_valid(running ? wgt_valid : 2'd0),
      .read_line(wgt_line),
      .read_data(wgt_data)
  );
  weft_par par (
      .clock(clock),
      .load_valid(running && load_valid[weft_isa_pkg::TARGET_PAR]),
      .load_line(load_line[PAR_BITS-1:0]),
      .load_strobe(load_strobe),
      .load_data(load_data),
      .read_valid(running && par_valid),
      .read_line(par_line),
      .read_data(par_data)
  );
  weft_lut lut (
      .clock(clock),
      .load_valid(running && load_valid[weft_isa_pkg::TARGET_LUT]),
      .load_line(load_line[7:0]),
      .load_strobe(load_strobe),
      .load_data(load_data),
      .read_valid(running && lut_valid),
      .read_index(lut_index),
      .read_data(lut_data)
  );
  weft_acc acc (
      .clock(clock),
      .matrix_read_valid(running && matrix_acc_valid),
      .matrix_read_entry(matrix_acc_entry),
      .matrix_read_data(matrix_acc_data),
      .matrix_write_valid(running && matrix_acc_write),
      .matrix_write_entry(matrix_acc_write_entry),
      .matrix_write_data(matrix_acc_write_data),
      .vector_valid(running && vector_acc_valid),
      .vector_entry(vector_acc_entry),
      .vector_read_data(vector_acc_data)
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
  weft_counters counters (
      .clock(clock),
      .reset(reset),
      .clear(start_run),
      .run(running),
      .increment(events),
      .grant(grant),
      .granted_bytes(memory_bytes),
      .granted_beats(memory_beats),
      .cycle(cycle),
      .read(counter_read),
      .read_index(counter_index),
      .read_data(counter_data)
  );

  // In the cycle after the last one the units are not in reset yet.
  assign trace_dispatched = running && pass;
  assign trace_dispatched_number = number;
  assign trace_started = running ? started & ~(fault_address | fault_bank) : 4'd0;
  assign trace_started_numbers = start_number;
  assign trace_finished = running ? finish : 4'd0;
  assign trace_finished_numbers = finish_number;
endmodule
