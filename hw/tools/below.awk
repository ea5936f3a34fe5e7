# Reads RTLIL; prints module `id` and all modules below it, without attributes (places in files).
# usage: awk -f below.awk -v id=NAME_IN_RTLIL FILE.il
$1 == "attribute" { next }
$1 == "module" { name = $2; first[name] = lines + 1 }
name == "" { next }
{ line[++lines] = $0; last[name] = lines }
$1 == "cell" && !((name, $2) in has) { has[name, $2] = 1; children[name] = children[name] " " $2 }
function show(module,    i, n, list) {
    if (module in shown || !(module in first)) return
    shown[module] = 1
    for (i = first[module]; i <= last[module]; i++) print line[i]
    n = split(children[module], list, " ")
    for (i = 1; i <= n; i++) show(list[i])
}
END { show(id) }
