# Siconos's event-driven scheme beside libess: a ball through the accumulation of its impacts, ten balls, balls that touch each
# other in a row, and a block without friction that rocks from corner to corner.
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


WIDTH, HEIGHT, TILT, BLOCK_IMPACTS = 0.05, 0.1, 0.2, 7
INERTIA = (WIDTH**2 + HEIGHT**2) / 12  # over the mass


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


def row_of_springs(stiffness=1e4):
    """The velocities if equal springs push the balls apart while they touch: those of the limit of rigid balls, too, since
    no stiffness enters them. While all three touch, the springs are pressed by the sum and the difference of two sines."""

    def field(t, y, sign):
        pressed = [stiffness * (y[k] - y[k + 1]) if sign[k] < 0 else 0.0 for k in (0, 1)]
        return [*y[3:], -pressed[0], pressed[0] - pressed[1], pressed[1]]

    r = ess.solve_ivp(field, (0, 1), [-0.5, 0, 0, 1, 0, 0], guards=lambda t, y: np.diff(y[:3]), rtol=1e-11, atol=1e-13)
    assert r.success, r.message
    w, u = 1.0, np.sqrt(3.0)  # of unit stiffness
    low, high = 2.0, 3.0
    for _ in range(60):  # until the first ball leaves
        t = (low + high) / 2
        low, high = (t, high) if np.sin(w * t) / w + np.sin(u * t) / u > 0 else (low, t)
    rates = (np.cos(w * t) + np.cos(u * t)) / 2, (np.cos(w * t) - np.cos(u * t)) / 2
    left = np.sqrt(rates[1] ** 2 + 2 * ((np.sin(w * t) / w - np.sin(u * t) / u) / 2) ** 2)  # speed of the others' parting
    first = (1 + 2 * rates[0] + rates[1]) / 3
    exact = [first, (1 - first - left) / 2, (1 - first + left) / 2]
    assert np.abs(r.y_end[3:] - exact).max() < 1e-8, (r.y_end[3:], exact)
    return r.y_end[3:]


def block_by_libess(duration):
    """The angle of the block and its rate, about the corner that it stands on, whose plastic impact ends the one before."""

    def field(t, y, sign):
        slope = sign[0] * WIDTH / 2 * np.cos(y[0]) - HEIGHT / 2 * np.sin(y[0])  # of the centre's height by the angle
        bend = -sign[0] * WIDTH / 2 * np.sin(y[0]) - HEIGHT / 2 * np.cos(y[0])
        return [y[1], -(slope * bend * y[1] ** 2 + GRAVITY * slope) / (slope**2 + INERTIA)]

    def impact(t, y, sign, crossed):
        across = sign[0] * WIDTH / 2  # of the corner that lands; the block's velocity is that about the other one
        impulse = -2 * across * y[1] / (1 + across**2 / INERTIA)
        return [0.0, y[1] + across * impulse / INERTIA]

    r = ess.solve_ivp(field, (0, duration), [TILT, 0.0], guards=lambda t, y: y[0], impact=impact, t_eval=[duration],
                      rtol=1e-10, atol=1e-12)  # fmt: skip
    assert r.success, r.message
    return r.t_impacts, r.y_end


def swing(top):
    """The time from an angle, at rest, to the impact, and the rate there, by energy. The integral is over s, at the angle
    top (1 - s^2), where its integrand is smooth."""
    s, weight = np.polynomial.legendre.leggauss(40)
    s, weight = (s + 1) / 2, weight / 2
    middle, half = top * (1 - s**2 / 2), top * s**2 / 2
    fallen = 2 * np.sin(half) * (WIDTH / 2 * np.cos(middle) - HEIGHT / 2 * np.sin(middle))
    slope = WIDTH / 2 * np.cos(top - 2 * half) - HEIGHT / 2 * np.sin(top - 2 * half)
    time = weight @ (2 * top * s * np.sqrt((slope**2 + INERTIA) / (2 * GRAVITY * fallen)))
    height = WIDTH / 2 * np.sin(top) - HEIGHT * np.sin(top / 2) ** 2
    return time, np.sqrt(2 * GRAVITY * height / ((WIDTH / 2) ** 2 + INERTIA))


def block_exactly():
    """The times of its impacts, and the rate after the last."""
    left = (INERTIA - (WIDTH / 2) ** 2) / (INERTIA + (WIDTH / 2) ** 2)
    top, (t, rate), found = TILT, swing(TILT), []
    while True:
        found.append(t)
        rate *= left
        if len(found) == BLOCK_IMPACTS:
            return np.array(found), rate
        top *= left
        for _ in range(50):  # Newton's method for the angle from which it lands at this rate
            top -= (swing(top)[1] ** 2 - rate**2) * ((WIDTH / 2) ** 2 + INERTIA) / (
                2 * GRAVITY * (WIDTH / 2 * np.cos(top) - HEIGHT / 2 * np.sin(top)))  # fmt: skip
        t += 2 * swing(top)[0]


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
heights, until = [1 + 0.1 * k for k in range(10)], 4.055  # before the impacts of the first accumulate
known = np.sort(np.concatenate([flights(height, until) for height in heights]))
times, end = theirs("floor", RESTITUTION, until, *heights)
r = ours(heights, until)
found = np.sort(r.t_impacts)
rows.append(row("ten balls", "impacts in 4.055 s", by, len(times), len(found), len(known)))
if len(times) == len(known) == len(found):
    rows.append(row("ten balls", "largest error of a time (s)", by, np.abs(times - known).max(), np.abs(found - known).max(), 0))
apart = {restitution: theirs("row", restitution, 3)[1][3:] for restitution in (0, 1)}
for restitution, law, velocities in ((1, "both contacts at once", row_of_balls(1, True)), (0, "both contacts at once", row_of_balls(0, True)),
                                     (1, "pair by pair", row_of_balls(1, False)), (1, "equal springs", row_of_springs())):  # fmt: skip
    for name, velocity, mine in zip(["first", "second", "third"], apart[restitution], velocities):
        rows.append(row(f"row of balls, restitution {restitution}", f"velocity of the {name}; libess: {law}", by, velocity, mine))
known, rate = block_exactly()
swung = known[-1] + (known[-1] - known[-2]) / 8  # half of the swing after the last, which is a quarter as long
times, _ = theirs("block", TILT, swung)
times = times[times > 0]  # Siconos calls the contact at the beginning an impact, too
found, _ = block_by_libess(swung)
rows.append(row("plastic block without friction", "impacts", by, len(times), len(found), len(known)))
if len(times) == len(known) == len(found):
    worst = np.abs(times - known).max(), np.abs(found - known).max()
    rows.append(row("plastic block without friction", "time of the seventh impact (s)", by, times[-1], found[-1], known[-1]))
    rows.append(row("plastic block without friction", "largest error of a time (s)", by, *worst, 0))
hand_over(rows=rows)
