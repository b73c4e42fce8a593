"""Cgroups of pods as a kubelet makes them, below a directory of their own, and what their owners wrote into them."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from cgroup_tree import CgroupTree, read, write  # noqa: E402

MOST_PODS = 30
V1_FILES = {"cpu": ["cpu.shares", "cpu.cfs_quota_us", "cpu.cfs_burst_us", "cpu.idle"], "cpuset": ["cpuset.cpus"],
            "memory": ["memory.limit_in_bytes"]}
V2_FILES = ["cpu.weight", "cpu.max", "cpu.max.burst", "cpu.idle", "cpuset.cpus", "memory.min", "memory.low", "memory.high",
            "memory.max"]


DEFAULTS = {"cpu.cfs_burst_us": "0", "cpu.max.burst": "0", "cpu.idle": "0", "memory.min": "0", "memory.low": "0",
            "memory.high": "max"}


class Node(CgroupTree):
    PREFIX = "evenkeel-soak-"
    TOP = PREFIX + str(os.getpid())  # other runs on this machine have their own
    KUBEPODS = TOP + "/kubepods"
    BRANCHES = {"Guaranteed": KUBEPODS, "Burstable": KUBEPODS + "/burstable", "BestEffort": KUBEPODS + "/besteffort"}

    def __init__(self):
        super().__init__(self.TOP)
        self.owned = {}  # file: what its owner wrote last
        self.pods, self.count = {}, 0
        self.remove_left_over()
        for branch in self.BRANCHES.values():
            self.make(branch)

    def remove_left_over(self):
        """Of runs that were killed."""
        for root in self.places():
            for top in os.listdir(root):
                owner = top.removeprefix(self.PREFIX)
                if top.startswith(self.PREFIX) and owner.isdigit() and not os.path.exists(f"/proc/{owner}"):
                    self.kill_below(f"{root}/{top}")
                    self.remove(top)

    @staticmethod
    def kill_below(directory):
        pids = []
        for at, _, _ in os.walk(directory):
            with contextlib.suppress(OSError):  # the cgroup may end meanwhile, and so may a process
                pids += read(f"{at}/cgroup.procs").split()
        for pid in pids:
            with contextlib.suppress(OSError):
                os.kill(int(pid), signal.SIGKILL)

    def files(self, path):
        """
        (file, value before any agent) of everything that one may write there. Where it may have written already the value is the
        kernel's own; a set that is narrow is a copy of its parent's.
        """
        for root in self.places():
            for name in V2_FILES if self.v2 else V1_FILES.get(os.path.basename(root), []):
                file = f"{root}/{path}/{name}"
                if os.path.exists(file):
                    whole = read(f"{root}/cpuset.cpus") if name == "cpuset.cpus" and not self.v2 else read(file)
                    yield file, DEFAULTS.get(name, whole.strip())

    def add_pod(self, qos=None, command=None):
        """`command`: what each of its containers runs; by default `start` chooses."""
        if len(self.pods) >= MOST_PODS:
            return
        self.count += 1
        qos = qos or random.choice(list(self.BRANCHES))
        uid = f"{self.count:08x}-0000-4000-8000-{random.randrange(16**12):012x}"
        path = f"{self.BRANCHES[qos]}/pod{uid}"
        containers = [f"{random.randrange(16**64):064x}" for _ in range(random.randint(1, 3))]
        self.make(path)
        self.own(path, "cpu.weight" if self.v2 else "cpu.shares", 1 if self.v2 else 2 if qos == "BestEffort" else 512)
        processes = []
        for container in containers:
            self.make(f"{path}/{container}")
            if qos != "BestEffort":
                self.own(f"{path}/{container}", "cpu.max" if self.v2 else "cpu.cfs_quota_us", "50000 100000" if self.v2 else 50000)
            processes.append(self.start(f"{path}/{container}", command))
        self.pods[uid] = (qos, path, containers, processes)
        for place in [path] + [f"{path}/{container}" for container in containers]:
            for file, value in self.files(place):
                self.owned.setdefault(file, value)

    def start(self, path, command=None):
        """A process in the container: this one, or an idle one, or one that uses some CPU. Its output is not read."""
        busy = ["sh", "-c", "while :; do i=0; while [ $i -lt 2000 ]; do i=$((i + 1)); done; sleep 0.05; done"]
        return subprocess.Popen(command or (busy if random.random() < 0.4 else ["sleep", "100000"]),
                                preexec_fn=lambda: self.enter(path), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)

    def start_again(self):
        """Starts the processes that have ended, as a kubelet does, and returns how many had."""
        count = 0
        for _, path, containers, processes in self.pods.values():
            for i, container in enumerate(containers):
                if processes[i].poll() is not None:
                    processes[i] = self.start(f"{path}/{container}", processes[i].args)
                    count += 1
        return count

    def own(self, path, name, value):
        for root in self.places():
            file = f"{root}/{path}/{name}"
            if os.path.exists(file):
                try:
                    write(file, value)
                except OSError:
                    return  # the kernel refuses it: as a runtime finds it
                self.owned[file] = str(value)  # not what is read: the agent may have written since

    def owner_writes(self):
        if not self.pods:
            return
        qos, path, containers, _ = random.choice(list(self.pods.values()))
        if random.random() < 0.5:
            self.own(path, "cpu.weight" if self.v2 else "cpu.shares", random.choice([20, 100, 300] if self.v2 else [128, 512, 2048]))
        else:
            place = f"{path}/{random.choice(containers)}"
            self.own(place, "memory.max" if self.v2 else "memory.limit_in_bytes", random.choice([256, 512, 1024]) << 20)

    def remove_pod(self, name=None):
        """The one of this name, or any if there are enough."""
        uids = [uid for uid in self.pods if name == self.name_of(uid)] if name else list(self.pods)
        if not uids or (not name and len(uids) < 4):
            return
        uid = random.choice(uids)
        _, path, containers, processes = self.pods.pop(uid)
        for process in processes:
            process.kill()
            process.wait()
        self.remove(path)
        self.owned = {file: value for file, value in self.owned.items() if f"/{path}" not in file}

    def not_restored(self):
        """{file: (what it holds, what its owner wrote last)} of those that differ."""
        now = {file: read(file).strip() for file in self.owned if os.path.exists(file)}
        return {file: (value, self.owned[file]) for file, value in now.items() if value != self.owned[file]}

    def differences(self, put_back=False):
        """The same as sentences; each is told once."""
        out = []
        for file, (now, value) in self.not_restored().items():
            out.append(f"{file} is {now}, its owner wrote {value}")
            if put_back:
                write(file, value)
            else:
                self.owned[file] = now
        return out

    @staticmethod
    def name_of(uid):
        return "p" + uid[:8]

    def pod_list(self, nonsense=False):
        items = []
        for uid, (qos, _, containers, _) in self.pods.items():
            batch = qos == "BestEffort"
            resources = {} if batch else {"requests": {"cpu": "200m", "memory": "64Mi"}, "limits": {"cpu": "500m", "memory": "1Gi"}}
            items.append({
                "metadata": {"uid": uid, "namespace": "soak", "name": self.name_of(uid),
                             "labels": {"koordinator.sh/qosClass": "BE" if batch else "LS"}},
                "spec": {"containers": [{"name": f"c{i}", "resources": resources} for i in range(len(containers))]},
                "status": {"phase": "Running", "qosClass": qos,
                           "containerStatuses": [{"name": f"c{i}", "containerID": "containerd://" + one, "state": {"running": {}}}
                                                 for i, one in enumerate(containers)]}})
        for item in items:
            if nonsense and random.random() < 0.3:
                self.spoil(item)
        if nonsense and items:
            items.append(random.choice(items))  # a uid twice
        return json.dumps({"kind": "PodList", "items": items})

    @staticmethod
    def spoil(item):
        metadata = item["metadata"]
        random.choice([
            lambda: metadata.update(name="../../etc"),
            lambda: metadata.update(annotations={"koordinator.sh/cpuBurst": "x" * random.choice([10, 100000])}),
            lambda: metadata.update(annotations={"evenkeel.io/hands-off": "true", "koordinator.sh/eviction-policy": "[]"}),
            lambda: metadata.update(annotations={"kubernetes.io/config.hash": "0" * 32, "kubernetes.io/config.source": "file"}),
            lambda: metadata.update(annotations={"scheduling.koordinator.sh/resource-status": '{"cpuset":"0-99999999"}'}),
            lambda: metadata.update(labels={f"l{i}": "v" for i in range(1000)}),
            lambda: item["status"].update(qosClass=7),
            lambda: item["spec"].update(containers=[{"name": "\x1b[31m", "resources": {"limits": {"cpu": "-1"}}}]),
            lambda: item.pop("metadata"),
        ])()

    def close(self):
        for _, _, _, processes in self.pods.values():
            for process in processes:
                process.kill()
                process.wait()
        self.pods = {}
        self.remove()
