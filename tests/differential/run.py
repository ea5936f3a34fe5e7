#!/usr/bin/env python3
"""Random TFLite models on Weft against LiteRT's reference kernels, byte for byte.

usage: run.py [--weft build/bin/weft] [--target host]... [--operators N] [--graphs N] [--seed S]
              [--only NAME[,NAME]] [--save DIR] [--keep-going N]

Prints the number of cases, the seed and the distribution of operators; exits with 1 when a byte
differs. A failing case is shrunk and saved under --save: ctest replays it without Python.
"""
import argparse
import collections
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import graphs
import operators
from oracle import Oracle
from shrink import shrink
from values import Values

HERE = pathlib.Path(__file__).resolve().parent


class Runner:
    """Runs models on Weft."""

    def __init__(self, weft, targets, folder):
        self.weft, self.targets, self.folder = weft, targets, pathlib.Path(folder)

    def run(self, content, inputs, output_count, target):
        """The outputs, or the error's text."""
        model = self.folder / "model.tflite"
        model.write_bytes(content)
        command = [self.weft, "run", str(model), "--target", target]
        for i, array in enumerate(inputs):
            path = self.folder / f"in{i}.npy"
            np.save(path, array)
            command += ["--input", str(path)]
        paths = [self.folder / f"out{i}.npy" for i in range(output_count)]
        for path in paths:
            path.unlink(missing_ok=True)
            command += ["--output", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            return (done.stderr.strip() or f"exit status {done.returncode}").splitlines()[-1]
        return [np.load(path) for path in paths]


def same_bytes(expected, got):
    return (expected.dtype == got.dtype and expected.shape == got.shape
            and expected.tobytes() == got.tobytes())


class Session:
    def __init__(self, arguments, folder):
        self.oracle = Oracle()
        self.runner = Runner(arguments.weft, arguments.target, folder)
        self.save = pathlib.Path(arguments.save)
        self.distribution = collections.Counter()
        self.rejected = collections.Counter()
        self.reasons = collections.Counter()
        self.failures = 0
        self.compared = 0

    # ---- one case ----

    def expected(self, model, inputs):
        """LiteRT's answer, with the shapes of all tensors set; or a text."""
        answer = self.oracle.run(model.to_bytes(), inputs)
        if isinstance(answer, str):
            return answer
        shapes, outputs, tensors = answer
        for op in model.operators:
            for index in op.outputs:
                model.tensors[index].shape = shapes[index]
        return outputs, tensors

    def difference(self, model, inputs, outputs):
        """What differs on the first target that is not right, or None."""
        content = model.to_bytes()
        for target in self.runner.targets:
            got = self.runner.run(content, inputs, len(outputs), target)
            if isinstance(got, str):
                return f"{target}: {got}"
            for i, (a, b) in enumerate(zip(outputs, got)):
                if not same_bytes(a, b):
                    if a.shape != b.shape or a.dtype != b.dtype:
                        return f"{target}: output {i} is {b.dtype}{b.shape}, not {a.dtype}{a.shape}"
                    wrong = int(np.sum(a.reshape(-1) != b.reshape(-1)))
                    return f"{target}: output {i}: {wrong} of {a.size} elements differ"
        return None

    def fails(self, model, inputs):
        """For the shrinker: the tensors of a case that still fails."""
        answer = self.expected(model, inputs)
        if isinstance(answer, str) or self.difference(model, inputs, answer[0]) is None:
            return None
        return answer[1]

    def case(self, name, model, values):
        names = [op.code for op in model.operators]
        inputs = [values.data(model.tensors[i].dtype, model.tensors[i].shape,
                              model.tensors[i].zero or 0) for i in model.inputs]
        answer = self.expected(model, inputs)
        if isinstance(answer, str):
            self.rejected[name.rsplit("-", 1)[0]] += 1
            self.reasons[answer.splitlines()[0][-100:] if answer else ""] += 1
            return True
        if any(0 in array.shape for array in answer[0]):
            self.rejected["empty result"] += 1
            return True
        self.distribution.update(names)
        self.compared += 1
        what = self.difference(model, inputs, answer[0])
        if what is None:
            return True
        self.failures += 1
        print(f"FAIL {name}: {'+'.join(names)}: {what}", flush=True)
        model, inputs = shrink(model, inputs, answer[1], self.fails)
        self.keep(name, model, inputs)
        return False

    def keep(self, name, model, inputs):
        """Saves a case with its golden bytes."""
        outputs, _ = self.expected(model, inputs)
        folder = self.save / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "model.tflite").write_bytes(model.to_bytes())
        for i, array in enumerate(inputs):
            np.save(folder / f"input{i}.npy", array)
        for i, array in enumerate(outputs):
            np.save(folder / f"output{i}.npy", array)
        what = self.difference(model, inputs, outputs)
        shapes = [t.shape for t in model.tensors]
        print(f"     saved {folder}: {[op.code for op in model.operators]} {shapes}\n     {what}",
              flush=True)

    def report(self, seed):
        print(f"seed {seed}: {self.compared} models compared on {' '.join(self.runner.targets)}, "
              f"{self.failures} differ; LiteRT rejected {sum(self.rejected.values())}")
        print("operators compared:", ", ".join(
            f"{name} {count}" for name, count in sorted(self.distribution.items())))
        if self.rejected:
            print("rejected:", dict(self.rejected.most_common()))
            for reason, count in self.reasons.most_common(12):
                print(f"    {count} x {reason}")


def cases(arguments):
    """Name, model and source of values of every case."""
    names = list(operators.ALL)
    if arguments.only:
        names = arguments.only.split(",")
    for i in range(arguments.operators):
        values = Values([arguments.seed, 0, i])
        name = names[i % len(names)]
        yield f"{name.lower()}-{arguments.seed}-{i}", operators.ALL[name](values), values
    for i in range(arguments.graphs):
        values = Values([arguments.seed, 1, i])
        yield f"graph-{arguments.seed}-{i}", graphs.random_graph(values), values


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weft", default=str(HERE.parents[1] / "build/bin/weft"))
    parser.add_argument("--target", action="append")
    parser.add_argument("--operators", type=int, default=840)
    parser.add_argument("--graphs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="operators, joined by commas")
    parser.add_argument("--save", default=str(HERE / "regressions"))
    parser.add_argument("--keep-going", type=int, default=5, help="failures before the end")
    arguments = parser.parse_args()
    arguments.target = arguments.target or ["host"]
    with tempfile.TemporaryDirectory() as folder:
        session = Session(arguments, folder)
        for name, model, values in cases(arguments):
            session.case(name, model, values)
            if session.failures >= arguments.keep_going:
                break
        session.report(arguments.seed)
        session.oracle.close()
    return 1 if session.failures else 0


if __name__ == "__main__":
    sys.exit(main())
