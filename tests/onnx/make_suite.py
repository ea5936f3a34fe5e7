#!/usr/bin/env python3
"""Writes the cases of ONNX's conformance suite that are one operator of some names, in the form that run_nodes.py takes.

usage: make_suite.py FOLDER CASES     needs onnx; CASES: a folder of cases, whose operators are taken, and which are left out themselves
"""
import json
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx.backend.test.case.node import collect_testcases


def main():
    known = Path(sys.argv[2])
    operators = {onnx.load(path).graph.node[0].op_type for path in known.glob("*/model.onnx")}
    count = 0
    for case in collect_testcases(None):
        nodes = case.model.graph.node
        arrays = [array for data in case.data_sets for part in data for array in part]
        if len(nodes) != 1 or nodes[0].op_type not in operators or (known / case.name).exists() or not all(
                isinstance(array, (np.ndarray, np.generic)) for array in arrays):
            continue
        folder = Path(sys.argv[1]) / "nodes" / case.name
        folder.mkdir(parents=True, exist_ok=True)
        onnx.save(case.model, folder / "model.onnx")
        for kind, part in zip(("input", "output"), case.data_sets[0]):
            for i, array in enumerate(part):
                np.save(folder / f"{kind}_{i}.npy", array)
        (folder / "meta.json").write_text(json.dumps({"rtol": case.rtol, "atol": case.atol}))
        count += 1
    print(count, "cases")


main()
