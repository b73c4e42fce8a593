"""Real batch work, which counts what it does: work per second, not CPU seconds."""

import os
import shlex
import shutil
import struct
import subprocess
import textwrap
import time

from entry import enter

KINDS = ["spin", "compile", "ffmpeg", "fork", "bandwidth", "fsync", "cache", "grow"]
UNITS = {"spin": "rounds", "compile": "files", "ffmpeg": "clips", "fork": "processes", "bandwidth": "MiB", "fsync": "MiB",
         "cache": "MiB", "grow": "MiB"}
OF_DISK = ["fsync", "cache"]
OF_MEMORY = ["grow", "cache"]
LIMITED = ["grow"]  # their pods have a memory limit
# Seconds for which the service has its load before it is measured: the agent judges storms of forks, and a disk, by ten seconds, and
# then whether its limit on the disk helps. The load generator that measures starts after that, for the kernel would wake an earlier
# one on the CPU on which it was when best effort still had them all.
SETTLE_UNDER_LOAD = {"fork": 14, "fsync": 35}
NEEDS = {"compile": "g++", "ffmpeg": "ffmpeg"}

SOURCE = """
#include <algorithm>
#include <map>
#include <string>
#include <vector>
int sum(std::map<std::string, std::vector<int>> m) { int s = 0; for (auto& [k, v] : m) { std::sort(v.begin(), v.end()); s += v[0]; } return s; }
"""


def missing(kind):
    needed = NEEDS.get(kind)
    return f"{needed} is not installed" if needed and not shutil.which(needed) else ""


def again_when_killed(command):
    """Starts it again whenever the kernel killed it at its memory limit, as a kubelet does with a container."""
    return ["bash", "-c", f"{command}; while [ $? = 137 ]; do {command}; done"]


class Batch:
    """`threads` workers, spread over the batch pods. `work()`: the units done so far. `file_mib`: the file of each worker that
    has one; None: the worker's own size."""

    def __init__(self, kind, node, tools, directory, threads, size_ms=None, file_mib=None):
        self.kind, self.node, self.file_mib = kind, node, file_mib
        self.counters = []
        self.processes = []
        for i in range(threads):
            counter = f"{directory}/{os.path.basename(node.batch[0])}-{kind}-{i}"
            with open(counter, "wb") as file:
                file.write(bytes(8))
            self.counters.append(counter)
            leaf = node.batch[i % len(node.batch)]
            self.processes.append(subprocess.Popen(
                self.command(tools, directory, counter, i), cwd=directory, start_new_session=True,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=lambda leaf=leaf: enter(node, leaf, size_ms)))

    def command(self, tools, directory, counter, number):
        if self.kind == "compile":
            source = f"{directory}/batch.cpp"
            if not os.path.exists(source):
                with open(source, "w") as file:
                    file.write(textwrap.dedent(SOURCE))
            return self.loop(counter, f"g++ -std=c++17 -O1 -c -o {counter}.o {source}")
        if self.kind == "ffmpeg":
            return self.loop(counter, "ffmpeg -loglevel error -threads 1 -filter_threads 1 -f lavfi -i testsrc2=duration=1:size=640x360:rate=25 "
                                      "-c:v libx264 -threads 1 -f null -")
        hog = [f"{tools}/hog", self.kind, counter, directory]
        if self.kind in LIMITED:
            return again_when_killed(shlex.join(hog))
        return hog + [str(self.file_mib)] if self.file_mib and self.kind in OF_DISK else hog

    @staticmethod
    def loop(counter, command):
        return ["bash", "-c", f"while {command}; do echo -n x >>{counter}.done; done"]

    def work(self):
        return sum(self.done(counter) for counter in self.counters)

    @staticmethod
    def done(counter):
        units = os.path.getsize(counter + ".done") if os.path.exists(counter + ".done") else 0
        with open(counter, "rb") as file:
            return units + struct.unpack("Q", file.read(8))[0]

    def wait(self, seconds=120):
        """Until every reader of the page cache has written the file that it reads."""
        end = time.monotonic() + seconds
        while self.kind == "cache" and not (self.died() or all(self.done(counter) for counter in self.counters)):
            if time.monotonic() > end:
                raise RuntimeError(f"the files of {self.kind} are not written after {seconds} s")
            time.sleep(0.1)

    def died(self):
        return any(process.poll() is not None for process in self.processes)

    def stop(self):
        for leaf in self.node.batch:
            self.node.kill(leaf)
        for process in self.processes:
            process.wait()
        for counter in self.counters:
            for name in [counter, counter + ".done"]:
                if os.path.exists(name):
                    os.unlink(name)
