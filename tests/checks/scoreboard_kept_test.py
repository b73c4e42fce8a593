"""A scoreboard that is stopped goes on with the rounds that are left: without any load, with rounds that are made up."""

import importlib.machinery
import importlib.util
import io
import json
import subprocess
import sys
import tempfile
import types
import unittest
from contextlib import redirect_stdout
from unittest import mock

sys.path.insert(0, "tests/scoreboard")
sys.dont_write_bytecode = True
import contenders  # noqa: E402
import services  # noqa: E402
from kept import Kept  # noqa: E402


def program(name):
    loader = importlib.machinery.SourceFileLoader(name, f"tests/scoreboard/{name}")
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


SCOREBOARD, PLANTED = program("scoreboard"), program("planted")

WAYS = [each for each in contenders.contenders() if each.name in ["alone", "unmanaged", "bfq"]]
REDIS = next(each for each in services.ALL if each.name == "redis")
CELLS = [(REDIS, "fsync"), (REDIS, "spin")]


def measured(p99=100.0, stolen=0.0):
    return {"p50_us": p99 / 2, "p99_us": p99, "p999_us": 2 * p99, "sent_p50_us": 1, "sent_p99_us": 1, "sent_p999_us": 1, "late_p99_us": 20,
            "late_p999_us": 40, "per_second": 4000, "unanswered": 0, "stolen_percent": stolen, "work_per_second": 10, "batch_cpus": 1.0, "written": {}}


class WithDirectory(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.out = directory.name
        self.path = f"{self.out}/rounds.jsonl"

    def kept(self, conditions=1, **options):
        kept = Kept(self.path, conditions, **options)
        self.addCleanup(kept.file.close)
        return kept


class Rates(WithDirectory):
    def test_a_service_with_a_limit_nearly_fills_it_at_one_rate_in_all_calls(self):
        service = types.SimpleNamespace(name="web", rate=100, quota_percent=60, limit_share=0.9)
        with mock.patch.object(SCOREBOARD, "cpu_seconds_of_a_request", return_value=0.002), redirect_stdout(io.StringIO()):
            SCOREBOARD.fill_limit(service, None, self.kept())
        self.assertEqual(service.rate, 270)
        with mock.patch.object(SCOREBOARD, "cpu_seconds_of_a_request", side_effect=AssertionError("measured again")):
            SCOREBOARD.fill_limit(service, None, self.kept())
        self.assertEqual(service.rate, 270)


class Rounds(WithDirectory):
    def test_they_are_there_again_in_their_order(self):
        first = self.kept()
        first.add("redis beside spin", "alone", 2, measured(200))
        first.add("redis beside spin", "alone", 1, measured(100))
        again = self.kept()
        self.assertEqual([each["p99_us"] for each in again.results()["redis beside spin"]["alone"]], [100, 200])
        self.assertEqual(list(again.of("redis beside spin", "alone")), [2, 1])
        self.assertEqual(again.of("redis beside spin", "unmanaged"), {})

    def test_those_under_other_conditions_are_counted_only(self):
        self.kept(1).add("redis beside spin", "alone", 1, measured())
        other = self.kept(2)
        self.assertEqual((other.results(), other.of_others), ({}, 1))
        other.add("redis beside spin", "alone", 1, measured(7))
        self.assertEqual((self.kept(1).of_others, self.kept(1).of("redis beside spin", "alone")[1]["p99_us"]), (1, 100))

    def test_what_a_crash_cut_off_costs_only_itself(self):
        self.kept().add("redis beside spin", "alone", 1, measured())
        with open(self.path, "a") as file:
            file.write('{"under": "x", "cell": "redis bes')
        self.kept().add("redis beside spin", "alone", 2, measured())
        self.assertEqual(list(self.kept().of("redis beside spin", "alone")), [1, 2])

    def test_fresh_forgets_them(self):
        self.kept().add("redis beside spin", "alone", 1, measured())
        self.assertEqual(self.kept(fresh=True).results(), {})

    def test_reasons_of_earlier_calls_stay_unless_the_cell_was_measured(self):
        self.kept().skip(["redis beside ffmpeg: not installed", "contender bfq: no disk"])
        with open(self.path) as file:
            twice = file.read()
        with open(self.path, "a") as file:
            file.write(twice)  # as the output of a guest that was started again
        kept = self.kept()
        kept.skip(["contender bfq: no disk"])
        self.assertEqual(kept.not_measured(), ["redis beside ffmpeg: not installed", "contender bfq: no disk"])
        kept.add("redis beside ffmpeg", "alone", 1, measured())
        self.assertEqual(kept.not_measured(), ["contender bfq: no disk"])

    def test_whoever_cannot_see_the_file_reads_them_from_the_output(self):
        said = io.StringIO()
        with redirect_stdout(said):
            self.kept(show=True).add("redis beside spin", "alone", 1, measured(5))
        lines = [line.removeprefix("round ") for line in said.getvalue().splitlines()]
        self.assertEqual([json.loads(line) for line in lines], [json.loads(line) for line in open(self.path)])


class GoesOn(WithDirectory):
    def left(self, kept, rounds=2, spare=1):
        return list(SCOREBOARD.Left(CELLS, WAYS, kept, types.SimpleNamespace(rounds=rounds, spare=spare)))

    def test_the_cheapest_cell_comes_first_and_contenders_take_turns(self):
        order = [(kind, way.name, number) for _, kind, way, number in self.left(self.kept(), spare=0)]
        self.assertEqual(order[:4], [("spin", "alone", 1), ("spin", "unmanaged", 1), ("spin", "unmanaged", 2), ("spin", "alone", 2)])
        self.assertEqual([each for each in order[4:] if each[1] == "bfq"], [("fsync", "bfq", 1), ("fsync", "bfq", 2)])
        self.assertEqual(len(order), 10)

    def test_only_what_is_left_is_measured(self):
        kept = self.kept()
        for way in ["alone", "unmanaged"]:
            for number in [1, 2]:
                kept.add("redis beside spin", way, number, measured())
        self.assertEqual({kind for _, kind, _, _ in self.left(kept)}, {"fsync"})

    def test_spare_rounds_make_up_for_stolen_ones(self):
        kept = self.kept()
        for way, stolen in [("alone", 0), ("unmanaged", 5)]:
            for number in [1, 2]:
                kept.add("redis beside spin", way, number, measured(stolen=stolen))
        left = [(way.name, number) for _, kind, way, number in self.left(kept) if kind == "spin"]
        self.assertEqual(left, [("unmanaged", 3)])
        self.assertEqual([each for each in self.left(kept, spare=0) if each[1] == "spin"], [])

    def run_scoreboard(self, minutes):
        options = types.SimpleNamespace(rounds=2, spare=0, settle=1, warm_up=0, seconds=1, minutes=minutes, out=self.out)
        with mock.patch.object(SCOREBOARD, "cells_of", lambda _: (CELLS, ["nginx beside spin: not installed"])), \
                mock.patch.object(SCOREBOARD, "ways_of", lambda _: (WAYS, [])), \
                mock.patch.object(SCOREBOARD, "measure", lambda *_: measured()), redirect_stdout(io.StringIO()) as said:
            left = SCOREBOARD.measure_all(options, self.kept())
        return left, said.getvalue()

    def test_a_call_ends_when_its_time_is_over_and_the_next_one_adds_to_its_table(self):
        with mock.patch.object(SCOREBOARD.time, "monotonic", mock.Mock(side_effect=[0, 1, 2, 3, 100])):
            left, said = self.run_scoreboard(minutes=1)
        self.assertEqual(left, 7)
        self.assertIn("10 rounds are left, about 3 minutes; 0 rounds in", said)
        self.assertEqual(len(self.kept().results()["redis beside spin"]["unmanaged"]), 2)
        left, said = self.run_scoreboard(minutes=60)
        self.assertEqual(left, 0)
        self.assertIn("7 rounds are left", said)
        table = open(f"{self.out}/scoreboard.md").read()
        for part in ["### redis beside spin", "### redis beside fsync", "- nginx beside spin: not installed"]:
            self.assertIn(part, table)


class RunsOfProof(WithDirectory):
    def call(self, harmless, runs, minutes, call_minutes, outcomes):
        """(exit status, output, [(run, minutes)] that were begun); `outcomes`: (minutes, seconds until withdrawn, trials) of each."""
        options = types.SimpleNamespace(harmless=harmless, runs=runs, minutes=minutes, call_minutes=call_minutes)
        begun, now = [], [0.0]

        def run(_service, _options, minutes, number):
            took, withdrawn, trials = outcomes[len(begun)]
            begun.append((number, minutes))
            now[0] += 60 * took
            return took, withdrawn, "event=lever-harms" if withdrawn else "", trials

        kept = self.kept()
        with mock.patch.object(PLANTED, "run", run), mock.patch.object(PLANTED.time, "monotonic", lambda: now[0]), \
                redirect_stdout(io.StringIO()) as said:
            left = PLANTED.run_what_is_left(None, options, kept)
            status = PLANTED.status(PLANTED.parts_of(options, kept), left, options)
        return status, said.getvalue(), begun

    def test_a_harmless_run_goes_on_in_the_next_call(self):
        status, said, begun = self.call(True, 3, 60, 90, [(60, None, 40), (30, None, 20)])
        self.assertEqual((status, begun), (77, [(1, 60), (2, 30)]))
        self.assertIn('"minutes": 90, "withdrawn": 0', said)
        status, said, begun = self.call(True, 3, 60, float("inf"), [(30, None, 20), (60, None, 40)])
        self.assertEqual((status, begun), (0, [(2, 30), (3, 60)]))
        self.assertIn('"runs": 3, "trials": 120, "minutes": 180, "withdrawn": 0', said)

    def test_a_harmless_lever_that_was_withdrawn_is_a_failure_at_once(self):
        self.call(True, 1, 60, 30, [(30, None, 20)])
        status, said, _ = self.call(True, 2, 60, 30, [(10, 600.0, 8), (20, None, 9)])
        self.assertEqual(status, 1)
        self.assertIn('"seconds": [2400]', said)

    def test_a_harmless_run_without_a_trial_shows_nothing(self):
        self.assertEqual(self.call(True, 1, 60, 100, [(60, None, 0)])[0], 1)

    def test_a_planted_run_is_begun_only_if_there_is_time_for_it(self):
        status, _, begun = self.call(False, 10, 10, 14, [(2, 120.0, 6), (3, 180.0, 7)])
        self.assertEqual((status, begun), (77, [(1, 10), (2, 10)]))
        status, said, begun = self.call(False, 10, 10, float("inf"), [(2, 100.0, 5)] * 8)
        self.assertEqual((status, len(begun)), (0, 8))
        self.assertIn('"runs": 10', said)

    def test_a_planted_lever_that_was_not_found_is_a_failure(self):
        self.assertEqual(self.call(False, 2, 10, 100, [(10, None, 30), (2, 100.0, 5)])[0], 1)


class Guests(unittest.TestCase):
    def test_the_rounds_of_a_guest_are_read_from_its_output(self):
        serial = 'redis beside spin 1 alone: p99\r\nround {"under": "x"}\r\nround and round\r\n'
        kept = subprocess.run(["bash", "-c", ". tests/steps/scoreboard.sh; keep_rounds"], input=serial, capture_output=True,
                              text=True, check=True).stdout
        self.assertEqual(kept, '{"under": "x"}\n')


unittest.main()
