// weft_counters against one plain 64-bit counter for each: events at every rate, reads at any time, also
// while the machine runs and while the high part of a counter is behind, clears between runs.
module test;
  localparam integer COUNTERS = weft_config_pkg::COUNTERS;
  logic clock = 0, reset = 1, clear = 0, run = 0, read = 0;
  always #5 clock = !clock;
  logic [COUNTERS-1:0] increment = 0;
  logic [2:0] grant = 0;
  logic [10:0] granted_bytes;
  logic [8:0] granted_beats;
  logic [63:0] cycles, read_data;
  logic [5:0] read_index;
  weft_counters dut (.*);

  reg [63:0] model[0:63];
  reg [63:0] expected;
  reg check;
  integer i, n, rate, checks = 0;
  integer rates[0:63];

  function integer amount(input integer index);  // of this cycle
    case (index)
      weft_config_pkg::COUNTER_CYCLES: amount = 1;
      weft_config_pkg::COUNTER_FETCH_BYTES: amount = grant[0] ? granted_bytes : 0;
      weft_config_pkg::COUNTER_STORE_BYTES: amount = grant[1] ? granted_bytes : 0;
      weft_config_pkg::COUNTER_LOAD_BYTES: amount = grant[2] ? granted_bytes : 0;
      weft_config_pkg::COUNTER_FETCH_BEATS: amount = grant[0] ? granted_beats : 0;
      weft_config_pkg::COUNTER_STORE_BEATS: amount = grant[1] ? granted_beats : 0;
      weft_config_pkg::COUNTER_LOAD_BEATS: amount = grant[2] ? granted_beats : 0;
      default: amount = increment[index];
    endcase
  endfunction

  always @(posedge clock) begin
    if (check && read_data !== expected)
      $fatal(1, "cycle %0d: counter reads %0d, not %0d", n, read_data, expected);
    checks = checks + check;
    check = read && !reset;
    expected = model[read_index];
    if (run && !clear && cycles !== model[weft_config_pkg::COUNTER_CYCLES])
      $fatal(1, "cycles are %0d, not %0d", cycles, model[weft_config_pkg::COUNTER_CYCLES]);
    for (i = 0; i < COUNTERS; i = i + 1)
      model[i] = reset || clear ? 0 : run ? model[i] + amount(i) : model[i];
  end

  initial begin
    check = 0;
    for (i = 0; i < 64; i = i + 1) model[i] = 0;
    repeat (2) @(negedge clock);
    reset = 0;
    for (n = 0; n < 60000; n = n + 1) begin
      if (n % 4000 == 0) begin
        // Some counters always, some never, the others at a rate of their own.
        for (i = 0; i < 64; i = i + 1) rates[i] = $urandom % 3 == 0 ? 16 : $urandom % 17;
        if (n == 8000) for (i = 0; i < 64; i = i + 1) rates[i] = 16;
      end
      run = n % 4000 < 3900;
      clear = n % 8000 == 7999;
      for (i = 0; i < COUNTERS; i = i + 1) increment[i] = $urandom % 16 < rates[i];
      grant = $urandom % 4 == 0 ? 1 << $urandom % 3 : 0;
      granted_bytes = $urandom % 1025;
      granted_beats = $urandom % 257;
      read = $urandom % 2;
      read_index = $urandom;
      @(negedge clock);
    end
    $display("%0d reads agree", checks);
    $finish;
  end
endmodule
