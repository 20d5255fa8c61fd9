# Problems of nosnoc, whose method FESD makes the times of switches unknowns of its implicit Runge-Kutta steps: an
# oscillator that switches once, run by nosnoc and by libess, and two balls on a spring.
# SPDX-License-Identifier: GPL-3.0-or-later
# needs: nosnoc casadi scipy
import numpy as np
from scipy.integrate import solve_ivp as scipy_ivp

import ess
from share import hand_over, orders, row

# The oscillator: examples/oscillator/oscillator_example.py of https://github.com/nosnoc/nosnoc_py at 26f5803, which turns
# the other way outside the unit circle; its settings are those of integration_order_experiment_oscillator.py beside it.
ORDER = "[oscillator](https://github.com/nosnoc/nosnoc_py/blob/26f5803579bdfd9e62a8de0371ef9e199e1d78bd/examples/oscillator/integration_order_experiment_oscillator.py)"
OMEGA = 2 * np.pi
OUTSIDE, INSIDE = np.array([[1, OMEGA], [-OMEGA, 1]]), np.array([[1, -OMEGA], [OMEGA, 1]])


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


fesd, best = orders(Oscillator(), "nosnoc 0.2.0")

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
rows = [best] + [
    row("two balls on a spring", f"at 1 s, {name}", "SciPy's DOP853, restarted", theirs, mine, None, SPRING)
    for name, theirs, mine in zip(names, restarted(), two.y_end)
]
hand_over(rows=rows, fesd=fesd)
