"""Compiling, loading and running models."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _weft
from ._config import Config, ConfigLike, config_arguments
from ._error import Error
from ._html import table
from ._report import Report
from ._session import Result, Session, open_session
from ._tensor import Inputs, Tensor, tensors_of
from ._trace import Trace

ModelLike = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview]
Paths = Sequence[Union[str, "os.PathLike[str]"]]


@dataclass(frozen=True)
class Proof:
    """That the program of a segment never faults, races or deadlocks, whatever the memory's timing."""

    instructions: int
    tokens: int
    """Given and taken at semaphores."""
    peak_tokens: int
    """The most that any semaphore holds."""
    bank_pairs: int
    """Hand-overs of banks between units whose order was checked."""
    memory_pairs: int
    """LOAD and STORE that can run at once, whose addresses were compared."""
    bound: int
    """Cycles that it takes at most, with the memory of the configuration."""


class Module:
    """A compiled model: :func:`compile`, :func:`load` and :meth:`Quantized.compile` make it."""

    def __init__(self, native: _weft.Module) -> None:
        self._native = native

    @property
    def name(self) -> str:
        return self._native.name

    @cached_property
    def config(self) -> Config:
        """The machine that it is for."""
        return Config.from_json(self._native.config)

    @cached_property
    def inputs(self) -> Tuple[Tensor, ...]:
        return tensors_of(self._native.inputs)

    @cached_property
    def outputs(self) -> Tuple[Tensor, ...]:
        return tensors_of(self._native.outputs)

    @property
    def cycles(self) -> int:
        """Cycles of the machine for one run, with the memory of the configuration: what targets cycle and rtl count."""
        return self._native.cycles

    @property
    def bound(self) -> int:
        """Cycles that it takes at most."""
        return self._native.bound

    @property
    def frames(self) -> int:
        """Frames of a run: the first axes of inputs and outputs hold so many."""
        return self._native.frames

    @property
    def segments(self) -> int:
        """Programs of the machine; between them operators of the host."""
        return self._native.segments

    @property
    def instructions(self) -> int:
        """Of all segments."""
        return self._native.instructions

    def open(
        self,
        target: str = "cycle",
        *,
        memory_latency: int = 0,
        memory_interval: int = 0,
        dram: str = "",
        watchdog: int = 0,
        timing_only: bool = False,
        fusion: bool = True,
        kernels: str = "",
        key_file: Union[str, os.PathLike[str]] = "",
    ) -> Session:
        """A session on a target, for any number of runs.

        Args:
            target: "func" (data alone), "cycle" (data and exact time), "rtl" (the hardware, simulated: where ``WEFT_RTL_PATH`` has its
                libraries), "lockstep" (cycle and rtl, compared), "linux" (a machine behind /dev/weftN), "remote://HOST:PORT"
                (``weft serve``), "host" (of modules compiled with ``host_only=True``).
            memory_latency: cycles instead of what the configuration says, 1 to 100,000; 0: as it says.
            memory_interval: cycles from beat to beat of external memory, 1 to 100,000; 0: 1.
            dram: behind the port instead, with the machine's clock in MHz: "ddr3-1600@400" or "lpddr4-3200@400".
            watchdog: cycles after which a program is given up; 0: what it takes at most.
            timing_only: runs take no inputs, give no outputs, and carry out no operator of the host.
            fusion: False: each operator of the host by itself.
            kernels: of the simulators, one of ``weft.KERNELS``; "": the fastest.
            key_file: of the server.

        Raises:
            Error: TARGET (there is no such target, it is not built, or it cannot do that), ARGUMENT, LIMIT, and those of servers.
        """
        options = {
            "latency": _whole("memory_latency", memory_latency),
            "interval": _whole("memory_interval", memory_interval),
            "dram": clean(dram),
            "watchdog": _whole("watchdog", watchdog),
            "timing_only": bool(timing_only),
            "no_fusion": not fusion,
            "kernels": kernels,
            "key_file": os.fspath(key_file),
        }
        return open_session(self, target, options)

    def run(self, inputs: Optional[Inputs] = None, target: str = "cycle", **options: Any) -> Result:
        """Runs the model once in a session of its own: as :meth:`open` and :meth:`Session.run`."""
        with self.open(target, **options) as session:
            return session.run(inputs)

    def verify(self) -> List[Proof]:
        """Proves each segment again; a program that was compiled or loaded has been proved before."""
        return [Proof(*each) for each in self._native.verify()]

    def report(self, *, memory_latency: int = 0, memory_interval: int = 0, dram: str = "", clock: float = 0) -> Report:
        """Where every cycle goes, with the memory of the configuration or another; `clock` in MHz adds times, as
        that of `dram` does."""
        latency = _whole("memory_latency", memory_latency)
        interval = _whole("memory_interval", memory_interval)
        return Report(json.loads(self._native.statistics(latency, interval, clean(dram), clock)), self)

    def trace(self, *, memory_latency: int = 0, memory_interval: int = 0, dram: str = "") -> Trace:
        """Every instruction with its cycles."""
        latency = _whole("memory_latency", memory_latency)
        interval = _whole("memory_interval", memory_interval)
        return Trace(self._native.trace(latency, interval, clean(dram)), self)

    def decisions(self) -> Dict[str, Any]:
        """What the schedule decided, and what else was tried: docs/schedule.md. ``compile(..., decisions=...)`` takes it, changed or not."""
        decided: Dict[str, Any] = json.loads(self._native.decisions())
        return decided

    def to_bytes(self) -> bytes:
        """The .weft file."""
        return self._native.write()

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the .weft file, which :func:`load` and the command ``weft`` read: whole, or not at all. A device or a pipe is written to.

        Raises:
            Error: IO, TARGET (programs of a target of a plugin have no written form).
        """
        _write_whole(path, self.to_bytes())

    def __repr__(self) -> str:
        return f"<weft.Module {self.name} for {self.config.name}: {_segments(self.segments)}, {self.cycles:,} cycles>"

    def _repr_html_(self) -> str:
        rows = [
            [kind, i, tensor.name, tensor.dtype, "x".join(map(str, tensor.shape)), _short(tensor.scale), _short(tensor.zero_point)]
            for kind, tensors in (("input", self.inputs), ("output", self.outputs))
            for i, tensor in enumerate(tensors)
        ]
        caption = (
            f"{self.name} for {self.config.name}: {_segments(self.segments)}, {self.instructions:,} instructions, {self.cycles:,} cycles"
        )
        return table(["", "#", "name", "type", "shape", "scale", "zero point"], rows, caption=caption)


def compile(  # noqa: A001 - what it does
    model: ModelLike,
    config: ConfigLike = "ref16",
    *,
    name: Optional[str] = None,
    frames: int = 1,
    one_by_one: bool = False,
    effort: int = 1,
    dims: Optional[Mapping[str, int]] = None,
    keep_tensors: bool = False,
    host_only: bool = False,
    decisions: Union[Mapping[str, Any], str, None] = None,
    plugins: Paths = (),
    memory_limit: int = 0,
) -> Module:
    """Compiles a model.

    Args:
        model: TFLite, ONNX or a graph as text (docs/ir.md): the path of a file, or its bytes.
        config: for which machine: a :class:`Config`, a name of ``Config.names()``, or the path of a JSON file.
        name: for reports; None: the file's.
        frames: of a run, 1 to 4096: first axes of inputs and outputs are so many times as long.
        one_by_one: frames, of which there are 2 or more, one after the other; else in the fastest order that is found.
        effort: 1 to 64: how long schedules are searched for; not with `decisions` or `host_only`, which search for none.
        dims: sizes of dimensions that an ONNX model leaves open; others are 1.
        keep_tensors: every tensor of the model becomes an output, and nothing is fused.
        host_only: every operator is left to the host.
        decisions: of :meth:`Module.decisions`, changed or not, instead of a search.
        plugins: shared libraries with passes and targets (docs/extend.md). They are code, and trusted as such.
        memory_limit: bytes that module and sessions may take; 0: 1 GiB.

    Raises:
        Error: IO, MODEL, OPERATOR, GRAPH, CAPACITY, CONFIG, ARGUMENT, DECISIONS, PLUGIN, LIMIT, ...
    """
    text = decisions if isinstance(decisions, str) or decisions is None else json.dumps(dict(decisions))
    return Module(
        _weft.compile(
            **source_arguments(model),
            **config_arguments(config),
            name=_stem(model) if name is None else clean(name),
            frames=_whole("frames", frames),
            one_by_one=bool(one_by_one),
            effort=_whole("effort", effort),
            dims=dims_list(dims),
            keep_tensors=bool(keep_tensors),
            host_only=bool(host_only),
            decisions=text,
            plugins=_paths("plugins", plugins),
            memory_limit=_whole("memory_limit", memory_limit),
        )
    )


def load(
    file: ModelLike,
    *,
    plugins: Paths = (),
    cycle_limit: int = 0,
    host_limit: int = 0,
    memory_limit: int = 0,
) -> Module:
    """Reads a .weft file, from a path or its bytes. Nothing in it is trusted: all of it is checked, and every program proved.

    Args:
        plugins: that have the targets of its regions.
        cycle_limit: cycles that its programs may take at most; 0: 200,000,000.
        host_limit: steps that its operators on the host may take; 0: 2^29.
        memory_limit: bytes that module and sessions may take; 0: 1 GiB.

    Raises:
        Error: IO, CONTAINER, CONFIG, FINGERPRINT, GRAPH, ENCODING, VERIFY_..., LIMIT, PLUGIN.
    """
    return Module(
        _weft.load(
            **source_arguments(file),
            plugins=_paths("plugins", plugins),
            cycle_limit=_whole("cycle_limit", cycle_limit),
            host_limit=_whole("host_limit", host_limit),
            memory_limit=_whole("memory_limit", memory_limit),
        )
    )


def run(
    model: Union[Module, ModelLike],
    inputs: Optional[Inputs] = None,
    target: str = "cycle",
    config: ConfigLike = "ref16",
    **options: Any,
) -> Result:
    """Compiles a model and runs it once: a short form of ``compile(model, config).run(inputs, target, **options)``. A :class:`Module` is
    run as it is. Target "host" leaves every operator to the host."""
    if not isinstance(model, Module):
        model = compile(model, config, host_only=target == "host")
    return model.run(inputs, target, **options)


# ---- what the binding takes ----


def _paths(name: str, paths: Paths) -> List[str]:
    """A path by itself would be taken letter by letter."""
    if isinstance(paths, (str, bytes, os.PathLike)):
        raise TypeError(f"{name}: expected a list of paths, not {type(paths).__name__}")
    return [os.fspath(path) for path in paths]


def clean(text: str) -> str:
    if "\0" in text:
        raise ValueError("embedded null character")
    return text


def file_name(path: Union[str, os.PathLike[str]]) -> bytes:
    name = os.fsencode(path)
    if b"\0" in name:
        raise ValueError("embedded null byte")
    return name


def source_arguments(model: ModelLike) -> Dict[str, Any]:
    """A path as bytes, or the bytes of a file."""
    if isinstance(model, (bytes, bytearray, memoryview)):
        return {"path": None, "data": bytes(model)}
    if isinstance(model, (str, os.PathLike)):
        return {"path": file_name(model), "data": None}
    raise TypeError(f"expected a path or the bytes of a file, not {type(model).__name__}")


def dims_list(dims: Optional[Mapping[str, int]]) -> List[Tuple[str, int]]:
    return [(str(name), _whole("dims", size)) for name, size in (dims or {}).items()]


def _stem(model: ModelLike) -> str:
    if isinstance(model, (str, os.PathLike)):
        return os.path.splitext(os.path.basename(os.fsdecode(os.fspath(model))))[0].encode(errors="replace").decode()
    return "model"


def _whole(name: str, value: Any) -> int:
    try:
        number: int = value.__index__()
    except (AttributeError, TypeError):
        raise TypeError(f"{name}: expected a whole number, not {type(value).__name__}") from None
    if not 0 <= number < 2**63:
        raise Error("ARGUMENT", f"{name}: {number} is not possible")
    return number


def _write_whole(path: Union[str, os.PathLike[str]], content: bytes) -> None:
    """What was there before, or all of it; with the rights that a file has, and into a device or a pipe."""
    _weft.write_file(file_name(path), content)


def _segments(number: int) -> str:
    return "1 segment" if number == 1 else f"{number} segments"


def _short(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.6g}" if isinstance(value, (int, float)) else f"{len(value)} values"
