#!/usr/bin/env bash
# Assembled programs on the command line: run, verify, cosim and trace with regions and dumps, and what they say when they cannot.
# usage: test_program.sh WEFT SOURCE_DIR
set -u
export LC_ALL=C
weft=$1
source_dir=$2
digits=$source_dir/models/digits
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir out
cp "$digits/digits.tflite" "$source_dir/tests/cli/relu.asm" .
# shellcheck source=tests/cli/checks.sh
. "$source_dir/tests/cli/checks.sh"
python3 - <<'END'
values = bytes((i * 37 + i // 7) % 256 for i in range(256))
open("in.bin", "wb").write(values)
open("relu.bin", "wb").write(bytes(value if value < 128 else 0 for value in values))
END
regions="--config small8 --region inputs=in.bin --region outputs=@256"

# fails PART COMMAND...: as bad, of a run that prints how far it came.
fails() {
    bad "$@"
    has stdout ", target [a-z]+: fault, [0-9]+ cycles, [0-9]+ of [0-9]+ instructions dispatched\$"
    has_not stdout "proved"
}

# ---- what it gives ----

good "$weft" asm relu.asm -o program.bin
for program in relu.asm program.bin; do
    for target in func cycle; do
        # shellcheck disable=SC2086 # words
        good "$weft" run $program $regions --target $target --dump-memory outputs=out/o --dump-memory act=out/act \
            --dump-memory inputs=out/i --dump-memory 0=out/program
        same out/o relu.bin
        same out/i in.bin
        same out/program program.bin
        equal "$(size out/act)" 65536 "bytes of ACT"
        same <(head -c 256 out/act) in.bin # line 0
        same <(tail -c +2049 out/act | head -c 8) <(head -c 8 /dev/zero)
        same <(tail -c +4097 out/act | head -c 256) relu.bin
        has stdout "^[a-z]+ on small8, target $target: done, .*5 of 5 instructions dispatched\$"
        has stdout "^proved: it never faults, races or deadlocks"
        rm out/*
    done
    # shellcheck disable=SC2086
    good "$weft" verify $program $regions
    has stdout "^proved for small8: 5 instructions never fault, race or deadlock\$"
    has stdout "^    2 tokens, at most 1 in a semaphore; "
    # shellcheck disable=SC2086
    good "$weft" trace $program $regions -o out/t.json
    python3 -c 'import json; json.load(open("out/t.json"))' || fail "not JSON"
    # shellcheck disable=SC2086
    good "$weft" trace $program $regions --raw -o out/t.raw
    good "$weft" trace --print out/t.raw
    has stdout "vector .*function=max"
    rm out/*
done
# Names and numbers, in any order; memories that nobody wrote are zeros; a dump to standard output is all that is there.
run "$weft" run relu.asm --region 4=@256 --dump-memory 4=- --config=small8 --region=3=in.bin
equal $status 0 "status"
same stdout relu.bin
has stderr "^relu on small8, target cycle: done"
for memory in wgt acc par lut; do
    # shellcheck disable=SC2086
    good "$weft" run relu.asm $regions --dump-memory $memory=out/x
    same out/x <(head -c "$(size out/x)" /dev/zero)
    rm out/x
done
"$weft" run relu.asm --config small8 --region inputs=- --region outputs=@1K --dump-memory outputs=out/o <in.bin >stdout 2>stderr
same <(head -c 256 out/o) relu.bin
equal "$(size out/o)" 1024 "bytes of the region"
rm out/o
# shellcheck disable=SC2086
"$weft" run - $regions --dump-memory outputs=out/o <relu.asm >stdout 2>stderr
same out/o relu.bin
has stdout "^stdin on small8, target cycle: done, 561 cycles, "
# By their content, whatever the name is.
cp relu.asm text
cp program.bin binary
for program in text binary; do
    # shellcheck disable=SC2086
    good "$weft" run $program $regions --dump-memory outputs=out/o
    same out/o relu.bin
done
rm out/o
# Without --config it is for ref16.
echo halt >halt.asm
good "$weft" verify halt.asm --region scratch=@1
has stdout "^proved for ref16: 1 instructions "
good "$weft" run halt.asm --dump-memory par=out/par
equal "$(size out/par)" 16384 "bytes of PAR"
rm out/par
# A region that is written begins with its file.
head -c 300 /dev/urandom >before
good "$weft" run relu.asm --config small8 --region inputs=in.bin --region outputs=before --dump-memory outputs=out/o
same out/o <(cat relu.bin && tail -c 44 before)
rm out/o

# ---- figures ----

# shellcheck disable=SC2086
good "$weft" run relu.asm $regions --json stats.json --clock 500 --latency 7
has stdout "^at 500 MHz: [0-9.]+ ms\$"
python3 - <<'END' || fail "the JSON"
import json
stats = json.load(open("stats.json"))
counters = stats["counters"]
assert stats["model"] == "relu" and stats["config"] == "small8" and stats["target"] == "cycle" and stats["proved"] is True
assert stats["cycles"] == counters["cycles"] < 570 and stats["overrides"] == {"memory_latency": 7}
assert stats["bytes_written"] == counters["store_bytes"] == 256
assert stats["milliseconds"] == stats["cycles"] / 500e3
assert {region["name"]: (region["number"], region["bytes"], region["writable"]) for region in stats["regions"]} == {
    "program": (0, 320, False), "inputs": (3, 256, False), "outputs": (4, 256, True)}
for unit, figures in stats["units"].items():
    assert figures["busy"] + sum(figures["waits"].values()) + figures["empty"] == stats["cycles"], unit
    assert figures["busy"] == counters[unit + "_busy"]
assert [stats["units"][unit]["instructions"] for unit in ("load", "matrix", "vector", "store")] == [2, 0, 1, 1]
END
# shellcheck disable=SC2086
good "$weft" run relu.asm $regions --timing-only
has stdout "done, 561 cycles"
has stdout "^vector +1 +100 +17.8 % +136 +0 +- +0 +325\$"

# ---- a segment of a model ----

good "$weft" compile digits.tflite -o digits.weft
good "$weft" disasm digits.weft -o segment.asm
read -r scratch inputs outputs cycles < <("$source_dir/tests/cli/unpack_segment.py" digits.weft constants.bin)
(npy '|i1' '(1, 16, 16, 1)' False 0 && cat in.bin) >picture.npy
good "$weft" run digits.tflite --input picture.npy --dump-tensors tensors
good "$weft" run digits.weft --input picture.npy
has stdout "target cycle: $cycles cycles"
# The last tensor of the machine: 10 bytes before the host's softmax.
given="--region constants=constants.bin --region inputs=in.bin --region outputs=@$outputs"
[ "$scratch" = 0 ] || given="$given --region scratch=@$scratch"
equal "$inputs" 256 "bytes of inputs"
for target in func cycle; do
    # shellcheck disable=SC2086
    good "$weft" run segment.asm --config ref16 $given --target $target --dump-memory outputs=out/o
    [ $target = func ] || has stdout "target cycle: done, $cycles cycles, 117 of 117 instructions dispatched\$"
    found=0
    for tensor in tensors/*.npy; do
        [ "$(size "$tensor")" != 138 ] || cmp -s <(tail -c 10 "$tensor") <(head -c 10 out/o) && found=$((found + 1))
    done
    [ $found -gt 0 ] || fail "no tensor of the model is what the program left"
    rm out/o
done
# shellcheck disable=SC2086
good "$weft" trace segment.asm $given -o out/t.json
rm out/*

# ---- a machine that lacks what it can ----

sed 's/"small8"/"bare8"/; s/\(zero_point\|lookup\|multiply\|gemmlowp\|counters\)": 1/\1": 0/' "$source_dir/hw/configs/small8.json" > bare8.json
bare=${regions/small8/bare8.json}
# shellcheck disable=SC2086
good "$weft" run relu.asm $bare --target cycle --dump-memory outputs=out/o --dump-memory lut=out/lut --json bare8_figures.json
same out/o relu.bin
# The cycle model counts what such a machine cannot: the table is that of the machine with counters.
sed 's/bare8/small8/' stdout >counted.txt
# shellcheck disable=SC2086
good "$weft" run relu.asm $regions --target cycle --json small8_figures.json
same stdout counted.txt
run python3 - <<'END'
import json
bare, small = (json.load(open(name + "_figures.json")) for name in ("bare8", "small8"))
for key in ("cycles", "bytes_read", "bytes_written", "units"):
    assert bare[key] == small[key], key
assert bare["bytes_read"] > 0 and bare["counters"]["load_bytes"] == 0
END
equal $status 0 "figures of a machine without counters"
equal "$(size out/lut)" 0 "bytes of tables"
rm out/*
# A fault, too, is counted up to where it is.
fails "line 5: fault at instruction 3: address past" "$weft" run relu.asm --config bare8.json --region inputs=in.bin
printf 'vector act_banks=0-2 function=mul out=512\nhalt\n' > product.asm
for target in func cycle; do
    bad "line 1: fault at instruction 0: illegal encoding; the verifier: instruction 0 (vector): needs multiply, which the configuration does not have" \
        "$weft" run product.asm --config bare8.json --target $target
done
bad "weft: product.asm: line 1: instruction 0 (vector): needs multiply, which the configuration does not have" \
    "$weft" verify product.asm --config bare8.json
good "$weft" verify product.asm --config small8

# ---- faults ----

fails "weft: relu.asm: line 2: fault at instruction 0: address past a memory or region; the verifier: instruction 0 (load): bytes 0 to 255 of external (region 3), which has 0" \
    "$weft" run relu.asm --config small8 --region outputs=@256
has stdout "^relu on small8, target cycle: fault, [0-9]+ cycles, 1 of 5 instructions dispatched\$"
fails "weft: program.bin: fault at instruction 0: address past" "$weft" run program.bin --config small8 --region outputs=@256 --target func
fails "line 5: fault at instruction 3: address past a memory or region; the verifier: instruction 3 (store): bytes 0 to 255 of external (region 4), which has 255" \
    "$weft" run relu.asm --config small8 --region inputs=in.bin --region outputs=@255 --dump-memory act=out/act --json out/x.json
bad "weft: relu.asm: line 2: instruction 0 (load): bytes 0 to 255 of external (region 3), which has 1" \
    "$weft" verify relu.asm --config small8 --region inputs=@1 --region outputs=@256
bad "weft: relu.asm: line 2: instruction 0 (load): bytes" "$weft" trace relu.asm --config small8 -o out/t.json
for region in 1 3; do
    sed "s/region=4/region=$region/" relu.asm >wrong.asm
    fails "weft: wrong.asm: line 5: fault at instruction 3: store to a region that cannot be written; the verifier: instruction 3 (store): stores to region $region, which cannot" \
        "$weft" run wrong.asm --config small8 --region inputs=in.bin --region constants=@256
done
for region in 2 5 6 7; do
    sed "s/region=4/region=$region/" relu.asm >scratch.asm
    good "$weft" run scratch.asm --config small8 --region inputs=in.bin --region $region=@256 --dump-memory $region=out/o
    same out/o relu.bin
    rm out/o
done
sed 's/ signal=vector//' relu.asm >wrong.asm
# shellcheck disable=SC2086
fails "every unit waits; the verifier: " "$weft" run wrong.asm $regions
grep -v halt relu.asm >wrong.asm
# shellcheck disable=SC2086
fails "fault at instruction 4: program region ended without HALT; the verifier: " "$weft" run wrong.asm $regions
# shellcheck disable=SC2086
fails "fault at instruction " "$weft" run relu.asm $regions --watchdog 300
has stderr "watchdog limit reached$"
# What does not fault, but whose data nobody can promise: a line that is read after it is written, two pixels in one accumulator.
sed 's/out=512/out=1/' relu.asm >wrong.asm
# shellcheck disable=SC2086
bad "weft: wrong.asm: line 4: no fault, but the verifier rejects it: instruction 2 (vector): results overlap operand a" \
    "$weft" run wrong.asm $regions --dump-memory outputs=out/o
# shellcheck disable=SC2086
bad "weft: wrong.asm: line 4: no fault, but" "$weft" run wrong.asm $regions --target func
# shellcheck disable=SC2086
good "$weft" run wrong.asm $regions --timing-only
has stdout "^not proved: instruction 2 \(vector\): results overlap operand a\$"
# Programs that would take for ever.
sed 's/^load /load count=65535,65535,65535 /' relu.asm >endless.asm
for command in "run --target func" run verify "trace -o out/x"; do
    # shellcheck disable=SC2086
    bad "cycles that the program may take: 32698831265266652, more than the limit of 200000000 (--cycle-limit raises it)" \
        "$weft" $command endless.asm $regions
done
sed -i 's/out=512/out=1/' endless.asm # not proved: it is given up
# shellcheck disable=SC2086
fails "watchdog limit reached; the verifier: " "$weft" run endless.asm $regions --cycle-limit 100000
# shellcheck disable=SC2086
bad "cycles that the program may take: 855, more than the limit of 854" "$weft" run relu.asm $regions --cycle-limit 854
# shellcheck disable=SC2086
good "$weft" run relu.asm $regions --cycle-limit 855

# ---- files that are no programs ----

bad "weft: nosuch.asm: No such file" "$weft" run nosuch.asm
bad "weft: out: not a regular file" "$weft" run out
for length in 0 1 63 64 100 319; do
    head -c $length program.bin >cut.bin
    for command in run verify "trace -o out/x"; do
        # shellcheck disable=SC2086
        bad "weft: cut.bin: " "$weft" $command cut.bin $regions
    done
done
: >empty.bin
bad "weft: empty.bin: the program has no instructions" "$weft" run empty.bin
: >empty.asm
bad "weft: empty.asm: the program has no instructions" "$weft" verify empty.asm
echo "; nothing" >empty.asm
bad "weft: empty.asm: the program has no instructions" "$weft" trace empty.asm -o out/x
head -c 100 program.bin >cut.bin
bad "weft: cut.bin: program has 100 bytes, expected a multiple of 64" "$weft" run cut.bin
for ((offset = 0; offset < 320; offset += 3)); do
    flip program.bin $offset $((1 << offset % 8)) flipped.bin
    run "$weft" run flipped.bin --config small8 --region inputs=in.bin --region outputs=@256
    [ $status = 0 ] || complains "weft: flipped.bin: "
done
length=$(size relu.asm)
for ((offset = 0; offset < length; offset += 5)); do
    flip relu.asm $offset 4 flipped.asm
    run "$weft" run flipped.asm --config small8 --region inputs=in.bin --region outputs=@256
    [ $status = 0 ] || complains "weft: flipped.asm: "
done
printf 'halt\njump 7\n' >wrong.asm
bad "weft: wrong.asm: line 2: unknown instruction 'jump'" "$weft" run wrong.asm
printf 'load run=x\n' >wrong # text by its first word
bad "weft: wrong: line 1: expected a number, not 'x'" "$weft" run wrong
bad "weft: relu.asm: configuration nosuch: No such file" "$weft" run relu.asm --config nosuch
bad "weft: relu.asm: " "$weft" compile relu.asm -o out/x.weft
# A program that takes far more memory than its text.
head -c 100000 /dev/zero | sed 's/\x00/halt\n/g' >many.asm
bad "weft: many.asm: the program needs " "$weft" verify many.asm --memory-limit 9M
has stderr "bytes of memory, at most 9437184 are allowed \(--memory-limit\)"
bad "weft: many.asm: line 1: instruction 0: expected exactly one HALT, as the last of 100000" "$weft" verify many.asm
# Models keep their messages.
head -c 100 digits.tflite >cut.tflite
bad "weft: cut.tflite: " "$weft" run cut.tflite --timing-only
head -c 100 digits.weft >cut.bin
bad "weft: cut.bin: " "$weft" verify cut.bin

# ---- regions and dumps ----

bad "--region 'inputs': expected NAME=FILE or NAME=@BYTES" "$weft" run relu.asm --region inputs
bad "--region 'inputs=': expected NAME=FILE or NAME=@BYTES" "$weft" run relu.asm --region inputs=
bad "there is no region '' for --region" "$weft" verify relu.asm --region =in.bin
bad "there is no region 'input' for --region; did you mean inputs? (constants, scratch, inputs, outputs, 5, 6, 7)" "$weft" run relu.asm --region input=in.bin
bad "there is no region 'program' for --region" "$weft" run relu.asm --region program=in.bin
bad "there is no region '0' for --region" "$weft" run relu.asm --region 0=in.bin
bad "there is no region '8' for --region" "$weft" run relu.asm --region 8=in.bin
bad "there is no region 'act' for --region" "$weft" run relu.asm --region act=in.bin
bad "--region inputs is given twice" "$weft" run relu.asm --region inputs=in.bin --region 3=@5
for size in "" 0 -1 1.5 0x10 1T 1k " 4" 99999999999999999999 1125899906842625 18446744073709551617; do
    bad "--region 'scratch=@$size': expected bytes, as @4096 or @64K" "$weft" run relu.asm --region "scratch=@$size"
done
bad "weft: relu.asm: region scratch has 5368709120 bytes, at most 1073741824 are possible" "$weft" run relu.asm --region scratch=@5G
bad "weft: relu.asm: region 7 has 1125899906842624 bytes, at most" "$weft" verify relu.asm --region 7=@1125899906842624
bad "weft: relu.asm: the program with its regions needs " "$weft" run relu.asm --region scratch=@1G
has stderr "at most 1073741824 are allowed \(--memory-limit\)"
bad "weft: relu.asm: the program with its regions needs " "$weft" trace relu.asm --region 5=@600M --region 6=@600M -o out/x
bad "(--memory-limit)" "$weft" run relu.asm --memory-limit 9K
truncate -s 2M large
bad "weft: relu.asm: the program with its regions needs " "$weft" run relu.asm --region scratch=large --memory-limit 2M
truncate -s 5G large
bad "weft: large: " "$weft" verify relu.asm --region scratch=large
rm large
bad "weft: nosuch: No such file" "$weft" run relu.asm --region inputs=nosuch
bad "weft: out: not a regular file" "$weft" verify relu.asm --region inputs=out
: >nothing # as if it were not given
fails "which has 0" "$weft" run relu.asm --config small8 --region inputs=nothing --region outputs=@256
bad "--dump-memory 'act': expected NAME=FILE" "$weft" run relu.asm --dump-memory act
has_not stderr "@BYTES"
bad "there is no memory 'atc' for --dump-memory; did you mean act? (act, wgt, acc, par, lut, program, constants, scratch, inputs, outputs, 5, 6, 7)" \
    "$weft" run relu.asm --dump-memory atc=out/x
bad "--dump-memory scratch=out/x: region scratch has no bytes; --region gives it some" "$weft" run relu.asm --dump-memory scratch=out/x
# shellcheck disable=SC2086
bad "weft: out/no/x: could not be written" "$weft" run relu.asm $regions --dump-memory act=out/y --dump-memory outputs=out/no/x --json out/z
bad "--timing-only neither reads nor computes data" "$weft" run relu.asm --timing-only --dump-memory act=out/x
bad "--region is given more than 8 times" "$weft" run relu.asm --region 1=@1 --region 2=@1 --region 3=@1 --region 4=@1 --region 5=@1 \
    --region 6=@1 --region 7=@1 --region 8=@1 --region 9=@1

# ---- one file under two names ----

ln -s in.bin link.bin
bad "--dump-memory outputs=./in.bin is also --region inputs=link.bin" \
    "$weft" run relu.asm --region inputs=link.bin --region outputs=@256 --dump-memory outputs=./in.bin
bad "--dump-memory act=relu.asm is also relu.asm" "$weft" run relu.asm --dump-memory act=relu.asm
bad "--dump-memory wgt=./out/x is also --dump-memory act=out/x" "$weft" run relu.asm --dump-memory act=out/x --dump-memory wgt=./out/x
bad "--dump-memory act=out/x is also --json out/x" "$weft" run relu.asm --dump-memory act=out/x --json out/x
bad "--output in.bin is also --region inputs=in.bin" "$weft" trace relu.asm --region inputs=in.bin -o in.bin
bad "standard input can be read once" "$weft" run - --region inputs=-
bad "--dump-memory wgt=- is also --dump-memory act=-" "$weft" run relu.asm --dump-memory act=- --dump-memory wgt=-
# A size is no file, whatever is called so.
cp in.bin @256
good "$weft" run relu.asm --config small8 --region inputs=./@256 --region outputs=@256 --dump-memory outputs=out/@o
same out/@o relu.bin
rm out/@o
# One file for two regions is read twice.
good "$weft" verify relu.asm --config small8 --region inputs=in.bin --region outputs=in.bin

# ---- options of the others ----

for option in "--input in.bin" "--output out/x" "--dump-tensors out/t" "--show" "--host-limit 5" "--technology 45nm" "--area ecp5" \
    "--frames 2" "--batch 2" "--effort 3" "--dim N=4" "--host plain"; do
    # shellcheck disable=SC2086
    bad "relu.asm: ${option%% *} is for models; this is an assembled program, which has regions (--region) and memories (--dump-memory)" \
        "$weft" run relu.asm $option
done
bad "--segment is for models" "$weft" run relu.asm --target rtl --wave out/x --segment 0
bad "--host-limit is for models" "$weft" verify relu.asm --host-limit 5
bad "an assembled program runs on the machine, not on the host" "$weft" run relu.asm --target host
# shellcheck disable=SC2086
bad "weft: relu.asm: target func knows no time" "$weft" run relu.asm $regions --target func --latency 5
# shellcheck disable=SC2086
bad "weft: relu.asm: target func knows no time" "$weft" run relu.asm $regions --target func --timing-only
for file in digits.tflite digits.weft; do
    for command in "run --timing-only" verify "trace -o out/x" "cosim --input picture.npy"; do
        # shellcheck disable=SC2086
        bad "$file: --region is for assembled programs, X.bin or X.asm; this is none" "$weft" $command $file --region inputs=@5
    done
    bad "$file: --dump-memory is for assembled programs" "$weft" run $file --timing-only --dump-memory act=out/x
done
bad "--print reads what was recorded; only -o goes with it" "$weft" trace --print digits.weft --region inputs=@5
bad "unknown option '--dump-memory'" "$weft" verify relu.asm --dump-memory act=out/x
for command in inspect explain "report -o out/x"; do
    # shellcheck disable=SC2086
    bad "weft: relu.asm: an assembled program, which run, verify, cosim and trace take" "$weft" $command relu.asm
done

# ---- the RTL ----

mkdir no_rtl
# A model of floats is the host's as a whole: nothing is compared, which is no success. Before the RTL is asked for, which no machine needs.
run "$weft" compile "$source_dir/tests/cli/kept_in_float.ir" -o host.weft
bad "weft: host.weft: nothing of it runs on the machine, so there is nothing to compare" "$weft" cosim host.weft
for command in "run --target rtl" cosim; do
    # shellcheck disable=SC2086
    WEFT_RTL_PATH=$work/no_rtl bad "weft: relu.asm: the RTL of configuration small8 is not built" "$weft" $command relu.asm $regions
done
rtl=${WEFT_RTL_PATH:-$(dirname "$weft")/../lib}
if [ -f "$rtl/weft_rtl_small8.so" ]; then
    export WEFT_RTL_PATH=$rtl
    # shellcheck disable=SC2086
    good "$weft" cosim relu.asm $regions --dump-memory outputs=out/o --dump-memory act=out/cycle
    has stdout "^0 cycles apart: 1 programs, 5 instructions, [0-9]+ bursts, 561 cycles, [0-9]+ bytes of memory are the same\$"
    same out/o relu.bin
    # shellcheck disable=SC2086
    good "$weft" run relu.asm $regions --target rtl --dump-memory outputs=out/o --dump-memory act=out/rtl
    has stdout "target rtl: done, 561 cycles"
    same out/o relu.bin
    same out/rtl out/cycle
    rm out/*
    # The same fault on both, in the same cycle.
    bad "line 5: fault at instruction 3: address past" "$weft" cosim relu.asm --config small8 --region inputs=in.bin
    has stdout "^0 cycles apart: 1 programs, 4 instructions, "
    fails "line 5: fault at instruction 3: address past" "$weft" run relu.asm --config small8 --region inputs=in.bin --target rtl
    sed 's/out=512/out=1/' relu.asm >wrong.asm
    # shellcheck disable=SC2086
    bad "no fault, but the verifier rejects it" "$weft" cosim wrong.asm $regions --dump-memory act=out/x
    has stdout "^0 cycles apart: 1 programs, 5 instructions, "
    # Windows that the verifier refuses: without columns both take the same time; two lines of one in a sub-bank are an assertion of the RTL.
    echo "matrix act_banks=0 wgt_banks=0 acc_banks=0 mode=depthwise window_rows=1 window_step=1 pixel_count=1,3" >window.asm
    echo halt >>window.asm
    bad "line 1: no fault, but the verifier rejects it: instruction 0 (matrix): a window has" "$weft" cosim window.asm --config small8
    has stdout "^0 cycles apart: 1 programs, 2 instructions, "
    sed -i 's/rows=1/rows=2 window_columns=1/' window.asm
    for command in cosim "run --target rtl"; do
        # shellcheck disable=SC2086
        bad "line 1: the verifier rejects it: instruction 0 (matrix): " "$weft" $command window.asm --config small8
        has stderr "; the RTL: cycle [0-9]*: weft_matrix_read.sv:"
        equal "$(cat stdout)" "" "what it prints"
    done
else
    echo "skipped: the RTL of small8, which is not built"
fi

summary
