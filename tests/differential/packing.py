"""How constants lie in a file when not as plain arrays: sparse tensors and integers of 2 and 4 bits."""
import dataclasses

import numpy as np
from ai_edge_litert import schema_py_generated as schema

BITS = {"i2": 2, "i4": 4, "u4": 4}  # of an element, by element type
VECTORS = {"i32": (schema.SparseIndexVector.Int32Vector, schema.Int32VectorT, np.int32),
           "u16": (schema.SparseIndexVector.Uint16Vector, schema.Uint16VectorT, np.uint16),
           "u8": (schema.SparseIndexVector.Uint8Vector, schema.Uint8VectorT, np.uint8)}


@dataclasses.dataclass
class Sparsity:
    """`order`: of the dimensions, and after them of the blocks' (rank, rank + 1, ...), which lie
    along the dimensions `block_map` with sizes `block_size`. In this order: which are compressed,
    what their vectors hold, and which zeros are stored all the same (a share; `seed`)."""
    order: list
    compressed: list
    block_map: list = dataclasses.field(default_factory=list)
    block_size: list = dataclasses.field(default_factory=list)
    segments: str = "i32"
    indices: str = "i32"
    kept: float = 0.0
    shuffled: bool = False
    seed: int = 0

    def without_blocks(self):
        rank = len(self.order) - len(self.block_map)
        return dataclasses.replace(self, order=self.order[:rank], block_map=[], block_size=[],
                                   compressed=self.compressed[:rank])


def packed(array, bits):
    """Elements of few bits, the first in the lowest."""
    each = 8 // bits
    flat = np.zeros(-(-array.size // each) * each, np.uint8)
    flat[:array.size] = array.astype(np.uint8).ravel() & (1 << bits) - 1
    shifts = bits * np.arange(each, dtype=np.uint8)
    return np.bitwise_or.reduce(flat.reshape(-1, each) << shifts, axis=1).astype(np.uint8)


def _expanded(array, sparsity):
    """One axis for each dimension and each block's, in the order of `sparsity`."""
    sizes, axes, blocks = [], [], {}
    for axis, size in enumerate(array.shape):
        axes.append(len(sizes))
        if axis in sparsity.block_map:
            block = sparsity.block_map.index(axis)
            sizes.append(size // sparsity.block_size[block])
            blocks[block] = len(sizes)
            sizes.append(sparsity.block_size[block])
        else:
            sizes.append(size)
    axes += [blocks[block] for block in range(len(blocks))]
    return array.reshape(sizes).transpose(tuple(axes[i] for i in sparsity.order))


def _vector(values, name):
    """A vector of the schema; one of int32 where the values do not fit."""
    kind, table, numpy_type = VECTORS[name]
    values = np.asarray(values, np.int64)
    if values.size > 0 and values.max() > np.iinfo(numpy_type).max:
        kind, table, numpy_type = VECTORS["i32"]
    made = table()
    made.values = values.astype(numpy_type)
    return kind, made


def _compress(parts, sparsity, rng):
    """The parts that are stored, of each of some, and what says where they were."""
    segments, indices, stored = [0], [], []
    for part in parts:
        chosen = [i for i, inner in enumerate(part) if np.any(inner) or rng.random() < sparsity.kept]
        if sparsity.shuffled:
            rng.shuffle(chosen)
        indices += chosen
        stored += [part[i] for i in chosen]
        segments.append(len(indices))
    made = schema.DimensionMetadataT(format=schema.DimensionType.SPARSE_CSR)
    made.arraySegmentsType, made.arraySegments = _vector(segments, sparsity.segments)
    made.arrayIndicesType, made.arrayIndices = _vector(indices, sparsity.indices)
    return stored, made


def sparse(array, sparsity):
    """The stored elements of a dense array, and the schema's description of them."""
    rng = np.random.default_rng(sparsity.seed)
    expanded = _expanded(array, sparsity)
    parts, metadata = [expanded], []
    for compressed, size in zip(sparsity.compressed, expanded.shape):
        if compressed:
            parts, made = _compress(parts, sparsity, rng)
        else:
            parts = [inner for part in parts for inner in part]
            made = schema.DimensionMetadataT(format=schema.DimensionType.DENSE, denseSize=size)
        metadata.append(made)
    return np.array(parts, array.dtype), schema.SparsityParametersT(
        traversalOrder=sparsity.order, blockMap=sparsity.block_map or None, dimMetadata=metadata)
