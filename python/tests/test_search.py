"""Sweeps and tuning: what the commands come to."""

from __future__ import annotations

import math
import pathlib
import sqlite3
import threading
from typing import Any, List

import pytest
from conftest import DIGITS

import weft

MODEL = DIGITS / "digits.tflite"


def code_of(call: Any, *arguments: Any, **options: Any) -> str:
    with pytest.raises(weft.Error) as caught:
        call(*arguments, **options)
    return caught.value.code


# ---- tuning ----


def test_tune() -> None:
    tuned = weft.tune(MODEL, schedules=300)
    assert tuned.cycles_before == 7489 and tuned.tried == 300
    assert tuned.cycles < 7489 and tuned.change < 0
    assert tuned.steps[-1].cycles == tuned.cycles  # one segment
    assert all(a.cycles > b.cycles and a.tried < b.tried for a, b in zip(tuned.steps, tuned.steps[1:]))
    assert weft.compile(MODEL, decisions=tuned.decisions).cycles == tuned.cycles
    assert len(tuned.module.verify()) == 1
    assert "tuned" in repr(tuned) and "<table" in tuned._repr_html_()


def test_tune_is_the_same_with_any_number_of_jobs() -> None:
    one, three = (weft.tune(MODEL, "small8", schedules=100, jobs=jobs, seed=7) for jobs in (1, 3))
    assert one.steps == three.steps and one.decisions == three.decisions


def test_tune_for_a_time() -> None:
    assert weft.tune(MODEL, seconds=0.2, strategy="random").tried > 0


GRID = {"block": [8, 16], "act_bytes": "16K..128K"}


def test_tune_hardware(tmp_path: pathlib.Path) -> None:
    log = tmp_path / "machines.log"
    tuned = weft.tune_hardware(MODEL, "small8", GRID, area_limit=500000, schedules=100, seed=3, log=log)
    first = tuned.machines[0]
    assert first.config == weft.Config.small8() and tuned.tried == 100
    assert first.cycles_compiled == weft.compile(MODEL, "small8").cycles
    assert tuned.best.cycles == tuned.cycles < first.cycles_compiled
    assert tuned.changes["block"] == 16 and tuned.config.block == 16
    assert tuned.best.area == pytest.approx(tuned.config.area()["total"]) and tuned.best.area <= 500000
    assert weft.compile(MODEL, tuned.config, decisions=tuned.decisions).cycles == tuned.cycles
    assert len(tuned.module.verify()) == 1
    assert "TunedHardware" in repr(tuned) and "<table" in tuned._repr_html_()
    again = weft.tune_hardware(MODEL, "small8", GRID, area_limit=500000, schedules=20, seed=3, log=log)
    assert again.cycles <= tuned.cycles and len(again.machines) >= len(tuned.machines)
    other = weft.tune_hardware(MODEL, "small8", GRID, area_limit=500000, schedules=100, seed=3, jobs=1)
    assert other.cycles == tuned.cycles and other.machines == tuned.machines


def test_tune_hardware_refuses(tmp_path: pathlib.Path) -> None:
    tune = weft.tune_hardware
    assert code_of(tune, MODEL) == "ARGUMENT"
    assert code_of(tune, MODEL, seconds=1, schedules=1) == "ARGUMENT"
    assert code_of(tune, MODEL, grid={"nosuch": 1}, schedules=1) == "SWEEP"
    assert code_of(tune, MODEL, grid={"effort": [1, 2]}, schedules=1) == "SWEEP"
    assert code_of(tune, MODEL, grid={"model": "x"}, schedules=1) == "SWEEP"
    assert code_of(tune, MODEL, grid={"config": "ref16"}, schedules=1) == "SWEEP"
    assert code_of(tune, MODEL, grid={"block": 8}, area_limit=1000, schedules=1) == "ARGUMENT"
    assert code_of(tune, MODEL, area_limit=-1, schedules=1) == "ARGUMENT"
    assert code_of(tune, MODEL, area_limit=float("nan"), schedules=1) == "ARGUMENT"
    assert code_of(tune, MODEL, jobs=17, schedules=1) == "ARGUMENT"
    assert code_of(tune, MODEL, frames=0, schedules=1) == "ARGUMENT"
    assert code_of(tune, b"nothing", schedules=1) == "MODEL"
    assert code_of(tune, MODEL, area="nosuch", schedules=1) == "IO"
    (tmp_path / "x.log").write_text("{}\n")
    assert code_of(tune, MODEL, log=tmp_path / "x.log", schedules=1) == "DECISIONS"
    assert (tmp_path / "x.log").read_text() == "{}\n"


def test_tune_refuses() -> None:
    assert code_of(weft.tune, MODEL) == "ARGUMENT"
    assert code_of(weft.tune, MODEL, seconds=1, schedules=1) == "ARGUMENT"
    assert code_of(weft.tune, MODEL, schedules=1, strategy="best") == "ARGUMENT"
    assert code_of(weft.tune, MODEL, schedules=1, jobs=17) == "ARGUMENT"
    assert code_of(weft.tune, MODEL, schedules=1, host_only=True) == "ARGUMENT"
    assert code_of(weft.tune, MODEL, "nosuch", schedules=1) in ("CONFIG", "IO")


# ---- sweeps ----


def test_sweep(tmp_path: pathlib.Path) -> None:
    told: List[Any] = []
    path = tmp_path / "sweep.sqlite"
    grid = {"act_bytes": ["16K", 32768], "dram": ["none", "lpddr4-3200"]}
    sweep = weft.sweep(MODEL, grid, path=path, workers=2, technology="45nm", clock=100, progress=lambda *each: told.append(each))
    assert len(sweep) == 4 and sweep.ran == 4 and len(sweep.good) == 4
    assert sweep.varied == ["act_bytes", "dram", "clock"]  # a machine beside DRAM has a clock
    assert told[-1] == (4, 4, 0)
    by_point = {(row["act_bytes"], row["dram"]): row for row in sweep}
    for act_bytes in (16384, 32768):
        module = weft.compile(MODEL, weft.Config.ref16().replace(act_bytes=act_bytes))
        assert by_point[act_bytes, 0]["cycles"] == module.cycles
        assert by_point[act_bytes, 2]["cycles"] == module.report(dram="lpddr4-3200@100").cycles
        with module.open("cycle", dram="lpddr4-3200@100", timing_only=True) as session:
            assert session.run().cycles == by_point[act_bytes, 2]["cycles"]
    assert sweep.best()["cycles"] == sweep.column("cycles").min()
    assert sweep.best("energy") in sweep.pareto()
    for row in sweep:
        assert row["area"] == pytest.approx(weft.Config.ref16().replace(act_bytes=row["act_bytes"]).area()["total"])
        assert row["area_unit"] == "LUT4 of ecp5"
    assert sweep.pareto("cycles") == [row for row in sweep if row["cycles"] == sweep.best()["cycles"]]
    assert "<table" in sweep._repr_html_() and "4 points" in repr(sweep)
    again = weft.sweep([MODEL], grid, path=path, points=[{"effort": 2}], random=0)
    assert again.ran == 1 and len(again) == 5
    own = weft.sweep(MODEL, {"memory_latency": [50, 100]}, path=tmp_path / "own.sqlite", points=[{"config": "small8"}])
    assert sorted(row["config"] for row in own) == ["ref16", "ref16", "small8"]
    assert [dict(row) for row in weft.load_sweep(path)] == [dict(row) for row in again]


def test_several_inferences_are_compared_as_one(tmp_path: pathlib.Path) -> None:
    sweep = weft.sweep([MODEL], {"batch": [1, 4]}, path=tmp_path / "batch.sqlite")
    assert sweep.best()["batch"] == 4 and sweep.best()["cycles"] > sweep[0]["cycles"]
    assert sweep.pareto() == [sweep.best()]


def test_pareto_is_what_the_command_shows(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "s.sqlite"
    weft.sweep(MODEL, {"memory_latency": [50, 100, 200, 400]}, path=path, area="", workers=1)
    with sqlite3.connect(path) as base:  # one model whatever its path, and one that does less
        base.execute("UPDATE points SET model = 'moved.tflite' WHERE memory_latency = 100")
        base.execute("UPDATE points SET cycles = 1, host_elements = 5000 WHERE memory_latency = 400")
    sweep = weft.load_sweep(path)
    best = [row for row in sweep if row["memory_latency"] in (50, 400)]
    assert sweep.pareto() == sweep.pareto("cycles") == best == [row for row in sweep if row["front"]]


def test_rows_that_cannot_be_compared(tmp_path: pathlib.Path) -> None:
    """As `weft sweep show` refuses them; what does not matter to their figures is compared."""
    path = tmp_path / "areas.sqlite"
    weft.sweep(MODEL, path=path, area="ecp5", workers=1)
    assert code_of(weft.sweep, MODEL, config="small8", path=path, area="osu018", workers=1) == "SWEEP"
    weft.sweep(MODEL, config="small8", path=path, area="ecp5", workers=1)
    with sqlite3.connect(path) as base:  # as files of before can be
        base.execute("UPDATE points SET area_unit = 'um2 of osu018' WHERE block = 8")
    sweep = weft.load_sweep(path)
    with pytest.raises(weft.Error, match="areas of several targets, um2 of osu018 and LUT4 of ecp5") as caught:
        sweep.best("area")
    assert caught.value.code == "SWEEP" and caught.value.position == 1
    assert code_of(sweep.pareto) == code_of(sweep.pareto, "cycles", "area") == "SWEEP"
    assert [row["front"] for row in sweep] == [None, None] and len(sweep.pareto("cycles")) == 1
    assert sweep.best()["config"] == "ref16" and len(sweep.column("area")) == 2
    path = tmp_path / "energies.sqlite"
    weft.sweep(MODEL, path=path, technology="45nm", workers=1)
    assert code_of(weft.sweep, MODEL, config="small8", path=path, technology="45nm", clock=100, workers=1) == "SWEEP"
    weft.sweep(MODEL, config="small8", path=path, technology="45nm", workers=1)
    with sqlite3.connect(path) as base:
        base.execute("UPDATE points SET technology = '45nm at 100 MHz' WHERE block = 8")
    sweep = weft.load_sweep(path)
    with pytest.raises(weft.Error, match="energies of 45nm at 100 MHz and of 45nm"):
        sweep.best("energy")
    assert code_of(sweep.pareto) == code_of(sweep.pareto, "energy", "cycles") == "SWEEP"
    assert sweep.best("area")["config"] == "small8"
    for ask in (sweep.best, sweep.column, sweep.pareto):
        with pytest.raises(weft.Error, match="a sweep has no column 'enrgy'"):
            ask("enrgy")


def test_sweep_options_without_effect(tmp_path: pathlib.Path) -> None:
    for wrong in ({"clock": 100}, {"seed": 3}, {"objective": "energy"}):
        assert code_of(weft.sweep, MODEL, path=tmp_path / "s.sqlite", **wrong) == "SWEEP"
        assert not (tmp_path / "s.sqlite").exists()
    decisions = weft.compile(MODEL).decisions()
    for useless in (
        {"decisions": decisions, "effort": 4},
        {"host_only": True, "effort": 4},
        {"host_only": True, "one_by_one": True, "frames": 2},
        {"one_by_one": True},
    ):
        assert code_of(weft.compile, MODEL, **useless) == "ARGUMENT"


def test_sweep_of_a_config(tmp_path: pathlib.Path) -> None:
    machine = weft.Config.small8().replace(act_bytes=32768)
    sweep = weft.sweep(MODEL, config=[machine, "ref16"], path=tmp_path / "s.sqlite")
    assert [row["cycles"] for row in sweep if row["block"] == 8] == [weft.compile(MODEL, machine).cycles]
    assert len(sweep) == 2


def test_refused_points_have_no_figures(tmp_path: pathlib.Path) -> None:
    sweep = weft.sweep(MODEL, {"act_bytes": [1, "64K"]}, path=tmp_path / "s.sqlite")
    refused = [row for row in sweep if row["error_code"]]
    assert len(refused) == 1 and refused[0]["cycles"] is None and "act_bytes" in refused[0]["error"]
    assert sweep.best()["act_bytes"] == 65536
    assert math.isnan(sweep.column("energy")[0])
    assert math.isnan(weft.sweep(MODEL, path=tmp_path / "none.sqlite", area="").column("area")[0])
    assert code_of(sweep.best, "energy") == "SWEEP"


def test_sweep_refuses(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "s.sqlite"
    assert code_of(weft.sweep, MODEL, {"nosuch": 1}, path=path) == "SWEEP"
    assert code_of(weft.sweep, MODEL, {"act_bytes": "many"}, path=path) == "SWEEP"
    assert code_of(weft.sweep, [], path=path) == "SWEEP"
    assert code_of(weft.sweep, MODEL, {"act_bytes": range(2048, 4_000_000)}, path=path) == "LIMIT"
    assert code_of(weft.sweep, MODEL, path=path, technology="nosuch") == "IO"
    assert code_of(weft.sweep, MODEL, path=path, area="nosuch") == "IO"
    assert code_of(weft.sweep, MODEL, path=path, clock=-1) == "ARGUMENT"
    assert code_of(weft.sweep, MODEL, path=path, time_limit=math.nan) == "ARGUMENT"
    assert code_of(weft.sweep, MODEL, path=tmp_path / "nosuch" / "s.sqlite") == "IO"
    assert code_of(weft.load_sweep, path) == "IO"
    path.write_text("notes")
    assert code_of(weft.load_sweep, path) in ("SWEEP", "IO")
    assert path.read_text() == "notes"
    with pytest.raises(TypeError):
        weft.sweep(MODEL, {"act_bytes": 1.5}, path=path)


def test_what_progress_raises_ends_a_sweep(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "s.sqlite"

    def stop(done: int, points: int, refused: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    grid = {"act_bytes": "16K..256K"}
    with pytest.raises(KeyboardInterrupt):
        weft.sweep(MODEL, grid, path=path, workers=1, progress=stop)
    assert len(weft.load_sweep(path)) == 2
    assert weft.sweep(MODEL, grid, path=path).ran == 3


def test_sweeps_beside_threads(tmp_path: pathlib.Path) -> None:
    """Workers are forked while other threads compile and run."""
    ended = threading.Event()

    def busy() -> None:
        while not ended.is_set():
            weft.compile(MODEL, effort=1)

    threads = [threading.Thread(target=busy) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        assert weft.sweep(MODEL, {"act_bytes": "16K..128K", "effort": [1, 2]}, path=tmp_path / "s.sqlite").ran == 8
    finally:
        ended.set()
        for thread in threads:
            thread.join()


def test_dram(digits: weft.Module, tmp_path: pathlib.Path) -> None:
    report = digits.report(dram="ddr3-1600@400", clock=400)
    assert report.cycles != digits.cycles
    assert digits.trace(dram="ddr3-1600@400").cycles() == report.cycles
    report.save(tmp_path / "report.html")
    assert "ddr3-1600@400" in (tmp_path / "report.html").read_text()
    for wrong in ("ddr3-1600", "ddr5@400", "ddr3-1600@9", "ddr3-1600@x"):
        assert code_of(digits.report, dram=wrong) == "ARGUMENT"
        assert code_of(digits.open, dram=wrong) == "ARGUMENT"
    assert code_of(digits.open, "func", dram="ddr3-1600@400") == "TARGET"
