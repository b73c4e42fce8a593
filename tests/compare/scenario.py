"""A recorded scenario: one run of the program, as lines of JSON (gzip when the name ends in .gz).

  {"scenario": NAME, "args": [...], "env": {...}, "places": {PLACE: only}, "initial": {PLACE: [[kind, path, inode, text]]}}
  {"line": "advance 1s", "changes": {PLACE: [...]}}     before the program gets the line (null: end of input)
  {"answer": [LINE, ...]}                               the program's answer to it
  {"end": STATUS}                                       it ended by itself

A place is a directory that the program reads or writes. In arguments, link targets and answers its path is
written {PLACE}, so that a replay can put it elsewhere. A program that was killed has no "end", and perhaps a last
line without an answer; a torn last line of the file is ignored.
"""
import gzip
import json
import os

FLAGS = {"--host-root": "host", "--state-dir": "state", "--nodeslo": "nodeslo", "--pods": "pods", "--node": "node"}
SHARED = {"/", "/tmp", "/dev/shm", "/var/tmp", "/etc"}  # a file's directory that belongs to many


def find_places(args):
    """{PLACE: (directory, only)} for the command line of `evenkeel run` or `evenkeel restore`. `only` is a file's
    name where just this file of the directory is the program's."""
    places = {}
    for flag, value in flags_of(args):
        if flag in ("--host-root", "--state-dir"):
            places[FLAGS[flag]] = (os.path.abspath(value), None)
    if "host" in places and "state" not in places:  # the program's default
        places["state"] = ("/var/lib/evenkeel/host" + places["host"][0].replace("/", "-"), None)
    for flag, value in flags_of(args):
        if flag not in ("--nodeslo", "--pods", "--node"):
            continue
        if flag == "--pods":
            if not value.startswith("file:"):
                continue
            value = value[len("file:"):]
        folder, name = os.path.split(os.path.abspath(value))
        if any(inside(folder, root) for root, only in places.values() if only is None):
            continue
        places[FLAGS[flag]] = (folder, name if folder in SHARED else None)
    return places


def flags_of(args):
    for at, arg in enumerate(args):
        name, equals, value = arg.partition("=")
        if name in FLAGS:
            if equals:
                yield name, value
            elif at + 1 < len(args):
                yield name, args[at + 1]


def inside(path, root):
    return path == root or path.startswith(root.rstrip("/") + "/")


class Paths:
    """Replaces the paths of places by their names and back."""

    def __init__(self, roots):
        self.roots = sorted(roots.items(), key=lambda item: -len(item[1]))

    def hide(self, text):
        for place, root in self.roots:
            text = text.replace(root, "{" + place + "}")
        return text

    def show(self, text):
        for place, root in self.roots:
            text = text.replace("{" + place + "}", root)
        return text


class Scenario:
    def __init__(self, path):
        self.path = path
        opener = gzip.open if path.endswith(".gz") else open
        with opener(path, "rt", encoding="ascii") as file:
            lines = file.read().split("\n")
        events = []
        for line in lines:
            try:
                events.append(json.loads(line))
            except ValueError:
                break  # the recorder was killed while it wrote this
        self.head = events[0] if events else {}
        self.events = events[1:]

    @property
    def name(self):
        return self.head["scenario"]

    @property
    def steps(self):
        """(line, changes, recorded answer or None), without a last line that has no answer."""
        out = []
        for event in self.events:
            if "line" in event:
                out.append([event["line"], event["changes"], None])
            elif "answer" in event and out:
                out[-1][2] = event["answer"]
        if out and out[-1][2] is None and self.end is None:
            out.pop()
        return out

    @property
    def end(self):
        """The exit status; None: killed."""
        return self.events[-1].get("end") if self.events else None


def scenario_files(folder):
    if os.path.isfile(folder):
        return [folder]
    return sorted(os.path.join(where, name) for where, _, names in os.walk(folder) for name in names
                  if name.endswith((".scenario", ".scenario.gz")))
