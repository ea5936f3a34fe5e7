#!/usr/bin/env bash
# weft serve, weft devices, and --target remote://HOST:PORT, as a user meets them: what run, trace and cosim give is what they
# give without a server, and what is wrong is said. usage: test_remote.sh WEFT MAKE_SEGMENTS SOURCE_DIR
set -u
export LC_ALL=C
weft=$1
make_segments=$2
source_dir=$3
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir out
# shellcheck source=tests/cli/checks.sh
. "$source_dir/tests/cli/checks.sh"
digits=$source_dir/models/digits

# serve OPTION...: starts a server at a port that is free; its address is in $address.
serve() {
    rm -f served # of the server before: the shell behind & may empty it after it was read here
    "$weft" serve --listen 127.0.0.1:0 "$@" >served 2>served.err &
    server=$!
    for _ in $(seq 600); do
        address=$(sed -n 's/^serving target [a-z]* at \([0-9.:]*\).*/\1/p' served 2>/dev/null)
        [ -z "$address" ] || return 0
        sleep 0.1
    done
    echo "the server does not say where it is:"
    cat served served.err
    exit 1
}

# stop: ends the server, which must end with 0 and have said nothing else.
stop() {
    checks=$((checks + 1))
    kill -INT "$server"
    wait "$server"
    status=$?
    last="weft serve"
    cp served.err stderr
    [ $status = 0 ] || fail "the server ended with $status"
    [ ! -s served.err ] || fail "the server complained"
    server=
}

# alike COMMAND...: prints the same with and without the server, but for the target's name and what is measured.
alike() {
    local target=$1
    shift
    good "$weft" "$@" --target "remote://$address"
    sed "s|remote://$address|$target|" stdout >remote.txt
    good "$weft" "$@"
    same stdout remote.txt
}

"$make_segments" segments.tflite
"$weft" compile "$digits/digits.tflite" -o digits.weft || exit 1
"$weft" disasm digits.weft -o digits.asm || exit 1

# ---- the same as without a server ----
for target in func cycle; do
    serve --target $target
    good "$weft" run digits.weft --input "$digits/3.png" --output here.npy --target $target
    good "$weft" run digits.weft --input "$digits/3.png" --output there.npy --target "remote://$address"
    same here.npy there.npy
    good "$weft" run "$digits/digits.tflite" --dump-tensors here --input "$digits/3.png" --target $target
    good "$weft" run "$digits/digits.tflite" --dump-tensors there --input "$digits/3.png" --target "remote://$address"
    for file in here/*.npy; do
        same "$file" "there/${file#here/}"
    done
    rm -r here there
    [ "$target" = cycle ] ||
        bad "--clock needs a target that counts cycles, not remote://$address" "$weft" run digits.weft \
            --input "$digits/3.png" --clock 100 --json out.json --target "remote://$address"
    stop
done
serve
alike cycle run digits.weft --input "$digits/3.png"
alike cycle run digits.weft --timing-only --latency 300 --interval 3 --clock 500
alike cycle run segments.tflite --timing-only
alike cycle run "$source_dir/tests/cli/relu.asm" --config small8 --region inputs=@256 --region outputs=@256
good "$weft" run "$source_dir/tests/cli/relu.asm" --config small8 --region inputs=@256 --region outputs=@256 \
    --dump-memory outputs=there.bin --dump-memory act=there.act --target "remote://$address"
good "$weft" run "$source_dir/tests/cli/relu.asm" --config small8 --region inputs=@256 --region outputs=@256 \
    --dump-memory outputs=here.bin --dump-memory act=here.act
same here.bin there.bin
same here.act there.act
for model in digits.weft segments.tflite; do
    good "$weft" trace $model --raw -o there.raw --target "remote://$address"
    good "$weft" trace $model --raw -o here.raw
    same here.raw there.raw
    good "$weft" trace $model -o trace.json --target "remote://$address" --latency 300
    good "$weft" run $model --timing-only --latency 300 --json stats.json
    good python3 "$source_dir/tests/cli/check_trace.py" trace.json stats.json
done
good "$weft" trace digits.asm --region constants=@64K --region inputs=@256 --region outputs=@64 --raw -o there.raw \
    --target "remote://$address"
good "$weft" trace digits.asm --region constants=@64K --region inputs=@256 --region outputs=@64 --raw -o here.raw
same here.raw there.raw

# ---- what a server offers ----
good "$weft" devices "$address"
has stdout "^$address: target cycle, without a key\$"
has stdout '^configurations: any that the target has$'
has stdout '^sessions: the device is free, 0 waiting, at most 16$'
good "$weft" devices "remote://$address" --json devices.json
has devices.json '"target": "cycle"'
has devices.json '"lease_milliseconds": 10000'

# ---- what is wrong ----
bad "compares nothing; that is for one of target lockstep" \
    "$weft" cosim digits.weft --input "$digits/3.png" --target "remote://$address"
bad "--target is for remote://HOST:PORT" "$weft" cosim digits.weft --input "$digits/3.png" --target cycle
bad "--target is for remote://HOST:PORT" "$weft" trace digits.weft -o out/x --target rtl
bad "--key-file is for --target remote://HOST:PORT" "$weft" run digits.weft --input "$digits/3.png" --key-file x
bad "--host is about the simulators here" \
    "$weft" run digits.weft --input "$digits/3.png" --host plain --target "remote://$address"
bad "expected HOST:PORT" "$weft" run digits.weft --input "$digits/3.png" --target remote://
bad "expected HOST:PORT" "$weft" devices nowhere
bad "that needs a key" "$weft" devices 192.0.2.1:7433
bad "writes no waveforms" \
    "$weft" run digits.weft --input "$digits/3.png" --target "remote://$address" --wave out/x.fst
stop
bad "server $address: cannot connect: " "$weft" devices "$address" # nobody is there any more
bad "that needs a key" "$weft" serve --listen 0.0.0.0:0
bad "expected HOST:PORT" "$weft" serve --listen nowhere
bad "there is no target 'host'" "$weft" serve --target host
bad "target remote" "$weft" serve --target remote
bad "--lease '0': expected seconds" "$weft" serve --lease 0
bad "--waiting '49': expected a number, 1 to 48" "$weft" serve --waiting 49
bad "--cache 'x': expected bytes" "$weft" serve --cache x

# ---- with a key ----
head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' >key
chmod 644 key
bad "chmod 600 keeps them away" "$weft" serve --key-file key
chmod 600 key
printf 'ff' >short
chmod 600 short
bad "hexadecimal digits" "$weft" serve --key-file short
if "$weft" serve --listen nowhere --key-file key 2>&1 | grep -q 'without TLS'; then
    echo "skipped: keys (built without libssl)"
else
    serve --key-file key
    good "$weft" devices "$address" --key-file key
    has stdout 'for clients with its key'
    good "$weft" run digits.weft --input "$digits/3.png" --output there.npy --target "remote://$address" --key-file key
    same here.npy there.npy
    bad "it takes clients that have its key alone" "$weft" devices "$address"
    head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' >other
    chmod 600 other
    bad "another key, or none" "$weft" devices "$address" --key-file other
    stop
fi

summary
