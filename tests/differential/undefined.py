"""Cases for which LiteRT's reference kernels compute what is not defined (docs/numerics.md)."""
import numpy as np

LIMIT = 2.0 ** 31


def _scale(tensor):
    return np.asarray(tensor.scale, np.float32).astype(np.float64)


def _zero(tensor):
    return np.asarray(0 if tensor.zero is None else tensor.zero, np.int64)


def _fully_connected(model, op, values):
    """Scaled sums become int32."""
    x, w, y = (model.tensors[i] for i in (op.inputs[0], op.inputs[1], op.outputs[0]))
    if x.scale is None:
        return _hybrid(model, op, values)
    weights = values[op.inputs[1]].astype(np.int64)
    zeros = _zero(w)
    weights = weights - (zeros[:, None] if zeros.ndim == 1 else zeros)
    sums = (values[op.inputs[0]].astype(np.int64) - _zero(x)).reshape(-1, weights.shape[1])
    sums = sums @ weights.T
    if len(op.inputs) > 2 and op.inputs[2] >= 0:
        sums = sums + values[op.inputs[2]].astype(np.int64)
    return bool(np.any(np.abs(sums * (_scale(x) * _scale(w) / _scale(y))) >= LIMIT - 1))


def _quantize(model, op, values):
    """Floats become int32, and the zero point is added."""
    if model.tensors[op.inputs[0]].dtype != "f32":
        return False
    steps = values[op.inputs[0]].astype(np.float64) / np.min(_scale(model.tensors[op.outputs[0]]))
    return not np.all(np.abs(steps) < LIMIT - 2 ** 17)


def _strided_slice(model, op, values):
    """Ends that are lengths are not limited to the tensor."""
    if not op.fields.get("offset"):
        return False
    begin, end = (values[i] for i in op.inputs[1:3])
    sizes = values[op.inputs[0]].shape
    return any(b % n + e > n for b, e, n in zip(begin, end, sizes))


def _hybrid(model, op, values):
    """Floats are quantised to int8: none may be infinite, and 127 over the largest of them must not be.
    Matrix products negate weights of -128 in 8 bits, where the processor has wide instructions."""
    x, w = (model.tensors[i] for i in op.inputs[:2])
    if x.dtype != "f32" or w.dtype == "f32":
        return False
    elements = np.abs(values[op.inputs[0]])
    if op.code != "DEPTHWISE_CONV_2D" and np.min(values[op.inputs[1]]) == -128:
        return True
    return not np.all(np.isfinite(elements)) or bool(np.any((elements > 0) & (elements < 1e-35) | (elements > 1e38)))


def _int64_sums(first):
    """int64 sums are shifted right by 15 bits less the factor's own."""
    def check(model, op, values):
        x, w, y = (model.tensors[i] for i in (op.inputs[first], op.inputs[1], op.outputs[0]))
        return _hybrid(model, op, values) or (x.dtype == "i16" and op.fields.get("quantizedBiasType") != 2
                and bool(np.any(_scale(x) * _scale(w) / _scale(y) >= 2.0 ** 13.9)))
    return check


def _sequence(model, op, values):
    """What is kept must stay finite; of int8 weights nothing that is quantised may become as small as above, so gates must not
    close altogether."""
    if model.tensors[op.inputs[0]].dtype != "f32":
        return False
    elements = np.abs(values[op.inputs[0]].astype(np.float64))
    most = 1e15 if model.tensors[op.inputs[2]].dtype == "f32" or op.code == "SVDF" else 12
    return bool(np.any((elements > 0) & (elements < 1e-15) | ~(elements < most)))


def _comparison(model, op, values):
    """Elements are scaled by a shift to the right; NOT_EQUAL of int16 without a scale computes nothing."""
    tensors = [model.tensors[i] for i in op.inputs]
    if tensors[0].scale is None:
        return tensors[0].dtype == "i16" and op.code == "NOT_EQUAL"
    scaled = tensors[0].dtype != "i16" or op.code in ("EQUAL", "NOT_EQUAL")
    return scaled and any(np.max(_scale(t)) >= 1 for t in tensors)


def _squared_difference(model, op, values):
    a, b, y = (model.tensors[i] for i in list(op.inputs) + list(op.outputs))
    return a.scale is not None and bool((2 * max(_scale(a), _scale(b))) ** 2 / (2 ** 14 * _scale(y)) >= 1)


def _div(model, op, values):
    """Quotients are shifted to the left, or to the right by 32 bits and more."""
    a, b, y = (model.tensors[i] for i in list(op.inputs) + list(op.outputs))
    if a.scale is None:
        return False
    x, d = np.broadcast_arrays(*(np.abs(values[i].astype(np.int64) - _zero(t)) for i, t in zip(op.inputs, (a, b))))
    factor = np.float32(a.scale) / (np.float32(b.scale) * np.float32(y.scale))
    bits = np.frexp(d.astype(np.float64))[1] - 1 + 31 - np.frexp(x.astype(np.float64))[1]
    shift = bits - np.frexp(np.float64(factor))[1]
    return bool(np.any((shift < 0) | (shift > 31)))


def _shifted_sum(model, op, values):
    """ADD of int16 whose scales are powers of two does not broadcast."""
    tensors = [model.tensors[i] for i in list(op.inputs) + list(op.outputs)]
    powers = [np.log2(np.float64(t.scale)) for t in tensors] if tensors[0].dtype == "i16" else [0.5]
    return (op.fields.get("potScaleInt16", True) and tensors[0].shape != tensors[1].shape
            and all(abs(p - round(p)) < 2e-3 for p in powers))


def _pow(model, op, values):
    """Beyond int32."""
    if model.tensors[op.inputs[0]].dtype != "i32":
        return False
    x, y = (values[i].astype(np.float64) for i in op.inputs)
    return bool(np.any(np.abs(x ** y) >= LIMIT))


CHECKS = {**dict.fromkeys(("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"), _comparison),
          "SQUARED_DIFFERENCE": _squared_difference, "POW": _pow, "DIV": _div, "ADD": _shifted_sum,
          "FULLY_CONNECTED": _fully_connected, "QUANTIZE": _quantize,
          "STRIDED_SLICE": _strided_slice, "CONV_2D": _int64_sums(0),
          "DEPTHWISE_CONV_2D": _int64_sums(0), "BATCH_MATMUL": _int64_sums(0),
          "TRANSPOSE_CONV": _int64_sums(2), "UNIDIRECTIONAL_SEQUENCE_LSTM": _sequence, "SVDF": _sequence}


def what_is_undefined(model, values):
    """`values`: the elements of all tensors. The name of an operator, or None."""
    for op in model.operators:
        if op.code in CHECKS and CHECKS[op.code](model, op, values):
            return op.code
    return None


def answer_of(oracle, model, inputs):
    """LiteRT's outputs, of all runs, and all tensors of the last, with the shapes of the results set; or a text: why there is no
    answer, or none that means anything."""
    answer = oracle.run(model.to_bytes(), inputs)
    if isinstance(answer, str):
        return answer
    shapes, outputs, tensors = answer
    for op in model.operators:
        for index in op.outputs:
            model.tensors[index].shape = shapes[index]
    tensors.update((i, t.data) for i, t in enumerate(model.tensors) if t.data is not None)
    for first in range(0, max(len(inputs), 1), max(len(model.inputs), 1)):
        tensors.update(zip(model.inputs, inputs[first:]))
        undefined = what_is_undefined(model, tensors)
        if undefined is not None:
            return f"{undefined} is not defined here"
    return outputs, tensors
