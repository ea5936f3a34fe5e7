"""Random models of one operator that counts, sorts or indexes elements, or repeats a tensor."""
import numpy as np

from model import Model
from moves import MOVED, moved_input
from slices import MOVED_OR_BOOL


def cumsum(v):
    model = Model()
    dtype = v.choice(["i32", "i64", "f32"])
    rank = v.integer(1, 4)
    x = model.input(dtype, v.shape(rank, 2000))
    axis = model.constant(np.array(v.integer(-rank, rank - 1), np.int32).reshape(v.choice([(), (1,)])))
    model.op("CUMSUM", [x, axis], [model.output(dtype)], "CumsumOptions", exclusive=v.chance(0.4),
             reverse=v.chance(0.4))
    return model


def topk_v2(v):
    model = Model()
    shape = v.shape(v.integer(1, 4), 1500)
    x, dtype, q = moved_input(v, model, shape, ["i8", "u8", "i16", "i32", "i64", "f32"])
    depth = model.constant(np.array(v.integer(1, shape[-1]), np.int32))
    model.op("TOPK_V2", [x, depth], [model.output(dtype, *q), model.output("i32")], "TopKV2Options")
    return model


def one_hot(v):
    model = Model()
    rank = v.integer(0, 3)
    depth = v.integer(1, 9)
    indices = model.input(v.choice(["i32", "i32", "i64"]), v.shape(rank, 100, 6))
    dtype = v.choice(["i8", "u8", "i16", "i32", "i64", "f32", "bool"])
    elements = [model.constant(v.data(dtype, ())) for _ in range(2)]
    model.op("ONE_HOT", [indices, model.constant(np.array(depth, np.int32))] + elements, [model.output(dtype)],
             "OneHotOptions", axis=v.integer(-1, rank))
    return model


def indices_into(v, shape, depth, most):
    """Indices of parts, a row of them for each."""
    outer = v.shape(v.integer(0, 2), most, 6)
    rows = [v.rng.integers(0, n, outer) for n in shape[:depth]]
    return np.stack(rows, -1).astype(v.choice([np.int32, np.int32, np.int64])) if rows else None


def gather_nd(v):
    model = Model()
    shape = v.shape(v.integer(1, 4), 800)
    x, dtype, q = moved_input(v, model, shape, ["i8", "u8", "i16", "i32", "i64", "f32", "bool"])
    indices = indices_into(v, shape, v.integer(1, len(shape)), 12)
    model.op("GATHER_ND", [x, model.constant(indices)], [model.output(dtype, *q)], "GatherNdOptions")
    return model


def scatter_nd(v):
    model = Model()
    shape = v.shape(v.integer(1, 4), 800)
    depth = v.integer(1, len(shape))
    indices = indices_into(v, shape, depth, 12).astype(np.int32)
    parts, dtype, q = moved_input(v, model, indices.shape[:-1] + tuple(shape[depth:]),
                                  ["i8", "u8", "i32", "i64", "f32"])
    model.op("SCATTER_ND", [model.constant(indices), parts, model.constant(np.array(shape, np.int32))],
             [model.output(dtype, *q)], "ScatterNdOptions")
    return model


def tile(v):
    model = Model()
    shape = v.shape(v.integer(1, 4), 300, 7)
    x, dtype, q = moved_input(v, model, shape, MOVED_OR_BOOL)
    multiples = np.array([v.integer(1, 3) if v.chance(0.5) else 1 for _ in shape], v.choice([np.int32, np.int64]))
    model.op("TILE", [x, model.constant(multiples)], [model.output(dtype, *q)], "TileOptions")
    return model


def broadcast_to(v):
    model = Model()
    shape = v.shape(v.integer(1, 5), 1500)
    small = tuple(1 if v.chance(0.5) else n for n in shape)[v.integer(0, len(shape) - 1) if v.chance(0.5) else 0:]
    x, dtype, q = moved_input(v, model, small, ["i8", "u8", "i16", "i32", "i64", "f32", "bool"])
    asked = np.array(shape, v.choice([np.int32, np.int64]))
    model.op("BROADCAST_TO", [x, model.constant(asked)], [model.output(dtype, *q)], "BroadcastToOptions", 2)
    return model


def fill(v):
    model = Model()
    x, dtype, q = moved_input(v, model, (), ["i8", "i16", "i32", "i64", "f32", "bool"])
    shape = np.array(v.shape(v.integer(1, 4), 1500), v.choice([np.int32, np.int64]))
    model.op("FILL", [model.constant(shape), x], [model.output(dtype, *q)], "FillOptions")
    return model


# ---- results that are known when the model is read ----

def zeros_like(v):
    model = Model()
    dtype = v.choice(["i32", "i64", "f32"])
    model.op("ZEROS_LIKE", [model.input(dtype, v.shape(v.rank(), 1000))], [model.output(dtype)], "ZerosLikeOptions")
    return model


def shape_(v):
    model = Model()
    x, _, _ = moved_input(v, model, v.shape(v.integer(1, 5), 1000), MOVED)
    y = v.choice(["i32", "i64"])
    model.op("SHAPE", [x], [model.output(y)], "ShapeOptions", outType={"i32": 2, "i64": 4}[y])
    return model


def rank_(v):
    model = Model()
    x, _, _ = moved_input(v, model, v.shape(v.integer(0, 5), 1000), MOVED)
    model.op("RANK", [x], [model.output("i32")], "RankOptions")
    return model


def range_(v):
    model = Model()
    dtype = v.choice(["i32", "i64", "f32"])
    step = v.choice([1, 1, 2, 3, -1, -2])
    first = v.integer(-20, 20)
    limits = [first, first + step * v.integer(1, 30) + (v.integer(0, 1) if abs(step) > 1 else 0), step]
    if dtype == "f32":
        limits = [x * 0.3 for x in limits]
    kind = {"i32": np.int32, "i64": np.int64, "f32": np.float32}[dtype]
    model.op("RANGE", [model.constant(np.array(x, kind)) for x in limits], [model.output(dtype)], "RangeOptions")
    return model


def broadcast_args(v):
    model = Model()
    shape = v.shape(v.integer(1, 5), 1000)
    kind = v.choice([np.int32, np.int64])
    shapes = [np.array(shape, kind), np.array([1 if v.chance(0.5) else n for n in shape], kind)]
    operands = [model.constant(s) for s in (shapes if v.chance(0.5) else shapes[::-1])]
    model.op("BROADCAST_ARGS", operands, [model.output({np.int32: "i32", np.int64: "i64"}[kind])])
    return model


def where(v):
    """Of a constant; and the result is used, so that its shape is known."""
    model = Model()
    dtype = v.choice(["bool", "i32", "f32", "i8"])
    data = v.data(dtype, v.shape(v.integer(1, 4), 300))
    data[v.rng.random(data.shape) < 0.5] = 0
    model.op("WHERE", [model.constant(data)], [model.output("i64")], "WhereOptions")
    return model
