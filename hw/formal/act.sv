// weft_act: what any of the three readers gets in T+1, with `deep_pipeline` (DEEP) in T+2, is what the three writers wrote to the line up to T, byte by byte, whichever RAM and
// sub-bank it lies in, as long as one master at a time reads and one writes a RAM and no line is read in the cycle in which it is written:
// what docs/timing.md promises by ownership. Of one line, which is any; two RAMs of two rows, lines of two bytes.
//
// modules weft_act weft_bank
// parameter DEEP 0 1
// mutation weft_act: s/assign load_half = load_line\[1:0\] != k/assign load_half = load_line[0] != k[0]/
// mutation weft_act: s/load_half ? load_next\[LINE_BITS-1:2\] : load_line/load_half ? load_line[LINE_BITS-1:2] : load_line/
// mutation weft_act: s/store_half ? store_next\[LINE_BITS-1:2\] : store_line/store_half ? store_line[LINE_BITS-1:2] : store_line/
// mutation weft_act: s/store_ram_read <= {RAM_BITS'(store_next/store_ram_read <= {RAM_BITS'(store_line/
// mutation weft_act: s/if (vector_write) write_select = write_select | vector_select;/if (vector_write) write_select = write_select;/
// mutation weft_act: s/store_data\[k\] = data\[store_sub == k/store_data[k] = data[store_sub != k/
// mutation weft_act: s/if (matrix_valid\[k\]) matrix_ram_read <=/if (matrix_valid[0]) matrix_ram_read <=/
// mutation weft_act: s/matrix_ram <= matrix_ram_read/matrix_ram <= vector_ram_read/
// mutation weft_act: s/store_sub <= store_sub_read/store_sub <= vector_sub_read/
// mutation weft_bank: s/address = load ? load_address : fill ? fill_address/address = load ? load_address : load ? fill_address/
// mutation weft_bank: s/load_strobe\[WIDTH\/8-1:0\])$/{WIDTH \/ 8{1'b1}})/
// mutation weft_bank: s/matrix ? matrix_address : store ? store_address/store ? store_address : store ? store_address/
module proof #(
    parameter integer DEEP = 0
) (
    input logic clock,
    input logic [3:0] line,  // the one that is looked at: assumed to stay
    input logic load_valid,
    input logic [3:0] load_line,
    input logic [3:0] load_strobe,
    input logic [31:0] load_data,
    input logic fill_valid,
    input logic [3:0] fill_line,
    input logic [1:0] fill_strobe,
    input logic [7:0] fill_value,
    input logic [3:0] matrix_valid,
    input logic [7:0] matrix_line,
    input logic vector_valid,
    input logic vector_write,
    input logic [3:0] vector_line,
    input logic [15:0] vector_write_data,
    input logic [1:0] store_valid,
    input logic [3:0] store_line
);
  logic [63:0] matrix_read_data;
  logic [15:0] vector_read_data;
  logic [31:0] store_read_data;
  localparam [weft_config_pkg::CONFIG_BITS-1:0] DEEP_PIPELINE = weft_config_pkg::CONFIG_BITS'(1) << weft_config_pkg::AT_DEEP_PIPELINE;
  weft_act #(
      .CONFIG(DEEP ? weft_config_pkg::CONFIG | DEEP_PIPELINE : weft_config_pkg::CONFIG & ~DEEP_PIPELINE),
      .LINE (16),
      .LINES(16),
      .RAMS (2)
  ) dut (
      .*
  );
  (* hierconn *) wire [15:0] \dut.g_sub[0].g_ram[0].ram.memory[0] ,
      \dut.g_sub[0].g_ram[0].ram.memory[1] ,
      \dut.g_sub[0].g_ram[1].ram.memory[0] ,
      \dut.g_sub[0].g_ram[1].ram.memory[1] ,
      \dut.g_sub[1].g_ram[0].ram.memory[0] ,
      \dut.g_sub[1].g_ram[0].ram.memory[1] ,
      \dut.g_sub[1].g_ram[1].ram.memory[0] ,
      \dut.g_sub[1].g_ram[1].ram.memory[1] ,
      \dut.g_sub[2].g_ram[0].ram.memory[0] ,
      \dut.g_sub[2].g_ram[0].ram.memory[1] ,
      \dut.g_sub[2].g_ram[1].ram.memory[0] ,
      \dut.g_sub[2].g_ram[1].ram.memory[1] ,
      \dut.g_sub[3].g_ram[0].ram.memory[0] ,
      \dut.g_sub[3].g_ram[0].ram.memory[1] ,
      \dut.g_sub[3].g_ram[1].ram.memory[0] ,
      \dut.g_sub[3].g_ram[1].ram.memory[1] ;
  logic [255:0] memory;  // by line
  assign memory = {
      \dut.g_sub[3].g_ram[1].ram.memory[1] ,
      \dut.g_sub[2].g_ram[1].ram.memory[1] ,
      \dut.g_sub[1].g_ram[1].ram.memory[1] ,
      \dut.g_sub[0].g_ram[1].ram.memory[1] ,
      \dut.g_sub[3].g_ram[1].ram.memory[0] ,
      \dut.g_sub[2].g_ram[1].ram.memory[0] ,
      \dut.g_sub[1].g_ram[1].ram.memory[0] ,
      \dut.g_sub[0].g_ram[1].ram.memory[0] ,
      \dut.g_sub[3].g_ram[0].ram.memory[1] ,
      \dut.g_sub[2].g_ram[0].ram.memory[1] ,
      \dut.g_sub[1].g_ram[0].ram.memory[1] ,
      \dut.g_sub[0].g_ram[0].ram.memory[1] ,
      \dut.g_sub[3].g_ram[0].ram.memory[0] ,
      \dut.g_sub[2].g_ram[0].ram.memory[0] ,
      \dut.g_sub[1].g_ram[0].ram.memory[0] ,
      \dut.g_sub[0].g_ram[0].ram.memory[0] 
  };

  // ---- who touches which RAM ----
  logic [3:0] load_next, store_next;
  assign load_next = load_line + 4'd1;
  assign store_next = store_line + 4'd1;
  logic [1:0] load_halves;
  assign load_halves = {load_valid && load_strobe[3:2] != 0, load_valid && load_strobe[1:0] != 0};
  logic [1:0] load_rams, fill_rams, matrix_rams, write_rams, read_rams, store_rams;  // a bit for each RAM
  always_comb begin
    for (integer r = 0; r < 2; r = r + 1) begin
      load_rams[r] = (load_halves[0] && load_line[3] == r) || (load_halves[1] && load_next[3] == r);
      fill_rams[r] = fill_valid && fill_line[3] == r;
      write_rams[r] = vector_valid && vector_write && vector_line[3] == r;
      read_rams[r] = vector_valid && !vector_write && vector_line[3] == r;
      store_rams[r] = (store_valid[0] && store_line[3] == r) || (store_valid[1] && store_next[3] == r);
      matrix_rams[r] = 0;
      for (integer k = 0; k < 4; k = k + 1) begin
        if (matrix_valid[k] && matrix_line[2*k+1] == r) matrix_rams[r] = 1;
      end
    end
  end

  // ---- the line ----
  logic [1:0] write_bytes;
  logic [15:0] write_word;
  logic matrix_reads, vector_reads, store_reads_low, store_reads_high;
  always_comb begin
    write_bytes = 0;
    write_word = 0;
    if (load_halves[0] && load_line == line) begin
      write_bytes = load_strobe[1:0];
      write_word = load_data[15:0];
    end
    if (load_halves[1] && load_next == line) begin
      write_bytes = load_strobe[3:2];
      write_word = load_data[31:16];
    end
    if (fill_valid && fill_line == line) begin
      write_bytes = fill_strobe;
      write_word = {2{fill_value}};
    end
    if (vector_valid && vector_write && vector_line == line) begin
      write_bytes = 2'b11;
      write_word = vector_write_data;
    end
    matrix_reads = matrix_valid[line[1:0]] && matrix_line[2*line[1:0]+:2] == line[3:2];
    vector_reads = vector_valid && !vector_write && vector_line == line;
    store_reads_low = store_valid[0] && store_line == line;
    store_reads_high = store_valid[1] && store_next == line;
  end

  logic started = 1'b0;
  logic [3:0] line_before;
  logic [15:0] content, expected, expected_soon;
  logic [1:0] written = 2'd0, known = 2'd0, known_soon = 2'd0;
  logic matrix_read = 1'b0, vector_read = 1'b0, store_low_read = 1'b0, store_high_read = 1'b0;
  logic [3:0] soon = 4'd0;  // the same, a cycle before with DEEP
  always_ff @(posedge clock) begin
    started <= 1'b1;
    line_before <= line;
    for (integer i = 0; i < 2; i = i + 1) begin
      if (write_bytes[i]) begin
        content[8*i+:8] <= write_word[8*i+:8];
        written[i] <= 1'b1;
      end
    end
    expected_soon <= content;
    known_soon <= written;
    soon <= {matrix_reads, vector_reads, store_reads_low, store_reads_high};
    expected <= DEEP ? expected_soon : content;
    known <= DEEP ? known_soon : written;
    {matrix_read, vector_read, store_low_read, store_high_read} <= DEEP ? soon
        : {matrix_reads, vector_reads, store_reads_low, store_reads_high};
  end

  always_comb begin
    assume (!started || line == line_before);
    assume ((load_rams & fill_rams) == 0 && ((load_rams | fill_rams) & write_rams) == 0);
    assume ((matrix_rams & store_rams) == 0 && ((matrix_rams | store_rams) & read_rams) == 0);
    assume (write_bytes == 0 || !(matrix_reads || vector_reads || store_reads_low || store_reads_high));
    assume (!load_halves[1] || load_line != 4'd15);
    assume (!store_valid[1] || store_line != 4'd15);
    for (integer i = 0; i < 2; i = i + 1) begin
      if (written[i]) assert (memory[16*line+8*i+:8] == content[8*i+:8]);
      if (known[i] && started) begin
        if (matrix_read) assert (matrix_read_data[16*line[1:0]+8*i+:8] == expected[8*i+:8]);
        if (vector_read) assert (vector_read_data[8*i+:8] == expected[8*i+:8]);
        if (store_low_read) assert (store_read_data[8*i+:8] == expected[8*i+:8]);
        if (store_high_read) assert (store_read_data[16+8*i+:8] == expected[8*i+:8]);
      end
    end
  end
endmodule
