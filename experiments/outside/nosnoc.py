# Problems of nosnoc, whose method FESD makes the times of switches unknowns of its implicit Runge-Kutta steps: an
# oscillator that switches once and a mass on a belt, run by nosnoc and by libess, and two balls on a spring.
# SPDX-License-Identifier: GPL-3.0-or-later
# needs: nosnoc casadi
import sys

import numpy as np
from scipy.integrate import solve_ivp as scipy_ivp

import ess
from share import hand_over, row

sys.path.pop(0)  # this file is not the package of its name
import nosnoc
from casadi import SX, horzcat, vertcat

VERSION = "nosnoc 0.2.0"
# The oscillator: examples/oscillator/oscillator_example.py of https://github.com/nosnoc/nosnoc_py at 26f5803, which turns
# the other way outside the unit circle; its settings are those of integration_order_experiment_oscillator.py beside it.
ORDER = "[oscillator](https://github.com/nosnoc/nosnoc_py/blob/26f5803579bdfd9e62a8de0371ef9e199e1d78bd/examples/oscillator/integration_order_experiment_oscillator.py)"
OMEGA = 2 * np.pi
OUTSIDE, INSIDE = np.array([[1, OMEGA], [-OMEGA, 1]]), np.array([[1, -OMEGA], [OMEGA, 1]])
STAGES, RUNS = [1, 2, 3, 4], [5, 9, 20, 40]


class Oscillator:
    name, duration, start, source = "oscillator that switches", np.pi / 2, [np.exp(-1.0), 0.0], ORDER
    sliding = False

    @staticmethod
    def switch(y):
        return y[0] ** 2 + y[1] ** 2 - 1

    @staticmethod
    def above(y):
        return OUTSIDE @ y

    @staticmethod
    def below(y):
        return INSIDE @ y

    def exact(self):
        since = self.duration - 1
        return np.exp(since) * np.array([np.cos(OMEGA * since), -np.sin(OMEGA * since)])


class Belt:
    """The mass on a belt of examples/periodic_stick_slip/periodic_stick_slip.py of the same repository: it slips, sticks to
    the belt until its spring pulls it off, and slips again."""

    name, duration, start = "mass on a belt", 6.0, [0.04, -0.01]
    source = "[periodic_stick_slip](https://github.com/nosnoc/nosnoc_py/blob/26f5803579bdfd9e62a8de0371ef9e199e1d78bd/examples/periodic_stick_slip/periodic_stick_slip.py)"
    sliding, speed = True, 0.2

    def switch(self, y):
        return y[1] - self.speed

    @staticmethod
    def above(y):
        return vertcat(y[1], -y[0] - 1 / (0.8 + y[1])) if isinstance(y, SX) else [y[1], -y[0] - 1 / (0.8 + y[1])]

    @staticmethod
    def below(y):
        return vertcat(y[1], -y[0] + 1 / (1.2 - y[1])) if isinstance(y, SX) else [y[1], -y[0] + 1 / (1.2 - y[1])]

    def exact(self):
        """By SciPy's DOP853 where it slips. Where it sticks it moves with the belt, until it is at 1."""

        def slip(t, y):
            return self.below(y)

        def sticks(t, y):
            return self.switch(y)

        sticks.terminal, sticks.direction = True, 1
        to = dict(method="DOP853", rtol=1e-13, atol=1e-14)
        first = scipy_ivp(slip, (0, self.duration), self.start, events=sticks, **to)
        released = first.t[-1] + (1 - first.y[0, -1]) / self.speed
        return scipy_ivp(slip, (released, self.duration), [1, self.speed], **to).y[:, -1]


def fesd(problem, stages, count):
    """Its state at the end, and in how many of its intervals the nonlinear program was solved."""
    x = SX.sym("x", 2)
    model = nosnoc.NosnocModel(x=x, F=[horzcat(problem.above(x), problem.below(x))], S=[np.array([[1], [-1]])],
                               c=[problem.switch(x)], x0=np.array(problem.start))  # fmt: skip
    o = nosnoc.NosnocOpts()
    o.terminal_time, o.n_s, o.N_finite_elements, o.print_level = problem.duration / count, stages, 2, 0
    o.comp_tol = o.sigma_N = o.tol_ipopt = 1e-12
    o.irk_scheme, o.pss_mode = nosnoc.IrkSchemes.RADAU_IIA, nosnoc.PssMode.STEP
    looper = nosnoc.NosnocSimLooper(nosnoc.NosnocSolver(o, model), model.x0, count, print_level=0)
    looper.run()
    found = looper.get_results()
    return found["X_sim"][-1], sum(status == nosnoc.Status.SUCCESS for status in found["status"])


def by_libess(problem, tolerance):
    # the sign is 1 above the zero of the switch
    r = ess.solve_ivp(
        lambda t, y, sign: problem.above(y) if sign[0] > 0 else problem.below(y), (0, problem.duration), problem.start,
        guards=lambda t, y: problem.switch(y), sliding=problem.sliding, t_eval=[problem.duration], rtol=tolerance, atol=tolerance,
    )  # fmt: skip
    assert r.success, r.message
    return r


order, rows = [], []
for problem in Oscillator(), Belt():
    exact = problem.exact()
    of_fesd = []
    for stages in STAGES:
        for count in RUNS:
            end, solved = fesd(problem, stages, count)
            error = np.abs(end - exact).max() if solved == count else None
            of_fesd += [error] if error is not None else []
            by = f"FESD, Radau IIA of order {2 * stages - 1}"
            order.append({"problem": problem.name, "by": by, "order": 2 * stages - 1, "tolerance": None, "steps": 2 * count,
                          "error": error, "failed": count - solved, "evaluations": None})  # fmt: skip
    of_libess = []
    for power in range(2, 13):
        r = by_libess(problem, 10.0**-power)
        of_libess.append(np.abs(r.y_end - exact).max())
        order.append({"problem": problem.name, "by": "libess", "order": 0, "tolerance": 10.0**-power, "steps": r.nsteps,
                      "error": of_libess[-1], "failed": 0, "evaluations": r.nfev})  # fmt: skip
    rows.append(row(problem.name, "smallest error", VERSION, min(of_fesd), min(of_libess), 0, problem.source))

# Two balls on a spring of 1e4 N/m, the lower one above a floor that gives back 0.8 of its velocity: the constants of
# benchmarks/two_balls_cls/benchmark_globals.m of https://github.com/nosnoc/nosnoc at 0abef40. The reference there is
# MATLAB's ode15s, restarted at each impact; SciPy's DOP853 is restarted in the same way here.
SPRING = "[two_balls_cls](https://github.com/nosnoc/nosnoc/tree/0abef4010795cdefee95ac52017fbdbfc43271e1/benchmarks/two_balls_cls)"
GRAVITY, RADIUS, STIFFNESS, LENGTH, RESTITUTION = 9.81, 0.2, 1e4, 1.0, 0.8


def motion(t, y):
    pull = STIFFNESS * (y[1] - y[0] - LENGTH)
    return [y[2], y[3], pull - GRAVITY, -pull - GRAVITY]


def gap(t, y):
    return y[0] - RADIUS


gap.terminal, gap.direction = True, -1


def restarted():
    t, y = 0.0, [1.0, 2.0, 0.0, 0.0]
    while t < 1.0:
        r = scipy_ivp(motion, (t, 1.0), y, method="DOP853", events=gap, rtol=1e-13, atol=1e-13)
        t, y = r.t[-1], r.y[:, -1].copy()
        if r.status == 1:
            y[0], y[2] = RADIUS, -RESTITUTION * y[2]
    return y


two = ess.solve_ivp(
    lambda t, y, sign: motion(t, y), (0, 1), [1.0, 2.0, 0.0, 0.0], guards=gap, impacts_at=[(0, -1)], rtol=1e-10, atol=1e-10,
    impact=lambda t, y, sign, crossed: [RADIUS, y[1], -RESTITUTION * y[2], y[3]], t_eval=[1.0],
)  # fmt: skip
assert two.success, two.message
names = "lower ball (m)", "upper ball (m)", "velocity of the lower (m/s)", "velocity of the upper (m/s)"
rows += [
    row("two balls on a spring", f"at 1 s, {name}", "SciPy's DOP853, restarted", theirs, mine, None, SPRING)
    for name, theirs, mine in zip(names, restarted(), two.y_end)
]
hand_over(rows=rows, fesd=order)
