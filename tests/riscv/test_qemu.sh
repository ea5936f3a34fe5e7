#!/usr/bin/env bash
# The start-up code, devices and generic image of firmware/riscv on QEMU's virt, which has all of the system but the accelerator.
# Skipped (77) without QEMU.
# usage: test_qemu.sh PLATFORM_IMAGE GENERIC_IMAGE MAKE_RAM WEFT SOURCE_DIR
set -euo pipefail
platform=$1
generic=$2
make_ram=$3
weft=$4
source=$5
command -v qemu-system-riscv32 > /dev/null || {
    echo "skipped: no qemu-system-riscv32 (scripts/setup system)"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# expect STATUS IMAGE TEXT: how QEMU ends, and what the UART sends.
expect() {
    local ended=0
    timeout 120 qemu-system-riscv32 -M virt -m 64M -display none -monitor none -bios none \
        -device loader,file="$2",addr=0x80000000,force-raw=on -serial file:"$work/uart" 2> "$work/said" || ended=$?
    if [ $ended != "$1" ] || ! diff <(printf '%s\n' "$3") "$work/uart"; then
        echo "test_qemu: $2 ended with $ended, not $1: $(cat "$work/said")"
        status=1
    fi
}

expect 42 "$platform" "0 18446744073709551615 00fedc0a
sections: good
counter: good
waiting: good
trap 02, value ffffffff"

expect 240 "$generic" "weft: status 240: there is no boot block of this version"

"$weft" compile "$source/models/digits/digits.tflite" -o "$work/digits.weft" --config small8 > "$work/said"
"$weft" export "$work/digits.weft" --blob "$work/digits.blob" > "$work/said"
"$make_ram" "$generic" "$work/digits.blob" "$work/ram"
# QEMU has no memory where the registers are: the first one that is read traps, or is none of ours.
expect 48 "$work/ram" "weft: digits
weft: status 48: there is no machine at these registers"
"$make_ram" "$generic" "$work/digits.blob" "$work/ram" 1000000
expect 48 "$work/ram" "weft: digits
weft: status 48: there is no machine at these registers"

# One bit of the blob, which begins behind the boot block, is another one.
at=$((0x200000 + 16384))
byte=$(od -An -tu1 -j $at -N1 "$work/ram")
printf "\\$(printf %03o $((byte ^ 1)))" | dd of="$work/ram" bs=1 seek=$at conv=notrunc 2> "$work/said"
expect 67 "$work/ram" "weft: status 67: the model is damaged: its CRC-32 is another"
exit $status
