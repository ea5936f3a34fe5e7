// A simple AXI4 slave with memory, for benches. Each channel waits at random: a channel's wait is
// the chance in 16 that it does nothing in a cycle. One ID, in order. A write reaches the memory when its
// response is given, as late as a system may do it; a read reads in the cycle of its beat.
// It checks the rules of the master: what is valid stays and stays the same until it is taken, the last
// beat is marked, no burst crosses 4 KB.
module axi_memory #(
    parameter integer SIZE = 8192,
    parameter [63:0]  BASE = 0
) (
    input  logic        clock,
    input  logic        reset,
    input  logic        arvalid,
    output logic        arready,
    input  logic [63:0] araddr,
    input  logic [ 7:0] arlen,
    input  logic [ 2:0] arsize,
    input  logic [ 1:0] arburst,
    output logic        rvalid,
    input  logic        rready,
    output logic [63:0] rdata,
    output logic [ 1:0] rresp,
    output logic        rlast,
    input  logic        awvalid,
    output logic        awready,
    input  logic [63:0] awaddr,
    input  logic [ 7:0] awlen,
    input  logic [ 2:0] awsize,
    input  logic [ 1:0] awburst,
    input  logic        wvalid,
    output logic        wready,
    input  logic [63:0] wdata,
    input  logic [ 7:0] wstrb,
    input  logic        wlast,
    output logic        bvalid,
    input  logic        bready,
    output logic [ 1:0] bresp
);
  localparam integer DEPTH = 4096;
  logic [7:0] memory[0:SIZE-1];
  integer wait_ar = 0, wait_r = 0, wait_aw = 0, wait_w = 0, wait_b = 0;
  integer error_r = -1, error_b = -1;  // beats or responses from now to one with an error

  reg [71:0] ar[0:DEPTH-1];
  reg [71:0] aw[0:DEPTH-1];
  reg [72:0] w[0:DEPTH-1];
  integer ar_in, ar_out, aw_in, aw_out, w_in, w_out, bursts_of_w;
  integer beat, k, address, first;

  function integer quiet(input integer chance);
    quiet = $urandom % 16 < chance;
  endfunction

  // The rules of a channel: what stood there in the cycle before and was not taken.
  reg [138:0] was_ar, was_aw, was_w;
  reg held_ar, held_aw, held_w;
  always @(posedge clock) begin
    if (!reset) begin
      if (held_ar && !(arvalid && {arsize, arburst, araddr, arlen} === was_ar[76:0]))
        $fatal(1, "AR changes before it is taken");
      if (held_aw && !(awvalid && {awsize, awburst, awaddr, awlen} === was_aw[76:0]))
        $fatal(1, "AW changes before it is taken");
      if (held_w && !(wvalid && {wlast, wstrb, wdata} === was_w[72:0]))
        $fatal(1, "W changes before it is taken");
      if ((arvalid && (arsize != 3 || arburst != 1 || araddr % 8 != 0)) ||
          (awvalid && (awsize != 3 || awburst != 1 || awaddr % 8 != 0)))
        $fatal(1, "a burst that is not INCR of full beats");
      if ((arvalid && araddr % 4096 + 8 * (arlen + 1) > 4096) ||
          (awvalid && awaddr % 4096 + 8 * (awlen + 1) > 4096))
        $fatal(1, "a burst crosses 4 KB");
      if ((arvalid && (araddr < BASE || araddr + 8 * (arlen + 1) > BASE + SIZE)) ||
          (awvalid && (awaddr < BASE || awaddr + 8 * (awlen + 1) > BASE + SIZE)))
        $fatal(1, "a burst lies outside of memory");
    end
    held_ar <= !reset && arvalid && !arready;
    held_aw <= !reset && awvalid && !awready;
    held_w <= !reset && wvalid && !wready;
    was_ar <= {arsize, arburst, araddr, arlen};
    was_aw <= {awsize, awburst, awaddr, awlen};
    was_w <= {wlast, wstrb, wdata};
  end

  always @(posedge clock) begin
    if (reset) begin
      {ar_in, ar_out, aw_in, aw_out, w_in, w_out, bursts_of_w, beat} = 0;
      {arready, awready, wready, rvalid, bvalid} <= 0;
    end else begin
      if (arvalid && arready) begin
        ar[ar_in%DEPTH] = {araddr, arlen};
        ar_in = ar_in + 1;
      end
      if (awvalid && awready) begin
        aw[aw_in%DEPTH] = {awaddr, awlen};
        aw_in = aw_in + 1;
      end
      if (wvalid && wready) begin
        w[w_in%DEPTH] = {wlast, wstrb, wdata};
        w_in = w_in + 1;
        if (wlast) bursts_of_w = bursts_of_w + 1;
      end
      arready <= !quiet(wait_ar);
      awready <= !quiet(wait_aw);
      wready  <= !quiet(wait_w);
      if (!rvalid || rready) begin
        rvalid <= 0;
        if (ar_out != ar_in && !quiet(wait_r)) begin
          address = ar[ar_out%DEPTH][71:8] - BASE + 8 * beat;
          for (k = 0; k < 8; k = k + 1) rdata[8*k+:8] <= memory[address+k];
          rvalid <= 1;
          rresp <= error_r == 0 ? 2'b10 : 2'b00;
          if (error_r >= 0) error_r = error_r - 1;
          rlast <= beat == ar[ar_out%DEPTH][7:0];
          beat = beat + 1;
          if (beat > ar[ar_out%DEPTH][7:0]) begin
            beat = 0;
            ar_out = ar_out + 1;
          end
        end
      end
      if (!bvalid || bready) begin
        bvalid <= 0;
        if (aw_out != aw_in && bursts_of_w != 0 && !quiet(wait_b)) begin
          address = aw[aw_out%DEPTH][71:8] - BASE;
          for (first = 0; first <= aw[aw_out%DEPTH][7:0]; first = first + 1) begin
            if (w[w_out%DEPTH][72] !== (first == aw[aw_out%DEPTH][7:0]))
              $fatal(1, "WLAST is in the wrong beat");
            for (k = 0; k < 8; k = k + 1)
              if (w[w_out%DEPTH][64+k]) memory[address+8*first+k] = w[w_out%DEPTH][8*k+:8];
            w_out = w_out + 1;
          end
          aw_out = aw_out + 1;
          bursts_of_w = bursts_of_w - 1;
          bvalid <= 1;
          bresp <= error_b == 0 ? 2'b10 : 2'b00;
          if (error_b >= 0) error_b = error_b - 1;
        end
      end
    end
  end
endmodule
