#!/usr/bin/env bash
# Networks on the virtual platform: outputs as LiteRT's, cycles of the accelerator as weft run counts them, and the same on the
# UART whatever the quantum. usage: test_networks.sh WEFT SOURCE_DIR TARGET CONFIG
set -u
export LC_ALL=C
weft=$1
source_dir=$2
target=$3
config=$4
shared=$source_dir/../shared
home=$(dirname "$weft")/..
for part in lib/weft_vp firmware/weft_firmware_rv32imc.bin; do
    if [ ! -f "$home/$part" ]; then
        echo "skipped: $part is not built: scripts/setup system, scripts/build"
        exit 77
    fi
done
if [ "$target" = rtl ] && [ ! -f "$home/lib/weft_rtl_$config.so" ]; then
    echo "skipped: the RTL of $config is not built: scripts/build --rtl $config"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir out
# shellcheck source=tests/cli/checks.sh
. "$source_dir/tests/cli/checks.sh"

# simulate INPUT OUTPUT [OPTION...]: the compiled model gives this output.
simulate() {
    good "$weft" vp model.weft --target "$target" --input "$1" --output out/o.npy --json stats.json "${@:3}"
    same out/o.npy "$2"
    equal "$(sed -nE 's/.*"accelerator_cycles": ([0-9]+).*/\1/p' stats.json)" "$cycles" "accelerator_cycles"
    sed '/ on the virtual platform /,$d' stdout >uart
    rm -f out/o.npy
}

# golden INPUT: where the output of an input lies.
golden() {
    case $1 in
    *.png) echo "$(dirname "$1")/goldens/$(basename "$1" .png).output.npy" ;;
    *) echo "${1%.input.npy}.output.npy" ;;
    esac
}

# network MODEL INPUT...: each input; the first one with other quanta, too.
network() {
    local input first=
    good "$weft" compile "$1" --config "$config" -o model.weft
    cycles=$("$weft" run model.weft --timing-only | sed -nE 's/.* ([0-9]+) cycles, .* of peak.*/\1/p' | head -1)
    for input in "${@:2}"; do
        simulate "$input" "$(golden "$input")"
        if [ "$first" = "" ]; then
            first=$input
            cp uart expected
            for quantum in 100 1000 100000; do
                simulate "$input" "$(golden "$input")" --quantum $quantum
                same uart expected
            done
        elif [ "$target" = rtl ]; then
            break # slow: two cases show that a second one is not the first
        fi
    done
    echo "$(basename "$1" .tflite): $cycles cycles of the accelerator, as with weft run"
}

network "$source_dir/models/digits/digits.tflite" "$source_dir"/models/digits/[0-9].png
if [ -d "$shared/goldens" ]; then
    for name in ad_autoencoder_int8 kws_dscnn_int8 ic_resnet8_int8 vww_mobilenetv1_025_96_int8 sww_ds1dcnn_int8; do
        network "$shared/models/$name.tflite" "$shared/goldens/$name"/*.input.npy
    done
    # 4 MB, which the firmware checks before the first run: more cycles than a system with a small model may take.
    large=mobilenet_v2_1.0_224_int8
    [ "$target" = rtl ] || network "$shared/models/$large.tflite" "$shared/goldens/$large/cat.input.npy"
else
    echo "skipped: real networks (no ../shared/goldens)"
fi
summary
