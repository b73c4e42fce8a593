"""Values of the kernel that are set for one round, and taken back after it."""

import os

from node import read, write


class Values:
    def __init__(self):
        self.before = []

    def set(self, path, value):
        """Remembers what stands there now. The kernel forgets the shares of what becomes idle."""
        if os.path.basename(path) == "cpu.idle":
            beside = [f"{os.path.dirname(path)}/{name}" for name in ["cpu.shares", "cpu.weight"]]
            self.before += [(each, standing(each)) for each in beside if os.path.exists(each)]
        self.before.append((path, standing(path)))
        write(path, value)

    def restore(self):
        """The last one first: a set of CPUs is narrowed from the leaves up, and widened from the top down. Directories of a
        pod that ended are gone."""
        while self.before:
            path, lines = self.before.pop()
            for line in lines if os.path.exists(path) else []:
                write(path, line + "\n")


def standing(path):
    """The lines that write the present value again: of a choice such as "[none] bfq" only what is chosen."""
    text = read(path).rstrip("\n")
    chosen = [word[1:-1] for word in text.split() if word.startswith("[") and word.endswith("]")]
    return chosen or text.split("\n")
