"""Results are LiteRT's, byte for byte, and cycles those of the command line's tests."""

from __future__ import annotations

import os
import pathlib
import re
import stat
import threading
from typing import Any, List

import numpy as np
import pytest
from conftest import DIGITS, SOURCE
from png import read_grey

import weft

SHARED = SOURCE.parent / "shared"
GOLDENS = sorted(p for p in (SHARED / "goldens").glob("*") if (SHARED / "models" / f"{p.name}.tflite").exists())
# Those that take longer than a second to compile are run on a machine of the same bytes, but not of the same cycles, in tests/golden.
LARGE = 6_000_000


@pytest.mark.parametrize("target", ["func", "cycle"])
def test_digits(digits: weft.Module, target: str) -> None:
    with digits.open(target) as session:
        for digit in range(10):
            grey = read_grey(DIGITS / f"{digit}.png").astype(np.int16) - 128
            result = session.run(grey.astype(np.int8).reshape(1, 16, 16, 1))
            np.testing.assert_array_equal(result.output, np.load(DIGITS / "goldens" / f"{digit}.output.npy"))
            assert int(result.dequantized().argmax()) == digit
            assert result.cycles == (7489 if target == "cycle" else 0)
            assert result.counters["instructions"] == 117


def test_digits_on_host(digits: weft.Module, picture: Any) -> None:
    module = weft.compile(DIGITS / "digits.tflite", host_only=True)
    assert module.segments == 0 and module.cycles == 0
    expected = digits.run(picture).output
    np.testing.assert_array_equal(module.run(picture, "host").output, expected)
    np.testing.assert_array_equal(weft.run(DIGITS / "digits.tflite", picture, "host").output, expected)
    assert "host" in module.report()._repr_html_()
    assert "nothing runs" in module.trace()._repr_html_()


@pytest.mark.skipif(not GOLDENS, reason="no ../shared")
@pytest.mark.parametrize("folder", GOLDENS, ids=lambda folder: folder.name)
def test_golden(folder: pathlib.Path) -> None:
    path = SHARED / "models" / f"{folder.name}.tflite"
    inputs = sorted(folder.glob("*.input.npy"))
    if path.stat().st_size > LARGE or not inputs:
        pytest.skip("large, or several inputs: tests/golden has it")
    module = weft.compile(path)
    expected_cycles = re.search(
        rf"WEFT_NETWORK\({re.escape(folder.name)}, .* (\d+)\)", (SOURCE / "tests/bench/networks.def").read_text()
    )
    if expected_cycles:
        assert module.cycles == int(expected_cycles[1])
    with module.open("func") as session:
        for file in inputs[:2]:
            output = file.with_name(file.name.replace(".input.", ".output."))
            np.testing.assert_array_equal(session.run(np.load(file)).output, np.load(output))


def test_file(digits: weft.Module, picture: Any, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "digits.weft"
    digits.save(path)
    assert [p.name for p in tmp_path.iterdir()] == ["digits.weft"]
    for again in (weft.load(path), weft.load(str(path)), weft.load(path.read_bytes()), weft.load(bytearray(digits.to_bytes()))):
        assert again.config == digits.config and again.cycles == digits.cycles == 7489
        np.testing.assert_array_equal(again.run(picture).output, digits.run(picture).output)
    assert path.read_bytes() == digits.to_bytes()


def test_configurations(picture: Any, digits: weft.Module) -> None:
    small = weft.compile(DIGITS / "digits.tflite", weft.Config.small8())
    assert small.config.name == "small8" and small.cycles > digits.cycles
    slow = weft.Config.ref16().replace(memory_latency=400)
    assert weft.compile(DIGITS / "digits.tflite", slow).cycles > digits.cycles
    np.testing.assert_array_equal(small.run(picture).output, digits.run(picture).output)
    result = digits.run(picture, memory_latency=400)
    assert result.cycles > digits.cycles
    assert digits.report(memory_latency=400).cycles == result.cycles
    assert digits.run(target="cycle", timing_only=True).cycles == 7489


def test_what_is_written_to_stays_what_it_is(digits: weft.Module, tmp_path: pathlib.Path) -> None:
    content = digits.to_bytes()
    secret = tmp_path / "secret.weft"
    secret.touch(mode=0o600)
    (tmp_path / "link.weft").symlink_to(secret)
    digits.save(tmp_path / "link.weft")
    assert secret.read_bytes() == content and stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert (tmp_path / "link.weft").is_symlink()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: List[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    digits.save(pipe)
    reader.join()
    assert read == [content] and pipe.is_fifo()
    if os.geteuid() == 0:  # what /dev/null is, in a folder that goes
        device = tmp_path / "device"
        os.mknod(device, 0o600 | stat.S_IFCHR, os.makedev(1, 3))
        try:
            digits.save(device)
        except weft.Error as error:  # a file system that has no devices
            assert error.code == "IO"
        assert device.is_char_device()
    assert len(list(tmp_path.iterdir())) == 3 + (os.geteuid() == 0)


def test_decisions(digits: weft.Module) -> None:
    decided = digits.decisions()
    again = weft.compile(DIGITS / "digits.tflite", decisions=decided)
    assert again.trace().raw() == digits.trace().raw()
    with pytest.raises(weft.Error) as caught:
        weft.compile(DIGITS / "digits.tflite", decisions="{")
    assert caught.value.code == "DECISIONS" and caught.value.position >= 1


def test_frames(picture: Any, digits: weft.Module) -> None:
    batch = weft.compile(DIGITS / "digits.tflite", frames=3)
    assert batch.frames == 3 and batch.inputs[0].shape == (3, 16, 16, 1)
    output = batch.run(np.concatenate([picture] * 3)).output
    np.testing.assert_array_equal(output, np.concatenate([digits.run(picture).output] * 3))


def test_proofs(digits: weft.Module) -> None:
    (proof,) = digits.verify()
    assert proof.instructions == 117 and proof.bound == digits.bound >= digits.cycles


def test_names() -> None:
    text = b"""
    graph g(%first: 1x4xi32, %second: 1x4xi32) {
      %difference = subtract(%first, %second) : 1x4xi32
      return %difference
    }"""
    module = weft.compile(text, host_only=True)
    assert [tensor.name for tensor in module.inputs] == ["first", "second"]
    a, b = np.array([[5, 6, 7, 8]], np.int32), np.array([[3, 5, 7, 9]], np.int32)
    result = module.run({"second": b, "first": a}, "host")
    np.testing.assert_array_equal(result["difference"], [[2, 1, 0, -1]])
    np.testing.assert_array_equal(module.run([a, b], "host")[0], result.output)
    assert [list(each[0]) for each in result] == [[2, 1, 0, -1]] and len(result) == 1
    with pytest.raises(KeyError):
        result["first"]


def test_quantization_of_tensors(digits: weft.Module) -> None:
    tensor = digits.inputs[0]
    assert tensor.is_quantized and tensor.zero_point == -128 and tensor.dtype == np.int8
    real = np.linspace(-1, 2, 256).reshape(tensor.shape)
    made = tensor.quantize(real)
    assert made.dtype == np.int8 and made.min() == -128 and made.max() == 127
    inside = (real >= 0) & (real <= 1)
    assert np.abs(tensor.dequantize(made) - real)[inside].max() <= 1 / 255 / 2 * 1.0001
    with pytest.raises(weft.Error):
        tensor.quantize(np.full(tensor.shape, np.nan))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_quantization_saturates(dtype: str) -> None:
    tensor = weft.Tensor("t", (6,), np.dtype(dtype), 0.5, 1)
    limits = np.iinfo(dtype)
    made = tensor.quantize(np.array([-np.inf, -1e30, 1.0, 3.0, 1e30, np.inf]))
    assert made.dtype == np.dtype(dtype)
    assert made.tolist() == [limits.min, limits.min, 3, 7, limits.max, limits.max]
