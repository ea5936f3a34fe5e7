#!/usr/bin/env python3
"""Writes small models for the fuzzer of ONNX: tests/fuzz/seeds/onnx. Needs the package onnx; the files are in the tree.

usage: make_onnx_seeds.py FOLDER
"""
import sys
from pathlib import Path

import numpy as np
from onnx import AttributeProto, TensorProto, helper, numpy_helper

FLOAT, INT8, UINT8, INT64 = TensorProto.FLOAT, TensorProto.INT8, TensorProto.UINT8, TensorProto.INT64


def save(name, nodes, inputs, outputs, constants=(), opset=17, functions=()):
    """A model of nodes; inputs and outputs are (name, type, shape), constants (name, array)."""
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info(*end) for end in inputs], [helper.make_tensor_value_info(*end) for end in outputs],
        [numpy_helper.from_array(array, text) for text, array in constants])
    sets = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=sets, ir_version=8, functions=functions)
    (Path(sys.argv[1]) / f"{name}.onnx").write_bytes(model.SerializeToString())


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs, outputs, **attributes)


def floats(*shape):
    return np.linspace(-1, 1, int(np.prod(shape)), dtype=np.float32).reshape(shape)


def longs(*numbers):
    return np.array(numbers, np.int64)


def main():
    picture = ("x", FLOAT, ["N", 2, 5, 4])
    save("conv", [node("Conv", ["x", "w", "b"], ["c"], pads=[1, 0, 1, 0], strides=[2, 1]),
                  node("BatchNormalization", ["c", "b", "b", "b", "v"], ["n"]), node("Relu", ["n"], ["r"]),
                  node("MaxPool", ["r"], ["p"], kernel_shape=[2, 2], ceil_mode=1), node("Flatten", ["p"], ["y"])],
         [picture], [("y", FLOAT, None)], [("w", floats(3, 2, 3, 2)), ("b", floats(3)), ("v", np.ones(3, np.float32))])
    save("transposed", [node("ConvTranspose", ["x", "w"], ["y"], strides=[2, 2], dilations=[1, 2], output_padding=[1, 1], group=2)],
         [picture], [("y", FLOAT, None)], [("w", floats(2, 1, 2, 2))])
    save("pools", [node("AveragePool", ["x"], ["a"], kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1),
                   node("MaxPool", ["a"], ["m", "i"], kernel_shape=[2, 2], dilations=[2, 1]),
                   node("LpPool", ["m"], ["l"], kernel_shape=[2, 2]), node("GlobalAveragePool", ["l"], ["y"])],
         [picture], [("y", FLOAT, None), ("i", INT64, None)], opset=19)
    save("dense", [node("Gemm", ["x", "w", "b"], ["g"], transB=1, alpha=0.5), node("Softmax", ["g"], ["s"]),
                   node("MatMul", ["s", "v"], ["y"])],
         [("x", FLOAT, [2, 4])], [("y", FLOAT, None)], [("w", floats(3, 4)), ("b", floats(3)), ("v", floats(3, 2))])
    save("shapes", [node("Shape", ["x"], ["s"]), node("Gather", ["s", "first"], ["n"]), node("Unsqueeze", ["n", "zero"], ["u"]),
                    node("Concat", ["u", "minus"], ["t"], axis=0), node("Reshape", ["x", "t"], ["r"]),
                    node("Slice", ["r", "zero", "two", "one"], ["c"]), node("Pad", ["c", "pads"], ["p"], mode="reflect"),
                    node("Transpose", ["p"], ["q"]), node("Split", ["q"], ["y", "z"], axis=0)],
         [picture], [("y", FLOAT, None), ("z", FLOAT, None)],
         [("first", np.int64(0)), ("zero", longs(0)), ("one", longs(1)), ("two", longs(8)), ("minus", longs(-1)), ("pads", longs(0, 1, 0, 1))], opset=13)
    save("resize", [node("Resize", ["x", "", "scales"], ["a"], mode="cubic"),
                    node("Resize", ["a", "", "", "sizes"], ["y"], mode="linear", coordinate_transformation_mode="align_corners")],
         [picture], [("y", FLOAT, None)], [("scales", np.array([1, 1, 2, 0.5], np.float32)), ("sizes", longs(1, 2, 3, 3))])
    save("indices", [node("GatherElements", ["x", "i"], ["g"], axis=1), node("ScatterElements", ["g", "i", "g"], ["s"], reduction="add"),
                     node("GatherND", ["s", "i"], ["d"]), node("TopK", ["d", "k"], ["y", "z"], axis=0), node("Trilu", ["x"], ["t"])],
         [("x", FLOAT, [2, 2])], [("y", FLOAT, None), ("z", INT64, None), ("t", FLOAT, None)],
         [("i", np.array([[0, 1], [1, -1]], np.int64)), ("k", longs(1))], opset=18)
    save("recurrent", [node("LSTM", ["x", "w", "r", "b"], ["y"], hidden_size=2, direction="bidirectional"),
                       node("GRU", ["x", "w3", "r3"], ["z"], hidden_size=2, linear_before_reset=1)],
         [("x", FLOAT, [3, 1, 2])], [("y", FLOAT, None), ("z", FLOAT, None)],
         [("w", floats(2, 8, 2)), ("r", floats(2, 8, 2)), ("b", floats(2, 16)), ("w3", floats(1, 6, 2)), ("r3", floats(1, 6, 2))])
    scale, zero = ("s", np.float32(0.5)), ("z", np.int8(3))
    save("quantised", [node("QuantizeLinear", ["x", "s", "z"], ["q"]), node("DequantizeLinear", ["w", "ws", "wz"], ["wf"], axis=0),
                       node("DequantizeLinear", ["q", "s", "z"], ["f"]), node("Conv", ["f", "wf"], ["c"]),
                       node("QuantizeLinear", ["c", "s", "z"], ["y"])],
         [picture], [("y", INT8, None)],
         [scale, zero, ("w", np.arange(-6, 6, dtype=np.int8).reshape(3, 2, 2, 1)), ("ws", floats(3) + 2), ("wz", np.zeros(3, np.int8))])
    save("integers", [node("QLinearConv", ["x", "s", "z", "w", "s", "z", "s", "z"], ["c"]),
                      node("QLinearAdd", ["c", "s", "z", "c", "s", "z", "s", "z"], ["a"], domain="com.microsoft"),
                      node("QLinearGlobalAveragePool", ["a", "s", "z", "s", "z"], ["y"], domain="com.microsoft"),
                      node("ConvInteger", ["x", "w", "z"], ["i"])],
         [("x", INT8, [1, 2, 3, 3])], [("y", INT8, None), ("i", TensorProto.INT32, None)],
         [scale, zero, ("w", np.arange(-4, 4, dtype=np.int8).reshape(2, 2, 2, 1))])
    save("norms", [node("LayerNormalization", ["x", "w"], ["l"]), node("InstanceNormalization", ["l", "c", "c"], ["i"]),
                   node("LRN", ["i"], ["r"], size=3), node("ReduceL2", ["r"], ["y"], axes=[1]), node("Clip", ["r", "low"], ["z"])],
         [picture], [("y", FLOAT, None), ("z", FLOAT, None)],
         [("w", floats(4)), ("c", floats(2)), ("low", np.float32(0))])
    save("types", [node("Cast", ["x"], ["h"], to=TensorProto.FLOAT16), node("Add", ["h", "h"], ["a"]), node("Cast", ["a"], ["u"], to=UINT8),
                   node("Pow", ["u", "u"], ["y"]), node("ConstantOfShape", ["two"], ["o"]), node("Where", ["t", "o", "o"], ["z"]),
                   node("Constant", [], ["k"], value_ints=[1, 2]), node("CumSum", ["k", "axis"], ["w"])],
         [("x", FLOAT, [2])], [("y", UINT8, None), ("z", FLOAT, None), ("w", INT64, None)],
         [("two", longs(2)), ("t", np.array([True, False])), ("axis", longs(0))])
    leaky = node("LeakyRelu", ["a"], ["b"])
    leaky.attribute.append(AttributeProto(name="alpha", ref_attr_name="slope", type=AttributeProto.FLOAT))
    functions = [helper.make_function("own", "Leaky", ["a"], ["b"], [leaky], [helper.make_opsetid("", 17)], ["slope"]),
                 helper.make_function("own", "Two", ["a", "l"], ["c"], [node("Leaky", ["a"], ["b"], domain="own"), node("Clip", ["b", "l"], ["c"])],
                                      [helper.make_opsetid("", 17)], [], [helper.make_attribute("limit", 2)])]
    branches = [helper.make_graph([node(op, ["f"], ["r"])], op, [], [helper.make_tensor_value_info("r", FLOAT, None)]) for op in ("Abs", "Neg")]
    save("scopes", [node("Leaky", ["x"], ["e"], domain="own", slope=0.5), node("Two", ["e"], ["f"], domain="own"), node("Size", ["f"], ["s"]),
                    node("Equal", ["s", "s"], ["q"]), node("If", ["q"], ["y"], then_branch=branches[0], else_branch=branches[1])],
         [("x", FLOAT, [2])], [("y", FLOAT, None)], functions=functions)
    save("dynamic", [node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]), node("ConvInteger", ["q", "w", "z"], ["c"], pads=[1, 0, 1, 0]),
                     node("MatMulInteger", ["q", "q", "z", "z"], ["y"])],
         [("x", FLOAT, [1, 2, 3, 3])], [("c", TensorProto.INT32, None), ("y", TensorProto.INT32, None)],
         [("w", np.arange(12, dtype=np.int8).reshape(2, 2, 3, 1))])


main()
