// weft_axi_lite: a response stays until it is taken; as many are given as accesses were taken, none before its access was done; the
// machine is asked once for each access that is done, with the address, data and halves that came; a write of part of a half is
// not done and answered with SLVERR, all others with OKAY; a read has the data that the machine gave. No two writes are done in
// neighbouring cycles, so a read that can be done waits at most one. Assumed is that a master keeps to AXI, and that the machine
// gives the data of a read in the cycle after it.
//
// modules weft_axi_lite
// parameter WIDTH 64 32
// cover bvalid && rvalid && !bready && !rready
// cover bvalid && bresp == 2
// cover register_valid && !register_write && waited
// cover rvalid && rready && arvalid && arready
// mutation weft_axi_lite: s/has_write_data \&\& !s_axi_bvalid/has_write_data/
// mutation weft_axi_lite: s/has_read_address \&\& !s_axi_rvalid/has_read_address/
// mutation weft_axi_lite: s/register_valid = register_write ? !partial : can_read/register_valid = register_write || can_read/
// mutation weft_axi_lite: s/register_address = register_write ? write_address : read_address/register_address = can_read ? read_address : write_address/
// mutation weft_axi_lite: s/partial ? SLVERR : OKAY/OKAY/
// mutation weft_axi_lite: s/s_axi_wready = !has_write_data/s_axi_wready = 1'b1/
// mutation weft_axi_lite: s/s_axi_arready = !has_read_address/s_axi_arready = !has_read_address || s_axi_rready/
// mutation weft_axi_lite: s/end else if (s_axi_rready) begin/end else begin/
// mutation weft_axi_lite: s/{write_address\[2\], !write_address\[2\]}/2'b11/
// mutation weft_axi_lite: s/read_address\[2\] ? register_read_data/write_address[2] ? register_read_data/
// mutation weft_axi_lite: s/strobe != 4'hf/1'b0/
module proof #(
    parameter integer WIDTH = 64
) (
    input logic clock,
    input logic reset,
    input logic awvalid,
    input logic [11:0] awaddr,
    input logic wvalid,
    input logic [WIDTH-1:0] wdata,
    input logic [WIDTH/8-1:0] wstrb,
    input logic bready,
    input logic arvalid,
    input logic [11:0] araddr,
    input logic rready,
    input logic [63:0] register_read_data
);
  logic awready, wready, bvalid, arready, rvalid;
  logic [1:0] bresp, rresp;
  logic [WIDTH-1:0] rdata;
  logic register_valid, register_write, register_read_valid;
  logic [11:0] register_address;
  logic [63:0] register_write_data;
  logic [1:0] register_write_strobe;
  weft_axi_lite #(
      .WIDTH(WIDTH)
  ) dut (
      .clock(clock),
      .reset(reset),
      .s_axi_awvalid(awvalid),
      .s_axi_awready(awready),
      .s_axi_awaddr(awaddr),
      .s_axi_wvalid(wvalid),
      .s_axi_wready(wready),
      .s_axi_wdata(wdata),
      .s_axi_wstrb(wstrb),
      .s_axi_bvalid(bvalid),
      .s_axi_bready(bready),
      .s_axi_bresp(bresp),
      .s_axi_arvalid(arvalid),
      .s_axi_arready(arready),
      .s_axi_araddr(araddr),
      .s_axi_rvalid(rvalid),
      .s_axi_rready(rready),
      .s_axi_rdata(rdata),
      .s_axi_rresp(rresp),
      .register_valid(register_valid),
      .register_ready(1'b1),
      .register_write(register_write),
      .register_address(register_address),
      .register_write_data(register_write_data),
      .register_write_strobe(register_write_strobe),
      .register_read_valid(register_read_valid),
      .register_read_data(register_read_data)
  );

  // ---- what came and has no answer: one access of a kind waits, one may have its response to give ----
  logic started = 1'b0;
  logic [1:0] addresses, datas, reads;  // taken and not answered
  logic [11:0] write_address, read_address, done_address;
  logic [WIDTH-1:0] data;
  logic [WIDTH/8-1:0] strobe;
  logic partial, legal, done_partial, write_done, waited;
  logic [63:0] read_data;
  logic stays_b, stays_r, wrote;
  logic [1:0] b;
  logic [WIDTH-1:0] r;
  assign legal = WIDTH == 32 ? (&strobe) : strobe == 8'hff || strobe == 8'h0f || strobe == 8'hf0;
  assign partial = !legal;
  assign write_done = register_write;
  always_ff @(posedge clock) begin
    started <= 1'b1;
    register_read_valid <= !reset && register_valid && !register_write;
    wrote <= !reset && write_done;
    waited <= !reset && register_write && !register_valid;
    stays_b <= !reset && bvalid && !bready;
    stays_r <= !reset && rvalid && !rready;
    b <= bresp;
    r <= rdata;
    if (reset) begin
      addresses <= 0;
      datas <= 0;
      reads <= 0;
    end else begin
      addresses <= addresses + (awvalid && awready) - (bvalid && bready);
      datas <= datas + (wvalid && wready) - (bvalid && bready);
      reads <= reads + (arvalid && arready) - (rvalid && rready);
    end
    if (awvalid && awready) write_address <= awaddr;
    if (wvalid && wready) {data, strobe} <= {wdata, wstrb};
    if (arvalid && arready) read_address <= araddr;
    if (register_valid && !register_write) done_address <= register_address;
    if (write_done) done_partial <= partial;
    if (register_read_valid) read_data <= register_read_data;
  end

  (* hierconn *) wire \dut.has_write_address , \dut.has_write_data , \dut.has_read_address ;
  (* hierconn *) wire [11:0] \dut.write_address , \dut.read_address ;
  (* hierconn *) wire [WIDTH-1:0] \dut.data ;
  (* hierconn *) wire [WIDTH/8-1:0] \dut.strobe ;
  always_comb begin
    assume (started || reset);
    if (started) begin
      // Each is taken once and answered once.
      assert (addresses == {1'b0, bvalid} + \dut.has_write_address && datas == {1'b0, bvalid} + \dut.has_write_data );
      assert (reads == {1'b0, rvalid} + \dut.has_read_address + register_read_valid);
      assert (awready == !\dut.has_write_address && wready == !\dut.has_write_data && arready == !\dut.has_read_address );
      if (\dut.has_write_address ) assert (\dut.write_address == write_address);
      if (\dut.has_write_data ) assert (\dut.data == data && \dut.strobe == strobe);
      if (\dut.has_read_address ) assert (\dut.read_address == read_address);
      // What the machine is asked for.
      if (register_valid && register_write) begin
        assert (addresses != 0 && datas != 0 && !bvalid && legal && register_address == write_address);
        if (WIDTH == 64) begin
          assert (register_write_data == data && register_write_strobe == {strobe[WIDTH/8-1], strobe[0]});
        end else begin
          assert (register_write_strobe == (write_address[2] ? 2'b10 : 2'b01));
          assert ((write_address[2] ? register_write_data[63:32] : register_write_data[31:0]) == data);
        end
      end
      if (register_valid && !register_write) assert (reads != 0 && !rvalid && register_address == read_address);
      if (register_read_valid) assert (!rvalid && !register_valid || register_write);
      if (wrote) assert (bvalid && !register_write);
      // Responses.
      if (bvalid) assert (bresp == (done_partial ? 2 : 0));
      if (rvalid) begin
        assert (rresp == 0);
        assert (rdata == (WIDTH == 64 ? read_data : done_address[2] ? read_data[63:32] : read_data[31:0]));
      end
      if (!reset) begin
        if (stays_b) assert (bvalid && bresp == b);
        if (stays_r) assert (rvalid && rdata == r);
      end
    end
  end
endmodule
