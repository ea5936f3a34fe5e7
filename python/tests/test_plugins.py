"""A plugin, built outside of the package, finds what it calls in it. WEFT_PLUGINS: the folder of the libraries of
tests/unit/fake_plugin.c."""

from __future__ import annotations

import os
import pathlib
from typing import Any

import numpy as np
import pytest
from conftest import DIGITS
from test_errors import code_of

import weft

FOLDER = os.environ.get("WEFT_PLUGINS")


@pytest.mark.skipif(FOLDER is None, reason="no WEFT_PLUGINS: ctest says where they are")
def test_plugin(digits: weft.Module, picture: Any) -> None:
    good = pathlib.Path(str(FOLDER)) / "plugin_good.so"
    module = weft.compile(DIGITS / "digits.tflite", plugins=[good])
    session = module.open("cycle")
    del module
    np.testing.assert_array_equal(session.run(picture).output, digits.run(picture).output)
    again = weft.load(digits.to_bytes(), plugins=[good])
    assert again.cycles == digits.cycles
    assert code_of(weft.compile, DIGITS / "digits.tflite", plugins=[good, good]) == "PLUGIN"
    assert code_of(weft.compile, DIGITS / "digits.tflite", plugins=[good.with_name("plugin_version.so")]) == "PLUGIN"
