// The accelerator's side of the RAM: an AXI4 slave of WIDTH bytes. Bursts are INCR with all transfers of the
// full width. Reads and writes are in order, each on their own: the first beat of a burst whose address was
// taken in T is shown, or taken, in T + latency at the soonest (2 for reads, 1 for writes at least), then one
// a cycle; a write has its response in the cycle after its last beat. Up to BURSTS of each wait. A burst of
// which a byte is outside the RAM is answered with SLVERR and does nothing.
//
// Reset: nothing on its way.
module weft_soc_memory #(
    parameter integer WIDTH = 8,   // bytes
    parameter integer BURSTS = 64  // of each kind
) (
    input  logic               clock,
    input  logic               reset,
    input  logic [       63:0] model,
    input  logic [       31:0] ram_bytes,
    input  logic [       15:0] latency,
    input  logic               s_axi_arvalid,
    output logic               s_axi_arready,
    input  logic [       63:0] s_axi_araddr,
    input  logic [        7:0] s_axi_arlen,
    output logic               s_axi_rvalid,
    input  logic               s_axi_rready,
    output logic [8*WIDTH-1:0] s_axi_rdata,
    output logic [        1:0] s_axi_rresp,
    output logic               s_axi_rlast,
    input  logic               s_axi_awvalid,
    output logic               s_axi_awready,
    input  logic [       63:0] s_axi_awaddr,
    input  logic [        7:0] s_axi_awlen,
    input  logic               s_axi_wvalid,
    output logic               s_axi_wready,
    input  logic [8*WIDTH-1:0] s_axi_wdata,
    input  logic [  WIDTH-1:0] s_axi_wstrb,
    input  logic               s_axi_wlast,
    output logic               s_axi_bvalid,
    input  logic               s_axi_bready,
    output logic [        1:0] s_axi_bresp
);
  import "DPI-C" function longint unsigned weft_soc_read(
    input longint unsigned model,
    input int unsigned offset
  );
  import "DPI-C" function void weft_soc_write(
    input longint unsigned model,
    input int unsigned offset,
    input longint unsigned word,
    input int unsigned strobe
  );

  localparam integer WORDS = (WIDTH + 7) / 8;  // of 64 bits in a beat
  localparam integer LANE = $clog2(WIDTH);
  localparam [1:0] OKAY = 2'b00;
  localparam [1:0] SLVERR = 2'b10;
  localparam integer ENTRY = 32 + 8 + 1 + 32;  // offset, length, outside, when it is due

  // verilator lint_off UNUSEDSIGNAL
  logic unused;  // the lane within a beat
  // verilator lint_on UNUSEDSIGNAL
  assign unused = ^{s_axi_araddr[LANE-1:0], s_axi_awaddr[LANE-1:0]};

  logic [31:0] now;
  always_ff @(posedge clock) now <= reset ? 32'd0 : now + 32'd1;

  // RAM begins at 2^31. `beat` is the address in beats.
  function automatic logic is_outside(input logic [63:LANE] beat, input logic [7:0] length,
                                      input logic [31:0] bytes);
    is_outside = beat[63:31] != 33'd1 ||
        {{LANE{1'b0}}, 1'b0, beat[30:LANE]} + {24'd0, length} >= bytes >> LANE;
  endfunction

  // ---- reads ----

  logic [31:0] read_offset;
  logic [7:0] read_length;
  logic read_outside;
  logic [31:0] read_due;
  logic [$clog2(BURSTS+1)-1:0] reads;
  logic reads_full;
  logic [7:0] read_beat;
  logic read_step;
  // A beat of 4 bytes is half of a word, told by bit 2 of its address.
  // verilator lint_off UNUSEDSIGNAL
  logic [31:0] read_at;
  logic read_in_word;
  logic [64*WORDS-1:0] read_words;
  // verilator lint_on UNUSEDSIGNAL
  assign read_at = read_offset + ({24'd0, read_beat} << LANE);
  assign s_axi_rdata = (8 * WIDTH)'(WIDTH == 4 && read_in_word ? read_words >> 32 : read_words);

  assign s_axi_arready = !reads_full;
  assign read_step = reads != 0 && $signed(now + 32'd1 - read_due) >= 0 &&
                     (!s_axi_rvalid || s_axi_rready);

  weft_queue #(
      .WIDTH(ENTRY),
      .DEPTH(BURSTS)
  ) read_bursts (
      .clock(clock),
      .reset(reset),
      .push(s_axi_arvalid && s_axi_arready),
      .push_data({1'b0, s_axi_araddr[30:LANE], {LANE{1'b0}}, s_axi_arlen,
                  is_outside(s_axi_araddr[63:LANE], s_axi_arlen, ram_bytes), now + {16'd0, latency}}),
      .pop(read_step && read_beat == read_length),
      .head({read_offset, read_length, read_outside, read_due}),
      .count(reads),
      .full(reads_full)
  );

  always_ff @(posedge clock) begin : read
    if (reset) begin
      s_axi_rvalid <= 1'b0;
      read_beat <= 8'd0;
    end else if (read_step) begin
      s_axi_rvalid <= 1'b1;
      s_axi_rlast <= read_beat == read_length;
      s_axi_rresp <= read_outside ? SLVERR : OKAY;
      read_beat <= read_beat == read_length ? 8'd0 : read_beat + 8'd1;
      read_in_word <= read_at[2];
      if (!read_outside) begin
        for (integer i = 0; i < WORDS; i = i + 1) begin
          read_words[64*i+:64] <= weft_soc_read(model, {read_at[31:3], 3'd0} + 8 * i);
        end
      end
    end else if (s_axi_rready) begin
      s_axi_rvalid <= 1'b0;
    end
  end

  // ---- writes ----

  logic [31:0] write_offset;
  logic [7:0] write_length;
  logic write_outside;
  logic [31:0] write_due;
  logic [$clog2(BURSTS+1)-1:0] writes;
  logic writes_full;
  logic [7:0] write_beat;
  logic write_step;

  assign s_axi_awready = !writes_full;
  assign s_axi_wready = writes != 0 && $signed(now - write_due) >= 0 &&
                        (!s_axi_bvalid || s_axi_bready);
  assign write_step = s_axi_wvalid && s_axi_wready;

  weft_queue #(
      .WIDTH(ENTRY),
      .DEPTH(BURSTS)
  ) write_bursts (
      .clock(clock),
      .reset(reset),
      .push(s_axi_awvalid && s_axi_awready),
      .push_data({1'b0, s_axi_awaddr[30:LANE], {LANE{1'b0}}, s_axi_awlen,
                  is_outside(s_axi_awaddr[63:LANE], s_axi_awlen, ram_bytes), now + {16'd0, latency}}),
      .pop(write_step && write_beat == write_length),
      .head({write_offset, write_length, write_outside, write_due}),
      .count(writes),
      .full(writes_full)
  );

  // verilator lint_off UNUSEDSIGNAL
  logic [64*WORDS-1:0] write_words;
  logic [8*WORDS-1:0] write_strobes;
  logic [31:0] write_at;
  // verilator lint_on UNUSEDSIGNAL
  assign write_at = write_offset + ({24'd0, write_beat} << LANE);
  assign write_words = (64 * WORDS)'(s_axi_wdata) << (WIDTH == 4 && write_at[2] ? 32 : 0);
  assign write_strobes = (8 * WORDS)'(s_axi_wstrb) << (WIDTH == 4 && write_at[2] ? 4 : 0);

  always_ff @(posedge clock) begin : write
    if (reset) begin
      s_axi_bvalid <= 1'b0;
      write_beat   <= 8'd0;
    end else begin
      if (s_axi_bready) s_axi_bvalid <= 1'b0;
      if (write_step) begin
        write_beat <= write_beat == write_length ? 8'd0 : write_beat + 8'd1;
        if (write_beat == write_length) begin
          s_axi_bvalid <= 1'b1;
          s_axi_bresp  <= write_outside ? SLVERR : OKAY;
        end
        if (!write_outside) begin
          for (integer i = 0; i < WORDS; i = i + 1) begin
            weft_soc_write(model, {write_at[31:3], 3'd0} + 8 * i, write_words[64*i+:64],
                           {24'd0, write_strobes[8*i+:8]});
          end
        end
      end
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clock) begin : rules
    if (!reset && write_step) begin
      assert (s_axi_wlast == (write_beat == write_length))
      else $error("weft_soc_memory: the last beat of a write is not where its length says");
    end
  end
`endif
endmodule
