#!/usr/bin/env python3
"""How fast the virtual platform is: what a run on it costs beside one of the bare cycle model, and instructions a second.

usage: vp.py WEFT MODEL.tflite INPUT [--tries N]

`weft vp --json` has the CPU seconds of the platform and of the same runs without it. A run is the difference between 101 runs
and one, so that what the firmware does before the first one (it checks the model) does not count. Instructions a second are
those of one run, but for the time that the accelerator takes. All are the best of N tries.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

RUNS = 101


def statistics(given, model, runs, folder):
    path = pathlib.Path(folder) / "statistics.json"
    command = [given.weft, "vp", model, "--input", given.input, "--runs", str(runs), "--json", path]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return json.loads(path.read_text())


def best(tries, name):
    return min(tried[name] for tried in tries)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weft")
    parser.add_argument("model")
    parser.add_argument("input")
    parser.add_argument("--tries", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        compiled = pathlib.Path(folder) / "model.weft"
        subprocess.run([given.weft, "compile", given.model, "-o", compiled], check=True, stdout=subprocess.DEVNULL)
        one = [statistics(given, compiled, 1, folder) for _ in range(given.tries)]
        many = [statistics(given, compiled, RUNS, folder) for _ in range(given.tries)]
    bare = best(many, "bare_cpu_seconds") / RUNS
    each = (best(many, "cpu_seconds") - best(one, "cpu_seconds")) / (RUNS - 1)
    rate = one[0]["instructions"] / (best(one, "cpu_seconds") - each) / 1e6
    print(f"a run on the platform: {each * 1e3:.3f} ms, bare cycle model: {bare * 1e3:.3f} ms, {each / bare:.2f} times")
    print(f"the processor: {rate:.0f} million instructions a second")


if __name__ == "__main__":
    main()
