# Problems of nosnoc, whose method FESD makes the times of switches unknowns of its implicit Runge-Kutta steps: an
# oscillator that switches once, run by nosnoc and by libess, and two balls on a spring.
# SPDX-License-Identifier: GPL-3.0-or-later
# needs: nosnoc casadi
import sys

import numpy as np
from scipy.integrate import solve_ivp as scipy_ivp

import ess
from share import hand_over, row

sys.path.pop(0)  # this file is not the package of its name
import nosnoc
from casadi import SX, horzcat

VERSION = "nosnoc 0.2.0"
# The oscillator: examples/oscillator/oscillator_example.py of https://github.com/nosnoc/nosnoc_py at 26f5803, which turns
# the other way outside the unit circle; its settings are those of integration_order_experiment_oscillator.py beside it.
ORDER = "[oscillator](https://github.com/nosnoc/nosnoc_py/blob/26f5803579bdfd9e62a8de0371ef9e199e1d78bd/examples/oscillator/integration_order_experiment_oscillator.py)"
OMEGA, END = 2 * np.pi, np.pi / 2
OUTSIDE, INSIDE = np.array([[1, OMEGA], [-OMEGA, 1]]), np.array([[1, -OMEGA], [OMEGA, 1]])
START = np.array([np.exp(-1.0), 0.0])
EXACT = np.exp(END - 1) * np.array([np.cos(OMEGA * (END - 1)), -np.sin(OMEGA * (END - 1))])
STAGES, RUNS = [1, 2, 3, 4], [5, 9, 20, 40]


def fesd(stages, count):
    """Its error, and in how many of its steps the nonlinear program was solved."""
    x = SX.sym("x", 2)
    model = nosnoc.NosnocModel(
        x=x, F=[horzcat(OUTSIDE @ x, INSIDE @ x)], S=[np.array([[1], [-1]])], c=[x[0] ** 2 + x[1] ** 2 - 1], x0=START
    )
    o = nosnoc.NosnocOpts()
    o.terminal_time, o.n_s, o.N_finite_elements, o.print_level = END / count, stages, 2, 0
    o.comp_tol = o.sigma_N = o.tol_ipopt = 1e-12
    o.irk_scheme, o.pss_mode = nosnoc.IrkSchemes.RADAU_IIA, nosnoc.PssMode.STEP
    looper = nosnoc.NosnocSimLooper(nosnoc.NosnocSolver(o, model), model.x0, count, print_level=0)
    looper.run()
    found = looper.get_results()
    solved = sum(status == nosnoc.Status.SUCCESS for status in found["status"])
    return np.abs(found["X_sim"][-1] - EXACT).max(), solved


order = []
for stages in STAGES:
    for count in RUNS:
        error, solved = fesd(stages, count)
        by = f"FESD, Radau IIA of order {2 * stages - 1}"
        order.append({"by": by, "order": 2 * stages - 1, "setting": f"{count} intervals", "steps": 2 * count,
                      "error": error if solved == count else None, "failed": count - solved, "evaluations": None})  # fmt: skip
for power in range(2, 13):
    # the signs of both sides of the circle: 1 outside
    r = ess.solve_ivp(
        lambda t, y, sign: (OUTSIDE if sign[0] > 0 else INSIDE) @ y, (0, END), START, t_eval=[END],
        guards=lambda t, y: y @ y - 1, rtol=10.0**-power, atol=10.0**-power,
    )  # fmt: skip
    assert r.success, r.message
    order.append({"by": "libess", "order": 0, "setting": f"tolerance 1e-{power:02}", "steps": r.nsteps,
                  "error": np.abs(r.y_end - EXACT).max(), "failed": 0, "evaluations": r.nfev})  # fmt: skip
best = min(one["error"] for one in order if one["by"].startswith("FESD") and one["error"] is not None)
ours = min(one["error"] for one in order if one["by"] == "libess")
rows = [row("oscillator that switches", "smallest error", VERSION, best, ours, 0, ORDER)]

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
