# SPDX-License-Identifier: Apache-2.0
"""What runs cost, as factors: ess against SciPy's RK45 that is stopped at events and started again.

Not a test: `python factors.py` prints a table. Runs are interleaved; times are medians, errors the largest
difference from a run of ess at a tolerance of 1e-12 (of the ball: from the closed form).
"""

import time

import numba
import numpy as np
from scipy.integrate import solve_ivp as scipy_ivp

import ess

OPTIONS = {"rtol": 1e-6, "atol": 1e-9}
EXACT = {"rtol": 1e-12, "atol": 1e-13}
ROUNDS = 5


def restarted(field, t_end, y, sign, guards, at_crossing, options):
    """SciPy's way: a run to the next event, again and again"""
    t, calls, y, sign = 0.0, 0, np.array(y, float), np.array(sign, float)

    def event_of(k):
        def event(t, y):
            return guards(t, y)[k]

        event.terminal, event.direction = True, -sign[k]
        return event

    events = [event_of(k) for k in range(len(sign))]
    while t < t_end:
        for k, event in enumerate(events):
            event.direction = -sign[k]
        r = scipy_ivp(lambda t, y: field(t, y, sign), (t, t_end), y, events=events, **options)
        calls += r.nfev
        t, y = r.t[-1], r.y[:, -1].copy()
        if r.status != 1:
            break
        for k, found in enumerate(r.t_events):
            if len(found):
                y, sign = at_crossing(y, sign, k)
    return y, calls


# ---- the four ---------------------------------------------------------------------------------------


def flip(y, sign, k):
    sign = sign.copy()
    sign[k] = -sign[k]
    # off the guard, on which SciPy would see the same event again
    return y, sign


class Ball:
    t_end, y0, sign, impact_at = 4.0, [1.0, 0.0], [1.0], [(0, -1)]

    @staticmethod
    def field(t, y, s):
        return [y[1], -9.81]

    @staticmethod
    def guards(t, y):
        return [y[0]]

    @staticmethod
    def impact(t, y, s, crossed):
        return [0.0, -0.8 * y[1]]

    @staticmethod
    def at_crossing(y, sign, k):
        return np.array([0.0, -0.8 * y[1]]), sign

    @staticmethod
    @numba.cfunc(ess.FIELD)
    def field_c(t, y, s, f, user):
        f[0] = y[1]
        f[1] = -9.81
        return 0

    @staticmethod
    @numba.cfunc(ess.GUARDS)
    def guards_c(t, y, h, user):
        h[0] = y[0]
        return 0

    @staticmethod
    @numba.cfunc(ess.IMPACT)
    def impact_c(t, y, s, crossed, count, after, mode, user):
        after[0] = 0.0
        after[1] = -0.8 * y[1]
        return 0


class Friction:
    """a driven oscillator with dry friction, strong enough never to stick"""

    t_end, y0, sign, impact = 50.0, [1.0, 0.5], [1.0], None
    at_crossing = staticmethod(flip)

    @staticmethod
    def field(t, y, s):
        return [y[1], -y[0] - 0.2 * s[0] + 2.0 * np.cos(0.7 * t)]

    @staticmethod
    def guards(t, y):
        return [y[1]]

    @staticmethod
    @numba.cfunc(ess.FIELD)
    def field_c(t, y, s, f, user):
        f[0] = y[1]
        f[1] = -y[0] - 0.2 * s[0] + 2.0 * np.cos(0.7 * t)
        return 0

    @staticmethod
    @numba.cfunc(ess.GUARDS)
    def guards_c(t, y, h, user):
        h[0] = y[1]
        return 0


class Converter:
    """a buck converter: its switch follows a comparison of the output with a triangle"""

    t_end, y0, sign, impact = 4.0, [0.0, 0.0], [1.0], None
    at_crossing = staticmethod(flip)
    scipy_needs = {"max_step": 1 / 40}  # else it steps over two crossings, and is wrong by 1

    @staticmethod
    def field(t, y, s):
        return [(2.0 * (s[0] > 0) - y[1]) / 0.5, (y[0] - y[1]) / 0.3]

    @staticmethod
    def guards(t, y):
        return [0.9 + 0.3 * np.sin(2 * np.pi * 8 * t) - y[1]]

    @staticmethod
    @numba.cfunc(ess.FIELD)
    def field_c(t, y, s, f, user):
        f[0] = ((2.0 if s[0] > 0 else 0.0) - y[1]) / 0.5
        f[1] = (y[0] - y[1]) / 0.3
        return 0

    @staticmethod
    @numba.cfunc(ess.GUARDS)
    def guards_c(t, y, h, user):
        h[0] = 0.9 + 0.3 * np.sin(2 * np.pi * 8 * t) - y[1]
        return 0


COUNT = 100
DRIVE = np.linspace(1.2, 1.6, COUNT)


class Neurons:
    t_end, y0, sign, impact_at = 5.0, np.linspace(0, 0.5, COUNT), -np.ones(COUNT), None

    @staticmethod
    def field(t, y, s):
        return DRIVE - y

    @staticmethod
    def guards(t, y):
        return y - 1.0

    @staticmethod
    def impact(t, y, s, crossed):
        y = y.copy()
        for k in crossed:
            y[(k + 1) % COUNT] += 0.01
        y[crossed] = 0.0
        return y

    @staticmethod
    def at_crossing(y, sign, k):
        y = y.copy()
        while True:
            y[(k + 1) % COUNT] += 0.01
            y[k] = 0.0
            if not (y >= 1.0).any():
                return y, sign
            k = int(np.argmax(y))  # a kick beyond the threshold: SciPy would never see it

    @staticmethod
    @numba.cfunc(ess.FIELD)
    def field_c(t, y, s, f, user):
        for k in range(COUNT):
            f[k] = DRIVE[k] - y[k]
        return 0

    @staticmethod
    @numba.cfunc(ess.GUARDS)
    def guards_c(t, y, h, user):
        for k in range(COUNT):
            h[k] = y[k] - 1.0
        return 0

    @staticmethod
    @numba.cfunc(ess.IMPACT)
    def impact_c(t, y, s, crossed, count, after, mode, user):
        for i in range(count):
            after[(crossed[i] + 1) % COUNT] += 0.01
        for i in range(count):
            after[crossed[i]] = 0.0
        return 0


def run(case, native, options):
    more = {}
    if case.impact is not None:
        more = {"impact": case.impact_c if native else case.impact, "impacts_at": case.impact_at}
    return ess.solve_ivp(
        case.field_c if native else case.field, (0, case.t_end), case.y0,
        guards=case.guards_c if native else case.guards, guard_count=len(case.sign),
        t_eval=[case.t_end], **more, **options,
    )  # fmt: skip


def timed(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def main():
    print("ms / error / calls of the field; factor: SciPy's time over this one")
    for case in (Ball, Friction, Converter, Neurons):
        truth = run(case, True, EXACT).y_end
        spent = {"scipy": [], "ess": [], "ess, numba": []}
        for _ in range(ROUNDS if case is not Neurons else 2):
            options = OPTIONS | getattr(case, "scipy_needs", {})
            seconds, (y, calls) = timed(lambda: restarted(
                case.field, case.t_end, case.y0, case.sign, case.guards, case.at_crossing, options,
            ))  # fmt: skip
            spent["scipy"].append((seconds, np.abs(y - truth).max(), calls))
            for name in ("ess", "ess, numba"):
                seconds, r = timed(lambda: run(case, name != "ess", OPTIONS))
                error = np.abs(r.y_end - truth).max() if r.success else np.nan
                spent[name].append((seconds, error, r.nfev))
        base = np.median([row[0] for row in spent["scipy"]])
        for name, rows in spent.items():
            ms = np.median([row[0] for row in rows])
            print(
                f"{case.__name__:<10} {name:<11} {1e3 * ms:>9.3f} / {rows[0][1]:.1e} / {rows[0][2]:<6}"
                f" {base / ms:>8.1f}"
            )


if __name__ == "__main__":
    main()
