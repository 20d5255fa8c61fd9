# SPDX-License-Identifier: Apache-2.0
"""A ball's restitution and drag, fitted to measured heights, with derivatives through its bounces.

Usage: fit_ball.py [FILE]: also draws data and fit into this file; needs matplotlib
"""

import sys
from typing import Any

import numpy as np
from scipy.optimize import least_squares

import ess

TIMES = np.linspace(0.05, 2, 40)


def fall(t, y, sign, p):
    return [y[1], -9.81 - p[1] * y[1] * abs(y[1])]


def floor(t, y, p):
    return y[0]


def bounce(t, y, sign, crossed, p):
    return [0.0, -p[0] * y[1]]


def run(p, **more):
    return ess.solve_ivp(
        fall, (0, 2), [1.0, 0.0], params=p, guards=floor, impact=bounce, impacts_at=[(0, -1)],
        t_eval=TIMES, rtol=1e-8, atol=1e-10, **more,
    )  # fmt: skip


def fit(measured, start):
    """estimated restitution and drag; each iteration is one run, which has the derivatives, too"""
    by_parameters = np.eye(4)[:, 2:]  # rows: the two states and the two parameters
    latest: dict[str, Any] = {}

    def latest_run(p):
        if latest.get("p") != p.tobytes():
            latest.update(p=p.tobytes(), run=run(p, tangents=by_parameters))
        return latest["run"]

    return least_squares(
        lambda p: latest_run(p).y[0] - measured, start, jac=lambda p: latest_run(p).tangents_at[0].T
    )


def main():
    true = np.array([0.8, 0.05])
    noise = 2e-3 * np.random.default_rng(1).normal(size=TIMES.size)
    found = fit(run(true).y[0] + noise, start=[0.7, 0.0])
    print(f"restitution {found.x[0]:.3f}, drag {found.x[1]:.3f}, after {found.nfev} runs")
    if len(sys.argv) > 1:
        ax = run(found.x).plot(0, names=["height", "speed"])
        ax.plot(TIMES, run(true).y[0] + noise, "k.", label="measured")
        ax.legend()
        ax.figure.savefig(sys.argv[1])


if __name__ == "__main__":
    main()
