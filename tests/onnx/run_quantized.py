#!/usr/bin/env python3
"""Runs quantised ONNX models and holds every tensor that ONNX Runtime's goldens have against Weft's, byte for byte.

usage: run_quantized.py WEFT SHARED [--rtl] MODEL...
SHARED has models/MODEL.onnx and goldens/MODEL/CASE.input.npy, CASE.output.npy, CASE.tensors.npz (results of QuantizeLinear and QLinear* by
name). Sums may be 1 apart, and then only the tensors before the first one that is are compared. The machine carries out every convolution and
dense product; the host has at most one transpose at each end. Targets func and cycle (and with --rtl, on small8, rtl) give the same bytes, and
cycle and rtl the same cycles. Ends with 1 when something is not so.
"""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

weft, shared = sys.argv[1], Path(sys.argv[2])
rtl = "--rtl" in sys.argv
failures = []


def check(what, good):
    if not good:
        print(f"BAD  {what}", flush=True)
        failures.append(what)


def run(*arguments):
    done = subprocess.run([weft, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{weft} {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def tensors_of(model):
    """Of each named tensor that stays: its number, and whether a sum makes it."""
    text = run("compile", model, "--keep-tensors", "--dump-after", "keep-tensors")
    found = re.findall(r'^  %(?:"((?:[^"\\]|\\.)*)"|(\S+)) = (\S+)\(.*#(\d+)(?: @\d+)?$', text, re.M)
    return {quoted or plain: (number, op == "qnn.add") for quoted, plain, op, number in found}


def compare_tensors(model, name, given, goldens, folder):
    """How many sums differ, and in how many elements."""
    numbers = tensors_of(model)
    run("run", model, "--input", given, "--dump-tensors", folder)
    apart = 0
    compared = 0
    for tensor in goldens.files:
        check(f"{name}: no tensor {tensor}", tensor in numbers)
        number, is_sum = numbers.get(tensor, (None, False))
        path = Path(folder) / f"{number}.npy"
        if tensor not in numbers or not path.exists():
            check(f"{name}: {tensor} is not kept", False)
            continue
        made, wanted = np.load(path), goldens[tensor]
        if made.shape != wanted.shape or made.dtype != wanted.dtype:
            check(f"{name}: {tensor} is {made.dtype}{made.shape}, expected {wanted.dtype}{wanted.shape}", False)
            continue
        difference = np.abs(made.astype(np.int64) - wanted)
        different = int(np.count_nonzero(difference))
        if is_sum and different > 0 and difference.max() == 1:
            apart += different
        elif apart == 0:
            check(f"{name}: {tensor}: {different} of {wanted.size} elements differ", different == 0)
        compared += 1
    print(f"{name}: {compared} tensors compared, {apart} elements of sums 1 apart", flush=True)
    return apart


def check_places(model, name):
    """Products on the machine; no transpose on the host between them."""
    text = run("compile", model, "--dump-after", "partition")
    outside = [line.split(" = ")[1].split("(")[0] for line in re.sub(r"body.*?\n  \}", "", text, flags=re.S).splitlines() if " = " in line]
    bad = [op for op in outside if op.startswith(("qnn.conv", "conv", "qnn.dense", "dense", "qnn.batch", "batch"))]
    check(f"{name}: on the host: {bad}", not bad)
    places = [i for i, op in enumerate(outside) if op == "transpose"]
    regions = [i for i, op in enumerate(outside) if op == "region"]
    inside = [i for i in places if regions and regions[0] < i < regions[-1]]
    check(f"{name}: {len(inside)} transposes on the host inside, {len(places)} in all", not inside and len(places) <= 2)


def run_target(model, given, target, folder, *options):
    """The output, and the cycles of a target."""
    output, figures = Path(folder) / f"{target}.npy", Path(folder) / f"{target}.json"
    run("run", model, "--target", target, "--input", given, "--output", output, "--json", figures, *options)
    return np.load(output), json.loads(figures.read_text()).get("cycles")


def compare_targets(model, name, given, wanted, exact, folder, options, targets):
    results = {target: run_target(model, given, target, folder, *options) for target in targets}
    first = results[targets[0]][0]
    for target, (output, cycles) in results.items():
        check(f"{name}: {target} gives other bytes than {targets[0]}", output.tobytes() == first.tobytes())
        if target == "rtl":
            check(f"{name}: rtl takes {cycles} cycles, cycle {results['cycle'][1]}", cycles == results["cycle"][1])
    different = int(np.count_nonzero(first != wanted))
    check(f"{name}: {different} of {wanted.size} outputs differ", not exact or different == 0)
    print(f"{name}: {', '.join(targets)}: {different} of {wanted.size} outputs differ; {results['cycle'][1]} cycles", flush=True)


def main():
    for name in [argument for argument in sys.argv[3:] if argument != "--rtl"]:
        model, goldens = shared / "models" / f"{name}.onnx", shared / "goldens" / name
        check_places(model, name)
        cases = sorted(path.name.removesuffix(".input.npy") for path in goldens.glob("*.input.npy"))
        check(f"{name}: there are no goldens", cases)
        for number, case in enumerate(cases):
            given, wanted = goldens / f"{case}.input.npy", np.load(goldens / f"{case}.output.npy")
            with tempfile.TemporaryDirectory() as folder:
                kept = goldens / f"{case}.tensors.npz"
                apart = compare_tensors(model, f"{name} {case}", given, np.load(kept), folder) if kept.exists() else 0
                compare_targets(model, f"{name} {case}", given, wanted, apart == 0, folder, [], ["func", "cycle"])
                if rtl and number == 0:
                    targets = ["func", "cycle", "rtl"]
                    compare_targets(model, f"{name} {case} on small8", given, wanted, apart == 0, folder, ["--config", "small8"], targets)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
