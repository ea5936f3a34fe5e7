// The register slave: weft_config_pkg::REGISTER_*, documented in docs/registers.md.
//
// A request is taken in a cycle with register_valid and register_ready (always 1); a read taken in T has
// its data and register_read_valid in T+1. Registers are 64 bits at multiples of 8; bit h of
// register_write_strobe says that half h (0: bits 31 to 0) is written, the other half keeps what it holds.
// Addresses that name no register read 0 and ignore writes.
//   start     the cycle, cycle 0 of the run, in which a write of 1 to START is taken
//   aborts    the cycle in which a write of 1 to ABORT is taken: the last cycle of a run that is on
//   running   cycle 1 to the last cycle of the run, that one included; idle: !running, for resets. Both are registers, as they go everywhere
//   halts     HALT passes in this cycle; fault: a fault is raised in this cycle, only while running; fault_number
//             and fault_code, which is 0 without one, are those of the cycle before. Either ends the run.
//   bus_busy  something is on its way to or from external memory, or is sent off in this cycle
//   memory_error  an access to external memory failed; counts from start until nothing of the run is on its
//             way any more, and ends the run with fault BUS and next_number unless a fault came before
//   interrupt_request  pending and enabled; pending is set when a run has ended and the bus is not busy
// What ends a run comes late in its last cycle, and goes into a register as it is: `ending`. In the cycle after that, and
// as long as the bus is busy, the run is stopping. STATUS shows running from start until then, and while the bus is busy, whoever
// made it so; meanwhile writes other than those to INTERRUPT and ABORT are ignored.
// Counters are read through counter_read and counter_index, data one cycle later.
// Reset: not running, nothing pending or enabled, regions and watchdog 0, no region writable.
module weft_registers #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG
) (
    input  logic         clock,
    input  logic         reset,
    input  logic         register_valid,
    output logic         register_ready,
    input  logic         register_write,
    // verilator lint_off UNUSEDSIGNAL
    input  logic [ 11:0] register_address,  // in bytes: the low three bits select nothing
    // verilator lint_on UNUSEDSIGNAL
    input  logic [ 63:0] register_write_data,
    input  logic [  1:0] register_write_strobe,
    output logic         register_read_valid,
    output logic [ 63:0] register_read_data,
    output logic         start,
    output logic         aborts,
    output logic         running,
    output logic         idle,
    input  logic         halts,
    input  logic         fault,
    input  logic [  3:0] fault_code,
    input  logic [ 31:0] fault_number,
    input  logic         bus_busy,
    input  logic         memory_error,
    input  logic [ 31:0] next_number,
    output logic [511:0] region_base,   // 8 regions of 64 bits, region 0 lowest
    output logic [511:0] region_limit,
    output logic [  7:0] region_writable,  // bit r: STORE may write region r
    output logic [ 63:0] watchdog_limit,
    output logic         interrupt_request,
    output logic         counter_read,
    output logic [  5:0] counter_index,
    input  logic [ 63:0] counter_data
);
  // "WEFT" as it lies in memory, and the version of the map.
  localparam [63:0] IDENTITY = {weft_config_pkg::REGISTER_MAP_VERSION, 32'h54464557};

  logic        on;           // a run, and the cycle after its last one
  logic        ending;       // the last cycle was the run's last one, with fault_code
  logic        stopping;
  logic        ended;
  logic [ 3:0] code;
  logic [31:0] number;
  logic        pending;
  logic        enabled;

  logic        write;
  logic        write_low;    // the low half
  logic        read;
  logic [ 8:0] register;     // the address in registers
  logic        is_counter;
  logic        is_base;
  logic        is_limit;
  logic [ 2:0] region;
  logic        ends;
  logic        goes_on;      // the next cycle is one of a run,
  logic        may_go;       // if there is no fault, which comes last: there is none in the cycle of start
  logic        completes;    // the run has ended, and nothing of it is on its way
  logic        shown;        // as running
  logic [63:0] strobe;

  assign register_ready = 1'b1;
  assign write = register_valid && register_write;
  assign write_low = write && register_write_strobe[0];
  assign strobe = {{32{register_write_strobe[1]}}, {32{register_write_strobe[0]}}};
  assign read = register_valid && !register_write;
  assign register = register_address[11:3];
  assign region = register_address[5:3];
  assign is_base = register_address[11:6] == weft_config_pkg::REGISTER_REGION_BASE[11:6];
  assign is_limit = register_address[11:6] == weft_config_pkg::REGISTER_REGION_LIMIT[11:6];
  assign is_counter = register_address[11:9] == weft_config_pkg::REGISTER_COUNTER[11:9];

  assign goes_on = may_go && !fault;
  assign may_go = !reset && (start || (running && !aborts && !halts && !memory_error));
  assign shown = on || stopping || bus_busy;
  assign start = write_low && !shown && register == weft_config_pkg::REGISTER_START[11:3] && register_write_data[0];
  assign aborts = write_low && register == weft_config_pkg::REGISTER_ABORT[11:3] && register_write_data[0];
  assign ends = fault || (running && (halts || memory_error));
  assign completes = ((on && ending) || stopping) && !bus_busy;
  assign interrupt_request = pending && enabled;

  // The run.
  always_ff @(posedge clock) begin
    running <= goes_on;  // on && !ending
    idle <= !goes_on;
    ending <= ends && !reset;
    if (reset || aborts || start) begin
      on       <= start && !reset;
      stopping <= 1'b0;
      ended    <= 1'b0;
      code     <= weft_isa_pkg::FAULT_NONE[3:0];
      number   <= 32'd0;
    end else begin
      if (ending) on <= 1'b0;
      if ((on && ending) || stopping) stopping <= bus_busy;
      if (completes) ended <= 1'b1;
      if (on && ending && fault_code != weft_isa_pkg::FAULT_NONE[3:0]) begin  // rather than one of the bus in the same cycle
        code   <= fault_code;
        number <= fault_number;
      end else if ((on || stopping) && memory_error && code == weft_isa_pkg::FAULT_NONE[3:0]) begin
        code   <= weft_isa_pkg::FAULT_BUS[3:0];
        number <= next_number;
      end
    end
  end

  // What the driver writes.
  always_ff @(posedge clock) begin
    if (reset) begin
      pending <= 1'b0;
      enabled <= 1'b0;
      watchdog_limit <= 64'd0;
      region_base <= 512'd0;
      region_limit <= 512'd0;
      region_writable <= 8'd0;
    end else begin
      if (write_low && register == weft_config_pkg::REGISTER_INTERRUPT[11:3]) begin
        enabled <= register_write_data[1];
        if (register_write_data[0]) pending <= 1'b0;
      end
      if (write && !shown) begin
        if (register == weft_config_pkg::REGISTER_WATCHDOG[11:3]) begin
          watchdog_limit <= register_write_data & strobe | watchdog_limit & ~strobe;
        end
        if (register == weft_config_pkg::REGISTER_REGION_WRITABLE[11:3] && register_write_strobe[0]) begin
          region_writable <= register_write_data[7:0];
        end
        for (integer i = 0; i < 8; i = i + 1) begin  // an enable for each half, not a shifter of 512 bits
          if (is_base && region == i[2:0]) begin
            if (register_write_strobe[0]) region_base[64*i+:32] <= {register_write_data[31:10], 10'd0};
            if (register_write_strobe[1]) region_base[64*i+32+:32] <= register_write_data[63:32];
          end
          if (is_limit && region == i[2:0]) begin
            if (register_write_strobe[0]) region_limit[64*i+:32] <= register_write_data[31:0];
            if (register_write_strobe[1]) region_limit[64*i+32+:32] <= register_write_data[63:32];
          end
        end
      end
      if (completes) pending <= 1'b1;
      if (aborts) pending <= 1'b0;
    end
  end

  // Reads.
  logic [63:0] read_data;
  logic        read_counter;

  assign counter_read = read && is_counter;
  assign counter_index = register_address[8:3];
  assign register_read_data = read_counter ? counter_data : read_data;

  always_ff @(posedge clock) begin
    register_read_valid <= read && !reset;
    if (read) begin
      read_counter <= is_counter;
      case (register)
        weft_config_pkg::REGISTER_IDENTITY[11:3]: read_data <= IDENTITY;
        weft_config_pkg::REGISTER_CONFIGURATION[11:3]: read_data <= CONFIG[weft_config_pkg::AT_FINGERPRINT+:64];
        weft_config_pkg::REGISTER_STATUS[11:3]: begin
          read_data <= {number, 20'd0, code, 6'd0, ended, shown};
        end
        weft_config_pkg::REGISTER_INTERRUPT[11:3]: read_data <= {62'd0, enabled, pending};
        weft_config_pkg::REGISTER_WATCHDOG[11:3]: read_data <= watchdog_limit;
        weft_config_pkg::REGISTER_REGION_WRITABLE[11:3]: read_data <= {56'd0, region_writable};
        default: begin
          read_data <= is_base ? region_base[64*region+:64] :
                       is_limit ? region_limit[64*region+:64] : 64'd0;
        end
      endcase
    end
  end
endmodule
