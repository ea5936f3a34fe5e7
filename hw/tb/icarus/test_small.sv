// weft_semaphores, weft_rotate and weft_arbiter in simulation; hw/formal proves the same and more of
// them, but from what Yosys reads.
module test;
  logic clock = 0, reset = 1;
  always #5 clock = !clock;

  logic [3:0] take = 0, give = 0, overflow;
  logic [15:0] wait_masks, signal_masks, available;
  weft_semaphores #(.SEMAPHORE_MAX(6)) semaphores (
      .clock(clock),
      .reset(reset),
      .take(take),
      .wait_masks(wait_masks),
      .give(give),
      .signal_masks(signal_masks),
      .available(available),
      .overflow(overflow)
  );

  logic enable = 1;
  logic [511:0] lines;
  logic [4:0] offset;
  logic [255:0] result;
  weft_rotate #(.BYTES(32)) rotate (
      .enable(enable),
      .lines(lines),
      .offset(offset),
      .result(result)
  );

  logic [2:0] request = 0, grant, lost;
  logic memory_ready = 0, memory_valid;
  logic [1:0] memory_master;
  weft_arbiter arbiter (.*);

  integer tokens[0:15];  // [4 * producer + consumer]
  integer p, c, i, n, level, overflows = 0;
  reg [3:0] passes;
  initial begin
    for (i = 0; i < 16; i = i + 1) tokens[i] = 0;
    repeat (2) @(negedge clock);
    reset = 0;
    for (n = 0; n < 20000; n = n + 1) begin
      wait_masks = {$urandom} & ~16'h8421;
      signal_masks = {$urandom} & {$urandom} & ~16'h8421;
      give = $urandom & $urandom;
      take = $urandom & $urandom;
      for (c = 0; c < 4; c = c + 1) begin
        if ((wait_masks[4*c+:4] & ~available[4*c+:4]) != 0) take[c] = 0;
      end
      for (i = 0; i < 16; i = i + 1) lines[32*i+:32] = $urandom;
      offset = $urandom;
      request = $urandom;
      memory_ready = $urandom;
      #1;
      passes = 0;
      for (p = 0; p < 4; p = p + 1) begin
        for (c = 0; c < 4; c = c + 1) begin
          if (available[4*c+p] !== (tokens[4*p+c] != 0)) $fatal(1, "available %b", available);
          level = tokens[4*p+c] + (give[p] && signal_masks[4*p+c]) - (take[c] && wait_masks[4*c+p]);
          if (level > 6) passes[p] = 1;
          tokens[4*p+c] = level > 6 ? 6 : level;
        end
      end
      if (overflow !== passes) $fatal(1, "overflow %b, not %b", overflow, passes);
      overflows = overflows + (passes != 0);
      for (i = 0; i < 32; i = i + 1)
        if (result[8*i+:8] !== lines[8*(offset+i)+:8]) $fatal(1, "offset %0d, byte %0d", offset, i);
      i = request[0] ? 0 : request[1] ? 1 : 2;
      if (memory_valid !== (request != 0) || (memory_valid && memory_master !== i) ||
          grant !== (memory_valid && memory_ready ? 1 << i : 0) || lost !== (request & ~grant))
        $fatal(1, "request %b, grant %b", request, grant);
      @(negedge clock);
    end
    if (overflows < 500) $fatal(1, "%0d overflows: too few", overflows);
    $display("20000 cycles, an overflow in %0d", overflows);
    $finish;
  end
endmodule
