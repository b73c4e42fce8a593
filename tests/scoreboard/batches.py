"""Real batch work, which counts what it does: work per second, not CPU seconds."""

import os
import shutil
import struct
import subprocess
import textwrap

from contenders import enter

KINDS = ["spin", "compile", "ffmpeg", "fork", "bandwidth", "fsync", "cache", "grow"]
UNITS = {"spin": "rounds", "compile": "files", "ffmpeg": "clips", "fork": "processes", "bandwidth": "MiB", "fsync": "MiB",
         "cache": "MiB", "grow": "MiB"}
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


class Batch:
    """`threads` workers, spread over the batch pods. `work()`: the units done so far."""

    def __init__(self, kind, node, tools, directory, threads, size_ms=None):
        self.kind, self.node = kind, node
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
        return [f"{tools}/hog", self.kind, counter, directory]

    @staticmethod
    def loop(counter, command):
        return ["bash", "-c", f"while {command}; do echo -n x >>{counter}.done; done"]

    def work(self):
        total = 0
        for counter in self.counters:
            if os.path.exists(counter + ".done"):
                total += os.path.getsize(counter + ".done")
            with open(counter, "rb") as file:
                total += struct.unpack("Q", file.read(8))[0]
        return total

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
