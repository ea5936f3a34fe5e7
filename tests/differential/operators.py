"""Random models of a single operator. Each function takes a source of values and returns a model."""
import numpy as np

from model import Model, limits

ACTIVATIONS = {"NONE": 0, "RELU": 1, "RELU_N1_TO_1": 2, "RELU6": 3}
SAME, VALID = 0, 1


def activation(v):
    return 0 if v.chance(0.5) else v.choice([1, 2, 3])


# ---- windows ----

def window_sizes(v, kernel_most=5, dilate=True):
    """Input size, kernel, stride and dilation of one axis, and whether VALID fits."""
    kernel = v.small(kernel_most)
    stride = v.small(4)
    dilation = v.small(3) if dilate and stride == 1 and v.chance(0.4) else 1
    size = v.small(14)
    return size, kernel, stride, dilation


def window(v, kernel_most=5, dilate=True):
    rows = window_sizes(v, kernel_most, dilate)
    columns = window_sizes(v, kernel_most, dilate)
    fits = all((k - 1) * d + 1 <= s for s, k, _, d in (rows, columns))
    padding = v.choice([SAME, VALID]) if fits else SAME
    return rows, columns, padding


# ---- products ----

def weight_scales(v, dtype, channels):
    """Per tensor or per channel; int8 weights are symmetric."""
    if dtype != "u8" and v.chance(0.7):
        return [v.scale() for _ in range(channels)], [0] * channels
    return v.scale(), v.zero("u8") if dtype == "u8" else 0


def product_scale(v, in_scale, scales, depth):
    """A result scale that uses the range: sometimes far too fine or too coarse."""
    typical = in_scale * float(np.mean(scales)) * max(depth, 1) ** 0.5 * 60
    return float(np.float32(typical * 2.0 ** v.rng.uniform(-3, 3)))


def bias_of(v, model, dtype, in_scale, scales, channels, depth):
    wide = dtype == "i16" and v.chance(0.5)
    most = 2 ** 15 if not v.chance(0.1) else 2 ** 28
    if dtype == "i16":
        most *= 64
    bias = v.rng.integers(-most, most, channels, endpoint=True)
    bias = bias.astype(np.int64 if wide else np.int32)
    product = (np.float32(in_scale) * np.asarray(scales, np.float32)).astype(np.float32)
    return model.constant(bias, product, 0)


def product_types(v):
    return v.choice(["i8", "i8", "i8", "u8", "u8", "i16", "f32"])


def add_product(v, code, table, x_shape, w_shape, w_axis, channels, depth, dtype, fields,
                before=None, always_bias=True):
    """A convolution or matrix product with operands x, weights and bias."""
    model = Model()
    head = [] if before is None else [model.constant(np.asarray(before, np.int32))]
    bias = always_bias or v.chance(0.6)
    if dtype == "f32":
        x = model.input("f32", x_shape)
        w = model.constant(v.data("f32", w_shape))
        b = [model.constant(v.data("f32", (channels,)))] if bias else []
        y = model.output("f32")
    else:
        w_type = "u8" if dtype == "u8" else "i8"
        in_scale, in_zero = v.scale(), v.zero(dtype)
        scales, zeros = weight_scales(v, dtype, channels)
        x = model.input(dtype, x_shape, in_scale, in_zero)
        w = model.constant(v.data(w_type, w_shape, np.mean(zeros)), scales, zeros, w_axis)
        b = [bias_of(v, model, dtype, in_scale, scales, channels, depth)] if bias else []
        out = product_scale(v, in_scale, scales, depth)
        if dtype == "i16":
            out /= 128
        y = model.output(dtype, out, v.zero(dtype))
    order = head + [w, x] if before is not None else [x, w]
    model.op(code, order + b, [y], table, **fields)
    return model


def conv_2d(v):
    (h, kh, sh, dh), (w, kw, sw, dw), padding = window(v)
    groups = v.choice([1, 1, 1, 2, 3])
    depth = v.small(20)
    channels = v.small(20) * groups
    dtype = product_types(v)
    if dtype not in ("i8", "f32"):
        groups, channels = 1, channels // groups
    fields = dict(padding=padding, strideW=sw, strideH=sh, dilationWFactor=dw,
                  dilationHFactor=dh, fusedActivationFunction=activation(v))
    return add_product(v, "CONV_2D", "Conv2DOptions", (v.small(2), h, w, depth * groups),
                       (channels, kh, kw, depth), 0, channels, kh * kw * depth, dtype, fields)


def depthwise_conv_2d(v):
    (h, kh, sh, dh), (w, kw, sw, dw), padding = window(v)
    multiplier = v.choice([1, 1, 2, 3])
    depth = v.small(20)
    channels = depth * multiplier
    fields = dict(padding=padding, strideW=sw, strideH=sh, dilationWFactor=dw, dilationHFactor=dh,
                  depthMultiplier=multiplier, fusedActivationFunction=activation(v))
    return add_product(v, "DEPTHWISE_CONV_2D", "DepthwiseConv2DOptions",
                       (v.small(2), h, w, depth), (1, kh, kw, channels), 3, channels, kh * kw,
                       product_types(v), fields)


def transpose_conv(v):
    (h, kh, sh, _), (w, kw, sw, _), _ = window(v, 4, dilate=False)
    padding = v.choice([SAME, VALID])
    h, w = min(h, 7), min(w, 7)
    depth, channels = v.small(10), v.small(10)

    def size(n, k, s):
        return n * s if padding == SAME else n * s + max(k - s, 0)

    batch = v.small(2)
    out = (batch, size(h, kh, sh), size(w, kw, sw), channels)
    fields = dict(padding=padding, strideW=sw, strideH=sh, fusedActivationFunction=activation(v))
    return add_product(v, "TRANSPOSE_CONV", "TransposeConvOptions", (batch, h, w, depth),
                       (channels, kh, kw, depth), 0, channels, depth * 2, product_types(v),
                       fields, before=out, always_bias=False)


def fully_connected(v):
    depth, channels = v.small(80), v.small(40)
    rows = v.shape(v.choice([1, 1, 2, 3]), 30, 6)
    fields = dict(fusedActivationFunction=activation(v), keepNumDims=v.chance(0.3))
    return add_product(v, "FULLY_CONNECTED", "FullyConnectedOptions", rows + (depth,),
                       (channels, depth), 0, channels, depth, product_types(v), fields,
                       always_bias=False)


def batch_matmul(v):
    model = Model()
    rank = v.choice([2, 3, 3, 4])
    batch_a = list(v.shape(rank - 2, 12, 4))
    batch_b = [1 if v.chance(0.2) else n for n in batch_a]
    batch_a = [1 if v.chance(0.2) else n for n in batch_a]
    rows, depth, columns = v.small(9), v.small(20), v.small(9)
    swap_a, swap_b = v.chance(0.4), v.chance(0.4)
    a_shape = batch_a + ([depth, rows] if swap_a else [rows, depth])
    b_shape = batch_b + ([columns, depth] if swap_b else [depth, columns])
    dtype = v.choice(["i8", "i8", "f32", "i16"])
    if dtype == "f32":
        a = model.input(dtype, a_shape)
        b = (model.constant(v.data(dtype, b_shape)) if v.chance(0.5)
             else model.input(dtype, b_shape))
        y = model.output(dtype)
    else:
        a_scale, b_scale = v.scale(), v.scale()
        a = model.input(dtype, a_shape, a_scale, v.zero(dtype))
        b_zero = v.zero(dtype)
        b = (model.constant(v.data(dtype, b_shape, b_zero), b_scale, b_zero)
             if v.chance(0.5) else model.input(dtype, b_shape, b_scale, b_zero))
        out = product_scale(v, a_scale, b_scale, depth)
        y = model.output(dtype, out, v.zero(dtype))
    model.op("BATCH_MATMUL", [a, b], [y], "BatchMatMulOptions", adjX=swap_a, adjY=swap_b)
    return model


# ---- arithmetic ----

def broadcast_shapes(v):
    """Shapes of two operands: equal, or one of them with ones or fewer axes."""
    shape = v.shape(v.integer(1, 4), 2000)
    kind = v.rng.random()
    if kind < 0.4:
        return shape, shape
    other = tuple(1 if v.chance(0.5) else n for n in shape)
    if kind < 0.7:
        other = other[v.integer(0, len(shape) - 1):]
    if v.chance(0.2):
        other = other if v.chance(0.5) else ()
    first = tuple(1 if n != o and v.chance(0.3) else n for n, o in
                  zip(shape, (0,) * (len(shape) - len(other)) + other))
    return (first, other) if v.chance(0.5) else (other, first)


def two_operands(v, model, dtype, shapes, scales):
    """Inputs or constants."""
    operands = []
    constant = v.integer(0, 1) if v.chance(0.3) else None
    for i, (shape, scale) in enumerate(zip(shapes, scales)):
        zero = None if scale is None else v.zero(dtype)
        if i == constant:
            operands.append(model.constant(v.data(dtype, shape, zero or 0), scale, zero))
        else:
            operands.append(model.input(dtype, shape, scale, zero))
    return operands


def sum_scale(v, a, b):
    return v.near(max(a, b) * 1.5, 2)


def binary(code, table, out_scale, plain):
    def make(v):
        model = Model()
        dtype = v.choice(["i8", "i8", "i8", "u8", "u8"] + plain)
        shapes = broadcast_shapes(v)
        if dtype in ("i8", "u8"):
            a = v.scale()
            b = v.near(a, 6) if v.chance(0.8) else v.scale()
            operands = two_operands(v, model, dtype, shapes, [a, b])
            y = model.output(dtype, out_scale(v, a, b), v.zero(dtype))
        else:
            operands = two_operands(v, model, dtype, shapes, [None, None])
            y = model.output(dtype)
        fields = {} if table == "MaximumMinimumOptions" else dict(
            fusedActivationFunction=activation(v) if dtype != "i64" else 0)
        model.op(code, operands, [y], table, **fields)
        return model
    return make


add = binary("ADD", "AddOptions", sum_scale, ["f32", "i32"])
sub = binary("SUB", "SubOptions", sum_scale, ["f32", "i32"])
mul = binary("MUL", "MulOptions", lambda v, a, b: v.near(a * b * 60, 4), ["f32", "i32"])
maximum = binary("MAXIMUM", "MaximumMinimumOptions", lambda v, a, b: a, ["f32", "i32", "i64"])
minimum = binary("MINIMUM", "MaximumMinimumOptions", lambda v, a, b: a, ["f32", "i32", "i64"])


# ---- one operand ----

def unary_input(v, model, dtype, shape, scale=None):
    if dtype == "f32":
        return model.input(dtype, shape), None
    scale = scale or v.scale()
    return model.input(dtype, shape, scale, v.zero(dtype)), scale


def unary(code, table=None, out=None, dtypes=("i8", "i8", "u8", "f32"), **fields):
    """`out`: the scale of the result and its zero point for int8 (uint8: 128 more); None: near the
    input's."""
    def make(v):
        model = Model()
        dtype = v.choice(list(dtypes))
        x, scale = unary_input(v, model, dtype, v.shape(v.integer(1, 4), 1500))
        if dtype == "f32":
            y = model.output(dtype)
        elif out is None:
            y = model.output(dtype, v.near(scale, 4), v.zero(dtype))
        else:
            y = model.output(dtype, out[0], out[1] + (128 if dtype == "u8" else 0))
        made = {k: f(v) if callable(f) else f for k, f in fields.items()}
        model.op(code, [x], [y], table, **made)
        return model
    return make


def leaky_alpha(v):
    return float(np.float32(v.choice([0.0, 0.1, 0.3, 1.0, 1.5, v.rng.uniform(0, 2),
                                      v.rng.uniform(-1, 0)])))


relu = unary("RELU", dtypes=("i8", "i8", "u8", "i16", "f32"))
relu6 = unary("RELU6", dtypes=("i8", "i8", "u8", "i16", "f32"))
relu_n1_to_1 = unary("RELU_N1_TO_1")
leaky_relu = unary("LEAKY_RELU", "LeakyReluOptions", alpha=leaky_alpha,
                   dtypes=("i8", "i8", "u8", "i16", "f32"))
hard_swish = unary("HARD_SWISH", "HardSwishOptions")
logistic = unary("LOGISTIC", out=(1 / 256, -128))
tanh = unary("TANH", out=(1 / 128, 0))
softmax = unary("SOFTMAX", "SoftmaxOptions", out=(1 / 256, -128),
                beta=lambda v: float(np.float32(v.choice([1.0, 1.0, v.rng.uniform(0.1, 3)]))))
log_softmax = unary("LOG_SOFTMAX", "LogSoftmaxOptions", out=(1 / 16, 127))
l2_normalization = unary("L2_NORMALIZATION", "L2NormOptions", out=(1 / 128, 0))


# ---- conversions ----

def quantize(v):
    model = Model()
    source = v.choice(["f32", "f32", "i8", "i8", "u8", "u8", "i16", "i32"])
    target = v.choice(["i8", "u8"] if source != "f32" else ["i8", "u8", "i16"])
    if source in ("i8", "i16", "i32") and v.chance(0.2):
        target = "i16" if source != "i32" else "i8"
    shape = v.shape(v.integer(0, 4), 1500)
    if source == "f32":
        x = model.input(source, shape)
        y = model.output(target, v.scale(), v.zero(target))
    else:
        scale = v.scale()
        x = model.input(source, shape, scale, v.zero(source))
        y = model.output(target, v.near(scale, 4), v.zero(target))
    model.op("QUANTIZE", [x], [y], "QuantizeOptions")
    return model


def dequantize(v):
    model = Model()
    dtype = v.choice(["i8", "i8", "u8", "i16"])
    x = model.input(dtype, v.shape(v.integer(0, 4), 1500), v.scale(), v.zero(dtype))
    model.op("DEQUANTIZE", [x], [model.output("f32")], "DequantizeOptions")
    return model


def cast(v):
    model = Model()
    dtypes = ["i8", "u8", "i16", "i32", "i64", "f32", "bool"]
    source, target = v.choice(dtypes), v.choice(dtypes)
    quantized = source in ("i8", "u8") and v.chance(0.3)
    x = model.input(source, v.shape(v.integer(0, 3), 500), v.scale() if quantized else None,
                    v.zero(source) if quantized else None)
    model.op("CAST", [x], [model.output(target)], "CastOptions")
    return model


# ---- windows and reductions ----

def pool(code):
    def make(v):
        model = Model()
        (h, kh, sh, _), (w, kw, sw, _), padding = window(v, 6, dilate=False)
        dtype = v.choice(["i8", "i8", "u8", "u8", "i16", "f32"])
        x, scale = unary_input(v, model, dtype, (v.small(2), h, w, v.small(20)))
        if dtype == "f32":
            y = model.output(dtype)
        else:
            y = model.output(dtype, scale, model.tensors[x].zero)
        model.op(code, [x], [y], "Pool2DOptions", padding=padding, strideW=sw, strideH=sh,
                 filterWidth=kw, filterHeight=kh, fusedActivationFunction=activation(v))
        return model
    return make


average_pool_2d = pool("AVERAGE_POOL_2D")
max_pool_2d = pool("MAX_POOL_2D")


def axes(v, rank):
    count = v.integer(1, rank)
    chosen = v.rng.permutation(rank)[:count]
    made = [int(a) - (rank if v.chance(0.3) else 0) for a in chosen]
    if v.chance(0.1):
        made.append(made[0])
    return np.array(made, np.int32)


def reduce(code, dtypes, same_scale):
    def make(v):
        model = Model()
        dtype = v.choice(dtypes)
        rank = v.choice([1, 2, 3, 4, 4, 4])
        shape = v.shape(rank, 3000)
        if dtype in ("i8", "u8", "i16"):
            scale, zero = v.scale(), v.zero(dtype)
            x = model.input(dtype, shape, scale, zero)
            y = (model.output(dtype, scale, zero) if same_scale or v.chance(0.3)
                 else model.output(dtype, v.near(scale, 3), v.zero(dtype)))
        else:
            x, y = model.input(dtype, shape), model.output(dtype)
        axis = model.constant(np.array([1, 2], np.int32) if rank == 4 and v.chance(0.4)
                              else axes(v, rank))
        model.op(code, [x, axis], [y], "ReducerOptions", keepDims=v.chance(0.5))
        return model
    return make


mean = reduce("MEAN", ["i8", "i8", "u8", "u8", "i16", "f32", "i32", "i64"], False)
reduce_max = reduce("REDUCE_MAX", ["i8", "i8", "u8", "i16", "f32", "i32", "i64"], True)


def arg_max(v):
    model = Model()
    dtype = v.choice(["i8", "u8", "f32", "i32"])
    rank = v.integer(1, 4)
    x, _ = unary_input(v, model, dtype, v.shape(rank, 2000)) if dtype != "i32" else (
        model.input(dtype, v.shape(rank, 2000)), None)
    axis = model.constant(np.array(v.integer(-rank, rank - 1), np.int32).reshape(
        v.choice([(), (1,)])))
    y_type = v.choice(["i32", "i64"])
    model.op("ARG_MAX", [x, axis], [model.output(y_type)], "ArgMaxOptions",
             outputType={"i32": 2, "i64": 4}[y_type])
    return model


# ---- moving ----

MOVED = ["i8", "i8", "u8", "u8", "i16", "i32", "i64", "f32"]


def moved_input(v, model, shape, dtypes=None):
    """An input of any type, and the quantisation that its result has too."""
    dtype = v.choice(dtypes or MOVED)
    quantized = dtype in ("i8", "u8", "i16") and v.chance(0.85)
    quantization = (v.scale(), v.zero(dtype)) if quantized else (None, None)
    return model.input(dtype, shape, *quantization), dtype, quantization


def pad(v):
    model = Model()
    rank = v.integer(1, 4)
    x, dtype, q = moved_input(v, model, v.shape(rank, 600, 9))
    pads = v.rng.integers(0, 4, (rank, 2)) * (v.rng.random((rank, 2)) < 0.6)
    model.op("PAD", [x, model.constant(pads.astype(np.int32))], [model.output(dtype, *q)],
             "PadOptions")
    return model


def padv2(v):
    model = Model()
    rank = v.integer(1, 4)
    x, dtype, q = moved_input(v, model, v.shape(rank, 600, 9))
    pads = v.rng.integers(0, 4, (rank, 2)) * (v.rng.random((rank, 2)) < 0.6)
    value = model.constant(v.data(dtype, (1,) if v.chance(0.5) else ()), *q)
    model.op("PADV2", [x, model.constant(pads.astype(np.int32)), value], [model.output(dtype, *q)],
             "PadV2Options")
    return model


def factors(v, elements):
    """A shape of as many elements."""
    shape = [elements]
    for _ in range(v.integer(0, 3)):
        last = shape.pop()
        divisors = [d for d in range(1, last + 1) if last % d == 0]
        d = v.choice(divisors)
        shape += [d, last // d]
    return tuple(shape)


def reshape(v):
    model = Model()
    shape = v.shape(v.integer(0, 4), 1500)
    x, dtype, q = moved_input(v, model, shape)
    new = factors(v, int(np.prod(shape, dtype=np.int64)))
    asked = list(new)
    if v.chance(0.3):
        asked[v.integer(0, len(asked) - 1)] = -1
    y = model.output(dtype, *q)
    model.op("RESHAPE", [x, model.constant(np.array(asked, np.int32))], [y], "ReshapeOptions",
             newShape=asked)
    return model


def squeeze(v):
    model = Model()
    shape = v.shape(v.integer(1, 5), 1000)
    x, dtype, q = moved_input(v, model, shape)
    ones = [i for i, n in enumerate(shape) if n == 1]
    chosen = [i - (len(shape) if v.chance(0.3) else 0) for i in ones if v.chance(0.6)]
    model.op("SQUEEZE", [x], [model.output(dtype, *q)], "SqueezeOptions", squeezeDims=chosen)
    return model


def expand_dims(v):
    model = Model()
    rank = v.integer(0, 4)
    x, dtype, q = moved_input(v, model, v.shape(rank, 1000))
    axis = np.array(v.integer(-rank - 1, rank), np.int32).reshape(v.choice([(), (1,)]))
    model.op("EXPAND_DIMS", [x, model.constant(axis)], [model.output(dtype, *q)],
             "ExpandDimsOptions")
    return model


def transpose(v):
    model = Model()
    rank = v.integer(1, 5)
    x, dtype, q = moved_input(v, model, v.shape(rank, 2000))
    order = v.rng.permutation(rank).astype(np.int32)
    if v.chance(0.2):
        order = (order - rank).astype(np.int32)
    model.op("TRANSPOSE", [x, model.constant(order)], [model.output(dtype, *q)],
             "TransposeOptions")
    return model


def concatenation(v):
    model = Model()
    dtype = v.choice(MOVED)
    shape = list(v.shape(v.integer(1, 4), 500))
    axis = v.integer(0, len(shape) - 1)
    rescale = dtype == "u8" and v.chance(0.7)
    quantized = dtype in ("i8", "u8", "i16")
    scale, zero = (v.scale(), v.zero(dtype)) if quantized else (None, None)
    operands = []
    for _ in range(v.small(5)):
        part = shape[:axis] + [v.small(7)] + shape[axis + 1:]
        q = (v.near(scale, 2), v.zero(dtype)) if rescale and v.chance(0.8) else (scale, zero)
        if v.chance(0.2):
            operands.append(model.constant(v.data(dtype, part, q[1] or 0), *q))
        else:
            operands.append(model.input(dtype, part, *q))
    if not model.inputs:
        operands.append(model.input(dtype, shape[:axis] + [1] + shape[axis + 1:], scale, zero))
    model.op("CONCATENATION", operands, [model.output(dtype, scale, zero)],
             "ConcatenationOptions", axis=axis - (len(shape) if v.chance(0.3) else 0))
    return model


def split(v):
    model = Model()
    shape = list(v.shape(v.integer(1, 4), 600))
    axis = v.integer(0, len(shape) - 1)
    parts = v.small(5)
    shape[axis] = parts * v.small(4)
    x, dtype, q = moved_input(v, model, shape, ["i8", "u8", "i16", "i32", "f32"])
    at = model.constant(np.array(axis - (len(shape) if v.chance(0.3) else 0), np.int32))
    model.op("SPLIT", [at, x], [model.output(dtype, *q) for _ in range(parts)], "SplitOptions",
             numSplits=parts)
    return model


def strided_slice(v):
    model = Model()
    rank = v.integer(1, 4)
    shape = v.shape(rank, 2000)
    x, dtype, q = moved_input(v, model, shape)
    entries = v.integer(1, rank)
    masks = dict(beginMask=0, endMask=0, ellipsisMask=0, newAxisMask=0, shrinkAxisMask=0)
    begin, end, step = [], [], []
    new = v.integer(0, entries) if v.chance(0.15) else None
    for i in range(entries):
        n = shape[i]
        s = v.choice([1, 1, 1, 2, 3, -1, -2])
        b, e = sorted(v.integer(0, n) for _ in range(2))
        b, e = min(b, n - 1), max(e, min(b, n - 1) + 1)
        if s < 0:
            b, e = e - 1, b - 1 if b > 0 else -n - 1
        elif v.chance(0.3):
            b -= n
        if v.chance(0.15):
            e = e + 100 if s > 0 else -n - 50
        begin.append(b)
        end.append(e)
        step.append(s)
        if v.chance(0.2):
            masks["beginMask"] |= 1 << i
        if v.chance(0.2):
            masks["endMask"] |= 1 << i
        if v.chance(0.1) and s > 0:
            masks["shrinkAxisMask"] |= 1 << i
    if new is not None and new < entries and rank < 4:
        masks["newAxisMask"] |= 1 << new
        masks["shrinkAxisMask"] &= ~(1 << new)
    if v.chance(0.1):
        at = v.integer(0, entries - 1)
        masks["ellipsisMask"] = 1 << at
        masks["shrinkAxisMask"] &= ~(1 << at)
        masks["newAxisMask"] &= ~(1 << at)
    constants = [model.constant(np.array(a, np.int32)) for a in (begin, end, step)]
    model.op("STRIDED_SLICE", [x] + constants, [model.output(dtype, *q)], "StridedSliceOptions",
             **masks)
    return model


def gather(v):
    model = Model()
    rank = v.integer(1, 4)
    shape = v.shape(rank, 800)
    x, dtype, q = moved_input(v, model, shape)
    axis = v.integer(0, rank - 1)
    batch = v.integer(0, axis) if v.chance(0.3) else 0
    index_shape = shape[:batch] + v.shape(v.integer(0, 2), 12, 5)
    indices = v.rng.integers(0, shape[axis], index_shape)
    kind = v.choice([np.int32, np.int32, np.int64])
    operand = model.constant(np.asarray(indices).astype(kind))
    model.op("GATHER", [x, operand], [model.output(dtype, *q)], "GatherOptions",
             axis=axis - (rank if v.chance(0.3) else 0), batchDims=batch)
    return model


def pack(v):
    model = Model()
    shape = v.shape(v.integer(0, 3), 500)
    dtype = v.choice(["i8", "u8", "i16", "i32", "i64", "f32"])
    quantized = dtype in ("i8", "u8", "i16") and v.chance(0.85)
    q = (v.scale(), v.zero(dtype)) if quantized else (None, None)
    count = v.small(5)
    operands = [model.input(dtype, shape, *q) for _ in range(count)]
    axis = v.integer(-len(shape) - 1, len(shape))
    model.op("PACK", operands, [model.output(dtype, *q)], "PackOptions", valuesCount=count,
             axis=axis)
    return model


def unpack(v):
    model = Model()
    shape = list(v.shape(v.integer(1, 4), 800, 9))
    axis = v.integer(0, len(shape) - 1)
    x, dtype, q = moved_input(v, model, shape, ["i8", "u8", "i16", "i32", "f32"])
    outputs = [model.output(dtype, *q) for _ in range(shape[axis])]
    model.op("UNPACK", [x], outputs, "UnpackOptions", num=shape[axis],
             axis=axis - (len(shape) if v.chance(0.3) else 0))
    return model


def resize(code, table, dtypes):
    def make(v):
        model = Model()
        shape = (v.small(2), v.small(9), v.small(9), v.small(6))
        x, dtype, q = moved_input(v, model, shape, dtypes)
        size = np.array([v.small(20), v.small(20)], np.int32)
        corners = v.chance(0.3)
        model.op(code, [x, model.constant(size)], [model.output(dtype, *q)], table,
                 alignCorners=corners, halfPixelCenters=not corners and v.chance(0.4))
        return model
    return make


resize_nearest_neighbor = resize("RESIZE_NEAREST_NEIGHBOR", "ResizeNearestNeighborOptions",
                                 ["i8", "i8", "u8", "i16", "f32"])
resize_bilinear = resize("RESIZE_BILINEAR", "ResizeBilinearOptions",
                         ["i8", "i8", "u8", "u8", "i16", "f32"])

ALL = {f.upper(): globals()[f] for f in (
    "conv_2d depthwise_conv_2d transpose_conv fully_connected batch_matmul add sub mul maximum "
    "minimum relu relu6 relu_n1_to_1 leaky_relu hard_swish logistic tanh softmax log_softmax "
    "l2_normalization quantize dequantize cast average_pool_2d max_pool_2d mean reduce_max "
    "arg_max pad padv2 reshape squeeze expand_dims transpose concatenation split strided_slice "
    "gather pack unpack resize_nearest_neighbor resize_bilinear").split()}
