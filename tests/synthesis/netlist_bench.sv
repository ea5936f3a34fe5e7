// The same random numbers into the modules as written and as netlist; what comes out must be the same in every cycle. Words of the memory are
// read after they have been written.
module netlist_bench;
  logic clock = 1'b0, enable;
  logic [16:0] a;
  logic [10:0] b, c;
  logic [11:0] d;
  wire [27:0] always_0, always_1, twice_0, twice_1, twice_more_0, twice_more_1;
  wire [21:0] enabled_0, enabled_1;
  wire [13:0] sum_0, sum_1;
  wire [12:0] difference_0, difference_1;
  wire [11:0] negative_0, negative_1;
  wire less_0, less_1;
  wire [9:0] kept_0, kept_1, fifth_0, fifth_1;
  wire [8:0] late_0, late_1, seldom_0, seldom_1, early_0, early_1, early_late_0, early_late_1;
  wire [15:0] wide_0, wide_1;
  reg [7:0] written_words = 8'd0;
  integer failures = 0, known = 0;

  netlist written (
      .clock(clock), .enable(enable), .a(a), .b(b), .c(c), .d(d), .product_always(always_0), .enabled(enabled_0), .twice(twice_0),
      .twice_more(twice_more_0), .sum(sum_0), .difference(difference_0), .negative(negative_0), .less(less_0), .kept(kept_0), .late(late_0), .wide(wide_0),
      .seldom(seldom_0), .early(early_0), .early_late(early_late_0), .fifth(fifth_0)
  );
  mapped mapped (
      .clock(clock), .enable(enable), .a(a), .b(b), .c(c), .d(d), .product_always(always_1), .enabled(enabled_1), .twice(twice_1),
      .twice_more(twice_more_1), .sum(sum_1), .difference(difference_1), .negative(negative_1), .less(less_1), .kept(kept_1), .late(late_1), .wide(wide_1),
      .seldom(seldom_1), .early(early_1), .early_late(early_late_1), .fifth(fifth_1)
  );

  initial begin
    for (integer i = 0; i < 20000; i = i + 1) begin
      enable = i == 0 || $urandom % 3 != 0;
      a = $urandom;
      b = $urandom;
      c = $urandom;
      d = $urandom % 5 == 0 ? {1'b0, c} : $urandom;
      if (enable) written_words[a[2:0]] = 1'b1;
      #1 clock = 1'b1;
      #1 clock = 1'b0;
      // What nobody has written is x in both, in the memories as written and in those of the netlist.
      if ({late_0, wide_0, seldom_0, early_0, early_late_0} !== {late_1, wide_1, seldom_1, early_1, early_late_1}) failures = failures + 1;
      if ((^{late_0, wide_0, seldom_0, early_0, early_late_0}) !== 1'bx) known = known + 1;
      if ({always_0, enabled_0, twice_0, twice_more_0, sum_0, difference_0, negative_0, less_0, written_words[c[2:0]] ? kept_0 : 10'd0,
           written_words[5] ? fifth_0 : 10'd0}
          !== {always_1, enabled_1, twice_1, twice_more_1, sum_1, difference_1, negative_1, less_1, written_words[c[2:0]] ? kept_1 : 10'd0,
               written_words[5] ? fifth_1 : 10'd0}) failures = failures + 1;
    end
    if (known < 10000) $fatal(1, "words of block RAMs are known in %0d cycles alone", known);
    $display("%0d of 20000 cycles differ", failures);
    $finish;
  end
endmodule
