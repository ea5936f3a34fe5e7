#!/usr/bin/env python3
"""Is a tensor of 16 x 16 bytes another one, turned as an EXIF orientation says? usage: check_turned.py PLAIN.npy TURNED.npy N"""
import sys

SIZE = 16


def pixels(path):
    with open(path, "rb") as file:
        return file.read()[-SIZE * SIZE:]


def source(x, y, orientation):
    """Where the pixel at row y and column x of the upright picture lies in the file: column, row."""
    last = SIZE - 1
    return {1: (x, y), 2: (last - x, y), 3: (last - x, last - y), 4: (x, last - y),
            5: (y, x), 6: (y, last - x), 7: (last - y, last - x), 8: (last - y, x)}[orientation]


plain, turned, orientation = pixels(sys.argv[1]), pixels(sys.argv[2]), int(sys.argv[3])
places = [source(x, y, orientation) for y in range(SIZE) for x in range(SIZE)]
sys.exit(turned != bytes(plain[row * SIZE + column] for column, row in places))
