# Reads a BLIF netlist of gates of two inputs, D flip-flops and black boxes (RAM). Prints two lines: how many gates the longest path has that begins
# and ends at a register, a RAM, an input or an output, how many gates and registers there are in all; and where that path begins and ends.
# Inverters are no gates; a multiplexer is three, two deep.
# With -v instances=FILE (instances.awk) a line for each module follows: its name, and the longest path that ends in a register or RAM of its
# own, in any instance; inputs and outputs of all of it count as the top's.
function value(word) { return substr(word, index(word, "=") + 1) }
function pin(word) { return substr(word, 1, index(word, "=") - 1) }
# The module that a register or RAM of this hierarchical name stands in: the longest path of an instance that its name begins with.
function owner(name,    p) {
    gsub(/\$flatten/, "", name)
    gsub(/\\/, "", name)
    sub(/\$[a-z].*/, "", name) # what Yosys named itself
    while (name != "") {
        if (name in module_of) return module_of[name]
        if (!match(name, /\.[^.]*$/)) return module_of["-"]
        name = substr(name, 1, RSTART - 1)
    }
    return module_of["-"]
}
BEGIN {
    if (instances != "") {
        while ((getline line < instances) > 0) { split(line, word, " "); module_of[word[1]] = word[2] }
        split("", word)
    }
}
function end_at(net, name) { end_net[++ends] = net; end_name[ends] = name }
# A name without what Yosys wrote around it.
function clean(name) {
    gsub(/\$flatten/, "", name)
    gsub(/\\/, "", name)
    gsub(/\$abc\$[0-9]+\$/, "", name)
    sub(/\$auto\$mem\.cc:.*/, "(beside a RAM)", name)
    return name
}
function shorter(name) { sub(/\[[0-9]+\]$/, "", name); return name }
/\\$/ { sub(/\\$/, ""); held = held $0; next }
held != "" { $0 = held $0; held = "" }
$1 == ".inputs" { for (i = 2; i <= NF; i++) depth[$i] = 0; next }
$1 == ".outputs" { for (i = 2; i <= NF; i++) end_at($i, "output " $i); next }
$1 == ".names" {
    if (NF == 3) alias[$3] = $2
    else if (NF == 2) depth[$2] = 0
    else { print "depth.awk: .names with " NF " words" > "/dev/stderr"; failed = 1; exit 1 }
    next
}
$1 == ".gate" || $1 == ".subckt" {
    if ($2 ~ /^\$_(AND|OR|XOR|NAND|NOR|XNOR|ANDNOT|ORNOT|NOT|BUF)_$/) {
        y = value($NF)
        a[y] = value($3)
        b[y] = NF == 5 ? value($4) : ""
        if (NF == 5) gates++
    } else if ($2 ~ /^\$_MUX_$/) {
        y = value($NF); a[y] = value($3); b[y] = value($4); s[y] = value($5)
        gates += 3
    } else if ($2 ~ /^\$_DFF_[PN]_$/) {
        for (i = 3; i <= NF; i++) { if (pin($i) == "Q") q = value($i); if (pin($i) == "D") d = value($i) }
        depth[q] = 0
        from[q] = "register " q
        end_at(d, "register " q)
        if (instances != "") end_owner[ends] = owner(q)
        registers++
    } else if ($2 ~ /^\$_[A-Z]/) {
        print "depth.awk: a gate of another kind: " $2 > "/dev/stderr"; failed = 1; exit 1
    } else {
        box[++boxes] = $0
        in_box = 1
        next
    }
}
$1 == ".cname" && in_box { box_name[boxes] = $2 }
{ in_box = 0 }
function of(net,    d, e) {
    if (net in depth) return depth[net]
    if (net in alias) { d = of(alias[net]); via[net] = alias[net]; return depth[net] = d }
    if (!(net in a)) return depth[net] = 0
    depth[net] = 0 # a loop, which the scripts reject before, would end here
    d = of(a[net]); via[net] = a[net]
    if (b[net] != "") {
        e = of(b[net]); if (e > d) { d = e; via[net] = b[net] }
        if (net in s) { d++; e = of(s[net]) + 1; if (e > d) { d = e; via[net] = s[net] } }
        d++
    }
    return depth[net] = d
}
function begin_of(net) {
    while (net in via) net = via[net]
    return clean(net in from ? from[net] : "input " net)
}
END {
    if (failed) exit 1
    # A port of a black box that something drives is an end, another one is a beginning.
    for (i = 1; i <= boxes; i++) {
        n = split(box[i], word, " ")
        for (j = 3; j <= n; j++) {
            net = value(word[j])
            if (net in a || net in alias || net in depth) {
                end_at(net, "RAM, " shorter(pin(word[j])))
                if (instances != "") end_owner[ends] = owner(box_name[i])
            }
            else if (!(net in from)) from[net] = "RAM, " shorter(pin(word[j]))
        }
    }
    worst = -1
    for (i = 1; i <= ends; i++) {
        d = of(end_net[i])
        if (d > worst) { worst = d; at = i }
        m = end_owner[i] == "" ? module_of["-"] : end_owner[i]
        if (!(m in of_module) || d > of_module[m]) { of_module[m] = d; at_module[m] = i }
    }
    printf "%d %d %d\n%s -> %s\n", worst, gates, registers, begin_of(end_net[at]), clean(end_name[at])
    if (instances == "") exit
    for (m in of_module) print m, of_module[m], begin_of(end_net[at_module[m]]), "->", clean(end_name[at_module[m]])
}
