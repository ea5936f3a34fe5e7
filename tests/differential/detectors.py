#!/usr/bin/env python3
"""A network like MoveNet and one like SSD-MobileNet, post-processing included: `weft run` against LiteRT's reference kernels, byte for
byte.

usage: detectors.py WEFT FOLDER [--target NAME]...

Writes the models, inputs and outputs to FOLDER. Exits with 1 when a byte differs.
"""
import argparse
import pathlib
import subprocess
import sys

import numpy as np

from model import Model, Tensor
from oracle import Oracle

SAME, RELU6 = 0, 3
SIZE = 64  # rows and columns of the image
KEYPOINTS, GRID = 17, 16
CLASSES, ANCHORS = 5, 3


class Network:
    """Layers of int8, then operators of floats. Weights are random; scales keep most elements inside int8."""

    def __init__(self, seed):
        self.model = Model()
        self.rng = np.random.default_rng(seed)
        self.scale = {}

    def image(self):
        x = self.model.input("i8", (1, SIZE, SIZE, 3), 1 / 128, 0)
        self.scale[x] = 1 / 128
        return x

    def add(self, dtype, scale=None, zero=None):
        return self.model.add(Tensor(dtype, None, scale, zero))

    def conv(self, x, channels_in, channels, kernel=1, stride=1, depthwise=False, activation=RELU6):
        fan_in = kernel * kernel * (1 if depthwise else channels_in)
        shape = (1, kernel, kernel, channels) if depthwise else (channels, kernel, kernel, channels_in)
        weights = np.clip(np.round(self.rng.normal(0, 40, shape)), -127, 127).astype(np.int8)
        scale = float(np.float32(0.04))
        scales = (scale / (self.scale[x] * (60 if activation else 150) * fan_in ** 0.5) * self.rng.uniform(0.5, 1.5, channels)).astype(np.float32)
        bias = self.rng.integers(-2000, 2000, channels).astype(np.int32)
        made = self.add("i8", scale, -100 if activation else 0)
        inputs = [x, self.model.constant(weights, scales, np.zeros(channels, int), 3 if depthwise else 0),
                  self.model.constant(bias, (scales * np.float32(self.scale[x])).astype(np.float32), np.zeros(channels, int))]
        fields = dict(padding=SAME, strideH=stride, strideW=stride, dilationHFactor=1, dilationWFactor=1,
                      fusedActivationFunction=activation)
        if depthwise:
            self.model.op("DEPTHWISE_CONV_2D", inputs, [made], "DepthwiseConv2DOptions", depthMultiplier=1, **fields)
        else:
            self.model.op("CONV_2D", inputs, [made], "Conv2DOptions", **fields)
        self.scale[made] = scale
        return made

    def separable(self, x, channels_in, channels, stride):
        x = self.conv(x, channels_in, channels_in, 3, stride, depthwise=True)
        return self.conv(x, channels_in, channels)

    def backbone(self):
        """Feature maps of 16 x 16 x 32 and 8 x 8 x 48."""
        x = self.conv(self.image(), 3, 16, 3, 2)
        x = self.separable(x, 16, 32, 2)
        return x, self.separable(x, 32, 48, 2)

    # ---- operators ----

    def op(self, code, inputs, dtype, table=None, scale=None, zero=None, **fields):
        made = self.add(dtype, scale, zero)
        self.model.op(code, inputs, [made], table, **fields)
        return made

    def number(self, value, dtype=np.float32):
        return self.model.constant(np.array(value, dtype))

    def floats(self, x):
        return self.op("DEQUANTIZE", [x], "f32")

    def reshape(self, x, dtype, shape):
        return self.op("RESHAPE", [x, self.number(shape, np.int32)], dtype, "ReshapeOptions", newShape=shape)

    def float_op(self, code, a, b):
        return self.op(code, [a, b], "f32", code.capitalize() + "Options")

    def cast(self, x, dtype):
        return self.op("CAST", [x], dtype, "CastOptions")

    def rows_and_columns(self, index, count):
        """[count, 2] of places in a grid, as int32 and as float."""
        row = self.cast(self.float_op("MUL", self.cast(index, "f32"), self.number(1 / GRID)), "i32")
        begin = self.op("MUL", [row, self.number(GRID, np.int32)], "i32", "MulOptions")
        column = self.op("SUB", [index, begin], "i32", "SubOptions")
        both = self.op("PACK", [row, column], "i32", "PackOptions", axis=1, valuesCount=2)
        return self.reshape(self.cast(both, "f32"), "f32", (1, count, 2))


def movenet():
    """The person in the middle: its centre, from there where keypoints should be, and the best places near them."""
    net = Network(1)
    near, far = net.backbone()
    far = net.conv(far, 48, 32)
    wide = net.op("RESIZE_BILINEAR", [far, net.number((GRID, GRID), np.int32)], "i8", "ResizeBilinearOptions", net.scale[far], -100,
                  halfPixelCenters=True)
    scale = max(net.scale[near], net.scale[far]) * 1.5
    x = net.op("ADD", [near, wide], "i8", "AddOptions", scale, -100)
    net.scale[x] = scale
    cells = GRID * GRID
    centre, heat, place, offset = (
        net.reshape(net.floats(net.conv(net.separable(x, 32, 32, 1), 32, channels, activation=0)), "f32", shape)
        for channels, shape in ((1, (1, cells)), (KEYPOINTS, (cells, KEYPOINTS)), (2 * KEYPOINTS, (cells, 2 * KEYPOINTS)),
                                (2 * KEYPOINTS, (cells, KEYPOINTS, 2))))
    weights = net.model.constant(net.rng.uniform(0.5, 1, (1, cells)).astype(np.float32))
    centre = net.float_op("MUL", net.op("LOGISTIC", [centre], "f32"), weights)
    index = net.op("ARG_MAX", [centre, net.number(1, np.int32)], "i32", "ArgMaxOptions", outputType=2)
    places = net.op("GATHER_ND", [place, net.reshape(index, "i32", (1, 1))], "f32", "GatherNdOptions")
    places = net.float_op("ADD", net.reshape(places, "f32", (1, KEYPOINTS, 2)), net.rows_and_columns(index, 1))
    grid = net.model.constant(np.stack(np.mgrid[:GRID, :GRID], -1).reshape(cells, 1, 2).astype(np.float32))
    apart = net.float_op("SUB", grid, places)
    squares = [net.add("f32"), net.add("f32")]
    net.model.op("UNPACK", [net.float_op("MUL", apart, apart)], squares, "UnpackOptions", num=2, axis=2)
    distance = net.float_op("MUL", net.float_op("ADD", *squares), net.number(-0.05))
    score = net.float_op("MUL", net.op("LOGISTIC", [heat], "f32"), net.op("LOGISTIC", [distance], "f32"))
    best = net.op("ARG_MAX", [score, net.number(0, np.int32)], "i32", "ArgMaxOptions", outputType=2)
    cells_of = net.op("PACK", [best, net.number(np.arange(KEYPOINTS), np.int32)], "i32", "PackOptions", axis=1, valuesCount=2)
    offsets = net.reshape(net.op("GATHER_ND", [offset, cells_of], "f32", "GatherNdOptions"), "f32", (1, KEYPOINTS, 2))
    found = net.float_op("MUL", net.float_op("ADD", offsets, net.rows_and_columns(best, KEYPOINTS)), net.number(1 / GRID))
    sure = net.reshape(net.op("GATHER_ND", [score, cells_of], "f32", "GatherNdOptions"), "f32", (1, KEYPOINTS, 1))
    found = net.op("CONCATENATION", [found, sure], "f32", "ConcatenationOptions", axis=2)
    net.model.outputs = [net.reshape(found, "f32", (1, 1, KEYPOINTS, 3)), net.add("f32"), net.add("i32")]
    net.model.op("TOPK_V2", [centre, net.number(6, np.int32)], net.model.outputs[1:], "TopKV2Options")  # several persons
    return net.model


def head(net, maps, channels, columns, activation=0):
    """Of several feature maps [1, anchors, columns], in one scale."""
    parts = []
    scale = None
    for x, depth, cells in maps:
        made = net.conv(x, depth, ANCHORS * channels, 3, activation=activation)
        tensor = net.model.tensors[made]
        scale = scale or net.scale[made]
        tensor.scale = net.scale[made] = scale
        parts.append(net.reshape(made, "i8", (1, cells * ANCHORS, columns)))
        net.model.tensors[parts[-1]].scale, net.model.tensors[parts[-1]].zero = scale, 0
    return net.op("CONCATENATION", parts, "i8", "ConcatenationOptions", scale, 0, axis=1)


def ssd(regular):
    net = Network(2)
    near, far = net.backbone()
    small = net.separable(far, 48, 64, 2)
    maps = [(far, 48, 64), (small, 64, 16)]
    boxes = net.floats(head(net, maps, 4, 4))
    scores = net.op("LOGISTIC", [head(net, maps, CLASSES + 1, CLASSES + 1)], "i8", None, 1 / 256, -128)
    count = ANCHORS * 80
    anchors = np.concatenate([net.rng.uniform(0, 1, (count, 2)), net.rng.uniform(0.1, 0.4, (count, 2))], 1).astype(np.float32)
    net.model.custom_op("TFLite_Detection_PostProcess", [boxes, net.floats(scores), net.model.constant(anchors)],
                        [net.model.output("f32") for _ in range(4)], max_detections=10, max_classes_per_detection=1,
                        detections_per_class=100, use_regular_nms=regular, num_classes=CLASSES, nms_score_threshold=1e-8,
                        nms_iou_threshold=0.6, y_scale=10.0, x_scale=10.0, h_scale=5.0, w_scale=5.0)
    return net.model


def make(name, model, folder, oracle):
    """The model, its input and LiteRT's outputs in files."""
    image = np.random.default_rng(3).integers(-128, 128, (1, SIZE, SIZE, 3)).astype(np.int8)
    answer = oracle.run(model.to_bytes(), [image])
    if isinstance(answer, str):
        sys.exit(f"detectors.py: LiteRT does not run {name}: {answer}")
    for op in model.operators:
        for index in op.outputs:
            model.tensors[index].shape = answer[0][index]
    assert not name.startswith("ssd") or answer[1][3][0] == 10, "what the reference leaves behind its boxes is not defined"
    (folder / f"{name}.tflite").write_bytes(model.to_bytes())
    np.save(folder / f"{name}.npy", image)
    return answer[1]


def differs(weft, name, expected, folder, target):
    paths = [folder / f"{name}-output{i}.npy" for i in range(len(expected))]
    command = [weft, "run", folder / f"{name}.tflite", "--input", folder / f"{name}.npy", "--target", target]
    for path in paths:
        path.unlink(missing_ok=True)
        command += ["--output", path]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    wrong = [i for i, path in enumerate(paths)
             if (got := np.load(path)).tobytes() != expected[i].tobytes() or got.shape != expected[i].shape]
    values = [len(np.unique(array)) for array in expected]
    print(f"{name} on {target}: {len(expected)} outputs of {values} different values, {len(wrong)} differ {wrong or ''}", flush=True)
    return bool(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weft")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--target", action="append", help="default: host and func")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    oracle = Oracle()
    wrong = 0
    for name, model in (("movenet", movenet()), ("ssd", ssd(False)), ("ssd_regular", ssd(True))):
        expected = make(name, model, arguments.folder, oracle)
        for target in arguments.target or ["host", "func"]:
            wrong += differs(arguments.weft, name, expected, arguments.folder, target)
    oracle.close()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
