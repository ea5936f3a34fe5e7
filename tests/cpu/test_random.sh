#!/usr/bin/env bash
# Random programs on the model of the processor and on QEMU: registers and memory are the same. Skipped (77) without QEMU.
# usage: test_random.sh RANDOM_PROGRAM RUN_IMAGE PROGRAMS
set -euo pipefail
random_program=$1
run_image=$2
programs=$3
command -v qemu-system-riscv32 > /dev/null || {
    echo "skipped: no qemu-system-riscv32 (scripts/setup system)"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# What the model has, and nothing else.
cpu=rv32,a=false,f=false,d=false,h=false,s=false,u=false,pmp=false,mmu=false,zba=false,zbb=false,zbc=false,zbs=false

for seed in $(seq 1 "$programs"); do
    for traps in "" --traps; do
        # shellcheck disable=SC2086 # no option is no word
        "$random_program" "$seed" 10000 "$work/image" $traps
        "$run_image" "$work/image" "$work/model" > "$work/count"
        timeout 120 qemu-system-riscv32 -M virt -m 32M -cpu $cpu -display none -monitor none -bios none \
            -device loader,file="$work/image",addr=0x80000000 -serial file:"$work/qemu" 2> "$work/said" || {
            echo "seed $seed $traps: QEMU ended with $?: $(cat "$work/said")"
            exit 1
        }
        cmp "$work/model" "$work/qemu" || {
            echo "seed $seed $traps: model and QEMU differ"
            exit 1
        }
        echo "seed $seed $traps: $(cat "$work/count")"
    done
done
