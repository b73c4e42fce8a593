"""A node of four pods, the agent's files, and the ticks and starts of an agent on it: for tests that keep one busy."""

import os
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../soak"))
from pods import Node  # noqa: E402

# 4 MiB of memory that is not page cache, held for ever: nobody reads what it writes.
HOLDS_MEMORY = ["dd", "bs=4M", "if=/dev/zero", "status=none"]


class BusyNode:
    def __init__(self, prefix):
        self.work, self.node = tempfile.mkdtemp(prefix=prefix), Node()
        for qos in ["Burstable", "Burstable", "BestEffort"]:
            self.node.add_pod(qos)
        self.node.add_pod("BestEffort", HOLDS_MEMORY)
        self.list_pods()

    def write(self, name, text):
        with open(f"{self.work}/{name}.new", "w") as file:
            file.write(text)
        os.rename(f"{self.work}/{name}.new", f"{self.work}/{name}")

    def read(self, name):
        with open(f"{self.work}/{name}", errors="replace") as file:
            return file.read()

    def list_pods(self):
        self.write("pods.json", self.node.pod_list())

    def own(self):
        return ["--state-dir", f"{self.work}/state", "--cgroup-root", Node.TOP]

    def inputs(self, pods=None):
        """`pods`: where they come from, by default the file."""
        return ["--nodeslo", f"{self.work}/nodeslo.yaml", "--pods", pods or f"file:{self.work}/pods.json", *self.own()]

    @staticmethod
    def tell(agent, line):
        """Whether the stepped agent was there to hear it."""
        try:
            agent.stdin.write(line + "\n")
            agent.stdin.flush()
            return True
        except BrokenPipeError:
            return False

    def ticks(self, agent, count):
        """Numbers of ticks of a stepped agent, each after its answer; fewer if the agent ends."""
        for number in range(count):
            if not self.tell(agent, "advance 1s") or agent.stdout.readline() == "":
                return
            if number < 3:
                time.sleep(0.01)  # in which the pods use some CPU
            yield number

    def wait_for_start(self, agent, log):
        """Until the agent in the event loop has said that it has started, or has ended."""
        patience = time.monotonic() + 30
        while "event=started" not in self.read(log) and agent.poll() is None and time.monotonic() < patience:
            time.sleep(0.02)

    def close(self):
        self.node.close()
        shutil.rmtree(self.work, ignore_errors=True)
