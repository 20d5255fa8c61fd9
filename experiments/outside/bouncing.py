# SimBenchmark's 49 elastic balls: the mean squared error of their energy over 20 s, by libess.
# SPDX-License-Identifier: GPL-3.0-or-later
import ess
import numpy as np

from share import hand_over, row

# data/bouncing/sample.csv of https://github.com/leggedrobotics/SimBenchmark at 3fd1764, restitution 1, ERP 0;
# the constants are those of benchmark/res/yaml/bouncing.yaml, and the error that of BouncingBenchmark.hpp
SOURCE = "[sample.csv](https://github.com/leggedrobotics/SimBenchmark/blob/3fd17646352f4c1c2c3108f93dae00f2a2d60097/data/bouncing/sample.csv)"
PUBLISHED = {
    "ODE, 1 ms": 185.027, "Bullet, 1 ms": 75245.4, "DART, 1 ms": 72274.4, "RaiSim, 1 ms": 0.0186204,
    "ODE, 0.01 ms": 0.0185024, "Bullet, 0.01 ms": 7.52322, "DART, 0.01 ms": 7.38571, "RaiSim, 0.01 ms": 1.86445e-10,
}  # fmt: skip
COUNT, MASS, GRAVITY, HEIGHT, RADIUS, TIME, STEP = 49, 10.0, 9.81, 5.0, 0.1, 20.0, 1e-3


def impact(t, y, sign, crossed):
    after = y.copy()
    for k in crossed:
        after[k] = RADIUS
        after[COUNT + k] *= -1.0
    return after


times = STEP * np.arange(round(TIME / STEP))
r = ess.solve_ivp(
    lambda t, y, sign: np.concatenate([y[COUNT:], np.full(COUNT, -GRAVITY)]), (0, TIME),
    np.concatenate([np.full(COUNT, HEIGHT), np.zeros(COUNT)]), guards=lambda t, y: y[:COUNT] - RADIUS, impact=impact,
    impacts_at=[(k, -1) for k in range(COUNT)], t_eval=times, rtol=1e-10, atol=1e-12,
)  # fmt: skip
assert r.success, r.message
energy = MASS * (GRAVITY * r.y[:COUNT] + 0.5 * r.y[COUNT:] ** 2).sum(axis=0)
error = np.mean((energy - COUNT * MASS * GRAVITY * HEIGHT) ** 2)
# a ball's place by its closed form: flights of one duration between impacts
fall = np.sqrt(2 * (HEIGHT - RADIUS) / GRAVITY)
since = (times[-1] + fall) % (2 * fall) - fall  # of the highest point
exact = HEIGHT - GRAVITY / 2 * since**2
rows = [row("49 elastic balls", "squared error of the energy, mean (J²)", by, theirs, error, 0, SOURCE)
        for by, theirs in PUBLISHED.items()]  # fmt: skip
rows.append(row("49 elastic balls", "height of a ball at 19.999 s (m)", "", None, r.y[0, -1], exact))
hand_over(rows=rows)
