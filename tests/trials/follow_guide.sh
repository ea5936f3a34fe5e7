#!/usr/bin/env bash
# Follows a page of docs/guides, or of docs, literally: applies its patch to a copy of the compiler, builds that, and runs the test of the
# guide on it. Commands of a guide without a patch are run as they stand, those marked "rtl" where the RTL of small8 is built, those
# marked "riscv" where there is a compiler for it.
# usage: follow_guide.sh NAME SOURCE_DIR BUILD_DIR COMPILER MOST_FILES
set -euo pipefail
name=$1
source=$2
build=$3
compiler=$4
most=$5
guide=$source/docs/guides/$name.md
[ -f "$guide" ] || guide=$source/docs/$name.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# blocks KIND: what is inside the page's blocks of code of a kind.
blocks() {
    awk -v start="\`\`\`$1" '$0 == start { inside = 1; next } $0 == "```" { inside = 0 } inside' "$guide"
}

if [ "$most" = 0 ]; then
    cp "$source"/models/digits/{digits.tflite,3.png} "$work"
    cp "$source/models/digits/goldens/3.output.npy" "$work/golden.npy"
    cd "$work"
    PATH=$build/bin:$PATH
    blocks sh > commands
    blocks text > text
    if [ -f "$build/lib/weft_rtl_small8.so" ]; then
        blocks 'sh rtl' >> commands
        blocks 'text rtl' >> text
    fi
    if command -v riscv64-unknown-elf-gcc >/dev/null; then
        blocks 'sh riscv' >> commands
        blocks 'text riscv' >> text
    fi
    export WEFT=$source WEFT_BUILD=$build
    bash -euxo pipefail commands > said 2>&1 || { cat said; exit 1; }
    # What the page says that a command says, and the lines that it shows.
    sed -n 's/^ *says `\(.*\)`\.$/\1/p' "$guide" | while read -r line; do
        grep -qF -e "$line" said || { echo "$name: expected to read: $line"; cat said; exit 1; }
    done
    while IFS= read -r line; do
        grep -qxF -e "$line" said || { echo "$name: expected the line: $line"; cat said; exit 1; }
    done < text
    echo "$name: $(wc -l < commands) commands"
    exit 0
fi

blocks diff > "$work/patch"
files=$(grep -c '^+++ ' "$work/patch")
if [ "$files" -gt "$most" ]; then
    echo "$name: $files files change, expected at most $most"
    exit 1
fi

# A patch of the machine: the tests of its function or instruction, built by the copy's own rules.
if [ -f "$source/tests/trials/$name.targets" ]; then
    tar -C "$source" --exclude='./build*' --exclude=./.git -cf - . | tar -C "$work" -xf -
    cd "$work"
    patch --quiet --strip=1 --fuzz=0 < patch
    cmake --preset release -DWEFT_RTL= > said
    while read -r target arguments; do
        cmake --build build --target "$target" > said 2>&1 || { cat said; exit 1; }
        # shellcheck disable=SC2086 # words
        build/bin/"$target" $arguments > said 2>&1 || { cat said; exit 1; }
        tail -n 1 said
    done < "tests/trials/$name.targets"
    cmake --build build --target weft_generate > said 2>&1
    build/bin/weft_generate markdown | cmp - docs/isa.md
    echo "$name: $files files"
    exit 0
fi

mkdir -p "$work/tests/unit" "$work/objects"
cp -r "$source"/{base,isa,sim,kernels,firmware,linux,compiler,driver,vp,cli} "$work"
cp "$source"/tests/unit/{graphs,modules,helpers,models,test,random}*.[ch] "$work/tests/unit"
cd "$work"
patch --quiet --strip=1 --fuzz=0 < patch
cp "$source/tests/trials/$name.c" test.c
export compiler options="-std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wconversion -Wshadow -Werror -I. -I$build/generated \
    -DWEFT_SOURCE_DIR=\"$source\""
# All of the compiler and the kernels, as tables of kinds and operators have become longer. The C++ of its importer knows nothing of them;
# the reader and the writer of ONNX do, but no guide calls them, and they are not in every build.
printf '%s\n' test.c tests/unit/{graphs,modules}.c kernels/*.c compiler/*.c compiler/*/*.c driver/*.c | grep -v -e driver/rtl_library.c -e compiler/quantize/onnx_ |
    xargs -P 2 -I FILE sh -c '"$compiler" $options -c FILE -o "objects/$(echo FILE | tr / _).o"'
"$compiler" -o test objects/*.o "$build"/internal/libweft_{cli,driver,compiler,kernels,sim,trace,exec*,timing,isa,base}.a \
    -lcmocka -lz -ljansson $(pkg-config --libs openssl 2>said) $(pkg-config --libs libprotobuf-c 2>>said) -lstdc++ -lm -lpthread -ldl
./test
echo "$name: $files files"
