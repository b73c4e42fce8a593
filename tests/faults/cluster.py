"""The agent in the event loop between a kubelet and an API server, and on a kernel with all that it may measure and change."""

import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import own_network  # noqa: E402
from scenarios import FIRST, Loop, on_a_network  # noqa: E402
from servers import NODE, Keeper, Kubelet  # noqa: E402

# Until the agent has done with the servers what it does in its first seconds: it asks each at most once a second.
PATIENCE_SECONDS = 2.5
WANTED = ["eviction", "event", "watch", "node", "nodemetric"]


def with_extensions(**more):
    extensions = FIRST["extensions"]
    return {**FIRST, "extensions": {**extensions, "colocation": {"enable": True},
                                    "evenkeel": {**extensions["evenkeel"], **more}}}


class Cluster(Loop):
    """Pods from a kubelet; NodeSLO, Node and NodeMetric from an API server, which is told of the Node and of evictions."""

    BEYOND, CONFIGURATION = Loop, with_extensions()
    # libcurl keeps up to 8 connections; one whose socket could not be watched stays until its request times out.
    SPARE = {**Loop.SPARE, "descriptors": Loop.SPARE["descriptors"] + 8}
    INTERVAL = "200ms"  # what can be lent is computed in the third tick, and the configuration must have come by then

    def __init__(self, options):
        super().__init__(options)
        self.kubelet, self.api = Kubelet(f"{self.work}/kubelet"), Keeper(f"{self.work}/api")
        self.kubelet.answer = self.read("pods.json")
        self.write("kubeconfig", self.api.kubeconfig())
        self.begun = False

    def configure(self, nodeslo):
        if self.begun:
            return self.api.configure(nodeslo)
        self.begun = True
        return self.api.start_again(nodeslo)

    def flags(self):
        return [*self.own(), "--nodeslo-source", "api", "--kubeconfig", f"{self.work}/kubeconfig", "--node-name", NODE,
                "--node-interval", "1s", "--pods", "kubelet", "--pods-interval", "1s", "--kubelet-url", self.kubelet.url,
                "--kubelet-ca", self.kubelet.certificate, "--kubelet-token-file", self.kubelet.token,
                "--report", "node-status", "--node-metric", "--events"]

    def live(self, environment):
        self.begun = False
        return super().live(environment)

    def work_on(self, agent):
        self.wait(lambda: agent.poll() is not None or not self.lacking(), PATIENCE_SECONDS)
        self.end_evicted()

    def end_evicted(self):
        """As a kubelet does it; it starts them again before the next run."""
        while self.api.evicted:
            name = self.api.evicted.pop()
            for uid, (_, _, _, processes) in self.node.pods.items():
                for process in processes if self.node.name_of(uid) == name else []:
                    process.send_signal(signal.SIGKILL)
                    process.wait()

    def unproven(self):
        return super().unproven() + [f"the API server saw no {one}" for one in self.lacking()]

    def lacking(self):
        return [one for one in WANTED if not self.api.done[one]]

    def close(self):
        self.kubelet.close()
        self.api.close()
        super().close()


class Kernel(Loop):
    """With BPF, performance counters and networkQOS, as far as this kernel has them."""

    BEYOND = Loop
    SPARE = {**Loop.SPARE, "KiB resident": 10240}  # libbpf needs some megabytes to load a program, and they go later
    CONFIGURATION = on_a_network(
        with_extensions(brake={"enable": True}, interference={"enable": True}, contention={"enable": True}))

    def __init__(self, options):
        super().__init__(options)
        print("\n".join(self.capabilities.values()), flush=True)

    def work_on(self, agent):
        super().work_on(agent)
        self.wait(self.shares, 0)
        self.shared = self.shares()

    def shares(self):
        return own_network.has_queue() and own_network.has_rules() or not self.can_share()

    def unproven(self):
        out = super().unproven()
        if not self.shared:
            out.append("the network was not shared")
        if self.can("bpf-run-queue") and not any(bpf for _, _, bpf in self.used):
            out.append("no BPF program was loaded")
        return out
