// A RISC-V CPU, RAM, UART, CLINT, PLIC, test finisher and weft_axi_machine: the memory map of docs/soc.md,
// which is that of QEMU's machine virt with the registers of weft_axi_machine at 0x4000_0000.
//
// weft_soc_cpu is the wrapper of a CPU: picorv32/ or vexriscv/. Its two ports follow one rule: `valid` and
// what goes with it stay until `ready`, which is there for one cycle, with the data that were read. RAM and
// devices answer a cycle after they were asked, the accelerator's registers after as many as AXI4-Lite takes.
// RAM is an array of the C++ side, behind DPI calls.
//
// Reset: all of it but the RAM.
module weft_soc (
    input logic        clock,
    input logic        reset,
    input logic [63:0] model,          // the object of tb/soc.cpp, for its DPI functions
    input logic [31:0] ram_bytes,      // at most 2^31 - 1, a multiple of 1024
    input logic [15:0] memory_latency  // cycles from an address of the accelerator to its first beat
);
  localparam integer WIDTH = weft_config_pkg::MEMORY_WIDTH;

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
  import "DPI-C" function void weft_soc_finish(
    input longint unsigned model,
    input int unsigned value
  );
  import "DPI-C" function void weft_soc_stop(
    input longint unsigned model,
    input int unsigned address
  );

  // ---- CPU ----

  logic fetch_valid;
  logic [31:0] fetch_address;
  logic fetch_ready;
  logic fetch_error;
  logic [31:0] fetch_data;
  logic data_valid;
  logic [31:0] data_address;
  logic [3:0] data_strobe;  // 0: a read
  logic [31:0] data_write;
  logic data_ready;
  logic data_error;
  logic [31:0] data_read;
  logic timer_interrupt;
  logic software_interrupt;
  logic external_interrupt;
  logic cpu_stopped;

  weft_soc_cpu cpu (
      .clock(clock),
      .reset(reset),
      .fetch_valid(fetch_valid),
      .fetch_address(fetch_address),
      .fetch_ready(fetch_ready),
      .fetch_error(fetch_error),
      .fetch_data(fetch_data),
      .data_valid(data_valid),
      .data_address(data_address),
      .data_strobe(data_strobe),
      .data_write(data_write),
      .data_ready(data_ready),
      .data_error(data_error),
      .data_read(data_read),
      .timer_interrupt(timer_interrupt),
      .software_interrupt(software_interrupt),
      .external_interrupt(external_interrupt),
      .stopped(cpu_stopped)
  );

  always_ff @(posedge clock) begin : stop
    if (!reset && cpu_stopped) weft_soc_stop(model, data_address);
  end

  // ---- the CPU's fetch port: RAM alone ----

  // verilator lint_off UNUSEDSIGNAL
  logic unused;  // bytes within a word are told by strobes
  // verilator lint_on UNUSEDSIGNAL
  assign unused = ^{fetch_address[1:0], data_address[1:0]};

  always_ff @(posedge clock) begin : fetch
    automatic logic [63:0] word;
    fetch_ready <= !reset && fetch_valid && !fetch_ready;
    if (!reset && fetch_valid && !fetch_ready) begin
      fetch_error <= !fetch_address[31] || {1'b0, fetch_address[30:0]} >= ram_bytes;
      if (fetch_address[31] && {1'b0, fetch_address[30:0]} < ram_bytes) begin
        word = weft_soc_read(model, {1'b0, fetch_address[30:3], 3'd0});
        fetch_data <= fetch_address[2] ? word[63:32] : word[31:0];
      end
    end
  end

  // ---- the CPU's data port ----

  logic at_ram;
  logic at_uart;
  logic at_clint;
  logic at_plic;
  logic at_finisher;
  logic at_registers;
  logic at_nothing;
  logic take;  // by what answers in the next cycle
  logic is_write;
  logic registers_ready;
  logic registers_error;
  logic [31:0] registers_read;
  logic [31:0] uart_read;
  logic [31:0] clint_read;
  logic [31:0] plic_read;
  logic next_ready;
  logic next_error;
  logic [31:0] next_read;

  assign at_ram = data_address[31] && {1'b0, data_address[30:0]} < ram_bytes;
  assign at_uart = data_address[31:8] == 24'h100000;
  assign at_clint = data_address[31:16] == 16'h0200;
  assign at_plic = data_address[31:26] == 6'b000011;
  assign at_finisher = data_address[31:12] == 20'h00100;
  assign at_registers = data_address[31:12] == 20'h40000;
  assign at_nothing = !(at_ram || at_uart || at_clint || at_plic || at_finisher || at_registers);
  assign take = data_valid && !next_ready && !at_registers;
  assign is_write = data_strobe != 4'd0;
  assign data_ready = at_registers ? registers_ready : next_ready;
  assign data_error = at_registers ? registers_error : next_error;
  assign data_read = at_registers ? registers_read : next_read;

  always_ff @(posedge clock) begin : data
    automatic logic [63:0] word;
    next_ready <= !reset && take;
    if (!reset && take) begin
      next_error <= at_nothing;
      next_read  <= at_uart ? uart_read : at_clint ? clint_read : at_plic ? plic_read : 32'd0;
      if (at_ram && is_write) begin
        weft_soc_write(model, {1'b0, data_address[30:3], 3'd0}, {data_write, data_write},
                       data_address[2] ? {24'd0, data_strobe, 4'd0} : {28'd0, data_strobe});
      end
      if (at_ram && !is_write) begin
        word = weft_soc_read(model, {1'b0, data_address[30:3], 3'd0});
        next_read <= data_address[2] ? word[63:32] : word[31:0];
      end
      if (at_finisher && is_write && data_address[11:2] == 10'd0) begin
        weft_soc_finish(model, data_write);
      end
    end
  end

  weft_soc_uart uart (
      .clock(clock),
      .reset(reset),
      .model(model),
      .take(take && at_uart),
      .address(data_address[7:2]),
      .strobe(data_strobe),
      .write(data_write),
      .read(uart_read)
  );

  weft_soc_clint clint (
      .clock(clock),
      .reset(reset),
      .take(take && at_clint),
      .address(data_address[15:2]),
      .strobe(data_strobe),
      .write(data_write),
      .read(clint_read),
      .timer_interrupt(timer_interrupt),
      .software_interrupt(software_interrupt)
  );

  logic accelerator_interrupt;

  weft_soc_plic plic (
      .clock(clock),
      .reset(reset),
      .take(take && at_plic),
      .address(data_address[25:2]),
      .is_write(is_write),
      .write(data_write),
      .read(plic_read),
      .source(accelerator_interrupt),
      .external_interrupt(external_interrupt)
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

  weft_soc_bridge bridge (
      .clock(clock),
      .reset(reset),
      .valid(data_valid && at_registers),
      .address(data_address[11:2]),
      .strobe(data_strobe),
      .write(data_write),
      .ready(registers_ready),
      .error(registers_error),
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

  // One master, whose bursts are always of the kind that weft_soc_memory takes.
  // verilator lint_off PINCONNECTEMPTY
  weft_axi_machine accelerator (
      .aclk(clock),
      .aresetn(!reset),
      .interrupt_request(accelerator_interrupt),
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

  weft_soc_memory #(
      .WIDTH(WIDTH)
  ) ram (
      .clock(clock),
      .reset(reset),
      .model(model),
      .ram_bytes(ram_bytes),
      .latency(memory_latency),
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
