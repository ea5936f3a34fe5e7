#!/usr/bin/env bash
# The command line of lockstep: what it refuses, and machines with more bursts than any of hw/configs. usage: test_options.sh LOCKSTEP FOLDER
set -u
export LC_ALL=C
lockstep=$1
folder=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# refuses MESSAGE ARGUMENT...: ends with 2, compares nothing, and says why.
refuses() {
    local message=$1 status=0
    shift
    "$lockstep" "$@" >"$work/stdout" 2>"$work/stderr" || status=$?
    if [ $status != 2 ] || [ -s "$work/stdout" ] || ! grep -qF -e "$message" "$work/stderr"; then
        failures=$((failures + 1))
        echo "FAILED: lockstep $*: status $status, expected 2 and '$message'" && cat "$work/stdout" "$work/stderr"
    fi
}

refuses "there is no comparison 'foo', expected some of kernels,reference,rtl, or none" --against foo
refuses "there is no comparison 'kernal'" --against reference,kernal
refuses "there is no comparison ''" --against reference,
refuses "there is no comparison ''" --against ''
refuses "there is no comparison 'none'" --against none,rtl
refuses "--instructions expects a number of 64 bits, not 'abc'" --instructions abc
refuses "--instructions expects a number of 64 bits, not '1e5'" --instructions 1e5
refuses "--instructions expects a number of 64 bits, not ''" --instructions ''
refuses "--seed expects a number of 64 bits, not '-1'" --seed -1
refuses "--seed expects a number of 64 bits, not '18446744073709551616'" --seed 18446744073709551616
refuses "usage: lockstep" --seed

# As many bursts as a configuration may have, whose memory takes long: they are outstanding at once.
sed 's/_bursts": 64/_bursts": 256/; s/_beats": 192/_beats": 4096/; s/"memory_latency": 100/"memory_latency": 4096/; s/"few8"/"bursts8"/' \
    "$folder/few8.json" >"$work/bursts8.json"
if ! "$lockstep" --config "$work/bursts8.json" --instructions 3000 --against reference >"$work/stdout" 2>&1; then
    failures=$((failures + 1))
    echo "FAILED: 256 bursts against the reference" && cat "$work/stdout"
fi
[ $failures = 0 ] && echo "all as expected"
