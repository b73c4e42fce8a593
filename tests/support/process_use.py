"""What a running process holds, as the kernel says it."""

import os


def use_of(pid):
    """(resident KiB, descriptors, BPF programs and maps among these); None if it has ended."""
    try:
        with open(f"/proc/{pid}/status") as file:
            resident = next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))
        descriptors = os.listdir(f"/proc/{pid}/fd")
    except (OSError, StopIteration):  # a zombie has no VmRSS
        return None
    bpf = 0
    for descriptor in descriptors:
        try:
            bpf += os.readlink(f"/proc/{pid}/fd/{descriptor}").startswith("anon_inode:bpf")
        except OSError:
            pass  # closed meanwhile
    return resident, len(descriptors), bpf
