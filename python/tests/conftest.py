"""What the tests share. They test the installed package, from a source tree."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

import weft

SOURCE = pathlib.Path(__file__).resolve().parents[2]
DIGITS = SOURCE / "models" / "digits"


def load_picture() -> Any:
    """The digit 3 as an input."""
    grey = np.array(
        [
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        ]
        * 16,
        np.uint8,
    )
    grey[3:13, 5:11] = 200
    return (grey.astype(np.int16) - 128).astype(np.int8).reshape(1, 16, 16, 1)


@pytest.fixture(scope="session")
def source() -> pathlib.Path:
    return SOURCE


@pytest.fixture(scope="session")
def shared() -> pathlib.Path:
    folder = SOURCE.parent / "shared"
    if not (folder / "models").is_dir():
        pytest.skip("no ../shared")
    return folder


@pytest.fixture(scope="session")
def digits() -> weft.Module:
    return weft.compile(DIGITS / "digits.tflite")


@pytest.fixture(scope="session")
def picture() -> Any:
    return load_picture()
