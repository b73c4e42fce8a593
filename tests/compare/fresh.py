"""A fresh tmpfs for each run, in a mount namespace of our own: its inode numbers begin anew, so two programs that do
the same see the same numbers (their length decides when the agent shortens its journal). Without the right to mount
there is a plain directory instead."""
import contextlib
import ctypes
import os
import shutil
import tempfile

CLONE_NEWNS, MS_REC, MS_PRIVATE, MNT_DETACH = 0x20000, 0x4000, 1 << 18, 2
LIBC = ctypes.CDLL(None, use_errno=True)


def own_namespace():
    """Whether this process and its children may mount without effect on other processes."""
    return LIBC.unshare(CLONE_NEWNS) == 0 and LIBC.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None) == 0


@contextlib.contextmanager
def scratch():
    """A directory for the directories of all runs."""
    with tempfile.TemporaryDirectory(prefix="evenkeel-compare-", dir="/dev/shm", ignore_cleanup_errors=True) as path:
        try:
            yield path
        finally:
            for name in os.listdir(path):  # of runs that were ended by a signal
                LIBC.umount2(os.path.join(path, name).encode(), MNT_DETACH)


@contextlib.contextmanager
def directory(path, mounted):
    os.makedirs(path)
    where = path.encode()
    mounted = mounted and LIBC.mount(b"compare", where, b"tmpfs", 0, None) == 0
    try:
        yield
    finally:
        if mounted:
            LIBC.umount2(where, MNT_DETACH)
        shutil.rmtree(path, ignore_errors=True)
