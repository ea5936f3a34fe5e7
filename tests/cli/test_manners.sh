#!/usr/bin/env bash
# What weft says and how it behaves: help, options, "-", files that are named twice, arrays and pictures of all kinds, messages,
# closed and full outputs, progress. test_cli.sh has what the commands do.
# usage: test_manners.sh WEFT FAKE_CLOCK SOURCE_DIR; FAKE_CLOCK is the library of that name, or "" for none
set -u
export LC_ALL=C
weft=$1
fake_clock=$2
source_dir=$3
digits=$source_dir/models/digits
ref16=$source_dir/hw/configs/ref16.json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir out
cp "$digits/digits.tflite" "$digits/3.png" .
cp "$digits/goldens/3.output.npy" golden.npy
# Models whose outputs are their inputs, made with tests/differential/model.py: of float [2, 3, 4], int16 [3, 2] and int64 [2, 2],
# and of uint8 [1, 16, 16, 1].
cp "$source_dir/tests/cli/identity.tflite" "$source_dir/tests/cli/picture.tflite" .
# shellcheck source=tests/cli/checks.sh
. "$source_dir/tests/cli/checks.sh"
python3 "$source_dir/tests/cli/make_files.py" "$source_dir/tests/cli/3.jpg" || fail "no files"
"$weft" compile digits.tflite -o digits.weft
commands="compile run cosim verify disasm asm inspect explain export trace report"

# piped FILE COMMAND...: as run, with the file through a pipe as standard input.
piped() {
    local file=$1
    shift
    last="$* <$file"
    checks=$((checks + 1))
    # shellcheck disable=SC2002 # a pipe is what is tested
    cat "$file" | timeout 120 "$@" >stdout 2>stderr
    status=$?
}

# ---- help, version ----

for command in $commands; do
    good "$weft" $command --help
    mv stdout shown
    good "$weft" help $command
    same stdout shown
    good "$weft" $command -h
    same stdout shown
    good "$weft" $command nosuch --help # nothing is begun
    same stdout shown
    has shown "^usage: weft $command "
    has shown "^    weft $command "
    has shown "^    -h, --help\$"
done
bad "there is no command 'nosuch'" "$weft" help nosuch
bad "unexpected argument 'verify'" "$weft" help run verify
good "$weft" --version
has stdout '^weft [0-9]+\.[0-9]+\.[0-9]+( \([0-9a-f]{12}(-dirty)?\)|)$'
has stdout '^\.weft files: version [0-9]+$'
has stdout '^instruction set: [0-9a-f]{16}$'
mv stdout shown
good "$weft" -V
same stdout shown
bad "there is no command 'cmpile'; did you mean compile?; try weft --help" "$weft" cmpile
bad "there is no command 'VERIFY'; try weft --help" "$weft" VERIFY
bad "there is no command 'verfiy'; did you mean verify?" "$weft" verfiy
bad "there is no command 'hlep'; did you mean help?" "$weft" hlep
bad "there is no command 'x'; try" "$weft" x

# ---- options ----

good "$weft" compile --output=out/x.weft --config=ref16 digits.tflite
same out/x.weft digits.weft
good "$weft" compile -o out/x.weft -- digits.tflite
same out/x.weft digits.weft
cp digits.tflite ./--config
good "$weft" compile -o out/x.weft -- --config
good "$weft" verify ./--config
rm ./--config out/*
bad "unknown option '--confg'; did you mean --config?; try weft verify --help" "$weft" verify digits.weft --confg small8
bad "unknown option '--jso'; did you mean --json?" "$weft" inspect digits.weft --jso=out/x
bad "unknown option '--nothing-like-it'; try" "$weft" verify digits.weft --nothing-like-it
bad "unknown option '-o'" "$weft" verify digits.weft -o out/x
bad "unknown option '-out/x'" "$weft" asm x -out/x
bad "unexpected argument '--config'" "$weft" verify digits.weft -- --config
bad "option '--show' takes no value" "$weft" run digits.weft --show=yes
bad "option '--help' takes no value" "$weft" run --help=run
bad "option '--config' needs a value" "$weft" verify digits.weft --config
bad "configuration : No such file" "$weft" verify digits.weft --config=
for twice in "compile digits.tflite -o out/x -o out/y" "compile digits.tflite -o out/x --output=out/y" \
    "verify digits.weft --config ref16 --config ref16" "run digits.weft --timing-only --timing-only" \
    "trace digits.weft -o out/x --latency 9 --latency=9"; do
    # shellcheck disable=SC2086 # words
    bad " is given twice; try weft ${twice%% *} --help" "$weft" $twice
done
bad "there is no target 'cyle'; did you mean cycle?" "$weft" run digits.weft --timing-only --target cyle
bad "there is no pass 'partitoin'; did you mean partition? (passes: import" "$weft" compile digits.tflite --dump-after partitoin
bad "configuration ref61: No such file or directory; did you mean ref16?" "$weft" verify digits.tflite --config ref61
long=$(printf 'x%.0s' {1..300})
bad "there is no command 'xxx" "$weft" "$long"
bad "unknown option '--xxx" "$weft" verify digits.weft "--$long"
bad "File name too long" "$weft" verify "$long"
bad "File name too long" "$weft" compile digits.tflite -o "out/$long"
bad "configuration xxx" "$weft" verify digits.weft --config "$long"
bad "there is no target 'xxx" "$weft" run digits.weft --target "$long"
bad "'xxx" "$weft" run digits.weft --input 3.png --mean "$long"

# ---- "-" ----

for file in digits.tflite digits.weft; do
    for command in verify inspect explain disasm; do
        [ $command.$file != disasm.digits.tflite ] || continue
        piped $file "$weft" $command -
        equal $status 0 "status"
        [ ! -s stderr ] || fail "something on stderr"
        mv stdout shown
        good "$weft" $command $file
        sed -i 's/^stdin /digits /' shown
        same shown stdout
    done
done
piped digits.tflite "$weft" compile - -o out/stdin.weft
piped digits.tflite "$weft" compile - -o -
same stdout out/stdin.weft
good "$weft" inspect out/stdin.weft
has stdout "^stdin for ref16; "
good "$weft" compile digits.tflite -o -
same stdout digits.weft
good "$weft" compile digits.tflite --decisions -
mv stdout decisions.json
piped decisions.json "$weft" compile digits.tflite --use - -o out/x.weft
equal $status 0 "status"
good "$weft" disasm digits.weft -o -
mv stdout digits.asm
piped digits.asm "$weft" asm - -o digits.bin
equal $status 0 "status"
piped digits.bin "$weft" disasm - -o out/again.asm
equal $status 0 "status"
same out/again.asm <(grep -v '^;' digits.asm)
rm out/*
# What is printed goes to standard error when standard output is a file of the command.
piped 3.png "$weft" run digits.weft --input - --output - --mean 0 --std 255
equal $status 0 "status"
same stdout golden.npy
has stderr "^digits on ref16, target cycle: "
run "$weft" run digits.weft --input 3.png --json -
equal $status 0 "status"
python3 -c 'import json; json.load(open("stdout"))' || fail "not JSON"
has stderr "^result class +3 "
run "$weft" inspect digits.weft --json - --graph
equal $status 0 "status"
python3 -c 'import json; json.load(open("stdout"))' || fail "not JSON"
has stderr "^graph main"
good "$weft" trace digits.weft -o -
python3 -c 'import json; json.load(open("stdout"))' || fail "not JSON"
good "$weft" trace digits.weft --raw -o digits.raw
good "$weft" trace digits.weft --raw -o -
same stdout digits.raw
good "$weft" trace --print digits.raw
mv stdout shown
piped digits.raw "$weft" trace --print - -o -
same stdout shown
good "$weft" report digits.weft -o -
has stdout '^<!DOCTYPE html>$'
: >appended
"$weft" disasm digits.weft -o - >>appended
"$weft" disasm digits.weft -o - >>appended
equal "$(size appended)" $((2 * $(size digits.asm))) "bytes that were appended"
piped /dev/null "$weft" verify -
complains "weft: -: the file is empty"
piped 3.png "$weft" run digits.weft --input - --input -
complains "standard input can be read once"
bad "--output - is also --output -" "$weft" run identity.tflite --output - --output -
bad "--json - is also --output -" "$weft" run digits.weft --input 3.png --output - --json -
bad "configuration -: No such file" "$weft" verify digits.weft --config -
run "$weft" run digits.weft --input 3.png --dump-tensors -
complains "a compiled program has no tensors left"
checks=$((checks + 1))
"$weft" verify - <&- >stdout 2>stderr
status=$?
complains "weft: -: read failed: Bad file descriptor"

# ---- outputs that are closed, full, or gone ----

checks=$((checks + 4))
for arguments in "verify digits.weft" "--help" "run --help" "compile digits.tflite -o -" "report digits.weft -o -"; do
    # shellcheck disable=SC2086 # words
    "$weft" $arguments >&- 2>stderr
    status=$?
    complains "could not be written"
    # shellcheck disable=SC2086
    "$weft" $arguments >/dev/full 2>stderr
    status=$?
    complains "could not be written"
done
# Nothing but what was asked for gets into the file that takes the number of standard output.
"$weft" run digits.weft --input 3.png --output closed.npy >&- 2>stderr
same closed.npy golden.npy
"$weft" compile digits.tflite -o closed.weft >&- 2>&-
equal $? 0 "status with nothing to print"
same closed.weft digits.weft
bad "weft: /dev/full: could not be written: No space left" "$weft" compile digits.tflite -o /dev/full
good "$weft" compile digits.tflite -o /dev/null --decisions /dev/null
# A reader that goes away.
(trap '' PIPE && "$weft" trace digits.weft -o - 2>stderr && echo ended >ended) | head -c 100 >/dev/null
status=2
complains "weft: -: could not be written: Broken pipe"
[ ! -f ended ] || fail "a broken pipe was no error"
"$weft" disasm digits.weft | head -n 1 >shown
has shown "^; segment 0"

# ---- folders, permissions, empty files ----

for command in $commands; do
    # shellcheck disable=SC2046 # an option, or none
    case $command in
    compile | asm | report | trace) option="-o out/x" ;;
    export) option="--blob out/x" ;;
    *) option= ;;
    esac
    # shellcheck disable=SC2086
    bad "weft: out: not a regular file" "$weft" $command out $option
    : >empty
    # shellcheck disable=SC2086
    [ $command = asm ] || [ $command = disasm ] || bad "weft: empty: the file is empty: not a TFLite model" "$weft" $command empty $option
    # shellcheck disable=SC2086
    bad "weft: : No such file" "$weft" $command "" $option
done
bad "weft: empty: byte 0: not a .npy file" "$weft" run digits.weft --input empty
cp empty empty.png
bad "weft: empty.png: not a PNG, JPEG or BMP picture" "$weft" run digits.weft --input empty.png
bad "configuration empty: line 1: " "$weft" verify digits.tflite --config empty
if [ "$(id -u)" != 0 ]; then
    cp digits.weft unreadable && chmod 0 unreadable
    bad "weft: unreadable: Permission denied" "$weft" verify unreadable
    mkdir locked && chmod 500 locked
    bad "locked/x: could not be written: Permission denied" "$weft" compile digits.tflite -o locked/x
fi

# A file that grows larger than it may is an error of writing, and nothing is left of it.
mkdir small
(
    cd small || exit 1
    ulimit -f 4
    "$weft" compile ../digits.tflite -o x.weft 2>../stderr
    [ $? -eq 2 ]
) || fail "a file that may not grow"
checks=$((checks + 1))
grep -q "^weft: x.weft: could not be written: File too large$" stderr || fail "$(cat stderr)"
equal "$(ls -A small)" "" "what is left"

# ---- one file under two names ----

ln -s digits.tflite link.tflite
ln digits.tflite hard.tflite
mkdir folder
cp digits.tflite kept.tflite
for other in digits.tflite ./digits.tflite folder/../digits.tflite "$work/digits.tflite" link.tflite hard.tflite; do
    bad "--output $other is also digits.tflite" "$weft" compile digits.tflite -o "$other"
    bad "--json digits.tflite is also $other" "$weft" run "$other" --timing-only --json digits.tflite
done
same digits.tflite kept.tflite
bad "--decisions out/../out/x is also --output out/x" "$weft" compile digits.tflite -o out/x --decisions out/../out/x
bad "--decisions decisions.json is also --use decisions.json" \
    "$weft" compile digits.tflite -o out/x --use decisions.json --decisions decisions.json
bad "--output 3.png is also --input 3.png" "$weft" run digits.weft --input 3.png --output 3.png
bad "--json out/x is also --output out/x" "$weft" run digits.weft --input 3.png --output out/x --json out/x
bad "--output out/x is also --output ./out/x" "$weft" run identity.tflite --output ./out/x --output out/x
bad "--output digits.asm is also digits.asm" "$weft" asm digits.asm -o digits.asm
bad "--output digits.weft is also digits.weft" "$weft" trace digits.weft -o digits.weft
bad "--output digits.weft is also digits.weft" "$weft" report digits.weft -o digits.weft
cp "$ref16" mine.json
sed -i 's/"ref16"/"mine"/' mine.json
bad "--json mine.json is also --config mine.json" "$weft" inspect digits.tflite --config mine.json --json mine.json
bad "--wave out/x is also --json out/x" "$weft" run digits.weft --timing-only --json out/x --wave out/x
bad "--output out/t/3.npy can be a file of --dump-tensors out/t" \
    "$weft" run digits.tflite --input 3.png --dump-tensors out/t --output out/t/3.npy
mkdir t
cp golden.npy t/0.npy
bad "--input t/0.npy can be a file of --dump-tensors ./t/" "$weft" run digits.tflite --input t/0.npy --dump-tensors ./t/
bad "--output new/7.npy can be a file of --dump-tensors new/" \
    "$weft" run digits.tflite --input 3.png --dump-tensors new/ --output new/7.npy
good "$weft" run digits.tflite --input 3.png --dump-tensors out/t --output out/t/result.npy
rm -r out/t
cp "$source_dir/hw/technology/45nm.json" technology.json
bad "--json technology.json is also --technology technology.json" \
    "$weft" run digits.tflite --timing-only --technology technology.json --json technology.json
mkdir samples
cp 3.png samples/1.png
bad "--output samples/1.png can be a file of --data ./samples" "$weft" quantize digits.tflite --data ./samples --output samples/1.png
# No name at all, after which nothing else may have been written.
cp digits.weft kept.weft
bad "--decisions '': expected the name of a file" "$weft" compile digits.tflite -o digits.weft --decisions ''
bad "--json '': expected the name of a file" "$weft" run digits.tflite --input 3.png --output out/x.npy --json ''
bad "--dump-tensors '': expected the name of a folder" "$weft" run digits.tflite --input 3.png --dump-tensors ''
same digits.weft kept.weft
# In a file of the shell's, and in the same.
cp digits.asm same.asm
"$weft" asm - -o same.asm <same.asm >stdout 2>stderr
status=$?
complains "--output same.asm is also -"
same same.asm digits.asm
good "$weft" run identity.tflite --input floats.npy --input shorts.npy --input longs.npy --output /dev/null --output /dev/null --output /dev/null

# ---- configurations ----

mkdir configs
sed 's/"memory_latency": 100/"memory_latency": 50/' "$ref16" >configs/ref16.json
sed 's/"ref16"/"mine"/' configs/ref16.json >configs/small8
sed 's/"ref16"/"mine"/' configs/ref16.json >configs/mine.json
cp configs/ref16.json configs/other.json
called="is called ref16, as a built-in configuration is, whose \"memory_latency\" is 100, not 50"
bad "configuration configs/ref16.json: it $called" "$weft" compile digits.tflite -o out/x --config configs/ref16.json
bad "configuration configs/other.json: it $called" "$weft" verify digits.tflite --config configs/other.json
bad "configuration configs/small8: it is called small8, as" "$weft" run digits.tflite --timing-only --config configs/small8
(cd configs && "$weft" verify ../digits.tflite --config ref16.json >../stdout 2>../stderr)
status=$?
complains "configuration ref16.json: it $called"
good "$weft" verify digits.tflite --config configs/mine.json
has stdout "^segment 0: proved for mine: "
good "$weft" verify digits.tflite --config "$ref16"
cp "$ref16" copy.json
good "$weft" verify digits.weft --config copy.json
sed 's/"block": 16/"block": 12/; s/"ref16"/"mine"/' "$ref16" >wrong.json
for command in compile run verify inspect explain trace report; do
    case $command in
    compile | trace | report) option="-o out/x" ;;
    run) option="--timing-only" ;;
    *) option= ;;
    esac
    # shellcheck disable=SC2086
    bad "weft: digits.tflite: configuration wrong.json: rule broken: block is a power of two" \
        "$weft" $command digits.tflite $option --config wrong.json
done
good "$weft" compile digits.tflite -o mine.weft --config configs/mine.json
bad "compiled for another configuration mine, not for mine.json" "$weft" verify mine.weft --config mine.json

# ---- the RTL that is not built ----

mkdir nothing
for command in "run --target rtl" cosim; do
    # shellcheck disable=SC2086
    WEFT_RTL_PATH=$work/nothing bad "the RTL of configuration ref16 is not built (no file $work/nothing/weft_rtl_ref16.so); scripts/build --rtl ref16 builds it" \
        "$weft" $command digits.weft --input 3.png
    # shellcheck disable=SC2086
    WEFT_RTL_PATH=$work/nothing bad "the RTL of configuration mine is not built" "$weft" $command mine.weft --input 3.png
    has stderr "hw/configs/mine.json; then scripts/build --rtl mine builds it"
done

# ---- models ----

# Two functions of a module of TensorFlow, of which the file has a signature each.
for command in inspect "run --timing-only" "compile -o out/x.weft"; do
    # shellcheck disable=SC2086 # a list of arguments
    run "$weft" $command "$source_dir/tests/cli/signatures.tflite"
    equal $status 0 "status"
    has stderr "signatures.tflite: note: of 2 subgraphs the first one is taken, signature \"dec\", and not signature \"enc\"\$"
done
# its names are those of whoever made it
LC_ALL=C sed 's/enc/e\x1bc/g' "$source_dir/tests/cli/signatures.tflite" >out/escape.tflite
run "$weft" inspect out/escape.tflite
has stderr "and not signature \"e[?]c\"\$"
rm -f out/*

# One operator of floats: nothing for the machine.
float=$source_dir/../shared/models/vww_mobilenetv1_025_96_float.tflite
if [ -f "$float" ]; then
    run "$weft" inspect "$float"
    equal $status 0 "status"
    has stderr "^weft: .*vww_mobilenetv1_025_96_float.tflite: note: a model of FLOAT32 runs on the host as a whole; the machine takes models that are quantised to INT8 or UINT8\$"
    has stdout "^host: conv2d .*: the machine has no operation for conv2d of FLOAT32\$"
    run "$weft" compile "$float" -o out/x.weft
    equal $status 0 "status"
    has stderr ": note: a model of FLOAT32 runs on the host"
    rm out/*
else
    echo "skipped: a float model (no ../shared/models)"
fi

# ---- arrays ----

for order in "" _big _fortran _fortran_big; do
    good "$weft" run identity.tflite --input floats$order.npy --input shorts$order.npy --input longs$order.npy \
        --output out/floats.npy --output out/shorts.npy --output out/longs.npy
    for name in floats shorts longs; do
        same out/$name.npy $name.npy
    done
done
rm out/*
bad "weft: shorts.npy: holds 3x2 of type <i2, expected 2x3x4 of type <f4 (FLOAT32)" \
    "$weft" run identity.tflite --input shorts.npy --input shorts.npy --input longs.npy
sed 's/<f4/|f4/' floats.npy >bar.npy
bad "weft: bar.npy: holds 2x3x4 of type |f4" "$weft" run identity.tflite --input bar.npy --input shorts.npy --input longs.npy
bad "weft: run: the model has 3 inputs, 1 are given" "$weft" run identity.tflite --input floats.npy

# ---- pictures ----

# tensor FILE: what the picture becomes, in tensor.npy, with what was said in stderr. The model's output is its input.
tensor() {
    run "$weft" run picture.tflite --input "$1" --output tensor.npy
    equal $status 0 "status"
}
note="note: pixels that are not opaque are blended on white"
for name in alpha shade; do
    blended=${name/alpha/}blended.png
    [ $name = alpha ] || blended=shade_blended.png
    tensor $blended
    [ ! -s stderr ] || fail "something on stderr"
    mv tensor.npy expected.npy
    tensor $name.png
    equal "$(cat stderr)" "weft: $name.png: $note" "what is said"
    same tensor.npy expected.npy
done
tensor blended.png
mv tensor.npy expected.npy
tensor alpha.bmp
equal "$(cat stderr)" "weft: alpha.bmp: $note" "what is said"
same tensor.npy expected.npy
tensor plain.png
mv tensor.npy expected.npy
tensor opaque.png
[ ! -s stderr ] || fail "something on stderr of an opaque picture"
same tensor.npy expected.npy

cp "$source_dir/tests/cli/3.jpg" .
tensor 3.jpg
mv tensor.npy upright.npy
for value in 1 2 3 4 5 6 7 8; do
    for bytes in little big; do
        tensor turned${value}_$bytes.jpg
        [ ! -s stderr ] || fail "something on stderr"
        checks=$((checks + 1))
        python3 "$source_dir/tests/cli/check_turned.py" upright.npy tensor.npy $value || fail "orientation $value, $bytes"
    done
done
for name in turned0_little turned9_big exif_empty exif_far exif_cut; do
    tensor $name.jpg
    same tensor.npy upright.npy
done

for pair in "picture.gif:a GIF" "picture.webp:a WebP" "picture.tif:a TIFF" "big.tif:a TIFF" "picture.heic:a HEIF" "gif.png:a GIF"; do
    file=${pair%%:*}
    bad "weft: $file: ${pair#*:} picture; pictures are read as PNG, JPEG or BMP" "$weft" run digits.weft --input "$file" --output out/x.npy
done
piped picture.gif "$weft" run digits.weft --input -
complains "weft: -: a GIF picture"
cp 3.png picture # a picture by its content
good "$weft" run digits.weft --input picture --output out/x.npy --mean 0 --std 255
same out/x.npy golden.npy
rm out/*
bad "--mean and --std need a picture" "$weft" run digits.weft --input golden.npy --mean 1
bad "--layout needs a picture" "$weft" run digits.weft --input golden.npy --layout nchw
bad "there is no layout 'chwn'" "$weft" run digits.weft --input golden.npy --layout chwn
npy '|i1' '(1, 16, 16, 1)' False 256 >zeros
bad "--mean and --std need a picture" "$weft" run digits.weft --input zeros --mean 1 --output out/x.npy

# ---- progress ----

if [ "$fake_clock" != "" ]; then
    # Each look at the clock is 0.4 s later: from the third on the line is there. It is gone in the end.
    checks=$((checks + 1))
    python3 "$source_dir/tests/cli/on_terminal.py" env LD_PRELOAD="$fake_clock" "$weft" compile digits.tflite -o out/x.weft >shown
    tr '\r' '\n' <shown | sed 's/\x1b\[K//' >lines
    has lines '^compiling, [0-9]+ s: pass [a-z-]+$'
    has lines '^compiling, [0-9]+ s: region 1 of 1, tried [0-9]+ schedules$'
    equal "$(tail -c 4 shown | od -An -c | tr -d ' ')" '\r033[K' "the end of what is shown"
    same out/x.weft digits.weft
    LD_PRELOAD="$fake_clock" good "$weft" compile digits.tflite -o out/x.weft # no terminal
    LD_PRELOAD="$fake_clock" good "$weft" run digits.tflite --timing-only
    python3 "$source_dir/tests/cli/on_terminal.py" env LD_PRELOAD="$fake_clock" "$weft" verify digits.tflite >shown
    has shown 'compiling, [0-9]+ s: '
    # An error begins a line of its own.
    python3 "$source_dir/tests/cli/on_terminal.py" env LD_PRELOAD="$fake_clock" "$weft" compile digits.tflite -o out/no/x.weft >shown
    equal $? 2 "status"
    tr -d '\n' <shown | grep -qE $'\r\x1b\\[Kweft: out/no/x.weft: could not be written: [A-Za-z ]*\r$' || fail "the error is not alone in its line"
    rm out/*
fi
python3 "$source_dir/tests/cli/on_terminal.py" "$weft" verify digits.weft >shown
equal "$(cat shown)" "" "what is shown of what takes no time"

summary
