"""Random parameters and data, corner values over-represented."""
import numpy as np

from model import limits, numpy_type

SAME, VALID = 0, 1  # padding, in the schema
RUNS = 3  # in a row, of a model with a state


class Values:
    """A source of randomness for one case."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    # ---- numbers ----

    def chance(self, probability):
        return self.rng.random() < probability

    def integer(self, low, high):
        """low <= result <= high."""
        return int(self.rng.integers(low, high + 1))

    def choice(self, items):
        return items[self.integer(0, len(items) - 1)]

    def small(self, most):
        """1 to `most`, small numbers more often."""
        return min(self.integer(1, most), self.integer(1, most))

    def shape(self, rank, most_elements=4096, most=17):
        """Positive sizes; ones often, one of them large now and then."""
        while True:
            if rank > 0 and most_elements > 1000 and self.chance(0.04):
                shape = [self.choice([1, 1, 2]) for _ in range(rank)]
                shape[self.integer(0, rank - 1)] = self.integer(most, most_elements)
                return tuple(shape)
            shape = tuple(1 if self.chance(0.25) else self.small(most) for _ in range(rank))
            if np.prod(shape, dtype=np.int64) <= most_elements:
                return shape

    def channels(self):
        """Of an image: now and then more than the machine has lanes, or a multiple of them."""
        if self.chance(0.05):
            return self.integer(70, 300)
        return self.choice([self.small(20), self.small(20), self.small(20), self.integer(20, 70),
                            16 * self.integer(1, 3)])

    def image_size(self):
        """Rows or columns: now and then so many that the machine works in tiles."""
        return self.integer(17, 70) if self.chance(0.08) else self.small(16)

    def batch_of(self, elements):
        """Images, of which each has so many elements."""
        return self.choice([1, 1, 1, 2, 3]) if elements < 20000 else 1

    def activation(self):
        """None, RELU, RELU_N1_TO_1 or RELU6, in the schema."""
        return 0 if self.chance(0.5) else self.integer(1, 3)

    def rank(self, least=1):
        return 5 if self.chance(0.06) else self.integer(least, 4)

    # ---- quantisation ----

    def scale(self):
        """A float32: common sizes, powers of two, and now and then one that is far off."""
        kind = self.rng.random()
        if kind < 0.15:
            value = 2.0 ** self.integer(-9, 1)
        elif kind < 0.2:
            value = 2.0 ** self.rng.uniform(-16, 5)
        else:
            value = 2.0 ** self.rng.uniform(-9, 0)
        return float(np.float32(value))

    def near(self, scale, octaves=2.0):
        """A scale near another one, now and then far off; at times the same or a power of two away:
        then results lie on the edge between two roundings."""
        if self.chance(0.06):
            octaves = 12
        if self.chance(0.3):
            return float(np.float32(scale * 2.0 ** self.choice([0, 0, 0, -1, 1, -2, 2])))
        return float(np.float32(scale * 2.0 ** self.rng.uniform(-octaves, octaves)))

    def zero(self, dtype):
        low, high = limits(dtype)
        if dtype in ("i16", "i32"):
            return 0
        return self.choice([low, high, (low + high + 1) // 2, 0,
                            self.integer(low, high), self.integer(low, high)])

    # ---- data ----

    def data(self, dtype, shape, zero=0):
        if dtype == "f32":
            return self._floats(shape)
        if dtype == "bool":
            return self.rng.integers(0, 2, shape).astype(np.bool_)
        low, high = limits(dtype)
        if dtype in ("i32", "i64") and self.chance(0.8):
            low, high = -1000, 1000
        kind = self.rng.random()
        if kind < 0.06:
            array = np.full(shape, low)
        elif kind < 0.12:
            array = np.full(shape, high)
        elif kind < 0.3:
            array = self.rng.choice(np.array([low, low + 1, high - 1, high, zero]), shape)
        elif kind < 0.45:
            array = np.clip(np.round(self.rng.normal(zero, 3, shape)), low, high)
        else:
            array = self.rng.integers(low, high, shape, endpoint=True)
        return np.asarray(array).astype(numpy_type(dtype))

    def inputs(self, model):
        """Of a model, of one with a state for several runs in a row."""
        runs = RUNS if any(t.variable for t in model.tensors) else 1
        tensors = [model.tensors[i] for i in model.inputs]
        return [self.data(t.dtype, t.shape, t.middle()) for t in tensors * runs]

    def _floats(self, shape):
        kind = self.rng.random()
        if kind < 0.1:
            array = self.rng.choice(np.array([0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 6.0, 127.5]), shape)
        elif kind < 0.15:
            array = self.rng.choice(np.array([0.0, -0.0, 1e-45, -1e-38, 3e38, -3e38, np.inf,
                                              -np.inf, 1.5, 100.0, -100.0]), shape)
        elif kind < 0.25:
            array = self.rng.normal(0, 100, shape)
        else:
            array = self.rng.normal(0, self.choice([0.1, 1, 3, 10]), shape)
        return np.asarray(array).astype(np.float32)
