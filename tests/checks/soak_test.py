"""The soak without its agent and its node: what it prints, when, and what it takes for growth."""

import collections
import contextlib
import importlib.machinery
import importlib.util
import io
import json
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
from kept import Kept  # noqa: E402
from lives import Agent  # noqa: E402
from servers import ApiServer  # noqa: E402
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
            options=types.SimpleNamespace(minutes=0.03, call_minutes=float("inf"), table_minutes=0.005, calm_minutes=10),
            work="/nowhere", node=mock.MagicMock(), clients=mock.MagicMock(), kubelet=mock.MagicMock(),
            api=mock.MagicMock(evictions=collections.Counter()),
            agent=mock.MagicMock(used=table([20000] * 8), lives=1, lives_by_api=0, ends=collections.Counter(), grown=[],
                                 longest=Table(), longest_minutes=0),
            done=collections.Counter(), problems=[], left=0, has_disk=False, in_guest=False, ahead=0, began=time.monotonic(),
            minutes_before=0)
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

    def test_goes_on_with_the_minutes_that_an_earlier_call_left(self):
        with tempfile.TemporaryDirectory() as keep, tempfile.TemporaryDirectory() as work:
            os.mkdir(f"{work}/state")
            open(f"{work}/state/journal", "w").close()
            open(f"{work}/state/filler", "w").close()
            kept = Kept(types.SimpleNamespace(keep=f"{keep}/soak", binary=soak.__file__))
            self.soak.work, self.soak.options.call_minutes, self.soak.options.minutes = work, 0.02, 0.05
            self.run_soak()
            kept.save(self.soak)
            self.assertEqual(os.listdir(f"{keep}/soak/state"), ["journal"])
            done = self.soak.done["owner_writes"]
            os.unlink(f"{work}/state/journal")
            self.setUp()
            self.soak.agent.used, self.soak.work, self.soak.options.minutes = Table(), work, 0.05
            with contextlib.redirect_stdout(io.StringIO()):
                kept.restore(self.soak)
            self.assertEqual((self.soak.done["owner_writes"], self.soak.agent.used.rows), (done, table([20000] * 8).rows))
            self.assertTrue(os.path.exists(f"{work}/state/journal"))
            self.assertIn("0.0 minutes of 0.05", self.run_soak())
            self.assertAlmostEqual((time.monotonic() - self.soak.began) / 60, 0.03, delta=0.01)
            kept.save(self.soak)
            self.assertFalse(os.path.exists(f"{keep}/soak"), "all is done")

    def test_how_evictions_were_answered_is_counted_as_a_file_has_it(self):
        server = types.SimpleNamespace(mood="fails", evictions=collections.Counter(), evicted=[])
        ApiServer.take(server, mock.MagicMock(path="/api/v1/namespaces/a/pods/b/eviction"), b"")
        self.assertEqual(json.loads(json.dumps(server.evictions)), {"503": 1})
        self.assertEqual(server.evictions, {"503": 1})

    def test_takes_nothing_over_from_another_program_or_from_a_failure(self):
        with tempfile.TemporaryDirectory() as directory:
            keep = f"{directory}/soak"
            os.mkdir(keep)
            with open(f"{keep}/soak.json", "w") as file:
                file.write('{"under": {"program": "another"}}')
            kept = Kept(types.SimpleNamespace(keep=keep, binary=soak.__file__))
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                kept.restore(self.soak)
            self.assertIn("of another program", printed.getvalue())
            self.assertEqual(self.soak.minutes_before, 0)
            self.soak.problems = ["x is 1, its owner wrote 2"]
            kept.save(self.soak)
            self.assertFalse(os.path.exists(keep))

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
