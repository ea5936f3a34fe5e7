#!/usr/bin/env python3
"""Quantises the float models of ../shared with their own data (SHARED/models, SHARED/data), and holds what comes out against the figures of the issue.

usage: run_quantize.py WEFT SHARED [--short]

--short: fewer samples. Ends with 1 when something is worse than it must be.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

weft, shared = sys.argv[1], pathlib.Path(sys.argv[2])
short = "--short" in sys.argv
models, data = shared / "models", shared / "data"
failures = []


def run(*arguments):
    return subprocess.run([weft, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def check(what, good):
    print(f"{'ok  ' if good else 'BAD '} {what}", flush=True)
    if not good:
        failures.append(what)


def quantize(model, samples, out, *options):
    """The JSON of weft quantize."""
    report = out.with_suffix(".json")
    limit = ["--samples", "100"] if short else []
    run("quantize", model, "--data", samples, "-o", out, "--json", report, *limit, *options)
    return json.loads(report.read_text())


def evaluate(model, samples, against, out):
    """The JSON of weft evaluate."""
    limit = ["--samples", "200"] if short else []
    run("evaluate", model, "--data", samples, "--against", against, "--json", out, *limit)
    return json.loads(out.read_text())


def percent(result, key):
    return 100 * result[key] / result["samples"]


def one(folder, name, samples, least_sqnr, most_drop, least_agree, *options):
    model, out = models / f"{name}.onnx", folder / f"{name}.weft"
    title = f"{name} {' '.join(options)}".strip()
    report = quantize(model, data / samples, out, *options)
    sqnr = report["outputs"]["sqnr"]
    check(f"{title}: {sqnr:.2f} dB, at least {least_sqnr}", sqnr >= least_sqnr)
    result = evaluate(out, data / samples, model, folder / "evaluation.json")
    drop = percent(result, "other_top1") - percent(result, "top1")
    agree = percent(result, "agree")
    check(f"{title}: top-1 {percent(result, 'top1'):.2f} %, {drop:.2f} lost, at most {most_drop}", drop <= most_drop + 1e-9)
    check(f"{title}: the same class {agree:.2f} %, at least {least_agree}", agree >= least_agree)


def twins(folder, name, samples, count):
    """The same network of ONNX, channels first, and of TFLite, channels last: the same programs, the same outputs."""
    texts = []
    for kind in ("onnx", "tflite"):
        out = folder / f"{name}.{kind}.weft"
        run("quantize", models / f"{name}.{kind}", "--data", samples, "--samples", count, "-o", out)
        run("disasm", out, "-o", folder / "programs.asm")
        texts.append((folder / "programs.asm").read_text())
    report = folder / "twins.json"
    run("evaluate", folder / f"{name}.onnx.weft", "--data", samples, "--samples", count, "--array", "calibration", "--against",
        folder / f"{name}.tflite.weft", "--json", report)
    result = json.loads(report.read_text())
    check(f"{name}: the same programs of ONNX and of TFLite", texts[0] == texts[1])
    check(f"{name}: the same outputs for {result['samples']} samples", result["sqnr"] is None and result["agree"] == result["samples"])


def make_rows(path):
    """Samples for the autoencoder, which has no data of its own here."""
    np.savez(path, calibration=(np.random.default_rng(20261122).normal(size=(40, 640)) * 2 - 5).astype(np.float32))
    return path


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    slack = 1 if short else 0  # of fewer samples
    one(folder, "ic_float", "cifar.npz", 20.5, 0.5 + slack, 93, "--calibration", "min-max")
    one(folder, "ic_float", "cifar.npz", 22.5, 0.5 + slack, 94)
    one(folder, "mnist_cntk", "mnist.npz", 20, 0.2 + slack, 92, "--per-tensor")
    if not short:
        one(folder, "ic_float", "cifar.npz", 22.5, 0.5, 94, "--unsigned")
        one(folder, "ic_float", "cifar.npz", 15, 1.5, 92, "--per-tensor")
        one(folder, "mnist_cntk", "mnist.npz", 20, 0.2, 92)
    twins(folder, "ic_float", data / "cifar.npz", 20)
    twins(folder, "ad_float", make_rows(folder / "rows.npz"), 40)
sys.exit(1 if failures else 0)
