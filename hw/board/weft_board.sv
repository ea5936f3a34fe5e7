// The system of a board without memory of its own: PicoRV32, RAM, a UART that sends, and weft_axi_machine.
//
//   0x0010_0000  the end: the word that is written here is on `ended` from then on; its first write counts
//   0x1000_0000  UART: a byte written is sent; at 5, bit 5 says that there is room (16550)
//   0x4000_0000  the machine's registers (docs/registers.md)
//   0x8000_0000  RAM: RAM_BYTES, full of RAM_FILE after configuration
//
// CPU and machine have a port of the RAM each. The CPU is the smallest PicoRV32 that runs the firmware: RV32I, polls.
// Reset: all of it but the RAM, which keeps what was written: the firmware sets what it changes (firmware/board).
module weft_board #(
    parameter integer CLOCK_HZ  = 50000000,
    parameter integer BAUD      = 115200,
    parameter integer RAM_BYTES = 65536,
    parameter         RAM_FILE  = ""
) (
    input  logic        clock,
    input  logic        reset,
    output logic        transmit,
    output logic        running,   // the CPU has not stopped for good
    output logic        has_ended,
    output logic [31:0] ended
);
  localparam integer WIDTH = weft_config_pkg::MEMORY_WIDTH;

  // ---- CPU ----
  logic valid;
  logic ready;
  logic [31:0] address;
  logic [31:0] write_data;
  logic [3:0] strobe;  // 0: a read
  logic [31:0] read_data;
  logic stopped;
  assign running = !stopped;

  // verilator lint_off PINCONNECTEMPTY
  picorv32 #(
      .ENABLE_COUNTERS64(0),
      .ENABLE_REGS_16_31(1),
      .TWO_STAGE_SHIFT(1),
      .PROGADDR_RESET(32'h8000_0000)
  ) cpu (
      .clk(clock),
      .resetn(!reset),
      .trap(stopped),
      .mem_valid(valid),
      .mem_instr(),
      .mem_ready(ready),
      .mem_addr(address),
      .mem_wdata(write_data),
      .mem_wstrb(strobe),
      .mem_rdata(read_data),
      .mem_la_read(),
      .mem_la_write(),
      .mem_la_addr(),
      .mem_la_wdata(),
      .mem_la_wstrb(),
      .pcpi_valid(),
      .pcpi_insn(),
      .pcpi_rs1(),
      .pcpi_rs2(),
      .pcpi_wr(1'b0),
      .pcpi_rd(32'd0),
      .pcpi_wait(1'b0),
      .pcpi_ready(1'b0),
      .irq(32'd0),
      .eoi(),
      .trace_valid(),
      .trace_data()
  );
  // verilator lint_on PINCONNECTEMPTY

  logic at_ram;
  logic at_uart;
  logic at_end;
  logic at_registers;
  logic take;  // by what answers in the next cycle
  logic next_ready;
  logic was_ram;
  logic registers_ready;
  logic [31:0] registers_read;
  logic [31:0] ram_read;
  logic uart_room;
  assign at_ram = address[31];
  assign at_registers = address[31:30] == 2'b01;
  assign at_uart = address[31:28] == 4'h1;
  assign at_end = address[31:28] == 4'h0;
  assign take = valid && !next_ready && !at_registers;
  assign ready = at_registers ? registers_ready : next_ready;
  assign read_data = at_registers ? registers_read : was_ram ? ram_read : {18'd0, uart_room, 13'd0};

  always_ff @(posedge clock) begin
    next_ready <= !reset && take;
    was_ram <= at_ram;
    if (reset) begin
      has_ended <= 1'b0;
      ended <= 32'd0;
    end else if (take && at_end && strobe != 4'd0 && !has_ended) begin
      has_ended <= 1'b1;
      ended <= write_data;
    end
  end

  weft_board_uart #(
      .DIVISOR((CLOCK_HZ + BAUD / 2) / BAUD)
  ) uart (
      .clock(clock),
      .reset(reset),
      .send(take && at_uart && strobe[0]),
      .data(write_data[7:0]),
      .room(uart_room),
      .transmit(transmit)
  );

  // ---- accelerator ----
  logic s_axi_awvalid;
  logic s_axi_awready;
  logic [11:0] s_axi_awaddr;
  logic s_axi_wvalid;
  logic s_axi_wready;
  logic [63:0] s_axi_wdata;
  logic [7:0] s_axi_wstrb;
  logic s_axi_bvalid;
  logic s_axi_bready;
  logic [1:0] s_axi_bresp;
  logic s_axi_arvalid;
  logic s_axi_arready;
  logic [11:0] s_axi_araddr;
  logic s_axi_rvalid;
  logic s_axi_rready;
  logic [63:0] s_axi_rdata;
  logic [1:0] s_axi_rresp;

  // verilator lint_off PINCONNECTEMPTY
  weft_soc_bridge bridge (
      .clock(clock),
      .reset(reset),
      .valid(valid && at_registers),
      .address(address[11:2]),
      .strobe(strobe),
      .write(write_data),
      .ready(registers_ready),
      .error(),  // firmware names registers alone
      .read(registers_read),
      .m_axi_awvalid(s_axi_awvalid),
      .m_axi_awready(s_axi_awready),
      .m_axi_awaddr(s_axi_awaddr),
      .m_axi_wvalid(s_axi_wvalid),
      .m_axi_wready(s_axi_wready),
      .m_axi_wdata(s_axi_wdata),
      .m_axi_wstrb(s_axi_wstrb),
      .m_axi_bvalid(s_axi_bvalid),
      .m_axi_bready(s_axi_bready),
      .m_axi_bresp(s_axi_bresp),
      .m_axi_arvalid(s_axi_arvalid),
      .m_axi_arready(s_axi_arready),
      .m_axi_araddr(s_axi_araddr),
      .m_axi_rvalid(s_axi_rvalid),
      .m_axi_rready(s_axi_rready),
      .m_axi_rdata(s_axi_rdata),
      .m_axi_rresp(s_axi_rresp)
  );
  // verilator lint_on PINCONNECTEMPTY

  logic m_axi_arvalid;
  logic m_axi_arready;
  logic [63:0] m_axi_araddr;
  logic [7:0] m_axi_arlen;
  logic m_axi_rvalid;
  logic m_axi_rready;
  logic [8*WIDTH-1:0] m_axi_rdata;
  logic [1:0] m_axi_rresp;
  logic m_axi_rlast;
  logic m_axi_awvalid;
  logic m_axi_awready;
  logic [63:0] m_axi_awaddr;
  logic [7:0] m_axi_awlen;
  logic m_axi_wvalid;
  logic m_axi_wready;
  logic [8*WIDTH-1:0] m_axi_wdata;
  logic [WIDTH-1:0] m_axi_wstrb;
  logic m_axi_wlast;
  logic m_axi_bvalid;
  logic m_axi_bready;
  logic [1:0] m_axi_bresp;

  // verilator lint_off PINCONNECTEMPTY
  weft_axi_machine accelerator (
      .aclk(clock),
      .aresetn(!reset),
      .interrupt_request(),
      .m_axi_aresetn(!reset),
      .m_axi_arid(),
      .m_axi_arsize(),
      .m_axi_arburst(),
      .m_axi_arcache(),
      .m_axi_arprot(),
      .m_axi_rid(1'b0),
      .m_axi_awid(),
      .m_axi_awsize(),
      .m_axi_awburst(),
      .m_axi_awcache(),
      .m_axi_awprot(),
      .m_axi_bid(1'b0),
      .*
  );
  // verilator lint_on PINCONNECTEMPTY

  weft_board_memory #(
      .BYTES(RAM_BYTES),
      .FILE (RAM_FILE)
  ) ram (
      .clock(clock),
      .reset(reset),
      .enable(take && at_ram),
      .strobe(strobe),
      .address(address),
      .write_data(write_data),
      .read_data(ram_read),
      .s_axi_arvalid(m_axi_arvalid),
      .s_axi_arready(m_axi_arready),
      .s_axi_araddr(m_axi_araddr),
      .s_axi_arlen(m_axi_arlen),
      .s_axi_rvalid(m_axi_rvalid),
      .s_axi_rready(m_axi_rready),
      .s_axi_rdata(m_axi_rdata),
      .s_axi_rresp(m_axi_rresp),
      .s_axi_rlast(m_axi_rlast),
      .s_axi_awvalid(m_axi_awvalid),
      .s_axi_awready(m_axi_awready),
      .s_axi_awaddr(m_axi_awaddr),
      .s_axi_awlen(m_axi_awlen),
      .s_axi_wvalid(m_axi_wvalid),
      .s_axi_wready(m_axi_wready),
      .s_axi_wdata(m_axi_wdata),
      .s_axi_wstrb(m_axi_wstrb),
      .s_axi_wlast(m_axi_wlast),
      .s_axi_bvalid(m_axi_bvalid),
      .s_axi_bready(m_axi_bready),
      .s_axi_bresp(m_axi_bresp)
  );
endmodule
