"""Sessions, and what runs give."""

from __future__ import annotations

import json
import struct
from types import TracebackType
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Tuple, Type, Union

import numpy as np
import numpy.typing as npt

from . import _weft
from ._error import Error
from ._report import Report
from ._tensor import Array, Inputs, Tensor, arrange, prepare

if TYPE_CHECKING:
    from ._model import Module

_COUNTERS = struct.Struct(f"={len(_weft.COUNTERS)}Q")
_CYCLES = list(_weft.COUNTERS).index("cycles")


class Result:
    """What a run gave. Outputs belong to the result: later runs do not change them."""

    __slots__ = ("outputs", "target", "seconds", "_tensors", "_counters")

    outputs: Tuple[Array, ...]
    """The model's outputs in its order, in their own types; empty after a run for timing only."""
    target: str
    seconds: float
    """That the calls of the C library took, which copy the inputs and run the model."""

    def __init__(
        self, outputs: Tuple[Array, ...], target: str, seconds: float, tensors: Tuple[Tensor, ...], counters: bytes
    ) -> None:
        self.outputs = outputs
        self.target = target
        self.seconds = seconds
        self._tensors = tensors
        self._counters = counters

    @property
    def output(self) -> Array:
        """The output of a model that has one."""
        if len(self.outputs) != 1:
            raise Error("ARGUMENT", f"there are {len(self.outputs)} outputs: take one by its index or name")
        return self.outputs[0]

    @property
    def cycles(self) -> int:
        """Cycles of the machine, of all segments together, without the host; 0 on targets that know no time."""
        return _COUNTERS.unpack(self._counters)[_CYCLES]  # type: ignore[no-any-return]

    @property
    def counters(self) -> Dict[str, int]:
        """The machine's counters by name, summed over all segments; docs/registers.md says what they count. Of target func,
        `instructions` alone."""
        return dict(zip(_weft.COUNTERS, _COUNTERS.unpack(self._counters)))

    def dequantized(self, key: Union[int, str] = 0) -> npt.NDArray[np.float32]:
        """An output as real numbers."""
        index = self._index(key)
        return self._tensors[index].dequantize(self.outputs[index])

    def _index(self, key: Union[int, str]) -> int:
        if isinstance(key, str):
            names = [tensor.name for tensor in self._tensors]
            if names.count(key) != 1:
                raise KeyError(f"there is no output {key!r}, but {', '.join(map(repr, names))}")
            key = names.index(key)
        return range(len(self.outputs))[key]

    def __getitem__(self, key: Union[int, str]) -> Array:
        return self.outputs[self._index(key)]

    def __len__(self) -> int:
        return len(self.outputs)

    def __iter__(self) -> Iterator[Array]:
        return iter(self.outputs)

    def __repr__(self) -> str:
        shapes = ", ".join(f"{array.dtype}{list(array.shape)}" for array in self.outputs)
        time = f"{self.cycles:,} cycles" if self.cycles else f"{self.seconds * 1e3:.3g} ms on this computer"
        return f"<weft.Result of {self.target}: {shapes or 'no data'}; {time}>"


class Session:
    """A machine with a module's programs, on a target; :meth:`Module.open` makes it.

    A session can be run any number of times. Operators with a state (LSTM, SVDF) go on from run to run until :meth:`reset`.
    Threads may share one: its runs take turns, and other threads run meanwhile, since no run holds the interpreter's lock.
    """

    def __init__(self, module: Module, native: _weft.Session, target: str, timing_only: bool) -> None:
        self._module = module
        self._native = native
        self._target = target
        self._timing_only = timing_only
        self._inputs = module.inputs
        self._outputs = module.outputs
        self._made = [] if timing_only else [(tensor.shape, tensor.dtype) for tensor in self._outputs]
        # Of the input of a model that has one.
        single = len(self._inputs) == 1 and not timing_only
        self._form: Tuple[Any, Any] = (self._inputs[0].dtype, self._inputs[0].shape) if single else (None, None)

    @property
    def module(self) -> Module:
        return self._module

    @property
    def target(self) -> str:
        return self._target

    def run(self, inputs: Optional[Inputs] = None) -> Result:
        """Runs the model once.

        Args:
            inputs: an array for a model of one input; a list in the model's order; or a dict by name. Each has exactly the shape
                and type of its :class:`Tensor`, in any order of axes and bytes in memory; what lies in C order in this computer's order of bytes is
                read where it is. None: as in the run before, or for timing only.

        Raises:
            Error: TENSOR (wrong shape or type; position = input), ARGUMENT (wrong number or name), STATE (closed, or an input was
                never given), FAULT, DIVERGENCE, and those of the target.
        """
        # A run may have driven all of Python out of the caches: as few steps as possible for what fits as it is.
        form = self._form
        if type(inputs) is np.ndarray and inputs.dtype is form[0] and inputs.shape == form[1] and inputs.flags.c_contiguous:
            given = [inputs]
        else:
            given = self._prepare(inputs)
        made = [np.empty(shape, dtype) for shape, dtype in self._made]
        seconds, counters = self._native.run(given, made)
        return Result(tuple(made), self._target, seconds, self._outputs, counters)

    def _prepare(self, inputs: Optional[Inputs]) -> List[Array]:
        if inputs is None:
            return []
        if self._timing_only:
            raise Error("ARGUMENT", "a session for timing only reads no inputs")
        return [prepare(value, self._inputs[i], i) for i, value in enumerate(arrange(inputs, self._inputs))]

    def reset(self) -> None:
        """Makes the states of operators what they were when the session was opened."""
        self._native.reset()

    def report(self, *, clock: float = 0) -> Report:
        """What each layer cost in the last run, on a target that counts the cycles of docs/timing.md; `clock` in MHz adds times."""
        return Report(json.loads(self._native.statistics(clock)), self._module)

    @property
    def memory(self) -> int:
        """Bytes that module and session take."""
        return self._native.memory

    @property
    def closed(self) -> bool:
        return self._native.closed

    def close(self) -> None:
        """Gives the machine up; further runs are errors. Waits for a run of another thread."""
        self._native.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], value: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<weft.Session of {self._module.name} on {self._target}>"


def open_session(module: Module, target: str, options: Dict[str, Any]) -> Session:
    if not isinstance(target, str):
        raise TypeError(f"target: expected a name, not {type(target).__name__}")
    if "\0" in target:
        raise ValueError("embedded null character")
    timing_only = bool(options["timing_only"])
    server = ""
    native_target = target
    if target.startswith("remote://"):
        native_target, server = "remote", target[len("remote://") :]
    elif target == "host":
        if module.segments > 0:
            raise Error("TARGET", "target host is for modules that were compiled with host_only=True")
        native_target = "func"
    if native_target != "remote" and options["key_file"]:
        raise Error("ARGUMENT", "option key_file is for a target remote://HOST:PORT")
    native = _weft.open(module._native, target=native_target, server=server, **options)
    return Session(module, native, target, timing_only)
