"""Pods of a made-up node, and the PodList and Node objects that describe them."""
import json
from dataclasses import dataclass, field

PRIORITY = {"koord-prod": 9000, "koord-mid": 7000, "koord-batch": 5000, "koord-free": 3000}
MIB = 1 << 20


@dataclass
class Pod:
    name: str
    number: int
    qos: str  # koordinator.sh/qosClass: LSR, LS or BE
    priority: str
    branch: str  # of kubepods: "", "burstable" or "besteffort"
    containers: int = 1
    requests: dict = field(default_factory=dict)
    limits: dict = field(default_factory=dict)
    annotations: dict = field(default_factory=dict)

    @property
    def uid(self):
        return f"cccccccc-0000-4000-8000-{self.number:012d}"

    @property
    def cgroup(self):
        return "/".join(part for part in ("kubepods", self.branch, "pod" + self.uid) if part)

    def container(self, number):
        return f"{self.cgroup}/c{self.number}x{number}"

    @property
    def cgroups(self):
        return [self.container(number) for number in range(self.containers)]

    def item(self):
        names = [f"main{number}" for number in range(self.containers)]
        kube_qos = {"": "Guaranteed", "burstable": "Burstable", "besteffort": "BestEffort"}[self.branch]
        return {
            "metadata": {"namespace": "shop" if self.qos != "BE" else "batch", "name": self.name, "uid": self.uid,
                         "creationTimestamp": "2026-01-01T00:00:00Z", "annotations": self.annotations,
                         "labels": {"koordinator.sh/qosClass": self.qos, "koordinator.sh/priority-class": self.priority,
                                    "koordinator.sh/eviction-enabled": "true"},
                         "ownerReferences": [{"kind": "ReplicaSet", "name": self.name.rsplit("-", 1)[0],
                                              "controller": True}]},
            "spec": {"priority": PRIORITY[self.priority], "containers": [
                {"name": name, "resources": {"requests": self.requests, "limits": self.limits}} for name in names]},
            "status": {"phase": "Running", "qosClass": kube_qos, "containerStatuses": [
                {"name": name, "containerID": "containerd://" + cgroup.rpartition("/")[2], "state": {"running": {}}}
                for name, cgroup in zip(names, self.cgroups)]}}


def service(name, number, cpu, memory_mib, containers=1, limit=None, **more):
    return Pod(name, number, "LS", "koord-prod", "burstable", containers,
               {"cpu": f"{cpu}m", "memory": f"{memory_mib}Mi"},
               {"cpu": f"{limit or cpu * 2}m", "memory": f"{memory_mib * 2}Mi"}, **more)


def pinned(name, number, cpu, memory_mib, cpuset):
    amounts = {"cpu": str(cpu), "memory": f"{memory_mib}Mi"}
    return Pod(name, number, "LSR", "koord-prod", "", 1, amounts, amounts,
               {"scheduling.koordinator.sh/resource-status": json.dumps({"cpuset": cpuset})})


def batch(name, number, cpu, memory_mib, containers=1, priority="koord-batch"):
    amounts = {"kubernetes.io/batch-cpu": str(cpu), "kubernetes.io/batch-memory": f"{memory_mib}Mi"}
    return Pod(name, number, "BE", priority, "besteffort", containers, amounts, amounts)


def mid(name, number, cpu, memory_mib):
    amounts = {"kubernetes.io/mid-cpu": str(cpu), "kubernetes.io/mid-memory": f"{memory_mib}Mi"}
    return Pod(name, number, "LS", "koord-mid", "besteffort", 1, amounts, amounts)


def pod_list(pods):
    return json.dumps({"kind": "PodList", "apiVersion": "v1", "items": [pod.item() for pod in pods]})


def node(cpus, memory, batch_cpu, batch_memory):
    amounts = {"cpu": str(cpus), "memory": str(memory), "kubernetes.io/batch-cpu": str(batch_cpu),
               "kubernetes.io/batch-memory": str(batch_memory), "kubernetes.io/mid-cpu": "1000",
               "kubernetes.io/mid-memory": str(1 << 30)}
    return json.dumps({"kind": "Node", "apiVersion": "v1", "metadata": {
        "name": "node-1", "annotations": {"node.koordinator.sh/cpu-normalization-ratio": "1.25"}},
        "status": {"capacity": amounts, "allocatable": amounts}})
