#!/usr/bin/env bash
# weft vp as a user meets it: what it prints and writes, and what it says when it cannot.
# usage: test_command.sh WEFT SOURCE_DIR
set -u
export LC_ALL=C
weft=$1
source_dir=$2
digits=$source_dir/models/digits
home=$(dirname "$weft")/..
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir out nothing
# shellcheck source=tests/cli/checks.sh
. "$source_dir/tests/cli/checks.sh"
input="--input $digits/3.png"
good "$weft" compile "$digits/digits.tflite" -o digits.weft

# shellcheck disable=SC2086 # words
{
    bad "there is no target 'func'" "$weft" vp digits.weft $input --target func
    bad "there is no target 'rtll'; did you mean rtl?" "$weft" vp digits.weft $input --target rtll
    bad "--runs 0: expected 1 to 4294967295" "$weft" vp digits.weft $input --runs 0
    bad "--quantum 1000000001: expected 0 to 1000000000" "$weft" vp digits.weft $input --quantum 1000000001
    bad "--clock needs MHz, more than 0 and at most 1000000, not '0'" "$weft" vp digits.weft $input --clock 0
    bad "give a model or a .weft file" "$weft" vp
    bad "the model has 1 outputs" "$weft" vp digits.weft $input --output out/a --output out/b
    if [ ! -f "$home/firmware/weft_firmware_rv32imc.bin" ]; then
        bad "the firmware of RISC-V systems is not built" "$weft" vp digits.weft $input
        echo "skipped: the rest, for want of the firmware: scripts/setup system"
        summary
        exit
    fi
    WEFT_VP_PATH=$work/nothing bad "weft: digits.weft: the virtual platform is not built (no file $work/nothing/weft_vp)" \
        "$weft" vp digits.weft $input --output out/o --json out/j --vcd out/v
    WEFT_VP_PATH=$work/nothing bad "scripts/setup system installs SystemC, scripts/build builds it" "$weft" vp digits.weft $input
}
if [ ! -x "$home/lib/weft_vp" ]; then
    echo "skipped: the rest, for want of SystemC: scripts/setup system"
    summary
    exit
fi

# Outputs, JSON and waveforms of one run.
good "$weft" vp digits.weft --input "$digits/3.png" --output o.npy --json stats.json --vcd waves.vcd
same o.npy "$digits/goldens/3.output.npy"
cycles=$("$weft" run digits.weft --timing-only --target cycle | sed -nE 's/.* ([0-9]+) cycles, .* of peak.*/\1/p')
has stdout "^run 1: $cycles accelerator cycles, outputs have CRC-32 "
has stdout '^weft: done$'
has stdout '^digits on the virtual platform with ref16, target cycle: '
has stdout '^processor: [0-9]* instructions; '
has stdout "^accelerator: $cycles cycles in each run\$"
has stdout '^outputs and cycles of the accelerator: the same as with weft run --target cycle$'
equal "$(sed -nE 's/.*"accelerator_cycles": ([0-9]+).*/\1/p' stats.json)" "$cycles" "accelerator_cycles"
has stats.json '"clock_mhz": 100'
has waves.vcd '^\$scope module processor_bus \$end$'
has waves.vcd '^\$scope module accelerator_bus \$end$'

# More runs; what is printed does not depend on quantum, clock or waveforms.
uart() {
    sed '/^digits on the virtual/,$d' stdout
}
good "$weft" vp digits.weft --input "$digits/7.png" --output o.npy --runs 3
same o.npy "$digits/goldens/7.output.npy"
uart >expected
equal "$(grep -c "^run [123]: $cycles accelerator cycles" expected)" 3 "runs"
for options in "--quantum 0" "--quantum 100" "--quantum 1000" "--quantum 100000" "--clock 33.3" "--clock 800" "--vcd out/w.vcd"; do
    # shellcheck disable=SC2086 # words
    good "$weft" vp digits.weft --input "$digits/7.png" --runs 3 $options
    uart >printed
    same printed expected
done
rm -f out/w.vcd

# A platform ends with who has started it.
"$weft" vp digits.weft --input "$digits/3.png" --runs 4294967295 >/dev/null 2>&1 &
platform=
for _ in $(seq 100); do
    platform=$(ps -o pid= --ppid $! | tr -d " ")
    [ "$platform" = "" ] || break
    sleep 0.1
done
kill -KILL $!
wait $! 2>/dev/null
goes_on() {
    ps -o stat= -p "$1" | grep -qv '^Z'
}
for _ in $(seq 100); do
    goes_on "$platform" || break
    sleep 0.1
done
if [ "$platform" = "" ] || goes_on "$platform"; then
    fail "the platform goes on without weft"
fi

# Standard output is the file that was asked for, and nothing else.
"$weft" vp digits.weft --input - --output - <"$digits/3.png" >o.npy 2>stderr || fail "a pipe"
same o.npy "$digits/goldens/3.output.npy"
has stderr '^weft: done$'
summary
