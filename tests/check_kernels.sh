#!/usr/bin/env bash
# Builds each file of kernels/ for a machine without an operating system, those without _float or _double in their names without
# floating-point registers, and links all of them: they show names with weft_ alone, need nothing but memcpy(), memset(), memmove()
# and functions of libm, these in files of floats alone, and those of double in files of doubles alone.
# usage: check_kernels.sh SOURCE_DIR COMPILER
set -euo pipefail
cd "$1"
compiler=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
options=(-std=c11 -O2 -Wall -Wextra -Wconversion -Wshadow -Wdouble-promotion -Werror -ffreestanding -nostdlib -ffp-contract=off -I.)
memory='memcpy|memset|memmove'
floats='(ceil|cos|erf|exp|expm1|floor|fma|fmax|fmin|fmod|log|log1p|pow|round|sin|sqrt|tanh)f'
status=0

# wrong WORDS: what was found, from stdin; nothing is right.
wrong() {
    found=$(cat)
    if [ -n "$found" ]; then
        echo "check_kernels: $1:"
        echo "$found"
        status=1
    fi
}

# needs FILE...: names that objects do not define.
needs() {
    nm --undefined-only --format=posix "$@" | awk 'NF > 1 && $1 !~ /^weft_/ { print $1 }' | sort -u
}

for file in kernels/*.c; do
    object=$work/$(basename "$file" .c).o
    case $file in
    *_double.c) allowed="$memory|$floats|exp|floor|fmax|fmin|round" own=() ;;
    *_float.c) allowed="$memory|$floats" own=() ;;
    *) allowed=$memory own=(-mgeneral-regs-only) ;;
    esac
    if "$compiler" "${options[@]}" "${own[@]}" -c "$file" -o "$object" 2> "$work/said"; then
        wrong "$file needs" < <(needs "$object" | grep -vxE "$allowed")
    else
        wrong "$file does not build" < "$work/said"
    fi
done
wrong "double in files that are not called *_double.c" < <(grep -lw double kernels/*.c | grep -v '_double\.c$')
wrong "files of doubles, and those in kernels/README.md" < <(diff <(cd kernels && ls -- *_double.c) \
    <(sed -n 's/^| `\([a-z0-9_]*_double\.c\)` .*/\1/p' kernels/README.md | sort))
wrong "headers from elsewhere" < <(grep -ohE '#include "[^"]*"' kernels/*.[ch] | grep -vE '"(base|kernels)/')

"$compiler" -r -nostdlib -o "$work/all" "$work"/*.o
wrong "names without weft_" < <(nm --extern-only --defined-only --format=posix "$work/all" | awk 'NF > 2 && $1 !~ /^weft_/ { print $1 }')
wrong "names of Weft that are not in kernels/" < <(nm --undefined-only --format=posix "$work/all" | awk '$1 ~ /^weft_/ { print $1 }')
# Each line of the list is a function.
sed -nE 's/^WEFT_KERNEL(_SCRATCH|_STATE)?\(([a-z0-9_]+),.*/weft_kernel_\2/p' kernels/kernels.def | sort > "$work/listed"
wrong "kernels, and those of kernels.def" < <(nm --extern-only --defined-only --format=posix "$work/all" |
    awk '$1 ~ /^weft_kernel_/ && $1 !~ /_(scratch|state|reset)$/ { print $1 }' | sort | diff - "$work/listed")
# The last word of its line says which files a kernel is in.
for file in kernels/*.c; do
    case $file in
    *_float.c | *_double.c) arithmetic=FLOAT ;;
    *) arithmetic=INTEGER ;;
    esac
    nm --extern-only --defined-only --format=posix "$work/$(basename "$file" .c).o" |
        awk -v a=$arithmetic '$1 ~ /^weft_kernel_/ && $1 !~ /_(scratch|state|reset)$/ { print $1, a }'
done | sort > "$work/arithmetic"
wrong "what kernels compute with, and kernels.def" < <(
    sed -nE 's/^WEFT_KERNEL(_SCRATCH|_STATE)?\(([a-z0-9_]+),.* ([A-Z]+)\)$/weft_kernel_\2 \3/p' kernels/kernels.def |
        sort | diff "$work/arithmetic" -)
echo "$(find kernels -name '*.c' | wc -l) files, $(wc -l < "$work/listed") kernels"
exit $status
