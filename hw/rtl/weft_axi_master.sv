// The memory port of weft_machine as an AXI4 master.
//
// A burst taken in T (memory_valid && memory_ready) is on AR or AW from T+2 on, behind what was taken before it: two bursts wait in
// front of AR and AW, so that one a cycle is taken as long as the channel takes one a cycle. What the machine shows goes into a
// register, and memory_ready comes from registers.
// A burst of the machine never crosses a multiple of 1024 and has at most 256 beats, so each is one INCR burst, with
// all transfers of the full width. One ID: reads come back in the order of acceptance. Read beats are passed on a cycle after R.
// Write beats are asked of the machine (write_request) from 4 cycles after their burst was taken, while fewer than FIFO are on
// their way or wait for W, and not before it is on AW. Beats are passed on and asked for in turns, as the machine has one memory port: R is not ready in a
// cycle in which a beat is passed on and a write beat waits to be asked for.
//
// A read of a block of 1024 bytes between the lowest and the highest block of the writes without response waits until all of
// these have theirs: it sees what was written before it. What was taken behind it waits too. Where these
// lie in more than one part of 4 GB of the address space, every read waits.
// When `running` falls, the machine forgets its bursts: those that wait are dropped, what is read for it is dropped, write beats still
// owed are made up without strobes, no burst is taken. The machine must not start again while `busy`, i.e. while something is on its
// way or may be sent off in this cycle. `memory_error` is a pulse for a response with an error, while busy; of reads only while running.
// Reset: nothing on its way.
module weft_axi_master #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,
    parameter integer WIDTH = CONFIG[weft_config_pkg::AT_MEMORY_WIDTH+:32],  // bytes
    parameter integer READS = CONFIG[weft_config_pkg::AT_FETCH_BURSTS+:32] + CONFIG[weft_config_pkg::AT_LOAD_BURSTS+:32],
    parameter integer WRITES = 64  // without response
) (
    input  logic               clock,
    input  logic               reset,
    // weft_machine
    input  logic               running,
    output logic               busy,
    input  logic               memory_valid,
    output logic               memory_ready,
    input  logic [        1:0] memory_master,  // 0 fetch, 1 store, 2 load
    input  logic [       63:0] memory_address,
    input  logic [        8:0] memory_beats,
    output logic               memory_error,
    output logic               read_valid,
    output logic               read_fetch,
    output logic [8*WIDTH-1:0] read_data,
    output logic               write_request,
    input  logic               write_valid,
    input  logic [8*WIDTH-1:0] write_data,
    input  logic [  WIDTH-1:0] write_strobe,
    // AXI4
    output logic               m_axi_arvalid,
    input  logic               m_axi_arready,
    output logic [       63:0] m_axi_araddr,
    output logic [        7:0] m_axi_arlen,
    output logic [        2:0] m_axi_arsize,
    output logic [        1:0] m_axi_arburst,
    input  logic               m_axi_rvalid,
    output logic               m_axi_rready,
    input  logic [8*WIDTH-1:0] m_axi_rdata,
    input  logic [        1:0] m_axi_rresp,
    input  logic               m_axi_rlast,
    output logic               m_axi_awvalid,
    input  logic               m_axi_awready,
    output logic [       63:0] m_axi_awaddr,
    output logic [        7:0] m_axi_awlen,
    output logic [        2:0] m_axi_awsize,
    output logic [        1:0] m_axi_awburst,
    output logic               m_axi_wvalid,
    input  logic               m_axi_wready,
    output logic [8*WIDTH-1:0] m_axi_wdata,
    output logic [  WIDTH-1:0] m_axi_wstrb,
    output logic               m_axi_wlast,
    input  logic               m_axi_bvalid,
    output logic               m_axi_bready,
    input  logic [        1:0] m_axi_bresp
);
  localparam integer LANE = $clog2(WIDTH);
  localparam [1:0] INCR = 2'b01;
  localparam integer FIFO = 8;  // covers the 3 cycles of the machine and the credit's way back
  localparam integer OWED = 16;  // bits that count the beats of WRITES bursts
  localparam [1:0] FETCH = 2'd0;
  localparam [1:0] STORE = 2'd1;

  // ---- bursts taken, which wait in front of AR and AW ----

  logic [1:0] waiting;
  logic waiting_full;
  logic is_store;  // the first that waits
  logic is_fetch;
  logic [63:0] address;
  logic [7:0] length;
  logic send_read;
  logic send_write;
  logic reads_full;
  logic write_room;
  logic meets;

  assign memory_ready = running && !waiting_full;
  weft_queue #(
      .WIDTH(74 - LANE),
      .DEPTH(2)
  ) taken (
      .clock(clock),
      .reset(reset || !running),
      .push(memory_valid && memory_ready),
      .push_data({
        memory_master == STORE, memory_master == FETCH, memory_address[63:LANE], memory_beats[7:0] - 8'd1
      }),
      .pop(send_read || send_write),
      .head({is_store, is_fetch, address[63:LANE], length}),
      .count(waiting),
      .full(waiting_full)
  );
  assign address[LANE-1:0] = {LANE{1'b0}};

  // ---- writes without response, and the reads that wait for them ----

  localparam integer RESPONSES = $clog2(WRITES + 1);
  logic [RESPONSES-1:0] responses;  // that are still to come
  localparam integer BLOCK = 22;  // bits, within 4 GB: 54 would be a carry that takes half a cycle
  logic [31:0] part;  // of 4 GB they lie in
  logic several;  // parts
  logic same_part;
  logic [BLOCK-1:0] lowest;  // blocks of 1024 bytes they lie in
  logic [BLOCK-1:0] highest;
  logic [BLOCK-1:0] block;
  logic respond;

  assign block = address[10+:BLOCK];
  assign respond = m_axi_bvalid && m_axi_bready && responses != 0;
  assign write_room = responses < WRITES[RESPONSES-1:0];
  assign same_part = address[63:32] == part;
  assign meets = responses != 0 && (several || same_part && block >= lowest && block <= highest);
  assign m_axi_bready = 1'b1;

  always_ff @(posedge clock) begin
    if (reset) begin
      responses <= {RESPONSES{1'b0}};
    end else begin
      if (send_write && !respond) responses <= responses + 1'b1;
      if (respond && !send_write) responses <= responses - 1'b1;
    end
    if (send_write) begin
      part <= address[63:32];
      several <= responses != 0 && (several || !same_part);
      if (responses == 0 || block < lowest) lowest <= block;
      if (responses == 0 || block > highest) highest <= block;
    end
  end

  // ---- AR and AW ----

  assign send_read = running && waiting != 0 && !is_store && !meets && !reads_full && (!m_axi_arvalid || m_axi_arready);
  assign send_write = running && waiting != 0 && is_store && write_room && (!m_axi_awvalid || m_axi_awready);
  assign m_axi_arsize = LANE[2:0];
  assign m_axi_awsize = LANE[2:0];
  assign m_axi_arburst = INCR;
  assign m_axi_awburst = INCR;

  always_ff @(posedge clock) begin
    if (reset) begin
      m_axi_arvalid <= 1'b0;
      m_axi_awvalid <= 1'b0;
    end else begin
      if (send_read || m_axi_arready) m_axi_arvalid <= send_read;
      if (send_write || m_axi_awready) m_axi_awvalid <= send_write;
    end
    if (send_read) begin
      m_axi_araddr <= address;
      m_axi_arlen  <= length;
    end
    if (send_write) begin
      m_axi_awaddr <= address;
      m_axi_awlen  <= length;
    end
  end

  // ---- read beats ----

  localparam integer READ_COUNT = $clog2(READS + 1);
  logic head_fetch;
  logic [READ_COUNT-1:0] reads;
  logic read_beat;
  logic receive;
  logic write_waits;

  weft_queue #(
      .WIDTH(1),
      .DEPTH(READS)
  ) read_bursts (
      .clock(clock),
      .reset(reset),
      .push(send_read),
      .push_data(is_fetch),
      .pop(receive && m_axi_rlast),
      .head(head_fetch),
      .count(reads),
      .full(reads_full)
  );

  assign m_axi_rready = !(read_valid && write_waits);
  assign receive = m_axi_rvalid && m_axi_rready && reads != 0;
  assign read_valid = read_beat && running;
  always_ff @(posedge clock) begin
    read_beat <= receive && !reset;
    if (receive) begin
      read_data  <= m_axi_rdata;
      read_fetch <= head_fetch;
    end
  end

  // ---- write beats ----

  // A beat in the FIFO knows whether it is the last of its burst: `bursts` holds the lengths of those
  // whose beats are not all in the FIFO.
  localparam integer FILL = $clog2(FIFO + 1);
  logic [7:0] burst_length;
  logic [RESPONSES-1:0] bursts;
  logic bursts_full;
  logic [7:0] pushed;  // beats of the first burst that are in the FIFO
  logic push;
  logic last;
  logic pop;
  logic [FILL-1:0] held;
  logic fifo_full;

  assign push = running ? write_valid : bursts != 0 && !fifo_full;
  assign last = pushed == burst_length;
  assign pop = m_axi_wvalid && m_axi_wready;
  assign m_axi_wvalid = held != 0;

  weft_queue #(
      .WIDTH(8),
      .DEPTH(WRITES)
  ) write_bursts (
      .clock(clock),
      .reset(reset),
      .push(send_write),
      .push_data(length),
      .pop(push && last),
      .head(burst_length),
      .count(bursts),
      .full(bursts_full)
  );

  weft_queue #(
      .WIDTH(9 * WIDTH + 1),
      .DEPTH(FIFO)
  ) write_beats (
      .clock(clock),
      .reset(reset),
      .push(push),
      .push_data({last, running ? write_strobe : {WIDTH{1'b0}}, write_data}),
      .pop(pop),
      .head({m_axi_wlast, m_axi_wstrb, m_axi_wdata}),
      .count(held),
      .full(fifo_full)
  );

  always_ff @(posedge clock) begin
    if (reset) pushed <= 8'd0;
    else if (push) pushed <= last ? 8'd0 : pushed + 8'd1;
  end

  // Requests: `owed` beats may be asked for, `credits` places of the FIFO are neither taken nor
  // promised. Beats become owed 2 cycles after their burst was sent off.
  logic [OWED-1:0] owed;
  logic some_owed;
  logic [FILL-1:0] credits;
  logic [8:0] owed_1;
  logic [8:0] owed_2;

  assign write_waits = running && some_owed && credits != 0;
  assign write_request = write_waits && !read_valid;

  always_ff @(posedge clock) begin
    if (reset || !running) begin
      owed <= {OWED{1'b0}};
      some_owed <= 1'b0;
      owed_1 <= 9'd0;
      owed_2 <= 9'd0;
    end else begin
      owed_1 <= send_write ? {1'b0, length} + 9'd1 : 9'd0;
      owed_2 <= owed_1;
      if (owed_2 != 0 || write_request) begin
        owed <= owed + {{OWED - 9{1'b0}}, owed_2} - {{OWED - 1{1'b0}}, write_request};
        some_owed <= owed_2 != 0 || owed > 1;
      end
    end
    // No beat is promised before a run, and the FIFO is empty: see busy.
    if (reset || !running) credits <= FIFO[FILL-1:0];
    else if (write_request && !pop) credits <= credits - 1'b1;
    else if (pop && !write_request) credits <= credits + 1'b1;
  end

  // ---- the end of a run, errors ----

  assign busy = responses != 0 || reads != 0 || memory_error || (running && waiting != 0);
  always_ff @(posedge clock) begin
    memory_error <= !reset && ((receive && running && m_axi_rresp[1]) ||
                               (respond && m_axi_bresp[1]));
  end

  // verilator lint_off UNUSEDSIGNAL
  logic unused;  // bits of numbers of a smaller range; the lane within a beat
  // verilator lint_on UNUSEDSIGNAL
  assign unused = ^{memory_address[LANE-1:0], memory_beats[8], bursts_full, m_axi_rresp[0],
                    m_axi_bresp[0]};

`ifndef SYNTHESIS
  always_ff @(posedge clock) begin : port_rules
    if (!reset) begin
      assert (!(memory_valid && memory_ready) ||
              (memory_beats != 0 && {22'd0, memory_address[9:LANE], {LANE{1'b0}}} +
               ({23'd0, memory_beats} << LANE) <= 1024))
      else $error("weft_axi_master: burst crosses a multiple of 1024 bytes");
      assert (!(m_axi_rvalid && reads == 0))
      else $error("weft_axi_master: a read beat that nobody asked for");
      assert (!(m_axi_bvalid && responses == 0))
      else $error("weft_axi_master: a response to no write");
      assert (!(write_valid && running && bursts == 0))
      else $error("weft_axi_master: a write beat that nobody asked for");
    end
  end
`endif
endmodule
