"""What a soak of several calls keeps between them: what was measured and counted, and the state directory of the agent."""

import collections
import hashlib
import json
import os
import platform
import shutil

FILLER = "filler"  # of the disk, see Soak.fill_disk


def fields(soak):
    """(name in the file, object, attribute) of all that is counted and measured."""
    agent = soak.agent
    return [("left", soak, "left"), ("done", soak, "done"), ("evictions", soak.api, "evictions"), ("lives", agent, "lives"),
            ("lives_by_api", agent, "lives_by_api"), ("ends", agent, "ends"), ("longest_minutes", agent, "longest_minutes"),
            ("longest", agent.longest, "rows"), ("used", agent.used, "rows")]


def from_json(value):
    """Counters and rows as they were before JSON made dictionaries and lists of them."""
    if isinstance(value, dict):
        return collections.Counter(value)
    return [tuple(row) for row in value] if isinstance(value, list) else value


class Kept:
    """Without --keep it keeps nothing. Of another program or kernel, or of a soak that failed, nothing is taken over."""

    def __init__(self, options):
        self.directory = options.keep
        with open(options.binary, "rb") as program:
            self.under = {"program": hashlib.sha256(program.read()).hexdigest(), "kernel": platform.release()}

    def restore(self, soak):
        """Before its agent starts for the first time."""
        if not self.directory or not os.path.exists(f"{self.directory}/soak.json"):
            return
        with open(f"{self.directory}/soak.json") as file:
            old = json.load(file)
        if old["under"] != self.under:
            print("the minutes of earlier calls are of another program or kernel: begins anew", flush=True)
            return
        shutil.copytree(f"{self.directory}/state", f"{soak.work}/state", dirs_exist_ok=True)
        soak.minutes_before = old["minutes"]
        for name, owner, attribute in fields(soak):
            setattr(owner, attribute, from_json(old[name]))
        print(f"{soak.minutes_before:.1f} minutes are of earlier calls", flush=True)

    def save(self, soak):
        """After its agent has ended. Returns the minutes that are left."""
        minutes = soak.minutes()
        left = max(soak.options.minutes - minutes, 0)
        if not self.directory:
            return left
        shutil.rmtree(self.directory, ignore_errors=True)
        if left > 0 and not soak.problems:
            shutil.copytree(f"{soak.work}/state", f"{self.directory}/state", ignore=shutil.ignore_patterns(FILLER))
            with open(f"{self.directory}/soak.json", "w") as file:
                json.dump({"under": self.under, "minutes": minutes,
                           **{name: getattr(owner, attribute) for name, owner, attribute in fields(soak)}}, file)
        return left
