"""Random models of one operator that moves elements."""
import numpy as np

from model import Model


MOVED = ["i8", "i8", "u8", "u8", "i16", "i32", "i64", "f32"]


def moved_input(v, model, shape, dtypes=None):
    """An input of any type, and the quantisation that its result has too."""
    dtype = v.choice(dtypes or MOVED)
    quantized = dtype in ("i8", "u8", "i16") and v.chance(0.85)
    quantization = (v.scale(), v.zero(dtype)) if quantized else (None, None)
    return model.input(dtype, shape, *quantization), dtype, quantization


def random_pads(v, rank):
    pads = v.rng.integers(0, 4, (rank, 2)) * (v.rng.random((rank, 2)) < 0.6)
    return pads.astype(v.choice([np.int32, np.int32, np.int64]))


def pad(v):
    model = Model()
    rank = v.integer(1, 4)
    x, dtype, q = moved_input(v, model, v.shape(rank, 600, 9))
    pads = random_pads(v, rank)
    model.op("PAD", [x, model.constant(pads)], [model.output(dtype, *q)],
             "PadOptions")
    return model


def padv2(v):
    model = Model()
    rank = v.integer(1, 4)
    x, dtype, q = moved_input(v, model, v.shape(rank, 600, 9))
    pads = random_pads(v, rank)
    value = model.constant(v.data(dtype, (1,) if v.chance(0.5) else ()), *q)
    model.op("PADV2", [x, model.constant(pads), value], [model.output(dtype, *q)],
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
    if masks["newAxisMask"] or masks["ellipsisMask"]:
        # Entries may stand for other axes: a dropped one must have the element.
        begin = [0 if masks["shrinkAxisMask"] >> i & 1 else b for i, b in enumerate(begin)]
    # Ends as lengths: LiteRT takes them with neither masks nor steps back.
    masked = any(masks[name] for name in ("beginMask", "endMask", "ellipsisMask"))
    offset = v.chance(0.4) and not masked and entries == rank and new is None and min(step) > 0
    if offset:
        end = [e - b % n for b, e, n in zip(begin, end, shape)]
    constants = [model.constant(np.array(a, np.int32)) for a in (begin, end, step)]
    model.op("STRIDED_SLICE", [x] + constants, [model.output(dtype, *q)], "StridedSliceOptions",
             offset=offset, **masks)
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
        shape = (v.integer(1, 3), v.small(9), v.small(9), v.small(6))
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
