"""Weft from Python: compile quantised networks for the accelerator, run them on its simulators, see where every cycle went.

::

    import weft

    module = weft.compile("model.tflite", config="ref16")
    result = module.run(array)             # target "cycle": exact data and exact time
    print(result.output, result.cycles)
    module.report()                        # in a notebook: layers, bars, roofline

docs/python.md is the guide.
"""

from typing import Dict, List

from . import _weft
from ._config import Config
from ._error import Error
from ._model import Module, Proof, compile, load, run
from ._quantize import Quantized, quantize
from ._report import Report
from ._session import Result, Session
from ._sweep import Sweep, load_sweep, sweep
from ._tensor import Tensor
from ._trace import Trace
from ._tune import Step, Tuned, tune
from ._tune_hardware import Machine, TunedHardware, tune_hardware

__version__: str = _weft.VERSION
REVISION: str = _weft.REVISION
"""What git said of the source; "" where it was built without git."""
ERRORS: Dict[str, str] = dict(_weft.ERRORS)
"""Codes of :class:`Error`, and what they mean."""
COUNTERS: List[str] = list(_weft.COUNTERS)
TARGETS: List[str] = list(_weft.TARGETS)
KERNELS: List[str] = list(_weft.KERNELS)
UNITS: List[str] = list(_weft.UNITS)
OPCODES: List[str] = list(_weft.OPCODES)
CALIBRATIONS: List[str] = list(_weft.CALIBRATIONS)
WEIGHTS: List[str] = list(_weft.WEIGHTS)
DRAMS: List[str] = list(_weft.DRAMS)
OBJECTIVES: List[str] = list(_weft.OBJECTIVES)
STRATEGIES: List[str] = list(_weft.STRATEGIES)
SWEEP_AXES: List[str] = list(_weft.SWEEP_AXES)

__all__ = [
    "CALIBRATIONS", "COUNTERS", "DRAMS", "ERRORS", "KERNELS", "OBJECTIVES", "OPCODES", "REVISION", "STRATEGIES", "SWEEP_AXES", "TARGETS",
    "UNITS", "WEIGHTS",
    "Config", "Error", "Machine", "Module", "Proof", "Quantized", "Report", "Result", "Session", "Step", "Sweep", "Tensor", "Trace",
    "Tuned", "TunedHardware", "compile", "load", "load_sweep", "quantize", "run", "sweep", "tune", "tune_hardware",
]  # fmt: skip
