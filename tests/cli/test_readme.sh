#!/usr/bin/env bash
# What the README says is so: its table of networks has the ideal and the cycles of tests/bench/networks.def, and
# scripts/quickstart prints what it says: each line of that block, in its order; "..." stands for any text.
# usage: test_readme.sh WEFT SOURCE_DIR. Exits with 77, which ctest counts as skipped, where the RTL is not built.
set -euo pipefail
weft=$1
cd "$2"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed -n 's/^WEFT_NETWORK(\([^,]*\), \([0-9]*\),.* \([0-9]*\))$/\1 \2 \3/p' tests/bench/networks.def >"$work/networks"
sed -n 's/^WEFT_BRANCHING(\([^,]*\), \([0-9]*\),.* \([0-9]*\))$/\1 \2 \3/p' tests/bench/networks.def >>"$work/networks"
[ "$(wc -l <"$work/networks")" -ge 14 ]
# A file, not a pipe: grep -q ends at the first match, and a writer that then fails would end the script.
tr -d , <README.md >"$work/readme"
while read -r name ideal cycles; do
    if ! grep -q "^| $name | $ideal | $cycles |" "$work/readme"; then
        echo "README.md: the row of $name does not say ideal $ideal, Weft $cycles"
        exit 1
    fi
done <"$work/networks"

if ! scripts/demonstrate "$weft" >"$work/printed" 2>"$work/errors"; then
    cat "$work/errors"
    # The message of weft run --target rtl for a size that is not built.
    ! grep -q "scripts/build --rtl" "$work/errors" || exit 77
    exit 1
fi
# The first block of text below the sentence about scripts/quickstart.
awk '/^`scripts\/quickstart` ends with/ { below = 1 } below && /^```$/ { exit } inside; below && /^```text$/ { inside = 1 }' \
    README.md >"$work/promised"
awk '
    function squeezed(line) { gsub(/[ \t]+/, " ", line); sub(/ $/, "", line); return line }
    FNR == NR { printed[++count] = squeezed($0); next }
    /^\.\.\.$/ || /^$/ { next }
    {
        promised++
        line = squeezed($0)
        part = sub(/\.\.\.$/, "", line) # 0: the whole line
        do at++
        while (at <= count && (part ? index(printed[at], line) != 1 : printed[at] != line))
        if (at > count) {
            print "README.md promises, but is not printed (there): " $0
            failed = 1
            exit
        }
    }
    END {
        print promised " lines of README.md compared"
        exit failed || promised < 10
    }' "$work/printed" "$work/promised"
