"""Networks of a given number of layers, for the time that compiling them takes."""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "differential"))
from model import Model, Tensor
from values import SAME

SIZE, CHANNELS = 28, 44  # rows and columns, channels of most tensors: NASNetMobile's first cells
SCALE = 0.05


class Layers:
    """Builds a model whose tensors are [1, SIZE, SIZE, CHANNELS]."""

    def __init__(self):
        self.model = Model()
        self.rng = np.random.default_rng(1)
        self.x = self.model.input("i8", (1, SIZE, SIZE, CHANNELS), SCALE, 0)

    @property
    def count(self):
        return len(self.model.operators)

    def output(self, channels=CHANNELS):
        return self.model.add(Tensor("i8", (1, SIZE, SIZE, channels), SCALE, 0))

    def weights(self, shape, axis):
        channels = shape[axis]
        spread = 1 / (40 * float(np.sqrt(np.prod(shape) / channels)))
        w = self.model.constant(self.rng.integers(-127, 128, shape).astype(np.int8),
                                [spread] * channels, [0] * channels, axis)
        bias = self.model.constant(self.rng.integers(-500, 500, channels).astype(np.int32),
                                   np.full(channels, SCALE * spread, np.float32), 0)
        return [w, bias]

    def conv(self, x, kernel, channels=CHANNELS):
        depth = self.model.tensors[x].shape[3]
        operands = [x] + self.weights((channels, kernel, kernel, depth), 0)
        y = self.output(channels)
        self.model.op("CONV_2D", operands, [y], "Conv2DOptions", padding=SAME, strideW=1, strideH=1,
                      dilationWFactor=1, dilationHFactor=1, fusedActivationFunction=1)
        return y

    def depthwise(self, x, kernel):
        operands = [x] + self.weights((1, kernel, kernel, CHANNELS), 3)
        y = self.output()
        self.model.op("DEPTHWISE_CONV_2D", operands, [y], "DepthwiseConv2DOptions", padding=SAME,
                      strideW=1, strideH=1, dilationWFactor=1, dilationHFactor=1, depthMultiplier=1,
                      fusedActivationFunction=0)
        return y

    def add(self, a, b):
        y = self.output()
        self.model.op("ADD", [a, b], [y], "AddOptions", fusedActivationFunction=0)
        return y

    def pool(self, x):
        y = self.output()
        self.model.op("AVERAGE_POOL_2D", [x], [y], "Pool2DOptions", padding=SAME, strideW=1,
                      strideH=1, filterWidth=3, filterHeight=3, fusedActivationFunction=0)
        return y

    def concat(self, parts):
        y = self.output(CHANNELS * len(parts))
        self.model.op("CONCATENATION", parts, [y], "ConcatenationOptions", axis=3)
        return y

    def finish(self, y):
        """The model, and how many layers it has."""
        self.model.outputs = [y]
        return self.model.to_bytes(), self.count


def chain(layers):
    """Convolutions one after another, 3x3 and 1x1 in turn."""
    net = Layers()
    y = net.x
    while net.count < layers:
        y = net.conv(y, 3 if net.count % 2 == 0 else 1)
    return net.finish(y)


def cell(net, a, b):
    """A cell as NASNet's: five sums of operators on the results of the two cells before, which are
    narrowed first; all sums are concatenated."""
    a, b = net.conv(a, 1), net.conv(b, 1)
    sums = [net.add(net.conv(net.depthwise(a, 3), 1), b),
            net.add(net.conv(net.depthwise(b, 3), 1), net.conv(net.depthwise(a, 5), 1)),
            net.add(net.pool(a), b),
            net.add(net.pool(b), net.pool(b)),
            net.add(net.conv(net.depthwise(b, 5), 1), net.conv(net.depthwise(b, 3), 1))]
    return net.concat([b] + sums)


def branching(layers):
    """Cells until there are so many layers, or a few more."""
    net = Layers()
    before, y = net.x, net.x
    while net.count < layers:
        before, y = y, cell(net, y, before)
    return net.finish(net.conv(y, 1))


ALL = {"chain": chain, "branching": branching}
