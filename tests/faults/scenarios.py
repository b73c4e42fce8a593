"""What meets the faults: lives of the agent on real cgroups, and `restore`. See README.md."""

import functools
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import own_network  # noqa: E402
from busy_node import BusyNode  # noqa: E402
from process_use import use_of  # noqa: E402

# Any node uses 1 % of its memory, so a batch pod is evicted: without an API server its processes are ended (in the
# loop; the stepped agent only reports it).
FIRST = {
    "resourceUsedThresholdWithBE": {"enable": True, "cpuSuppressPolicy": "cfsQuota", "cpuSuppressThresholdPercent": 40,
                                    "memoryEvictThresholdPercent": 1, "memoryEvictLowerPercent": 0},
    "cpuBurstStrategy": {"policy": "auto"},
    "resourceQOSStrategy": {"beClass": {"cpuQOS": {"enable": True}},
                            "lsClass": {"memoryQOS": {"enable": True, "minLimitPercent": 20, "lowLimitPercent": 30}}},
    "extensions": {"evenkeel": {"requestSize": {"services": "200us"}, "killWithoutApi": True,
                                "featureGates": {"BEMemoryEvict": True}}}}
# What a killed agent leaves to `restore`: sets of CPUs too, which it restores in an order of their own.
LEFT = {**FIRST, "resourceUsedThresholdWithBE": {**FIRST["resourceUsedThresholdWithBE"], "cpuSuppressPolicy": "cpuset"}}
SECOND = {"resourceUsedThresholdWithBE": {"enable": True, "cpuSuppressPolicy": "cpuset", "cpuSuppressThresholdPercent": 40}}


def on_a_network(nodeslo):
    """The same configuration with shares of the network."""
    qos = nodeslo["resourceQOSStrategy"]
    services = {"enable": True, "egressRequest": 40}
    batch = {"enable": True, "egressRequest": 10, "egressLimit": 50, "ingressLimit": 25}
    return {**nodeslo, "systemStrategy": {"totalNetworkBandwidth": "100M"}, "resourceQOSStrategy": {
        "lsClass": {**qos["lsClass"], "networkQOS": services}, "beClass": {**qos["beClass"], "networkQOS": batch}}}


class Stepped(BusyNode):
    """A life of the agent with a clock that is driven from here."""

    LEGAL_ENDS = (0, 1, 2)
    # Held at the end of a run beyond the most that the run without faults held. A leak per tick is more.
    SPARE = {"KiB resident": 4096, "descriptors": 5}
    WHAT, BEYOND = "agent", None  # the scenario whose call sites are left out

    def __init__(self, options):
        super().__init__("evenkeel-faults-")
        self.options = options
        self.used = []  # (resident KiB, descriptors, BPF objects) during this life
        self.shared = False  # whether the network was shared
        self.sound = True  # there are no faults in this life
        pods = json.loads(self.read("pods.json"))
        for number, pod in enumerate(pods["items"]):
            pod["status"]["podIPs"] = [{"ip": f"10.244.0.{10 + number}"}]
        self.write("pods.json", json.dumps(pods))

    @functools.cached_property
    def capabilities(self):
        """{name: line} of what depends on the kernel and is not a cgroup's file."""
        lines = self.evenkeel("capabilities").communicate(timeout=60)[0].splitlines()
        return {line.split()[0]: line for line in lines if line.startswith(("bpf-", "perf-", "network-"))}

    def can(self, name):
        return self.capabilities[name].split()[1] == "works"

    def can_share(self):
        return own_network.entered and self.can("network-classes")

    def configure(self, nodeslo):
        self.write("nodeslo.yaml", json.dumps(nodeslo))

    def evenkeel(self, *arguments, **how):
        command = ["setarch", "-R", self.options.binary, *arguments]
        with open(f"{self.work}/err", "w") as err:
            return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=err, text=True, **how)

    def meet(self, faults):
        """Returns the status of what met the faults, and its errors; the log of fail.c is new."""
        if os.path.exists(f"{self.work}/log"):
            os.unlink(f"{self.work}/log")
        environment = dict(os.environ, LD_PRELOAD=self.options.library, FAULT_LOG=f"{self.work}/log")
        for number, fault in enumerate(faults):
            environment.update(fault.environment(number))
        if self.options.allocations:
            environment["FAULT_ALLOCATIONS"] = "1"
        self.node.start_again()
        self.used, self.sound = [], not faults
        return self.live(environment)

    def wait(self, done, seconds):
        """Without faults it has to come to that, however slow the machine is."""
        until = time.monotonic() + (60 if self.sound else seconds)
        while time.monotonic() < until and not done():
            time.sleep(0.02)

    def live(self, environment):
        self.configure(FIRST)
        agent = self.evenkeel("run", "--stepped", *self.inputs(), env=environment)
        for number in self.ticks(agent, 8):
            self.measure(agent)
            if number == 3:
                self.configure(SECOND)
            if number == 5:
                self.node.owner_writes()
        self.tell(agent, "quit")
        return self.ended(agent)

    def log(self):
        """(hits, sites): the frames of each fault that was met, and (site, call) of what fail.c has noted."""
        lines = self.read("log").splitlines() if os.path.exists(f"{self.work}/log") else []
        noted = [line.split() for line in dict.fromkeys(lines)]
        return [one[1:] for one in noted if one[0] == "hit"], [tuple(one) for one in noted if one[0] != "hit"]

    def unproven(self):
        """What a run without faults has not done, though the faults are to disturb it."""
        audit = self.read("state/audit.jsonl")
        written, chosen = (audit.count(f'"kind":"{kind}"') for kind in ["write", "evict"])
        out = [f"{written} values written"] if written < 5 else []
        return out if chosen else out + ["no pod chosen for eviction"]

    def left(self):
        """After a restore without faults, as sentences; it is put back."""
        return self.node.differences(put_back=True) + own_network.left()

    def measure(self, agent):
        use = use_of(agent.pid)
        self.used += [use] if use else []

    def ended(self, process):
        try:
            process.communicate(timeout=60)
        except (subprocess.TimeoutExpired, ValueError):
            process.kill()
            process.wait()
            return "hangs", ""
        return process.returncode, self.read("err")

    def untold(self, status, err, single):  # pylint: disable=unused-argument
        return []


class Loop(Stepped):
    """The real event loop: start, ticks, clients of the endpoint, another configuration, owners that write, stop."""

    CONFIGURATION, INTERVAL = FIRST, "40ms"

    def flags(self):
        return self.inputs()

    def live(self, environment):
        self.configure(self.CONFIGURATION)
        agent = self.evenkeel("run", *self.flags(), "--interval", self.INTERVAL, "--listen", "127.0.0.1:0", env=environment)
        self.wait_for_start(agent, "err")
        self.work_on(agent)
        self.ask("/healthz")
        self.ask("/metrics")
        self.measure(agent)
        self.configure(SECOND)
        time.sleep(0.2)
        self.measure(agent)
        self.node.owner_writes()
        time.sleep(0.2)
        self.measure(agent)
        if agent.poll() is None:
            agent.send_signal(signal.SIGTERM)
        return self.ended(agent)

    def work_on(self, agent):  # pylint: disable=unused-argument
        """While the first configuration is in force."""
        time.sleep(0.4)
        self.wait(self.has_ended_a_pod, 0)

    def has_ended_a_pod(self):
        return any(process.poll() is not None for _, _, _, processes in self.node.pods.values() for process in processes)

    def ask(self, page):
        """A client of the endpoint; whether it is answered is not this test's question."""
        found = re.search(r"event=listening .*port=(\d+)", self.read("err"))
        try:
            with socket.create_connection(("127.0.0.1", int(found[1]) if found else 1), timeout=1) as client:
                client.sendall(f"GET {page} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
                while client.recv(65536):
                    pass
        except OSError:
            pass

    def unproven(self):
        ended = self.node.start_again()
        return super().unproven() + ([] if ended else ["no process of the evicted pod has ended"])


class Restore(Stepped):
    """`restore`, after a SIGKILL of the agent in the middle of its life."""

    LEGAL_ENDS = (0, 1)
    WHAT = "restore"

    def live(self, environment):
        self.configure(on_a_network(LEFT) if own_network.entered else LEFT)
        agent = self.evenkeel("run", "--stepped", *self.inputs())
        for _ in self.ticks(agent, 4):
            pass
        agent.kill()
        self.ended(agent)
        if not self.node.not_restored():
            raise RuntimeError(f"the killed agent left no value: {self.read('err')[-500:]}")
        if self.can_share() and not own_network.has_queue():
            raise RuntimeError(f"the killed agent left no queue: {self.read('err')[-500:]}")
        return self.ended(self.evenkeel("restore", *self.own(), env=environment))

    def untold(self, status, err, single):
        """Values that the restore left without naming them, or a reason why it could restore nothing ("evenkeel: ...")."""
        left = list(self.node.not_restored())
        if own_network.entered and own_network.has_queue():
            left.append(f"net/{own_network.LINK}/qdisc")
        # Of two faults the second one may be that it cannot say it.
        silent = [] if "evenkeel: " in err or not single else [file for file in left if file.lstrip("/") not in err]
        problems = [f"the restore left {file} without a word: {err.strip()[-300:]}" for file in silent]
        if left and status != 1:
            problems.append(f"the restore left {len(left)} values and ends with {status}")
        return problems
