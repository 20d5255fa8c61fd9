# Hénon and Heiles's system to t = 2000: the crossings of x = 0 with x' > 0 by heyoka and by libess, and the cost of a
# run with these events over that of a run without.
# SPDX-License-Identifier: GPL-3.0-or-later
# needs: heyoka numba
import sys

import numba
import numpy as np

import ess
from share import hand_over, in_turns, row

sys.path.pop(0)  # this file is not the package of its name
import heyoka

# benchmark/hh_event.cpp of https://github.com/bluescarni/heyoka at 05d2925: the states are vx, vy, x and y
SOURCE = "[hh_event.cpp](https://github.com/bluescarni/heyoka/blob/05d29258b6fd0eab7e1f5eaab72ac48a32e37bf2/benchmark/hh_event.cpp)"
START, END, ROUNDS = [-0.2525875586263492, -0.2178423952983717, 0.0, 0.2587703282931232], 2000.0, 15
TOLERANCES = [1e-6, 1e-9, 1e-12]


@numba.cfunc(ess.FIELD)
def field(t, y, sign, f, user):
    f[0] = -y[2] - 2.0 * y[2] * y[3]
    f[1] = y[3] * y[3] - y[3] - y[2] * y[2]
    f[2] = y[0]
    f[3] = y[1]
    return 0


def section(t, y):
    return y[2]


section.direction = 1


@numba.cfunc(ess.GUARDS)
def guard(t, y, h, user):
    h[0] = y[2]
    return 0


def ours(tolerance, **more):
    r = ess.solve_ivp(field, (0, END), START, rtol=tolerance, atol=tolerance, t_eval=[END], **more)
    assert r.success, r.message
    return r


vx, vy, x, y = heyoka.make_vars("vx", "vy", "x", "y")
system = [(vx, -x - 2.0 * x * y), (vy, y * y - y - x * x), (x, vx), (y, vy)]
crossings = []
event = heyoka.nt_event(x, lambda _, t, sign: crossings.append(t), direction=heyoka.event_direction.positive)


def theirs(integrator):
    integrator.time = 0.0
    integrator.state[:] = START
    crossings.clear()
    integrator.propagate_until(END)


exact = heyoka.taylor_adaptive(system, START, tol=1e-18, nt_events=[event])
theirs(exact)
known, problem = np.array(crossings), "Hénon–Heiles to t = 2000"
by = f"heyoka {heyoka.__version__}"
rows, cost = [], []
for tolerance in TOLERANCES:
    with_events = heyoka.taylor_adaptive(system, START, tol=tolerance, nt_events=[event])
    without = heyoka.taylor_adaptive(system, START, tol=tolerance)
    theirs(with_events)
    their_times = np.array(crossings)
    # as guards, whose crossings libess locates within a step without leaving it: natively, as heyoka compiles its own
    ask = {"guards": guard, "guard_count": 1}
    run, plain = ours(tolerance, **ask), ours(tolerance)
    our_times = run.t_crossings[run.crossings[:, 1] > 0]
    took = in_turns(
        {"with": lambda: theirs(with_events), "without": lambda: theirs(without),
         "ours with": lambda: ours(tolerance, **ask), "ours without": lambda: ours(tolerance)}, ROUNDS
    )  # fmt: skip
    at = f"tolerance {tolerance:.0e}"
    if tolerance == TOLERANCES[-1]:
        rows.append(row(problem, "crossings", by, len(their_times), len(our_times), None, SOURCE))
        rows.append(row(problem, "time of the first", by, their_times[0], our_times[0], known[0], SOURCE))
        rows.append(row(problem, "time of the last", by, their_times[-1], our_times[-1], known[-1], SOURCE))
    for name, times in (by, their_times), ("libess", our_times):
        mine = name == "libess"
        factor = took["ours with"] / took["ours without"] if mine else took["with"] / took["without"]
        cost.append({
            "by": name, "tolerance": tolerance, "crossings": len(times),
            "error": np.abs(times - known).max() if len(times) == len(known) else None, "factor": factor,
            "seconds": took["ours with" if mine else "with"],
            "evaluations_with": run.nfev if mine else None, "evaluations_without": plain.nfev if mine else None,
        })  # fmt: skip
hand_over(rows=rows, cost=cost)
