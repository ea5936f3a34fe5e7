// weft_board on a ULX3S-85F: the board's 25 MHz through a PLL, reset, UART over USB, eight LEDs. Pins: ulx3s.lpf.
//
// The PLL's oscillator runs at 600 MHz: the clock of the system is CLOCK_HALVES * 12.5 MHz, where 48 is a multiple of CLOCK_HALVES.
// Reset: 2^16 cycles after the PLL has locked, and as long as the button FIRE1 is pressed.
module weft_ulx3s #(
    parameter integer CLOCK_HALVES = 4,  // 50 MHz
    parameter RAM_FILE = "board.hex"  // in the folder in which a simulation or synthesis runs
) (
    input  logic       clk_25mhz,
    input  logic       fire1,
    output logic       ftdi_rxd,   // to the computer
    output logic [7:0] led,
    output logic       wifi_gpio0  // high: the ESP32 does not start the board anew
);
  localparam integer CLOCK_HZ = CLOCK_HALVES * 12500000;

  logic clock;
  logic locked;

  // verilator lint_off PINCONNECTEMPTY
  (* FREQUENCY_PIN_CLKI = "25" *)
  EHXPLLL #(
      .CLKI_DIV(2),
      .CLKFB_DIV(CLOCK_HALVES),
      .CLKOP_DIV(48 / CLOCK_HALVES),
      .CLKOP_CPHASE(24 / CLOCK_HALVES),
      .FEEDBK_PATH("CLKOP")
  ) pll (
      .CLKI(clk_25mhz),
      .CLKFB(clock),
      .PHASESEL1(1'b0),
      .PHASESEL0(1'b0),
      .PHASEDIR(1'b1),
      .PHASESTEP(1'b1),
      .PHASELOADREG(1'b1),
      .STDBY(1'b0),
      .PLLWAKESYNC(1'b0),
      .RST(1'b0),
      .ENCLKOP(1'b0),
      .ENCLKOS(1'b0),
      .ENCLKOS2(1'b0),
      .ENCLKOS3(1'b0),
      .CLKOP(clock),
      .CLKOS(),
      .CLKOS2(),
      .CLKOS3(),
      .LOCK(locked),
      .INTLOCK(),
      .REFCLK(),
      .CLKINTFB()
  );
  // verilator lint_on PINCONNECTEMPTY

  // Flip-flops of the ECP5 are 0 after configuration.
  logic [1:0] ready;
  logic [16:0] waited;
  logic reset;
  initial begin
    ready  = 2'd0;
    waited = 17'd0;
    reset  = 1'b1;
  end
  always_ff @(posedge clock) begin
    ready <= {ready[0], locked && !fire1};
    if (!ready[1]) waited <= 17'd0;
    else if (!waited[16]) waited <= waited + 17'd1;
    reset <= !waited[16];
  end

  logic running;
  logic has_ended;
  logic [31:0] ended;
  weft_board #(
      .CLOCK_HZ(CLOCK_HZ),
      .RAM_FILE(RAM_FILE)
  ) board (
      .clock(clock),
      .reset(reset),
      .transmit(ftdi_rxd),
      .running(running),
      .has_ended(has_ended),
      .ended(ended)
  );

  // From the left: out of reset, the CPU runs, the firmware has ended, and as it should.
  assign led = {!reset, running, has_ended, ended == 32'h5555, 4'd0};
  assign wifi_gpio0 = 1'b1;
endmodule
