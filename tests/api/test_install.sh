#!/usr/bin/env bash
# The library as others use it: installed into an empty folder, with pkg-config and with find_package, shared and static, in C and C++;
# the program of the installed tree; and the source as part of another project. Every one gives the answer that LiteRT gives.
# usage: test_install.sh CMAKE BUILD SOURCE CC CXX
set -euo pipefail
cmake=$1 build=$2 source=$3 cc=$4 cxx=$5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# Programs are built and run as if the source and the build were not there: what is found is what is installed.
"$cmake" --install "$build" --prefix "$folder/first" >installed.txt
mv first tree # it can be moved
tree=$folder/tree
model=$folder/digits.tflite
cp "$source/models/digits/digits.tflite" "$source/models/digits/3.png" "$source/examples/digit.pgm" .
cp -r "$source/examples/c" "$source/examples/cpp" .
answer="class 3 (0.953) after 7489 cycles"
check() {
    local said
    said=$("$@" "$model" digit.pgm) || { echo "$*: ended with $?"; exit 1; }
    [ "$said" = "$answer" ] || { echo "$*: said '$said', not '$answer'"; exit 1; }
}

# What has to be there.
for file in bin/weft include/weft/weft.h include/weft/weft.hpp share/man/man1/weft.1 share/bash-completion/completions/weft \
    share/zsh/site-functions/_weft share/weft/configs/ref16.json; do
    [ -e "tree/$file" ] || { echo "$file is not installed"; exit 1; }
done
lib=$(dirname "$(find "$tree" -name libweft.a)")
for file in libweft.so libweft.so.0 cmake/weft/weft-config.cmake pkgconfig/weft.pc pkgconfig/weft-static.pc; do
    [ -e "$lib/$file" ] || { echo "$file is not installed"; exit 1; }
done
# No file says where it was built; but of archives and programs with debugging information that is so.
if grep -rIl -e "$build" -e "$source" "$tree"; then
    echo "these files name the folders of the build or the source"
    exit 1
fi

# Each header by itself, in the languages it is for, with warnings.
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
for language in "$cc -x c -std=c99" "$cc -x c -std=c11" "$cxx -x c++ -std=c++11" "$cxx -x c++ -std=c++20"; do
    # shellcheck disable=SC2086 # lists of options
    echo '#include <weft/weft.h>' | $language $warnings -Itree/include -fsyntax-only -
done
for standard in 17 20; do
    # shellcheck disable=SC2086
    echo '#include <weft/weft.hpp>' | $cxx -x c++ -std=c++$standard $warnings -Itree/include -fsyntax-only -
done

# pkg-config.
export PKG_CONFIG_PATH=$lib/pkgconfig
[ "$(pkg-config --modversion weft)" = "$(tree/bin/weft --version | sed -n 's/^weft \([0-9.]*\).*/\1/p')" ]
# shellcheck disable=SC2046,SC2086
{
    $cc -std=c11 $warnings c/classify.c $(pkg-config --cflags --libs weft) "-Wl,-rpath,$lib" -o c_shared
    $cc -std=c11 $warnings c/classify.c $(pkg-config --cflags --libs weft-static) -o c_static
    $cxx -std=c++17 $warnings cpp/classify.cpp $(pkg-config --cflags --libs weft) "-Wl,-rpath,$lib" -o cpp_shared
    $cxx -std=c++17 $warnings cpp/classify.cpp $(pkg-config --cflags --libs weft-static) -o cpp_static
    # An archive of position-independent code becomes part of a shared library.
    $cc -shared -fPIC -x c - -o plugin.so $(pkg-config --cflags weft-static) -Wl,-z,defs -x none $(pkg-config --libs weft-static) <<'END'
#include <weft/weft.h>
const char *version_of_weft(void);
const char *version_of_weft(void) { return weft_library_version(); }
END
}
for program in c_shared c_static cpp_shared cpp_static; do
    check "./$program"
done
readelf -d c_shared | grep -q 'NEEDED.*\[libweft.so.0\]'
if readelf -d c_static | grep -q libweft; then
    echo "the static program needs the shared library"
    exit 1
fi

# find_package.
for language in c cpp; do
    for kind in weft weft_static; do
        sed -i "s/weft::weft[_a-z]*)/weft::$kind)/" $language/CMakeLists.txt
        "$cmake" -S $language -B "build_${language}_$kind" -DCMAKE_PREFIX_PATH="$tree" -DCMAKE_C_COMPILER="$cc" \
            -DCMAKE_CXX_COMPILER="$cxx" >cmake.txt 2>&1 || { cat cmake.txt; exit 1; }
        "$cmake" --build "build_${language}_$kind" >cmake.txt 2>&1 || { cat cmake.txt; exit 1; }
        check "./build_${language}_$kind/classify"
    done
done
for wrong in 0.2 1.0; do
    sed "s/find_package(weft 0.1/find_package(weft $wrong/" c/CMakeLists.txt >wrong.txt
    mkdir -p wrong && cp wrong.txt wrong/CMakeLists.txt
    if "$cmake" -S wrong -B wrong/build -DCMAKE_PREFIX_PATH="$tree" -DCMAKE_C_COMPILER="$cc" >cmake.txt 2>&1; then
        echo "version $wrong was found"
        exit 1
    fi
    rm -rf wrong
done

# The program, with the answer of LiteRT, and its manual page; and what belongs to it where that was built.
tree/bin/weft run digits.tflite --input 3.png --output 3.npy | grep -q ' 7489 cycles'
cmp 3.npy "$source/models/digits/goldens/3.output.npy"
for rtl in "$lib"/weft/weft_rtl_*.so; do
    [ -e "$rtl" ] || continue
    name=${rtl##*/weft_rtl_}
    name=${name%.so}
    case $name in *_wave) continue ;; esac
    echo "with the RTL of $name"
    tree/bin/weft run digits.tflite --config "$name" --target rtl --input 3.png --output rtl.npy >rtl.txt
    cmp rtl.npy "$source/models/digits/goldens/3.output.npy"
    if [ "$name" = ref16 ]; then
        said=$(./c_shared digits.tflite digit.pgm rtl)
        [ "$said" = "$answer" ]
        said=$(WEFT_RTL_PATH=$lib/weft ./c_static digits.tflite digit.pgm rtl)
        [ "$said" = "$answer" ]
    fi
done
message=$(WEFT_RTL_PATH=$folder ./c_shared digits.tflite digit.pgm rtl 2>&1) && exit 1
[[ $message == *"the RTL of configuration ref16 is not built (no file $folder/weft_rtl_ref16.so)"* ]]
echo "installed: good"
