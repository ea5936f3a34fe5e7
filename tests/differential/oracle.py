"""LiteRT's reference kernels in a child process: they abort on some extreme parameters."""
import multiprocessing
import os

import numpy as np

from model import Model


def _interpreter(content):
    """The reference kernels; of operators that have none (CEIL, ROUND, ELU), all as LiteRT computes them otherwise."""
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    def make(resolver):
        return Interpreter(model_content=content, num_threads=1, experimental_op_resolver_type=resolver,
                           experimental_preserve_all_tensors=True)
    try:
        return make(OpResolverType.BUILTIN_REF)
    except ValueError as error:
        if "Didn't find op" not in str(error):
            raise
        return make(OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)


def _serve(connection):
    """Answers (model bytes, inputs) with (shapes of all tensors, outputs, tensors) or a text. More inputs than the model has are for
    further runs, one after the other; the outputs of all are in one list."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    while True:
        request = connection.recv()
        if request is None:
            return
        content, inputs = request
        try:
            run = _interpreter(content)
            run.allocate_tensors()
            details = run.get_input_details()
            outputs = []
            for first in range(0, max(len(inputs), 1), max(len(details), 1)):
                for detail, array in zip(details, inputs[first:]):
                    run.set_tensor(detail["index"], array)
                run.invoke()
                outputs += [np.array(run.get_tensor(d["index"])) for d in run.get_output_details()]
            shapes = {int(d["index"]): tuple(int(n) for n in d["shape"])
                      for d in run.get_tensor_details()}
            tensors = {}
            for d in run.get_tensor_details():
                if d["sparsity_parameters"]:
                    continue  # has fewer elements than its shape
                try:
                    tensors[int(d["index"])] = np.array(run.get_tensor(d["index"]))
                except ValueError:
                    pass
            connection.send((shapes, outputs, tensors))
        except (RuntimeError, ValueError) as error:
            connection.send(str(error))


class Oracle:
    """`run` returns (shapes, outputs, tensors), or a text why there is no answer. `seconds`: that a
    model may take."""

    def __init__(self, seconds=60):
        self.process = None
        self.seconds = seconds

    def _start(self):
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()

    def run(self, content, inputs):
        if self.process is None:
            self._start()
        try:
            self.connection.send((content, inputs))
            if not self.connection.poll(self.seconds):
                self.process.kill()
                raise EOFError
            return self.connection.recv()
        except (EOFError, BrokenPipeError, ConnectionResetError):
            self.process.join()
            self.process = None
            return "aborted"

    def close(self):
        if self.process is not None:
            self.connection.send(None)
            self.process.join()
            self.process = None

    def is_reference(self):
        """Are these the reference kernels? FULLY_CONNECTED of odd sums, halved, tells: they round
        half away from zero, the kernels that LiteRT otherwise takes do not."""
        x = np.arange(-127, 128, 2, dtype=np.int8).reshape(-1, 1)
        model = Model()
        operands = [model.input("i8", x.shape, 1.0, 0),
                    model.constant(np.ones((1, 1), np.int8), 1.0, 0)]
        model.op("FULLY_CONNECTED", operands, [model.output("i8", 2.0, 0)], "FullyConnectedOptions")
        answer = self.run(model.to_bytes(), [x])
        wanted = np.sign(x) * (np.abs(x.astype(int)) // 2 + 1)
        return not isinstance(answer, str) and np.array_equal(answer[1][0], wanted)
