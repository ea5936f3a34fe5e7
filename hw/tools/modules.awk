# Reads RTLIL; prints a line for each module: its name there, its plain name, and the parameters that somebody gave it.
$1 == "module" {
    id = $2
    plain = id
    # The name of a parametrised module is $paramod$HASH\NAME or $paramod\NAME\PARAMETER=...
    if (plain ~ /^\$paramod\$/) sub(/^\$paramod\$[0-9a-f]*\\/, "", plain)
    else if (plain ~ /^\$paramod\\/) { sub(/^\$paramod\\/, "", plain); sub(/\\.*/, "", plain) }
    sub(/^\\/, "", plain)
    parameters = ""
    open = 1
    next
}
open && $1 == "parameter" && NF == 3 { parameters = parameters (parameters == "" ? "" : ",") substr($2, 2) "=" $3 }
# Parameters stand before everything else in a module.
open && $1 != "parameter" && $1 != "attribute" { print id, plain, parameters; open = 0 }
