// AXI4-Lite slave in front of the register slave of weft_machine, of 64 or 32 bits.
//
// One access a cycle, a write before a read; neither can keep the other out, as one that was just done
// has its response to give first. A write is taken when address and data are both there, its response follows in the
// next cycle. A write carries one half of a register or both (strobes 0x0f, 0xf0, 0xff; of 32 bits 0xf, the address says
// which half): others are not done and answered with SLVERR. Reads return the whole register, of 32 bits the half at the address.
// An access waits for nothing but its own channels: register_ready of weft_machine is always 1.
// Reset: no access on its way.
module weft_axi_lite #(
    parameter integer WIDTH = 64  // bits of data: 64 or 32
) (
    input  logic               clock,
    input  logic               reset,
    // AXI4-Lite
    input  logic               s_axi_awvalid,
    output logic               s_axi_awready,
    input  logic [       11:0] s_axi_awaddr,
    input  logic               s_axi_wvalid,
    output logic               s_axi_wready,
    input  logic [  WIDTH-1:0] s_axi_wdata,
    input  logic [WIDTH/8-1:0] s_axi_wstrb,
    output logic               s_axi_bvalid,
    input  logic               s_axi_bready,
    output logic [        1:0] s_axi_bresp,
    input  logic               s_axi_arvalid,
    output logic               s_axi_arready,
    input  logic [       11:0] s_axi_araddr,
    output logic               s_axi_rvalid,
    input  logic               s_axi_rready,
    output logic [  WIDTH-1:0] s_axi_rdata,
    output logic [        1:0] s_axi_rresp,
    // weft_machine
    output logic               register_valid,
    input  logic               register_ready,
    output logic               register_write,
    output logic [       11:0] register_address,
    output logic [       63:0] register_write_data,
    output logic [        1:0] register_write_strobe,
    input  logic               register_read_valid,
    input  logic [       63:0] register_read_data
);
  localparam [1:0] OKAY = 2'b00;
  localparam [1:0] SLVERR = 2'b10;

  // What has come in and is not done. The ready of a channel is that its place is free.
  logic has_write_address;
  logic has_write_data;
  logic has_read_address;
  logic [11:0] write_address;
  logic [11:0] read_address;
  logic [WIDTH-1:0] data;
  logic [WIDTH/8-1:0] strobe;

  logic can_write;
  logic can_read;
  logic partial;
  logic [WIDTH-1:0] read_part;
  logic do_write;
  logic do_read;

  assign s_axi_awready = !has_write_address;
  assign s_axi_wready = !has_write_data;
  assign s_axi_arready = !has_read_address;

  assign can_write = has_write_address && has_write_data && !s_axi_bvalid;
  assign can_read = has_read_address && !s_axi_rvalid;
  assign register_write = can_write;
  assign register_valid = register_write ? !partial : can_read;
  assign register_address = register_write ? write_address : read_address;
  assign do_write = register_write && (register_ready || partial);
  assign do_read = !register_write && can_read && register_ready;

  // The address of a read stays where it is until its data are there.
  if (WIDTH == 32) begin : g_half
    assign partial = strobe != 4'hf;
    assign register_write_data = {data, data};
    assign register_write_strobe = {write_address[2], !write_address[2]};
    assign read_part = read_address[2] ? register_read_data[63:32] : register_read_data[31:0];
  end else begin : g_whole
    assign partial = strobe != 8'hff && strobe != 8'h0f && strobe != 8'hf0;
    assign register_write_data = data;
    assign register_write_strobe = {strobe[7], strobe[0]};
    assign read_part = register_read_data;
  end

  assign s_axi_rresp = OKAY;

  always_ff @(posedge clock) begin
    if (reset) begin
      has_write_address <= 1'b0;
      has_write_data <= 1'b0;
      has_read_address <= 1'b0;
      s_axi_bvalid <= 1'b0;
      s_axi_rvalid <= 1'b0;
    end else begin
      if (do_write) begin
        has_write_address <= 1'b0;
        has_write_data <= 1'b0;
        s_axi_bvalid <= 1'b1;
        s_axi_bresp <= partial ? SLVERR : OKAY;
      end else if (s_axi_bready) begin
        s_axi_bvalid <= 1'b0;
      end
      if (do_read) has_read_address <= 1'b0;
      if (register_read_valid) begin
        s_axi_rvalid <= 1'b1;
        s_axi_rdata <= read_part;
      end else if (s_axi_rready) begin
        s_axi_rvalid <= 1'b0;
      end
      if (s_axi_awvalid && s_axi_awready) begin
        has_write_address <= 1'b1;
        write_address <= s_axi_awaddr;
      end
      if (s_axi_wvalid && s_axi_wready) begin
        has_write_data <= 1'b1;
        data <= s_axi_wdata;
        strobe <= s_axi_wstrb;
      end
      if (s_axi_arvalid && s_axi_arready) begin
        has_read_address <= 1'b1;
        read_address <= s_axi_araddr;
      end
    end
  end
endmodule
