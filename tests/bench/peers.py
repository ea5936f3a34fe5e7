"""Weft, Vela and SCALE-Sim on one network: commands, flags, and what is read from what they print.

Nothing of this measures by itself; compare_peers.py and compile_time.py do.
"""
import csv
import json
import pathlib
import re
import subprocess
import tempfile

from timed import measure

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
REQUIREMENTS = HERE / "requirements.txt"
ENVIRONMENT = ROOT / "build/peers"
MOST_SECONDS = 900

# The machines that Vela estimates: each has 256 multipliers, as ref16 has.
VELA_FLAGS = {
    "U55-256": ["--accelerator-config", "ethos-u55-256", "--config", "Arm/vela.ini",
                "--system-config", "Ethos_U55_High_End_Embedded", "--memory-mode", "Sram_Only"],
    "U65-256": ["--accelerator-config", "ethos-u65-256", "--config", "Arm/vela.ini",
                "--system-config", "Ethos_U65_Mid_End", "--memory-mode", "Dedicated_Sram_512KB"],
}
COMPILE_TIME_MACHINE = "U55-256"  # whose compilation is timed

# SCALE-Sim's machine, as near to ref16 as its parameters go: array, memories, 8 elements a cycle.
# In this mode its reads take the bandwidths of the section layout, its writes Bandwidth.
SCALE_SIM = {
    "general": {"run_name": "peers"},
    "architecture_presets": {
        "ArrayHeight": 16, "ArrayWidth": 16, "IfmapSramSzkB": 256, "FilterSramSzkB": 128,
        "OfmapSramSzkB": 64, "IfmapOffset": 0, "FilterOffset": 10000000, "OfmapOffset": 20000000,
        "Bandwidth": 8, "Dataflow": "ws", "MemoryBanks": 1, "ReadRequestBuffer": 100,
        "WriteRequestBuffer": 100},
    "layout": {
        "IfmapCustomLayout": False, "IfmapSRAMBankBandwidth": 8, "IfmapSRAMBankNum": 1,
        "IfmapSRAMBankPort": 2, "FilterCustomLayout": False, "FilterSRAMBankBandwidth": 8,
        "FilterSRAMBankNum": 1, "FilterSRAMBankPort": 2},
    "sparsity": {
        "SparsitySupport": False, "SparseRep": "ellpack_block", "OptimizedMapping": False,
        "BlockSize": 8, "RandomNumberGeneratorSeed": 40},
    "run_presets": {"InterfaceBandwidth": "USER", "UseRamulatorTrace": False},
}


class PeerError(Exception):
    """What is wrong, in a line."""


class Refused(PeerError):
    """A program did not do what it was asked; the others may."""


def pinned():
    """The version of every package of the environment, as requirements.txt says."""
    lines = REQUIREMENTS.read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if "==" in line and not line.startswith("#"))


def stamp(folder):
    """What scripts/setup writes when the environment is whole."""
    return folder / "requirements.txt"


def check_environment(folder=ENVIRONMENT):
    """PeerError unless the environment has every pinned package in its pinned version."""
    python = folder / "bin/python"
    again = f"remove {folder} and call scripts/peers again"
    if not stamp(folder).exists():
        raise PeerError(f"there is no whole {folder}: scripts/setup peers makes it")
    code = ("import importlib.metadata as m, json, sys\n"
            "print(json.dumps({d.metadata['Name'].lower(): d.version for d in m.distributions()"
            " if d.metadata['Name']}))")
    try:
        found = json.loads(subprocess.run([python, "-c", code], check=True, timeout=60,
                                          capture_output=True, text=True).stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        raise PeerError(f"{python} does not run: {again}") from None
    for name, version in pinned().items():
        has = found.get(name.lower())
        if has != version:
            raise PeerError(f"{folder} has {name} {has or 'not at all'}, "
                            f"where {REQUIREMENTS.name} has {version}: {again}")
    if not (folder / "bin/vela").exists():
        raise PeerError(f"{folder} has no bin/vela: {again}")


def last_line(path):
    lines = [line.strip() for line in path.read_text(errors="replace").splitlines()]
    lines = [line for line in lines if line]
    return lines[-1][:200] if lines else "it printed nothing"


def run(command, folder, what):
    """((wall, processor) seconds, what was printed) of a command; Refused when it fails."""
    printed = pathlib.Path(folder) / "printed"
    with open(printed, "wb") as output:
        seconds = measure([str(part) for part in command], MOST_SECONDS, output)
    if seconds is None:
        raise Refused(f"{what} fails, or takes more than {MOST_SECONDS} s: {last_line(printed)}")
    return seconds, printed.read_text(errors="replace")


def whole_number(text, what):
    """A number that must be whole, and not 0."""
    try:
        value = float(text)
    except (TypeError, ValueError):
        value = 0
    if not (value >= 1 and value.is_integer()):
        raise Refused(f"{what} is {text!r}, not a whole number above 0")
    return int(value)


def vela_command(machine, folder, model, vela=ENVIRONMENT / "bin/vela"):
    return [vela, *VELA_FLAGS[machine], "--output-dir", folder, model]


def vela(machine, model, environment=ENVIRONMENT):
    """Vela's estimate for a machine, how many operators it leaves to the CPU, and its seconds."""
    with tempfile.TemporaryDirectory() as folder:
        command = vela_command(machine, f"{folder}/out", model, environment / "bin/vela")
        seconds, printed = run(command, folder, f"Vela for {machine}")
        counts = [re.search(rf"^{unit} operators = (\d+)", printed, re.MULTILINE)
                  for unit in ("CPU", "NPU")]
        summaries = list(pathlib.Path(folder).glob("out/*_summary_*.csv"))
        if None in counts or len(summaries) != 1:
            raise Refused(f"Vela for {machine} does not say how many operators run where, "
                          "or writes no summary")
        with open(summaries[0], encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        cycles = rows[0].get("cycles_total") if len(rows) == 1 else None
        return {"cycles": whole_number(cycles, f"cycles_total of Vela for {machine}"),
                "cpu_operators": int(counts[0][1]), "npu_operators": int(counts[1][1])}, seconds


def weft_compile(weft, model, output):
    with tempfile.TemporaryDirectory() as folder:
        return run([weft, "compile", model, "-o", output], folder, "weft compile")[0]


def weft_run(weft, model):
    """The JSON of a run that counts cycles alone, and its seconds."""
    with tempfile.TemporaryDirectory() as folder:
        seconds, _ = run([weft, "run", model, "--timing-only", "--json", f"{folder}/run.json"],
                         folder, "weft run")
        return json.loads(pathlib.Path(f"{folder}/run.json").read_text("utf-8")), seconds


def products(layers):
    """The products of matrices (M, N, K) that layers of weft run's JSON are. A depthwise
    convolution is one for each channel."""
    found = []
    for layer in (layer for layer in layers if layer["macs"] > 0):
        *rows, n = layer["shape"]
        m = 1
        for size in rows:
            m *= size
        k, rest = divmod(layer["macs"], m * n)
        if rest != 0:
            raise Refused(f"layer {layer['number']} is no product of matrices")
        found += [(m, 1, k)] * n if layer["op"] == "depthwise_conv2d" else [(m, n, k)]
    return found


def scale_sim(shapes, environment=ENVIRONMENT):
    """SCALE-Sim's cycles for products of matrices and its seconds, alone and of the process."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        config = "".join(f"[{section}]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items())
                         for section, keys in SCALE_SIM.items())
        (folder / "scale.cfg").write_text(config, "utf-8")
        (folder / "shapes.csv").write_text("Layer, M, N, K,\n" + "".join(
            f"L{i}, {m}, {n}, {k},\n" for i, (m, n, k) in enumerate(shapes)), "utf-8")
        # It reads the layout in memory of every layer, although none is asked for.
        (folder / "layout.csv").write_text("Layer,\n" + "".join(
            f"L{i}," + "1," * 20 + "\n" for i in range(len(shapes))), "utf-8")
        (folder / "out").mkdir()
        seconds, printed = run([environment / "bin/python", HERE / "scale_sim.py",
                                folder / "scale.cfg", folder / "shapes.csv", folder / "layout.csv",
                                folder / "out"], folder, "SCALE-Sim")
        try:
            figures = json.loads(printed.strip().splitlines()[-1])
            layers = figures.pop("layers")
            alone = float(figures.pop("seconds"))
            figures = {key: whole_number(figures[key], f"{key} of SCALE-Sim")
                       for key in ("cycles", "cycles_with_first_loads")}
        except (IndexError, KeyError, TypeError, ValueError, AttributeError):
            raise Refused("SCALE-Sim does not say how many cycles it took") from None
        if layers != len(shapes):
            raise Refused(f"SCALE-Sim simulated {layers} of {len(shapes)} products")
        return figures, alone, seconds
