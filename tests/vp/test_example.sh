#!/usr/bin/env bash
# vp/examples/one_machine.cpp against an installed tree.
# usage: test_example.sh CMAKE BUILD SOURCE COMPILER WEFT
set -euo pipefail
cmake=$1 build=$2 source=$3 compiler=$4 weft=$5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$cmake" --install "$build" --prefix "$folder/installed" >/dev/null
PKG_CONFIG_PATH=$(dirname "$(find "$folder/installed" -name weft_tlm.pc)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # a list of options
"$compiler" -std=c++17 -Wall -Wextra -Werror "$source/vp/examples/one_machine.cpp" \
    $(pkg-config --define-variable=prefix="$folder/installed" --cflags --libs weft_tlm systemc) -o "$folder/one_machine"

cat >"$folder/copy.asm" <<'END'
load act_banks=0 memory=act region=3 run=32 signal=store
store wait=load act_banks=0 region=4 run=32
fence
halt
END
"$weft" asm "$folder/copy.asm" -o "$folder/copy.bin"
cd "$folder"
SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1 ./one_machine copy.bin >printed
cycles=$("$weft" run copy.asm --region inputs=@32 --region outputs=@32 |
    sed -n 's/.* \([0-9]*\) cycles.*/\1/p' | head -1)
diff -u - printed <<END
status 0x2 after $cycles cycles, at ${cycles}0 ns
what the accelerator has copied
END

# What is installed is enough for weft vp, too, where the firmware is built.
if [ -f "$build/firmware/weft_firmware_rv32imc.bin" ]; then
    "$folder/installed/bin/weft" vp "$source/models/digits/digits.tflite" --input "$source/models/digits/3.png" --output 3.npy >printed
    cmp 3.npy "$source/models/digits/goldens/3.output.npy"
fi
