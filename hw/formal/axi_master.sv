// weft_axi_master: what is on AR and AW was taken from the machine, with the same address and as many beats, and stays
// until the channel takes it: a burst that was never taken, whichever it is, is never there. No burst crosses a multiple of 4096.
// Not more bursts wait for an answer than were taken; busy says when there are any; without a run nothing is taken, and what answers
// to nothing changes nothing. A read between the blocks of writes without response is not sent.
// Part 1 is W: beats stay until taken, those of a burst come before those of the next one on AW, WLAST is on the last beat of each;
// the FIFO has a place for every beat that was asked for. Assumed is that the machine gives a beat 3 cycles after the request, starts
// when nothing is busy, and that a beat is given for a burst (in simulation an assertion of the module).
//
// modules weft_axi_master weft_queue
// parts 0 1
// parameter WRITES 2 3
// cover stays_ar && stays_aw && memory_valid && !memory_ready
// cover picked && writes == WRITES && reads == 3
// cover m_axi_wvalid && m_axi_wlast && !running && busy
// cover m_axi_arvalid && m_axi_araddr[11:10] == 3 && m_axi_araddr[9:3] + m_axi_arlen + 1 == 128
// mutation weft_axi_master: s/{memory_address\[63:LANE\], memory_beats\[7:0\] - 8'd1}/{memory_address[63:LANE] + 1'b1, memory_beats[7:0] - 8'd1}/; s/memory_master == FETCH, memory_address\[63:LANE\],/memory_master == FETCH, memory_address[63:LANE] + 1'b1,/
// mutation weft_axi_master: s/memory_beats\[7:0\] - 8'd1/memory_beats[7:0]/
// mutation weft_axi_master: s/assign memory_ready = running \&\&/assign memory_ready =/
// mutation weft_axi_master: s/ \&\& responses != 0;$/;/
// mutation weft_axi_master: s/ || (running \&\& waiting != 0);/;/
// mutation weft_axi_master: s/ \&\& (!m_axi_arvalid || m_axi_arready);/;/
// mutation weft_axi_master: s/ \&\& (!m_axi_awvalid || m_axi_awready);/;/
// mutation weft_axi_master: s/!is_store \&\& !meets/!is_store/
// mutation weft_axi_master: s/block < lowest) lowest/block > lowest) lowest/
// mutation weft_axi_master: s/several || !same_part/several/
// mutation weft_axi_master: s/ \&\& write_room \&\&/ \&\&/
// mutation weft_axi_master: s/send_read || m_axi_arready) m_axi_arvalid/send_read) m_axi_arvalid/
// mutation weft_axi_master: s/last = pushed == burst_length/last = pushed + 8'd1 == burst_length/
// mutation weft_axi_master: s/bursts != 0 \&\& !fifo_full/bursts != 0/
module proof #(
    parameter integer WRITES = 2,
    parameter integer PART = 0
) (
    input logic clock,
    input logic reset,
    input logic running,
    input logic memory_valid,
    input logic [1:0] memory_master,
    input logic [63:0] memory_address,
    input logic [8:0] memory_beats,
    input logic write_valid,
    input logic [7:0] write_data,
    input logic m_axi_arready,
    input logic m_axi_rvalid,
    input logic [1:0] m_axi_rresp,
    input logic m_axi_rlast,
    input logic m_axi_awready,
    input logic m_axi_wready,
    input logic m_axi_bvalid,
    input logic [1:0] m_axi_bresp,
    input logic pick,
    input logic [71:0] never_read,  // address, and beats - 1, of a burst
    input logic [71:0] never_written
);
  localparam integer WIDTH = 8;
  localparam integer FIFO = 8;
  logic busy, memory_ready, memory_error, m_axi_arvalid, m_axi_awvalid, m_axi_rready;
  logic [63:0] m_axi_araddr, m_axi_awaddr;
  logic [7:0] m_axi_arlen, m_axi_awlen;
  logic read_valid, write_request, m_axi_wvalid, m_axi_wlast;
  logic [63:0] m_axi_wdata;
  logic [7:0] m_axi_wstrb;
  weft_axi_master #(
      .WIDTH(WIDTH),
      .READS(3),
      .WRITES(WRITES)
  ) dut (
      .clock(clock),
      .reset(reset),
      .running(running),
      .busy(busy),
      .memory_valid(memory_valid),
      .memory_ready(memory_ready),
      .memory_master(memory_master),
      .memory_address(memory_address),
      .memory_beats(memory_beats),
      .memory_error(memory_error),
      .read_valid(read_valid),
      .read_fetch(),
      .read_data(),
      .write_request(write_request),
      .write_valid(write_valid),
      .write_data({56'd0, write_data}),
      .write_strobe(8'hff),
      .m_axi_arvalid(m_axi_arvalid),
      .m_axi_arready(m_axi_arready),
      .m_axi_araddr(m_axi_araddr),
      .m_axi_arlen(m_axi_arlen),
      .m_axi_arsize(),
      .m_axi_arburst(),
      .m_axi_rvalid(m_axi_rvalid),
      .m_axi_rready(m_axi_rready),
      .m_axi_rdata(64'd0),
      .m_axi_rresp(m_axi_rresp),
      .m_axi_rlast(m_axi_rlast),
      .m_axi_awvalid(m_axi_awvalid),
      .m_axi_awready(m_axi_awready),
      .m_axi_awaddr(m_axi_awaddr),
      .m_axi_awlen(m_axi_awlen),
      .m_axi_awsize(),
      .m_axi_awburst(),
      .m_axi_wvalid(m_axi_wvalid),
      .m_axi_wready(m_axi_wready),
      .m_axi_wdata(m_axi_wdata),
      .m_axi_wstrb(m_axi_wstrb),
      .m_axi_wlast(m_axi_wlast),
      .m_axi_bvalid(m_axi_bvalid),
      .m_axi_bready(),
      .m_axi_bresp(m_axi_bresp)
  );
  localparam integer RESPONSES = $clog2(WRITES + 1);
  (* hierconn *) wire [1:0] \dut.waiting ;
  (* hierconn *) wire \dut.waiting_full , \dut.taken.more , \dut.taken.first , \dut.taken.free ;  // of a ring of one
  (* hierconn *) wire [70:0] \dut.taken.ring[0] , \dut.taken.head ;
  (* hierconn *) wire [RESPONSES-1:0] \dut.responses ;
  (* hierconn *) wire [21:0] \dut.lowest , \dut.highest ;
  (* hierconn *) wire [31:0] \dut.part ;
  (* hierconn *) wire \dut.several ;
  (* hierconn *) wire \dut.send_read , \dut.send_write ;
  (* hierconn *) wire [1:0] \dut.reads ;
  (* hierconn *) wire \dut.reads_full , \dut.read_bursts.more ;

  // The two bursts stay; they are not taken.
  logic started = 1'b0;
  logic [143:0] never_before;
  always_ff @(posedge clock) begin
    started <= 1'b1;
    never_before <= {never_read, never_written};
  end
  logic taken;
  logic [8:0] length;
  logic [71:0] burst;
  assign taken = memory_valid && memory_ready;
  assign length = memory_beats - 9'd1;
  assign burst = {memory_address[63:3], 3'd0, length[7:0]};
  always_comb begin
    assume (started || reset);
    assume (!started || {never_read, never_written} == never_before);
    if (memory_valid) begin
      assume (memory_beats >= 1 && memory_beats <= 256);
      assume ({memory_address[9:3], 3'd0} + {memory_beats, 3'd0} <= 1024);
      assume (burst != (memory_master == 1 ? never_written : never_read));
    end
  end

  // A burst of the machine within 1024 bytes, as the queue holds it.
  function automatic logic is_good(input [70:0] entry);
    is_good = {entry[14:8], 3'd0} + {entry[7:0], 3'd0} + 8 <= 1024 &&
        {entry[68:8], 3'd0, entry[7:0]} != (entry[70] ? never_written : never_read);
  endfunction
  function automatic logic crosses(input [63:0] address, input [7:0] length);
    crosses = {1'b0, address[11:0]} + {length, 3'd0} + 8 > 4096;
  endfunction

  // What was on a channel and was not taken.
  logic stays_ar, stays_aw, stays_w;
  logic [71:0] ar, aw;
  logic [72:0] w;
  always_ff @(posedge clock) begin
    stays_ar <= !reset && m_axi_arvalid && !m_axi_arready;
    stays_aw <= !reset && m_axi_awvalid && !m_axi_awready;
    stays_w <= !reset && m_axi_wvalid && !m_axi_wready;
    ar <= {m_axi_araddr, m_axi_arlen};
    aw <= {m_axi_awaddr, m_axi_awlen};
    w <= {m_axi_wlast, m_axi_wstrb, m_axi_wdata};
  end

  // Bursts that were sent and have no answer, and the block of one of the writes, whichever it is, until all have theirs.
  logic [3:0] reads, writes;
  logic due_ar, due_aw;  // sent, and not through the channel
  logic picked;
  logic [53:0] block;
  always_ff @(posedge clock) begin
    if (reset) begin
      reads  <= 0;
      writes <= 0;
      picked <= 1'b0;
      due_ar <= 1'b0;
      due_aw <= 1'b0;
    end else begin
      due_ar <= \dut.send_read || (due_ar && !m_axi_arready);
      due_aw <= \dut.send_write || (due_aw && !m_axi_awready);
      reads <= reads + \dut.send_read - (m_axi_rvalid && m_axi_rready && m_axi_rlast && reads != 0);
      writes <= writes + \dut.send_write - (m_axi_bvalid && writes != 0);
      if (\dut.send_write && !picked && pick) begin
        picked <= 1'b1;
        block <= \dut.taken.head [68:15];
      end else if (writes + \dut.send_write - (m_axi_bvalid && writes != 0) == 0) begin
        picked <= 1'b0;
      end
    end
  end

  logic sent;  // all that part 0 proves, and part 1 assumes
  always_comb begin
    sent = 1'b1;
    if (started) begin
      sent = sent && (!taken || running);
      sent = sent && (busy || (reads == 0 && writes == 0 && !\dut.send_read && !\dut.send_write ));
      sent = sent && (\dut.responses == writes && writes <= WRITES);
      sent = sent && (\dut.reads == reads && reads <= 3 && \dut.reads_full == (reads == 3) && \dut.read_bursts.more == (reads > 1));
      sent = sent && (!\dut.taken.first && !\dut.taken.free );
      sent = sent && (\dut.waiting <= 2 && \dut.waiting_full == (\dut.waiting == 2) && \dut.taken.more == (\dut.waiting > 1));
      if (\dut.waiting != 0) sent = sent && (is_good(\dut.taken.head ));
      if (\dut.waiting == 2) sent = sent && (is_good(\dut.taken.ring[0] ));
      if (picked) sent = sent && (writes != 0 && (\dut.several || (block[53:22] == \dut.part && block[21:0] >= \dut.lowest && block[21:0] <= \dut.highest )));
      if (picked && \dut.send_read ) sent = sent && (\dut.taken.head [68:15] != block);
      sent = sent && (m_axi_arvalid == due_ar && m_axi_awvalid == due_aw);
      if (m_axi_arvalid) begin
        sent = sent && ({m_axi_araddr, m_axi_arlen} != never_read);
        sent = sent && (!crosses(m_axi_araddr, m_axi_arlen) && m_axi_araddr[2:0] == 0);
        sent = sent && ({m_axi_araddr[9:3], 3'd0} + {m_axi_arlen, 3'd0} + 8 <= 1024);
      end
      if (m_axi_awvalid) begin
        sent = sent && ({m_axi_awaddr, m_axi_awlen} != never_written);
        sent = sent && (!crosses(m_axi_awaddr, m_axi_awlen) && m_axi_awaddr[2:0] == 0);
        sent = sent && ({m_axi_awaddr[9:3], 3'd0} + {m_axi_awlen, 3'd0} + 8 <= 1024);
      end
      if (!reset) begin
        if (stays_ar) sent = sent && (m_axi_arvalid && {m_axi_araddr, m_axi_arlen} == ar);
        if (stays_aw) sent = sent && (m_axi_awvalid && {m_axi_awaddr, m_axi_awlen} == aw);
      end
    end
  end
  if (PART == 0) begin : g_sent
    always_comb assert (sent);
  end else begin : g_known
    always_comb assume (sent);
  end

  // ---- W ----
  (* hierconn *) wire \dut.push , \dut.last ;
  (* hierconn *) wire [3:0] \dut.credits , \dut.held ;
  (* hierconn *) wire [7:0] \dut.pushed , \dut.burst_length ;
  (* hierconn *) wire [RESPONSES-1:0] \dut.bursts ;
  (* hierconn *) wire \dut.bursts_full , \dut.fifo_full , \dut.write_bursts.more , \dut.write_beats.more ;
  (* hierconn *) wire \dut.write_bursts.first , \dut.write_bursts.free ;  // of a ring of one or two
  (* hierconn *) wire [7:0] \dut.write_bursts.ring[0] , \dut.write_bursts.ring[1] ;
  (* hierconn *) wire [2:0] \dut.write_beats.first , \dut.write_beats.free ;
  (* hierconn *) wire [72:0] \dut.write_beats.ring[0] , \dut.write_beats.ring[1] , \dut.write_beats.ring[2] , \dut.write_beats.ring[3] , \dut.write_beats.ring[4] , \dut.write_beats.ring[5] , \dut.write_beats.ring[6] ;
  logic [6:0] ring_last;
  assign ring_last = {\dut.write_beats.ring[6] [72], \dut.write_beats.ring[5] [72], \dut.write_beats.ring[4] [72], \dut.write_beats.ring[3] [72], \dut.write_beats.ring[2] [72], \dut.write_beats.ring[1] [72], \dut.write_beats.ring[0] [72]};

  // The lengths of the bursts whose beats are not all in the FIFO, which beats of the FIFO are last ones, oldest first; requests by
  // age.
  logic [39:0] lengths;
  logic [8:0] lasts;
  logic [2:0] requests;
  logic was_running, was_busy;
  logic ends;  // the beat that is pushed is the last of its burst
  logic [3:0] lengths_after, held_after;
  assign ends = \dut.pushed == lengths[7:0];
  assign lengths_after = \dut.bursts - (\dut.push && ends);
  assign held_after = \dut.held - (m_axi_wvalid && m_axi_wready);
  always_ff @(posedge clock) begin
    was_running <= running;
    was_busy <= busy;
    if (reset || !running) requests <= 0;
    else requests <= {requests[1:0], write_request};
    if (!reset) begin
      if (\dut.push && ends) lengths <= lengths >> 8;
      if (\dut.send_write ) begin
        for (int i = 0; i < 4; i++) if (lengths_after == i) lengths[8*i+:8] <= \dut.taken.head [7:0];
      end
      if (m_axi_wvalid && m_axi_wready) lasts <= lasts >> 1;
      if (\dut.push ) begin
        for (int i = 0; i < 9; i++) if (held_after == i) lasts[i] <= ends;
      end
    end
  end

  // The place in the ring of 7 of the entry that is so many behind the first one.
  function automatic logic [2:0] place(input [2:0] first, input [3:0] behind);
    place = {1'b0, first} + behind >= 7 ? first + behind - 7 : first + behind;
  endfunction

  if (PART == 1) begin : g_w
    always_comb begin
      assume (!running || was_running || !was_busy);
      if (running) assume (write_valid == requests[2]);
      assume (\dut.bursts <= \dut.responses );  // a response comes after its beats
      if (!busy) assume (\dut.held == 0);
      if (\dut.push ) assume (\dut.bursts != 0);
      if (started) begin
        // The two queues.
        assert (\dut.bursts <= WRITES && \dut.bursts_full == (\dut.bursts == WRITES) && \dut.write_bursts.more == (\dut.bursts > 1));
        if (WRITES == 2) assert (!\dut.write_bursts.first && !\dut.write_bursts.free );
        else assert (\dut.write_bursts.free == \dut.write_bursts.first ^ (\dut.bursts == 2));
        if (\dut.bursts > 0) assert (lengths[7:0] == \dut.burst_length );
        if (\dut.bursts > 1) begin
          assert (lengths[15:8] == (\dut.write_bursts.first ? \dut.write_bursts.ring[1] : \dut.write_bursts.ring[0] ));
        end
        if (\dut.bursts > 2) begin
          assert (lengths[23:16] == (\dut.write_bursts.first ? \dut.write_bursts.ring[0] : \dut.write_bursts.ring[1] ));
        end
        assert (\dut.held <= FIFO && \dut.fifo_full == (\dut.held == FIFO) && \dut.write_beats.more == (\dut.held > 1));
        assert (\dut.write_beats.first < 7);
        assert (\dut.write_beats.free == place(\dut.write_beats.first , \dut.held == 0 ? 0 : \dut.held - 1));
        for (int i = 1; i < FIFO; i++) begin
          if (i < \dut.held ) assert (ring_last[place(\dut.write_beats.first , i - 1)] == lasts[i]);
        end
        // Beats.
        assert (m_axi_wvalid == (\dut.held != 0));
        if (m_axi_wvalid) assert (m_axi_wlast == lasts[0]);
        if (stays_w && !reset) assert (m_axi_wvalid && {m_axi_wlast, m_axi_wstrb, m_axi_wdata} == w);
        if (\dut.push ) assert (\dut.last == ends && (\dut.held != FIFO || m_axi_wready));
        if (\dut.bursts == 0) assert (\dut.pushed == 0);
        else assert (\dut.pushed <= lengths[7:0]);
        if (running) begin
          assert (\dut.credits + \dut.held + requests[0] + requests[1] + requests[2] == FIFO);
        end
      end
    end
  end
endmodule
