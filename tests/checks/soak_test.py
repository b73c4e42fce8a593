"""The soak without its agent and its node: what it prints, when, and what it takes for growth."""

import collections
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import signal
import tempfile
import time
import types
import unittest
from unittest import mock

import sys
sys.path.insert(0, "tests/soak")
sys.path.insert(0, "tests/support")
from lives import Agent  # noqa: E402
from table import MEASURED, Table  # noqa: E402

loader = importlib.machinery.SourceFileLoader("soak", "tests/soak/soak")
soak = importlib.util.module_from_spec(importlib.util.spec_from_loader("soak", loader))
loader.exec_module(soak)


def table(residents):
    out = Table()
    for resident in residents:
        out.add(resident, 300, 4, 20, 1000, 2000)
    return out


class TableTest(unittest.TestCase):
    def test_has_a_row_for_each_measure_and_for_what_was_left(self):
        lines = table([20000] * 8).lines(left=3)
        self.assertEqual(len(lines), 2 + len(MEASURED) + 1)
        self.assertIn("| resident KiB | 20000 | 20000 | 20000 |", lines)
        self.assertIn("| descriptors per pod | 15 | 15 | 15 |", lines)
        self.assertEqual(lines[-1], "| values left by stops and restores | 0 | 3 | |")

    def test_may_be_empty(self):
        self.assertEqual(len(Table().lines(left=0)), 3)
        self.assertEqual(Table().growth(), [])

    def test_growth_is_told_by_the_medians_of_the_quarters(self):
        self.assertEqual(table([20000] * 11 + [60000]).growth(), [], "a single peak")
        self.assertEqual(table([20000] * 6 + [29000, 29000]).growth(), [])
        self.assertEqual(table([20000] * 6 + [40000, 40000]).growth(), ["resident KiB grow: 20000 to 40000"])


class Run(unittest.TestCase):
    """A run whose every action is one of the owners, on a node that does not exist."""

    def setUp(self):
        self.soak = soak.Soak.__new__(soak.Soak)
        self.soak.__dict__.update(
            options=types.SimpleNamespace(minutes=0.03, table_minutes=0.005, calm_minutes=10), work="/nowhere", node=mock.MagicMock(),
            clients=mock.MagicMock(), kubelet=mock.MagicMock(), api=mock.MagicMock(evictions=collections.Counter()),
            agent=mock.MagicMock(used=table([20000] * 8), lives=1, lives_by_api=0, ends=collections.Counter(), grown=[],
                                 longest=Table(), longest_minutes=0),
            done=collections.Counter(), problems=[], left=0, has_disk=False, in_guest=False, ahead=0, began=time.monotonic())
        self.soak.node.differences.return_value = []

    OWNER_WRITES, CRASH = 2, 8

    def run_soak(self, action=OWNER_WRITES):
        printed = io.StringIO()
        with mock.patch.object(soak.random, "choices", return_value=[action]), contextlib.redirect_stdout(printed):
            self.soak.run()
        return printed.getvalue()

    def test_prints_its_table_again_and_again(self):
        printed = self.run_soak()
        self.assertGreaterEqual(printed.count("| resident KiB | 20000 | 20000 | 20000 |"), 2, printed)
        self.assertIn("minutes of 0.03", printed)
        self.assertEqual(self.soak.problems, [])

    def test_what_is_left_at_the_end_is_a_problem(self):
        self.soak.node.differences.return_value = ["x is 1, its owner wrote 2"]
        self.run_soak()
        self.assertEqual((self.soak.left, self.soak.problems), (1, ["life 1: x is 1, its owner wrote 2"]))

    def test_in_every_second_span_the_agent_is_not_ended(self):
        self.run_soak(self.CRASH)
        self.assertGreater(self.soak.done["crash"], 0)
        self.soak.done.clear()
        self.soak.options.calm_minutes = 0.1
        self.soak.began = time.monotonic() - 6
        self.soak.options.minutes = 0.13
        self.run_soak(self.CRASH)
        self.assertEqual(self.soak.done["crash"], 0)

    def test_a_long_life_that_grows_is_a_problem(self):
        agent = Agent(None, "/nowhere", None)
        for minutes, grown in ((4, 0), (6, 1)):
            agent.life, agent.born = table([20000] * 6 + [40000, 40000]), time.monotonic() - 60 * minutes
            agent.judge_life()
            self.assertEqual(len(agent.grown), grown)
        self.assertEqual(round(agent.longest_minutes), 6)

    def test_an_ended_run_has_a_result(self):
        with mock.patch.object(soak.signal, "signal"), self.assertRaisesRegex(soak.Ended, "ended by SIGTERM"):
            soak.end_run(signal.SIGTERM, None)


class LeftOver(unittest.TestCase):
    def test_only_what_dead_runs_left_is_removed(self):
        with tempfile.TemporaryDirectory() as root:
            mine, dead, other = soak.Node.TOP, soak.Node.PREFIX + "4194305", "evenkeel-soak-x"  # above any pid
            for name in (mine, dead, other, "user.slice"):
                os.mkdir(f"{root}/{name}")
            node = soak.Node.__new__(soak.Node)
            node.__dict__.update(top=mine, roots={"cpu": root})
            node.remove_left_over()
            self.assertEqual(set(os.listdir(root)), {mine, other, "user.slice"})


if __name__ == "__main__":
    unittest.main()
