"""Reports, traces and configurations as Python objects and as pages."""

from __future__ import annotations

import json
import pathlib
import re
from html.parser import HTMLParser
from typing import Any, List, Optional, Tuple

import numpy as np
import pytest
from conftest import DIGITS, SOURCE

import weft


class Balanced(HTMLParser):
    """Every element that begins ends, in its order, and no script is among them."""

    def __init__(self) -> None:
        super().__init__()
        self.open: List[str] = []

    def handle_starttag(self, tag: str, attrs: List[Tuple[str, Optional[str]]]) -> None:
        assert tag != "script"
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: List[Tuple[str, Optional[str]]]) -> None:
        pass


def check_page(page: str) -> None:
    parser = Balanced()
    parser.feed(page)
    assert parser.open == []


def test_report(digits: weft.Module) -> None:
    report = digits.report(clock=100)
    machine = [layer for layer in report.layers if layer["unit"] != "host"]
    assert sum(layer["cycles"] for layer in machine) == report.cycles == sum(report.uses.values()) == 7489
    assert report.counters["cycles"] == 7489
    assert 0.74 < report.utilisation < 0.75
    assert report.layers[-1]["op"] == "qnn.softmax" and report.layers[-1]["unit"] == "host"
    data = report.to_dict()
    assert data["milliseconds"] == pytest.approx(0.07489) and data["config"] == "ref16"
    data["layers"].clear()
    assert report.layers
    page = report._repr_html_()
    check_page(page)
    assert page.count("<tr>") == 1 + len(report.layers) and "7,489 cycles" in page and "roofline" in page
    assert "7,489" in repr(report)


def test_report_of_several_inferences() -> None:
    report = weft.compile(DIGITS / "digits.tflite", frames=3).report(clock=100)
    data = report.to_dict()
    assert data["inferences"] == 3
    assert data["milliseconds"] == pytest.approx(data["cycles"] / 3 / 1e5)
    assert f"{data['cycles']:,} cycles of 3 inferences" in repr(report)
    assert f"{data['milliseconds']:.4g} ms an inference at 100 MHz" in repr(report)


def test_one_clock(digits: weft.Module) -> None:
    assert digits.report(dram="ddr3-1600@400").to_dict()["clock_mhz"] == 400
    assert digits.report(dram="ddr3-1600@400", clock=400).to_dict()["clock_mhz"] == 400
    with pytest.raises(weft.Error, match="one clock: it is 400 MHz beside ddr3-1600, and 100 MHz"):
        digits.report(dram="ddr3-1600@400", clock=100)


def test_report_of_a_session(digits: weft.Module, picture: Any) -> None:
    with digits.open("cycle", memory_latency=300) as session:
        result = session.run(picture)
        assert session.report().cycles == result.cycles == digits.report(memory_latency=300).cycles


def test_report_page(digits: weft.Module, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    digits.report(memory_latency=300).save("-")  # a file of that name, not standard output
    page = (tmp_path / "-").read_text()
    assert page.startswith("<!DOCTYPE html>") or page.startswith("<!doctype html>")
    assert '"latency":300' in page
    with pytest.raises(weft.Error) as caught:
        digits.report().save(tmp_path / "none" / "x.html")
    assert caught.value.code == "IO"


def test_trace(digits: weft.Module, tmp_path: pathlib.Path) -> None:
    trace = digits.trace()
    assert trace.segments == 1 and trace.cycles() == 7489
    rows = trace.instructions()
    assert len(rows) == 117 and rows["finished"].max() <= 7489
    machine = rows[rows["unit"] < len(weft.UNITS)]
    assert (machine["started"] > machine["dispatched"]).all() and (machine["finished"] >= machine["started"]).all()
    assert {weft.OPCODES[opcode] for opcode in machine["opcode"]} <= {"load", "fill", "store", "matrix", "vector"}
    layers = trace.layers()
    assert rows["layer"].max() == len(layers) - 1 and layers[0] == ("conv2d", "stem")
    check_page(trace._repr_html_())
    trace.save(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())
    assert len(events["traceEvents"]) > 117
    assert trace.text().startswith("; segment 0 of 1\n") and len(trace.raw()) > 1000
    assert digits.trace(memory_latency=400).cycles() > 7489
    for ask in (trace.cycles, trace.instructions, trace.layers):
        with pytest.raises(weft.Error, match="there is no segment 1, the module has 1") as caught:
            ask(1)
        assert caught.value.code == "ARGUMENT"
    with pytest.raises(weft.Error, match="there is no segment 0"):
        weft.compile(DIGITS / "digits.tflite", host_only=True).trace().cycles()


def test_names_are_escaped() -> None:
    text = b"graph g(%x: 1x4xf32) { %y = relu(%x) : 1x4xf32 return %y }"
    module = weft.compile(text, name='<script>alert("x")</script>', host_only=True)
    for page in (module._repr_html_(), module.report()._repr_html_(), module.config._repr_html_()):
        check_page(page)
    assert "&lt;script&gt;" in module.report()._repr_html_()


def test_module_page(digits: weft.Module) -> None:
    check_page(digits._repr_html_())
    assert "16x16" in digits._repr_html_() and "7,489" in repr(digits)


def test_config() -> None:
    defined = re.findall(r"^WEFT_PARAMETER\((\w+), (\d+), (\d+),", (SOURCE / "isa/config.def").read_text(), re.M)
    assert {name: (int(low), int(high)) for name, low, high in defined} == weft.Config.ranges
    assert list(weft.Config.meanings) == [name for name, _, _ in defined]
    files = sorted((SOURCE / "hw/configs").glob("*.json"))
    assert sorted(weft.Config.names()) == [file.stem for file in files]
    for file in files:
        config = getattr(weft.Config, file.stem)()
        assert config == weft.Config.find(file.stem) == weft.Config.find(file) == weft.Config.from_json(file.read_text())
        assert config.to_dict() == json.loads(file.read_text())
        check_page(config._repr_html_())
    ref16 = weft.Config.ref16()
    assert ref16.multipliers == 256
    other = ref16.replace(act_bytes=131072)
    assert other.name == "custom" and other.fingerprint != ref16.fingerprint and other != ref16
    assert other.replace(act_bytes=ref16.act_bytes, name="mine").fingerprint == ref16.fingerprint
    assert hash(other) == hash(ref16.replace(act_bytes=np.int64(131072)))
    with pytest.raises(AttributeError):
        ref16.block = 8  # type: ignore[misc]


def test_version() -> None:
    said = re.search(r"project\(weft VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text())
    project = re.search(r'^version = "([\d.]+)"', (SOURCE / "pyproject.toml").read_text(), re.M)
    assert said and project and weft.__version__ == said[1] == project[1]


def test_everything_is_documented() -> None:
    for name in weft.__all__:
        thing = getattr(weft, name)
        if callable(thing):
            assert thing.__doc__, name
            for method in [m for m in vars(thing) if not m.startswith("_")] if isinstance(thing, type) else []:
                if callable(getattr(thing, method)):
                    assert getattr(thing, method).__doc__, f"{name}.{method}"
    assert DIGITS.is_dir()
