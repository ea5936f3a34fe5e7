// The CPU's data port of 32 bits as a master of the AXI4-Lite slave of 64 bits: a word is one half, told by
// the strobes. One access at a time.
//
// Reset: no access on its way.
module weft_soc_bridge (
    input  logic        clock,
    input  logic        reset,
    input  logic        valid,
    input  logic [ 9:0] address,        // of words
    input  logic [ 3:0] strobe,
    input  logic [31:0] write,
    output logic        ready,
    output logic        error,
    output logic [31:0] read,
    // AXI4-Lite
    output logic        m_axi_awvalid,
    input  logic        m_axi_awready,
    output logic [11:0] m_axi_awaddr,
    output logic        m_axi_wvalid,
    input  logic        m_axi_wready,
    output logic [63:0] m_axi_wdata,
    output logic [ 7:0] m_axi_wstrb,
    input  logic        m_axi_bvalid,
    output logic        m_axi_bready,
    input  logic [ 1:0] m_axi_bresp,
    output logic        m_axi_arvalid,
    input  logic        m_axi_arready,
    output logic [11:0] m_axi_araddr,
    input  logic        m_axi_rvalid,
    output logic        m_axi_rready,
    input  logic [63:0] m_axi_rdata,
    input  logic [ 1:0] m_axi_rresp
);
  logic busy;  // an access was shown to the slave
  logic answered;

  assign m_axi_awaddr = {address[9:1], 3'd0};
  assign m_axi_araddr = {address[9:1], 3'd0};
  assign m_axi_wdata = {write, write};
  assign m_axi_wstrb = address[0] ? {strobe, 4'd0} : {4'd0, strobe};
  assign m_axi_bready = 1'b1;
  assign m_axi_rready = 1'b1;
  assign answered = busy && (m_axi_bvalid || m_axi_rvalid);

  // verilator lint_off UNUSEDSIGNAL
  logic unused;  // both kinds of error have bit 1
  // verilator lint_on UNUSEDSIGNAL
  assign unused = ^{m_axi_bresp[0], m_axi_rresp[0]};

  always_ff @(posedge clock) begin
    if (reset) begin
      busy <= 1'b0;
      ready <= 1'b0;
      m_axi_awvalid <= 1'b0;
      m_axi_wvalid <= 1'b0;
      m_axi_arvalid <= 1'b0;
    end else begin
      ready <= answered;
      if (answered) begin
        busy <= 1'b0;
        error <= m_axi_bvalid ? m_axi_bresp[1] : m_axi_rresp[1];
        read <= address[0] ? m_axi_rdata[63:32] : m_axi_rdata[31:0];
      end
      if (m_axi_awready) m_axi_awvalid <= 1'b0;
      if (m_axi_wready) m_axi_wvalid <= 1'b0;
      if (m_axi_arready) m_axi_arvalid <= 1'b0;
      if (valid && !busy && !ready) begin
        busy <= 1'b1;
        m_axi_awvalid <= strobe != 4'd0;
        m_axi_wvalid <= strobe != 4'd0;
        m_axi_arvalid <= strobe == 4'd0;
      end
    end
  end
endmodule
