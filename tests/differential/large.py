"""Random models of one operator that the machine takes, of any size up to 4 M elements a tensor.

Sizes are drawn log-uniformly, the work of an operator is bounded, and everything else (element
types, scales, windows) is what the machine does: an operator of these that goes to the host is
refused for want of room.
"""
import functools

import numpy as np

from model import Model
from products import bias_of
from values import SAME, VALID

MOST_ELEMENTS = 1 << 22  # of a tensor
MOST_WORK = 2e9          # multiplications
MOST_READ = 3e8          # elements that the windows of a pool read

# Reasons why an operator is the host's on every machine, however large.
NOT_FOR_WANT_OF_ROOM = (
    "no 31-bit multiplier", "the result's scale is too small",
    "proved exact for windows of up to", "has a window of at most", "alike do not run",
    "cuts off more than its window",
)


# ---- sizes ----

def log_uniform(v, most):
    """1 to `most`."""
    return max(1, min(int(most), int(np.exp(v.rng.uniform(0, np.log(most + 1))))))


def split(v, elements, rank):
    """`rank` sizes with a product near `elements`, at most; ones now and then."""
    share = v.rng.dirichlet(np.full(rank, 0.8))
    shape = [max(1, int(elements ** part)) for part in share]
    return tuple(shape[i] for i in v.rng.permutation(rank))


def draw(v, rank):
    return split(v, log_uniform(v, MOST_ELEMENTS), rank)


def elements(shape):
    return int(np.prod(shape, dtype=np.int64))


def fits(*shapes):
    return all(1 <= elements(shape) <= MOST_ELEMENTS and min(shape) >= 1 for shape in shapes)


def retried(make):
    """Draws until `make` returns a model; None: sizes that are too large."""
    @functools.wraps(make)
    def again(v):
        while True:
            model = make(v)
            if model is not None:
                return model
    return again


def image(v):
    """Rows, columns and channels are drawn from one budget, images are few."""
    batch = v.choice([1, 1, 1, 1, 2, 3, 8])
    shape = draw(v, 3)
    return (batch,) + tuple(1 if v.chance(0.05) else n for n in shape)


def quantized(v):
    """Element type, scale and zero point."""
    dtype = v.choice(["i8", "i8", "i8", "i8", "u8"])
    return dtype, float(np.float32(2.0 ** v.rng.uniform(-9, 0))), v.zero(dtype)


def close(v, scale, octaves=1.5):
    return float(np.float32(scale * 2.0 ** v.rng.uniform(-octaves, octaves)))


# ---- windows ----

def window_of(v, n, most=7, dilate=True):
    """Kernel, stride and dilation of an axis of n elements."""
    kernel = min(v.choice([1, 2, 3, 3, 3, 5, v.integer(1, most)]), max(n, 3))
    stride = v.choice([1, 1, 1, 2, 2, 3, v.integer(1, 5)])
    dilation = log_uniform(v, max(1, min(n // kernel, 512))) if dilate and v.chance(0.2) else 1
    return kernel, stride, dilation


def result_size(n, kernel, stride, dilation, padding):
    return -(-n // stride) if padding == SAME else (n - (kernel - 1) * dilation - 1) // stride + 1


def windows(v, shape, **options):
    """(kernel, stride, dilation) of rows and columns, padding, rows and columns of the result."""
    rows, columns = window_of(v, shape[1], **options), window_of(v, shape[2], **options)
    padding = v.choice([SAME, VALID])
    size = [result_size(n, *axis, padding) for n, axis in zip(shape[1:3], (rows, columns))]
    return (rows, columns, padding, size) if min(size) >= 1 else windows(v, shape, **options)


# ---- products ----

def product(v, code, table, x_shape, w_shape, axis, channels, depth, first=None, kind=None,
            **fields):
    """A model of one product with weights for each channel and a bias. `first`: what stands before
    the weights and the image, for TRANSPOSE_CONV. `kind`: of the image, as quantized() has it."""
    dtype, in_scale, zero = kind or quantized(v)
    model = Model()
    x = model.input(dtype, x_shape, in_scale, zero)
    if dtype == "u8":
        scales, zeros = float(np.float32(2.0 ** v.rng.uniform(-9, -3))), v.zero("u8")
    else:
        scales = [float(s) for s in (2.0 ** v.rng.uniform(-9, -3, channels)).astype(np.float32)]
        zeros = [0] * channels
    low, high, numpy = (0, 255, np.uint8) if dtype == "u8" else (-127, 127, np.int8)
    weights = v.rng.integers(low, high, w_shape, endpoint=True).astype(numpy)
    w = model.constant(weights, scales, zeros, axis)
    bias = bias_of(v, model, np.int32, in_scale, scales, channels)
    out = close(v, in_scale * float(np.mean(scales)) * max(depth, 1) ** 0.5 * 60, 2)
    operands = [x, w] if first is None else [model.constant(np.array(first, np.int32)), w, x]
    model.op(code, operands + [bias], [model.output(dtype, out, v.zero(dtype))], table, **fields)
    return model


@retried
def conv_2d(v):
    shape = image(v)
    (kh, sh, dh), (kw, sw, dw), padding, size = windows(v, shape)
    channels = log_uniform(v, 2048)
    out, weights = (shape[0], *size, channels), (channels, kh, kw, shape[3])
    if not fits(shape, out, weights) or elements(out) * kh * kw * shape[3] > MOST_WORK:
        return None
    return product(v, "CONV_2D", "Conv2DOptions", shape, weights, 0, channels, kh * kw * shape[3],
                   padding=padding, strideW=sw, strideH=sh, dilationWFactor=dw, dilationHFactor=dh,
                   fusedActivationFunction=v.activation())


@retried
def depthwise_conv_2d(v):
    shape = image(v)
    (kh, sh, dh), (kw, sw, dw), padding, size = windows(v, shape)
    multiplier = v.choice([1, 1, 1, 1, 2, 3, 4, 8, 16])
    channels = shape[3] * multiplier
    out, weights = (shape[0], *size, channels), (1, kh, kw, channels)
    if not fits(shape, out, weights) or elements(out) * kh * kw > MOST_WORK:
        return None
    return product(v, "DEPTHWISE_CONV_2D", "DepthwiseConv2DOptions", shape, weights, 3, channels,
                   kh * kw, padding=padding, strideW=sw, strideH=sh, dilationWFactor=dw,
                   dilationHFactor=dh, depthMultiplier=multiplier,
                   fusedActivationFunction=v.activation())


@retried
def transpose_conv(v):
    shape = image(v)
    (kh, sh, _), (kw, sw, _) = (window_of(v, n, 5, dilate=False) for n in shape[1:3])
    padding, channels = v.choice([SAME, VALID]), log_uniform(v, 512)
    size = [n * s if padding == SAME else (n - 1) * s + k
            for n, k, s in zip(shape[1:3], (kh, kw), (sh, sw))]
    out, weights = (shape[0], *size, channels), (channels, kh, kw, shape[3])
    # The machine multiplies each element of the result with a whole window.
    if not fits(shape, out, weights) or elements(out) * kh * kw * shape[3] > MOST_WORK:
        return None
    return product(v, "TRANSPOSE_CONV", "TransposeConvOptions", shape, weights, 0, channels,
                   2 * shape[3], first=out, padding=padding, strideW=sw, strideH=sh,
                   fusedActivationFunction=v.activation())


@retried
def fully_connected(v):
    rows, depth = draw(v, 2)
    channels = log_uniform(v, 8192)
    if not fits((rows, channels), (channels, depth)) or rows * depth * channels > MOST_WORK:
        return None
    return product(v, "FULLY_CONNECTED", "FullyConnectedOptions", (rows, depth), (channels, depth),
                   0, channels, depth, fusedActivationFunction=v.activation())


# ---- by element ----

def broadcast(v, shape):
    """The shapes of two operands whose result has `shape`."""
    other = tuple(1 if v.chance(0.5) else n for n in shape)
    if v.chance(0.3):
        other = other[v.integer(0, len(shape) - 1):]
    return (shape, other) if v.chance(0.5) else (other, shape)


def binary_of(v, code, table, result, shapes, kind):
    """`result`: the scale of the result from those of the operands; None: one scale for all."""
    model = Model()
    dtype, scale, zero = kind
    other = close(v, scale) if result is not None else scale
    constant = v.integer(0, 1) if v.chance(0.2) else None
    operands = []
    for i, (part, s) in enumerate(zip(shapes, (scale, other))):
        z = zero if result is None else v.zero(dtype)
        operands.append(model.constant(v.data(dtype, part, z), s, z) if i == constant
                        else model.input(dtype, part, s, z))
    y = (model.output(dtype, scale, zero) if result is None
         else model.output(dtype, result(v, scale, other), v.zero(dtype)))
    fields = {} if result is None else dict(fusedActivationFunction=v.activation())
    model.op(code, operands, [y], table, **fields)
    return model


def binary(code, table, result=None):
    def make(v):
        shape = draw(v, v.integer(1, 4))
        shapes = (shape, shape) if v.chance(0.6) else broadcast(v, shape)
        return binary_of(v, code, table, result, shapes, quantized(v))
    return make


def sum_scale(v, a, b):
    return close(v, max(a, b) * 1.5)


def table_of(code, options=None, out=None, **fields):
    """`out`: scale and zero point of an int8 result that the reference asks for."""
    def make(v):
        model = Model()
        dtype, scale, zero = quantized(v)
        x = model.input(dtype, draw(v, v.integer(1, 4)), scale, zero)
        y = (model.output(dtype, close(v, scale), v.zero(dtype)) if out is None else
             model.output(dtype, out[0], out[1] + (128 if dtype == "u8" else 0)))
        model.op(code, [x], [y], options, **fields)
        return model
    return make


# ---- windows without weights, and means ----

def pool(code, most):
    @retried
    def make(v):
        model = Model()
        shape = image(v)
        (kh, sh, _), (kw, sw, _), padding, size = windows(v, shape, most=most, dilate=False)
        out = (shape[0], *size, shape[3])
        if not fits(shape, out) or elements(out) * kh * kw > MOST_READ:
            return None
        dtype, scale, zero = quantized(v)
        model.op(code, [model.input(dtype, shape, scale, zero)], [model.output(dtype, scale, zero)],
                 "Pool2DOptions", padding=padding, strideW=sw, strideH=sh, filterWidth=kw,
                 filterHeight=kh, fusedActivationFunction=v.activation())
        return model
    return make


@retried
def mean(v):
    model = Model()
    shape = image(v)
    if shape[1] * shape[2] > 1024 or not fits(shape):
        return None
    dtype, scale, zero = quantized(v)
    x = model.input(dtype, shape, scale, zero)
    model.op("MEAN", [x, model.constant(np.array([1, 2], np.int32))],
             [model.output(dtype, close(v, scale), v.zero(dtype))], "ReducerOptions",
             keepDims=v.chance(0.5))
    return model


# ---- moves ----

def moved(v, shape):
    """A model with an input of `shape`: model, input, and an output of its quantisation."""
    model = Model()
    dtype, scale, zero = quantized(v)
    x = model.input(dtype, shape, scale, zero)
    return model, x, lambda: model.output(dtype, scale, zero)


@retried
def pad(v):
    shape = image(v)
    pads = np.zeros((4, 2), np.int32)
    for axis in (1, 2):
        pads[axis] = [log_uniform(v, 40) - 1, log_uniform(v, 40) - 1]
    if not fits(shape, np.array(shape) + pads.sum(1)):
        return None
    model, x, output = moved(v, shape)
    model.op("PAD", [x, model.constant(pads)], [output()], "PadOptions")
    return model


@retried
def resize_nearest_neighbor(v):
    shape = image(v)
    factors = v.choice([2, 2, 3, 4, v.integer(1, 8)]), v.choice([2, 2, 3, 4, v.integer(1, 8)])
    size = [n * f for n, f in zip(shape[1:3], factors)]
    if not fits(shape, (shape[0], *size, shape[3])):
        return None
    model, x, output = moved(v, shape)
    model.op("RESIZE_NEAREST_NEIGHBOR", [x, model.constant(np.array(size, np.int32))], [output()],
             "ResizeNearestNeighborOptions")
    return model


@retried
def concatenation(v):
    shape = list(draw(v, v.integer(1, 4)))
    axis = v.integer(0, len(shape) - 1)
    parts = [log_uniform(v, max(1, 2 * shape[axis])) for _ in range(v.integer(2, 5))]
    if not fits(shape[:axis] + [sum(parts)] + shape[axis + 1:]):
        return None
    model, x, output = moved(v, shape[:axis] + [parts[0]] + shape[axis + 1:])
    first = model.tensors[x]
    operands = [x] + [model.input(first.dtype, shape[:axis] + [n] + shape[axis + 1:], first.scale,
                                  first.zero) for n in parts[1:]]
    model.op("CONCATENATION", operands, [output()], "ConcatenationOptions", axis=axis)
    return model


def split_op(v):
    parts = v.integer(2, 6)
    shape = list(draw(v, v.integer(1, 4)))
    axis = v.integer(0, len(shape) - 1)
    shape[axis] = max(1, shape[axis] // parts) * parts
    model, x, output = moved(v, shape)
    model.op("SPLIT", [model.constant(np.array(axis, np.int32)), x],
             [output() for _ in range(parts)], "SplitOptions", numSplits=parts)
    return model


def strided_slice(v):
    shape = draw(v, v.integer(1, 4))
    begin = [v.integer(0, n - 1) if v.chance(0.5) else 0 for n in shape]
    end = [v.integer(b + 1, n) if v.chance(0.5) else n for b, n in zip(begin, shape)]
    steps = [v.choice([1, 1, 2, 3]) if 0 < i < len(shape) - 1 and len(shape) == 4 else 1
             for i in range(len(shape))]
    model, x, output = moved(v, shape)
    constants = [model.constant(np.array(a, np.int32)) for a in (begin, end, steps)]
    model.op("STRIDED_SLICE", [x] + constants, [output()], "StridedSliceOptions", beginMask=0,
             endMask=0, ellipsisMask=0, newAxisMask=0, shrinkAxisMask=0)
    return model


def reshape(v):
    shape = draw(v, v.integer(1, 4))
    flat = [f for n in shape for f in prime_factors(n)]
    new = [1] * v.integer(1, 4)
    for factor in flat:
        new[v.integer(0, len(new) - 1)] *= factor
    model, x, output = moved(v, shape)
    model.op("RESHAPE", [x, model.constant(np.array(new, np.int32))], [output()], "ReshapeOptions",
             newShape=new)
    return model


def prime_factors(n):
    divisor = 2
    while n > 1:
        if divisor * divisor > n:
            divisor = n
        while n % divisor == 0:
            yield divisor
            n //= divisor
        divisor += 1


ALL = {
    "CONV_2D": conv_2d,
    "ADD": binary("ADD", "AddOptions", sum_scale),
    "DEPTHWISE_CONV_2D": depthwise_conv_2d,
    "MUL": binary("MUL", "MulOptions", lambda v, a, b: close(v, a * b * 60)),
    "TRANSPOSE_CONV": transpose_conv,
    "MAXIMUM": binary("MAXIMUM", "MaximumMinimumOptions"),
    "AVERAGE_POOL_2D": pool("AVERAGE_POOL_2D", 32),
    "SUB": binary("SUB", "SubOptions", sum_scale),
    "MAX_POOL_2D": pool("MAX_POOL_2D", 63),
    "MINIMUM": binary("MINIMUM", "MaximumMinimumOptions"),
    "FULLY_CONNECTED": fully_connected,
    "PAD": pad,
    "RESIZE_NEAREST_NEIGHBOR": resize_nearest_neighbor,
    "CONCATENATION": concatenation,
    "STRIDED_SLICE": strided_slice,
    "SPLIT": split_op,
    "MEAN": mean,
    "RESHAPE": reshape,
    "RELU": table_of("RELU"),
    "RELU6": table_of("RELU6"),
    "LEAKY_RELU": table_of("LEAKY_RELU", "LeakyReluOptions", alpha=0.1),
    "HARD_SWISH": table_of("HARD_SWISH", "HardSwishOptions"),
    "LOGISTIC": table_of("LOGISTIC", out=(1 / 256, -128)),
    "TANH": table_of("TANH", out=(1 / 128, 0)),
    "QUANTIZE": table_of("QUANTIZE", "QuantizeOptions"),
}
