// One hart of a CLINT: msip at 0, mtimecmp at 0x4000, mtime at 0xbff8. mtime counts cycles and cannot be
// written. Other addresses read 0.
//
// Reset: mtime 0, mtimecmp the largest value, msip 0.
module weft_soc_clint (
    input  logic        clock,
    input  logic        reset,
    input  logic        take,
    input  logic [13:0] address,             // of words
    input  logic [ 3:0] strobe,
    input  logic [31:0] write,
    output logic [31:0] read,
    output logic        timer_interrupt,
    output logic        software_interrupt
);
  localparam [13:0] MSIP = 14'h0000;
  localparam [13:0] MTIMECMP = 14'h1000;
  localparam [13:0] MTIME = 14'h2ffe;

  logic [63:0] mtime;
  logic [63:0] mtimecmp;

  always_comb begin
    case (address)
      MSIP: read = {31'd0, software_interrupt};
      MTIMECMP: read = mtimecmp[31:0];
      MTIMECMP + 14'd1: read = mtimecmp[63:32];
      MTIME: read = mtime[31:0];
      MTIME + 14'd1: read = mtime[63:32];
      default: read = 32'd0;
    endcase
  end

  // verilator lint_off WIDTH
  always_ff @(posedge clock) begin
    timer_interrupt <= !reset && mtime >= mtimecmp;
    mtime <= reset ? 64'd0 : mtime + 64'd1;
    if (reset) begin
      mtimecmp <= {64{1'b1}};
      software_interrupt <= 1'b0;
    end else if (take) begin
      if (address == MSIP && strobe[0]) software_interrupt <= write[0];
      for (integer i = 0; i < 4; i = i + 1) begin
        if (address == MTIMECMP && strobe[i]) mtimecmp[8*i+:8] <= write[8*i+:8];
        if (address == MTIMECMP + 14'd1 && strobe[i]) mtimecmp[32+8*i+:8] <= write[8*i+:8];
      end
    end
  end
  // verilator lint_on WIDTH
endmodule
