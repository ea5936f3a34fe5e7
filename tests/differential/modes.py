#!/usr/bin/env python3
"""Models of the converter's other modes on weft against LiteRT's reference kernels, byte for byte.

usage: modes.py WEFT MODEL.tflite...
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

IMAGES = 3


def reference(model):
    run = Interpreter(model_path=str(model),
                      experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    run.allocate_tensors()
    return run


def image(detail, rng):
    pixels = rng.uniform(-1, 1, detail["shape"]).astype(np.float32)
    if detail["dtype"] == np.float32:
        return pixels
    limits = np.iinfo(detail["dtype"])
    steps = np.round(pixels / detail["quantization"][0]) + detail["quantization"][1]
    return np.clip(steps, limits.min, limits.max).astype(detail["dtype"])


def differing(weft, model, run, pixels, folder):
    """How many elements of the output differ, and of how many."""
    run.set_tensor(run.get_input_details()[0]["index"], pixels)
    run.invoke()
    expected = run.get_tensor(run.get_output_details()[0]["index"])
    np.save(folder / "in.npy", pixels)
    subprocess.run([weft, "run", model, "--input", folder / "in.npy", "--output",
                    folder / "out.npy"], check=True, stdout=subprocess.DEVNULL)
    found = np.load(folder / "out.npy")
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return expected.size, expected.size
    unequal = found.reshape(-1).view(np.uint8) != expected.reshape(-1).view(np.uint8)
    return int(unequal.reshape(expected.size, -1).any(axis=1).sum()), expected.size


def main():
    weft, models = sys.argv[1], sys.argv[2:]
    wrong = 0
    for model in models:
        run = reference(model)
        rng = np.random.default_rng(3)
        with tempfile.TemporaryDirectory() as folder:
            for number in range(IMAGES):
                pixels = image(run.get_input_details()[0], rng)
                count, elements = differing(weft, model, run, pixels, pathlib.Path(folder))
                print(f"{pathlib.Path(model).stem}: image {number}: {count} of {elements} differ")
                wrong += count
    return 1 if wrong > 0 or not models else 0


if __name__ == "__main__":
    sys.exit(main())
