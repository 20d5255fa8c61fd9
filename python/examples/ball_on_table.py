# SPDX-License-Identifier: Apache-2.0
"""A ball on a table that shakes: bounces accumulate, the ball rests, and the table throws it up again.

`ess.solve_ivp` with `rest=True` runs through all of it. The loop around SciPy's solve_ivp that is written first stops
where the bounces accumulate: it restarts at each bounce, and times between bounces shrink to nothing.
With a path, such as ball.gif, gnuplot draws both as a moving picture: ball_on_table.py [FILE]
"""

import math
import subprocess
import sys

import numpy as np
from scipy.integrate import solve_ivp

import ess

GRAVITY, RESTITUTION, AMPLITUDE, RATE, TIME = 9.81, 0.4, 0.15, 9.0, 4.0
RESTARTS = 2000  # of SciPy, after which it is stopped
FRAMES = np.linspace(0, TIME, 121)


def table(t):
    return AMPLITUDE * math.sin(RATE * t)


def bounced(t, speed):
    """the ball's speed after an impact: relative to the table's it is reversed, and smaller"""
    moves = AMPLITUDE * RATE * math.cos(RATE * t)
    return moves - RESTITUTION * (speed - moves)


def gap(t, y):
    return y[0] - table(t)


gap.terminal, gap.direction = True, -1


def by_scipy():
    """heights by frame, as far as it comes, and where it stops"""
    t, y, heights = 0.0, [1.0, 0.0], np.full(FRAMES.size, np.nan)
    for _ in range(RESTARTS):
        r = solve_ivp(lambda t, y: [y[1], -GRAVITY], (t, TIME), y, events=gap, dense_output=True, rtol=1e-6, atol=1e-6)
        passed = (FRAMES >= t) & (FRAMES <= r.t[-1])
        if passed.any():
            heights[passed] = r.sol(FRAMES[passed])[0]
        t = r.t[-1]
        if r.status != 1:
            break
        y = [table(t), bounced(t, r.y[1, -1])]
    return heights, t


def by_ess():
    r = ess.solve_ivp(
        lambda t, y, sign: [y[1], -GRAVITY], (0, TIME), [1, 0], guards=gap, rest=True,
        impact=lambda t, y, sign, crossed: [table(t), bounced(t, y[1])], impacts_at=[(0, -1)],
        t_eval=FRAMES, rtol=1e-6, atol=1e-6,
    )  # fmt: skip
    assert r.reason == "SUCCESS", r.message
    return r


def draw(path, heights, stopped, r):
    """a frame for each time: the ball by SciPy on the left, by ess on the right, with what each is doing"""
    rests = [any(a <= t < b for a, b in zip(r.t_slides[::2], [*r.t_slides[1::2], TIME])) for t in FRAMES]
    lines = [f"set terminal gif animate delay 4 loop 0 size 640,300 font 'sans,13'; set output '{path}'",
             "set xrange [-1:1]; set yrange [-0.25:1.2]; unset key; unset border; unset tics",
             "set style line 1 lc rgb '#444444' lw 6; set style line 2 lc rgb '#0072B2'; set style line 3 lc rgb '#009E73'"]  # fmt: skip
    for t, left, right, rest in zip(FRAMES, heights, r.y[0], rests):
        halted = t > stopped
        said = f"halts, {RESTARTS} restarts" if halted else "bounces"
        sides = [("SciPy, restarted at each bounce", min(t, stopped), table(stopped) if halted else left, said, 2),
                 ("ess.solve\\\\_ivp(rest=True)", t, right, "rests on the table" if rest else "bounces", 3)]  # fmt: skip
        lines.append("set multiplot layout 1,2")
        for name, when, ball, said, style in sides:
            at = table(when)
            lines += [f'set title "{name}\\nt = {when:.2f} s: {said}"', "set object 1 circle at 0,%g size 0.09 fs solid fc ls %d"
                      % (ball + 0.09, style), f"plot '+' using 1:({at:g}) with lines ls 1"]  # fmt: skip
        lines.append("unset multiplot")
    subprocess.run(["gnuplot"], input="\n".join([*lines, ""]), text=True, check=True)


heights, stopped = by_scipy()
r = by_ess()
print(f"SciPy: at t = {stopped:.6f} after {RESTARTS} restarts" if stopped < TIME else "SciPy: done")
print(f"ess:   {r.t_impacts.size} impacts to t = {r.t_end:g}; rests from", r.t_slides[::2].round(3), "to", r.t_slides[1::2].round(3))
if len(sys.argv) > 1:
    draw(sys.argv[1], heights, stopped, r)
assert r.t_end == TIME and np.all(r.y[0] >= [table(t) - 1e-5 for t in FRAMES])
