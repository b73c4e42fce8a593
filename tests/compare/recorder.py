#!/usr/bin/env python3
"""Takes the place of the program while tests run, and records each run as a scenario.

  EVENKEEL_BINARY=tests/compare/recorder.py COMPARE_PROGRAM=build/release/evenkeel COMPARE_INTO=DIR
  COMPARE_SCENARIO=NAME COMPARE_MOST=N build/release/tests/agent_tests ...

Records `run --stepped` and `restore` on a host root of their own, at most COMPARE_MOST runs for each NAME;
everything else is passed on to the program unrecorded.
"""
import json
import os
import select
import subprocess
import sys

sys.dont_write_bytecode = True
from program import Program, die_with_parent  # noqa: E402
from scenario import Paths, find_places  # noqa: E402
from tree import Scanner, changes, in_order_of_birth  # noqa: E402


class Recorder:
    """Writes one scenario. `places` is {PLACE: Scanner}; each event is on disk before the program acts on it."""

    def __init__(self, path, name, args, places, env):
        self.file = open(path, "x", encoding="ascii", buffering=1)
        self.paths = Paths({place: scanner.root for place, scanner in places.items() if scanner.root != "/"})
        self.places = places
        self.known = {}
        head = {"scenario": name, "args": [self.paths.hide(arg) for arg in args], "env": env,
                "places": {place: scanner.only for place, scanner in places.items()}, "initial": {}}
        for place, scanner in places.items():
            tree = self.known[place] = scanner.scan()
            head["initial"][place] = [[tree[path].kind, path, tree[path].inode, self._text(tree[path])]
                                      for path in in_order_of_birth(tree, tree)]
        self._put(head)

    def _text(self, entry):
        return self.paths.hide(entry.text) if entry.kind == "link" else entry.text

    def _put(self, event):
        self.file.write(json.dumps(event, separators=(",", ":")) + "\n")

    def line(self, line):
        """Before the program gets this line: what has changed since its last answer."""
        todo = {}
        for place, scanner in self.places.items():
            now = scanner.scan()
            changed = changes(self.known[place], now)
            self.known[place] = now
            if changed:
                todo[place] = [[*change[:2], self.paths.hide(change[2])] if change[0] == "link" else change
                               for change in changed]
        self._put({"line": line, "changes": todo})

    def answer(self, answer):
        """What the program itself has changed until now is no part of the recording."""
        self._put({"answer": [self.paths.hide(line) for line in answer]})
        for place, scanner in self.places.items():
            self.known[place] = scanner.scan()

    def end(self, status):
        self._put({"end": status})
        self.file.close()


def free_path(folder, name, most):
    """(name, path) of the first free number; None when there are enough recordings of this name."""
    safe = name.replace("/", "-")
    for number in range(1, most + 1):
        path = os.path.join(folder, f"{safe}.{number}.scenario")
        if not os.path.exists(path):
            return f"{name}.{number}", path
    return None


def record_to_end(recorder, program, args):
    """A command without a conversation."""
    recorder.line(None)
    status = subprocess.run([program, *args], preexec_fn=die_with_parent, check=False).returncode
    recorder.answer([])
    return status if status >= 0 else 128 - status


def record_lines(recorder, program, args):
    child = Program(program, args, None, survives_us=True)
    buffer, open_ = b"", True
    while True:
        if b"\n" not in buffer and open_:
            ready = select.select([0, child.out], [], [])[0]
            if child.out in ready:  # output without a question: the program has ended
                break
            chunk = os.read(0, 1 << 16)
            buffer, open_ = buffer + chunk, bool(chunk)
            continue
        line = None
        if b"\n" in buffer:
            raw, buffer = buffer.split(b"\n", 1)
            line = raw.decode("utf-8", "surrogateescape")
        recorder.line(line)
        answer = child.ask(line)
        recorder.answer(answer)
        for said in answer:
            os.write(1, said.encode("utf-8", "surrogateescape") + b"\n")
        if line is None or line == "quit" or (not answer and line):
            break
    return child.wait()


def main(argv):
    program, into = os.environ["COMPARE_PROGRAM"], os.environ["COMPARE_INTO"]
    args = argv[1:]
    places = find_places(args)
    verb = args[0] if args else ""
    recorded = places.get("host", ("/", None))[0] != "/" and (
        (verb == "run" and "--stepped" in args) or verb == "restore")
    free = free_path(into, os.environ.get("COMPARE_SCENARIO", "run"),
                     int(os.environ.get("COMPARE_MOST", "1000"))) if recorded else None
    if free is None:
        os.execv(program, [program, *args])
    env = {name: value for name, value in os.environ.items()
           if name.startswith("EVENKEEL_") and name != "EVENKEEL_BINARY"}
    recorded_args = args if "--state-dir" in args else [*args, "--state-dir", places["state"][0]]
    recorder = Recorder(free[1], free[0], recorded_args,
                        {place: Scanner(root, only) for place, (root, only) in places.items()}, env)
    status = (record_to_end if verb == "restore" else record_lines)(recorder, program, args)
    recorder.end(status)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv))
