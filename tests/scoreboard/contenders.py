"""The ways to run batch work beside a service that the scoreboard compares."""

import ctypes
import json
import os
import shutil
import signal
import subprocess
import time

import node as nodes

HERE = os.path.dirname(os.path.abspath(__file__))
INSTALLED = os.path.join(HERE, "../../deploy/kustomize/base/nodeslo.yaml")

RULES = """
resourceUsedThresholdWithBE: {enable: true, cpuSuppressThresholdPercent: 65, cpuSuppressPolicy: %s}
cpuBurstStrategy: {policy: auto}
"""
PROOF = "extensions: {evenkeel: {proof: {enable: true}}}\n"


class SchedAttr(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("policy", ctypes.c_uint32), ("flags", ctypes.c_uint64), ("nice", ctypes.c_int32),
                ("priority", ctypes.c_uint32), ("runtime", ctypes.c_uint64), ("deadline", ctypes.c_uint64),
                ("period", ctypes.c_uint64), ("util_min", ctypes.c_uint32), ("util_max", ctypes.c_uint32)]


def set_request_size(milliseconds):
    """sched_setattr(2) for the calling process; its children inherit the size (Linux 6.12)."""
    number = {"x86_64": 314, "aarch64": 274}[os.uname().machine]
    attr = SchedAttr(size=56, runtime=int(milliseconds * 1e6))
    if ctypes.CDLL(None, use_errno=True).syscall(number, 0, ctypes.byref(attr), 0) != 0:
        raise OSError(ctypes.get_errno(), "sched_setattr")


def enter(node, leaf, size_ms):
    """In a child process, before it executes its program."""
    node.enter(leaf)
    if size_ms:
        set_request_size(size_ms)


class Contender:
    """`nodeslo`: run the agent with it. `writes`: (controller, directory, v1 file, v1 value, v2 file, v2 value)."""

    def __init__(self, name, what, nodeslo=None, writes=(), batch=True, batch_size_ms=None, service_size_ms=None):
        self.name, self.what, self.nodeslo, self.writes = name, what, nodeslo, writes
        self.batch, self.batch_size_ms, self.service_size_ms = batch, batch_size_ms, service_size_ms

    def apply(self, node, binary, directory):
        for controller, where, v1, v1_value, v2, v2_value in self.writes:
            for place in where(node):
                if controller not in node.roots:
                    raise RuntimeError(f"{self.name}: no {controller} controller here")
                file, value = (v2, v2_value) if node.v2 else (v1, v1_value)
                nodes.write(node.file(controller, place, file), value)
        if self.nodeslo is None:
            return None
        config = f"{directory}/{self.name}.yaml"
        nodes.write(config, self.nodeslo)
        log = open(f"{directory}/{self.name}.log", "ab")
        shutil.rmtree(f"{directory}/state", ignore_errors=True)
        agent = subprocess.Popen([binary, "run", "--nodeslo", config, "--listen", "none", "--state-dir",
                                  f"{directory}/state", *node.agent_arguments],
                                 stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        time.sleep(0.5)
        if agent.poll() is not None:
            raise RuntimeError(f"{self.name}: the agent ended; see {directory}/{self.name}.log")
        return agent

    @staticmethod
    def written(directory):
        """What the agent wrote since it started: how many values by the name of the file."""
        counts = {}
        if os.path.exists(f"{directory}/state/audit.jsonl"):
            with open(f"{directory}/state/audit.jsonl") as audit:
                for line in audit:
                    entry = json.loads(line)
                    if entry["kind"] == "write":
                        name = os.path.basename(entry["path"])
                        counts[name] = counts.get(name, 0) + 1
        return counts

    @staticmethod
    def stop(agent):
        if agent is not None:
            agent.send_signal(signal.SIGTERM)
            if agent.wait() != 0:
                raise RuntimeError("the agent did not end cleanly")


def besteffort(node):
    return [node.BESTEFFORT]


def batch_pods(node):
    return [os.path.dirname(leaf) for leaf in node.batch]


def cpu_quota(cpus, where, period=100000):
    quota = int(cpus * period)
    return ("cpu", where, "cpu.cfs_quota_us", quota, "cpu.max", f"{quota} {period}")


def besteffort_tree(node):
    """Leaves first: cgroup v1 refuses a set that is smaller than that of a child."""
    return node.batch + batch_pods(node) + besteffort(node)


def cpu_set():
    """The upper half of the CPUs."""
    cpus = f"{os.cpu_count() // 2}-{os.cpu_count() - 1}"
    return ("cpuset", besteffort_tree, "cpuset.cpus", cpus, "cpuset.cpus", cpus)


def idle(where):
    return ("cpu", where, "cpu.idle", 1, "cpu.idle", 1)


def installed():
    with open(INSTALLED) as file:
        return file.read()


def contenders():
    half = os.cpu_count() / 2
    return [
        Contender("alone", "the service without batch work", batch=False),
        Contender("unmanaged", "Kubernetes' own values: shares 2 for BestEffort"),
        Contender("systemd", "CPUWeight=idle on the slice of the batch work", writes=[idle(besteffort)]),
        Contender("installed", "evenkeel with deploy/kustomize/base", nodeslo=installed()),
        Contender("proof", "evenkeel with 65 %, auto, burst auto, and proof", nodeslo=RULES % "auto" + PROOF),
        Contender("cfsQuota", "evenkeel with 65 %, cfsQuota, burst auto", nodeslo=RULES % "cfsQuota"),
        Contender("cfsQuota+proof", "`cfsQuota` with proof, which tests its levers", nodeslo=RULES % "cfsQuota" + PROOF),
        Contender("cpuset", "evenkeel with 65 %, cpuset, burst auto", nodeslo=RULES % "cpuset"),
        Contender("old-base", "what evenkeel installed before `auto`: a quota of half of the CPUs on "
                  "BestEffort, cpu.idle on its pods", writes=[cpu_quota(half, besteffort), idle(batch_pods)]),
        Contender("quota", "a quota of half of the CPUs on BestEffort, no agent", writes=[cpu_quota(half, besteffort)]),
        Contender("quota+long", "`quota`, batch tasks with requests of 100 ms", writes=[cpu_quota(half, besteffort)],
                  batch_size_ms=100),
        Contender("quota+4ms", "`quota`, batch tasks with requests of 4 ms", writes=[cpu_quota(half, besteffort)],
                  batch_size_ms=4),
        Contender("quota+short", "`quota`, the service's tasks with requests of 0.1 ms", writes=[cpu_quota(half, besteffort)],
                  service_size_ms=0.1),
        Contender("half", "BestEffort on half of the CPUs (cpuset), no agent", writes=[cpu_set()]),
        Contender("long", "no quota, batch tasks with requests of 100 ms", batch_size_ms=100),
        Contender("short", "no quota, the service's tasks with requests of 0.1 ms", service_size_ms=0.1),
        Contender("long+short", "no quota, both", batch_size_ms=100, service_size_ms=0.1),
        Contender("idle-pods", "cpu.idle on the batch pods", writes=[idle(batch_pods)]),
    ]
