"""Microseconds that a run from Python takes beside the calls of the C library that set the inputs and run the model: checks, making
and copying outputs, counters. The goal is 50 at most. usage: python_calls.py MODELS [--runs N] [--target NAME]; scripts/bench --python"""

from __future__ import annotations

import argparse
import pathlib
import time

import numpy as np

import weft

GOAL = 50  # microseconds


def measure(path: pathlib.Path, target: str, runs: int) -> float:
    """Prints a line; returns the median."""
    module = weft.compile(path)
    generator = np.random.default_rng(1)
    inputs = [generator.integers(0, 100, t.shape).astype(t.dtype) for t in module.inputs]
    extra = []
    whole = 0.0
    with module.open(target) as session:
        given = inputs[0] if len(inputs) == 1 else inputs
        session.run(given)
        for _ in range(runs):
            start = time.perf_counter()
            result = session.run(given)
            extra.append(1e6 * (time.perf_counter() - start - result.seconds))
            whole += result.seconds
    extra.sort()
    kilobytes = sum(array.nbytes for array in [*inputs, *result.outputs]) / 1024
    print(
        f"{path.stem:32} {kilobytes:10.1f} {1e6 * whole / runs:12.0f} {extra[runs // 2]:10.1f} {extra[runs * 9 // 10]:10.1f}",
        flush=True,
    )
    return extra[runs // 2]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--target", default="func")
    options = parser.parse_args()
    names = ["ad_autoencoder", "kws_dscnn", "sww_ds1dcnn", "ic_resnet8", "vww_mobilenetv1_025_96", "mobilenet_v2_1.0_224"]
    print(f"{'target ' + options.target:32} {'KB in, out':>10} {'C calls, us':>12} {'beside, us':>10} {'90 %':>10}")
    paths = [pathlib.Path("models/digits/digits.tflite")]
    paths += [p for p in (options.models / f"{name}_int8.tflite" for name in names) if p.exists()]
    most = max(measure(path, options.target, options.runs) for path in paths)
    print(f"at most {most:.1f} us beside the calls (median of a model); the goal is {GOAL}")
    return 0 if most <= GOAL else 1


if __name__ == "__main__":
    raise SystemExit(main())
