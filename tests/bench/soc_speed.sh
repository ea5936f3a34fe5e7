#!/usr/bin/env bash
# Cycles and simulation speed of RISC-V systems as RTL with a configuration. usage: soc_speed.sh WEFT SOURCE_DIR [CONFIG]
set -euo pipefail
weft=$1
source_dir=$2
config=${3:-small8}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# figure KEY: of the last simulation.
figure() {
    sed -nE "s/^ *\"$1\": ([0-9.e+-]+),?\$/\1/p" "$work/figures.json"
}

# measure CPU MODEL INPUT
measure() {
    "$weft" soc "$2" --config "$config" --cpu "$1" --input "$3" --json "$work/figures.json" >/dev/null
    printf '%-20s %-10s %12s %12s %12s %12s %10.3f\n' "$(basename "$2" .tflite)" "$1" "$(figure cycles)" "$(figure processor_cycles)" \
        "$(figure accelerator_cycles)" "$(figure contract_cycles)" "$(figure simulated_cycles_per_second | awk '{ print $1 / 1e6 }')"
}

echo "on $config, cycles:"
printf '%-20s %-10s %12s %12s %12s %12s %10s\n' network CPU system processor accelerator contract Mcycle/s
for cpu in picorv32 vexriscv; do
    measure $cpu "$source_dir/models/digits/digits.tflite" "$source_dir/models/digits/3.png"
    if [ -d "$source_dir/../shared/goldens" ]; then
        measure $cpu "$source_dir/../shared/models/ic_resnet8_int8.tflite" "$source_dir/../shared/goldens/ic_resnet8_int8/cat.input.npy"
    fi
done
