"""Random models of one convolution or matrix product."""
import numpy as np

from model import Model
from values import SAME, VALID

INT32, INT64 = 2, 4  # in the schema


# ---- windows ----

def axis_of_window(v, kernel_most, dilate):
    """Input size, kernel, stride and dilation of one axis."""
    kernel = v.integer(6, 12) if v.chance(0.05) else v.small(kernel_most)
    dilation = v.small(4) if dilate and v.chance(0.3) else 1
    return v.image_size(), kernel, v.small(5), dilation


def fewer(channels, work, most=2e7):
    """So many channels that the work, for each of them, is not too much for the reference."""
    return max(1, min(channels, int(most / work)))


def window(v, kernel_most=5, dilate=True):
    rows = axis_of_window(v, kernel_most, dilate)
    columns = axis_of_window(v, kernel_most, dilate)
    fits = all((k - 1) * d + 1 <= n for n, k, _, d in (rows, columns))
    return rows, columns, v.choice([SAME, VALID]) if fits else SAME


# ---- operands ----

def weight_scales(v, dtype, channels):
    """Scales and zero points, for each channel or for all. int8 weights ought to have the zero
    point 0; FULLY_CONNECTED minds others, convolutions do not."""
    if dtype != "u8" and v.chance(0.7):
        return [v.scale() for _ in range(channels)], [0] * channels
    return v.scale(), v.zero("u8") if dtype == "u8" else v.zero("i8") if v.chance(0.3) else 0


def product_scale(v, in_scale, scales, depth):
    """A result scale that uses the range: sometimes far too fine or too coarse."""
    typical = in_scale * float(np.mean(scales)) * max(depth, 1) ** 0.5 * 60
    return v.near(typical, 3)


def bias_of(v, model, kind, in_scale, scales, channels):
    most = v.choice([2 ** 15] * 6 + [2 ** 28, 0, 2 ** 31 - 1])
    if kind is np.int64:
        most = v.choice([2 ** 21, 2 ** 21, 2 ** 34])
    bias = v.rng.integers(-most, most, channels, endpoint=True).astype(kind)
    product = (np.float32(in_scale) * np.asarray(scales, np.float32)).astype(np.float32)
    return model.constant(bias, product, 0)


def product_types(v):
    return v.choice(["i8", "i8", "i8", "i8", "u8", "u8", "i16", "i16", "f32"])


HYBRID = "hybrid"  # floats with int8 weights


def hybrid_types(v):
    return HYBRID if v.chance(0.15) else product_types(v)


def hybrid_scales(v, channels, each):
    """Scales of int8 weights; `each`: LiteRT reads one for each channel, whatever there is."""
    if not each and v.chance(0.3):
        return v.scale()
    return [v.scale()] * channels if v.chance(0.2) else [v.scale() for _ in range(channels)]


class Product:
    """The tensors of a convolution or matrix product."""

    def __init__(self, v, dtype, x_shape, w_shape, w_axis, channels, depth, each=False):
        self.v, self.dtype, self.channels, self.depth = v, dtype, channels, depth
        self.model = Model()
        if dtype == HYBRID:
            self.dtype = "f32"
            scales = hybrid_scales(v, channels, each)
            self.x = self.model.input("f32", x_shape)
            self.w = self.weights(np.maximum(v.data("i8", w_shape), np.int8(-127)), scales, 0,
                                  w_axis)
            return
        if dtype == "f32":
            self.x = self.model.input("f32", x_shape)
            self.w = self.weights(v.data("f32", w_shape), None, None, 0)
            return
        self.in_scale = v.scale()
        self.scales, zeros = weight_scales(v, dtype, channels)
        self.x = self.model.input(dtype, x_shape, self.in_scale, v.zero(dtype))
        kind = "u8" if dtype == "u8" else "i8"
        self.w = self.weights(v.data(kind, w_shape, np.mean(zeros)), self.scales, zeros, w_axis)

    def weights(self, data, scales, zeros, axis):
        """Constant; now and then they come in as an input."""
        w = self.model.constant(data, scales, zeros, axis)
        if np.ndim(scales) == 0 and self.v.chance(0.08):
            self.model.tensors[w].data = None
            self.model.inputs.append(w)
        return w

    def bias(self, kind):
        if self.dtype == "f32":
            return self.model.constant(self.v.data("f32", (self.channels,)))
        return bias_of(self.v, self.model, kind, self.in_scale, self.scales, self.channels)

    def output(self):
        if self.dtype == "f32":
            return self.model.output("f32")
        scale = product_scale(self.v, self.in_scale, self.scales, self.depth)
        scale = scale / 128 if self.dtype == "i16" else scale
        return self.model.output(self.dtype, scale, self.v.zero(self.dtype))

    def finish(self, code, table, operands, wide_only=False, **fields):
        """Adds the operator, with a bias or without; of int16, with int32 or int64 sums."""
        narrow = self.dtype != "i16" or not wide_only and self.v.chance(0.4)
        if self.dtype == "i16" and not wide_only and (narrow or self.v.chance(0.5)):
            fields["quantizedBiasType"] = INT32 if narrow else INT64
        if self.v.chance(0.85):
            operands = operands + [self.bias(np.int32 if narrow else np.int64)]
        elif self.v.chance(0.5):
            operands = operands + [-1]
        self.model.op(code, operands, [self.output()], table, **fields)
        return self.model


# ---- operators ----

def conv_2d(v):
    (h, kh, sh, dh), (w, kw, sw, dw), padding = window(v)
    groups = v.choice([1, 1, 1, 1, 2, 3, 4])
    depth = v.channels() if groups == 1 else v.small(9)
    depth = fewer(depth, h * w, 2e5)
    channels = v.channels() if groups == 1 else v.small(9) * groups
    if groups == 1:
        channels = fewer(channels, h * w * kh * kw * depth)
    product = Product(v, hybrid_types(v), (v.batch_of(h * w * depth), h, w, depth * groups),
                      (channels, kh, kw, depth), 0, channels, kh * kw * depth, groups > 1)
    return product.finish("CONV_2D", "Conv2DOptions", [product.x, product.w], padding=padding,
                          strideW=sw, strideH=sh, dilationWFactor=dw, dilationHFactor=dh,
                          fusedActivationFunction=v.activation())


def depthwise_conv_2d(v):
    (h, kh, sh, dh), (w, kw, sw, dw), padding = window(v)
    multiplier = v.choice([1, 1, 1, 2, 3, 8])
    few = multiplier > 1 and v.chance(0.5)
    depth = fewer(v.small(12) if few else v.channels(), h * w, 2e5)
    channels = depth * multiplier
    product = Product(v, hybrid_types(v), (v.batch_of(h * w * depth), h, w, depth),
                      (1, kh, kw, channels), 3, channels, kh * kw, True)
    return product.finish("DEPTHWISE_CONV_2D", "DepthwiseConv2DOptions", [product.x, product.w],
                          wide_only=True, padding=padding, strideW=sw, strideH=sh,
                          dilationWFactor=dw, dilationHFactor=dh, depthMultiplier=multiplier,
                          fusedActivationFunction=v.activation())


def transpose_conv(v):
    (h, kh, sh, _), (w, kw, sw, _), _ = window(v, 4, dilate=False)
    padding = v.choice([SAME, VALID])
    h, w = min(h, 7), min(w, 7)
    depth, channels = v.small(10), v.small(10)

    def size(n, k, s):
        """A size whose convolution has n elements."""
        rest = v.integer(0, s - 1) if v.chance(0.4) else 0
        return n * s - rest if padding == SAME else (n - 1) * s + k + rest

    batch = v.batch_of(h * w * depth)
    out = np.array([batch, size(h, kh, sh), size(w, kw, sw), channels], np.int32)
    product = Product(v, product_types(v), (batch, h, w, depth), (channels, kh, kw, depth), 0,
                      channels, depth * 2)
    return product.finish("TRANSPOSE_CONV", "TransposeConvOptions",
                          [product.model.constant(out), product.w, product.x], padding=padding,
                          strideW=sw, strideH=sh, fusedActivationFunction=v.activation())


def fully_connected(v):
    depth = v.integer(100, 700) if v.chance(0.1) else v.small(80)
    depth = 16 * v.small(6) if v.chance(0.15) else depth  # what sparse weights come in
    channels = v.channels()
    rows = v.shape(v.choice([1, 1, 2, 3]), 30, 6)
    product = Product(v, hybrid_types(v), rows + (depth,), (channels, depth), 0, channels, depth)
    return product.finish("FULLY_CONNECTED", "FullyConnectedOptions", [product.x, product.w],
                          fusedActivationFunction=v.activation(), keepNumDims=v.chance(0.3),
                          asymmetricQuantizeInputs=v.chance(0.3))


def batch_matmul(v):
    model = Model()
    rank = v.choice([2, 3, 3, 4, 5])
    batch_a = list(v.shape(rank - 2, 12, 4))
    batch_b = [1 if v.chance(0.2) else n for n in batch_a]
    batch_a = [1 if v.chance(0.2) else n for n in batch_a]
    if v.chance(0.2):
        batch_b = batch_b[v.integer(0, len(batch_b)):]
    rows, depth, columns = v.small(9), v.small(40), v.small(9)
    swap_a, swap_b = v.chance(0.4), v.chance(0.4)
    a_shape = batch_a + ([depth, rows] if swap_a else [rows, depth])
    b_shape = batch_b + ([columns, depth] if swap_b else [depth, columns])
    dtype = v.choice(["i8", "i8", "f32", "i16"])
    if dtype == "f32":
        scales, zeros, y = (None, None), (None, None), model.output(dtype)
    else:
        scales, zeros = (v.scale(), v.scale()), (v.zero(dtype), v.zero(dtype))
        out = product_scale(v, scales[0], scales[1], depth)
        y = model.output(dtype, out, v.zero(dtype))
    a = model.input(dtype, a_shape, scales[0], zeros[0])
    b = (model.constant(v.data(dtype, b_shape, zeros[1] or 0), scales[1], zeros[1])
         if v.chance(0.5) else model.input(dtype, b_shape, scales[1], zeros[1]))
    model.op("BATCH_MATMUL", [a, b], [y], "BatchMatMulOptions", adjX=swap_a, adjY=swap_b)
    return model
