// The units and their memories: load, matrix, vector and store, and ACT, WGT, PAR, LUT and ACC between them.
//
// Interface: units in the order load, matrix, vector, store.
//   heads            the head of each queue; start[u]: it starts in this cycle, which ready[u] allows
//   finish           the unit's oldest instruction in flight finishes, freeing, in matrix, finish_acc_banks
//   load_*, store_*  masters of the memory port; pending: there is a burst to ask for, be it that a limit forbids it
//   beat, write_*    beats of load and store, as on the port of weft_machine
//   stream, slot     matrix takes a pixel, vector takes a slot; fill_valid: FILL writes a line
// Clocks: the memories have that of the machine, each unit its own (weft_machine).
// Timing: docs/timing.md.
// Reset: `idle`, while no run is on, empties the units; memories keep what they hold and are then neither read nor written.
`ifdef WEFT_CLOCK_GATES
`define WEFT_CLOCK(UNIT) UNIT``_clock
`else
`define WEFT_CLOCK(UNIT) clock
`endif
module weft_datapath #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,
    localparam WIDTH = CONFIG[weft_config_pkg::AT_MEMORY_WIDTH+:32],
    localparam BURST_BITS = $clog2(CONFIG[weft_config_pkg::AT_MEMORY_BURST+:32]) + 1
) (
    input  logic clock,
`ifdef WEFT_CLOCK_GATES
    input  logic load_clock,
    input  logic matrix_clock,
    input  logic vector_clock,
    input  logic store_clock,
`endif
    input  logic idle,
    input  logic running,
    input  logic [8*64-1:0] region_base,
    input  logic [4*512-1:0] heads,
    input  logic vector_flying,
    output logic [3:0] ready,
    input  logic [3:0] start,
    output logic [3:0] finish,
    input  logic [3:0] finish_acc_banks,
    output logic load_pending,
    output logic load_request,
    input  logic load_grant,
    output logic [2:0] load_region,
    output logic [63:0] load_address,
    output logic [BURST_BITS-1:0] load_bytes,
    output logic [BURST_BITS-1:0] load_beats,
    input  logic beat,
    input  logic [8*WIDTH-1:0] read_data,
    output logic store_pending,
    output logic store_request,
    input  logic store_grant,
    output logic [2:0] store_region,
    output logic [63:0] store_address,
    output logic [BURST_BITS-1:0] store_bytes,
    output logic [BURST_BITS-1:0] store_beats,
    input  logic write_request,
    output logic write_valid,
    output logic [8*WIDTH-1:0] write_data,
    output logic [WIDTH-1:0] write_strobe,
    output logic stream,
    output logic slot,
    output logic fill_valid
);
  localparam LOAD = weft_isa_pkg::UNIT_LOAD;
  localparam MATRIX = weft_isa_pkg::UNIT_MATRIX;
  localparam VECTOR = weft_isa_pkg::UNIT_VECTOR;
  localparam STORE = weft_isa_pkg::UNIT_STORE;
  localparam BLOCK = CONFIG[weft_config_pkg::AT_BLOCK+:32];
  localparam BLOCK_BITS = $clog2(BLOCK);
  localparam ACT_BITS = $clog2(CONFIG[weft_config_pkg::AT_ACT_BYTES+:32]) - BLOCK_BITS;  // of a line
  localparam WGT_BITS = $clog2(CONFIG[weft_config_pkg::AT_WGT_BYTES+:32]) - BLOCK_BITS;
  localparam PAR_BITS = $clog2(CONFIG[weft_config_pkg::AT_PAR_BYTES+:32]) - BLOCK_BITS;
  localparam ACC_BITS = $clog2(CONFIG[weft_config_pkg::AT_ACC_BYTES+:32]) - BLOCK_BITS - 2;

  // ---- load and store ----
  logic [23:0] beat_local, fill_local;
  logic [$clog2(WIDTH)-1:0] beat_from, beat_to;
  logic [1:0] beat_memory;
  logic beat_coded;
  // verilator lint_off UNUSEDSIGNAL
  logic beat_first;  // this and the next are for coded weights alone
  logic [15:0] coded_units;
  logic [7:0] coded_base;
  logic [23:0] coded_local;
  // verilator lint_on UNUSEDSIGNAL
  logic [BLOCK_BITS:0] fill_bytes;
  logic [7:0] fill_value;
  weft_load #(
      .CONFIG(CONFIG)
  ) load (
      .clock(`WEFT_CLOCK(load)),
      .reset(idle),
      .region_base(region_base),
      .instruction(heads[LOAD*512+:512]),
      .ready(ready[LOAD]),
      .start(start[LOAD]),
      .finish(finish[LOAD]),
      .pending(load_pending),
      .request(load_request),
      .grant(load_grant),
      .region(load_region),
      .address(load_address),
      .bytes(load_bytes),
      .beats(load_beats),
      .beat(beat),
      .beat_local(beat_local),
      .beat_from(beat_from),
      .beat_to(beat_to),
      .beat_memory(beat_memory),
      .beat_coded(beat_coded),
      .beat_first(beat_first),
      .coded_units(coded_units),
      .coded_base(coded_base),
      .coded_local(coded_local),
      .fill_valid(fill_valid),
      .fill_local(fill_local),
      .fill_bytes(fill_bytes),
      .fill_value(fill_value)
  );

  logic [3:0] load_valid;
  // verilator lint_off UNUSEDSIGNAL
  logic [23-BLOCK_BITS:0] load_line, fill_line;  // extents were checked: the upper bits are zero
  // verilator lint_on UNUSEDSIGNAL
  logic [2*BLOCK-1:0] load_strobe;
  logic [16*BLOCK-1:0] load_data;
  logic [BLOCK-1:0] fill_strobe;
  weft_load_write #(
      .CONFIG(CONFIG)
  ) load_write (
      .clock(`WEFT_CLOCK(load)),
      .reset(idle),
      .beat(beat),
      .beat_data(read_data),
      .beat_local(beat_local),
      .beat_from(beat_from),
      .beat_to(beat_to),
      .beat_memory(beat_memory),
      .beat_coded(beat_coded),
      .write_valid(load_valid),
      .write_line(load_line),
      .write_strobe(load_strobe),
      .write_data(load_data),
      .fill_local(fill_local),
      .fill_bytes(fill_bytes),
      .fill_line(fill_line),
      .fill_strobe(fill_strobe)
  );

  // Coded weights. They and plain ones do not come at once (weft_load).
  logic weights_valid, decoded_valid;
  // verilator lint_off UNUSEDSIGNAL
  logic [23-BLOCK_BITS:0] weights_line;
  // verilator lint_on UNUSEDSIGNAL
  logic [2*BLOCK-1:0] weights_strobe;
  logic [16*BLOCK-1:0] weights_data;
  assign weights_valid = load_valid[weft_isa_pkg::TARGET_WGT] || decoded_valid;
  if (CONFIG[weft_config_pkg::AT_COMPRESSION+:32] != 0) begin : g_coded
    logic unit, unit_fresh, unit_more;
    logic [64*WIDTH-1:0] unit_planes;
    logic [8*WIDTH-1:0] unit_extension;
    logic [7:0] unit_head, unit_base;
    logic [23:0] unit_local;
    logic [23-BLOCK_BITS:0] decoded_line;
    logic [2*BLOCK-1:0] decoded_strobe;
    logic [16*BLOCK-1:0] decoded_data;
    weft_units #(
        .WIDTH(WIDTH),
        .TAG(32)
    ) find_units (
        .clock(`WEFT_CLOCK(load)),
        .reset(idle),
        .beat(beat && beat_coded),
        .first(beat_first),
        .whole(&beat_to),
        .data(read_data),
        .from(beat_from),
        .units(coded_units),
        .tag({coded_base, coded_local}),
        .unit(unit),
        .fresh(unit_fresh),
        .planes(unit_planes),
        .extension(unit_extension),
        .head(unit_head),
        .more(unit_more),
        .unit_tag({unit_base, unit_local})
    );
    weft_unit_lanes #(
        .BLOCK(BLOCK),
        .WIDTH(WIDTH)
    ) lanes (
        .clock(`WEFT_CLOCK(load)),
        .reset(idle),
        .unit(unit),
        .fresh(unit_fresh),
        .planes(unit_planes),
        .extension(unit_extension),
        .head(unit_head),
        .more(unit_more),
        .local_address(unit_local),
        .base(unit_base),
        .write_valid(decoded_valid),
        .write_line(decoded_line),
        .write_strobe(decoded_strobe),
        .write_data(decoded_data)
    );
    assign weights_line = decoded_valid ? decoded_line : load_line;
    assign weights_strobe = decoded_valid ? decoded_strobe : load_strobe;
    assign weights_data = decoded_valid ? decoded_data : load_data;
  end else begin : g_plain
    assign decoded_valid = 1'b0;
    assign weights_line = load_line;
    assign weights_strobe = load_strobe;
    assign weights_data = load_data;
  end

  logic [1:0] store_valid;
  logic [ACT_BITS-1:0] store_line;
  logic [16*BLOCK-1:0] store_read_data;
  weft_store #(
      .CONFIG(CONFIG)
  ) store (
      .clock(`WEFT_CLOCK(store)),
      .reset(idle),
      .region_base(region_base),
      .instruction(heads[STORE*512+:512]),
      .ready(ready[STORE]),
      .start(start[STORE]),
      .finish(finish[STORE]),
      .pending(store_pending),
      .request(store_request),
      .grant(store_grant),
      .region(store_region),
      .address(store_address),
      .bytes(store_bytes),
      .beats(store_beats),
      .write_request(write_request),
      .write_valid(write_valid),
      .write_data(write_data),
      .write_strobe(write_strobe),
      .read_valid(store_valid),
      .read_line(store_line),
      .read_data(store_read_data)
  );

  // ---- matrix ----
  logic [3:0] matrix_act_valid;
  logic [4*(ACT_BITS-2)-1:0] matrix_act_line;
  logic [32*BLOCK-1:0] matrix_act_data, matrix_acc_data, matrix_acc_write_data;
  logic [1:0] wgt_valid;
  logic [WGT_BITS-2:0] wgt_line;
  logic [16*BLOCK-1:0] wgt_data;
  logic matrix_acc_valid, matrix_acc_write;
  logic [ACC_BITS-1:0] matrix_acc_entry, matrix_acc_write_entry;
  weft_matrix #(
      .CONFIG(CONFIG)
  ) matrix (
      .clock(`WEFT_CLOCK(matrix)),
      .reset(idle),
      .instruction(heads[MATRIX*512+:512]),
      .ready(ready[MATRIX]),
      .start(start[MATRIX]),
      .finish(finish[MATRIX]),
      .finish_acc_banks(finish_acc_banks),
      .stream(stream),
      .act_valid(matrix_act_valid),
      .act_line(matrix_act_line),
      .act_read_data(matrix_act_data),
      .wgt_valid(wgt_valid),
      .wgt_line(wgt_line),
      .wgt_read_data(wgt_data),
      .acc_read_valid(matrix_acc_valid),
      .acc_read_entry(matrix_acc_entry),
      .acc_read_data(matrix_acc_data),
      .acc_write_valid(matrix_acc_write),
      .acc_write_entry(matrix_acc_write_entry),
      .acc_write_data(matrix_acc_write_data)
  );

  // ---- vector ----
  logic vector_act_valid, vector_act_write, vector_acc_valid, par_valid, lut_valid, lut_sum_valid;
  logic [ACT_BITS-1:0] vector_act_line;
  logic [8*BLOCK-1:0] vector_act_write_data, vector_act_data, par_data, lut_index, lut_data, lut_sum_index, lut_sum_data;
  logic [ACC_BITS-1:0] vector_acc_entry;
  logic [32*BLOCK-1:0] vector_acc_data;
  logic [PAR_BITS-1:0] par_line;
  assign ready[VECTOR] = !vector_flying;
  weft_vector #(
      .CONFIG(CONFIG)
  ) vector (
      .clock(`WEFT_CLOCK(vector)),
      .reset(idle),
      .stop(1'b0),
      .start(start[VECTOR]),
      .instruction(heads[VECTOR*512+:512]),
      .finish(finish[VECTOR]),
      .slot(slot),
      .act_valid(vector_act_valid),
      .act_write(vector_act_write),
      .act_line(vector_act_line),
      .act_write_data(vector_act_write_data),
      .act_read_data(vector_act_data),
      .acc_valid(vector_acc_valid),
      .acc_entry(vector_acc_entry),
      .acc_read_data(vector_acc_data),
      .par_valid(par_valid),
      .par_line(par_line),
      .par_read_data(par_data),
      .lut_valid(lut_valid),
      .lut_index(lut_index),
      .lut_read_data(lut_data),
      .lut_sum_valid(lut_sum_valid),
      .lut_sum_index(lut_sum_index),
      .lut_sum_read_data(lut_sum_data)
  );

  // ---- memories ----
  // Accesses that a fault left in the pipelines do nothing: an instruction that broke a promise could otherwise use a bank that is
  // not its own.
  weft_act #(
      .CONFIG(CONFIG)
  ) act (
      .clock(clock),
      .load_valid(running && load_valid[weft_isa_pkg::TARGET_ACT]),
      .load_line(load_line[ACT_BITS-1:0]),
      .load_strobe(load_strobe),
      .load_data(load_data),
      .fill_valid(running && fill_valid),
      .fill_line(fill_line[ACT_BITS-1:0]),
      .fill_strobe(fill_strobe),
      .fill_value(fill_value),
      .matrix_valid(running ? matrix_act_valid : 4'd0),
      .matrix_line(matrix_act_line),
      .matrix_read_data(matrix_act_data),
      .vector_valid(running && vector_act_valid),
      .vector_write(vector_act_write),
      .vector_line(vector_act_line),
      .vector_write_data(vector_act_write_data),
      .vector_read_data(vector_act_data),
      .store_valid(running ? store_valid : 2'd0),
      .store_line(store_line),
      .store_read_data(store_read_data)
  );
  weft_line_pairs #(
      .LINE (8 * CONFIG[weft_config_pkg::AT_BLOCK+:32]),
      .LINES(CONFIG[weft_config_pkg::AT_WGT_BYTES+:32] / CONFIG[weft_config_pkg::AT_BLOCK+:32]),
      .BANKS(CONFIG[weft_config_pkg::AT_WGT_BANKS+:32])
  ) wgt (  // WGT: matrix reads two lines
      .clock(clock),
      .load_valid(running && weights_valid),
      .load_line(weights_line[WGT_BITS-1:0]),
      .load_strobe(weights_strobe),
      .load_data(weights_data),
      .read_valid(running ? wgt_valid : 2'd0),
      .read_line(wgt_line),
      .read_data(wgt_data)
  );
  weft_par #(
      .CONFIG(CONFIG)
  ) par (
      .clock(clock),
      .load_valid(running && load_valid[weft_isa_pkg::TARGET_PAR]),
      .load_line(load_line[PAR_BITS-1:0]),
      .load_strobe(load_strobe),
      .load_data(load_data),
      .read_valid(running && par_valid),
      .read_line(par_line),
      .read_data(par_data)
  );
  weft_lut #(
      .CONFIG(CONFIG)
  ) lut (
      .clock(clock),
      .load_valid(running && load_valid[weft_isa_pkg::TARGET_LUT]),
      .load_line(load_line[7:0]),
      .load_strobe(load_strobe),
      .load_data(load_data),
      .read_valid(running && lut_valid),
      .read_index(lut_index),
      .read_data(lut_data),
      .sum_valid(running && lut_sum_valid),
      .sum_index(lut_sum_index),
      .sum_data(lut_sum_data)
  );
  weft_acc #(
      .CONFIG(CONFIG)
  ) acc (
      .clock(clock),
      .matrix_read_valid(running && matrix_acc_valid),
      .matrix_read_entry(matrix_acc_entry),
      .matrix_read_data(matrix_acc_data),
      .matrix_write_valid(running && matrix_acc_write),
      .matrix_write_entry(matrix_acc_write_entry),
      .matrix_write_data(matrix_acc_write_data),
      .vector_valid(running && vector_acc_valid),
      .vector_entry(vector_acc_entry),
      .vector_read_data(vector_acc_data)
  );
endmodule
