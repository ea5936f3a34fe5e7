"""Random models of one operator with a state: run.py runs them several times in a row."""
import numpy as np

from model import Model, Tensor


def weights(v, model, rows, columns):
    data = np.clip(np.round(v.rng.normal(0, v.choice([5, 40, 80]), (rows, columns))), -127, 127).astype(np.int8)
    return model.constant(data, v.near(1 / (40 * columns ** 0.5), 1.5), 0)


def unidirectional_sequence_lstm(v):
    return v.choice([integer_lstm, float_lstm, float_lstm])(v)


def integer_lstm(v):
    """As TFLite's converter writes Keras LSTMs: int8, cells of int16."""
    model = Model()
    batch, steps, inputs, cells = v.small(3), v.small(8), v.small(20), v.small(20)
    major = v.chance(0.4)
    x = model.input("i8", (steps, batch, inputs) if major else (batch, steps, inputs), v.near(1 / 32), v.zero("i8"))
    scale, zero = v.near(1 / 128, 0.7), v.zero("i8")
    of_input = [weights(v, model, cells, inputs) for _ in range(4)]
    of_state = [weights(v, model, cells, cells) for _ in range(4)]
    biases = [model.constant(v.rng.integers(-3000, 3000, cells).astype(np.int32),
                             model.tensors[x].scale * model.tensors[w].scale, 0) for w in of_input]
    state = model.add(Tensor("i8", (batch, cells), scale, zero, variable=True))
    exponent = v.integer(-15, -9)
    cell = model.add(Tensor("i16", (batch, cells), 2.0 ** exponent, 0, variable=True))
    hidden = model.add(Tensor("i8", (), *((scale, zero) if v.chance(0.7) else (v.near(scale, 0.5), v.zero("i8")))))
    others = [model.add(Tensor("f32", ())) for _ in range(4)]
    absent = [-1] * 3
    model.op("UNIDIRECTIONAL_SEQUENCE_LSTM",
             [x] + of_input + of_state + absent + biases + [-1, -1, state, cell] + [-1] * 4, [model.output("i8", scale, zero)],
             "UnidirectionalSequenceLSTMOptions", fusedActivationFunction=4, timeMajor=major,
             cellClip=v.choice([0.0, 0.0, 0.5, 1.0, 10.0]))
    model.operators[-1].intermediates = others + [hidden]
    return model


def float_data(v, shape, spread):
    return v.rng.normal(0, spread, shape).astype(np.float32)


def float_weights(v, model, hybrid, *shape):
    """A float matrix or vector; `hybrid`: of int8."""
    data = float_data(v, shape, v.choice([0.1, 0.5, 1.0]) * 2 / shape[-1] ** 0.5)
    if not hybrid:
        return model.constant(data)
    scale = float(np.float32(np.max(np.abs(data)) / 127))
    return model.constant(np.clip(np.round(data / scale), -127, 127).astype(np.int8), scale, 0)


def float_lstm(v):
    """With and without all that it may have; with float weights, or int8 ones (dynamic range)."""
    model = Model()
    hybrid, major, coupled, peephole, norm = (v.chance(p) for p in (0.45, 0.3, 0.25, 0.25, 0.25))
    batch = v.choice([1, 1, 2, 3, v.small(9)])
    steps, inputs, cells = v.small(6), v.choice([v.small(9), v.small(40)]), v.choice([v.small(9), v.small(40)])
    outputs = v.small(20) if v.chance(0.3) else None
    x = model.input("f32", (steps, batch, inputs) if major else (batch, steps, inputs))
    gates = [not coupled, True, True, True]
    def each(present, make):
        return [make() if there and present else -1 for there in gates]
    bias = lambda: model.constant(float_data(v, cells, 1))
    of_input = each(True, lambda: float_weights(v, model, hybrid, cells, inputs))
    of_state = each(True, lambda: float_weights(v, model, hybrid, cells, outputs or cells))
    peepholes = each(peephole, lambda: float_weights(v, model, hybrid, cells))
    biases = each(True, bias)
    norms = each(norm, lambda: model.constant(float_data(v, cells, 1)))
    projection = [float_weights(v, model, hybrid, outputs, cells) if outputs else -1,
                  model.constant(float_data(v, outputs, 1)) if outputs and v.chance(0.5) else -1]
    states = [model.add(Tensor("f32", (batch, n), variable=True)) for n in (outputs or cells, cells)]
    operands = [x] + of_input + of_state + peepholes[:2] + peepholes[3:] + biases + projection + states
    model.op("UNIDIRECTIONAL_SEQUENCE_LSTM", operands + (norms if norm or v.chance(0.5) else []),
             [model.output("f32")], "UnidirectionalSequenceLSTMOptions",
             fusedActivationFunction=4 if v.chance(0.7) else v.integer(1, 3), timeMajor=major,
             cellClip=v.choice([0.0, 0.0, 0.5, 3.0]), projClip=v.choice([0.0, 0.0, 0.5, 3.0]),
             asymmetricQuantizeInputs=v.chance(0.5))
    return model


def svdf(v):
    model = Model()
    kind = v.choice(["integer", "float", "hybrid"])
    batch, inputs, units = v.small(4), v.small(40), v.small(12)
    rank, memory = v.choice([1, 1, 2, v.small(6)]), v.small(16)
    filters = units * rank
    if kind == "integer":
        x = model.input("i8", (batch, inputs), v.near(1 / 32), v.zero("i8"))
        feature = weights(v, model, filters, inputs)
        time = model.constant(np.clip(np.round(v.rng.normal(0, v.choice([100, 5000]), (filters, memory))),
                                      -32767, 32767).astype(np.int16), v.near(2.0 ** -13), 0)
        state = model.add(Tensor("i16", (batch, filters * memory), v.near(2.0 ** -11), 0, variable=True))
        scale = model.tensors[time].scale * model.tensors[state].scale
        bias = model.constant(v.rng.integers(-30000, 30000, units).astype(np.int32), scale, 0)
        y = model.output("i8", v.near(scale * 1e5), v.zero("i8"))
    else:
        x = model.input("f32", (batch, inputs))
        feature, time = (float_weights(v, model, kind == "hybrid", filters, n) for n in (inputs, memory))
        state = model.add(Tensor("f32", (batch, filters * memory), variable=True))
        bias = model.constant(float_data(v, units, 1))
        y = model.output("f32")
    model.op("SVDF", [x, feature, time, bias if v.chance(0.7) else -1, state], [y], "SVDFOptions", rank=rank,
             fusedActivationFunction=1 if kind == "integer" else v.choice([0, 0, 1, 2, 3, 4]),
             asymmetricQuantizeInputs=v.chance(0.5))
    return model
