"""Random models of one operator that looks at windows or reduces axes."""
import numpy as np

from model import Model
from elements import unary_input
from products import fewer, window


def pool(code):
    def make(v):
        model = Model()
        (h, kh, sh, _), (w, kw, sw, _), padding = window(v, 6, dilate=False)
        depth = fewer(v.channels(), h * w, 2e5)
        dtype = v.choice(["i8", "i8", "u8", "u8", "i16", "f32"])
        x, scale = unary_input(v, model, dtype, (v.batch_of(h * w * depth), h, w, depth))
        if dtype == "f32":
            y = model.output(dtype)
        else:
            y = model.output(dtype, scale, model.tensors[x].zero)
        model.op(code, [x], [y], "Pool2DOptions", padding=padding, strideW=sw, strideH=sh,
                 filterWidth=kw, filterHeight=kh, fusedActivationFunction=v.activation())
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
reduce_min = reduce("REDUCE_MIN", ["i8", "i8", "u8", "i16", "f32", "i32", "i64"], True)
reduce_any = reduce("REDUCE_ANY", ["bool"], True)
reduce_all = reduce("REDUCE_ALL", ["bool"], True)
sum_ = reduce("SUM", ["u8", "u8", "f32", "i32", "i64"], False)  # of int8, int16 LiteRT's is wrong (numerics.md)
reduce_prod = reduce("REDUCE_PROD", ["f32", "i32", "i64"], True)


def arg_extreme(v, code, table):
    model = Model()
    dtype = v.choice(["i8", "u8", "f32", "i32"])
    rank = v.integer(1, 4)
    x, _ = unary_input(v, model, dtype, v.shape(rank, 2000)) if dtype != "i32" else (
        model.input(dtype, v.shape(rank, 2000)), None)
    axis = model.constant(np.array(v.integer(-rank, rank - 1), np.int32).reshape(
        v.choice([(), (1,)])))
    y_type = v.choice(["i32", "i64"])
    model.op(code, [x, axis], [model.output(y_type)], table,
             outputType={"i32": 2, "i64": 4}[y_type])
    return model


def arg_max(v):
    return arg_extreme(v, "ARG_MAX", "ArgMaxOptions")


def arg_min(v):
    return arg_extreme(v, "ARG_MIN", "ArgMinOptions")

