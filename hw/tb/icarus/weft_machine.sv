// A stand-in for weft_machine in the bench of weft_axi_machine: the real registers, and behind them
// traffic at random instead of the units. It checks what weft_axi_master gives it.
//
// A run of kind 0 issues `bursts` bursts of the three masters and then halts; of kind 1 it raises a fault in the middle;
// of kind 2 it halts with reads of fetch still on their way. `window` holds what external memory must hold: a
// burst of store changes it when it is accepted, and a read expects what it holds when it is accepted. So that this is
// what the master promises, a block of 1024 bytes is not written while reads of it are on their way.
module weft_machine #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,  // as that of the real one has
    parameter WIDTH = 8  // bytes of a beat; the bench has no other
) (
    input  logic        clock,
    input  logic        reset,
    output logic        running,
    output logic        interrupt_request,
    input  logic        register_valid,
    output logic        register_ready,
    input  logic        register_write,
    input  logic [11:0] register_address,
    input  logic [63:0] register_write_data,
    input  logic [ 1:0] register_write_strobe,
    output logic        register_read_valid,
    output logic [63:0] register_read_data,
    output logic        memory_valid,
    input  logic        memory_ready,
    output logic [ 1:0] memory_master,
    output logic [63:0] memory_address,
    output logic [10:0] memory_bytes,
    output logic [ 8:0] memory_beats,
    input  logic        memory_error,
    input  logic        bus_busy,
    input  logic        read_valid,
    input  logic        read_fetch,
    input  logic [63:0] read_data,
    input  logic        write_request,
    output logic        write_valid,
    output logic [63:0] write_data,
    output logic [ 7:0] write_strobe,
    output logic        trace_dispatched,
    output logic [31:0] trace_dispatched_number,
    output logic [ 3:0] trace_started,
    output logic [127:0] trace_started_numbers,
    output logic [ 3:0] trace_finished,
    output logic [127:0] trace_finished_numbers
);
  localparam integer SIZE = 8192;  // bytes of the window, from the base of region 0 on
  localparam integer BEATS = SIZE / 8;
  localparam integer FIFO = 8192;
  localparam integer READS = 64;  // bursts outstanding, fewer than weft_axi_master has room for
  localparam [31:0] NEXT = 32'd1234;

  integer kind = 0;
  integer stores = 0;  // chance in 16 of a short store instead of any burst
  integer bursts = 0;
  logic [7:0] window[0:SIZE-1];

  logic start;
  logic aborts;
  logic halts = 0;
  logic fault = 0;
  logic [511:0] region_base;
  logic [511:0] region_limit;
  logic [7:0] region_writable;
  logic [63:0] watchdog_limit;
  logic counter_read;
  logic [5:0] counter_index;
  logic [63:0] counter_data;
  logic raised;  // a fault, in the cycle before
  always @(posedge clock) raised <= fault && running;
  weft_registers registers (
      .idle(),
      .fault(fault && running),
      .fault_code(raised ? weft_isa_pkg::FAULT_BANK[3:0] : 4'd0),
      .fault_number(32'd77),
      .next_number(NEXT),
      .*
  );
  always @(posedge clock) if (counter_read) counter_data <= {58'h123456789ab, counter_index};

  // Expected read beats, write beats to give, and the blocks of outstanding reads.
  reg [64:0] reads[0:FIFO-1];
  integer reads_in, reads_out;
  reg [71:0] writes[0:FIFO-1];
  integer writes_in, writes_out;
  integer not_before[0:FIFO-1];  // cycle in which a write beat may be asked for
  integer readers[0:SIZE/1024-1];  // beats on their way, by block
  integer outstanding;  // read bursts
  reg last_of_burst[0:FIFO-1];
  integer accepted, cycle, beats_moved;

  reg pending = 0;
  integer offset, bytes, beats, i;
  reg [72:0] pipe[0:2];
  assign memory_valid = pending;
  assign write_valid = pipe[2][72];
  assign {write_strobe, write_data} = pipe[2][71:0];

  integer block_of_read[0:FIFO-1];

  // Chooses the next burst.
  task choose;
    begin
      memory_master = $urandom % 3;
      offset = $urandom % SIZE;
      bytes = 1 + $urandom % ($urandom % 4 == 0 ? 16 : 256);
      if (memory_master == 0) begin
        offset = offset / 64 * 64;
        bytes = 64 * (1 + $urandom % 4);
      end
      if ($urandom % 16 < stores) begin
        memory_master = 1;
        bytes = 1 + $urandom % 16;
      end
      if (offset % 256 + bytes > 256) bytes = 256 - offset % 256;
      if (memory_master == 1 && readers[offset/1024] != 0) begin
        pending = 0;
      end else if (memory_master != 1 && outstanding >= READS) begin
        pending = 0;
      end else begin
        beats = (offset + bytes - 1) / 8 - offset / 8 + 1;
        memory_address = region_base[63:0] + offset;
        memory_bytes = bytes;
        memory_beats = beats;
        pending = 1;
      end
    end
  endtask

  // The burst is accepted: what must be read, or what will be written.
  task accept;
    reg [63:0] word;
    reg [7:0] strobe;
    integer b, k, position;
    begin
      for (b = 0; b < beats; b = b + 1) begin
        for (k = 0; k < 8; k = k + 1) begin
          position = offset / 8 * 8 + 8 * b + k;
          strobe[k] = position >= offset && position < offset + bytes;
          if (memory_master == 1) begin
            word[8*k+:8] = $urandom;
            if (strobe[k]) window[position] = word[8*k+:8];
          end else begin
            word[8*k+:8] = window[position];
          end
        end
        if (memory_master == 1) begin
          writes[writes_in%FIFO] = {strobe, word};
          not_before[writes_in%FIFO] = cycle + 4;
          writes_in = writes_in + 1;
        end else begin
          reads[reads_in%FIFO] = {memory_master == 0, word};
          block_of_read[reads_in%FIFO] = offset / 1024;
          last_of_burst[reads_in%FIFO] = b == beats - 1;
          readers[offset/1024] = readers[offset/1024] + 1;
          reads_in = reads_in + 1;
        end
      end
      if (memory_master != 1) outstanding = outstanding + 1;
      accepted = accepted + 1;
    end
  endtask

  always @(posedge clock) begin
    cycle = cycle + 1;
    if (read_valid && write_request) $fatal(1, "a read beat and a write request at once");
    if (!running && (read_valid || write_request || memory_ready)) begin
      $fatal(1, "the port moves while the machine stands");
    end
    if (reset || start) begin
      reads_in = 0;
      reads_out = 0;
      writes_in = 0;
      writes_out = 0;
      outstanding = 0;
      accepted = 0;
      cycle = 0;
      beats_moved = 0;
      pending = 0;
      for (i = 0; i < SIZE / 1024; i = i + 1) readers[i] = 0;
      for (i = 0; i < 3; i = i + 1) pipe[i] <= 0;
      halts <= 0;
      fault <= 0;
    end else if (running) begin
      if (read_valid) begin
        beats_moved = beats_moved + 1;
        if (reads_out == reads_in) $fatal(1, "a read beat too many");
        if (reads[reads_out%FIFO] !== {read_fetch, read_data}) begin
          $fatal(1, "read beat %0d is %h, not %h", reads_out, {read_fetch, read_data},
                 reads[reads_out%FIFO]);
        end
        i = block_of_read[reads_out%FIFO];
        readers[i] = readers[i] - 1;
        if (last_of_burst[reads_out%FIFO]) outstanding = outstanding - 1;
        reads_out = reads_out + 1;
      end
      pipe[0] <= 0;
      pipe[1] <= pipe[0];
      pipe[2] <= pipe[1];
      if (write_request) begin
        beats_moved = beats_moved + 1;
        if (writes_out == writes_in) $fatal(1, "a write beat too many is asked for");
        if (cycle < not_before[writes_out%FIFO]) $fatal(1, "a write beat is asked for too early");
        pipe[0] <= {1'b1, writes[writes_out%FIFO]};
        writes_out = writes_out + 1;
      end
      // The burst that was shown in this cycle, then perhaps another.
      if (memory_valid && memory_ready) begin
        accept;
        pending = 0;
      end
      if (!pending && accepted < bursts && $urandom % 4 != 0) choose;
      fault <= kind == 1 && accepted > bursts / 2 && $urandom % 8 == 0;
      halts <= kind != 1 && accepted == bursts && writes_in == writes_out && !pipe[0][72] &&
               !pipe[1][72] && !pipe[2][72] && !write_request &&
               (kind == 2 || reads_in == reads_out);
    end else begin
      pending = 0;
      halts <= 0;
      fault <= 0;
    end
  end
endmodule
