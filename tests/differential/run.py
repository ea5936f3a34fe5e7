#!/usr/bin/env python3
"""Random TFLite models on Weft against LiteRT's reference kernels, byte for byte.

usage: run.py [--operators N] [--graphs N] [--seed S] [--only NAME[,NAME]] [--config NAME]
              [--target NAME]... [--packed SHARE] [--replay build/bin/replay] [--save DIR]
              [--keep-going N] [--no-shrink]
       run.py --large N [--first I] [--seed S] [--only NAME[,NAME]] [--config NAME]... [--save DIR]

Prints the number of cases, the seed and the distribution of operators; exits with 1 when a byte
differs. A failing case is shrunk and saved under --save: ctest replays it without Python. The same
seed makes the same cases, case by case, whatever the number of others.

--large: N operators of any size (large.py) on ref16, small8 and large32, from number I on, before
number 0 and without --only those of large_named.py; what is refused, differs, or takes long to
compile (large_run.py).
"""
import argparse
import collections
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

import graphs
import large_run
import operators
from constants import WITH_CONSTANTS, pack_constants, packed_kinds
from oracle import Oracle
from runner import Runner, kind_of, write_case
from shrink import shrink
from undefined import answer_of
from values import Values

HERE = pathlib.Path(__file__).resolve().parent
BATCH = 100  # cases for one process of replay


class Session:
    def __init__(self, arguments, folder):
        self.oracle = Oracle()
        if not self.oracle.is_reference():
            sys.exit("run.py: this LiteRT does not run its reference kernels")
        self.runner = Runner(arguments.replay, arguments.config[-1], arguments.target, folder)
        self.save = pathlib.Path(arguments.save)
        self.shrinks = not arguments.no_shrink
        self.distribution = collections.Counter()
        self.types = collections.Counter()
        self.packed = collections.Counter()
        self.rejected = collections.Counter()
        self.reasons = collections.Counter()
        self.failures = 0
        self.compared = 0

    def reject(self, name, reason):
        self.rejected[name.split("-")[0]] += 1
        self.reasons[reason.splitlines()[0][-100:] if reason else ""] += 1

    def prepare(self, name, model, values):
        """Adds a case to the batch, unless LiteRT does not take it; returns its inputs or None."""
        tensors = [model.tensors[i] for i in model.inputs]
        inputs = values.inputs(model)
        answer = answer_of(self.oracle, model, inputs)
        if isinstance(answer, str):
            return self.reject(name, answer)
        if any(0 in array.shape for array in answer[0]):
            return self.reject(name, "empty result")
        self.distribution.update(op.code for op in model.operators)
        self.types.update({t.dtype for t in tensors})
        kinds = packed_kinds(model)
        self.packed.update(kinds + ["models"] if kinds else [])
        self.compared += 1
        self.runner.add(name, model.to_bytes(), inputs, answer[0])
        return inputs

    def batch(self, cases):
        """Compares cases: (name, model, values)."""
        prepared = {}
        for name, model, values in cases:
            inputs = self.prepare(name, model, values)
            if inputs is not None:
                prepared[name] = (model, inputs)
        for name, what in self.runner.run().items():
            self.failures += 1
            model, inputs = prepared[name]
            print(f"FAIL {name}: {'+'.join(op.code for op in model.operators)}: {what}", flush=True)
            if self.shrinks:
                self.keep(name, model, inputs, what)

    def keep(self, name, model, inputs, what):
        """Shrinks a case and saves it with its golden bytes."""
        def fails(model, inputs):
            answer = answer_of(self.oracle, model, inputs)
            if isinstance(answer, str):
                return None
            self.runner.add(name, model.to_bytes(), inputs, answer[0])
            found = self.runner.run().get(name)
            return answer[1] if found is not None and kind_of(found) == kind_of(what) else None

        model, inputs = shrink(model, inputs, answer_of(self.oracle, model, inputs)[1], fails)
        outputs = answer_of(self.oracle, model, inputs)[0]
        write_case(self.save / name, model.to_bytes(), inputs, outputs)
        print(f"     saved {self.save / name}: {[op.code for op in model.operators]} "
              f"{[t.shape for t in model.tensors]}", flush=True)

    def report(self, seed):
        print(f"seed {seed}: {self.compared} models compared on {' '.join(self.runner.targets)}, "
              f"{self.failures} differ; LiteRT rejected {sum(self.rejected.values())}")
        print(f"with a program for the machine: {self.runner.on_machine}")
        for what, counts in (("operators", self.distribution), ("types of inputs", self.types),
                             ("packed constants", self.packed)):
            print(f"{what}:", ", ".join(f"{name} {n}" for name, n in sorted(counts.items())))
        if self.rejected:
            print("rejected:", dict(self.rejected.most_common()))
            for reason, count in self.reasons.most_common(12):
                print(f"    {count} x {reason}")


def packed(model, arguments, kind, number):
    """The model with this share of its constants packed; of all: None if it has none. Its values do
    not depend on the share."""
    made = pack_constants(Values([arguments.seed, kind, number]), model, arguments.packed)
    return model if made > 0 or arguments.packed < 1 else None


def supported(arguments):
    """The operators that this Weft takes."""
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "operators.json"
        weft = pathlib.Path(arguments.replay).with_name("weft")
        subprocess.run([weft, "operators", "--json", table], check=True)
        known = {op["name"] for op in json.loads(table.read_text())["operators"] if op["supported"]}
    return [name for name in operators.ALL if name in known]


def cases(arguments):
    """Name, model and source of values of every case."""
    names = (arguments.only.split(",") if arguments.only
             else WITH_CONSTANTS if arguments.packed >= 1 else supported(arguments))
    for i in range(arguments.operators):
        values = Values([arguments.seed, 0, i])
        name = names[i % len(names)]
        model = packed(operators.ALL[name](values), arguments, 2, i)
        if model is not None:
            yield f"{name.lower()}-{arguments.seed}-{i}", model, values
    for i in range(arguments.graphs):
        values = Values([arguments.seed, 1, i])
        model = packed(graphs.random_graph(values), arguments, 3, i)
        if model is not None:
            yield f"graph-{arguments.seed}-{i}", model, values


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replay", default=str(HERE.parents[1] / "build/bin/replay"))
    parser.add_argument("--config", action="append", help="default: ref16; large: all three")
    parser.add_argument("--large", type=int, help="so many operators of any size, and nothing else")
    parser.add_argument("--first", type=int, default=0, help="number of the first of --large")
    parser.add_argument("--target", action="append", help="default: host, func and cycle")
    parser.add_argument("--operators", type=int, default=840)
    parser.add_argument("--graphs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="operators, joined by commas")
    parser.add_argument("--packed", type=float, default=0.15, help="share of the float and int8 "
                        "constants that are sparse, of few bits or float16; 1: only such models")
    parser.add_argument("--save", default=str(HERE / "regressions"))
    parser.add_argument("--no-shrink", action="store_true", help="neither shrink nor save")
    parser.add_argument("--keep-going", type=int, default=5, help="failures before the end")
    arguments = parser.parse_args()
    large = arguments.large is not None
    arguments.target = arguments.target or (["func"] if large else ["host", "func", "cycle"])
    arguments.config = arguments.config or (["ref16", "small8", "large32"] if large else ["ref16"])
    return arguments


def main():
    arguments = read_arguments()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.large is not None:
            return large_run.run(arguments, folder)
        session = Session(arguments, folder)
        remaining = cases(arguments)
        while session.failures < arguments.keep_going:
            batch = list(itertools.islice(remaining, BATCH))
            if not batch:
                break
            session.batch(batch)
        session.report(arguments.seed)
        session.oracle.close()
    return 1 if session.failures else 0


if __name__ == "__main__":
    sys.exit(main())
