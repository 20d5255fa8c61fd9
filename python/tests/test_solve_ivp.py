# SPDX-License-Identifier: Apache-2.0
"""solve_ivp against closed forms, differences and numbers that others have published."""

import math
import os
import re
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import ess

G = 9.81


def fall(t, y, sign=None):
    return [y[1], -G]


def bounce(t, y, sign, crossed):
    return [0.0, -0.8 * y[1]]


def hopper(t, y, sign, stiffness=1000.0):
    return [y[1], (stiffness * (1.0 - y[0]) if sign[0] > 0 else 0.0) - G]


def height(t, y, *args):
    return 1.0 - y[0]


def ball(**more):
    return ess.solve_ivp(
        fall, (0, 3), [1.0, 0.0], guards=lambda t, y: y[0], impact=bounce,
        impacts_at=[(0, -1)], rtol=1e-9, atol=1e-12, **more,
    )  # fmt: skip


def bounces(count):
    """times of the ball's impacts"""
    first = math.sqrt(2.0 / G)
    return first + 2.0 * first * np.concatenate([[0.0], np.cumsum(0.8 ** np.arange(1, count))])


# ---- guards, impacts, events --------------------------------------------------------------------


def test_ball_bounces_where_it_should():
    def apex(t, y):
        return y[1]

    apex.direction = -1
    r = ball(events=apex, dense_output=True)
    assert r.success and r.reason == "SUCCESS"
    np.testing.assert_allclose(r.t_impacts, bounces(len(r.t_impacts)), rtol=1e-10)
    apexes = 0.5 * (r.t_impacts[:-1] + r.t_impacts[1:])
    np.testing.assert_allclose(r.t_events[0][: len(apexes)], apexes, rtol=1e-9)
    # an impact is two columns of one time; sol is the state after it
    at = np.flatnonzero(np.diff(r.t) == 0)
    assert len(at) == len(r.t_impacts)
    np.testing.assert_allclose(r.y[1, at + 1], -0.8 * r.y[1, at], rtol=1e-12)
    np.testing.assert_allclose(r.sol(r.t_impacts)[1], r.y[1, at + 1], rtol=1e-9)
    np.testing.assert_allclose(r.sol(r.t_impacts - 1e-9)[1], r.y[1, at], rtol=1e-6)


def test_ball_is_right_on_a_grid():
    t = np.linspace(0, 3, 301)
    coarse, dense = ball(t_eval=t), ball(dense_output=True)
    assert np.array_equal(coarse.t, t)
    np.testing.assert_allclose(coarse.y, dense.sol(t), rtol=1e-9, atol=1e-9)


def test_impact_that_says_the_signs():
    """a state that passes through, and is kicked"""

    def kick(t, y, sign, crossed):
        assert crossed == [0]
        return [y[0], y[1] + 1.0], [1.0]

    r = ess.solve_ivp(
        lambda t, y, s: [y[1], 0.0], (0, 2), [-1.0, 1.0], guards=lambda t, y: y[0], impact=kick
    )
    assert r.success
    np.testing.assert_allclose(r.t_impacts, [1.0])
    np.testing.assert_allclose(r.y_end, [2.0, 2.0])
    assert r.sign[0] == 1.0


def thrown(walls, shifts, factors, x, v, span):
    """the impacts of a point that walls displace and whose speed they change, and its end; None where a
    tolerance does not resolve them"""
    t, sides, impacts = 0.0, np.sign(x - walls), []
    while (sides * v < 0).any():
        ways = np.where(sides * v < 0, (walls - x) / v, np.inf)
        if t + ways.min() > span:
            break
        t, x, met = t + ways.min(), walls[ways.argmin()], [int(ways.argmin())]
        if t > span - 1e-3 or (impacts and ways.min() < 1e-3):
            return None
        while met:
            impacts.append((t, met))
            for k in met:
                x, v = x + shifts[k], v * factors[k]
            apart = np.abs(x - walls)
            if len(impacts) > 30 or not 0.02 < abs(v) < 50 or ((apart > 0) & (apart < 1e-3)).any():
                return None
            # on a wall it is on the side to which it moves; past others it has been carried
            now = np.where(apart == 0, np.sign(v), np.sign(x - walls))
            sides[met] = now[met]
            met = np.flatnonzero(now != sides).tolist()
    return impacts, [x + v * (span - t), v]


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize("tangents", [False, True])
def test_impacts_that_carry_the_state_past_other_guards(way, tangents):
    count = 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        walls = np.sort(rng.uniform(-2, 2, 1 + seed % 3))
        shifts = rng.uniform(-2, 2, len(walls)) * (rng.random(len(walls)) < 0.7)
        factors = rng.choice([1.0, -1.0, 2.0, -0.5, 0.5, -2.0], len(walls))
        start, span = np.array([rng.uniform(-3, 3), rng.choice([-1.0, 1.0])]), 4.0
        right = thrown(walls, shifts, factors, *start, span)
        if right is None or not any(a[0] == b[0] for a, b in zip(right[0], right[0][1:])):
            continue

        def jump(t, y, sign, crossed):
            for k in crossed:
                y = np.array([y[0] + shifts[k], y[1] * factors[k]])  # noqa: B023
            return y

        r = ess.solve_ivp(
            lambda t, y, s: [way * y[1], 0.0], (0.3, 0.3 + way * span), start, rtol=1e-9, atol=1e-9,
            guards=lambda t, y: y[0] - walls, impact=jump, tangents=tangents,  # noqa: B023
        )  # fmt: skip
        count += 1
        impacts, end = right
        assert r.success, (seed, r.message)
        np.testing.assert_allclose(r.y_end, end, atol=1e-6, err_msg=str(seed))
        np.testing.assert_allclose(r.t_impacts, [0.3 + way * t for t, _ in impacts], atol=1e-7)
        np.testing.assert_array_equal(r.crossings[:, 0], [k for _, met in impacts for k in met])
        if tangents:
            # the end is affine in the place
            by = np.array([1e-5, 0.0])
            one, other = (thrown(walls, shifts, factors, *y, span) for y in (start + by, start - by))
            slope = (np.array(one[1]) - other[1]) / 2e-5
            np.testing.assert_allclose(r.tangents[:, 0], slope, atol=1e-5, err_msg=str(seed))
    assert count > 30


def test_guards_of_time():
    """a switch by the clock: x' is 1 for 0.3 of every period"""

    def clock(t, y):
        return math.sin(2 * math.pi * t) - math.sin(0.2 * math.pi)

    r = ess.solve_ivp(lambda t, y, s: [1.0 if s[0] > 0 else 0.0], (0, 3), [0.0], guards=clock)
    on = np.sort(np.concatenate([[k + 0.1 for k in range(3)], [k + 0.4 for k in range(3)]]))
    np.testing.assert_allclose(r.t_crossings, on, atol=1e-5)
    np.testing.assert_allclose(r.y_end, [0.9], atol=1e-5)


def test_backwards_retraces_the_way():
    there = ess.solve_ivp(hopper, (0, 2), [2.0, 0.0], guards=height, rtol=1e-10, atol=1e-12)
    back = ess.solve_ivp(hopper, (2, 0), there.y_end, guards=height, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(back.y_end, [2.0, 0.0], atol=1e-7)
    np.testing.assert_allclose(back.t_crossings[::-1], there.t_crossings, atol=1e-7)
    assert back.t[0] == 2.0 and back.t[-1] == 0.0 and (np.diff(back.t) <= 0).all()


def test_roots_of_scipy_issue_9228():
    r = ess.solve_ivp(
        lambda x, y: 3 * x**2 + 12 * x - 4, (-8, 4), [-120.0], events=lambda x, y: y[0]
    )
    np.testing.assert_allclose(r.t_events[0], [-6.0, -2.0, 2.0], atol=1e-12)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_terminal_counts_those_of_its_direction(count):
    def event(t, y):
        return y[0]

    event.terminal, event.direction = count, 1
    r = ess.solve_ivp(lambda t, y: [y[1], -y[0]], (0, 100), [1.0, 0.0], events=event)
    assert r.status == 1 and r.message == "A termination event occurred."
    expected = 1.5 * np.pi + 2 * np.pi * np.arange(count)
    np.testing.assert_allclose(r.t_events[0], expected, rtol=1e-2)
    assert abs(r.y_events[0][-1, 0]) < 1e-14 and len(r.y_events[0]) == count
    assert r.t[-1] == r.t_end


WRITTEN = [
    lambda t, T: t - T,
    lambda t, T: T - t,
    lambda t, T: t / T - 1,
    lambda t, T: math.sin(t - T),
    lambda t, T: 7 * t - 7 * T,
]


@pytest.mark.parametrize("way", [1, -1])
def test_a_timed_jump_is_made_once_and_its_state_is_the_one_after_it(way):
    rng = np.random.default_rng(5)
    for number in range(500):
        T = rng.uniform(0.1, 50)
        T = round(T, 1) if number % 2 else T
        before, after = rng.uniform(0.05, 3, 2)
        begin, end = T - way * before, T + way * after
        h, calls = WRITTEN[number // 2 % len(WRITTEN)], []

        def dose(t, y, sign, crossed):
            calls.append(t)
            return y + 1

        more = {"guards": lambda t, y: h(t, T), "impact": dose, "rtol": 1e-8, "atol": 1e-8}  # noqa: B023
        more["impacts_at"] = [None, [0], [(0, way if h is not WRITTEN[1] else -way)]][number % 3]

        def decay(t, y, sign):
            return -y

        until = math.exp(-way * before)
        a = ess.solve_ivp(decay, (begin, T), [1.0], t_eval=[begin, T], dense_output=True, **more)
        b = ess.solve_ivp(decay, (T, end), a.y_end, **more)
        assert len(a.t_impacts) == 1 and len(b.t_impacts) == 0 and len(calls) == 1
        assert a.t_end == T and abs(a.t_impacts[0] - T) <= 1e-14 * T
        for there in (a.y_end, a.sol(T), a.y[:, 1], a.y_impacts[0, 1]):
            np.testing.assert_allclose(there, until + 1, rtol=1e-6)
        np.testing.assert_allclose(a.y_impacts[0, 0], until, rtol=1e-6)
        # of a run past it the same is true at the time that it has for the jump
        c = ess.solve_ivp(decay, (begin, end), [1.0], dense_output=True, **more)
        (at,) = c.t_impacts
        asked = [math.nextafter(at, begin), at]
        d = ess.solve_ivp(decay, (begin, end), [1.0], t_eval=asked, **more)
        assert abs(at - T) <= 1e-14 * T and (at == T or h not in WRITTEN[:2])
        np.testing.assert_allclose([d.y[0], c.sol(asked)[0]], [[until, until + 1]] * 2, rtol=1e-6)
        np.testing.assert_allclose(c.y_end, b.y_end, rtol=1e-6)


@pytest.mark.parametrize("apart", [1e-2, 1e-3, 1e-5, 1e-8])
def test_a_short_input_is_not_one_instant(apart):
    r = ess.solve_ivp(
        lambda t, y, sign: [y[1], 0], (0, 2), [0, 0], guards=lambda t, y: [t - 1, t - 1 - apart],
        impact=lambda t, y, sign, crossed: [y[0], 1 / apart if 0 in crossed else 0],
    )  # fmt: skip
    assert len(r.t_impacts) == 2 and r.y_end[0] == pytest.approx(1, rel=1e-6)


def test_an_event_that_a_jump_takes_past_zero_is_at_the_impact():
    def upwards(t, y):
        return y[1]

    upwards.direction = 1
    r = ball(events=[upwards, lambda t, y: y[0]])
    assert r.success
    for times, states in zip(r.t_events, r.y_events):
        np.testing.assert_array_equal(times, r.t_impacts)
        np.testing.assert_array_equal(states[:, 0], 0.0)
        assert (states[:, 1] > 0).all()
    # the time and the state of the second landing, by the height that it falls from
    upwards.terminal = 2
    ended = ball(events=upwards, tangents=True)
    assert ended.status == 1 and ended.t_end == ended.t_impacts[1] == pytest.approx(bounces(2)[1])
    np.testing.assert_allclose(ended.event_dt[0], 0.5 * bounces(2)[1], rtol=1e-6)
    np.testing.assert_allclose(ended.event_dy[:, 0], [0.0, 0.5 * ended.y_end[1]], rtol=1e-6, atol=1e-8)


def test_terminal_event_that_is_zero_at_the_start_has_not_occurred():
    def ground(t, y):
        return y[0]

    ground.terminal = True
    r = ess.solve_ivp(fall, (0, np.inf), [0.0, 10.0], events=ground)
    assert r.status == 1
    np.testing.assert_allclose(r.t_events[0], [20.0 / G], rtol=1e-6)


def oscillate(t, y):
    return [y[1], -y[0]]


def hunt(t, y):
    return [y[0] * (1 - y[1]), y[1] * (y[0] - 1)]


def grow(t, y):
    return [y[0] * (1 - y[0] / 3) + 0.1]


# an event function and its right-hand side, initial condition and time
RESTARTS = {
    "difference": (lambda t, y: y[0] - 0.37, oscillate, [1.0, 0.0], 20),
    "differences": (lambda t, y: (y[0] + 2.2) - (y[1] + 2.7), oscillate, [1.0, 0.3], 20),
    "state": (lambda t, y: y[0], oscillate, [1.0, 0.3], 20),
    "squares": (lambda t, y: y[0] ** 2 - 0.4, oscillate, [1.0, 0.0], 20),
    "moving": (lambda t, y: y[0] - 0.3 * math.sin(0.7 * t), oscillate, [1.0, 0.0], 20),
    "pendulum": (lambda t, y: math.cos(y[0]) - 0.8, lambda t, y: [y[1], -math.sin(y[0])], [1.0, 0.0], 20),
    "fall": (lambda t, y: y[0] - 9.3, fall, [10.0, 5.0], 1.6),
    "rising floor": (lambda t, y: y[0] - 9 - t, fall, [10.0, 5.0], 1.6),
    "exponential": (lambda t, y: math.exp(y[0]) - 3.1, grow, [0.2], 5),
    "clock": (lambda t, y: t - 1.3, grow, [0.2], 5),
    "periodic clock": (lambda t, y: math.sin(3 * t + 0.3) - 0.2, grow, [0.2], 5),
    "sum": (lambda t, y: y[0] + y[1] - 2.4, hunt, [1.5, 1.0], 20),
    "logarithms": (lambda t, y: math.log(y[0]) - math.log(y[1]), hunt, [1.5, 1.0], 20),
}


@pytest.mark.parametrize("event, fun, y, end", RESTARTS.values(), ids=RESTARTS)
@pytest.mark.parametrize("rtol", [1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize("last", ["t_end", "t_events"])
def test_a_run_from_its_terminal_event_does_not_find_it_again(event, fun, y, end, rtol, way, last):
    def field(t, y):
        return [way * v for v in fun(way * t, y)]

    def stop(t, y):
        return event(way * t, y)

    more = {"rtol": rtol, "atol": 1e-2 * rtol}
    (right,) = ess.solve_ivp(field, (0, way * end), y, events=lambda t, y: stop(t, y), **more).t_events
    stop.terminal = True
    found, t = [], 0
    while True:
        r = ess.solve_ivp(field, (t, way * end), y, events=stop, **more)
        if r.status != 1 or len(found) > len(right):
            break
        found.append(r.t_events[0][0])
        t, y = (r.t_end, r.y_end) if last == "t_end" else (r.t_events[0][0], r.y_events[0][0])
    assert r.status == 0 and len(found) > 0
    np.testing.assert_allclose(found, right, rtol=0, atol=300 * rtol)


@pytest.mark.parametrize("t0", [0.0, 7.0])
@pytest.mark.parametrize("rtol", [1e-3, 1e-9])
@pytest.mark.parametrize("above", [1e-3, 1e-6, 1e-9, 1e-12])
def test_an_event_soon_after_the_initial_condition_is_found(above, rtol, t0):
    def ground(t, y):
        return y[0]

    ground.terminal = True
    r = ess.solve_ivp(fall, (t0, t0 + 1), [above, -1.0], events=ground, rtol=rtol, atol=1e-3 * rtol)
    assert r.status == 1
    np.testing.assert_allclose(r.t_events[0] - t0, [(math.sqrt(1 + 2 * G * above) - 1) / G], atol=1e-14)


def test_two_events_in_one_step_are_noted_in_order():
    r = ess.solve_ivp(
        lambda t, y: [1.0], (0, 10), [0.0], events=[lambda t, y: y[0] - 4.0, lambda t, y: t - 3.9]
    )
    np.testing.assert_allclose([e[0] for e in r.t_events], [4.0, 3.9])


# ---- arguments ----------------------------------------------------------------------------------


def test_args_reach_every_function():
    seen = set()

    def note(name, result):
        def function(t, y, *rest):
            assert rest[-2:] == ("a", 7)
            seen.add(name)
            return result(y)

        return function

    ess.solve_ivp(
        note("fun", lambda y: [y[1], -G]), (0, 1), [1.0, 0.0], args=("a", 7),
        guards=note("guards", lambda y: y[0]), events=note("event", lambda y: y[1] + 1.0),
        impact=note("impact", lambda y: [0.0, -y[1]]), tangents=True,
        jac=note("jac", lambda y: [[0, 1], [0, 0]]),
    )  # fmt: skip
    assert seen == {"fun", "guards", "event", "impact", "jac"}


def test_arrays_that_callbacks_keep_stay_as_they_were():
    kept = []

    def field(t, y):
        kept.append((y, y.copy()))
        return -y

    ess.solve_ivp(field, (0, 1), [1.0, 2.0])
    for y, then in kept:
        assert np.array_equal(y, then)


def test_arrays_that_callbacks_spoil_do_no_harm():
    def spoil(t, y):
        result = [-v for v in y]
        y[:] = np.nan
        y.resize(100, refcheck=False)
        return result

    r = ess.solve_ivp(spoil, (0, 1), [1.0, 2.0], rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(r.y_end, np.exp(-1) * np.array([1.0, 2.0]), rtol=1e-7)


@pytest.mark.parametrize("kind", [list, tuple, np.array, lambda v: np.array(v)[:, None].T.ravel()])
def test_what_fun_may_return(kind):
    r = ess.solve_ivp(lambda t, y: kind([y[1], -y[0]]), (0, 1), [1, 0], rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(r.y_end, [math.cos(1), -math.sin(1)], rtol=1e-6)


def test_complex_states():
    r = ess.solve_ivp(
        lambda t, y: 1j * y, (0, 1), [1.0 + 0j], rtol=1e-9, atol=1e-12, dense_output=True
    )
    np.testing.assert_allclose(r.y_end, [np.exp(1j)], rtol=1e-8)
    np.testing.assert_allclose(r.sol([0.5]), [[np.exp(0.5j)]], rtol=1e-8)


# ---- derivatives --------------------------------------------------------------------------------


@pytest.mark.parametrize("tol", [1e-8, 1e-10, 1e-12])
def test_tangents_through_a_contact_that_only_pushes(tol):
    """the force has a kink where the guard is, which no difference may be across"""
    k = 1e5
    r = ess.solve_ivp(
        lambda t, y, s: [y[1], k * max(0, -y[0]) if s[0] < 0 else 0], (0, 1), [2.8, -5],
        guards=lambda t, y: y[0], tangents=True, rtol=tol, atol=tol,
    )  # fmt: skip
    assert r.smooth == "C1"
    known = [[-1, math.pi / math.sqrt(k) - 1], [0, -1]]
    np.testing.assert_allclose(r.tangents, known, atol=1e3 * tol + 1e-9)


def test_tangents_through_touch_down_and_lift_off():
    options = {"guards": height, "rtol": 1e-11, "atol": 1e-13}

    def end(y0, **more):
        return ess.solve_ivp(hopper, (0, 1), y0, **options, **more)

    r = end([2.0, 0.0], tangents=True)
    assert len(r.t_crossings) == 2 and r.smooth == "C1"
    by = 1e-4
    for j, step in enumerate(np.eye(2) * by):
        found = (end([2.0, 0.0] + step).y_end - end([2.0, 0.0] - step).y_end) / (2 * by)
        np.testing.assert_allclose(r.tangents[:, j], found, rtol=1e-6, atol=1e-7)
    only = end([2.0, 0.0], tangents=[1.0, 2.0])
    np.testing.assert_allclose(only.tangents[:, 0], r.tangents @ [1.0, 2.0], rtol=1e-6)


def test_tangents_through_impacts():
    r = ball(tangents=True)
    end = [ess.solve_ivp(
        fall, (0, 3), [1.0 + by, 0.0], guards=lambda t, y: y[0], impact=bounce,
        impacts_at=[(0, -1)], rtol=1e-11, atol=1e-13,
    ).y_end for by in (1e-4, -1e-4)]  # fmt: skip
    np.testing.assert_allclose(r.tangents[:, 0], (end[0] - end[1]) / 2e-4, rtol=1e-6)


def test_derivatives_that_nag_publishes():
    """NAG's AD example of d02bj, at its tolerance: of the end's place by what it starts from"""

    def flight(x, z):
        y, v, phi, alpha, beta = z
        return [
            math.tan(phi), -alpha * math.tan(phi) / v - beta * v / math.cos(phi), -alpha / v**2, 0, 0
        ]  # fmt: skip

    def ground(x, z):
        return z[0]

    ground.terminal = True
    r = ess.solve_ivp(
        flight, (0, 10), [0.5, 0.5, math.pi / 5, 0.032, 0.02], events=ground, tangents=True,
        rtol=1e-5, atol=1e-5,
    )  # fmt: skip
    np.testing.assert_allclose(r.t_events[0], [7.2883], atol=1e-4)
    published = [1.05186, 24.3091, 2.60494, -189.915, -34.2541]
    np.testing.assert_allclose(r.event_dt, published, rtol=5e-5)


# ---- what goes wrong ----------------------------------------------------------------------------


class Mine(Exception):
    pass


def raises(*_):
    raise Mine("from within")


@pytest.mark.parametrize(
    "more",
    [
        {"fun": raises},
        {"events": raises},
        {"events": [height, raises]},
        {"guards": raises},
        {"guards": height, "impact": raises},
        {"jac": raises, "tangents": True},
    ],
)
def test_exceptions_are_carried_through(more):
    fun = more.pop("fun", lambda t, y, *s: [y[1], -G])
    with pytest.raises(Mine, match="from within"):
        ess.solve_ivp(fun, (0, 2), [2.0, 0.0], **more)


def test_interrupt_stops_a_run():
    calls = [0]

    def field(t, y):
        calls[0] += 1
        return -y

    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        ess.solve_ivp(field, (0, 1e9), [1.0], max_step=1e-3)
    timer.join()
    assert calls[0] > 0


def test_statuses_are_told():
    sliding = ess.solve_ivp(lambda t, y, s: [-s[0]], (0, 2), [1.0], guards=lambda t, y: y[0])
    assert not sliding.success and sliding.status == -1
    assert sliding.reason in ("ESLIDING", "ECHATTER")
    np.testing.assert_allclose(sliding.t_end, 1.0, atol=1e-6)
    assert "guard 0" in sliding.message and sliding.message.startswith("libess: ")
    nan = ess.solve_ivp(lambda t, y: [math.nan], (0, 1), [1.0])
    assert not nan.success and "not finite" in nan.message
    steps = ess.solve_ivp(lambda t, y: -y, (0, 1), [1.0], max_step=1e-6, max_steps=10)
    assert steps.reason == "EMAXSTEPS" and steps.t[-1] == steps.t_end < 1.0


def line_of(error):
    text = str(error.value)
    assert text and "\n" not in text
    return text


def moving_floor(y0=1.0, span=(0, 3), **more):
    """a field that doubles above a floor which moves"""
    return ess.solve_ivp(
        lambda t, y, s: [-1.5 + 0.5 * s[0], 0.0], span, [y0, 0.0],
        guards=lambda t, y: [y[0] - 0.2 * np.sin(t)], rtol=1e-9, atol=1e-12, **more,
    )  # fmt: skip


def test_guard_jac_is_used():
    calls = []

    def gradient(t, y):
        calls.append(t)
        return [[1.0, 0.0]]

    without, given = moving_floor(tangents=True), moving_floor(tangents=True, guard_jac=gradient)
    assert calls and given.success
    assert given.t_crossings[0] == pytest.approx(without.t_crossings[0], abs=1e-10)
    np.testing.assert_allclose(given.tangents, without.tangents, rtol=1e-7, atol=1e-9)


def test_guard_jac_with_events():
    def event(t, y):
        return y[0] ** 2 - 0.5 * t

    event.terminal = True
    without, given = (
        moving_floor(events=event, tangents=True, guard_jac=gradient)
        for gradient in (None, lambda t, y: [[1.0, 0.0]])
    )
    assert given.success and given.status == 1
    assert given.t_events[0] == pytest.approx(without.t_events[0], abs=1e-10)
    np.testing.assert_allclose(given.event_dy, without.event_dy, rtol=1e-6, atol=1e-9)
    # y = 1 - t: y^2 = t / 2 at t = 1/2, and dt = -2 y dy / (-2 y - 1/2)
    np.testing.assert_allclose(given.t_end, 0.5, rtol=1e-9)
    np.testing.assert_allclose(given.event_dt, [1 / 1.5, 0], atol=1e-6)


@pytest.mark.parametrize("guard_jac", [None, lambda t, y: [[1.0, 0.0]]])
@pytest.mark.parametrize("depth, reason", [(1e-15, "EGRAZING"), (1e-3, "SUCCESS"), (-1e-3, "SUCCESS")])
def test_grazing_is_weighed_alike_with_and_without_guard_jac(guard_jac, depth, reason):
    # a parabola whose lowest point is so far below the guard of an impact
    r = ess.solve_ivp(
        lambda t, y, s: [y[1], 2.0], (0, 2), [1.0 - depth, -2.0], guards=lambda t, y: [y[0]],
        impact=lambda t, y, s, c: [0.0, -y[1]], impacts_at=[(0, -1)], guard_jac=guard_jac, rtol=1e-8,
        atol=1e-10,
    )  # fmt: skip
    assert r.reason == reason and len(r.t_impacts) >= (reason == "SUCCESS" and depth > 0)


def test_a_wrong_guard_jac_is_found():
    r = moving_floor(guard_jac=lambda t, y: [[2.0, 0.0]])
    assert not r.success and r.reason == "EJACOBIAN" and "guard 0" in r.message
    assert "does not change as its Jacobian predicts" in r.message


def test_no_guard_jac_is_blamed_that_nobody_gave():
    r = ess.solve_ivp(
        lambda t, y, s: [1.3226 * math.cos(2 * t), 0.1 * (s[0] > 0)], (0, 3), [-0.1, 0], rtol=1e-8, atol=1e-10,
        guards=lambda t, y: y[0] - 0.3 + 1e-3 * math.sin(1e15 * y[0]),
    )  # fmt: skip
    assert not r.success and r.reason == "EJACOBIAN" and "Jacobian" not in r.message
    assert "differences of `guards` contradict each other, and `guard_jac` is not given; guard 0" in r.message


@pytest.mark.parametrize("gradient", [lambda t, y: [1.0], lambda t, y: [[1.0]], 3])
def test_a_guard_jac_of_another_shape_is_refused(gradient):
    with pytest.raises(ValueError) as error:
        moving_floor(guard_jac=gradient)
    assert "guard_jac" in line_of(error)


def test_a_moving_guard_is_passed_at_the_same_time_both_ways():
    there = moving_floor()
    back = ess.solve_ivp(
        lambda t, y, s: [-1.5 + 0.5 * s[0], 0.0], (3, 0), there.y_end,
        guards=lambda t, y: [y[0] - 0.2 * np.sin(t)], rtol=1e-9, atol=1e-12,
    )  # fmt: skip
    np.testing.assert_allclose(back.t_crossings, there.t_crossings, atol=1e-9)
    np.testing.assert_allclose(back.y_end, [1.0, 0.0], atol=1e-8)
    assert list(back.crossings[0]) == [0, 1] and list(there.crossings[0]) == [0, -1]


def test_guards_may_raise_where_the_state_never_comes():
    # rates are differences, and the second state is so slow that the first moves far on the way
    def field(t, y, s):
        return [1e3 * (1.0 - y[0]), 1e-9 * s[0]]

    r = ess.solve_ivp(
        field, (0, 1), [0.01, 0.0], guards=lambda t, y: [math.sqrt(y[0]) - 0.5, y[1] - 1.0],
        events=lambda t, y: math.log(y[0]) + 1.0, rtol=1e-8, atol=1e-12,
    )  # fmt: skip
    assert r.success and len(r.t_crossings) == len(r.t_events[0]) == 1
    assert r.t_crossings[0] == pytest.approx(1e-3 * math.log(0.99 / 0.75), rel=1e-6)


@pytest.mark.parametrize("what, name", [("guards", "guard 0"), ("events", "event 0")])
def test_an_event_function_that_is_nan_is_named(what, name):
    r = ess.solve_ivp(lambda t, y, *s: [-1.0], (0, 2), [1.0], **{what: lambda t, y: y[0] if y[0] > 0.5 else np.nan})
    assert not r.success and r.reason == "EEVENT" and name in r.message
    assert r.y_end[0] == pytest.approx(1.0 - r.t_end) and r.t_end <= 0.5


def test_reasons_are_the_statuses_of_c():
    header = os.path.join(os.path.dirname(__file__), "..", "..", "integrator", "ess.h")
    with open(header) as file:
        names = re.findall(r"^  ESS_(SUCCESS|E[A-Z]+)\b", file.read().split("ess_status;")[0], re.M)
    assert ess._ivp._NAMES == [*names, "EMAXTIME"]


@pytest.mark.parametrize("what", ["guards", "events"])
def test_guards_that_raise_where_the_state_comes_end_the_run(what):
    given = {what: lambda t, y: math.sqrt(y[0])}
    with pytest.raises(ValueError, match="math domain|nonnegative"):
        ess.solve_ivp(lambda t, y, *s: [-1.0], (0, 2), [1.0], **given)


def test_a_failure_names_the_callers_time():
    for span in ((2, 5), (2, -5)):
        way = np.sign(span[1] - span[0])
        r = ess.solve_ivp(
            lambda t, y, s, way=way: [-way * s[0]], span, [1.0], guards=lambda t, y: [y[0]]
        )
        assert not r.success and r.t_end == pytest.approx(2 + way, abs=1e-3)
        assert f"at t = {2 + way:.9g}"[:9] in r.message


def robertson(t, y):
    slow, fast = 0.04 * y[0] - 1e4 * y[1] * y[2], 3e7 * y[1] * y[1]
    return [-slow, slow - fast, fast]


def robertson_jac(t, y):
    return [
        [-0.04, 1e4 * y[2], 1e4 * y[1]],
        [0.04, -1e4 * y[2] - 6e7 * y[1], -1e4 * y[1]],
        [0.0, 6e7 * y[1], 0.0],
    ]


@pytest.mark.parametrize("jac", [None, robertson_jac])
@pytest.mark.parametrize(
    "by", [{"base": "rodas"}, {"method": "Radau"}, {"method": "BDF"}, {"method": "LSODA"}]
)
def test_stiff_fields_by_implicit_steps(by, jac):
    asked = []

    def counted(t, y):
        asked.append(t)
        return jac(t, y)

    half = lambda t, y: y[0] - 0.5  # noqa: E731
    half.terminal = True
    run = ess.solve_ivp(
        robertson, (0, 1e4), [1.0, 0.0, 0.0], rtol=1e-6, atol=1e-10, jac=jac and counted,
        events=half, **by,
    )  # fmt: skip
    assert run.status == 1 and run.nfev < 4000
    assert (len(asked) > 50) == (jac is not None)
    # the fast species follows the others, which add up to 1
    y = run.y_events[0][0]
    assert abs(y[0] - 0.5) < 1e-9 and abs(sum(y) - 1.0) < 1e-6
    steady = (-1e4 * y[2] + math.sqrt(1e8 * y[2] ** 2 + 4 * 3e7 * 0.04 * y[0])) / 6e7
    assert abs(y[1] / steady - 1.0) < 1e-4


def test_lsoda_on_robertson():
    """to 1e5, against SciPy's Radau at 1e-12"""
    right = [0.01786592114, 7.2747514684e-08, 0.98213400611]
    for rtol in (1e-4, 1e-6):
        run = ess.solve_ivp(robertson, (0, 1e5), [1.0, 0.0, 0.0], "LSODA", rtol=rtol, atol=1e-4 * rtol)
        assert run.success and run.nfev < 40 / rtol ** (1 / 3)
        assert (abs(run.y_end - right) < rtol * (np.abs(right) + 1e-4)).all()


def van_der_pol(t, y):
    return [y[1], 1000 * (1 - y[0] ** 2) * y[1] - y[0]]


def test_lsoda_on_relaxations():
    """van der Pol's cycles, whose jumps are not stiff: fewer calls than by 'rodas', and the same states"""
    fall = lambda t, y: y[0]  # noqa: E731
    fall.direction = -1
    by = {
        method: ess.solve_ivp(
            van_der_pol, (0, 6000), [2.0, 0.0], method, rtol=1e-6, atol=1e-6, events=fall
        )
        for method in ("LSODA", "BDF")
    }
    right = ess.solve_ivp(van_der_pol, (0, 6000), [2.0, 0.0], "BDF", rtol=1e-10, atol=1e-10, events=fall)
    assert by["LSODA"].nfev < 0.6 * by["BDF"].nfev
    np.testing.assert_allclose(by["LSODA"].t_events[0], right.t_events[0], rtol=2e-6)
    assert len(right.t_events[0]) == 4
    assert abs(by["LSODA"].y_end - right.y_end).max() < 20e-6


def arenstorf(t, y):
    mu = 0.012277471
    d1 = ((y[0] + mu) ** 2 + y[1] ** 2) ** 1.5
    d2 = ((y[0] - 1 + mu) ** 2 + y[1] ** 2) ** 1.5
    return [
        y[2],
        y[3],
        y[0] + 2 * y[3] - (1 - mu) * (y[0] + mu) / d1 - mu * (y[0] - 1 + mu) / d2,
        y[1] - 2 * y[2] - (1 - mu) * y[1] / d1 - mu * y[1] / d2,
    ]


NOT_STIFF = {
    "orbit": (arenstorf, 17.0652165601579625, [0.994, 0, 0, -2.00158510637908252]),
    "oscillator": (lambda t, y: [y[1], -y[0]], 100.0, [1.0, 0.0]),
}


@pytest.mark.parametrize("field, end, start", NOT_STIFF.values(), ids=NOT_STIFF)
@pytest.mark.parametrize("rtol", [1e-3, 1e-6, 1e-9])
def test_lsoda_is_dopri5_where_nothing_is_stiff(field, end, start, rtol):
    explicit, lsoda = (
        ess.solve_ivp(field, (0, end), start, method, rtol=rtol, atol=rtol) for method in ("RK45", "LSODA")
    )
    assert lsoda.success and lsoda.nfev == explicit.nfev and (lsoda.y_end == explicit.y_end).all()


@pytest.mark.parametrize("rtol", [1e-4, 1e-6, 1e-8])
def test_lsoda_on_a_field_that_is_stiff_in_the_middle(rtol):
    """and y[1] goes up while y[0] = cos t is below -1/2, from before that to within it"""

    def field(t, y, sign):
        rate = 1 + 1e6 * math.exp(-(((t - 4.5) / 1.5) ** 16))
        return [-rate * (y[0] - math.cos(t)) - math.sin(t), float(sign[0] > 0)]

    crossing = lambda t, y: [-0.5 - y[0]]  # noqa: E731
    by = {
        base: ess.solve_ivp(field, (0, 8), [1.0, 0.0], base, rtol=rtol, atol=rtol, guards=crossing)
        for base in ("LSODA", "rodas")
    }
    run = by["LSODA"]
    times = np.array([2, 4]) * np.pi / 3
    np.testing.assert_allclose(run.t_crossings, times, atol=10 * rtol)
    np.testing.assert_allclose(run.y_end, [math.cos(8), 2 * math.pi / 3], atol=10 * rtol)
    assert run.nfev < by["rodas"].nfev < 30 / rtol**0.4


WRONG = {"sign": (1, 0, -1.0), "missing": (0, 2, 0.0), "2 %": (2, 1, 1.02)}


@pytest.mark.parametrize("entry", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("by", [{"base": "rodas"}, {"method": "BDF"}])
def test_a_wrong_jac_ends_the_run_and_is_named(by, entry):
    i, j, factor = entry

    def wrong(t, y):
        J = np.array(robertson_jac(t, y))
        J[i, j] *= factor
        return J

    run = ess.solve_ivp(robertson, (0, 1e4), [1.0, 0.0, 0.0], rtol=1e-6, atol=1e-10, jac=wrong, **by)
    assert not run.success and run.reason == "EJACOBIAN"
    assert f"`jac`[{i}, {j}] differs from differences of `fun`" in run.message


def decay_to_cosine(t, y):
    return [-1e5 * (y[0] - math.cos(t)) - math.sin(t)]


@pytest.mark.parametrize("method", ["Radau", "BDF", "LSODA"])
def test_a_method_without_tangents_warns_of_its_substitute(method):
    with pytest.warns(UserWarning, match=f"'{method}'.*does not support `tangents`.*'chosen'") as warned:
        run = ess.solve_ivp(decay_to_cosine, (0, 1), [1.0], method, tangents=True)
    assert warned[0].filename == __file__
    same = ess.solve_ivp(decay_to_cosine, (0, 1), [1.0], base="chosen", tangents=True)
    assert run.success and run.nfev == same.nfev and (run.tangents == same.tangents).all()


def spiral(t, y):
    return [-1e4 * (y[0] - y[1]), 1j * y[1]]


@pytest.mark.parametrize("jac", [None, [[-1e4, 1e4], [0, 1j]]])
@pytest.mark.parametrize("method", ["Radau", "BDF"])
def test_complex_states_of_a_stiff_field(method, jac):
    asked = []

    def counted(t, y):
        asked.append(y)
        return jac

    for given in (jac, jac and counted):
        r = ess.solve_ivp(spiral, (0, 1), [1 + 0j, 1], method, rtol=1e-7, atol=1e-9, jac=given)
        np.testing.assert_allclose(r.y_end[1], np.exp(1j), rtol=1e-6)
        np.testing.assert_allclose(r.y_end[0], np.exp(1j) / (1 + 1e-4j), rtol=1e-6)
        assert r.nfev < 1500 and (r.njev > 0) == (jac is not None)
    assert all(y.dtype == complex and y.shape == (2,) for y in asked)


@pytest.mark.parametrize(
    "more, word",
    [
        ({"t_span": (0,)}, "t_span"),
        ({"t_span": (math.nan, 1)}, "t_span"),
        ({"t_span": (0, math.inf)}, "`t_span` must be finite unless an event of `events` is `terminal`"),
        ({"t_span": (0, -math.inf), "events": lambda t, y: y[0]}, "must be finite unless an event"),
        ({"y0": [[1.0]]}, "y0"),
        ({"y0": ["a"]}, "y0"),
        ({"y0": [math.inf, 0]}, "y0"),
        ({"fun": 3}, "fun"),
        ({"fun": lambda t, y: [1.0]}, "fun"),
        ({"fun": lambda t, y: "ab"}, "float"),
        ({"rtol": -1.0}, "rtol"),
        ({"rtol": 1.5}, "rtol"),
        ({"atol": [1.0, 1.0, 1.0]}, "atol"),
        ({"atol": math.nan}, "atol"),
        ({"max_step": 0}, "max_step"),
        ({"first_step": 5.0}, "first_step"),
        ({"max_steps": 0}, "max_steps"),
        ({"max_steps": True}, "max_steps"),
        ({"y0": None}, "None"),
        ({"rtol": None}, "None"),
        ({"user": np.zeros(2)}, "`user` is for native functions"),
        ({"tie": -1.0}, "tie"),
        ({"method": "Euler"}, "method"),
        ({"base": "euler"}, "base"),
        ({"base": "rodas", "tangents": True}, "tangents"),
        ({"base": "chosen_rodas", "tangents": True}, "tangents"),
        ({"base": "ros2"}, "ros2"),
        ({"base": "lit"}, "lit"),
        ({"locate": "some"}, "`locate` must be 'all', 'none' or 'chosen'"),
        ({"locate": None}, "`locate` must be 'all', 'none' or 'chosen'"),
        ({"locate": "none", "events": height}, "`locate` must be 'all' with `events`"),
        ({"locate": "chosen", "guards": height, "impact": bounce}, "`locate` must be 'all' with `impact`"),
        ({"locate": "none", "guards": height, "sliding": True}, "`locate` must be 'all' with `sliding`"),
        ({"locate": "none", "tangents": True}, "`locate` must be 'all' with `tangents`"),
        ({"t_eval": [0.0, 2.0]}, "t_eval"),
        ({"t_eval": [0.5, 0.1]}, "t_eval"),
        ({"t_eval": [math.nan]}, "t_eval"),
        ({"events": 3}, "events"),
        ({"guards": 3}, "guards"),
        ({"guards": lambda t, y: []}, "guards"),
        ({"impact": bounce}, "guards"),
        ({"impacts_at": [0]}, "impact"),
        ({"impacts_at": [3], "impact": bounce, "guards": height}, "impacts_at"),
        ({"guards": height, "guard_count": 2}, "guard_count"),
        ({"tangents": [1.0, 2.0, 3.0]}, "tangents"),
        ({"jac": "a", "tangents": True}, "jac"),
        ({"jac": [[1.0]], "tangents": True}, "jac"),
        ({"guard_jac": lambda t, y: [[1.0, 0.0]]}, "guard_jac"),
    ],
)
def test_wrong_arguments_are_named_in_one_line(more, word):
    given = {"fun": lambda t, y, *s: [y[1], -G], "t_span": (0, 1), "y0": [1.0, 0.0]} | more
    with pytest.raises(ValueError) as error:
        ess.solve_ivp(**given)
    assert word in line_of(error)


def test_guards_that_change_their_number():
    sizes = iter([2] + 1000 * [3])
    with pytest.raises(ValueError) as error:
        ess.solve_ivp(
            lambda t, y, s: [1.0], (0, 1), [1.0], guards=lambda t, y: [1.0] * next(sizes)
        )
    assert "guards" in line_of(error)


def test_a_result_is_a_dictionary_with_attributes():
    r = ball()
    assert r["success"] is r.success and "t_impacts" in dir(r) and "t_impacts" in repr(r)
    with pytest.raises(AttributeError):
        _ = r.nothing
    assert not hasattr(r, "__array_interface__")


def test_the_stub_has_what_the_module_has():
    folder = os.path.dirname(ess.__file__)
    with open(os.path.join(folder, "_native.pyi")) as file:
        text = file.read()
    from ess import _native

    for name in dir(_native):
        if not name.startswith("_"):
            assert f"def {name}(" in text or f"{name}:" in text
    assert os.path.exists(os.path.join(folder, "py.typed"))


def test_who_is_thrown_from_the_floor_flies_and_who_is_thrown_at_it_bounces():
    def run(speed, at=None):
        return ess.solve_ivp(
            lambda t, y, sign: [y[1], -9.81], (0, 0.1), [0, speed], guards=lambda t, y: y[0],
            impact=lambda t, y, sign, crossed: [0, -0.8 * y[1]], impacts_at=at, rtol=1e-9, atol=1e-9,
        )  # fmt: skip

    for r in (run(2.0), run(2.0, [(0, -1)])):
        assert r.success and len(r.t_impacts) == 0
        np.testing.assert_allclose(r.y_end, [0.2 - 9.81 * 0.005, 2 - 0.981], atol=1e-8)
    r = run(-2.0, [(0, -1)])
    assert r.success and r.t_impacts.tolist() == [0.0]
    np.testing.assert_allclose(r.y_end, [0.16 - 9.81 * 0.005, 1.6 - 0.981], atol=1e-8)



@pytest.mark.parametrize("watch", [False, True])
def test_what_an_impact_stops_does_not_fall_through_its_guard(watch):
    """points that stick to walls: what is left of their speed is rounding, which is no side"""
    ends = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        p, m = rng.integers(1, 4), rng.integers(1, 4)
        stiff, walls, far = 4 * np.eye(p), rng.normal(size=(m, p)), rng.random(m) + 0.05
        pull, start = 3 * rng.normal(size=p), np.r_[np.zeros(p), 2 * rng.normal(size=p)]

        def field(t, y, s):
            return np.r_[y[p:], pull * np.cos(2 * t) - stiff @ y[:p]]

        def stop(t, y, s, crossed):
            y = y.copy()
            y[p:] -= np.linalg.pinv(walls[crossed]) @ walls[crossed] @ y[p:]
            return y

        r = ess.solve_ivp(
            field, (0, 2), start, guards=lambda t, y: walls @ y[:p] + far, impact=stop,
            impacts_at=[(k, -1) for k in range(m)], events=(lambda t, y: y[0] - y[-1]) if watch else None,
            rtol=1e-6, atol=1e-8, max_steps=1500, dense_output=True,
        )  # fmt: skip
        ends.append(r.reason)
        if r.success:
            ways = r.sol(np.linspace(0, 2, 500))[:p]
            assert (walls @ ways + far[:, None]).min() > -1e-4, seed
    assert "SUCCESS" in ends and len(set(ends)) > 1


@pytest.mark.parametrize(
    "found, said",
    [
        (None, "fun returned None; it must return numbers"),
        (np.array([1j]), "fun returned complex numbers; it must return real ones"),
        (np.complex128(1j), "fun returned complex numbers"),
        ([1j], "fun must return numbers"),
        ("ab", "fun must return numbers .*ab"),
        ([[1.0], [1.0, 2.0]], "fun must return numbers"),
        ([10**400], "fun must return numbers .*too large"),
        ({"y": 1.0}, "fun must return numbers"),
    ],
)
def test_what_numpy_would_make_numbers_of(found, said):
    with pytest.raises(ValueError, match=said):
        ess.solve_ivp(lambda t, y: found, (0, 1), [1.0])


@pytest.mark.parametrize("where", [["a"], [(0,)], [(0, 1, 2)], [None], [(None, 1)], [(0, "up")]])
def test_impacts_at_nowhere(where):
    with pytest.raises(ValueError, match="`impacts_at` must list indices of guards"):
        ess.solve_ivp(
            lambda t, y, sign: -y, (0, 1), [1.0], guards=lambda t, y: y[0], impacts_at=where,
            impact=lambda t, y, sign, crossed: y,
        )  # fmt: skip


def test_an_event_to_nowhere():
    def half(t, y):
        return y[0] - 0.5

    half.direction = float("nan")
    with pytest.raises(ValueError, match="`direction` attribute .* it is nan"):
        ess.solve_ivp(lambda t, y: -y, (0, 1), [1.0], events=half)


@pytest.mark.parametrize(
    "more, said",
    [
        ({"fun": lambda y: -y}, r"`fun` must take \(t, y\)"),
        ({"fun": lambda t, y, sign: -y}, r"`fun` must take \(t, y\): missing .*sign"),
        ({"guards": lambda t, y: y[0]}, r"`fun` must take \(t, y, sign\)"),
        ({"params": [1.0]}, r"`fun` must take \(t, y, params\)"),
        ({"args": (1, 2)}, r"`fun` must take \(t, y, arg, arg\)"),
        ({"fun": lambda t, y, s: -y, "guards": lambda y: y[0]}, r"`guards` must take \(t, y\)"),
        (
            {"fun": lambda t, y, s: -y, "guards": lambda t, y: y[0], "impact": lambda t, y: y},
            r"`impact` must take \(t, y, sign, crossed\)",
        ),
        ({"events": lambda y: y[0]}, r"`events` must take \(t, y\)"),
        ({"jac": lambda y: [[-1.0]], "tangents": True}, r"`jac` must take \(t, y\)"),
    ],
)
def test_functions_that_do_not_take_what_they_are_handed(more, said):
    with pytest.raises(TypeError, match=said):
        ess.solve_ivp(**{"fun": lambda t, y: -y, "t_span": (0, 1), "y0": [1.0], **more})


def test_guards_that_are_none_are_blamed_and_not_fun():
    with pytest.raises(ValueError, match="^`guards` must be a function; it is str$"):
        ess.solve_ivp(lambda t, y: -y, (0, 1), [1.0], guards="x")


@pytest.mark.parametrize("package", ["mujoco", "jax"])
def test_a_package_that_is_not_there_is_named_with_what_installs_it(package):
    code = f"import sys; sys.modules[{package!r}] = None; import ess.{package}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    said = done.stderr.splitlines()[-1]
    assert said == f"ModuleNotFoundError: ess.{package} needs the package {package}: pip install {package}"


# ---- inputs that jump at given times ------------------------------------------------------------------


def train(count, width=0.05):
    begins = np.arange(count) + 0.3
    return np.stack([begins, begins + width], axis=1).ravel()


@pytest.mark.parametrize("method", ["RK45", "Radau", "LSODA"])
@pytest.mark.parametrize("way", [1, -1])
def test_no_pulse_of_a_train_is_missed(method, way):
    jumps = train(500)
    on = lambda t: np.searchsorted(jumps, t, side="right") % 2  # noqa: E731
    span = (0, 500)[::way]
    r = ess.solve_ivp(
        lambda t, y: [on(t) * 2 * math.cos(t)], span, [0.5], method, t_jumps=jumps, rtol=1e-7, atol=1e-7
    )
    right = 0.5 + way * 2 * sum(np.sin(jumps[1::2]) - np.sin(jumps[::2]))
    assert r.success and abs(r.y_end[0] - right) < 2e-6
    without = ess.solve_ivp(lambda t, y: [on(t) * 2 * math.cos(t)], span, [0.5], method, max_step=10)
    assert without.success and abs(without.y_end[0] - right) > 0.01


def test_many_jumps_need_as_many_steps():
    count = 4_000
    jumps = np.arange(1, count + 1) / (count + 1)

    def field(t, y):
        return [np.searchsorted(jumps, t, side="right") % 2]

    more = {"t_jumps": jumps, "t_eval": [1.0]}
    r = ess.solve_ivp(field, (0, 1), [0.0], **more)
    assert r.success and count < r.nsteps < 3 * count
    np.testing.assert_allclose(r.y_end, [count / 2 / (count + 1)], rtol=1e-10)
    for limit in ({"max_steps": count}, {"t_jumps": np.arange(1, 10**7 + 1) / (10**7 + 1)}):
        with pytest.raises(ValueError, match="`max_steps` must exceed the [0-9]+ times of `t_jumps`"):
            ess.solve_ivp(field, (0, 1), [0.0], **(more | limit))

    def stop(t, y):
        return t - 0.01

    stop.terminal = True
    assert ess.solve_ivp(field, (0, 1), [0.0], **more, events=stop, max_steps=count).status == 1


def test_derivatives_go_through_jumps():
    jumps = train(20)

    def field(t, y, p):
        return [p[0] * (np.searchsorted(jumps, t, side="right") % 2) - p[1] * y[0]]

    p = np.array([2.0, 0.1])
    r = ess.solve_ivp(
        field, (0, 20), [0.5], params=p, tangents=True, t_jumps=jumps, rtol=1e-9, atol=1e-9
    )

    def closed(p0, p1):
        sums = np.exp(-p1 * (20 - jumps[1::2])) - np.exp(-p1 * (20 - jumps[::2]))
        return 0.5 * np.exp(-20 * p1) + p0 / p1 * sums.sum()

    h = 1e-5
    right = [
        math.exp(-2.0),
        closed(2 + h, 0.1) / (2 * h) - closed(2 - h, 0.1) / (2 * h),
        closed(2, 0.1 + h) / (2 * h) - closed(2, 0.1 - h) / (2 * h),
    ]
    assert abs(r.y_end[0] - closed(2, 0.1)) < 1e-8
    np.testing.assert_allclose(r.tangents[0], right, atol=1e-7)


@pytest.mark.parametrize(
    "jumps, word",
    [
        ([0.5, 0.2], "ascend"),
        ([0.5, 0.5], "ascend"),
        ([0.5, 2.0], "within `t_span`"),
        ([math.nan], "finite"),
        ([[0.1, 0.2]], "1-dimensional"),
        (["a"], "ascending times"),
    ],
)
def test_jump_times_that_are_none_are_refused(jumps, word):
    with pytest.raises(ValueError, match=f"`t_jumps`.*{word}"):
        ess.solve_ivp(lambda t, y: -y, (0, 1), [1.0], t_jumps=jumps)


# ---- derivatives by these times -----------------------------------------------------------------------


def on_in(times):
    return lambda t: np.searchsorted(times, t, side="right") % 2


@pytest.mark.parametrize("base", ["dopri5", "rkc", "chosen"])
@pytest.mark.parametrize("way", [1, -1])
def test_times_of_a_train_are_differentiated(base, way):
    """y' = u - y / 10, which listed the other way round, and with a constant pulse between"""
    times = np.sort(train(20, 0.2) + 0.1 * np.sin(np.arange(40)))
    constant = [5.05, 5.1]
    params = np.r_[0.1, times[::-1]]

    def field(t, y, p):
        return [on_in(p[:0:-1])(t) + (5.05 <= t < 5.1) - p[0] * y[0]]

    tolerance = 1e-6 if base == "rkc" else 1e-10
    r = ess.solve_ivp(
        field, (0, 20)[::way], [0.5], params=params, tangents=True, base=base, t_jumps=constant,
        jump_params=range(1, 41), rtol=tolerance, atol=tolerance,
    )  # fmt: skip
    end = 20 if way > 0 else 0
    right = -way * np.where(np.arange(40) % 2, -1, 1) * np.exp(-0.1 * (end - times))
    assert r.success and r.tangents.shape == (1, 42)
    np.testing.assert_allclose(r.tangents[0, :1:-1], right, atol=200 * tolerance)
    one = ess.solve_ivp(
        field, (0, 20)[::way], [0.5], params=params, tangents=np.r_[0, 0, np.arange(40.0)], base=base,
        t_jumps=constant, jump_params=range(1, 41), rtol=tolerance, atol=tolerance,
    )  # fmt: skip
    np.testing.assert_allclose(
        one.tangents[0], right[::-1] @ np.arange(40), atol=1e-6 + 1e5 * tolerance * (base == "rkc")
    )


def test_a_thousand_times_are_differentiated():
    times = train(500)
    on = on_in(times)  # of numbers that do not move
    r = ess.solve_ivp(
        lambda t, y, p: [on(t) - 0.01 * y[0]], (0, 500), [0.5], params=times, tangents=True,
        jump_params=range(1000), params_jac=np.zeros((1, 1000)), jac=[[-0.01]], rtol=1e-7, atol=1e-7,
    )  # fmt: skip
    right = np.where(np.arange(1000) % 2, 1, -1) * np.exp(-0.01 * (500 - times))
    np.testing.assert_allclose(r.tangents[0, 1:], right, atol=1e-9)


def test_a_response_that_begins_at_a_time_is_differentiated():
    """y' = exp(T - t) from T on: differences move T away from t"""
    r = ess.solve_ivp(
        lambda t, y, p: [math.exp(p[0] - t) if t >= p[0] else 0.0], (0, 2), [0.0], params=0.7,
        jump_params=0, tangents=True, rtol=1e-10, atol=1e-10,
    )  # fmt: skip
    np.testing.assert_allclose(r.y_end, 1 - math.exp(-1.3), rtol=1e-9)
    np.testing.assert_allclose(r.tangents, [[1, -math.exp(-1.3)]], atol=1e-8)


def test_a_crossing_at_such_a_time_is_refused():
    def run(time, **more):
        return ess.solve_ivp(
            lambda t, y, s, p: [1.0 if t < p[0] else 2.0], (0, 2), [0.0], params=time, jump_params=[0],
            guards=lambda t, y, p: y[0] - 1, impact=lambda t, y, s, c, p: y + 1, impacts_at=[(0, 1)],
            rtol=1e-8, atol=1e-8, **more,
        )  # fmt: skip

    assert run(1.0).success
    r = run(1.0, tangents=True)
    assert not r.success and r.reason == "EDISCONTINUOUS" and "jump of the field" in r.message
    np.testing.assert_allclose(run(1.1, tangents=True).tangents, [[1, -1]], atol=1e-8)


@pytest.mark.parametrize(
    "more, word",
    [
        ({"jump_params": [0]}, "`jump_params`.*needs `params`"),
        ({"jump_params": [2], "params": [0.2, 0.3]}, "indices of `params`, which are 0 to 1"),
        ({"jump_params": [-1], "params": [0.2, 0.3]}, "indices of `params`, which are 0 to 1"),
        ({"jump_params": [0.5], "params": [0.2, 0.3]}, "indices of `params`"),
        ({"jump_params": [[0]], "params": [0.2, 0.3]}, "indices of `params`"),
        ({"jump_params": "a", "params": [0.2, 0.3]}, "indices of `params`"),
        ({"jump_params": [0], "params": [2.0]}, "within `t_span`"),
        ({"jump_params": [0, 1], "params": [0.2, 0.2]}, "0.2[0-9]* occurs twice"),
        ({"jump_params": [0], "params": [0.2], "t_jumps": [0.2]}, "0.2[0-9]* occurs twice"),
    ],
)
def test_jump_params_that_are_none_are_refused(more, word):
    with pytest.raises(ValueError, match=word):
        ess.solve_ivp(lambda t, y, *p: -y, (0, 1), [1.0], **more)


@pytest.mark.parametrize("locate", ["none", "chosen"])
def test_guards_are_stepped_over(locate):
    """a stiff floor, by the signs of each state; nothing of it is reported"""

    def fun(t, y, sign):
        return [y[1], -9.81 - (1e4 * y[0] + 20 * y[1]) * (sign[0] < 0)]

    right = ess.solve_ivp(fun, (0, 2), [0.5, 0.0], guards=lambda t, y: y[0], rtol=1e-10, atol=1e-10)
    run = ess.solve_ivp(
        fun, (0, 2), [0.5, 0.0], guards=lambda t, y: y[0], rtol=1e-5, atol=1e-5, locate=locate, dense_output=True
    )
    assert right.unlocated == 0 and len(right.t_crossings) > 2
    assert run.success and 0 < run.unlocated <= run.nsteps and len(run.t_crossings) == 0
    np.testing.assert_allclose(run.y_end, right.y_end, atol=1e-2)
    np.testing.assert_allclose(run.sol(2.0), run.y_end)
