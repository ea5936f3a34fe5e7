#!/usr/bin/env python3
"""Checks which file uses which: no folder uses a later one, and no files use each other in a circle.

usage: check_graph.py SOURCE_DIR BUILD_DIR [--print]

A file is X.c (or X.cpp) and X.h together. It uses another file when it includes its header, or when its object refers to a
symbol that the object of the other defines: this finds functions that call each other through a header they share. BUILD_DIR
is a build of everything. --print shows the graph. Ends with 1 when something is wrong, and says which use or which circle.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

# Which folders the files of a folder may use beside their own; a folder stands for those inside it too, but for its own.
# docs/architecture.md has the same order.
MACHINE = ["isa", "base"]
BELOW_THE_GRAPH = ["sim/timing", *MACHINE]
FOLDERS = {
    "base": [],
    "kernels": ["base"],
    "isa": ["base"],
    "isa/verify": MACHINE,
    "sim/timing": MACHINE,
    "sim/exec": MACHINE,
    "sim/trace": ["sim/timing", *MACHINE],
    "sim": ["sim/timing", "sim/exec", *MACHINE],
    "compiler/ir": ["base"],
    "compiler/host": ["compiler/ir", "kernels", "base"],
    "compiler/import": ["compiler/host", "compiler/ir", "base"],
    "compiler/pattern": ["compiler/ir", "base"],
    "compiler/passes": ["compiler/pattern", "compiler/host", "compiler/ir", "base"],
    "compiler/quantize": ["compiler/passes", "compiler/import", "compiler/host", "compiler/ir", "kernels", "base"],
    "compiler/partition": ["compiler/pattern", "compiler/ir", *BELOW_THE_GRAPH],
    "compiler/lower": ["compiler/pattern", "compiler/host", "compiler/ir", *BELOW_THE_GRAPH],
    "compiler/plan": ["compiler/lower", "compiler/ir", *BELOW_THE_GRAPH],
    "compiler/emit": ["compiler/plan", "compiler/lower", "compiler/ir", *BELOW_THE_GRAPH],
    "compiler/layers": [
        "compiler/emit", "compiler/plan", "compiler/lower", "compiler/pattern", "compiler/host", "compiler/ir", *BELOW_THE_GRAPH,
    ],
    "compiler/schedule": [
        "compiler/layers", "compiler/emit", "compiler/plan", "compiler/lower", "compiler/partition", "compiler/pattern",
        "compiler/ir", *BELOW_THE_GRAPH,
    ],
    "compiler": [
        "compiler/schedule", "compiler/partition", "compiler/passes", "compiler/pattern", "compiler/import", "compiler/host",
        "compiler/ir", *BELOW_THE_GRAPH,
    ],
    "linux": ["isa"],
    "compiler/tune": [
        "compiler", "compiler/schedule", "compiler/layers", "compiler/emit", "compiler/plan", "compiler/lower", "compiler/ir", *BELOW_THE_GRAPH,
    ],
    "driver": ["linux", "compiler", "sim", "firmware", *MACHINE],
    "firmware": ["kernels", *MACHINE],
    "compiler/export": ["compiler", "firmware", "kernels", *MACHINE],
    "report": ["driver", "compiler", "sim", *MACHINE],
    "api": ["report", "driver", "compiler", "sim", *MACHINE],
    "vp/cpu": ["base"],
    "vp": ["vp/cpu", "driver", "compiler", "firmware", "sim", *MACHINE],
    "sweep": ["driver", "compiler/tune", "compiler", "sim", *MACHINE],
    "cli": ["sweep", "vp", "report", "driver", "compiler/tune", "compiler", "sim", "firmware", "kernels", *MACHINE],
    "python": ["cli", "sweep", "compiler/tune", "report", "driver", "compiler", "sim", *MACHINE],
}

# Tables of pointers that a folder declares and a later one fills, so that what is below need not know what is above.
TABLES = {"layer_operations": "compiler/layers/kinds"}


def folder_of(file):
    """The folder of the table that a file belongs to."""
    folder = os.path.dirname(file)
    while folder not in FOLDERS:
        if not folder:
            sys.exit(f"{file} lies in no folder that the table of this test names")
        folder = os.path.dirname(folder)
    return folder


def may_use(user, used):
    return used == user or any(used == folder or used.startswith(folder + "/") for folder in FOLDERS[user])


def file_of(path):
    return str(path.with_suffix(""))


def add_includes(source, uses):
    for top in sorted({folder.split("/")[0] for folder in FOLDERS}):
        for path in sorted((source / top).rglob("*")):
            if path.suffix not in (".c", ".h", ".cpp"):
                continue
            file = file_of(path.relative_to(source))
            uses.setdefault(file, {})
            for header in re.findall(r'^#include "([a-z_]+/.+\.h)"', path.read_text(), re.MULTILINE):
                if (source / header).exists() and file_of(pathlib.Path(header)) != file:
                    uses[file].setdefault(file_of(pathlib.Path(header)), f"includes {header}")


def symbols_of(path):
    """The symbols that an object defines for others, and those that it needs."""
    lines = subprocess.run(["nm", "-P", "-g", path], check=True, capture_output=True, text=True).stdout.splitlines()
    kinds = [line.split()[:2] for line in lines]
    return [name for name, kind in kinds if kind in "TDRBC"], [name for name, kind in kinds if kind == "U"]


def add_symbols(source, build, uses):
    defined_by = {}
    needed = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        file = file_of(path.relative_to(source)) if path.is_relative_to(source) else ""
        built = build / re.search(r" -o (\S+)", entry["command"])[1]
        if file in uses and built.exists():  # in targets that are built on request alone there are no others
            defines, needs = symbols_of(built)
            defined_by.update((name, file) for name in defines)
            needed.setdefault(file, []).extend(needs)
    for file, names in needed.items():
        for name in names:
            used = defined_by.get(name, file)
            if used != file and TABLES.get(name) != used:
                uses[file].setdefault(used, f"uses {name}")


def wrong_folders(uses):
    for file, used_files in uses.items():
        for used, how in used_files.items():
            folders = folder_of(file), folder_of(used)
            if not may_use(*folders):
                yield f"{file} {how} of {used}: files of {folders[0]} may use {', '.join(FOLDERS[folders[0]]) or 'no others'}"


def way(uses, begin, end):
    """The files on a shortest way from one file to another; None: there is none."""
    before = {begin: None}
    front = [begin]
    while front:
        file = front.pop(0)
        for used in uses[file]:
            if used == end:
                files = [end]
                while file:
                    files.append(file)
                    file = before[file]
                return files[::-1]
            if used not in before:
                before[used] = file
                front.append(used)
    return None


def circles(uses):
    """A shortest circle for each file that is in one and in none of the circles before."""
    found = set()
    for file in uses:
        circle = None if file in found else way(uses, file, file)
        if circle:
            found.update(circle)
            steps = [f"{a} {uses[a][b]} of {b}" for a, b in zip(circle, circle[1:])]
            yield "a circle of files:\n    " + "\n    ".join(steps)


def main(source, build, *options):
    source, build = pathlib.Path(source).resolve(), pathlib.Path(build).resolve()
    uses = {}
    add_includes(source, uses)
    add_symbols(source, build, uses)
    if "--print" in options:
        for file in uses:
            print(file + "".join(f"\n    {how} of {used}" for used, how in sorted(uses[file].items())))
    wrong = [*wrong_folders(uses), *circles(uses)]
    print("\n".join(wrong) if wrong else f"{len(uses)} files, {sum(map(len, uses.values()))} uses, no circle")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
