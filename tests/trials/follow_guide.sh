#!/usr/bin/env bash
# Follows a page of docs/guides, or of docs (extend, tutorial), literally: applies its patch to a copy of the compiler, builds that, and runs the test of the
# guide on it. Commands of a guide without a patch are run as they stand, those marked "rtl" where the RTL of small8 is built, those
# marked "riscv" where there is a compiler for it, "vp" and "soc" where the virtual platform and the system of VexRiscv with small8 are.
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

# blocks KIND: what is inside the page's blocks of code of a kind, with "..." below each block of text.
blocks() {
    awk -v start="\`\`\`$1" '
        $0 == start { inside = 1; next }
        inside && $0 == "```" { inside = 0; if (start ~ /^...text/) print "..." }
        inside' "$guide"
}

if [ "$most" = 0 ]; then
    cp "$source"/models/digits/{digits.tflite,3.png} "$work"
    cp "$source/models/digits/goldens/3.output.npy" "$work/golden.npy"
    ln -s "$source/hw" "$source/models" "$work"
    ln -s "$build" "$work/build"
    mkdir "$work/home"
    cd "$work"
    PATH=$build/bin:$PATH
    blocks sh > commands
    blocks text > text
    # add KIND FILE...: also the blocks of this kind, if there are the files.
    add() {
        if ls "${@:2}" >said 2>&1; then
            blocks "sh $1" >> commands
            blocks "text $1" >> text
        fi
    }
    add rtl "$build/lib/weft_rtl_small8.so"
    add riscv "$(command -v riscv64-unknown-elf-gcc || echo none)"
    add vp "$build/lib/weft_vp" "$build/firmware/rv32imc/image"
    add soc "$build/lib/weft_soc_vexriscv_small8.so"
    export WEFT=$source WEFT_BUILD=$build HOME=$work/home
    bash -euxo pipefail commands > said 2>&1 || { cat said; exit 1; }
    # What the page says that a command says, and the lines that it shows: those of a block follow each other, but for "...", and blocks
    # stand in the order of their commands. What the shell says of commands is no part of it.
    sed -n 's/^ *says `\(.*\)`\.$/\1/p' "$guide" | while read -r line; do
        grep -qF -e "$line" said || { echo "$name: expected to read: $line"; cat said; exit 1; }
    done
    grep -v '^++* ' said > printed || true
    awk -v name="$name" '
        { sub(/[ \t]+$/, "") }
        FNR == NR { printed[++lines] = $0; next }
        failed { next }
        $0 != "..." { part[++parts] = $0; next }
        parts > 0 {
            do {
                at++
                for (same = 0; same < parts && printed[at + same] == part[same + 1];) same++
                if (same > most) most = same
            } while (same < parts && at <= lines)
            if (same < parts) {
                print name ": expected this line, behind those before it: " part[most + 1]
                failed = 1
            }
            at += parts - 1
            compared += parts
            parts = most = 0
        }
        END { if (!failed) print name ": " compared + 0 " lines compared"; exit failed }' printed text || { cat said; exit 1; }
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
    -DWEFT_SOURCE_DIR=\"$source\" -DWEFT_LIBDIR=\"lib\""
# All of the compiler and the kernels, as tables of kinds and operators have become longer. The C++ of its importer knows nothing of them;
# the reader and the writer of ONNX do, but no guide calls them, and they are not in every build.
printf '%s\n' test.c tests/unit/{graphs,modules}.c kernels/*.c compiler/*.c compiler/*/*.c driver/*.c | grep -v -e driver/rtl_library.c -e compiler/quantize/onnx_ |
    xargs -P 2 -I FILE sh -c '"$compiler" $options -c FILE -o "objects/$(echo FILE | tr / _).o"'
"$compiler" -o test objects/*.o "$build"/internal/libweft_{cli,driver,compiler,kernels,sim,trace,exec*,timing,isa,base}.a \
    -lcmocka -lz -ljansson $(pkg-config --libs openssl 2>said) $(pkg-config --libs libprotobuf-c 2>>said) -lstdc++ -lm -lpthread -ldl
./test
echo "$name: $files files"
