"""Quantising from Python is quantising from the command line."""

from __future__ import annotations

import pathlib
from typing import Any, Dict, List

import numpy as np
import pytest
from test_errors import code_of

import weft



@pytest.fixture(scope="module")
def floats(shared: pathlib.Path) -> pathlib.Path:
    return shared / "models" / "ic_resnet8_float.tflite"


@pytest.fixture(scope="module")
def samples() -> Any:
    return np.random.default_rng(3).uniform(0, 255, (12, 32, 32, 3)).astype(np.float32)


def test_model(floats: pathlib.Path, samples: Any) -> None:
    quantized = weft.quantize(floats, samples)
    assert sum(layer["quantized"] for layer in quantized.layers) > 8
    assert "quantised" in quantized._repr_html_()
    module = quantized.compile()
    assert module.segments > 0 and module.cycles > 10_000
    reference = weft.compile(floats, host_only=True)
    agree = 0
    for sample in samples:
        got, wanted = module.run(sample[None], "func").output, reference.run(sample[None], "host").output
        agree += int(got.argmax() == wanted.argmax())
    assert agree >= 10
    assert quantized.to_dict()["samples"] == 12
    again = weft.compile(quantized.to_text(), name=module.name)
    assert again.cycles == module.cycles
    assert len(quantized.to_onnx()) > 10_000


def test_forms_of_samples(floats: pathlib.Path, samples: Any, tmp_path: pathlib.Path) -> None:
    expected = weft.quantize(floats, samples[:3], calibration="min-max").compile().to_bytes()
    for given in (
        samples[:3, None], list(samples[:3]), {"0": samples[:3]}, samples[:3].astype(np.float64), samples[:3].astype(">f4"),
        np.asfortranarray(samples[:3]),
    ):  # fmt: skip
        made = weft.quantize(floats, given, calibration="min-max")
        assert made.compile().to_bytes() == expected
    made.save_page(tmp_path / "page.html")
    assert "<svg" in (tmp_path / "page.html").read_text()


def test_labels(floats: pathlib.Path, samples: Any) -> None:
    made = weft.quantize(floats, samples, labels=np.arange(12) % 10, max_drop=1.0, integer_ends=True)
    assert made.to_dict()["labelled"] == 12
    assert made.compile().inputs[0].dtype == np.int8


def test_refusals(floats: pathlib.Path, samples: Any) -> None:
    assert code_of(weft.quantize, floats, samples[:0]) == "ARGUMENT"
    assert code_of(weft.quantize, floats, samples[:, :8]) == "TENSOR"
    assert code_of(weft.quantize, floats, samples.astype(np.int8)) == "TENSOR"
    assert code_of(weft.quantize, floats, np.float32(3)) == "TENSOR"
    assert code_of(weft.quantize, floats, np.full_like(samples[:2], np.inf)) == "ARGUMENT"
    assert code_of(weft.quantize, floats, np.full((2, 32, 32, 3), 1e300)) == "ARGUMENT"
    assert code_of(weft.quantize, floats, {"x": samples}) == "ARGUMENT"
    assert code_of(weft.quantize, floats, samples, calibration="none") == "ARGUMENT"
    assert code_of(weft.quantize, floats, samples, weights="none") == "ARGUMENT"
    assert code_of(weft.quantize, floats, samples, percentile=10) == "ARGUMENT"
    assert code_of(weft.quantize, floats, samples, bins=0) == "ARGUMENT"
    useless: List[Dict[str, Any]] = [
        {"calibration": "mse", "percentile": 99},
        {"calibration": "percentile", "levels": 8},
        {"calibration": "min-max", "bins": 64},
    ]
    for options in useless:
        with pytest.raises(weft.Error, match=f"{list(options)[1]} has no effect with calibration {options['calibration']}"):
            weft.quantize(floats, samples, **options)
    assert code_of(weft.quantize, floats, samples, max_drop=0.1) == "ARGUMENT"
    assert code_of(weft.quantize, floats, samples, labels=[1, 2]) == "TENSOR"
    assert code_of(weft.quantize, floats, samples, labels=[2**40] * 12) == "TENSOR"
    assert code_of(weft.quantize, floats, samples, memory_limit=1000) == "LIMIT"
    assert code_of(weft.quantize, b"nothing", samples) == "MODEL"
    text = b"graph g(%x: 1x4xf32) { %w = constant() data=[1, 2, 3, 4] : 1x4xf32 %y = dense(%x, %w) : 1x1xf32 return %y }"
    assert code_of(weft.quantize, text, np.ones((3, 4), np.float32), dims={"N": 7}) == "ARGUMENT"
    assert code_of(weft.compile, text, dims={"N": 7}) == "ARGUMENT"
    assert code_of(weft.quantize(floats, samples[:2]).compile, effort=99) == "ARGUMENT"
