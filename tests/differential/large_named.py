"""Operators of certain sizes that were refused, wrong or slow to compile at some time."""
from large import binary_of, product, sum_scale
from model import Model
from values import SAME, VALID

INT8 = ("i8", 0.1, 3)  # element type, scale and zero point


def conv(shape, channels, kernel, stride=(1, 1), dilation=(1, 1), padding=SAME):
    def make(v):
        (kh, kw), depth = kernel, shape[3]
        return product(v, "CONV_2D", "Conv2DOptions", shape, (channels, kh, kw, depth), 0, channels,
                       kh * kw * depth, padding=padding, strideH=stride[0], strideW=stride[1],
                       dilationHFactor=dilation[0], dilationWFactor=dilation[1],
                       fusedActivationFunction=0, kind=INT8)
    return make


def depthwise(shape, kernel, multiplier=1, dilation=(1, 1)):
    def make(v):
        (kh, kw), channels = kernel, shape[3] * multiplier
        return product(v, "DEPTHWISE_CONV_2D", "DepthwiseConv2DOptions", shape,
                       (1, kh, kw, channels), 3, channels, kh * kw, padding=SAME, strideH=1,
                       strideW=1, dilationHFactor=dilation[0], dilationWFactor=dilation[1],
                       depthMultiplier=multiplier, fusedActivationFunction=0, kind=INT8)
    return make


def transpose_conv(shape, channels, kernel, stride):
    def make(v):
        out = (shape[0], shape[1] * stride, shape[2] * stride, channels)
        return product(v, "TRANSPOSE_CONV", "TransposeConvOptions", shape,
                       (channels, kernel, kernel, shape[3]), 0, channels, 2 * shape[3], first=out,
                       padding=VALID, strideH=stride, strideW=stride, fusedActivationFunction=0,
                       kind=INT8)
    return make


def conv_add(shape, channels):
    """A 1x1 convolution, and the sum of its result and another input."""
    def make(v):
        model = conv(shape, channels, (1, 1))(v)
        y = model.outputs.pop()
        model.tensors[y].shape = shape[:3] + (channels,)
        scale, zero = model.tensors[y].scale, model.tensors[y].zero
        other = model.input("i8", shape[:3] + (channels,), scale, zero)
        model.op("ADD", [y, other], [model.output("i8", 1.5 * scale, zero)], "AddOptions",
                 fusedActivationFunction=0)
        return model
    return make


def add(*shape):
    return lambda v: binary_of(v, "ADD", "AddOptions", sum_scale, (shape, shape), INT8)


def mul(shape, other):
    return lambda v: binary_of(v, "MUL", "MulOptions", lambda v, a, b: a * b * 60, (shape, other),
                               INT8)


def maximum(*shape):
    return lambda v: binary_of(v, "MAXIMUM", "MaximumMinimumOptions", None, (shape, shape), INT8)


def one_operand(code, shape, table=None, **fields):
    """The result is quantised as the operand."""
    def make(v):
        model = Model()
        model.op(code, [model.input(INT8[0], shape, *INT8[1:])], [model.output(*INT8)], table,
                 **fields)
        return model
    return make


ALL = {
    "add-wide": add(1, 4, 512, 256),
    "add-wider": add(1, 4, 1024, 96),
    "add-widest": add(1, 2, 1920, 64),
    "add-flat-3": add(1, 300, 384),
    "mul-flat-3": mul((1, 300, 384), (1, 300, 384)),
    "maximum-flat-3": maximum(1, 300, 384),
    "add-flat-90000": add(1, 90000),
    "add-flat-131072": add(128, 1024),
    "add-flat-28800": add(1, 28800),
    "conv-add": conv_add((1, 4, 512, 256), 256),
    "conv1d-dilated": conv((1, 1, 2000, 64), 64, (1, 2), dilation=(1, 512)),
    "transpose-conv": transpose_conv((1, 69, 2795, 7), 1, 2, 2),
    "depthwise-rate-12": depthwise((1, 64, 128, 320), (3, 3), dilation=(12, 12)),
    "depthwise-rate-18": depthwise((1, 64, 128, 320), (3, 3), dilation=(18, 18)),
    "depthwise-multiplier": depthwise((1, 1, 4000, 64), (1, 3), multiplier=2),
    "conv-3399": conv((1, 3399, 1, 572), 16, (1, 1)),
    "mul-many-images": mul((19041, 1, 7, 1), (19041, 1, 1, 1)),
    "hard-swish-many-images": one_operand("HARD_SWISH", (5524, 2, 5, 12), "HardSwishOptions"),
    "max-pool-tall-window": one_operand("MAX_POOL_2D", (1, 1537, 411, 1), "Pool2DOptions",
                                        padding=SAME, strideW=1, strideH=1, filterWidth=5,
                                        filterHeight=57, fusedActivationFunction=0),
    # More than one image, rows left out between windows.
    "conv-stride-above-kernel": conv((2, 366, 1, 176), 16, (1, 2), stride=(3, 1)),
}
