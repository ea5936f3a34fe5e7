#!/bin/bash
# The first process of the kernel that scripts/uml boots, on the files of the host: loads the module and uses it. What it says to the
# end of every line, and "guest: all passed", is what scripts/uml looks for. Whatever happens it halts the kernel.
cd "$(dirname "$0")/../../.." || exit 1
work=$PWD/build/uml
module=$work/module/linux/weft.ko
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mount -t sysfs sys /sys

halt() {
    perl -e 'syscall(169, 0xfee1dead, 672274793, 0x4321fedc)' # reboot(RB_POWER_OFF)
}
trap halt EXIT

fail() {
    echo "guest: FAILED: $*"
    exit 1
}

# load [PARAMETER...]: the module, and the card that it is to take.
load() {
    insmod "$module" "$@" || fail "the module cannot be loaded"
    echo f00d 0003 >/sys/bus/pci/drivers/weft/new_id || fail "the card cannot be named"
    [ -c /dev/weft0 ] || fail "there is no /dev/weft0"
}

digits() {
    build/bin/weft run models/digits/digits.tflite --input models/digits/3.png --target linux "$@"
}

# compare NAME: a run of digits gives what target cycle did.
compare() {
    digits --output "$work/run/$1.npy" >"$work/run/$1.txt" 2>&1 || fail "$1: $(cat "$work/run/$1.txt")"
    cmp "$work/run/expected.npy" "$work/run/$1.npy" || fail "$1: other bytes"
    grep -q 'target linux: 7489 cycles' "$work/run/$1.txt" || fail "$1: other cycles: $(cat "$work/run/$1.txt")"
}

interrupts() {
    sed -n 's/^ *[0-9]*: *\([0-9]*\) .*UM virtio PCIe MSI.*/\1/p' /proc/interrupts
}

build/bin/weft run models/digits/digits.tflite --input models/digits/3.png --target linux >"$work/run/none.txt" 2>&1 &&
    fail "it runs without a device"
grep -q 'there is no machine' "$work/run/none.txt" || fail "without a device: $(cat "$work/run/none.txt")"

load
compare interrupt
[ "$(interrupts)" -ge 1 ] || fail "there was no interrupt"
echo "guest: a run with an interrupt: the bytes and cycles of target cycle"

digits --config small8 >"$work/run/other.txt" 2>&1 && fail "it runs on another configuration"
grep -q '/dev/weft0 is no small8' "$work/run/other.txt" || fail "another configuration: $(cat "$work/run/other.txt")"
echo "guest: a program for another configuration is refused"

for i in 1 2 3; do
    digits --output "$work/run/many$i.npy" >"$work/run/many$i.txt" 2>&1 &
done
wait
for i in 1 2 3; do
    cmp "$work/run/expected.npy" "$work/run/many$i.npy" || fail "of three at once, $i: $(cat "$work/run/many$i.txt")"
done
echo "guest: three processes at once: the same bytes"

for i in 0.1 0.2 0.3 0.4 0.6 0.8 1.0 1.3 1.6 1.9 2.2 2.6; do
    # Not the function: its shell would die instead.
    build/bin/weft run models/digits/digits.tflite --input models/digits/3.png --target linux >/dev/null 2>&1 &
    victim=$!
    sleep $i
    kill -9 $victim 2>/dev/null
    wait $victim 2>/dev/null
done
compare after_deaths
echo "guest: after processes were killed in the middle: the same bytes"

# Random calls with random arguments, 200 with a buffer in them that is really there.
perl -e '
    srand 1;
    open my $file, "+<", "/dev/weft0" or die;
    my %bytes = (0x8030bd00, 48, 0xc018bd01, 24, 0x4008bd02, 8, 0xc020bd03, 32, 0xc0e0bd04, 224, 0xc220bd05, 544, 0x4008bd06, 8);
    my @commands = sort keys %bytes;
    my ($good, $bad) = (0, 0);
    for my $i (1 .. 20000) {
        my $command = $commands[rand @commands];
        my $given = join "", map { rand() < 0.7 ? "\0" : chr(rand() < 0.6 ? rand 4 : rand 256) } 1 .. $bytes{$command};
        substr($given, 8, 8) = pack "Q", rand 1000000 if $command == 0xc220bd05; # no long waits
        ioctl($file, $command, $given) ? $good++ : $bad++;
    }
    print "guest: 20000 random calls: $good did something, $bad were refused\n";
    exit($good > 100 && $bad > 1000 ? 0 : 1);
' || fail "random calls"
compare after_random_calls

exec 9<>/dev/weft0
rmmod weft 2>/dev/null && fail "the module goes while a file is open"
exec 9>&-
rmmod weft || fail "the module cannot be unloaded"
[ ! -e /dev/weft0 ] || fail "/dev/weft0 is still there"
load polling=1
compare polling
grep -q 'UM virtio PCIe MSI' /proc/interrupts && fail "polling, but there is an interrupt"
echo "guest: unloaded, loaded again without interrupts: the same bytes and cycles"

echo 1 >/sys/bus/pci/devices/0000:00:00.0/remove
[ ! -e /dev/weft0 ] || fail "/dev/weft0 is still there without its card"
rmmod weft || fail "the module cannot be unloaded"
echo "guest: all passed"
