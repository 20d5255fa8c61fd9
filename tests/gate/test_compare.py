#!/usr/bin/env python3
"""essbench compare: made-up sweeps whose ratios are known, what is refused, and the command as a user meets it.

Usage: test_compare.py TOOLS ESSBENCH
SPDX-License-Identifier: GPL-3.0-or-later
"""
import dataclasses
import json
import math
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import typing
import unittest

TOOLS, ESSBENCH = sys.argv[1:3]
sys.path.insert(0, TOOLS)
import sweeps  # noqa: E402

HEAD = {"seed": 1, "protocol": "paper", "epsilon": 0.001,
        "model": {"contacts": 10, "law": "roller"}, "settings": {"epsilon": 0.001, "scaling": 1e6},
        "environment": {"cpu": "x", "mujoco": {"version": "4.0.0"}, "warnings": []}}
TABLES = """CREATE TABLE run (id INTEGER PRIMARY KEY, study, settings, ended, head);
CREATE TABLE sweep_top (run, epsilon, settings);
CREATE TABLE cell (id INTEGER PRIMARY KEY, run, name);
CREATE TABLE sweep_laps (run, within, contacts, solver, protocol, trial, process, seconds, rms_error, row INTEGER PRIMARY KEY);
INSERT INTO cell VALUES (1, 1, 'race 2'), (2, 1, 'search 2');
INSERT INTO sweep_laps VALUES (1, 2, 2, 'libess', 'paper', 0, 0, 9.0, 0.5, 0);"""


@dataclasses.dataclass
class Made:
    """The time of trial j at N contacts is one that all sets have, times `projection` or `mujoco`."""
    ours: str = "projection"
    contacts: tuple = (2, 10)
    trials: range = range(12)
    processes: int = 1
    projection: float = 1.0
    mujoco: float = 2.0  # 0: did not run
    per_contact: float = 1.0  # factor^N, on both
    rms: float = 1e-3
    noise: typing.Callable = staticmethod(lambda contacts, trial: 1.0)  # on the projection
    head: typing.Any = dataclasses.field(default_factory=lambda: HEAD)

    def rows(self):
        for n in self.contacts:
            for solver, factor in (self.ours, self.projection), ("mujoco", self.mujoco):
                for j in self.trials if factor else ():
                    noise = self.noise(n, j) if solver == self.ours else 1.0
                    seconds = 1e-3 * (1 + 0.1 * n) * (1 + 0.02 * (j * 7 % 11)) * factor * noise * self.per_contact ** n
                    yield n, solver, "paper", j, j % self.processes, seconds, self.rms * (1 + 0.01 * j)


class Room(unittest.TestCase):
    def setUp(self):
        room = tempfile.TemporaryDirectory()
        self.addCleanup(room.cleanup)
        self.room = room.name

    def write(self, name, made=Made(), samples=None, ended="now"):
        folder, head = f"{self.room}/{name}", dict(made.head)
        os.makedirs(folder, exist_ok=True)
        if os.path.exists(f"{folder}/essbench.sqlite"):
            os.remove(f"{folder}/essbench.sqlite")
        store = sqlite3.connect(f"{folder}/essbench.sqlite")
        store.executescript(TABLES)
        top = head.pop("epsilon", None), json.dumps(head.pop("settings", None))
        store.execute("INSERT INTO run VALUES (1, 'sweep', '{}', ?, ?)", (ended, json.dumps(head)))
        store.execute("INSERT INTO sweep_top VALUES (1, ?, ?)", top)
        store.executemany("INSERT INTO sweep_laps VALUES (1, 1, ?, ?, ?, ?, ?, ?, ?, NULL)", samples or made.rows())
        store.commit()
        store.close()
        return folder

    def rows(self, a, b, effect=0.05):
        """Of the comparison by solver, what it is over, and contacts; None: all."""
        both = [sweeps.Sweep(self.write(name, made)) for name, made in (("a", a), ("b", b))]
        found = sweeps.compare_sweeps(*both, sweeps.unlike(*both), effect)
        return {(row["solver"], row["over"], row["contacts"]): row for row in found}


class Ratios(Room):
    def near(self, value, expected):
        self.assertLessEqual(abs(value - expected), 1e-12 * abs(expected))

    def test_a_slower_set_is_slower_by_the_factor(self):
        rows = self.rows(Made(), Made(projection=1.25, rms=3e-3))
        self.assertEqual(len(rows), 9)  # 2, 10 and all, for each solver and for their quotient
        for n in 2, 10, None:
            row, quotient, other = (rows[key + (n,)] for key in (("projection", None), ("projection", "mujoco"),
                                                                 ("mujoco", None)))
            self.assertTrue(row["paired"])
            for name in "ratio", "ratio_lo", "ratio_hi":
                self.near(row[name], 1.25)
            self.near(row["median_b_s"], 1.25 * row["median_a_s"])
            self.near(row["rms_error_ratio"], 3.0)
            self.assertEqual((row["verdict"], row["sizes"]), ("slower", 1 if n else 2))
            self.near(quotient["ratio"], 1.25)  # beside an unchanged engine it has lost as much
            self.near(other["ratio"], 1.0)
            self.assertEqual(other["verdict"], "no difference shown")

    def test_exchanging_the_sets_turns_slower_into_faster(self):
        row = self.rows(Made(projection=1.25), Made())["projection", None, None]
        self.near(row["ratio"], 0.8)
        self.assertEqual(row["verdict"], "faster")

    def test_a_slower_machine_leaves_the_quotient(self):
        rows = self.rows(Made(), Made(projection=1.3, mujoco=2.6))
        self.assertEqual(rows["mujoco", None, None]["verdict"], "slower")
        self.near(rows["projection", "mujoco", None]["ratio"], 1.0)
        self.near(rows["projection", "mujoco", 2]["quotient_a"], 0.5)
        self.assertEqual(rows["projection", "mujoco", None]["verdict"], "no difference shown")

    def test_either_method_is_divided_by_mujoco(self):
        for name, count in ("projection", 9), ("libess", 9), ("cvode_roots", 6):
            rows = self.rows(Made(ours=name), Made(ours=name))
            self.assertEqual(len(rows), count)
            if count == 9:
                self.near(rows[name, "mujoco", 10]["quotient_a"], 0.5)

    def test_effects_below_the_minimum_and_few_starts_have_no_verdict(self):
        for effect, verdict in (0.05, "no difference shown"), (0.03, "slower"):
            row = self.rows(Made(), Made(projection=1.04), effect)["projection", None, 2]
            self.assertEqual(row["verdict"], verdict)
        for trials, verdict in (5, "no difference shown"), (6, "slower"):
            row = self.rows(*(Made(trials=range(trials), projection=factor) for factor in (1, 2)))["projection", None, 2]
            self.near(row["ratio"], 2.0)
            self.assertEqual(row["verdict"], verdict)

    def test_all_is_the_geometric_mean_over_contacts(self):
        rows = self.rows(Made(), Made(per_contact=1.1))
        for n, power in (2, 2), (10, 10), (None, 6):
            self.near(rows["projection", None, n]["ratio"], 1.1 ** power)
        self.near(rows["projection", None, None]["median_a_s"],
                  math.sqrt(math.prod(rows["projection", None, n]["median_a_s"] for n in (2, 10))))

    def test_disturbances_do_not_hide_a_difference(self):
        often = {"contacts": tuple(range(3, 9)), "trials": range(30)}
        disturbed = Made(**often, noise=lambda contacts, trial: 50.0 if contacts % 6 == trial % 6 else 1.0)
        row = self.rows(disturbed, Made(**often, projection=1.25))["projection", None, None]
        self.near(row["ratio"], 1.25)
        self.assertEqual(row["verdict"], "slower")

    def test_other_seeds_or_starts_are_not_paired(self):
        # half as long again for the first starts, which medians do not see but ratios do
        slow = {"noise": lambda contacts, trial: 1.5 if trial < 7 else 0.5}
        for b, paired in ((Made(**slow), True), (Made(**slow, head={"seed": 2}), False),
                          (Made(**slow, trials=range(1, 13)), False)):
            row = self.rows(Made(), b)["projection", None, 10]
            self.assertEqual(row["paired"], paired)
            self.near(row["ratio"], 1.5 if paired else row["median_b_s"] / row["median_a_s"])

    def test_only_what_both_have_is_compared(self):
        rows = self.rows(Made(), Made(contacts=(3, 10), mujoco=0.0))
        self.assertEqual([*rows], [("projection", None, 10), ("projection", None, None)])
        self.assertEqual(rows["projection", None, None]["sizes"], 1)
        with self.assertRaisesRegex(sweeps.Fault, "nothing to compare"):
            self.rows(Made(), Made(contacts=(3, 11)))

    def test_only_starts_that_ran_at_all_sizes_count(self):
        sweep = sweeps.Sweep(self.write("sheet", samples=[
            (2, "libess", "paper", 4, 1, 1, 1), (2, "libess", "paper", 3, 2, 8, 1), (2, "libess", "paper", 1, 0, 2, 1),
            (5, "libess", "paper", 3, 2, 2, 4), (5, "libess", "paper", 5, 0, 9, 9), (2, "mujoco", "paper", 3, 0, 4, 2),
            (2, "mujoco", "paper", 4, 0, 3, 1), (5, "mujoco", "paper", 3, 0, 1, 2), (5, "mujoco", "paper", 5, 0, 9, 9)]))
        one, both, divided = (sweeps.Sheet(sweep, "libess", over, "paper", sizes)
                              for over, sizes in ((None, [2]), (None, [2, 5]), ("mujoco", [2, 5])))
        self.assertEqual((one.trials, one.process, one.values), ([1, 3, 4], [0, 2, 1], [[2, 8, 1]]))
        self.assertEqual((both.trials, both.values, both.errors), ([3], [[8], [2]], [[1], [4]]))
        self.assertEqual((divided.values, divided.errors), ([[2], [2]], [[0.5], [2]]))

    def test_differences_between_processes_widen_the_interval(self):
        # processes 0 to 4 are slow, 5 to 7 fast
        for processes, low, verdict in (8, 0.9, "no difference shown"), (1, 1.1, "slower"):
            b = Made(trials=range(200), processes=processes, noise=lambda contacts, trial: 1.1 if trial % 8 < 5 else 0.9)
            row = self.rows(Made(trials=range(200)), b)["projection", None, 2]
            self.near(row["ratio"], 1.1)
            # of 200 independent starts so few would never be slow; of 8 processes they may well be
            self.near(row["ratio_lo"], low)
            self.assertEqual(row["verdict"], verdict)

    def test_intervals_hold_the_truth_as_often_as_they_say(self):
        draw = random.Random(1)

        class Drawn:
            """Samples with an effect on each of 8 processes and one on each start."""

            def __init__(self, known):
                effect = [draw.gauss(0.0, 0.05) for _ in range(8)]
                self.trials = range(48)
                self.process = [j % 8 if known else 0 for j in self.trials]
                self.values = [[math.exp(effect[j % 8] + draw.gauss(0.0, 0.03)) for j in self.trials]]

        for paired in False, True:
            held = []
            for known in True, False:
                intervals = [sweeps.ratio_of(Drawn(known), Drawn(known), paired)[1:] for _ in range(200)]
                held.append(sum(low <= 1.0 <= high for low, high in intervals))
            # 95 % of 200, give or take; and far from it when processes are not told apart
            self.assertGreaterEqual(held[0], 180)
            self.assertLessEqual(held[1], 150)


class Reading(Room):
    def test_differences_are_named(self):
        other = {"seed": 1, "protocol": "free", "epsilon": 0.002,
                 "model": {"contacts": 20, "law": "paper"}, "settings": {"epsilon": 0.5, "scaling": 1, "new": 7},
                 "environment": {"cpu": "y", "git_commit": "z", "mujoco": {"version": "2.2.2"}}}
        a, b = (sweeps.Sweep(self.write(name, Made(head=head))) for name, head in (("a", HEAD), ("b", other)))
        said = sweeps.unlike(a, b)
        self.assertEqual([one["name"] for one in said], ["protocol", "epsilon", "model law", "settings scaling",
                                                         "settings new", "MuJoCo version", "cpu"])
        self.assertIsNone(said[4]["a"])
        self.assertEqual(sweeps.unlike(a, a), [])
        # sweeps of before tell no name of their model
        named = [sweeps.Sweep(self.write(name, Made(head={**HEAD, "model": {**HEAD["model"], "name": name}}))) for name in ("c", "d")]
        self.assertEqual((sweeps.unlike(a, named[0]), sweeps.unlike(named[1], a)), ([], []))
        self.assertEqual([one["name"] for one in sweeps.unlike(*named)], ["model name"])
        # another law has other times at the same starts, but is another model
        self.assertFalse(self.rows(Made(), Made(head=other))["projection", None, 2]["paired"])

    def test_damaged_sets_are_refused(self):
        for said, sql in (("has no sweep that has ended", "UPDATE run SET ended = NULL"),
                          ("has no sweep that has ended", "UPDATE run SET study = 'order'"),
                          ("no such table: run", "DROP TABLE run"), ("no such table: sweep_laps", "DROP TABLE sweep_laps"),
                          ("no such column: seconds", "ALTER TABLE sweep_laps RENAME seconds TO s"),
                          ("Expecting value", "UPDATE run SET head = ''")):
            store = sqlite3.connect(f"{self.write('bad')}/essbench.sqlite")
            store.execute(sql)
            store.commit()
            store.close()
            with self.assertRaises(sweeps.Fault) as caught:
                sweeps.Sweep(f"{self.room}/bad")
            self.assertIn(said, str(caught.exception))
            self.assertNotIn("\n", str(caught.exception))
        with open(f"{self.write('bad')}/essbench.sqlite", "w") as file:
            file.write("contacts,solver,protocol,trial\n" * 100)
        with self.assertRaisesRegex(sweeps.Fault, "bad/essbench.sqlite': file is not a database"):
            sweeps.Sweep(f"{self.room}/bad")

    def test_gaps_are_left_out(self):
        sweep = sweeps.Sweep(self.write("moved", samples=[(7, "mujoco", "free", 3, 0, 2e-3, 0.1),
                                                          (7, "mujoco", "free", 2, 0, None, 0.1),
                                                          (7, "mujoco", "free", 1, 0, 1e-3, 0.2)]))
        self.assertEqual(sweep.starts, {(7, "mujoco", "free"): {3: (2e-3, 0.1, 0), 1: (1e-3, 0.2, 0)}})
        self.assertEqual(sweep.processes, 1)


class Command(Room):
    def setUp(self):
        super().setUp()
        for name, made in (("as", Made(processes=6)), ("same", Made(processes=6)),
                           ("slow", Made(processes=6, projection=1.25)),
                           ("far", Made(processes=6, contacts=(77,)))):
            self.write(name, made)

    def run_it(self, words, status=0):
        done = subprocess.run([ESSBENCH, "compare", *words.split()], cwd=self.room, capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout, done.stderr

    def test_equal_sets_show_no_difference(self):
        out, err = self.run_it("--fail-if-slower as same")
        self.assertEqual(err, "")
        self.assertNotIn("  slower\n", out)
        self.assertNotIn("  faster\n", out)
        for said in "no difference shown\n", "\nprojection / mujoco, protocol paper, B/A paired by start\n", "\n  all ":
            self.assertIn(said, out)

    def test_slower_fails_only_when_asked(self):
        out, _ = self.run_it("as slow")
        self.assertIn("1.250  [  1.250,   1.250]", out)
        self.assertIn("  slower\n", out)
        out, err = self.run_it("--fail-if-slower as slow", 1)
        self.assertEqual(err, "essbench compare: projection is slower in B: 1.250 times A over 2 N (1.250 to 1.250), "
                              "protocol paper\n")
        self.assertIn("  slower\n", out)  # the table is printed all the same
        self.assertIn("  faster\n", self.run_it("--fail-if-slower slow as")[0])
        self.run_it("--fail-if-slower --minimum-effect 0.3 as slow")

    def test_json_has_the_verdicts(self):
        said = json.loads(self.run_it("--json as slow")[0])
        self.assertEqual((said["schema"], len(said["rows"])), ("essbench-compare-1", 9))
        row = said["rows"][2]
        self.assertEqual((row["contacts"], row["solver"], row["verdict"]), (None, "projection", "slower"))
        self.assertGreater(row["ratio_lo"], 1.24)

    def test_what_fails_is_one_line(self):
        out, err = self.run_it("as far", 1)
        self.assertEqual(err, "essbench compare: as and far have no number of contacts, solver and protocol in common: "
                              "there is nothing to compare\n")
        self.assertEqual(out, "")
        err = self.run_it("as nowhere", 1)[1]
        self.assertEqual(err, "essbench compare: cannot read 'nowhere/essbench.sqlite': No such file or directory\n")
        for words, said in (("", "A is missing"), ("as", "B is missing"), ("as same slow", "slow is not accepted"),
                            ("--minimum-effect x as same", "--minimum-effect x is not"),
                            ("--minimum-effect -1 as same", "--minimum-effect -1 is not"),
                            ("--trials 3 as same", "unknown option --trials")):
            out, err = self.run_it(words, 2)
            self.assertTrue(err.startswith(f"essbench compare: {said}"), err)
            self.assertEqual((err.count("\n"), out), (1, ""))

    def test_differences_and_processes_are_warned_of_on_one_line_each(self):
        other = {**HEAD, "seed": 2, "environment": {"cpu": "x", "mujoco": {"version": "2.2.2"},
                                                    "warnings": ["hot", "noisy"]}}
        self.write("other", Made(head=other))
        out, err = self.run_it("as other")
        self.assertEqual(err, """warning: the sets differ in seed (A 1, B 2), MuJoCo version (A "4.0.0", B "2.2.2")
warning: A was measured by 6 and B by 1 processes: what differs between processes is not in the intervals; essbench \
sweep --processes 6 or more shows it
warning: when B was measured: hot; noisy
""")
        self.assertIn("B/A unpaired\n", out)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
