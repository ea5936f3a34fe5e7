"""Steps of random graphs: convolutions and matrix products."""
import numpy as np


def out_size(n, k, s, padding):
    return -(-n // s) if padding == 0 else (n - k) // s + 1


def window(g, x, most=4):
    v = g.v
    _, h, w, _ = g.tensor(x).shape
    kh, kw = v.small(most), v.small(most)
    padding = v.choice([0, 1]) if kh <= h and kw <= w else 0
    sh, sw = v.choice([1, 1, 2]), v.choice([1, 1, 2])
    return kh, kw, sh, sw, padding, out_size(h, kh, sh, padding), out_size(w, kw, sw, padding)


def product_operands(g, shape, axis, channels, x, depth):
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
    kh, kw, sh, sw, padding, h, w = window(g, x)
    channels = g.v.small(16)
    weights, bias, scale = product_operands(g, (channels, kh, kw, c), 0, channels, x, kh * kw * c)
    g.op("CONV_2D", [x, weights, bias], [g.new((n, h, w, channels), scale)], "Conv2DOptions",
         padding=padding, strideW=sw, strideH=sh, dilationWFactor=1, dilationHFactor=1,
         fusedActivationFunction=g.v.activation())


def depthwise(g):
    x = g.pick()
    n, _, _, c = g.tensor(x).shape
    kh, kw, sh, sw, padding, h, w = window(g, x)
    multiplier = g.v.choice([1, 1, 1, 1, 2, 3])
    channels = c * multiplier
    weights, bias, scale = product_operands(g, (1, kh, kw, channels), 3, channels, x, kh * kw)
    g.op("DEPTHWISE_CONV_2D", [x, weights, bias], [g.new((n, h, w, channels), scale)],
         "DepthwiseConv2DOptions", padding=padding, strideW=sw, strideH=sh,
         depthMultiplier=multiplier, dilationWFactor=1, dilationHFactor=1,
         fusedActivationFunction=g.v.activation())


def transpose_conv(g):
    x = g.pick()
    n, h, w, c = g.tensor(x).shape
    if h * w > 64:
        return
    k, s, channels = g.v.small(3), g.v.small(2), g.v.small(8)
    shape = (n, h * s, w * s, channels)
    weights, bias, scale = product_operands(g, (channels, k, k, c), 0, channels, x, k * k * c)
    g.op("TRANSPOSE_CONV", [g.ints(shape), weights, x, bias], [g.new(shape, scale)],
         "TransposeConvOptions", padding=0, strideW=s, strideH=s,
         fusedActivationFunction=g.v.activation())


def matmul(g):
    """The last two axes by a constant matrix, or by a live tensor."""
    v = g.v
    x = g.pick()
    n, h, w, c = g.tensor(x).shape
    swap = v.chance(0.5)
    fitting = [y for y in g.live if g.tensor(y).shape[0] == n and g.tensor(y).shape[1] in (1, h)
               and g.tensor(y).shape[3 if swap else 2] == c]
    if g.dtype != "i8":
        return
    if fitting and v.chance(0.5):
        y = v.choice(fitting)
    else:
        zero = v.zero("i8")
        shape = (v.small(10), c) if swap else (c, v.small(10))
        y = g.model.constant(v.data("i8", shape, zero), v.scale(), zero)
    other = g.tensor(y)
    columns = other.shape[-2 if swap else -1]
    scale = v.near(g.tensor(x).scale * other.scale * c ** 0.5 * 60, 2)
    g.op("BATCH_MATMUL", [x, y], [g.new((n, h, w, columns), scale)], "BatchMatMulOptions",
         adjX=False, adjY=swap)


def float_product(g, x):
    """A convolution or a dense layer of floats; its weights may be quantised ones, dequantised."""
    v = g.v
    n, h, w, c = g.tensor(x).shape
    channels = v.small(8)
    if v.chance(0.5):
        weights = g.model.constant(v.rng.normal(0, 1, (channels, 1, 1, c)).astype(np.float32))
    else:
        quantized = g.model.constant(v.data("i8", (channels, 1, 1, c)), v.scale(), 0)
        weights = g.new((channels, 1, 1, c), None, dtype="f32")
        g.inner("DEQUANTIZE", [quantized], [weights], "DequantizeOptions")
    bias = g.model.constant(v.rng.normal(0, 1, channels).astype(np.float32))
    y = g.new((n, h, w, channels), None, dtype="f32")
    g.inner("CONV_2D", [x, weights, bias], [y], "Conv2DOptions", padding=0, strideW=1, strideH=1,
            dilationWFactor=1, dilationHFactor=1, fusedActivationFunction=v.activation())
    return y


def through_int16(g):
    """A convolution of int16 elements between 8-bit ones."""
    v = g.v
    x = g.pick()
    t = g.tensor(x)
    if g.dtype != "i8":
        return
    wide = g.new(t.shape, v.near(t.scale / 200, 1), 0, "i16")
    g.inner("QUANTIZE", [x], [wide], "QuantizeOptions")
    channels = v.small(8)
    weights, bias, scale = product_operands(g, (channels, 1, 1, t.shape[3]), 0, channels, wide,
                                            t.shape[3])
    g.model.tensors[bias].dtype = "i64"
    g.model.tensors[bias].data = g.model.tensors[bias].data.astype(np.int64)
    y = g.new(t.shape[:3] + (channels,), float(np.float32(scale / 4)), 0, "i16")
    g.inner("CONV_2D", [wide, weights, bias], [y], "Conv2DOptions", padding=0, strideW=1,
            strideH=1, dilationWFactor=1, dilationHFactor=1, fusedActivationFunction=v.activation())
    g.op("QUANTIZE", [y], [g.new(g.tensor(y).shape, v.near(t.scale, 2))], "QuantizeOptions")


def dense(g):
    """Flattens, multiplies, and gives the result four dimensions again."""
    x = g.pick()
    n, h, w, c = g.tensor(x).shape
    if h * w * c > 600:
        return
    channels = g.v.small(20)
    weights, bias, scale = product_operands(g, (channels, h * w * c), 0, channels, x, h * w * c)
    y = g.new((n, channels), scale)
    g.inner("FULLY_CONNECTED", [x, weights, bias], [y], "FullyConnectedOptions",
            fusedActivationFunction=g.v.activation())
    shape = (n, 1, 1, channels)
    g.op("RESHAPE", [y, g.ints(shape)], [g.same(shape, y)], "ReshapeOptions",
         newShape=list(shape))
