"""The rounds of a run that may be stopped at any moment and goes on with the rounds that are left: one line of JSON each,
written as soon as it is measured."""

import hashlib
import json
import os
import time

HERE = os.path.dirname(os.path.abspath(__file__))
# What a round depends on. Not what only counts and shows rounds: that may change between two calls.
SOURCES = ["batches.py", "cluster.py", "contenders.py", "disk.py", "entry.py", "node.py", "pods.py", "scoreboard", "services.py", "values.py",
           "../support/cgroup_tree.py", "../../deploy/kustomize/base/nodeslo.yaml"]


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


def digest_of_files(paths):
    return digest(b"".join(digest(open(path, "rb").read()).encode() for path in paths))


class Kept:
    """Only rounds under the same `conditions` (a value of JSON) belong together. Others stay in the file, and are counted.
    `show`: also prints each line, for whoever cannot see the file: it is in a guest that ends."""

    def __init__(self, path, conditions, fresh=False, show=False):
        self.path, self.show = path, show
        self.conditions = digest(json.dumps(conditions, sort_keys=True).encode())
        self.rounds, self.skipped, self.rates, self.of_others = {}, [], {}, 0
        if fresh and os.path.exists(path):
            os.unlink(path)
        cut_off = False
        for line in open(path) if os.path.exists(path) else []:
            cut_off = not line.endswith("\n")
            self.take(line)
        self.file = open(path, "a")
        if cut_off:
            self.file.write("\n")
        if not self.rounds:
            self.put({"conditions": conditions})

    def take(self, line):
        try:
            entry = json.loads(line)
            if entry["under"] != self.conditions:
                self.of_others += "measured" in entry
            elif "measured" in entry:
                self.remember(entry)
            elif "rate" in entry:
                self.rates[entry["service"]] = entry["rate"]
            elif entry.get("skipped", "") not in ["", *self.skipped]:
                self.skipped.append(entry["skipped"])
        except (ValueError, KeyError, TypeError):
            pass  # the machine ended while it was written

    def remember(self, entry):
        cell = self.rounds.setdefault(entry["cell"], {})
        cell.setdefault(entry["contender"], {})[entry["round"]] = entry["measured"]

    def put(self, entry):
        line = json.dumps({"under": self.conditions, **entry})
        self.file.write(line + "\n")
        self.file.flush()
        if self.show:
            print("round " + line, flush=True)

    def add(self, cell, contender, number, measured):
        entry = {"cell": cell, "contender": contender, "round": number, "at": round(time.time()), "measured": measured}
        self.remember(entry)
        self.put(entry)

    def add_rate(self, service, rate):
        """Requests a second, for all rounds of this service."""
        self.rates[service] = rate
        self.put({"service": service, "rate": rate})

    def skip(self, whys):
        for why in whys:
            if why not in self.skipped:
                self.skipped.append(why)
                self.put({"skipped": why})

    def of(self, cell, contender):
        """The rounds by number."""
        return self.rounds.get(cell, {}).get(contender, {})

    def results(self):
        """The rounds by cell and contender."""
        return {cell: {name: [rounds[number] for number in sorted(rounds)] for name, rounds in ways.items()}
                for cell, ways in self.rounds.items()}

    def not_measured(self):
        """Why cells and contenders were left out, but for cells that another call could measure."""
        return [why for why in self.skipped if why.split(":")[0] not in self.rounds]
