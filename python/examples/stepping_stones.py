# SPDX-License-Identifier: Apache-2.0
"""A runner on a springy leg over stepping stones: the angle and the stiffness of the leg for each step, by gradient.

The gradient is that of one run, through all landings and take-offs, and SciPy's L-BFGS-B does the rest. With a
path, such as stones.png, gnuplot draws what has come of it: stepping_stones.py [FILE]
"""

import subprocess
import sys

import numpy as np
from scipy.optimize import minimize

import ess

STRIDES, LEG, GRAVITY, STIFFNESS, TIME = 6, 1.0, 9.81, 250.0, 5.0  # stiffness over mass, 1/s^2
X, Z, VX, VZ, FOOT, LANDED, LEFT, MISS = range(8)  # the foot's place; how many landings, take-offs; squared misses
LANDS, LEAVES = 0, 1
STONES = np.array([1.0, 2.55, 4.1, 5.25, 6.7, 7.9])
START = np.array([0.0, 1.0, 5.0, 0.0, -2.0, 0.0, 0.0, 0.0])
STEADY = np.concatenate([np.full(STRIDES, np.radians(68.0)), np.ones(STRIDES)])


def step_of(y):
    return min(round(y[LEFT]), STRIDES - 1)


def field(t, y, sign, p):
    u, z = y[X] - y[FOOT], y[Z]
    length = np.hypot(u, z)
    push = STIFFNESS * p[STRIDES + step_of(y)] * (LEG / length - 1.0) if sign[LEAVES] < 0 else 0.0
    return [y[VX], y[VZ], push * u, push * z - GRAVITY, 0.0, 0.0, 0.0, 0.0]


def guards(t, y, p):
    """how high the leg's end is, set down at its angle; by how much the leg is longer than at rest"""
    return [y[Z] - LEG * np.sin(p[step_of(y)]), np.hypot(y[X] - y[FOOT], y[Z]) - LEG]


def change(t, y, sign, crossed, p):
    y, sign = y.copy(), sign.copy()
    flies = sign[LEAVES] > 0
    sign[crossed] *= -1.0
    if LANDS in crossed and flies:
        y[FOOT] = y[X] + LEG * np.cos(p[step_of(y)])
        y[MISS] += (y[FOOT] - STONES[step_of(y)]) ** 2
        y[LANDED] += 1.0
        sign[LEAVES] = -1.0
    if LEAVES in crossed:
        y[LEFT] += 1.0
        sign[LANDS] = np.copysign(1.0, guards(t, y, p)[LANDS])
    return y, sign


def done(t, y, p):
    """the last landing"""
    return y[LANDED] - STRIDES + 0.5


done.terminal = True


def run(p, **more):
    return ess.solve_ivp(
        field, (0, TIME), START, params=p, guards=guards, impact=change, events=done,
        impacts_at=[(LANDS, -1), (LEAVES, 1)], rtol=1e-8, atol=1e-8, **more
    )  # fmt: skip


def miss(q):
    """the sum of squared misses in units of 1 cm, a little for leaving the steady gait, and the gradient

    A q of 1 is a percent of the steady angle, or stiffness.
    """
    r = run(STEADY * (1 + 0.01 * q), tangents=True)
    if r.status != 1:  # it fell: the search along a line turns back
        return 1e6, np.zeros_like(q)
    by_p = 1e4 * r.tangents[MISS, START.size :]
    return 1e4 * r.y[MISS, -1] + 1e-3 * q @ q, 0.01 * STEADY * by_p + 2e-3 * q


def feet(r):
    return [after for before, after in zip(r.y[FOOT], r.y[FOOT, 1:]) if before != after]


def draw(path, runs):
    """the mass's way and the legs at landing, for each of the runs, over the stones"""
    terminal = {
        "png": "pngcairo enhanced size 1400,400 font 'DejaVu Sans,8' fontscale 2.0833 linewidth 2.7778 "
        "pointscale 2.7778",
        "svg": "svg enhanced size 672,192 font 'DejaVu Sans,8' fontscale 1.3333 linewidth 1.3333",
    }[path.rsplit(".", 1)[-1]]
    lines = [f"set terminal {terminal} background 'white'; set output '{path}'; set encoding utf8",
             "set border 3 lw 0.7; set tics out nomirror scale 0.6, 0.35",
             "set style line 10 lc rgb '#DADADA' lw 0.5 dt solid; set grid back ls 10",
             "set key outside top center horizontal Left reverse samplen 2.5",
             "set size ratio -1; set xlabel 'distance (m)' offset 0, 0.4; set ylabel 'height (m)'",
             "set yrange [-0.1:1.2]; set ytics 0.5; set xrange [-0.2:8.4]",
             "set style line 1 lc rgb '#404040' lw 1.1; set style line 2 lc rgb '#009E73' lw 1.6"]  # fmt: skip
    parts, data = [], []
    for k, (name, r) in enumerate(runs.items(), 1):
        times = np.linspace(0, r.t[-1], 600)
        data.append(("$way%d" % k, r.sol(times)[[X, Z]].T))
        legs = [row for i in np.flatnonzero(np.diff(r.y[FOOT])) + 1 for row in (r.y[[X, Z], i], [r.y[FOOT, i], 0], [])]
        data.append(("$leg%d" % k, legs))
        parts += [f"$way{k} with lines ls {k} title '{name}'", f"$leg{k} with lines ls {k} lw 0.8 notitle"]
    data.append(("$stones", [[stone, -0.02] for stone in STONES]))
    parts.append("$stones with points pt 9 ps 0.8 lc rgb 'black' title 'stones'")
    for name, rows in data:
        lines += [f"{name} << EOD", *(" ".join(map(str, row)) for row in rows), "EOD"]
    subprocess.run(["gnuplot"], input="\n".join([*lines, "plot " + ", ".join(parts), ""]), text=True, check=True)


bounds = [(-8, 8)] * STRIDES + [(-30, 30)] * STRIDES
found = minimize(miss, np.zeros(2 * STRIDES), jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-6})
best = STEADY * (1 + 0.01 * found.x)
steady, planned = run(STEADY, dense_output=True), run(best, dense_output=True)
print("angles, degrees  ", np.degrees(best[:STRIDES]).round(2))
print("stiffness, N/m/kg", (STIFFNESS * best[STRIDES:]).round(1))
print("misses, mm: steady", (1e3 * (feet(steady) - STONES)).round(0))
print("           planned", (1e3 * (feet(planned) - STONES)).round(2), f"after {found.nfev} runs")
if len(sys.argv) > 1:
    draw(sys.argv[1], {"steady gait": steady, "planned by gradient": planned})
assert np.abs(feet(planned) - STONES).max() < 2e-3
