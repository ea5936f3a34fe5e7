"""Sweeps: models on many machines, as rows of a file."""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _weft
from ._config import Config
from ._error import Error
from ._html import table
from ._model import _whole, clean, file_name

PathLike = Union[str, "os.PathLike[str]"]
MachineLike = Union[str, "os.PathLike[str]", Config]
Row = Dict[str, Any]

_SHOWN = 200  # rows in a notebook
_OF_PROGRAM = {"cycles", "energy", "macs", "host_macs", "elements", "host_elements", "read_bytes", "written_bytes"}

_OF_HOST = ("host_macs", "host_elements")  # in no cycles: who leaves more to it does not win by that


def _figure(row: Row, name: str) -> Any:
    """By which rows are compared: figures of a whole program as those of one of its inferences, as ``weft sweep show`` does."""
    value = row[name]
    inferences = max(row["frames"], row["batch"], 1)
    return value / inferences if value is not None and name in _OF_PROGRAM else value


class Sweep(Sequence[Row]):
    """The rows of a sweep's file, a dict each: parameters and options of the point, and what it came to. Figures that are not known, and all
    of a point that was refused (``row["error"]`` says why), are None; so is ``row["front"]`` of all rows where their energies or areas
    are of several technologies or targets. docs/sweep.md has the columns."""

    def __init__(self, path: str, rows: List[Row], conflicts: Mapping[str, Tuple[str, int]], ran: int = 0) -> None:
        self.path = path
        self.ran = ran
        """Points that this call ran; others the file had."""
        self._rows = rows
        self._conflicts = conflicts  # figures that the rows cannot be compared by

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        return self._rows[index]

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    @property
    def good(self) -> List[Row]:
        """Those that were not refused."""
        return [row for row in self._rows if not row["error_code"]]

    @property
    def varied(self) -> List[str]:
        """Axes that differ from row to row."""
        names = ["model", "config", *_weft.SWEEP_AXES]
        return [name for name in names if len({row[name] for row in self._rows}) > 1]

    def column(self, name: str) -> np.ndarray:
        """A column of the rows that were not refused; of figures NaN where they are not known.

        Raises:
            Error: ARGUMENT (there is no such column).
        """
        _check_columns(name)
        return np.array([np.nan if row[name] is None else row[name] for row in self.good])

    def best(self, by: str = "cycles") -> Row:
        """The row, of those that were not refused, whose figure is the smallest; figures of programs of several inferences as those of one.

        Raises:
            Error: ARGUMENT (there is no such column), SWEEP (no row has it; the rows cannot be compared by it: they have energies of several
                technologies, or with leakage and without, or areas of several targets, which ``weft sweep show`` works out for one).
        """
        self._check_comparable(by)
        known = [row for row in self.good if row[by] is not None]
        if not known:
            raise Error("SWEEP", f"no row has {by}")
        return min(known, key=lambda row: _figure(row, by))

    def pareto(self, *by: str) -> List[Row]:
        """The rows that no other one of the same model and version of Weft beats. Without names they are those that ``weft sweep show`` has a
        star at (``row["front"]``): by cycles, energy and area. With names, no other row is as small in all of these figures, and in what it
        leaves to the host, and smaller in one. Figures of programs of several inferences count as those of one.

        Raises:
            Error: as of :meth:`best`.
        """
        self._check_comparable(*(by or self._conflicts))
        if not by:
            return [row for row in self._rows if row["front"]]
        known = [row for row in self.good if all(row[name] is not None for name in by)]
        figures = [tuple(_figure(row, name) for name in (*by, *_OF_HOST)) for row in known]
        fronts: Dict[Tuple[str, str], List[Tuple[Any, ...]]] = {}
        kept = set()
        # In this order no row beats one before it, so only the front so far has to be asked.
        for i in sorted(range(len(known)), key=lambda i: figures[i]):
            front = fronts.setdefault((known[i]["model_fingerprint"], known[i]["version"]), [])
            if not any(other != figures[i] and all(a <= b for a, b in zip(other, figures[i])) for other in front):
                front.append(figures[i])
                kept.add(i)
        return [row for i, row in enumerate(known) if i in kept]

    def _check_comparable(self, *by: str) -> None:
        _check_columns(*by)
        for name in by:
            if name in self._conflicts:
                raise Error("SWEEP", *self._conflicts[name])

    def __repr__(self) -> str:
        refused = len(self._rows) - len(self.good)
        return f"<weft.Sweep {self.path}: {len(self)} points, {refused} refused>"

    def _repr_html_(self) -> str:
        figures = [name for name in ("cycles", "energy", "area", "host_share") if any(row[name] is not None for row in self._rows)]
        names = [*self.varied, *figures, "error"]
        rows = [["" if row[name] is None else row[name] for name in names] for row in self._rows[:_SHOWN]]
        return table(names, rows, caption=repr(self)[1:-1], numbers=range(len(names) - 1))


def sweep(
    models: Union[PathLike, Sequence[PathLike]],
    grid: Optional[Mapping[str, object]] = None,
    *,
    path: PathLike,
    config: Union[MachineLike, Sequence[MachineLike]] = "ref16",
    points: Sequence[Mapping[str, object]] = (),
    random: int = 0,
    guided: int = 0,
    objective: str = "cycles",
    seed: int = 0,
    workers: int = 0,
    time_limit: float = 600,
    memory_limit: int = 0,
    retry: bool = False,
    technology: str = "",
    clock: float = 0,
    area: str = _weft.DEFAULT_AREA,
    progress: Optional[Callable[[int, int, int], object]] = None,
) -> Sweep:
    """Runs models on many machines, in processes beside this one, and writes a row for each point to the SQLite file at `path` as it comes.
    Points that the file has are not run again; one that was killed goes on. Ctrl-C ends it between two points.

    Args:
        models: paths of TFLite or ONNX files, each of which is run on every machine.
        grid: values of axes (``weft.SWEEP_AXES``; docs/sweep.md): a number, "64K", "16K..1M" (doubling), "8..32+4", or a list of such.
        path: of the file; it is made if it is not there.
        config: what the other parameters begin with: names, paths, or :class:`Config`.
        points: one by one, beside the grid: ``{"act_bytes": 65536, "effort": 2}``; a ``"model"`` or ``"config"`` in one is for it alone.
        random: so many combinations of the grid, drawn with `seed`.
        guided: so many, chosen by what is known, for an `objective` of ``weft.OBJECTIVES``.
        workers: processes; 0: as many as there are cores.
        time_limit: seconds that a point may take; 0: any.
        technology: of which the energy is, a name ("45nm") or a file; with a `clock` in MHz also that of leakage.
        area: the target of which the area is ("ecp5"; docs/area.md), or a file; "": no area.
        progress: called with the points that are done, all that are known, and those refused.

    Raises:
        Error: SWEEP, LIMIT, CONFIG, ARGUMENT, IO; TARGET (built without SQLite).
    """
    with tempfile.TemporaryDirectory() as folder:
        definition: Dict[str, Any] = {
            "models": [os.path.abspath(os.fspath(model)) for model in _listed(models)],
            "config": [_config_path(machine, folder, i) for i, machine in enumerate(_listed(config))],
            "random": _whole("random", random),
            "guided": _whole("guided", guided),
        }
        if random or guided or seed:
            definition["seed"] = _whole("seed", seed)
        if guided or objective != "cycles":
            definition["objective"] = clean(objective)
        if grid:
            definition["grid"] = {name: _plain(values) for name, values in grid.items()}
        if points:
            definition["points"] = [{name: _plain(value) for name, value in point.items()} for point in points]
        target = os.fspath(path)
        _, _, ran, _ = _weft.sweep(
            path=file_name(target),
            definition=json.dumps(definition),
            workers=_whole("workers", workers),
            time_limit=time_limit,
            memory_limit=_whole("memory_limit", memory_limit),
            retry=bool(retry),
            technology=clean(technology),
            clock=clock,
            area=clean(area),
            progress=progress,
        )
    return Sweep(target, *_weft.sweep_rows(file_name(target)), ran)


def load_sweep(path: PathLike) -> Sweep:
    """The rows of a file that :func:`sweep` or the command ``weft sweep`` wrote."""
    target = os.fspath(path)
    return Sweep(target, *_weft.sweep_rows(file_name(target)))


def _check_columns(*names: str) -> None:
    for name in names:
        if name not in _weft.SWEEP_COLUMNS:
            raise Error("ARGUMENT", f"a sweep has no column {name!r}")


def _listed(values: Any) -> Sequence[Any]:
    return [values] if isinstance(values, (str, os.PathLike, Config)) else list(values)


def _plain(values: Any) -> Any:
    """Numbers of NumPy as those of Python, for JSON."""
    if isinstance(values, str):
        return values
    if isinstance(values, (list, tuple, range, np.ndarray)):
        return [_plain(value) for value in values]
    return _whole("grid", values)


def _config_path(machine: MachineLike, folder: str, number: int) -> str:
    if isinstance(machine, Config):
        path = os.path.join(folder, f"{number}.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(machine.to_json())
        return path
    name = os.fspath(machine)
    return name if name in Config.names() else os.path.abspath(name)
