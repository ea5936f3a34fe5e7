#!/usr/bin/env bash
# What weft soc says when it cannot, whether systems are built or not. usage: test_command.sh WEFT SOURCE_DIR
set -u
export LC_ALL=C
weft=$1
source_dir=$2
digits=$source_dir/models/digits
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir out nothing
# shellcheck source=tests/cli/checks.sh
. "$source_dir/tests/cli/checks.sh"
model="$digits/digits.tflite --config small8"
input="--input $digits/3.png"

# shellcheck disable=SC2086 # words
{
    bad "--cpu is missing: picorv32 or vexriscv" "$weft" soc $model $input
    bad "--latency 1: expected 2 to 65535" "$weft" soc $model $input --cpu vexriscv --latency 1
    bad "--latency 65536: expected 2 to 65535" "$weft" soc $model $input --cpu vexriscv --latency 65536
    bad "--runs 0: expected 1 to 4294967295" "$weft" soc $model $input --cpu vexriscv --runs 0
    bad "--runs x: expected 1" "$weft" soc $model $input --cpu vexriscv --runs x
    bad "give a model or a .weft file, and --cpu CPU" "$weft" soc --cpu vexriscv
    bad "the model has 1 outputs" "$weft" soc $model $input --cpu vexriscv --output out/a --output out/b
    bad "there is no CPU 'ibex'" "$weft" soc $model $input --cpu ibex
    bad "there is no CPU 'vexrisc'; did you mean vexriscv?" "$weft" soc $model $input --cpu vexrisc
    bad "nothing.weft" "$weft" soc nothing.weft --cpu vexriscv $input
    head -c 2000 "$digits/digits.tflite" >damaged.tflite
    bad "damaged.tflite" "$weft" soc damaged.tflite --cpu vexriscv $input
    WEFT_RTL_PATH=$work/nothing bad "weft: $digits/digits.tflite: the RTL of picorv32 with configuration small8 is not built" \
        "$weft" soc $model $input --cpu picorv32 --output out/o --json out/j
    WEFT_RTL_PATH=$work/nothing bad "scripts/setup system and then scripts/build --soc small8 build it" \
        "$weft" soc $model $input --cpu picorv32
    cp "$(type -P true)" nothing/weft_soc_picorv32_small8.so
    WEFT_RTL_PATH=$work/nothing bad "is no library of a RISC-V system" "$weft" soc $model $input --cpu picorv32
}
summary
