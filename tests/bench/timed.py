"""Commands that are timed."""
import os
import subprocess
import time


def measure(command, most_seconds, output=subprocess.DEVNULL):
    """(wall, processor) seconds of a command, the latter user and system; None: it fails, or takes too long."""
    started = time.monotonic()
    process = subprocess.Popen(command, stdout=output, stderr=output)
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid != 0:
            process.returncode = status
            wall = time.monotonic() - started
            return (wall, usage.ru_utime + usage.ru_stime) if status == 0 else None
        if time.monotonic() - started > most_seconds:
            process.kill()
            os.wait4(process.pid, 0)
            process.returncode = -9
            return None
        time.sleep(0.001)
