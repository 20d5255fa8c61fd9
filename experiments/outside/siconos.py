# Siconos's event-driven scheme beside libess: a ball through the accumulation of its impacts, ten balls, and balls that
# touch each other in a row.
# SPDX-License-Identifier: GPL-3.0-or-later
# needs Debian: libsiconos-kernel-dev g++
import os
import pathlib
import subprocess

import numpy as np

import ess
from share import hand_over, row

HERE, BUILT = pathlib.Path(__file__).parent, pathlib.Path("build/outside/siconos")
GRAVITY, RESTITUTION = 9.81, 0.8


def build():
    os.makedirs(BUILT.parent, exist_ok=True)
    headers = ["-I/usr/include/siconos" + below for below in ("", "/kernel", "/numerics")]
    subprocess.run(["g++", "-std=c++17", "-w", *headers, HERE / "siconos.cpp", "-o", BUILT, "-lsiconos_kernel", "-lsiconos_numerics"],
                   check=True)  # fmt: skip


def theirs(*words):
    """The times of impacts, and the positions and velocities at the end."""
    said = subprocess.run([BUILT, *map(str, words)], check=True, capture_output=True, text=True).stdout.splitlines()
    times = [float(line.split()[1]) for line in said if line.startswith("impact ")]
    end = next(line for line in said if line.startswith("end ")).split()[2:]
    return np.array(times), np.array(end, float)


def flights(height, duration):
    """The times of a ball's impacts, by their closed form."""
    fall, found = np.sqrt(2 * height / GRAVITY), []
    t, up = fall, 2 * RESTITUTION * fall
    while t < duration and up > 1e-9:
        found.append(t)
        t, up = t + up, RESTITUTION * up
    return found


def ours(heights, duration, **more):
    n = len(heights)

    def impact(t, y, sign, crossed):
        after = y.copy()
        for k in crossed:
            after[n + k] *= -RESTITUTION
        return after

    r = ess.solve_ivp(
        lambda t, y, sign: np.concatenate([y[n:], np.full(n, -GRAVITY)]), (0, duration), [*heights, *np.zeros(n)],
        guards=lambda t, y: y[:n], guard_count=n, impact=impact, impacts_at=[(k, -1) for k in range(n)], rtol=1e-10,
        atol=1e-12, t_eval=[duration], **more,
    )  # fmt: skip
    assert r.success, r.message
    return r


def row_of_balls(restitution, at_once):
    """The velocities after the first of three balls that touch has met the second. `at_once`: as Siconos, by Newton's law
    for both contacts together; or else pair by pair."""

    def impact(t, y, sign, crossed):
        v = y[3:].copy()
        if at_once:
            # impulses p of both contacts, none of which pulls: G p = -(1 + restitution) times the rates of the gaps
            p = np.linalg.solve([[2.0, -1.0], [-1.0, 2.0]], -(1 + restitution) * np.diff(v))
            assert (p >= 0).all()
            v += [-p[0], p[0] - p[1], p[1]]
        else:
            while (np.diff(v) < -1e-12).any():
                k = int(np.argmin(np.diff(v)))
                p = -(1 + restitution) * (v[k + 1] - v[k]) / 2
                v[k] -= p
                v[k + 1] += p
        return np.concatenate([y[:3], v])

    r = ess.solve_ivp(lambda t, y, sign: [*y[3:], 0, 0, 0], (0, 1), [-0.5, 1, 2, 1, 0, 0], guards=lambda t, y: y[1] - y[0] - 1,
                      impact=impact, impacts_at=[(0, -1)], rest=True, rtol=1e-10, atol=1e-12)  # fmt: skip
    assert r.success, r.message
    return r.y_end[3:]


build()
by = "Siconos, event-driven"
fall = np.sqrt(2 / GRAVITY)
zeno = fall * (1 + 2 * RESTITUTION / (1 - RESTITUTION))
times, end = theirs("floor", RESTITUTION, 5, 1)
r = ours([1.0], 5, rest=True)
rows = [
    row("ball through Zeno", "time of the sixth impact (s)", by, times[5], r.t_impacts[5], flights(1.0, 5)[5]),
    row("ball through Zeno", "at rest from (s)", by, times[-1], r.t_slides[0], zeno),
    row("ball through Zeno", "impacts computed", by, len(times), len(r.t_impacts)),
    row("ball through Zeno", "velocity at 5 s (m/s)", by, end[1], r.y_end[1], 0),
]
heights = [1 + 0.1 * k for k in range(10)]
known = np.sort(np.concatenate([flights(height, 4) for height in heights]))
times, end = theirs("floor", RESTITUTION, 4, *heights)
r = ours(heights, 4)
found = np.sort(r.t_impacts)
rows.append(row("ten balls", "impacts in 4 s", by, len(times), len(found), len(known)))
if len(times) == len(known) == len(found):
    rows.append(row("ten balls", "largest error of a time (s)", by, np.abs(times - known).max(), np.abs(found - known).max(), 0))
for restitution, law, at_once in (1, "both contacts at once", True), (0, "both contacts at once", True), (1, "pair by pair", False):
    _, end = theirs("row", restitution, 3)
    for name, velocity, mine in zip(["first", "second", "third"], end[3:], row_of_balls(restitution, at_once)):
        rows.append(row(f"row of balls, restitution {restitution}", f"velocity of the {name}; libess: {law}", by, velocity, mine))
hand_over(rows=rows)
