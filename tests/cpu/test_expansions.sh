#!/usr/bin/env bash
# What the model of the processor makes of each of the 49,152 compressed instructions, against the disassembler of binutils, which
# must say the same of both. Skipped (77) without the RISC-V toolchain.
# usage: test_expansions.sh EXPANSIONS SOURCE_DIR
set -euo pipefail
expansions=$1
names=$2/tests/cpu/names.sed
prefix=riscv64-unknown-elf
command -v $prefix-objdump > /dev/null || {
    echo "skipped: no $prefix-objdump (scripts/setup system)"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$expansions" "$work/compressed.s" "$work/expanded.s"
for program in compressed expanded; do
    $prefix-as -march=rv32imc -mabi=ilp32 "$work/$program.s" -o "$work/$program.o"
    # Without symbols the disassembler does not know that these are data.
    $prefix-strip --strip-all "$work/$program.o" -o "$work/$program.stripped"
    $prefix-objdump -d --no-show-raw-insn "$work/$program.stripped" 2> "$work/said" | grep -E '^ *1[0-9a-f]{4}[08]:' |
        sed -E 's/^ *([0-9a-f]+):\s*/\1 /; s/\s+/ /g' | sed -E -f "$names" > "$work/$program.txt"
done
[ "$(wc -l < "$work/compressed.txt")" = 49152 ]
diff "$work/compressed.txt" "$work/expanded.txt"
echo "49152 compressed instructions, $(grep -c unimp "$work/expanded.txt") of them illegal"
