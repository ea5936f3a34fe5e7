#!/usr/bin/env python3
"""One network in every style in which quantised networks arrive: all become the same programs and the same constants, byte for byte.

usage: run_styles.py WEFT ANY        needs the package onnx; 77: it is not there
Styles: ONNX with QLinear operators; with QuantizeLinear and DequantizeLinear around float operators; the same as PyTorch exports it (weights in
Constant nodes, casts between Q and DQ, zero points from ConstantOfShape, explicit Relu); with float biases; with channels last between
transposes; graphs as text with channels last, of integers as TFLite has them, and of float weights that are quantised, sums that are
requantised to int32, clipped and cast.
"""
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import numpy as np

try:
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError:
    print("skipped: no package onnx (scripts/setup python)")
    sys.exit(77)

weft = sys.argv[1]
SIZE, CHANNELS, DEPTH, CLASSES = 8, 3, 16, 10


class Network:
    """conv 3x3, ReLU; conv 1x1; sum of both; mean of the image; dense. Scales are numbers of float32."""

    def __init__(self, unsigned, per_channel, seed):
        random = np.random.default_rng(seed)
        self.dtype = np.uint8 if unsigned else np.int8
        self.low = 0 if unsigned else -128

        def quantization(least, zero):
            return np.float32(least * random.uniform(1, 2)), int(zero)

        self.scales = {
            "x": quantization(0.02, self.low + 120),
            "a": quantization(0.03, self.low),
            "b": quantization(0.05, self.low + 100),
            "s": quantization(0.06, self.low + 90),
            "m": quantization(0.01, self.low + 80),
            "y": quantization(0.02, self.low + 128),
        }
        self.layers = {}
        for name, operand, shape in (("1", "x", (DEPTH, CHANNELS, 3, 3)), ("2", "a", (DEPTH, DEPTH, 1, 1)), ("3", "m", (CLASSES, DEPTH))):
            count = shape[0] if per_channel else 1
            scale = random.uniform(0.002, 0.01, count).astype(np.float32)
            weights = random.integers(-127, 128, shape).astype(np.int8)
            sums = np.float32(self.scales[operand][0]) * scale
            bias = random.integers(-2000, 2000, shape[0]).astype(np.int32)
            self.layers[name] = (weights, scale, bias, sums.astype(np.float32))


# ---- ONNX ----


class Writer:
    def __init__(self, network):
        self.network, self.nodes, self.constants = network, [], []
        self.kind = TensorProto.UINT8 if network.dtype == np.uint8 else TensorProto.INT8

    def constant(self, name, array):
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, op, inputs, output, domain="", **attributes):
        self.nodes.append(helper.make_node(op, inputs, [output], domain=domain, **attributes))
        return output

    def scale(self, name):
        """Names of the scale and the zero point of a tensor."""
        scale, zero = self.network.scales[name]
        if not any(constant.name == f"{name}_s" for constant in self.constants):
            self.constant(f"{name}_s", np.float32(scale))
            self.constant(f"{name}_z", self.network.dtype(zero))
        return [f"{name}_s", f"{name}_z"]

    def quantize(self, value, name):
        return self.node("QuantizeLinear", [value, *self.scale(name)], f"{name}_q")

    def dequantize(self, name):
        return self.node("DequantizeLinear", [f"{name}_q", *self.scale(name)], f"{name}_f{len(self.nodes)}")

    def weights(self, layer):
        weights, scale, _, _ = self.network.layers[layer]
        scale = scale if len(scale) > 1 else scale[0]
        return [self.constant(f"w{layer}", weights), self.constant(f"w{layer}_s", scale),
                self.constant(f"w{layer}_z", np.zeros(np.shape(scale), np.int8))]

    def save(self, path, shape=(1, CHANNELS, SIZE, SIZE)):
        graph = helper.make_graph(self.nodes, "main", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, (1, CLASSES))], self.constants)
        opsets = [helper.make_opsetid("", 13), helper.make_opsetid("com.microsoft", 1)]
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)


PADS = {"1": [1, 1, 1, 1], "2": [0, 0, 0, 0]}


def write_operators(network, path):
    w = Writer(network)
    w.quantize("x", "x")
    for layer, operand, result in (("1", "x", "a"), ("2", "a", "b")):
        bias = w.constant(f"b{layer}", network.layers[layer][2])
        w.node("QLinearConv", [f"{operand}_q", *w.scale(operand), *w.weights(layer), *w.scale(result), bias], f"{result}_q", pads=PADS[layer])
    w.node("QLinearAdd", ["a_q", *w.scale("a"), "b_q", *w.scale("b"), *w.scale("s")], "s_q", "com.microsoft")
    w.node("QLinearGlobalAveragePool", ["s_q", *w.scale("s"), *w.scale("m")], "m_q", "com.microsoft", channels_last=0)
    w.node("Flatten", ["m_q"], "f_q")
    bias = w.constant("b3", network.layers["3"][2])
    w.node("QGemm", ["f_q", *w.scale("m"), *w.weights("3"), bias, *w.scale("y")], "y_q", "com.microsoft", transB=1)
    w.node("DequantizeLinear", ["y_q", *w.scale("y")], "y")
    w.save(path)


def weights_of(w, layer, style):
    """Floats of the weights and the bias, as a style has them."""
    weights, scale, bias, sums = w.network.layers[layer]
    names = w.weights(layer)
    if style == "torch":
        for name in names:
            w.nodes.append(helper.make_node("Constant", [], [name], value=w.constants.pop(-3 + names.index(name))))
    floats = w.node("DequantizeLinear", names, f"w{layer}_f", axis=0)
    if style == "float bias":
        return floats, w.constant(f"b{layer}", bias.astype(np.float32) * sums)
    scales = w.constant(f"b{layer}_s", sums if len(scale) > 1 else sums[0])
    zeros = f"b{layer}_z"
    if style == "torch":
        dims = w.constant(f"b{layer}_n", np.array([len(scale)] if len(scale) > 1 else [], np.int64))
        w.node("ConstantOfShape", [dims], f"b{layer}_0", value=numpy_helper.from_array(np.zeros(1, np.int64)))
        w.node("Cast", [f"b{layer}_0"], zeros, to=TensorProto.INT32)
    else:
        w.constant(zeros, np.zeros(np.shape(sums if len(scale) > 1 else sums[0]), np.int32))
    return floats, w.node("DequantizeLinear", [w.constant(f"b{layer}", bias), scales, zeros], f"b{layer}_f", axis=0)


def operand_of(w, name, style):
    if style == "torch":
        w.node("Cast", [f"{name}_q"], f"{name}_c{len(w.nodes)}", to=w.kind)
        return w.node("DequantizeLinear", [f"{name}_c{len(w.nodes) - 1}", *w.scale(name)], f"{name}_f{len(w.nodes)}")
    return w.dequantize(name)


def write_pairs(network, path, style):
    w = Writer(network)
    last = style == "channels last"
    w.quantize("x", "x")
    for layer, operand, result in (("1", "x", "a"), ("2", "a", "b")):
        given = operand_of(w, operand, style)
        if last:
            given = w.node("Transpose", [given], f"t{layer}", perm=[0, 3, 1, 2])
        made = w.node("Conv", [given, *weights_of(w, layer, style)], f"c{layer}", pads=PADS[layer])
        if style == "torch" and layer == "1":
            made = w.node("Relu", [made], "r1")
        if last:
            made = w.node("Transpose", [made], f"u{layer}", perm=[0, 2, 3, 1])
        w.quantize(made, result)
    w.quantize(w.node("Add", [operand_of(w, "a", style), operand_of(w, "b", style)], "s"), "s")
    given = operand_of(w, "s", style)
    if last:
        given = w.node("Transpose", [given], "t", perm=[0, 3, 1, 2])
    w.quantize(w.node("GlobalAveragePool", [given], "m"), "m")
    given = w.node("Flatten", [operand_of(w, "m", style)], "f")
    w.quantize(w.node("Gemm", [given, *weights_of(w, "3", style)], "g", transB=1), "y")
    w.node("DequantizeLinear", ["y_q", *w.scale("y")], "y")
    w.save(path, (1, SIZE, SIZE, CHANNELS) if last else (1, CHANNELS, SIZE, SIZE))


# ---- text ----


def braces(axis, scales):
    scales = [f"{float(scale)!r}, 0" for scale in scales]
    return "{" + (f"axis={axis}; " if len(scales) > 1 else "") + "; ".join(scales) + "}"


def write_text(network, path, floats):
    """With channels last, of integers; or with weights and biases of floats, and sums that go to int32 first."""
    kind = "u8" if network.dtype == np.uint8 else "i8"
    lines = []

    def quantized(name):
        return kind + "{" + f"{float(network.scales[name][0])!r}, {network.scales[name][1]}" + "}"

    def numbers(array):
        return "[" + ", ".join(repr(float(x)) if floats else str(x) for x in np.ravel(array)) + "]"

    def constant(name, array, element, shape, scales, real):
        if floats:
            lines.append(f"%{name}f = constant() data={numbers(real)} : {shape}f32")
            lines.append(f"%{name} = qnn.quantize(%{name}f) : {shape}{element}{braces(0, scales)}")
        else:
            lines.append(f"%{name} = constant() data={numbers(array)} : {shape}{element}{braces(0, scales)}")

    def product(layer, operand, result, given, op, shape, attributes):
        weights, scale, bias, sums = network.layers[layer]
        weights = weights.transpose(0, 2, 3, 1) if weights.ndim == 4 else weights
        exact = np.float64(network.scales[operand][0]) * scale.astype(np.float64)
        exact = exact.astype(np.float32) if kind == "u8" else exact
        real = weights * scale.reshape([-1] + [1] * (weights.ndim - 1))
        constant(f"w{layer}", weights, "i8", "".join(f"{n}x" for n in weights.shape), scale, real)
        constant(f"b{layer}", bias, "i32", f"{len(bias)}x", sums, bias.astype(np.float32) * sums)
        summed = f"{shape}i32{braces(shape.count('x') - 1, exact)}"
        lines.append(f"%c{layer} = {op}({given}, %w{layer}){attributes} : {summed}")
        lines.append(f"%d{layer} = bias_add(%c{layer}, %b{layer}) : {summed}")
        if floats:
            wide = shape + "i32" + quantized(result)[2:]
            lines.append(f"%e{layer} = qnn.requantize(%d{layer}) rounding=\"float\" : {wide}")
            lines.append(f"%f{layer} = clip(%e{layer}) min={network.low} max={network.low + 255} : {wide}")
            lines.append(f"%{result} = cast(%f{layer}) : {shape}{quantized(result)}")
        else:
            lines.append(f"%{result} = qnn.requantize(%d{layer}) rounding=\"float\" : {shape}{quantized(result)}")

    image = f"1x{SIZE}x{SIZE}x"
    window = " strides=[1, 1] padding=[{0}, {0}, {0}, {0}] dilation=[1, 1] groups=1"
    lines.append(f"%q = qnn.quantize(%x) rounding=\"even\" : {image}{CHANNELS}x{quantized('x')}")
    product("1", "x", "a", "%q", "qnn.conv2d", f"{image}{DEPTH}x", window.format(1))
    product("2", "a", "b", "%a", "qnn.conv2d", f"{image}{DEPTH}x", window.format(0))
    lines.append(f"%s = qnn.add(%a, %b) : {image}{DEPTH}x{quantized('s')}")
    lines.append(f"%t = qnn.dequantize(%s) : {image}{DEPTH}xf32")
    lines.append(f"%u = mean(%t) axes=[1, 2] keep_dims=0 : 1x{DEPTH}xf32")
    lines.append(f"%m = qnn.quantize(%u) rounding=\"even\" : 1x{DEPTH}x{quantized('m')}")
    product("3", "m", "z", "%m", "qnn.dense", f"1x{CLASSES}x", "")
    lines.append(f"%y = qnn.dequantize(%z) : 1x{CLASSES}xf32")
    body = "\n".join("  " + line for line in lines)
    path.write_text(f"graph main(%x: {image}{CHANNELS}xf32) {{\n{body}\n  return %y\n}}\n")


# ---- comparing ----


def sections(path):
    """The sections of a .weft file: compiler/container.h."""
    data = path.read_bytes()
    count = struct.unpack_from("<I", data, 12)[0]
    found = {}
    for i in range(count):
        tag, _, offset, stored, _ = struct.unpack_from("<4sIQQQ", data, 24 + 32 * i)
        found[tag.decode()] = zlib.decompress(data[offset:offset + stored])
    return found


def run(*arguments):
    done = subprocess.run([weft, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{weft} {' '.join(map(str, arguments))}: {done.stderr}")


def compare(network, what, folder):
    """Writes, compiles and runs every style; true when all are alike."""
    network.scales["z"] = network.scales["y"]
    styles = {"operators": "onnx", "pairs": "onnx", "torch": "onnx", "float bias": "onnx", "channels last": "onnx",
              "integers": "ir", "floats": "ir"}
    given = np.random.default_rng(5).normal(0, 2, (1, CHANNELS, SIZE, SIZE)).astype(np.float32)
    first = None
    good = True
    for style, kind in styles.items():
        model = folder / f"{style.replace(' ', '_')}.{kind}"
        if kind == "ir":
            write_text(network, model, style == "floats")
        elif style == "operators":
            write_operators(network, model)
        else:
            write_pairs(network, model, style)
        last = kind == "ir" or style == "channels last"
        np.save(folder / "x.npy", np.ascontiguousarray(given.transpose(0, 2, 3, 1)) if last else given)
        compiled = model.with_suffix(".weft")
        run("compile", model, "-o", compiled)
        run("run", compiled, "--target", "func", "--input", folder / "x.npy", "--output", folder / "y.npy")
        run("run", model, "--target", "host", "--input", folder / "x.npy", "--output", folder / "host.npy")
        found = sections(compiled)
        made = (found["PROG"], found["CNST"], np.load(folder / "y.npy").tobytes())
        first = first or made
        others = [part for part, a, b in zip(("programs", "constants", "outputs"), made, first) if a != b]
        others += [] if np.array_equal(np.load(folder / "y.npy"), np.load(folder / "host.npy")) else ["outputs of the host"]
        print(f"{what}, {style}: {len(made[0])} bytes of programs, {len(made[1])} of constants"
              + (f"; others: {', '.join(others)}" if others else ""), flush=True)
        good = good and not others
    return good


def main():
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for unsigned in (False, True):
            for per_channel in (True, False):
                what = f"{'uint8' if unsigned else 'int8'} per {'channel' if per_channel else 'tensor'}"
                network = Network(unsigned, per_channel, 7 + 2 * unsigned + per_channel)
                good = compare(network, what, Path(folder)) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
