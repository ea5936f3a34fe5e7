#!/usr/bin/env bash
# What hw/tools/ecp5_netlist.py makes of a netlist behaves as before, and the products and constants that it is there for are found.
# Skipped (77) without Yosys and Icarus: scripts/setup tests. usage: test_ecp5_netlist.sh SOURCE_DIR
set -euo pipefail
source_dir=$(cd "$1" && pwd)
for tool in yosys iverilog python3; do
    command -v $tool >/dev/null || { echo "skipped: no $tool; scripts/setup tests installs it"; exit 77; }
done
cells=$(dirname "$(command -v yosys)")/../share/yosys/ecp5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$source_dir"
# shellcheck source=hw/tools/flow.bash
. hw/tools/flow.bash
cd "$work"
here=$source_dir/tests/synthesis
# check OPTION: of the mapping, as scripts/fmax (LUTs of 4 inputs alone) and scripts/fpga have it.
check() {
    {
        echo "read_verilog -sv $here/netlist.sv"
        echo "hierarchy -check -top netlist"
        echo proc
        flow_coarse
        echo "read_verilog -lib +/ecp5/cells_sim.v +/ecp5/cells_bb.v"
        flow_ecp5 netlist "$1"
        cat <<END
        blackbox =A:whitebox
        write_json $work/netlist.json
END
    } >map.ys
    yosys -q map.ys
    said=$(flow_ecp5_netlist netlist.json)
    echo "$said"
    # Of four products two have flip-flops of one kind behind them; one has two kinds, and one has none of its own.
    # Of four block RAMs two have a register behind them that takes what is read in every cycle, and that alone takes it.
    [[ $said =~ ^2\ products\ .*\(50\ flip-flops\),\ 2\ ports\ .*\(25\),\ ([0-9]+)\ constants\ of\ carries,\ ([0-9]+)\ constant\ carries,\ 6\ address\ bits$ ]] ||
        { echo "expected 2 products, 50 flip-flops, 2 ports, 25 flip-flops, and an address bit of each of 6 memories"; exit 1; }
    [ "${BASH_REMATCH[1]}" -gt 10 ] || { echo "expected more constants"; exit 1; }
    [ "${BASH_REMATCH[2]}" -ge 3 ] || { echo "expected more constant carries"; exit 1; }
    again=$(flow_ecp5_netlist netlist.json)
    [[ $again == "0 products "*" 0 ports "*" 0 constants of carries, 0 constant carries, 0 address bits" ]] || { echo "the second time: $again"; exit 1; }
    # What is open is 1.
    yosys -q -p 'read_json netlist.json; rename netlist mapped; setundef -one; write_verilog -noattr mapped.v'
    sed '/^module DP16KD/,/^endmodule/d' "$cells/cells_sim.v" >cells.v # which has its ports alone
    iverilog -g2012 -I "$cells" -o bench -s netlist_bench "$here/netlist_bench.sv" "$here/netlist.sv" mapped.v "$here"/{mult18x18d,dp16kd}.v cells.v
    ./bench | tee simulated
    grep -q '^0 of 20000 cycles differ$' simulated
}
check -nowidelut
check ''
for damaged in '' '[]' '{"modules": {}}' '{"modules": {"netlist": ' '{"modules": {"netlist": {"attributes": {"top": "1"}}}}'; do
    echo "$damaged" >damaged.json
    ! flow_ecp5_netlist damaged.json 2>refused || { echo "taken for a netlist: $damaged"; exit 1; }
    grep -q '^ecp5_netlist: damaged.json is no netlist' refused
    [ "$(cat damaged.json)" = "$damaged" ]
done
# A net of a new carry is none of the ports', and what is written where reads are open is written at 1: nextpnr ties what is open for reads alone.
cat >small.json <<'END'
{"modules": {"small": {"attributes": {"top": "1"}, "ports": {"unused": {"bits": [9]}}, "cells": {
    "sum": {"type": "CCU2C", "parameters": {"INIT0": "0101010101010101", "INIT1": "0101010101010101"}, "port_directions": {"CIN": "input", "COUT": "output"},
            "connections": {"CIN": ["0"], "COUT": [8]}},
    "ring": {"type": "TRELLIS_DPR16X4", "parameters": {"INITVAL": "xxxx"}, "port_directions": {"RAD": "input", "WAD": "input"},
             "connections": {"RAD": [2, "1", "0", "0"], "WAD": [3, "0", 4, "0"]}}}}}}
END
flow_ecp5_netlist small.json >/dev/null
python3 - <<'END'
import json
cells = json.load(open("small.json"))["modules"]["small"]["cells"]
assert cells["sum"]["connections"]["CIN"] == cells["sum$begin"]["connections"]["COUT"] == [10], cells
assert cells["ring"]["connections"] == {"RAD": [2, "1", "0", "x"], "WAD": [3, "0", 4, "1"]}, cells
END
