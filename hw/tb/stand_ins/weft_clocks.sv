// The clocks of the control and of the units, with gates.
//
// For simulation: weft_machine has it with WEFT_CLOCK_GATES, and is on one clock without. What has no edge costs a simulator nothing, and
// control changes in one cycle of five, a unit that waits in none. hw/tb/CMakeLists.txt says which libraries of the RTL have it; the
// tests cosim_banks_* hold the machine on one clock against the same simulator. hw/tb/clock.cpp knows the names `open_*` and those of
// the clocks.
// Interface: units in the order load, matrix, vector, store.
//   idle        no run is on
//   start       the head of a unit's queue starts in this cycle; finish: the oldest in flight finishes; flying: there is one
//   fetches     a burst of fetch is granted or a beat of it comes
//   dispatches  dispatch takes, checks or passes an instruction: it neither lacks one nor waits with one
//   fault       ends the run
module weft_clocks (
    input  logic clock,
    input  logic idle,
    input  logic [3:0] start,
    input  logic [3:0] finish,
    input  logic [3:0] flying,
    input  logic fetches,
    input  logic dispatches,
    input  logic fault,
    output logic control_clock,
    output logic load_clock,
    output logic matrix_clock,
    output logic vector_clock,
    output logic store_clock
);
  // Control: registers change in a cycle of an event, and those behind them in a few after it. The last are those of `outside`, in
  // CHECK + 2 after its take (weft_extents), and of the queue behind the push. `fault` is an event for the watchdog, which needs no other.
  localparam [4:0] LINGER = weft_config_pkg::DURATION_CHECK[4:0] + 5'd4;
  logic control_event;
  logic [4:0] linger;  // cycles
  assign control_event = idle || fetches || dispatches || start != 0 || finish != 0 || fault;
  always_ff @(posedge clock) begin
    if (control_event) linger <= LINGER;
    else if (linger != 0) linger <= linger - 5'd1;
  end

  // A unit changes from the start of an instruction to the finish of its last one.
  logic open_control, open_load, open_matrix, open_vector, open_store;
  always_latch begin
    if (!clock) begin
      open_control = control_event || linger != 0;
      open_load = idle || start[weft_isa_pkg::UNIT_LOAD] || flying[weft_isa_pkg::UNIT_LOAD];
      open_matrix = idle || start[weft_isa_pkg::UNIT_MATRIX] || flying[weft_isa_pkg::UNIT_MATRIX];
      open_vector = idle || start[weft_isa_pkg::UNIT_VECTOR] || flying[weft_isa_pkg::UNIT_VECTOR];
      open_store = idle || start[weft_isa_pkg::UNIT_STORE] || flying[weft_isa_pkg::UNIT_STORE];
    end
  end
  assign control_clock = clock && open_control;
  assign load_clock = clock && open_load;
  assign matrix_clock = clock && open_matrix;
  assign vector_clock = clock && open_vector;
  assign store_clock = clock && open_store;
endmodule
