// weft_ram (with and without strobes), weft_ram_2 and weft_queue in simulation, against plain arrays.
module test;
  logic clock = 0, reset = 1;
  always #5 clock = !clock;

  logic enable = 0, write;
  logic [2:0] strobe;
  logic [3:0] address;
  logic [23:0] write_data, by_bytes, whole, other_bytes, other_whole;
  logic other_enable = 0;
  logic [3:0] other_address;
  weft_ram #(
      .WIDTH(24),
      .DEPTH(13)
  ) bytes (
      .read_data(by_bytes),
      .other_data(other_bytes),
      .*
  );
  weft_ram #(
      .WIDTH(24),
      .DEPTH(13),
      .STROBES(0)
  ) words (
      .read_data(whole),
      .other_data(other_whole),
      .*
  );

  logic read_enable = 0, write_enable = 0;
  logic [3:0] read_address, write_address;
  logic [23:0] both;
  weft_ram_2 #(
      .WIDTH(24),
      .DEPTH(13)
  ) two (
      .read_data(both),
      .*
  );

  logic push = 0, pop = 0, full;
  logic [2:0] count;
  logic [23:0] head;
  weft_queue #(
      .WIDTH(24),
      .DEPTH(7)
  ) queue (
      .push_data(write_data),
      .*
  );

  // Unwritten bytes are x in the models too: compared with ===.
  reg [23:0] m_bytes[0:12], m_words[0:12], m_two[0:12], entries[0:7];
  reg [23:0] want_bytes, want_whole, want_both, want_other_bytes, want_other_whole;
  integer i, n, level = 0, fulls = 0;  // cycles
  always @(posedge clock) begin
    if (by_bytes !== want_bytes || whole !== want_whole || both !== want_both)
      $fatal(1, "cycle %0d: reads %h %h %h, not %h %h %h", n, by_bytes, whole, both, want_bytes,
             want_whole, want_both);
    if (other_bytes !== want_other_bytes || other_whole !== want_other_whole)
      $fatal(1, "cycle %0d: the other port reads %h %h, not %h %h", n, other_bytes, other_whole, want_other_bytes, want_other_whole);
    if (!reset && (count !== level || full !== (level == 7) || (level != 0 && head !== entries[0])))
      $fatal(1, "cycle %0d: queue of %0d, head %h; not %0d, %h", n, count, head, level, entries[0]);
    if (enable && !write) want_bytes = m_bytes[address];
    if (enable && !write) want_whole = m_words[address];
    if (other_enable) want_other_bytes = m_bytes[other_address];
    if (other_enable) want_other_whole = m_words[other_address];
    if (read_enable) want_both = m_two[read_address];
    if (enable && write) begin
      m_words[address] = write_data;
      for (i = 0; i < 3; i = i + 1) if (strobe[i]) m_bytes[address][8*i+:8] = write_data[8*i+:8];
    end
    if (write_enable) m_two[write_address] = write_data;
    if (pop) begin
      for (i = 0; i < 7; i = i + 1) entries[i] = entries[i+1];
      level = level - 1;
    end
    if (push) begin
      entries[level] = write_data;
      level = level + 1;
    end
    if (reset) level = 0;
    if (!reset) fulls = fulls + full;
  end

  initial begin
    for (i = 0; i < 13; i = i + 1) begin
      m_bytes[i] = 24'hx;
      m_words[i] = 24'hx;
      m_two[i] = 24'hx;
    end
    want_bytes = 24'hx;
    want_whole = 24'hx;
    want_both = 24'hx;
    want_other_bytes = 24'hx;
    want_other_whole = 24'hx;
    repeat (2) @(negedge clock);
    for (n = 0; n < 40000; n = n + 1) begin
      reset = n % 1000 == 999;
      enable = $urandom % 4 != 0;
      write = $urandom;
      strobe = $urandom;
      address = $urandom % 13;
      write_data = $urandom;
      other_enable = !(enable && write) && $urandom % 2;
      other_address = $urandom % 13;
      read_enable = $urandom;
      read_address = $urandom % 13;
      write_address = $urandom % 13;
      write_enable = $urandom % 2 && !(read_enable && read_address == write_address);
      pop = !reset && level != 0 && $urandom % 8 < (n / 500 % 2 ? 6 : 3);
      push = !reset && (level != 7 || pop) && $urandom % 8 < (n / 500 % 2 ? 3 : 6);
      @(negedge clock);
    end
    if (fulls < 1000) $fatal(1, "the queue was seldom full");
    $display("40000 cycles, queue full in %0d", fulls);
    $finish;
  end
endmodule
