#!/usr/bin/env bash
# The page of weft report in headless Chromium: what it shows is what the run counted.
# usage: test_report.sh WEFT SOURCE_DIR; status 77: there is no Chromium
set -eu
export LC_ALL=C
weft=$1
source_dir=$2
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

# dom PAGE: the document that the page's scripts have made of it, on stdout.
dom() {
    HOME=$work timeout 120 "$chromium" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
        --user-data-dir="$work/profile" --window-size=1280,2000 --virtual-time-budget=10000 \
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
import html, json, re, sys
dom = open(sys.argv[1], encoding="utf-8").read()
stats = json.load(open(sys.argv[2]))

def rows(table):
    body = re.search(r'<table id="%s">.*?<tbody>(.*?)</tbody>' % table, dom, re.S).group(1)
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row, re.S) for row in re.findall(r"<tr>(.*?)</tr>", body, re.S)]
    return [[html.unescape(re.sub(r"<[^>]*>", "", cell)) for cell in row] for row in cells]

def grouped(number):
    return f"{number:,}"

layers = rows("layers")
assert len(layers) == len(stats["layers"]), (len(layers), len(stats["layers"]))
for row, layer in zip(layers, stats["layers"]):
    host = layer["unit"] == "host"
    expected = [layer["op"], "×".join(map(str, layer["shape"])), grouped(layer["macs"]), layer["unit"],
                "–" if host else grouped(layer["cycles"])]
    assert [row[1], *row[3:7]] == expected, (row, expected)
    assert row[2] != "" and row[-1] == ("–" if host else grouped(layer["external_bytes"])), row
totals = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", dom))
assert totals["cycles"] == grouped(stats["cycles"]), totals
assert totals["of peak"] == f"{100 * stats['utilisation']:.1f} %", totals
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
assert sums == {unit: stats["cycles"] for unit in ["load", "matrix", "vector", "store", "dispatch", "memory port"]}, sums
roofline = re.search(r'<div id="roofline">(.*?)</div>', dom, re.S).group(1)
matrix = [layer for layer in stats["layers"] if layer["macs"] > 0 and layer["unit"] != "host"]
assert roofline.count("<circle") == len(matrix), roofline.count("<circle")
END
}

# ---- the page alone ----

model=$source_dir/models/digits/digits.tflite
"$weft" compile "$model" -o digits.weft
"$weft" report digits.weft -o page.html
"$weft" report "$model" -o again.html
cmp page.html again.html || fail "a model and its .weft file give different pages"
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

# ---- what it does: the pointer, zoom, banks, sorting ----

cat page.html - >acting.html <<'END'
<script>
const canvas = document.getElementById("timeline");
const seen = new Set();
function sweep() {
  const box = canvas.getBoundingClientRect();
  for (let y = 2; y < box.height; y += 6) {
    for (let x = 120; x < box.width; x += 3) {
      canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + x, clientY: box.top + y, bubbles: true }));
      seen.add(document.getElementById("hover").textContent);
    }
  }
}
sweep();
const height = canvas.height;
document.getElementById("banks").click();
document.documentElement.dataset.banks = String(canvas.height > height + 200);
for (const key of ["+", "+", "ArrowRight", "-", "0"]) {
  canvas.dispatchEvent(new KeyboardEvent("keydown", { key }));
}
document.querySelector("[data-zoom=in]").click();
sweep();
const titles = [...seen];
const kinds = ["load, instruction", "matrix, instruction", "vector, instruction", "store, instruction", "layer 1 conv2d",
  "dispatch ", "matrix waits for load", "memory port: load", "ACT: ", "WGT: ", "act_banks="];
document.documentElement.dataset.unseen = kinds.filter(kind => !titles.some(title => title.includes(kind))).join("; ");
const column = name => [...document.querySelectorAll("#layers th")].findIndex(head => head.textContent === name);
const cells = index => [...document.querySelectorAll("#layers tbody tr")].map(row => Number(row.children[index].textContent.replaceAll(",", ""))).filter(value => !Number.isNaN(value));
const cycles = column("cycles");
document.querySelectorAll("#layers th button")[cycles].click();
const down = cells(cycles);
document.querySelectorAll("#layers th button")[cycles].click();
const up = cells(cycles);
document.documentElement.dataset.sorted =
  String(down.every((value, i) => i === 0 || down[i - 1] >= value) && up.every((value, i) => i === 0 || up[i - 1] <= value) && up.length > 3);
</script>
END
dom acting.html >dom.html || fail "acting.html: chromium: $(tail -n 3 chromium.log)"
head -n 3 dom.html >first
has first 'data-ready="true"'
has first 'data-banks="true"'
has first 'data-unseen=""'
has first 'data-sorted="true"'
! grep -qF data-failed first || fail "$(grep -F 'id="error"' dom.html)"

# ---- what it says when its data are damaged ----

sed 's/"config":{/"config":{"block":0},"other":{/' page.html >damaged.html
dom damaged.html >dom.html || fail "damaged.html: chromium: $(tail -n 3 chromium.log)"
has dom.html 'data-failed="true"'
has dom.html 'This report could not be drawn'
echo "the report shows what the runs counted"
