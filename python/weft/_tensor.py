"""Inputs and outputs of a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._error import Error

Array = npt.NDArray[Any]
Inputs = Union[Array, Sequence[Any], Mapping[str, Any]]

_TYPES = {
    "i8": "int8",
    "u8": "uint8",
    "i16": "int16",
    "u16": "uint16",
    "i32": "int32",
    "u32": "uint32",
    "i64": "int64",
    "u64": "uint64",
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
    "bool": "bool",
}


@dataclass(frozen=True, eq=False)
class Tensor:
    """An input or an output of a model."""

    name: str
    """What ONNX and graphs as text call it; of TFLite the number of the tensor in the file."""
    shape: Tuple[int, ...]
    dtype: np.dtype[Any]
    scale: Union[float, npt.NDArray[np.float64], None]
    """Of quantised tensors: what a step of 1 is worth; an array: one for each index along `axis`."""
    zero_point: Union[int, npt.NDArray[np.int32], None]
    """Of quantised tensors: the integer that stands for 0; an array: as `scale`."""
    axis: Optional[int] = None
    """Along which scales differ; None: one for all."""

    @property
    def is_quantized(self) -> bool:
        return self.scale is not None

    def quantize(self, values: npt.ArrayLike) -> Array:
        """Real numbers as elements of this tensor: divided by the scale in float32, rounded half to even, limited to the range of the
        type. Of tensors that are not quantised: converted."""
        real = np.asarray(values)
        if self.scale is None:
            return np.asarray(real, self.dtype)
        limits = np.iinfo(self.dtype)
        zero = self._along(real, np.float64, self.zero_point)
        steps = np.rint(real.astype(np.float32) / self._along(real, np.float32, self.scale)).astype(np.float64) + zero
        if np.isnan(steps).any():
            raise Error("TENSOR", "not a number has no quantised form")
        # The ends of types of 64 bits are no floats: np.clip() would give a number outside, whose conversion is not defined.
        low, high = steps <= float(limits.min), steps >= float(limits.max)
        made = np.asarray(np.where(low | high, 0, steps), self.dtype)
        made = np.where(low, limits.min, np.where(high, limits.max, made))
        return np.asarray(made, self.dtype)

    def dequantize(self, values: npt.ArrayLike) -> npt.NDArray[np.float32]:
        """Elements of this tensor as real numbers, float32."""
        steps = np.asarray(values)
        if self.scale is None:
            return np.asarray(steps, np.float32)
        zero = self._along(steps, np.float64, self.zero_point)
        real = (steps.astype(np.float64) - zero) * self._along(steps, np.float64, self.scale)
        return np.asarray(real, np.float32)

    def _along(self, values: Array, dtype: Any, per_index: Any) -> Any:
        """Scales or zero points in the shape in which they meet `values`."""
        if self.axis is None:
            return dtype(per_index)
        shape = [1] * values.ndim
        shape[self.axis] = -1
        return np.asarray(per_index, dtype=dtype).reshape(shape)

    def __repr__(self) -> str:
        text = f"Tensor({self.name!r}, {self.dtype}{list(self.shape)}"
        if isinstance(self.scale, float):
            text += f", scale={self.scale:g}, zero_point={self.zero_point}"
        elif self.scale is not None:
            text += f", {len(self.scale)} scales along axis {self.axis}"
        return text + ")"


def tensors_of(described: Sequence[Tuple[str, str, List[int], List[float], List[int], int]]) -> Tuple[Tensor, ...]:
    return tuple(_tensor_of(*each) for each in described)


def _tensor_of(name: str, dtype: str, shape: List[int], scales: List[float], zeros: List[int], axis: int) -> Tensor:
    scale: Any = None
    zero: Any = None
    if axis >= 0:
        scale = np.array(scales, np.float64)
        zero = np.array(zeros, np.int32)
        scale.flags.writeable = zero.flags.writeable = False
    elif scales:
        scale, zero = scales[0], zeros[0]
    return Tensor(name, tuple(shape), np.dtype(_TYPES[dtype]), scale, zero, axis if axis >= 0 else None)


def prepare(value: Any, tensor: Tensor, index: int) -> Array:
    """The elements of an input in C order, in the bytes of the tensor's type; not copied where they are that already."""
    if type(value) is np.ndarray and value.dtype is tensor.dtype and value.shape == tensor.shape and value.flags.c_contiguous:
        return value
    array = np.asarray(value)
    if array.shape != tensor.shape:
        raise Error(
            "TENSOR", f"input {index} ({tensor.name}): expected the shape {list(tensor.shape)}, not {list(array.shape)}", index
        )
    if array.dtype != tensor.dtype:
        if array.dtype.newbyteorder("=") != tensor.dtype:
            hint = "; Tensor.quantize() makes it of real numbers" if tensor.is_quantized and array.dtype.kind == "f" else ""
            raise Error("TENSOR", f"input {index} ({tensor.name}): expected {tensor.dtype}, not {array.dtype}{hint}", index)
        array = array.astype(tensor.dtype)
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


def arrange(inputs: Inputs, tensors: Tuple[Tensor, ...]) -> List[Any]:
    """The inputs in the order of the model."""
    if isinstance(inputs, np.ndarray):
        if len(tensors) != 1:
            raise Error("ARGUMENT", f"the model has {len(tensors)} inputs: give a list or a dict of arrays")
        return [inputs]
    if isinstance(inputs, Mapping):
        return _by_name(inputs, tensors)
    if isinstance(inputs, (list, tuple)):
        if len(inputs) != len(tensors):
            raise Error("ARGUMENT", f"the model has {len(tensors)} inputs, not {len(inputs)}")
        return list(inputs)
    raise TypeError(f"inputs: expected an array, or a list or dict of arrays, not {type(inputs).__name__}")


def _by_name(inputs: Mapping[str, Any], tensors: Tuple[Tensor, ...]) -> List[Any]:
    names = [tensor.name for tensor in tensors]
    for name in inputs:
        if names.count(name) != 1:
            raise Error("ARGUMENT", f"the model has no input {name!r}, but {', '.join(map(repr, names))}")
    missing = [name for name in names if name not in inputs]
    if missing:
        raise Error("ARGUMENT", f"there is nothing for input {missing[0]!r}", names.index(missing[0]))
    return [inputs[name] for name in names]
