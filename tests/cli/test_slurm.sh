#!/usr/bin/env bash
# weft sweep --slurm and weft tune --slurm with Slurm's own daemons, which are started here for it: as a job array they find what they find
# here, go on after they were killed, and say what failed. Skipped (77) without slurmctld, slurmd and munged: scripts/setup slurm.
# usage: test_slurm.sh WEFT SOURCE_DIR
set -u
export LC_ALL=C PATH="$PATH:/usr/sbin:/sbin"
weft=$1
source_dir=$2
for tool in slurmctld slurmd munged sbatch squeue; do
    command -v $tool >/dev/null || { echo "skipped: no $tool; scripts/setup slurm installs it"; exit 77; }
done
# Munge takes no folder that others can write to.
work=$(mktemp -d -p "$(cd "$(dirname "$weft")/.." && pwd)")
chmod 755 "$work"
pids=
# Daemons end when they are told; what they started ends with them.
finish() {
    # shellcheck disable=SC2086 # a list of numbers
    [ -z "$pids" ] || { kill $pids 2>/dev/null; sleep 0.5; kill -9 $pids 2>/dev/null; }
    rm -rf "$work"
}
trap finish EXIT
cd "$work" || exit 1
mkdir out munge state spool
chmod 700 munge
# shellcheck source=tests/cli/checks.sh
. "$source_dir/tests/cli/checks.sh"

# ---- a cluster of one computer ----

# A port of this number of this process.
port=$((20000 + $$ % 20000))
host=$(hostname -s)
head -c 1024 /dev/urandom > munge/key
chmod 600 munge/key
cat > slurm.conf <<END
ClusterName=weft
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldPort=$port
SlurmdPort=$((port + 1))
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
SchedulerParameters=sched_min_interval=100000,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES State=UP MaxTime=INFINITE
END
export SLURM_CONF=$work/slurm.conf
munged --foreground --force --socket="$work/munge/socket" --key-file="$work/munge/key" --pid-file="$work/munge/pid" \
    --log-file="$work/munge/log" --seed-file="$work/munge/seed" >munged.out 2>&1 &
pids="$pids $!"
for _ in $(seq 50); do [ -S munge/socket ] && break; sleep 0.1; done
slurmctld -D -f slurm.conf >slurmctld.out 2>&1 &
pids="$pids $!"
slurmd -D -N "$host" -f slurm.conf >slurmd.out 2>&1 &
pids="$pids $!"
for _ in $(seq 150); do
    [ "$(sinfo -h -o %t 2>/dev/null)" = idle ] && break
    sleep 0.2
done
if [ "$(sinfo -h -o %t 2>/dev/null)" != idle ]; then
    tail -5 munged.out slurmctld.out slurmd.out
    echo "Slurm does not start"
    exit 1
fi

rows() {
    "$weft" sweep show "$1" --csv - | sed -E 's/^[0-9]+,//; s/,[^,]*$//'
}

# until_submitted: until Slurm has a job.
until_submitted() {
    local _
    for _ in $(seq 100); do
        [ -n "$(squeue -h)" ] && break
        sleep 0.1
    done
}

# cancel NAME PROCESS: cancels the jobs of this name once there is one, and takes the status of the process that waits for them.
cancel() {
    until_submitted
    scancel --name="$1"
    wait "$2"
}

# ---- a sweep ----

cp "$source_dir/models/digits/digits.tflite" "it's a model.tflite"
cat > sweep.json <<'END'
{"models": ["it's a model.tflite"],
 "grid": {"act_bytes": "32K..256K", "block": [8, 12, 16], "memory_latency": [20, 100], "wgt_bytes": ["64K", "128K"]}}
END
run "$weft" sweep sweep.json -o here.sqlite
has stdout '48 points: 0 there already, 48 ran'
run timeout 120 "$weft" sweep sweep.json --slurm 4 -o slurm.sqlite
equal "$status" 0 "a sweep by Slurm"
has stdout '48 points: 0 there already, 48 ran .*, 16 of them refused'
# Paths of models are absolute there.
rows here.sqlite | sed "s|it's a model|$work/it's a model|" > here.csv
rows slurm.sqlite > slurm.csv
same here.csv slurm.csv
run "$weft" sweep sweep.json --slurm 4 -o slurm.sqlite
has stdout '48 points: 48 there already, 0 ran'

# ---- killed, after the job was submitted ----

timeout 120 "$weft" sweep sweep.json --slurm 3 --sbatch=--begin=now+3 -o killed.sqlite >/dev/null 2>&1 &
sweep=$!
until_submitted
sleep 1
kill -9 "$(pgrep -P $sweep)" 2>/dev/null
wait $sweep
run timeout 120 "$weft" sweep sweep.json --slurm 3 -o killed.sqlite
equal "$status" 0 "a sweep that was killed"
# The job that was there did it all: there is no other one.
has stdout '48 points: 48 there already, 0 ran'
rows killed.sqlite > killed.csv
same here.csv killed.csv

# ---- guided points: a job for every 16 ----

run "$weft" sweep sweep.json --guided 20 -o guided.sqlite
run timeout 120 "$weft" sweep sweep.json --guided 20 --slurm 2 -o guided2.sqlite
rows guided.sqlite | sed "s|it's a model|$work/it's a model|" > a.csv
rows guided2.sqlite > b.csv
same a.csv b.csv

# ---- what fails ----

bad 'sbatch failed' "$weft" sweep sweep.json --slurm 2 --sbatch=--partition=nothing -o failed.sqlite
bad 'is Slurm installed here' env PATH=/nothing "$weft" sweep sweep.json --slurm 2 -o failed.sqlite
# A job that is cancelled before it has done anything.
"$weft" sweep sweep.json --slurm 2 --sbatch=--hold -o failed.sqlite >sweep.out 2>sweep.err &
sweep=$!
cancel weft-sweep $sweep
equal $? 2 "a job that is cancelled"
has sweep.err '^weft: failed.sqlite: Slurm.s job ended without all points; failed.sqlite.slurm has '
# The points can be had all the same.
run timeout 120 "$weft" sweep sweep.json --slurm 2 -o failed.sqlite
has stdout '48 points: 0 there already, 48 ran'

# ---- tuning: a search for each seed ----

# What a log says but for how long it took.
timeless() {
    sed -E 's/"milliseconds": [0-9]+/"milliseconds": 0/' "$1"
}
model="it's a model.tflite"
mkdir tuned
for seed in 4 5 6; do
    run "$weft" tune "$model" --config small8 --budget 320 --seed $seed --jobs 1 --log tuned/$seed.log
    cycles=$(sed -n 's/.* tuned \([0-9]*\) .*/\1/p' stdout)
    echo "task $((seed - 3)), seed $seed: $cycles cycles"
done >tuned/alone
for seed in 4 5 6; do [ -s tuned/$seed.log ] || fail "no log of seed $seed"; done
best=$(sort -t: -k2n -s tuned/alone | sed -n '1s/.*seed \([0-9]*\):.*/\1/p')
run timeout 120 "$weft" tune "$model" --config small8 --budget 320 --seed 4 --slurm 3 --log "tuned/it's.log" -o tuned/slurm.weft
equal "$status" 0 "tuning by Slurm"
sed -n 's/ cycles after .*/ cycles/p' stdout >tuned/tasks
same tuned/alone tuned/tasks
timeless tuned/$best.log >tuned/a
timeless "tuned/it's.log" >tuned/b
same tuned/a tuned/b
run "$weft" compile "$model" --config small8 --use-log "tuned/it's.log" -o tuned/used.weft
same tuned/used.weft tuned/slurm.weft
[ ! -e "tuned/it's.log.slurm" ] || fail "left: tuned/it's.log.slurm"

# From a log that is there, killed after the job was submitted: the same command waits for it.
timeout 120 "$weft" tune "$model" --config small8 --budget 64 --slurm 2 --sbatch=--begin=now+3 --log "tuned/it's.log" >/dev/null 2>&1 &
tune=$!
for _ in $(seq 100); do
    [ -s "tuned/it's.log.slurm/job" ] && break
    sleep 0.1
done
kill -9 "$(pgrep -P $tune)" 2>/dev/null
wait $tune
job=$(cut -d' ' -f1 "tuned/it's.log.slurm/job")
run timeout 120 "$weft" tune "$model" --config small8 --budget 64 --slurm 5 --log "tuned/it's.log"
equal "$status" 0 "tuning that was killed"
equal "$(grep -c '^task ' stdout)" 2 "tasks of the job that was there"
equal "$(squeue -h | wc -l)" 0 "jobs after job $job"
head -n "$(wc -l <tuned/b)" "tuned/it's.log" >tuned/begin
timeless tuned/begin >tuned/a
same tuned/a tuned/b # what was there is still there

# What fails.
bad 'sbatch failed' "$weft" tune "$model" --budget 16 --slurm 2 --sbatch=--partition=nothing --log out.log
bad 'is Slurm installed here' env PATH=/nothing "$weft" tune "$model" --budget 16 --slurm 2 --log out.log
bad 'not of this model' "$weft" tune "$model" --budget 16 --log "tuned/it's.log"
bad 'not of this model' "$weft" tune "$model" --budget 16 --slurm 2 --log "tuned/it's.log"
sed '2s/"region": 0/"region": 9/' "tuned/it's.log" >tuned/region.log
bad 'line 2: region 9' "$weft" tune "$model" --config small8 --budget 16 --slurm 2 --log tuned/region.log
sed -E '2s/"cycles": [0-9]+/"cycles": 0/' "tuned/it's.log" >tuned/cycles.log
bad 'line 2: 0 cycles' "$weft" tune "$model" --config small8 --budget 16 --slurm 2 --log tuned/cycles.log
[ ! -e "tuned/it's.log.slurm/job" ] || fail "a job for a log of another configuration"
"$weft" tune "$model" --budget 16 --slurm 2 --sbatch=--hold --log out.log >tune.out 2>tune.err &
tune=$!
cancel weft-tune $tune
equal $? 2 "a job that is cancelled"
has tune.err "^weft: out.log: 2 of 2 tasks of Slurm's job made no log; .*out.log.slurm has what they said"
[ ! -e out.log ] || fail "a log of no task"
run timeout 120 "$weft" tune "$model" --budget 16 --slurm 2 --log out.log
equal "$status" 0 "the same again"
bad '--slurm' "$weft" tune "$model" --budget 16 --slurm 2 --slurm 3 --log no.log
bad 'nowhere/no.log.slurm' "$weft" tune "$model" --budget 16 --slurm 2 --log nowhere/no.log
: >empty.log
run timeout 120 "$weft" tune "$model" --budget 16 --slurm 2 --jobs 1 --log empty.log
equal "$status" 0 "from an empty log"
# A note of a job that says nothing is none.
for note in '' 'nonsense' '1 0' '1 10001' '999999999999999999999999999999 2'; do
    mkdir -p note.log.slurm
    echo "$note" >note.log.slurm/job
    rm -f note.log
    run timeout 120 "$weft" tune "$model" --budget 16 --slurm 2 --log note.log
    equal "$status" 0 "with the note '$note'"
    equal "$(grep -c '^task ' stdout)" 2 "tasks with the note '$note'"
done
bad '--slurm needs --log' "$weft" tune "$model" --budget 16 --slurm 2 -o out/no.weft
bad '--slurm needs --log' "$weft" tune - --budget 16 --slurm 2 --log no.log
bad '--slurm needs --log' "$weft" tune "$model" --hardware --budget 16 --slurm 2 --log no.log
bad '--sbatch is for --slurm' "$weft" tune "$model" --budget 16 --sbatch=--hold --log no.log
bad 'expected 1 to 10000 tasks' "$weft" tune "$model" --budget 16 --slurm 0 --log no.log
bad '--seed' "$weft" tune "$model" --budget 16 --slurm 2 --seed 9223372036854775806 --log no.log

summary
