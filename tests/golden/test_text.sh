#!/usr/bin/env bash
# Real networks as text: what passes leave is read as the same graph, and compiles to the same programs.
# usage: test_text.sh WEFT MODELS NETWORK...
set -euo pipefail
weft=$1
models=$2
shift 2
[ -d "$models" ] || { echo "skipped: there is no $models"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
wrong=0
for name in "$@"; do
    "$weft" compile "$models/$name.tflite" -o model.weft
    "$weft" disasm model.weft -o model.asm
    for pass in import fold-constants merge-requantize make-tables cut-channels remove-unused merge-composites merge-regions partition; do
        "$weft" compile "$models/$name.tflite" --dump-after "$pass" >net.ir
        "$weft" compile net.ir -o text.weft --dump-after import >again.ir
        "$weft" disasm text.weft -o text.asm
        cmp text.asm model.asm || { echo "$name, text after $pass: another program"; wrong=$((wrong + 1)); }
        # Regions and composites are taken apart when a text is read, so that the later ones are others after import.
        case $pass in merge-composites | merge-regions | partition) continue ;; esac
        cmp <(tail -n +2 net.ir) <(tail -n +2 again.ir) || { echo "$name, text after $pass: another graph"; wrong=$((wrong + 1)); }
    done
    echo "$name: $(stat -c %s net.ir) bytes of text, $wrong wrong"
done
[ $wrong = 0 ]
