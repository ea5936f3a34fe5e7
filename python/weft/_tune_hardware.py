"""Tuning of a machine and a schedule together."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Union

from . import _weft
from ._config import Config, ConfigLike, config_arguments
from ._error import Error
from ._html import table
from ._model import ModelLike, Module, _stem, _whole, clean, compile, dims_list, file_name, source_arguments
from ._sweep import _plain

_STEP = 1 << 20  # schedules, of a budget in seconds: a step tries fewer


@dataclass(frozen=True)
class Machine:
    """A machine that :func:`tune_hardware` tried."""

    config: Config
    area: float
    cycles_compiled: Optional[int]
    """With the compiler's schedule; None: it was refused."""
    cycles: Optional[int]
    """With the fastest schedule that is known."""
    schedules: int
    """That were tried on it."""
    error: str
    """Why it was refused; "": it was not."""


class TunedHardware:
    """What :func:`tune_hardware` found."""

    def __init__(self, module: Module, machines: List[Machine], best: int, area_limit: float, unit: str, decisions: str) -> None:
        self.module = module
        """Compiled for the best machine, with its best schedule."""
        self.machines = machines
        """All that were tried; the first is where it began."""
        self.best = machines[best]
        self.area_limit = area_limit
        self.unit = unit
        """Of areas."""
        self._decisions = decisions

    @property
    def config(self) -> Config:
        return self.best.config

    @property
    def cycles(self) -> int:
        return self.module.cycles

    @property
    def tried(self) -> int:
        """Schedules, of all machines."""
        return sum(machine.schedules for machine in self.machines)

    @property
    def decisions(self) -> Dict[str, Any]:
        """For ``compile(..., tuned.config, decisions=...)``."""
        decided: Dict[str, Any] = json.loads(self._decisions)
        return decided

    @property
    def changes(self) -> Dict[str, int]:
        """Parameters that are not those of the first machine."""
        first = self.machines[0].config.to_dict()
        return {name: value for name, value in self.config.to_dict().items() if name != "name" and value != first[name]}

    def __repr__(self) -> str:
        first = self.machines[0]
        return (
            f"<weft.TunedHardware {self.module.name} from {first.config.name} on: {first.cycles_compiled or 0:,} cycles, tuned {self.cycles:,}; "
            f"area {first.area:,.0f}, now {self.best.area:,.0f} of at most {self.area_limit:,.0f} {self.unit}; {len(self.machines)} machines, "
            f"{self.tried:,} schedules>"
        )

    def _repr_html_(self) -> str:
        first = self.machines[0].config.to_dict()
        good = sorted((machine for machine in self.machines if machine.cycles is not None), key=lambda machine: machine.cycles or 0)
        rows = []
        for machine in good:
            changed = {name: value for name, value in machine.config.to_dict().items() if name != "name" and value != first[name]}
            rows.append(
                [f"{machine.cycles:,}", f"{machine.area:,.0f}", machine.schedules, ", ".join(f"{name} {value}" for name, value in changed.items())]
            )
        return table(["cycles", f"area, {self.unit}", "schedules", "changed"], rows, caption=repr(self)[1:-1], numbers=[0, 1, 2])


def tune_hardware(
    model: ModelLike,
    config: ConfigLike = "ref16",
    grid: Optional[Mapping[str, object]] = None,
    *,
    area: str = _weft.DEFAULT_AREA,
    area_limit: float = 0,
    seconds: float = 0,
    schedules: int = 0,
    jobs: int = 0,
    seed: int = 1,
    log: Union[str, os.PathLike[str], None] = None,
    name: Optional[str] = None,
    frames: int = 1,
    one_by_one: bool = False,
    effort: int = 1,
    dims: Optional[Mapping[str, int]] = None,
    memory_limit: int = 0,
) -> TunedHardware:
    """Looks for the machine, of those of a grid whose area is not above a limit, on which the tuned model takes the fewest cycles, as
    ``weft tune --hardware`` does: docs/tune.md. Ctrl-C ends it.

    Args:
        config: where it begins.
        grid: values of parameters of the machine, as :func:`sweep` takes them; None: the array, the memories, the queues and what is in
            flight, but not the external memory.
        area: the target of which the area is ("ecp5"; docs/area.md), or a file.
        area_limit: in the target's unit; 0: that of `config`.
        seconds: how long it looks; or
        schedules: how many it tries, of all machines. With these, the same seed always comes to the same, unless it goes on with a log.
        jobs: threads, up to 16; 0: as many as there are cores.
        log: a file that gets a line for each machine and each faster schedule; one that is there is gone on with, and `schedules` are
            those that come then.
        name, frames, one_by_one, effort, dims, memory_limit: of :func:`compile`.

    Raises:
        Error: those of :func:`compile` for the first machine; SWEEP (the grid); ARGUMENT (no budget, or two; no machine is within the limit);
            TECHNOLOGY, IO; DECISIONS (the log).
    """
    most = _whole("schedules", schedules)
    if (seconds > 0) == (most > 0):
        raise Error("ARGUMENT", "tune_hardware: give seconds or schedules, one of them above 0")
    start = time.monotonic()
    search = _weft.Codesign(
        **source_arguments(model),
        **config_arguments(config),
        name=_stem(model) if name is None else clean(name),
        frames=_whole("frames", frames),
        one_by_one=bool(one_by_one),
        effort=_whole("effort", effort),
        dims=dims_list(dims),
        memory_limit=_whole("memory_limit", memory_limit),
        grid=[_axis(axis, values) for axis, values in (grid or {}).items()],
        area=clean(area),
        area_limit=float(area_limit),
        seed=_whole("seed", seed),
        jobs=_whole("jobs", jobs),
        log=None if log is None else file_name(log),
    )
    before = search.tried
    more = True
    while more:
        left = most - (search.tried - before) if most else _STEP if time.monotonic() - start < seconds else 0
        more = left > 0 and search.step(left)
    if search.best < 0:
        raise Error("ARGUMENT", f"no machine of the grid is within {search.area_limit:.0f} {search.unit}")
    machines = [
        Machine(Config.from_json(text), size, None if error else compiled, None if error else cycles, tried, error)
        for text, size, compiled, cycles, tried, error in search.machines()
    ]
    decided = search.decisions()
    found = compile(
        model,
        machines[search.best].config if search.best else config,
        name=name,
        frames=frames,
        one_by_one=one_by_one,
        dims=dims,
        decisions=decided,
        memory_limit=memory_limit,
    )
    return TunedHardware(found, machines, search.best, search.area_limit, search.unit, decided)


def _axis(name: str, values: object) -> str:
    plain = _plain(values)
    return f"{clean(name)}={','.join(map(str, plain)) if isinstance(plain, list) else clean(str(plain))}"
