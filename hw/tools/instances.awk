# Reads RTLIL; prints a line for each instance below module `top`: its path with dots, and the plain name of its module.
# usage: awk -v top='\weft_axi_machine' -f instances.awk FILE.il
function plain(name) {
    if (name ~ /^\$paramod\$/) sub(/^\$paramod\$[0-9a-f]*\\/, "", name)
    else if (name ~ /^\$paramod\\/) { sub(/^\$paramod\\/, "", name); sub(/\\.*/, "", name) }
    sub(/^\\/, "", name)
    return name
}
$1 == "module" { module = $2; known[module] = 1 }
$1 == "cell" && $2 !~ /^\$[a-z_]*$/ { n[module]++; type[module, n[module]] = $2; name[module, n[module]] = substr($3, 2) }
function walk(m, path,    i) {
    for (i = 1; i <= n[m]; i++) {
        if (!(type[m, i] in known)) continue
        print path name[m, i], plain(type[m, i])
        walk(type[m, i], path name[m, i] ".")
    }
}
END { print "-", plain(top); walk(top, "") }
