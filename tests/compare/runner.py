"""Runs one program through one recorded scenario, on a copy of the recorded trees."""
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass, field

import fresh
import journal
from answers import WHY, without_words
from program import Program, die_with_parent
from scenario import Paths
from tree import Scanner, apply, apply_one

PATIENCE = 120  # seconds for one answer
TIME = re.compile(r'"time":"[^"]*",')  # the audit's wall clock


@dataclass
class Result:
    """What one program did."""
    answers: list = field(default_factory=list)  # (line, [said, ...]) for each step
    problems: list = field(default_factory=list)  # recorded changes that were not possible here
    status: object = None  # exit status; "killed" as recorded; None: it did not end
    files: dict = field(default_factory=dict)  # {PLACE/path: content} afterwards
    stderr: str = ""


def build(scenario, roots):
    """Makes the recorded trees; the journal gets the inode numbers of the copies."""
    paths, inodes, journals = Paths(roots), {}, []
    for place, entries in scenario.head["initial"].items():
        os.makedirs(roots[place] if not entries else os.path.dirname(roots[place]), exist_ok=True)
        for kind, path, inode, text in entries:
            where = os.path.join(roots[place], path) if path else roots[place]
            apply_one(roots[place], [kind, path, paths.show(text) if kind == "link" else text])
            if kind == "dir" and place == "host":
                inodes[inode] = os.stat(where).st_ino
            if kind == "file" and place == "state" and path == "journal":
                journals.append((where, text))
    for where, text in journals:
        apply_one("", ["file", where, journal.retarget(text, inodes)])


def content(place, path, entry, roots):
    if entry.kind != "file":
        return entry.kind + " " + entry.text
    if place == "state" and path == "journal":
        return journal.comparable(entry.text, roots.get("host", "/"))
    if place == "state" and re.fullmatch(r"audit\.jsonl(\.1)?", path):
        return TIME.sub("", WHY.sub(without_words, entry.text))
    return entry.text


def collect(roots, scenario):
    out = {}
    for place, root in roots.items():
        for path, entry in Scanner(root, scenario.head["places"][place]).scan().items():
            out[f"{place}/{path}"] = content(place, path, entry, roots)
    return out


def converse(scenario, roots, binary, args, env, result):
    """Each recorded change, then the line that followed it."""
    paths = Paths(roots)
    with tempfile.TemporaryFile() as stderr:
        child = Program(binary, args, env, stderr)
        for at, (line, changes, _) in enumerate(scenario.steps):
            for place, todo in changes.items():
                todo = [[*change[:2], paths.show(change[2])] if change[0] == "link" else change for change in todo]
                result.problems += [f"before step {at}: {problem}" for problem in apply(roots[place], todo)]
            answer = child.ask(line, PATIENCE)
            result.answers.append((line, answer))
            if not answer and line:
                break
        if scenario.end is None:
            result.status = "killed" if child.child.poll() is None else child.wait()
            child.kill()
        else:
            result.status = child.wait(PATIENCE)
        stderr.seek(0)
        result.stderr = stderr.read().decode("utf-8", "replace")


def run(scenario, binary, base, mounted=False):
    """`base` is a directory that does not exist; it is gone afterwards. `mounted`: it is a tmpfs of its own."""
    roots = {place: os.path.join(base, place) for place in scenario.head["places"]}
    env = {name: value for name, value in os.environ.items() if not name.startswith("EVENKEEL_")}
    env.update(scenario.head["env"])
    args = [Paths(roots).show(arg) for arg in scenario.head["args"]]
    result = Result()
    with fresh.directory(base, mounted):
        build(scenario, roots)
        if args[0] == "restore":
            ran = subprocess.run([binary, *args], env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False,
                                 timeout=PATIENCE, preexec_fn=die_with_parent)
            result.status, result.stderr = ran.returncode, ran.stderr.decode("utf-8", "replace")
            result.answers.append((None, []))
        else:
            converse(scenario, roots, binary, args, env, result)
        result.files = collect(roots, scenario)
    return result
