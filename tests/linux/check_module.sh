#!/usr/bin/env bash
# Builds the kernel module (linux/) for every kernel whose headers are installed, with warnings as errors, and the header of its
# calls as a program of 32 bits sees it. usage: check_module.sh SOURCE_DIR
set -euo pipefail
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

headers=
for folder in /lib/modules/*/build; do
    [ ! -f "$folder/Makefile" ] || headers="$headers $folder"
done
if [ -z "$headers" ]; then
    echo "skipped: there are no headers of a kernel; scripts/setup system installs linux-headers-amd64"
    exit 77
fi

# kbuild writes beside the sources.
mkdir "$work/isa"
cp "$source"/isa/*.def "$source"/isa/registers.h "$work/isa"
cp -r "$source/linux" "$work/linux"
for folder in $headers; do
    make -s -C "$work/linux" KERNEL="$folder" KCFLAGS=-Werror W=1 modules 2>"$work/messages" || { cat "$work/messages"; exit 1; }
    [ -f "$work/linux/weft.ko" ] || { echo "no weft.ko for $folder"; exit 1; }
    # There is no kernel to take type information from; nothing else may be said.
    if grep -v '^Skipping BTF generation' "$work/messages"; then exit 1; fi
    echo "weft.ko for $folder: $(size "$work/linux/weft.ko" | awk 'NR == 2 { print $1, "bytes of text,", $2 + $3, "of data" }')"
    make -s -C "$work/linux" KERNEL="$folder" clean
done
