"""Snapshots of a directory tree, the changes between two snapshots, and how to apply them to a copy.

A snapshot maps each path (relative to the tree's root, "" is the root itself) to an Entry. The inode number is
part of it because the agent identifies a cgroup by the inode of its directory: a directory that was removed and
made again must be removed and made again in the copy too.
"""
import os
import shutil
import stat
import time
from typing import NamedTuple

RECENT_NS = 50_000_000  # file systems stamp with the granularity of a timer tick, so a recent file is read again


class Entry(NamedTuple):
    kind: str  # "dir", "file" or "link"
    inode: int
    stamp: tuple  # what tells without reading that a file is unchanged
    text: str  # a file's content, a link's target


def text_of(path):
    """A file's bytes as text that JSON can hold; None where it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "surrogateescape")
    except OSError:
        return None


class Scanner:
    """Takes snapshots of one directory. Files with an unchanged stamp are not read again, unless
    `always_read` is set: files of proc, sysfs and cgroupfs have no useful stamp."""

    def __init__(self, root, only=None, always_read=False):
        self.root = root
        self.only = only  # one file name: the rest of the directory is not looked at
        self.always_read = always_read
        self.known = {}
        self.began = 0

    def scan(self):
        before, since = self.known, self.began - RECENT_NS
        self.began = time.time_ns()
        self.known = {}
        try:
            self._put_dir("", os.stat(self.root))
        except OSError:
            return self.known
        self._scan_below("", before, since)
        return self.known

    def _put_dir(self, path, status):
        self.known[path] = Entry("dir", status.st_ino, (), "")

    def _scan_below(self, path, before, since):
        try:
            names = list(os.scandir(os.path.join(self.root, path)))
        except OSError:
            return
        for name in names:
            if self.only is None or name.name == self.only:
                self._put(path + "/" + name.name if path else name.name, name, before, since)

    def _put(self, path, name, before, since):
        try:
            status = name.stat(follow_symlinks=False)
        except OSError:
            return
        if stat.S_ISDIR(status.st_mode):
            self._put_dir(path, status)
            self._scan_below(path, before, since)
        elif stat.S_ISLNK(status.st_mode):
            self.known[path] = Entry("link", status.st_ino, (), os.readlink(name.path))
        elif stat.S_ISREG(status.st_mode):
            stamp = (status.st_size, status.st_mtime_ns, status.st_ctime_ns)
            old = before.get(path)
            if old and not self.always_read and old.inode == status.st_ino and old.stamp == stamp \
                    and status.st_ctime_ns < since:
                self.known[path] = old
            else:
                # A file that can be written but not read (memory.reclaim) is there, and that matters.
                self.known[path] = Entry("file", status.st_ino, stamp, text_of(name.path) or "")


def in_order_of_birth(paths, tree):
    """Rising inode numbers, but a directory before what is in it: copies get inode numbers in the same order."""
    ordered, wanted, done = [], set(paths), set()

    def add(path):
        if path in done or path not in wanted:
            return
        if path:
            add(path.rpartition("/")[0])
        done.add(path)
        ordered.append(path)

    for path in sorted(paths, key=lambda p: (tree[p].inode, p)):
        add(path)
    return ordered


def same_node(one, two):
    return one.kind == two.kind and one.inode == two.inode


def changes(before, after):
    """What turns the tree `before` into `after`: a list of ["gone", path], ["dir", path], ["file", path, text]
    and ["link", path, target]."""
    gone = {path for path, entry in before.items() if path not in after or not same_node(entry, after[path])}
    tops = [path for path in gone if not path or path.rpartition("/")[0] not in gone]
    removed = lambda path: path in gone or any(path.startswith(top + "/") or not top for top in tops)
    out = [["gone", path] for path in sorted(tops)]
    fresh = [path for path in after if path not in before or removed(path)] if tops else \
        [path for path in after if path not in before]
    out += [create(path, after[path]) for path in in_order_of_birth(fresh, after)]
    fresh = set(fresh)
    out += [create(path, entry) for path, entry in sorted(after.items())
            if path not in fresh and entry.text != before[path].text]
    return out


def create(path, entry):
    return [entry.kind, path] if entry.kind == "dir" else [entry.kind, path, entry.text]


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.unlink(path)


def apply_one(root, change):
    what, path = change[0], os.path.join(root, change[1]) if change[1] else root
    if what == "gone":
        remove(path)
    elif what == "dir":
        os.mkdir(path)
    elif what == "link":
        if os.path.islink(path):
            os.unlink(path)
        os.symlink(change[2], path)
    else:
        with open(path, "wb") as file:
            file.write(change[2].encode("utf-8", "surrogateescape"))


def apply(root, todo):
    """Applies changes; returns a line for each that was not possible."""
    problems = []
    for change in todo:
        try:
            apply_one(root, change)
        except OSError as error:
            problems.append(f"{change[0]} {change[1]}: {error.strerror}")
    return problems
