"""Cases on disk, and running them on Weft: build/bin/replay, the program that ctest runs too."""
import pathlib
import re
import shutil
import subprocess

import numpy as np


def write_case(folder, content, inputs, outputs):
    """A model, its inputs and its golden outputs, as replay reads them."""
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "model.tflite").write_bytes(content)
    for kind, arrays in (("input", inputs), ("output", outputs)):
        for i, array in enumerate(arrays):
            np.save(folder / f"{kind}{i}.npy", array)


def kind_of(difference):
    """What kind of failure a message tells of: shrinking must not wander from one to another."""
    return re.sub(r"[0-9]+", "#", difference)


class Runner:
    """Runs cases in batches, one process of replay each."""

    def __init__(self, replay, config, targets, folder, options=()):
        self.command = [str(replay), "--config", config, *options]
        for target in targets:
            self.command += ["--target", target]
        self.targets, self.folder = targets, pathlib.Path(folder)
        self.names = []
        self.on_machine = 0  # models of which the machine computed a part

    def add(self, name, content, inputs, outputs):
        write_case(self.folder / name, content, inputs, outputs)
        self.names.append(name)

    def forget(self):
        """Removes the cases that were added."""
        for name in self.names:
            shutil.rmtree(self.folder / name)
        self.names = []

    def run(self):
        """What is wrong with the cases that were added, which are then removed: the first message
        of each, by name."""
        wrong, _ = self.run_and_keep()
        self.forget()
        return wrong

    def run_and_keep(self):
        """The same, but the cases stay; and all lines that replay printed."""
        wrong = {}
        if not self.names:
            return wrong, []
        done = subprocess.run(self.command + [str(self.folder)], capture_output=True, text=True)
        lines = done.stdout.splitlines()
        for line in lines:
            found = re.match(r"(\S+) on (.*)", line)
            if found:
                wrong.setdefault(found[1], found[2])
        end = re.search(r"(\d+) cases replayed, (\d+) wrong; (\d+) with", done.stdout)
        if end is None or (int(end[1]), int(end[2])) != (len(self.names), len(wrong)):
            raise RuntimeError(f"replay failed: {done.stdout[-300:]} {done.stderr[-1000:]}")
        self.on_machine += int(end[3])
        return wrong, lines
