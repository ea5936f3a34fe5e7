#!/usr/bin/env python3
"""Takes the only program of a .weft file apart: its constants to a file; bytes of scratch memory, inputs and outputs, and cycles, to
stdout. compiler/container.h has the form.
usage: unpack_segment.py X.weft CONSTANTS.bin"""
import struct
import sys
import zlib

with open(sys.argv[1], "rb") as file:
    data = file.read()
sections = {}
for i in range(struct.unpack_from("<I", data, 12)[0]):
    tag, _, offset, stored, _ = struct.unpack_from("<4sIQQQ", data, 24 + 32 * i)
    sections[tag] = zlib.decompress(data[offset : offset + stored])
program = sections[b"PROG"]
count, length = struct.unpack_from("<IQ", program)
assert count == 1
with open(sys.argv[2], "wb") as file:
    file.write(sections[b"CNST"][8:])
print(*struct.unpack_from("<QQQQ", program, 12 + length))
