// One source, number SOURCE, of a PLIC with one context, machine mode of hart 0: priority, pending, enable,
// threshold and claim/complete. The source is a level: between claim and complete it asks for nothing, and
// after that again while it is high. Registers are written as whole words; others read 0.
//
// Reset: disabled, priority and threshold 0, nothing pending or claimed.
module weft_soc_plic #(
    parameter integer SOURCE = 40
) (
    input  logic        clock,
    input  logic        reset,
    input  logic        take,
    input  logic [23:0] address,            // of words
    input  logic        is_write,
    input  logic [31:0] write,
    output logic [31:0] read,
    input  logic        source,
    output logic        external_interrupt
);
  localparam [23:0] PRIORITY = 24'(SOURCE);
  localparam [23:0] PENDING = 24'h000400 + 24'(SOURCE / 32);
  localparam [23:0] ENABLE = 24'h000800 + 24'(SOURCE / 32);
  localparam [23:0] THRESHOLD = 24'h080000;
  localparam [23:0] CLAIM = 24'h080001;
  localparam integer BIT = SOURCE % 32;

  logic [2:0] source_priority;
  logic [2:0] threshold;
  logic enabled;
  logic pending;
  logic claimed;
  logic can_claim;

  assign can_claim = pending && enabled && source_priority != 3'd0;
  assign external_interrupt = can_claim && source_priority > threshold;

  always_comb begin
    read = 32'd0;
    case (address)
      PRIORITY: read[2:0] = source_priority;
      PENDING: read[BIT] = pending;
      ENABLE: read[BIT] = enabled;
      THRESHOLD: read[2:0] = threshold;
      CLAIM: read = can_claim ? SOURCE : 32'd0;
      default: ;
    endcase
  end

  always_ff @(posedge clock) begin
    if (reset) begin
      source_priority <= 3'd0;
      threshold <= 3'd0;
      enabled <= 1'b0;
      pending <= 1'b0;
      claimed <= 1'b0;
    end else begin
      if (source && !claimed) pending <= 1'b1;
      if (take && is_write && address == PRIORITY) source_priority <= write[2:0];
      if (take && is_write && address == THRESHOLD) threshold <= write[2:0];
      if (take && is_write && address == ENABLE) enabled <= write[BIT];
      if (take && is_write && address == CLAIM && write == SOURCE) claimed <= 1'b0;
      if (take && !is_write && address == CLAIM && can_claim) begin
        pending <= 1'b0;
        claimed <= 1'b1;
      end
    end
  end
endmodule
