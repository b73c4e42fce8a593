#!/usr/bin/env python3
"""A process in a live cgroup: live_load.py CONTROL PROCS_FILE... enters the cgroups, then does what the JSON file
CONTROL says, looking every 100 ms: {"cpu": share of a CPU, "mib": memory held, "io": MiB read from a file}."""
import ctypes
import json
import os
import signal
import sys
import time

SLICE = 0.1
BLOCK = 1 << 20


def spin(share, until):
    end = time.monotonic() + share * SLICE
    while time.monotonic() < min(end, until):
        for _ in range(2000):
            pass


def read_some(path, mib):
    """Past what the page cache keeps of it, so that the cgroup reclaims where it has a limit."""
    with open(path, "rb") as file:
        for _ in range(int(mib)):
            if not file.read(BLOCK):
                file.seek(0)


def hold(held, mib):
    while len(held) < mib:
        held.append(bytearray(os.urandom(4096)) * (BLOCK // 4096))
    del held[int(mib):]


def main():
    control, procs = sys.argv[1], sys.argv[2:]
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    for path in procs:
        with open(path, "w", encoding="ascii") as file:
            file.write("0")
    held, todo = [], {}
    while True:
        until = time.monotonic() + SLICE
        try:
            with open(control, encoding="ascii") as file:
                todo = json.load(file)
        except (OSError, ValueError):
            pass  # it is being written
        hold(held, todo.get("mib", 0))
        if todo.get("io"):
            read_some(control + ".data", todo["io"])
        spin(todo.get("cpu", 0), until)
        time.sleep(max(0.0, until - time.monotonic()))


if __name__ == "__main__":
    main()
