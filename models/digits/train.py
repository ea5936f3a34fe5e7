#!/usr/bin/env python3
"""Train a small CNN on scikit-learn's handwritten digits and write it as an int8 TFLite model.

usage: train.py [OUT_DIR]      (default: this file's folder; packages: requirements.txt)

Writes OUT_DIR/digits.tflite, ten held-out pictures OUT_DIR/0.png ... 9.png and, made with LiteRT's
reference kernels, their golden outputs in OUT_DIR/goldens. Seeds are fixed and training keeps to
one core, so a second run on the same machine writes the same bytes.

Shapes: N pictures, H rows, W columns, C channels. Pictures are [N, 16, 16, 1].
"""
import os
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from reference import Reference, write_case
from tflite_file import Layer, Writer

SEED = 20261121
CLASSES = 10
EPOCHS = 80
BATCH = 64
PEAK_RATE = 3e-3
WEIGHT_DECAY = 1e-3
LABEL_SMOOTHING = 0.1
MAX_SHIFT = 2  # pixels of the 16x16 picture a training picture is moved by, at most
GOLDEN_TENSORS_DIGIT = 3
MIN_ACCURACY = 0.97
MIN_DISTINCT_VALUES = 50  # a tensor takes over the held-out pictures, at least

NETWORK = (
    Layer("CONV_2D", "stem", ("input",), 16, 3, 1, "RELU"),
    Layer("DEPTHWISE_CONV_2D", "depthwise1", ("stem",), 16, 3, 1, "RELU6"),
    Layer("CONV_2D", "pointwise1", ("depthwise1",), 32, 1, 1, "RELU"),
    Layer("MAX_POOL_2D", "pool", ("pointwise1",), 32, 2, 2),
    Layer("CONV_2D", "residual1", ("pool",), 32, 3, 1, "RELU"),
    Layer("CONV_2D", "residual2", ("residual1",), 32, 3, 1),
    Layer("ADD", "sum", ("residual2", "pool"), 32, activation="RELU"),
    Layer("DEPTHWISE_CONV_2D", "depthwise2", ("sum",), 32, 3, 2, "RELU6"),
    Layer("CONV_2D", "pointwise2", ("depthwise2",), 64, 1, 1, "RELU"),
    Layer("AVERAGE_POOL_2D", "mean", ("pointwise2",), 64, 4, 4),
    Layer("RESHAPE", "flat", ("mean",), 64),
    Layer("FULLY_CONNECTED", "logits", ("flat",), CLASSES),
    Layer("SOFTMAX", "probabilities", ("logits",), CLASSES),
)
ACTIVATIONS = {"NONE": lambda x: x, "RELU": jax.nn.relu, "RELU6": jax.nn.relu6}
# Operators whose output holds values of the input, so TFLite demands the input's scale for it.
SAME_SCALE_OPS = ("MAX_POOL_2D", "AVERAGE_POOL_2D", "RESHAPE")
# The axis of the output channels in TFLite's weight layouts; the others' scale is per tensor.
CHANNEL_AXIS = {"CONV_2D": 0, "DEPTHWISE_CONV_2D": 3}


def enlarge(pictures):
    """Enlarge float pictures [N, H, W] to [N, 2H, 2W] bilinearly (half-pixel centres)."""
    for axis in (1, 2):
        size = pictures.shape[axis]
        position = np.clip((np.arange(2 * size) + 0.5) / 2 - 0.5, 0, size - 1)
        low = np.minimum(position.astype(int), size - 2)
        shape = [1, 1, 1]
        shape[axis] = -1
        weight = (position - low).reshape(shape)
        pictures = (np.take(pictures, low, axis) * (1 - weight)
                    + np.take(pictures, low + 1, axis) * weight)
    return pictures


def load_pictures():
    """Return train and held-out grey pictures (uint8 [N, 16, 16, 1]) and labels (int [N])."""
    digits = load_digits()
    grey = np.floor(enlarge(digits.images) * (255 / 16) + 0.5).astype(np.uint8)[..., None]
    return train_test_split(grey, digits.target, test_size=0.2, stratify=digits.target,
                            random_state=SEED)


def init_params(key):
    """Return {layer: (weights, bias)}, He-initialised, weights in TFLite's layouts.

    CONV_2D [C_out, K, K, C_in], DEPTHWISE_CONV_2D [1, K, K, C], FULLY_CONNECTED [C_out, C_in].
    """
    params, channels = {}, {"input": 1}
    for layer in NETWORK:
        c_in, c_out, k = channels[layer.inputs[0]], layer.channels, layer.kernel
        channels[layer.name] = c_out
        shape = {"CONV_2D": (c_out, k, k, c_in), "DEPTHWISE_CONV_2D": (1, k, k, c_out),
                 "FULLY_CONNECTED": (c_out, c_in)}.get(layer.op)
        if shape:
            key, subkey = jax.random.split(key)
            fan_in = np.prod(shape) / c_out
            weights = jax.random.normal(subkey, shape) * np.sqrt(2 / fan_in)
            params[layer.name] = (weights, jnp.zeros(c_out))
    return params


def apply(layer, params, x, addend=None):
    """Compute one operator, before its activation, on x ([N, H, W, C] or [N, C]).

    `params` is its (weights, bias), None where it has none; only ADD takes an addend, shaped as x.
    """
    weights, bias = params or (None, None)
    strides = (layer.stride, layer.stride)
    if layer.op == "CONV_2D":
        return bias + jax.lax.conv_general_dilated(
            x, weights, strides, "SAME", dimension_numbers=("NHWC", "OHWI", "NHWC"))
    if layer.op == "DEPTHWISE_CONV_2D":
        return bias + jax.lax.conv_general_dilated(
            x, weights, strides, "SAME", dimension_numbers=("NHWC", "IHWO", "NHWC"),
            feature_group_count=layer.channels)
    if layer.op == "FULLY_CONNECTED":
        return bias + x @ weights.T
    if layer.op == "ADD":
        return x + addend
    if layer.op == "MAX_POOL_2D":
        window = (1, layer.kernel, layer.kernel, 1)
        return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, window, (1, *strides, 1), "VALID")
    if layer.op == "AVERAGE_POOL_2D":
        return x.mean((1, 2), keepdims=True)
    if layer.op == "RESHAPE":
        return x.reshape(len(x), -1)
    return jax.nn.softmax(x)


@jax.jit
def forward(params, x):
    """Run the network on x (float [N, 16, 16, 1], 0..1); return every tensor by name."""
    tensors = {"input": x}
    for layer in NETWORK:
        y = apply(layer, params.get(layer.name), *(tensors[name] for name in layer.inputs))
        tensors[layer.name] = ACTIVATIONS[layer.activation](y)
    return tensors


def loss(params, x, labels):
    """Mean cross-entropy of pictures x (float [N, 16, 16, 1]) against smoothed labels [N]."""
    targets = optax.smooth_labels(jax.nn.one_hot(labels, CLASSES), LABEL_SMOOTHING)
    return optax.softmax_cross_entropy(forward(params, x)["logits"], targets).mean()


def shifted(rng, x):
    """Move every picture of x (float [N, 16, 16, 1]) by its own random whole-pixel offset."""
    padded = np.pad(x, ((0, 0), (MAX_SHIFT, MAX_SHIFT), (MAX_SHIFT, MAX_SHIFT), (0, 0)))
    offsets = rng.integers(0, 2 * MAX_SHIFT + 1, (len(x), 2))
    height, width = x.shape[1:3]
    return np.stack([p[r:r + height, c:c + width] for p, (r, c) in zip(padded, offsets)])


def train(x, labels):
    """Train on pictures x (float [N, 16, 16, 1]) with labels (int [N]); return the params."""
    rng = np.random.default_rng(SEED)
    params = init_params(jax.random.key(SEED))
    steps = len(x) // BATCH
    rate = optax.warmup_cosine_decay_schedule(0, PEAK_RATE, 2 * steps, EPOCHS * steps)
    optimiser = optax.adamw(rate, weight_decay=WEIGHT_DECAY)
    state = optimiser.init(params)

    @jax.jit
    def step(params, state, x, labels):
        value, gradient = jax.value_and_grad(loss)(params, x, labels)
        updates, state = optimiser.update(gradient, state, params)
        return optax.apply_updates(params, updates), state, value

    for epoch in range(EPOCHS):
        order = rng.permutation(len(x))[:steps * BATCH].reshape(steps, BATCH)
        for batch in order:
            params, state, value = step(params, state, shifted(rng, x[batch]), labels[batch])
        if (epoch + 1) % 10 == 0:
            print(f"epoch {epoch + 1}: loss of the last batch {value:.4f}", flush=True)
    return {name: tuple(map(np.asarray, pair)) for name, pair in params.items()}


def calibrate(tensors):
    """Return {tensor: (scale, zero point)} for int8 from the float tensors of a data set."""
    quantisation = {"input": (np.float32(1 / 255), -128)}
    for layer in NETWORK:
        if layer.op in SAME_SCALE_OPS:
            quantisation[layer.name] = quantisation[layer.inputs[0]]
        elif layer.op == "SOFTMAX":
            quantisation[layer.name] = (np.float32(1 / 256), -128)
        else:
            values = np.asarray(tensors[layer.name])
            low, high = min(values.min(), 0.0), max(values.max(), 0.0)
            scale = np.float32((high - low) / 255)
            quantisation[layer.name] = (scale, int(np.round(-128 - low / scale)))
    return quantisation


def quantise_weights(op, weights):
    """Return symmetric int8 weights (same shape) and their scales, [C_out] or [1]."""
    axes = tuple(axis for axis in range(weights.ndim) if axis != CHANNEL_AXIS.get(op))
    scales = np.abs(weights).max(axes, keepdims=True) / np.float32(127)
    return np.round(weights / scales).astype(np.int8), scales.ravel()


def write_model(path, params, tensors):
    """Quantise params with the ranges of the training set's float tensors; write the file."""
    quantisation = calibrate(tensors)
    writer = Writer()
    indices = {"input": writer.add_tensor("input", (1, *tensors["input"].shape[1:]),
                                          *quantisation["input"])}
    for layer in NETWORK:
        inputs = [indices[name] for name in layer.inputs]
        if layer.name in params:
            weights, bias = params[layer.name]
            int8, scales = quantise_weights(layer.op, weights)
            bias_scales = quantisation[layer.inputs[0]][0] * scales
            int32 = np.round(bias / bias_scales).astype(np.int32)
            inputs += [writer.add_constant(layer.name + "/weights", int8, scales,
                                           CHANNEL_AXIS.get(layer.op, 0)),
                       writer.add_constant(layer.name + "/bias", int32, bias_scales)]
        elif layer.op == "RESHAPE":
            shape = np.array([-1, layer.channels], np.int32)
            inputs.append(writer.add_constant(layer.name + "/shape", shape))
        indices[layer.name] = writer.add_tensor(
            layer.name, (1, *tensors[layer.name].shape[1:]), *quantisation[layer.name])
        writer.add_operator(layer, inputs, indices[layer.name])
    writer.write(path, indices["input"], indices[NETWORK[-1].name])


def evaluate(reference, pictures):
    """Return the classes (int [N]) the model gives grey pictures (uint8 [N, 16, 16, 1]).

    Prints how many distinct values each tensor takes; refuses a model with a degenerate one.
    """
    classes, seen = [], {}
    for grey in pictures:
        classes.append(reference.run(grey).argmax())
        for _, _, name, value in reference.operator_outputs():
            seen.setdefault(name, set()).update(value.ravel().tolist())
    for name, values in seen.items():
        print(f"{name:14} {len(values):3} distinct values, {min(values)}..{max(values)}")
        if name != "probabilities" and len(values) < MIN_DISTINCT_VALUES:
            sys.exit(f"{name} hardly uses its int8 range")
    return np.array(classes)


def main():
    """Train, quantise, measure, and write the model, the pictures and the goldens."""
    # XLA splits its sums by the number of cores, which changes their rounding.
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent
    out.mkdir(parents=True, exist_ok=True)
    train_grey, test_grey, train_labels, test_labels = load_pictures()
    train_x, test_x = (np.float32(grey) / 255 for grey in (train_grey, test_grey))
    params = train(train_x, train_labels)
    float_classes = np.asarray(forward(params, test_x)["logits"]).argmax(1)
    write_model(out / "digits.tflite", params, forward(params, train_x))
    reference = Reference(out / "digits.tflite")
    classes = evaluate(reference, test_grey)
    accuracy = (classes == test_labels).mean()
    print(f"held-out accuracy: float {(float_classes == test_labels).mean():.4f}, "
          f"int8 {accuracy:.4f} ({(classes != test_labels).sum()} of {len(classes)} wrong)")
    if accuracy < MIN_ACCURACY:
        sys.exit(f"int8 accuracy is below {MIN_ACCURACY}")
    for digit in range(CLASSES):
        chosen = np.flatnonzero((test_labels == digit) & (classes == digit))[0]
        write_case(out, reference, digit, test_grey[chosen], digit == GOLDEN_TENSORS_DIGIT)


if __name__ == "__main__":
    main()
