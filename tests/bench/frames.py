"""What an inference takes among several: one after the other, and in the order that is fastest in all.

usage: frames.py WEFT FOLDER... [--config NAME] [--json OUT.json] [--networks NAME[,NAME...]]

Prints for each network of the folders the cycles of one inference, the steady state of `weft run --frames 8` as a share of it, and
the cycles of an inference of `weft run --batch N` for N = 1, 2, 4, 8. Ends with status 1 when a larger batch takes more of each.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

NETWORKS = ["ad_autoencoder_int8", "kws_dscnn_int8", "ic_resnet8_int8", "vww_mobilenetv1_025_96_int8", "sww_ds1dcnn_int8",
            "mobilenet_v2_1.0_224_int8", "resnet18_int8", "resnet50_int8"]
FRAMES = 8
BATCHES = [1, 2, 4, 8]


def run(weft, model, config, option, count):
    """Statistics of a run without data."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        subprocess.run([weft, "run", model, "--config", config, option, str(count), "--timing-only", "--memory-limit", "8G", "--json", file.name], check=True,
                       stdout=subprocess.DEVNULL)
        return json.load(open(file.name))


def measure(weft, model, config):
    runs = {n: run(weft, model, config, "--batch", n) for n in BATCHES}
    frames = run(weft, model, config, "--frames", FRAMES)
    batch = {n: runs[n]["cycles"] / n for n in BATCHES}
    return {"one": batch[1], "frames": frames["cycles"] / FRAMES, "period": frames["frame_period"], "batch": batch,
            "host_operators": {n: runs[n]["host"]["operators"] for n in BATCHES}}


def rises(name, figure):
    """Larger batches that take more of each; what moved from the host to the machine is no loss."""
    return [f"{name}: a batch of {b}" for a, b in zip(BATCHES, BATCHES[1:])
            if figure["batch"][b] > figure["batch"][a] and figure["host_operators"][a] == figure["host_operators"][b]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("weft")
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--config", default="ref16")
    parser.add_argument("--networks", default=",".join(NETWORKS))
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    figures = {}
    rising = []
    print(f"{'network on ' + options.config:32}{'one':>12}{'steady':>12}{'of one':>8}" +
          "".join(f"{'batch ' + str(n):>12}" for n in BATCHES))
    for name in options.networks.split(","):
        models = [folder / f"{name}.tflite" for folder in options.folders if (folder / f"{name}.tflite").exists()]
        if not models:
            print(f"{name:32}skipped: not in {', '.join(map(str, options.folders))}")
            continue
        figure = figures[name] = measure(options.weft, models[0], options.config)
        print(f"{name:32}{figure['one']:12.0f}{figure['period']:12.1f}{figure['period'] / figure['one']:8.3f}" +
              "".join(f"{figure['batch'][n]:12.1f}" for n in BATCHES), flush=True)
        rising += rises(name, figure)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1))
    for what in rising:
        print(f"{what} takes more an inference than half of it")
    return 1 if rising else 0


if __name__ == "__main__":
    sys.exit(main())
