"""docs/python.md, the examples, their types, and the notebook: all of it runs. Some need the tools of build/python-tools, whose folder of
packages the variable WEFT_TOOLS names."""

from __future__ import annotations

import base64
import json
import os
import pathlib
import re
import subprocess
import sys
from typing import Any, Dict, List

import pytest
from conftest import SOURCE

TOOLS = os.environ.get("WEFT_TOOLS")
needs_tools = pytest.mark.skipif(TOOLS is None, reason="no WEFT_TOOLS: scripts/setup python")


def run_python(arguments: List[str], **named: Any) -> str:
    done = subprocess.run([sys.executable, *arguments], cwd=SOURCE, capture_output=True, text=True, timeout=300, **named)
    assert done.returncode == 0, done.stdout + done.stderr
    return str(done.stdout)


def test_guide(tmp_path: pathlib.Path) -> None:
    """Every snippet, in order."""
    text = (SOURCE / "docs/python.md").read_text()
    snippets = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
    assert len(snippets) >= 7 and text.count("```python\n") == len(snippets)
    program = "\n".join(snippets).replace('"/tmp/', f'"{tmp_path}/')
    printed = run_python(["-W", "error", "-c", program])
    assert "\n7489\n" in printed and "TENSOR 0" in printed
    assert {p.name for p in tmp_path.iterdir()} == {"weft-report.html", "weft-sweep.sqlite", "weft-trace.json", "digits.weft", "digits-tuned.weft"}


def test_script() -> None:
    printed = run_python(["-W", "error", "examples/python/digits.py"])
    assert printed.startswith("a 7, ") and "7,489 cycles of ref16" in printed


def tools_environment() -> Dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(TOOLS)}


@needs_tools
def test_types(tmp_path: pathlib.Path) -> None:
    """The installed package, the tests and the example, strictly; and that what is wrong is found."""
    arguments = ["-m", "mypy", "--strict", "--cache-dir", str(tmp_path)]
    run_python([*arguments, "-p", "weft"], env=tools_environment())
    files = sorted([*(SOURCE / "python/tests").glob("*.py"), *(SOURCE / "examples/python").glob("*.py")])
    run_python([*arguments, *map(str, files)], env=tools_environment())
    wrong = tmp_path / "wrong.py"
    wrong.write_text('import weft\n\nweft.compile("x", frames="two")\nweft.Config.none()\nweft.run("x").cycles + "1"\n')
    done = subprocess.run(
        [sys.executable, *arguments, str(wrong)], cwd=SOURCE, capture_output=True, text=True, timeout=300, env=tools_environment()
    )
    assert re.findall(r"wrong.py:(\d+): error", done.stdout) == ["3", "4", "5"], done.stdout


@needs_tools
def test_notebook(tmp_path: pathlib.Path) -> None:
    """Runs in a kernel of its own. WEFT_PICTURES: a folder that its pictures and pages are kept in, to be looked at."""
    folder = pathlib.Path(os.environ.get("WEFT_PICTURES", tmp_path))
    program = """
import sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], 4)
assert not any(cell.get("outputs") for cell in notebook.cells), "kept without outputs"
NotebookClient(notebook, timeout=250, kernel_name="python3", resources={"metadata": {"path": sys.argv[3]}}).execute()
nbformat.write(notebook, sys.argv[2])
"""
    source = SOURCE / "examples/notebook/first_look.ipynb"
    environment = {**tools_environment(), "JUPYTER_PLATFORM_DIRS": "1", "MPLCONFIGDIR": str(tmp_path), "IPYTHONDIR": str(tmp_path)}
    # The kernel of this interpreter, wherever others are installed.
    kernel = tmp_path / "kernels" / "python3"
    kernel.mkdir(parents=True)
    start = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (kernel / "kernel.json").write_text(json.dumps({"argv": start, "display_name": "Python 3", "language": "python"}))
    environment["JUPYTER_PATH"] = str(tmp_path)
    run_python(["-c", program, str(source), str(tmp_path / "done.ipynb"), str(source.parent)], env=environment)
    cells = json.loads((tmp_path / "done.ipynb").read_text())["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    pictures = [output["data"]["image/png"] for output in outputs if "image/png" in output.get("data", {})]
    pages = ["".join(output["data"]["text/html"]) for output in outputs if "text/html" in output.get("data", {})]
    assert len(pictures) == 2 and len(pages) == 4
    for i, picture in enumerate(pictures):
        png = base64.b64decode(picture)
        assert png.startswith(b"\x89PNG") and len(png) > 5000
        (folder / f"picture{i}.png").write_bytes(png)
    for i, page in enumerate(pages):
        (folder / f"page{i}.html").write_text(f'<meta charset="utf-8"><body style="font-family:sans-serif">{page}')
    assert "roofline" in pages[1] and "timeline" in pages[2]
