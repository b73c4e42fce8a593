"""A made-up node for `generate`: its files as a tree in memory, and a second passing on it. The sets of control
files come from recorded scenarios, so they are what the tests take for the kernel's."""
import itertools
import re
from dataclasses import dataclass, field

from scenario import Scenario, scenario_files
from tree import Entry

KINDS = ("v1", "v2", "hybrid")
CGROUP = "sys/fs/cgroup"
CONTAINER = {"v1": re.compile(rf"{CGROUP}/cpu/(kubepods/burstable/pod[^/]+/[^/]+)/cpu\.shares"),
             "v2": re.compile(rf"{CGROUP}/(kubepods/burstable/pod[^/]+/[^/]+)/cpu\.weight")}
V1 = ("cpu", "cpuacct", "cpuset", "memory", "blkio", "perf_event")
MEMORY_KIB = 16 << 20
RESCTRL = {"schemata": "    MB:0=100\n    L3:0=7ff\n", "tasks": "1\n", "info/last_cmd_status": "ok\n",
           "info/L3/cbm_mask": "7ff\n", "info/L3/num_closids": "16\n", "info/L3/min_cbm_bits": "1\n",
           "info/MB/num_closids": "8\n", "info/MB/min_bandwidth": "10\n", "info/MB/bandwidth_gran": "10\n"}


def find_templates(folder):
    """{"v1"|"v2": (files of the machine, {hierarchy: files of a container's cgroup})} of a node with 8 CPUs or more."""
    found = {}
    for path in scenario_files(folder):
        files = {name: text for kind, name, _, text in Scenario(path).head.get("initial", {}).get("host", [])
                 if kind == "file"}
        if "proc/meminfo" not in files or "sys/devices/system/cpu/cpu7/topology/core_id" not in files:
            continue
        for kind, pattern in CONTAINER.items():
            match = next(filter(None, map(pattern.fullmatch, files)), None)
            if match and kind not in found:
                found[kind] = split_template(files, kind, match[1])
        if len(found) == len(CONTAINER):
            return found
    raise SystemExit(f"{folder} has no scenario of each kind: {sorted(CONTAINER)}")


def split_template(files, kind, container):
    machine = {path: text for path, text in files.items() if "/kubepods" not in path}
    hierarchies = V1 if kind == "v1" else ("",)
    inner = {}
    for name in hierarchies:
        prefix = "/".join(part for part in (CGROUP, name, container) if part) + "/"
        inner[name] = {path[len(prefix):]: text for path, text in files.items() if path.startswith(prefix)}
    return machine, inner


@dataclass
class Use:
    """What a container's cgroup has used so far, and what it does now."""
    cores: float = 0.2
    anon: int = 64 << 20
    cache: int = 16 << 20
    stalls: dict = field(default_factory=lambda: {"cpu": 0, "memory": 0, "io": 0})
    used_ns: int = 0
    periods: int = 0
    throttled: int = 0


class MadeUpNode:
    def __init__(self, kind, templates, rng):
        self.kind, self.rng = kind, rng
        self.inodes = itertools.count(100)
        self.files = {"host": {}, "config": {}}
        self.tree = {"host": {}, "config": {}}
        self.uses = {}  # cgroup of a container -> Use
        self.pods = {}
        self.seconds = 0
        self.node_ticks = 0
        self.spell = set()  # what the memory stalls of now hit
        machine, self.inner = templates["v2" if kind == "v2" else "v1"]
        self.inner = dict(self.inner)
        if kind == "hybrid":
            self.inner["unified"] = {name: text for name, text in templates["v2"][1][""].items()
                                     if name.startswith("cgroup.") or name.endswith(".pressure")}
            self.put_all("host", f"{CGROUP}/unified", self.inner["unified"])
        self.put_all("host", "", machine)
        if rng.random() < 0.5:
            self.put_all("host", "sys/fs/resctrl", RESCTRL)
        self.put("host/sys/block/vdb/dev", "253:16\n")
        for branch in ("", "/burstable", "/besteffort"):
            self.make("kubepods" + branch)

    def put_all(self, place, folder, files):
        for name, text in files.items():
            self.put("/".join(part for part in (place, folder, name) if part), text)

    def put(self, path, text):
        place, _, name = path.partition("/")
        tree = self.tree[place]
        parts = name.split("/")
        for at in range(len(parts)):
            folder = "/".join(parts[:at])
            if folder not in tree:
                tree[folder] = Entry("dir", next(self.inodes), (), "")
        inode = tree[name].inode if name in tree else next(self.inodes)
        tree[name] = Entry("file", inode, (), text)

    def trees(self):
        return {place: dict(tree) for place, tree in self.tree.items()}

    def dirs(self, cgroup):
        return {name: "/".join(part for part in ("host", CGROUP, name, cgroup) if part) for name in self.inner}

    def make(self, cgroup):
        for name, folder in self.dirs(cgroup).items():
            for file, text in self.inner[name].items():
                best_effort = "besteffort" in cgroup
                if file in ("cpu.shares", "cpu.weight"):
                    text = {"cpu.shares": "2\n", "cpu.weight": "1\n"}[file] if best_effort else text
                elif file in ("cpu.max", "cpu.cfs_quota_us"):
                    text = "max 100000\n" if file == "cpu.max" else "-1\n"
                self.put(f"{folder}/{file}", text)

    def setting(self, cgroup, file, text):
        for name, folder in self.dirs(cgroup).items():
            if file in self.inner[name]:
                self.put(f"{folder}/{file}", text)

    def add(self, pod):
        self.make(pod.cgroup)
        for cgroup in pod.cgroups:
            self.make(cgroup)
            self.uses[cgroup] = Use(cores=self.rng.uniform(0, 1.5))
        self.pods[pod.name] = pod
        limit = pod.limits.get("cpu")
        if limit:
            milli = int(limit[:-1]) if limit.endswith("m") else int(limit) * 1000
            for cgroup in [pod.cgroup, *pod.cgroups]:
                self.setting(cgroup, "cpu.cfs_quota_us", f"{milli * 100}\n")
                self.setting(cgroup, "cpu.max", f"{milli * 100} 100000\n")

    def remove(self, pod):
        del self.pods[pod.name]
        for cgroup in pod.cgroups:
            del self.uses[cgroup]
        for folder in self.dirs(pod.cgroup).values():
            gone = folder.partition("/")[2]
            for path in [path for path in self.tree["host"] if path == gone or path.startswith(gone + "/")]:
                del self.tree["host"][path]

    def foreign_write(self, pod):
        """Another process writes a value that the agent may manage: a change for a scenario."""
        cgroup = self.rng.choice([*pod.cgroups, pod.cgroup, "kubepods/besteffort"])
        choices = {"cpu.cfs_quota_us": ["-1\n", "70000\n", "250000\n"], "cpu.shares": ["2\n", "512\n"],
                   "cpu.max": ["max 100000\n", "70000 100000\n"], "cpu.weight": ["1\n", "50\n"], "cpu.idle": ["0\n"],
                   "cpuset.cpus": ["0-7\n", "4-7\n"], "memory.high": ["max\n"], "memory.limit_in_bytes": ["536870912\n"]}
        there = [(f"{folder.partition('/')[2]}/{file}", file) for name, folder in self.dirs(cgroup).items()
                 for file in self.inner[name] if file in choices]
        path, file = self.rng.choice(there)
        return ["file", path, self.rng.choice(choices[file])]

    def second(self):
        rng = self.rng
        self.seconds += 1
        if rng.random() < 0.08:  # services and antagonists that wait for memory or disks together
            self.spell = {rng.choice(list(self.pods)), rng.choice(list(self.pods))} if rng.random() < 0.6 else set()
        for pod in self.pods.values():
            for cgroup in pod.cgroups:
                self.pass_second(self.uses[cgroup], pod)
        total = {}
        for cgroup, use in self.uses.items():
            self.write_use(cgroup, [use])
            for at in range(1, cgroup.count("/") + 1):
                total.setdefault(cgroup.rsplit("/", at)[0], []).append(use)
        for cgroup, uses in total.items():
            self.write_use(cgroup, uses)
        self.write_machine()

    def pass_second(self, use, pod):
        rng = self.rng
        if rng.random() < 0.15:
            use.cores = rng.choice([0, 0.3, 1, 2.5])
        use.anon = max(1 << 20, min(2 << 30, use.anon + rng.randint(-(8 << 20), 12 << 20)))
        use.cache = max(1 << 20, min(1 << 30, use.cache + rng.randint(-(8 << 20), 10 << 20)))
        use.used_ns += int(use.cores * rng.uniform(0.9, 1.1) * 1e9)
        use.periods += 10
        use.throttled += rng.randint(0, 10) if use.cores > 0.9 else 0
        hit = pod.name in self.spell
        for what in use.stalls:
            most = {"cpu": 300_000, "memory": 500_000, "io": 300_000}[what] if hit else 4_000
            use.stalls[what] += int(rng.uniform(0.5, 1) * most)

    def write_use(self, cgroup, uses):
        total = lambda name: sum(getattr(use, name) for use in uses)
        used, anon, cache = total("used_ns"), total("anon"), total("cache")
        bandwidth = f"nr_periods {total('periods')}\nnr_throttled {total('throttled')}\n"
        stat = f"{{0}}inactive_anon 0\n{{0}}active_anon {anon}\n{{0}}inactive_file {cache // 2}\n" \
               f"{{0}}active_file {cache // 2}\n{{0}}unevictable 0\n"
        self.setting(cgroup, "cpuacct.usage", f"{used}\n")
        self.setting(cgroup, "cpuacct.stat", f"user {used // 20_000_000}\nsystem {used // 20_000_000}\n")
        self.setting(cgroup, "cpu.stat", bandwidth + "throttled_time 0\nnr_bursts 0\nburst_time 0\n"
                     if self.kind != "v2" else f"usage_usec {used // 1000}\nuser_usec 0\nsystem_usec {used // 2000}\n"
                     + bandwidth + "throttled_usec 0\nnr_bursts 0\nburst_usec 0\n")
        self.setting(cgroup, "memory.usage_in_bytes", f"{anon + cache}\n")
        self.setting(cgroup, "memory.current", f"{anon + cache}\n")
        self.setting(cgroup, "memory.stat", f"anon {anon}\nfile {cache}\n" + stat.format("") if self.kind == "v2" else
                     f"cache {cache}\nrss {anon}\n" + stat.format("") + f"total_cache {cache}\ntotal_rss {anon}\n"
                     + stat.format("total_"))
        for what in ("cpu", "memory", "io"):
            stalled = max(use.stalls[what] for use in uses)
            self.setting(cgroup, f"{what}.pressure", self.pressure(stalled, uses))

    def pressure(self, stalled, uses):
        percent = min(99.0, 30.0 * any(use.stalls["memory"] > 10**6 for use in uses) * bool(self.spell))
        return f"some avg10={percent:.2f} avg60=1.00 avg300=0.10 total={stalled}\n" \
               f"full avg10={percent / 3:.2f} avg60=0.00 avg300=0.00 total={stalled // 3}\n"

    def write_machine(self):
        uses = list(self.uses.values())
        busy = sum(use.used_ns for use in uses) // 10_000_000 + self.seconds * 40
        self.put("host/proc/stat", f"cpu  {busy} 0 {self.seconds * 5} {self.seconds * 300} 0 0 0 0 0 0\n")
        used = sum(use.anon for use in uses) // 1024 + (1 << 20)
        cache = sum(use.cache for use in uses) // 1024
        free = max(100_000, MEMORY_KIB - used - cache)
        self.put("host/proc/meminfo", f"MemTotal:       {MEMORY_KIB} kB\nMemFree:        {free} kB\n"
                 f"MemAvailable:   {min(MEMORY_KIB, free + cache // 2)} kB\nActive(anon):   {used} kB\n"
                 f"Inactive(anon): 0 kB\nActive(file):   {cache // 2} kB\nInactive(file): {cache // 2} kB\n")
        for what in ("cpu", "memory", "io"):
            self.put(f"host/proc/pressure/{what}", self.pressure(max(use.stalls[what] for use in uses), uses))
