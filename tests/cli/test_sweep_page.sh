#!/usr/bin/env bash
# The page of weft sweep show in a browser: it draws itself from data that is not trusted, shows every point and what it says, and
# loads nothing. Skipped (77) without Chromium.
# usage: test_sweep_page.sh WEFT SOURCE_DIR
set -u
export LC_ALL=C
weft=$1
source_dir=$2
command -v chromium >/dev/null || { echo "skipped: no chromium; scripts/setup tests installs it"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir out
# shellcheck source=tests/cli/checks.sh
. "$source_dir/tests/cli/checks.sh"

# dump PAGE OUT: the document as the script left it, from a folder without network.
dump() {
    timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-extensions --user-data-dir="$work/profile" \
        --proxy-server=127.0.0.1:1 --virtual-time-budget=5000 --window-size=1400,1000 --dump-dom "file://$work/$1" >"$2" 2>/dev/null
}

cp "$source_dir/models/digits/digits.tflite" 'a<b>&.tflite'
run "$weft" sweep --model 'a<b>&.tflite' --grid act_bytes=32K..128K --grid block=8,12,16 --grid interval=1,2 -o s.sqlite
run "$weft" sweep show s.sqlite --clock 100 --html page.html
dump page.html page.dom
has page.dom '<p id="error" role="alert" hidden=""></p>'
has page.dom '<dt>points</dt><dd>18</dd>.*<dt>refused</dt><dd>6</dd>'
has page.dom 'a&lt;b&gt;&amp;.tflite'
has_not page.html 'https?://'
equal "$(grep -o '<tr class="[^"]*"><td' page.dom | wc -l)" 12 "points in the table"
has page.dom '1 to 12 of 12'
# Every step of what varies, with the figures that the command prints.
"$weft" sweep show s.sqlite > table
for axis in block act_bytes interval; do
    has table "^$axis "
    has page.dom "<td class=\"text\">$axis</td>"
done

# A report of a point opens when it is pressed; a point that is refused says why.
for row in 'p => p.error === null' 'p => p.error !== null'; do
    sed "s|^  start();\$|  start(); choose(points.find($row));|" page.html > pressed.html
    dump pressed.html pressed.dom
    has pressed.dom '<div id="point" aria-live="polite"><h3>Row [0-9]+: a&lt;b&gt;&amp;.tflite</h3>'
done
has pressed.dom '<p>rule broken: block is a power of two</p>'
sed "s|^  start();\$|  start(); choose(points.find(p => p.error === null));|" page.html > pressed.html
dump pressed.html pressed.dom
has pressed.dom 'weft sweep show s.sqlite --point [0-9]+ --report report.html'
has pressed.dom '<td class="text">matrix_stream</td>'

# Models of one name in two folders are two models, on the page and in the table.
mkdir A B
cp "$source_dir/models/digits/digits.tflite" A/net.tflite
{ cat A/net.tflite; printf x; } >B/net.tflite
run "$weft" sweep --model A/net.tflite --model B/net.tflite --grid act_bytes=32K,64K -o two.sqlite
run "$weft" sweep show two.sqlite
has stdout '[0-9] [*] A/net.tflite +[0-9]'
has stdout '[0-9] [*] B/net.tflite +[0-9]'
run "$weft" sweep show two.sqlite --html two.html
dump two.html two.dom
has two.dom '<dt>models</dt><dd>2</dd>'
has two.dom '<option value="A/net.tflite">A/net.tflite</option><option value="B/net.tflite">'

# A point that leaves more to the host is no better for that, on the line of the page either.
cat >sweep_of_host.py <<'END'
import sqlite3, sys
base = sqlite3.connect("host.sqlite")
base.execute("UPDATE points SET cycles = 1, host_elements = 5000, energy = NULL, area = 1 WHERE act_bytes = 32768")
base.commit()
END
cp two.sqlite host.sqlite
python3 sweep_of_host.py
run "$weft" sweep show host.sqlite
equal "$(grep -cE '^ +[0-9]+ [*] ' stdout)" 4 "points without anything better that does as much"
has stdout ' 5000 +1$'
run "$weft" sweep show host.sqlite --html host.html
sed "s|^  start();\$|  start(); document.title = scatter.fronts.map(front => front.length).join();|" host.html >fronts.html
dump fronts.html fronts.dom
has fronts.dom '<title>2,2</title>'

# Nothing but refused points, and nothing at all.
run "$weft" sweep --model gone.tflite -o none.sqlite
run "$weft" sweep show none.sqlite --html none.html
dump none.html none.dom
has none.dom '<p id="error" role="alert" hidden=""></p>'
has none.dom 'No point has figures'

summary
