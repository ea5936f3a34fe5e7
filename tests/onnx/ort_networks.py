#!/usr/bin/env python3
"""Networks of torchvision and timm with random weights, quantised by ONNX Runtime (quantize_static, QDQ, uint8, weights of int8 by channel).

usage: ort_networks.py WEFT FOLDER [NAME...]
Needs torch, torchvision, timm, onnx and onnxruntime (docs/testing.md says how they are installed: 7 GB, so no test of ctest runs this).
FOLDER keeps the models. A line for each: cycles on ref16, what is left to the host, and how many elements of the output are not ONNX
Runtime's, which may be where it leaves operators float (docs/numerics.md). 1: a model was refused, or its bytes are not the same on the
host, the functional and the cycle simulator.
"""
import json
import pathlib
import subprocess
import sys
import warnings

import numpy as np
import onnxruntime
import timm
import torch
import torchvision
from onnxruntime import quantization
from onnxruntime.quantization.shape_inference import quant_pre_process

SIZE = 64  # rows and columns of the picture; of Inception more
TORCHVISION = ("resnet18 mobilenet_v2 mobilenet_v3_small densenet121 shufflenet_v2_x1_0 googlenet inception_v3 squeezenet1_1 convnext_tiny mnasnet0_5 "
               "efficientnet_b0 efficientnet_v2_s regnet_y_400mf swin_t").split()
SEGMENTATION = "lraspp_mobilenet_v3_large deeplabv3_mobilenet_v3_large".split()
TIMM = "ghostnet_100 repvgg_a0 hardcorenas_a mobilevit_xxs edgenext_xx_small".split()

weft, folder = sys.argv[1], pathlib.Path(sys.argv[2])
warnings.filterwarnings("ignore")


class Samples(quantization.CalibrationDataReader):
    def __init__(self, shape):
        draw = np.random.default_rng(1)
        self.samples = iter([{"x": draw.standard_normal(shape, np.float32)} for _ in range(3)])

    def get_next(self):
        return next(self.samples, None)


class First(torch.nn.Module):
    """The one output of a network that has names for several."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x):
        return self.network(x)["out"]


def network_of(name):
    if name in TIMM:
        return timm.create_model(name)
    if name in SEGMENTATION:
        return First(getattr(torchvision.models.segmentation, name)(weights=None, weights_backbone=None))
    options = {"init_weights": False, "aux_logits": False} if name in ("googlenet", "inception_v3") else {}
    return getattr(torchvision.models, name)(weights=None, **options)


def shape_of(name):
    return (1, 3, 80, 80) if name == "inception_v3" else (1, 3, SIZE, SIZE)


def make(name, path):
    """Normalisation has random statistics: a network as it is initialised has none."""
    torch.manual_seed(0)
    network = network_of(name).eval()
    for part in network.modules():
        if isinstance(part, torch.nn.BatchNorm2d):
            part.running_mean.normal_(0, 0.1)
            part.running_var.uniform_(0.5, 1.5)
    floats, prepared = path.with_suffix(".floats"), path.with_suffix(".prepared")
    torch.onnx.export(network, torch.randn(shape_of(name)), str(floats), input_names=["x"], output_names=["y"], opset_version=17, dynamo=False)
    quant_pre_process(str(floats), str(prepared), skip_symbolic_shape=True)
    quantization.quantize_static(str(prepared), str(path), Samples(shape_of(name)), quant_format=quantization.QuantFormat.QDQ, per_channel=True,
                                 activation_type=quantization.QuantType.QUInt8, weight_type=quantization.QuantType.QInt8)
    floats.unlink()
    prepared.unlink()


def examine(name):
    """A line of the table, and whether all is well."""
    model = folder / f"{name}.onnx"
    if not model.exists():
        make(name, model)
    np.save(folder / "x.npy", np.random.default_rng(5).standard_normal(shape_of(name), np.float32))
    wanted = onnxruntime.InferenceSession(str(model)).run(None, {"x": np.load(folder / "x.npy")})[0]
    outputs = []
    for target in ("host", "func", "cycle"):
        subprocess.run([weft, "run", model, "--input", folder / "x.npy", "-o", folder / "y.npy", "--target", target, "--json", folder / "y.json"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        outputs.append(np.load(folder / "y.npy"))
    figures = json.loads((folder / "y.json").read_text())
    same = all(output.tobytes() == outputs[0].tobytes() for output in outputs)
    host = figures["host"]
    return (f"{name:28} {figures['cycles']:>10,} cycles, host {host['operators']:3} operators, {100 * host['elements_share']:4.1f} % of elements, "
            f"{np.count_nonzero(outputs[0] != wanted):6} of {wanted.size} elements differ" + ("" if same else ", OTHER BYTES")), same


folder.mkdir(parents=True, exist_ok=True)
bad = 0
for name in sys.argv[3:] or [*TORCHVISION, *SEGMENTATION, *TIMM]:
    try:
        line, good = examine(name)
    except subprocess.CalledProcessError as error:
        line, good = f"{name:28} {error.stderr.strip().splitlines()[-1]}", False
    bad += not good
    print(line, flush=True)
sys.exit(bad > 0)
