"""Run a model in LiteRT's reference kernels and write down what they compute."""
import json
import zlib

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from PIL import Image


class Reference:
    """A model file in LiteRT's reference kernels; keeps the output of every operator."""

    def __init__(self, path):
        self.interpreter = Interpreter(
            model_path=str(path), experimental_preserve_all_tensors=True,
            experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
        self.interpreter.allocate_tensors()
        self.input = self.interpreter.get_input_details()[0]["index"]
        self.output = self.interpreter.get_output_details()[0]["index"]
        self.made_by = {int(index): op["op_name"] for op in self.interpreter._get_ops_details()
                        for index in op["outputs"]}

    def run(self, grey):
        """Run one picture (uint8 [16, 16, 1]); return the int8 probabilities [1, 10]."""
        int8 = (grey.astype(np.int16) - 128).astype(np.int8)
        self.interpreter.set_tensor(self.input, int8[None])
        self.interpreter.invoke()
        return self.interpreter.get_tensor(self.output)

    def operator_outputs(self):
        """Return (tensor index, operator, name, array) of every operator's output, last run."""
        return [(d["index"], self.made_by[d["index"]], d["name"],
                 self.interpreter.get_tensor(d["index"]))
                for d in self.interpreter.get_tensor_details() if d["index"] in self.made_by]


def write_case(out, reference, name, grey, with_tensors):
    """Write the picture (uint8 [16, 16, 1]) as out/`name`.png and its goldens.

    out/goldens/`name`.output.npy is the model's output; `with_tensors` adds `name`.tensors.json,
    the CRC-32 of every operator's output.
    """
    goldens = out / "goldens"
    goldens.mkdir(exist_ok=True)
    Image.fromarray(grey[..., 0]).save(out / f"{name}.png")
    np.save(goldens / f"{name}.output.npy", reference.run(grey))
    if with_tensors:
        table = [dict(index=index, op=op, name=tensor, dtype=value.dtype.name,
                      shape=list(value.shape), crc32=f"{zlib.crc32(value.tobytes()):08x}")
                 for index, op, tensor, value in reference.operator_outputs()]
        (goldens / f"{name}.tensors.json").write_text(json.dumps(table, indent=0) + "\n")
