# Many independent systems in one: thermostats and spiking neurons, models of the literature on quantised states, where
# each state has steps of its own. libess locates every event with one step for all; solvers that ignore events take short
# steps and switch after each. The cost of one accuracy, as the number of systems grows.
# SPDX-License-Identifier: GPL-3.0-or-later
# needs: scipy
# needs Debian: libsundials-dev
import ctypes
import ctypes.util
import time

import numpy as np
from scipy.integrate import RK45
from scipy.integrate import solve_ivp as scipy_ivp

import ess
from share import hand_over, row

# models/airs/airconds.mo and models/spikings/spikings.mo of https://github.com/CIFASIS/qss-solver, which have 20 000
# thermostats and 1 000 neurons. Their random numbers are others here, and the thermostats have no noise, which would
# stop all systems every second.
QSS = "https://github.com/CIFASIS/qss-solver/blob"
SOURCES = {
    "thermostats": f"[airconds.mo]({QSS}/a4a95fb536e4d2487736c1d7b956c5324d2489c0/models/airs/airconds.mo)",
    "neurons": f"[spikings.mo]({QSS}/4b528d8194f127e88c07040d0c3865275f66edea/models/spikings/spikings.mo)",
}
LONGEST = 4e5  # steps of a run of a solver that ignores events


class Thermostats:
    """The states are the temperatures (°C), and then whether each cooler is on: 1 or 0."""

    name, duration, wanted, first_step, counts, most = "thermostats", 500.0, 1e-2, 8.0, [1, 10, 100, 1000, 20000], 1000
    error_of = "temperature, root mean square (K)"

    def __init__(self, count):
        draw = np.random.default_rng(1)
        self.count = count
        # drawn by system: those of a smaller number are the first of a larger one
        u = draw.random((20000, 4))[:count]
        self.leak = 1 / ((1.8 + 0.4 * u[:, 0]) * (550 + 100 * u[:, 1]))
        self.rest = 32.0 - (13 + 2 * u[:, 2]) * (1.8 + 0.4 * u[:, 0])  # °C, where a cooler that is on leads
        start = 18 + 4 * u[:, 3]
        self.y0 = np.concatenate([start, (start > 20.5) * 1.0])

    def rhs(self, t, y):
        n = self.count
        toward = np.where(y[n:] > 0.5, self.rest, 32.0)
        return np.concatenate([(toward - y[:n]) * self.leak, np.zeros(n)])

    def field(self, t, y, sign):
        n = self.count
        return np.concatenate([(np.where(sign > 0, self.rest, 32.0) - y[:n]) * self.leak, np.zeros(n)])

    def guards(self, t, y):
        n = self.count
        return y[:n] - 20.5 + y[n:]

    def guard_jac(self, t, y):
        return np.hstack([np.eye(self.count)] * 2)

    def impact(self, t, y, sign, crossed):
        after = y.copy()
        for k in crossed:
            after[self.count + k] = 1.0 - after[self.count + k]
        return after

    def switched(self, y):
        """After a step: whether anything has switched, and the states then."""
        n, h = self.count, self.guards(0.0, y)
        now = np.where(h > 0, 1.0, 0.0)
        if (now == y[n:]).all():
            return False, y
        return True, np.concatenate([y[:n], now])

    def error(self, y, exact):
        return float(np.sqrt(np.mean((y[: self.count] - exact) ** 2)))

    def exact(self):
        """Each by its closed form."""
        found = np.empty(self.count)
        for k in range(self.count):
            T, on, left = self.y0[k], self.y0[self.count + k] > 0.5, self.duration
            while True:
                toward, at = (self.rest[k], 19.5) if on else (32.0, 20.5)
                past = T <= at if on else T >= at
                took = 0.0 if past else np.log((T - toward) / (at - toward)) / self.leak[k]
                if took >= left:
                    break
                T, on, left = (T if past else at), not on, left - took
            found[k] = toward + (T - toward) * np.exp(-left * self.leak[k])
        return found


class Neurons:
    """Izhikevich's: the states are v (mV) and then u of each, and times are ms."""

    name, duration, wanted, first_step, counts, most = "neurons", 100.0, 1e-1, 0.5, [1, 10, 100, 1000], 1000
    error_of = "u of at most 25 neurons, root mean square"

    def __init__(self, count):
        draw = np.random.default_rng(1)
        self.count = count
        u = draw.random((1000, 2))[:count]
        self.c, self.d, self.current = -65 + 15 * u[:, 0] ** 2, 8 - 6 * u[:, 0] ** 2, 10 * u[:, 1]
        self.y0 = np.concatenate([np.full(count, -60.0), np.zeros(count)])

    def rhs(self, t, y):
        v, u = y[: self.count], y[self.count :]
        return np.concatenate([0.04 * v * v + 5 * v + 140 - u + self.current, 0.02 * (0.2 * v - u)])

    def field(self, t, y, sign):
        return self.rhs(t, y)

    def guards(self, t, y):
        return y[: self.count] - 30.0

    def guard_jac(self, t, y):
        return np.hstack([np.eye(self.count), np.zeros((self.count, self.count))])

    def impact(self, t, y, sign, crossed):
        after = y.copy()
        for k in crossed:
            after[k] = self.c[k]
            after[self.count + k] += self.d[k]
        return after

    def switched(self, y):
        fired = np.flatnonzero(y[: self.count] > 30.0)
        return (True, self.impact(0.0, y, None, fired)) if len(fired) else (False, y)

    def error(self, y, exact):
        return float(np.sqrt(np.mean((y[self.count : self.count + len(exact)] - exact) ** 2)))

    def exact(self):
        """The first ones, each by SciPy's DOP853 that is restarted at each spike."""
        found = []
        for k in range(min(self.count, 25)):
            t, y = 0.0, np.array([-60.0, 0.0])

            def fires(t, y):
                return y[0] - 30.0

            def rates(t, y, current=self.current[k]):
                return [0.04 * y[0] * y[0] + 5 * y[0] + 140 - y[1] + current, 0.02 * (0.2 * y[0] - y[1])]

            fires.terminal, fires.direction = True, 1
            while t < self.duration:
                r = scipy_ivp(rates, (t, self.duration), y, method="DOP853", events=fires, rtol=1e-11, atol=1e-11)
                t, y = r.t[-1], r.y[:, -1].copy()
                if r.status == 1:
                    y = np.array([self.c[k], y[1] + self.d[k]])
            found.append(y[1])
        return np.array(found)


def by_libess(system, exact):
    """The evaluations of the loosest tolerance with the wanted error, and its events."""
    for power in range(2, 10):
        begun = time.process_time()
        r = ess.solve_ivp(
            system.field, (0, system.duration), system.y0, guards=system.guards, impact=system.impact,
            guard_jac=system.guard_jac, rtol=10.0**-power, atol=10.0**-power, t_eval=[system.duration],
        )  # fmt: skip
        assert r.success, r.message
        error = system.error(r.y_end, exact)
        if error <= system.wanted:
            return {"evaluations": r.nfev, "events": len(r.crossings), "setting": f"tolerance 1e-{power:02}", "error": error,
                    "seconds": time.process_time() - begun}  # fmt: skip
    return None


def by_dopri5(system, step):
    """SciPy's RK45, which learns of a switch after the step."""
    solver = RK45(system.rhs, 0.0, system.y0.copy(), system.duration, rtol=1e-3, atol=1e-3, max_step=step)
    while solver.status == "running":
        solver.step()
        if solver.nfev > 7 * LONGEST:
            return None, solver.nfev
        has, y = system.switched(solver.y)
        if has:
            solver.y, solver.f = y, system.rhs(solver.t, y)
            solver.nfev += 1
    return (None if solver.status == "failed" else solver.y), solver.nfev


CVODE = ctypes.CDLL(ctypes.util.find_library("sundials_cvode"))
VECTOR = ctypes.CDLL(ctypes.util.find_library("sundials_nvecserial"))
FIXED = ctypes.CDLL(ctypes.util.find_library("sundials_sunnonlinsolfixedpoint"))
for library, names in (
    (CVODE, ["CVodeCreate", "N_VGetArrayPointer"]), (VECTOR, ["N_VMake_Serial"]), (FIXED, ["SUNNonlinSol_FixedPoint"]),
):  # fmt: skip
    for name in names:
        getattr(library, name).restype = ctypes.c_void_p
P, D = ctypes.c_void_p, ctypes.c_double
RATES = ctypes.CFUNCTYPE(ctypes.c_int, D, P, P, P)
ADAMS, ONE_STEP = 1, 2


def by_cvode(system, step):
    """CVODE's Adams methods, which are started anew after a switch: their history is that of another field."""
    calls, size = 0, len(system.y0)

    def array(vector):
        pointer = CVODE.N_VGetArrayPointer(P(vector))
        return np.ctypeslib.as_array(ctypes.cast(pointer, ctypes.POINTER(D)), (size,))

    @RATES
    def rates(t, y, f, user):
        nonlocal calls
        calls += 1
        array(f)[:] = system.rhs(t, array(y))
        return 0

    context, y, t = P(), system.y0.copy(), D(0.0)
    CVODE.SUNContext_Create(None, ctypes.byref(context))
    state = P(VECTOR.N_VMake_Serial(ctypes.c_int64(size), y.ctypes.data_as(P), context))
    solver = P(CVODE.CVodeCreate(ADAMS, context))
    CVODE.CVodeInit(solver, rates, D(0.0), state)
    CVODE.CVodeSStolerances(solver, D(1e-3), D(1e-3))
    CVODE.CVodeSetNonlinearSolver(solver, P(FIXED.SUNNonlinSol_FixedPoint(state, 0, context)))
    CVODE.CVodeSetMaxStep(solver, D(step))
    CVODE.CVodeSetStopTime(solver, D(system.duration))
    steps = 0
    while t.value < system.duration * (1 - 1e-12):
        if CVODE.CVode(solver, D(system.duration), state, ctypes.byref(t), ONE_STEP) < 0 or steps > LONGEST:
            return None, calls
        steps += 1
        has, after = system.switched(y)
        if has:
            y[:] = after
            if t.value < system.duration * (1 - 1e-12):
                CVODE.CVodeReInit(solver, t, state)
                CVODE.CVodeSetStopTime(solver, D(system.duration))
    return y, calls


def by_steps(run, system, exact, step):
    """The evaluations of the longest step with the wanted error, of those from the given one on."""
    while system.duration / step < LONGEST / 2:
        begun = time.process_time()
        with np.errstate(all="ignore"):
            y, calls = run(system, step)
        seconds = time.process_time() - begun
        if y is not None and np.isfinite(y).all():
            error = system.error(y, exact)
            if error <= system.wanted:
                return {"evaluations": calls, "events": None, "setting": f"steps of at most {step:g}", "error": error,
                        "seconds": seconds, "step": step}  # fmt: skip
        step /= 2
    return None


many, rows = [], []
for kind in Thermostats, Neurons:
    longest = {by_dopri5: kind.first_step, by_cvode: kind.first_step}  # of the next run: twice that of the one before
    for count in kind.counts:
        system = kind(count)
        exact = system.exact()
        ways = {"libess": by_libess} if count <= kind.most else {}
        ways["dopri5, event-unaware"] = by_dopri5
        ways["CVODE, event-unaware"] = by_cvode
        for by, way in ways.items():
            found = way(system, exact) if by == "libess" else by_steps(way, system, exact, longest[way])
            found = found or {"evaluations": None, "events": None, "setting": "not reached", "error": None, "seconds": None}
            longest[way] = min(2 * found.pop("step", longest.get(way, 0.0) / 2), kind.first_step)
            many.append({"model": kind.name, "systems": count, "by": by, "wanted": kind.wanted, "error_of": kind.error_of,
                         "duration": kind.duration, **found})  # fmt: skip
    ours = {m["systems"]: m["evaluations"] for m in many if m["model"] == kind.name and m["by"] == "libess"}
    for by in "dopri5, event-unaware", "CVODE, event-unaware":
        at = {m["systems"]: m["evaluations"] for m in many if m["model"] == kind.name and m["by"] == by}
        for count, mine in ours.items():
            rows.append(row(f"{count} {kind.name}" if count > 1 else f"one of the {kind.name}", "right-hand-side evaluations", by,
                            at[count], mine, None, SOURCES[kind.name]))  # fmt: skip
hand_over(rows=rows, many=many)
