#!/usr/bin/env python3
"""Operators between quantisers run where `weft operators` says they do.

usage: run_places.py WEFT FOLDER     FOLDER is not used; needs the package onnx
Each model is QuantizeLinear, a pool, which the machine has, the operator, and QuantizeLinear. What is on the host besides quantisers at the
ends and the transposes next to them is the operator.
"""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper

NUMBER, CHANNELS = np.float32(0.7), np.linspace(0.1, 1.7, 16, dtype=np.float32).reshape(16, 1, 1)
NONE = np.array([], np.float32)


def longs(*numbers):
    return np.array(numbers, np.int64)


def case(operator, *others, place=None, **attributes):
    """An operator on x and others: constants, or "y", a second tensor; None stands for x where it is not the first. `place`: another one
    than the table's, because a condition does not hold."""
    return operator, others, place, attributes


CASES = [case(name) for name in (
    "Abs Ceil Celu Cos Elu Erf Exp Floor Gelu HardSigmoid HardSwish LeakyRelu Log Mish Neg Reciprocal Relu Round Selu Sigmoid Sign Sin "
    "Softmax Softplus Softsign Sqrt Swish Tanh ThresholdedRelu").split()]
CASES += [case(name, NUMBER) for name in "Add Div Max Min Mul Pow Sub PRelu".split()]
CASES += [case(name, NUMBER, None) for name in "Add Div Max Min Mul Sub".split()]
CASES += [case(name, "y") for name in "Add Max Mean Min Mul Sub Sum".split()]
CASES += [case(name, "y", place="host") for name in ("Div",)]
CASES += [case(name, CHANNELS) for name in "Add Div Mul Sub".split()]
CASES += [case(name, CHANNELS, place="host") for name in "Max Min PRelu".split()]
CASES += [case(name, domain="com.microsoft") for name in "FastGelu Gelu QuickGelu".split()]
CASES += [
    case("BatchNormalization", *[abs(CHANNELS.reshape(16))] * 4), case("Concat", "y", axis=1),
    case("CumSum", np.int64(2)), case("DepthToSpace", blocksize=2, mode="CRD"),
    case("GlobalAveragePool"), case("GlobalMaxPool"), case("LRN", size=3), case("LpPool", kernel_shape=[2, 2]),
    case("MaxPool", kernel_shape=[2, 2]), case("Pad", longs(0, 0, 1, 1, 0, 0, 1, 1)),
    case("Pad", longs(0, 0, 1, 1, 0, 0, 1, 1), mode="reflect", place="host"), case("ReduceMax", longs(2, 3)), case("ReduceMax", longs(2)),
    case("ReduceMean", longs(2, 3)), case("ReduceMean", longs(1), place="host"),
    case("ReduceMax", longs(1), place="host"), case("ReduceMin", longs(2, 3)),
    case("ReduceSum", longs(2, 3)), case("Resize", NONE, np.array([1, 1, 2, 3], np.float32), mode="nearest"),
    case("Resize", NONE, NONE, longs(1, 16, 8, 48), mode="nearest"),
    case("Resize", NONE, NONE, longs(1, 16, 25, 31), mode="nearest", place="host"),
    case("Slice", longs(0, 1), longs(9, 6), longs(2, 3), longs(2, 1)), case("Slice", longs(3), longs(9), longs(1)),
    case("SpaceToDepth", blocksize=2), case("Tile", longs(1, 1, 2, 1)), case("Trilu"),
]


def quantised(nodes, name, scale):
    """Quantiser and dequantiser; the name of what comes out."""
    nodes += [helper.make_node("QuantizeLinear", [name, scale, "zero"], [name + "_q"]),
              helper.make_node("DequantizeLinear", [name + "_q", scale, "zero"], [name + "_d"])]
    return name + "_d"


def model(operator, others, attributes):
    """Scales at which no result lies half-way between two integers."""
    constants = {"one": np.float32(0.0437), "two": np.float32(0.0613), "three": np.float32(0.0391), "zero": np.int8(3)}
    nodes, tensors = [], ["x", *[other for other in others if isinstance(other, str)]]
    names = {name: quantised(nodes, name, scale) for name, scale in zip(tensors, ("one", "two"))}
    nodes.append(helper.make_node("MaxPool", [names["x"]], ["p"], kernel_shape=[1, 1]))
    names["x"] = quantised(nodes, "p", "one")
    inputs = [] if any(other is None for other in others) else [names["x"]]
    for i, other in enumerate(others):
        constants.update({f"c{i}": other} if isinstance(other, (np.ndarray, np.generic)) else {})
        inputs.append(names["x"] if other is None else names["y"] if isinstance(other, str) else f"c{i}")
    nodes.append(helper.make_node(operator, inputs, ["o"], **attributes))
    out = quantised(nodes, "o", "three")
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 16, 16, 16]) for name in tensors],
                              [helper.make_tensor_value_info(out, TensorProto.FLOAT, None)],
                              [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()])
    sets = [helper.make_opsetid("", 24 if operator == "Swish" else 20), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=sets, ir_version=10)


def place_of(weft, path, ends):
    """As many transposes as the model has ends are not the operator's."""
    text = subprocess.run([weft, "inspect", str(path)], check=True, capture_output=True, text=True).stdout
    names = [name for name in re.findall(r"^host: ([\w.]+)", text, re.MULTILINE) if name not in ("qnn.quantize", "qnn.dequantize", "reshape")]
    return "host" if set(names) - {"transpose"} or len(names) > ends else "machine"


def main():
    weft, status = sys.argv[1], 0
    with tempfile.TemporaryDirectory() as folder:
        table, path = Path(folder) / "operators.json", Path(folder) / "model.onnx"
        subprocess.run([weft, "operators", "--json", str(table)], check=True, stdout=subprocess.DEVNULL)
        places = {(row["domain"], row["name"]): row["where"] for row in json.loads(table.read_text())["onnx"]}
        for operator, others, place, attributes in CASES:
            path.write_bytes(model(operator, others, attributes).SerializeToString())
            expected, got = place or places[attributes.get("domain", ""), operator], place_of(weft, path, 3 if "y" in map(str, others) else 2)
            if got != expected:
                kinds = ["x" if other is None else other if isinstance(other, str) else np.shape(other) for other in others]
                print(f"{operator} {kinds} {attributes}: {got}, expected {expected}")
                status = 1
    print(f"{len(CASES)} operators")
    return status


if __name__ == "__main__":
    sys.exit(main())
