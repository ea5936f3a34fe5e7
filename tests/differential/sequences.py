"""Random models of one operator with a state."""
import numpy as np

from model import Model, Tensor


def weights(v, model, rows, columns):
    data = np.clip(np.round(v.rng.normal(0, v.choice([5, 40, 80]), (rows, columns))), -127, 127).astype(np.int8)
    return model.constant(data, v.near(1 / (40 * columns ** 0.5), 1.5), 0)


def unidirectional_sequence_lstm(v):
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
