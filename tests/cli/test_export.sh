#!/usr/bin/env bash
# weft export, as a user meets it: blobs, C that compilers take with warnings as errors, what is refused.
# usage: test_export.sh WEFT COMPILER SOURCE_DIR
set -u
export LC_ALL=C
weft=$1
compiler=$2
source_dir=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir out
cp "$source_dir/models/digits/digits.tflite" "$source_dir/tests/cli/identity.tflite" .
# shellcheck source=tests/cli/checks.sh
. "$source_dir/tests/cli/checks.sh"
"$weft" compile digits.tflite -o digits.weft

# ---- what it writes ----

good "$weft" export digits.weft --blob digits.bin --c digits -o digits.c --header digits.h
cat > expected <<'END'
digits for ref16: 33024 bytes, arena 1088 bytes (at least 384 are in use at once), 7489 cycles of the machine
steps: 1 programs, 1 operators, 0 copies
kernels: qnn_softmax
END
same stdout expected
equal "$(head -c 6 digits.bin)" WEFTFW "the blob's first bytes"
equal "$(wc -c <digits.bin)" 33024 "bytes of the blob"
good "$weft" export digits.tflite --blob again.bin
same again.bin digits.bin
good "$weft" export digits.tflite --config small8 --blob small.bin
has stdout "^digits for small8: "
good "$weft" export digits.weft --c a1_ -o a1_.c
good "$weft" export digits.weft --c int -o int.c
good "$compiler" -std=c17 -Wall -Wextra -Werror -I"$source_dir" -c int.c -o int.o
has a1_.c "^_Alignas.WEFT_MODEL_ALIGNMENT. const uint32_t a1__words"
run "$weft" export digits.weft --blob -
same stdout digits.bin
has stderr "^kernels: qnn_softmax$"
for macro in "ARENA_BYTES 1088" "INPUTS 1" "OUTPUTS 1" "INPUT_0_BYTES 256" "INPUT_0_ZERO .-128." "OUTPUT_0_BYTES 10" \
    "OUTPUT_0_SCALE 0.00390625" "OUTPUT_0_ZERO .-128."; do
    has digits.h "^#define DIGITS_$macro\$"
done

# ---- C: the same bytes, and the kernels that it names alone ----

cat > main.c <<'END'
#include <stdio.h>
#include "digits.h"

int main(void) {
    const struct weft_kernel_entry *const kernel = digits_kernels[0];
    if ((uintptr_t)digits_model % WEFT_MODEL_ALIGNMENT != 0 || kernel->run == 0 || digits_kernels[0]->outputs != 1) {
        return 1;
    }
    return fwrite(digits_words, 1, sizeof digits_words, stdout) == digits_model->bytes ? 0 : 1;
}
END
# $1: a compiler, then its options; makes digits.o.
builds() {
    good "$@" -std=c17 -O1 -Wall -Wextra -Wconversion -Wshadow -Wpedantic -Werror -I"$source_dir" -c digits.c -o digits.o
    nm --undefined-only digits.o | awk '{ print $2 }' >undefined
    equal "$(grep -c . undefined)" 1 "names that the C needs"
    has undefined '^weft_kernel_qnn_softmax$'
}
builds "$compiler"
good "$compiler" -std=c17 -O1 -Wall -Wextra -Werror -I"$source_dir" -I. main.c digits.c "$source_dir"/kernels/qnn_softmax.c \
    "$source_dir"/kernels/exponential.c -o main
run ./main
same stdout digits.bin
if command -v riscv64-unknown-elf-gcc >/dev/null; then
    builds riscv64-unknown-elf-gcc -march=rv32imc -mabi=ilp32 -misa-spec=2.2 --specs=picolibc.specs
fi

# A program in C++ can include the header.
cat > main.cpp <<'END'
#include <cstdio>
#include "digits.h"

int main() {
    static weft_firmware firmware;
    alignas(WEFT_MODEL_ALIGNMENT) static uint8_t arena[DIGITS_ARENA_BYTES];
    firmware.model = digits_model;
    firmware.arena = arena;
    bool inside = weft_firmware_input(&firmware, 0) >= arena && weft_firmware_output(&firmware, 0) < arena + sizeof arena;
    std::puts(weft_firmware_text(WEFT_FIRMWARE_OK));
    return inside && digits_kernels[0]->inputs == 1 ? 0 : 1;
}
END
good "$compiler" -x c++ -std=c++17 -Wall -Wextra -Wconversion -Wshadow -Wpedantic -Werror -I"$source_dir" -I. -c main.cpp -o main.o
good "$compiler" -std=c17 -I"$source_dir" main.o digits.c "$source_dir"/firmware/status_text.c "$source_dir"/kernels/qnn_softmax.c \
    "$source_dir"/kernels/exponential.c -o main
run ./main
has stdout '^done$'

# Scales that are whole numbers are constants of double all the same.
good "$weft" export "$source_dir/tests/cli/picture.tflite" --c picture -o picture.c --header picture.h
has picture.h '^#define PICTURE_INPUT_0_SCALE 1[.]0$'

# ---- what is refused ----

for arguments in "" "-o out/x.c" "--c x" "--header out/x.h" "--blob out/x --header out/x.h" "--blob out/x -o out/x.c"; do
    # shellcheck disable=SC2086 # words
    bad "weft: export: give a model or a .weft file, and --blob FILE, or --c NAME and -o NAME.c" "$weft" export digits.weft $arguments
done
for name in 1a _a __a _A a-b "a b" "" "é" "$(printf 'a%.0s' {1..65})" ../a 'a;' weft weft_region Weft; do
    bad "weft: export: '$name' cannot begin names in C: expected letters, digits and _, at most 64, a letter at first, for those with _ are the compiler's, and not weft" "$weft" export digits.weft --c "$name" -o out/x.c
done
bad "weft: export: " "$weft" export
bad "weft: nosuch.weft: No such file" "$weft" export nosuch.weft --blob out/x
bad "out/no/x: could not be written" "$weft" export digits.weft --blob out/no/x
bad "could not be written" "$weft" export digits.weft --blob out/x --c x -o out/no/x.c
example=$source_dir/tests/differential/examples/SIN/model.tflite
bad "weft: $example: operator 0 (sin): firmware has no kernel sin, which computes with floats" "$weft" export "$example" --blob out/x

# ---- docs/firmware.md ----

# $1: a file, $2: its name there.
is_in_page() {
    good "$weft" export "$1" --blob page.bin
    sed -nE 's/^(.*) for .*: ([0-9]+) bytes, arena ([0-9]+) bytes .at least ([0-9]+) .*/\1 \2 \3 \4/p; s/^steps: .*, ([0-9]+) operators.*/\1/p' stdout |
        xargs | awk '{ printf "| %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5 }' >line
    tr -d , <"$source_dir/docs/firmware.md" >page
    grep -qxF -f line page || fail "docs/firmware.md does not have: $(cat line)"
}
is_in_page digits.weft
for name in ad_autoencoder_int8 kws_dscnn_int8 ic_resnet8_int8 vww_mobilenetv1_025_96_int8 sww_ds1dcnn_int8; do
    model=$source_dir/../shared/models/$name.tflite
    if [ -f "$model" ]; then is_in_page "$model"; else echo "skipped: $name: there is no ../shared"; fi
done

echo "$checks checks, $failures failures"
[ $failures = 0 ]
