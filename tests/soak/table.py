"""What is measured of the agent during a soak, as a table: now and then, and at the end."""

import statistics

# Those with a number may grow by a third and by that much.
MEASURED = {"resident KiB": 4096, "descriptors": None, "descriptors per pod": 10, "BPF programs and maps": 20,
            "bytes of journal": None, "bytes of audit.jsonl": None}


class Table:
    def __init__(self):
        self.rows = []  # of what MEASURED names, in the order of time

    def add(self, resident, descriptors, bpf, pods, journal, audit):
        self.rows.append((resident, descriptors, round(descriptors / pods, 1), bpf, journal, audit))

    def columns(self):
        """(name, how much it may grow, median of the first quarter, median of the last one, most); none before the first row."""
        quarter = max(len(self.rows) // 4, 1)
        for column, (name, slack) in enumerate(MEASURED.items() if self.rows else ()):
            first, last, every = ([row[column] for row in part] for part in (self.rows[:quarter], self.rows[-quarter:], self.rows))
            yield name, slack, statistics.median(first), statistics.median(last), max(every)

    def lines(self, left=None):
        """`left`: values that were left by stops and restores; without it there is no row for them."""
        return ["| | at the start (first quarter, median) | at the end (last quarter, median) | most |", "|---|---|---|---|",
                *(f"| {name} | {before:.9g} | {after:.9g} | {most:.9g} |" for name, _, before, after, most in self.columns()),
                *([] if left is None else [f"| values left by stops and restores | 0 | {left} | |"])]

    def growth(self):
        """What has grown too much, as sentences."""
        return [f"{name} grow: {before:g} to {after:g}" for name, slack, before, after, _ in self.columns()
                if slack and after > 1.3 * before + slack]
