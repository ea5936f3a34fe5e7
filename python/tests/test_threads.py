"""Threads: results are right, runs do not hold the interpreter's lock, and signals come through."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from conftest import DIGITS

import weft

RUNS = 40


def inputs_of(module: weft.Module, count: int) -> list[Any]:
    generator = np.random.default_rng(7)
    return [generator.integers(-128, 128, module.inputs[0].shape, dtype=np.int8) for _ in range(count)]


def test_one_session(digits: weft.Module) -> None:
    given = inputs_of(digits, RUNS)
    with digits.open("func") as session, ThreadPoolExecutor(8) as pool:
        expected = [session.run(each).output for each in given]
        for result, output in zip(pool.map(session.run, given), expected):
            np.testing.assert_array_equal(result.output, output)


def test_sessions_of_one_module(digits: weft.Module) -> None:
    given = inputs_of(digits, RUNS)
    expected = [digits.run(each, "func").output for each in given]

    def work(index: int) -> None:
        np.testing.assert_array_equal(digits.run(given[index], "func").output, expected[index])
        assert digits.report().cycles == 7489
        assert len(digits.to_bytes()) > 1000
        assert len(digits.verify()) == 1

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(RUNS)))


def test_compiling() -> None:
    with ThreadPoolExecutor(4) as pool:
        modules = list(pool.map(lambda _: weft.compile(DIGITS / "digits.tflite"), range(8)))
    assert {module.to_bytes() for module in modules} == {modules[0].to_bytes()}


def test_closed_meanwhile(digits: weft.Module, picture: Any) -> None:
    for _ in range(20):
        session = digits.open("func")
        states = []

        def work() -> None:
            try:
                while True:
                    session.run(picture)
            except weft.Error as error:
                states.append(error.code)

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        session.run(picture)
        session.close()
        for thread in threads:
            thread.join()
        assert states == ["STATE"] * 3


def test_lock_is_released(digits: weft.Module, picture: Any) -> None:
    """While one thread is inside a run, another one goes on."""
    counted = 0
    done = threading.Event()

    def count() -> None:
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0)  # gives the lock back

    module = weft.compile(DIGITS / "digits.tflite", frames=16)
    given = np.concatenate([picture] * 16)
    during = 0
    with module.open("cycle") as session:
        interval = sys.getswitchinterval()
        thread = threading.Thread(target=count)
        thread.start()
        sys.setswitchinterval(1000)  # nobody gives the lock up but who releases it
        try:
            for _ in range(1000):  # on a busy computer the other thread may have to wait for a processor
                before = counted
                session.run(given)
                during = counted - before
                if during > 0:
                    break
        finally:
            sys.setswitchinterval(interval)
            done.set()
            thread.join()
    assert during > 0


def test_interrupt(tmp_path: Any) -> None:
    """Ctrl-C ends a loop of runs between two of them."""
    program = f"""
import numpy as np, weft
module = weft.compile({str(DIGITS / "digits.tflite")!r})
given = np.zeros(module.inputs[0].shape, np.int8)
with module.open("func") as session:
    try:
        print("running", flush=True)
        while True:
            session.run(given)
    except KeyboardInterrupt:
        print("interrupted", session.run(given).output.shape, flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "running\n"
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "interrupted (1, 10)\n"
    assert process.wait(60) == 0
