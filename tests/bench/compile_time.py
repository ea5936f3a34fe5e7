#!/usr/bin/env python3
"""How long `weft compile` takes: real networks, beside Vela, and networks of more and more layers.

usage: compile_time.py [--weft build/bin/weft] [--models DIR]... [--network NAME]...
                       [--vela PROGRAM] [--repeat 3] [--most-seconds 300] [--no-networks]
                       [--no-curve] [--json OUT]

Wall time and processor time (user and system) are the best of some runs, which alternate with Vela's where there is one
(--vela, or build/peers/bin/vela, which scripts/setup peers makes). The curves are networks that
layered.py makes: a chain of convolutions and cells with branches as NASNet's; the exponent is that
of the line through the logarithms of layers and seconds, 1 for linear. What takes more than
--most-seconds is given up.
Figures only: nothing here fails because it is slow.
"""
import argparse
import json
import math
import pathlib
import tempfile

import layered
import peers
from timed import measure

ROOT = pathlib.Path(__file__).resolve().parents[2]
NETWORKS = ["ad_autoencoder_int8", "kws_dscnn_int8", "ic_resnet8_int8",
            "vww_mobilenetv1_025_96_int8", "sww_ds1dcnn_int8", "mobilenet_v2_1.0_224_int8",
            "mobilenet_v2_1.0_224_uint8", "resnet18_int8", "resnet50_int8", "mobilenetv3s_int8",
            "efficientnetb0_int8", "nasnetmobile_int8", "densenet121_int8"]
LAYERS = [10, 30, 100, 300, 1000, 3000]
FITTED_FROM = 30  # layers; of fewer, starting the process counts


def best(runs):
    """The least wall and the least processor time; None when a run failed."""
    return None if None in runs else tuple(min(figures) for figures in zip(*runs))


def text(figures):
    return "       -        -" if figures is None else f"{figures[0]:8.3f} {figures[1]:8.3f}"


class Bench:
    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, folder
        vela = pathlib.Path(arguments.vela or peers.ENVIRONMENT / "bin/vela")
        self.vela = vela if arguments.vela or vela.exists() else None

    def weft(self, model):
        return measure([self.arguments.weft, "compile", model, "-o", f"{self.folder}/out.weft"],
                       self.arguments.most_seconds)

    def run_vela(self, model):
        return measure(peers.vela_command(peers.COMPILE_TIME_MACHINE, self.folder, model, self.vela),
                       self.arguments.most_seconds)

    def network(self, name):
        paths = (pathlib.Path(folder) / f"{name}.tflite" for folder in self.arguments.models)
        path = next((str(path) for path in paths if path.exists()), None)
        if path is None:
            print(f"{name:28} skipped: no such model")
            return None
        ours, theirs = [], []
        for _ in range(self.arguments.repeat):
            ours.append(self.weft(path))
            theirs += [self.run_vela(path)] if self.vela else []
            if ours[-1] is None:
                break
        ours, theirs = best(ours), best(theirs) if theirs else None
        ratio = f"{ours[1] / theirs[1]:8.2f}" if ours and theirs else "       -"
        print(f"{name:28} {text(ours)} {text(theirs)} {ratio}", flush=True)
        return {"weft": ours, "vela": theirs}

    def curve(self, name, make):
        points = []
        for least in LAYERS:
            path = f"{self.folder}/{name}.tflite"
            content, layers = make(least)
            pathlib.Path(path).write_bytes(content)
            runs = [self.weft(path)]
            while runs[-1] and len(runs) < self.arguments.repeat and runs[0][0] < 10:
                runs.append(self.weft(path))
            figures = best(runs)
            if figures is None:
                print(f"{name:10} {layers:6} layers: given up after "
                      f"{self.arguments.most_seconds} s, or refused", flush=True)
                break
            points.append((layers, *figures))
            print(f"{name:10} {layers:6} layers {text(figures)}  "
                  f"{1000 * figures[1] / layers:8.3f} ms a layer", flush=True)
        exponent = fitted_exponent([p for p in points if p[0] >= FITTED_FROM])
        print(f"{name:10} seconds (cpu) grow with layers to the power of "
              f"{'?' if exponent is None else f'{exponent:.2f}'}", flush=True)
        return {"points": points, "exponent": exponent}


def fitted_exponent(points):
    """The slope of the line through the logarithms of layers and processor time (least squares)."""
    if len(points) < 2:
        return None
    x = [math.log(layers) for layers, _, _ in points]
    y = [math.log(max(cpu, 1e-3)) for _, _, cpu in points]
    middle_x, middle_y = sum(x) / len(x), sum(y) / len(y)
    return (sum((a - middle_x) * (b - middle_y) for a, b in zip(x, y)) /
            sum((a - middle_x) ** 2 for a in x))


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weft", default=str(ROOT / "build/bin/weft"))
    parser.add_argument("--models", action="append")
    parser.add_argument("--network", action="append")
    parser.add_argument("--vela")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--most-seconds", type=float, default=300)
    parser.add_argument("--no-networks", action="store_true")
    parser.add_argument("--no-curve", action="store_true")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    arguments.models = arguments.models or [str(ROOT.parent / "shared/models"),
                                            str(ROOT / "build/models")]
    return arguments


def main():
    arguments = read_arguments()
    figures = {}
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(arguments, folder)
        if not arguments.no_networks:
            print(f"{'seconds on ref16':28} {'wall':>8} {'cpu':>8} {'Vela':>8} {'cpu':>8} "
                  f"{'to Vela':>8}")
            figures["networks"] = {name: bench.network(name)
                                   for name in arguments.network or NETWORKS}
        if not arguments.no_curve:
            figures["curves"] = {name: bench.curve(name, make)
                                 for name, make in layered.ALL.items()}
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
