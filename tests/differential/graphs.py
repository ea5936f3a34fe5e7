"""Random small graphs: chains and joins of operators with one quantised type."""
import numpy as np

from model import Model, Tensor


class Graph:
    """A graph under construction. `live` are tensors of 4 dimensions that operators may use."""

    def __init__(self, v):
        self.v = v
        self.model = Model()
        self.dtype = v.choice(["i8", "i8", "u8"])
        self.users = {}
        self.live = []
        for _ in range(v.choice([1, 1, 1, 2])):
            shape = (v.choice([1, 1, 2]), v.small(12), v.small(12), v.small(12))
            self.live.append(self.model.input(self.dtype, shape, v.scale(), v.zero(self.dtype)))

    def tensor(self, index):
        return self.model.tensors[index]

    def new(self, shape, scale, zero=None, dtype=None):
        """A tensor that the next operator makes."""
        dtype = dtype or self.dtype
        if dtype == "f32":
            return self.model.add(Tensor(dtype, tuple(shape)))
        zero = self.v.zero(dtype) if zero is None else zero
        return self.model.add(Tensor(dtype, tuple(shape), scale, zero))

    def same(self, shape, x):
        """A result with the quantisation of x."""
        return self.new(shape, self.tensor(x).scale, self.tensor(x).zero, self.tensor(x).dtype)

    def op(self, code, inputs, outputs, table=None, **fields):
        self.model.op(code, inputs, outputs, table, **fields)
        for x in inputs:
            self.users[x] = self.users.get(x, 0) + 1
        self.live += outputs

    def pick(self):
        """A tensor, later ones and unused ones more often."""
        unused = [x for x in self.live if x not in self.users]
        if unused and self.v.chance(0.7):
            return self.v.choice(unused)
        return self.v.choice(self.live[-4:])

    def activation(self):
        return 0 if self.v.chance(0.5) else self.v.choice([1, 2, 3])

    def ints(self, values):
        return self.model.constant(np.array(values, np.int32))


def _out_size(n, k, s, padding):
    return -(-n // s) if padding == 0 else (n - k) // s + 1


def _window(g, x, most=4):
    v = g.v
    _, h, w, _ = g.tensor(x).shape
    kh, kw = v.small(most), v.small(most)
    padding = v.choice([0, 1]) if kh <= h and kw <= w else 0
    sh, sw = v.choice([1, 1, 2]), v.choice([1, 1, 2])
    return kh, kw, sh, sw, padding, _out_size(h, kh, sh, padding), _out_size(w, kw, sw, padding)


def _weights(g, shape, axis, channels, x, depth):
    """Weights, bias, and a result scale."""
    v = g.v
    kind = "u8" if g.dtype == "u8" else "i8"
    if kind == "i8" and v.chance(0.8):
        scales, zeros = [v.scale() for _ in range(channels)], [0] * channels
    else:
        scales, zeros = v.scale(), 0 if kind == "i8" else v.zero("u8")
    weights = g.model.constant(v.data(kind, shape, np.mean(zeros)), scales, zeros, axis)
    product = (np.float32(g.tensor(x).scale) * np.asarray(scales, np.float32)).astype(np.float32)
    bias = v.rng.integers(-4000, 4000, channels).astype(np.int32)
    scale = float(np.float32(np.mean(product) * depth ** 0.5 * 60 * 2.0 ** v.rng.uniform(-2, 2)))
    return weights, g.model.constant(bias, product, 0), scale


def conv(g):
    x = g.pick()
    n, _, _, c = g.tensor(x).shape
    kh, kw, sh, sw, padding, h, w = _window(g, x)
    channels = g.v.small(16)
    weights, bias, scale = _weights(g, (channels, kh, kw, c), 0, channels, x, kh * kw * c)
    g.op("CONV_2D", [x, weights, bias], [g.new((n, h, w, channels), scale)], "Conv2DOptions",
         padding=padding, strideW=sw, strideH=sh, dilationWFactor=1, dilationHFactor=1,
         fusedActivationFunction=g.activation())


def depthwise(g):
    x = g.pick()
    n, _, _, c = g.tensor(x).shape
    kh, kw, sh, sw, padding, h, w = _window(g, x)
    weights, bias, scale = _weights(g, (1, kh, kw, c), 3, c, x, kh * kw)
    g.op("DEPTHWISE_CONV_2D", [x, weights, bias], [g.new((n, h, w, c), scale)],
         "DepthwiseConv2DOptions", padding=padding, strideW=sw, strideH=sh, depthMultiplier=1,
         dilationWFactor=1, dilationHFactor=1, fusedActivationFunction=g.activation())


def pool(g):
    x = g.pick()
    n, _, _, c = g.tensor(x).shape
    kh, kw, sh, sw, padding, h, w = _window(g, x)
    g.op(g.v.choice(["AVERAGE_POOL_2D", "MAX_POOL_2D"]), [x], [g.same((n, h, w, c), x)],
         "Pool2DOptions", padding=padding, strideW=sw, strideH=sh, filterWidth=kw,
         filterHeight=kh, fusedActivationFunction=g.activation())


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
    fields = {} if "Maximum" in table else dict(fusedActivationFunction=g.activation())
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


def mean(g):
    x = g.pick()
    t = g.tensor(x)
    n, _, _, c = t.shape
    g.op("MEAN", [x, g.ints([1, 2])], [g.new((n, 1, 1, c), g.v.near(t.scale, 1))],
         "ReducerOptions", keepDims=True)


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


def through_float(g):
    x = g.pick()
    t = g.tensor(x)
    a = g.new(t.shape, None, dtype="f32")
    b = g.new(t.shape, None, dtype="f32")
    before = list(g.live)
    g.op("DEQUANTIZE", [x], [a], "DequantizeOptions")
    g.op("RELU6", [a], [b])
    g.live = before
    g.op("QUANTIZE", [b], [g.new(t.shape, g.v.near(t.scale, 1))], "QuantizeOptions")


def dense(g):
    """Flattens, multiplies, and gives the result four dimensions again."""
    x = g.pick()
    n, h, w, c = g.tensor(x).shape
    if h * w * c > 600:
        return
    channels = g.v.small(20)
    weights, bias, scale = _weights(g, (channels, h * w * c), 0, channels, x, h * w * c)
    before = list(g.live)
    y = g.new((n, channels), scale)
    g.op("FULLY_CONNECTED", [x, weights, bias], [y], "FullyConnectedOptions",
         fusedActivationFunction=g.activation())
    g.live = before
    shape = (n, 1, 1, channels)
    g.op("RESHAPE", [y, g.ints(shape)], [g.same(shape, y)], "ReshapeOptions",
         newShape=list(shape))


STEPS = [conv, conv, conv, depthwise, depthwise, pool, arithmetic, arithmetic, unary, unary, pad,
         concatenation, split, cut, shape_change, mean, resize, through_float, dense]


def random_graph(v):
    g = Graph(v)
    while len(g.model.operators) < 2 or v.chance(0.75) and len(g.model.operators) < 12:
        v.choice(STEPS)(g)
    made = {x for op in g.model.operators for x in op.outputs}
    ends = [x for x in g.live if x in made and x not in g.users]
    inner = [x for x in g.live if x in made and x in g.users and v.chance(0.1)]
    used = {x for op in g.model.operators for x in op.inputs}
    g.model.inputs = [x for x in g.model.inputs if x in used]
    g.model.outputs = (ends + inner)[:32]
    return g.model
