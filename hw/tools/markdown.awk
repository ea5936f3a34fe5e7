# Prints a table of docs/hardware.md from the JSON of one of the scripts (-v kind=fmax, asic, synth, board, or cost, whose file is a table of words), whose objects stand in a line each.
function text(key,    s) {
    if (!match($0, "\"" key "\": \"[^\"]*\"")) return ""
    s = substr($0, RSTART, RLENGTH); sub(/^"[^"]*": "/, "", s); sub(/"$/, "", s)
    gsub(/\\\\/, "\\", s); gsub(/\|/, "\\|", s)
    return s
}
function number(key,    s) {
    if (!match($0, "\"" key "\": -?[0-9.]+")) return ""
    s = substr($0, RSTART, RLENGTH); sub(/^"[^"]*": /, "", s)
    return s
}
kind == "fmax" && /"configuration"/ {
    printf "%s, %s, Yosys %s, %s.\n\n", text("configuration"), text("device"), text("yosys"), text("nextpnr")
    print "| module | MHz | depth | LUT4 | CCU2C | FF | DP16KD | MULT18X18D | worst path, ns |"
    print "|---|---|---|---|---|---|---|---|---|"
}
kind == "fmax" && /"module"/ {
    p = text("parameters")
    sub(/CONFIG=[0-9]*'[01]*,?/, "", p) # all of it is the configuration that the table is of
    o = text("options")
    printf "| `%s`%s | %s%s | %s | %s | %s | %s | %s | %s | %s |\n", text("module"), p == "" ? "" : " " p, number("mhz"), o == "" ? "" : " `" o "`", number("depth"),
        number("LUT4"), number("CCU2C"), number("TRELLIS_FF"), number("DP16KD"), number("MULT18X18D"), text("path") == "" ? text("depth_path") : text("path")
}
kind == "asic" && /"configuration"/ {
    printf "%s, %s, %s.\n\n| module | instances | um² | flip-flops |\n|---|---|---|---|\n", text("configuration"), text("library"), text("tools")
}
kind == "asic" && /"um2"/ { split($0, name, "\""); printf "| `%s` | %s | %s | %s |\n", name[2], number("instances"), number("um2"), number("flip_flops") }
kind == "asic" && /"sram": / { print "\n| SRAM: words x bits: ports | macros |\n|---|---|"; sram = 1; next }
kind == "asic" && sram && /^        "/ { split($0, name, "\""); printf "| %s | %s |\n", name[2], number(name[2]) }
kind == "asic" && /"sram_bits"/ {
    printf "\nSRAM: %s bits. Clock: %s MHz, %s ns from `%s` to `%s`.\n", number("sram_bits"), number("mhz"), number("ns"), text("from"), text("to")
}
kind == "synth" && /"configuration"/ { title = text("configuration") }
kind == "synth" && /"total"/ {
    print "| | LUT4 | CCU2C | flip-flops | DPR16X4 | DP16KD | MULT18X18D |\n|---|---|---|---|---|---|---|"
    printf "| %s | %s | %s | %s | %s | %s | %s |\n", title, number("LUT4"), number("CCU2C"), number("TRELLIS_FF"), number("TRELLIS_DPR16X4"), number("DP16KD"),
        number("MULT18X18D")
}
kind == "cost" {
    if (NR == 1) { for (i = 1; i <= NF; i++) { printf "| %s ", $i; rule = rule "|---" } print "|\n" rule "|" }
    else { printf "| `%s` ", $1; for (i = 2; i <= NF; i++) printf "| %s ", $i; print "|" }
}
kind == "board" {
    printf "%s, LFE5U-85F, grade 6, CABGA381, Yosys %s, %s.\n\n", text("configuration"), text("yosys"), text("nextpnr")
    print "| MHz | wanted | seed | weight | LUT (TRELLIS_COMB, of 83,640) | FF | DP16KD of 208 | MULT18X18D of 156 |\n|---|---|---|---|---|---|---|---|"
    printf "| %s | %s | %s | %s | %s (%.1f %%) | %s | %s (%.1f %%) | %s |\n", number("mhz"), number("target_mhz"), number("seed"), number("weight"), number("TRELLIS_COMB"),
        100 * number("TRELLIS_COMB") / 83640, number("TRELLIS_FF"), number("DP16KD"), 100 * number("DP16KD") / 208, number("MULT18X18D")
}
