#!/usr/bin/env bash
# hw/tools/ring.awk: each input has a flip-flop, and each output, or with half=1 the lower half of each. usage: test_ring.sh SOURCE
set -euo pipefail
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/a.il" <<'END'
module \other
  wire width 9 input 1 \not_mine
end
module \mine
  wire input 1 \clock
  wire width 6 input 2 \data
  wire output 3 \valid
  wire width 5 output 4 \sums
  wire width 7 \inside
end
END
fail() { echo "test_ring: $1"; cat "$work/ring.v"; exit 1; }
count() { grep -c "TRELLIS_FF .* $1[0-9]*(" "$work/ring.v" || true; }

awk -f "$source/hw/tools/ring.awk" -v id='\mine' -v name=mine "$work/a.il" >"$work/ring.v"
[ "$(count i) $(count o) $(count f)" = "6 6 6" ] || fail "6 inputs and 6 outputs have other flip-flops"
grep -qF '.sums(out[5:1])' "$work/ring.v" || fail "sums has other registers than 1 to 5"

awk -f "$source/hw/tools/ring.awk" -v id='\mine' -v name=mine -v half=1 "$work/a.il" >"$work/ring.v"
[ "$(count i) $(count o) $(count f)" = "6 3 3" ] || fail "of half of it 6 inputs, valid and 2 bits of sums have other flip-flops"
grep -qF '.valid(out[0:0])' "$work/ring.v" || fail "an output of one bit is not whole"
grep -qF '.sums({left_sums, out[2:1]})' "$work/ring.v" || fail "the lower half of sums is not registers 1 and 2"
grep -qF 'wire [2:0] left_sums;' "$work/ring.v" || fail "the upper half of sums is not left open"

! awk -f "$source/hw/tools/ring.awk" -v id='\none' -v name=none "$work/a.il" >"$work/ring.v" 2>"$work/error" || fail "a module that is not there has a ring"
grep -q 'has no inputs or no outputs' "$work/error" || fail "the error does not say what is wrong"
echo "rings have the flip-flops they should"
