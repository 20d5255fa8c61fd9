# What the cases share: a case prints its tables as JSON, and a row of the first says who has which number.
# SPDX-License-Identifier: GPL-3.0-or-later
import json
import os
import sys
import time

import numpy as np

import ess


def row(problem, quantity, by, theirs, ours, exact=None, source=""):
    """A number of another engine beside that of libess, and the exact one where it is known."""
    return dict(problem=problem, quantity=quantity, by=by, theirs=theirs, ours=ours, exact=exact, source=source)


def hand_over(**tables):
    """What an engine prints may have come before; the tables are the last line."""
    print("\n" + json.dumps({name: [plain(one) for one in rows] for name, rows in tables.items()}))
    sys.stdout.flush()


def plain(one):
    """NumPy's numbers as Python's."""
    return {name: value.item() if hasattr(value, "item") else value for name, value in one.items()}


def in_turns(runs, rounds):
    """The least processor time that each takes, of several in turns: what else runs on the machine only adds to it."""
    took = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            begun = time.process_time()
            run()
            took[name].append(time.process_time() - begun)
    return {name: min(times) for name, times in took.items()}


def nosnoc_itself():
    """The package, and not the case of its name beside this file."""
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != os.path.dirname(os.path.abspath(__file__))]
    import nosnoc

    return nosnoc


def by_fesd(problem, stages, count):
    """The state at the end, and in how many of its intervals the nonlinear program was solved."""
    nosnoc = nosnoc_itself()
    from casadi import SX, horzcat

    x = SX.sym("x", 2)
    model = nosnoc.NosnocModel(x=x, F=[horzcat(problem.above(x), problem.below(x))], S=[np.array([[1], [-1]])],
                               c=[problem.switch(x)], x0=np.array(problem.start))  # fmt: skip
    o = nosnoc.NosnocOpts()
    o.terminal_time, o.n_s, o.N_finite_elements, o.print_level = problem.duration / count, stages, 2, 0
    o.comp_tol = o.sigma_N = o.tol_ipopt = 1e-12
    o.irk_scheme, o.pss_mode = nosnoc.IrkSchemes.RADAU_IIA, nosnoc.PssMode.STEP
    looper = nosnoc.NosnocSimLooper(nosnoc.NosnocSolver(o, model), model.x0, count, print_level=0)
    looper.run()
    found = looper.get_results()
    return found["X_sim"][-1], sum(status == nosnoc.Status.SUCCESS for status in found["status"])


def by_libess(problem, tolerance):
    # the sign is 1 above the zero of the switch
    r = ess.solve_ivp(
        lambda t, y, sign: problem.above(y) if sign[0] > 0 else problem.below(y), (0, problem.duration), problem.start,
        guards=lambda t, y: problem.switch(y), sliding=problem.sliding, t_eval=[problem.duration], rtol=tolerance, atol=tolerance,
    )  # fmt: skip
    assert r.success, r.message
    return r


def orders(problem, by):
    """Errors at the end over steps by FESD and libess: the table, and the row of the smallest ones."""
    exact, order = problem.exact(), []
    for stages in 1, 2, 3, 4:
        for count in 5, 9, 20, 40:
            end, solved = by_fesd(problem, stages, count)
            order.append({"by": f"FESD, Radau IIA of order {2 * stages - 1}", "order": 2 * stages - 1,
                          "setting": f"{count} intervals", "steps": 2 * count, "failed": count - solved, "evaluations": None,
                          "error": np.abs(end - exact).max() if solved == count else None})  # fmt: skip
    for power in range(2, 13):
        r = by_libess(problem, 10.0**-power)
        order.append({"by": "libess", "order": 0, "setting": f"tolerance 1e-{power:02}", "steps": r.nsteps, "failed": 0,
                      "evaluations": r.nfev, "error": np.abs(r.y_end - exact).max()})  # fmt: skip
    theirs, ours = (min(one["error"] for one in order if (one["order"] == 0) == is_ours and one["error"] is not None)
                    for is_ours in (False, True))  # fmt: skip
    return order, row(problem.name, "smallest error", by, theirs, ours, 0, problem.source)
