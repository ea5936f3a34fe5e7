#!/usr/bin/env bash
# Networks on both CPUs as RTL with the machine of small8: outputs as LiteRT's, the same from run to run, whatever the latency.
# usage: test_networks.sh WEFT SOURCE_DIR
set -u
export LC_ALL=C
weft=$1
source_dir=$2
digits=$source_dir/models/digits
shared=$source_dir/../shared
lib=$(dirname "$weft")/../lib
if [ ! -f "$lib/weft_soc_picorv32_small8.so" ] || [ ! -f "$lib/weft_soc_vexriscv_small8.so" ]; then
    echo "skipped: the RTL of RISC-V systems with small8 is not built: scripts/setup system, scripts/build --soc small8"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir out
# shellcheck source=tests/cli/checks.sh
. "$source_dir/tests/cli/checks.sh"

# simulate CPU MODEL INPUT GOLDEN [OPTION...]: the outputs are the golden's, and files say what was printed.
simulate() {
    last="weft soc $2 --cpu $1 --input $3 ${*:5}"
    checks=$((checks + 1))
    timeout 1200 "$weft" soc "$2" --cpu "$1" --input "$3" --output out/o.npy --json stats.json "${@:5}" >stdout 2>stderr </dev/null
    status=$?
    [ $status = 0 ] || fail "status $status, expected 0"
    [ ! -s stderr ] || fail "something on stderr"
    same out/o.npy "$4"
    has stdout '^weft: done$'
    has stdout "^accelerator: $(number accelerator_cycles) cycles, $(number contract_cycles) by the contract without a bus"
    grep -E '^(run|accelerator)' stdout | sed "s/^/$(basename "$2" .tflite), $1: /"
    rm -f out/o.npy
}

"$weft" compile "$digits/digits.tflite" --config small8 -o digits.weft
for cpu in picorv32 vexriscv; do
    simulate $cpu digits.weft "$digits/3.png" "$digits/goldens/3.output.npy"
    cycles=$(number accelerator_cycles)
    equal "$(number contract_cycles)" "$("$weft" run digits.weft --timing-only | sed -nE 's/.* ([0-9]+) cycles, .* of peak.*/\1/p')" \
        "cycles of the contract"
    # Again, with another input; slower memory costs the machine cycles, and nothing else.
    simulate $cpu digits.weft "$digits/7.png" "$digits/goldens/7.output.npy" --runs 2
    has stdout '^run 2: '
    equal "$(number accelerator_cycles)" "$cycles" "cycles do not depend on data or runs"
    equal "$(grep '^run' stdout | sed 's/run [12]//' | sort -u | wc -l)" 1 "different runs"
    simulate $cpu digits.weft "$digits/3.png" "$digits/goldens/3.output.npy" --latency 300
    [ "$(number accelerator_cycles)" -gt "$cycles" ] || fail "a latency of 300 cycles costs nothing"
done
if [ -d "$shared/goldens" ]; then
    for cpu in picorv32 vexriscv; do
        simulate $cpu "$shared/models/ic_resnet8_int8.tflite" "$shared/goldens/ic_resnet8_int8/cat.input.npy" \
            "$shared/goldens/ic_resnet8_int8/cat.output.npy" --config small8
    done
else
    echo "skipped: ic_resnet8 (no ../shared/goldens)"
fi
summary
