# Reads a log of nextpnr; prints the clock in MHz, then the worst path of that clock in a line: nanoseconds in logic and in wires, from where
# to where, and the lines of source that it passes, each once.
function place(text) { sub(/^.*\//, "", text); sub(/\.[0-9]+-.*$/, "", text); return text }
/Max frequency for clock/ { mhz = $0; sub(/^.*: /, "", mhz); sub(/ MHz.*/, "", mhz); inside = 0 }
/Critical path report for clock/ { inside = 1; from = to = through = ""; logic = wires = 0; split("", seen) }
/Critical path report for cross-domain/ { inside = 0 }
!inside { next }
/ clk-to-q | logic | setup | routing / {
    for (i = 1; i <= NF; i++) if ($i == "clk-to-q" || $i == "logic" || $i == "setup" || $i == "routing") break
    if ($i == "routing") wires += $(i + 1)
    else logic += $(i + 1)
    if ($i == "clk-to-q") from = $NF
    if ($i == "setup") to = $NF
}
/ Net / { net = $0; sub(/^.* Net /, "", net); sub(/ .*/, "", net); if (net !~ /\$/) named = net }
/\.sv:[0-9]+\.[0-9]+-/ {
    at = place($NF)
    if (!(at in seen)) { seen[at] = 1; through = through " " at }
}
END {
    sub(/^machine_part\./, "", from); sub(/^machine_part\./, "", to)
    sub(/\\TRELLIS_FF/, "", from); sub(/\\TRELLIS_FF/, "", to)
    printf "%s\n%.2f ns of logic, %.2f ns of wires; %s -> %s;%s\n", mhz, logic, wires, from, to, through
}
