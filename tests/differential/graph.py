"""A graph of operators under construction."""
import numpy as np

from model import Model, Tensor


class Graph:
    """A graph under construction. `live` are tensors of 4 dimensions that operators may use."""

    def __init__(self, v):
        self.v = v
        self.model = Model()
        self.dtype = v.choice(["i8", "i8", "u8"])  # of most tensors
        self.users = {}
        self.live = []
        self.leaves = []
        self.next = None  # the tensor that the next step must use
        for _ in range(v.choice([1, 1, 1, 2])):
            large = v.chance(0.05)
            h, w, c = (v.image_size() if large else v.small(12) for _ in range(3))
            shape = (v.batch_of(h * w * c), h, w, c)
            self.live.append(self.model.input(self.dtype, shape, v.scale(), v.zero(self.dtype)))

    def tensor(self, index):
        return self.model.tensors[index]

    def new(self, shape, scale, zero=None, dtype=None):
        """A tensor that the next operator makes."""
        dtype = dtype or self.dtype
        if dtype == "f32" or scale is None:
            return self.model.add(Tensor(dtype, tuple(shape)))
        # LiteRT shifts by more bits than an int has where scales are absurd.
        scale = min(max(scale, 2.0 ** -20), 2.0 ** 10)
        zero = self.v.zero(dtype) if zero is None else zero
        return self.model.add(Tensor(dtype, tuple(shape), scale, zero))

    def same(self, shape, x):
        """A result with the quantisation of x."""
        return self.new(shape, self.tensor(x).scale, self.tensor(x).zero, self.tensor(x).dtype)

    def op(self, code, inputs, outputs, table=None, **fields):
        """Adds an operator; its results are live."""
        self.inner(code, inputs, outputs, table, **fields)
        self.live += outputs

    def inner(self, code, inputs, outputs, table=None, **fields):
        """Adds an operator whose results only this step uses."""
        self.model.op(code, inputs, outputs, table, **fields)
        for x in inputs:
            self.users[x] = self.users.get(x, 0) + 1

    def leaf(self, code, inputs, outputs, table=None, **fields):
        """Adds an operator whose results are outputs of the model."""
        self.inner(code, inputs, outputs, table, **fields)
        self.leaves += outputs

    def pick(self):
        """A tensor, later ones and unused ones more often."""
        if self.next is not None:
            chosen, self.next = self.next, None
            return chosen
        unused = [x for x in self.live if x not in self.users]
        if unused and self.v.chance(0.7):
            return self.v.choice(unused)
        return self.v.choice(self.live[-4:])

    def ints(self, values):
        return self.model.constant(np.array(values, np.int32))
