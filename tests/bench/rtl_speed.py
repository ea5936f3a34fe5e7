#!/usr/bin/env python3
"""Speed of the RTL of two build trees, in turn: usage: rtl_speed.py OLD_TREE [NEW_TREE [ROUNDS [MODEL]]]

Each tree has build/bin/weft_bench and the RTL of ref16; NEW_TREE is this one unless it is given. MODEL (ic_resnet8_int8) is taken
from ../shared/models. A round runs it in the old tree and then in the new one; the ratio of a round is new over old, so that what
else the machine does meanwhile meets both. The program is compiled by each tree for itself, so cycles may differ: the figures are
Mcycle/s.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile


def rate(tree: str, models: str, model: str) -> float:
    """Mcycle/s of the best of the runs that one call of weft_bench makes."""
    out = os.path.join(models, "out.json")
    subprocess.run(
        [os.path.join(tree, "build/bin/weft_bench"), out, models],
        cwd=tree, check=True, stdout=subprocess.DEVNULL)
    with open(out, encoding="utf-8") as file:
        return float(json.load(file)[model]["rtl_cycles_per_second"]) * 1e-6


def main(arguments: list[str]) -> int:
    if not 1 <= len(arguments) <= 4:
        print(__doc__, file=sys.stderr)
        return 2
    here = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
    trees = [os.path.abspath(arguments[0]), os.path.abspath(arguments[1]) if len(arguments) > 1 else here]
    rounds = int(arguments[2]) if len(arguments) > 2 else 7
    model = arguments[3] if len(arguments) > 3 else "ic_resnet8_int8"
    ratios = []
    with tempfile.TemporaryDirectory() as models:
        source = os.path.join(here, "../shared/models", model + ".tflite")
        if not os.path.exists(source):
            print(f"rtl_speed: there is no {source}", file=sys.stderr)
            return 2
        os.symlink(os.path.abspath(source), os.path.join(models, model + ".tflite"))
        for number in range(rounds):
            old, new = (rate(tree, models, model) for tree in trees)
            ratios.append(new / old)
            print(f"round {number + 1}: old {old:.3f}, new {new:.3f} Mcycle/s, ratio {new / old:.3f}", flush=True)
    print(f"{model} on ref16: ratio {statistics.median(ratios):.3f} (median; {min(ratios):.3f} to {max(ratios):.3f})")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
