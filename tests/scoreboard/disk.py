"""The disk to which services and batch work write: that below a directory, or one made of memory for an emulated guest."""

import os
import subprocess
import tempfile
import time

from node import read, write

MAKER = "/sys/kernel/config/nullb"
CONFIGFS = os.path.dirname(MAKER)


def below(directory):
    """The name of the whole disk below a directory, such as "vda". None: its file system is not on one disk."""
    device = os.stat(directory).st_dev
    place = os.path.realpath(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}")
    while os.path.isdir(f"{place}/slaves") and len(os.listdir(f"{place}/slaves")) == 1:  # dm-crypt, LVM
        place = os.path.realpath(f"{place}/slaves/{os.listdir(f'{place}/slaves')[0]}")
    if os.path.exists(f"{place}/partition"):
        place = os.path.dirname(place)
    return os.path.basename(place) if os.path.isdir(place) else None


def in_memory(directory):
    """A write there reaches no disk."""
    found = subprocess.run(["stat", "-f", "-c", "%T", directory], capture_output=True, text=True, check=True).stdout.strip()
    return found in ("tmpfs", "ramfs")


def scheduler(disk):
    return f"/sys/block/{disk}/queue/scheduler"


class NullDisk:
    """A disk of memory behind null_blk with a fixed bandwidth and time per request, so that it is as slow on a fast machine
    as on a slow one. Raises OSError or CalledProcessError where the kernel makes none. Removed by `close`.

    It takes no discards: those for the files of one contender would go on, at the disk's bandwidth, while the next one is
    measured. So its memory is not given back before the end, and the guest needs as much as SIZE_MIB."""

    SIZE_MIB = 768
    SETTINGS = {"size": SIZE_MIB, "memory_backed": 1, "blocksize": 4096, "queue_mode": 2, "irqmode": 2,
                "hw_queue_depth": 32, "completion_nsec": 500_000, "mbps": 100, "power": 1}

    def __init__(self):
        if not os.path.isdir(MAKER) and os.path.isdir(CONFIGFS):
            subprocess.run(["mount", "-t", "configfs", "configfs", CONFIGFS], capture_output=True)
        if not os.path.isdir(MAKER):
            raise OSError("no null_blk here")
        self.item, self.directory = f"{MAKER}/nullb-scoreboard", None
        os.mkdir(self.item)
        try:
            for name, value in self.SETTINGS.items():
                write(f"{self.item}/{name}", value)
            self.name = "nullb-scoreboard"
            if not os.path.exists(f"/sys/block/{self.name}"):  # an older kernel goes by number
                self.name = "nullb" + read(f"{self.item}/index").strip()
            subprocess.run(["mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", f"/dev/{self.name}"],
                           capture_output=True, check=True)
            self.directory = tempfile.mkdtemp(prefix="evenkeel-scoreboard-disk-")
            subprocess.run(["mount", "-t", "ext4", f"/dev/{self.name}", self.directory], capture_output=True, check=True)
        except BaseException:
            self.close()
            raise

    def close(self):
        if self.directory:
            for _ in range(50):  # what has just been killed may still have files open
                if subprocess.run(["umount", self.directory], capture_output=True).returncode == 0 or not os.path.ismount(self.directory):
                    break
                time.sleep(0.1)
            os.rmdir(self.directory)
        write(f"{self.item}/power", 0)
        os.rmdir(self.item)
