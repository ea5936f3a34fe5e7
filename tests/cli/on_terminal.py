#!/usr/bin/env python3
"""Runs a command whose standard error is a terminal, and writes what appears there to standard output.
usage: on_terminal.py COMMAND..."""
import os
import pty
import subprocess
import sys

ours, theirs = pty.openpty()
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs)
os.close(theirs)
shown = b""
while True:
    try:
        some = os.read(ours, 65536)
    except OSError:  # the other end is closed
        break
    if not some:
        break
    shown += some
sys.stdout.buffer.write(shown)
sys.exit(child.wait())
