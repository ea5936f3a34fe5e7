// External memory on the port of weft_machine, as docs/timing.md describes it: the same formula as
// sim/timing/memory.c, written a second time so that neither is its own judge. What the formula is made of is in
// weft_config_pkg, which comes from the same places as that of the C side; a run may choose latency and interval:
// +latency=CYCLES +interval=CYCLES, 0 and none for those of the configuration.
//
// Region i begins at the address i << 40 and has +limitI=BYTES; in `words` (of 8 bytes) the regions lie one behind the
// other, each from the beginning of a word on.
// memory_ready is always 1: the burst shown in a cycle is accepted in it.
// What a correct machine does not do (a burst outside its region, wrong strobes, late data ...) ends the simulation with a
// line "broken CYCLE REASON" in `trace`; bursts are lines "burst MASTER ADDRESS BYTES CYCLE FIRST".
// Bytes of a read beat that are not of the burst are x: whoever uses them is found out.
module external_memory #(
    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG,
    parameter integer WIDTH = CONFIG[weft_config_pkg::AT_MEMORY_WIDTH+:32],
    parameter integer SIZE  = 18 << 20  // bytes of all regions together: lockstep has programs with a region of 16 MB
) (
    input  logic               clock,
    input  logic               running,         // from start to the interrupt
    input  logic [       63:0] cycle,           // that the next rising edge ends; counts from start
    input  logic [       31:0] trace,           // file
    input  logic               memory_valid,
    input  logic [        1:0] memory_master,
    input  logic [       63:0] memory_address,
    input  logic [       10:0] memory_bytes,
    input  logic [        8:0] memory_beats,
    output logic               read_valid,
    output logic               read_fetch,
    output logic [8*WIDTH-1:0] read_data,
    output logic               write_request,
    input  logic               write_valid,
    input  logic [8*WIDTH-1:0] write_data,
    input  logic [  WIDTH-1:0] write_strobe
);
  localparam integer FETCH = 0;
  localparam integer STORE = 1;
  localparam integer BURSTS = 1024;  // more than the units of any configuration may have outstanding
  localparam integer WRITES = 8;  // more beats than STORE_DRAIN cycles can ask for
  localparam [63:0] DRAIN = weft_config_pkg::DURATION_STORE_DRAIN;
  localparam [63:0] BOUNDARY = CONFIG[weft_config_pkg::AT_MEMORY_BURST+:32];

  reg [63:0] words[0:SIZE/8-1];
  reg [63:0] limits[0:7];
  integer places[0:7];  // of the regions in `words`, in bytes
  integer total;

  reg [63:0] latency;
  reg [63:0] interval;
  reg [63:0] free;  // first cycle in which no accepted burst has a beat

  // Bursts with beats to come: a ring.
  reg [1:0] burst_master[0:BURSTS-1];
  integer burst_place[0:BURSTS-1];  // of the next byte
  integer burst_left[0:BURSTS-1];  // bytes from there on
  integer burst_lane[0:BURSTS-1];  // of the next byte in its beat
  reg [63:0] burst_cycle[0:BURSTS-1];  // of the next beat
  integer bursts_in, bursts_out;

  // Write beats whose data are to come: a ring.
  integer write_place[0:WRITES-1];
  integer write_lane[0:WRITES-1];
  integer write_count[0:WRITES-1];
  reg [63:0] write_cycle[0:WRITES-1];
  integer writes_in, writes_out;

  task broken(input string reason);
    begin
      $fdisplay(trace, "broken %0d %0s", cycle, reason);
      $finish;
    end
  endtask

  // Takes the settings of a run.
  task open;
    integer i;
    string name;
    reg [63:0] limit;
    begin
      if (!$value$plusargs("latency=%d", latency) || latency == 0) latency = CONFIG[weft_config_pkg::AT_MEMORY_LATENCY+:32];
      if (!$value$plusargs("interval=%d", interval) || interval == 0) interval = 1;
      total = 0;
      for (i = 0; i < 8; i = i + 1) begin
        $sformat(name, "limit%0d=%%d", i);
        if (!$value$plusargs(name, limit)) limit = 0;
        limits[i] = limit;
        places[i] = total;
        total = total + (limits[i] + 7) / 8 * 8;
      end
      if (total > SIZE) $fatal(1, "external memory of %0d bytes, room for %0d", total, SIZE);
      free = 0;
      bursts_in = 0;
      bursts_out = 0;
      writes_in = 0;
      writes_out = 0;
    end
  endtask

  reg [63:0] offset, first;
  reg [2:0] region;
  reg [WIDTH-1:0] strobe;
  reg [8*WIDTH-1:0] beat;
  integer k, b, n, at;

  // The write data of this cycle.
  task take_data;
    begin
      k = writes_out % WRITES;
      if (writes_out == writes_in || write_cycle[k] != cycle) begin
        if (write_valid !== 1'b0) broken("write data that were not asked for");
      end else begin
        strobe = ((64'd1 << write_count[k]) - 64'd1) << write_lane[k];
        if (write_valid !== 1'b1 || write_strobe !== strobe) broken("write data are missing or have wrong strobes");
        for (b = 0; b < write_count[k]; b = b + 1) begin
          at = write_place[k] + b;
          words[at/8][8*(at%8)+:8] = write_data[8*(write_lane[k]+b)+:8];
        end
        writes_out = writes_out + 1;
      end
    end
  endtask

  // The burst of this cycle.
  task accept;
    begin
      offset = memory_address & ((64'd1 << 40) - 64'd1);
      region = memory_address[42:40];
      n = memory_bytes;
      if (^{memory_master, memory_address, memory_bytes, memory_beats} === 1'bx) broken("a burst with undefined bits");
      if (memory_master == 2'd3) broken("a burst of no known master");
      if (memory_address >> 43 != 0) broken("a burst in no region");
      if (n == 0) broken("a burst without bytes");
      if (offset % BOUNDARY + n > BOUNDARY) broken("a burst crosses a multiple of memory_burst");
      if (memory_beats != (offset + n - 1) / WIDTH - offset / WIDTH + 1) broken("a burst with a wrong number of beats");
      if (offset + n > limits[region]) broken("a burst passes the limit of its region");
      if (bursts_in - bursts_out == BURSTS) broken("too many bursts are outstanding");
      first = cycle + latency > free ? cycle + latency : free;
      free = first + memory_beats * interval;
      k = bursts_in % BURSTS;
      burst_master[k] = memory_master;
      burst_place[k] = places[region] + offset;
      burst_left[k] = n;
      burst_lane[k] = offset % WIDTH;
      burst_cycle[k] = first;
      bursts_in = bursts_in + 1;
      $fdisplay(trace, "burst %0d %0d %0d %0d %0d", memory_master, memory_address, n, cycle, first);
    end
  endtask

  // Shows the beat of the next cycle.
  task show;
    begin
      read_valid <= 1'b0;
      write_request <= 1'b0;
      k = bursts_out % BURSTS;
      if (bursts_out != bursts_in && burst_cycle[k] == cycle + 1) begin
        n = WIDTH - burst_lane[k] < burst_left[k] ? WIDTH - burst_lane[k] : burst_left[k];
        if (burst_master[k] == STORE) begin
          b = writes_in % WRITES;
          write_place[b] = burst_place[k];
          write_lane[b] = burst_lane[k];
          write_count[b] = n;
          write_cycle[b] = cycle + 1 + DRAIN;
          writes_in = writes_in + 1;
          write_request <= 1'b1;
        end else begin
          beat = {8 * WIDTH{1'bx}};
          for (b = 0; b < n; b = b + 1) begin
            at = burst_place[k] + b;
            beat[8*(burst_lane[k]+b)+:8] = words[at/8][8*(at%8)+:8];
          end
          read_data <= beat;
          read_fetch <= burst_master[k] == FETCH;
          read_valid <= 1'b1;
        end
        burst_place[k] = burst_place[k] + n;
        burst_left[k] = burst_left[k] - n;
        burst_lane[k] = 0;
        burst_cycle[k] = burst_cycle[k] + interval;
        if (burst_left[k] == 0) bursts_out = bursts_out + 1;
      end
    end
  endtask

  // Data of this cycle are there for a beat of the next one, and a burst of this cycle may have its first beat there.
  always @(posedge clock) begin
    if (running) begin
      take_data;
      if (memory_valid !== 1'b0) accept;
      show;
    end else begin
      read_valid <= 1'b0;
      write_request <= 1'b0;
    end
  end
endmodule
