"""The program during a soak: how it is started, measured and ended, again and again."""

import collections
import json
import os
import random
import signal
import subprocess
import time

from configurations import NODESLOS, replace
from pods import Node
from process_use import use_of
from servers import NODE
from table import Table

# An agent that hangs. Far more than it ever takes, since the machine may have other work.
END_SECONDS = 180
LONG_LIFE_MINUTES = 5


class Agent:
    """One life after the other of the program, with the same state directory."""

    def __init__(self, options, work, kubelet):
        self.options, self.work, self.kubelet = options, work, kubelet
        self.process, self.lives, self.lives_by_api, self.born = None, 0, 0, 0
        self.ends = collections.Counter()
        self.used = Table()  # by all lives
        self.life, self.longest, self.longest_minutes, self.grown = Table(), Table(), 0, []

    def command(self, *arguments):
        return [self.options.binary, *arguments, "--state-dir", f"{self.work}/state", "--cgroup-root", Node.TOP]

    def start(self):
        """With a legal configuration in the file: it refuses to start without one. An API server may have none."""
        replace(f"{self.work}/nodeslo.yaml", json.dumps(random.choice(NODESLOS)))
        log = open(f"{self.work}/log", "ab")
        pods = random.choice(["cgroup", f"file:{self.work}/pods.json", "kubelet"])
        nodeslo, by_api = ["--nodeslo", f"{self.work}/nodeslo.yaml"], random.random() < 0.5
        if by_api:
            nodeslo = ["--nodeslo-source", "api", "--kubeconfig", f"{self.work}/kubeconfig", "--node-name", NODE,
                       "--node-interval", "2s"]
        self.process = subprocess.Popen(
            self.command("run", *nodeslo, "--pods", pods, "--kubelet-url", self.kubelet.url,
                         "--kubelet-ca", self.kubelet.certificate, "--kubelet-token-file", self.kubelet.token, "--pods-interval", "2s",
                         "--listen", f"127.0.0.1:{self.options.port}", "--interval", "500ms"),
            stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        self.lives, self.lives_by_api, self.born = self.lives + 1, self.lives_by_api + by_api, time.monotonic()
        self.life = Table()

    def check_alive(self):
        if self.process.poll() is not None:
            raise RuntimeError(f"the agent ended by itself: status {self.process.returncode}")

    def measure(self, pods):
        """Young lives, and nodes that are still nearly empty, are left out."""
        if time.monotonic() - self.born < 8 or pods < 10:
            return
        use = use_of(self.process.pid)
        if use:
            resident, descriptors, bpf = use
            for table in (self.used, self.life):
                table.add(resident, descriptors, bpf, pods, self.state_bytes("journal"), self.state_bytes("audit.jsonl"))

    def judge_life(self):
        """What a process may learn, it has learned within minutes; after them it keeps to its memory."""
        minutes = (time.monotonic() - self.born) / 60
        if minutes > self.longest_minutes:
            self.longest_minutes, self.longest = minutes, self.life
        if minutes >= LONG_LIFE_MINUTES:
            self.grown += [f"life {self.lives}, of {minutes:.1f} minutes: {one}" for one in self.life.growth()]

    def end(self, how):
        self.judge_life()
        self.process.send_signal(how)
        try:
            status = self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            raise RuntimeError(f"the agent did not end within {END_SECONDS} s of {how.name}") from None
        self.ends[f"{how.name} {status}"] += 1
        if how == signal.SIGTERM and status not in (0, 1):
            raise RuntimeError(f"after SIGTERM the agent ended with status {status}")

    def restore(self):
        """Once; status 1: a value was refused."""
        done = subprocess.run(self.command("restore"), capture_output=True, text=True, timeout=END_SECONDS)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"evenkeel restore: status {done.returncode}: {done.stderr[-500:]}")

    def state_bytes(self, name):
        path = f"{self.work}/state/{name}"
        return os.path.getsize(path) if os.path.exists(path) else 0
