#!/usr/bin/env bash
# The page of weft report in headless Chromium: what it shows is what the run counted.
# usage: test_report.sh WEFT MAKE_SEGMENTS SOURCE_DIR; status 77: there is no Chromium
set -eu
export LC_ALL=C
weft=$1
make_segments=$2
source_dir=$3
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
    echo "skipped: no chromium (scripts/setup tests installs it)"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "FAILED: $*"
    exit 1
}

# dom PAGE [WIDTH]: the document that the page's scripts have made of it, on stdout.
dom() {
    HOME=$work timeout 120 "$chromium" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
        --user-data-dir="$work/profile" --window-size="${2:-1280},2000" --virtual-time-budget=10000 \
        --dump-dom "file://$work/$1" 2>chromium.log
}

# has FILE TEXT
has() {
    grep -qF -e "$2" "$1" || fail "$1 has no '$2'"
}

# check PAGE STATISTICS: the page shows every layer, the totals and the host's operators.
check() {
    dom "$1" >dom.html || fail "$1: chromium: $(tail -n 3 chromium.log)"
    head -n 3 dom.html | grep -qF 'data-ready="true"' || fail "$1: $(grep -F 'id="error"' dom.html)"
    ! grep -qF data-failed dom.html || fail "$1: $(grep -F 'id="error"' dom.html)"
    ! grep -qF 'id="data"' dom.html || fail "$1: its data are still in it"
    python3 - dom.html "$2" <<'END'
import decimal, html, json, re, sys
dom = open(sys.argv[1], encoding="utf-8").read()
stats = json.load(open(sys.argv[2]))

def rows(table):
    body = re.search(r'<table id="%s">.*?<tbody>(.*?)</tbody>' % table, dom, re.S).group(1)
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row, re.S) for row in re.findall(r"<tr>(.*?)</tr>", body, re.S)]
    return [[html.unescape(re.sub(r"<[^>]*>", "", cell)) for cell in row] for row in cells]

def grouped(number):
    return f"{number:,}"

def percent(share):
    """To one decimal, as toFixed() does: of two that are as near the larger one (254,016 of 256 * 3,780 are 26.25 %)."""
    tenth = decimal.Decimal("0.1")
    return f"{decimal.Decimal(100 * share).quantize(tenth, decimal.ROUND_HALF_UP)} %"

def bound_by(row):
    """The words of a verdict."""
    verdict = row.get("verdict")
    if verdict is None:
        return "–" if row["unit"] == "host" else "no instructions"
    bound = verdict["bound"]
    name = f"waits for {verdict['waits_for']}" if bound == "wait" else bound
    return bound if bound == "hidden" else f"{name} {int(100 * verdict['share'] + 0.5)} %"

layers = rows("layers")
assert len(layers) == len(stats["layers"]), (len(layers), len(stats["layers"]))
for row, layer in zip(layers, stats["layers"]):
    host = layer["unit"] == "host"
    expected = [layer["op"], "×".join(map(str, layer["shape"])), grouped(layer["macs"]), layer["unit"],
                "–" if host else grouped(layer["cycles"])]
    assert [row[1], *row[3:7]] == expected, (row, expected)
    assert row[0] == grouped(layer["number"]) and row[2] == layer["tensor"].split(";")[0] != "", row
    assert row[9] == ("–" if host else grouped(layer["external_bytes"])), row
    assert row[8] == bound_by(layer), row
    assert host or row[7] == (percent(layer["utilisation"]) if layer["macs"] and layer["cycles"] else "–"), row
# Chains stand ahead of their layers; layers, and groups, add up to the run.
text = re.search(r'<table id="layers">.*?</table>', dom, re.S).group(0)
chains = [[html.unescape(re.sub(r"<[^>]*>", "", cell)) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row, re.S)]
          for row in re.findall(r'<tr class="chain">(.*?)</tr>', text, re.S)]
groups = [group for group in stats["groups"] if group["layers"] > 1]
assert [(row[1], row[6], row[8]) for row in chains] == [
    (f"chain of {group['first']} to {group['first'] + group['layers'] - 1}", grouped(group["cycles"]), bound_by(group))
    for group in groups], chains
assert sum(group["cycles"] for group in stats["groups"]) == stats["cycles"]
assert sum(layer["cycles"] for layer in stats["layers"] if layer["unit"] != "host") == stats["cycles"]
foot = re.search(r"<tfoot>(.*?)</tfoot>", text, re.S).group(1)
assert re.findall(r"<td[^>]*>(.*?)</td>", foot)[6] == grouped(stats["cycles"]), foot
totals = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", dom))
assert totals["cycles"] == grouped(stats["cycles"]), totals
assert totals["of peak"] == percent(stats["utilisation"]), totals
assert totals["instructions"] == grouped(stats["counters"]["instructions"]), totals
hosts = rows("host-table") if stats["host_ops"] else []
assert [(row[0], *row[2:]) for row in hosts] == [
    (host["op"], host["reason"], grouped(host["macs"]), grouped(host["elements"])) for host in stats["host_ops"]], hosts
assert totals["operators on the host"] == grouped(stats["host"]["operators"]), totals
assert totals["of MAC on the host"] == f"{100 * stats['host']['macs_share']:.1f} %", totals
assert totals["of elements on the host"] == f"{100 * stats['host']['elements_share']:.1f} %", totals

# Where every cycle went: every unit's parts add up to all cycles.
sums = {}
for unit, _, cycles, _ in rows("cycle-table"):
    sums[unit] = sums.get(unit, 0) + int(cycles.replace(",", ""))
assert sums == {unit: stats["cycles"] for unit in ["run", "load", "matrix", "vector", "store", "dispatch", "memory port"]}, sums
roofline = re.search(r'<div id="roofline">(.*?)</div>', dom, re.S).group(1)
matrix = [layer for layer in stats["layers"] if layer["macs"] > 0 and layer["unit"] != "host"]
circles = re.findall(r'<circle cx="([0-9.]+)"[^>]* data-bytes="(\d+)"', roofline)
assert len(circles) == len(matrix), len(circles)
# What moves no bytes stands beside the chart, and nothing else does.
assert all((float(x) > 1060) == (bytes_ == "0") for x, bytes_ in circles), circles
origin = html.unescape(re.search(r'<div id="origin"[^>]*>(.*?)</div>', dom, re.S).group(1))
for part in [stats["version"], stats["model_fingerprint"], stats["config_fingerprint"]]:
    assert part in origin, part
if "milliseconds" in stats:
    assert totals[f"ms at {stats['clock_mhz']:g} MHz"] == f"{stats['milliseconds']:#.4g}".rstrip("."), totals
    assert totals["inferences a second"] == f"{stats['inferences_per_second']:#.4g}".rstrip("."), totals
END
}

# ---- the page alone ----

model=$source_dir/models/digits/digits.tflite
"$weft" compile "$model" -o digits.weft
"$weft" report digits.weft -o page.html
"$weft" report "$model" -o again.html
# But for the line that says by which command.
same_data() {
    sed 's/"command":\[[^]]*\]/"command":[]/' "$1" >"$1.data"
}
same_data page.html
same_data again.html
cmp page.html.data again.html.data || fail "a model and its .weft file give different pages"
[ "$(grep -oE 'https?://[^"]*' page.html | sort -u)" = http://www.w3.org/2000/svg ] || fail "the page has addresses in it"
! grep -qE '(src|href)=|@import|url\(|fetch\(|XMLHttpRequest|import\(' page.html || fail "the page loads something"

# ---- what it shows ----

for config in ref16 small8 large32; do
    "$weft" report "$model" --config $config -o $config.html
    "$weft" run "$model" --config $config --timing-only --json stats.json >/dev/null
    check $config.html stats.json
    has dom.html "<title>digits on $config – Weft report</title>"
done
"$weft" report digits.weft -o slow.html --latency 333 --interval 2
"$weft" run digits.weft --timing-only --latency 333 --interval 2 --json stats.json >/dev/null
check slow.html stats.json
has dom.html "latency 333 cycles, a beat every 2 cycles."

"$weft" report digits.weft -o clock.html --clock 62.5
"$weft" run digits.weft --timing-only --clock 62.5 --json stats.json >/dev/null
check clock.html stats.json
has dom.html "<dt>ms at 62.5 MHz</dt>"
# Several segments, with operators of the host between them, in one timeline.
"$make_segments" segments.tflite
"$weft" report segments.tflite -o segments.html
"$weft" run segments.tflite --timing-only --json stats.json >/dev/null
check segments.html stats.json
has dom.html "<dt>segments</dt><dd>3</dd>"

# A large model, and one of which the host does much, between segments.
network=$source_dir/../shared/models/mobilenet_v2_1.0_224_int8.tflite
if [ -f "$network" ]; then
    "$weft" compile "$network" -o network.weft
    "$weft" report network.weft -o network.html
    "$weft" run network.weft --timing-only --json stats.json >/dev/null
    check network.html stats.json
    [ "$(stat -c %s network.html)" -lt 3000000 ] || fail "the page of mobilenet_v2 is too large"
    sed 's/"act_bytes": 262144/"act_bytes": 8192/; s/"ref16"/"act8"/' "$source_dir/hw/configs/ref16.json" >act8.json
    "$weft" report "$network" --config act8.json -o act8.html
    "$weft" run "$network" --config act8.json --timing-only --json stats.json >/dev/null
    check act8.html stats.json
    has dom.html "elements of results"
fi

# ---- what it does: the pointer, zoom, selection, arrows, banks, sorting ----

# acting PAGE KINDS: the page with a script that does what a user does; it must see every one of the kinds of titles.
acting() {
    cat "$1" - >acting.html <<END
<script>
const KINDS = [$2];
END
    cat >>acting.html <<'END'
const canvas = document.getElementById("timeline");
const seen = new Set();
function point(type, x, y, more = {}) {
  const box = canvas.getBoundingClientRect();
  canvas.dispatchEvent(new PointerEvent(type, { clientX: box.left + x, clientY: box.top + y, bubbles: true, pointerId: 1, ...more }));
}
function sweep() {
  const box = canvas.getBoundingClientRect();
  for (let y = 2; y < box.height; y += 6) {
    for (let x = 120; x < box.width; x += 7) {
      point("pointermove", x, y);
      seen.add(document.getElementById("hover").textContent);
    }
  }
}
function note(name, value) {
  document.documentElement.dataset[name] = String(value);
}
// Colours as three numbers.
function rgb(text) {
  const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  probe.fillStyle = text;
  probe.fillRect(0, 0, 1, 1);
  return [...probe.getImageData(0, 0, 1, 1).data].slice(0, 3);
}
canvas.setPointerCapture = () => {};
sweep();
const height = canvas.height;
document.getElementById("banks").click();
note("banks", canvas.height > height + 200);
for (const key of ["+", "+", "ArrowRight", "-", "0"]) {
  canvas.dispatchEvent(new KeyboardEvent("keydown", { key }));
}
document.querySelector("[data-zoom=in]").click();
sweep();
const titles = [...seen];
note("unseen", KINDS.filter(kind => !titles.some(title => title.includes(kind))).join("; "));
// Every row of layers is drawn: no two layers overlap in one.
const rows = LAYER_SPANS.rows;
note("layers", LAYER_SPANS.start.length === allLayers.filter(layer => layer.span !== null).length &&
  LAYER_SPANS.start.every((start, i) => LAYER_SPANS.start.every((other, k) =>
    i === k || rows.row[i] !== rows.row[k] || LAYER_SPANS.end[i] <= other || LAYER_SPANS.end[k] <= start)));
// Colours of layers are none of those of units, waits and uses, nor near one.
const used = ["busy", "drain", "load", "matrix", "vector", "store", "empty", "fence", "fetch", "latency", "idle", "host"].map(name => rgb(color(name)));
const distances = allLayers.flatMap(layer => used.map(other => Math.hypot(...rgb(layerColor(layer.index)).map((part, i) => part - other[i]))));
note("palette", Math.min(...distances) > 40);
// The critical path has every cycle once, in order; so have the owners.
for (const [name, spans] of [["path", run.path], ["owned", run.owned]]) {
  note(name, spans.start.reduce((sum, start, i) => sum + spans.end[i] - start, 0) === runCycles &&
    spans.start.every((start, i) => i === 0 || start >= spans.end[i - 1]));
}
// Arrows lead from the end of an instruction to the start of one that takes its token.
const arrows = UNITS.flatMap(unit => run.units[unit].start.flatMap((start, i) => timeline.arrowsOf([unit, i])));
const tokens = UNITS.reduce((sum, unit) => sum + run.units[unit].tokens.flat().length, 0);
note("arrows", arrows.length === tokens && tokens > 10 && arrows.every(([[a, i], [b, k]]) => a !== b && run.units[a].end[i] <= run.units[b].start[k]));
// A range: dragged with Shift, or by the button; its totals are those of the run when it is all of it.
document.querySelector("[data-zoom=fit]").click();
point("pointerdown", 200, 60, { shiftKey: true });
point("pointermove", 400, 60, { shiftKey: true });
point("pointerup", 400, 60);
const part = document.getElementById("range-cycles").textContent;
document.getElementById("select-view").click();
const whole = document.getElementById("range-cycles").textContent;
note("range", Number(part.split(" ")[0].replaceAll(",", "")) < runCycles && whole.startsWith(`${count(runCycles)} cycles, 100.0 % of the run`));
document.getElementById("select-none").click();
note("cleared", document.getElementById("range").hidden);
const column = name => [...document.querySelectorAll("#layers th")].findIndex(head => head.textContent === name);
const cells = index => [...document.querySelectorAll("#layers tbody tr")].map(row => Number(row.children[index].textContent.replaceAll(",", ""))).filter(value => !Number.isNaN(value));
const cycles = column("cycles");
document.querySelectorAll("#layers th button")[cycles].click();
const down = cells(cycles);
document.querySelectorAll("#layers th button")[cycles].click();
const up = cells(cycles);
note("sorted", down.every((value, i) => i === 0 || down[i - 1] >= value) && up.every((value, i) => i === 0 || up[i - 1] <= value) && up.length > 3);
note("wide", document.documentElement.scrollWidth <= window.innerWidth);
</script>
END
    for width in 1280 480; do
        dom acting.html $width >dom.html || fail "acting.html: chromium: $(tail -n 3 chromium.log)"
        head -n 3 dom.html >first
        for what in ready banks layers palette path owned arrows range cleared sorted wide; do
            has first "data-$what=\"true\""
        done
        has first 'data-unseen=""'
        ! grep -qF data-failed first || fail "$(grep -F 'id="error"' dom.html)"
    done
}
kinds='"load, instruction", "matrix, instruction", "vector, instruction", "store, instruction", "layer 1 conv2d", "dispatch ",
  "matrix waits for load", "for instruction ", "waited for ", "critical path: ", "memory port: load", "ACT: ", "WGT: ", "act_banks="'
acting page.html "$kinds"
acting segments.html "$kinds, \"host: qnn.log_softmax\", \"of segment 2\", \"segment 1: \""

# ---- what it says when its data are damaged ----

sed 's/"config":{/"config":{"block":0},"other":{/' page.html >damaged.html
dom damaged.html >dom.html || fail "damaged.html: chromium: $(tail -n 3 chromium.log)"
has dom.html 'data-failed="true"'
has dom.html 'This report could not be drawn'
echo "the report shows what the runs counted"
