// RAM of a board in block RAM, with a port for the CPU and one for the machine's AXI4 master of 4 bytes.
//
// CPU: with `enable` in T the strobes say which bytes are written; without any, the word is on read_data in T+1.
// AXI: one burst of each kind at a time, INCR, of full width; a write beat goes before a read beat. The first beat of a read is shown two
// cycles after its address was taken, then one a cycle; a write has its response in the cycle after its last beat. A burst outside of
// the RAM is answered with SLVERR and does nothing. Bursts never cross a multiple of 1024 (docs/integration.md), BYTES is one.
// Reset: nothing on its way; the content stays.
module weft_board_memory #(
    parameter integer BYTES = 65536,
    parameter         FILE  = ""  // words in hexadecimal
) (
    input  logic        clock,
    input  logic        reset,
    // CPU
    input  logic        enable,
    input  logic [ 3:0] strobe,
    input  logic [31:0] address,
    input  logic [31:0] write_data,
    output logic [31:0] read_data,
    // machine
    input  logic        s_axi_arvalid,
    output logic        s_axi_arready,
    input  logic [63:0] s_axi_araddr,
    input  logic [ 7:0] s_axi_arlen,
    output logic        s_axi_rvalid,
    input  logic        s_axi_rready,
    output logic [31:0] s_axi_rdata,
    output logic [ 1:0] s_axi_rresp,
    output logic        s_axi_rlast,
    input  logic        s_axi_awvalid,
    output logic        s_axi_awready,
    input  logic [63:0] s_axi_awaddr,
    input  logic [ 7:0] s_axi_awlen,
    input  logic        s_axi_wvalid,
    output logic        s_axi_wready,
    input  logic [31:0] s_axi_wdata,
    input  logic [ 3:0] s_axi_wstrb,
    input  logic        s_axi_wlast,
    output logic        s_axi_bvalid,
    input  logic        s_axi_bready,
    output logic [ 1:0] s_axi_bresp
);
  localparam integer WORDS = BYTES / 4;
  localparam integer BITS = $clog2(WORDS);
  localparam [1:0] OKAY = 2'b00;
  localparam [1:0] SLVERR = 2'b10;

  // CPU and machine never use a word at once, as firmware waits for the end of a run: what one reads while the other writes it
  // may be anything.
  (* no_rw_check *)
  logic [31:0] memory[0:WORDS-1];
  initial $readmemh(FILE, memory);

  // verilator lint_off UNUSEDSIGNAL
  logic unused;
  // verilator lint_on UNUSEDSIGNAL
  assign unused = ^{address, s_axi_araddr[1:0], s_axi_awaddr[1:0], s_axi_wlast};

  function automatic logic is_outside(input logic [63:0] at);
    is_outside = at[63:31] != 33'd1 || {1'b0, at[30:0]} >= BYTES;
  endfunction

  // ---- the machine's port ----
  logic reading;
  logic [BITS-1:0] read_at;
  logic [7:0] read_left;
  logic read_outside;
  logic read_step;
  logic writing;
  logic [BITS-1:0] write_at;
  logic [7:0] write_left;
  logic write_outside;
  logic write_step;

  assign s_axi_arready = !reading;
  assign s_axi_awready = !writing;
  assign s_axi_wready = writing && (!s_axi_bvalid || s_axi_bready);
  assign write_step = s_axi_wvalid && s_axi_wready;
  assign read_step = reading && !write_step && (!s_axi_rvalid || s_axi_rready);

  always_ff @(posedge clock) begin
    if (reset) begin
      reading <= 1'b0;
      writing <= 1'b0;
      s_axi_rvalid <= 1'b0;
      s_axi_bvalid <= 1'b0;
    end else begin
      if (s_axi_arvalid && s_axi_arready) reading <= 1'b1;
      else if (read_step && read_left == 8'd0) reading <= 1'b0;
      if (read_step) s_axi_rvalid <= 1'b1;
      else if (s_axi_rready) s_axi_rvalid <= 1'b0;
      if (s_axi_awvalid && s_axi_awready) writing <= 1'b1;
      else if (write_step && write_left == 8'd0) writing <= 1'b0;
      if (write_step && write_left == 8'd0) s_axi_bvalid <= 1'b1;
      else if (s_axi_bready) s_axi_bvalid <= 1'b0;
    end
    if (s_axi_arready) begin
      read_at <= s_axi_araddr[2+:BITS];
      read_left <= s_axi_arlen;
      read_outside <= is_outside(s_axi_araddr);
    end else if (read_step) begin
      read_at <= read_at + 1'b1;
      read_left <= read_left - 8'd1;
    end
    if (read_step) begin
      s_axi_rlast <= read_left == 8'd0;
      s_axi_rresp <= read_outside ? SLVERR : OKAY;
    end
    if (s_axi_awready) begin
      write_at <= s_axi_awaddr[2+:BITS];
      write_left <= s_axi_awlen;
      write_outside <= is_outside(s_axi_awaddr);
    end else if (write_step) begin
      write_at <= write_at + 1'b1;
      write_left <= write_left - 8'd1;
    end
    if (write_step) s_axi_bresp <= write_outside ? SLVERR : OKAY;
  end

  // ---- the memory: two ports, each reads or writes ----
  logic [3:0] machine_strobe;
  logic [BITS-1:0] machine_at;
  assign machine_strobe = write_step && !write_outside ? s_axi_wstrb : 4'd0;
  assign machine_at = write_step ? write_at : read_at;

  always_ff @(posedge clock) begin
    if (enable && strobe == 4'd0) read_data <= memory[address[2+:BITS]];
    for (integer i = 0; i < 4; i = i + 1) begin
      if (enable && strobe[i]) memory[address[2+:BITS]][8*i+:8] <= write_data[8*i+:8];
    end
  end
  always_ff @(posedge clock) begin
    if (read_step) s_axi_rdata <= memory[machine_at];
    for (integer i = 0; i < 4; i = i + 1) begin
      if (machine_strobe[i]) memory[machine_at][8*i+:8] <= s_axi_wdata[8*i+:8];
    end
  end
endmodule
