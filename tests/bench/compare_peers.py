#!/usr/bin/env python3
"""Weft beside Arm's Vela and SCALE-Sim: cycles, host share, seconds to compile, speed of simulators.

usage: compare_peers.py [--models DIR]... [--network NAME]... [--weft PROGRAM] [--environment DIR]
                        [--repeat 3] [--record | --check | --readme]

Prints Markdown (peers_table.py). The networks are the pinned ones of networks.def and the embedded
one, taken from the first folder that has NAME.tflite; one that none has is left out, and named.
Status 1: something was refused, or --check found a difference; 2: nothing could be compared; 77:
--check without build/peers.
  --record  also keeps the figures in peers.json and README.md, of all networks
  --check   compares what is no time with peers.json and networks.def instead
  --readme  measures nothing: writes the block of README.md from peers.json and networks.def
"""
import argparse
import json
import os
import pathlib
import re
import sys
import tempfile

import peers
import peers_table

RECORD = peers.HERE / "peers.json"
EMBEDDED = "digits"
MULTIPLIERS = 256  # of ref16
# SCALE-Sim would take minutes to an hour for the larger ones; of vww it would simulate channels that are cut.
SIMULATED = ["ad_autoencoder_int8", "kws_dscnn_int8", "ic_resnet8_int8", "sww_ds1dcnn_int8", "digits"]
SKIPPED = 77  # as ctest counts it


def pinned_networks():
    """{name: (ideal, cycles)} of networks.def."""
    text = (peers.HERE / "networks.def").read_text("utf-8")
    found = re.findall(r"^WEFT_NETWORK\((\S+), (\d+), .* (\d+)\)$", text, re.MULTILINE)
    return {name: (int(ideal), int(cycles)) for name, ideal, cycles in found}


def names():
    return [*pinned_networks(), EMBEDDED]


def embedded_model():
    return peers.ROOT / "models" / EMBEDDED / f"{EMBEDDED}.tflite"


def find(name, folders):
    paths = [pathlib.Path(folder) / f"{name}.tflite" for folder in folders]
    return next((path for path in paths + [embedded_model()] if path.stem == name and path.exists()), None)


def ideal_and_cycles(weft, wanted):
    """Two mappings for networks of README.md; the embedded one is run."""
    figures = {name: pinned for name, pinned in pinned_networks().items() if name in wanted}
    if EMBEDDED in wanted:
        found, _ = peers.weft_run(weft, embedded_model())
        figures[EMBEDDED] = (found["macs"] // MULTIPLIERS, found["cycles"])
    return {name: f[0] for name, f in figures.items()}, {name: f[1] for name, f in figures.items()}


def or_refused(part, *arguments):
    """What a part gives and its times, or why there is nothing."""
    try:
        return part(*arguments)
    except peers.Refused as error:
        return {"refused": str(error)}, None


def processor_time(runs):
    """The least; runs are (wall, processor) seconds, or None where something was refused."""
    return None if None in runs else min(run[1] for run in runs)


def network(name, model, arguments, program):
    """All figures of a network; Weft's program is written to a file."""
    weft, environment = arguments.weft, arguments.environment
    compiled, estimated, runs = [], [], []
    theirs = {}
    for _ in range(arguments.repeat):
        compiled.append(peers.weft_compile(weft, model, program))
        theirs[peers.COMPILE_TIME_MACHINE], took = or_refused(peers.vela, peers.COMPILE_TIME_MACHINE, model, environment)
        estimated.append(took)
        runs.append(peers.weft_run(weft, program))
    for machine in peers.VELA_FLAGS.keys() - theirs.keys():
        theirs[machine], _ = or_refused(peers.vela, machine, model, environment)
    ours = runs[0][0]
    found = {
        "weft": {"operators": len(ours["layers"]) + len(ours["host_ops"]), "host_operators": ours["host"]["operators"],
                 "host_macs_share": ours["host"]["macs_share"]},
        "vela": {machine: theirs[machine] for machine in peers.VELA_FLAGS},
        "seconds": {"weft_compile": processor_time(compiled), "vela_compile": processor_time(estimated)}}
    if name in SIMULATED:
        found["seconds"]["weft_run_alone"] = min(run[0]["wall_seconds"] for run in runs)
        found["seconds"]["weft_run"] = processor_time([run[1] for run in runs])
        try:
            found["scale_sim"], alone, whole = peers.scale_sim(peers.products(ours["layers"]), environment)
            found["seconds"].update({"scale_sim_alone": alone, "scale_sim": whole[1]})
        except peers.Refused as error:
            found["scale_sim"] = {"refused": str(error)}
    return found, pinned_networks().get(name, (ours["macs"] // MULTIPLIERS,))[0], ours["cycles"]


def processor():
    text = pathlib.Path("/proc/cpuinfo").read_text("utf-8", errors="replace")
    model = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return model[1] if model else os.uname().machine


def setting():
    """What the deterministic figures depend on."""
    versions = peers.pinned()
    return {"versions": {name: versions[name] for name in ("ethos-u-vela", "scalesim")},
            "vela_flags": peers.VELA_FLAGS, "scale_sim_configuration": peers.SCALE_SIM}


def measure(arguments):
    """All figures, those that the record does not have (ideal, cycles), and the networks left out."""
    peers.check_environment(arguments.environment)
    found = {**setting(), "repeat": arguments.repeat,
             "machine": {"processor": processor(), "cores": os.cpu_count(), "load": round(os.getloadavg()[0], 1)},
             "networks": {}}
    ideal, cycles, missing = {}, {}, []
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.network:
            model = find(name, arguments.models)
            if model is None:
                missing.append(name)
                continue
            print(f"peers: {name}", file=sys.stderr, flush=True)
            found["networks"][name], ideal[name], cycles[name] = network(name, model, arguments, f"{folder}/{name}.weft")
    if missing:
        print(f"peers: left out, for no folder has them: {', '.join(missing)}", file=sys.stderr)
    if not found["networks"]:
        raise peers.PeerError("there is no network to compare")
    return found, ideal, cycles, missing


def recorded():
    try:
        return json.loads(RECORD.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise peers.PeerError(f"{RECORD}: {error}") from None


def without_times(found):
    """The part of figures that must be the same on every computer."""
    return {**{key: found.get(key) for key in setting()},
            "networks": {name: {key: value for key, value in one.items() if key != "seconds"}
                         for name, one in found["networks"].items()}}


def differences(old, new, where=""):
    """Lines for what differs."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return [] if old == new else [f"{where}: recorded {old}, now {new}"]
    return [line for key in {**old, **new}
            for line in differences(old.get(key), new.get(key), f"{where}.{key}" if where else key)]


def check(found, cycles, record):
    """What differs between a run and the record, of the networks of the run."""
    kept = without_times(json.loads(json.dumps(record)))
    kept["networks"] = {name: one for name, one in kept["networks"].items() if name in found["networks"]}
    now = without_times(json.loads(json.dumps(found)))
    weft = [f"networks.def: {name} takes {pinned} cycles, now {cycles[name]}"
            for name, (_, pinned) in pinned_networks().items() if cycles.get(name, pinned) != pinned]
    return differences(kept, now) + weft


def refused(found):
    return peers_table.refusals(found) != ""


def write(path, text):
    """Writes a whole file, or leaves the old one."""
    temporary = path.with_name(f"{path.name}.new")
    temporary.write_text(text, "utf-8")
    temporary.replace(path)


def block(record, weft):
    """What README.md must hold."""
    return peers_table.text(record, *ideal_and_cycles(weft, record["networks"]))


def write_readme(record, weft):
    readme = peers.ROOT / "README.md"
    write(readme, peers_table.replaced(readme.read_text("utf-8"), block(record, weft)))


def read_arguments(given):
    parser = argparse.ArgumentParser(prog="scripts/peers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weft", default=peers.ROOT / "build/bin/weft")
    parser.add_argument("--environment", type=pathlib.Path, default=peers.ENVIRONMENT)
    parser.add_argument("--models", action="append")
    parser.add_argument("--network", action="append", choices=names())
    parser.add_argument("--repeat", type=int, choices=range(1, 101), metavar="N", default=3)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--record", action="store_true")
    what.add_argument("--check", action="store_true")
    what.add_argument("--readme", action="store_true")
    arguments = parser.parse_args(given)
    arguments.models = arguments.models or [peers.ROOT.parent / "shared/models", peers.ROOT / "build/models"]
    arguments.network = arguments.network or names()
    if arguments.check:
        arguments.repeat = 1
    return arguments


def carry_out(arguments):
    """The status of the command."""
    if arguments.readme:
        write_readme(recorded(), arguments.weft)
        return 0
    if arguments.check and not peers.stamp(arguments.environment).exists():
        print(f"skipped: there is no {arguments.environment}; scripts/peers --check makes it")
        return SKIPPED
    record = recorded() if arguments.check else None
    found, ideal, cycles, missing = measure(arguments)
    if arguments.check:
        wrong = check(found, cycles, record)
        print("\n".join(wrong) or f"{len(found['networks'])} networks as recorded")
        return 1 if wrong else 0
    print(peers_table.text(found, ideal, cycles), end="", flush=True)
    if not arguments.record:
        return 1 if refused(found) else 0
    if missing or refused(found) or list(found["networks"]) != names():
        raise peers.PeerError("--record needs all networks, and none that is refused")
    if found_wrong := [name for name, (_, pinned) in pinned_networks().items() if cycles[name] != pinned]:
        raise peers.PeerError(f"--record: networks.def has other cycles of {', '.join(found_wrong)}")
    write(RECORD, json.dumps(found, indent=1) + "\n")
    write_readme(found, arguments.weft)
    return 0


def main():
    try:
        return carry_out(read_arguments(sys.argv[1:]))
    except (peers.PeerError, OSError) as error:
        print(f"peers: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
