#!/usr/bin/env bash
# Plugins on the command line: which commands take them, where their passes are known, what is refused.
# usage: test_plugins.sh WEFT FOLDER SOURCE_DIR; FOLDER has the libraries of tests/unit/fake_plugin.c
set -u
export LC_ALL=C
weft=$1
folder=$2
source=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir out
cp "$source"/models/digits/{digits.tflite,3.png} "$folder"/{plugin_good.so,plugin_version.so,plugin_headers.so,weft_rtl_small8.so} .
# shellcheck source=tests/cli/checks.sh
. "$source/tests/cli/checks.sh"

# ---- the passes ----

good "$weft" passes
cp stdout passes.txt
equal "$(head -n 1 passes.txt)" import "the first pass"
equal "$(tail -n 1 passes.txt)" release-regions "the last pass"
good "$weft" passes --plugin plugin_good.so
equal "$(sed -n 2p stdout)" "copy-graph (plugin copier)" "the second pass"
grep -v copier stdout >without.txt
same without.txt passes.txt

good "$weft" compile digits.tflite --plugin plugin_good.so --dump-after copy-graph
has stdout "^// after copy-graph\$"
good "$weft" compile digits.tflite --plugin plugin_good.so --dump-after all
equal "$(grep -A 1 '^// after' stdout | grep -c '^// after copy-graph')" 1 "graphs after copy-graph"
bad "there is no pass 'copy-graph'" "$weft" compile digits.tflite --dump-after copy-graph
bad "there is no pass 'copy-grahp'; did you mean copy-graph?" \
    "$weft" compile digits.tflite --plugin plugin_good.so --dump-after copy-grahp
good "$weft" compile digits.tflite --plugin plugin_good.so --time-passes
for pass in import copy-graph remove-unused release-regions; do
    has stdout "^$pass +[0-9]+\\.[0-9]{2} ms +[0-9]+ nodes\$"
done
bad "pass 'copy-graph' does not run with --keep-tensors" \
    "$weft" compile digits.tflite --plugin plugin_good.so --keep-tensors --dump-after copy-graph

# ---- the same programs, the same results ----

good "$weft" compile digits.tflite -o out/with.weft --plugin plugin_good.so
good "$weft" compile digits.tflite -o out/without.weft
same out/with.weft out/without.weft
for target in func host; do
    good "$weft" run digits.tflite --plugin plugin_good.so --target $target --input 3.png --output out/3.npy
    same out/3.npy "$source/models/digits/goldens/3.output.npy"
done
rm out/*

# ---- every command that compiles, or reads what was compiled ----

for command in compile run cosim quantize evaluate verify disasm inspect passes explain export trace report soc vp; do
    good "$weft" $command --help
    has stdout "^ *--plugin FILE\\.so"
done

# ---- what is refused ----

for command in "compile digits.tflite -o out/x.weft" "run digits.tflite --input 3.png --output out/x.npy" "inspect digits.tflite" passes; do
    # shellcheck disable=SC2086 # words
    bad "./nosuch.so is no library of a plugin: " "$weft" $command --plugin nosuch.so
done
bad "./3.png is no library of a plugin: " "$weft" passes --plugin 3.png
bad "./weft_rtl_small8.so is no library of a plugin: " "$weft" passes --plugin weft_rtl_small8.so
bad "./plugin_version.so has version 2 of the interface, expected 1: build again" "$weft" passes --plugin plugin_version.so
bad "./plugin_headers.so was compiled with other headers of Weft" "$weft" passes --plugin plugin_headers.so
bad "there is a plugin copier already" "$weft" passes --plugin plugin_good.so --plugin plugin_good.so
bad "--output plugin_good.so is also --plugin plugin_good.so" \
    "$weft" compile digits.tflite -o plugin_good.so --plugin plugin_good.so
bad "--plugin is for models" "$weft" run "$source/tests/cli/relu.asm" --config small8 --plugin plugin_good.so
for out in x.ir x.onnx; do
    bad "--plugin is for OUT.weft" "$weft" quantize digits.tflite --data 3.png -o out/$out --plugin plugin_good.so
done
bad "option '--plugin' needs a value" "$weft" passes --plugin
many=()
for _ in $(seq 17); do many+=(--plugin plugin_good.so); done
bad "--plugin is given more than 16 times" "$weft" passes "${many[@]}"

summary
