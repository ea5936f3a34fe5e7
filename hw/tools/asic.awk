# Prints and writes the tables of scripts/asic. Files: the modules of the design (modules.awk), macros of its modules (macros.awk), `stat -liberty` of the
# mapped modules, and OpenSTA's report.
function walk(module, times,    i, n, list, parts) {
    instances[plain[module]] += times
    area[plain[module]] += times * own[module]
    flops[plain[module]] += times * count[module, "DFFPOSX1"]
    n = split(macros[module], list, " ")
    for (i = 1; i <= n; i++) wanted[list[i]] += times
    n = split(children[module], list, " ")
    for (i = 1; i <= n; i++) { split(list[i], parts, "="); walk(child[parts[1]], times * parts[2]) }
}
FNR == 1 { file++ }
file == 1 { plain[$1] = $2; next }
file == 2 { macros[$1] = macros[$1] " " $2 "x" $3 ":" $4; next }
file == 3 {
    if (/^=== /) { module = $2; if (!(module in plain)) module = "\\" $2; inside = $2 != "design"; next }
    if (/Chip area for module/) { value = $NF; own[module] = value; next }
    if (inside && NF == 2) {
        id = $1 in plain ? $1 : "\\" $1
        if (id in plain) { nodes++; child[nodes] = id; children[module] = children[module] " " nodes "=" $2 }
        else count[module, $1] = $2
    }
    next
}
/^Startpoint:/ && !from { from = $2 }
/^Endpoint:/ && !to { to = $2 }
/ slack \(/ && slack == "" { slack = $1 }
END {
    # Without a path there is no clock to tell of, and what is left of an earlier run is not of this one.
    if (slack == "") {
        system("rm -f '" json "'")
        print "asic: OpenSTA finds no path from register to register in " substr(top, 2) > "/dev/stderr"
        exit 1
    }
    walk(top, 1)
    for (m in instances) order[++rows] = m
    for (i = 2; i <= rows; i++)
        for (k = i; k > 1 && order[k - 1] > order[k]; k--) { t = order[k]; order[k] = order[k - 1]; order[k - 1] = t }
    printf "%s, osu018, %s\n%-24s %9s %12s %10s\n", configuration, tools, "module", "instances", "um2", "flip-flops"
    printf "{\n    \"configuration\": \"%s\", \"library\": \"osu018\", \"tools\": \"%s\",\n    \"modules\": {\n", configuration, tools > json
    for (i = 1; i <= rows; i++) {
        m = order[i]
        printf "%-24s %9d %12d %10d\n", m, instances[m], area[m], flops[m]
        printf "        \"%s\": {\"instances\": %d, \"um2\": %d, \"flip_flops\": %d},\n", m, instances[m], area[m], flops[m] > json
        all += area[m]; all_flops += flops[m]
    }
    printf "%-24s %9s %12d %10d\n\nSRAM macros, not in the area:\n", "total", "", all, all_flops
    printf "        \"total\": {\"instances\": 1, \"um2\": %d, \"flip_flops\": %d}\n    },\n    \"sram\": {\n", all, all_flops > json
    rows = 0
    for (m in wanted) sorted[++rows] = m
    for (i = 2; i <= rows; i++)
        for (k = i; k > 1 && sorted[k - 1] > sorted[k]; k--) { t = sorted[k]; sorted[k] = sorted[k - 1]; sorted[k - 1] = t }
    for (i = 1; i <= rows; i++) {
        split(sorted[i], parts, /[x:]/)
        bits += wanted[sorted[i]] * parts[1] * parts[2]
        printf "%5d of %5d words of %4d bits, %s\n", wanted[sorted[i]], parts[1], parts[2], parts[3]
        printf "        \"%s\": %d%s\n", sorted[i], wanted[sorted[i]], i < rows ? "," : "" > json
    }
    period = 10 - slack
    printf "%d bits in all\n\nclock: %.1f MHz, %.2f ns from %s to %s\n", bits, 1000 / period, period, from, to
    printf "    },\n    \"sram_bits\": %d, \"mhz\": %.1f, \"ns\": %.2f, \"from\": \"%s\", \"to\": \"%s\"\n}\n", bits, 1000 / period, period,
        from, to > json
}
