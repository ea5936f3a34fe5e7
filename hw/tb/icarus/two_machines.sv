// Two machines of different sizes in one simulation, each with an external memory of its own: what a chip with a large and a small one has.
// The configuration of the second comes in a package of another name, which scripts/icarus makes. Each does what machine_bench.sv
// does, with the files of its folder.
module two_machines;
  machine_bench #(
      .FOLDER("first/"),
      .ALONE (0)
  ) first ();
  machine_bench #(
      .CONFIG(other_config_pkg::CONFIG),
      .FOLDER("second/"),
      .ALONE (0)
  ) second ();
  always @(first.finished or second.finished) if (first.finished && second.finished) $finish;
endmodule
