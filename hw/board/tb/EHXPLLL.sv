// Stands for the PLL of an ECP5 in simulation: the clock that goes in comes out, and it locks at the 16th edge. What is simulated counts
// cycles, not seconds.
module EHXPLLL #(
    parameter integer CLKI_DIV = 1,
    parameter integer CLKFB_DIV = 1,
    parameter integer CLKOP_DIV = 8,
    parameter integer CLKOP_CPHASE = 0,
    parameter FEEDBK_PATH = "CLKOP"
) (
    input logic CLKI,
    input logic CLKFB,
    input logic PHASESEL1,
    input logic PHASESEL0,
    input logic PHASEDIR,
    input logic PHASESTEP,
    input logic PHASELOADREG,
    input logic STDBY,
    input logic PLLWAKESYNC,
    input logic RST,
    input logic ENCLKOP,
    input logic ENCLKOS,
    input logic ENCLKOS2,
    input logic ENCLKOS3,
    output logic CLKOP,
    output logic CLKOS,
    output logic CLKOS2,
    output logic CLKOS3,
    output logic LOCK,
    output logic INTLOCK,
    output logic REFCLK,
    output logic CLKINTFB
);
  logic [4:0] edges;
  initial begin
    edges = 5'd0;
    // What the oscillator of a real one can do, and what the board asks for.
    if (25 * CLKFB_DIV / CLKI_DIV * CLKOP_DIV < 400 || 25 * CLKFB_DIV / CLKI_DIV * CLKOP_DIV > 800) begin
      $error("EHXPLLL: the oscillator does not run at %0d MHz", 25 * CLKFB_DIV / CLKI_DIV * CLKOP_DIV);
    end
  end
  always_ff @(posedge CLKI) if (!edges[4]) edges <= edges + 5'd1;
  assign LOCK = edges[4];
  assign CLKOP = CLKI;
  assign {CLKOS, CLKOS2, CLKOS3, INTLOCK, REFCLK, CLKINTFB} = 6'd0;
endmodule
