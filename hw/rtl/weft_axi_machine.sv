// weft_machine with an AXI4-Lite slave for its registers and an AXI4 master for external memory: the
// block to put into a system (docs/integration.md). Timing and rules: weft_axi_lite, weft_axi_master.
//
// The registers always answer, whatever the bus to memory does. STATUS shows running, and no interrupt is requested, before every
// write of the run has its response and every read is through. So a driver that sees the end sees the results in memory, and a
// new run starts with nothing on its way, also after a write to ABORT.
// aresetn: synchronous, low for at least one cycle; resets everything but memories.
// m_axi_aresetn: synchronous; low, what is on its way to memory is forgotten, a run that is on ends with fault BUS, STATUS shows
// running. To be driven low by who resets the bus to memory alone, and together with aresetn by anybody else.
module weft_axi_machine #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,
    localparam integer WIDTH = CONFIG[weft_config_pkg::AT_MEMORY_WIDTH+:32],  // bytes of a beat
    parameter integer READS = CONFIG[weft_config_pkg::AT_FETCH_BURSTS+:32] + CONFIG[weft_config_pkg::AT_LOAD_BURSTS+:32],  // outstanding
    parameter integer WRITES = 64,  // without response
    parameter integer REGISTER_WIDTH = 64,  // bits of the slave's data: 64 or 32
    parameter integer ID_WIDTH = 1,
    parameter [ID_WIDTH-1:0] READ_ID = 0,  // the same for every burst: they stay in order
    parameter [ID_WIDTH-1:0] WRITE_ID = 0,
    parameter [3:0] READ_CACHE = 4'b0010,  // normal, neither cached nor buffered
    parameter [3:0] WRITE_CACHE = 4'b0010,
    parameter [2:0] PROT = 3'b010  // data, non-secure, unprivileged
) (
    input  logic                        aclk,
    input  logic                        aresetn,
    output logic                        interrupt_request,
    // Registers
    input  logic                        s_axi_awvalid,
    output logic                        s_axi_awready,
    input  logic [                11:0] s_axi_awaddr,
    input  logic                        s_axi_wvalid,
    output logic                        s_axi_wready,
    input  logic [  REGISTER_WIDTH-1:0] s_axi_wdata,
    input  logic [REGISTER_WIDTH/8-1:0] s_axi_wstrb,
    output logic                        s_axi_bvalid,
    input  logic                        s_axi_bready,
    output logic [                 1:0] s_axi_bresp,
    input  logic                        s_axi_arvalid,
    output logic                        s_axi_arready,
    input  logic [                11:0] s_axi_araddr,
    output logic                        s_axi_rvalid,
    input  logic                        s_axi_rready,
    output logic [  REGISTER_WIDTH-1:0] s_axi_rdata,
    output logic [                 1:0] s_axi_rresp,
    // External memory
    input  logic                        m_axi_aresetn,
    output logic                        m_axi_arvalid,
    input  logic                        m_axi_arready,
    output logic [        ID_WIDTH-1:0] m_axi_arid,
    output logic [                63:0] m_axi_araddr,
    output logic [                 7:0] m_axi_arlen,
    output logic [                 2:0] m_axi_arsize,
    output logic [                 1:0] m_axi_arburst,
    output logic [                 3:0] m_axi_arcache,
    output logic [                 2:0] m_axi_arprot,
    input  logic                        m_axi_rvalid,
    output logic                        m_axi_rready,
    // verilator lint_off UNUSEDSIGNAL
    input  logic [        ID_WIDTH-1:0] m_axi_rid,  // that of all reads: there is one
    // verilator lint_on UNUSEDSIGNAL
    input  logic [         8*WIDTH-1:0] m_axi_rdata,
    input  logic [                 1:0] m_axi_rresp,
    input  logic                        m_axi_rlast,
    output logic                        m_axi_awvalid,
    input  logic                        m_axi_awready,
    output logic [        ID_WIDTH-1:0] m_axi_awid,
    output logic [                63:0] m_axi_awaddr,
    output logic [                 7:0] m_axi_awlen,
    output logic [                 2:0] m_axi_awsize,
    output logic [                 1:0] m_axi_awburst,
    output logic [                 3:0] m_axi_awcache,
    output logic [                 2:0] m_axi_awprot,
    output logic                        m_axi_wvalid,
    input  logic                        m_axi_wready,
    output logic [         8*WIDTH-1:0] m_axi_wdata,
    output logic [           WIDTH-1:0] m_axi_wstrb,
    output logic                        m_axi_wlast,
    input  logic                        m_axi_bvalid,
    output logic                        m_axi_bready,
    // verilator lint_off UNUSEDSIGNAL
    input  logic [        ID_WIDTH-1:0] m_axi_bid,
    // verilator lint_on UNUSEDSIGNAL
    input  logic [                 1:0] m_axi_bresp
);
  logic reset;
  logic bus_reset;
  assign reset = !aresetn;
  assign bus_reset = !m_axi_aresetn;

  logic running;
  logic busy;
  logic bus_error;

  assign m_axi_arid = READ_ID;
  assign m_axi_awid = WRITE_ID;
  assign m_axi_arcache = READ_CACHE;
  assign m_axi_awcache = WRITE_CACHE;
  assign m_axi_arprot = PROT;
  assign m_axi_awprot = PROT;

  logic register_valid;
  logic register_ready;
  logic register_write;
  logic [11:0] register_address;
  logic [63:0] register_write_data;
  logic [1:0] register_write_strobe;
  logic register_read_valid;
  logic [63:0] register_read_data;

  logic memory_valid;
  logic memory_ready;
  logic [1:0] memory_master;
  logic [63:0] memory_address;
  logic [8:0] memory_beats;
  logic memory_error;
  assign memory_error = bus_error || bus_reset;
  logic read_valid;
  logic read_fetch;
  logic [8*WIDTH-1:0] read_data;
  logic write_request;
  logic write_valid;
  logic [8*WIDTH-1:0] write_data;
  logic [WIDTH-1:0] write_strobe;

  // The trace port and the length in bytes are for benches.
  // verilator lint_off PINCONNECTEMPTY
  weft_machine #(
      .CONFIG(CONFIG)
  ) machine (
      .clock(aclk),
      .reset(reset),
      .running(running),
      .interrupt_request(interrupt_request),
      .register_valid(register_valid),
      .register_ready(register_ready),
      .register_write(register_write),
      .register_address(register_address),
      .register_write_data(register_write_data),
      .register_write_strobe(register_write_strobe),
      .register_read_valid(register_read_valid),
      .register_read_data(register_read_data),
      .memory_valid(memory_valid),
      .memory_ready(memory_ready),
      .memory_master(memory_master),
      .memory_address(memory_address),
      .memory_bytes(),
      .memory_beats(memory_beats),
      .memory_error(memory_error),
      .bus_busy(busy || bus_reset),
      .read_valid(read_valid),
      .read_fetch(read_fetch),
      .read_data(read_data),
      .write_request(write_request),
      .write_valid(write_valid),
      .write_data(write_data),
      .write_strobe(write_strobe),
      .trace_dispatched(),
      .trace_dispatched_number(),
      .trace_started(),
      .trace_started_numbers(),
      .trace_finished(),
      .trace_finished_numbers()
  );
  // verilator lint_on PINCONNECTEMPTY

  weft_axi_master #(
      .CONFIG(CONFIG),
      .WIDTH(WIDTH),
      .READS(READS),
      .WRITES(WRITES)
  ) master (
      .clock(aclk),
      .reset(reset || bus_reset),
      .running(running),
      .busy(busy),
      .memory_valid(memory_valid),
      .memory_ready(memory_ready),
      .memory_master(memory_master),
      .memory_address(memory_address),
      .memory_beats(memory_beats),
      .memory_error(bus_error),
      .read_valid(read_valid),
      .read_fetch(read_fetch),
      .read_data(read_data),
      .write_request(write_request),
      .write_valid(write_valid),
      .write_data(write_data),
      .write_strobe(write_strobe),
      .m_axi_arvalid(m_axi_arvalid),
      .m_axi_arready(m_axi_arready),
      .m_axi_araddr(m_axi_araddr),
      .m_axi_arlen(m_axi_arlen),
      .m_axi_arsize(m_axi_arsize),
      .m_axi_arburst(m_axi_arburst),
      .m_axi_rvalid(m_axi_rvalid),
      .m_axi_rready(m_axi_rready),
      .m_axi_rdata(m_axi_rdata),
      .m_axi_rresp(m_axi_rresp),
      .m_axi_rlast(m_axi_rlast),
      .m_axi_awvalid(m_axi_awvalid),
      .m_axi_awready(m_axi_awready),
      .m_axi_awaddr(m_axi_awaddr),
      .m_axi_awlen(m_axi_awlen),
      .m_axi_awsize(m_axi_awsize),
      .m_axi_awburst(m_axi_awburst),
      .m_axi_wvalid(m_axi_wvalid),
      .m_axi_wready(m_axi_wready),
      .m_axi_wdata(m_axi_wdata),
      .m_axi_wstrb(m_axi_wstrb),
      .m_axi_wlast(m_axi_wlast),
      .m_axi_bvalid(m_axi_bvalid),
      .m_axi_bready(m_axi_bready),
      .m_axi_bresp(m_axi_bresp)
  );

  weft_axi_lite #(
      .WIDTH(REGISTER_WIDTH)
  ) lite (
      .clock(aclk),
      .reset(reset),
      .s_axi_awvalid(s_axi_awvalid),
      .s_axi_awready(s_axi_awready),
      .s_axi_awaddr(s_axi_awaddr),
      .s_axi_wvalid(s_axi_wvalid),
      .s_axi_wready(s_axi_wready),
      .s_axi_wdata(s_axi_wdata),
      .s_axi_wstrb(s_axi_wstrb),
      .s_axi_bvalid(s_axi_bvalid),
      .s_axi_bready(s_axi_bready),
      .s_axi_bresp(s_axi_bresp),
      .s_axi_arvalid(s_axi_arvalid),
      .s_axi_arready(s_axi_arready),
      .s_axi_araddr(s_axi_araddr),
      .s_axi_rvalid(s_axi_rvalid),
      .s_axi_rready(s_axi_rready),
      .s_axi_rdata(s_axi_rdata),
      .s_axi_rresp(s_axi_rresp),
      .register_valid(register_valid),
      .register_ready(register_ready),
      .register_write(register_write),
      .register_address(register_address),
      .register_write_data(register_write_data),
      .register_write_strobe(register_write_strobe),
      .register_read_valid(register_read_valid),
      .register_read_data(register_read_data)
  );

`ifndef SYNTHESIS
  always_ff @(posedge aclk) begin : one_id
    if (!reset && !bus_reset) begin
      assert (!(m_axi_rvalid && m_axi_rid != READ_ID))
      else $error("weft_axi_machine: a read beat with an ID that is not that of reads");
      assert (!(m_axi_bvalid && m_axi_bid != WRITE_ID))
      else $error("weft_axi_machine: a response with an ID that is not that of writes");
    end
  end
`endif
endmodule
