// A block RAM of the ECP5 as far as hw/tools/ecp5_netlist.py knows it: words of 9 or 18 bits, written on A and read on B, of one clock, with an output
// register or without. What a write and a read of one word give is not said.
module DP16KD (
    input DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0,
    input ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0,
    input CEA, OCEA, CLKA, WEA, RSTA, CSA2, CSA1, CSA0,
    output DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0,
    input DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0,
    input ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0,
    input CEB, OCEB, CLKB, WEB, RSTB, CSB2, CSB1, CSB0,
    output DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0
);
  parameter DATA_WIDTH_A = 18;
  parameter DATA_WIDTH_B = 18;
  parameter REGMODE_A = "NOREG";
  parameter REGMODE_B = "NOREG";
  parameter RESETMODE = "SYNC";
  parameter ASYNC_RESET_RELEASE = "SYNC";
  parameter CSDECODE_A = "0b000";
  parameter CSDECODE_B = "0b000";
  parameter WRITEMODE_A = "NORMAL";
  parameter WRITEMODE_B = "NORMAL";
  parameter CLKAMUX = "CLKA";
  parameter CLKBMUX = "CLKB";
  parameter WEAMUX = "WEA";
  parameter WEBMUX = "WEB";
  parameter CEAMUX = "CEA";
  parameter CEBMUX = "CEB";
  parameter OCEAMUX = "OCEA";
  parameter OCEBMUX = "OCEB";
  parameter GSR = "AUTO";
  parameter INITVAL_00 = 320'bx, INITVAL_01 = 320'bx, INITVAL_02 = 320'bx, INITVAL_03 = 320'bx;
  parameter INITVAL_04 = 320'bx, INITVAL_05 = 320'bx, INITVAL_06 = 320'bx, INITVAL_07 = 320'bx;
  parameter INITVAL_08 = 320'bx, INITVAL_09 = 320'bx, INITVAL_0A = 320'bx, INITVAL_0B = 320'bx;
  parameter INITVAL_0C = 320'bx, INITVAL_0D = 320'bx, INITVAL_0E = 320'bx, INITVAL_0F = 320'bx;
  parameter INITVAL_10 = 320'bx, INITVAL_11 = 320'bx, INITVAL_12 = 320'bx, INITVAL_13 = 320'bx;
  parameter INITVAL_14 = 320'bx, INITVAL_15 = 320'bx, INITVAL_16 = 320'bx, INITVAL_17 = 320'bx;
  parameter INITVAL_18 = 320'bx, INITVAL_19 = 320'bx, INITVAL_1A = 320'bx, INITVAL_1B = 320'bx;
  parameter INITVAL_1C = 320'bx, INITVAL_1D = 320'bx, INITVAL_1E = 320'bx, INITVAL_1F = 320'bx;
  parameter INITVAL_20 = 320'bx, INITVAL_21 = 320'bx, INITVAL_22 = 320'bx, INITVAL_23 = 320'bx;
  parameter INITVAL_24 = 320'bx, INITVAL_25 = 320'bx, INITVAL_26 = 320'bx, INITVAL_27 = 320'bx;
  parameter INITVAL_28 = 320'bx, INITVAL_29 = 320'bx, INITVAL_2A = 320'bx, INITVAL_2B = 320'bx;
  parameter INITVAL_2C = 320'bx, INITVAL_2D = 320'bx, INITVAL_2E = 320'bx, INITVAL_2F = 320'bx;
  parameter INITVAL_30 = 320'bx, INITVAL_31 = 320'bx, INITVAL_32 = 320'bx, INITVAL_33 = 320'bx;
  parameter INITVAL_34 = 320'bx, INITVAL_35 = 320'bx, INITVAL_36 = 320'bx, INITVAL_37 = 320'bx;
  parameter INITVAL_38 = 320'bx, INITVAL_39 = 320'bx, INITVAL_3A = 320'bx, INITVAL_3B = 320'bx;
  parameter INITVAL_3C = 320'bx, INITVAL_3D = 320'bx, INITVAL_3E = 320'bx, INITVAL_3F = 320'bx;
  reg [8:0] memory[0:2047];
  wire [13:0] write_address = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0};
  wire [13:0] read_address = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0};
  wire [17:0] data = {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0};
  reg [17:0] read;
  wire [17:0] result;
  always @(posedge CLKA) begin
    if (CEB && !WEB) begin
      if (DATA_WIDTH_B == 18) read <= {memory[{read_address[13:4], 1'b1}], memory[{read_address[13:4], 1'b0}]};
      else read <= {9'd0, memory[read_address[13:3]]};
    end
    if (CEA && WEA) begin
      if (DATA_WIDTH_A == 18) begin
        if (ADA0) memory[{write_address[13:4], 1'b0}] <= data[8:0];
        if (ADA1) memory[{write_address[13:4], 1'b1}] <= data[17:9];
      end else memory[write_address[13:3]] <= data[8:0];
    end
  end
  generate
    if (REGMODE_B == "OUTREG") begin : g_register
      reg [17:0] register;
      always @(posedge CLKB) if (OCEB) register <= read;
      assign result = register;
    end else begin : g_through
      assign result = read;
    end
  endgenerate
  assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0} = result;
  initial if ((DATA_WIDTH_A != 18 && DATA_WIDTH_A != 9) || (DATA_WIDTH_B != 18 && DATA_WIDTH_B != 9)) $fatal(1, "words of %0d and %0d bits", DATA_WIDTH_A, DATA_WIDTH_B);
endmodule
