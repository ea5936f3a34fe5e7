"""Random models of one operator that computes element by element: functions of one and two elements, comparisons, choices."""
import numpy as np

from elements import broadcast_shapes, two_operands, unary_input
from model import Model

QUANTIZED = ("i8", "u8", "i16")


def quantization(v, dtype, scale=None):
    return ((v.scale() if scale is None else scale), v.zero(dtype)) if dtype in QUANTIZED else (None, None)


# ---- one element ----

def function(code, table=None, dtypes=("f32",), least=None, **fields):
    """`least`: "zero" when no quantised element may be below the zero point."""
    def make(v):
        model = Model()
        dtype = v.choice(list(dtypes))
        shape = v.shape(v.rank(), 1500)
        scale, zero = quantization(v, dtype)
        if least == "zero" and zero is not None:
            zero = {"i8": -128, "u8": 0, "i16": 0}[dtype]
        x = model.input(dtype, shape, scale, zero)
        if least == "zero" and dtype == "i16":
            positive = model.output(dtype, scale, zero)
            model.op("ABS", [x], [positive], "AbsOptions")
            x = positive
        out = (None, None) if scale is None else (v.near(scale, 4), v.zero(dtype))
        made = {k: f(v) if callable(f) else f for k, f in fields.items()}
        model.op(code, [x], [model.output(dtype, *out)], table, **made)
        return model
    return make


abs_ = function("ABS", "AbsOptions", ("i8", "i16", "i32", "f32"))
neg = function("NEG", "NegOptions", ("i8", "i16", "i32", "i64", "f32"))
sign = function("SIGN", "SignOptions", ("i32", "f32"))
exp = function("EXP", "ExpOptions", ("i8", "i16", "f32"))
log = function("LOG", None, ("i8", "i16", "f32"))
sqrt = function("SQRT", None, ("i8", "i16", "f32"), "zero")
rsqrt = function("RSQRT", None, ("i8", "i16", "f32"), "zero")
square = function("SQUARE", "SquareOptions")
sin = function("SIN")
cos = function("COS", "CosOptions")
ceil = function("CEIL")
floor = function("FLOOR")
round_ = function("ROUND")
elu = function("ELU", None, ("i8", "f32"))
gelu = function("GELU", "GeluOptions", ("i8", "u8", "i16", "f32"), approximate=lambda v: v.chance(0.5))


def logical_not(v):
    model = Model()
    x = model.input("bool", v.shape(v.rank(), 1500))
    model.op("LOGICAL_NOT", [x], [model.output("bool")], "LogicalNotOptions")
    return model


# ---- two elements ----

def without_zeros(v, model, index):
    """The operand as a constant whose elements are not 0, or for quantised ones not the zero point."""
    tensor = model.tensors[index]
    if index in model.inputs:
        model.inputs.remove(index)
    data = v.data(tensor.dtype, tensor.shape, tensor.zero or 0)
    zero = 0 if tensor.zero is None or tensor.zero == data.dtype.type(0) else tensor.zero
    other = data.dtype.type(zero + (1 if zero < 100 else -1))
    tensor.data = np.where(data == data.dtype.type(zero), other, data).astype(data.dtype)


def pair(code, table, dtypes, divides=False, out=None, fused=False):
    def make(v):
        model = Model()
        dtype = v.choice(list(dtypes))
        shapes = broadcast_shapes(v)
        scales = [None, None]
        if dtype in QUANTIZED:
            scales = [v.scale(), v.scale()]
        operands = two_operands(v, model, dtype, shapes, scales)
        if divides and dtype != "f32" or divides == "always":
            if operands[0] == operands[1]:
                operands = [operands[0], model.add(model.tensors[operands[0]].__class__(
                    dtype, shapes[0], *([scales[0], v.zero(dtype)] if scales[0] else [None, None])))]
            without_zeros(v, model, operands[1])
        if not model.inputs:
            return make(v)
        y = model.output(dtype, *quantization(v, dtype, None if scales[0] is None else out(v, *scales)))
        fields = dict(fusedActivationFunction=v.activation()) if fused else {}
        model.op(code, operands, [y], table, **fields)
        return model
    return make


div = pair("DIV", "DivOptions", ("i8", "u8", "i16", "i32", "f32"), True, lambda v, a, b: v.near(a / b, 3), True)
squared_difference = pair("SQUARED_DIFFERENCE", "SquaredDifferenceOptions", ("i8", "i32", "f32"), False,
                          lambda v, a, b: v.near(a * b * 60, 3))
floor_div = pair("FLOOR_DIV", "FloorDivOptions", ("i8", "i16", "i32", "f32"), "always", lambda v, a, b: a)
floor_mod = pair("FLOOR_MOD", "FloorModOptions", ("i8", "i16", "i32", "i64", "f32"), True, lambda v, a, b: a)
logical_and = pair("LOGICAL_AND", "LogicalAndOptions", ("bool",))
logical_or = pair("LOGICAL_OR", "LogicalOrOptions", ("bool",))


def pow_(v):
    model = Model()
    dtype = v.choice(["f32", "f32", "i32"])
    shapes = broadcast_shapes(v)
    x = model.input(dtype, shapes[0])
    exponents = v.data("f32", shapes[1])
    if dtype == "i32" or v.chance(0.5):
        exponents = v.rng.integers(0, 5, shapes[1]).astype(np.int32 if dtype == "i32" else np.float32)
    operand = model.constant(exponents) if dtype == "i32" or v.chance(0.5) else model.input(dtype, shapes[1])
    model.op("POW", [x, operand], [model.output(dtype)], "PowOptions")
    return model


def prelu(v):
    model = Model()
    dtype = v.choice(["i8", "i8", "u8", "i16", "f32"])
    slopes = "i8" if dtype == "i16" else dtype
    shape = v.shape(v.integer(1, 4), 1500)
    alphas = tuple(1 if v.chance(0.5) else n for n in shape)[v.integer(0, len(shape) - 1):]
    scale, zero = quantization(v, dtype)
    x = model.input(dtype, shape, scale, zero)
    q = quantization(v, slopes)
    alpha = model.constant(v.data(slopes, alphas, q[1] or 0), *q)
    out = quantization(v, dtype, None if scale is None else v.near(scale, 3))
    model.op("PRELU", [x, alpha], [model.output(dtype, *out)])
    return model


# ---- comparisons, choices ----

def comparison(code, table, dtypes):
    def make(v):
        model = Model()
        dtype = v.choice(list(dtypes))
        shapes = broadcast_shapes(v)
        a = v.scale()
        scales = [a, v.near(a, 2)] if dtype in QUANTIZED else [None, None]
        operands = two_operands(v, model, dtype, shapes, scales)
        model.op(code, operands, [model.output("bool")], table)
        return model
    return make


ORDERED = ("i8", "i8", "u8", "i16", "i32", "i64", "f32")
equal = comparison("EQUAL", "EqualOptions", ORDERED + ("bool",))
not_equal = comparison("NOT_EQUAL", "NotEqualOptions", ORDERED + ("bool",))
less = comparison("LESS", "LessOptions", ORDERED)
less_equal = comparison("LESS_EQUAL", "LessEqualOptions", ORDERED)
greater = comparison("GREATER", "GreaterOptions", ORDERED)
greater_equal = comparison("GREATER_EQUAL", "GreaterEqualOptions", ORDERED)

CHOSEN = ["i8", "i8", "u8", "i16", "i32", "i64", "f32", "bool"]


def choice(v, code, table, condition, shapes):
    model = Model()
    dtype = v.choice(CHOSEN)
    q = quantization(v, dtype)
    operands = [model.input("bool", condition)] + [model.input(dtype, shape, *q) for shape in shapes]
    model.op(code, operands, [model.output(dtype, *q)], table)
    return model


def select(v):
    shape = v.shape(v.integer(1, 4), 1500)
    condition = v.choice([shape, shape, shape[:1], ()])
    return choice(v, "SELECT", "SelectOptions", condition, [shape, shape])


def select_v2(v):
    shape = v.shape(v.rank(), 1500)
    shapes = [tuple(1 if v.chance(0.3) else n for n in shape)[v.integer(0, len(shape) - 1) if v.chance(0.3) else 0:]
              for _ in range(3)]
    return choice(v, "SELECT_V2", "SelectV2Options", shapes[0], shapes[1:])
