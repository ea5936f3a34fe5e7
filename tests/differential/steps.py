"""The steps that random graphs are made of: each adds an operator or a few to a graph."""
import numpy as np

from steps_product import (conv, dense, depthwise, float_product, matmul, product_operands,
                           through_int16, transpose_conv, window)


def pool(g):
    x = g.pick()
    n, _, _, c = g.tensor(x).shape
    kh, kw, sh, sw, padding, h, w = window(g, x)
    g.op(g.v.choice(["AVERAGE_POOL_2D", "MAX_POOL_2D"]), [x], [g.same((n, h, w, c), x)],
         "Pool2DOptions", padding=padding, strideW=sw, strideH=sh, filterWidth=kw,
         filterHeight=kh, fusedActivationFunction=g.v.activation())


def arithmetic(g):
    v = g.v
    a = g.pick()
    shape = g.tensor(a).shape
    alike = [x for x in g.live if g.tensor(x).shape == shape]
    kind = v.rng.random()
    if kind < 0.6:
        b = v.choice(alike)
    else:
        other = tuple(1 if v.chance(0.5) else n for n in shape)
        zero = v.zero(g.dtype)
        b = g.model.constant(v.data(g.dtype, other, zero), v.scale(), zero)
    code, table = v.choice([("ADD", "AddOptions"), ("ADD", "AddOptions"), ("SUB", "SubOptions"),
                            ("MUL", "MulOptions"), ("MAXIMUM", "MaximumMinimumOptions"),
                            ("MINIMUM", "MaximumMinimumOptions")])
    sa, sb = g.tensor(a).scale, g.tensor(b).scale
    scale = v.near(sa * sb * 60, 2) if code == "MUL" else v.near(max(sa, sb) * 1.5, 1)
    fields = {} if "Maximum" in table else dict(fusedActivationFunction=g.v.activation())
    g.op(code, [a, b], [g.new(shape, scale)], table, **fields)


def unary(g):
    v = g.v
    x = g.pick()
    t = g.tensor(x)
    half = 128 if g.dtype == "u8" else 0
    code, table, q, fields = v.choice([
        ("RELU", None, None, {}), ("RELU6", None, None, {}), ("RELU_N1_TO_1", None, None, {}),
        ("LEAKY_RELU", "LeakyReluOptions", None, dict(alpha=0.2)),
        ("HARD_SWISH", "HardSwishOptions", None, {}),
        ("LOGISTIC", None, (1 / 256, half - 128), {}), ("TANH", None, (1 / 128, half), {}),
        ("SOFTMAX", "SoftmaxOptions", (1 / 256, half - 128), dict(beta=1.0)),
        ("LOG_SOFTMAX", "LogSoftmaxOptions", (1 / 16, half + 127), {}),
        ("L2_NORMALIZATION", "L2NormOptions", (1 / 128, half), {}),
        ("QUANTIZE", "QuantizeOptions", None, {})])
    scale, zero = q or (v.near(t.scale, 2), v.zero(g.dtype))
    g.op(code, [x], [g.new(t.shape, scale, zero)], table, **fields)


def pad(g):
    x = g.pick()
    t = g.tensor(x)
    pads = np.zeros((4, 2), np.int32)
    pads[1:3] = g.v.rng.integers(0, 3, (2, 2))
    if g.v.chance(0.2):
        pads[3] = g.v.rng.integers(0, 3, 2)
    shape = [n + int(p.sum()) for n, p in zip(t.shape, pads)]
    if g.v.chance(0.7):
        g.op("PAD", [x, g.model.constant(pads)], [g.same(shape, x)], "PadOptions")
    else:
        value = g.model.constant(g.v.data(g.dtype, (1,)), t.scale, t.zero)
        g.op("PADV2", [x, g.model.constant(pads), value], [g.same(shape, x)], "PadV2Options")


def concatenation(g):
    v = g.v
    a = g.pick()
    axis = v.choice([3, 3, 3, 1, 2])
    shape = g.tensor(a).shape
    alike = [x for x in g.live if all(
        i == axis or m == n for i, (m, n) in enumerate(zip(g.tensor(x).shape, shape)))]
    parts = [a] + [v.choice(alike) for _ in range(v.integer(1, 2))]
    if g.dtype == "i8":
        parts = [x for x in parts if (g.tensor(x).scale, g.tensor(x).zero)
                 == (g.tensor(a).scale, g.tensor(a).zero)]
    size = sum(g.tensor(x).shape[axis] for x in parts)
    result = g.same(shape[:axis] + (size,) + shape[axis + 1:], a)
    g.op("CONCATENATION", parts, [result], "ConcatenationOptions", axis=axis)


def split(g):
    x = g.pick()
    shape = g.tensor(x).shape
    axis = g.v.choice([1, 2, 3, 3])
    parts = g.v.choice([k for k in range(1, 5) if shape[axis] % k == 0])
    part = shape[:axis] + (shape[axis] // parts,) + shape[axis + 1:]
    g.op("SPLIT", [g.ints(axis), x], [g.same(part, x) for _ in range(parts)], "SplitOptions",
         numSplits=parts)


def cut(g):
    x = g.pick()
    shape = g.tensor(x).shape
    begin = [g.v.integer(0, n - 1) if g.v.chance(0.5) else 0 for n in shape]
    end = [g.v.integer(b + 1, n) for b, n in zip(begin, shape)]
    size = [e - b for b, e in zip(begin, end)]
    g.op("STRIDED_SLICE", [x, g.ints(begin), g.ints(end), g.ints([1] * 4)], [g.same(size, x)],
         "StridedSliceOptions")


def shape_change(g):
    x = g.pick()
    n, h, w, c = g.tensor(x).shape
    if g.v.chance(0.5):
        new = g.v.choice([(n, 1, h * w, c), (n, h * w, 1, c), (n, h, 1, w * c), (n, h, w * c, 1)])
        g.op("RESHAPE", [x, g.ints(new)], [g.same(new, x)], "ReshapeOptions", newShape=list(new))
    else:
        order = [0] + [int(i) + 1 for i in g.v.rng.permutation(3)]
        new = [g.tensor(x).shape[i] for i in order]
        g.op("TRANSPOSE", [x, g.ints(order)], [g.same(new, x)], "TransposeOptions")


def gather(g):
    x = g.pick()
    shape = list(g.tensor(x).shape)
    axis = g.v.integer(1, 3)
    indices = g.v.rng.integers(0, shape[axis], g.v.small(8))
    shape[axis] = len(indices)
    g.op("GATHER", [x, g.ints(indices)], [g.same(shape, x)], "GatherOptions", axis=axis,
         batchDims=0)


def pack_and_unpack(g):
    """Parts along an axis, some of them together again along another."""
    x = g.pick()
    shape = g.tensor(x).shape
    axis = g.v.integer(1, 3)
    if shape[axis] > 12:
        return
    parts = [g.same(shape[:axis] + shape[axis + 1:], x) for _ in range(shape[axis])]
    g.inner("UNPACK", [x], parts, "UnpackOptions", num=len(parts), axis=axis)
    chosen = [g.v.choice(parts) for _ in range(g.v.small(4))]
    to = g.v.integer(1, 3)
    packed = list(g.tensor(parts[0]).shape)
    packed.insert(to, len(chosen))
    g.op("PACK", chosen, [g.same(packed, x)], "PackOptions", valuesCount=len(chosen), axis=to)
    g.leaves += [part for part in parts if part not in chosen][:2]


def ranks(g):
    """An axis more and an axis less."""
    x = g.pick()
    shape = g.tensor(x).shape
    axis = g.v.integer(0, 4)
    y = g.same(shape[:axis] + (1,) + shape[axis:], x)
    g.inner("EXPAND_DIMS", [x, g.ints(axis)], [y], "ExpandDimsOptions")
    g.op("SQUEEZE", [y], [g.same(shape, x)], "SqueezeOptions", squeezeDims=[axis])


def mean(g):
    x = g.pick()
    t = g.tensor(x)
    n, _, _, c = t.shape
    if g.v.chance(0.7):
        g.op("MEAN", [x, g.ints([1, 2])], [g.new((n, 1, 1, c), g.v.near(t.scale, 1))],
             "ReducerOptions", keepDims=True)
    else:
        g.op("REDUCE_MAX", [x, g.ints([1, 2])], [g.same((n, 1, 1, c), x)], "ReducerOptions",
             keepDims=True)


def indices(g):
    """Indices of the largest, and the elements as floats: results of the model."""
    x = g.pick()
    shape = g.tensor(x).shape
    if g.v.chance(0.6):
        axis = g.v.integer(1, 3)
        y = g.new(shape[:axis] + shape[axis + 1:], None, dtype="i32")
        g.leaf("ARG_MAX", [x, g.ints(axis)], [y], "ArgMaxOptions", outputType=2)
    else:
        g.leaf("CAST", [x], [g.new(shape, None, dtype="f32")], "CastOptions")


def resize(g):
    x = g.pick()
    n, h, w, c = g.tensor(x).shape
    if h * w > 64:
        return
    new = (n, h * 2, w * 2, c)
    code, table = g.v.choice([
        ("RESIZE_NEAREST_NEIGHBOR", "ResizeNearestNeighborOptions"),
        ("RESIZE_BILINEAR", "ResizeBilinearOptions")])
    g.op(code, [x, g.ints(new[1:3])], [g.same(new, x)], table, alignCorners=False,
         halfPixelCenters=g.v.chance(0.5))


def float_operator(g, x):
    v = g.v
    shape = g.tensor(x).shape
    if v.chance(0.25):
        return float_product(g, x)
    y = g.new(shape, None, dtype="f32")
    if v.chance(0.3):
        other = g.model.constant(v.rng.normal(0, 3, shape[-1]).astype(np.float32))
        code = v.choice(["ADD", "SUB", "MUL"])
        g.inner(code, [x, other], [y], code.capitalize() + "Options",
                fusedActivationFunction=v.activation())
        return y
    code, table, fields = v.choice([
        ("RELU", None, {}), ("RELU6", None, {}), ("LOGISTIC", None, {}), ("TANH", None, {}),
        ("HARD_SWISH", "HardSwishOptions", {}), ("LEAKY_RELU", "LeakyReluOptions", dict(alpha=0.1)),
        ("SOFTMAX", "SoftmaxOptions", dict(beta=1.0)), ("L2_NORMALIZATION", "L2NormOptions", {})])
    g.inner(code, [x], [y], table, **fields)
    return y


def through_float(g):
    """A few float operators between quantised ones."""
    x = g.pick()
    t = g.tensor(x)
    y = g.new(t.shape, None, dtype="f32")
    g.inner("DEQUANTIZE", [x], [y], "DequantizeOptions")
    for _ in range(g.v.small(3)):
        y = float_operator(g, y)
    result = g.new(g.tensor(y).shape, g.v.near(t.scale, 1))
    g.op("QUANTIZE", [y], [result], "QuantizeOptions")


# ---- what passes and patterns look for ----

def after(*steps):
    """Steps that each work on the result of the one before."""
    def run(g):
        for step in steps:
            before = len(g.live)
            (g.v.choice(step) if isinstance(step, list) else step)(g)
            g.next = g.live[-1] if len(g.live) > before else None
        g.next = None
    return run


def residual(g):
    """A block around a sum: its input, and a convolution of it that keeps the shape."""
    x = g.pick()
    shape = g.tensor(x).shape
    kernel = g.v.choice([1, 1, 3])
    weights, bias, scale = product_operands(g, (shape[3], kernel, kernel, shape[3]), 0, shape[3],
                                            x, kernel * kernel * shape[3])
    y = g.new(shape, scale)
    g.inner("CONV_2D", [x, weights, bias], [y], "Conv2DOptions", padding=0, strideW=1, strideH=1,
            dilationWFactor=1, dilationHFactor=1, fusedActivationFunction=g.v.activation())
    result = g.new(shape, g.v.near(max(scale, g.tensor(x).scale), 1))
    g.op("ADD", [y, x] if g.v.chance(0.5) else [x, y], [result], "AddOptions",
         fusedActivationFunction=g.v.activation())


PATTERNS = [after(pad, [conv, depthwise]), after([conv, depthwise, dense], unary),
            after([conv, depthwise], arithmetic, unary), after(conv, depthwise, conv), residual,
            after(pad, pool), after(shape_change, shape_change), after(unary, unary)]
ALL = PATTERNS + [
    conv, conv, conv, depthwise, depthwise, pool, arithmetic, arithmetic, unary, unary, pad,
    concatenation, split, cut, shape_change, mean, resize, through_float, through_int16, dense,
    transpose_conv, matmul, gather, pack_and_unpack, ranks, indices]
