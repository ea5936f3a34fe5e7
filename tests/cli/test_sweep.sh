#!/usr/bin/env bash
# weft sweep and weft sweep show, as a user meets them: what they write and print, what is refused, and
# what is left when they are killed.
# usage: test_sweep.sh WEFT SOURCE_DIR
set -u
export LC_ALL=C
weft=$1
source_dir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir out
# shellcheck source=tests/cli/checks.sh
. "$source_dir/tests/cli/checks.sh"

cp "$source_dir/models/digits/digits.tflite" .
cat > sweep.json <<'END'
{"models": ["digits.tflite"],
 "config": ["ref16", "small8"],
 "grid": {"act_bytes": "32K..128K", "memory_width": [4, 8, 16], "memory_latency": [20, 100], "interval": [1, 2]}}
END

# rows FILE: its rows in order, without what differs from run to run: numbers of rows and seconds.
rows() {
    "$weft" sweep show "$1" --csv - | sed -E 's/^[0-9]+,//; s/,[^,]*$//'
}

# ---- a grid, killed and resumed ----

run "$weft" sweep sweep.json -o whole.sqlite --workers 1
equal "$status" 0 "a sweep"
has stdout '^whole.sqlite: 72 points: 0 there already, 72 ran in .*, 12 of them refused$'
rows whole.sqlite > whole.csv
equal "$(wc -l < whole.csv)" 73 "rows, and their head"
has whole.csv 'digits.tflite,small8,.*CONFIG,"?rule broken: memory_width is a power of two, at most block'

# In any moment: after so many hundredths of a second, until it ends by itself.
killed=0
for hundredths in 10 20 30 45 60 90 150 300 600 60000; do
    timeout -s KILL "$(printf '%d.%02d' $((hundredths / 100)) $((hundredths % 100)))" \
        "$weft" sweep sweep.json -o killed.sqlite --workers 2 >/dev/null 2>&1 && break
    killed=$((killed + 1))
    # Workers end with it.
    sleep 0.05
done
checks=$((checks + 1))
[ "$killed" -gt 0 ] && [ "$killed" -lt 10 ] || fail "it was killed $killed times"
rows killed.sqlite > killed.csv
same whole.csv killed.csv

# What is there is not run again, by whatever name the model goes, or the configuration.
cp digits.tflite same.tflite
run "$weft" sweep --model same.tflite --config small8 --grid act_bytes=64K --grid memory_latency=20 -o whole.sqlite
has stdout ' 1 point: 1 there already, 0 ran'
run "$weft" sweep sweep.json -o killed.sqlite
has stdout '72 points: 72 there already, 0 ran'
run "$weft" sweep sweep.json -o killed.sqlite --retry
has stdout '72 points: 60 there already, 12 ran in .*, 12 of them refused'

# ---- the cycles of weft run ----

run "$weft" run digits.tflite --timing-only --json stats.json
cycles=$(number cycles)
run "$weft" sweep --model digits.tflite -o one.sqlite
run "$weft" sweep show one.sqlite --point 1
has stdout "^cycles +$cycles\$"
has stdout '^config +ref16$'
has stdout '^error +$'
run "$weft" run digits.tflite --timing-only --latency 300 --interval 2 --json stats.json
cycles=$(number cycles)
run "$weft" sweep --model digits.tflite --grid latency=300 --grid interval=2 -o one.sqlite
run "$weft" sweep show one.sqlite --point 2
has stdout "^cycles +$cycles\$"
run "$weft" sweep show one.sqlite --point 2 --report report.html
equal "$status" 0 "a report of a point"
has report.html '"memory_latency":300'
has report.html "\"counters\":\\[$cycles,"
run "$weft" run digits.tflite --timing-only --dram lpddr4-3200@500 --json stats.json
cycles=$(number cycles)
run "$weft" sweep --model digits.tflite --grid dram=lpddr4-3200 --grid clock=500 -o one.sqlite
run "$weft" sweep show one.sqlite --point 3
has stdout "^cycles +$cycles\$"
run "$weft" sweep show one.sqlite --point 3 --report report.html
equal "$status" 0 "a report of a point with DRAM"
has report.html "\"counters\":\\[$cycles,"

# ---- several inferences: by what one of them takes ----

run "$weft" run digits.tflite --batch 4 --timing-only --json stats.json
cycles=$(number cycles | head -1)
run "$weft" sweep --model digits.tflite --grid batch=1,4 --workers 1 -o batch.sqlite
run "$weft" sweep show batch.sqlite --clock 100
has stdout "^ +2 [*] digits.tflite +4 +$((cycles / 4))"
run "$weft" sweep show batch.sqlite --clock 100 --json batch.json
run python3 -c "
import json
one, four = json.load(open('batch.json'))['rows']
assert four['cycles'] == $cycles and four['front'] and not one['front']
assert abs(four['milliseconds'] - $cycles / 4 / 1e5) < 1e-9"
equal "$status" 0 "rows of several inferences"

# The same time and energy of one inference, whoever shows them.
run "$weft" run digits.tflite --batch 4 --timing-only --clock 100 --technology 45nm --json stats.json
has stdout '^at 100 MHz: [0-9.]+ ms an inference, [0-9.e+]+ inferences a second'
has stdout '^energy of 45nm: [0-9.]+ uJ an inference \([0-9.]+ for all 4\): matrix '
cp stdout run.txt
run "$weft" report digits.tflite --batch 4 --clock 100 --technology 45nm -o report.html
run "$weft" sweep show batch.sqlite --clock 100 --point 2 --report point.html
run "$weft" sweep show batch.sqlite --clock 100 --technology 45nm --json batch.json
cat >check.py <<'END'
import json, re
stats = json.load(open("stats.json"))
row = json.load(open("batch.json"))["rows"][1]
def origin(path):
    return json.loads(re.search(r'<script [^>]*id="data"[^>]*>(.*?)</script>', open(path).read(), re.S).group(1))["origin"]
def near(a, b):
    assert abs(a - b) < 1e-6 * abs(b), (a, b)
for of in [origin("report.html"), origin("point.html"), stats]:
    assert of["inferences"] == 4
    near(of["milliseconds"], row["milliseconds"])
    near(of["milliseconds"], stats["cycles"] / 4 / 1e5)
    near(of["inferences_per_second"], 4e8 / stats["cycles"])
near(origin("report.html")["energy"]["total"], row["energy"])
shown = open("run.txt").read()
assert f"{row['energy'] / 4:.4g} uJ an inference ({row['energy']:.4g} for all 4)" in shown, shown
END
run python3 check.py
equal "$status" 0 "one inference of several: $(cat stderr)"

# ---- a row's own clock ----

run "$weft" sweep --model digits.tflite --grid dram=none,ddr3-1600 --grid clock=100,400 --workers 1 --technology 45nm --clock 50 -o clocks.sqlite
run "$weft" sweep show clocks.sqlite --clock 50 --json clocks.json
equal "$status" 0 "energies of rows with clocks of their own: $(cat stderr)"
run "$weft" sweep show clocks.sqlite --clock 50 --technology 45nm --json again.json
run "$weft" sweep show clocks.sqlite --clock 50 --html clocks.html
has clocks.html '"technology":"45nm at 100 MHz and other clocks"'
run "$weft" sweep show clocks.sqlite
has stdout '^ +1 . digits.tflite +0 +100 +[0-9]+ +0.0[0-9]+ +[0-9.]+ %'
run "$weft" sweep show clocks.sqlite --point 4 --report report.html
run "$weft" run digits.tflite --timing-only --dram ddr3-1600@400 --technology 45nm --json stats.json
has stdout '^at 400 MHz: '
has stdout '^energy of 45nm: .*, leakage '
run "$weft" run digits.tflite --timing-only --dram ddr3-1600@400 --clock 400 --technology 45nm --json same.json
cat >check.py <<'END'
import json, re
rows = json.load(open("clocks.json"))["rows"]
again = json.load(open("again.json"))["rows"]
stats, same = json.load(open("stats.json")), json.load(open("same.json"))
def near(a, b):
    assert abs(a - b) < 1e-6 * abs(b), (a, b)
for row, other in zip(rows, again):
    clock = row["clock"] # 100 is one, too, when it is said
    assert clock in (100, 400)
    near(row["milliseconds"], row["cycles"] / clock / 1e3)
    assert row["technology"] == other["technology"] == f"45nm at {clock} MHz"
    near(row["energy"], other["energy"])
origin = json.loads(re.search(r'<script [^>]*id="data"[^>]*>(.*?)</script>', open("report.html").read(), re.S).group(1))["origin"]
row = rows[3]
assert row["dram"] == 1 and row["clock"] == 400 and stats["cycles"] == row["cycles"]
for of in [origin, stats, same]:
    assert of["clock_mhz"] == 400
    near(of["milliseconds"], row["milliseconds"])
near(stats["energy"]["total"], row["energy"])
near(same["energy"]["total"], row["energy"])
END
run python3 check.py
equal "$status" 0 "clocks of rows: $(cat stderr)"
bad 'the machine has one clock: it is 400 MHz beside ddr3-1600, and 100 MHz as the clock' \
    "$weft" run digits.tflite --timing-only --dram ddr3-1600@400 --clock 100
bad 'the machine has one clock' "$weft" report digits.tflite --dram ddr3-1600@400 --clock 100 -o out/report.html
bad 'points with a clock of their own have leakage in their energy, and others have not' \
    "$weft" sweep --model digits.tflite --grid dram=none,ddr3-1600 --technology 45nm -o leakage.sqlite
run "$weft" sweep --model digits.tflite --grid dram=none,ddr3-1600 -o leakage.sqlite
bad 'rows have energies of 45nm and of 45nm at 100 MHz: weft sweep show --technology NAME --clock MHZ, the clock of rows that have none,' \
    "$weft" sweep show leakage.sqlite --technology 45nm
run "$weft" sweep show leakage.sqlite --technology 45nm --clock 200 --json leakage.json
equal "$status" 0 "leakage in all rows"
# A machine without a clock is compared with one beside DRAM as far as cycles go: energies are at two clocks.
run "$weft" sweep show leakage.sqlite --technology 45nm --clock 200
has stdout '^dram +0 +1 .* 1 +[+][0-9.]+ % +- '
run "$weft" sweep show leakage.sqlite --technology 45nm --clock 100
has stdout '^dram +0 +1 .* 1 +[+][0-9.]+ % +[+][0-9.]+ % '
# Clocks that are said are clocks, each: with leakage in all energies.
run "$weft" sweep --model digits.tflite --grid clock=50,100 --technology 45nm --workers 1 -o said.sqlite
run "$weft" sweep show said.sqlite --clock 400 --json said.json
equal "$status" 0 "a clock of 100 that was said: $(cat stderr)"
run python3 -c "
import json
rows = json.load(open('said.json'))['rows']
assert [row['technology'] for row in rows] == ['45nm at 50 MHz', '45nm at 100 MHz'], rows
assert abs(rows[0]['milliseconds'] / rows[1]['milliseconds'] - 2) < 1e-9 and rows[0]['energy'] > rows[1]['energy']"
equal "$status" 0 "times at clocks that were said: $(cat stderr)"
# Files of before, in whose rows nobody could say 100, are read and gone on with.
run python3 -c "
import sqlite3
base = sqlite3.connect('leakage.sqlite')
base.execute('UPDATE points SET clock = 100, version = \'0\'')
base.execute('PRAGMA user_version = 1')
base.commit()"
cp leakage.sqlite old.sqlite
for file in old leakage; do
    run "$weft" sweep show $file.sqlite --technology 45nm --clock 200 --json $file.json
    run python3 -c "
import json
rows = [row for row in json.load(open('$file.json'))['rows'] if row['version'] == '0']
assert [(row['dram'], row['clock'], row['technology']) for row in rows] == [(0, 0, '45nm at 200 MHz'), (1, 100, '45nm at 100 MHz')], rows"
    equal "$status" 0 "rows of an older file: $(cat stderr)"
    run "$weft" sweep --model digits.tflite --grid dram=none,ddr3-1600 -o leakage.sqlite
    has stdout '2 points: [02] there already, [02] ran'
done
run "$weft" sweep -o joined_old.sqlite --merge old.sqlite --merge leakage.sqlite
run "$weft" sweep show joined_old.sqlite
has stdout '^joined_old.sqlite: 4 points'

# ---- energies, known and not, and merging ----

run "$weft" sweep --model digits.tflite --grid memory_latency=400 -o mixed.sqlite
run "$weft" sweep --model digits.tflite --grid memory_latency=100 --technology 45nm --clock 100 -o mixed.sqlite
run "$weft" sweep show mixed.sqlite
has stdout '^ +2 [*] digits.tflite +100 '
has stdout '^ +1   digits.tflite +400 .* - +[0-9]+$'
# What could not be compared does not get into one file, whoever runs or joins it.
cp mixed.sqlite kept.sqlite
for other in "--technology 45nm" "--technology 45nm --clock 50"; do
    # shellcheck disable=SC2086 # words
    bad 'mixed.sqlite: it has energies of 45nm at 100 MHz, and these would be of 45nm' \
        "$weft" sweep --model digits.tflite --grid memory_latency=200 $other -o mixed.sqlite
done
bad 'mixed.sqlite: it has areas of LUT4 of ecp5, and these would be of um2 of osu018' \
    "$weft" sweep --model digits.tflite --area osu018 -o mixed.sqlite
same mixed.sqlite kept.sqlite
run "$weft" sweep --model digits.tflite --grid memory_latency=300 --technology 45nm --clock 50 --area osu018 -o other.sqlite
bad 'joined, rows would have energies of 45nm at ' "$weft" sweep -o mixed.sqlite --merge other.sqlite
run "$weft" sweep --model digits.tflite --grid memory_latency=300 --area osu018 -o other_area.sqlite
bad 'joined, rows would have areas of several targets' "$weft" sweep -o mixed.sqlite --merge other_area.sqlite
run "$weft" sweep show mixed.sqlite --csv mixed.csv
equal "$(wc -l <mixed.csv)" 3 "rows that were not joined"
bad '--technology, --clock and --area are for points that are run' "$weft" sweep -o out/x.sqlite --merge other.sqlite --technology 45nm
# Rows get what they lack, and keep their numbers.
run "$weft" sweep --model digits.tflite --grid memory_latency=100,400 --technology 45nm --clock 100 -o mixed.sqlite
has stdout '2 points: 2 there already, 0 ran'
run "$weft" sweep show mixed.sqlite --technology 45nm --clock 100 --csv again.csv
run "$weft" sweep show mixed.sqlite --csv mixed.csv
same mixed.csv again.csv
equal "$(tail -n +2 mixed.csv | cut -d, -f1 | sort | tr '\n' ' ')" "1 2 " "numbers of rows"
# Figures take the place of an error, and energy that of none, in whatever order files come.
run "$weft" sweep --model digits.tflite --memory-limit 100K -o error.sqlite
run "$weft" sweep --model digits.tflite -o plain.sqlite
run "$weft" sweep --model digits.tflite --technology 45nm -o energy_too.sqlite
for order in "error plain energy_too" "energy_too plain error" "plain energy_too error"; do
    rm -f merged.sqlite
    # shellcheck disable=SC2086 # words
    run "$weft" sweep -o merged.sqlite $(printf -- '--merge %s.sqlite ' $order)
    run "$weft" sweep show merged.sqlite --csv merged.csv
    equal "$(wc -l <merged.csv)" 2 "rows of $order"
    has merged.csv ',45nm,'
done

# ---- graphs as text, and models twice ----

mkdir texts
cp "$source_dir/models/digits/goldens/0.output.npy" texts/k.npy
printf 'graph g(%%x: 1x10xi8) {\n  %%k = constant() data="k.npy" : 1x10xi8\n  %%r = maximum(%%x, %%k) : 1x10xi8\n  return %%r\n}\n' >texts/g.ir
run "$weft" sweep --model texts/g.ir --model digits.tflite --model same.tflite -o texts.sqlite
has stdout ' 3 points: 1 there already, 2 ran in .*, 0 of them refused'
run "$weft" sweep show texts.sqlite --point 1 --report texts.html
equal "$status" 0 "a report of a text with constants in files"
# Other constants are another model, for rows and for reports.
cp "$source_dir/models/digits/goldens/1.output.npy" texts/k.npy
run "$weft" sweep --model texts/g.ir -o texts.sqlite
has stdout ' 1 point: 0 there already, 1 ran in .*, 0 of them refused'
bad 'another model than the sweep ran' "$weft" sweep show texts.sqlite --point 1 --report out/x.html
run "$weft" run texts/g.ir --timing-only --json stats.json
has stats.json "\"model_fingerprint\": \"$("$weft" sweep show texts.sqlite --point 3 | awk '$1 == "model_fingerprint" { print $2 }')\""
run "$weft" sweep --model digits.tflite --grid dram=none,ddr3-1600 --grid clock=100,500 -o dram.sqlite
has stdout "4 points: 0 there already, 4 ran"
cat >dram.json <<'END'
{"models": "digits.tflite", "points": [{"dram": "none"}, {"dram": "ddr3-1600", "clock": 500}], "grid": {"dram": [0, "lpddr4-3200"]}}
END
run "$weft" sweep dram.json -o dram.sqlite
has stdout "3 points: 1 there already, 2 ran" # a machine of 100 MHz is not one of which nobody says the clock

# A listed point is there only when a row has its model and its parameters; its model and configuration are its own.
cat >listed.json <<'END'
{"points": [{"model": "digits.tflite", "block": 16}, {"model": "same.tflite", "block": 8}, {"model": "same.tflite", "block": 16}]}
END
run "$weft" sweep listed.json -o listed.sqlite
has stdout "3 points: 1 there already, 2 ran"
run "$weft" sweep show listed.sqlite --csv listed.csv
equal "$(grep -c 'same.tflite,' listed.csv)" 1 "the point of the second name"
run "$weft" sweep listed.json -o listed.sqlite
has stdout "3 points: 3 there already, 0 ran"
echo '{"models": ["digits.tflite"], "points": [{"model": "same.tflite", "block": 8}]}' >listed.json
run "$weft" sweep listed.json -o alone.sqlite
has stdout "1 point: 0 there already, 1 ran"
echo '{"models": ["digits.tflite"], "config": ["ref16"], "grid": {"memory_latency": [50, 100]}, "points": [{"config": "small8"}]}' >listed.json
run "$weft" sweep listed.json -o own.sqlite
has stdout "3 points: 0 there already, 3 ran"
echo '{"models": ["digits.tflite"], "points": [{"memory_latency": 50}]}' >listed.json
bad 'are combinations of a grid, and there is none' "$weft" sweep listed.json --random 5 --seed 4 -o out/x.sqlite
bad 'are combinations of a grid, and there is none' "$weft" sweep listed.json --guided 5 -o out/x.sqlite

# ---- parts, joined ----

for part in 1 2 3; do
    run "$weft" sweep sweep.json --part $part/3 -o part$part.sqlite
    has stdout "24 points"
done
run "$weft" sweep -o joined.sqlite --merge part1.sqlite --merge part2.sqlite --merge part3.sqlite
equal "$status" 0 "joining"
rows joined.sqlite > joined.csv
same whole.csv joined.csv

# Several may write to one file at once; what all of them have is a row all the same.
sweepers=
for part in 1 2 3; do
    "$weft" sweep sweep.json --part $part/3 -o together.sqlite --workers 1 >/dev/null 2>&1 &
    sweepers="$sweepers $!"
done
"$weft" sweep sweep.json --part 1/3 -o together.sqlite --workers 1 >/dev/null 2>&1
# shellcheck disable=SC2086 # words
wait $sweepers
rows together.sqlite > together.csv
same whole.csv together.csv

# ---- machines that do not count ----

# What the model counts is the same for both, and so is what a run says of each.
run "$weft" sweep --model digits.tflite --grid performance_counters=0,1 --workers 1 --technology 45nm --clock 100 -o counts.sqlite
run "$weft" sweep show counts.sqlite --json counts.json
sed 's/"performance_counters": 1/"performance_counters": 0/; s/"name": "[a-z0-9]*"/"name": "silent"/' "$source_dir/hw/configs/ref16.json" > silent.json
for config in ref16 silent.json; do
    run "$weft" run digits.tflite --config $config --timing-only --technology 45nm --clock 100 --json "stats-${config%.json}.json"
done
run python3 - <<'END'
import json
rows = json.load(open("counts.json"))["rows"]
runs = [json.load(open(f"stats-{name}.json")) for name in ("ref16", "silent")]
assert len(rows) == 2 and rows[0]["energy"] == rows[1]["energy"] > 0, rows
assert rows[0]["read_bytes"] == rows[1]["read_bytes"] == runs[0]["bytes_read"] > 0
for key in ("cycles", "energy", "bytes_read", "bytes_written"):
    assert runs[0][key] == runs[1][key], key
assert abs(runs[0]["energy"]["total"] - rows[0]["energy"]) < 1e-6 * rows[0]["energy"]
assert runs[1]["counters"]["load_bytes"] == 0 and runs[0]["counters"]["load_bytes"] > 0
END
equal "$status" 0 "energy without counters"

# ---- drawn and guided points ----

for kind in random guided; do
    run "$weft" sweep sweep.json --$kind 20 --seed 4 -o $kind.sqlite --workers 1
    has stdout '20 points: 0 there already, 20 ran'
    run "$weft" sweep sweep.json --$kind 20 --seed 4 -o $kind.sqlite
    has stdout '20 points: 20 there already, 0 ran'
    timeout -s KILL 0.2 "$weft" sweep sweep.json --$kind 20 --seed 4 -o again.sqlite >/dev/null 2>&1
    run "$weft" sweep sweep.json --$kind 20 --seed 4 -o again.sqlite --workers 3
    rows $kind.sqlite > a.csv
    rows again.sqlite > b.csv
    same a.csv b.csv
    rm again.sqlite
done

# ---- what is shown ----

run "$weft" sweep show whole.sqlite --clock 100
equal "$status" 0 "a table"
has stdout '72 points, 12 refused'
has stdout '^ +[0-9]+ \* +digits.tflite '
has stdout '^memory_latency +20 +100 +\+[0-9.]+ % +[0-9]+ +\+[0-9.]+ %'
has stdout ' ms '
run "$weft" sweep-show whole.sqlite --json all.json --csv all.csv --html all.html
equal "$status" 0 "files"
has all.json '"milliseconds"|"clock_mhz": null'
has all.json '"error_code": "CONFIG"'
has all.html '<title>Weft sweep</title>'
has_not all.html 'https?://'

# ---- energy ----

run "$weft" run digits.tflite --timing-only --clock 100 --technology 45nm --json stats.json
has stdout '^energy of 45nm: [0-9.]+ uJ: matrix [0-9.]+ %, vector .*, leakage [0-9.]+ %$'
total=$(number total)
has stats.json '"technology": "45nm"'
run "$weft" run digits.tflite --timing-only --technology 45nm
has stdout '^energy of 45nm: [0-9.]+ uJ without leakage, which --clock gives: '
run "$weft" report digits.tflite --clock 100 --technology 45nm -o report.html
has report.html "\"total\":${total%????????}"
# The same, whether the sweep was told or who shows it.
run "$weft" sweep --model digits.tflite --clock 100 --technology 45nm -o energy.sqlite
run "$weft" sweep show energy.sqlite --json energy.json
has energy.json "\"energy\": ${total%????????}"
run "$weft" sweep --model digits.tflite -o none.sqlite
run "$weft" sweep show none.sqlite --json energy.json
has energy.json '"energy": null'
run "$weft" sweep show none.sqlite --clock 100 --technology 45nm --json energy.json
has energy.json "\"energy\": ${total%????????}"
rm none.sqlite
run "$weft" sweep sweep.json --guided 20 --objective cycles-energy --technology 45nm -o guided.sqlite
has stdout '20 points: 20 there already|20 points: .* ran'
bad 'technology 46nm' "$weft" run digits.tflite --timing-only --technology 46nm
sed '0,/"value": [0-9]*/s//"value": 1/' "$source_dir/hw/technology/45nm.json" >other_45nm.json
bad 'technology other_45nm.json: its name is 45nm, like that of one that is built in' \
    "$weft" sweep sweep.json --technology other_45nm.json -o out/x.sqlite
sed '0,/"weight": [0-9]*/s//"weight": 7000/' "$source_dir/hw/technology/area/ecp5.json" >other_ecp5.json
bad 'area other_ecp5.json: its name is ecp5, like that of one that is built in' \
    "$weft" sweep sweep.json --area other_ecp5.json -o out/x.sqlite
# Files of one name that say other things are told apart.
for weight in 1 2; do
    mkdir files$weight
    sed 's/"name": "45nm"/"name": "mine"/' "$source_dir/hw/technology/45nm.json" |
        sed "0,/\"value\": [0-9]*/s//\"value\": $weight/" >files$weight/mine.json
    sed 's/"name": "ecp5"/"name": "mine"/' "$source_dir/hw/technology/area/ecp5.json" |
        sed "0,/\"weight\": [0-9]*/s//\"weight\": $weight/" >files$weight/area.json
done
run "$weft" sweep --model digits.tflite --grid block=8 --technology files1/mine.json --area files1/area.json -o mine.sqlite
equal "$status" 0 "files of one's own"
bad 'it has energies of mine ' "$weft" sweep --model digits.tflite --grid block=16 --technology files2/mine.json --area files1/area.json -o mine.sqlite
bad 'it has areas of LUT4 of mine ' "$weft" sweep --model digits.tflite --grid block=16 --technology files1/mine.json --area files2/area.json -o mine.sqlite
run "$weft" sweep show mine.sqlite --technology files1/mine.json
equal "$status" 0 "one file for all"
cp digits.tflite tuned.tflite
run "$weft" tune tuned.tflite --hardware --grid block=8,16 --budget 16 --area files1/area.json --log tuned.log
equal "$status" 0 "a search by a target of one's own"
run "$weft" tune tuned.tflite --hardware --grid block=8,16 --budget 16 --area files2/area.json --log tuned.log
equal "$status" 2 "another target of the same name"
has stderr 'area of mine [0-9a-f]*, not of this model, configuration and options, area of mine [0-9a-f]*; give'
sed 's/"counts": \[[0-9]/"counts": [-1&/; s/\[-1"counts": \[/[-1/' "$source_dir/hw/technology/area/ecp5.json" >negative.json
bad 'area negative.json: the area of ecp5 comes to -' "$weft" area --area negative.json
# Nor has a machine less than none of a resource that weighs nothing.
sed 's/"counts": \[\([-0-9]*\), [-0-9]*,/"counts": [\1, -99,/; s/"name": "ecp5"/"name": "less"/' "$source_dir/hw/technology/area/ecp5.json" >less.json
bad 'area less.json: the FF of ecp5 come to -' "$weft" area --area less.json
sed 's/"name": "45nm"/"name": "a name that is longer than thirty-one bytes"/' "$source_dir/hw/technology/45nm.json" >long.json
bad 'a name of at most 31 bytes' "$weft" run digits.tflite --timing-only --technology long.json
# Names control no terminal, and there is one.
sed 's/"name": "45nm"/"name": "a\\nb\\u001b[31m"/' "$source_dir/hw/technology/45nm.json" >control.json
run "$weft" run digits.tflite --timing-only --technology control.json
has stdout '^energy of a[?]b[?][[]31m: '
sed 's/"name": "45nm"/"name": "one", "name": "two"/' "$source_dir/hw/technology/45nm.json" >names.json
bad 'expected name, about and the numbers of docs/energy.md, each once' "$weft" run digits.tflite --timing-only --technology names.json
sed 's/"about": /"about": "x", &/' "$source_dir/hw/technology/45nm.json" >names.json
bad 'expected name, about and the numbers of docs/energy.md, each once' "$weft" run digits.tflite --timing-only --technology names.json
bad 'technology sweep.json' "$weft" sweep sweep.json --technology sweep.json -o out/x.sqlite
bad 'by energy, which is not known without a technology' "$weft" sweep sweep.json --guided 3 --objective energy -o out/x.sqlite

# ---- area ----

# That of weft area, in every row that has figures; another target is worked out when rows are shown.
run "$weft" area --config small8 --json area.json
has area.json '"target": "ecp5"'
run "$weft" area --config small8
area=$(awk '$1 == "total" { print $NF }' stdout)
has stdout '^RAMs: act 32 of 256 x 64 bits, wgt 2 of 2048 x 64 bits'
run "$weft" sweep --model digits.tflite --config small8 -o area.sqlite
run "$weft" sweep show area.sqlite --point 1
has stdout '^area +[0-9]+'
has stdout '^area_unit +LUT4 of ecp5$'
run "$weft" sweep show area.sqlite
has stdout '^area: LUT4 of ecp5$'
has stdout " $area\$"
sed 's/"name": "ecp5"/"name": "other"/; s/"weight": 1000,/"weight": 2000,/' "$source_dir/hw/technology/area/ecp5.json" > other.json
run "$weft" sweep show area.sqlite --area other.json --html area.html --json other_area.json
has other_area.json '"area_unit": "LUT4 of other [0-9a-f]{8}"'
has area.html '"area_unit":"LUT4 of other [0-9a-f]{8}"'
run "$weft" sweep show area.sqlite --area other.json
has_not stdout " $area\$"
run python3 -c "
import sqlite3
base = sqlite3.connect('area.sqlite')
base.execute('''INSERT INTO points SELECT id + 1, model, config, '0123456789abcdef' AS model_fingerprint, ''' +
             ', '.join(row[1] for row in base.execute('PRAGMA table_info(points)') if row[0] > 3) + ' FROM points')
base.execute('UPDATE points SET area_unit = \'LUT4 of other\' WHERE id = 2')
base.commit()"
bad 'areas of several targets' "$weft" sweep show area.sqlite
run "$weft" sweep show area.sqlite --area ecp5
has stdout '^area: LUT4 of ecp5$'
rm area.sqlite
run "$weft" sweep --model digits.tflite --config small8 -o area.sqlite
bad 'area sweep.json: line 1: expected name, about' "$weft" sweep sweep.json --area sweep.json -o out/x.sqlite
bad 'area ecp6: ' "$weft" sweep show area.sqlite --area ecp6
# Standard cells: every bit of the memories weighs the same.
run "$weft" sweep show area.sqlite --area osu018
has stdout '^area: um2 of osu018$'
run "$weft" area --config small8 --area osu018
has stdout '^part +um2 +FF +SRAM +all in um2$'
has stdout '^ram +0 +0 +966656 +49418355$'

# A grid in which more lanes cost more area: the one of the least product of cycles and area is found.
run "$weft" sweep sweep.json --guided 20 --objective cycles-area -o area.sqlite
has stdout '20 points: 2?[0-9] there already, [0-9]+ ran'
run "$weft" sweep sweep.json --guided 20 --objective cycles-area -o area.sqlite
has stdout '20 points: 20 there already, 0 ran'

# weft run and weft report say it, too, when they are asked.
run "$weft" run digits.tflite --timing-only --config small8 --area ecp5 --json stats.json
has stdout "^area of small8 on ecp5: $area LUT4"
has stats.json '"MULT18X18D": 1[0-9][0-9]'
run "$weft" run digits.tflite --timing-only --config small8 --json stats.json
has_not stats.json '"area"'
run "$weft" report digits.tflite --config small8 --area ecp5 -o area.html
has area.html '"area":\{"target":"ecp5","unit":"LUT4"'

# ---- what is refused ----

bad 'give models, and -o OUT.sqlite' "$weft" sweep sweep.json
bad 'there is no model to run' "$weft" sweep -o out/x.sqlite
bad "there is no 'act_byte'" "$weft" sweep --model digits.tflite --grid act_byte=3 -o out/x.sqlite
bad 'expected numbers' "$weft" sweep --model digits.tflite --grid act_bytes=64Q -o out/x.sqlite
bad 'expected NAME=VALUE' "$weft" sweep --model digits.tflite --grid act_bytes -o out/x.sqlite
bad 'more than 1000000 points' "$weft" sweep --model digits.tflite --grid act_bytes=1..4000+1 --grid wgt_bytes=1..4000+1 -o out/x.sqlite
huge="--grid act_bytes=1..4096+1 --grid wgt_bytes=1..4096+1 --grid latency=1..4096+1 --grid interval=1..4096+1 --grid clock=1..4096+1 --grid load_beats=1..16+1"
for kind in random guided; do
    # shellcheck disable=SC2086 # words
    bad 'the grid has 2^64 combinations or more' "$weft" sweep --model digits.tflite $huge --$kind 40 -o out/x.sqlite
done
bad 'random or guided' "$weft" sweep sweep.json --random 3 --guided 3 -o out/x.sqlite
bad 'they have no parts' "$weft" sweep sweep.json --guided 3 --part 1/2 -o out/x.sqlite
bad 'expected I/N' "$weft" sweep sweep.json --part 3/2 -o out/x.sqlite
bad 'expected I/N' "$weft" sweep sweep.json --part 12 -o out/x.sqlite
bad 'what the tasks of --slurm do' "$weft" sweep sweep.json --part 1/2 --slurm 2 -o out/x.sqlite
bad 'did you mean' "$weft" sweep sweep.json --guided 3 --objective cycle -o out/x.sqlite
bad 'expected a number from 1' "$weft" sweep sweep.json --workers 0 -o out/x.sqlite
bad 'expected bytes' "$weft" sweep sweep.json --memory-limit no -o out/x.sqlite
bad 'configuration ref61' "$weft" sweep --model digits.tflite --config ref61 -o out/x.sqlite
bad 'out/no/x.sqlite' "$weft" sweep sweep.json -o out/no/x.sqlite
bad 'is also' "$weft" sweep --model digits.tflite -o digits.tflite
cp sweep.json text.sqlite
bad 'not a database' "$weft" sweep --model digits.tflite -o text.sqlite
bad 'is also' "$weft" sweep sweep.json -o sweep.json
echo '{"models": 3}' > wrong.json
bad 'line 1: expected a string' "$weft" sweep wrong.json -o out/x.sqlite
bad 'unable to open' "$weft" sweep show none.sqlite
bad 'there is no row 99' "$weft" sweep show one.sqlite --point 99
bad 'is for --point' "$weft" sweep show one.sqlite --report out/x.html
bad 'are of all rows' "$weft" sweep show one.sqlite --point 1 --json out/x.json
bad 'are of all rows' "$weft" sweep show one.sqlite --point 1 --all
cp digits.tflite kept.tflite
bad "is also the row's model" "$weft" sweep show one.sqlite --point 1 --report ./digits.tflite
cmp -s digits.tflite kept.tflite || fail "the row's model was overwritten"
bad '--sbatch is for --slurm' "$weft" sweep --model digits.tflite -o out/x.sqlite --sbatch=--mem=1
bad "--time-limit '1s': expected a number from 0 to 1000000" "$weft" sweep --model digits.tflite -o out/x.sqlite --time-limit 1s
run "$weft" sweep --model digits.tflite -o late.sqlite --time-limit 0.000001
run "$weft" sweep show late.sqlite
has stdout 'TIMEOUT: it took longer than 1e-06 seconds'
bad 'sweep-show: unknown option '"'--foo'"'; try weft sweep-show --help' "$weft" sweep show --foo
run "$weft" sweep --model unread.tflite -o unread.sqlite
equal "$status" 2 "no model that can be read"
has stderr '^weft: unread.sqlite: no model of the sweep can be read'
run "$weft" sweep --model unread.tflite --model digits.tflite -o unread.sqlite
equal "$status" 0 "one model that can be read"
bad 'a seed is for random and guided points' "$weft" sweep --model digits.tflite -o out/x.sqlite --seed 3
bad 'a clock is for the leakage of a technology' "$weft" sweep --model digits.tflite -o out/x.sqlite --clock 100
echo '{"models": ["digits.tflite"], "objective": "energy"}' >objective.json
bad 'an objective is for guided points' "$weft" sweep objective.json -o out/x.sqlite
bad 'needs ' "$weft" sweep show whole.sqlite --json out/x.json --memory-limit 1K
bad 'needs ' "$weft" sweep show one.sqlite --point 1 --report out/x.html --memory-limit 10K
run "$weft" sweep show one.sqlite --point 1 --report report.html --memory-limit 256M --clock 100 --technology 45nm --area osu018
equal "$status" 0 "a report with energy and area"
has report.html '"technology":"45nm"'
has report.html '"target":"osu018"'
bad '--objective is for --guided' "$weft" sweep --model digits.tflite -o out/x.sqlite --objective energy
bad 'out/missing.sqlite' "$weft" sweep -o out/x.sqlite --merge out/missing.sqlite
bad 'expected numbers' "$weft" sweep --model digits.tflite -o out/x.sqlite --grid memory_latency=17179869184G
bad 'expected the number of a row' "$weft" sweep show one.sqlite --point x
rm digits.tflite
bad 'digits.tflite' "$weft" sweep show one.sqlite --point 1 --report out/x.html
cp same.tflite digits.tflite
printf x >> digits.tflite
bad 'another model than the sweep ran' "$weft" sweep show one.sqlite --point 1 --report out/x.html

# Nothing is left of a file in which there was no room for a sweep; a file of nothing is none.
(
    ulimit -f 1
    "$weft" sweep --model same.tflite -o small.sqlite 2>small.txt
    [ $? -eq 2 ]
) || fail "a file that may not grow"
has small.txt '^weft: small.sqlite: '
checks=$((checks + 1))
[ ! -e small.sqlite ] || fail "an empty file is left"
: >empty.sqlite
bad 'empty.sqlite: it is empty' "$weft" sweep show empty.sqlite

# Rows that no sweep writes are refused, with the column; those of errors have no figures.
rm -f row.sqlite
run "$weft" sweep --model same.tflite --technology 45nm --workers 1 -o row.sqlite
for wrong in cycles=NULL energy=-5 cycles=9223372036854775807 cycles=-1 counted_load_beats=NULL host_share=1.5 host_share=NULL area=-1 \
    "energy='much'" dram=9 clock=4000000000 clock=9 interval=0 latency=100001 frames=0 seconds=-1; do
    cp row.sqlite wrong.sqlite
    run python3 -c "
import sqlite3
base = sqlite3.connect('wrong.sqlite')
base.execute('''UPDATE points SET $wrong ''')
base.commit()"
    bad "row 1: ${wrong%%=*} has a value that it cannot have" "$weft" sweep show wrong.sqlite
done
run python3 -c "
import sqlite3
base = sqlite3.connect('row.sqlite')
base.execute('''UPDATE points SET cycles = NULL, energy = NULL, dram = 9, error_code = 'ARGUMENT', error = 'no' ''')
base.commit()"
run "$weft" sweep show row.sqlite
has stdout 'ARGUMENT: no'

# Points that take too long, too much memory, or are no models at all are rows.
printf 'nothing' > nothing.tflite
run "$weft" sweep --model nothing.tflite --model gone.tflite -o rows.sqlite
has stdout '2 points: 0 there already, 2 ran in .*, 2 of them refused'
run "$weft" sweep --model same.tflite --memory-limit 100K -o rows.sqlite
has stdout '1 point: 0 there already, 1 ran in .*, 1 of them refused'
run "$weft" sweep show rows.sqlite
has stdout 'MODEL: '
has stdout 'IO: '
has stdout 'LIMIT: '

# A full disk is an error, and what was written stays.
if [ -e /dev/full ]; then
    run "$weft" sweep show whole.sqlite --csv /dev/full
    equal "$status" 2 "a full disk"
fi

summary
