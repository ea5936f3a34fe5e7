#!/usr/bin/env python3
"""ResNet-18 and ResNet-50 on Weft against LiteRT's reference kernels, byte for byte.

usage: resnet.py MAKE_RESNET.py FOLDER [--replay build/bin/replay] [--target NAME]... [18] [50]

Makes the models with MAKE_RESNET.py and their goldens with LiteRT, one case each, under FOLDER,
where they stay, and runs them with replay, by default on func and cycle. Exits with 1 when a byte
differs. LiteRT's reference kernels take a minute or so for ResNet-50.
"""
import argparse
import pathlib
import subprocess
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/differential"))
from oracle import Oracle
from runner import write_case

SHAPE = (1, 224, 224, 3)


def make_case(make_resnet, depth, folder):
    """The model with a random input and its golden output, unless it is there already."""
    case = folder / f"resnet{depth}"
    if (case / "output0.npy").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    model = folder.parent / f"resnet{depth}.tflite"
    subprocess.run([sys.executable, make_resnet, str(depth), model], check=True)
    content = model.read_bytes()
    model.unlink()
    image = np.random.default_rng(depth).integers(-128, 128, SHAPE).astype(np.int8)
    oracle = Oracle(seconds=1800)
    answer = oracle.run(content, [image])
    oracle.close()
    if isinstance(answer, str):
        sys.exit(f"resnet.py: LiteRT does not run resnet{depth}: {answer}")
    write_case(case, content, [image], answer[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("make_resnet")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--replay", default=str(ROOT / "build/bin/replay"))
    parser.add_argument("--target", action="append", help="default: func and cycle")
    parser.add_argument("depths", nargs="*", type=int, default=[18, 50])
    arguments = parser.parse_args()
    for depth in arguments.depths:
        make_case(arguments.make_resnet, depth, arguments.folder)
    command = [arguments.replay]
    for target in arguments.target or ["func", "cycle"]:
        command += ["--target", target]
    return 1 if subprocess.run(command + [arguments.folder]).returncode != 0 else 0


if __name__ == "__main__":
    sys.exit(main())
