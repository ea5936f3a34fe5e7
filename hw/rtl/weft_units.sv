// Finds units of coded weights in the beats of a LOAD (isa/coding.h has the form), and hands over one after another.
//
// Interface: `beat` with a beat of a LOAD of coded weights; with the `first` one of a LOAD the byte that it begins `from`, how many
// `units` it has, and a `tag`. `whole`: all bytes of the beat from there on belong to the run. `unit`: planes, extension and coding are those of a
// unit, until the next one, with the tag of its LOAD; `fresh`: it is the first one of its LOAD, which begins with the beat before.
// Timing: a beat is looked at in the cycle after it came. The unit is there two cycles after the beat that follows its last plane; units
// are at least four cycles apart.
// Reset: synchronous; no unit. What a LOAD left behind is forgotten at the first beat of the next one.
//
// What a beat has is taken out of it and the one before, by granules: planes, a row at a time, where the unit's phase says, and at the
// end the extension, when the next unit may have begun.
module weft_units #(
    parameter WIDTH = 8,  // bytes of a beat
    parameter TAG = 32
) (
    input  logic clock,
    input  logic reset,
    input  logic beat,
    input  logic first,
    input  logic whole,
    input  logic [8*WIDTH-1:0] data,
    // verilator lint_off UNUSEDSIGNAL
    input  logic [$clog2(WIDTH)-1:0] from,  // granules are what counts
    // verilator lint_on UNUSEDSIGNAL
    input  logic [15:0] units,
    input  logic [TAG-1:0] tag,
    output logic unit,
    output logic fresh,
    output logic [64*WIDTH-1:0] planes,  // bit i of plane b: bit b of the code of weight i
    output logic [8*WIDTH-1:0] extension,
    output logic [7:0] head,  // the bits of a code that are all 1 in an escape; 0: no code is one
    output logic more,  // the extension has 4 bits for each escape, else 2
    output logic [TAG-1:0] unit_tag
);
  localparam BITS = 8 * WIDTH;
  localparam GRANULES = WIDTH < 8 ? WIDTH : 8;
  localparam GRANULE = BITS / GRANULES;
  localparam PHASE = $clog2(GRANULES);

  // ---- the beat, and the one before ----
  logic [BITS-1:0] now, previous;
  logic now_valid, now_first, now_whole;
  logic [PHASE-1:0] from_phase;
  logic [15:0] from_units;
  logic [TAG-1:0] from_tag;
  always_ff @(posedge clock) begin
    now_valid <= !reset && beat;
    if (beat) begin
      now <= data;
      previous <= now;
      now_first <= first;
      now_whole <= whole;
    end
    if (beat && first) begin
      from_phase <= from[$clog2(WIDTH)-1-:PHASE];
      from_units <= units;
      from_tag <= tag;
    end
  end

  // BITS bits from the granule after `phase` of the beat before on.
  function automatic logic [BITS-1:0] after(input logic [2*BITS-1:0] beats, input logic [PHASE-1:0] phase);
    logic [2*BITS-1:0] moved;
    moved = beats >> GRANULE;
    after = BITS'(moved >> (phase * GRANULE));
  endfunction

  // ---- the unit whose planes come ----
  logic [15:0] left;  // units that have not begun
  logic [3:0] until_header;  // beats
  logic [PHASE-1:0] phase, next_phase;  // of headers
  logic [7:0] coding;  // the header
  logic [3:0] rows_left;
  logic [8*BITS-1:0] rows;  // by bit of the code

  // Of the header the bits that say how codes are made.
  function automatic logic is_raw(input logic [4:0] header);
    is_raw = header == 5'b10011;
  endfunction
  function automatic logic [3:0] planes_of(input logic [4:0] header);
    planes_of = is_raw(header) ? 4'd8 : {2'b01, header[1:0]};
  endfunction

  // ---- the unit that waits for its extension ----
  logic waiting;
  logic opens;  // its LOAD
  logic opened;
  logic [PHASE-1:0] wait_phase;
  logic [7:0] wait_coding;
  logic [3:0] wait_planes;
  assign wait_planes = planes_of(wait_coding[4:0]);

  always_ff @(posedge clock) begin : units_in_beats
    logic begins;
    logic last_row;
    logic [PHASE-1:0] at;
    logic [7:0] header;
    logic [PHASE+2:0] behind;  // granules from the beginning of the beat to what follows header and extension, without planes
    logic [BITS-1:0] taken;
    logic [3:0] upper;
    unit <= 1'b0;
    if (now_valid) begin
      last_row = !now_first && rows_left == 4'd1;
      taken = after({now, previous}, phase);
      for (int b = 0; b < 8; b++) begin
        if (!now_first && rows_left == b[3:0] + 4'd1) rows[BITS*b+:BITS] <= taken;
      end
      if (!now_first && waiting && now_whole) begin
        unit <= 1'b1;
        fresh <= opens;
        unit_tag <= from_tag;
        upper = {wait_planes > 4'd7, wait_planes > 4'd6, wait_planes > 4'd5, wait_planes > 4'd4};
        for (int b = 0; b < 8; b++) planes[BITS*b+:BITS] <= b < 4 || upper[b&3] ? rows[BITS*b+:BITS] : {BITS{1'b0}};
        taken = after({now, previous}, wait_phase);
        for (int g = 0; g < GRANULES; g++) begin
          extension[GRANULE*g+:GRANULE] <= wait_coding[7:5] > g[2:0] ? taken[GRANULE*g+:GRANULE] : {GRANULE{1'b0}};
        end
        head <= is_raw(wait_coding[4:0]) ? 8'd0 : {4'd0, 4'(7'h78 >> wait_coding[3:2])} << wait_coding[1:0];
        more <= wait_coding[4];
      end
      if (last_row) begin
        wait_phase <= phase;
        wait_coding <= coding;
        opens <= opened;
        opened <= 1'b0;
      end
      waiting <= last_row;

      begins = now_first || left != 0 && until_header == 4'd1;
      at = now_first ? from_phase : next_phase;
      header = now[GRANULE*at+GRANULE-8+:8];
      if (begins) begin
        behind = (PHASE + 3)'(at) + (PHASE + 3)'(header[7:5]) + 1'b1;
        phase <= at;
        next_phase <= behind[PHASE-1:0];
        coding <= header;
        left <= (now_first ? from_units : left) - 16'd1;
        until_header <= planes_of(header[4:0]) + 4'(behind >> PHASE);
      end else begin
        until_header <= until_header - 4'd1;
      end
      if (begins) rows_left <= planes_of(header[4:0]);
      else if (rows_left != 0) rows_left <= rows_left - 4'd1;
      if (now_first) opened <= 1'b1;
    end
    if (reset) unit <= 1'b0;
  end
endmodule
