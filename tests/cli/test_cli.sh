#!/usr/bin/env bash
# Every subcommand of weft on the embedded network: what it gives, and what it says when it cannot.
# usage: test_cli.sh WEFT BREAK_PROGRAM SOURCE_DIR
set -u
export LC_ALL=C
weft=$1
break_program=$2
source_dir=$3
digits=$source_dir/models/digits
configs=$source_dir/hw/configs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir out
cp "$digits/digits.tflite" "$digits/3.png" .
cp "$digits/goldens/3.output.npy" golden.npy
# shellcheck source=tests/cli/checks.sh
. "$source_dir/tests/cli/checks.sh"

# ---- weft ----

good "$weft" --help
mv stdout usage
good "$weft" help
same stdout usage
for word in compile run verify disasm asm inspect operators explain export trace report small8 ref16 large32; do
    has usage "\\b$word\\b"
done
bad "give a command" "$weft"
bad "there is no command 'nosuch'" "$weft" nosuch
bad "there is no command ''" "$weft" ""
bad "there is no command '--config'" "$weft" --config ref16
for command in compile run verify disasm asm inspect explain export trace report; do
    bad "weft: $command: " "$weft" $command
    bad "weft: $command: unknown option '--nosuch'" "$weft" $command digits.tflite --nosuch
    bad "weft: $command: unknown option '-x'" "$weft" $command digits.tflite -x
    bad "weft: $command: unexpected argument 'two'" "$weft" $command digits.tflite two
    has usage "^    weft $command "
done
for pair in "compile --output" "compile -o" "compile --config" "run --input" "run --json" "verify --config" \
    "disasm --segment" "asm -o" "inspect --json" "trace -o" "trace --latency" "report -o"; do
    # shellcheck disable=SC2086 # a command and its option
    bad "option '${pair#* }' needs a value" "$weft" ${pair% *} digits.tflite ${pair#* }
done

# Output that goes nowhere is no success.
checks=$((checks + 1))
for arguments in "--help" "compile digits.tflite --dump-after import" "verify digits.tflite" "inspect digits.tflite" \
    "run digits.tflite --timing-only"; do
    last="$weft $arguments >/dev/full"
    # shellcheck disable=SC2086 # a list of arguments
    timeout 120 "$weft" $arguments >/dev/full 2>stderr
    status=$?
    complains "standard output: could not be written"
done

# ---- compile ----

good "$weft" compile digits.tflite -o digits.weft
equal "$(head -c 4 digits.weft)" WEFT "magic"
[ ! -s stdout ] || fail "compile printed something"
good "$weft" compile digits.tflite --output out/again.weft --config ref16
same out/again.weft digits.weft
good "$weft" compile digits.tflite -o out/again.weft --config "$configs/ref16.json"
same out/again.weft digits.weft
for config in small8 large32; do
    good "$weft" compile digits.tflite -o $config.weft --config $config
    good "$weft" inspect $config.weft
    has stdout "^digits for $config; on the host 1 operator: "
done
ln -s target.weft out/link.weft
cp small8.weft out/target.weft
good "$weft" compile digits.tflite -o out/link.weft
same out/target.weft digits.weft
[ -L out/link.weft ] || fail "the link was replaced"
rm out/*

passes="import move-quantize fuse-quantize slice-gathers fewer-axes sink-transposes merge-moves pool-maxima fold-constants simplify-moves drop-identities lower-activations make-dense recognise-functions fold-scales narrow-requantize merge-requantize merge-clips"
passes="$passes fold-pad divide-phases cut-taps shuffle-channels make-tables scale-channels find-multipliers cut-channels merge-common remove-unused merge-composites annotate-targets merge-regions partition"
passes="$passes release-regions"
: >all-passes
for pass in $passes; do
    good "$weft" compile digits.tflite --dump-after "$pass"
    has stdout "^// after $pass\$"
    equal "$(grep -c '^graph main(' stdout)" 1 "graphs after $pass"
    cat stdout >>all-passes
    cp stdout "after-$pass.ir"
done
good "$weft" compile digits.tflite --dump-after all
same stdout all-passes

# What a pass leaves is a graph that can be compiled: to the same program, whichever pass it was.
good "$weft" compile digits.tflite -o out/model.weft
good "$weft" inspect out/model.weft
tail -n +2 stdout >model.txt
good "$weft" run digits.tflite --input 3.png --output out/model.npy
for pass in $passes; do
    mv "after-$pass.ir" out/digits.ir
    good "$weft" compile out/digits.ir -o out/again.weft --dump-after import
    [ "$pass" != import ] || same stdout out/digits.ir
    good "$weft" inspect out/again.weft
    tail -n +2 stdout >again.txt
    same again.txt model.txt
    good "$weft" run out/again.weft --input 3.png --output out/text.npy
    same out/text.npy out/model.npy
done
good "$weft" run out/digits.ir --input 3.png --output out/text.npy
same out/text.npy out/model.npy
"$weft" compile - -o out/again.weft <out/digits.ir || fail "a graph from standard input"
rm out/* model.txt again.txt

# Constants in files: below the folder of the text and nowhere else.
mkdir -p net/w
cp golden.npy net/w/k.npy
ln -s ../../golden.npy net/w/link.npy
text() {
    printf 'graph g(%%x: 1x10xi8) {\n  %%k = constant() data="%s" : %s\n' "$1" "$2"
    printf '  %%r = maximum(%%x, %%k) : 1x10xi8\n  return %%r\n}\n'
}
text w/k.npy 1x10xi8 >net/net.ir
good "$weft" run net/net.ir --input golden.npy --output out/r.npy
same out/r.npy golden.npy
rm out/r.npy
cp net/net.ir net/0.ir
text 0.npy 1x10xi8 >net/net.ir
cp golden.npy net/0.npy
bad "--output net/../net/w/k.npy is also net/w/k.npy, which the model reads" \
    "$weft" run net/0.ir --input golden.npy --output net/../net/w/k.npy
bad "net/0.npy can be a file of --dump-tensors net, which the model reads" \
    "$weft" run net/net.ir --input golden.npy --dump-tensors net
same net/0.npy golden.npy
same net/w/k.npy golden.npy
(cd net && text w/k.npy 1x10xi8 | "$weft" inspect - >../stdout) || fail "constants of a graph from standard input"
for path in ../golden.npy w/../../golden.npy "$PWD/golden.npy" .. w/..; do
    text "$path" 1x10xi8 >net/net.ir
    bad "line 2: $path: expected a path below the folder of the text" "$weft" inspect net/net.ir
done
text w/link.npy 1x10xi8 >net/net.ir
bad "line 2: w/link.npy: leads out of the folder of the text" "$weft" inspect net/net.ir
text w/none.npy 1x10xi8 >net/net.ir
bad "line 2: w/none.npy: No such file or directory" "$weft" inspect net/net.ir
text w/k.npy 1x1x10xi8 >net/net.ir
bad "line 2: w/k.npy: holds 1x10 of type" "$weft" inspect net/net.ir
rm -r net

# Channels that nothing needs are not computed, and counted.
point='strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] groups=1'
cat >dead.ir <<END
graph dead(%x: 1x1x1x10xi8{0.5, -1}) {
  %w = constant() data=[1, 2, 3, 4, 5, 6, 7, 8, 9, 10] : 1x1x1x10xi8{0.5, 0}
  %u = reshape(%w) : 1x1x1x10xi8{0.5, 0}
  %v = concatenate(%w, %u) axis=0 : 2x1x1x10xi8{0.5, 0}
  %c = qnn.conv2d(%x, %v) $point : 1x1x1x2xi32{0.25, 0}
  %e = qnn.requantize(%c) rounding="gemmlowp" : 1x1x1x2xi8{0.5, 4}
  %k = constant() data=[0, 3] : 1x1x1x2xi8{0.5, 0}
  %d = qnn.conv2d(%e, %k) $point : 1x1x1x1xi32{0.25, 0}
  %r = qnn.requantize(%d) rounding="gemmlowp" : 1x1x1x1xi8{8, 0}
  return %r
}
END
good "$weft" inspect dead.ir
has stdout "conv2d  *1x1x1x1  20 MAC, 10 of them cut\$"
has stdout "conv2d  *1x1x1x1  2 MAC, 1 of them cut\$"
good "$weft" run dead.ir --timing-only
has stdout "(50.0 % of the multiplications are cut: nothing needs them)"
rm dead.ir

good "$weft" compile digits.tflite --dump-after keep-tensors --keep-tensors
equal "$(sed -n 's/^  return //p' stdout | tr ',' '\n' | wc -l)" "$(grep -c '"index"' "$digits/goldens/3.tensors.json")" \
    "outputs after keep-tensors"
good "$weft" compile digits.tflite -o out/kept.weft --dump-after partition --keep-tensors
has stdout "^// after partition\$"
good "$weft" verify out/kept.weft
rm out/kept.weft
bad "pass 'keep-tensors' does not run without --keep-tensors" \
    "$weft" compile digits.tflite -o out/x.weft --dump-after keep-tensors
bad "pass 'fold-pad' does not run with --keep-tensors" \
    "$weft" compile digits.tflite -o out/x.weft --dump-after fold-pad --keep-tensors
bad "there is no pass 'nosuch'" "$weft" compile digits.tflite -o out/x.weft --dump-after nosuch
has stderr "import, move-quantize, fuse-quantize, keep-tensors, slice-gathers, fewer-axes, sink-transposes, merge-moves, pool-maxima, fold-constants, .*fold-pad, .*partition"
bad "give a model and -o" "$weft" compile digits.tflite
bad "weft: digits.tflite: configuration nosuch: " "$weft" compile digits.tflite -o out/x.weft --config nosuch
# RELU6, and EMBEDDING_LOOKUP version 2, which Weft does not know; made with tests/differential/model.py.
unknown=$source_dir/tests/cli/unknown_operator.tflite
for command in "compile -o out/x.weft" "run --timing-only" inspect; do
    # shellcheck disable=SC2086 # words
    bad "weft: $unknown: operator 1 (EMBEDDING_LOOKUP version 2): this operator is not supported" "$weft" $command "$unknown"
done
bad "weft: nosuch.tflite: No such file" "$weft" compile nosuch.tflite -o out/x.weft
bad "weft: out: not a regular file" "$weft" compile out -o out/x.weft
bad "weft: out/no/x.weft: could not be written" "$weft" compile digits.tflite -o out/no/x.weft
bad "weft: $work: could not be written: Is a directory" "$weft" compile digits.tflite -o "$work"
bad "weft: digits.weft: " "$weft" compile digits.weft -o out/x.weft
bad "weft: 3.png: " "$weft" compile 3.png -o out/x.weft

# ---- the limit of memory ----

"$weft" compile digits.tflite -o limited.weft
for command in "compile digits.tflite -o out/x.weft" "run digits.tflite --timing-only" "verify limited.weft" \
    "inspect limited.weft" "disasm limited.weft -o out/x.asm" "trace limited.weft -o out/x.json" \
    "report limited.weft -o out/x.html" "cosim limited.weft --input 3.png"; do
    # shellcheck disable=SC2086
    bad "(--memory-limit)" "$weft" $command --memory-limit 9K
done
good "$weft" run limited.weft --timing-only --memory-limit 800K
has stdout "target cycle: 7489 cycles"
has stdout "^no table of layers: a recording needs "
bad "a recording needs " "$weft" run limited.weft --timing-only --memory-limit 800K --json out/x.json
good "$weft" verify limited.weft --memory-limit 2M
bad "--memory-limit '1T': expected bytes" "$weft" verify limited.weft --memory-limit 1T
bad "--memory-limit '0': expected bytes" "$weft" verify limited.weft --memory-limit 0
bad "--memory-limit 'M': expected bytes" "$weft" verify limited.weft --memory-limit M

# A picture without pixels.
printf 'BM6\0\0\0\0\0\0\0\066\0\0\0\050\0\0\0\0\0\0\0\001\0\0\0\001\0\030\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >zero.bmp
bad "the picture has 0 x 1 pixels" "$weft" run limited.weft --input zero.bmp --output out/x.npy
mkfifo pipe
bad "weft: pipe: not a regular file" "$weft" compile pipe -o out/x.weft

# ---- damaged models ----

for length in 0 1 7 8 20 100 1000 5000 20000 32991; do
    head -c $length digits.tflite >cut.tflite
    bad "weft: cut.tflite: " "$weft" compile cut.tflite -o out/x.weft
done
for ((offset = 0; offset < 32992; offset += 701)); do
    flip digits.tflite $offset 129 flipped.tflite
    good_or_bad "weft: flipped.tflite: " "$weft" compile flipped.tflite -o out/x.weft
done
for offset in 0 4 5 6 7; do
    flip digits.tflite $offset 128 flipped.tflite
    bad "weft: flipped.tflite: " "$weft" compile flipped.tflite -o out/x.weft
done

# ---- damaged configurations ----

ref16=$configs/ref16.json
length=$(size "$ref16")
for ((cut = 0; cut < length - 2; cut += 23)); do
    head -c $cut "$ref16" >cut.json
    bad "weft: digits.tflite: configuration cut.json: " "$weft" compile digits.tflite -o out/x.weft --config cut.json
    bad "weft: digits.tflite: configuration cut.json: " "$weft" run digits.tflite --timing-only --config cut.json
done
for ((offset = 0; offset < length; offset += 37)); do
    flip "$ref16" $offset 128 flipped.json
    good_or_bad "flipped.json: " "$weft" inspect digits.tflite --config flipped.json --json out/x.json
done
sed 's/"block": 16/"block": 12/' "$ref16" >wrong.json
bad "block is a power of two" "$weft" verify digits.tflite --config wrong.json
sed 's/"block": 16/"block": 64/' "$ref16" >wrong.json
bad '"block" is 64, expected 8 to 32' "$weft" verify digits.tflite --config wrong.json
sed 's/"block"/"blocks"/' "$ref16" >wrong.json
bad '"block" is missing' "$weft" verify digits.tflite --config wrong.json
# A machine whose semaphores are too small for the network: the host does it, and is told why.
sed 's/"ref16"/"tiny"/; s/"semaphore_max": [0-9]*/"semaphore_max": 1/' "$ref16" >tiny.json
good "$weft" run digits.tflite --input 3.png --output out/x.npy --config tiny.json
same out/x.npy golden.npy
has stdout "^ +[0-9]+ qnn.conv2d .*host .*semaphores that hold [0-9]+ tokens \(semaphore_max is 1 in configuration tiny\)"
rm out/x.npy
# With as many as it asks for, the machine does it.
most=$(sed -nE 's/.*semaphores that hold ([0-9]+) tokens.*/\1/p' stdout | sort -n | tail -n 1)
sed 's/"ref16"/"tiny"/; s/"semaphore_max": [0-9]*/"semaphore_max": '"$most/" "$ref16" >tiny.json
good "$weft" run digits.tflite --input 3.png --output out/x.npy --config tiny.json
same out/x.npy golden.npy
has stdout "^ +[0-9]+ conv2d .* matrix "
has_not stdout "semaphore_max"
rm out/x.npy
# The smallest memories that it does fit give the same bytes.
sed -E 's/"name": "ref16"/"name": "tiny"/; s/"act_bytes": [0-9]*/"act_bytes": 4096/
    s/"wgt_bytes": [0-9]*/"wgt_bytes": 4096/; s/"acc_bytes": [0-9]*/"acc_bytes": 4096/
    s/"par_bytes": [0-9]*/"par_bytes": 1024/; s/"queue_depth": [0-9]*/"queue_depth": 2/' "$ref16" >tiny.json
good "$weft" run digits.tflite --input 3.png --output out/x.npy --config tiny.json
same out/x.npy golden.npy
rm out/*

# ---- frames ----

for option in frames batch; do
    good "$weft" run digits.tflite --$option 3 --input 3.png --output out/3.npy
    has stdout "^3 frames, "
    for frame in 0 1 2; do
        equal "$(tail -c 30 out/3.npy | head -c $((10 * frame + 10)) | tail -c 10 | od -An -tx1)" "$(tail -c 10 golden.npy | od -An -tx1)" \
            "frame $frame"
    done
    good "$weft" compile digits.tflite --$option 3 -o three.weft
    good "$weft" verify three.weft
    good "$weft" run three.weft --input "$digits/1.png" --input 3.png --input "$digits/2.png" --output out/again.npy
    equal "$(tail -c 20 out/again.npy | head -c 10 | od -An -tx1)" "$(tail -c 10 golden.npy | od -An -tx1)" "the frame in the middle"
    good "$weft" run three.weft --$option 3 --timing-only --json three.json
    has three.json '"frames": 3'
    rm out/*
    bad "compiled for 3 frames, " "$weft" run three.weft --$option 4 --timing-only
    bad "3 frames, 2 are given" "$weft" run three.weft --input 3.png --input 3.png
done
good "$weft" run digits.tflite --frames 3 --timing-only --json three.json
has stdout "^3 frames, one after the other: [0-9.]+ cycles a frame; in the steady state one every [0-9.]+$"
has three.json '"frame_period": [0-9]'
bad "compiled for 3 frames, in the fastest order" "$weft" run three.weft --frames 3 --timing-only
bad "compiled for 1 frame;" "$weft" run digits.weft --frames 3 --timing-only
bad "two orders of the same" "$weft" run digits.tflite --frames 3 --batch 3 --timing-only
bad "expected a number above 0, at most 4096" "$weft" run digits.tflite --batch 4097 --timing-only
for wrong in 0 -1 x 99999999999999999999; do
    bad "--frames '$wrong': expected a number above 0" "$weft" run digits.tflite --frames=$wrong --timing-only
done
rm three.*

# ---- effort: the same bytes, never more cycles ----

cycles_of() {
    sed -n 's/^ *"cycles": \([0-9]*\),*$/\1/p' "$1" | head -1
}
good "$weft" run digits.tflite --timing-only --json less.json
for effort in 1 2 4; do
    good "$weft" run digits.tflite --effort $effort --input 3.png --output out/3.npy --json more.json
    same out/3.npy golden.npy
    test "$(cycles_of more.json)" -le "$(cycles_of less.json)" || fail "effort $effort: $(cycles_of more.json) cycles, $(cycles_of less.json) with less"
    mv more.json less.json
done
good "$weft" compile digits.tflite --effort 2 -o one.weft --decisions one.json
good "$weft" compile digits.tflite --effort 2 -o other.weft
same one.weft other.weft
rm out/*
for wrong in 0 -1 x 99999999999999999999; do
    bad "--effort '$wrong': expected a number above 0" "$weft" run digits.tflite --effort=$wrong --timing-only
done
bad "expected a number above 0, at most 64" "$weft" run digits.tflite --effort 65 --timing-only
bad "a compiled program has its schedules; give the model" "$weft" run digits.weft --effort 2 --timing-only
bad "--effort is for a search" "$weft" compile digits.tflite --effort 2 --use one.json -o out/x.weft
rm one.* other.weft less.json

# ---- verify ----

for file in digits.weft small8.weft large32.weft digits.tflite; do
    good "$weft" verify $file
    has stdout "^segment 0: proved for [a-z0-9]+: [0-9]+ instructions never fault, race or deadlock\$"
    has stdout "^    [0-9]+ tokens, at most [0-9]+ in a semaphore; [0-9]+ bank hand-overs"
done
good "$weft" verify digits.weft --config "$ref16"
good "$weft" verify digits.tflite --config small8
has stdout "proved for small8"
bad "weft: digits.weft: compiled for configuration ref16, not for small8" "$weft" verify digits.weft --config small8
bad "configuration nosuch: No such file" "$weft" verify digits.weft --config nosuch
run "$break_program" race digits.weft broken.weft
[ $status = 0 ] || fail "no broken program"
for command in verify inspect disasm "run --timing-only"; do
    # shellcheck disable=SC2086 # a command and a flag
    bad "weft: broken.weft: semaphore " "$weft" $command broken.weft
done

# ---- damaged programs ----

(cat digits.weft && echo) >long.weft
bad "weft: long.weft: 1 bytes are left over" "$weft" verify long.weft
length=$(size digits.weft)
for cut in 0 1 7 8 23 24 100 215 216 217 $((length / 2)) $((length - 1)); do
    head -c "$cut" digits.weft >cut.weft
    bad "weft: cut.weft: " "$weft" verify cut.weft
    bad "weft: cut.weft: " "$weft" run cut.weft --input 3.png --output out/x.npy
done
for ((offset = 0; offset < length; offset += length / 60)); do
    flip digits.weft $offset 1 flipped.weft
    bad "weft: flipped.weft: " "$weft" verify flipped.weft
done
for ((offset = 0; offset < 216; offset++)); do
    flip digits.weft $offset $((1 << offset % 8)) flipped.weft
    bad "weft: flipped.weft: " "$weft" verify flipped.weft
done
flip digits.weft 16 1 flipped.weft
for command in "disasm -o out/x.asm" "inspect --json out/x.json" "run --input 3.png --output out/x.npy"; do
    # shellcheck disable=SC2086 # a command and its options
    bad "compiled for another instruction set or configuration" "$weft" $command flipped.weft
done

# ---- asm and disasm ----

good "$weft" disasm digits.weft -o digits.asm
[ ! -s stdout ] || fail "disasm -o printed something"
good "$weft" disasm digits.weft
same stdout digits.asm
has digits.asm "^; segment 0 for ref16\$"
has digits.asm "^; layer 4: conv2d\$"
good "$weft" disasm digits.weft --segment 0
same stdout digits.asm
good "$weft" asm digits.asm -o digits.bin
equal "$(size digits.bin)" "$((64 * $(grep -vc '^;' digits.asm)))" "bytes of the program"
good "$weft" disasm digits.bin -o out/bin.asm
grep -v '^;' digits.asm >plain.asm
same out/bin.asm plain.asm
good "$weft" asm out/bin.asm -o out/again.bin
same out/again.bin digits.bin
good "$weft" disasm out/again.bin
same stdout out/bin.asm
rm out/*
good "$weft" disasm digits.weft -o /dev/stdout
same stdout digits.asm
for config in small8 large32; do
    good "$weft" disasm $config.weft -o one.asm
    good "$weft" asm one.asm -o one.bin
    good "$weft" disasm one.bin -o two.asm
    good "$weft" asm two.asm -o two.bin
    same one.bin two.bin
    grep -v '^;' one.asm >plain.asm
    same two.asm plain.asm
done
for segment in 1 -1 x "" 0x0 99999999999999999999; do
    bad "weft: digits.weft: there is no segment '$segment'" "$weft" disasm digits.weft --segment "$segment" -o out/x.asm
done
bad "weft: digits.bin: a binary program has no segments" "$weft" disasm digits.bin --segment 0 -o out/x.asm
bad "weft: nosuch.weft: No such file" "$weft" disasm nosuch.weft -o out/x.asm
bad "weft: out/no/x.asm: could not be written" "$weft" disasm digits.weft -o out/no/x.asm
head -c 100 digits.bin >cut.bin
bad "weft: cut.bin: " "$weft" disasm cut.bin -o out/x.asm
flip digits.bin 0 15 flipped.bin
bad "weft: flipped.bin: instruction 0: " "$weft" disasm flipped.bin -o out/x.asm
bad "weft: digits.tflite: " "$weft" disasm digits.tflite -o out/x.asm
bad "weft: digits.asm: it is a program as text already; weft asm" "$weft" disasm digits.asm -o out/x.asm
# Two segments behind each other are two programs.
sed '$!d; s/.*/halt ; of the first/' digits.asm >halts.asm
cat digits.asm >>halts.asm
bad "weft: halts.asm: line 4: expected nothing behind halt" "$weft" asm halts.asm -o out/x.bin
bad "weft: asm: give IN.asm and -o" "$weft" asm digits.asm
bad "weft: nosuch.asm: No such file" "$weft" asm nosuch.asm -o out/x.bin
bad "weft: out/no/x.bin: could not be written" "$weft" asm digits.asm -o out/no/x.bin
printf 'halt\njump 7\n' >wrong.asm
bad "weft: wrong.asm: line 2: unknown instruction 'jump'" "$weft" asm wrong.asm -o out/x.bin
printf '\n; text\nfill count=70000,1,1\n' >wrong.asm
bad "weft: wrong.asm: line 3: " "$weft" asm wrong.asm -o out/x.bin
bad "weft: digits.weft: line 1: " "$weft" asm digits.weft -o out/x.bin

# ---- decisions, explain ----

for config in ref16 small8 large32; do
    good "$weft" compile digits.tflite --config $config -o one.weft --decisions one.json
    good "$weft" compile digits.tflite --config $config -o two.weft --use one.json
    good "$weft" disasm one.weft -o one.asm
    good "$weft" disasm two.weft -o two.asm
    same one.asm two.asm
done
good "$weft" compile digits.tflite --decisions one.json

bad "weft: nosuch: No such file" "$weft" compile digits.tflite -o out/x.weft --use nosuch
sed '0,/"stripe_rows": [0-9]*/s//"stripe_rows": 17/' one.json > wrong.json
bad "weft: wrong.json: region 0: layer 0 (conv2d): stripe_rows is 17, expected 1 to 16" \
    "$weft" compile digits.tflite -o out/x.weft --use wrong.json
bad "weft: digits.tflite: line 1: expected" "$weft" compile digits.tflite -o out/x.weft --use digits.tflite
bad "weft: out/no/x.json: could not be written" "$weft" compile digits.tflite -o out/x.weft --decisions out/no/x.json
# A schedule that was changed by hand: other cycles, the same bytes.
good "$weft" compile digits.tflite --decisions one.json
sed 's/"resident": true/"resident": false/; s/"packed": true/"packed": false/' one.json > hand.json
good "$weft" compile digits.tflite -o hand.weft --use hand.json
good "$weft" run hand.weft --input 3.png --output hand.npy
same hand.npy golden.npy
good "$weft" explain digits.weft
has stdout "^digits on ref16\$"
has stdout "^region 0: [0-9]+ cycles; arithmetic behind products: (yes|no); short last LOADs: (yes|no); whole RAMs: (yes|no); banks of WGT kept: [0-9]+; plain weights: (yes|no)\$"
has stdout "^    schedule 1, .*: [0-9]+\$"
has stdout "^    layer 0: conv2d "
has stdout "^        stripes: [0-9]+ rows, .* tiles: [0-9]+ x [0-9]+ pixels, "
has stdout "^        tried: as it was [0-9]+; .* \([-+][0-9.]+ %\)"
mv stdout explained
good "$weft" explain digits.tflite --json one.json
same stdout explained
good "$weft" compile digits.tflite -o two.weft --use one.json
bad "weft: explain: give a .weft file or a model" "$weft" explain

# ---- inspect ----

good "$weft" inspect digits.tflite
mv stdout inspected
good "$weft" inspect digits.weft
same stdout inspected
has inspected "^digits for ref16; on the host 1 operator: 0 MAC \(0.0 %\), 10 elements \(0.0 %\)\$"
# What the hardware says in its register CONFIGURATION, which its generated package has from the same list.
has inspected "^fingerprint of the configuration: $(tr -d '_' <"$(dirname "$weft")/../generated/rtl/ref16/weft_config_pkg.sv" | sed -n "s/.*FINGERPRINT = 64'h\([0-9a-f]*\);.*/\1/p")\$"
has inspected "^machine, segment 0: [0-9]+ instructions, .* [0-9]+ cycles\$"
has inspected "^    conv2d +1x16x16x16  36864 MAC\$"
has inspected "^    max_pool2d +1x8x8x32\$"
has inspected "^host: qnn.softmax \(operator 12\): a softmax as small as this is not worth loading its table of exponentials\$"
good "$weft" inspect digits.tflite --graph --json stats.json
has stdout "^graph main\(%0: 1x16x16x1xi8"
for key in model config host host_ops segments; do
    has stats.json "^  \"$key\": "
done
has stats.json '"reason": "a softmax as small as this is not worth loading its table of exponentials"'
has stats.json '"operator": 12'
good "$weft" inspect digits.weft --json out/two.json
same out/two.json stats.json
rm out/*
good "$weft" inspect digits.tflite --config large32
has stdout "^digits for large32; on the host 1 operator: "
bad "weft: nosuch: No such file" "$weft" inspect nosuch --json out/x.json
bad "weft: out/no/x.json: could not be written" "$weft" inspect digits.weft --json out/no/x.json
timeout 120 "$weft" inspect "$unknown" >listed 2>stderr
has listed "^not supported: EMBEDDING_LOOKUP version 2, 1 time, first operator 1: this operator is not supported\$"

# ---- operators ----

good "$weft" operators
has stdout "^CONV_2D +machine +INT8, UINT8, INT16, FLOAT32; weights of FLOAT32 may be INT8; machine: constant weights\$"
has stdout "^TILE +host +INT8, "
good "$weft" operators --json stats.json
has stats.json '"name": "EMBEDDING_LOOKUP"'
has stats.json '"supported": false'
good "$weft" operators --markdown
has stdout "^\| CONV_2D \| INT8, UINT8, INT16, FLOAT32 \| machine \| weights of FLOAT32 may be INT8; machine: constant weights \|\$"
bad "weft: operators: unexpected argument 'digits.tflite'" "$weft" operators digits.tflite
bad "weft: operators: unknown option '--nosuch'" "$weft" operators --nosuch
bad "weft: out/no/x.json: could not be written" "$weft" operators --json out/no/x.json

# JSON is UTF-8 whatever the file is called.
cp digits.tflite $'caf\xe9.tflite'
good "$weft" inspect $'caf\xe9.tflite' --json stats.json
has stats.json '"model": "caf\?"'
cp digits.tflite "café.tflite"
good "$weft" run "café.tflite" --timing-only --json stats.json
has stats.json '"model": "café"'

# ---- run: what it gives ----

for file in digits.tflite digits.weft; do
    for target in func cycle; do
        for digit in 0 1 2 3 4 5 6 7 8 9; do
            good "$weft" run $file --input "$digits/$digit.png" --output out/x.npy --target $target
            same out/x.npy "$digits/goldens/$digit.output.npy"
        done
        has stdout "^digits on ref16, target $target: "
        has stdout "^result class +9 +0\.[0-9]{5}\$"
    done
done
for config in small8 large32; do
    good "$weft" run digits.tflite --input 3.png --output out/x.npy --config $config
    same out/x.npy golden.npy
    has stdout "^digits on $config, target cycle: [0-9]+ cycles, [0-9.]+ % of peak( \([0-9.]+ % of the multiplications are cut: nothing needs them\))?; on the host 1 operator: "
    good "$weft" run $config.weft --input 3.png -o out/x.npy
    same out/x.npy golden.npy
done
for host in plain c; do
    good "$weft" run digits.weft --input 3.png --output out/x.npy --host $host
    same out/x.npy golden.npy
done
rm out/*
for host in avx2 avx512; do
    good_or_bad "this processor cannot run the $host kernels" \
        "$weft" run digits.weft --input 3.png --output out/x.npy --host $host
done
good "$weft" run digits.weft --input 3.png --show
equal "$(grep -cE '^    [ .:=+*#%@-]{32}$' stdout)" 16 "rows of the picture"
has stdout "@@"
equal "$(grep -c '^result class' stdout)" 1 "best classes"
has stdout "^result class +3 "
good "$weft" run digits.weft --input 3.png
has_not stdout "@@"

# The picture by its numbers: the same as an array, and with the scale spelled out.
good "$weft" run digits.tflite --input 3.png --dump-tensors out/tensors --output out/x.npy --json stats.json
same out/x.npy golden.npy
same out/tensors/30.npy golden.npy
tensors=$(grep -c '"index"' "$digits/goldens/3.tensors.json")
equal "$(find out/tensors -name '*.npy' | wc -l)" "$tensors" "tensors"
# Outputs without a number, or with that of another one, have numbers behind all others.
cat > numbers.ir <<'END'
graph main(%x: 1x2xf32 #5) {
  %a = relu(%x) : 1x2xf32 #5
  %b = relu(%a) : 1x2xf32
  %c = relu(%b) : 1x2xf32 #5
  return %b, %c
}
END
python3 - <<'END'
header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }".ljust(117) + "\n"
with open("two.npy", "wb") as out:
    out.write(b"\x93NUMPY\x01\x00\x76\x00" + header.encode() + bytes(8))
END
run "$weft" run numbers.ir --input two.npy --dump-tensors out/numbers
equal "$(cd out/numbers && echo *)" "5.npy 6.npy 7.npy" "numbers of tensors"
rm -r out/numbers
# LiteRT's checksums of every tensor of the model; gzip ends with the CRC-32 and the length.
sed -nE 's/^"(index|crc32)": "?([0-9a-f]+)"?,?$/\2/p' "$digits/goldens/3.tensors.json" | paste - - |
    while read -r index crc; do
        got=$(tail -c +129 "out/tensors/$index.npy" | gzip -c | tail -c 8 | od -An -tx4 -N4 | tr -d ' ')
        echo "$index $crc $got"
    done >checksums
equal "$(wc -l <checksums)" "$tensors" "checksums"
equal "$(awk '$2 != $3' checksums)" "" "tensors that are not LiteRT's"
rm -rf out/*
good "$weft" run digits.weft --input 3.png --output out/x.npy --mean 0 --std 255
same out/x.npy golden.npy
good "$weft" run digits.weft --input 3.png --output out/x.npy --mean 255 --std -255
! cmp -s out/x.npy golden.npy || fail "--std -255 changed nothing"
npy '|i1' '(1, 16, 16, 1)' False 256 >zeros.npy
good "$weft" run digits.weft --input zeros.npy --output out/zeros.npy --target func
good "$weft" run digits.weft --input zeros.npy --output out/again.npy --target cycle
same out/zeros.npy out/again.npy
equal "$(size out/zeros.npy)" 138 "bytes of an output"
rm out/*

# ---- programs that take for ever, or write what all sessions share ----

run "$break_program" endless digits.weft endless.weft
for command in verify inspect disasm "run --timing-only" "trace -o out/x" "report -o out/x"; do
    # shellcheck disable=SC2086 # a command and its options
    bad "more than the limit of 200000000 (--cycle-limit raises it)" "$weft" $command endless.weft
done
many=18446744073709551615
good "$weft" verify endless.weft --cycle-limit $many
good "$weft" disasm endless.weft --cycle-limit $many
bad "watchdog limit reached" \
    "$weft" run endless.weft --input 3.png --output out/x.npy --cycle-limit $many --watchdog 100000
good "$weft" inspect digits.weft
has stdout "^    at most [0-9]+ cycles\$"
good "$weft" run digits.weft --timing-only
has stdout "^at most [0-9]+ cycles, of which it took [0-9.]+ %\$"
good "$weft" verify digits.weft
most=$(sed -n 's/^    at most \([0-9]*\) cycles$/\1/p' stdout)
good "$weft" run digits.weft --timing-only --cycle-limit "$most"
bad "more than the limit of $((most - 1))" "$weft" run digits.weft --timing-only --cycle-limit $((most - 1))
for number in 0 -1 x "" 1e3 99999999999999999999; do
    bad "expected a number above 0, at most 18446744073709551615" "$weft" verify digits.weft --cycle-limit "$number"
    bad "expected a number above 0" "$weft" run digits.weft --timing-only --host-limit "$number"
done
bad "are for .weft files" "$weft" verify digits.tflite --cycle-limit 1000000
bad "are for .weft files" "$weft" verify digits.tflite --host-limit 1000000
good "$weft" verify digits.weft --host-limit 24
bad "steps of its operators on the host: 24, more than the limit of 23 (--host-limit raises it)" \
    "$weft" run digits.weft --timing-only --host-limit 23
run "$break_program" constants digits.weft constants.weft
bad "(store): stores to region 1, which cannot be written" "$weft" run constants.weft --timing-only

# ---- run: statistics ----

good "$weft" run digits.weft --input 3.png --json stats.json --watchdog 1000000000
for key in version command model model_fingerprint config config_fingerprint parameters overrides groups layers target cycles bound_cycles macs utilisation bytes_read bytes_written host host_ops other_targets wall_seconds \
    simulated_cycles_per_second; do
    equal "$(grep -cE "^  \"$key\": " stats.json)" 1 "key $key"
done
for unit in load matrix vector store; do
    for counter in busy empty; do
        equal "$(grep -cE "^    \"${unit}_$counter\": [0-9]+,?\$" stats.json)" 1 "counter ${unit}_$counter"
    done
done
has stats.json '^    "matrix_wait_load": [0-9]+'
has stats.json '^  "model": "digits",$'
has stats.json '^  "config": "ref16",$'
has stats.json '^  "target": "cycle",$'
has stats.json '^      "op": "qnn.softmax",$'
has stats.json '^      "reason": "a softmax as small as this is not worth loading its table of exponentials"$'
cycles=$(number cycles | head -n 1)
has stdout "^digits on ref16, target cycle: $cycles cycles, .* of peak; on the host 1 operator: 0 MAC \(0.0 %\), 10 elements \(0.0 %\)\$"
has stdout "^ +12 qnn.softmax +1x10 +host +0 +- +- +- +- +[^ ]+: 10 elements: a softmax as small as this is not worth loading its table of exponentials\$"
has inspected "^machine, segment 0: .* $cycles cycles\$"
macs=$(sed -nE 's/^  "macs": ([0-9]+),$/\1/p' stats.json)
equal "$macs" "$(awk '$NF == "MAC" { sum += $(NF - 1) } END { print sum }' inspected)" "macs"
equal "$(number bytes_read)" "$(($(number fetch_bytes) + $(number load_bytes)))" "bytes_read"
equal "$(number bytes_written)" "$(number store_bytes)" "bytes_written"
equal "$(awk "BEGIN { e = $(number utilisation) - $macs / (256 * $cycles); print (e < 1e-9 && e > -1e-9) }")" 1 "utilisation"
equal "$(awk "BEGIN { print ($(number wall_seconds) > 0 && $(number simulated_cycles_per_second) > 0) }")" 1 "times"
timeless() { # nor by which command
    sed '/^  "command": \[/,/^  \]/d; /^  "overrides": {},$/d; /^  "overrides": {$/,/}/d' "$1" | grep -vE '^  "(wall_seconds|simulated_cycles_per_second)": '
}
timeless stats.json >one.json
equal "$(grep -cE '^  "(wall_seconds|simulated_cycles_per_second)": ' stats.json)" 2 "lines of time"
good "$weft" run digits.weft --input 3.png --json stats.json
timeless stats.json >two.json
same one.json two.json
good "$weft" run digits.tflite --input 3.png --json stats.json
timeless stats.json >two.json
same one.json two.json
# What the host does is said everywhere, in its place. usage: shares TABLE STATISTICS LEAST_MACS
shares() {
    python3 - "$1" "$2" "$3" <<'END' || fail "the host's work"
import json, sys
lines = [line for line in open(sys.argv[1]).read().splitlines() if not line.startswith("at most ")]
stats = json.load(open(sys.argv[2]))
host, rows = stats["host"], stats["layers"]
ours = [row for row in rows if row["unit"] == "host"]
assert host["operators"] == len(ours) == len(stats["host_ops"]) > 1, host
assert [row["op"] for row in ours] == [op["op"] for op in stats["host_ops"]]
macs = sum(row["macs"] for row in ours)
assert host["macs"] == macs >= int(sys.argv[3]), host
assert abs(host["macs_share"] - macs / (macs + stats["macs"])) < 1e-6, host
assert host["elements"] == sum(row["elements"] for row in ours), host
assert 0 < host["elements_share"] <= 1, host
headline = (f"on the host {len(ours)} operators: {macs} MAC ({100 * host['macs_share']:.1f} %), "
            f"{host['elements']} elements ({100 * host['elements_share']:.1f} %)")
assert sum(line.endswith(headline) for line in lines) == 1, headline
table = lines[[line.lstrip().startswith("# operator ") for line in lines].index(True) + 1:]
table = [line.split() for line in table if not line.lstrip().startswith("chain of ")]
assert [(line[0], line[1], line[3]) for line in table] == [(str(row["number"]), row["op"], row["unit"]) for row in rows], table[:3]
places = [op["before"] for op in stats["host_ops"]]
assert places == [sum(row["unit"] != "host" for row in rows[:rows.index(row)]) for row in ours], places
END
}
good "$weft" run digits.tflite --target host --input 3.png --output out/host.npy --json host.json
same out/host.npy "$digits/goldens/3.output.npy"
shares stdout host.json 1
has host.json '"macs_share": 1.0,'
rm out/host.npy
# A network on a machine with little memory, and one of floats, which leaves everything to the host.
network=$source_dir/../shared/models/mobilenet_v2_1.0_224_int8.tflite
if [ -f "$network" ]; then
    sed 's/"act_bytes": 262144/"act_bytes": 8192/; s/"ref16"/"act8"/' "$configs/ref16.json" >act8.json
    good "$weft" run "$network" --config act8.json --timing-only --json host.json
    shares stdout host.json 0
    has stdout "^ +[0-9]+ qnn.requantize +1x1001 +host .*alone it is not worth a round trip"
    run "$weft" run "$source_dir/../shared/models/vww_mobilenetv1_025_96_float.tflite" --timing-only --json host.json
    equal $status 0 "status"
    has stderr "^weft: .*_float.tflite: note: a model of FLOAT32 runs on the host"
    shares stdout host.json 1
fi
# Cycles do not depend on data.
for arguments in "--timing-only" "--input zeros.npy" "--input $digits/8.png --host plain"; do
    # shellcheck disable=SC2086 # a list of arguments
    good "$weft" run digits.weft $arguments --json stats.json
    timeless stats.json >two.json
    same one.json two.json
done
# DRAM: more cycles, the same bytes.
good "$weft" run digits.weft --input "$digits/3.png" --output plain.npy --json stats.json
good "$weft" run digits.weft --input "$digits/3.png" --dram lpddr4-3200@800 --output dram.npy --json dram.json
cmp -s plain.npy dram.npy || fail "DRAM changes the bytes"
python3 - stats.json dram.json <<'END' || fail "the cycles with DRAM"
import json, sys
plain, dram = (json.load(open(path)) for path in sys.argv[1:])
assert plain["cycles"] < dram["cycles"] < 2 * plain["cycles"], (plain["cycles"], dram["cycles"])
assert dram["overrides"] == {"dram": "lpddr4-3200@800"}, dram["overrides"]
END
for value in ddr3-1600 ddr3-1600@ ddr3-1600@9 ddr3-1600@1e3 ddr3@100 @100 ddr3-1600@10001; do
    bad "--dram needs ddr3-1600 or lpddr4-3200, @ and the machine's clock, 10 to 10000 MHz, not '$value'" "$weft" run digits.weft --timing-only --dram "$value"
done
# What the figures are figures of.
good "$weft" run digits.weft --timing-only --latency 333 --interval 2 --clock 62.5 --json stats.json
python3 - stats.json "$configs/ref16.json" <<'END' || fail "the origin of figures"
import json, sys
stats, config = (json.load(open(path)) for path in sys.argv[1:])
assert stats["command"][1:] == ["run", "digits.weft", "--timing-only", "--latency", "333", "--interval", "2", "--clock", "62.5",
                                "--json", "stats.json"], stats["command"]
assert stats["overrides"] == {"memory_latency": 333, "memory_interval": 2}, stats["overrides"]
assert stats["parameters"] == {key: value for key, value in config.items() if key != "name"}, stats["parameters"]
assert stats["clock_mhz"] == 62.5 and abs(stats["milliseconds"] - stats["cycles"] / 62500) < 1e-6
assert abs(stats["inferences_per_second"] * stats["milliseconds"] - 1000) < 1e-3
assert len(stats["model_fingerprint"]) == len(stats["config_fingerprint"]) == 16
layers = [row for row in stats["layers"] if row["unit"] != "host"]
assert sum(row["cycles"] for row in layers) == sum(group["cycles"] for group in stats["groups"]) == stats["cycles"]
assert all(sum(row["uses"].values()) == row["cycles"] and 0 <= row["utilisation"] <= 1 and row["tensor"] for row in layers)
END
checks=$((checks + 1))
has stdout "^at 62.5 MHz: [0-9.]+ ms, [0-9.]+ inferences a second, of the machine alone\$"
fingerprint=$(grep -E '^  "(model|config)_fingerprint"' stats.json)
good "$weft" run digits.tflite --timing-only --json stats.json
equal "$(grep -E '^  "(model|config)_fingerprint"' stats.json)" "$fingerprint" "fingerprints of the model and its .weft file"
for clock in 0 -1 1e3 nan 10.0.1 1000001 ""; do
    bad "weft: run: --clock needs MHz, more than 0 and at most 1000000, not '$clock'" "$weft" run digits.weft --timing-only --clock "$clock"
done
bad "--clock needs a target that counts cycles, not func" "$weft" run digits.weft --input 3.png --target func --clock 100
good "$weft" run digits.weft --input 3.png --json stats.json --target func
equal "$(number cycles | head -n 1)" 0 "cycles of target func"
has stats.json '^  "target": "func",$'

# The same figures, made by another command. usage: same_but_command FILE OTHER
same_but_command() {
    sed -i 's/"command":\[[^]]*\]/"command":[]/' "$1" "$2"
    same "$1" "$2"
}

# ---- trace ----

good "$weft" trace digits.weft -o out/trace.json
[ ! -s stdout ] || fail "trace printed something"
good "$weft" trace digits.tflite --output out/again.json --config ref16
same_but_command out/trace.json out/again.json
python3 -c 'import json, sys; json.load(open(sys.argv[1]))' out/trace.json || fail "the trace is not JSON"
checks=$((checks + 1))
has out/trace.json '"ph":"X","cat":"operator","name":"conv2d 1x16x16x16"'
has out/trace.json '"name":"matrix: cycles"'
has out/trace.json '"op":"qnn.softmax"'
good "$weft" trace digits.weft -o out/slow.json --latency 500 --interval 2
! cmp -s out/trace.json out/slow.json || fail "a slow memory changed nothing"
good "$weft" trace digits.weft --raw -o digits.raw
equal "$(head -c 4 digits.raw)" WTRC "magic of an instruction trace"
[ "$(size digits.raw)" -lt 10000 ] || fail "digits.raw has $(size digits.raw) bytes"
good "$weft" trace --print digits.raw
mv stdout printed
good "$weft" trace --print digits.raw -o out/printed
same printed out/printed
has printed "^; segment 0 of 1\$"
has printed "^; configuration ref16, memory latency 100, interval 1\$"
has printed "^; cycles $cycles\$"
has printed " started     [0-9]+ matrix wait="
has printed " counting    matrix: matrix_wait_load\$"
good "$weft" disasm digits.weft
equal "$(sed -nE 's/^ *[0-9]+ started     ([0-9]+) (.*)$/\2 ; \1/p' printed | sort)" \
    "$(grep -vE '^;|^halt' stdout | sort)" "instructions of the trace"
rm out/*
bad "give a model, a .weft file or an assembled program, and -o OUT; or --print FILE" "$weft" trace digits.weft
bad "give a model, a .weft file or an assembled program, and -o OUT; or --print FILE" "$weft" trace -o out/x.json
for arguments in "--raw" "--config ref16" "--latency 9" "--interval 9"; do
    # shellcheck disable=SC2086 # a list of arguments
    bad "--print reads what was recorded" "$weft" trace --print digits.raw $arguments
done
bad "weft: nosuch.weft: No such file" "$weft" trace nosuch.weft -o out/x.json
bad "weft: nosuch.raw: No such file" "$weft" trace --print nosuch.raw
bad "weft: digits.weft: does not begin like an instruction trace" "$weft" trace --print digits.weft -o out/x
bad "compiled for configuration ref16, not for small8" "$weft" trace digits.weft -o out/x.json --config small8
bad "weft: trace: --latency needs a number" "$weft" trace digits.weft -o out/x.json --latency 0
bad "weft: trace: --interval needs a number" "$weft" trace digits.weft -o out/x.json --interval x
bad "weft: out/no/x: could not be written: No such file" "$weft" trace digits.weft -o out/no/x
bad "weft: out/no/x: could not be written: No such file" "$weft" trace digits.weft --raw -o out/no/x
bad "weft: out/no/x: could not be written: No such file" "$weft" trace --print digits.raw -o out/no/x
bad "weft: /dev/full: could not be written: No space left" "$weft" trace digits.weft -o /dev/full
length=$(size digits.raw)
for cut in 0 1 8 20 23 24 $((length / 2)) $((length - 1)); do
    head -c "$cut" digits.raw >cut.raw
    bad "weft: cut.raw: " "$weft" trace --print cut.raw -o out/x
done
for ((offset = 0; offset < length; offset += 31)); do
    flip digits.raw $offset 4 flipped.raw
    bad "weft: flipped.raw: " "$weft" trace --print flipped.raw -o out/x
done

# ---- report: test_report.sh looks at the page ----

good "$weft" report digits.weft -o out/report.html
[ ! -s stdout ] || fail "report printed something"
has out/report.html '^<!DOCTYPE html>$'
good "$weft" report digits.tflite -o out/again.html --config ref16
same_but_command out/report.html out/again.html
rm out/*
bad "give a model or a .weft file and -o OUT.html" "$weft" report digits.weft
bad "give a model or a .weft file and -o OUT.html" "$weft" report -o out/x.html
bad "weft: nosuch.weft: No such file" "$weft" report nosuch.weft -o out/x.html
bad "compiled for configuration ref16, not for large32" "$weft" report digits.weft -o out/x.html --config large32
bad "weft: report: --clock needs MHz" "$weft" report digits.weft -o out/x.html --clock none
bad "weft: report: --latency needs a number" "$weft" report digits.weft -o out/x.html --latency none
bad "weft: out/no/x.html: could not be written: No such file" "$weft" report digits.weft -o out/no/x.html
bad "weft: /dev/full: could not be written: No space left" "$weft" report digits.weft -o /dev/full

# ---- run: what it refuses ----

bad "weft: run: give a model" "$weft" run --input 3.png --output out/x.npy
bad "weft: nosuch.weft: No such file" "$weft" run nosuch.weft --input 3.png --output out/x.npy
bad "the model has 1 inputs, 0 are given" "$weft" run digits.weft --output out/x.npy
bad "the model has 1 inputs, 2 are given" "$weft" run digits.weft --input 3.png --input 3.png --output out/x.npy
bad "the model has 1 outputs" "$weft" run digits.weft --input 3.png --output out/x.npy --output out/y.npy
many=()
for ((i = 0; i < 65; i++)); do
    many+=(--input 3.png)
done
bad "--input is given more than 64 times" "$weft" run digits.weft "${many[@]}" --output out/x.npy
bad "weft: run: there is no target 'nosuch'" \
    "$weft" run digits.weft --input 3.png --output out/x.npy --target nosuch
bad "there are no kernels 'nosuch'" "$weft" run digits.weft --input 3.png --output out/x.npy --host nosuch
bad "configuration nosuch: No such file" \
    "$weft" run digits.tflite --input 3.png --output out/x.npy --config nosuch
bad "compiled for configuration ref16, not for large32" \
    "$weft" run digits.weft --input 3.png --output out/x.npy --config large32
for target in func host; do
    bad "--technology needs a target that counts cycles" "$weft" run digits.tflite --input 3.png --target $target --technology 45nm
done
bad "--timing-only neither reads nor computes data" "$weft" run digits.weft --timing-only --output out/x.npy
bad "--timing-only neither reads nor computes data" "$weft" run digits.weft --timing-only --input 3.png
bad "--timing-only neither reads nor computes data" "$weft" run digits.weft --timing-only --show
bad "--timing-only neither reads nor computes data" "$weft" run digits.tflite --timing-only --dump-tensors out/x
bad "--timing-only carries out no operator of the host" "$weft" run digits.weft --timing-only --no-fusion
bad "target func knows no time" "$weft" run digits.weft --timing-only --target func --json out/x.json
bad "--mean and --std need a picture" "$weft" run digits.weft --input zeros.npy --mean 1 --output out/x.npy
for number in 1,2 "" x '1,' nan; do
    bad "weft: 3.png: '$number': expected one number" \
        "$weft" run digits.weft --input 3.png --mean "$number" --output out/x.npy
done
bad "weft: 3.png: '0': nothing can be divided by 0" "$weft" run digits.weft --input 3.png --std 0 --output out/x.npy
bad "a compiled program has no tensors left" "$weft" run digits.weft --input 3.png --dump-tensors out/x

bad "weft: nosuch.npy: No such file" "$weft" run digits.weft --input nosuch.npy --output out/x.npy
bad "weft: nosuch.png: No such file" "$weft" run digits.weft --input nosuch.png --output out/x.npy
bad "weft: out: not a regular file" "$weft" run digits.weft --input out --output out/x.npy
bad "weft: pipe: not a regular file" "$weft" run digits.weft --input pipe --output out/x.npy
bad "weft: digits.weft: byte 0: not a .npy file" "$weft" run digits.weft --input digits.weft --output out/x.npy
npy '|i1' '(1, 16, 16)' False 256 >wrong.npy
bad "weft: wrong.npy: holds 1x16x16 of type |i1, expected 1x16x16x1 of type |i1 (INT8)" \
    "$weft" run digits.weft --input wrong.npy --output out/x.npy
npy '|u1' '(1, 16, 16, 1)' False 256 >wrong.npy
bad "weft: wrong.npy: holds 1x16x16x1 of type |u1, expected 1x16x16x1 of type |i1 (INT8)" \
    "$weft" run digits.weft --input wrong.npy --output out/x.npy
npy '|i1' '(1, 16, 16, 1)' False 257 >wrong.npy
bad "weft: wrong.npy: byte 128: 257 bytes of data" "$weft" run digits.weft --input wrong.npy --output out/x.npy
for cut in 0 1 6 9 10 60 127 128 383; do
    head -c $cut zeros.npy >cut.npy
    bad "weft: cut.npy: byte " "$weft" run digits.weft --input cut.npy --output out/x.npy
done
for ((offset = 0; offset < 128; offset += 3)); do
    flip zeros.npy $offset 128 flipped.npy
    bad "weft: flipped.npy: " "$weft" run digits.weft --input flipped.npy --output out/x.npy
done
for offset in 128 200 383; do
    flip zeros.npy $offset 128 flipped.npy
    good "$weft" run digits.weft --input flipped.npy --output out/x.npy
done
rm out/*
length=$(size 3.png)
for cut in 0 1 8 20 33 60 $((length / 2)) $((length - 1)); do
    head -c "$cut" 3.png >cut.png
    bad "weft: cut.png: " "$weft" run digits.weft --input cut.png --output out/x.npy
done
for ((offset = 0; offset < length; offset += 11)); do
    flip 3.png $offset 16 flipped.png
    bad "weft: flipped.png: " "$weft" run digits.weft --input flipped.png --output out/x.npy
done
cp zeros.npy array.png
bad "weft: array.png: not a PNG, JPEG or BMP picture" "$weft" run digits.weft --input array.png --output out/x.npy

# Nothing is written unless everything is: also when only one of several files cannot be.
bad "weft: out/no/x.npy: could not be written: No such file" \
    "$weft" run digits.weft --input 3.png --output out/no/x.npy --json out/x.json
bad "weft: out/no/x.json: could not be written: No such file" \
    "$weft" run digits.weft --input 3.png --output out/x.npy --json out/no/x.json
bad "weft: out/no/x.json: could not be written: No such file" \
    "$weft" run digits.tflite --input 3.png --dump-tensors out/x --json out/no/x.json
bad "weft: out/no/x/30.npy: could not be written: No such file" \
    "$weft" run digits.tflite --input 3.png --dump-tensors out/no/x --output out/x.npy
bad "weft: $work: could not be written: Is a directory" \
    "$weft" run digits.weft --input 3.png --json out/x.json --output "$work"

# The watchdog ends a run; what was there stays.
bad "weft: digits.weft: fault at instruction " \
    "$weft" run digits.weft --input 3.png --output out/x.npy --json out/x.json --watchdog 1000
has stderr "watchdog limit reached"
bad "watchdog limit reached" "$weft" run digits.tflite --timing-only --json out/x.json --watchdog $((cycles - 1))
good "$weft" run digits.tflite --timing-only --json stats.json --watchdog $((cycles + 1))
equal "$(number cycles | head -n 1)" "$cycles" "cycles under a watchdog"
echo old >kept.npy
bad "watchdog limit reached" "$weft" run digits.weft --input 3.png --output kept.npy --watchdog 1000
equal "$(cat kept.npy)" old "a file that a failed run does not touch"
for number in 0 -1 x "" 1e3 99999999999999999999; do
    bad "weft: run: --watchdog needs a number of cycles" \
        "$weft" run digits.weft --timing-only --json out/x.json --watchdog "$number"
done
bad "target func knows no time" "$weft" run digits.weft --input 3.png --output out/x.npy --target func --watchdog 9

summary
