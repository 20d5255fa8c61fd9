# What essbench compare says: whether one sweep is faster than another. tools/judge runs it.
# SPDX-License-Identifier: GPL-3.0-or-later
import functools
import itertools
import json
import math
import os
import random
import sqlite3
import statistics
import sys
import urllib.parse

LIBESS, YARDSTICK = ("libess", "projection"), "mujoco"  # whose times are divided by whose, too
RESAMPLES, SEED = 1000, 1  # of the bootstrap: the same sets give the same intervals
# fewer prove nothing at 95 %: the median of n starts lies outside their range with probability 2^(1-n), and fewer
# processes do not show what differs between them
STARTS_MIN = PROCESSES_MIN = 6
NAN = math.nan


class Fault(Exception):
    """Ends the command with one line."""


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except OSError as why:
        raise Fault(f"cannot read '{path}': {why.strerror}") from None
    except (ValueError, RecursionError) as why:
        raise Fault(f"'{path}': {str(why).splitlines()[0]}") from None


def median(values):
    return NAN if any(map(math.isnan, values)) else statistics.median(values)


def quantile(values, share):
    at = share * (len(values) - 1)
    low = math.floor(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (at - low) * (values[high] - values[low])


# ---- two sweeps ----------------------------------------------------------------------------------


class Sweep:
    """What the database of a folder has of the sweep that ended last: what it depends on, and seconds, error and process
    of each start that was timed, by number of contacts, solver and protocol."""

    def __init__(self, folder):
        self.folder, self.processes, self.starts, path = folder, 0, {}, f"{folder}/essbench.sqlite"
        if not os.path.exists(path):
            raise Fault(f"cannot read '{path}': No such file or directory")
        try:
            # one that may write takes in what a killed study has left beside the database
            store = sqlite3.connect(f"file:{urllib.parse.quote(path)}?mode=rw", uri=True)
            run = store.execute("SELECT max(id) FROM run WHERE study = 'sweep' AND ended IS NOT NULL").fetchone()
            if run == (None,):
                raise Fault(f"'{path}' has no sweep that has ended")
            (head, epsilon, settings), = store.execute(
                "SELECT head, epsilon, t.settings FROM run JOIN sweep_top t ON run = id WHERE id = ?", run)
            self.head = {**json.loads(head), "epsilon": epsilon, "settings": json.loads(settings)}
            rows = store.execute(
                "SELECT contacts, solver, protocol, trial, seconds, rms_error, process FROM (SELECT l.*, min(l.row) OVER "
                "(PARTITION BY contacts, solver, protocol) AS entry FROM sweep_laps l JOIN cell k ON k.id = l.within "
                "WHERE l.run = ? AND k.name LIKE 'race %') ORDER BY contacts, entry, trial", run)
            for contacts, solver, protocol, trial, seconds, error, process in rows:
                self.processes = max(self.processes, process + 1)
                if seconds is not None:
                    starts = self.starts.setdefault((contacts, solver, protocol), {})
                    starts[trial] = seconds, NAN if error is None else error, process
            store.close()
        except (sqlite3.Error, ValueError, TypeError) as why:
            raise Fault(f"'{path}': {why}") from None

    def of(self, *path):
        """A member of what it depends on, None where there is none."""
        value = self.head
        for name in path:
            value = value.get(name) if isinstance(value, dict) else None
        return value

    def warnings(self):
        return self.of("environment", "warnings") or []


def unlike(a, b):
    """What two sweeps must have in common and have not; the compiler and the commit are what is compared."""
    def names(where, but):  # those that only B has are seen from its side
        return [(where, name) for name in {**(a.of(where) or {}), **(b.of(where) or {})} if name != but]
    # contacts are swept, and the epsilon that was used has a column of its own
    paths = [("seed",), ("protocol",), ("trials",), ("epsilon",), *names("model", "contacts"),
             *names("settings", "epsilon"), ("environment", "mujoco", "version"), ("environment", "cpu")]
    said = {("environment", "mujoco", "version"): "MuJoCo version", ("environment", "cpu"): "cpu"}
    # sweeps did not always tell the name of their model
    return [{"name": said.get(path, " ".join(path)), "a": a.of(*path), "b": b.of(*path)}
            for path in paths if a.of(*path) != b.of(*path)
            and not (path == ("model", "name") and None in (a.of(*path), b.of(*path)))]


class Sheet:
    """The starts that a sweep ran at all these numbers of contacts: values of each size, which are times or their
    quotients to those of another solver, and errors likewise."""

    def __init__(self, sweep, solver, over, protocol, sizes):
        own, under = ([sweep.starts.get((n, who, protocol), {}) for n in sizes] if who else [] for who in (solver, over))
        self.trials = sorted(set(own[0]).intersection(*own[1:], *under))
        self.process = [own[0][trial][2] for trial in self.trials]
        self.values, self.errors = ([[one[trial][k] if not over else divided(one[trial][k], other[trial][k])
                                      for trial in self.trials] for one, other in zip(own, under or own)] for k in (0, 1))


def divided(a, b):
    return a / b if b else math.inf if a else NAN


def mean_median(sizes):
    """The geometric mean over sizes of medians."""
    medians = [median(values) for values in sizes]
    if len(medians) == 1 or not all(0.0 < value < math.inf for value in medians):
        return medians[0] if len(set(medians)) == 1 else NAN
    return math.exp(statistics.fmean(map(math.log, medians)))


def pool_of(sheet, under):
    """Values of each size, or their ratios to those of another sheet, those of one process together; and how many each
    process has."""
    keys = [*zip(under.process if under else sheet.process, sheet.process)]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    values = [[b / a for a, b in zip(*both)] for both in zip(under.values, sheet.values)] if under else sheet.values
    return ([tuple(one[i] for i in order) for one in values],
            tuple(len(list(group)) for _, group in itertools.groupby(keys[i] for i in order)))


@functools.lru_cache(maxsize=None)
def resamples(*pools):
    """Starts of pools whose processes have so many: processes are drawn, then starts of each, as the studies do it. So
    what differs between processes is in the interval."""
    generator = random.Random(SEED)

    def draw(counts):
        picks, first = [], [0, *itertools.accumulate(counts)]
        while len(picks) < first[-1]:
            process = generator.randrange(len(counts))
            for _ in range(min(counts[process], first[-1] - len(picks))):
                picks.append(first[process] + generator.randrange(counts[process]))
        return picks

    return [*zip(*([draw(counts) for counts in pools] for _ in range(RESAMPLES)))]


@functools.lru_cache(maxsize=None)
def logarithms(values, which, *pools):
    """Of the median of all values, and of those of each resample of this one of the pools."""
    drawn = ([values[i] for i in picks] for picks in resamples(*pools)[which])
    return [math.log(statistics.median(one)) for one in (values, *drawn)]


def ratio_of(a, b, paired):
    """B over A with its interval: of medians, or paired the median of ratios start by start; then the geometric mean
    over sizes."""
    over, of_over = pool_of(b, a if paired else None)
    under, of_under = ([], ()) if paired else pool_of(a, None)
    pools = (of_over, of_under) if of_under else (of_over,)
    ratios = [math.exp(statistics.fmean(x) - (statistics.fmean(y) if y else 0.0)) for x, y in itertools.zip_longest(
        zip(*(logarithms(values, 0, *pools) for values in over)),
        zip(*(logarithms(values, 1, *pools) for values in under)))]
    drawn = sorted(ratios[1:])
    return ratios[0], quantile(drawn, 0.025), quantile(drawn, 0.975)


def row_of(sweeps, strand, sizes, named, same_starts, effect):
    """None where one of them has no such starts."""
    a, b = (Sheet(sweep, *strand, sizes) for sweep in sweeps)
    if not a.trials or not b.trials:
        return None
    paired = same_starts and a.trials == b.trials
    ratio, low, high = ratio_of(a, b, paired)
    enough = min(len(a.trials), len(b.trials)) >= STARTS_MIN
    said = ("slower" if enough and low > 1.0 + effect else
            "faster" if enough and high < 1.0 / (1.0 + effect) else "no difference shown")
    solver, over, protocol = strand
    names = ("quotient_a", "quotient_b") if over else ("median_a_s", "median_b_s")
    errors = [mean_median(sheet.errors) for sheet in (a, b)]
    return {"contacts": named, "sizes": len(sizes), "solver": solver, "over": over, "protocol": protocol,
            "trials": [len(a.trials), len(b.trials)], "paired": paired,
            **dict(zip(names, (mean_median(sheet.values) for sheet in (a, b)))), "ratio": ratio, "ratio_lo": low,
            "ratio_hi": high, "rms_error_a": errors[0], "rms_error_b": errors[1],
            "rms_error_ratio": divided(errors[1], errors[0]), "verdict": said}


def compare_sweeps(a, b, differences, effect):
    """For each solver and protocol, and for libess over MuJoCo, the ratio at every common number of contacts, and over
    all of them."""
    same_starts = not any(one["name"].split()[0] in ("seed", "model") for one in differences)
    strands, found = [*dict.fromkeys(key[1:] for key in a.starts)], []
    for solver, over, protocol in ([(solver, None, protocol) for solver, protocol in strands] +
                                   [(solver, YARDSTICK, protocol) for solver, protocol in strands if solver in LIBESS]):
        sizes = sorted(n for n, *who in a.starts if who == [solver, protocol])
        rows = [row_of((a, b), (solver, over, protocol), [n], n, same_starts, effect) for n in sizes]
        found += filter(None, rows)
        sizes = [n for n, row in zip(sizes, rows) if row]
        everywhere = sizes and row_of((a, b), (solver, over, protocol), sizes, None, same_starts, effect)
        found += [everywhere] if everywhere else []
    if not found:
        raise Fault(f"{a.folder} and {b.folder} have no number of contacts, solver and protocol in common: there is "
                    "nothing to compare")
    return found


def warn(*sweeps, differences):
    """A line each on the standard error: what differs, and what was wrong with the machine."""
    def short(value):
        return json.dumps(value, separators=(",", ":"))[:40]
    lines = ["the sets differ in " + ", ".join(f"{one['name']} (A {short(one['a'])}, B {short(one['b'])})"
                                               for one in differences)] if differences else []
    if min(sweep.processes for sweep in sweeps) < PROCESSES_MIN:
        lines.append("A was measured by {} and B by {} processes: what differs between processes is not in the "
                     "intervals; essbench sweep --processes {} or more shows it".format(
                         *(sweep.processes for sweep in sweeps), PROCESSES_MIN))
    lines += [f"when {name} was measured: {'; '.join(map(str, sweep.warnings()))}"
              for name, sweep in zip("AB", sweeps) if sweep.warnings()]
    print(*(f"warning: {line}" for line in lines), sep="\n", end="\n" if lines else "", file=sys.stderr)


def print_rows(sweeps, rows, effect):
    for name, sweep in zip("AB", sweeps):
        here = sweep.of("environment") or {}
        date, commit, cpu, version = (text if isinstance(text, str) else "unknown" for text in (
            here.get("date"), here.get("git_commit"), here.get("cpu"), sweep.of("environment", "mujoco", "version")))
        print(f"{name}  {sweep.folder}: {date}, commit {commit:.8}{' with changes' * (here.get('git_dirty') is True)}, "
              f"{cpu}, MuJoCo {version}")
    for (solver, over, protocol, paired), group in itertools.groupby(rows, key=lambda row: [
            row[name] for name in ("solver", "over", "protocol", "paired")]):
        unit, scale = ("", 1.0) if over else (" (ms)", 1e3)
        print(f"\n{solver}{f' / {over}' if over else ''}, protocol {protocol}, B/A "
              f"{'paired by start' if paired else 'unpaired'}")
        print(f"{'N':>5} {'A':>6}{unit:<5} {'B':>6}{unit:<5} {'B/A':>7} {'95 % interval':>19} {'RMS A':>9} "
              f"{'RMS B/A':>8}  verdict")
        for row in group:
            before, after = (scale * row[name] for name in row if name[:-2] == "quotient" or name[:6] == "median")
            print(f"{row['contacts'] or 'all':>5} {before:11.4f} {after:11.4f} {row['ratio']:7.3f}  "
                  f"[{row['ratio_lo']:7.3f}, {row['ratio_hi']:7.3f}] {row['rms_error_a']:9.3g} "
                  f"{row['rms_error_ratio']:8.3f}  {row['verdict']}")
    print(f"\nB/A above 1: B takes longer. Faster or slower is said where the whole interval is beyond {100 * effect:g} % "
          f"and\nboth sets have {STARTS_MIN} starts or more; all is the geometric mean over N.")


def check_slower(rows):
    judged = [row for row in rows if row["contacts"] is None]
    if not judged:
        raise Fault("no start was run at every N, so there is no verdict")
    for row in judged:
        if row["verdict"] == "slower":
            raise Fault("{solver}{} is slower in B: {ratio:.3f} times A over {sizes} N ({ratio_lo:.3f} to {ratio_hi:.3f}), "
                        "protocol {protocol}".format(" against mujoco" if row["over"] else "", **row))


def known(value):
    """As JSON has it, which has no NaN."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def compare_folders(_, a, b, effect, as_json, fail_if_slower):
    sweeps, effect = (Sweep(a), Sweep(b)), float(effect)
    differences = unlike(*sweeps)
    rows = compare_sweeps(*sweeps, differences, effect)
    warn(*sweeps, differences=differences)
    if as_json:
        heads = [{"folder": sweep.folder, "processes": sweep.processes, "date": sweep.of("environment", "date"),
                  "git_commit": sweep.of("environment", "git_commit"),
                  "warnings": sweep.of("environment", "warnings")} for sweep in sweeps]
        print(json.dumps({"schema": "essbench-compare-1", "schema_version": 1, "a": heads[0], "b": heads[1],
                          "minimum_effect": effect, "confidence": 0.95, "minimum_trials": STARTS_MIN,
                          "differences": differences,
                          "rows": [{name: known(value) for name, value in row.items()} for row in rows]}, indent=2))
    else:
        print_rows(sweeps, rows, effect)
    if fail_if_slower:
        check_slower(rows)
