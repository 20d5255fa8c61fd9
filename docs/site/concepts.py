#!/usr/bin/env python3
"""Draws docs/figures/concepts.png, the picture of docs/guide/concepts.md: four runs by ess.

usage: concepts.py FILE, with the Python of an environment that has ess and matplotlib
"""

# SPDX-License-Identifier: GPL-3.0-or-later
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import ess

BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#777777"


def crossing(ax):
    r = ess.solve_ivp(lambda t, y, s: [y[1], (400 * (1 - y[0]) if s[0] > 0 else 0) - 9.81], (0, 1.25), [1.6, 0],
                      guards=lambda t, y: 1 - y[0], rtol=1e-8, dense_output=True)
    times = np.linspace(0, 1.25, 800)
    ax.plot(times, r.sol(times)[0], color=BLUE)
    ax.axhline(1, color=GREY, lw=0.8, ls="--")
    ax.plot(r.t_crossings, [1] * len(r.t_crossings), "o", color=ORANGE, ms=5)
    ax.text(0.02, 1.03, "guard: h = 0", color=GREY)
    for t, sign in ((0.1, "−"), (0.385, "+"), (0.8, "−")):
        ax.text(t, 0.73, f"sign {sign}", color=BLUE)
    ax.set_ylim(0.7, 1.65)
    ax.set_title("A crossing changes the equations")
    ax.set_ylabel("height")


def impact(ax):
    r = ess.solve_ivp(lambda t, y, s: [y[1], -9.81], (0, 1.8), [1, 0], guards=lambda t, y: y[0], rtol=1e-8,
                      impact=lambda t, y, s, k: [0, -0.75 * y[1]], impacts_at=[(0, -1)], dense_output=True)
    ends = [0, *r.t_impacts, 1.8]
    for a, b in zip(ends, ends[1:]):
        times = np.linspace(a, b - 1e-9, 200)
        ax.plot(times, r.sol(times)[1], color=BLUE)
    for t, (before, after) in zip(r.t_impacts, r.y_impacts):
        ax.annotate("", (t, after[1]), (t, before[1]), arrowprops={"arrowstyle": "->", "color": ORANGE})
    ax.text(0.5, -3.9, "x⁺ = R(x⁻)", color=ORANGE)
    ax.set_title("An impact changes the state")
    ax.set_ylabel("velocity")


def sliding(ax):
    times = np.linspace(0, 3.2, 800)
    r = ess.solve_ivp(lambda t, y, s: [-s[0] + 0.5 * t], (0, 3.2), [0.45], guards=lambda t, y: y[0], sliding=True,
                      rtol=1e-8, dense_output=True)
    ax.axvspan(*r.t_slides, color=GREEN, alpha=0.18, lw=0)
    ax.plot(times, r.sol(times)[0], color=BLUE)
    ax.axhline(0, color=GREY, lw=0.8, ls="--")
    for t in np.linspace(0.1, 3, 13):
        for y, sign in ((0.2, 1), (-0.2, -1)):
            ax.annotate("", (t + 0.1, y + 0.1 * (0.5 * t - sign)), (t, y),
                        arrowprops={"arrowstyle": "->", "color": GREY, "lw": 0.7})
    ax.set_ylim(-0.3, 0.6)
    ax.set_title("Both sides point to the guard: the state slides")
    ax.set_ylabel("slip velocity")


def simultaneous(ax):
    for y0, colour in (((-1, -1.0), ORANGE), ((-1, -1.25), BLUE), ((-1, -0.75), GREEN)):
        r = ess.solve_ivp(lambda t, y, s: [1 + 0.6 * (s[1] > 0), 1 + 0.6 * (s[0] > 0)], (0, 1.7), y0, guards=lambda t, y: [y[0], y[1]],
                          rtol=1e-8, dense_output=True)
        path = r.sol(np.linspace(0, 1.7, 400))
        ax.plot(*path, color=colour)
    ax.axhline(0, color=GREY, lw=0.8, ls="--")
    ax.axvline(0, color=GREY, lw=0.8, ls="--")
    ax.plot(0, 0, "o", color=ORANGE, ms=5)
    ax.text(0.05, -0.95, "h₁ = 0", color=GREY)
    ax.text(-0.95, 0.05, "h₂ = 0", color=GREY)
    ax.set_title("Simultaneous events: neighbours differ in order")
    ax.set_ylabel("x₂")


plt.rcParams.update({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False, "axes.titlesize": 11})
figure, axes = plt.subplots(2, 2, figsize=(10, 6.6), layout="constrained")
for draw, ax in zip((crossing, impact, sliding, simultaneous), axes.flat):
    draw(ax)
    ax.set_xlabel("x₁" if draw is simultaneous else "time")
figure.savefig(sys.argv[1], dpi=130)
