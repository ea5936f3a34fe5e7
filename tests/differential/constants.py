"""Constants of a random model that the file holds otherwise than as plain arrays: sparse ones,
integers of 2 and 4 bits, float16; with the operators that LiteRT wants between them and others."""
import numpy as np

from model import DTYPES, Tensor, limits
from packing import Sparsity

MOST_ELEMENTS = 6000  # of a tensor: packing them takes Python a while
PRODUCTS = ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")


# ---- sparse ----

def sparsity(v, shape):
    """Any levels, in any order; blocks dense and divisors of their dimensions. LiteRT knows the
    sizes of blocks only where the first block is the first one traversed, or the last of two."""
    rank = len(shape)
    order = [int(i) for i in v.rng.permutation(rank)] if v.chance(0.5) else list(range(rank))
    block_map = [axis for axis in range(rank) if v.chance(0.25)][:2]
    block_size = [v.choice([n for n in range(1, shape[axis] + 1) if shape[axis] % n == 0])
                  for axis in block_map]
    blocks = list(range(rank, rank + len(block_map)))
    if v.chance(0.5):
        blocks.reverse()
    kind = v.rng.random()
    compressed = [v.chance(0.6) for _ in range(rank)]
    if kind < 0.2:
        compressed = [False] * rank
    elif kind < 0.4:
        compressed = [i == rank - 1 for i in range(rank)]
    return Sparsity(order + blocks, compressed + [False] * len(blocks), block_map, block_size,
                    v.choice(["i32", "u16", "u8"]), v.choice(["i32", "u16", "u8"]),
                    v.choice([0.0, 0.0, 0.3, 1.0]), v.chance(0.2), v.integer(0, 2 ** 30))


def thinned(v, data):
    """With zeros: some elements, some rows, or all."""
    share = v.choice([0.0, 0.5, 0.9, 0.9, 1.0])
    kept = v.rng.random(data.shape) >= share
    if data.ndim > 0 and v.chance(0.5):
        kept &= v.rng.random(data.shape[:1] + (1,) * (data.ndim - 1)) >= 0.4
    return np.where(kept, data, data.dtype.type(0))


# ---- one constant ----

class Packer:
    def __init__(self, v, model):
        self.v, self.model = v, model
        self.added = []  # operators that must come first

    def users(self, index):
        return [op for op in self.model.operators if index in op.inputs]

    def dtype_of(self, index):
        return self.model.tensors[index].dtype

    def through(self, code, index, tensor):
        """What was constant is made of another constant by an operator."""
        made = self.model.add(tensor)
        self.model.tensors[index].data = None
        self.model.tensors[index].sparsity = None
        before = len(self.added)
        self.model.op(code, [made], [index])
        self.added.insert(0, self.model.operators.pop())
        assert len(self.added) == before + 1
        return made

    def sparse(self, index, directly=False):
        """Sparse, and behind DENSIFY unless the user takes it as it is."""
        tensor = self.model.tensors[index]
        data = thinned(self.v, tensor.data)
        how = sparsity(self.v, data.shape)
        if directly:
            tensor.data, tensor.sparsity = data, how
        else:
            self.through("DENSIFY", index, Tensor(tensor.dtype, data.shape, tensor.scale, tensor.zero,
                                                  tensor.axis, data, how))

    def blocks_of_16(self, index):
        """Weights that LiteRT's FULLY_CONNECTED multiplies as they are stored."""
        tensor = self.model.tensors[index]
        how = Sparsity([0, 1, 2], [False, True, False], [1], [16], kept=self.v.choice([0.0, 0.5]))
        tensor.data, tensor.sparsity = thinned(self.v, tensor.data), how
        tensor.zero = np.zeros_like(tensor.zero) if np.ndim(tensor.zero) else 0

    def half(self, index):
        """A float32 constant as float16 behind DEQUANTIZE; maybe any bits that are a number."""
        data = self.model.tensors[index].data
        with np.errstate(over="ignore"):
            halves = data.astype(np.float16)
        if self.v.chance(0.2):
            bits = self.v.rng.integers(0, 2 ** 16, data.shape).astype(np.uint16)
            halves = np.where(bits & 0x7C00 == 0x7C00, bits & 0x83FF, bits).astype(np.uint16)
            halves = halves.view(np.float16)
        made = self.through(self.v.choice(["DEQUANTIZE", "DEQUANTIZE", "CAST"]), index,
                            Tensor("f16", data.shape, data=halves))
        if self.v.chance(0.4):
            self.sparse(made)

    def quantised(self, index):
        """A float32 constant as integers behind DEQUANTIZE."""
        v, shape = self.v, self.model.tensors[index].shape
        dtype = v.choice(["i4", "i4", "i2", "u4", "i8"])
        scale, zero, axis = v.scale(), v.zero(dtype), 0
        if len(shape) > 0 and v.chance(0.4):
            axis = v.integer(0, len(shape) - 1)
            scale = [v.scale() for _ in range(shape[axis])]
            zero = [v.zero(dtype) for _ in range(shape[axis])]
        low, high = limits(dtype)
        data = v.rng.integers(low, high, shape, endpoint=True).astype(DTYPES[dtype][0])
        code = "CAST" if v.chance(0.2) else "DEQUANTIZE"
        made = self.through(code, index, Tensor(dtype, shape, scale, zero, axis, data))
        if dtype == "i8":
            self.sparse(made)

    def narrow(self, index, dtype):
        """int8 weights as integers of 2 or 4 bits, whose zero point LiteRT wants to be 0."""
        tensor = self.model.tensors[index]
        low, high = limits(dtype)
        tensor.data = (tensor.data.astype(np.int64) % (high - low + 1) + low).astype(np.int8)
        tensor.zero = np.zeros_like(tensor.zero) if np.ndim(tensor.zero) else 0
        tensor.dtype = dtype

    def narrow_type(self, index):
        """What kernels LiteRT has for these weights, or None."""
        users = self.users(index)
        if len(users) != 1 or users[0].code not in PRODUCTS or users[0].inputs[1] != index:
            return None
        code, x = users[0].code, self.dtype_of(users[0].inputs[0])
        if code == "FULLY_CONNECTED" and x in ("i8", "i16"):
            return self.v.choice(["i4", "i4", "i2"])
        return "i4" if x == "i8" and (code != "CONV_2D" or len(users[0].inputs) > 2) else None

    def pack(self, index):
        """Packs one constant in one of the ways that LiteRT has for it."""
        tensor, users = self.model.tensors[index], self.users(index)
        dense = bool(users) and all(op.code == "FULLY_CONNECTED" and op.inputs[1] == index
                                    for op in users)
        kind = self.v.rng.random()
        if tensor.dtype == "f32":
            if dense and kind < 0.4:
                self.sparse(index, directly=True)
            elif kind < 0.6:
                self.sparse(index)
            else:
                (self.half if self.v.chance(0.5) else self.quantised)(index)
            return
        narrow = self.narrow_type(index)
        if (dense and kind < 0.4 and tensor.shape[1] % 16 == 0
                and all(self.dtype_of(op.inputs[0]) == "i8" for op in users)):
            self.blocks_of_16(index)
        elif narrow is not None and kind < 0.7:
            self.narrow(index, narrow)
        else:
            self.sparse(index)


# ---- a model ----

# Operators whose random models often have constants that can be packed.
WITH_CONSTANTS = ["CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV",
                  "FULLY_CONNECTED", "BATCH_MATMUL", "ADD", "MUL", "MAXIMUM", "PADV2"]


def packable(model):
    return [i for i, t in enumerate(model.tensors)
            if t.data is not None and t.dtype in ("f32", "i8") and 0 < t.data.size <= MOST_ELEMENTS
            and i not in model.inputs]


def packed_kinds(model):
    """What the packed constants of a model are."""
    return [f"sparse {t.dtype}" if t.sparsity is not None else t.dtype for t in model.tensors
            if t.data is not None and (t.sparsity is not None
                                       or t.dtype in ("i2", "i4", "u4", "f16"))]


def pack_constants(v, model, share):
    """Packs this share of the constants that can be, and if there are any at least one when the
    share is 1. Returns how many."""
    chosen = [i for i in packable(model) if v.chance(share)]
    packer = Packer(v, model)
    for index in chosen:
        packer.pack(index)
    model.operators[:0] = packer.added
    return len(chosen)
