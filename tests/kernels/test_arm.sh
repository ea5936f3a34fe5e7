#!/usr/bin/env bash
# Calls of all kernels on a Cortex-M4 under QEMU: what they come to is what they come to on the host. Skipped (77) without QEMU.
# usage: test_arm.sh MAKE_VECTORS PROGRAM SOURCE_DIR
set -euo pipefail
make_vectors=$1
program=$2
source=$3
command -v qemu-system-arm > /dev/null || {
    echo "skipped: no qemu-system-arm (scripts/setup system)"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$make_vectors" "$work/vectors" "$source/tests/kernels/graphs.txt" "$source/tests/differential/examples" \
    "$source/tests/differential/regressions" "$source/models/digits/digits.tflite"
timeout 300 qemu-system-arm -M mps2-an386 -display none -monitor none -semihosting-config enable=on,target=native -kernel "$program" \
    -device loader,file="$work/vectors",addr=0x21000000,force-raw=on -serial file:"$work/report"
"$source/tests/kernels/check_report.sh" "$work/report" "$source/tests/kernels/libm.txt"
