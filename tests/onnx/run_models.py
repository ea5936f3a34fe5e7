#!/usr/bin/env python3
"""Runs ONNX models on the host and compares their outputs with goldens of ONNX Runtime.

usage: run_models.py WEFT SHARED LIMIT MODEL...
SHARED has models/MODEL.onnx and goldens/MODEL/CASE.input.npy, CASE.output.npy (of several outputs CASE.output0.npy, ...). Prints the
largest difference relative to the largest element of an output, and the largest of single elements beside; status 1 when the former is
above LIMIT.
"""
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np


def run(weft, model, given, count, folder):
    """The outputs of a model for an input."""
    made = [Path(folder) / f"{i}.npy" for i in range(count)]
    command = [weft, "run", str(model), "--target", "host", "--input", str(given)]
    command += [word for path in made for word in ("--output", str(path))]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return [np.load(path) for path in made]


def main():
    weft, shared, limit = sys.argv[1], Path(sys.argv[2]), float(sys.argv[3])
    status = 0
    for name in sys.argv[4:]:
        goldens = shared / "goldens" / name
        cases = sorted(path.name.removesuffix(".input.npy") for path in goldens.glob("*.input.npy"))
        if not cases:
            print(f"{name}: no goldens")
            status = 1
        for case in cases:
            wanted = [np.load(path) for path in sorted(goldens.glob(f"{case}.output*.npy"))]
            with tempfile.TemporaryDirectory() as folder:
                got = run(weft, shared / "models" / f"{name}.onnx", goldens / f"{case}.input.npy", len(wanted), folder)
            for i, (a, b) in enumerate(zip(got, wanted)):
                if a.shape != b.shape or a.dtype != b.dtype:
                    print(f"{name} {case} output {i}: {a.dtype}{a.shape}, expected {b.dtype}{b.shape}")
                    status = 1
                    continue
                apart = np.abs(a.astype(np.float64) - b)
                relative = np.max(apart) / max(np.max(np.abs(b)), 1e-30)
                single = np.max(apart / np.maximum(np.abs(b), 1e-6))
                print(f"{name} {case} output {i}: {relative:.2e} of the largest, {single:.2e} of single elements")
                if not relative <= limit:
                    status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
