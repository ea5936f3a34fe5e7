"""Random models of one operator that works element by element, or of one conversion."""
import numpy as np

from model import Model


# ---- arithmetic ----

def broadcast_shapes(v):
    """Shapes of two operands: equal, or one of them with ones or fewer axes."""
    shape = v.shape(v.rank(), 2000)
    if v.chance(0.04):
        shape = (1, v.integer(10, 70), v.integer(10, 70), v.integer(1, 40))
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
    """Inputs or constants; now and then one input twice."""
    operands = []
    constant = v.integer(0, 1) if v.chance(0.3) else None
    if v.chance(0.06):
        x = model.input(dtype, shapes[0], scales[0], None if scales[0] is None else v.zero(dtype))
        return [x, x]
    for i, (shape, scale) in enumerate(zip(shapes, scales)):
        zero = None if scale is None else v.zero(dtype)
        if i == constant:
            operands.append(model.constant(v.data(dtype, shape, zero or 0), scale, zero))
        else:
            operands.append(model.input(dtype, shape, scale, zero))
    return operands


def sum_scale(v, a, b):
    return v.near(max(a, b) * 1.5, 2)


def powers_of_two(v, model, operands, y):
    """Scales of a sum that LiteRT computes by shifts: one operand's is the result's."""
    scale = 2.0 ** v.integer(-12, 3)
    scales = [scale, scale * 2.0 ** -v.choice([0, 1, 1, 2, 5, 17])]
    if v.chance(0.5):
        scales.reverse()
    for index, one in zip(operands, scales):
        model.tensors[index].scale = one
    model.tensors[y].scale = max(model.tensors[i].scale for i in operands)


def binary(code, table, out_scale, plain):
    def make(v):
        model = Model()
        dtype = v.choice(["i8", "i8", "i8", "u8", "u8"] + plain)
        shapes = broadcast_shapes(v)
        if dtype in ("i8", "u8", "i16"):
            a = v.scale()
            b = v.near(a, 6) if v.chance(0.8) else v.scale()
            operands = two_operands(v, model, dtype, shapes, [a, b])
            y = model.output(dtype, out_scale(v, a, b), v.zero(dtype))
        else:
            operands = two_operands(v, model, dtype, shapes, [None, None])
            y = model.output(dtype)
        fields = {} if table == "MaximumMinimumOptions" else dict(
            fusedActivationFunction=v.activation() if dtype != "i64" else 0)
        if dtype == "i16" and code in ("ADD", "SUB"):
            fields["potScaleInt16"] = v.chance(0.7)
            if v.chance(0.4):
                powers_of_two(v, model, operands, y)
        model.op(code, operands, [y], table, **fields)
        return model
    return make


COMPARED = ["f32", "i16", "i32", "i64"]
add = binary("ADD", "AddOptions", sum_scale, ["f32", "i32", "i16"])
sub = binary("SUB", "SubOptions", sum_scale, ["f32", "i32", "i16"])
mul = binary("MUL", "MulOptions", lambda v, a, b: v.near(a * b * 60, 4), ["f32", "i32", "i16"])
maximum = binary("MAXIMUM", "MaximumMinimumOptions", lambda v, a, b: a, COMPARED)
minimum = binary("MINIMUM", "MaximumMinimumOptions", lambda v, a, b: a, COMPARED)


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
        x, scale = unary_input(v, model, dtype, v.shape(v.rank(), 1500))
        if dtype == "f32":
            y = model.output(dtype)
        elif out is not None and dtype == "i16":
            y = model.output(dtype, 1 / 32768, 0)
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
WITH_INT16 = ("i8", "i8", "u8", "i16", "f32")
logistic = unary("LOGISTIC", out=(1 / 256, -128), dtypes=WITH_INT16)
tanh = unary("TANH", out=(1 / 128, 0), dtypes=WITH_INT16)
softmax = unary("SOFTMAX", "SoftmaxOptions", out=(1 / 256, -128), dtypes=WITH_INT16,
                beta=lambda v: float(np.float32(v.choice([1.0, 1.0, v.rng.uniform(0.1, 3)]))))
log_softmax = unary("LOG_SOFTMAX", "LogSoftmaxOptions", out=(1 / 16, 127))
l2_normalization = unary("L2_NORMALIZATION", "L2NormOptions", out=(1 / 128, 0))


# ---- conversions ----

def channel_scales(v, shape):
    """The quantisation of a tensor along one of its axes, with zero points 0."""
    axis = v.integer(0, len(shape) - 1)
    return [v.scale() for _ in range(shape[axis])], [0] * shape[axis], axis


def quantize_by_channel(v):
    model = Model()
    shape = v.shape(v.integer(1, 4), 600)
    scales, zeros, axis = channel_scales(v, shape)
    y = model.output(v.choice(["i8", "i16"]), scales, zeros)
    model.tensors[y].axis = axis
    model.op("QUANTIZE", [model.input("f32", shape)], [y], "QuantizeOptions")
    return model


def quantize(v):
    if v.chance(0.1):
        return quantize_by_channel(v)
    model = Model()
    source = v.choice(["f32", "f32", "i8", "i8", "u8", "u8", "i16", "i32"])
    target = v.choice(["i8", "u8"] if source != "f32" else ["i8", "u8", "i16"])
    if source in ("i8", "i16", "i32") and v.chance(0.2):
        target = "i16" if source != "i32" else "i8"
    shape = v.shape(v.rank(0), 1500)
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
    x = model.input(dtype, v.shape(v.rank(0), 1500), v.scale(), v.zero(dtype))
    shape = model.tensors[x].shape
    if len(shape) > 0 and dtype == "i8" and v.chance(0.2):
        scales, zeros, axis = channel_scales(v, shape)
        model.tensors[x].scale, model.tensors[x].zero, model.tensors[x].axis = scales, zeros, axis
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

