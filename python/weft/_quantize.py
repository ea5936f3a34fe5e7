"""Float models to int8."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _weft
from ._config import ConfigLike, config_arguments
from ._error import Error
from ._html import short, table
from ._model import ModelLike, Module, _stem, _whole, _write_whole, clean, dims_list, source_arguments
from ._tensor import Array, Tensor, tensors_of


class Quantized:
    """A model that was quantised. In a notebook it shows what that does to each layer."""

    def __init__(self, native: _weft.FloatModel, name: str, calibration: str, memory_limit: int) -> None:
        self._native = native
        self._name = name
        self._memory_limit = memory_limit
        self._data: Dict[str, Any] = json.loads(native.report(calibration))

    @property
    def layers(self) -> List[Dict[str, Any]]:
        """For each layer what its tensor's range, scale and noise are, or why it stays float: docs/quantize.md."""
        return list(self._data["layers"])

    def to_dict(self) -> Dict[str, Any]:
        """What ``weft quantize --json`` writes."""
        copied: Dict[str, Any] = json.loads(json.dumps(self._data))
        return copied

    def compile(self, config: ConfigLike = "ref16", *, effort: int = 1) -> Module:
        """The quantised model for a machine."""
        if not 1 <= _whole("effort", effort) <= 64:
            raise Error("ARGUMENT", "effort: expected 1 to 64")
        native = self._native.compile(
            **config_arguments(config), name=self._name, effort=effort, memory_limit=self._memory_limit
        )
        return Module(native)

    def to_onnx(self) -> bytes:
        """The model as ONNX with QuantizeLinear and DequantizeLinear."""
        return self._native.onnx()

    def to_text(self) -> bytes:
        """The graph as text: docs/ir.md."""
        return self._native.text()

    def save_page(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the page of ``weft quantize --page``, with histograms, to a file: whole, or not at all. A device or a pipe is written to.

        Raises:
            Error: IO.
        """
        _write_whole(path, self._native.page(self._name).encode())

    def __repr__(self) -> str:
        return f"<weft.Quantized {self._name}: {len(self.layers)} layers>"

    def _repr_html_(self) -> str:
        head = ["operator", "tensor", "quantised", "scale", "zero point", "alone, dB", "with all before, dB"]
        return table(head, [_row(layer) for layer in self.layers], caption=f"{self._name}, quantised", numbers=[3, 4, 5, 6])


def quantize(
    model: ModelLike,
    samples: Union[Array, Sequence[Any], Mapping[str, Any]],
    *,
    labels: Optional[npt.ArrayLike] = None,
    calibration: str = _weft.USUAL_CALIBRATION,
    percentile: Optional[float] = None,
    bins: Optional[int] = None,
    levels: Optional[int] = None,
    unsigned: bool = False,
    weights: str = "int8",
    per_tensor: bool = False,
    symmetric: bool = False,
    power_of_two: bool = False,
    bias_correction: bool = True,
    equalize: bool = False,
    integer_ends: bool = False,
    keep_float: Sequence[str] = (),
    min_sqnr: float = 0,
    max_drop: Optional[float] = None,
    name: Optional[str] = None,
    dims: Optional[Mapping[str, int]] = None,
    memory_limit: int = 0,
) -> Quantized:
    """Quantises a float model over samples: docs/quantize.md.

    Args:
        model: TFLite, ONNX or a graph as text: the path of a file, or its bytes.
        samples: for a model of one input an array [samples, ...] or a list of arrays; else a dict of such by the names of the
            inputs. A sample has the shape of the input, with or without its first axis where that is 1. Floats of any size.
        labels: the class of each sample, -1: not known.
        calibration: one of ``weft.CALIBRATIONS``; `percentile` (50 to 100), `bins` and `levels` are for some of them, and refused
            with others; None: as usual.
        unsigned: tensors between layers are uint8, not int8.
        weights: one of ``weft.WEIGHTS``.
        per_tensor: one scale for the weights of a layer; else one for each channel.
        symmetric: zero points are 0 (uint8: 128).
        power_of_two: every scale is a power of two.
        bias_correction: biases make up for what rounding shifts.
        equalize: channels of neighbouring products get like ranges.
        integer_ends: inputs and outputs are bytes, not floats.
        keep_float: layers that stay float, by the names of their results, in which * stands for anything.
        min_sqnr: dB that the outputs must have, or layers stay float, worst first; 0: whatever it is.
        max_drop: share (0 to 1) of the samples that may be lost to the accuracy of the float model; it needs labels.

    Raises:
        Error: ARGUMENT, TENSOR (samples do not fit), MODEL, OPERATOR, LIMIT, ...
    """
    if max_drop is not None and (labels is None or not 0 <= max_drop <= 1):
        raise Error("ARGUMENT", "max_drop: expected 0 to 1, and labels")
    if (percentile is not None and not 50 <= percentile <= 100) or not 0 <= min_sqnr <= 200:
        raise Error("ARGUMENT", "percentile: expected 50 to 100; min_sqnr: 0 to 200")
    for count_name, number in (("bins", bins), ("levels", levels)):
        if number is not None and not 0 < _whole(count_name, number) <= 65536:
            raise Error("ARGUMENT", f"{count_name}: expected 1 to 65536")
    limit = _whole("memory_limit", memory_limit)
    native = _weft.open_floats(**source_arguments(model), dims=dims_list(dims), memory_limit=limit)
    arrays, count = _gather(samples, tensors_of(native.inputs))
    settings = _weft.Settings(
        calibration=calibration,
        percentile=percentile,
        bins=bins,
        levels=levels,
        unsigned=bool(unsigned),
        weights=weights,
        per_tensor=bool(per_tensor),
        symmetric=bool(symmetric),
        power_of_two=bool(power_of_two),
        bias_correction=bool(bias_correction),
        equalize=bool(equalize),
        integer_ends=bool(integer_ends),
        keep_float=[clean(each) for each in keep_float],
        min_sqnr=min_sqnr,
        max_drop=-1.0 if max_drop is None else max_drop,
        memory_limit=limit,
    )
    native.quantize(arrays, count, _labels(labels, count), settings)
    return Quantized(native, _stem(model) if name is None else clean(name), calibration, limit)


def _gather(samples: Any, tensors: Tuple[Tensor, ...]) -> Tuple[List[Array], int]:
    """One array for each input, all samples in it; how many there are."""
    if isinstance(samples, Mapping):
        names = [tensor.name for tensor in tensors]
        if sorted(samples) != sorted(names):
            raise Error("ARGUMENT", f"expected samples for {', '.join(map(repr, names))}")
        columns = [samples[name] for name in names]
    elif len(tensors) == 1:
        columns = [samples]
    else:
        raise Error("ARGUMENT", f"the model has {len(tensors)} inputs: give a dict of arrays")
    arrays = [_column(column, tensor) for column, tensor in zip(columns, tensors)]
    if len({len(array) for array in arrays}) > 1:
        raise Error("TENSOR", "the inputs do not have equally many samples")
    if not arrays or len(arrays[0]) == 0:
        raise Error("ARGUMENT", "there are no samples")
    return arrays, len(arrays[0])


def _column(samples: Any, tensor: Tensor) -> Array:
    array = np.asarray(samples)
    shapes = [tensor.shape] + ([tensor.shape[1:]] if tensor.shape[:1] == (1,) else [])
    if array.ndim == 0 or array.shape[1:] not in shapes:
        raise Error("TENSOR", f"input {tensor.name!r}: expected samples of the shape {list(tensor.shape)}, not {list(array.shape[1:])}")
    if array.dtype.newbyteorder("=") != tensor.dtype and not (array.dtype.kind == "f" and tensor.dtype.kind == "f"):
        raise Error("TENSOR", f"input {tensor.name!r}: expected samples of {tensor.dtype}, not {array.dtype}")
    with np.errstate(over="ignore"):  # infinity is refused when it is read
        made = np.ascontiguousarray(array, tensor.dtype)
    return made


def _labels(labels: Optional[npt.ArrayLike], count: int) -> Optional[List[int]]:
    if labels is None:
        return None
    array = np.asarray(labels)
    if array.shape != (count,) or array.dtype.kind not in "iu":
        raise Error("TENSOR", "labels: expected a whole number for each sample")
    if array.size and (int(array.max()) > 2**30 or int(array.min()) < -1):
        raise Error("TENSOR", "labels: expected classes from 0, or -1")
    return [int(label) for label in array]


def _row(layer: Dict[str, Any]) -> List[object]:
    quantized = "yes" if layer["quantized"] else f"no: {layer['reason']}"
    noise = [_short((layer.get(key) or {}).get("sqnr")) for key in ("alone", "accumulated")]
    return [layer["operator"], short(layer["tensor"]), quantized, _short(layer.get("scale")), _short(layer.get("zero")), *noise]


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else "-" if value is None else str(value)
