#!/usr/bin/env python3
"""Random quantised ONNX operators on Weft against ONNX Runtime, byte for byte.

usage: onnx_quantized.py WEFT [--models N] [--seed S] [--only OP[,OP]] [--target NAME] [--config NAME] [--save DIR]

Each model is one operator, written with QLinear operators or between DequantizeLinear and QuantizeLinear: int8 and uint8, per tensor and per
channel, scales of any kind, powers of two, tiny and huge, channels without weights. Sums may be 1 apart in 1 of 100,000 elements; all else
must be the same. The same seed makes the same models, one by one. Ends with 1 when there is more, and saves such models under DIR.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

F = np.float32
SUMS_APART = 1e-5


class Case:
    """A model that is being made."""

    def __init__(self, random):
        self.random = random
        self.nodes, self.constants, self.inputs, self.arrays = [], [], [], []
        self.pairs = bool(random.integers(2))
        self.unsigned = bool(random.integers(2))
        self.dtype = np.uint8 if self.unsigned else np.int8
        self.low = 0 if self.unsigned else -128
        self.kind = TensorProto.UINT8 if self.unsigned else TensorProto.INT8
        self.name = ""

    def pick(self, *values):
        return values[int(self.random.integers(len(values)))]

    def integer(self, low, high):
        return int(self.random.integers(low, high + 1))

    def scale(self):
        kind = self.integer(0, 9)
        exponent = self.random.uniform(-3, 0)
        if kind < 3:
            return F(2.0 ** self.integer(-10, 0))
        if kind == 3:
            exponent = self.random.uniform(-8, -5)
        elif kind == 4:
            exponent = self.random.uniform(1, 4)
        return F(10.0**exponent)

    def zero(self):
        return self.pick(self.low, self.low + 128, self.low + self.integer(0, 255))

    def constant(self, array):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, op, inputs, domain="", **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], domain=domain, **attributes))
        return name

    def given(self, shape):
        """An input of bytes."""
        name = f"x{len(self.inputs)}"
        self.inputs.append(helper.make_tensor_value_info(name, self.kind, shape))
        style = self.integer(0, 3)
        low, high = (self.low, self.low + 255) if style else (self.low + 100, self.low + 140)
        self.arrays.append(self.random.integers(low, high + 1, shape).astype(self.dtype))
        return name

    def labelled(self, scale, zero):
        return [self.constant(F(scale)), self.constant(self.dtype(zero))]

    def dequantize(self, value, parameters, axis=None):
        return self.node("DequantizeLinear", [value, *parameters], **({} if axis is None else {"axis": axis}))

    def model(self, result):
        self.nodes[-1].output[0] = "y"
        graph = helper.make_graph(self.nodes, "main", self.inputs, [helper.make_tensor_value_info("y", self.kind, None)], self.constants)
        opsets = [helper.make_opsetid("", 13), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()


def result_scale(case, sums, least=0.0):
    """A scale for a result of about this size: it fits, or nearly, or not at all. Below `least` ONNX Runtime converts floats that int32 does not
    hold, whose results C does not define, or gives 0 for the probability 1."""
    if case.integer(0, 5) == 0:
        return max(case.scale(), F(least))
    power = case.integer(0, 3) == 0
    scale = max(float(sums), 1e-30) / 128 * case.random.uniform(0.3, 3)
    return max(F(2.0 ** np.round(np.log2(scale))) if power else F(scale), F(least))


def weights_of(case, shape, axis):
    """Weights, their scales and zero points; some channels are dead."""
    kind = np.uint8 if case.unsigned and case.integer(0, 3) == 0 else np.int8
    weights = case.random.integers(0 if kind == np.uint8 else -127, 256 if kind == np.uint8 else 128, shape).astype(kind)
    channels = shape[axis]
    per_channel = case.integer(0, 1) == 1
    scale = np.array([case.scale() for _ in range(channels)], F) if per_channel else case.scale()
    zero = np.zeros(channels if per_channel else (), kind)
    if kind == np.uint8:
        zero = np.full(zero.shape, case.integer(100, 150), kind)
    if case.integer(0, 3) == 0:
        dead = [slice(None)] * len(shape)
        dead[axis] = case.integer(0, channels - 1)
        weights[tuple(dead)] = zero.ravel()[0]
    return weights, scale, zero


def product(case, x, weights, axis, make, qlinear, bias_channels):
    """An operator with weights in either style. make(x, weights, bias) adds the float operator, qlinear(...) the other."""
    values, scale, zero = weights
    x_scale, x_zero = case.scale(), case.zero()
    taps = values.size / values.shape[axis]
    size = float(x_scale) * float(np.max(scale)) * 60 * 60 * np.sqrt(taps)
    to = case.labelled(result_scale(case, size), case.zero())
    bias = case.random.integers(-5000, 5000, bias_channels).astype(np.int32) if bias_channels and case.integer(0, 2) else None
    given = case.labelled(x_scale, x_zero)
    named = [case.constant(values), case.constant(scale), case.constant(zero)]
    if not case.pairs:
        return qlinear([x, *given], named, to, None if bias is None else case.constant(bias))
    sums = (x_scale * np.asarray(scale, F)).astype(F)
    floats = case.dequantize(named[0], named[1:], axis if np.ndim(scale) else None)
    added = None
    if bias is not None:
        zeros = case.constant(np.zeros(sums.shape, np.int32))
        added = case.dequantize(case.constant(bias), [case.constant(sums), zeros], 0 if np.ndim(scale) else None)
    made = make(case.dequantize(x, given), floats, added)
    if int(numpy_helper.to_array(case.constants[int(to[1][1:])])) == case.low and case.integer(0, 1):
        made = case.node("Relu", [made])
    return case.node("QuantizeLinear", [made, *to])


def convolution(case):
    groups = case.pick(1, 1, 1, 2, 4)
    depthwise = case.integer(0, 3) == 0
    channels = case.integer(1, 6) * (1 if depthwise else groups)
    groups = channels if depthwise else groups
    outputs = groups * (case.pick(1, 1, 2) if depthwise else case.integer(1, 6))
    axes = case.pick(1, 2, 2, 2, 2, 3)
    kernel = [case.integer(1, 4 if axes < 3 else 3) for _ in range(axes)]
    dilations = [case.pick(1, 1, 2) for _ in kernel]
    pads = [case.integer(0, k - 1) for k in kernel * 2]
    size = [(k - 1) * d + 1 + case.integer(0, 8 if axes < 3 else 4) for k, d in zip(kernel, dilations)]
    x = case.given((case.pick(1, 1, 1, 2), channels, *size))
    attributes = {"group": groups, "kernel_shape": kernel, "dilations": dilations, "pads": pads,
                  "strides": [case.pick(1, 1, 2, 3) if i == 0 else case.pick(1, 1, 2) for i in range(axes)]}
    weights = weights_of(case, (outputs, channels // groups, *kernel), 0)
    return product(case, x, weights, 0, lambda x, w, b: case.node("Conv", [x, w] + ([b] if b else []), **attributes),
                   lambda x, w, y, b: case.node("QLinearConv", [*x, *w, *y] + ([b] if b else []), **attributes), outputs)


def gemm(case):
    rows, depth, outputs = case.integer(1, 5), case.integer(1, 40), case.integer(1, 20)
    transposed = case.integer(0, 1)
    x = case.given((rows, depth))
    weights = weights_of(case, (outputs, depth) if transposed else (depth, outputs), 0 if transposed else 1)
    return product(case, x, weights, 0 if transposed else 1,
                   lambda x, w, b: case.node("Gemm", [x, w] + ([b] if b else []), transB=transposed),
                   lambda x, w, y, b: case.node("QGemm", [*x, *w, b or "", *y], "com.microsoft", transB=transposed), outputs)


def matmul(case):
    rows, depth, outputs = case.integer(1, 5), case.integer(1, 40), case.integer(1, 20)
    x = case.given((rows, depth))
    weights = weights_of(case, (depth, outputs), 1)
    return product(case, x, weights, 1, lambda x, w, b: case.node("MatMul", [x, w]),
                   lambda x, w, y, b: case.node("QLinearMatMul", [*x, *w, *y]), 0)


def matmul_of_two(case):
    """Of two tensors: no weights are constant."""
    rows, depth, outputs = case.integer(1, 9), case.integer(1, 40), case.integer(1, 20)
    batch = case.pick([], [case.integer(1, 3)], [1, case.integer(1, 3)])
    a, b = case.given((*batch, rows, depth)), case.given((*batch, depth, outputs))
    scales = [case.scale(), case.scale()]
    given = [case.labelled(scale, case.zero()) for scale in scales]
    size = float(scales[0]) * float(scales[1]) * 60 * 60 * np.sqrt(depth)
    to = case.labelled(result_scale(case, size), case.zero())
    if not case.pairs:
        return case.node("QLinearMatMul", [a, *given[0], b, *given[1], *to])
    made = case.node("MatMul", [case.dequantize(a, given[0]), case.dequantize(b, given[1])])
    return case.node("QuantizeLinear", [made, *to])


def binary(case, op):
    shape = [1, case.integer(1, 8), case.integer(1, 6), case.integer(1, 6)]
    other = case.pick(shape, shape, [1, shape[1], 1, 1])
    scales = [case.scale(), case.scale()]
    if case.integer(0, 2):
        scales[1] = F(scales[0] * case.random.uniform(0.3, 3))
    size = sum(map(float, scales)) * 120 if op == "Add" else float(scales[0]) * float(scales[1]) * 120 * 120
    a, b = case.given(shape), case.given(other)
    given = [case.labelled(scale, case.zero()) for scale in scales]
    least = float(scales[0]) * float(scales[1]) / 2**14 if op == "Mul" else sum(map(float, scales)) / 2**20
    to = case.labelled(result_scale(case, size, least), case.zero())
    if not case.pairs:
        return case.node(f"QLinear{op}", [a, *given[0], b, *given[1], *to], "com.microsoft")
    made = case.node(op, [case.dequantize(a, given[0]), case.dequantize(b, given[1])])
    return case.node("QuantizeLinear", [made, *to])


def unary(case, op, shape, size, domain="", qlinear=None, scale=None, same_scale=False, **attributes):
    """An operator of one tensor in either style; qlinear: the other operator's name; same_scale: its result has the operand's."""
    x_scale = scale or case.scale()
    x = case.given(shape)
    given = case.labelled(x_scale, case.zero())
    least = 1 / 256 if op == "Softmax" else float(x_scale) * 1e-6 if op == "AveragePool" else 0
    y_scale = x_scale if same_scale else result_scale(case, size or float(x_scale) * 120, least)
    to = case.labelled(y_scale, case.zero())
    if qlinear and not case.pairs:
        return case.node(qlinear, [x, *given, *to], "com.microsoft", **attributes)
    return case.node("QuantizeLinear", [case.node(op, [case.dequantize(x, given)], **attributes), *to])


def image(case):
    return [1, case.integer(1, 8), case.integer(1, 9), case.integer(1, 9)]


def global_average(case):
    shape = [1, case.integer(1, 60)] + [case.integer(1, 9) for _ in range(case.pick(1, 2, 2, 2, 3))]
    same = bool(case.integer(0, 1))
    if case.pairs:
        return unary(case, "GlobalAveragePool", shape, 0, same_scale=same)
    return unary(case, "GlobalAveragePool", shape, 0, qlinear="QLinearGlobalAveragePool", same_scale=same, channels_last=0)


def average(case):
    shape = image(case)[: case.pick(3, 4, 4, 4)] if case.pairs else image(case)
    kernel = [case.integer(1, size) for size in shape[2:]]
    pads = [case.pick(0, case.integer(0, k - 1)) for k in kernel * 2]
    return unary(case, "AveragePool", shape, 0, qlinear="QLinearAveragePool", same_scale=not case.integer(0, 2), kernel_shape=kernel,
                 pads=pads, strides=[case.integer(1, 3) for _ in kernel], ceil_mode=case.integer(0, 1),
                 count_include_pad=case.integer(0, 1))


def softmax(case):
    shape = [case.integer(1, 6), case.integer(2, 40)]
    scale = F(10 ** case.random.uniform(-3, 0))
    if case.pairs:
        return unary(case, "Softmax", shape, 1, scale=scale, axis=1)
    return unary(case, "Softmax", shape, 1, scale=scale, qlinear="QLinearSoftmax", axis=1, opset=13)


def concat(case):
    shape, count = image(case), case.integer(2, 4)
    axis = case.integer(1, 3)
    parts = []
    same = case.integer(0, 2) == 0
    label = (case.scale(), case.zero())
    for _ in range(count):
        part = list(shape)
        part[axis] = case.integer(1, 5)
        scale, zero = label if same else (F(label[0] * case.random.uniform(0.3, 3)), case.zero())
        parts.append((case.given(part), case.labelled(scale, zero)))
    to = case.labelled(*label) if case.integer(0, 1) else case.labelled(result_scale(case, float(label[0]) * 120), case.zero())
    if not case.pairs:
        return case.node("QLinearConcat", [*to] + [name for x, given in parts for name in (x, *given)], "com.microsoft", axis=axis)
    made = case.node("Concat", [case.dequantize(x, given) for x, given in parts], axis=axis)
    return case.node("QuantizeLinear", [made, *to])


def maximum(case):
    shape = image(case)
    kernel = [case.integer(1, shape[2]), case.integer(1, shape[3])]
    pads = [case.pick(0, case.integer(0, k - 1)) for k in kernel * 2]
    return unary(case, "MaxPool", shape, 0, kernel_shape=kernel, pads=pads, strides=[case.integer(1, 3), case.integer(1, 3)])


def moved(case):
    return unary(case, "Transpose", image(case), 0, perm=[int(i) for i in case.random.permutation(4)])


OPERATORS = {
    "Conv": (convolution, 8), "Gemm": (gemm, 3), "MatMul": (matmul, 3),
    "MatMul of two": (matmul_of_two, 2), "Add": (lambda case: binary(case, "Add"), 3),
    "Mul": (lambda case: binary(case, "Mul"), 2), "GlobalAveragePool": (global_average, 2), "AveragePool": (average, 2),
    "Softmax": (softmax, 1), "Concat": (concat, 1), "MaxPool": (maximum, 1), "Transpose": (moved, 1),
    "Sigmoid": (lambda case: unary(case, "Sigmoid", image(case), 1, qlinear="QLinearSigmoid"), 1),
    "LeakyRelu": (lambda case: unary(case, "LeakyRelu", image(case), 0, qlinear="QLinearLeakyRelu", alpha=float(F(case.random.uniform(0, 0.5)))), 1),
    "Relu": (lambda case: unary(case, "Relu", image(case), 0), 1),
}


def make(seed, number, only):
    random = np.random.default_rng([seed, number])
    names = [name for name, (_, share) in OPERATORS.items() for _ in range(share) if not only or name in only]
    case = Case(random)
    name = names[int(random.integers(len(names)))]
    case.name = f"{number}: {name} {'pairs' if case.pairs else 'QLinear'} {'uint8' if case.unsigned else 'int8'}"
    result = OPERATORS[name][0](case)
    return name, case, case.model(result)


def oracle(model, arrays):
    """ONNX Runtime's result, or the reason why it has none."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        return session.run(None, {f"x{i}": array for i, array in enumerate(arrays)})[0]
    except Exception as error:  # whatever it does not take
        return str(error).splitlines()[0]


def weft_result(arguments, model, arrays, folder):
    (folder / "model.onnx").write_bytes(model)
    command = [arguments.weft, "run", str(folder / "model.onnx"), "--output", str(folder / "y.npy")]
    command += ["--target", arguments.target, "--config", arguments.config]
    for i, array in enumerate(arrays):
        np.save(folder / f"x{i}.npy", array)
        command += ["--input", str(folder / f"x{i}.npy")]
    done = subprocess.run(command, capture_output=True, text=True)
    return np.load(folder / "y.npy") if done.returncode == 0 else f"status {done.returncode}: {done.stderr.strip()}"


def compare(arguments, number):
    """(operator, what is known of the case, elements, elements apart, the largest difference or what failed)."""
    name, case, model = make(arguments.seed, number, arguments.only)
    wanted = oracle(model, case.arrays)
    if isinstance(wanted, str):
        return name, case.name, 0, 0, f"rejected: {wanted}"
    with tempfile.TemporaryDirectory() as folder:
        made = weft_result(arguments, model, case.arrays, pathlib.Path(folder))
    if isinstance(made, str) or made.shape != wanted.shape or made.dtype != wanted.dtype:
        result = name, case.name, wanted.size, wanted.size, made if isinstance(made, str) else f"{made.dtype}{made.shape}"
    else:
        apart = np.abs(made.astype(int) - wanted)
        result = name, case.name, wanted.size, int(np.count_nonzero(apart)), int(apart.max(initial=0))
    if result[3] and (name != "Add" or result[4] != 1) and arguments.save:
        folder = pathlib.Path(arguments.save) / str(number)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "model.onnx").write_bytes(model)
        np.save(folder / "y.npy", wanted)
        for i, array in enumerate(case.arrays):
            np.save(folder / f"x{i}.npy", array)
    return result


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("weft")
    parser.add_argument("--models", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--only", type=lambda text: text.split(","))
    parser.add_argument("--target", default="func")
    parser.add_argument("--config", default="ref16")
    parser.add_argument("--save")
    arguments = parser.parse_args()
    models, elements, apart, rejected = (collections.Counter() for _ in range(4))
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, what, size, different, most in pool.map(lambda number: compare(arguments, number), range(arguments.models)):
            if isinstance(most, str) and most.startswith("rejected"):
                rejected[name] += 1
                continue
            models[name] += 1
            elements[name] += size
            apart[name] += different
            if different and (name != "Add" or most != 1):
                bad += 1
                print(f"FAIL {what}: {different} of {size} elements, {most}", flush=True)
    for name in models:
        print(f"{name}: {models[name]} models, {elements[name]} elements, {apart[name]} apart, ONNX Runtime rejected {rejected[name]}")
    share = apart["Add"] / max(elements["Add"], 1)
    print(f"seed {arguments.seed}: {sum(models.values())} models, {bad} outside; sums: {share:.1e} of the elements 1 apart")
    return 1 if bad or share > SUMS_APART or not models else 0


if __name__ == "__main__":
    sys.exit(main())
