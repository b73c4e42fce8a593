"""How a child process gets its cgroup and its request size, before it executes its program."""

import ctypes
import os


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
    node.enter(leaf)
    if size_ms:
        set_request_size(size_ms)
