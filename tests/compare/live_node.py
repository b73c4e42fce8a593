"""A small population of real cgroups with real processes below a private top, and a scanner for what the agent
reads of this machine. For hosts with the v1 hierarchies (and a unified one beside them)."""
import json
import os
import signal
import subprocess
import sys
import time

from tree import Entry, Scanner

HERE = os.path.dirname(os.path.realpath(__file__))
CGROUP = "/sys/fs/cgroup"
HIERARCHIES = [name for name in ("cpu", "cpuacct", "cpuset", "memory", "blkio", "perf_event", "unified")
               if os.path.isdir(f"{CGROUP}/{name}")]
STEADY = ("sys/devices/system/cpu", "sys/devices/system/node", "sys/kernel/mm/hugepages", "sys/block",
          "proc/cpuinfo", "proc/sys/kernel/random/boot_id", "sys/fs/cgroup")
MOVING = ("proc/stat", "proc/meminfo", "proc/pressure/cpu", "proc/pressure/memory", "proc/pressure/io",
          "proc/sys/vm/min_free_kbytes", "proc/sys/vm/watermark_scale_factor", "proc/net/route",
          "proc/net/ipv6_route")
SKIPPED = ("cgroup.event_control", "memory.numa_stat", "memory.kmem.slabinfo")
DEPTH = {"sys/block": 1, "sys/fs/cgroup": 1, "sys/devices/system/cpu": 4, "sys/devices/system/node": 1,
         "sys/kernel/mm/hugepages": 1}


def write(path, text):
    try:
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        return True
    except OSError:
        return False


class LiveScanner(Scanner):
    """What a run of the agent on "/" with --cgroup-root TOP reads. What does not move is read once."""

    def __init__(self, top):
        super().__init__("/", always_read=True)
        self.top, self.steady = top, {}
        for path in STEADY:
            self._add(path, DEPTH.get(path, 0), self.steady)

    def scan(self):
        self.known = dict(self.steady)
        for path in MOVING:
            self._add(path, 0, self.known)
        for name in HIERARCHIES:
            self._add(f"sys/fs/cgroup/{name}/{self.top}", 20, self.known)
        return self.known

    def _add(self, path, depth, known):
        try:
            status = os.stat("/" + path)
        except OSError:
            return
        parent = path.rpartition("/")[0]
        if parent and parent not in known:
            self._add(parent, -1, known)
        elif not parent:
            known.setdefault("", Entry("dir", 1, (), ""))
        if not os.path.isdir("/" + path):
            self._put_file(path, status, known)
            return
        known[path] = Entry("dir", status.st_ino, (), "")
        if depth < 0:
            return
        try:
            names = sorted(os.listdir("/" + path))
        except OSError:
            return  # it has gone
        for name in names:
            inner = f"{path}/{name}"
            if name in SKIPPED or (os.path.islink("/" + inner) and path != "sys/block"):
                continue
            if depth > 0 or not os.path.isdir("/" + inner):
                self._add(inner, depth - 1, known)

    @staticmethod
    def _put_file(path, status, known):
        try:
            file = os.open("/" + path, os.O_RDONLY | os.O_NONBLOCK)
        except OSError:
            text = b""  # it can only be written
        else:
            text = b""
            try:
                while chunk := os.read(file, 1 << 16):
                    text += chunk
            except OSError:
                pass
            os.close(file)
        known[path] = Entry("file", status.st_ino, (), text.decode("utf-8", "surrogateescape"))


class LiveNode:
    """Cgroups below /TOP in each hierarchy, and the processes in them."""

    def __init__(self, top, folder):
        self.top, self.folder = top, folder
        self.workers = {}  # cgroup -> (process, control file)
        self.pods = {}
        for path in ("", "kubepods", "kubepods/burstable", "kubepods/besteffort"):
            self.make(path)
        write(f"{CGROUP}/cpu/{top}/cpu.shares", "512")  # the rest of the machine comes first

    def path(self, hierarchy, cgroup):
        return f"{CGROUP}/{hierarchy}/{self.top}/{cgroup}".rstrip("/")

    def make(self, cgroup):
        for hierarchy in HIERARCHIES:
            path = self.path(hierarchy, cgroup)
            os.makedirs(path, exist_ok=True)
            if hierarchy == "cpuset":
                for name in ("cpuset.cpus", "cpuset.mems"):
                    with open(f"{os.path.dirname(path)}/{name}", encoding="ascii") as file:
                        write(f"{path}/{name}", file.read())

    def add(self, pod):
        """Creates the pod's cgroups as a kubelet does, and a process in each container."""
        self.pods[pod.name] = pod
        self.make(pod.cgroup)
        shares = 2 if pod.branch == "besteffort" else 512
        for cgroup in pod.cgroups:
            self.make(cgroup)
            write(self.path("cpu", cgroup) + "/cpu.shares", str(shares))
            if "cpu" in pod.limits:
                cpu = pod.limits["cpu"]
                milli = int(cpu[:-1]) if cpu.endswith("m") else int(cpu) * 1000
                write(self.path("cpu", pod.cgroup) + "/cpu.cfs_quota_us", str(milli * 100))
                write(self.path("cpu", cgroup) + "/cpu.cfs_quota_us", str(milli * 100))
            control = os.path.join(self.folder, cgroup.rpartition("/")[2])
            write(control, "{}")
            procs = [self.path(name, cgroup) + "/cgroup.procs" for name in HIERARCHIES]
            command = [sys.executable, f"{HERE}/live_load.py", control, *procs]
            self.workers[cgroup] = (subprocess.Popen(command), control)

    def limit_memory(self, pod, mib):
        write(self.path("memory", pod.cgroup) + "/memory.limit_in_bytes", str(mib << 20))

    def work(self, pod, **todo):
        for cgroup in pod.cgroups:
            if cgroup in self.workers:
                write(self.workers[cgroup][1] + ".new", json.dumps(todo))
                os.rename(self.workers[cgroup][1] + ".new", self.workers[cgroup][1])

    def remove(self, name):
        """Ends a pod: its processes, then its cgroups."""
        pod = self.pods.pop(name)
        for cgroup in pod.cgroups:
            process, _ = self.workers.pop(cgroup)
            process.send_signal(signal.SIGKILL)
            process.wait()
        for cgroup in [*pod.cgroups, pod.cgroup]:
            self._remove_dirs(cgroup)

    def _remove_dirs(self, cgroup):
        for hierarchy in HIERARCHIES:
            for _ in range(50):
                try:
                    os.rmdir(self.path(hierarchy, cgroup))
                    break
                except FileNotFoundError:
                    break
                except OSError:
                    time.sleep(0.02)

    def close(self):
        for name in list(self.pods):
            self.remove(name)
        for hierarchy in HIERARCHIES:
            top = self.path(hierarchy, "")
            for where, _, _ in os.walk(top, topdown=False):
                self._remove_dirs(where[len(top):].lstrip("/"))
