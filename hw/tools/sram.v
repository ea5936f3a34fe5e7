// For scripts/asic: memories whose reads are clocked are SRAM macros of a foundry, of which no library here has any. Their pins stay as cells of
// sram.lib, which say when inputs must be there and when outputs come; what they are in words and bits is listed beside.
(* techmap_celltype = "$mem_v2" *)
module weft_sram (RD_CLK, RD_EN, RD_ARST, RD_SRST, RD_ADDR, RD_DATA, WR_CLK, WR_EN, WR_ADDR, WR_DATA);
  parameter MEMID = "";
  parameter signed SIZE = 4;
  parameter signed OFFSET = 0;
  parameter signed ABITS = 2;
  parameter signed WIDTH = 8;
  parameter INIT = 1'bx;
  parameter signed RD_PORTS = 1;
  parameter RD_CLK_ENABLE = 1'b1;
  parameter RD_CLK_POLARITY = 1'b1;
  parameter RD_TRANSPARENCY_MASK = 1'b0;
  parameter RD_COLLISION_X_MASK = 1'b0;
  parameter RD_CE_OVER_SRST = 1'b0;
  parameter RD_INIT_VALUE = 1'b0;
  parameter RD_ARST_VALUE = 1'b0;
  parameter RD_SRST_VALUE = 1'b0;
  parameter RD_WIDE_CONTINUATION = 1'b0;
  parameter signed WR_PORTS = 1;
  parameter WR_CLK_ENABLE = 1'b1;
  parameter WR_CLK_POLARITY = 1'b1;
  parameter WR_PRIORITY_MASK = 1'b0;
  parameter WR_WIDE_CONTINUATION = 1'b0;

  input [RD_PORTS-1:0] RD_CLK;
  input [RD_PORTS-1:0] RD_EN;
  input [RD_PORTS-1:0] RD_ARST;
  input [RD_PORTS-1:0] RD_SRST;
  input [RD_PORTS*ABITS-1:0] RD_ADDR;
  output [RD_PORTS*WIDTH-1:0] RD_DATA;
  input [WR_PORTS-1:0] WR_CLK;
  input [WR_PORTS*WIDTH-1:0] WR_EN;
  input [WR_PORTS*ABITS-1:0] WR_ADDR;
  input [WR_PORTS*WIDTH-1:0] WR_DATA;

  wire _TECHMAP_FAIL_ = RD_CLK_ENABLE !== {RD_PORTS{1'b1}} || SIZE < 32;

  genvar i;
  generate
    for (i = 0; i < RD_PORTS; i = i + 1) begin : rd_en
      SRAM_IN pin (.CLK(RD_CLK[0]), .D(RD_EN[i]));
    end
    for (i = 0; i < RD_PORTS * ABITS; i = i + 1) begin : rd_addr
      SRAM_IN pin (.CLK(RD_CLK[0]), .D(RD_ADDR[i]));
    end
    for (i = 0; i < RD_PORTS * WIDTH; i = i + 1) begin : rd_data
      SRAM_OUT pin (.CLK(RD_CLK[0]), .Q(RD_DATA[i]));
    end
    // Enables are there for each bit; a macro has one for each byte.
    for (i = 0; i < WR_PORTS * WIDTH; i = i + 8) begin : wr_en
      SRAM_IN pin (.CLK(RD_CLK[0]), .D(WR_EN[i]));
    end
    for (i = 0; i < WR_PORTS * ABITS; i = i + 1) begin : wr_addr
      SRAM_IN pin (.CLK(RD_CLK[0]), .D(WR_ADDR[i]));
    end
    for (i = 0; i < WR_PORTS * WIDTH; i = i + 1) begin : wr_data
      SRAM_IN pin (.CLK(RD_CLK[0]), .D(WR_DATA[i]));
    end
  endgenerate
endmodule
