// The part of a 16550 that prints: THR, and LSR, which always says that there is room and that nothing came
// in. LCR is kept for its bit 7: with it, what goes to THR and IER is the divisor and not printed. Other
// registers read 0. One register in each byte.
//
// Reset: LCR 0.
module weft_soc_uart (
    input  logic        clock,
    input  logic        reset,
    input  logic [63:0] model,
    input  logic        take,
    input  logic [ 5:0] address,  // of words
    input  logic [ 3:0] strobe,
    input  logic [31:0] write,
    output logic [31:0] read
);
  import "DPI-C" function void weft_soc_print(
    input longint unsigned model,
    input int unsigned letter
  );

  localparam [7:0] LSR_EMPTY = 8'h60;  // transmitter and its holding register
  logic [7:0] line_control;

  // verilator lint_off UNUSEDSIGNAL
  logic unused;  // IER and FCR do nothing
  // verilator lint_on UNUSEDSIGNAL
  assign unused = ^{write[23:8], strobe[2:1]};

  assign read = address == 6'd0 ? {line_control, 24'd0} :
                address == 6'd1 ? {16'd0, LSR_EMPTY, 8'd0} : 32'd0;

  always_ff @(posedge clock) begin
    if (reset) begin
      line_control <= 8'd0;
    end else if (take && address == 6'd0) begin
      if (strobe[3]) line_control <= write[31:24];
      if (strobe[0] && !line_control[7]) weft_soc_print(model, {24'd0, write[7:0]});
    end
  end
endmodule
