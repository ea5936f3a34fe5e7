#!/usr/bin/env python3
"""Compares weft quantize with ONNX Runtime (ORT): the scales that its calibrators choose on the same data, and what it computes of a
model that weft wrote as ONNX beside what the machine computes of the same one.

usage: run_quantize_ort.py WEFT SHARED
SHARED has models/ and data/. Ends with 1 when something differs by more than it may, with 77 where ORT, or a processor whose integer
products ORT does not saturate (VNNI), is missing.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import onnx
    import onnxruntime as ort
    from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantType, calibrate
    from onnxruntime.quantization.quant_utils import compute_scale_zp, get_qmin_qmax_for_qType
except ImportError as error:
    print(f"skipped: {error} (scripts/setup python)")
    sys.exit(77)

weft, shared = sys.argv[1], pathlib.Path(sys.argv[2])
SAMPLES = 24
RUNS = 4
failures = []


def check(what, good):
    print(f"{'ok  ' if good else 'BAD '} {what}", flush=True)
    if not good:
        failures.append(what)


def quantize(model, data, *options):
    """The report of weft quantize, as JSON."""
    subprocess.run([weft, "quantize", str(model), "--data", str(data), "--samples", str(SAMPLES), "--json", "report.json", *options],
                   check=True, stdout=subprocess.DEVNULL)
    return json.loads(pathlib.Path("report.json").read_text())


class Reader(CalibrationDataReader):
    def __init__(self, name, samples):
        self.items = iter([{name: sample} for sample in samples])

    def get_next(self):
        return next(self.items, None)


def samples_of(model, data, array, count):
    """The first samples of an array in the shape of the model's input, and its name."""
    given = onnx.load(model).graph.input[0]
    shape = [d.dim_value if d.dim_value > 0 else 1 for d in given.type.tensor_type.shape.dim]
    return given.name, [x.astype(np.float32).reshape(shape) for x in np.load(data)[array][:count]]


def ranges_of(model, data, method, **options):
    """What a calibrator of ORT chooses: name -> (low, high)."""
    calibrator = calibrate.create_calibrator(str(model), calibrate_method=method, augmented_model_path="augmented.onnx",
                                             extra_options=options)
    calibrator.collect_data(Reader(*samples_of(model, data, "calibration", SAMPLES)))
    return {name: tensor.range_value for name, tensor in calibrator.compute_data().items()}


def compare_scales(name, model, data, title, limit, method, options, **extra):
    report = quantize(model, data, *options)
    ranges = ranges_of(model, data, method, **extra)
    least, most = get_qmin_qmax_for_qType(QuantType.QInt8.tensor_type, symmetric=False)
    worst, zeros, count = 0.0, 0, 0
    for layer in report["layers"]:
        # What only moves elements has the scale of its operand here.
        if layer["quantized"] and layer["tensor"] in ranges and layer["operator"] not in ("reshape", "max_pool2d", "transpose"):
            low, high = (np.asarray(x, dtype=np.float64).reshape(()) for x in ranges[layer["tensor"]])
            zero, scale = compute_scale_zp(low, high, least, most, symmetric=False)
            worst = max(worst, abs(layer["scale"] / float(scale) - 1))
            halfway = abs((float(low) / float(scale)) % 1 - 0.5) < 1e-4  # rounded either way
            zeros += layer["zero_point"] != int(zero) and not halfway
            count += 1
    check(f"{name} {title}: {count} scales, {worst:.1e} apart at most, limit {limit:g}; {zeros} zero points differ",
          count >= 3 and worst <= limit and (zeros == 0 or limit > 1e-3))


def session_of(path):
    """A session that fuses what is quantised, and the operators of its graph. On x86 ORT turns int8 into uint8 unless it is told that
    int8 is allowed, and cannot where a tensor has several users."""
    options = ort.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    options.optimized_model_filepath = "optimized.onnx"
    options.add_session_config_entry("session.qdqisint8allowed", "1")
    session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return session, [node.op_type for node in onnx.load("optimized.onnx").graph.node]


def compare_runs(name, model, data, limit, *options):
    quantize(model, data, "-o", "model.q.onnx", *options)
    quantize(model, data, "-o", "model.weft", *options)
    session, operators = session_of("model.q.onnx")
    given, samples = samples_of(model, data, "test", RUNS)
    apart = 0.0
    for sample in samples:
        np.save("in.npy", sample)
        wanted = session.run(None, {given: sample})[0]
        subprocess.run([weft, "run", "model.weft", "--target", "func", "--input", "in.npy", "--output", "out.npy"], check=True,
                       stdout=subprocess.DEVNULL)
        apart = max(apart, float(np.abs(np.load("out.npy").reshape(wanted.shape) - wanted).max()))
    title = f"{name} {' '.join(options)}".strip()
    check(f"{title}: {apart:.1e} apart at most in {RUNS} runs, limit {limit:g}", apart <= limit)
    left = [op for op in operators if op in ("Conv", "FusedConv", "Gemm", "MatMul", "Add")]
    kept = sum(word == "--keep-float" for word in options)
    check(f"{title}: {len(left)} products and sums of floats in ONNX Runtime, {kept} asked for", len(left) == kept)


def compare_all():
    ic, cifar = shared / "models/ic_float.onnx", shared / "data/cifar.npz"
    mnist, digits = shared / "models/mnist_cntk.onnx", shared / "data/mnist.npz"
    for name, model, data in (("ic", ic, cifar), ("mnist", mnist, digits)):
        compare_scales(name, model, data, "min-max", 1e-6, CalibrationMethod.MinMax, ["--calibration", "min-max"])
        for percentile in (99.999, 99.9):
            compare_scales(name, model, data, f"percentile {percentile}", 1e-6, CalibrationMethod.Percentile,
                           ["--calibration", "percentile", "--percentile", str(percentile)], percentile=percentile, num_bins=2048)
        compare_scales(name, model, data, "entropy", 1e-2, CalibrationMethod.Entropy, ["--calibration", "entropy"], num_bins=2048,
                       num_quantized_bins=128)
    # ic ends with softmax, whose exponentials are the C library's here and ORT's own there.
    for options in ([], ["--symmetric", "--per-tensor"], ["--power-of-two"], ["--keep-float", "relu_17"]):
        compare_runs("ic", ic, cifar, 1e-6, *options)
    compare_runs("ic", ic, cifar, 1e-3, "--unsigned")  # sums are within 1: a few in 100,000 are 1 apart
    for options in ([], ["--unsigned", "--per-tensor"]):
        compare_runs("mnist", mnist, digits, 0, *options)


def step_model(name):
    """A model of one operator that ONNX Runtime rounds otherwise than the machine, and samples for it."""
    helper, random = onnx.helper, np.random.default_rng(42)
    shapes = {"a": [1, 8, 32], "b": [1, 8, 32] if name in ("Mul", "Sub") else [1, 32, 8]}
    given = {key: random.standard_normal([SAMPLES, *shape]).astype(np.float32) for key, shape in shapes.items()}
    nodes = {
        "Mul": [("Mul", ["a", "b"], "y", {})],
        "Sub": [("Sub", ["a", "b"], "y", {})],
        "ReduceMean": [("MatMul", ["a", "b"], "p", {}), ("ReduceMean", ["p"], "y", {"axes": [2]})],
        "Softmax": [("Softmax", ["a"], "p", {"axis": -1}), ("MatMul", ["p", "b"], "y", {})],
    }[name]
    shape = {"Mul": [1, 8, 32], "Sub": [1, 8, 32], "ReduceMean": [1, 8, 1], "Softmax": [1, 8, 8]}[name]
    ends = [[helper.make_tensor_value_info(key, 1, size) for key, size in of.items()] for of in (shapes, {"y": shape})]
    graph = helper.make_graph([helper.make_node(op, ins, [out], **more) for op, ins, out, more in nodes], name, *ends)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), "step.onnx")
    np.savez("step.npz", **given)
    return given


def compare_steps():
    """What ONNX Runtime computes of a quantised layer in floats, or rounds otherwise, is within one of its steps; the mixture of shares
    of softmax, each within a 256th, within two."""
    for name in ("Mul", "Sub", "ReduceMean", "Softmax"):
        for options in ([], ["--unsigned"]):
            given = step_model(name)
            report = quantize("step.onnx", "step.npz", "-o", "model.q.onnx", *options)
            quantize("step.onnx", "step.npz", "-o", "model.weft", *options)
            step = report["layers"][-1]["scale"]
            session, apart = session_of("model.q.onnx")[0], 0.0
            for i in range(RUNS):
                for key, samples in given.items():
                    np.save(f"{key}.npy", samples[i])
                subprocess.run([weft, "run", "model.weft", "--target", "func", "--input", "a.npy", "--input", "b.npy", "--output", "out.npy"],
                               check=True, stdout=subprocess.DEVNULL)
                wanted = session.run(None, {key: samples[i] for key, samples in given.items()})[0]
                apart = max(apart, float(np.abs(np.load("out.npy") - wanted).max()) / step)
            limit = 2 if name == "Softmax" else 1
            kept = [layer["operator"] for layer in report["layers"] if not layer["quantized"]]
            check(f"{name} {' '.join(options)}: {apart:.2f} steps apart at most in {RUNS} runs, limit {limit}; in floats: {kept}",
                  apart <= limit + 1e-3 and not kept)


if "vnni" not in pathlib.Path("/proc/cpuinfo").read_text():
    print("skipped: a processor without VNNI, where ONNX Runtime's integer products saturate")
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    weft, shared = os.path.abspath(weft), shared.resolve()
    os.chdir(folder)
    compare_steps()
    compare_all()
sys.exit(1 if failures else 0)
