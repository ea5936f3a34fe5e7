#!/usr/bin/env bash
# Kernels compiled as firmware's for this processor come to what those of weft come to, libm included.
# usage: test_host.sh MAKE_VECTORS KERNELS SOURCE_DIR
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" "$work/vectors" "$3/tests/kernels/graphs.txt" "$3/tests/differential/examples" "$3/tests/differential/regressions" \
    "$3/models/digits/digits.tflite"
"$2" "$work/vectors"
