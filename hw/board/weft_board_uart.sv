// Sends bytes: 8 bits, no parity, one stop bit, DIVISOR cycles each. A byte that comes without `room` is lost.
//
// Reset: nothing is sent; the line is high.
module weft_board_uart #(
    parameter integer DIVISOR = 434
) (
    input  logic       clock,
    input  logic       reset,
    input  logic       send,
    input  logic [7:0] data,
    output logic       room,
    output logic       transmit
);
  localparam integer BITS = $clog2(DIVISOR);
  localparam [31:0] LAST = DIVISOR - 1;

  logic [8:0] shift;  // what is sent after `transmit`, the stop bit last
  logic [3:0] left;  // bits, that on the line included
  logic [BITS-1:0] wait_cycles;
  assign room = left == 4'd0;

  always_ff @(posedge clock) begin
    if (reset) begin
      left <= 4'd0;
      transmit <= 1'b1;
    end else if (room) begin
      if (send) begin
        transmit <= 1'b0;
        shift <= {1'b1, data};
        left <= 4'd10;
        wait_cycles <= LAST[BITS-1:0];
      end
    end else if (wait_cycles != 0) begin
      wait_cycles <= wait_cycles - 1'b1;
    end else begin
      wait_cycles <= LAST[BITS-1:0];
      left <= left - 4'd1;
      transmit <= shift[0];
      shift <= {1'b1, shift[8:1]};
    end
  end
endmodule
