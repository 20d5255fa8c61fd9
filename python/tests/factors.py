# SPDX-License-Identifier: Apache-2.0
"""What runs cost, as factors: ess against SciPy's RK45 that is stopped at events and started again.

Not a test: `make python-factors` writes what it finds into docs/results/python.md. Runs are interleaved, on one
core; times are medians. Errors are the largest difference from what ess has no part in: the ball's closed form, and
of the others SciPy's DOP853, restarted, at a tolerance of 1e-12.

Usage: python factors.py FILE: the file that is written, in JSON; by default none, and a table is printed.
"""

import json
import os
import platform
import statistics
import subprocess
import sys
import time

import numba
import numpy as np
import scipy
from scipy.integrate import solve_ivp as scipy_ivp

import ess

OPTIONS = {"rtol": 1e-6, "atol": 1e-9}
EXACT = {"rtol": 1e-12, "atol": 1e-13, "method": "DOP853"}
ROUNDS = 9


def restarted(field, t_end, y, sign, guards, at_crossing, options):
    """SciPy's way: a run to the next event, again and again"""
    t, calls, y, sign = 0.0, 0, np.array(y, float), np.array(sign, float)

    def event_of(k):
        def event(t, y):
            return guards(t, y)[k]

        event.terminal, event.direction = True, -sign[k]
        return event

    events = [event_of(k) for k in range(len(sign))]
    while t < t_end:
        for k, event in enumerate(events):
            event.direction = -sign[k]
        r = scipy_ivp(lambda t, y: field(t, y, sign), (t, t_end), y, events=events, **options)
        calls += r.nfev
        t, y = r.t[-1], r.y[:, -1].copy()
        if r.status != 1:
            break
        for k, found in enumerate(r.t_events):
            if len(found):
                y, sign = at_crossing(y, sign, k)
    return y, calls


# ---- the four ---------------------------------------------------------------------------------------


def flip(y, sign, k):
    sign = sign.copy()
    sign[k] = -sign[k]
    # off the guard, on which SciPy would see the same event again
    return y, sign


class Ball:
    t_end, y0, sign, impact_at = 4.0, [1.0, 0.0], [1.0], [(0, -1)]

    @staticmethod
    def field(t, y, s):
        return [y[1], -9.81]

    @staticmethod
    def guards(t, y):
        return [y[0]]

    @staticmethod
    def impact(t, y, s, crossed):
        return [0.0, -0.8 * y[1]]

    @staticmethod
    def at_crossing(y, sign, k):
        return np.array([0.0, -0.8 * y[1]]), sign

    @classmethod
    def truth(cls):
        """flights, one after the other"""
        height, speed, left = *cls.y0, cls.t_end
        while True:
            flight = (speed + np.sqrt(speed**2 + 2 * 9.81 * height)) / 9.81
            if flight >= left:
                return np.array([height + speed * left - 9.81 / 2 * left**2, speed - 9.81 * left])
            height, speed, left = 0.0, 0.8 * (9.81 * flight - speed), left - flight

    @staticmethod
    @numba.cfunc(ess.FIELD)
    def field_c(t, y, s, f, user):
        f[0] = y[1]
        f[1] = -9.81
        return 0

    @staticmethod
    @numba.cfunc(ess.GUARDS)
    def guards_c(t, y, h, user):
        h[0] = y[0]
        return 0

    @staticmethod
    @numba.cfunc(ess.IMPACT)
    def impact_c(t, y, s, crossed, count, after, mode, user):
        after[0] = 0.0
        after[1] = -0.8 * y[1]
        return 0


class Friction:
    """a driven oscillator with dry friction, strong enough never to stick"""

    t_end, y0, sign, impact = 50.0, [1.0, 0.5], [1.0], None
    at_crossing = staticmethod(flip)

    @staticmethod
    def field(t, y, s):
        return [y[1], -y[0] - 0.2 * s[0] + 2.0 * np.cos(0.7 * t)]

    @staticmethod
    def guards(t, y):
        return [y[1]]

    @staticmethod
    @numba.cfunc(ess.FIELD)
    def field_c(t, y, s, f, user):
        f[0] = y[1]
        f[1] = -y[0] - 0.2 * s[0] + 2.0 * np.cos(0.7 * t)
        return 0

    @staticmethod
    @numba.cfunc(ess.GUARDS)
    def guards_c(t, y, h, user):
        h[0] = y[1]
        return 0


class Converter:
    """a buck converter: its switch follows a comparison of the output with a triangle"""

    t_end, y0, sign, impact = 4.0, [0.0, 0.0], [1.0], None
    at_crossing = staticmethod(flip)
    scipy_needs = {"max_step": 1 / 80}  # with 1/40 it loses a switch, and is wrong by 1

    @staticmethod
    def field(t, y, s):
        return [(2.0 * (s[0] > 0) - y[1]) / 0.5, (y[0] - y[1]) / 0.3]

    @staticmethod
    def guards(t, y):
        return [0.9 + 0.3 * np.sin(2 * np.pi * 8 * t) - y[1]]

    @staticmethod
    @numba.cfunc(ess.FIELD)
    def field_c(t, y, s, f, user):
        f[0] = ((2.0 if s[0] > 0 else 0.0) - y[1]) / 0.5
        f[1] = (y[0] - y[1]) / 0.3
        return 0

    @staticmethod
    @numba.cfunc(ess.GUARDS)
    def guards_c(t, y, h, user):
        h[0] = 0.9 + 0.3 * np.sin(2 * np.pi * 8 * t) - y[1]
        return 0


COUNT = 100
DRIVE = np.linspace(1.2, 1.6, COUNT)


class Neurons:
    t_end, y0, sign, impact_at = 5.0, np.linspace(0, 0.5, COUNT), -np.ones(COUNT), None

    @staticmethod
    def field(t, y, s):
        return DRIVE - y

    @staticmethod
    def guards(t, y):
        return y - 1.0

    @staticmethod
    def impact(t, y, s, crossed):
        y = y.copy()
        for k in crossed:
            y[(k + 1) % COUNT] += 0.01
        y[crossed] = 0.0
        return y

    @staticmethod
    def at_crossing(y, sign, k):
        y = y.copy()
        while True:
            y[(k + 1) % COUNT] += 0.01
            y[k] = 0.0
            if not (y >= 1.0).any():
                return y, sign
            k = int(np.argmax(y))  # a kick beyond the threshold: SciPy would never see it

    @staticmethod
    @numba.cfunc(ess.FIELD)
    def field_c(t, y, s, f, user):
        for k in range(COUNT):
            f[k] = DRIVE[k] - y[k]
        return 0

    @staticmethod
    @numba.cfunc(ess.GUARDS)
    def guards_c(t, y, h, user):
        for k in range(COUNT):
            h[k] = y[k] - 1.0
        return 0

    @staticmethod
    @numba.cfunc(ess.IMPACT)
    def impact_c(t, y, s, crossed, count, after, mode, user):
        for i in range(count):
            after[(crossed[i] + 1) % COUNT] += 0.01
        for i in range(count):
            after[crossed[i]] = 0.0
        return 0


CASES = {"ball": Ball, "dry friction": Friction, "converter": Converter, "100 neurons": Neurons}


def run_ess(case, native, options):
    more = {}
    if case.impact is not None:
        more = {"impact": case.impact_c if native else case.impact, "impacts_at": case.impact_at}
    r = ess.solve_ivp(
        case.field_c if native else case.field, (0, case.t_end), case.y0,
        guards=case.guards_c if native else case.guards, guard_count=len(case.sign),
        t_eval=[case.t_end], **more, **options,
    )  # fmt: skip
    return r.y_end if r.success else np.full(len(case.y0), np.nan), r.nfev


def run_scipy(case, options):
    options = options | getattr(case, "scipy_needs", {})
    return restarted(case.field, case.t_end, case.y0, case.sign, case.guards, case.at_crossing, options)


def timed(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def compare(ways, rounds):
    """{name: function} of which each returns (state, calls): what each takes, round by round"""
    spent = {name: [] for name in ways}
    for _ in range(rounds):
        for name, work in ways.items():
            seconds, (y, calls) = timed(work)
            spent[name].append((seconds, y, calls))
    return spent


def error_of(found, truth):
    return float(np.abs(found[0] - truth).max())


def as_exact(case, truth, wanted):
    """the loosest tolerance at which ess errs no more, or None"""
    for k in range(6, 14):
        options = {"rtol": 10.0**-k, "atol": 10.0 ** -(k + 3)}
        if error_of(run_ess(case, True, options), truth) <= wanted:
            return options
    return None


def race(name, case):
    truth = case.truth() if hasattr(case, "truth") else run_scipy(case, EXACT)[0]
    ways = {
        "scipy": lambda: run_scipy(case, OPTIONS),
        "ess": lambda: run_ess(case, False, OPTIONS),
        "numba": lambda: run_ess(case, True, OPTIONS),
    }
    tolerances = dict.fromkeys(ways, OPTIONS["rtol"])
    exact = as_exact(case, truth, error_of(run_scipy(case, OPTIONS), truth))
    if exact and exact != OPTIONS:
        ways["ess as exact"] = lambda: run_ess(case, False, exact)
        tolerances["ess as exact"] = exact["rtol"]
    spent = compare(ways, ROUNDS)
    rows = []
    for way, found in spent.items():
        factors = sorted(base[0] / mine[0] for base, mine in zip(spent["scipy"], found))
        rows.append(
            {
                "case": name,
                "way": way,
                "tolerance": tolerances[way],
                "ms": 1e3 * statistics.median(row[0] for row in found),
                "error": error_of(found[0][1:], truth),
                "calls": int(found[0][2]),
                "factor": statistics.median(factors),
                "factor_least": factors[0],
                "factor_most": factors[-1],
            }
        )
    return rows


# ---- what a call of a function of Python costs, all that is done around it included -------------------


def swing(t, y):
    return [y[1], -y[0]]


def fade(t, y):
    return DRIVE - y


def callback(name, fun, y0, t_end):
    def run(solve, **more):
        r = solve(fun, (0, t_end), y0, **OPTIONS, **more)
        return r.y[:, -1], r.nfev

    y = np.array(y0, float)
    ways = {
        "scipy": lambda: run(scipy_ivp, method="RK45"),
        "ess": lambda: run(ess.solve_ivp),
        "alone": lambda: ([fun(0.0, y) for _ in range(1000)][0], 1000),
    }
    spent = compare(ways, ROUNDS)
    row = {"case": name}
    for way, found in spent.items():
        row[f"{way}_us"] = 1e6 * statistics.median(seconds / calls for seconds, _, calls in found)
    row["ratio"] = row["ess_us"] / row["scipy_us"]
    return row


# ---- all of it ----------------------------------------------------------------------------------------


def git(*words):
    here = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run(["git", "-C", here, *words], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def environment():
    with open("/proc/cpuinfo") as file:
        names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    load, cores = os.getloadavg()[0], os.cpu_count()
    warnings = []
    if load > 1:
        warnings.append(f"load average {load:.2f} on {cores} cores, where 1 is quiet")
    if git("status", "--porcelain", "--untracked-files=no"):
        warnings.append("sources have been changed since this commit")
    modules = {"NumPy": np, "SciPy": scipy, "numba": numba}
    versions = ", ".join(f"{name} {module.__version__}" for name, module in modules.items())
    return {
        # the last commit that changed what is measured: one of pages alone may be found in no other clone
        "git_commit": git("log", "-1", "--format=%H", "--", "../../integrator", "..", "../../pyproject.toml") or "unknown",
        "compiler": f"libess {ess.__version__}, Python {platform.python_version()}, {versions}",
        "cpu": names[0] if names else platform.machine(),
        "cores": cores,
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "warnings": warnings,
    }


def main():
    if len(sys.argv) > 2 or sys.argv[1:] and sys.argv[1].startswith("-"):
        sys.exit("usage: factors.py [FILE]")
    found = {"environment": environment(), "rounds": ROUNDS}
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    found["cases"] = [row for name, case in CASES.items() for row in race(name, case)]
    found["callbacks"] = [
        callback("2 states, a list", swing, [1.0, 0.0], 100.0),
        callback("100 states, an array", fade, np.zeros(COUNT), 100.0),
    ]
    if sys.argv[1:]:
        os.makedirs(os.path.dirname(os.path.abspath(sys.argv[1])), exist_ok=True)
        with open(sys.argv[1], "w") as file:
            json.dump(found, file, indent=1)
        return
    for row in found["cases"]:
        print("{case:<13} {way:<13} {ms:>9.3f} ms, error {error:.1e}, {calls:>5} calls, {factor:>6.1f}".format(**row))
    for row in found["callbacks"]:
        print("{case:<21} scipy {scipy_us:.2f} us, ess {ess_us:.2f} us, alone {alone_us:.2f} us".format(**row))


if __name__ == "__main__":
    main()
