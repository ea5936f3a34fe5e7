#!/usr/bin/env bash
# Calls of all kernels on a RISC-V processor, under QEMU and on the model of vp/cpu, which traps where an address is not aligned:
# what they come to is what they come to on the host. Skipped (77) without QEMU.
# usage: test_riscv.sh MAKE_VECTORS RUN_IMAGE IMAGE SOURCE_DIR
set -euo pipefail
make_vectors=$1
run_image=$2
image=$3
source=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$make_vectors" "$work/vectors" "$source/tests/kernels/graphs.txt" "$source/tests/differential/examples" \
    "$source/tests/differential/regressions" "$source/models/digits/digits.tflite"
"$run_image" "$image" "$work/model" "$work/vectors"
"$source/tests/kernels/check_report.sh" "$work/model" "$source/tests/kernels/libm.txt"
command -v qemu-system-riscv32 > /dev/null || {
    echo "skipped: no qemu-system-riscv32 (scripts/setup system)"
    exit 77
}
timeout 300 qemu-system-riscv32 -M virt -m 64M -display none -monitor none -bios none \
    -device loader,file="$image",addr=0x80000000 -device loader,file="$work/vectors",addr=0x81000000,force-raw=on \
    -serial file:"$work/qemu"
"$source/tests/kernels/check_report.sh" "$work/qemu" "$source/tests/kernels/libm.txt"
cmp "$work/model" "$work/qemu"
