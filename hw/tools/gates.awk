# Makes the bench and the netlist of scripts/gates fit together. Files: the memory modules with their parameters (modules.awk), the netlist as Yosys
# writes it, hw/tb/weft_bench.sv. -v netlist, bench: the files to write.
# In the netlist the memories alone are modules still, instances of the machine itself whose names are their old paths, with dots and brackets:
# they get plain names, and their type is the module of hw/rtl again, with its parameters. The bench names memories by the old paths, in loops:
# each loop's body is written once for each memory, with that name. Loops over what one memory holds, banks, stay loops.
function plain(path) {
    gsub(/[^A-Za-z0-9_]+/, "_", path)
    return path
}

FNR == 1 { file++ }

file == 1 {
    id = $1
    parameters = $3
    gsub(/=/, "(", parameters); gsub(/,/, "), .", parameters)
    type[id] = $2 " #(." parameters "))"
    next
}

# An escaped name ends with a space.
file == 2 && /^  \\\$paramod[^ ]* +\\[^ ]* +\($/ && substr($1, 2) in type {
    path = substr($2, 2)
    memory[++memories] = path
    print "  " type[substr($1, 2)] " " plain(path) " (" > netlist
    next
}
file == 2 { print > netlist; next }

# ---- the bench ----
/^ *generate$/ { unrolls = 1; next }
/^ *endgenerate$/ { unrolls = 0; next }
!unrolls { print > bench; next }
/^ *for \(genvar / {
    match($0, /^ */); depth++
    indent[depth] = RLENGTH
    match($0, /genvar [a-z]+/); variable[depth] = substr($0, RSTART + 7, RLENGTH - 7)
    header[depth] = $0
    body = ""
    next
}
depth && /^ *end$/ && match($0, /^ */) && RLENGTH == indent[depth] { unroll(); depth--; body = ""; next }
depth { body = body $0 "\n"; next }
{ print > bench }

# Does a loop's variable choose the memory?
function selects(path, k) {
    return index(path, "[" variable[k] "]")
}

function unroll(    path, i, k, form, name, found, text) {
    if (!match(body, /machine\.[a-z0-9_.\[\]]*\.ram/)) return
    path = substr(body, RSTART, RLENGTH)
    form = substr(path, 9)
    gsub(/[.\[\]]/, "[&]", form)
    gsub(/\[\[\][a-z]+\[\]\]/, "\\[[0-9]+\\]", form)
    for (i = 1; i <= memories; i++) {
        if (memory[i] !~ "^" form "$") continue
        blocks++
        print "  if (1) begin : g_memory_" blocks > bench
        # The numbers in the name are those of the variables that the path has, in order.
        name = memory[i]
        for (k = 1; k <= depth; k++) {
            if (!selects(path, k)) continue
            if (!match(name, /\[[0-9]+\]/)) { print "gates: " memory[i] " has no number for " variable[k] > "/dev/stderr"; failed = 1 }
            print "    localparam integer " variable[k] " = " substr(name, RSTART + 1, RLENGTH - 2) ";" > bench
            name = substr(name, RSTART + RLENGTH)
        }
        for (k = 1; k <= depth; k++) if (!selects(path, k)) print header[k] > bench
        text = body
        while ((found = index(text, path)) != 0) {
            printf "%s%s", substr(text, 1, found - 1), "machine." plain(memory[i]) > bench
            text = substr(text, found + length(path))
        }
        printf "%s", text > bench
        for (k = 1; k <= depth; k++) if (!selects(path, k)) print "    end" > bench
        print "  end" > bench
        used[memory[i]] = 1
    }
}

END {
    for (i = 1; i <= memories; i++)
        if (!(memory[i] in used)) { print "gates: the bench does not name " memory[i] > "/dev/stderr"; failed = 1 }
    if (!memories) { print "gates: the netlist has no memory" > "/dev/stderr"; failed = 1 }
    exit failed
}
