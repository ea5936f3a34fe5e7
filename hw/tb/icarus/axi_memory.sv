// A simple AXI4 slave with memory, for benches. Each channel waits at random: a channel's wait is
// the chance in 16 that it does nothing in a cycle. One ID, in order. A write reaches the memory when its
// response is given, as late as a system may do it; a read reads in the cycle of its beat.
// It checks the rules of the master: what is valid stays and stays the same until it is taken, the last
// beat is marked, no burst crosses 4 KB.
module axi_memory #(
    parameter integer SIZE = 8192,
    parameter [63:0]  BASE = 0
) (
    input  logic        clock,
    input  logic        reset,
    input  logic        m_axi_arvalid,
    output logic        m_axi_arready,
    input  logic [63:0] m_axi_araddr,
    input  logic [ 7:0] m_axi_arlen,
    input  logic [ 2:0] m_axi_arsize,
    input  logic [ 1:0] m_axi_arburst,
    output logic        m_axi_rvalid,
    input  logic        m_axi_rready,
    output logic [63:0] m_axi_rdata,
    output logic [ 1:0] m_axi_rresp,
    output logic        m_axi_rlast,
    input  logic        m_axi_awvalid,
    output logic        m_axi_awready,
    input  logic [63:0] m_axi_awaddr,
    input  logic [ 7:0] m_axi_awlen,
    input  logic [ 2:0] m_axi_awsize,
    input  logic [ 1:0] m_axi_awburst,
    input  logic        m_axi_wvalid,
    output logic        m_axi_wready,
    input  logic [63:0] m_axi_wdata,
    input  logic [ 7:0] m_axi_wstrb,
    input  logic        m_axi_wlast,
    output logic        m_axi_bvalid,
    input  logic        m_axi_bready,
    output logic [ 1:0] m_axi_bresp
);
  localparam integer DEPTH = 4096;
  logic [7:0] memory[0:SIZE-1];
  integer wait_ar = 0, wait_r = 0, wait_aw = 0, wait_w = 0, wait_b = 0;
  integer error_r = -1, error_b = -1;  // beats or responses from now to one with an error

  reg [71:0] ar[0:DEPTH-1];
  reg [71:0] aw[0:DEPTH-1];
  reg [72:0] w[0:DEPTH-1];
  integer ar_in, ar_out, aw_in, aw_out, w_in, w_out, bursts_of_w;
  integer beat, k, address, first;

  function integer quiet(input integer chance);
    quiet = $urandom % 16 < chance;
  endfunction

  // The rules of a channel: what stood there in the cycle before and was not taken.
  reg [138:0] was_ar, was_aw, was_w;
  reg held_ar, held_aw, held_w;
  always @(posedge clock) begin
    if (!reset) begin
      if (held_ar && !(m_axi_arvalid && {m_axi_arsize, m_axi_arburst, m_axi_araddr, m_axi_arlen} === was_ar[76:0]))
        $fatal(1, "AR changes before it is taken");
      if (held_aw && !(m_axi_awvalid && {m_axi_awsize, m_axi_awburst, m_axi_awaddr, m_axi_awlen} === was_aw[76:0]))
        $fatal(1, "AW changes before it is taken");
      if (held_w && !(m_axi_wvalid && {m_axi_wlast, m_axi_wstrb, m_axi_wdata} === was_w[72:0]))
        $fatal(1, "W changes before it is taken");
      if ((m_axi_arvalid && (m_axi_arsize != 3 || m_axi_arburst != 1 || m_axi_araddr % 8 != 0)) ||
          (m_axi_awvalid && (m_axi_awsize != 3 || m_axi_awburst != 1 || m_axi_awaddr % 8 != 0)))
        $fatal(1, "a burst that is not INCR of full beats");
      if ((m_axi_arvalid && m_axi_araddr % 4096 + 8 * (m_axi_arlen + 1) > 4096) ||
          (m_axi_awvalid && m_axi_awaddr % 4096 + 8 * (m_axi_awlen + 1) > 4096))
        $fatal(1, "a burst crosses 4 KB");
      if ((m_axi_arvalid && (m_axi_araddr < BASE || m_axi_araddr + 8 * (m_axi_arlen + 1) > BASE + SIZE)) ||
          (m_axi_awvalid && (m_axi_awaddr < BASE || m_axi_awaddr + 8 * (m_axi_awlen + 1) > BASE + SIZE)))
        $fatal(1, "a burst lies outside of memory");
    end
    held_ar <= !reset && m_axi_arvalid && !m_axi_arready;
    held_aw <= !reset && m_axi_awvalid && !m_axi_awready;
    held_w <= !reset && m_axi_wvalid && !m_axi_wready;
    was_ar <= {m_axi_arsize, m_axi_arburst, m_axi_araddr, m_axi_arlen};
    was_aw <= {m_axi_awsize, m_axi_awburst, m_axi_awaddr, m_axi_awlen};
    was_w <= {m_axi_wlast, m_axi_wstrb, m_axi_wdata};
  end

  always @(posedge clock) begin
    if (reset) begin
      {ar_in, ar_out, aw_in, aw_out, w_in, w_out, bursts_of_w, beat} = 0;
      {m_axi_arready, m_axi_awready, m_axi_wready, m_axi_rvalid, m_axi_bvalid} <= 0;
    end else begin
      if (m_axi_arvalid && m_axi_arready) begin
        ar[ar_in%DEPTH] = {m_axi_araddr, m_axi_arlen};
        ar_in = ar_in + 1;
      end
      if (m_axi_awvalid && m_axi_awready) begin
        aw[aw_in%DEPTH] = {m_axi_awaddr, m_axi_awlen};
        aw_in = aw_in + 1;
      end
      if (m_axi_wvalid && m_axi_wready) begin
        w[w_in%DEPTH] = {m_axi_wlast, m_axi_wstrb, m_axi_wdata};
        w_in = w_in + 1;
        if (m_axi_wlast) bursts_of_w = bursts_of_w + 1;
      end
      m_axi_arready <= !quiet(wait_ar);
      m_axi_awready <= !quiet(wait_aw);
      m_axi_wready  <= !quiet(wait_w);
      if (!m_axi_rvalid || m_axi_rready) begin
        m_axi_rvalid <= 0;
        if (ar_out != ar_in && !quiet(wait_r)) begin
          address = ar[ar_out%DEPTH][71:8] - BASE + 8 * beat;
          for (k = 0; k < 8; k = k + 1) m_axi_rdata[8*k+:8] <= memory[address+k];
          m_axi_rvalid <= 1;
          m_axi_rresp <= error_r == 0 ? 2'b10 : 2'b00;
          if (error_r >= 0) error_r = error_r - 1;
          m_axi_rlast <= beat == ar[ar_out%DEPTH][7:0];
          beat = beat + 1;
          if (beat > ar[ar_out%DEPTH][7:0]) begin
            beat = 0;
            ar_out = ar_out + 1;
          end
        end
      end
      if (!m_axi_bvalid || m_axi_bready) begin
        m_axi_bvalid <= 0;
        if (aw_out != aw_in && bursts_of_w != 0 && !quiet(wait_b)) begin
          address = aw[aw_out%DEPTH][71:8] - BASE;
          for (first = 0; first <= aw[aw_out%DEPTH][7:0]; first = first + 1) begin
            if (w[w_out%DEPTH][72] !== (first == aw[aw_out%DEPTH][7:0]))
              $fatal(1, "WLAST is in the wrong beat");
            for (k = 0; k < 8; k = k + 1)
              if (w[w_out%DEPTH][64+k]) memory[address+8*first+k] = w[w_out%DEPTH][8*k+:8];
            w_out = w_out + 1;
          end
          aw_out = aw_out + 1;
          bursts_of_w = bursts_of_w - 1;
          m_axi_bvalid <= 1;
          m_axi_bresp <= error_b == 0 ? 2'b10 : 2'b00;
          if (error_b >= 0) error_b = error_b - 1;
        end
      end
    end
  end
endmodule
