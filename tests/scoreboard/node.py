"""The cgroups of a Kubernetes node, below a directory of its own, with the kubelet's values."""

import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from cgroup_tree import LEAVE_SECONDS, ROOT, CgroupTree, is_v2, read, v1_roots, write  # noqa: E402, F401

TOP = "evenkeel-scoreboard"


def weight_of(shares):
    """The kubelet's conversion of cpu.shares to cpu.weight."""
    return 1 + (shares - 2) * 9999 // 262142


class Node(CgroupTree):
    """Directories of one service pod and some batch pods. `clear` removes all of them."""

    SERVICE = f"{TOP}/kubepods/burstable/pod" + "a" * 8 + "-0000-4000-8000-" + "a" * 12 + "/" + "a" * 64
    BESTEFFORT = f"{TOP}/kubepods/besteffort"
    has_kubelet = False  # that sets CPU limits

    def __init__(self, batch_pods=2):
        super().__init__(TOP)
        self.batch = []
        for i in range(batch_pods):
            digit = "bcdefghi"[i]
            self.batch.append(f"{self.BESTEFFORT}/pod{digit * 8}-0000-4000-8000-{digit * 12}/{digit * 64}")
        self.clear()
        for leaf in [self.SERVICE] + self.batch:
            self.make(leaf)
        cpus = os.cpu_count()
        for directory in self.directories():
            batch = "/besteffort" in directory
            top = directory == TOP
            self.set_shares(directory, 16384 if top else 2 if batch else 1024 * cpus)

    def directories(self):
        found = set()
        for leaf in [self.SERVICE] + self.batch:
            parts = leaf.split("/")
            found.update("/".join(parts[:n]) for n in range(1, len(parts) + 1))
        return sorted(found)

    def set_shares(self, directory, shares):
        if self.v2:
            write(f"{self.roots['cpu']}/{directory}/cpu.weight", weight_of(shares))
        else:
            write(f"{self.roots['cpu']}/{directory}/cpu.shares", shares)

    def agent_arguments(self, pods_file=None):
        """`pods_file`: a pod list, for what cgroups do not tell."""
        return ["--cgroup-root", TOP, "--pods", f"file:{pods_file}" if pods_file else "cgroup"]

    def enter(self, leaf):
        super().enter(leaf)
        if leaf in self.batch:  # as the kubelet sets it: when memory runs out, batch work goes first
            write("/proc/self/oom_score_adj", 1000)

    def limit_memory(self, values, limit):
        """Of each batch pod and its container, in bytes."""
        file = "memory.max" if self.v2 else "memory.limit_in_bytes"
        for leaf in self.batch:
            for place in [os.path.dirname(leaf), leaf]:
                values.set(self.file("memory", place, file), limit)

    def cpu_seconds(self, directory):
        if self.v2:
            return int(read(self.file("cpu", directory, "cpu.stat")).split()[1]) / 1e6
        return int(read(self.file("cpuacct", directory, "cpuacct.usage"))) / 1e9

    def kill(self, directory):
        """Ends every process in a directory and below it, however fast it forks."""
        top = f"{next(iter(self.places()))}/{directory}"
        self.kill_all(lambda: [pid for at, _, _ in os.walk(top) for pid in read(f"{at}/cgroup.procs").split()])

    @staticmethod
    def kill_all(processes):
        """Waits so long because a process that waits for a disk, within a limit, ends when that is done."""
        until = time.monotonic() + LEAVE_SECONDS
        while time.monotonic() < until:
            pids = processes()
            if not pids:
                return
            for pid in pids:
                try:
                    os.kill(int(pid), 9)
                except ProcessLookupError:
                    pass
            time.sleep(0.01)
        raise RuntimeError("some processes do not end")

    def clear(self):
        """Also what an earlier run left that was killed."""
        self.kill(TOP)
        self.remove()


def batch_memory_limit():
    """Of one batch pod, in bytes: 1 GiB, on a small machine an eighth of its memory."""
    kib = int(next(line for line in read("/proc/meminfo").splitlines() if line.startswith("MemTotal:")).split()[1])
    return min(1 << 30, kib * 1024 // 8 >> 20 << 20)


class System:
    """The place of what runs on the node outside of all pods: a directory beside `TOP`, with the kernel's default weight."""

    LEAF = TOP + "-system"

    def __init__(self, node):
        self.node, self.batch = node, [self.LEAF]
        node.make(self.LEAF)

    def enter(self, leaf):
        self.node.enter(leaf)

    def kill(self, leaf):
        Node.kill(self.node, leaf)  # not what a cluster's node kills: that is in pods alone
        for root in self.node.places():
            os.rmdir(f"{root}/{leaf}")


def stolen_seconds():
    """CPU time that the hypervisor took from this machine since boot."""
    fields = read("/proc/stat").split("\n")[0].split()
    return int(fields[8]) / os.sysconf("SC_CLK_TCK")
