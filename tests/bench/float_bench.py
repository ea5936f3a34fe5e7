#!/usr/bin/env python3
"""Float networks on the host: Weft beside ONNX Runtime, and fused beside not fused.

usage: float_bench.py FLOAT_BENCH [MODEL.onnx...]      (onnxruntime, numpy)

The programs take turns, several times; of each the best counts, so that ratios hold on a computer that does other things, too.
Both have all cores. Weft's results are those of plain loops, byte for byte: no product and sum in one rounding.
"""
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import onnxruntime

TURNS = 5
RUNS = 10


def open_session(path):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    tensor = session.get_inputs()[0]
    shape = [d if isinstance(d, int) and d > 0 else 1 for d in tensor.shape]
    count = int(np.prod(shape))
    return session, {tensor.name: ((np.arange(count) * 37 % 256 - 128) / 64).astype(np.float32).reshape(shape)}


def run_ort(session, feed):
    best = float("inf")
    for _ in range(RUNS):
        start = time.perf_counter()
        session.run(None, feed)
        best = min(best, time.perf_counter() - start)
    return best * 1e3


def run_weft(program, path):
    words = subprocess.run([program, path], check=True, capture_output=True, text=True).stdout.split()
    return [float(word) for word in words[-4:]]


def main():
    program, *paths = sys.argv[1:]
    if not paths:
        models = Path("../shared/onnx/models")
        paths = [str(models / f"{name}.onnx") for name in ("light_resnet50", "light_squeezenet", "ultraface_slim320", "ic_float")]
    print(f"{'network':20} {'ORT ms':>9} {'Weft ms':>9} {'Weft/ORT':>9} {'unfused ms':>11} {'fused/un.':>10} {'MB':>7} {'unfused MB':>11}")
    for path in paths:
        session, feed = open_session(path)
        ort = float("inf")
        fused, unfused = float("inf"), float("inf")
        for _ in range(TURNS):
            ort = min(ort, run_ort(session, feed))
            *times, memory, more = run_weft(program, path)
            fused, unfused = min(fused, times[0]), min(unfused, times[1])
        print(f"{Path(path).stem:20} {ort:9.2f} {fused:9.2f} {fused / ort:9.2f} {unfused:11.2f} {fused / unfused:10.2f} "
              f"{memory:7.1f} {more:11.1f}")


if __name__ == "__main__":
    main()
