"""A network and a /sys of this process's own, in which an agent may change an interface without effect on the machine."""

import ctypes
import os
import subprocess

CLONE_NEWNS, CLONE_NEWNET, MS_BIND, MS_REC, MS_PRIVATE = 0x20000, 0x40000000, 0x1000, 0x4000, 1 << 18
LIBC = ctypes.CDLL(None, use_errno=True)
CGROUPS = "/sys/fs/cgroup"
LINK = "nic"
entered = []  # its interface, if this process has such a network
LINKS = f"""
link set lo up
link add {LINK} type veth peer name far
addr add 10.9.0.1/24 dev {LINK}
link set {LINK} up
link set far up
route add default via 10.9.0.2
"""


def mount(what, where, kind=None, flags=0):
    if LIBC.mount(what.encode(), where.encode(), kind and kind.encode(), flags, None) != 0:
        raise OSError(ctypes.get_errno(), f"cannot mount {what} on {where}")


def enter():
    """For this process and its children, from now on; before it has threads. OSError: it may not."""
    if LIBC.unshare(CLONE_NEWNS | CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "no namespaces of our own")
    cgroups = os.open(CGROUPS, os.O_PATH)
    mount("none", "/", flags=MS_REC | MS_PRIVATE)
    mount("sysfs", "/sys", "sysfs")  # it shows the interfaces of the network in which it was mounted
    mount(f"/proc/self/fd/{cgroups}", CGROUPS, flags=MS_BIND | MS_REC)
    os.close(cgroups)
    # Init has another network, from which an agent would conclude that this one is not the node's.
    mount("none", "/proc/1/ns", "tmpfs")
    done = subprocess.run(["ip", "-batch", "-"], input=LINKS, capture_output=True, text=True)
    if done.returncode != 0:
        raise OSError(0, f"ip: {(done.stdout + done.stderr).strip()}")
    entered.append(LINK)


def said(*command):
    return subprocess.run(command, capture_output=True, text=True).stdout


def has_queue():
    """Whether an agent's queue is on the interface."""
    return "e7e1:" in said("tc", "qdisc", "show", "dev", LINK)


def has_rules():
    """Whether an agent's packet rules are in the kernel."""
    return "evenkeel" in said("nft", "list", "tables")


def left():
    """What an agent left behind, as sentences; it is removed."""
    out = []
    if not entered:
        return out
    if has_queue():
        out.append(f"the queue of {LINK} is left")
        said("tc", "qdisc", "del", "dev", LINK, "root")
    if has_rules():
        out.append("the packet rules are left")
        said("nft", "delete", "table", "inet", "evenkeel")
    return out
