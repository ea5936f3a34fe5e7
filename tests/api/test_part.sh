#!/usr/bin/env bash
# The source as a part of another project: add_subdirectory(), with the compiler that a system has, without a warning, shared and static.
# What it compiles is what WEFT makes of the same models, whichever compiler built that.
# usage: test_part.sh CMAKE SOURCE WEFT
set -euo pipefail
cmake=$1 source=$2 weft=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/project"
cd "$folder/project"
cp "$source/examples/c/classify.c" "$source/examples/cpp/classify.cpp" "$source/tests/api/compile.c" .
cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.25)
project(other LANGUAGES C CXX)
add_subdirectory($source weft EXCLUDE_FROM_ALL)
add_executable(shared classify.c)
target_link_libraries(shared PRIVATE weft::weft)
add_executable(static classify.cpp)
target_compile_features(static PRIVATE cxx_std_17)
target_link_libraries(static PRIVATE weft::weft_static)
add_executable(compile compile.c)
target_link_libraries(compile PRIVATE weft::weft)
END
"$cmake" -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DWEFT_WARN=ON >cmake.txt 2>&1 || { cat cmake.txt; exit 1; }
"$cmake" --build build -j2 >cmake.txt 2>&1 || { tail -50 cmake.txt; exit 1; }
for program in shared static; do
    said=$(./build/$program "$source/models/digits/digits.tflite" "$source/examples/digit.pgm")
    [ "$said" = "class 3 (0.953) after 7489 cycles" ] || { echo "$program said '$said'"; exit 1; }
done
# Models of ONNX have operators that the importer makes of several; a build without protobuf-c reads none of them. Quantised networks,
# which passes change most, are there where ../shared is.
for model in "$source/models/digits/digits.tflite" "$source"/tests/onnx/examples/*/model.onnx "$source"/../shared/onnx/models/ic_q*.onnx; do
    [ -e "$model" ] || continue
    if ! "$weft" compile "$model" -o one.weft >weft.txt 2>&1; then
        grep -q "this build can not read ONNX" weft.txt || { cat weft.txt; exit 1; }
        continue
    fi
    ./build/compile "$model" other.weft
    cmp one.weft other.weft || { echo "$model: the compiler that built Weft shows in the program"; exit 1; }
done
# Nothing but the library: no program of this tree, no test, and nothing in its folders.
if [ -e build/weft/bin/weft ] || [ -e build/bin/weft ] || "$cmake" --build build --target help | grep -q 'test_session\|weft_cli'; then
    echo "more than the library is built"
    exit 1
fi
echo "part of another project: good"
