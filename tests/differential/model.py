"""A TFLite model in memory: tensors and operators, written with the official schema."""
import dataclasses

import flatbuffers
from flatbuffers import flexbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

import packing

# Narrow integers lie in arrays of int8 or uint8.
DTYPES = {
    "i2": (np.int8, schema.TensorType.INT2),
    "i4": (np.int8, schema.TensorType.INT4),
    "u4": (np.uint8, schema.TensorType.UINT4),
    "i8": (np.int8, schema.TensorType.INT8),
    "u8": (np.uint8, schema.TensorType.UINT8),
    "i16": (np.int16, schema.TensorType.INT16),
    "i32": (np.int32, schema.TensorType.INT32),
    "i64": (np.int64, schema.TensorType.INT64),
    "f16": (np.float16, schema.TensorType.FLOAT16),
    "f32": (np.float32, schema.TensorType.FLOAT32),
    "bool": (np.bool_, schema.TensorType.BOOL),
}


def numpy_type(dtype):
    return DTYPES[dtype][0]


def limits(dtype):
    if dtype in packing.BITS:
        bits = packing.BITS[dtype]
        return (0, 2 ** bits - 1) if dtype[0] == "u" else (-2 ** (bits - 1), 2 ** (bits - 1) - 1)
    info = np.iinfo(numpy_type(dtype))
    return int(info.min), int(info.max)


@dataclasses.dataclass
class Tensor:
    """`scale` and `zero`: None, a number, or one for each element along `axis`. `data` are dense,
    however they lie in the file."""
    dtype: str
    shape: tuple = None  # None: an output whose shape LiteRT finds
    scale: object = None
    zero: object = None
    axis: int = 0
    data: np.ndarray = None
    sparsity: packing.Sparsity = None
    variable: bool = False  # a state

    def middle(self):
        """The zero point, of several their mean."""
        return 0 if self.zero is None else int(np.mean(self.zero))


@dataclasses.dataclass
class Operator:
    code: str
    inputs: list
    outputs: list
    table: str = None  # of the union of options
    fields: dict = dataclasses.field(default_factory=dict)
    version: int = 1
    custom: tuple = None  # of code CUSTOM: name, options
    intermediates: list = None  # tensors that only say how something is quantised


class AlignedBuffer(schema.BufferT):
    """A constant whose bytes start at a multiple of 16 in the file, as the schema demands."""

    def Pack(self, builder):
        builder.Prep(16, len(self.data))
        return super().Pack(builder)


@dataclasses.dataclass
class Model:
    tensors: list = dataclasses.field(default_factory=list)
    operators: list = dataclasses.field(default_factory=list)
    inputs: list = dataclasses.field(default_factory=list)
    outputs: list = dataclasses.field(default_factory=list)

    # ---- building ----

    def add(self, tensor):
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def input(self, dtype, shape, scale=None, zero=None):
        self.inputs.append(self.add(Tensor(dtype, tuple(shape), scale, zero)))
        return self.inputs[-1]

    def constant(self, array, scale=None, zero=None, axis=0, dtype=None, sparsity=None):
        """`dtype`: where the array does not say it."""
        array = np.asarray(array)
        names = [name for name, (kind, _) in DTYPES.items()
                 if kind == array.dtype.type and name not in packing.BITS]
        return self.add(Tensor(dtype or names[0], array.shape, scale, zero, axis, array, sparsity))

    def output(self, dtype, scale=None, zero=None):
        self.outputs.append(self.add(Tensor(dtype, None, scale, zero)))
        return self.outputs[-1]

    def custom_op(self, name, inputs, outputs, **options):
        """An operator that is not in the schema."""
        self.operators.append(Operator("CUSTOM", list(inputs), list(outputs),
                                       custom=(name, bytes(flexbuffers.Dumps(options)))))

    def op(self, code, inputs, outputs, table=None, version=1, **fields):
        self.operators.append(Operator(code, list(inputs), list(outputs), table, fields, version))

    # ---- writing ----

    def _tensor(self, index, buffers):
        tensor = self.tensors[index]
        made = schema.TensorT(name=f"t{index}".encode(), type=DTYPES[tensor.dtype][1],
                              shape=list(tensor.shape or []), buffer=0, isVariable=tensor.variable)
        if tensor.data is not None:
            data = np.asarray(tensor.data, order="C")
            if tensor.sparsity is not None:
                data, made.sparsity = packing.sparse(data, tensor.sparsity)
            if tensor.dtype in packing.BITS:
                data = packing.packed(data, packing.BITS[tensor.dtype])
            buffers.append(AlignedBuffer(data=np.frombuffer(data.tobytes(), np.uint8)))
            made.buffer = len(buffers) - 1
        if tensor.scale is not None:
            scales = np.atleast_1d(np.asarray(tensor.scale, np.float32))
            zeros = np.broadcast_to(np.asarray(tensor.zero or 0 if np.ndim(tensor.zero) == 0
                                               else tensor.zero, np.int64), scales.shape)
            made.quantization = schema.QuantizationParametersT(
                scale=scales, zeroPoint=np.ascontiguousarray(zeros), quantizedDimension=tensor.axis)
        return made

    def to_bytes(self):
        buffers = [schema.BufferT()]
        tensors = [self._tensor(i, buffers) for i in range(len(self.tensors))]
        codes = []
        operators = []
        for op in self.operators:
            name, custom = op.custom or (None, None)
            key = (op.code, op.version, name)
            if key not in codes:
                codes.append(key)
            kind, options = schema.BuiltinOptions.NONE, None
            if op.table is not None:
                kind = getattr(schema.BuiltinOptions, op.table)
                options = getattr(schema, op.table + "T")(**op.fields)
            operators.append(schema.OperatorT(
                opcodeIndex=codes.index(key), inputs=op.inputs, outputs=op.outputs,
                builtinOptionsType=kind, builtinOptions=options, intermediates=op.intermediates,
                customOptions=None if custom is None else np.frombuffer(custom, np.uint8)))
        numbers = [getattr(schema.BuiltinOperator, code) for code, _, _ in codes]
        model = schema.ModelT(
            version=3, description=b"Weft differential test", buffers=buffers,
            operatorCodes=[schema.OperatorCodeT(builtinCode=number,
                                                deprecatedBuiltinCode=min(number, 127),
                                                version=version, customCode=name)
                           for number, (_, version, name) in zip(numbers, codes)],
            subgraphs=[schema.SubGraphT(name=b"main", tensors=tensors, operators=operators,
                                        inputs=self.inputs, outputs=self.outputs)])
        builder = flatbuffers.Builder(1 << 12)
        builder.Finish(model.Pack(builder), b"TFL3")
        return bytes(builder.Output())
