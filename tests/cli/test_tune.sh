#!/usr/bin/env bash
# weft tune and weft compile --use-log, as a user meets them: what is found, logs that go on and are damaged, what is refused.
# usage: test_tune.sh WEFT SOURCE_DIR
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

# cycles FILE: what `weft explain` says a file takes.
cycles() {
    "$weft" explain "$1" | sed -n 's/^region 0: \([0-9]*\) cycles.*/\1/p'
}

# ---- what is found ----

good "$weft" tune digits.tflite --budget 300 --log one.log -o one.weft --decisions one.json --jobs 1
has stdout "^digits on ref16: 7489 cycles, tuned [0-9]* .-[0-9.]* %., 300 schedules tried$"
tuned=$(sed -n 's/.*tuned \([0-9]*\) .*/\1/p' stdout)
[ "$tuned" -lt 7489 ] || fail "tuned to $tuned cycles"
equal "$(cycles one.weft)" "$tuned" "cycles of the program"
good "$weft" verify one.weft
good "$weft" tune digits.tflite --budget 300 --log two.log -o two.weft --jobs 3
same two.weft one.weft
sed 's/"milliseconds": [0-9]*//' one.log >one.txt
sed 's/"milliseconds": [0-9]*//' two.log >two.txt
same two.txt one.txt
good "$weft" compile digits.tflite --use one.json -o used.weft
equal "$(cycles used.weft)" "$tuned" "cycles with its decisions"
good "$weft" tune digits.tflite --budget 50 --strategy random --seed 3 --decisions random.json
good "$weft" tune digits.tflite --budget 1s --log time.log
has stdout " schedules tried$"

# ---- machines, too ----

good "$weft" tune digits.tflite --hardware --config small8 --grid block=8,16 --grid act_bytes=16K..128K --area-limit 500000 --budget 100 \
    --seed 6 -o machine.weft --best-config machine.json --decisions machine_decisions.json --json machines.json --jobs 1
has stdout "^digits on small8: [0-9]* cycles, area [0-9]* LUT4 of ecp5$"
has stdout "^best machine: [0-9]* cycles .-[0-9.]* %., [0-9]* of them as compiled; area [0-9]* .[+][0-9.]* %. of at most 500000$"
has stdout "^  block  *8 -> 16$"
has stdout "^[0-9]* machines, 0 refused; 100 schedules tried$"
best=$(sed -n 's/^best machine: \([0-9]*\) .*/\1/p' stdout)
equal "$(cycles machine.weft)" "$best" "cycles on the best machine"
good "$weft" verify machine.weft
good "$weft" compile digits.tflite --config machine.json --use machine_decisions.json -o again.weft
same again.weft machine.weft
good "$weft" area --config machine.json --json area.json
python3 - >checked <<'END' || fail "$(cat checked)"
import json
found, area = json.load(open("machines.json")), json.load(open("area.json"))
best = found["machines"][found["best"]]
assert abs(best["area"] - area["total"]) < 1e-6 * area["total"], "another area"
assert all(machine["area"] <= 500000 for machine in found["machines"]), "a machine is too large"
assert all(machine["cycles"] >= best["cycles"] for machine in found["machines"]), "another one is better"
assert sum(machine["schedules"] for machine in found["machines"]) == 100
END
good "$weft" tune digits.tflite --hardware --config small8 --grid block=8,16 --grid act_bytes=16K..128K --area-limit 500000 --budget 100 \
    --seed 6 --json more.json --jobs 3
same more.json machines.json
# What the first machine does, all others do: nothing is won by leaving layers to the host.
good "$weft" tune digits.tflite --hardware --grid gemmlowp=0,1 --budget 16 --json - 
has stdout "it leaves more to the host than the first machine"
run "$weft" tune digits.tflite --hardware --grid block=8 --area-limit 1000 --budget 10 --json refused.json
equal "$status" 2 "a limit that no machine keeps"
has stderr "^weft: --area-limit: no machine of the grid is within 1000 LUT4$"
[ ! -e refused.json ] || fail "a file was written all the same"
run "$weft" tune digits.tflite --hardware --grid block=9,10 --grid queue_depth=4,8 --budget 10 --json refused.json
equal "$status" 2 "a grid without a machine"
has stderr "no machine of the grid can be: rule broken: block is a power of two"
for wrong in "--area-limit 0" "--area-limit 1.5" "--area nosuch" "--grid effort=1,2" "--grid model=x" "--grid config=small8" "--grid nosuch=1" "--grid act_bytes=many" "--config nosuch"; do
    # shellcheck disable=SC2086 # words
    run "$weft" tune digits.tflite --hardware $wrong --budget 10 --json refused.json
    equal "$status" 2 "$wrong"
done
run "$weft" tune digits.tflite --hardware --budget 10
has stderr "give a model, --budget BUDGET"
run "$weft" tune digits.tflite --grid block=8 --budget 10 --log x.log
has stderr "are for --hardware"
run "$weft" tune one.weft --hardware --budget 10 --json refused.json
has stderr "is a compiled program; give the model"

# What cannot be written is said before the search, of which there is no log then.
mkdir folder
for output in "-o nowhere/x.weft" "--decisions nowhere/x.json" "-o folder"; do
    # shellcheck disable=SC2086 # words
    bad "${output##* }: " "$weft" tune digits.tflite --budget 10 --log out/x.log $output
done
for output in "--json nowhere/x.json" "--best-config nowhere/x.json" "-o nowhere/x.weft"; do
    # shellcheck disable=SC2086 # words
    bad "${output##* }: " "$weft" tune digits.tflite --hardware --grid block=8,16 --budget 10 --log out/x.log $output
done

for name in small8.json ref16.json ./large32 ecp5.json; do
    bad "it is called " "$weft" tune digits.tflite --hardware --grid block=8 --budget 10 --log out/x.log --best-config $name
    [ ! -e $name ] || fail "$name was written"
done

# ---- which log it is ----

good "$weft" tune digits.tflite --budget 20 --log schedules.log
good "$weft" tune digits.tflite --budget 20 --effort 1 --log schedules.log
good "$weft" tune digits.tflite --hardware --grid block=8,16 --budget 10 --log machines.log
bad "line 1: a log of schedules" "$weft" tune digits.tflite --hardware --grid block=8,16 --budget 10 --log schedules.log
bad "line 1: a log of machines" "$weft" tune digits.tflite --budget 10 --log machines.log
bad "line 1: a log of machines" "$weft" compile digits.tflite --use-log machines.log -o refused.weft
bad "it cannot be standard output" "$weft" tune digits.tflite --budget 10 --log -

# ---- one writer of a log ----

if command -v flock >found; then
    "$weft" tune digits.tflite --budget 20 --log written.log >/dev/null
    cp written.log kept.log
    run flock written.log "$weft" tune digits.tflite --budget 40 --log written.log
    equal "$status" 2 "a log that another writes"
    has stderr "written.log: another weft tune writes it"
    same written.log kept.log
fi

# ---- logs of machines ----

machines="--hardware --config small8 --grid block=8,16 --grid act_bytes=16K..128K --area-limit 500000 --seed 6"
# shellcheck disable=SC2086 # words
{
    good "$weft" tune digits.tflite $machines --budget 100 --log m1.log --json logged.json --jobs 1
    same logged.json machines.json
    good "$weft" tune digits.tflite $machines --budget 100 --log m3.log --jobs 3
    same m3.log m1.log
    cp m1.log whole.log
    good "$weft" tune digits.tflite $machines --budget 60 --log m1.log -o went_on.weft --best-config went_on.json
    now=$(sed -n 's/^best machine: \([0-9]*\) .*/\1/p' stdout)
    [ "$now" -le "$best" ] || fail "$now cycles after the log, $best before"
    equal "$(cycles went_on.weft)" "$now" "cycles of what went on"
    good "$weft" verify went_on.weft
    good "$weft" tune digits.tflite $machines --budget 60 --log m3.log -o went_on_3.weft --jobs 3
    same went_on_3.weft went_on.weft
    same m3.log m1.log
    equal "$(head -c "$(wc -c <whole.log)" m1.log | cmp - whole.log && echo kept)" kept "the lines from before"
    # Another grid and another limit go on with what is known, too.
    good "$weft" tune digits.tflite --hardware --config small8 --grid wgt_bytes=16K,32K --area-limit 400000 --budget 20 --log m1.log
    python3 - stdout <<'END' || fail "the limit: $(cat stdout)"
import re, sys
text = open(sys.argv[1]).read()
area, limit = re.search(r"area (\d+) .* of at most (\d+)$", text, re.M).groups()
assert int(limit) == 400000 and int(area) <= 400000
END
    # What a kill leaves of a line goes, and it goes on from any moment.
    head -c -20 whole.log >cut_m.log
    good "$weft" tune digits.tflite $machines --budget 20 --log cut_m.log
    equal "$(tail -c 1 cut_m.log | od -An -tx1 | tr -d ' ')" 0a "the last byte of the log"
    good "$weft" tune digits.tflite $machines --budget 20 --log cut_m.log
    for moment in 0.2 0.4 0.6; do
        (timeout -s KILL "$moment" "$weft" tune digits.tflite $machines --budget 60s --log killed_m.log) >/dev/null 2>&1
    done
    good "$weft" tune digits.tflite $machines --budget 10 --log killed_m.log
    # Nothing in it is trusted.
    first=$(grep -n '"on_machine"' whole.log | head -1 | cut -d: -f1)
    last=$(grep -n '"on_machine"' whole.log | tail -1 | cut -d: -f1)
    tuned_on=$(sed -n "${last}s/^{\"on_machine\": \([0-9]*\),.*/\1/p" whole.log)
    while IFS='|' read -r change message; do
        sed "$change" whole.log >wrong_m.log
        cmp -s wrong_m.log whole.log && fail "nothing is changed by $change"
        cp wrong_m.log before.log
        run "$weft" tune digits.tflite $machines --budget 10 --log wrong_m.log --json refused.json
        equal "$status" 2 "$change"
        has stderr "$message"
        same wrong_m.log before.log
        [ ! -e refused.json ] || fail "a file was written with $change"
    done <<END
1s/"weft_machines_log": 1/"weft_machines_log": 2/|line 1: \"weft_machines_log\" is 2, expected 1
1s/"cycles": [0-9]*/"cycles": 5/|not of this model, configuration and options
1s/"area": "[a-z0-9]*"/"area": "other"/|area of other, not of this model, configuration and options, area of ecp5; give another file
1d|line 1: 
2s/"machine": 1/"machine": 2/|line 2: machine 2, expected 1
2s/"cycles": [0-9]*/"cycles": 0/|line 2: 0 cycles, expected more than 0
2s/"name": "[a-z_]*"/"name": "dram"/|line 2: .dram. is
2s/"value": [0-9]*/"value": 3/|line 2: 
2s/"value": [0-9]*/"value": -8/|line 2: .* is -8, expected
${last}s/"on_machine": [0-9]*/"on_machine": 99/|line $last: .on_machine. is 99
${last}s/"total": [0-9]*/"total": 999999999/|line $last: 999999999 cycles after
${last}s/"total": [0-9]*/"total": 1/|machine $tuned_on takes [0-9]* cycles tuned, not the 1 that the log says
${last}s/"better": .*/"better": []}/|line $last: .better. has 0 elements
${last}s/"cycles": [0-9]*/"cycles": 1/|do not come to that here
${first}s/"item": [0-9]*/"item": 100000/|line $first: 
2s/\$/x/|line 2: expected
END
    run "$weft" tune digits.tflite --hardware --budget 10 --log whole.log
    has stderr "not of this model, configuration and options"
    run "$weft" tune digits.tflite $machines --budget 10 --log one.log
    has stderr "line 1: "
    run "$weft" compile digits.tflite --use-log whole.log -o refused.json
    has stderr "line 1: "
    [ ! -e refused.json ] || fail "a log of machines was taken as one of schedules"
    if [ -w /dev/full ]; then
        run "$weft" tune digits.tflite $machines --budget 10 --log /dev/full
        equal "$status" 2 "a full disk"
    fi
}

# ---- logs ----

good "$weft" compile digits.tflite --use-log one.log -o logged.weft
same logged.weft one.weft
good "$weft" tune digits.tflite --budget 100 --log one.log
has stdout ", 100 schedules tried after those of the log$"
good "$weft" compile digits.tflite --config small8 --use-log one.log -o small.weft
good "$weft" compile digits.tflite --config small8 -o plain.weft
[ "$(cycles small.weft)" -le "$(cycles plain.weft)" ] || fail "a log made it slower"
# One who was killed before the first line leaves an empty file.
: >begun.log
good "$weft" tune digits.tflite --budget 300 --log begun.log
sed 's/"milliseconds": [0-9]*//' begun.log >begun.txt
same begun.txt one.txt
# A line that was not written to its end is as good as none.
head -c -20 two.log >cut.log
good "$weft" tune digits.tflite --budget 20 --log cut.log
equal "$(tail -c 1 cut.log | od -An -tx1 | tr -d ' ')" 0a "the last byte of the log"
good "$weft" compile digits.tflite --use-log cut.log -o cut.weft
# Killed at any moment it goes on.
for moment in 0.1 0.2 0.3; do
    (timeout -s KILL "$moment" "$weft" tune digits.tflite --budget 60s --log killed.log) >/dev/null 2>&1
done
if [ -s killed.log ]; then
    good "$weft" tune digits.tflite --budget 10 --log killed.log
fi

# ---- what is refused ----

bad "give a model, --budget BUDGET, and --log LOG" "$weft" tune digits.tflite
bad "give a model, --budget BUDGET, and --log LOG" "$weft" tune digits.tflite --budget 10
bad "--budget: expected seconds, as 60s" "$weft" tune digits.tflite --budget 10m --log out/x.log
bad "--budget: expected seconds, as 60s" "$weft" tune digits.tflite --budget 0 --log out/x.log
bad "--budget: expected seconds, as 60s" "$weft" tune digits.tflite --budget s --log out/x.log
bad "--jobs: expected 1 to 16" "$weft" tune digits.tflite --budget 10 --log out/x.log --jobs 17
bad "--jobs: expected 1 to 16" "$weft" tune digits.tflite --budget 10 --log out/x.log --jobs 0
bad "--seed: expected a number" "$weft" tune digits.tflite --budget 10 --log out/x.log --seed x
bad "strategy" "$weft" tune digits.tflite --budget 10 --log out/x.log --strategy best
bad "is a compiled program; give the model" "$weft" tune one.weft --budget 10 --log out/x.log
bad "no schedule to tune" "$weft" tune identity.tflite --budget 10 --log out/x.log
bad "nosuch" "$weft" tune nosuch --budget 10 --log out/x.log
bad "cannot write nosuch/x.log" "$weft" tune digits.tflite --budget 10 --log nosuch/x.log
bad "not of this model, configuration and options" "$weft" tune digits.tflite --budget 10 --log one.log --config small8
cp one.weft other.log
bad "line 1: expected" "$weft" tune digits.tflite --budget 10 --log other.log
bad "is also" "$weft" tune digits.tflite --budget 10 --log digits.tflite
bad "line 1: expected" "$weft" compile digits.tflite --use-log digits.tflite -o out/x.weft
bad "nosuch" "$weft" compile digits.tflite --use-log nosuch -o out/x.weft
bad "both say what is decided" "$weft" compile digits.tflite --use-log one.log --use one.json -o out/x.weft
: >empty.log
bad "line 1: expected the first line of a log" "$weft" compile digits.tflite --use-log empty.log -o out/x.weft
sed '2s/"cycles": \([0-9]*\)/"cycles": 1/' two.log | head -2 >false.log
bad "do not come to that here" "$weft" compile digits.tflite --use-log false.log -o out/x.weft
# Values that a field cannot have or had not before, and what cannot have been tried; of this model and of others.
cat >edit.py <<'END'
import json
lines = [json.loads(line) for line in open("two.log")]
def write(name, edit):
    edited = json.loads(json.dumps(lines))
    edit(edited)
    open(name, "w").write("".join(json.dumps(line) + "\n" for line in edited))
def flag(value):
    def edit(lines):
        like = next(change for line in lines[1:] for change in line["changes"] if change["of"] == "layer")
        lines[1]["changes"].append(dict(like, field="apart", **value))
    return edit
write("flag.log", flag({"from": 0, "to": -5}))
write("large.log", flag({"from": 1000000000, "to": 0}))
write("from.log", lambda lines: lines[1]["changes"][0].update({"from": lines[1]["changes"][0]["from"] + 77}))
write("negative.log", lambda lines: lines[-1].update(tried=-1))
write("tried.log", lambda lines: lines[-1].update(tried=10**19))
write("order.log", lambda lines: lines[-1].update(tried=0))
write("time.log", lambda lines: lines[-1].update(milliseconds=-1))
END
run python3 edit.py
equal "$status" 0 "logs with other values: $(cat stderr)"
for log in flag large from negative tried order time; do
    bad "line " "$weft" compile digits.tflite --use-log $log.log -o out/x.weft
    cp $log.log kept.log
    bad "line " "$weft" tune digits.tflite --budget 10 --log $log.log
    same $log.log kept.log
done
for log in flag large; do
    bad 'line 2: "apart" from ' "$weft" compile digits.tflite --config small8 --use-log $log.log -o out/x.weft
done
sed '2s/"item": [0-9]*/"item": 100000/' two.log >item.log
bad "line 2: " "$weft" compile digits.tflite --use-log item.log -o out/x.weft
if [ -w /dev/full ]; then
    run "$weft" tune digits.tflite --budget 10 --decisions /dev/full
    [ $status = 2 ] || fail "wrote to a full disk"
fi
echo "$checks checks, $failures failed"
[ $failures = 0 ]
