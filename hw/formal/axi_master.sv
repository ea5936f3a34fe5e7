// weft_axi_master: what is on AR and AW was taken from the machine, with the same address and as many beats, and stays
// until the channel takes it: a burst that was never taken, whichever it is, is never there. Not more bursts wait for an answer than were
// taken; busy says when there are any; without a run nothing is taken, and what answers to nothing changes nothing.
//
// modules weft_axi_master weft_queue
// parameter WRITES 2 3
// mutation weft_axi_master: s/{waiting_address, waiting_length} : {address, length}/{address, length} : {address, length}/
// mutation weft_axi_master: s/assign address = {memory_address\[63:LANE\], {LANE{1'b0}}}/assign address = memory_address + 64'd8/
// mutation weft_axi_master: s/memory_beats\[7:0\] - 8'd1/memory_beats[7:0]/
// mutation weft_axi_master: s/assign memory_ready = running \&\&/assign memory_ready =/
// mutation weft_axi_master: s/ \&\& responses != 0;$/;/
// mutation weft_axi_master: s/ || take_read || take_write;/;/
// mutation weft_axi_master: s/!ar_full \&\& //
module proof #(
    parameter integer WRITES = 2
) (
    input logic clock,
    input logic reset,
    input logic running,
    input logic memory_valid,
    input logic [1:0] memory_master,
    input logic [63:0] memory_address,
    input logic [8:0] memory_beats,
    input logic write_valid,
    input logic m_axi_arready,
    input logic m_axi_rvalid,
    input logic [1:0] m_axi_rresp,
    input logic m_axi_rlast,
    input logic m_axi_awready,
    input logic m_axi_wready,
    input logic m_axi_bvalid,
    input logic [1:0] m_axi_bresp,
    input logic [71:0] never_read,  // address, and beats - 1, of a burst
    input logic [71:0] never_written
);
  localparam integer WIDTH = 8;
  logic busy, memory_ready, memory_error, m_axi_arvalid, m_axi_awvalid, m_axi_rready;
  logic [63:0] m_axi_araddr, m_axi_awaddr;
  logic [7:0] m_axi_arlen, m_axi_awlen;
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
      .read_valid(),
      .read_fetch(),
      .read_data(),
      .write_request(),
      .write_valid(write_valid),
      .write_data(64'd0),
      .write_strobe(8'd0),
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
      .m_axi_wvalid(),
      .m_axi_wready(m_axi_wready),
      .m_axi_wdata(),
      .m_axi_wstrb(),
      .m_axi_wlast(),
      .m_axi_bvalid(m_axi_bvalid),
      .m_axi_bready(),
      .m_axi_bresp(m_axi_bresp)
  );
  (* hierconn *) wire \dut.read_waits ;
  (* hierconn *) wire [63:0] \dut.waiting_address ;
  (* hierconn *) wire [7:0] \dut.waiting_length ;
  (* hierconn *) wire [1:0] \dut.ar_count , \dut.aw_count ;
  (* hierconn *) wire \dut.ar_full , \dut.aw_full ;
  (* hierconn *) wire \dut.read_addresses.more , \dut.write_addresses.more ;
  (* hierconn *) wire \dut.read_addresses.first , \dut.read_addresses.free ;  // of a ring of one
  (* hierconn *) wire \dut.write_addresses.first , \dut.write_addresses.free ;
  (* hierconn *) wire [71:0] \dut.read_addresses.ring[0] , \dut.write_addresses.ring[0] ;
  (* hierconn *) wire [71:0] \dut.read_addresses.head , \dut.write_addresses.head ;
  (* hierconn *) wire [$clog2(WRITES+1)-1:0] \dut.responses ;
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
      assume (burst != (memory_master == 1 ? never_written : never_read));
    end
  end

  // What was on a channel and was not taken.
  logic stays_ar, stays_aw;
  logic [71:0] ar, aw;
  always_ff @(posedge clock) begin
    stays_ar <= !reset && m_axi_arvalid && !m_axi_arready;
    stays_aw <= !reset && m_axi_awvalid && !m_axi_awready;
    ar <= {m_axi_araddr, m_axi_arlen};
    aw <= {m_axi_awaddr, m_axi_awlen};
  end

  // Bursts that were taken and have no answer.
  logic [3:0] reads, writes;
  always_ff @(posedge clock) begin
    if (reset) begin
      reads  <= 0;
      writes <= 0;
    end else begin
      reads <= reads + (taken && memory_master != 1) - (m_axi_rvalid && m_axi_rready && m_axi_rlast && reads != 0);
      writes <= writes + (taken && memory_master == 1) - (m_axi_bvalid && writes != 0);
    end
  end

  always_comb begin
    if (started) begin
      assert (!taken || running);
      assert (busy || (!taken && reads == 0 && writes == 0));
      assert (\dut.responses == writes && writes <= WRITES);
      assert (\dut.reads == reads && reads <= 3 && \dut.reads_full == (reads == 3) && \dut.read_bursts.more == (reads > 1));
      if (!reset) begin
        if (m_axi_arvalid) assert ({m_axi_araddr, m_axi_arlen} != never_read);
        if (m_axi_awvalid) assert ({m_axi_awaddr, m_axi_awlen} != never_written);
        if (stays_ar) assert (m_axi_arvalid && {m_axi_araddr, m_axi_arlen} == ar);
        if (stays_aw) assert (m_axi_awvalid && {m_axi_awaddr, m_axi_awlen} == aw);
      end
      assert (!\dut.read_addresses.first && !\dut.read_addresses.free && !\dut.write_addresses.first &&
              !\dut.write_addresses.free );
      // What waits behind it.
      if (\dut.read_waits ) begin
        assert ({\dut.waiting_address , \dut.waiting_length } != never_read && !\dut.ar_full );
      end
      if (\dut.ar_count == 2) assert (\dut.read_addresses.ring[0] != never_read);
      if (\dut.aw_count == 2) assert (\dut.write_addresses.ring[0] != never_written);
      assert (\dut.ar_count <= 2 && \dut.ar_full == (\dut.ar_count == 2) && \dut.read_addresses.more == (\dut.ar_count > 1));
      assert (\dut.aw_count <= 2 && \dut.aw_full == (\dut.aw_count == 2) && \dut.write_addresses.more == (\dut.aw_count > 1));
    end
  end
endmodule
