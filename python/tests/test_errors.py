"""What must be refused, and never more than that: no crash, whatever is given."""

from __future__ import annotations

import gc
import pathlib
import pickle
from typing import Any, Dict, List

import numpy as np
import pytest
from conftest import DIGITS

import weft


def code_of(function: Any, *arguments: Any, **named: Any) -> str:
    with pytest.raises(weft.Error) as caught:
        function(*arguments, **named)
    error = caught.value
    assert error.code in weft.ERRORS and error.message and "\n" not in error.message and error.position >= 0
    assert pickle.loads(pickle.dumps(error)).args == error.args
    return error.code


def test_inputs(digits: weft.Module, picture: Any) -> None:
    with digits.open("func") as session:
        assert code_of(session.run) == "STATE"
        expected = session.run(picture).output
        assert code_of(session.run, picture[:, :8]) == "TENSOR"
        assert code_of(session.run, picture.reshape(16, 16)) == "TENSOR"
        assert code_of(session.run, picture.astype(np.uint8)) == "TENSOR"
        assert code_of(session.run, picture.astype(np.float32)) == "TENSOR"
        assert code_of(session.run, picture.astype(object)) == "TENSOR"
        assert code_of(session.run, picture.astype("S1")) == "TENSOR"
        assert code_of(session.run, np.array(3, np.int8)) == "TENSOR"
        assert code_of(session.run, [picture.tolist()]) == "TENSOR"
        assert code_of(session.run, []) == "ARGUMENT"
        assert code_of(session.run, [picture, picture]) == "ARGUMENT"
        assert code_of(session.run, {"nothing": picture}) == "ARGUMENT"
        assert code_of(session.run, {}) == "ARGUMENT"
        for wrong in (3, "text", b"\0" * 256, object(), {1, 2}):
            with pytest.raises(TypeError):
                session.run(wrong)  # type: ignore[arg-type]
        # The session is as it was.
        np.testing.assert_array_equal(session.run().output, expected)
        np.testing.assert_array_equal(session.run(picture).output, expected)


def test_layouts(digits: weft.Module, picture: Any) -> None:
    expected = digits.run(picture).output
    strided = np.zeros((1, 32, 32, 1), np.int8)
    strided[:, ::2, ::2] = picture
    reversed_rows = picture[:, ::-1].copy()[:, ::-1]
    read_only = picture.copy()
    read_only.flags.writeable = False
    odd = np.frombuffer(b"x" + picture.tobytes(), np.int8)[1:].reshape(picture.shape)
    for given in (strided[:, ::2, ::2], np.asfortranarray(picture), reversed_rows, read_only, odd, picture.view(np.ndarray)):
        np.testing.assert_array_equal(digits.run(given).output, expected)
    with digits.open("func") as session:
        first = session.run(picture)
        kept = first.output.copy()
        session.run(np.zeros_like(picture))
        np.testing.assert_array_equal(first.output, kept)


def test_bytes_order() -> None:
    text = b"graph g(%x: 2x3xf32) { %y = relu(%x) : 2x3xf32 return %y }"
    module = weft.compile(text, host_only=True)
    values = np.arange(-3, 3, dtype=np.float32).reshape(2, 3)
    for given in (values, values.astype(">f4"), np.asfortranarray(values.astype(">f4"))):
        np.testing.assert_array_equal(module.run(given, "host").output, np.maximum(values, 0))
    assert code_of(module.run, values.astype(np.float64), "host") == "TENSOR"


def test_models(tmp_path: pathlib.Path) -> None:
    assert code_of(weft.compile, tmp_path / "none.tflite") == "IO"
    assert code_of(weft.compile, tmp_path) == "IO"
    assert code_of(weft.compile, b"") == "MODEL"
    assert code_of(weft.compile, b"\0" * 4096) == "MODEL"
    assert code_of(weft.compile, b"graph {") == "GRAPH"
    whole = (DIGITS / "digits.tflite").read_bytes()
    for length in range(0, len(whole), 997):
        assert code_of(weft.compile, whole[:length]) in ("MODEL", "GRAPH", "OPERATOR")
    for wrong in (None, 3, object(), np.zeros(3), [whole]):
        with pytest.raises(TypeError):
            weft.compile(wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        weft.compile("a\0b")
    with pytest.raises(ValueError):
        weft.compile(whole, name="a\0b")


def test_options() -> None:
    whole = (DIGITS / "digits.tflite").read_bytes()
    options: Dict[str, Any]
    for options in (
        {"frames": 0}, {"frames": 5000}, {"effort": 0}, {"effort": 65}, {"frames": -1}, {"frames": 2**70}, {"memory_limit": -1},
        {"dims": {"n": 0}}, {"dims": {"": 1}}, {"dims": {"n" * 64: 1}}, {"dims": {f"n{i}": 1 for i in range(65)}},
    ):  # fmt: skip
        assert code_of(weft.compile, whole, **options) == "ARGUMENT"
    assert code_of(weft.compile, whole, memory_limit=1000) == "LIMIT"
    assert code_of(weft.compile, whole, plugins=["./none.so"]) == "PLUGIN"
    assert code_of(weft.compile, whole, "none") == "IO"
    for options in ({"frames": 1.5}, {"frames": "1"}, {"config": 3}, {"plugins": "x.so"}, {"plugins": pathlib.Path("x.so")}):
        with pytest.raises(TypeError):
            weft.compile(whole, **options)


def test_files(digits: weft.Module, tmp_path: pathlib.Path) -> None:
    whole = digits.to_bytes()
    assert code_of(weft.load, b"") == "CONTAINER"
    assert code_of(weft.load, whole[:-1]) == "CONTAINER"
    assert code_of(weft.load, (DIGITS / "digits.tflite").read_bytes()) == "CONTAINER"
    assert code_of(weft.load, whole, cycle_limit=10) == "LIMIT"
    assert code_of(weft.load, whole, memory_limit=1000) == "LIMIT"
    assert code_of(weft.compile, whole) == "ARGUMENT"
    generator = np.random.default_rng(5)
    for _ in range(200):
        broken = bytearray(whole)
        for at in generator.integers(0, len(whole), 3):
            broken[at] ^= int(generator.integers(1, 256))
        assert code_of(weft.load, broken) != ""
    with pytest.raises(weft.Error, match="none/x.weft: could not be written: No such file"):
        digits.save(tmp_path / "none" / "x.weft")
    (tmp_path / "x.weft").mkdir()
    assert code_of(digits.save, tmp_path / "x.weft") == "IO"
    with pytest.raises(ValueError):
        digits.save("x\0y")
    for wrong in (3, None):
        with pytest.raises(TypeError):
            digits.save(wrong)  # type: ignore[arg-type]
    assert [p.name for p in tmp_path.iterdir()] == ["x.weft"]


def test_targets(digits: weft.Module, picture: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    monkeypatch.setenv("WEFT_RTL_PATH", str(tmp_path))
    for target in ("none", "", "rtl", "lockstep", "host", "linux"):
        assert code_of(digits.open, target) in ("TARGET", "IO")
    assert code_of(digits.open, "remote://127.0.0.1:1") == "REFUSED"
    assert code_of(digits.open, "remote://") == "ARGUMENT"
    assert code_of(digits.open, kernels="none") == "ARGUMENT"
    assert code_of(digits.open, key_file="key") == "ARGUMENT"
    assert code_of(digits.open, memory_latency=100_001) == "ARGUMENT"
    assert code_of(digits.open, memory_interval=-1) == "ARGUMENT"
    assert code_of(digits.run, picture, timing_only=True) == "ARGUMENT"
    assert code_of(digits.report, clock=-1) == "ARGUMENT"
    assert code_of(digits.report, clock=float("nan")) == "ARGUMENT"
    with pytest.raises(weft.Error) as caught:
        digits.run(picture, watchdog=100)
    assert caught.value.code == "FAULT"
    with pytest.raises(TypeError):
        digits.open(3)  # type: ignore[arg-type]


def test_lifetimes(picture: Any) -> None:
    module = weft.compile(DIGITS / "digits.tflite")
    expected = module.run(picture).output
    session = module.open("cycle")
    trace = module.trace()
    del module
    gc.collect()
    result = session.run(picture)
    np.testing.assert_array_equal(result.output, expected)
    assert trace.instructions().shape == (117,)
    session.close()
    assert session.closed
    session.close()
    assert code_of(session.run, picture) == "STATE"
    assert code_of(session.reset) == "STATE"
    assert code_of(session.report) == "STATE"
    with pytest.raises(weft.Error):
        session.memory
    np.testing.assert_array_equal(result.output, expected)


def test_reports_need_a_run(digits: weft.Module, picture: Any) -> None:
    with digits.open("cycle") as session:
        assert code_of(session.report) == "STATE"
        session.run(picture)
        assert session.report().cycles == 7489
        session.reset()
        assert session.memory > 0


def test_reentered(digits: weft.Module, picture: Any) -> None:
    """Objects that run code of their own while the binding reads them."""
    with digits.open("func") as session:

        class Strange:
            def __array__(self, *arguments: Any, **named: Any) -> Any:
                session.run(picture)
                return picture

        class Failing:
            def __array__(self, *arguments: Any, **named: Any) -> Any:
                raise RuntimeError("no array")

        class Closing:
            def __array__(self, *arguments: Any, **named: Any) -> Any:
                session.close()
                return picture

        np.testing.assert_array_equal(session.run([Strange()]).output, digits.run(picture).output)
        with pytest.raises(RuntimeError):
            session.run([Failing()])
        assert code_of(session.run, [Closing()]) == "STATE"


def test_configurations() -> None:
    ref16 = weft.Config.ref16()
    assert code_of(ref16.replace, act_bytes=3) == "CONFIG"
    assert code_of(ref16.replace, act_bytes=2**40) == "CONFIG"
    assert code_of(ref16.replace, act_bytes=-1) == "CONFIG"
    assert code_of(ref16.replace, act_bytes=2**80) == "CONFIG"
    assert code_of(ref16.replace, act_banks=7) == "CONFIG"
    assert code_of(ref16.replace, name="a b") == "CONFIG"
    assert code_of(ref16.replace, name="") == "CONFIG"
    assert code_of(weft.Config.from_json, "{") == "CONFIG"
    assert code_of(weft.Config.find, "none") == "IO"
    for changes in ({"act_bytes": 1.5}, {"act_bytes": "3"}, {"name": 3}, {"nothing": 3}):
        with pytest.raises(TypeError):
            ref16.replace(**changes)


def test_bindings_alone(digits: weft.Module, picture: Any) -> None:
    """Below python/weft: nothing that is given there may crash either."""
    with digits.open("func") as session:
        native = session._native
        output = np.zeros((1, 10), np.int8)
        native.run([picture], [output])
        np.testing.assert_array_equal(output, digits.run(picture).output)
        read_only = output.copy()
        read_only.flags.writeable = False
        inputs: List[Any]
        outputs: List[Any]
        for inputs, outputs in (([picture], [read_only]), ([3], []), ([picture], [3]), ([picture[:, ::2]], [])):
            with pytest.raises((TypeError, BufferError, ValueError)):
                native.run(inputs, outputs)
        for inputs, outputs in (
            ([b""], []), ([picture, picture], []), ([picture], [bytearray(9)]), ([picture], [output, output]),
        ):  # fmt: skip
            assert code_of(native.run, inputs, outputs) in ("TENSOR", "ARGUMENT")
        with pytest.raises(TypeError):
            type(native)()
    trace = digits.trace()._native
    assert code_of(trace.instructions, 1) == "ARGUMENT"
    assert code_of(trace.layers, 10**9) == "ARGUMENT"
