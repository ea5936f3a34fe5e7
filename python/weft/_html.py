"""Pieces of pages for notebooks. Everything that comes from a model is escaped."""

from __future__ import annotations

from html import escape
from typing import Iterable, List, Optional, Sequence

COLOURS = ["#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#edc948", "#b07aa1", "#9c755f", "#ff9da7", "#bab0ac"]

STYLE = "border-collapse:collapse;font-size:12px"


class Raw(str):
    """Text that is HTML already."""


def cell(value: object) -> str:
    return value if isinstance(value, Raw) else escape(str(value))


def short(text: str, most: int = 36) -> Raw:
    """A name; of a long one its beginning, and all of it where the pointer stays on it."""
    if len(text) <= most:
        return Raw(escape(text))
    return Raw(f'<span title="{escape(text)}">{escape(text[: most - 1])}…</span>')


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[object]],
    caption: str = "",
    numbers: Optional[Sequence[int]] = None,
) -> str:
    """A table; the columns in `numbers` are aligned to the right."""
    right = set(numbers or [])
    parts: List[str] = [f'<table style="{STYLE}">']
    if caption:
        parts.append(f'<caption style="text-align:left">{escape(caption)}</caption>')
    parts.append("<thead><tr>" + "".join(f'<th style="text-align:left;padding:0 6px">{cell(h)}</th>' for h in head) + "</tr></thead><tbody>")
    for row in rows:
        cells = (
            f'<td style="text-align:{"right" if i in right else "left"};white-space:nowrap;padding:0 6px">{cell(value)}</td>'
            for i, value in enumerate(row)
        )
        parts.append("<tr>" + "".join(cells) + "</tr>")
    parts.append("</tbody></table>")
    return "".join(parts)


def bars(parts: Sequence[tuple[str, float, str]], width: float, title: str) -> Raw:
    """Parts (name, share of `width` pixels, colour) beside each other."""
    made = [f'<svg width="{width:.0f}" height="12" role="img"><title>{escape(title)}</title>']
    x = 0.0
    for name, share, colour in parts:
        if share > 0:
            made.append(
                f'<rect x="{x:.2f}" y="0" width="{share * width:.2f}" height="12" fill="{colour}">'
                f"<title>{escape(name)}</title></rect>"
            )
            x += share * width
    made.append("</svg>")
    return Raw("".join(made))


def legend(names: Sequence[str], colours: Sequence[str]) -> str:
    return (
        '<div style="font-size:12px">'
        + " ".join(
            f'<span style="white-space:nowrap"><span style="display:inline-block;width:10px;height:10px;background:{colour}">'
            f"</span> {short(name)}</span>&nbsp;"
            for name, colour in zip(names, colours)
        )
        + "</div>"
    )
