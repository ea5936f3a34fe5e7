#!/usr/bin/env bash
# A trial: adds a FUNCTION to isa/instructions.def in a copy of the tree, and expects that everything that has to know it refuses
# to compile and says why. usage: add_function.sh SOURCE_DIR COMPILER CONFIG_PACKAGE
set -euo pipefail
compiler=$2
package=$3
case $package in
/*) ;;
*) package=$PWD/$package ;;
esac
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cp -r "$1/base" "$1/isa" "$1/sim" "$1/hw" "$1/docs" "$tree"
patch --quiet --strip=1 --directory="$tree" < "$1/tests/trials/add_function.patch"
cd "$tree"
mkdir generated
options=(-std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wconversion -Wshadow -Werror -I. -Igenerated)
"$compiler" "${options[@]}" isa/definitions.c isa/generate*.c -o generate
./generate header > generated/weft_isa.h
./generate sv > generated/weft_isa_pkg.sv
./generate slices > generated/weft_isa_slices.svh
status=0

# must_refuse FILE WORDS COMMAND...: the command fails, and names the file and the words.
must_refuse() {
    if "${@:3}" > messages 2>&1; then
        echo "add_function: $1 compiles with a FUNCTION that it does not know"
        status=1
    elif ! grep -q "$1.*$2" messages; then
        echo "add_function: $1 fails, but not with \"$2\":"
        cat messages
        status=1
    else
        grep -m 1 "$1.*$2" messages
    fi
}

# What it reads, what it does, how long it takes.
for file in isa/footprint.c sim/exec/vector.c sim/exec/vector_fast.c; do
    must_refuse $file WEFT_FUNCTION_NEGATE "$compiler" "${options[@]}" -fsyntax-only $file
done
must_refuse sim/timing/duration.c "durations.def needs a line" "$compiler" "${options[@]}" -fsyntax-only sim/timing/duration.c

# The RTL, where Verilator is there. The package of a configuration has nothing that depends on the functions but their durations.
if command -v verilator > found && [ -f "$package" ]; then
    for module in weft_extents weft_vector_slots weft_vector_lanes; do
        must_refuse $module.sv "$module knows" verilator --lint-only hw/rtl/lint.vlt generated/weft_isa_pkg.sv "$package" -y hw/rtl -y generated \
            hw/rtl/$module.sv --top-module $module
    done
fi

# The page of the instruction set.
./generate markdown > page
must_refuse docs/isa.md differ cmp docs/isa.md page
exit $status
