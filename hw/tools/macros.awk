# Reads RTLIL that has memories as cells; prints a line for each that becomes an SRAM macro (hw/tools/sram.v): its module, words, bits of a word, and ports.
$1 == "module" { module = $2 }
$1 == "cell" { in_memory = $2 == "$mem_v2"; split("", p); split("", wire) }
in_memory && $1 == "connect" { port = $2; wire[port] = substr($0, index($0, port) + length(port)) }
in_memory && $1 == "parameter" { p[$(NF - 1)] = $NF }
in_memory && $1 == "end" {
    clocked = p["\\RD_CLK_ENABLE"]; sub(/^[0-9]+'/, "", clocked)
    if (clocked !~ /0/ && p["\\SIZE"] >= 32)
        print module, p["\\SIZE"], p["\\WIDTH"], (p["\\RD_PORTS"] == 1 && wire["\\RD_ADDR"] == wire["\\WR_ADDR"] ? "1RW" : p["\\RD_PORTS"] "R" p["\\WR_PORTS"] "W")
    in_memory = 0
}
