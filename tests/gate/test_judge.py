#!/usr/bin/env python3
"""The regression gate's verdicts: what they let pass, what they stop, and how they say so; files that cannot be read.

Usage: test_judge.py JUDGE
SPDX-License-Identifier: GPL-3.0-or-later
"""
import contextlib
import copy
import importlib.machinery
import importlib.util
import io
import json
import math
import os
import random
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(sys.argv[1]))
LOADER = importlib.machinery.SourceFileLoader("judge", sys.argv[1])
judge = importlib.util.module_from_spec(importlib.util.spec_from_loader("judge", LOADER))
LOADER.exec_module(judge)

PAIRS = 20
VALUES = (402, 402, 327, 12, 88, 806, 3128, 2000, 40, 80)


def made_up(name):
    return {"name": name, **dict(zip(judge.COUNTERS, VALUES)), "rms_error": 0.0085, "reference_end": [1.5, -0.25]}


def counters(*rows):
    return {"schema": "essbench-counters-1", "schema_version": 1, "cases": list(rows)}


class Room(unittest.TestCase):
    def setUp(self):
        room = tempfile.TemporaryDirectory()
        self.addCleanup(room.cleanup)
        self.room = room.name

    def write(self, name, value):
        path = f"{self.room}/{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(value if isinstance(value, str) else json.dumps(value))
        return path

    def fault(self, of, *words):
        """The one line by which it ends, which has these words."""
        with self.assertRaises(judge.Fault) as caught, contextlib.redirect_stdout(io.StringIO()):
            of()
        for word in words:
            self.assertIn(word, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))


class Counters(Room):
    def differ(self, change):
        """What is said of the second of two cases, which is changed."""
        baseline = {name: made_up(name) for name in ("one", "two")}
        now = copy.deepcopy(baseline)
        change(now["two"])
        return judge.compare(baseline, now)

    def test_equal_passes_in_silence(self):
        self.assertEqual(self.differ(lambda row: None), [])

    def test_every_counter_by_one_is_a_line(self):
        self.assertEqual(len(judge.COUNTERS), 9)
        for name, was in zip(judge.COUNTERS, VALUES):
            for now in () if name == judge.GUARD else (was - 1, was + 1):
                said = self.differ(lambda row: row.update({name: now}))
                self.assertEqual(said, [f"two: {name} {was} in the baseline, {now} now"])

    def test_guard_evaluations_within_three_percent(self):
        for now, count in (2060, 0), (1940, 0), (2061, 1), (1939, 1):
            self.assertEqual(len(self.differ(lambda row: row.update(event_evaluations=now))), count)

    def test_errors_may_shrink_but_not_grow(self):
        for factor, count, better in (1 + 1e-9, 0, 0), (1 - 1e-9, 0, 0), (1 + 1e-5, 1, 0), (3, 1, 0), (0.5, 0, 1):
            said = self.differ(lambda row: row.update(rms_error=0.0085 * factor))
            self.assertEqual(len(said), count)
            growth = judge.growth(made_up("two"), {"rms_error": 0.0085 * factor})
            self.assertEqual(growth < 1 - judge.RMS_TOLERANCE, better)
            self.assertTrue(all(one.startswith("two: rms_error 0.0085 in the baseline, ") for one in said))
        self.assertEqual(len(self.differ(lambda row: row.update(rms_error=None))), 1)
        self.assertEqual(judge.growth({"rms_error": None}, made_up("two")), 1.0)
        self.assertEqual(judge.growth({"rms_error": 0.0}, made_up("two")), math.inf)

    def test_moved_reference_is_told(self):
        for end, count in ([1.5, -0.25 + 1e-7], 1), ([1.5, -0.25 + 1e-10], 0), ([1.5, None], 1), ([1.5], 1):
            self.assertEqual(len(self.differ(lambda row: row.update(reference_end=end))), count)

    def test_cases_come_and_go(self):
        one, both = {"one": made_up("one")}, {name: made_up(name) for name in ("one", "two")}
        self.assertEqual(judge.compare(one, both), ["two: not in the baseline"])
        self.assertEqual(judge.compare(both, one), ["two: in the baseline, not run now"])

    def test_a_method_without_sub_steps_has_none_in_its_rows(self):
        row = {k: v for k, v in made_up("one").items() if k not in judge.ABSENT}
        self.assertEqual(judge.counts_of(counters(row), ""), {"one": row})

    def test_unusable_baselines_are_one_line(self):
        lacking = [{k: v for k, v in made_up("one").items() if k != name} for name in made_up("") if name not in judge.ABSENT]
        wrong = [{**made_up("one"), **other} for other in ({"steps": 1.5}, {"steps": True}, {"rms_error": "1"},
                                                           {"reference_end": []}, {"reference_end": ["1"]})]
        for said in ("", "{", "[]", "{}", counters(), {**counters({}), "schema": "another"}, counters(7),
                     *map(counters, lacking + wrong)):
            path = self.write("baseline/counters.json", said)
            self.fault(lambda: judge.regress("/nonexistent", self.room), path)
        os.remove(path)
        self.fault(lambda: judge.regress("/nonexistent", self.room), path, "No such file")


class Times(Room):
    def process(self, revision, i, fastest):
        """One process's file: its fastest sample, and others that are only slower."""
        seconds = [1.7 * fastest, fastest, 1.1 * fastest]
        rows = [{"name": "hopper", "solver": "projection", "seconds": seconds},
                {"name": "hopper", "solver": "mujoco", "seconds": [2e-3]}]
        self.write(f"regress/{revision}/{i:04d}.json", {"schema": "essbench-bench-1", "cases": rows})

    def verdicts(self, factor, noise, seed):
        """On the one case of ours, and overall, of pairs with a drift in common that is far larger than what is looked
        for."""
        draw = random.Random(seed)
        for i in range(PAIRS):
            drift = 1e-3 * (1.0 + 0.5 * draw.random())
            self.process("base", i, drift * math.exp(draw.gauss(0.0, noise)))
            self.process("now", i, factor * drift * math.exp(draw.gauss(0.0, noise)))
        base, now = (judge.Samples(f"{self.room}/regress/{revision}") for revision in ("base", "now"))
        judge.pairs_of(base, now)
        with contextlib.redirect_stdout(io.StringIO()):
            rows, _ = judge.compare_times(base, now)
        ours, yardstick, overall = rows
        self.assertEqual(yardstick["verdict"], "yardstick")
        self.assertAlmostEqual(ours["ratio"], overall["ratio"], 12)
        self.assertTrue(ours["ratio_lo"] <= ours["ratio"] <= ours["ratio_hi"])
        self.assertLess(abs(ours["ratio"] / factor - 1.0), 2.5 * noise)
        return ours["verdict"], overall["verdict"]

    def test_verdicts(self):
        accepted = "slower, not certainly by more than accepted"
        for factor, said in ((1.25, ("SLOWER", "SLOWER")), (1.15, ("SLOWER", "SLOWER")), (1.08, (accepted, "SLOWER")),
                             (1.03, (accepted, accepted)), (0.9, ("faster", "faster"))):
            self.assertEqual(self.verdicts(factor, 0.01, 1), said)

    def test_equal_times_never_fail(self):
        for seed in range(20):
            self.assertNotIn("SLOWER", self.verdicts(1.0, 0.04, seed))

    def test_ratio_to_mujoco(self):
        for i in range(PAIRS):
            self.process("now", i, 5e-4)
        now = judge.Samples(f"{self.room}/regress/now")
        self.assertAlmostEqual(now.over_mujoco("hopper"), 0.25, 12)
        self.assertTrue(math.isnan(now.over_mujoco("plate-2")))

    def test_pairs_must_match_and_be_enough(self):
        for i in range(judge.PAIRS_MIN):
            self.process("now", i, 1e-3)
            if i:
                self.process("base", i, 1e-3)
        self.fault(lambda: judge.regress_time("", self.room), "no pairs")
        os.remove(f"{self.room}/regress/now/0000.json")
        self.fault(lambda: judge.regress_time("", self.room), "too few")

    def test_unusable_files_are_one_line(self):
        row = {"name": "a", "solver": "b", "seconds": [0.1]}
        samples = f"{self.room}/regress/now"
        self.fault(lambda: judge.Samples(samples), samples, "no such folder")
        os.makedirs(samples)
        self.fault(lambda: judge.Samples(samples), "no sample files")
        for said in ("", "{", "[]", {"schema": "essbench-bench-1"}, {"schema": "essbench-bench-2", "cases": [row]},
                     *({"schema": "essbench-bench-1", "cases": [{**row, **other}]} for other in (
                         {"name": None}, {"solver": None}, {"seconds": []}, {"seconds": [0.1, 0]}, {"seconds": 1}))):
            path = self.write("regress/now/0001.json", said)
            self.fault(lambda: judge.Samples(samples), path)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
