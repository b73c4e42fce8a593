"""What a soak of several calls keeps between them: what was measured and counted, and the state directory of the agent."""

import collections
import hashlib
import json
import os
import shutil

FILLER = "filler"  # of the disk, see Soak.fill_disk


class Kept:
    """Without --keep it keeps nothing. Of another program, or of a soak that failed, nothing is taken over."""

    def __init__(self, options):
        self.directory = options.keep
        with open(options.binary, "rb") as program:
            self.program = hashlib.sha256(program.read()).hexdigest()

    def restore(self, soak):
        """Before its agent starts for the first time."""
        if not self.directory or not os.path.exists(f"{self.directory}/soak.json"):
            return
        with open(f"{self.directory}/soak.json") as file:
            old = json.load(file)
        if old["program"] != self.program:
            print("the minutes of earlier calls are of another program: begins anew", flush=True)
            return
        shutil.copytree(f"{self.directory}/state", f"{soak.work}/state", dirs_exist_ok=True)
        agent = soak.agent
        soak.minutes_before, soak.left, soak.done = old["minutes"], old["left"], collections.Counter(old["done"])
        soak.api.evictions = collections.Counter(old["evictions"])
        agent.lives, agent.lives_by_api, agent.ends = old["lives"], old["lives_by_api"], collections.Counter(old["ends"])
        agent.longest_minutes = old["longest_minutes"]
        agent.longest.rows, agent.used.rows = ([tuple(row) for row in old[name]] for name in ("longest", "used"))
        print(f"{soak.minutes_before:.1f} minutes are of earlier calls", flush=True)

    def save(self, soak):
        """After its agent has ended."""
        if not self.directory:
            return
        shutil.rmtree(self.directory, ignore_errors=True)
        if soak.problems or soak.minutes() >= soak.options.minutes:
            return
        agent = soak.agent
        shutil.copytree(f"{soak.work}/state", f"{self.directory}/state", ignore=shutil.ignore_patterns(FILLER))
        with open(f"{self.directory}/soak.json", "w") as file:
            json.dump({"program": self.program, "minutes": soak.minutes(), "left": soak.left, "done": soak.done,
                       "evictions": soak.api.evictions, "lives": agent.lives, "lives_by_api": agent.lives_by_api, "ends": agent.ends,
                       "longest_minutes": agent.longest_minutes, "longest": agent.longest.rows, "used": agent.used.rows}, file)
