"""Random models of products of two tensors, in heads that are parted and joined by transposes."""
import numpy as np

from model import Model, Tensor
from products import product_scale

DTYPE = "i8"


class Attention:
    """softmax(q k^T) v, or a function of one byte in the place of the softmax, or nothing."""

    def __init__(self, v):
        self.v = v
        self.model = Model()
        self.heads = v.choice([1, 2, 2, 3, 4])
        self.depth = v.choice([8, 16, 16, 32, 5, 24])
        # A softmax of few elements is the host's.
        self.has_softmax = v.chance(0.4)
        most = v.choice([40, 70]) if self.has_softmax else 40
        self.rows, self.columns = (v.integer(20, most) if self.has_softmax else v.small(most) for _ in range(2))

    def new(self, shape, like=None):
        """A tensor between operators, quantised like another one or at random."""
        quantized = (self.v.scale(), self.v.zero(DTYPE)) if like is None else like
        return self.model.add(Tensor(DTYPE, tuple(shape), *quantized))

    def quantized(self, x):
        return self.model.tensors[x].scale, self.model.tensors[x].zero

    def shape(self, x):
        return self.model.tensors[x].shape

    def op(self, code, operands, shape, table, like=None, **fields):
        y = self.new(shape, like)
        self.model.op(code, operands, [y], table, **fields)
        return y

    def ints(self, values):
        return self.model.constant(np.array(values, np.int32))

    def operand(self, rows):
        """[1, rows, channels of all heads]: an input, or made of one."""
        shape = (1, rows, self.heads * self.depth)
        x = self.model.input(DTYPE, shape, self.v.scale(), self.v.zero(DTYPE))
        if self.v.chance(0.3):
            return x
        return self.op("ADD", [x, x], shape, "AddOptions",
                       (self.v.near(self.quantized(x)[0], 2), self.v.zero(DTYPE)))

    def reshape(self, x, shape):
        return self.op("RESHAPE", [x, self.ints(shape)], shape, "ReshapeOptions", self.quantized(x),
                       newShape=list(shape))

    def transpose(self, x, order):
        shape = [self.shape(x)[i] for i in order]
        return self.op("TRANSPOSE", [x, self.ints(order)], shape, "TransposeOptions", self.quantized(x))

    def parted(self, x):
        _, rows, _ = self.shape(x)
        return self.transpose(self.reshape(x, (1, rows, self.heads, self.depth)), [0, 2, 1, 3])

    def joined(self, x):
        y = self.transpose(x, [0, 2, 1, 3])
        _, rows, _, _ = self.shape(y)
        flat = (rows, self.heads * self.depth) if self.v.chance(0.5) else (1, rows, self.heads * self.depth)
        return self.reshape(y, flat)

    def product(self, a, b, swap_b):
        _, heads, rows, depth = self.shape(a)
        columns = self.shape(b)[2 if swap_b else 3]
        scale = product_scale(self.v, self.quantized(a)[0], self.quantized(b)[0], depth)
        return self.op("BATCH_MATMUL", [a, b], (1, heads, rows, columns), "BatchMatMulOptions",
                       (scale, self.v.zero(DTYPE)), adjX=False, adjY=swap_b)

    def make(self):
        v = self.v
        q = self.operand(self.rows)
        k = q if v.chance(0.2) else self.operand(self.columns)
        values = k if v.chance(0.2) else self.operand(self.shape(k)[1])
        scores = self.product(self.parted(q), self.parted(k), True)
        if self.has_softmax:
            scores = self.op("SOFTMAX", [scores], self.shape(scores), "SoftmaxOptions", (1 / 256, -128), beta=1.0)
        elif v.chance(0.7):
            scores = self.op("LOGISTIC", [scores], self.shape(scores), None, (1 / 256, -128))
        y = self.product(scores, self.parted(values), False)
        if v.chance(0.8):
            y = self.joined(y)
        self.model.outputs.append(y)
        if v.chance(0.2):
            self.model.outputs.append(scores)
        return self.model


def attention(v):
    return Attention(v).make()
