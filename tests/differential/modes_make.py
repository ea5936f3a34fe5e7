#!/usr/bin/env python3
"""MobileNetV2 of Keras in the other modes of TFLite's converter, with random weights.

usage: modes_make.py FOLDER [--size PIXELS] [--alpha WIDTH] [--only MODE[,MODE]]

Writes FOLDER/MODE.tflite: int16x8 (int16 activations, int8 weights), int16x8_float (the same with
float inputs and outputs), dynamic (float activations, int8 weights), float16 (weights). Needs
tensorflow-cpu, nothing else of this folder does.
"""
import argparse
import os
import pathlib

os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np
import tensorflow as tf

MODES = ["int16x8", "int16x8_float", "dynamic", "float16"]


def network(size, alpha):
    """Untrained, but for what batch normalisation divides by and adds: so nothing is zero."""
    tf.keras.utils.set_random_seed(1)
    net = tf.keras.applications.MobileNetV2(input_shape=(size, size, 3), alpha=alpha, weights=None,
                                            classes=100)
    rng = np.random.default_rng(1)
    for layer in net.layers:
        if isinstance(layer, tf.keras.layers.BatchNormalization):
            gamma, beta, mean, variance = (w.shape for w in layer.get_weights())
            layer.set_weights([rng.uniform(0.5, 1.5, gamma), rng.normal(0, 0.3, beta),
                               rng.normal(0, 0.3, mean), rng.uniform(0.5, 1.5, variance)])
    return net


def convert(net, mode, size):
    rng = np.random.default_rng(2)
    converter = tf.lite.TFLiteConverter.from_keras_model(net)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    if mode == "float16":
        converter.target_spec.supported_types = [tf.float16]
    if mode.startswith("int16x8"):
        images = rng.uniform(-1, 1, (2, 1, size, size, 3)).astype(np.float32)
        converter.representative_dataset = lambda: ([image] for image in images)
        converter.target_spec.supported_ops = [
            tf.lite.OpsSet.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8]
    if mode == "int16x8":
        converter.inference_input_type = converter.inference_output_type = tf.int16
    return converter.convert()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--size", type=int, default=96)
    parser.add_argument("--alpha", type=float, default=0.35)
    parser.add_argument("--only", default=",".join(MODES))
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    net = network(arguments.size, arguments.alpha)
    for mode in arguments.only.split(","):
        content = convert(net, mode, arguments.size)
        path = arguments.folder / f"{mode}.tflite"
        path.with_suffix(".new").write_bytes(content)
        path.with_suffix(".new").rename(path)


if __name__ == "__main__":
    main()
