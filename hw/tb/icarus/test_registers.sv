// weft_registers against a plain model: accesses to halves and wholes, ends of runs, faults, bus errors, aborts and a
// bus that is busy at random.
module test;
  logic clock = 0, reset = 1;
  always #5 clock = !clock;
  logic register_valid = 0, register_write, register_ready, register_read_valid;
  logic [11:0] register_address;
  logic [63:0] register_write_data, register_read_data;
  logic [1:0] register_write_strobe;
  logic start, aborts, running, idle, halts = 0, fault = 0, memory_error = 0, bus_busy = 0, interrupt_request;
  logic [3:0] fault_code;
  logic [31:0] fault_number, next_number;
  logic [511:0] region_base, region_limit;
  logic [7:0] region_writable;
  logic [63:0] watchdog_limit, counter_data;
  logic counter_read;
  logic [5:0] counter_index;
  weft_registers dut (.*);
  always @(posedge clock) if (counter_read) counter_data <= {58'h2a5a5a5a5a5a5a5, counter_index};

  // The model, as of the beginning of a cycle.
  reg m_running = 0, m_stopping = 0, m_ended = 0, m_pending = 0, m_enabled = 0, m_raised = 0;  // raised: a fault of the cycle before counts
  reg [3:0] m_code = 0;
  reg [31:0] m_number = 0;
  reg [63:0] m_base[0:7], m_limit[0:7], m_watchdog = 0;
  reg [7:0] m_writable = 0;
  reg m_start, m_abort, m_low, m_open, m_read = 0;
  reg [63:0] m_data, m_mask, m_new;
  integer i, n, starts = 0, bus = 0, late = 0, aborted = 0, r;

  task model_step;
    begin
      m_read = register_valid && !register_write;
      r = register_address / 8;
      m_data = 0;
      if (r == 0) m_data = {weft_config_pkg::REGISTER_MAP_VERSION, "TFEW"};
      if (r == 1) m_data = weft_config_pkg::FINGERPRINT;
      if (r == 3) m_data = {m_number, 20'd0, m_code, 6'd0, m_ended, !m_open};
      if (r == 4) m_data = {m_enabled, m_pending};
      if (r == 5) m_data = m_watchdog;
      if (r == 7) m_data = m_writable;
      if (r >= 8 && r < 16) m_data = m_base[r-8];
      if (r >= 16 && r < 24) m_data = m_limit[r-16];
      if (r >= 64 && r < 128) m_data = {58'h2a5a5a5a5a5a5a5, register_address[8:3]};
      m_new = register_write_data & m_mask;
      if (register_valid && register_write) begin
        if (r == 4 && m_low) begin
          m_enabled = register_write_data[1];
          if (register_write_data[0]) m_pending = 0;
        end
        if (m_open) begin
          if (r == 5) m_watchdog = m_watchdog & ~m_mask | m_new;
          if (r == 7) m_writable = m_writable & ~m_mask | m_new;
          if (r >= 8 && r < 16) m_base[r-8] = (m_base[r-8] & ~m_mask | m_new) / 1024 * 1024;
          if (r >= 16 && r < 24) m_limit[r-16] = m_limit[r-16] & ~m_mask | m_new;
        end
      end
      if (m_abort) begin
        aborted = aborted + (m_running || m_stopping);
        {m_running, m_stopping, m_ended, m_pending, m_code, m_number} = 0;
      end else if (m_start) begin
        m_running = 1;
        m_ended = 0;
        m_code = 0;
        m_number = 0;
        starts = starts + 1;
      end else if (m_running || m_stopping) begin
        if (m_raised && fault_code != 0) begin
          {m_code, m_number} = {fault_code, fault_number};
        end else if (memory_error && m_code == 0) begin
          {m_code, m_number} = {weft_isa_pkg::FAULT_BUS[3:0], next_number};
          bus = bus + 1;
          late = late + m_stopping;
        end
        if (m_stopping && !bus_busy) begin  // the last cycle was an earlier one
          m_stopping = 0;
          m_ended = 1;
          m_pending = 1;
        end else if (m_running && (halts || fault || memory_error)) begin
          m_running = 0;
          m_stopping = 1;
        end
      end
      m_raised = m_running || m_stopping;
    end
  endtask

  always @(posedge clock) begin
    if (reset) begin
      {m_running, m_stopping, m_ended, m_pending, m_enabled, m_code, m_raised, m_number, m_watchdog, m_writable, m_read} = 0;
      for (i = 0; i < 8; i = i + 1) begin
        m_base[i]  = 0;
        m_limit[i] = 0;
      end
    end else begin
      m_low = register_write_strobe[0];
      m_mask = {{32{register_write_strobe[1]}}, {32{m_low}}};
      m_open = !m_running && !m_stopping && !bus_busy;
      m_start = register_valid && register_write && register_address / 8 == 2 &&
                m_low && register_write_data[0] && m_open;
      m_abort = register_valid && register_write && register_address / 8 == 6 && m_low && register_write_data[0];
      if (start !== m_start || aborts !== m_abort || running !== m_running || idle !== !running ||
          interrupt_request !== (m_pending && m_enabled) || watchdog_limit !== m_watchdog)
        $fatal(1, "cycle %0d: start %b, running %b, interrupt %b", n, start, running,
               interrupt_request);
      for (i = 0; i < 8; i = i + 1)
        if (region_base[64*i+:64] !== m_base[i] || region_limit[64*i+:64] !== m_limit[i])
          $fatal(1, "region %0d is wrong", i);
      if (region_writable !== m_writable) $fatal(1, "writable regions %b, not %b", region_writable, m_writable);
      if (register_read_valid !== m_read || (m_read && register_read_data !== m_data))
        $fatal(1, "cycle %0d: read %h, not %h", n, register_read_data, m_data);
      model_step;
    end
  end

  initial begin
    repeat (2) @(negedge clock);
    for (n = 0; n < 60000; n = n + 1) begin
      reset = n % 200 == 0;
      register_valid = $urandom % 4 != 0;
      register_write = $urandom;
      register_address = $urandom % 4 == 0 ? $urandom : $urandom % 192;
      register_write_data = {$urandom, $urandom};
      register_write_strobe = $urandom % 2 ? 3 : $urandom;
      if ($urandom % 8 == 0) register_address = $urandom % 4 == 0 ? weft_config_pkg::REGISTER_ABORT : weft_config_pkg::REGISTER_START;
      bus_busy = $urandom % 16 < (bus_busy ? 14 : running ? 4 : 1);
      halts = running && $urandom % 16 == 0;
      fault_code = fault ? 1 + $urandom % 7 : 0;  // of the cycle before
      fault = running && !halts && $urandom % 16 == 0;
      fault_number = $urandom;
      memory_error = $urandom % 32 == 0;
      next_number = $urandom;
      @(negedge clock);
    end
    if (starts < 200 || bus < 50 || late < 10 || aborted < 20)
      $fatal(1, "%0d starts, %0d bus errors, %0d late, %0d aborts: too few", starts, bus, late, aborted);
    $display("%0d runs, %0d with a bus error, %0d of them after the end, %0d aborted", starts, bus, late, aborted);
    $finish;
  end
endmodule
