// ACC: accumulators, banks of entries of B int32; a bank reads one entry and writes one in a cycle.
//
// Interface: matrix reads and writes, vector reads; a bank belongs to one of them at a time.
// Timing: data of a read of cycle T are on the read_data of its master in T+1, with `deep_pipeline` in T+2, behind a register; what is
// written in T is read in T+1.
// Reset: none.
module weft_acc #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,
    parameter ENTRY = 32 * CONFIG[weft_config_pkg::AT_BLOCK+:32],
    parameter ENTRIES = CONFIG[weft_config_pkg::AT_ACC_BYTES+:32] / CONFIG[weft_config_pkg::AT_BLOCK+:32] / 4,
    parameter ENTRY_BITS = $clog2(ENTRIES),
    parameter BANKS = CONFIG[weft_config_pkg::AT_ACC_BANKS+:32],
    parameter BANK_BITS = $clog2(BANKS),
    parameter ROW_BITS = ENTRY_BITS - BANK_BITS
) (
    input  logic clock,
    input  logic matrix_read_valid,
    input  logic [ENTRY_BITS-1:0] matrix_read_entry,
    output logic [ENTRY-1:0] matrix_read_data,
    input  logic matrix_write_valid,
    input  logic [ENTRY_BITS-1:0] matrix_write_entry,
    input  logic [ENTRY-1:0] matrix_write_data,
    input  logic vector_valid,
    input  logic [ENTRY_BITS-1:0] vector_entry,
    output logic [ENTRY-1:0] vector_read_data
);
  logic [BANK_BITS-1:0] matrix_bank;
  logic [BANK_BITS-1:0] vector_bank;
  always_ff @(posedge clock) begin
    if (matrix_read_valid) matrix_bank <= matrix_read_entry[ENTRY_BITS-1-:BANK_BITS];
    if (vector_valid) vector_bank <= vector_entry[ENTRY_BITS-1-:BANK_BITS];
  end

  logic [ENTRY-1:0] data[0:BANKS-1];
  for (genvar b = 0; b < BANKS; b++) begin : g_bank
    logic matrix_here;
    logic vector_here;
    logic write_here;
    assign matrix_here = matrix_read_valid && matrix_read_entry[ENTRY_BITS-1-:BANK_BITS] == b;
    assign write_here = matrix_write_valid && matrix_write_entry[ENTRY_BITS-1-:BANK_BITS] == b;
    assign vector_here = vector_valid && vector_entry[ENTRY_BITS-1-:BANK_BITS] == b;
    weft_ram_2 #(
        .WIDTH(ENTRY),
        .DEPTH(1 << ROW_BITS)
    ) ram (
        .clock(clock),
        .read_enable(matrix_here || vector_here),
        .read_address(vector_here ? vector_entry[ROW_BITS-1:0] : matrix_read_entry[ROW_BITS-1:0]),
        .read_data(data[b]),
        .write_enable(write_here),
        .write_address(matrix_write_entry[ROW_BITS-1:0]),
        .write_data(matrix_write_data)
    );
`ifndef SYNTHESIS
    always_ff @(posedge clock) begin : one_owner
      if (vector_here && (matrix_here || write_here)) $error("ACC bank %0d used by matrix and vector in one cycle", b);
    end
`endif
  end
  if (CONFIG[weft_config_pkg::AT_DEEP_PIPELINE+:32] != 0) begin : g_deep  // the way out of a block RAM takes half a cycle
    logic [ENTRY-1:0] late[0:BANKS-1];
    logic [BANK_BITS-1:0] matrix_late, vector_late;
    always_ff @(posedge clock) begin : registers
      for (int b = 0; b < BANKS; b++) late[b] <= data[b];
      matrix_late <= matrix_bank;
      vector_late <= vector_bank;
    end
    assign matrix_read_data = late[matrix_late];
    assign vector_read_data = late[vector_late];
  end else begin : g_shallow
    assign matrix_read_data = data[matrix_bank];
    assign vector_read_data = data[vector_bank];
  end
endmodule
