// weft_fetch: no burst leaves the program region, crosses a multiple of memory_burst, or is not whole instructions; the
// program's limit stays from the last cycle of reset on, and grants come for requests alone. Beats may come as they like.
//
// modules weft_fetch
// mutation weft_fetch: s/size = has_whole ? WHOLE : tail/size = WHOLE/
// mutation weft_fetch: s/assign request = (has_whole || has_tail) \&\&/assign request =/
// mutation weft_fetch: s/offset <= offset + PER_BURST;/offset <= offset + PER_BURST + 1;/
// mutation weft_fetch: s/has_whole <= whole_left > 1;/has_whole <= whole_left > 0;/
// mutation weft_fetch: s/else has_tail <= 1'b0;//
// mutation weft_fetch: s/limit\[37:6\]/limit[37:6] + 32'd1/
// mutation weft_fetch: s/end_number >> BURST_INDEX;/(end_number >> BURST_INDEX) + 1;/
module proof (
    input logic clock,
    input logic reset,
    input logic [63:0] limit,
    input logic grant,
    input logic beat,
    input logic take
);
  localparam integer BURST = weft_config_pkg::MEMORY_BURST;
  localparam integer BITS = $clog2(BURST) + 1;
  localparam integer WIDTH = weft_config_pkg::MEMORY_WIDTH;
  logic request;
  logic [49:0] address;
  logic [BITS-1:0] bytes;
  logic [BITS-1:0] beats;
  weft_fetch dut (
      .clock(clock),
      .reset(reset),
      .limit(limit),
      .request(request),
      .grant(grant),
      .address(address),
      .bytes(bytes),
      .beats(beats),
      .beat(beat),
      .beat_data({8 * WIDTH{1'b0}}),
      .valid(),
      .instruction(),
      .take(take),
      .at_end(),
      .taken()
  );
  (* hierconn *) wire [31:0] \dut.offset ;
  (* hierconn *) wire [31:0] \dut.end_number ;
  (* hierconn *) wire [31:0] \dut.whole_left ;
  (* hierconn *) wire \dut.has_whole , \dut.has_tail ;
  (* hierconn *) wire [$clog2(BURST/64+1)-1:0] \dut.tail ;
  logic [31:0] tail_left;  // instructions
  assign tail_left = \dut.has_tail ? \dut.tail : 0;

  logic started = 1'b0;
  logic [63:0] limit_before;
  logic reset_before;
  always_ff @(posedge clock) begin
    started <= 1'b1;
    limit_before <= limit;
    reset_before <= reset;
  end
  always_comb begin
    assume (started || reset);
    assume (!grant || request);
    assume (!started || reset || limit == limit_before);
  end

  always_comb begin
    if (started && !reset) begin
      // What is left to request, beside what was.
      assert (\dut.tail == \dut.end_number % (BURST / 64));
      assert (\dut.has_whole == (\dut.whole_left != 0) && \dut.whole_left <= 32'h7fffffff / (BURST / 64));
      assert (!\dut.has_tail || \dut.tail != 0);
      assert (!\dut.has_whole || \dut.has_tail == (\dut.tail != 0));
      assert (\dut.offset % (BURST / 64) == 0);
      assert (!reset_before || \dut.offset == 0);
      if (\dut.has_whole || \dut.has_tail )
        assert (\dut.offset <= \dut.end_number && \dut.offset + \dut.whole_left * (BURST / 64) + tail_left == \dut.end_number );
      assert ({26'd0, \dut.end_number , 6'd0} <= limit);
      if (request) begin
        assert (bytes != 0 && {14'd0, address} + bytes <= limit);
        assert (address[BITS-2:0] + bytes <= BURST);
        assert (bytes[5:0] == 0 && address[5:0] == 0 && beats * WIDTH == bytes);
      end
    end
  end
endmodule
