"""Random models of one operator that takes parts of a tensor or puts them elsewhere: slices, mirrors,
blocks of rows and columns."""
import numpy as np

from model import Model
from moves import MOVED, moved_input

MOVED_OR_BOOL = MOVED + ["bool"]


def constant(v, model, values):
    """Positions as a constant of either type."""
    return model.constant(np.array(values, v.choice([np.int32, np.int32, np.int64])))


def slice_(v):
    model = Model()
    rank = v.integer(1, 5)
    shape = v.shape(rank, 2000)
    x, dtype, q = moved_input(v, model, shape, MOVED_OR_BOOL)
    begin = [v.integer(0, n - 1) if v.chance(0.6) else 0 for n in shape]
    size = [v.integer(1, n - b) if v.chance(0.6) else -1 for n, b in zip(shape, begin)]
    kind = v.choice([np.int32, np.int64])
    operands = [model.constant(np.array(values, kind)) for values in (begin, size)]
    model.op("SLICE", [x] + operands, [model.output(dtype, *q)], "SliceOptions")
    return model


def split_v(v):
    model = Model()
    shape = list(v.shape(v.integer(1, 4), 600))
    axis = v.integer(0, len(shape) - 1)
    sizes = [v.small(6) for _ in range(v.small(5))]
    shape[axis] = sum(sizes)
    asked = list(sizes)
    if v.chance(0.3):
        asked[v.integer(0, len(asked) - 1)] = -1
    x, dtype, q = moved_input(v, model, shape, ["i8", "u8", "i16", "i32", "i64", "f32"])
    at = model.constant(np.array(axis - (len(shape) if v.chance(0.3) else 0), np.int32))
    model.op("SPLIT_V", [x, model.constant(np.array(asked, np.int32)), at],
             [model.output(dtype, *q) for _ in sizes], "SplitVOptions", numSplits=len(sizes))
    return model


def reverse_v2(v):
    """LiteRT takes axes in a row alone."""
    model = Model()
    rank = v.integer(1, 5)
    x, dtype, q = moved_input(v, model, v.shape(rank, 2000), MOVED_OR_BOOL)
    first = v.integer(0, rank - 1)
    axes = list(range(first, v.integer(first, rank - 1) + 1))
    axes = [a - (rank if v.chance(0.2) else 0) for a in axes]
    model.op("REVERSE_V2", [x, model.constant(np.array(axes, np.int32))], [model.output(dtype, *q)],
             "ReverseV2Options")
    return model


def mirror_pad(v):
    model = Model()
    rank = v.integer(1, 4)
    shape = v.shape(rank, 600, 9)
    x, dtype, q = moved_input(v, model, shape, MOVED_OR_BOOL)
    mode = v.integer(0, 1)
    most = [min(n - (1 - mode), 6) for n in shape]
    pads = [[v.integer(0, m) if v.chance(0.6) else 0 for _ in range(2)] for m in most]
    model.op("MIRROR_PAD", [x, constant(v, model, pads)], [model.output(dtype, *q)],
             "MirrorPadOptions", mode=mode)
    return model


# ---- blocks ----

BLOCKED = ["i8", "i8", "u8", "i32", "i64", "f32"]  # of LiteRT's kernels between space and depth


def space_to_depth(v):
    model = Model()
    block = v.integer(1, 4) if v.chance(0.9) else v.integer(5, 9)
    shape = (v.integer(1, 3), block * v.small(5), block * v.small(5), v.small(20))
    x, dtype, q = moved_input(v, model, shape, BLOCKED)
    model.op("SPACE_TO_DEPTH", [x], [model.output(dtype, *q)], "SpaceToDepthOptions",
             blockSize=block)
    return model


def depth_to_space(v):
    model = Model()
    block = v.integer(1, 4)
    shape = (v.integer(1, 3), v.small(6), v.small(6), block * block * v.small(10))
    x, dtype, q = moved_input(v, model, shape, BLOCKED)
    model.op("DEPTH_TO_SPACE", [x], [model.output(dtype, *q)], "DepthToSpaceOptions",
             blockSize=block)
    return model


def blocked_shape(v):
    """Batch, one or two axes with blocks, channels; and the sizes of the blocks."""
    block = [v.small(4) for _ in range(v.choice([1, 2, 2, 2]))]
    if v.chance(0.05):
        block[0] = v.integer(9, 12)
    return [v.integer(1, 3)] + [b * v.small(4) for b in block] + [v.small(12)], block


def space_to_batch_nd(v):
    model = Model()
    shape, block = blocked_shape(v)
    pads = np.zeros((len(block), 2), np.int32)
    for i, b in enumerate(block):
        if v.chance(0.5):
            pads[i] = [v.integer(0, 3), v.integer(0, 3)]
            shape[1 + i] += -int(pads[i].sum()) % b
    x, dtype, q = moved_input(v, model, shape, MOVED)
    model.op("SPACE_TO_BATCH_ND",
             [x, model.constant(np.array(block, np.int32)), model.constant(pads)],
             [model.output(dtype, *q)], "SpaceToBatchNDOptions")
    return model


def batch_to_space_nd(v):
    model = Model()
    shape, block = blocked_shape(v)
    shape[0] *= int(np.prod(block))
    crops = np.zeros((len(block), 2), np.int32)
    for i, b in enumerate(block):
        left = shape[1 + i] * b - 1
        if v.chance(0.5):
            crops[i, 0] = v.integer(0, min(left, 3))
            crops[i, 1] = v.integer(0, min(left - crops[i, 0], 3))
    x, dtype, q = moved_input(v, model, shape, MOVED)
    model.op("BATCH_TO_SPACE_ND",
             [x, model.constant(np.array(block, np.int32)), model.constant(crops)],
             [model.output(dtype, *q)], "BatchToSpaceNDOptions")
    return model
