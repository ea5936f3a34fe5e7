#!/usr/bin/env bash
# weft quantize and weft evaluate, as a user meets them: what they write and print, what is refused.
# usage: test_quantize.sh WEFT SOURCE_DIR
set -u
export LC_ALL=C
weft=$1
source_dir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir out samples empty
# shellcheck source=tests/cli/checks.sh
. "$source_dir/tests/cli/checks.sh"

cat > net.ir <<'END'
graph net(%x: 1x4xf32) {
  %w1 = constant() data=[0.5, -1, 0.25, 0.75, 1, 0.5, -0.5, 0.125, 0, 0, 0, 0] : 3x4xf32
  %b1 = constant() data=[0.25, -0.5, 1] : 3xf32
  %d1 = dense(%x, %w1) : 1x3xf32
  %s1 = bias_add(%d1, %b1) : 1x3xf32
  %hidden = relu(%s1) : 1x3xf32
  %w2 = constant() data=[1, -1, 0.5, -0.5, 1, 0.25] : 2x3xf32
  %logits = dense(%hidden, %w2) : 1x2xf32
  return %logits
}
END
cat > integers.ir <<'END'
graph integers(%x: 1x4xi32) {
  %y = add(%x, %x) : 1x4xi32
  return %y
}
END

cat > classes.ir <<'END'
graph classes(%x: 1x4xf32) {
  %w = constant() data=[0.5, -1, 0.25, 0.75, 1, 0.5, -0.5, 0.125, 0, 0, 0, 0] : 3x4xf32
  %d = dense(%x, %w) : 1x3xf32
  %c = argmax(%d) axis=1 : 1xi32
  return %c
}
END

# npy FILE BYTES...: four bytes as an array of int8.
npy() {
    local header="{'descr': '|i1', 'fortran_order': False, 'shape': (4,), }"
    local file=$1
    shift
    printf '\x93NUMPY\x01\x00\x76\x00' >"$file"
    printf '%-117s\n' "$header" >>"$file"
    # shellcheck disable=SC2059 # the bytes are escapes
    printf "$(printf '\\x%02x' "$@")" >>"$file"
}
# row I: 4 x 4 x 2 numbers of one byte, none of them 0 or alike.
row() {
    printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '|i1', 'fortran_order': False, 'shape': (4, 4, 2), }"
    for k in $(seq 32); do
        # shellcheck disable=SC2059 # the byte is an escape
        printf "\\x$(printf %02x $(((k * 7 + $1 * 5) % 11 - 5 + 256 * (((k * 7 + $1 * 5) % 11 - 5) < 0) + ((k * 7 + $1 * 5) % 11 == 5))))"
    done
}
npy samples/a.npy 1 2 255 4
npy samples/b.npy 254 3 2 1
npy samples/c.npy 5 253 1 0
npy samples/d.npy 3 3 3 252
echo nothing >samples/readme.txt

# ---- what it writes ----

good "$weft" quantize net.ir --data samples
has stdout "^   1 dense .* hidden$"
has stdout "^   2 dense .* logits$"
has stdout "^outputs: [0-9.]+ dB; the same class for 100.00 % of 4 samples$"
# numbers of elements have no range
good "$weft" quantize classes.ir --data samples
has stdout "^   2 argmax +- +- "
good "$weft" quantize net.ir --data samples -o net.weft --json net.json --page net.html
has net.json '"calibration": "mse"'
has net.json '"tensor": "hidden"'
has net.html "<svg "
has_not net.html "(src|href)="
good "$weft" quantize net.ir --data samples -o again.weft
same net.weft again.weft
good "$weft" quantize net.ir --data samples -o quantized.ir
has quantized.ir "qnn.dense"
good "$weft" compile quantized.ir -o from_text.weft
good "$weft" verify net.weft
good "$weft" evaluate net.weft --data samples --against net.ir --json evaluation.json
has stdout "^4 samples$"
has stdout "^the same class as net.ir: 100.00 %$"
has evaluation.json '"agree": 4'
good "$weft" evaluate net.weft --data samples --against net.ir --target cycle
has stdout "^the same class as net.ir: 100.00 %$"
good "$weft" evaluate net.ir --data samples --against net.ir --target host
has stdout "^all outputs are the same$"
good "$weft" quantize net.ir --data samples --integer-ends -o integer.weft
good "$weft" evaluate integer.weft --data samples --against net.ir
good "$weft" quantize net.ir --data samples --unsigned --integer-ends -o unsigned.ir
has unsigned.ir "%x: 1x4xu8"
good "$weft" quantize net.ir --data samples --weights int4 -o int4.ir
good "$weft" quantize net.ir --data samples --weights int8 -o int8.ir
good "$weft" quantize net.ir --data samples -o plain.ir
good cmp int8.ir plain.ir
if cmp -s int4.ir int8.ir; then
    good false # the weights are others
fi
for method in min-max moving-average percentile entropy; do
    good "$weft" quantize net.ir --data samples --calibration $method
done
good "$weft" quantize net.ir --data samples --keep-float 'hid*'
has stdout "float .* hidden: it is kept in float$"
has stdout "^1 layers kept in float$"
good "$weft" quantize net.ir --data samples --min-sqnr 199
has stdout "^2 layers kept in float$"
good "$weft" quantize net.ir --data samples --per-tensor --symmetric --power-of-two --equalize --no-bias-correction --samples 2
has stdout "^1 pairs of layers equalised$"

# ---- an encoder ----

# numbers COUNT SCALE SEED: so many, from -SCALE to SCALE, the same everywhere.
numbers() {
    awk -v count="$1" -v scale="$2" -v at="$3" 'BEGIN {
        for (i = 0; i < count; i++) {
            at = (at * 1103 + 12345) % 65536
            printf "%s%.4f", i ? ", " : "", (at / 32768 - 1) * scale
        }
    }'
}
linear() { # RESULT OPERAND SEED: 32 channels of 32, and a bias
    printf '  %%w%s = constant() data=[%s] : 32x32xf32\n' "$1" "$(numbers 1024 0.3 "$3")"
    printf '  %%b%s = constant() data=[%s] : 32xf32\n' "$1" "$(numbers 32 0.2 "$3")"
    printf '  %%p%s = batch_matmul(%%%s, %%w%s) transpose_a=0 transpose_b=0 : 1x64x32xf32\n' "$1" "$2" "$1"
    printf '  %%%s = add(%%p%s, %%b%s) : 1x64x32xf32\n' "$1" "$1" "$1"
}
heads() { # RESULT OPERAND
    printf '  %%h%s = reshape(%%%s) : 1x64x2x16xf32\n' "$1" "$2"
    printf '  %%%s = transpose(%%h%s) permutation=[0, 2, 1, 3] : 1x2x64x16xf32\n' "$1" "$1"
}
{
    printf 'graph encoder(%%x: 1x64x32xf32) {\n'
    printf '  %%gain = constant() data=[%s] : 32xf32\n' "$(numbers 32 2 5)"
    printf '  %%offset = constant() data=[%s] : 32xf32\n' "$(numbers 32 1 6)"
    printf '  %%n = layer_norm(%%x, %%gain, %%offset) epsilon=1e-05 : 1x64x32xf32\n'
    linear q n 1
    linear k n 2
    linear v n 3
    heads queries q
    heads keys k
    heads values v
    printf '  %%s0 = batch_matmul(%%queries, %%keys) transpose_a=0 transpose_b=1 : 1x2x64x64xf32\n'
    printf '  %%four = constant() data=[4] : f32\n  %%s = divide(%%s0, %%four) : 1x2x64x64xf32\n'
    printf '  %%shares = softmax(%%s) beta=1 : 1x2x64x64xf32\n'
    printf '  %%m0 = batch_matmul(%%shares, %%values) transpose_a=0 transpose_b=0 : 1x2x64x16xf32\n'
    printf '  %%m1 = transpose(%%m0) permutation=[0, 2, 1, 3] : 1x64x2x16xf32\n'
    printf '  %%m = reshape(%%m1) : 1x64x32xf32\n'
    linear o m 4
    printf '  %%sum = add(%%x, %%o) : 1x64x32xf32\n  return %%sum\n}\n'
} >encoder.ir
mkdir tokens
for seed in 1 2 3 4; do
    {
        printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '|i1', 'fortran_order': False, 'shape': (64, 32), }"
        # shellcheck disable=SC2059 # the bytes are escapes
        printf "$(numbers 2048 120 $seed | tr -d , | awk '{ for (i = 1; i <= NF; i++) printf "\\x%02x", (int($i) + 256) % 256 }')"
    } >tokens/$seed.npy
done
good "$weft" quantize encoder.ir --data tokens --std 40 -o encoder.weft
has stdout "softmax .* -128 .* shares$"
has stdout "^outputs: [34][0-9.]+ dB"
has_not stdout "it has no quantised form"
good "$weft" run encoder.weft --timing-only
has stdout ": [0-9]+ cycles, .*; on the host 2 operators: 0 MAC "
good "$weft" verify encoder.weft
good "$weft" quantize encoder.ir --data tokens --std 40 --unsigned --integer-ends -o unsigned.weft
good "$weft" run unsigned.weft --timing-only
has stdout "; nothing on the host$"

# ---- as ONNX ----

# What a build without protobuf-c cannot write.
if "$weft" quantize net.ir --data samples -o net.onnx >/dev/null 2>&1; then
    good "$weft" evaluate net.onnx --data samples --against net.weft
    has stdout "^all outputs are the same$"
    mkdir rows
    for i in 1 2 3 4 5; do
        row $i >rows/$i.npy
    done
    for options in "" --unsigned "--symmetric --per-tensor" --power-of-two "--keep-float silu"; do
        # shellcheck disable=SC2086 # words
        good "$weft" quantize "$source_dir/tests/cli/kept_in_float.ir" --data rows --std 2 $options -o many.onnx
        # shellcheck disable=SC2086
        good "$weft" quantize "$source_dir/tests/cli/kept_in_float.ir" --data rows --std 2 $options -o many.weft
        good "$weft" evaluate many.onnx --data rows --std 2 --against many.weft
        # But for the last places of floats.
        has stdout "^all outputs are the same$|ratio of the outputs 1[4-9][0-9][.]"
    done
else
    has stderr "ONNX"
fi

# ---- pictures ----

cat > picture.ir <<'END'
graph picture(%x: 1x16x16x1xf32) {
  %w = constant() data=[1, -1] : 2x1x1x1xf32
  %c = conv2d(%x, %w) strides=[4, 4] padding=[0, 0, 0, 0] dilation=[1, 1] groups=1 : 1x4x4x2xf32
  return %c
}
END
mkdir pictures
cp "$source_dir/models/digits/3.png" pictures/
good "$weft" quantize picture.ir --data pictures --mean 127.5 --std 127.5 -o picture.weft
has stdout "1 conv2d .* c$"

# Values at the end of what float32 holds, whose range has no width in it, are in some bin.
python3 - <<'END'
import struct
header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 16, 16, 1), }".ljust(117) + "\n"
with open("huge.npy", "wb") as out:
    out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    out.write(struct.pack("<256f", *([3e38, -3e38] * 128)))
END
mkdir huge
mv huge.npy huge/
for calibration in mse percentile entropy; do
    run "$weft" quantize picture.ir --data huge --calibration $calibration -o huge.weft
    [ $status = 0 ] || complains "finite"
done

# ---- what is refused ----

bad "2 numbers, expected one, or one for each channel" "$weft" quantize picture.ir --data pictures --mean 1,2 -o out/x.weft
bad "3 numbers, expected one, or one for each channel" "$weft" evaluate picture.ir --data pictures --std 1,2,3
bad "--data" "$weft" quantize net.ir -o out/x.weft
bad "--data" "$weft" evaluate net.ir
bad "no .npy files" "$weft" quantize net.ir --data empty -o out/x.weft
bad "readme.txt" "$weft" quantize net.ir --data samples/readme.txt -o out/x.weft
bad "no layer is called 'nothing'" "$weft" quantize net.ir --data samples --keep-float nothing -o out/x.weft
bad "percentil" "$weft" quantize net.ir --data samples --calibration percentil -o out/x.weft
bad "int3" "$weft" quantize net.ir --data samples --weights int3 -o out/x.weft
bad "--percentile has no effect" "$weft" quantize net.ir --data samples --percentile 99 -o out/x.weft
bad "--levels has no effect" "$weft" quantize net.ir --data samples --levels 64 -o out/x.weft
bad "--bins has no effect" "$weft" quantize net.ir --data samples --calibration min-max --bins 64 -o out/x.weft
bad "a number from 50 to 100" "$weft" quantize net.ir --data samples --calibration percentile --percentile 101 -o out/x.weft
bad "a number from 1 to 65536" "$weft" quantize net.ir --data samples --bins 0 -o out/x.weft
bad "needs labels" "$weft" quantize net.ir --data samples --max-drop 1 -o out/x.weft
printf '\x93NUMPY\x01\x00\x76\x00%-117s\n\0\0\xc0\x7f' "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }" >nan.npy
mkdir nans
cp nan.npy nans/
cat > one.ir <<'END'
graph one(%x: 1x1xf32) {
  %w = constant() data=[1, 2] : 2x1xf32
  %y = dense(%x, %w) : 1x2xf32
  return %y
}
END
bad "nans: sample 0: element 0 is not a finite number" "$weft" quantize one.ir --data nans -o out/x.weft
bad "nans: sample 0: element 0 is not a finite number" "$weft" evaluate one.ir --data nans
bad "shape is not that of the model's input" "$weft" evaluate one.ir --data samples
bad "expected a .npz file" "$weft" quantize net.ir --data samples/a.npy --array nothing -o out/x.weft
# A folder has no arrays, and a graph in text form leaves no dimension open.
bad "samples: a folder, which has no arrays: --array is for a .npz file" "$weft" quantize net.ir --data samples --array x -o out/x.weft
bad "samples: a folder, which has no arrays: --labels is for a .npz file" "$weft" evaluate net.ir --data samples --labels x
bad "sizes of dimensions by name are for ONNX models" "$weft" quantize net.ir --data samples --dim N=7 -o out/x.weft
bad "sizes of dimensions by name are for ONNX models" "$weft" compile net.ir --dim N=7 -o out/x.weft
bad "--integer-ends" "$weft" quantize net.ir --data samples --integer-ends -o out/x.onnx
bad "no layer of floats" "$weft" quantize integers.ir --data samples -o out/x.weft
bad "same outputs" "$weft" evaluate net.ir --data samples --against integers.ir

echo "$checks checks, $failures failures"
[ $failures = 0 ]
