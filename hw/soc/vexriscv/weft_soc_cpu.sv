// VexRiscv (RV32IMAC with machine mode, caches of 4 KB for instructions and data) for weft_soc.
//
// It starts in a ROM of three instructions at 0x0000_1000, as machines like QEMU's virt have one: they let the
// external interrupt pass a mask of VexRiscv's own (CSR 0xbc0) and go on at 0x8000_0000.
// Only the firmware's 2 MB at 0x8000_0000 are cached (CMakeLists.txt), so what the accelerator reads and
// writes behind them is never stale. The core does not look at the bus's errors: an instruction that cannot be
// fetched is 0, which is illegal; at data that nobody has, it stops for good.
//
// Reset: empties the caches.
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
  localparam [31:0] ROM = 32'h0000_1000;

  logic fetch_cycle;
  logic fetch_strobe;
  logic data_cycle;
  logic data_strobe_out;
  logic data_is_write;
  logic [3:0] data_select;
  logic [29:0] fetch_word;
  logic [29:0] data_word;
  logic at_rom;
  logic rom_ready;
  logic [31:0] rom_data;

  assign fetch_address = {fetch_word, 2'd0};
  assign at_rom = fetch_address[31:12] == ROM[31:12];
  assign fetch_valid = fetch_cycle && fetch_strobe && !at_rom;
  assign data_valid = data_cycle && data_strobe_out;
  assign data_address = {data_word, 2'd0};
  assign data_strobe = data_is_write ? data_select : 4'd0;
  assign stopped = data_valid && data_ready && data_error;

  always_ff @(posedge clock) begin
    rom_ready <= !reset && fetch_cycle && fetch_strobe && at_rom && !rom_ready;
    case (fetch_word[9:0])
      10'd0: rom_data <= 32'hbc00_d073;  // csrwi 0xbc0, 1
      10'd1: rom_data <= 32'h8000_02b7;  // lui t0, 0x80000
      10'd2: rom_data <= 32'h0002_8067;  // jr t0
      default: rom_data <= 32'd0;  // illegal
    endcase
  end

  // verilator lint_off PINCONNECTEMPTY
  VexRiscv core (
      .clk(clock),
      .reset(reset),
      .externalResetVector(ROM),
      .timerInterrupt(timer_interrupt),
      .softwareInterrupt(software_interrupt),
      .externalInterruptArray({31'd0, external_interrupt}),
      .iBusWishbone_CYC(fetch_cycle),
      .iBusWishbone_STB(fetch_strobe),
      .iBusWishbone_ACK(at_rom ? rom_ready : fetch_ready),
      .iBusWishbone_WE(),
      .iBusWishbone_ADR(fetch_word),
      .iBusWishbone_DAT_MISO(at_rom ? rom_data : fetch_error ? 32'd0 : fetch_data),
      .iBusWishbone_DAT_MOSI(),
      .iBusWishbone_SEL(),
      .iBusWishbone_ERR(1'b0),
      .iBusWishbone_CTI(),
      .iBusWishbone_BTE(),
      .dBusWishbone_CYC(data_cycle),
      .dBusWishbone_STB(data_strobe_out),
      .dBusWishbone_ACK(data_ready),
      .dBusWishbone_WE(data_is_write),
      .dBusWishbone_ADR(data_word),
      .dBusWishbone_DAT_MISO(data_read),
      .dBusWishbone_DAT_MOSI(data_write),
      .dBusWishbone_SEL(data_select),
      .dBusWishbone_ERR(1'b0),
      .dBusWishbone_CTI(),
      .dBusWishbone_BTE()
  );
  // verilator lint_on PINCONNECTEMPTY
endmodule
