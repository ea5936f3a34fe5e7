#!/usr/bin/env python3
"""Inputs for test_manners.sh, in the current folder, with nothing but Python's own library. usage: make_files.py JPEG"""
import itertools
import struct
import sys
import zlib


def write(name, content):
    with open(name, "wb") as file:
        file.write(content)


# ---- arrays: NAME.npy as Weft writes it, NAME_fortran_big.npy and so on with the same elements in another order ----

def npy(descr, shape, fortran, data):
    header = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': ({', '.join(map(str, shape))}), }}"
    return b"\x93NUMPY\x01\x00\x76\x00" + (header.ljust(117) + "\n").encode() + data


def order(shape, fortran):
    """Indices in the order in which their elements lie in the file."""
    if fortran:
        return (index[::-1] for index in itertools.product(*map(range, shape[::-1])))
    return itertools.product(*map(range, shape))


def element(kind, shape, index):
    number = 0
    for i, size in zip(index, shape):
        number = number * size + i
    return number * 1000.25 - 5 if kind == "f" else number * 1001 - 2000


def arrays():
    for name, letter, kind, size, shape in (("floats", "f", "f4", 4, (2, 3, 4)), ("shorts", "h", "i2", 2, (3, 2)),
                                            ("longs", "q", "i8", 8, (2, 2))):
        for fortran in (False, True):
            for mark in "<>":
                data = b"".join(struct.pack(mark + letter, element(letter, shape, index)) for index in order(shape, fortran))
                suffix = "_fortran" * fortran + "_big" * (mark == ">")
                write(f"{name}{suffix}.npy", npy(mark + kind, shape, fortran, data))


# ---- pictures of 16 x 16 pixels ----

def png(colour_type, rows, extra=b""):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", 16, 16, 8, colour_type, 0, 0, 0)
    lines = b"".join(b"\0" + row for row in rows)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")


def transparent():
    """Grey 16 y and alpha 17 x; the same, opaque; grey 100 where one shade of two is transparent."""
    write("alpha.png", png(4, [bytes(b for x in range(16) for b in (16 * y, 17 * x)) for y in range(16)]))
    write("opaque.png", png(4, [bytes(b for x in range(16) for b in (16 * y, 255)) for y in range(16)]))
    write("plain.png", png(0, [bytes([16 * y] * 16) for y in range(16)]))
    write("blended.png", png(0, [bytes((16 * y * 17 * x + 255 * (255 - 17 * x) + 127) // 255 for x in range(16)) for y in range(16)]))
    shade = struct.pack(">I", 2) + b"tRNS" + b"\0\x10" + struct.pack(">I", zlib.crc32(b"tRNS\0\x10"))
    write("shade.png", png(0, [bytes([16 * y] * 16) for y in range(16)], shade))
    write("shade_blended.png", png(0, [bytes([255 if y == 1 else 16 * y] * 16) for y in range(16)]))
    # BGRA rows from below, with masks: a header of version 4.
    header = struct.pack("<IiiHHIIiiII", 108, 16, 16, 1, 32, 3, 16 * 16 * 4, 0, 0, 0, 0)
    masks = struct.pack("<IIII", 0xff0000, 0xff00, 0xff, 0xff000000) + bytes(108 - 56)
    pixels = b"".join(bytes([16 * y] * 3 + [17 * x]) for y in reversed(range(16)) for x in range(16))
    write("alpha.bmp", b"BM" + struct.pack("<IHHI", 14 + 108 + len(pixels), 0, 0, 14 + 108) + header + masks + pixels)


def turned(jpeg):
    """The picture with each EXIF orientation, in both orders of bytes, and with EXIF that is none."""
    def exif(tiff):
        return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", 8 + len(tiff)) + b"Exif\0\0" + tiff + jpeg[2:]

    for value in range(0, 10):
        for mark, head in (("<", b"II*\0"), (">", b"MM\0*")):
            entry = struct.pack(mark + "HHIHH", 0x0112, 3, 1, value, 0)
            other = struct.pack(mark + "HHIHH", 0x0110, 3, 1, 7, 0)
            name = "little" if mark == "<" else "big"
            write(f"turned{value}_{name}.jpg", exif(head + struct.pack(mark + "IH", 8, 2) + other + entry + bytes(4)))
    write("exif_empty.jpg", exif(b""))
    write("exif_far.jpg", exif(b"II*\0" + struct.pack("<I", 0xfffffff0)))
    write("exif_cut.jpg", exif(b"II*\0" + struct.pack("<IHHHI", 8, 65535, 0x0112, 3, 1)))


def foreign():
    write("picture.gif", b"GIF89a" + bytes(100))
    write("picture.webp", b"RIFF\x64\0\0\0WEBPVP8 " + bytes(100))
    write("picture.tif", b"II*\0\x08\0\0\0" + bytes(100))
    write("big.tif", b"MM\0*\0\0\0\x08" + bytes(100))
    write("picture.heic", b"\0\0\0\x18ftypheic" + bytes(100))
    write("gif.png", b"GIF87a" + bytes(100))


arrays()
transparent()
with open(sys.argv[1], "rb") as opened:
    turned(opened.read())
foreign()
