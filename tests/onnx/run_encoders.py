#!/usr/bin/env python3
"""Encoders (attention) and blocks of newer networks, of floats as exporters write them, quantised: all between the ends runs on the machine.

usage: run_encoders.py WEFT ANY        needs the package onnx; 77: it is not there
Styles: queries, keys and values as three products or as one that is taken apart (timm); the scores divided, or queries and keys scaled
each (PyTorch); normalisation as an operator or written out, before the products or behind the sums (BERT), with tokens and a mask. Blocks
of ConvNeXt, MobileNetV3 and EfficientNet (squeeze and excite), MobileViT (patches) and Swin (windows), whose channels come first.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

try:
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError:
    print("skipped: no package onnx (scripts/setup python)")
    sys.exit(77)

weft = sys.argv[1]
SAMPLES, TOKENS, WIDTH, HEADS, HIDDEN, LAYERS, WORDS = 16, 65, 64, 4, 128, 2, 200
DEPTH = WIDTH // HEADS
failures = []


def check(what, good):
    print(f"{'ok  ' if good else 'BAD '} {what}", flush=True)
    if not good:
        failures.append(what)


class Encoder:
    """A model of one style, node by node."""

    def __init__(self, style):
        self.style, self.random = style, np.random.default_rng(1)
        self.nodes, self.constants, self.inputs, self.samples = [], [], [], {}

    def constant(self, value):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def ints(self, *values):
        return self.constant(np.array(values, np.int64))

    def normal(self, *shape, scale=1.0):
        return self.constant((self.random.standard_normal(shape) * scale).astype(np.float32))

    def node(self, op, inputs, results=1, **attributes):
        names = [f"n{len(self.nodes)}_{i}" for i in range(results)]
        self.nodes.append(helper.make_node(op, inputs, names, **attributes))
        return names if results > 1 else names[0]

    def number(self, op, x, value):
        return self.node(op, [x, self.constant(np.float32(value))])

    def linear(self, x, inputs, outputs):
        product = self.node("MatMul", [x, self.normal(inputs, outputs, scale=inputs**-0.5)])
        return self.node("Add", [self.normal(outputs, scale=0.1), product])

    def norm(self, x):
        gain = self.constant((1 + 0.3 * self.random.standard_normal(WIDTH)).astype(np.float32))
        offset = self.normal(WIDTH, scale=0.1)
        if self.style != "bert":
            return self.node("LayerNormalization", [x, gain, offset], axis=-1, epsilon=1e-5)
        difference = self.node("Sub", [x, self.node("ReduceMean", [x], axes=[-1])])
        variance = self.node("ReduceMean", [self.number("Pow", difference, 2)], axes=[-1])
        root = self.node("Sqrt", [self.number("Add", variance, 1e-12)])
        return self.node("Add", [self.node("Mul", [self.node("Div", [difference, root]), gain]), offset])

    def gelu(self, x):
        gate = self.number("Add", self.node("Erf", [self.number("Div", x, 2**0.5)]), 1)
        return self.number("Mul", self.node("Mul", [x, gate]), 0.5)

    def head(self, x, order):
        return self.node("Transpose", [self.node("Reshape", [x, self.ints(1, TOKENS, HEADS, DEPTH)])], perm=order)

    def scores(self, x):
        if self.style == "timm":
            parts = self.node("Reshape", [self.linear(x, WIDTH, 3 * WIDTH), self.ints(1, TOKENS, 3, HEADS, DEPTH)])
            parts = self.node("Transpose", [parts], perm=[2, 0, 3, 1, 4])
            parts = self.node("Split", [parts, self.ints(1, 1, 1)], 3, axis=0)
            q, k, v = [self.node("Squeeze", [part, self.ints(0)]) for part in parts]
            q = self.number("Mul", q, DEPTH**-0.5)
            return self.node("MatMul", [q, self.node("Transpose", [k], perm=[0, 1, 3, 2])]), v
        q = self.head(self.linear(x, WIDTH, WIDTH), [0, 2, 1, 3])
        k = self.head(self.linear(x, WIDTH, WIDTH), [0, 2, 3, 1])
        v = self.head(self.linear(x, WIDTH, WIDTH), [0, 2, 1, 3])
        if self.style == "pytorch":
            return self.node("MatMul", [self.number("Mul", q, DEPTH**-0.25), self.number("Mul", k, DEPTH**-0.25)]), v
        return self.number("Div", self.node("MatMul", [q, k]), DEPTH**0.5), v

    def attention(self, x, mask):
        scores, v = self.scores(x)
        if mask:
            scores = self.node("Add", [scores, mask])
        mixed = self.node("Transpose", [self.node("MatMul", [self.node("Softmax", [scores], axis=-1), v])], perm=[0, 2, 1, 3])
        return self.linear(self.node("Reshape", [mixed, self.ints(1, TOKENS, WIDTH)]), WIDTH, WIDTH)

    def words(self):
        self.inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, [1, TOKENS]) for name in ("ids", "mask")]
        self.samples = {"ids": self.random.integers(0, WORDS, (SAMPLES, 1, TOKENS)), "mask": np.ones((SAMPLES, 1, TOKENS), np.int64)}
        x = self.node("Add", [self.node("Gather", [self.normal(WORDS, WIDTH), "ids"]), self.normal(1, TOKENS, WIDTH, scale=0.3)])
        mask = self.node("Cast", [self.node("Unsqueeze", ["mask", self.ints(1, 2)])], to=TensorProto.FLOAT)
        return self.norm(x), self.number("Mul", self.node("Sub", [self.constant(np.float32(1)), mask]), -10000)

    def patches(self):
        side = 4 * int(TOKENS**0.5)
        self.inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, side, side])]
        self.samples = {"x": self.random.standard_normal((SAMPLES, 3, side, side)).astype(np.float32)}
        x = self.node("Conv", ["x", self.normal(WIDTH, 3, 4, 4, scale=0.15), self.normal(WIDTH, scale=0.1)], strides=[4, 4])
        x = self.node("Transpose", [self.node("Reshape", [x, self.ints(1, WIDTH, TOKENS - 1)])], perm=[0, 2, 1])
        x = self.node("Concat", [self.normal(1, 1, WIDTH), x], axis=1)
        return self.node("Add", [x, self.normal(1, TOKENS, WIDTH, scale=0.3)]), None

    def write(self, path):
        x, mask = self.words() if self.style == "bert" else self.patches()
        for _ in range(LAYERS):
            if self.style == "bert":
                x = self.norm(self.node("Add", [self.attention(x, mask), x]))
                x = self.norm(self.node("Add", [self.linear(self.gelu(self.linear(x, WIDTH, HIDDEN)), HIDDEN, WIDTH), x]))
            else:
                x = self.node("Add", [x, self.attention(self.norm(x), mask)])
                x = self.node("Add", [x, self.linear(self.gelu(self.linear(self.norm(x), WIDTH, HIDDEN)), HIDDEN, WIDTH)])
        x = x if self.style == "bert" else self.norm(x)
        x = self.node("Gather", [x, self.constant(np.int64(0))], axis=1)
        self.nodes.append(helper.make_node("Gemm", [x, self.normal(WIDTH, 10, scale=0.1), self.normal(10)], ["y"]))
        self.save(path)

    def save(self, path):
        outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 10])]
        graph = helper.make_graph(self.nodes, self.style, self.inputs, outputs, self.constants)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path / f"{self.style}.onnx")
        np.savez(path / f"{self.style}.npz", **self.samples)


PIXELS, CHANNELS = 16, 32


class Block(Encoder):
    """Blocks of a network behind a first convolution, and a classifier."""

    def convolution(self, x, inputs, outputs, size=1, stride=1, groups=1):
        weights = self.normal(outputs, inputs // groups, size, size, scale=(inputs // groups * size * size) ** -0.5)
        return self.node("Conv", [x, weights, self.normal(outputs, scale=0.1)], strides=[stride, stride], pads=[size // 2] * 4, group=groups)

    def turn(self, x, order, shape=None):
        x = self.node("Transpose", [x], perm=order)
        return x if shape is None else self.node("Reshape", [x, self.ints(*shape)])

    def gated(self, x, function):
        return self.node("Mul", [x, self.node(function, [x])])

    def channel_norm(self, x, channels):
        return self.node("LayerNormalization", [x, self.normal(channels), self.normal(channels, scale=0.1)], axis=-1, epsilon=1e-6)

    def convnext(self, x):
        y = self.turn(self.convolution(x, CHANNELS, CHANNELS, 7, 1, CHANNELS), [0, 2, 3, 1])
        y = self.gelu(self.linear(self.channel_norm(y, CHANNELS), CHANNELS, 4 * CHANNELS))
        y = self.node("Mul", [self.normal(CHANNELS, scale=0.3), self.linear(y, 4 * CHANNELS, CHANNELS)])
        return self.node("Add", [x, self.turn(y, [0, 3, 1, 2])])

    def excite(self, x, function, gate):
        y = function(self.convolution(x, CHANNELS, 64))
        y = function(self.convolution(y, 64, 64, 3, 1, 64))
        shares = function(self.convolution(self.node("GlobalAveragePool", [y]), 64, 16))
        y = self.node("Mul", [y, self.node(gate, [self.convolution(shares, 16, 64)])])
        return self.node("Add", [x, self.convolution(y, 64, CHANNELS)])

    def mobilenet(self, x):
        return self.excite(x, lambda y: self.node("HardSwish", [y]), "HardSigmoid")

    def efficientnet(self, x):
        return self.excite(x, lambda y: self.gated(y, "Sigmoid"), "Sigmoid")

    def mobilevit(self, x):
        width, rows = CHANNELS * PIXELS // 2, PIXELS // 2
        y = self.node("Reshape", [self.convolution(x, CHANNELS, CHANNELS, 3), self.ints(width, 2, rows, 2)])
        y = self.turn(y, [0, 2, 1, 3], (1, CHANNELS, rows * rows, 4))
        y = self.turn(y, [0, 3, 2, 1], (4, rows * rows, CHANNELS))
        y = self.node("Add", [y, self.linear(self.channel_norm(y, CHANNELS), CHANNELS, CHANNELS)])
        y = self.turn(self.node("Reshape", [y, self.ints(1, 4, rows * rows, CHANNELS)]), [0, 3, 2, 1], (width, rows, 2, 2))
        y = self.turn(y, [0, 2, 1, 3], (1, CHANNELS, PIXELS, PIXELS))
        return self.convolution(self.node("Concat", [x, y], axis=1), 2 * CHANNELS, CHANNELS, 3)

    def swin(self, x):
        side, heads = PIXELS // 4, 2
        x = self.turn(x, [0, 2, 3, 1])
        y = self.node("Reshape", [self.channel_norm(x, CHANNELS), self.ints(1, side, 4, side, 4, CHANNELS)])
        y = self.turn(y, [0, 1, 3, 2, 4, 5], (side * side, 16, CHANNELS))
        y = self.node("Reshape", [self.linear(y, CHANNELS, 3 * CHANNELS), self.ints(side * side, 16, 3, heads, CHANNELS // heads)])
        parts = self.turn(y, [2, 0, 3, 1, 4])
        q, k, v = [self.node("Gather", [parts, self.constant(np.int64(i))], axis=0) for i in range(3)]
        scores = self.node("MatMul", [self.number("Mul", q, 0.25), self.turn(k, [0, 1, 3, 2])])
        scores = self.node("Add", [scores, self.normal(1, heads, 16, 16, scale=0.5)])
        y = self.node("MatMul", [self.node("Softmax", [scores], axis=-1), v])
        y = self.linear(self.turn(y, [0, 2, 1, 3], (side * side, 16, CHANNELS)), CHANNELS, CHANNELS)
        y = self.node("Reshape", [y, self.ints(1, side, side, 4, 4, CHANNELS)])
        y = self.turn(y, [0, 1, 3, 2, 4, 5], (1, PIXELS, PIXELS, CHANNELS))
        return self.turn(self.node("Add", [x, y]), [0, 3, 1, 2])

    def write(self, path):
        self.inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 2 * PIXELS, 2 * PIXELS])]
        self.samples = {"x": self.random.standard_normal((SAMPLES, 3, 2 * PIXELS, 2 * PIXELS)).astype(np.float32)}
        x = self.convolution("x", 3, CHANNELS, 3, 2)
        for _ in range(LAYERS):
            x = getattr(self, self.style)(x)
        x = self.node("Flatten", [self.node("GlobalAveragePool", [x])])
        self.nodes.append(helper.make_node("Gemm", [x, self.normal(CHANNELS, 10, scale=0.2), self.normal(10, scale=0.1)], ["y"]))
        self.save(path)


def run(*arguments):
    subprocess.run([weft, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def try_style(style, folder, least_sqnr, most_cycles, *options):
    encoder = (Block if hasattr(Block, style) else Encoder)(style)
    encoder.write(folder)
    title = f"{style} {' '.join(options)}".strip()
    program, figures = folder / f"{style}.weft", folder / "figures.json"
    run("quantize", folder / f"{style}.onnx", "--data", folder / f"{style}.npz", "-o", program, "--json", figures, *options)
    sqnr = json.loads(figures.read_text())["outputs"]["sqnr"]
    check(f"{title}: {sqnr:.2f} dB, at least {least_sqnr}", sqnr >= least_sqnr)
    run("run", program, "--timing-only", "--json", figures)
    stats = json.loads(figures.read_text())
    check(f"{title}: {stats['cycles']} cycles on ref16, at most {most_cycles}", stats["cycles"] <= most_cycles)
    host = [layer for layer in stats["layers"] if layer["unit"] == "host"]
    check(f"{title}: {sum(layer['macs'] for layer in host)} multiplications on the host", not any(layer["macs"] for layer in host))
    # What comes of words in floats is the host's until the first product, and the order of a picture's channels; nothing else is.
    moves = {"qnn.quantize", "qnn.dequantize"}
    first = next(layer["number"] for layer in stats["layers"] if layer["macs"])
    late = [layer["op"] for layer in host if layer["number"] > first and layer["op"] not in moves]
    check(f"{title}: on the host behind the first product: {late}", not late)
    if style == "bert":  # calibrated without a masked word
        ends = np.random.default_rng(2).integers(5, TOKENS, SAMPLES)
        mask = np.arange(TOKENS) < ends[:, None, None]
        np.savez(folder / "padded.npz", ids=encoder.samples["ids"], mask=mask.astype(np.int64))
        run("evaluate", program, "--data", folder / "padded.npz", "--against", folder / f"{style}.onnx", "--json", figures)
        sqnr = json.loads(figures.read_text())["sqnr"]
        check(f"{title}: {sqnr:.2f} dB with masked words, at least {least_sqnr}", sqnr >= least_sqnr)
    given = []
    for name, samples in encoder.samples.items():
        np.save(folder / f"{name}.npy", samples[0] if style == "bert" else samples[:1])
        given += ["--input", folder / f"{name}.npy"]
    for target in ("func", "cycle"):
        run("run", program, "--target", target, *given, "--output", folder / f"{target}.npy")
    check(f"{title}: the simulators agree", (folder / "func.npy").read_bytes() == (folder / "cycle.npy").read_bytes())


with tempfile.TemporaryDirectory() as name:
    for style, sqnr, cycles in (("vit", 33, 63900), ("timm", 32.5, 63900), ("pytorch", 33, 63900), ("bert", 25, 71300)):
        try_style(style, pathlib.Path(name), sqnr, cycles)
    try_style("vit", pathlib.Path(name), 33, 65200, "--unsigned")
    for style, sqnr, cycles in (("convnext", 37, 89900), ("mobilenet", 38, 28800), ("efficientnet", 38, 30200), ("mobilevit", 38, 116700),
                                ("swin", 33.5, 130000)):
        try_style(style, pathlib.Path(name), sqnr, cycles)
sys.exit(1 if failures else 0)
