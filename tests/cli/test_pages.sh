#!/usr/bin/env bash
# Manual pages and completion: those in the tree are those of the table of commands, every command has a page, and each is
# one that its reader likes: mandoc and man, bash, zsh, where these are installed.
# usage: test_pages.sh WEFT WEFT_PAGES SOURCE_DIR
set -euo pipefail
weft=$1
pages=$2
source_dir=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$source_dir/scripts/pages" "$pages" "$work"
diff -r "$work/docs/man" "$source_dir/docs/man"
diff -r "$work/completions" "$source_dir/completions"
commands=$("$weft" --help | sed -nE 's/^    weft ([a-z][a-z-]*) .*/\1/p')
[ "$(echo "$commands" | wc -l)" = "$(find "$source_dir/docs/man" -name 'weft-*.1' | wc -l)" ]
options=0
for command in $commands; do
    page=$source_dir/docs/man/weft-$command.1
    grep -qx "\\\\fBweft $command\\\\fR.*" "$page"
    for option in $("$weft" "$command" --help | sed -nE 's/^    (-[a-z], )?(--[a-z-]+).*/\2/p'); do
        options=$((options + 1))
        grep -qF -e "\\fB${option//-/\\-}\\fR" "$page" || { echo "$page: no $option" && exit 1; }
        grep -qF -e "$option" "$source_dir/completions/weft.bash" "$source_dir/completions/_weft"
    done
done
[ "$options" -ge 60 ]

# lint NAME COMMAND...: prints nothing.
lint() {
    local name=$1
    shift
    if ! command -v "$1" >/dev/null; then
        echo "skipped: no $1"
    elif ! "$@" >"$work/said" 2>&1 || [ -s "$work/said" ]; then
        echo "$name:"
        cat "$work/said"
        exit 1
    fi
}
lint mandoc mandoc -T lint -W style "$source_dir"/docs/man/*.1
if command -v man >/dev/null; then
    for page in "$source_dir"/docs/man/*.1; do
        man --warnings -l -Tutf8 -Z "$page" 2>&1 >"$work/formatted" | tee "$work/said"
        [ ! -s "$work/said" ] && [ -s "$work/formatted" ]
    done
fi
lint bash bash -n "$source_dir/completions/weft.bash"
lint zsh zsh -n "$source_dir/completions/_weft"

# What bash proposes.
# shellcheck source=completions/weft.bash
. "$source_dir/completions/weft.bash"
# proposes EXPECTED WORD...: what the last word can become; others have parts of it, or all.
proposes() {
    local expected=$1
    shift
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _weft || true # compopt is for interactive shells
    [ "${COMPREPLY[*]}" = "$expected" ] || { echo "$*: ${COMPREPLY[*]}, expected $expected" && exit 1; }
}
cd "$work"
touch model.tflite
mkdir folder
proposes "compile cosim compare" weft co
proposes "report" weft rep
proposes "report" weft help rep
proposes "--version" weft --v
proposes "--clock --csv" weft sweep show x.sqlite --c
proposes "--clock --csv" weft sweep-show x.sqlite --c
proposes "--config --clock" weft sweep x.json --c
proposes "--dump-memory --dump-tensors" weft run --dump
proposes "--dump-after" weft compile --dump-a
proposes "model.tflite" weft run mod
proposes "ref16" weft run model.tflite --config re
proposes "ref16" weft run model.tflite --config = re
proposes "func cycle rtl linux host" weft run model.tflite --target ""
proposes "avx2 avx512" weft run model.tflite --host av
proposes "partition" weft compile model.tflite --dump-after part
proposes "folder" weft run model.tflite --dump-tensors fo
proposes "model.tflite" weft compile model.tflite -o mo
proposes "" weft run model.tflite --latency ""
proposes "" weft nosuch --x
echo "$options options have their place in help, manual pages and completion"
