// PicoRV32 (RV32IMC, RDCYCLE and RDINSTRET) for weft_soc. It has no machine mode, and interrupts of its own kind, which
// are not connected: firmware polls. It stops for good at an illegal instruction, an address that is not
// aligned, ebreak, ecall, and an answer with an error.
//
// Reset: starts at 0x8000_0000.
module weft_soc_cpu (
    input  logic        clock,
    input  logic        reset,
    output logic        fetch_valid,
    output logic [31:0] fetch_address,
    input  logic        fetch_ready,
    input  logic        fetch_error,
    input  logic [31:0] fetch_data,
    output logic        data_valid,
    output logic [31:0] data_address,
    output logic [ 3:0] data_strobe,
    output logic [31:0] data_write,
    input  logic        data_ready,
    input  logic        data_error,
    input  logic [31:0] data_read,
    input  logic        timer_interrupt,
    input  logic        software_interrupt,
    input  logic        external_interrupt,
    output logic        stopped
);
  logic mem_valid;
  logic mem_instr;
  logic trap;

  assign fetch_valid = mem_valid && mem_instr;
  assign fetch_address = data_address;
  assign data_valid = mem_valid && !mem_instr;
  assign stopped = trap || (fetch_valid && fetch_ready && fetch_error) ||
                   (data_valid && data_ready && data_error);

  // verilator lint_off UNUSEDSIGNAL
  logic unused;
  // verilator lint_on UNUSEDSIGNAL
  assign unused = ^{timer_interrupt, software_interrupt, external_interrupt};

  // verilator lint_off PINCONNECTEMPTY
  picorv32 #(
      .BARREL_SHIFTER(1),
      .COMPRESSED_ISA(1),
      .ENABLE_FAST_MUL(1),
      .ENABLE_DIV(1),
      .PROGADDR_RESET(32'h8000_0000)
  ) core (
      .clk(clock),
      .resetn(!reset),
      .trap(trap),
      .mem_valid(mem_valid),
      .mem_instr(mem_instr),
      .mem_ready(mem_instr ? fetch_ready : data_ready),
      .mem_addr(data_address),
      .mem_wdata(data_write),
      .mem_wstrb(data_strobe),
      .mem_rdata(mem_instr ? fetch_data : data_read),
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
endmodule
