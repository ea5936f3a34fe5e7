#!/usr/bin/env python3
"""What Yosys 0.23 leaves undone in a netlist for nextpnr-ecp5, and vendors' tools do. Both save wires, which is what a netlist of ours lacks first.
usage: ecp5_netlist.py NETLIST.json

- A product that goes straight into flip-flops is kept in the output register of its MULT18X18D.
- What is read of a block RAM (DP16KD) and goes straight into flip-flops is kept in its output register.
- A constant input of a carry (CCU2C) goes into its truth table: nextpnr brings it there by wire otherwise, a net through the whole device.
- A constant carry into a chain comes from a table of its own, for the same reason.
- A bit of the address that a TRELLIS_DPR16X4 reads, constant as that of writes is, for a queue of fewer than 16, is left open, which is 1, and that of writes
  is made 1: nextpnr ties what is open of the tables that are read, but not of the slice that writes.

Changes the file, and says how much it found.
"""
import collections
import json
import os
import sys


def inputs_of(cells):
    """The (cell, port) that read each net."""
    readers = collections.defaultdict(list)
    for name, cell in cells.items():
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] == "input":
                for bit in bits:
                    readers[bit].append((name, port))
    return readers


def control_of(flip_flop):
    """Clock and enable of a flip-flop that does nothing else; None of another one."""
    parameters, pins = flip_flop["parameters"], flip_flop["connections"]
    if flip_flop["type"] != "TRELLIS_FF" or parameters.get("CLKMUX", "CLK").strip() != "CLK":
        return None
    if pins.get("LSR", ["0"]) not in (["0"], ["x"]):
        return None
    enable = {"CE": pins.get("CE", ["1"])[0], "1": "1"}.get(parameters.get("CEMUX", "1").strip())
    return None if enable is None else (pins["CLK"][0], enable)


def registers_behind(outputs, cells, readers, outside):
    """The flip-flops by port of a cell's outputs (port: net), and their clock and enable, if each output goes into one and nowhere else, and all are
    of one kind; else None."""
    if not outputs or any(len(readers[bit]) != 1 or readers[bit][0][1] != "DI" or bit in outside for bit in outputs.values()):
        return None
    behind = {port: readers[bit][0][0] for port, bit in outputs.items()}
    controls = {control_of(cells[name]) for name in behind.values()}
    return None if len(controls) != 1 or None in controls else (behind, controls.pop())


def register_products(module):
    """Multipliers whose whole product goes into flip-flops of one kind, and nowhere else, get a register, and the flip-flops go."""
    cells = module["cells"]
    readers = inputs_of(cells)
    outside = {bit for port in module["ports"].values() for bit in port["bits"]}
    multipliers = flip_flops = 0
    for cell in [cell for cell in cells.values() if cell["type"] == "MULT18X18D"]:
        products = {port: bits[0] for port, bits in cell["connections"].items()
                    if port[0] == "P" and bits and (readers[bits[0]] or bits[0] in outside)}
        if cell["parameters"].get("REG_OUTPUT_CLK", "NONE") != "NONE" or "CLK0" in cell["connections"]:
            continue
        found = registers_behind(products, cells, readers, outside)
        if found is None:
            continue
        behind, (clock, enable) = found
        for port, name in behind.items():
            cell["connections"][port] = cells.pop(name)["connections"]["Q"]
        for port, bit in (("CLK0", clock), ("CE0", enable), ("RST0", "0")):
            cell["connections"][port] = [bit]
            cell["port_directions"][port] = "input"
        cell["parameters"].update(REG_OUTPUT_CLK="CLK0", REG_OUTPUT_CE="CE0", REG_OUTPUT_RST="RST0", CLK0_DIV="ENABLED", RESETMODE="SYNC")
        multipliers += 1
        flip_flops += len(behind)
    return multipliers, flip_flops


def register_memories(module):
    """Ports of block RAMs all of whose data go into flip-flops that take them in every cycle, and nowhere else, get a register, and the flip-flops go."""
    cells = module["cells"]
    readers = inputs_of(cells)
    outside = {bit for port in module["ports"].values() for bit in port["bits"]}
    ports = flip_flops = 0
    for cell in [cell for cell in cells.values() if cell["type"] == "DP16KD"]:
        for side in "AB":
            data = {port: bits[0] for port, bits in cell["connections"].items()
                    if port.startswith("DO" + side) and bits and (readers[bits[0]] or bits[0] in outside)}
            if cell["parameters"].get("REGMODE_" + side, "NOREG") != "NOREG":
                continue
            found = registers_behind(data, cells, readers, outside)
            if found is None or found[1] != (cell["connections"]["CLK" + side][0], "1"):
                continue
            behind = found[0]
            for port, name in behind.items():
                cell["connections"][port] = cells.pop(name)["connections"]["Q"]
            cell["connections"]["OCE" + side] = ["1"]
            cell["port_directions"]["OCE" + side] = "input"
            cell["parameters"]["REGMODE_" + side] = "OUTREG"
            ports += 1
            flip_flops += len(behind)
    return ports, flip_flops


def fold_constants(module):
    """Inputs of carries that are constant. The carry comes from the table's part with C = D = 0, so that of C and D only a 0 may go into it."""
    folded = 0
    for cell in module["cells"].values():
        if cell["type"] != "CCU2C":
            continue
        for half in "01":
            table = [int(bit) for bit in reversed(cell["parameters"]["INIT" + half])]
            for place, pin in enumerate("ABCD"):
                constant = cell["connections"].get(pin + half)
                if constant == ["0"] or (constant == ["1"] and pin in "AB"):
                    value = int(constant[0]) << place
                    table = [table[row & ~(1 << place) | value] for row in range(16)]
                    del cell["connections"][pin + half], cell["port_directions"][pin + half]
                    folded += 1
            cell["parameters"]["INIT" + half] = "".join(str(bit) for bit in reversed(table))
    return folded


def begin_carries(module):
    """Chains that begin with a constant carry: the first half of a cell in front of them generates it, the second passes it on, and no input is used."""
    users = [bits for cell in module["cells"].values() for bits in cell["connections"].values()] + [port["bits"] for port in module["ports"].values()]
    free = max((bit for bits in users for bit in bits if isinstance(bit, int)), default=1) + 1
    fronts = {}
    for name, cell in module["cells"].items():
        if cell["type"] == "CCU2C" and cell["connections"].get("CIN") in (["0"], ["1"]):
            value = cell["connections"]["CIN"][0]
            cell["connections"]["CIN"] = [free]
            fronts[name + "$begin"] = {
                "hide_name": 1, "type": "CCU2C", "attributes": {}, "port_directions": {"CIN": "input", "C0": "input", "D0": "input", "COUT": "output"},
                # The table is 0 where D = 1, so that the carry is that of its part with C = D = 0; the other half is 1, and passes it on.
                "parameters": {"INIT0": "000000000000" + 4 * value, "INIT1": 16 * "1", "INJECT1_0": "NO", "INJECT1_1": "NO"},
                "connections": {"CIN": ["x"], "C0": ["1"], "D0": ["1"], "COUT": [free]}}
            free += 1
    module["cells"].update(fronts)
    return len(fronts)


def open_addresses(module):
    """Address bits of small memories that are the same constant for reads and writes. What they hold before they are written stays unknown."""
    opened = 0
    for cell in module["cells"].values():
        if cell["type"] != "TRELLIS_DPR16X4" or set(cell["parameters"].get("INITVAL", "x")) != {"x"}:
            continue
        reads, writes = cell["connections"]["RAD"], cell["connections"]["WAD"]
        for place in range(4):
            if reads[place] == writes[place] and reads[place] in ("0", "1"):
                reads[place], writes[place] = "x", "1"
                opened += 1
    return opened


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    path = sys.argv[1]
    try:
        with open(path, encoding="utf-8") as file:
            netlist = json.load(file)
        module = next(module for module in netlist["modules"].values() if int(module["attributes"].get("top", "0"), 2))
        multipliers, flip_flops = register_products(module)
        ports, kept = register_memories(module)
        folded, begun, opened = fold_constants(module), begin_carries(module), open_addresses(module)
    except (OSError, ValueError, TypeError, LookupError, AttributeError, StopIteration) as error:
        sys.exit(f"ecp5_netlist: {path} is no netlist of Yosys with a top module: {error!r}")
    print(f"{multipliers} products in registers of their multipliers ({flip_flops} flip-flops), {ports} ports of block RAMs with theirs ({kept}), {folded} constants of carries, {begun} constant carries, "
          f"{opened} address bits")
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(netlist, file, indent=2)
    os.replace(path + ".new", path)


main()
