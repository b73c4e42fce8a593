"""The ways to run batch work beside a service that the scoreboard compares."""

import dataclasses
import json
import os
import shutil
import signal
import subprocess
import time
import typing

import batches
import disk as disks
import node as nodes
import pods

HERE = os.path.dirname(os.path.abspath(__file__))
INSTALLED = os.path.join(HERE, "../../deploy/kustomize/base/nodeslo.yaml")

RULES = """
resourceUsedThresholdWithBE: {enable: true, cpuSuppressThresholdPercent: 65, cpuSuppressPolicy: %s}
cpuBurstStrategy: {policy: auto}
"""
PROOF = "extensions: {evenkeel: {proof: {enable: true}}}\n"
BURST = "cpuBurstStrategy: {policy: %s}\n"
# The pods of MEMORY ask for lent memory, for which the agent would also set their shares.
MEMORY = "resourceQOSStrategy: {%s: {memoryQOS: {enable: true, %s}}}\nextensions: {evenkeel: {batchResources: false}}\n"
BRAKE = "extensions: {evenkeel: {brake: {enable: true}}}\n"
PUSH_BACK = "extensions: {evenkeel: {memoryPushBack: {enable: true}}}\n"
DISK = "resourceQOSStrategy: {beClass: {blkioQOS: {enable: true, blocks: [{name: /dev/DISK, type: device, ioCfg: {%s}}]}}%s}\n"
DISK_SUPPRESS = "extensions: {evenkeel: {diskSuppress: {enable: true}}}\n"
COST = ", cgroupRoot: {blkioQOS: {enable: true, blocks: [{name: /dev/DISK, type: device, ioCfg: {}}]}}"

# What a service asks for, or an administrator protects: more than any of the services uses.
SERVICE_MEMORY = 512 * pods.MIB


@dataclasses.dataclass
class Write:
    """A value of a cgroup file; with `if_there` only where the kernel has the file. No v1 file: nothing on v1."""
    controller: str
    where: typing.Callable
    v1: str
    v1_value: object
    v2: str
    v2_value: object
    if_there: bool = False

    def on(self, node):
        """(controller, file, value) on this node's hierarchy."""
        if not node.v2:
            return self.controller, self.v1, self.v1_value
        return "io" if self.controller == "blkio" else self.controller, self.v2, self.v2_value


class Contender:
    """`nodeslo`: run the agent with it; DISK in it is the disk below the scoreboard's directory. `writes`: set without an agent.
    `scheduler`: of that disk. `beside`: in which cells it is measured, by service and kind of batch work; elsewhere it has
    nothing to do. `needs`: (controller, file) without which it cannot be measured. `lists_memory`: the agent is told what
    memory the pods ask for. `state_dir`: where its agent keeps what it learns; None: it begins with nothing."""

    def __init__(self, name, what, nodeslo=None, writes=(), batch=True, batch_size_ms=None, service_size_ms=None,
                 beside=lambda service, kind: True, needs=None, scheduler=None, lists_memory=False, state_dir=None):
        self.name, self.what, self.nodeslo, self.writes = name, what, nodeslo, writes
        self.batch, self.batch_size_ms, self.service_size_ms = batch, batch_size_ms, service_size_ms
        self.beside, self.needs, self.scheduler, self.lists_memory = beside, needs, scheduler, lists_memory
        self.state_dir = state_dir

    def missing(self, node, disk):
        """Why it cannot be measured here; empty: it can. `disk`: a name, or None."""
        needed = [(controller, each.where(node)[-1], file) for each in self.writes if not each.if_there
                  for controller, file, _ in [each.on(node)]]
        if self.needs:
            controller, file = self.needs
            needed.append((controller, "" if file.startswith("io.cost") else node.SERVICE, file))
        for controller, place, file in needed:
            if not exists(node, controller, place, file):
                return f"the kernel has no {file} here"
        if (self.scheduler or "DISK" in (self.nodeslo or "")) and disk is None:
            return "its directory is not on one disk"
        if self.scheduler and self.scheduler not in schedulers(disk):
            return f"{disk} has no scheduler {self.scheduler}"
        return ""

    def skips(self, node):
        """Which of its values cannot be set here, each with the reason."""
        out = []
        for each in self.writes:
            controller, file, _ = each.on(node)
            if file is None:
                out.append(f"{each.v2} is on cgroup v2 only")
            elif each.if_there and not exists(node, controller, each.where(node)[-1], file):
                out.append(f"the kernel has no {file} here")
        return out

    def apply(self, node, values, options):
        """Sets its values, which `values` takes back, and starts its agent, if it has one. `options`: binary, directory, disk."""
        if self.scheduler:
            values.set(disks.scheduler(options.disk_name), self.scheduler)
        for each in self.writes:
            controller, file, value = each.on(node)
            for place in each.where(node) if file else []:
                if not each.if_there or exists(node, controller, place, file):
                    values.set(node.file(controller, place, file), value)
        return self.start(node, options) if self.nodeslo else None

    def start(self, node, options):
        directory = options.directory
        config = f"{directory}/{self.name}.yaml"
        nodes.write(config, self.nodeslo.replace("DISK", options.disk_name or ""))
        listed = f"{directory}/pods.json" if self.lists_memory else None
        if listed:
            requests = pods.pod_list(node, service_memory=SERVICE_MEMORY, batch_memory=nodes.batch_memory_limit())
            nodes.write(listed, json.dumps(requests))
        log = open(f"{directory}/{self.name}.log", "ab")
        if not self.state_dir:
            shutil.rmtree(f"{directory}/state", ignore_errors=True)
        agent = subprocess.Popen([options.binary, "run", "--nodeslo", config, "--listen", "none", "--state-dir",
                                  self.state_dir or f"{directory}/state", *node.agent_arguments(listed)],
                                 stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        try:
            time.sleep(0.5)
        except BaseException:  # the caller does not have this agent yet, so it cannot end it
            self.stop(agent)
            raise
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


def exists(node, controller, place, file):
    return controller in node.roots and os.path.exists(node.file(controller, place, file))


def schedulers(disk):
    path = disks.scheduler(disk)
    return nodes.read(path).replace("[", "").replace("]", "").split() if os.path.exists(path) else []


def besteffort(node):
    return [node.BESTEFFORT]


def batch_pods(node):
    return [os.path.dirname(leaf) for leaf in node.batch]


def cpu_quota(cpus, where, period=100000):
    quota = int(cpus * period)
    return Write("cpu", where, "cpu.cfs_quota_us", quota, "cpu.max", f"{quota} {period}")


def besteffort_tree(node):
    """Leaves first: cgroup v1 refuses a set that is smaller than that of a child."""
    return node.batch + batch_pods(node) + besteffort(node)


def service_path(node):
    """From the top down: memory is protected only as far as every directory above protects it."""
    parts = node.SERVICE.split("/")
    return ["/".join(parts[:n]) for n in range(1, len(parts) + 1)]


def cpu_set():
    """The upper half of the CPUs."""
    cpus = f"{os.cpu_count() // 2}-{os.cpu_count() - 1}"
    return Write("cpuset", besteffort_tree, "cpuset.cpus", cpus, "cpuset.cpus", cpus)


def idle(where):
    return Write("cpu", where, "cpu.idle", 1, "cpu.idle", 1)


def systemd():
    """What systemd writes for CPUWeight=idle and IOWeight=10 on the slice of the batch work and MemoryLow=512M on those of the
    service (src/core/cgroup.c): on cgroup v1 idle is the least cpu.shares, an IOWeight of 10 a blkio.weight of 50, and
    MemoryLow is nothing. It writes the weight of BFQ and the other one, whichever of them the disk then heeds."""
    return [Write("cpu", besteffort, "cpu.shares", 2, "cpu.idle", 1, if_there=True),
            Write("memory", service_path, None, None, "memory.low", SERVICE_MEMORY, if_there=True),
            Write("blkio", besteffort, "blkio.bfq.weight", 10, "io.bfq.weight", "default 10", if_there=True),
            Write("blkio", besteffort, "blkio.weight", 50, "io.weight", "default 10", if_there=True)]


def installed():
    with open(INSTALLED) as file:
        return file.read()


def with_limit(service, kind):
    return service.quota_percent > 0


def of_memory(service, kind):
    return kind in batches.OF_MEMORY


def of_cache(service, kind):
    return kind == "cache"


def of_limit(service, kind):
    return kind in batches.LIMITED


def of_disk(service, kind):
    return kind in batches.OF_DISK


def contenders():
    return rules() + cpu_levers() + memory_levers() + disk_levers()


def rules():
    return [
        Contender("alone", "the service without batch work", batch=False),
        Contender("unmanaged", "Kubernetes' own values: shares 2 for BestEffort"),
        Contender("systemd", "CPUWeight=idle and IOWeight=10 on the slice of the batch work, MemoryLow=512M on those of the service",
                  writes=systemd()),
        Contender("systemd+bfq", "`systemd`, and BFQ as the disk's scheduler, which heeds IOWeight", writes=systemd(), scheduler="bfq",
                  beside=of_disk),
        Contender("installed", "evenkeel with deploy/kustomize/base", nodeslo=installed()),
        Contender("auto", "evenkeel with auto, burst auto: what is installed, but without proof", nodeslo=RULES % "auto"),
        Contender("cfsQuota", "evenkeel with 65 %, cfsQuota, burst auto", nodeslo=RULES % "cfsQuota"),
        Contender("cfsQuota+proof", "`cfsQuota` with proof, which tests its levers", nodeslo=RULES % "cfsQuota" + PROOF),
        Contender("cpuset", "evenkeel with 65 %, cpuset, burst auto", nodeslo=RULES % "cpuset"),
    ]


def cpu_levers():
    half = os.cpu_count() / 2
    return [
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
        Contender("idle", "cpu.idle on the BestEffort directory", writes=[idle(besteffort)]),
        Contender("idle-pods", "cpu.idle on the batch pods", writes=[idle(batch_pods)]),
        Contender("brake", "evenkeel with the brake alone", nodeslo=BRAKE),
        Contender("burst", "evenkeel with CPU burst alone", nodeslo=BURST % "cpuBurstOnly", beside=with_limit),
        Contender("quota-burst", "evenkeel with larger quotas for a while, alone", nodeslo=BURST % "cfsQuotaBurstOnly", beside=with_limit),
    ]


def memory_levers():
    protected, near_limit = ("lsClass", "lowLimitPercent: 100, wmarkRatio: 0"), ("beClass", "wmarkRatio: 95")
    few_pages = ("beClass", "wmarkRatio: 0, pageCacheEnable: true, pageCacheLimitSize: 256Mi")
    return [
        Contender("memory-qos", "evenkeel with memory.low for the 512 MiB that the service requests, alone", nodeslo=MEMORY % protected,
                  needs=("memory", "memory.low"), beside=of_memory, lists_memory=True),
        Contender("background-reclaim", "evenkeel with reclaim of batch pods near their memory limit, alone", nodeslo=MEMORY % near_limit,
                  needs=("memory", "memory.reclaim"), beside=of_limit, lists_memory=True),
        Contender("push-back", "evenkeel with memory push-back alone", nodeslo=PUSH_BACK, needs=("memory", "memory.reclaim"),
                  beside=of_memory),
        Contender("page-cache-limit", "evenkeel with 256 MiB of page cache for each batch pod, alone", nodeslo=MEMORY % few_pages,
                  needs=("memory", "memory.reclaim"), beside=of_cache, lists_memory=True),
    ]


def disk_levers():
    weight, limits = "ioWeightPercent: 10", "readBPS: {0}Mi, writeBPS: {0}Mi"
    return [
        Contender("bfq", "BFQ as the disk's scheduler, no agent", scheduler="bfq", beside=of_disk),
        Contender("io-weight", "`bfq`, and evenkeel with a weight of 10 for BestEffort on the disk, alone", nodeslo=DISK % (weight, ""),
                  scheduler="bfq", beside=of_disk),
        Contender("io-cost", "evenkeel with io.cost on the disk and a weight of 10 for BestEffort, alone", nodeslo=DISK % (weight, COST),
                  needs=("io", "io.cost.qos"), beside=of_disk),
        Contender("disk-suppress", "evenkeel with suppression on disks, alone", nodeslo=DISK_SUPPRESS, beside=of_disk),
        *(Contender(name, f"evenkeel with {mib} MiB/s for BestEffort on the disk, alone", nodeslo=DISK % (limits.format(mib), ""),
                    beside=of_disk) for name, mib in [("io-limit", 20), ("io-limit-80", 80), ("io-limit-320", 320)]),
    ]
