"""Write a quantised network as a TFLite file."""
from typing import NamedTuple

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

# The versions TFLite's converter gives these operators when they are int8.
OP_VERSIONS = {"CONV_2D": 3, "DEPTHWISE_CONV_2D": 3, "FULLY_CONNECTED": 4, "ADD": 2,
               "MAX_POOL_2D": 2, "AVERAGE_POOL_2D": 2, "RESHAPE": 1, "SOFTMAX": 2}


class Layer(NamedTuple):
    """One operator; `name` is also the name of its output tensor, `inputs` name its operands.

    `op` is TFLite's name; kernels are square; convolutions pad SAME, pools do not pad.
    """
    op: str
    name: str
    inputs: tuple
    channels: int
    kernel: int = 0
    stride: int = 1
    activation: str = "NONE"


def builtin_options(layer):
    """Return the BuiltinOptions kind and object of `layer`, as TFLite's converter sets them."""
    kinds = schema.BuiltinOptions
    activation = getattr(schema.ActivationFunctionType, layer.activation)
    stride = {"strideW": layer.stride, "strideH": layer.stride}
    if layer.op == "CONV_2D":
        return kinds.Conv2DOptions, schema.Conv2DOptionsT(
            padding=schema.Padding.SAME, fusedActivationFunction=activation, **stride)
    if layer.op == "DEPTHWISE_CONV_2D":
        return kinds.DepthwiseConv2DOptions, schema.DepthwiseConv2DOptionsT(
            padding=schema.Padding.SAME, fusedActivationFunction=activation, depthMultiplier=1,
            **stride)
    if layer.op in ("MAX_POOL_2D", "AVERAGE_POOL_2D"):
        return kinds.Pool2DOptions, schema.Pool2DOptionsT(
            padding=schema.Padding.VALID, filterWidth=layer.kernel, filterHeight=layer.kernel,
            **stride)
    if layer.op == "ADD":
        return kinds.AddOptions, schema.AddOptionsT(fusedActivationFunction=activation)
    if layer.op == "FULLY_CONNECTED":
        return kinds.FullyConnectedOptions, schema.FullyConnectedOptionsT()
    if layer.op == "SOFTMAX":
        return kinds.SoftmaxOptions, schema.SoftmaxOptionsT(beta=1.0)
    return kinds.NONE, None


class AlignedBuffer(schema.BufferT):
    """A constant whose bytes start at a multiple of 16 in the file, as the schema demands."""

    def Pack(self, builder):
        builder.Prep(16, len(self.data))
        return super().Pack(builder)


class Writer:
    """Collects tensors, constants and operators and writes them as a TFLite file."""

    def __init__(self):
        # Tensors without data refer to buffer 0, which is empty.
        self.buffers, self.tensors, self.operators, self.ops = [schema.BufferT()], [], [], []

    def add_tensor(self, name, shape, scale, zero_point):
        """Add an int8 tensor the network computes, or its input; return the index."""
        return self._add(schema.TensorType.INT8, name, shape, scale, zero_point)

    def add_constant(self, name, array, scale=None, axis=0):
        """Add an int8 or int32 array; return the index.

        `scale` holds a scale for each channel along `axis`, or one for all; None: not quantised.
        """
        dtype = {"int8": schema.TensorType.INT8, "int32": schema.TensorType.INT32}
        self.buffers.append(AlignedBuffer(data=np.frombuffer(array.tobytes(), np.uint8)))
        return self._add(dtype[array.dtype.name], name, array.shape, scale, 0,
                         axis=axis, buffer=len(self.buffers) - 1)

    def _add(self, dtype, name, shape, scale, zero_point, axis=0, buffer=0):
        tensor = schema.TensorT(name=name.encode(), shape=list(shape), type=dtype, buffer=buffer)
        if scale is not None:
            scales = np.atleast_1d(np.asarray(scale, np.float32))
            tensor.quantization = schema.QuantizationParametersT(
                scale=scales, zeroPoint=np.full(scales.shape, zero_point, np.int64),
                quantizedDimension=axis)
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def add_operator(self, layer, inputs, output):
        """Add the operator of `layer`; `inputs` and `output` are tensor indices."""
        if layer.op not in self.ops:
            self.ops.append(layer.op)
        kind, options = builtin_options(layer)
        self.operators.append(schema.OperatorT(
            opcodeIndex=self.ops.index(layer.op), inputs=inputs, outputs=[output],
            builtinOptionsType=kind, builtinOptions=options))

    def write(self, path, model_input, model_output):
        """Write one subgraph from tensor index `model_input` to `model_output` to `path`."""
        codes = {op: getattr(schema.BuiltinOperator, op) for op in self.ops}
        model = schema.ModelT(
            version=3, description=b"Weft digits", buffers=self.buffers,
            operatorCodes=[schema.OperatorCodeT(builtinCode=code, deprecatedBuiltinCode=code,
                                                version=OP_VERSIONS[op])
                           for op, code in codes.items()],
            subgraphs=[schema.SubGraphT(name=b"main", tensors=self.tensors,
                                        operators=self.operators, inputs=[model_input],
                                        outputs=[model_output])])
        builder = flatbuffers.Builder(1 << 16)
        builder.Finish(model.Pack(builder), b"TFL3")
        path.write_bytes(bytes(builder.Output()))
