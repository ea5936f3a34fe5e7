# Reads RTLIL; writes a wrapper of module `id` that keeps pins out of its timing: all inputs come from one shift register, each output goes
# into a register of its own, and those are folded into one pin. So each path of the module begins and ends at a flip-flop.
# usage: awk -f ring.awk -v id=NAME_IN_RTLIL -v name=NAME [-v half=1] FILE.il
# With `half` only the lower half of each output goes on, and what is behind the upper halves alone falls away: the half of a module whose
# columns are alike, for a device that does not hold all of them.
# The wrapper is made of ECP5 cells, so that it can be read behind the mapping and is in no figure but the clock.
BEGIN { flip_flop = "(* keep *) TRELLIS_FF #(.GSR(\"DISABLED\"))" }
$1 == "module" { on = $2 == id }
on && $1 == "wire" && /(input|output) [0-9]+/ {
    bits = 1
    for (i = 2; i < NF; i++) {
        if ($i == "width") bits = $(i + 1)
        if ($i == "input" || $i == "output") direction = $i
    }
    port = substr($NF, 2)
    if (port == "clock" || port == "aclk") map[++ports] = sprintf(".%s(clk)", port)
    else if (direction == "input") { map[++ports] = sprintf(".%s(in[%d:%d])", port, ins + bits - 1, ins); ins += bits }
    else {
        goes_on = half && bits > 1 ? int(bits / 2) : bits
        wires = sprintf("out[%d:%d]", outs + goes_on - 1, outs)
        if (goes_on < bits) {
            wires = "{left_" port ", " wires "}"
            open_wires = open_wires sprintf("wire [%d:0] left_%s;\n", bits - goes_on - 1, port)
        }
        map[++ports] = "." port "(" wires ")"
        outs += goes_on
    }
}
END {
    if (ins == 0 || outs == 0) { print "ring.awk: " id " has no inputs or no outputs" > "/dev/stderr"; exit 1 }
    printf "module ring(input clk, input d, output q);\nwire [%d:0] in;\nwire [%d:0] out, kept, folded, next;\n", ins - 1, outs - 1
    for (i = 0; i < ins; i++)
        printf "%s i%d(.CLK(clk), .LSR(1'b0), .CE(1'b1), .DI(%s), .Q(in[%d]));\n", flip_flop, i, i == 0 ? "d" : "in[" i - 1 "]", i
    for (i = 0; i < outs; i++) {
        printf "%s o%d(.CLK(clk), .LSR(1'b0), .CE(1'b1), .DI(out[%d]), .Q(kept[%d]));\n", flip_flop, i, i, i
        printf "(* keep *) LUT4 #(.INIT(16'h6666)) x%d(.A(kept[%d]), .B(%s), .C(1'b0), .D(1'b0), .Z(next[%d]));\n", i, i,
            i == 0 ? "in[" ins - 1 "]" : "folded[" i - 1 "]", i
        printf "%s f%d(.CLK(clk), .LSR(1'b0), .CE(1'b1), .DI(next[%d]), .Q(folded[%d]));\n", flip_flop, i, i, i
    }
    printf "%s", open_wires
    printf "assign q = folded[%d];\n%s machine_part(", outs - 1, name
    for (i = 1; i <= ports; i++) printf "%s\n    %s", i == 1 ? "" : ",", map[i]
    print "\n);\nendmodule"
}
