#!/usr/bin/env python3
"""Runs ONNX's single-operator cases on the host and compares their outputs.

usage: run_nodes.py WEFT SHARED [--except NAME,...] [CASE...]
SHARED/nodes has a folder for each case: model.onnx, input_K.npy, output_K.npy, meta.json (rtol, atol). Status 1 when a case fails that is
not in --except, or one that is passes: the list is exact.
"""
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np


def difference(got, wanted, tolerance):
    """What is wrong with a tensor; None: nothing."""
    if got.dtype != wanted.dtype or got.shape != wanted.shape:
        return f"{got.dtype}{list(got.shape)}, expected {wanted.dtype}{list(wanted.shape)}"
    if np.issubdtype(wanted.dtype, np.floating):
        good = np.allclose(got, wanted, rtol=tolerance["rtol"], atol=tolerance["atol"], equal_nan=True)
    else:
        good = np.array_equal(got, wanted)
    if good:
        return None
    apart = np.abs(got.astype(np.float64) - wanted.astype(np.float64))
    return f"differs by up to {np.nanmax(apart)} in {np.count_nonzero(apart)} of {apart.size} elements"


def run_case(weft, case):
    """What is wrong with a case; None: nothing."""
    tolerance = json.loads((case / "meta.json").read_text())
    inputs = sorted(case.glob("input_*.npy"), key=lambda path: int(path.stem.split("_")[1]))
    wanted = sorted(case.glob("output_*.npy"), key=lambda path: int(path.stem.split("_")[1]))
    with tempfile.TemporaryDirectory() as folder:
        made = [Path(folder) / path.name for path in wanted]
        command = [weft, "run", str(case / "model.onnx"), "--target", "host"]
        command += [word for path in inputs for word in ("--input", str(path))]
        command += [word for path in made for word in ("--output", str(path))]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            return done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"status {done.returncode}"
        for path, golden in zip(made, wanted):
            wrong = difference(np.load(path), np.load(golden), tolerance)
            if wrong is not None:
                return f"{path.stem} {wrong}"
    return None


def main():
    arguments = sys.argv[1:]
    expected = set()
    if "--except" in arguments:
        at = arguments.index("--except")
        expected = set(arguments[at + 1].split(","))
        del arguments[at:at + 2]
    weft, folder = arguments[0], Path(arguments[1]) / "nodes"
    cases = [folder / name for name in arguments[2:]] or sorted(path for path in folder.iterdir() if path.is_dir())
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda case: run_case(weft, case), cases))
    wrong = {case.name: result for case, result in zip(cases, results) if result is not None}
    for name, result in wrong.items():
        print(f"{name}: {result}{' (expected)' if name in expected else ''}")
    print(f"{len(cases) - len(wrong)} of {len(cases)} cases pass")
    unexpected = set(wrong) ^ (expected & {case.name for case in cases})
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
