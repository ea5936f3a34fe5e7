#!/usr/bin/env bash
# Networks in lockstep on cycle simulator and RTL (ref16), with each external memory that is DRAM: 0 cycles apart, the same bytes.
# usage: dram_networks.sh WEFT SOURCE_DIR small|all. Exits with 77, which ctest counts as skipped, where the RTL of ref16 is not built.
# `small` are the embedded network and those of fewer than 100,000 cycles, `all` also the large ones, some minutes.
set -euo pipefail
export LC_ALL=C
weft=$1
source=$2
most=$3
shared=$source/../shared
[ -e "$(dirname "$weft")/../lib/weft_rtl_ref16.so" ] || { echo "skipped: no RTL of ref16" && exit 77; }
said=$(mktemp)
trap 'rm -f "$said"' EXIT
compared=0

# lockstep MODEL INPUT
lockstep() {
    for dram in ddr3-1600@100 lpddr4-3200@400; do
        "$weft" cosim "$1" --input "$2" --dram $dram >"$said" || { cat "$said" && exit 1; }
        grep -q '^0 cycles apart: ' "$said" || { echo "$1, $dram: $(cat "$said")" && exit 1; }
        echo "$(basename "$1" .tflite), $dram: $(head -n 1 "$said")"
        compared=$((compared + 1))
    done
}

lockstep "$source/models/digits/digits.tflite" "$source/models/digits/3.png"
for folder in "$shared"/goldens/*/; do
    name=$(basename "$folder")
    model=$shared/models/$name.tflite
    case $name in
    ad_* | kws_* | ic_* | vww_* | sww_*) ;;
    *) [ "$most" = all ] || continue ;;
    esac
    inputs=("$folder"*.input.npy)
    [ ! -f "$model" ] || lockstep "$model" "${inputs[0]}"
done
# scripts/bench makes these; their inputs are of the same type and shape.
for model in "$source"/build/models/resnet*_int8.tflite; do
    input=$shared/goldens/densenet121_int8/uniform.input.npy
    [ "$most" != all ] || [ ! -f "$model" ] || [ ! -f "$input" ] || lockstep "$model" "$input"
done
echo "$compared programs"
