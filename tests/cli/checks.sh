# What the tests of the command line assert; sourced, in a folder of their own that has a folder out/.
# shellcheck shell=bash
checks=0
failures=0

# ---- what is asserted ----

# fail WHAT: counts a failure, with the command that was run last.
fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    echo "    command: ${last-}"
    sed 's/^/    stderr: /' stderr
}

# run COMMAND...: its output to the files stdout and stderr, its status to $status.
run() {
    last="$*"
    checks=$((checks + 1))
    timeout 120 "$@" >stdout 2>stderr </dev/null
    status=$?
}

# good COMMAND...: succeeds and says nothing on stderr.
good() {
    run "$@"
    [ $status = 0 ] || fail "status $status, expected 0"
    [ ! -s stderr ] || fail "something on stderr"
}

# complains PART: the last command ended with 2 and one line on stderr, which has PART, and left no file in out/.
complains() {
    [ $status = 2 ] || fail "status $status, expected 2"
    [ "$(wc -l <stderr)$(tail -c 1 stderr)" = 1 ] || fail "not exactly one line on stderr"
    [ "$(head -c 6 stderr)" = "weft: " ] || fail "stderr does not begin with 'weft: '"
    grep -qF -e "$1" stderr || fail "stderr does not mention '$1'"
    [ -z "$(ls -A out)" ] || fail "left in out/: $(ls -A out)"
    rm -rf out
    mkdir out
}

# bad PART COMMAND...: fails as it should.
bad() {
    local part=$1
    shift
    run "$@"
    complains "$part"
}

# good_or_bad PART COMMAND...: succeeds in silence, or fails as it should; for damage that may go unseen.
good_or_bad() {
    local part=$1
    shift
    run "$@"
    if [ $status = 0 ]; then
        [ ! -s stderr ] || fail "something on stderr"
        rm -rf out
        mkdir out
    else
        complains "$part"
    fi
}

same() {
    checks=$((checks + 1))
    cmp -s "$1" "$2" || fail "$1 and $2 differ"
}

# has FILE PATTERN: a line matches the extended regular expression.
has() {
    checks=$((checks + 1))
    grep -qE -e "$2" "$1" || fail "no line of $1 matches '$2'"
}

has_not() {
    checks=$((checks + 1))
    ! grep -qE -e "$2" "$1" || fail "a line of $1 matches '$2'"
}

equal() {
    checks=$((checks + 1))
    [ "$1" = "$2" ] || fail "$3: '$1' is not '$2'"
}

# number KEY: the value of a key of stats.json at the top or one level below.
number() {
    sed -nE "s/^ {2,4}\"$1\": ([0-9.e+-]+),?\$/\1/p" stats.json
}

# flip FILE OFFSET MASK OUT: a copy with bits of one byte flipped.
flip() {
    local byte
    byte=$(od -An -tu1 -j "$2" -N 1 "$1")
    cp "$1" "$4"
    # shellcheck disable=SC2059 # the format is the byte
    printf "\\x$(printf %02x $((byte ^ $3)))" | dd of="$4" bs=1 seek="$2" conv=notrunc status=none
}

size() {
    stat -c %s "$1"
}

# npy DESCR SHAPE ORDER BYTES: a .npy file of version 1.0 on stdout, its data zeros.
npy() {
    printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '$1', 'fortran_order': $3, 'shape': $2, }"
    head -c "$4" /dev/zero
}

# summary: what the test ends with.
summary() {
    equal "$(find . -name '*.tmp')" "" "temporary files left"
    if [ $failures != 0 ]; then
        echo "$failures of $checks checks failed"
        exit 1
    fi
    echo "$checks checks passed"
}
