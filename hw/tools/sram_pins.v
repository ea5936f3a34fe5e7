// The cells of sram.lib for Yosys.
(* blackbox, keep *)
module SRAM_IN (
    input CLK,
    input D
);
endmodule
(* blackbox, keep *)
module SRAM_OUT (
    input  CLK,
    output Q
);
endmodule
