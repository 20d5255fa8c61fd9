# SPDX-License-Identifier: Apache-2.0
"""Gaits of two walkers: how disturbances grow on them, and where that changes along a parameter.

A gait is a fixed point of the map from one step to the next. Newton's method finds it, with the map's derivative from
the run itself. Its eigenvalues are the multipliers: the factors by which small disturbances grow with each map. A branch
of gaits is continued along a parameter of the model, and around folds (pseudo-arclength).
"""

from math import cos, copysign, hypot, radians, sin, sqrt

import numpy as np
from scipy.optimize import brentq

import ess

TOLERANCE, GRAVITY = 1e-11, 9.81


class NoStep(ArithmeticError):
    """the map has no value: the walker falls, or there is no such state on the section"""


def ending(event, direction):
    event.terminal, event.direction = True, direction
    return event


def run(field, y, along, event, **more):
    """to the event: the result, with the derivative by the coordinates and the parameter as `event_dy`"""
    r = ess.solve_ivp(field, (0, 20), y, tangents=along, events=event, rtol=TOLERANCE, atol=TOLERANCE, **more)
    if r.status != 1:
        raise NoStep(r.message)
    return r


# --- the simplest walker (Garcia, Chatterjee, Ruina & Coleman 1998): two legs down a slope --------------------------


def walker_field(t, y, p):
    """angle and rate of the leg that stands, then of the angle between the legs"""
    theta, dtheta, phi, dphi = y
    down = sin(theta - p[0])
    return [dtheta, down, dphi, down + sin(phi) * (dtheta**2 - cos(theta - p[0]))]


heel_strike = ending(lambda t, y, p: y[2] - 2 * y[0], 1)


def walker(s, slope):
    """from one heel strike to the next: the other leg follows from the one that stands"""
    theta, dtheta = s
    swing = 1 - cos(2 * theta)
    along = [[1, 0, 0], [0, 1, 0], [2, 0, 0], [2 * sin(2 * theta) * dtheta, swing, 0], [0, 0, 1]]
    r = run(walker_field, [theta, dtheta, 2 * theta, swing * dtheta], along, heel_strike, params=[slope])
    theta, dtheta = r.y_end[:2]
    strike = np.array([[-1, 0], [-2 * sin(2 * theta) * dtheta, cos(2 * theta)]])
    return np.array([-theta, cos(2 * theta) * dtheta]), strike @ r.event_dy[:2], r.t_end


# --- the spring-loaded inverted pendulum: a mass on a leg without mass, which lands at an angle ---------------------

STIFFNESS = 20000 / 80  # over the mass; the leg's length at rest is 1
ENERGY = 0.5 * 5**2 + GRAVITY  # of 5 m/s at 1 m, over the mass


def stance(t, y):
    """place beside and above the foot, and velocity"""
    x, z, vx, vz = y
    push = STIFFNESS * (1 / hypot(x, z) - 1)
    return [vx, vz, push * x, push * z - GRAVITY]


lift_off = ending(lambda t, y: hypot(y[0], y[1]) - 1, 1)


def slip(s, angle):
    """from one apex to the next: the speed follows from the energy, and flight is a parabola"""
    a, up, turn = radians(angle), sin(radians(angle)), radians(1)
    if not up < s[0] < ENERGY / GRAVITY:
        raise NoStep("there is no such apex")
    vx, vz = sqrt(2 * (ENERGY - GRAVITY * s[0])), -sqrt(2 * GRAVITY * (s[0] - up))
    along = [[0, sin(a) * turn], [0, cos(a) * turn], [-GRAVITY / vx, 0], [GRAVITY / vz, -GRAVITY * cos(a) * turn / vz]]
    r = run(stance, [-cos(a), up, vx, vz], along, lift_off)
    z, speed = r.y_end[1], r.y_end[3]
    if speed <= 0:
        raise NoStep("it falls")
    by = r.event_dy[1] + speed / GRAVITY * r.event_dy[3]
    return np.array([z + speed**2 / (2 * GRAVITY)]), by[np.newaxis], r.t_end + (speed - vz) / GRAVITY


# --- orbits ---------------------------------------------------------------------------------------------------------


class Gait:
    """`passages` maps from s at this value of the parameter: `to`, the derivative `by` both, the period"""

    def __init__(self, step, passages, u):
        *s, value = u
        n = len(s)
        self.u, self.to, self.by, self.period = np.array(u), np.array(s), np.eye(n, n + 1), 0.0
        for _ in range(passages):
            self.to, by, period = step(self.to, value)
            self.by = by[:, :n] @ self.by + np.outer(by[:, n], np.eye(n + 1)[n])
            self.period += period
        self.off = self.to - s
        self.multipliers = sorted(np.linalg.eigvals(self.by[:, :n]), key=lambda m: (-abs(m), -m.imag))

    @property
    def is_stable(self):
        return abs(self.multipliers[0]) < 1


def nearer(step, passages, at, change):
    """the longest part of a change that brings the map nearer to a fixed point"""
    for part in 0.5 ** np.arange(12):
        try:
            there = Gait(step, passages, at.u + part * change)
        except NoStep:
            continue
        if np.abs(there.off).max() < np.abs(at.off).max() or np.abs(at.off).max() < 100 * TOLERANCE:
            return there
    raise NoStep("no part of a step leads nearer to a gait")


def solve(step, passages, u, along):
    """the gait near u, on the plane through u that is normal to `along`"""
    at, begun = Gait(step, passages, u), np.array(u)
    for _ in range(30):
        n = len(at.off)
        system = np.vstack([at.by - np.eye(n, n + 1), along])
        change = np.linalg.solve(system, -np.append(at.off, along @ (at.u - begun)))
        if np.abs(change).max() < 1e-10:
            return Gait(step, passages, at.u + change)
        at = nearer(step, passages, at, change)
    raise NoStep("Newton's method has not converged")


def find(step, guess, value, passages=1):
    """the gait near a guess, at this value of the parameter"""
    return solve(step, passages, [*guess, value], np.eye(len(guess) + 1)[-1])


def follow(step, first, to, passages=1, steps=10):
    """gaits from the first one to that value of the parameter, or back to the first one's; and what changes between"""
    n, start = len(first.off), first.u[-1]
    size = np.maximum(np.abs(first.u), 1e-3)

    def direction(gait, last):
        """of the branch, onwards"""
        way = np.linalg.svd((gait.by - np.eye(n, n + 1)) * size)[2][-1]
        return way * copysign(1.0, way @ last)

    def ahead(gait, way, length):
        return solve(step, passages, gait.u + length * way * size, way / size)

    way = direction(first, np.append(np.zeros(n), to - start))
    gaits, changes, length = [first], [], (to - start) / steps / (way * size)[-1]
    doubling = lambda gait, way: np.prod([1 + m for m in gait.multipliers]).real  # noqa: E731
    pair = lambda gait, way: abs(gait.multipliers[0]) - 1 if gait.multipliers[0].imag else np.nan  # noqa: E731
    fold = lambda gait, way: way[-1]  # noqa: E731
    while (to - gaits[-1].u[-1]) * (gaits[-1].u[-1] - start) > 0 or len(gaits) == 1:
        last = gaits[-1]
        gaits.append(ahead(last, way, length))
        onwards = direction(gaits[-1], way)
        for name, of in (("period doubling", doubling), ("pair on the unit circle", pair), ("fold", fold)):
            if of(last, way) * of(gaits[-1], onwards) < 0:

                def gone(part, of=of):
                    there = ahead(last, way, part * length)
                    return of(there, direction(there, way))

                at = ahead(last, way, brentq(gone, 0, 1, xtol=1e-9) * length)
                changes.append((name, at))
        way = onwards
    end = to if abs(gaits[-1].u[-1] - to) < abs(gaits[-1].u[-1] - start) else start
    gaits[-1] = find(step, gaits[-1].u[:-1], end, passages)
    return gaits, changes


# --- what comes of it -----------------------------------------------------------------------------------------------


def told(gait, names):
    s = ", ".join(f"{name} {x:.9g}" for name, x in zip(names, gait.to))
    m = ", ".join(f"{m.real:.6f}" + (f" ± {m.imag:.6f}i" if m.imag else "") for m in gait.multipliers if m.imag >= 0)
    return f"{s}; period {gait.period:.9g}; multipliers {m}; {'stable' if gait.is_stable else 'unstable'}"


def show(name, names, gaits):
    print(name)
    for gait in gaits:
        print(f"  {told(gait, names)}")


def show_branch(name, step, first, to, passages=1):
    gaits, changes = follow(step, first, to, passages)
    ends = ["stable" if gait.is_stable else "unstable" for gait in (gaits[0], gaits[-1])]
    found = ", ".join(f"{kind} at {at.u[-1]:.7g}" for kind, at in changes)
    print(f"{name} from {first.u[-1]:g} to {gaits[-1].u[-1]:g}: {' to '.join(ends)}; {found}")
    return gaits[-1], [at.u[-1] for _, at in changes]


LEG, HEIGHT = ("theta", "dtheta"), ("z",)
long, short = find(walker, [0.2, -0.2], 0.009), find(walker, [0.19, -0.2], 0.009)
two = find(walker, [0.25, -0.24], 0.016, passages=2)
low, high = find(slip, [0.96], 68), find(slip, [1.3], 68)
show("walker on a slope of 0.009", LEG, [long, short])
show("walker on a slope of 0.016, two steps", LEG, [two])
show("mass on a leg at 68 degrees", HEIGHT, [low, high])
show_branch("walker, slope", walker, long, 0.018)
show_branch("walker, two steps, slope", walker, two, 0.0182, passages=2)
show_branch("mass on a leg, angle", slip, low, 70)
last, _ = show_branch("mass on a leg, angle", slip, low, 60)

# the gaits of the paper on the simplest walker; at the fold the branch turns to the other gait of the mass on a leg
assert np.abs(long.to - [0.200310900544287, -0.199832473004977]).max() < 1e-10
assert abs(long.multipliers[0] - (-0.190100 + 0.557599j)) < 1e-6
assert abs(short.to[0] - 0.193937369810184) < 1e-10
assert np.abs(np.array(short.multipliers) - [4.0039, 0.4596]).max() < 5e-5
assert abs(last.to[0] - high.to[0]) < 1e-8
