#!/usr/bin/env bash
# The traces of weft trace, read by check_trace.py: a network of one segment, one of several, and a large one.
# usage: test_trace.sh WEFT MAKE_SEGMENTS SOURCE_DIR
set -eu
export LC_ALL=C
weft=$1
make_segments=$2
source_dir=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# check MODEL [OPTION...]
check() {
    "$weft" trace "$@" -o trace.json
    "$weft" run "$@" --timing-only --json stats.json >printed
    python3 "$source_dir/tests/cli/check_trace.py" trace.json stats.json
}

check "$source_dir/models/digits/digits.tflite"
check "$source_dir/models/digits/digits.tflite" --config small8 --latency 300 --interval 3
"$make_segments" segments.tflite
check segments.tflite
[ "$(grep -c '"cat":"segment"' trace.json)" = 3 ] || { echo "not three segments"; exit 1; }
[ "$(grep -c '"cat":"host"' trace.json)" = 3 ] || { echo "not three operators of the host"; exit 1; }
cp trace.json segments.json
cp stats.json segments_stats.json
# Assembled programs.
check "$source_dir/tests/cli/relu.asm" --config small8 --region inputs=@256 --region outputs=@256 --interval 2
"$weft" compile "$source_dir/models/digits/digits.tflite" -o digits.weft
"$weft" disasm digits.weft -o digits.asm
check digits.asm --region constants=@64K --region inputs=@256 --region outputs=@64
grep -q '"cat":"operator"' trace.json && { echo "FAILED: a program has layers"; exit 1; }
cp segments.json trace.json
cp segments_stats.json stats.json

# The reader finds what is wrong: an arrow that leads nowhere, a slice that leaves another, a segment in another's place.
for change in '/"ph":"f"/s/"ts":[0-9]*/"ts":1/' '/"cat":"path"/s/"dur":[0-9]*/"dur":100000/' \
    '/"cat":"segment","name":"segment 1"/s/"ts":[0-9]*/"ts":1/'; do
    sed "$change" trace.json >changed.json
    if python3 "$source_dir/tests/cli/check_trace.py" changed.json stats.json >found 2>&1; then
        echo "FAILED: nothing is found after $change"
        exit 1
    fi
done
network=$source_dir/../shared/models/mobilenet_v2_1.0_224_int8.tflite
[ ! -f "$network" ] || check "$network"
