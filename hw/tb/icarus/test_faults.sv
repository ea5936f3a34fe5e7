// weft_faults against the ranks of sim/timing: of all that is raised in a cycle the smallest rank wins. The watchdog's fault ends a run
// together with HALT, but then it is none: its code is 0.
module test;
  logic clock = 0;
  logic running, encoding, program_end, unwritable, blocked, halts, fault;
  logic [31:0] dispatch_number, next_number, number;
  logic [3:0] overflow, outside, bank, in_flight, starts, head_valid, code;
  logic [127:0] finish_numbers, start_numbers;
  logic [11:0] meets;
  logic [63:0] cycle, cycles, watchdog_limit;
  assign cycles = cycle - 64'd1;

  weft_faults dut (
      .dispatch_encoding(encoding),
      .dispatch_program_end(program_end),
      .*
  );

  // Ranks of sim/timing/machine.h.
  integer rank, want_rank, u, n, seen[0:15], halted = 0;
  reg at_limit;
  reg [3:0] want_code;
  reg [31:0] want_number, smallest;
  task raise(input integer at, input [31:0] what, input [31:0] of);
    if (at < want_rank) begin
      want_rank = at;
      want_code = what[3:0];
      want_number = of;
    end
  endtask

  function [127:0] numbers(input integer dummy);
    numbers = {$urandom, $urandom, $urandom, $urandom} >> 32 * ($urandom % 2);
  endfunction
  function [3:0] some(input integer chance);  // each bit with a chance of 1 in
    for (u = 0; u < 4; u = u + 1) some[u] = $urandom % chance == 0;
  endfunction

  initial begin
    for (n = 0; n < 16; n = n + 1) seen[n] = 0;
    for (n = 0; n < 200000; n = n + 1) begin
      running = $urandom % 16 != 0;
      encoding = $urandom % 32 == 0;
      program_end = !encoding && $urandom % 32 == 0;
      dispatch_number = $urandom;
      next_number = $urandom;
      overflow = some(24);
      outside = some(24);
      unwritable = $urandom % 24 == 0;
      bank = some(24);
      finish_numbers = numbers(0);
      start_numbers = numbers(0);
      in_flight = some(8);
      starts = some(8) | bank;
      // In parts what `bank` says of a unit that starts inside all limits; of others it may be anything.
      for (u = 0; u < 4; u = u + 1) begin
        meets[3*u+:3] = $urandom;
        if (bank[u]) meets[3*u+:3] = 3'd1 << $urandom % 3;
        else if (starts[u] && !outside[u]) meets[3*u+:3] = 0;
      end
      blocked = $urandom % 2;
      head_valid = some(2);
      halts = $urandom % 8 == 0;
      watchdog_limit = $urandom % 4 == 0 ? 0 : {31'd0, $urandom % 2 == 1, 30'd0, 2'b11};
      cycle = $urandom % 4 != 0 ? watchdog_limit : watchdog_limit ^ (64'd1 << $urandom % 64);
      #1;
      want_rank = 100;
      want_code = 0;
      want_number = 0;
      if (encoding) raise(0, weft_isa_pkg::FAULT_ENCODING, dispatch_number);
      if (program_end) raise(0, weft_isa_pkg::FAULT_PROGRAM_END, dispatch_number);
      for (u = 0; u < 4; u = u + 1) begin
        if (overflow[u]) raise(1 + 2 * u, weft_isa_pkg::FAULT_SEMAPHORE, finish_numbers >> 32 * u);
        if (outside[u]) raise(2 + 2 * u, weft_isa_pkg::FAULT_ADDRESS, start_numbers >> 32 * u);
        if (u == 3 && unwritable) raise(2 + 2 * u, weft_isa_pkg::FAULT_WRITE, start_numbers >> 32 * u);
        if (bank[u]) raise(2 + 2 * u, weft_isa_pkg::FAULT_BANK, start_numbers >> 32 * u);
      end
      if (blocked && in_flight == 0 && starts == 0) begin
        smallest = 32'hffffffff;
        for (u = 0; u < 4; u = u + 1)
          if (head_valid[u] && start_numbers[32*u+:32] <= smallest) smallest = start_numbers[32*u+:32];
        raise(9, weft_isa_pkg::FAULT_DEADLOCK, smallest);
      end
      at_limit = cycle == watchdog_limit && watchdog_limit != 0;
      if (at_limit && !halts)
        raise(10, weft_isa_pkg::FAULT_WATCHDOG, next_number);
      if (!running) begin
        want_rank = 100;
        want_code = 0;
        want_number = 0;
      end
      if (running && at_limit && halts && want_rank == 100) begin
        if (fault !== 1'b1) $fatal(1, "case %0d: no fault at the limit of the watchdog, with HALT", n);
        halted = halted + 1;
      end else if (fault !== (want_rank != 100)) $fatal(1, "case %0d: fault %b, wanted code %0d", n, fault, want_code);
      clock = 1;
      #1 clock = 0;
      if (code !== want_code || number !== want_number)
        $fatal(1, "case %0d: fault %0d, %0d; wanted %0d, %0d", n, code, number, want_code, want_number);
      seen[code] = seen[code] + 1;
    end
    for (n = 0; n <= weft_isa_pkg::FAULT_WRITE; n = n + 1) begin
      if (n != weft_isa_pkg::FAULT_BUS && seen[n] < 100) $fatal(1, "fault %0d was seen %0d times", n, seen[n]);
    end
    if (halted < 100) $fatal(1, "HALT at the limit was seen %0d times", halted);
    $display("200000 cases, each code at least 100 times");
    $finish;
  end
endmodule
