# Many independent systems in one: thermostats and spiking neurons, models of the literature on quantised states, where
# each state has steps of its own. libess locates every event with one step for all; solvers that ignore events take short
# steps and switch after each. The cost of one accuracy, as the number of systems grows. All run compiled, in many.c.
# SPDX-License-Identifier: GPL-3.0-or-later
# needs: scipy
# needs Debian: libsundials-dev cmake gcc
import os
import pathlib
import subprocess

import numpy as np
from scipy.integrate import solve_ivp as scipy_ivp

from share import hand_over, row

HERE, BUILT, LIBRARY = pathlib.Path(__file__).parent, "build/outside/many", "build/outside/libess"
# models/airs/airconds.mo and models/spikings/spikings.mo of https://github.com/CIFASIS/qss-solver, which have 20 000
# thermostats and 1 000 neurons. Their random numbers are others here, and the thermostats have no noise, which would
# stop all systems every second.
QSS = "https://github.com/CIFASIS/qss-solver/blob"
SOURCES = {
    "thermostats": f"[airconds.mo]({QSS}/a4a95fb536e4d2487736c1d7b956c5324d2489c0/models/airs/airconds.mo)",
    "neurons": f"[spikings.mo]({QSS}/4b528d8194f127e88c07040d0c3865275f66edea/models/spikings/spikings.mo)",
}
ONE, EACH, DOPRI5, CVODE = "libess", "libess, one by one", "dopri5, event-unaware", "CVODE, event-unaware"
LOOSEST = 1e-1  # tolerance
WAYS = {ONE: "libess", EACH: "each", DOPRI5: "dopri5", CVODE: "cvode"}


def build():
    """libess with the options of its release, and the program."""
    os.makedirs(LIBRARY, exist_ok=True)
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DESS_HARNESS=OFF", "-DESS_TESTS=OFF", "-DESS_INSTALL=OFF"]
    sundials = [f"-lsundials_{name}" for name in ("cvode", "nvecserial", "sunnonlinsolfixedpoint")]
    for words in (
        ["cmake", "-S", ".", "-B", LIBRARY, *options],
        ["cmake", "--build", LIBRARY, "--target", "ess_static", "--parallel", "2"],
        ["gcc", "-std=c17", "-O3", "-mavx", "-Iintegrator", HERE / "many.c", f"{LIBRARY}/integrator/libess.a",
         "-o", BUILT, *sundials, "-lm"],
    ):  # fmt: skip
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


class Thermostats:
    name, duration, wanted, first_step, counts = "thermostats", 500.0, 1e-2, 8.0, [1, 10, 100, 1000, 20000]
    error_of = "temperature, root mean square (K)"

    def __init__(self, count):
        # drawn by system: those of a smaller number are the first of a larger one
        u = np.random.default_rng(1).random((20000, 4))[:count]
        leak = 1 / ((1.8 + 0.4 * u[:, 0]) * (550 + 100 * u[:, 1]))
        cooling = -(13 + 2 * u[:, 2]) * (1.8 + 0.4 * u[:, 0])
        self.numbers = leak, cooling, 18 + 4 * u[:, 3]

    def exact(self):
        """Each by its closed form."""
        found = []
        for leak, cooling, T in zip(*self.numbers):
            on, left = T > 20.5, self.duration
            while True:
                toward, at = (32.0 + cooling, 19.5) if on else (32.0, 20.5)
                past = T <= at if on else T >= at
                took = 0.0 if past else np.log((T - toward) / (at - toward)) / leak
                if took >= left:
                    break
                T, on, left = (T if past else at), not on, left - took
            found.append(toward + (T - toward) * np.exp(-left * leak))
        return np.array(found)


class Neurons:
    """Izhikevich's: the states are v (mV) and u, and times are ms."""

    name, duration, wanted, first_step, counts = "neurons", 100.0, 1e-1, 0.5, [1, 10, 100, 1000]
    error_of = "u of at most 25 neurons, root mean square"

    def __init__(self, count):
        u = np.random.default_rng(1).random((1000, 2))[:count]
        self.numbers = -65 + 15 * u[:, 0] ** 2, 8 - 6 * u[:, 0] ** 2, 10 * u[:, 1]

    def exact(self):
        """The first ones, each by SciPy's DOP853 that is restarted at each spike."""
        found = []
        for c, d, current in list(zip(*self.numbers))[:25]:
            t, y = 0.0, np.array([-60.0, 0.0])

            def fires(t, y):
                return y[0] - 30.0

            def rates(t, y, current=current):
                return [0.04 * y[0] * y[0] + 5 * y[0] + 140 - y[1] + current, 0.02 * (0.2 * y[0] - y[1])]

            fires.terminal, fires.direction = True, 1
            while t < self.duration:
                r = scipy_ivp(rates, (t, self.duration), y, method="DOP853", events=fires, rtol=1e-11, atol=1e-11)
                t, y = r.t[-1], r.y[:, -1].copy()
                if r.status == 1:
                    y = np.array([c, y[1] + d])
            found.append(y[1])
        return np.array(found)


def run(system, way, setting, exact):
    """The numbers of a run, or None where it does not succeed."""
    given = "\n".join(" ".join(map(repr, map(float, numbers))) for numbers in system.numbers)
    words = [BUILT, system.name, WAYS[way], str(len(system.numbers[0])), repr(setting)]
    done = subprocess.run(words, input=given, capture_output=True, text=True)
    if done.returncode:
        return None
    first, *states = done.stdout.splitlines()
    evaluations, events, seconds = first.split()
    error = float(np.sqrt(np.mean((np.array(states[: len(exact)], float) - exact) ** 2)))
    return {"evaluations": int(evaluations), "events": int(events) if way in (ONE, EACH) else None, "error": error,
            "seconds": float(seconds)}  # fmt: skip


def settings(way, begin):
    """From a loose one on: tolerances of libess, and the longest steps of the others."""
    return (begin * (0.1 if way in (ONE, EACH) else 0.5) ** k for k in range(12))


def cheapest(system, way, exact, begin):
    """The run of the loosest setting with the wanted error, and that setting."""
    for setting in settings(way, begin):
        found = run(system, way, setting, exact)
        if found and found["error"] <= system.wanted:
            said = f"tolerance {setting:.0e}" if way in (ONE, EACH) else f"steps of at most {setting:g}"
            return {**found, "setting": said}, setting
    return {"evaluations": None, "events": None, "setting": "not reached", "error": None, "seconds": None}, begin


build()
many, rows = [], []
for kind in Thermostats, Neurons:
    begin = {ONE: LOOSEST, EACH: LOOSEST, DOPRI5: kind.first_step, CVODE: kind.first_step}
    for count in kind.counts:
        system = kind(count)
        exact = system.exact()
        of = {}
        for way in WAYS:
            of[way], setting = cheapest(system, way, exact, begin[way])
            # more systems at the same error take about the same setting, or that of the number before
            begin[way] = setting if way in (ONE, EACH) else min(2 * setting, kind.first_step)
            many.append({"model": kind.name, "systems": count, "by": way, "wanted": kind.wanted, "error_of": kind.error_of,
                         "duration": kind.duration, **of[way]})  # fmt: skip
        for by in DOPRI5, CVODE:
            rows.append(row(f"{count} {kind.name}" if count > 1 else f"one of the {kind.name}", "right-hand-side evaluations", by,
                            of[by]["evaluations"], of[ONE]["evaluations"], None, SOURCES[kind.name]))  # fmt: skip
hand_over(rows=rows, many=many)
