"""When everything happened."""

from __future__ import annotations

import os
from html import escape
from typing import TYPE_CHECKING, Any, List, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _weft
from ._error import Error
from ._html import COLOURS, legend

if TYPE_CHECKING:
    from ._model import Module

_ROW = np.dtype(
    [("dispatched", "<u8"), ("started", "<u8"), ("finished", "<u8"), ("layer", "<i4"), ("opcode", "<u2"), ("unit", "<u2")]
)


class Trace:
    """Every instruction of a module's programs with its cycles. In a notebook it shows a timeline."""

    def __init__(self, native: _weft.Trace, module: Module) -> None:
        self._native = native
        self._module = module

    @property
    def segments(self) -> int:
        """Programs of the module; each has a trace, whose cycles count from 1."""
        return self._native.segments

    def cycles(self, segment: int = 0) -> int:
        """Of a segment."""
        return self._native.cycles(self._number(segment))

    def instructions(self, segment: int = 0) -> npt.NDArray[Any]:
        """A structured array with an element for each instruction in the order of dispatch: `dispatched`, `started` and `finished`
        (cycles; 0: it was not), `layer` (index into :meth:`layers`, -1: none), `opcode` (of ``weft.OPCODES``), `unit` (of
        ``weft.UNITS``; ``len(weft.UNITS)``: dispatch itself)."""
        return np.frombuffer(self._native.instructions(self._number(segment)), _ROW)

    def layers(self, segment: int = 0) -> List[Tuple[str, str]]:
        """Operator and tensor of each layer."""
        return list(self._native.layers(self._number(segment)))

    def text(self) -> str:
        """Event after event in the order of cycles, as ``weft trace --print`` has it."""
        return self._native.text()

    def raw(self) -> bytes:
        """The file of ``weft trace --raw``: docs/trace.md describes the format."""
        return self._native.raw()

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes JSON that Perfetto (ui.perfetto.dev) and Chrome show."""
        self._native.save(os.path.abspath(os.fspath(path)))

    def _number(self, segment: int) -> int:
        try:
            return range(self.segments)[segment]
        except IndexError:
            raise Error("ARGUMENT", f"there is no segment {segment}, the module has {self.segments}") from None

    def __repr__(self) -> str:
        return f"<weft.Trace of {self._module.name}: {self.segments} segments>"

    def _repr_html_(self) -> str:
        return "".join(self._timeline(i) for i in range(self.segments)) or "<i>nothing runs on the machine</i>"

    def _timeline(self, segment: int) -> str:
        columns, row, left = 800, 18, 60
        rows = self.instructions(segment)
        cycles = max(self.cycles(segment), 1)
        layers = self.layers(segment)
        units = list(_weft.UNITS)
        parts = [
            f"<div><b>{escape(self._module.name)}</b>, segment {segment}: {cycles:,} cycles</div>"
            f'<svg width="{left + columns}" height="{row * len(units) + 14}" style="font-size:11px" role="img"><title>timeline</title>'
        ]
        for unit, name in enumerate(units):
            top = row * unit
            parts.append(f'<text x="{left - 6}" y="{top + 13}" text-anchor="end" fill="currentColor">{escape(name)}</text>')
            own = rows[(rows["unit"] == unit) & (rows["finished"] > 0)]
            for first, last, layer in _spans(own, columns, cycles):
                what = "" if layer < 0 else escape(f"{layers[layer][0]} {layers[layer][1]}")
                parts.append(
                    f'<rect x="{left + first}" y="{top + 2}" width="{last - first}" height="{row - 4}" '
                    f'fill="{COLOURS[layer % len(COLOURS)]}"><title>{what}</title></rect>'
                )
        parts.append(
            f'<text x="{left}" y="{row * len(units) + 11}" fill="currentColor">cycle 1</text>'
            f'<text x="{left + columns}" y="{row * len(units) + 11}" text-anchor="end" fill="currentColor">{cycles:,}</text></svg>'
        )
        if len(layers) <= 2 * len(COLOURS):
            names = [f"{i}: {name} {tensor}" for i, (name, tensor) in enumerate(layers)]
            parts.append(legend(names, [COLOURS[i % len(COLOURS)] for i in range(len(layers))]))
        return "".join(parts)


def _spans(rows: npt.NDArray[Any], columns: int, cycles: int) -> List[Tuple[int, int, int]]:
    """What a unit works on, by columns of the picture: (first, end, layer). At most one span a column, however many
    instructions there are: the last one that starts in it."""
    layer_of = np.full(columns, -2, np.int64)
    first = ((rows["started"].astype(np.int64) - 1) * columns // cycles).clip(0, columns - 1)
    last = ((rows["finished"].astype(np.int64) - 1) * columns // cycles).clip(0, columns - 1)
    for start, end, layer in zip(first.tolist(), last.tolist(), rows["layer"].tolist()):
        layer_of[start : end + 1] = layer
    edges = np.flatnonzero(np.diff(layer_of)) + 1
    bounds = [0, *edges.tolist(), columns]
    return [(a, b, int(layer_of[a])) for a, b in zip(bounds, bounds[1:]) if layer_of[a] != -2]
