"""Tuning: schedules that are faster than the one that the compiler chose."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any, Dict, List

from . import _weft
from ._config import ConfigLike
from ._error import Error
from ._html import table
from ._model import ModelLike, Module, _whole, clean, compile

_STEP = 1 << 20  # schedules, of a budget in seconds: tuning tries fewer at a time


@dataclass(frozen=True)
class Step:
    """A schedule that was faster than all before it."""

    tried: int
    """Schedules until then."""
    segment: int
    cycles: int
    """Of that segment."""
    what: str
    """Was changed last."""


class Tuned:
    """What :func:`tune` found."""

    def __init__(self, module: Module, begun: int, tried: int, steps: List[Step], decisions: str) -> None:
        self.module = module
        """Compiled with the best schedule."""
        self.cycles_before = begun
        self.tried = tried
        self.steps = steps
        self._decisions = decisions

    @property
    def cycles(self) -> int:
        return self.module.cycles

    @property
    def decisions(self) -> Dict[str, Any]:
        """For ``compile(..., decisions=...)``."""
        decided: Dict[str, Any] = json.loads(self._decisions)
        return decided

    @property
    def change(self) -> float:
        """Of the cycles: -0.02 is 2 % fewer."""
        return self.cycles / self.cycles_before - 1 if self.cycles_before else 0.0

    def __repr__(self) -> str:
        return (
            f"<weft.Tuned {self.module.name} for {self.module.config.name}: {self.cycles_before:,} cycles, tuned "
            f"{self.cycles:,} ({100 * self.change:+.2f} %), {self.tried:,} schedules>"
        )

    def _repr_html_(self) -> str:
        rows = [[f"{step.tried:,}", step.segment, f"{step.cycles:,}", step.what] for step in self.steps]
        return table(["tried", "segment", "cycles", "changed last"], rows, caption=repr(self)[1:-1], numbers=[0, 1, 2])


def tune(
    model: ModelLike,
    config: ConfigLike = "ref16",
    *,
    seconds: float = 0,
    schedules: int = 0,
    jobs: int = 0,
    seed: int = 1,
    strategy: str = "climb",
    **options: Any,
) -> Tuned:
    """Compiles a model, and looks for a faster schedule: docs/tune.md. Ctrl-C ends it, as it ends other loops of Python.

    Args:
        seconds: how long it looks; or
        schedules: how many it tries. With these, the same seed always comes to the same, as ``weft tune --budget N`` does.
        jobs: threads, up to 16; 0: as many as there are cores.
        strategy: one of ``weft.STRATEGIES``.
        options: of :func:`compile`.

    Raises:
        Error: those of :func:`compile`; ARGUMENT (no budget, or two; the machine carries out nothing of the model).
    """
    most = _whole("schedules", schedules)
    if (seconds > 0) == (most > 0):
        raise Error("ARGUMENT", "tune: give seconds or schedules, one of them above 0")
    begun = compile(model, config, **options)
    cycles = begun.cycles
    tuning = _weft.Tuning(begun._native, clean(strategy), _whole("seed", seed), _whole("jobs", jobs))
    start = time.monotonic()
    steps: List[Step] = []
    while True:
        left = most - tuning.tried if most else _STEP if time.monotonic() - start < seconds else 0
        if left <= 0:
            break
        steps += [Step(*step) for step in tuning.step(left)]
    decided = tuning.decisions()
    found = compile(model, config, **{**options, "decisions": decided, "effort": 1})
    return Tuned(found, cycles, tuning.tried, steps, decided)
