#!/usr/bin/env python3
"""Writes the models of tests/onnx/examples with inputs, and outputs as the package onnx computes them (onnx.reference); where it can not,
as ONNX Runtime does.

usage: make_examples.py FOLDER [NAME...]     needs onnx, onnxruntime and numpy; what it writes is in the tree
Each model has the operators of a family, and every result as an output.
"""
import json
import sys
from pathlib import Path

import numpy as np
import onnxruntime
from onnx import AttributeProto, TensorProto, ValueInfoProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from onnx.reference.ops.op_rnn import RNN_14

EXAMPLES = {}


class RNN(RNN_14):
    """The reference knows no Relu."""

    def choose_act(self, name, alpha, beta):
        return (lambda x: np.maximum(x, 0)) if name == "Relu" else super().choose_act(name, alpha, beta)


def run(model, inputs):
    """The outputs of a model whose outputs have no types as yet."""
    for output in model.graph.output:
        output.ClearField("type")
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(model.SerializeToString(), options).run(None, inputs)


def reference(operator, attribute, name, kind, *inputs):
    """A node of a function, whose result is `out` and whose attribute is that of its call."""
    node = helper.make_node(operator, inputs, ["out"])
    node.attribute.append(AttributeProto(name=attribute, ref_attr_name=name, type=kind))
    return node


def branch(name, *nodes):
    """A branch of If: its outputs are those of the last node."""
    return helper.make_graph(nodes, name, [], [ValueInfoProto(name=out) for out in nodes[-1].output])


def body(inputs, outputs, *nodes, constants=(), kinds=()):
    """The body of Loop or Scan: tensors of floats, or one element of a type of `kinds`; `constants` are arrays by name."""
    def ends(names):
        return [helper.make_tensor_value_info(name, dict(kinds).get(name, TensorProto.FLOAT), [] if name in dict(kinds) else None) for name in names]
    return helper.make_graph(nodes, "body", ends(inputs), ends(outputs), [numpy_helper.from_array(array, name) for name, array in constants])


def example(function):
    """A function that adds nodes to a Model."""
    EXAMPLES[function.__name__] = function
    return function


class Model:
    """Nodes, constants and inputs of a model; every result is an output."""

    def __init__(self):
        self.nodes, self.constants, self.inputs, self.hidden = [], {}, {}, set()
        self.random = np.random.default_rng(20261122)
        self.opset = 22
        self.functions = []
        self.is_run = False  # by ONNX Runtime, in place of the reference

    def floats(self, *shape, low=-2.0, high=2.0):
        return self.random.uniform(low, high, shape).astype(np.float32)

    def input(self, name, array):
        self.inputs[name] = np.asarray(array)
        return name

    def constant(self, array):
        name = f"c{len(self.constants)}"
        self.constants[name] = np.asarray(array)
        return name

    def add(self, operator, *inputs, outputs=1, unwanted=(), **attributes):
        """A node; arrays among the inputs become constants. The names of its results, or of the one; no names of those nobody wants."""
        names = ["" if x is None else x if isinstance(x, str) else self.constant(x) for x in inputs]
        results = [f"{operator}{len(self.nodes)}_{i}" for i in range(outputs)]
        results = ["" if i in unwanted else result for i, result in enumerate(results)]
        self.nodes.append(helper.make_node(operator, names, results, **attributes))
        return results[0] if outputs == 1 else results

    def write(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("*.npy"):
            old.unlink()
        ends = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
                for name, array in self.inputs.items()]
        results = [name for node in self.nodes for name in node.output if name]
        outs = [helper.make_tensor_value_info(name, TensorProto.UNDEFINED, None) for name in results]
        constants = [numpy_helper.from_array(array, name) for name, array in self.constants.items()]
        graph = helper.make_graph(self.nodes, "g", ends, outs, constants)
        domains = [helper.make_opsetid(name, 1) for name in sorted({node.domain for node in self.nodes} - {""})]
        domains.append(helper.make_opsetid("", self.opset))
        model = helper.make_model(graph, opset_imports=domains, ir_version=10, functions=self.functions)
        values = run(model, self.inputs) if self.is_run else ReferenceEvaluator(model, new_ops=[RNN]).run(None, self.inputs)
        for out, value in zip(outs, values):
            out.type.tensor_type.elem_type = helper.np_dtype_to_tensor_dtype(np.asarray(value).dtype)
        del graph.output[:]
        graph.output.extend(outs)
        model = helper.make_model(graph, opset_imports=domains, ir_version=10, functions=self.functions)
        (folder / "model.onnx").write_bytes(model.SerializeToString())
        for i, array in enumerate(self.inputs.values()):
            np.save(folder / f"input_{i}.npy", array)
        for i, value in enumerate(values):
            np.save(folder / f"output_{i}.npy", np.ascontiguousarray(value).reshape(np.shape(value)))
        (folder / "meta.json").write_text(json.dumps({"rtol": 1e-5, "atol": 1e-5}) + "\n")


@example
def functions(m):
    x = m.input("x", m.floats(2, 5))
    y = m.input("y", m.floats(2, 5, low=0.1))
    for operator in ("Abs", "Ceil", "Celu", "Cos", "Elu", "Erf", "Exp", "Floor", "Gelu", "HardSigmoid", "HardSwish", "Identity",
                     "IsNaN", "LeakyRelu", "Mish", "Neg", "Relu", "Round", "Selu", "Sigmoid", "Sign", "Sin", "Softplus", "Softsign",
                     "Tanh", "ThresholdedRelu"):
        m.add(operator, x)
    for operator in ("Log", "Reciprocal", "Sqrt"):
        m.add(operator, y)
    m.add("Gelu", x, approximate="tanh")
    m.add("Elu", x, alpha=0.5)
    m.add("Celu", x, alpha=0.5)
    m.add("Clip", x, np.float32(-1), np.float32(0.5))
    m.add("Clip", x, None, np.float32(0.5))
    m.add("Clip", x, np.float32(0), np.float32(6))


@example
def operands(m):
    a, b = m.input("a", m.floats(2, 3, 4)), m.input("b", m.floats(3, 1))
    i, j = m.input("i", m.random.integers(-9, 9, (2, 3)).astype(np.int32)), m.input("j", np.array([2, -3, 5], np.int32))
    p, q = m.input("p", np.array([[True, False], [False, True]])), m.input("q", np.array([True, False]))
    for operator in ("Add", "Sub", "Mul", "Div", "PRelu", "Max", "Min", "Mean", "Sum", "Equal", "Greater", "GreaterOrEqual", "Less",
                     "LessOrEqual"):
        m.add(operator, a, b)
    for operator in ("Add", "Sub", "Mul", "Mod", "Max", "Min", "Equal", "Greater"):
        m.add(operator, i, j)
    for operator in ("And", "Or", "Xor"):
        m.add(operator, p, q)
    m.add("Not", p)
    m.add("Mod", i, j, fmod=1)
    m.add("Pow", m.add("Abs", a), b)
    m.add("Where", q, np.float32([1, 2]), np.float32([[3], [4]]))


@example
def convolutions(m):
    x = m.input("x", m.floats(2, 4, 6, 5))
    line = m.input("line", m.floats(1, 3, 9))
    m.add("Conv", x, m.floats(3, 4, 3, 2), m.floats(3), pads=[1, 0, 2, 1], strides=[2, 1])
    m.add("Conv", x, m.floats(4, 2, 2, 2), group=2, dilations=[2, 1])
    m.add("Conv", x, m.floats(8, 1, 3, 3), group=4, auto_pad="SAME_UPPER", strides=[2, 2])
    m.add("Conv", x, m.floats(1, 4, 1, 1), auto_pad="VALID")
    m.add("Conv", line, m.floats(2, 3, 4), m.floats(2), pads=[2, 1], strides=[2])
    m.add("ConvTranspose", x, m.floats(4, 3, 3, 2), m.floats(3), strides=[2, 3], output_padding=[1, 1], pads=[1, 0, 1, 1])
    m.add("ConvTranspose", m.floats(1, 4, 3, 3), m.floats(4, 3, 2, 2), dilations=[2, 2])
    m.add("ConvTranspose", line, m.floats(3, 1, 4), pads=[1, 2])
    m.add("ConvTranspose", line, m.floats(3, 2, 3), strides=[2])


@example
def groups(m):
    """Transposed convolutions of several groups, some of which become one; the package onnx takes one output for each group alone."""
    m.is_run = True
    x = m.input("x", m.floats(2, 4, 6, 5))
    m.add("ConvTranspose", x, m.floats(4, 2, 3, 2), m.floats(8), group=4, strides=[2, 1], pads=[1, 0, 1, 1])
    m.add("ConvTranspose", x, m.floats(4, 3, 2, 2), group=2, dilations=[1, 2])
    m.add("ConvTranspose", m.input("wide", m.floats(1, 34, 2, 3)), m.floats(34, 1, 2, 2), m.floats(34), group=34, strides=[2, 2])
    m.add("ConvTranspose", m.input("line", m.floats(1, 6, 5)), m.floats(6, 2, 3), group=3, strides=[2])
    m.add("ConvTranspose", m.input("volume", m.floats(1, 4, 3, 4, 2)), m.floats(4, 3, 2, 1, 2), m.floats(6), group=2, strides=[1, 2, 1])


@example
def volumes(m):
    x = m.input("x", m.floats(2, 4, 5, 6, 4))
    m.add("Conv", x, m.floats(3, 4, 3, 2, 2), m.floats(3), pads=[1, 0, 1, 2, 1, 0], strides=[2, 1, 2])
    m.add("Conv", x, m.floats(4, 2, 2, 2, 1), group=2, dilations=[2, 1, 1])
    m.add("Conv", x, m.floats(8, 1, 3, 1, 3), m.floats(8), group=4, auto_pad="SAME_UPPER")
    m.add("ConvTranspose", x, m.floats(4, 3, 2, 2, 2), m.floats(3), strides=[2, 2, 2])
    m.add("ConvTranspose", m.floats(1, 4, 3, 2, 4), m.floats(4, 2, 3, 2, 3), m.floats(2), strides=[2, 1, 3], pads=[1, 0, 1, 1, 1, 0],
          output_padding=[1, 0, 2])
    m.add("ConvTranspose", x, m.floats(4, 1, 1, 2, 1), strides=[3, 1, 1], dilations=[1, 2, 1])
    m.add("MaxPool", x, kernel_shape=[3, 2, 2], strides=[2, 2, 1], pads=[1, 1, 0, 1, 0, 1])
    m.add("MaxPool", x, kernel_shape=[2, 3, 2], dilations=[2, 1, 1])
    m.add("GlobalAveragePool", x)


@example
def pools(m):
    x = m.input("x", m.floats(1, 2, 7, 6))
    line, cube = m.input("line", m.floats(1, 2, 8)), m.input("cube", m.floats(1, 2, 4, 5, 3))
    m.add("MaxPool", x, kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 1])
    m.add("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2], outputs=2)
    m.add("MaxPool", x, kernel_shape=[2, 2], dilations=[2, 3])
    m.add("MaxPool", line, kernel_shape=[3], strides=[2], ceil_mode=1)
    m.add("MaxPool", cube, kernel_shape=[2, 2, 2])
    m.add("AveragePool", x, kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    m.add("AveragePool", x, kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1)
    m.add("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2], auto_pad="SAME_LOWER")
    m.add("AveragePool", cube, kernel_shape=[2, 3, 2])
    m.add("LpPool", x, kernel_shape=[2, 2], p=3)
    m.add("GlobalAveragePool", x)
    m.add("GlobalMaxPool", x)


@example
def normalisations(m):
    x = m.input("x", m.floats(2, 4, 3, 2))
    four = m.floats(4)
    m.add("BatchNormalization", x, four, m.floats(4), m.floats(4), m.floats(4, low=0.1))
    m.add("InstanceNormalization", x, four, m.floats(4))
    m.add("GroupNormalization", x, four, m.floats(4), num_groups=2)
    m.add("LayerNormalization", x, m.floats(3, 2), m.floats(3, 2), axis=2)
    m.add("LRN", m.input("square", m.floats(4, 4, 2, 2)), size=3, alpha=0.2, beta=0.6, bias=1.5)
    m.add("Softmax", x)
    m.add("Softmax", x, axis=1)
    m.add("LogSoftmax", x, axis=-2)


@example
def reductions(m):
    x, i = m.input("x", m.floats(2, 3, 4)), m.input("i", m.random.integers(-9, 9, (2, 3)).astype(np.int32))
    for k, operator in enumerate(("ReduceL1", "ReduceL2", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd",
                                  "ReduceSum", "ReduceSumSquare")):
        m.add(operator, x, np.int64([[1], [0, 2], [-1]][k % 3]), keepdims=k % 2)
        m.add(operator, x)
    m.add("ReduceLogSum", m.add("Abs", x), np.int64([1]))
    m.add("ReduceMax", i, np.int64([0]))
    m.add("ReduceSum", i)
    m.add("ReduceSum", x, np.zeros(0, np.int64), noop_with_empty_axes=1)
    m.add("ArgMax", x, axis=1)
    m.add("ArgMin", i, axis=-1, keepdims=0)
    m.add("ArgMax", np.float32([[1, 1, 0]]), axis=1, select_last_index=1)
    m.add("CumSum", x, np.int64(1), reverse=1)
    m.add("CumSum", i, np.int64(1), exclusive=1)
    m.add("TopK", x, np.int64([2]), axis=1, outputs=2)
    m.add("TopK", i, np.int64([2]), largest=0, outputs=2)


@example
def microsoft(m):
    """Operators of ONNX Runtime's own domain."""
    m.is_run = True
    own = {"domain": "com.microsoft"}
    x = m.input("x", m.floats(2, 3, 8))
    bias, gamma, beta = m.floats(8), m.floats(8), m.floats(8)
    q = m.add("QuantizeLinear", x, np.float32(0.02), np.uint8(110), **own)
    m.add("DequantizeLinear", q, np.float32(0.03), np.uint8(100), **own)
    packed = m.constant(m.random.integers(-8, 8, (4, 8)).astype(np.int8))
    m.add("DequantizeLinear", packed, m.floats(4, low=0.1), np.int8([0, 1, -2, 3]), axis=0, **own)
    m.add("Gelu", x, **own)
    m.add("FastGelu", x, **own)
    m.add("FastGelu", x, bias, **own)
    m.add("BiasGelu", x, bias, **own)
    m.add("QuickGelu", x, **own)
    m.add("QuickGelu", x, alpha=1.0, **own)
    y = m.input("y", m.floats(2, 3, 8))
    m.add("FusedMatMul", x, y, transB=1, alpha=0.125, **own)
    m.add("FusedMatMul", x, y, transA=1, **own)
    m.add("FusedMatMul", x, m.floats(8, 5), **own)
    m.add("SimplifiedLayerNormalization", x, gamma, axis=-1, epsilon=1e-5)
    for inputs in ((gamma,), (gamma, beta), (gamma, beta, bias), (gamma, None, bias)):
        m.add("SkipLayerNormalization", x, y, *inputs, epsilon=1e-5, **own)
    for inputs in ((gamma,), (gamma, bias)):
        m.add("SkipSimplifiedLayerNormalization", x, y, *inputs, epsilon=1e-5, **own)
    _, _, _, total = m.add("SkipLayerNormalization", x, y, gamma, beta, outputs=4, unwanted=(1, 2), **own)
    m.add("SkipSimplifiedLayerNormalization", total, y, gamma, outputs=4, unwanted=(1, 2), **own)


@example
def moves(m):
    x, i = m.input("x", m.floats(2, 4, 3)), m.input("i", m.random.integers(0, 99, (1, 4, 2, 4)).astype(np.uint8))
    m.add("Reshape", x, np.int64([0, -1, 2]))
    m.add("Flatten", x, axis=2)
    m.add("Squeeze", i, np.int64([0]))
    m.add("Unsqueeze", x, np.int64([0, -1]))
    m.add("Transpose", x, perm=[1, 2, 0])
    m.add("Transpose", i)
    m.add("Concat", x, x, axis=1)
    m.add("Split", x, np.int64([1, 3]), axis=1, outputs=2)
    m.add("Split", x, axis=2, num_outputs=2, outputs=2)
    m.add("Slice", x, np.int64([1, -1]), np.int64([4, -9]), np.int64([1, 2]), np.int64([2, -1]))
    m.add("Slice", i, np.int64([1]), np.int64([2**62]), np.int64([3]))
    m.add("Pad", x, np.int64([0, 1, 0, 1, 0, 2]), np.float32(7))
    m.add("Pad", x, np.int64([0, 2, 1, 0, 1, 1]), mode="reflect")
    m.add("Pad", x, np.int64([1, 2]), None, np.int64([1]), mode="edge")
    m.add("Pad", x, np.int64([2, 1]), None, np.int64([-1]), mode="wrap")
    m.add("Tile", i, np.int64([2, 1, 1, 2]))
    m.add("Expand", np.float32([[1], [2]]), np.int64([3, 1, 2]))
    m.add("DepthToSpace", i, blocksize=2)
    m.add("DepthToSpace", i, blocksize=2, mode="CRD")
    m.add("SpaceToDepth", i, blocksize=2)


@example
def indices(m):
    x = m.input("x", m.floats(3, 4))
    at = m.input("at", np.int64([[0, -1, 2, 1], [2, 2, 0, -2]]))
    m.add("Gather", x, np.int64([[2, -1], [0, 1]]))
    m.add("Gather", x, at, axis=1)
    m.add("GatherElements", x, at, axis=0)
    m.add("GatherND", x, np.int64([[0, 1], [2, -1]]))
    m.add("GatherND", x, np.int64([[2], [0]]))
    m.add("ScatterElements", x, at, m.floats(2, 4), axis=0, reduction="add")
    m.add("ScatterElements", x, np.int64([[3, 0]]), m.floats(1, 2), axis=1)
    m.add("ScatterND", x, np.int64([[2], [0]]), m.floats(2, 4), reduction="max")
    m.add("ScatterND", x, np.int64([[1, 3]]), m.floats(1))
    m.add("OneHot", at, np.int64(3), np.float32([-1, 2]), axis=0)
    m.add("Trilu", x, np.int64(1))
    m.add("Trilu", x, np.int64(-1), upper=0)
    m.add("EyeLike", x, k=1)


@example
def shapes(m):
    x = m.input("x", m.floats(2, 3, 4))
    shape = m.add("Shape", x)
    m.add("Size", x)
    m.add("Shape", x, start=1, end=-1)
    part = m.add("Concat", m.add("Gather", shape, np.int64([2])), m.add("Constant", value_ints=[-1]), axis=0)
    m.add("Reshape", x, part)
    m.add("ConstantOfShape", m.add("Slice", shape, np.int64([1]), np.int64([3])), value=numpy_helper.from_array(np.int32([5])))
    m.add("Range", np.int64(7), np.int64(-2), np.int64(-3))
    m.add("Cast", m.add("Mul", m.add("Cast", shape, to=TensorProto.FLOAT), np.float32(0.5)), to=TensorProto.INT64)
    m.add("Constant", value_float=1.5)
    m.add("Dropout", x)


@example
def scopes(m):
    """Functions of the model, and branches whose condition is known."""
    m.is_run = True
    opsets = [helper.make_opsetid("", 22), helper.make_opsetid("own", 1)]
    node, kinds = helper.make_node, AttributeProto

    def function(name, inputs, nodes, attributes=(), defaults=()):
        m.functions.append(helper.make_function("own", name, inputs, ["out"], nodes, opsets, list(attributes), list(defaults)))

    function("Leaky", ["x"], [reference("LeakyRelu", "alpha", "slope", kinds.FLOAT, "x")], ["slope"])
    function("Soft", ["x"], [reference("LeakyRelu", "alpha", "slope", kinds.FLOAT, "x")], [], [helper.make_attribute("slope", 0.25)])
    function("Limited", ["x", "low", "high"], [node("Clip", ["x", "low", "high"], ["out"])])
    leaky = reference("Leaky", "slope", "outer", kinds.FLOAT, "x")
    leaky.domain, leaky.output[0] = "own", "t"
    function("Twice", ["x"], [leaky, node("Leaky", ["t"], ["u"], domain="own", slope=3.0), node("Add", ["t", "u"], ["out"])], ["outer"])
    x = m.input("x", m.floats(1, 3, 4))
    m.add("Leaky", x, slope=0.5, domain="own")
    m.add("Leaky", x, domain="own")
    m.add("Soft", x, domain="own")
    m.add("Soft", x, slope=2.0, domain="own")
    m.add("Limited", x, np.float32(-0.5), domain="own")
    m.add("Limited", x, None, np.float32(0.5), domain="own")
    y = m.add("Twice", x, outer=0.125, domain="own")
    rank = m.add("Size", m.add("Shape", x))
    yes, no = m.add("Equal", rank, np.int64(3)), m.add("Less", rank, np.int64(3))
    odd = node("Shrink", [x], ["r"])  # which Weft does not take
    m.add("If", yes, then_branch=branch("t", node("Neg", [x], ["r"])), else_branch=branch("e", odd))
    m.add("If", no, then_branch=branch("t", odd), else_branch=branch("e", node("Abs", [y], ["a"]), node("Exp", ["a"], ["r"])))
    inner = node("If", [no], ["deep", "other"], then_branch=branch("t", node("Split", [x], ["r", "s"], axis=1, num_outputs=2)),
                 else_branch=branch("e", node("Split", ["outer"], ["r", "s"], axis=2, num_outputs=2)))
    m.add("If", yes, then_branch=branch("t", node("Sin", [x], ["outer"]), inner),
          else_branch=branch("e", odd, node("Split", ["r"], ["s", "q"], axis=1, num_outputs=2)), outputs=2)


@example
def loops(m):
    m.is_run = True
    node = helper.make_node
    x, h = m.input("x", m.floats(6, 2, 3)), m.input("h", m.floats(2, 4))
    w, r = m.constant(m.floats(3, 4)), m.constant(m.floats(4, 4, low=-0.5, high=0.5))
    kinds = {"i": TensorProto.INT64, "go": TensorProto.BOOL, "on": TensorProto.BOOL, "n": TensorProto.INT64, "next": TensorProto.INT64}.items()
    # A recurrent cell over the steps of x, whose number comes from its shape.
    length = m.add("Gather", m.add("Shape", x), np.int64(0))
    cell = [node("Gather", [x, "i"], ["t"]), node("MatMul", ["t", w], ["xw"]), node("MatMul", ["s", r], ["sr"]), node("Add", ["xw", "sr"], ["sum"]),
            node("Tanh", ["sum"], ["new"]), node("Identity", ["go"], ["on"]), node("Mul", ["new", "half"], ["kept"])]
    m.add("Loop", length, None, h, outputs=2, body=body(["i", "go", "s"], ["on", "new", "kept"], *cell, constants=[("half", np.float32(0.5))], kinds=kinds))
    # As long as a condition holds that depends on constants alone; its state grows.
    grow = [node("Mul", ["n", "two"], ["next"]), node("Less", ["next", "most"], ["on"]), node("Concat", ["s", "s"], ["new"], axis=0)]
    m.add("Loop", None, np.bool_(True), np.int64(1), h, outputs=2, body=body(
        ["i", "go", "n", "s"], ["on", "next", "new"], *grow, constants=[("two", np.int64(2)), ("most", np.int64(10))], kinds=kinds))
    # No step; one in another.
    m.add("Loop", np.int64(0), None, h, body=body(["i", "go", "s"], ["on", "new"], node("Identity", ["go"], ["on"]), node("Exp", ["s"], ["new"]), kinds=kinds))
    inner = node("Loop", ["three", "", "s"], ["new"], body=body(
        ["j", "more", "u"], ["again", "v"], node("Identity", ["more"], ["again"]), node("Cast", ["j"], ["k"], to=1), node("Add", ["u", "k"], ["v"]),
        kinds={"j": TensorProto.INT64, "more": TensorProto.BOOL, "again": TensorProto.BOOL}.items()))
    m.add("Loop", np.int64(2), None, h, outputs=2, body=body(["i", "go", "s"], ["on", "new", "each"], node("Identity", ["go"], ["on"]), inner, node("Neg", ["new"], ["each"]),
                                                               constants=[("three", np.int64(3))], kinds=kinds))
    # Scans: forwards and backwards, over several axes.
    cell = [node("MatMul", ["t", w], ["tw"]), node("Add", ["tw", "s"], ["sum"]), node("Tanh", ["sum"], ["new"]), node("Neg", ["new"], ["out"])]
    m.add("Scan", h, x, outputs=2, num_scan_inputs=1, body=body(["s", "t"], ["new", "out"], *cell))
    m.add("Scan", h, x, outputs=2, num_scan_inputs=1, scan_input_directions=[1], scan_output_directions=[1], scan_output_axes=[1],
          body=body(["s", "t"], ["new", "out"], *cell))
    both = [node("Add", ["a", "b"], ["c"]), node("Mul", ["a", "b"], ["d"])]
    m.add("Scan", x, m.add("Transpose", x, perm=[0, 2, 1]), outputs=2, num_scan_inputs=2, scan_input_axes=[2, -2], scan_input_directions=[0, 1],
          scan_output_axes=[-1, 0], body=body(["a", "b"], ["c", "d"], *both))
    # Branches of a condition that depends on inputs.
    condition = m.add("Greater", m.add("ReduceSum", h, keepdims=0), np.float32(0))
    m.add("If", condition, then_branch=branch("t", node("Neg", [h], ["p"])), else_branch=branch("e", node("Exp", [h], ["p"])))
    m.add("If", m.add("Not", condition), then_branch=branch("t", node("Split", [x], ["p", "q"], axis=0, num_outputs=2)),
          else_branch=branch("e", node("Abs", [x], ["y"]), node("Split", ["y"], ["p", "q"], axis=0, num_outputs=2)), outputs=2)


@example
def sizes(m):
    x = m.input("x", m.floats(1, 2, 4, 5))
    m.add("Resize", x, None, np.float32([1, 1, 2, 1.5]), mode="nearest")
    m.add("Resize", x, None, None, np.int64([1, 2, 7, 3]), mode="linear")
    m.add("Resize", x, None, np.float32([1, 1, 1.5, 2]), mode="cubic")
    m.add("Resize", x, None, None, np.int64([8, 10]), mode="linear", axes=[2, 3], coordinate_transformation_mode="align_corners")
    m.add("Resize", x, None, np.float32([1, 1, 2, 2]), mode="linear", coordinate_transformation_mode="asymmetric")
    m.add("Resize", x, None, np.float32([1, 1, 0.5, 0.6]), mode="cubic", antialias=1)
    m.add("Resize", x, None, None, np.int64([1, 2, 3, 3]), mode="nearest", nearest_mode="ceil", coordinate_transformation_mode="asymmetric")


@example
def products(m):
    x, y = m.input("x", m.floats(3, 4)), m.input("y", m.floats(2, 3, 5))
    m.add("Gemm", x, m.floats(4, 2))
    m.add("Gemm", x, m.floats(3, 2), m.floats(2), transA=1, alpha=0.5, beta=2.0)
    m.add("Gemm", x, m.floats(2, 4), m.floats(3, 1), transB=1)
    m.add("MatMul", x, m.floats(4, 3))
    m.add("MatMul", x, m.floats(2, 4, 3))
    m.add("MatMul", m.floats(3), y)
    m.add("MatMul", y, m.floats(5))


@example
def sums_of_products(m):
    x, y, z = m.input("x", m.floats(2, 3, 4)), m.input("y", m.floats(2, 5, 4)), m.input("z", m.floats(4, 4))
    m.add("Einsum", x, y, equation="bqd,bkd->bqk")
    m.add("Einsum", x, y, equation=" b q d , b k d -> q b k ")
    m.add("Einsum", m.floats(6, 4), x, equation="oc,nlc->nlo")
    m.add("Einsum", x, equation="abc->cb")
    m.add("Einsum", x, equation="b...->...")
    m.add("Einsum", x, z, equation="...i,ij")
    m.add("Einsum", x, y, z, equation="abc,adc,ce->ebd")
    m.add("Einsum", x, m.floats(3, 2), equation="abc,ba->abc")
    m.add("Einsum", x, m.floats(5), equation="abc,d->adcb")
    m.add("Einsum", z, equation="ii->i")
    m.add("Einsum", z, equation="ii")
    m.add("Einsum", z, z, equation="Ba,aB->")
    m.add("Einsum", x, m.floats(1, 3, 4, 2), equation="...xy,...xyk->k...")


@example
def recurrent(m):
    x = m.input("x", m.floats(3, 2, 4))
    m.add("RNN", x, m.floats(1, 3, 4), m.floats(1, 3, 3), m.floats(1, 6), hidden_size=3, outputs=2)
    m.add("GRU", x, m.floats(1, 9, 4), m.floats(1, 9, 3), m.floats(1, 18), hidden_size=3, outputs=2)
    m.add("GRU", x, m.floats(1, 9, 4), m.floats(1, 9, 3), m.floats(1, 18), hidden_size=3, linear_before_reset=1, outputs=2)
    m.add("LSTM", x, m.floats(1, 12, 4), m.floats(1, 12, 3), m.floats(1, 24), None, m.floats(1, 2, 3), m.floats(1, 2, 3),
          m.floats(1, 9), hidden_size=3, outputs=3)


@example
def rectified(m):
    x = m.input("x", m.floats(3, 2, 4))
    m.add("RNN", x, m.floats(1, 3, 4), m.floats(1, 3, 3), m.floats(1, 6), hidden_size=3, activations=["Relu"], outputs=2)


@example
def attention(m):
    m.opset = 24
    q, k = m.input("q", m.floats(2, 4, 3, 8)), m.input("k", m.floats(2, 2, 5, 8))
    flat = m.input("flat", m.floats(2, 3, 16))
    v, mask = m.floats(2, 2, 5, 6), m.random.integers(0, 2, (3, 5)).astype(bool)
    mask[:, 0] = True
    m.add("Attention", q, k, v)
    m.add("Attention", q, k, v, mask, scale=0.5)
    m.add("Attention", q, k, v, m.floats(2, 1, 3, 5), softcap=1.5)
    m.add("Attention", flat, flat, flat, q_num_heads=4, kv_num_heads=4, is_causal=1)
    m.add("Attention", q, k, v, None, m.floats(2, 2, 4, 8), m.floats(2, 2, 4, 6), is_causal=1, qk_matmul_output_mode=3, outputs=4)
    cosine, sine = m.floats(9, 4), m.floats(9, 4)
    positions = m.random.integers(0, 9, (2, 3))
    m.add("RotaryEmbedding", q, cosine, sine, positions)
    m.add("RotaryEmbedding", q, cosine, sine, positions, interleaved=1)
    m.add("RotaryEmbedding", flat, m.floats(2, 3, 2), m.floats(2, 3, 2), num_heads=2, rotary_embedding_dim=4)
    m.add("RMSNormalization", q, m.floats(8))
    m.add("RMSNormalization", q, m.floats(3, 8), axis=2, epsilon=0.1)
    m.add("Swish", q)
    m.add("Swish", q, alpha=0.5)


@example
def lengths(m):
    x = m.input("x", m.floats(2, 3, 4, 5))
    m.add("LpNormalization", x)
    m.add("LpNormalization", x, axis=1)
    m.add("LpNormalization", m.add("Abs", x), axis=1, p=1)  # of what is below 0 the reference takes no size
    m.add("MeanVarianceNormalization", x)
    m.add("MeanVarianceNormalization", x, axes=[1])
    m.add("CastLike", x, np.int32([1]))


@example
def places(m):
    m.opset = 20
    x, grid = m.input("x", m.floats(2, 3, 4, 5)), m.input("grid", m.floats(2, 6, 2, 2))
    for mode in ("linear", "nearest", "cubic"):
        for outside in ("zeros", "border", "reflection"):
            if (mode, outside) != ("cubic", "border"):  # where the reference and ONNX Runtime differ
                m.add("GridSample", x, grid, mode=mode, padding_mode=outside)
    m.add("GridSample", x, grid, padding_mode="reflection", align_corners=1)


@example
def quantised(m):
    x = m.input("x", m.floats(1, 2, 4, 4))
    q = m.input("q", m.random.integers(-128, 128, (1, 2, 4, 4)).astype(np.int8))
    u = m.input("u", m.random.integers(0, 256, (3, 4)).astype(np.uint8))
    scale, zero = np.float32(0.03), np.int8(-5)
    m.add("QuantizeLinear", x, scale, zero)
    m.add("QuantizeLinear", x, np.float32([0.03, 0.02]), np.uint8([100, 130]), axis=1)
    m.add("DequantizeLinear", q, scale, zero)
    m.add("DequantizeLinear", q, np.float32([0.03, 0.02]), np.int8([3, -7]), axis=1)
    weights = m.random.integers(-128, 128, (3, 2, 3, 3)).astype(np.int8)
    m.add("QLinearConv", q, scale, zero, weights, np.float32(0.01), np.int8(0), np.float32(0.2), np.int8(3), pads=[1, 1, 1, 1])
    m.add("ConvInteger", q, weights, np.int8(4), strides=[2, 1])
    m.add("MatMulInteger", u, m.random.integers(-128, 128, (4, 2)).astype(np.int8), np.uint8(120))
    m.add("QLinearMatMul", u, np.float32(0.02), np.uint8(9), m.random.integers(0, 256, (4, 2)).astype(np.uint8), np.float32(0.03),
          np.uint8(77), np.float32(0.1), np.uint8(30))
    m.add("DynamicQuantizeLinear", x, outputs=3)


@example
def integers(m):
    """Products of integers whose zero points are computed, or lists."""
    def bytes_of(kind, *shape):
        return m.random.integers(np.iinfo(kind).min, np.iinfo(kind).max, shape, kind, endpoint=True)

    x = m.input("x", m.floats(2, 4, 6, 7, low=-1.0, high=3.0))
    picture, _, zero = m.add("DynamicQuantizeLinear", x, outputs=3)
    weights = bytes_of(np.int8, 6, 4, 3, 3)
    m.add("ConvInteger", picture, weights, zero, pads=[1, 0, 2, 1], strides=[1, 2])
    m.add("ConvInteger", picture, weights, zero, np.int8(-9), auto_pad="SAME_UPPER", strides=[2, 2])
    m.add("ConvInteger", picture, bytes_of(np.uint8, 4, 1, 2, 2), zero, np.uint8(130), group=4)
    line = m.input("line", bytes_of(np.uint8, 1, 3, 9))
    one = m.input("one", np.uint8([77]))
    m.add("ConvInteger", line, bytes_of(np.int8, 2, 3, 4), one, pads=[2, 1])
    a = m.input("a", bytes_of(np.uint8, 2, 3, 5))
    b = m.input("b", bytes_of(np.uint8, 2, 5, 4))
    of_a, of_b = m.input("of_a", np.uint8(101)), m.input("of_b", np.uint8(33))
    rows, columns = m.input("rows", np.uint8([[1], [200], [90]])), m.input("columns", np.uint8([3, 255, 128, 0]))
    second = bytes_of(np.int8, 5, 4)
    m.add("MatMulInteger", a, second, of_a)
    m.add("MatMulInteger", a, second, of_a, np.int8([5, -128, 127, 0]))
    m.add("MatMulInteger", a, b, of_a, of_b)
    m.add("MatMulInteger", a, b, np.uint8(7), of_b)
    m.add("MatMulInteger", a, b, rows, columns)
    m.add("MatMulInteger", a, b, np.uint8([[9], [8], [7]]), np.uint8([1, 2, 3, 4]))
    row = m.input("row", bytes_of(np.uint8, 5))
    m.add("MatMulInteger", row, b, of_a, of_b)
    m.add("MatMulInteger", row, second, of_a, np.int8([5, -128, 127, 0]))
    m.add("MatMulInteger", a, row, of_a, of_b)
    m.add("MatMulInteger", row, row, of_a, of_b)


@example
def types(m):
    half = m.input("half", m.floats(2, 3).astype(np.float16))
    double = m.input("double", m.floats(2, 3).astype(np.float64))
    short = m.input("short", np.uint16([[1, 40000, 65535], [7, 2, 3]]))
    byte = m.input("byte", np.int8([[1, -100, 127], [7, 2, 3]]))
    m.add("Cast", half, to=TensorProto.FLOAT)
    m.add("Cast", double, to=TensorProto.INT32)
    m.add("Transpose", half)
    m.add("Concat", double, double, axis=0)
    m.add("Add", short, short)
    m.add("Sub", byte, np.int8([[1, 100, -1], [0, 0, 9]]))
    m.add("Greater", short, np.uint16(6))
    m.add("Max", double, np.float64(0.5))


for name in sys.argv[2:] or EXAMPLES:
    made = Model()
    EXAMPLES[name](made)
    made.write(Path(sys.argv[1]) / name)
