"""Where every cycle of a run went."""

from __future__ import annotations

import json
import math
import os
from html import escape
from typing import TYPE_CHECKING, Any, Dict, List, Sequence, Union

from ._html import COLOURS, Raw, bars, legend, short, table

if TYPE_CHECKING:
    from ._model import Module


class Report:
    """The figures of a run, as ``weft run --json`` writes them: :meth:`to_dict` has all of them. In a notebook it shows itself:
    headline, layers with bars of what their cycles were spent on, and a roofline."""

    def __init__(self, data: Dict[str, Any], module: Module) -> None:
        self._data = data
        self._module = module

    @property
    def cycles(self) -> int:
        """Of the machine, of all segments together."""
        return int(self._data["cycles"])

    @property
    def utilisation(self) -> float:
        """Multiplications for each multiplier and cycle, 0 to 1."""
        return float(self._data["utilisation"])

    @property
    def layers(self) -> List[Dict[str, Any]]:
        """Layers of the machine and operators of the host (`unit` is "host"), in the order in which they are carried out. The
        cycles of the layers add up to those of the run; `uses` says what they were spent on."""
        return list(self._data["layers"])

    @property
    def uses(self) -> Dict[str, int]:
        """What the cycles of all layers were spent on."""
        total: Dict[str, int] = {}
        for layer in self._data["layers"]:
            for use, cycles in layer.get("uses", {}).items():
                total[use] = total.get(use, 0) + cycles
        return total

    @property
    def counters(self) -> Dict[str, int]:
        return dict(self._data["counters"])

    def to_dict(self) -> Dict[str, Any]:
        """Everything, in a new dict."""
        copied: Dict[str, Any] = json.loads(json.dumps(self._data))
        return copied

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the page of ``weft report``: timeline, critical path, memory map, roofline and table, in one file that loads
        nothing from anywhere. It is of the module's programs with the memory of this report."""
        overrides = self._data["overrides"]
        self._module._native.write_page(
            os.path.abspath(os.fspath(path)),
            overrides.get("memory_latency", 0),
            overrides.get("memory_interval", 0),
            overrides.get("dram", ""),
            self._data.get("clock_mhz", 0.0),
        )

    def __repr__(self) -> str:
        return f"<weft.Report of {self._module.name}: {self._headline()}>"

    def _headline(self) -> str:
        data = self._data
        inferences = data["inferences"]
        several = f" of {inferences} inferences" if inferences > 1 else ""
        text = f"{data['cycles']:,} cycles{several}, {100 * data['utilisation']:.1f} % of peak"
        if "milliseconds" in data:
            each = " an inference" if inferences > 1 else ""
            text += f", {data['milliseconds']:.4g} ms{each} at {data['clock_mhz']:g} MHz"
        host = data["host"]
        return text + f"; on the host {_count(host['operators'], 'operator')}, {100 * host['macs_share']:.1f} % of the multiplications"

    def _repr_html_(self) -> str:
        uses = list(self.uses)
        colours = {use: COLOURS[i % len(COLOURS)] for i, use in enumerate(uses)}
        most = max((layer.get("cycles", 0) for layer in self._data["layers"]), default=0)
        head = ["#", "operator", "tensor", "shape", "unit", "MAC", "cycles", "", "of peak", "ext. bytes", "bound by"]
        rows = [_row(layer, most, colours) for layer in self._data["layers"]]
        return (
            f"<div><b>{escape(str(self._data['model']))}</b> on {escape(str(self._data['config']))}: {escape(self._headline())}</div>"
            + legend(uses, [colours[use] for use in uses])
            + table(head, rows, numbers=[0, 5, 6, 8, 9])
            + self._roofline()
        )

    def _roofline(self) -> str:
        """Multiplications a cycle against multiplications for each byte of external memory, both logarithmic. What moves no such
        bytes is at the right edge."""
        parameters = self._data["parameters"]
        peak = float(parameters["block"] ** 2)
        interval = self._data["overrides"].get("memory_interval", 1) or 1
        width = parameters["memory_width"] / interval
        points = [
            (layer["macs"] / (layer["external_bytes"] or math.nan), layer["macs"] / layer["cycles"], layer)
            for layer in self._data["layers"]
            if layer.get("cycles", 0) > 0 and layer["macs"] > 0
        ]
        return _roofline_svg(points, peak, width) if points else ""


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _row(layer: Dict[str, Any], most: int, colours: Dict[str, str]) -> Sequence[object]:
    shape = "x".join(str(size) for size in layer["shape"])
    if layer["unit"] == "host":
        reason = Raw(f"<i>{short(layer['reason'], 28)}</i>")
        return [layer["number"], layer["op"], short(layer["tensor"]), shape, "host", f"{layer['macs']:,}", "", reason, "", "", ""]
    cycles = layer["cycles"]
    parts = [(f"{use}: {n:,} cycles", n / most if most else 0.0, colours[use]) for use, n in layer["uses"].items()]
    peak = f"{100 * layer['utilisation']:.1f} %" if layer["macs"] and cycles else "-"
    bar = bars(parts, 160, f"{cycles:,} cycles")
    return [
        layer["number"], layer["op"], short(layer["tensor"]), shape, layer["unit"], f"{layer['macs']:,}", f"{cycles:,}", bar, peak,
        f"{layer['external_bytes']:,}", _verdict(layer["verdict"]),
    ]  # fmt: skip


def _verdict(verdict: Any) -> str:
    if verdict is None:
        return "-"
    if verdict["bound"] == "hidden":
        return "hidden"
    what = f"waits for {verdict['waits_for']}" if verdict["bound"] == "wait" else verdict["bound"]
    return f"{what} {100 * verdict['share']:.0f} %"


def _roofline_svg(points: Sequence[tuple[float, float, Dict[str, Any]]], peak: float, width: float) -> str:
    columns, rows, left, bottom = 420.0, 220.0, 46.0, 34.0
    places = [p[0] for p in points if not math.isnan(p[0])] + [peak / width]
    low_x = math.floor(math.log10(min(places))) - 0.2
    high_x = math.ceil(math.log10(max(places))) + 0.2
    low_y = math.floor(math.log10(min([p[1] for p in points] + [peak])))
    high_y = math.log10(peak) + 0.5

    def x_of(intensity: float) -> float:
        return left + columns * (math.log10(intensity) - low_x) / (high_x - low_x)

    def y_of(speed: float) -> float:
        return rows * (high_y - math.log10(speed)) / (high_y - low_y)

    knee = peak / width
    start = max(10**low_x, 10**low_y / width)
    parts = [
        f'<svg width="{left + columns + 10:.0f}" height="{rows + bottom:.0f}" style="font-size:10px" role="img">'
        "<title>roofline</title>",
        f'<polyline fill="none" stroke="#555" points="{x_of(start):.1f},{y_of(start * width):.1f} {x_of(knee):.1f},{y_of(peak):.1f} '
        f'{x_of(10**high_x):.1f},{y_of(peak):.1f}"/>',
        f'<line x1="{left}" y1="0" x2="{left}" y2="{rows}" stroke="#999"/>'
        f'<line x1="{left}" y1="{rows}" x2="{left + columns}" y2="{rows}" stroke="#999"/>',
        f'<text x="{x_of(10**high_x) - 4:.1f}" y="{y_of(peak) - 14:.1f}" text-anchor="end" fill="currentColor">{peak:g} multiplications a cycle</text>',
        f'<text x="{left + columns / 2:.0f}" y="{rows + 28:.0f}" text-anchor="middle" fill="currentColor">multiplications for each byte of external memory</text>',
    ]
    parts.append(
        f'<text transform="translate(10,{rows / 2:.0f}) rotate(-90)" text-anchor="middle" fill="currentColor">multiplications a cycle</text>'
    )
    for power in range(math.ceil(low_x), math.floor(high_x) + 1):
        parts.append(f'<text x="{x_of(10.0**power):.1f}" y="{rows + 14:.0f}" text-anchor="middle" fill="currentColor">{10.0**power:g}</text>')
    for power in range(math.ceil(low_y), math.floor(high_y) + 1):
        parts.append(f'<text x="{left - 4}" y="{y_of(10.0**power) + 3:.1f}" text-anchor="end" fill="currentColor">{10.0**power:g}</text>')
    most = max(layer["cycles"] for _, _, layer in points)
    for intensity, speed, layer in points:
        radius = 2 + 6 * math.sqrt(layer["cycles"] / most)
        name = escape(f"{layer['number']} {layer['op']} {layer['tensor']}: {layer['cycles']:,} cycles, {speed:.1f} MAC a cycle")
        at = x_of(10**high_x if math.isnan(intensity) else intensity)
        parts.append(
            f'<circle cx="{at:.1f}" cy="{y_of(speed):.1f}" r="{radius:.1f}" fill="{COLOURS[0]}" fill-opacity="0.6">'
            f"<title>{name}</title></circle>"
        )
    return "".join(parts) + "</svg>"
