"""Cgroup directories below a top of their own, made as a kubelet and a runtime make them, on v1 and v2."""

import os
import time

ROOT = "/sys/fs/cgroup"
V1_CONTROLLERS = ["cpu", "cpuacct", "cpuset", "memory", "blkio"]
V2_CONTROLLERS = ["cpu", "cpuset", "memory", "io"]
# A killed process needs some CPU to go, and one with few shares gets it late on a busy machine.
LEAVE_SECONDS = 20


def is_v2():
    return os.path.exists(f"{ROOT}/cgroup.controllers")


def write(path, text):
    with open(path, "w") as file:
        file.write(str(text))


def read(path):
    with open(path) as file:
        return file.read()


def v1_roots(having="."):
    """Where the hierarchies are mounted that have a directory `having`. On a hybrid host one is the unified hierarchy: a
    runtime has its containers there as well, and PSI measures them there."""
    return {name: f"{ROOT}/{name}" for name in V1_CONTROLLERS + ["unified"] if os.path.isdir(f"{ROOT}/{name}/{having}")}


class CgroupTree:
    """`roots`: where each controller that is mounted has its hierarchy. Makes nothing before `make`."""

    def __init__(self, top):
        self.top, self.v2 = top, is_v2()
        self.roots = {name: ROOT for name in V2_CONTROLLERS} if self.v2 else v1_roots()

    def places(self):
        return dict.fromkeys(self.roots.values())

    def file(self, controller, directory, name):
        return f"{self.roots[controller]}/{directory}/{name}"

    def make(self, path):
        for root in self.places():
            at = root
            for part in path.split("/"):
                if self.v2:
                    enabled = read(f"{at}/cgroup.subtree_control").split()
                    for name in V2_CONTROLLERS:
                        if name not in enabled and name in read(f"{at}/cgroup.controllers").split():
                            write(f"{at}/cgroup.subtree_control", "+" + name)
                parent, at = at, f"{at}/{part}"
                if os.path.isdir(at):
                    continue
                os.mkdir(at)
                if root.endswith("/cpuset"):
                    for file in ["cpuset.cpus", "cpuset.mems"]:
                        write(f"{at}/{file}", read(f"{parent}/{file}"))

    def enter(self, path):
        """For a child process before it executes its program."""
        for root in self.places():
            write(f"{root}/{path}/cgroup.procs", os.getpid())

    def remove(self, path=None):
        """A directory and all below it, by default the top. Processes that have just been killed may still leave it."""
        for root in self.places():
            for at, _, _ in os.walk(f"{root}/{path or self.top}", topdown=False):
                until = time.monotonic() + LEAVE_SECONDS
                while time.monotonic() < until:
                    try:
                        os.rmdir(at)
                        break
                    except FileNotFoundError:
                        break
                    except OSError:
                        time.sleep(0.01)
