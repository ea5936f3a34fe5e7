"""Reads the grey pictures of models/digits: 8 bits, not interlaced."""

from __future__ import annotations

import pathlib
import struct
import zlib
from typing import Any

import numpy as np


def read_grey(path: pathlib.Path) -> Any:
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed, width, height = 8, b"", 0, 0
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", body)
            assert (depth, colour, interlace) == (8, 0, 0)
        elif kind == b"IDAT":
            packed += body
        at += length + 12
    raw = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, width + 1)
    rows = np.zeros((height, width), np.uint8)
    for y in range(height):
        for x in range(width):
            left = int(rows[y, x - 1]) if x else 0
            up = int(rows[y - 1, x]) if y else 0
            corner = int(rows[y - 1, x - 1]) if x and y else 0
            near = min((left, up, corner), key=lambda v: abs(left + up - corner - v))
            guess = [0, left, up, (left + up) // 2, near][raw[y, 0]]
            rows[y, x] = (int(raw[y, x + 1]) + guess) & 255
    return rows
