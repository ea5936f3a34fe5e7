#!/usr/bin/env bash
# weft compare, as a user meets it: tables, JSON and pages that say the same, figures of files that are damaged, what is refused.
# usage: test_compare.sh WEFT SOURCE_DIR
set -u
export LC_ALL=C
weft=$1
source_dir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir out
cp "$source_dir/models/digits/digits.tflite" "$source_dir/tests/cli/identity.tflite" .
# shellcheck source=tests/cli/checks.sh
. "$source_dir/tests/cli/checks.sh"
"$weft" compile digits.tflite -o a.weft
"$weft" tune digits.tflite --budget 200 --decisions best.json -o b.weft >/dev/null
"$weft" run digits.tflite --timing-only --json a.json >/dev/null
"$weft" run b.weft --timing-only --json b.json >/dev/null

# ---- what it says ----

good "$weft" compare a.weft b.weft --json ab.json -o ab.html
cp stdout ab.txt
has stdout "^A: digits on ref16, 7489 cycles .a.weft, weft "
has stdout "^B: digits on ref16, [0-9]* cycles .b.weft, weft "
has stdout "^ *all .* -[0-9]* .*[(]-[0-9.]* %[)]$"
# The same of other forms of both.
good "$weft" compare digits.tflite --use best.json
sed 1,2d stdout >forms.txt
sed 1,2d ab.txt >expected.txt
same forms.txt expected.txt
good "$weft" compare a.json b.json -o figures.html
sed 1,2d stdout >forms.txt
same forms.txt expected.txt
# Names with all that JSON can escape; nothing of them controls a terminal.
sed 's/"model": "[^"]*"/"model": "\\u001b[2J\\u009b\\n\\u8a9e\\ud83d\\ude00"/; s/"tensor": "/&\\n\\t\\u001b/' a.json >escaped.json
good "$weft" compare escaped.json escaped.json
has stdout "^A: [?][[]2J[?]*語😀 on ref16, 7489 cycles"
has stdout "^([0-9]+) of \1 layers take the same$"
checks=$((checks + 1))
! grep -q "$(printf '\033')" stdout || fail "a control character is printed"
for wrong in 'a\\q' '\\u12' '\\ud800' '\\ud800\\u0041' '\\udc00' '\\u0000'; do
    sed "s/\"model\": \"[^\"]*\"/\"model\": \"$wrong\"/" a.json >wrong.json
    bad "the escapes of JSON" "$weft" compare wrong.json a.json
done
good "$weft" compare a.json b.weft
sed 1,2d stdout >forms.txt
same forms.txt expected.txt
good "$weft" compare digits.tflite a.weft
has stdout "^([0-9]+) of \1 layers take the same$"
# Memory that one side was run with is said, everywhere, and the other one can have it, too.
"$weft" run digits.tflite --timing-only --latency 400 --json slow.json >/dev/null
"$weft" run digits.tflite --timing-only --dram ddr3-1600@500 --json dram.json >/dev/null
good "$weft" compare slow.json a.weft --json slow_a.json -o slow_a.html
has stdout "^A: digits on ref16 --latency 400, [0-9]* cycles .slow.json, weft "
has stdout "^B: digits on ref16, 7489 cycles .a.weft, weft "
has stdout "^the memories of A and B differ"
has slow_a.json '"same_memory": false'
has slow_a.json '"memory_latency": 400'
good "$weft" compare slow.json digits.tflite --latency 400
has stdout "^B: digits on ref16 --latency 400, "
has stdout "^([0-9]+) of \1 layers take the same$"
has_not stdout "differ"
good "$weft" compare a.weft dram.json --dram ddr3-1600@500 --json dram_a.json
has stdout "^A: digits on ref16 --dram ddr3-1600@500, "
has stdout "^([0-9]+) of \1 layers take the same$"
has dram_a.json '"same_memory": true'
good "$weft" compare a.json digits.tflite --latency 100 --interval 1 # what ref16 has anyway
has stdout "^B: digits on ref16, 7489 cycles"
has_not stdout "differ"
good "$weft" compare a.json digits.tflite --interval 2
has stdout "^B: digits on ref16 --interval 2, "
has stdout "^the memories of A and B differ"
# So is that one side is of more inferences than the other.
"$weft" compile digits.tflite --frames 3 -o three.weft
"$weft" run three.weft --timing-only --json three.json >/dev/null
"$weft" compile digits.tflite --batch 3 -o batch.weft
for side in three.weft three.json; do
    good "$weft" compare a.weft $side --json three_a.json -o three_a.html
    has stdout "^A: digits on ref16, 7489 cycles"
    has stdout "^B: digits on ref16, 3 inferences, [0-9]* cycles .$side, weft "
    has stdout "^A is of 1 inference and B of 3: cycles and bytes are of all of them$"
    has three_a.json '"same_inferences": false'
    has three_a.json '"inferences": 3'
    has three_a.html '"same_inferences":false'
done
good "$weft" compare batch.weft three.json --json three_a.json
has_not stdout "all of them"
has three_a.json '"same_inferences": true'
good "$weft" compare digits.tflite --other-config small8
has stdout "^B: digits on small8, "
good "$weft" compare digits.tflite identity.tflite
has stdout "only in A"
run python3 - a.json b.json ab.json ab.html figures.html <<'END'
import json, re, sys
a, b, both = (json.load(open(name)) for name in sys.argv[1:4])
assert both["a"]["cycles"] == a["cycles"] and both["b"]["cycles"] == b["cycles"]
for key, side in (("a", a), ("b", b)):
    rows = [row for row in both["layers"] if row[key] is not None]
    assert [row["tensor"] for row in rows] == [layer["tensor"] for layer in side["layers"]]
    for row, layer in zip(rows, side["layers"]):
        assert row[key]["on_host"] == (layer["unit"] == "host")
        if layer["unit"] != "host":
            assert row[key]["cycles"] == layer["cycles"] == sum(row[key]["uses"].values())
            assert row[key]["uses"] == layer["uses"] and row[key]["external_bytes"] == layer["external_bytes"]
moved = 0
for row in both["layers"]:
    change = row["b"]["cycles"] - row["a"]["cycles"]
    why = sum(int(word) for word in re.findall(r"[+-]\d+", row["why"]))
    assert why == change, row
    moved += change
assert moved == b["cycles"] - a["cycles"]
for name, times in ((sys.argv[4], True), (sys.argv[5], False)):
    page = json.loads(re.search(r'<script id="data"[^>]*>(.*?)</script>', open(name).read(), re.S).group(1))
    for side in "ab":
        assert page[side]["has_times"] == times
        owned = page[side]["owned"]
        assert sum(owned[0::3]) == page[side]["cycles"]
        for i, row in enumerate(page["layers"]):
            for use, words in enumerate(page["uses"]):
                total = sum(c for c, r, u in zip(owned[0::3], owned[1::3], owned[2::3]) if r == i and u == use)
                assert total == row[side]["uses"][words], (i, words)
END
[ $status = 0 ] || fail "$(cat stderr)"

# ---- in a browser ----

chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$chromium" ]; then
    echo "skipped: the page in a browser: no chromium (scripts/setup tests installs it)"
else
    for page in ab figures; do
        HOME=$work timeout 120 "$chromium" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$work/profile" \
            --virtual-time-budget=10000 --dump-dom "file://$work/$page.html" >dom.html 2>chromium.log
        has dom.html 'data-ready="true"'
        hasnt=$(grep -c 'data-failed' dom.html || true)
        equal "$hasnt" 0 "failures of the page"
        has dom.html '<dd>7,489</dd>'
        rows=$(sed -n '/<table id="layers">/,$p' dom.html | grep -o '<tr>' | wc -l)
        equal "$rows" "$((1 + $(grep -c '^ *[0-9][0-9]* [a-z].*  ' ab.txt)))" "the head and rows of layers that moved"
        has_not dom.html '>A: [^<]*The memories'
    done
    HOME=$work timeout 120 "$chromium" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$work/profile" \
        --virtual-time-budget=10000 --dump-dom "file://$work/slow_a.html" >dom.html 2>chromium.log
    has dom.html '>A: slow.json on ref16 --latency 400, weft .* The memories of A and B differ'
    HOME=$work timeout 120 "$chromium" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$work/profile" \
        --virtual-time-budget=10000 --dump-dom "file://$work/three_a.html" >dom.html 2>chromium.log
    has dom.html 'B: three.json on ref16, 3 inferences, weft .* A is of 1 inference and B of 3: cycles and bytes are of all of them[.]'
fi

# ---- what is refused ----

bad "give two models, programs or files of figures" "$weft" compare a.weft
bad "is a file of figures, which is not compiled" "$weft" compare a.json --other-config small8
bad "is a file of figures, which is not compiled" "$weft" compare a.weft b.json --use nothing.json
bad "--dim are for models; --other-config is for B alone" "$weft" compare a.json digits.tflite --config small8
bad "--dim are for models; give it as A, and --other-config for B" "$weft" compare digits.tflite a.json --config small8
good "$weft" compare a.json digits.tflite --other-config small8
bad "--latency, --interval and --dram are for models and programs, and both sides are files of figures" "$weft" compare a.json b.json --latency 9
bad "compare: --latency needs a number of cycles" "$weft" compare a.weft b.weft --latency 0
bad "is a file of figures, which is not compiled" "$weft" compare a.json b.json --effort 2
bad "give two models, programs or files of figures" "$weft" compare
bad "unexpected" "$weft" compare a.weft b.weft a.weft
bad "nosuch" "$weft" compare a.weft nosuch
bad "digits.tflite: in the decisions: line 2: " "$weft" compare digits.tflite --use b.json
echo '{}' >empty.json
bad "empty.json: it has no layers" "$weft" compare a.weft empty.json
echo '{"layers": [{"cycles": -1}]}' >negative.json
bad "negative.json: line 1: expected a count" "$weft" compare negative.json a.weft
echo '{"layers": [{"cycles": 99999999999999999999}]}' >huge.json
bad "huge.json: line 1: expected a count" "$weft" compare huge.json a.weft
echo '{"layers": [{"uses": 7}]}' >form.json
bad "form.json: line 1: expected an object" "$weft" compare form.json a.weft
# Figures that do not add up: a layer, and all of them.
cat >edit.py <<'END'
import json
figures = json.load(open("a.json"))
layer = next(layer for layer in figures["layers"] if layer.get("cycles", 0) > 0)
layer["cycles"] += 7
json.dump(figures, open("layer.json", "w"), indent=1)
layer["uses"]["load"] += 7
json.dump(figures, open("sum.json", "w"), indent=1)
END
python3 edit.py
bad "layer.json: line " "$weft" compare layer.json a.weft
has stderr "line [0-9]*: the uses of layer [0-9]* come to [0-9]* cycles, expected its [0-9]*"
bad 'sum.json: its layers come to 7496 cycles, expected the 7489 of "cycles"' "$weft" compare sum.json a.weft
# No layers, or the host's alone, have no cycles.
for layers in '[]' '[{"op": "relu", "unit": "host"}]'; do
    echo "{\"cycles\": 7489, \"layers\": $layers}" >sum.json
    bad 'sum.json: its layers come to 0 cycles, expected the 7489 of "cycles"' "$weft" compare sum.json a.weft
done
echo '{"cycles": 0, "layers": [], "inferences": 0}' >none.json
bad 'none.json: line 1: expected 1 inference at least' "$weft" compare none.json a.weft
{ printf '{"x": '; printf '[%.0s' $(seq 100000); } >deep.json
bad "deep.json: line 1: expected a list, not too deep" "$weft" compare deep.json a.weft
python3 -c 'print("{\"layers\": [" + ",".join(["{}"] * 20001) + "]}")' >many.json
bad "many.json: more than 20000 layers" "$weft" compare many.json a.weft
length=$(wc -c <a.json)
for part in 1 7 100 1000 $((length / 2)) $((length - 3)); do
    head -c "$part" a.json >cut.json
    bad "cut.json: line " "$weft" compare cut.json a.weft
done
tr ',' ';' <a.json >commas.json
bad "commas.json: line " "$weft" compare commas.json a.weft
bad "is also" "$weft" compare a.json b.json --json a.json

echo "$checks checks, $failures failed"
[ $failures = 0 ]
