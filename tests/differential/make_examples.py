#!/usr/bin/env python3
"""Writes a small example of every operator that Weft supports, with LiteRT's bytes, to examples/NAME.

usage: make_examples.py [WEFT [NAME...]]

tests/unit/test_operators.c compiles them and holds the column "where" of docs/operators.md to what comes of them; ctest
differential_examples runs them. Of a new operator: make it, look at it, and commit the folder. Without names, operators that have an
example keep it. The example is the first of its random models (operators.py) that LiteRT takes, is of int8 (else float32, else any
type) and leaves something to the host of ref16 just where the table says so.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import operators
from constants import sparsity, thinned
from model import Model
from oracle import Oracle
from runner import write_case
from undefined import answer_of
from values import Values

HERE = pathlib.Path(__file__).resolve().parent
WEFT = HERE.parents[1] / "build/bin/weft"
REPLAY = HERE.parents[1] / "build/bin/replay"
TRIES = 400
MOST_ELEMENTS = 5000


def supported(weft):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "operators.json"
        subprocess.run([weft, "operators", "--json", path], check=True)
        table = json.loads(path.read_text())["operators"]
    return {op["name"]: op["where"] for op in table if op["supported"]}


def left_to_host(case):
    """Does the host carry anything out of a case, small regions left to the machine?"""
    with tempfile.TemporaryDirectory() as folder:
        write_case(pathlib.Path(folder) / "case", case[0].to_bytes(), case[1], case[2])
        run = subprocess.run([REPLAY, "--target", "func", "--keep-regions", "--report", folder],
                             capture_output=True, text=True)
    return run.returncode != 0 or any(line.startswith("case leaves ") for line in run.stdout.splitlines())


def does_something(name, inputs, outputs, place):
    """Is the case large enough for the machine's loops, and is its result another one than its operand?"""
    if not inputs or name in ("FILL", "RANK") or place == "when read":
        return True
    x, y = inputs[0], outputs[0]
    return x.size >= 16 and min(sorted(x.shape)[-2:]) > 1 and (
        x.shape != y.shape if len(outputs) == 1 and x.tobytes() == y.tobytes() else True) and (
        len(outputs) > 1 or y.size > 1 or x.dtype != y.dtype)


def densify(values):
    """Not an operator by itself: it takes constants alone."""
    model = Model()
    data = thinned(values, values.data("i8", (4, 6)))
    x = model.constant(data, 0.5, 0, sparsity=sparsity(values, data.shape))
    model.op("DENSIFY", [x], [model.output("i8", 0.5, 0)], "DensifyOptions")
    return model


def softmax(values):
    """So much that the machine's table of exponentials is worth loading."""
    model = Model()
    x = model.input("i8", (72, 64), 1 / 16, values.choice([-7, 0, 3]))
    model.op("SOFTMAX", [x], [model.output("i8", 1 / 256, -128)], "SoftmaxOptions", beta=1.0)
    return model


MODELS = {**operators.ALL, "DENSIFY": densify, "SOFTMAX": softmax}


def candidates(name, place, oracle):
    for seed in range(TRIES):
        values = Values([7, seed])
        model = MODELS[name](values)
        inputs = values.inputs(model)
        if sum(array.size for array in inputs) <= MOST_ELEMENTS:
            answer = answer_of(oracle, model, inputs)
            if not isinstance(answer, str) and does_something(name, inputs, answer[0], place):
                yield model, inputs, answer[0]


def example(name, place, oracle):
    """The best of the candidates: machine, type."""
    best, best_rank = None, None
    for case in candidates(name, place, oracle):
        model = case[0]
        dtype = model.tensors[(model.inputs + model.outputs)[0]].dtype
        rank = {"i8": 0, "f32": 1}.get(dtype, 2)
        if (best_rank is None or rank < best_rank) and left_to_host(case) == (place == "host"):
            best, best_rank = case, rank
            if rank == 0:
                break
    return best


def main():
    weft = sys.argv[1] if len(sys.argv) > 1 else WEFT
    oracle = Oracle()
    for name, place in supported(weft).items():
        folder = HERE / "examples" / name
        if name not in MODELS or (name not in sys.argv[2:] and folder.exists()):
            continue
        made = example(name, place, oracle)
        if made is None:
            print(f"{name}: no example found for {place}")
            continue
        write_case(folder, made[0].to_bytes(), made[1], made[2])
        print(f"{name}: {[t.dtype for t in made[0].tensors]} {[t.shape for t in made[0].tensors]}")
    oracle.close()


if __name__ == "__main__":
    main()
