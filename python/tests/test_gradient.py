# SPDX-License-Identifier: Apache-2.0
"""Gradients by the adjoint, against tangents and closed forms."""

import math

import numpy as np
import pytest

import ess

TIGHT = {"rtol": 1e-10, "atol": 1e-12}


def weights(n, k):
    return np.random.default_rng(n * k).normal(size=(n, k))


def ball(t, y, s, p):
    return [y[1], -p[1] - p[2] * y[1]]


BALL = dict(
    params=[0.8, 9.81, 0.1], guards=lambda t, y, p: y[0], impacts_at=[(0, -1)],
    impact=lambda t, y, s, c, p: [0.0, -p[0] * y[1]],
)  # fmt: skip
SYSTEMS = {
    "impacts": (ball, (0, 2), [1.0, 0.0], BALL),
    "crossings backward": (
        lambda t, y, s: [y[1], (1000 * (1 - y[0]) if s[0] > 0 else 0.0) - 9.81], (1, 0), [2.0, 0.0],
        {"guards": lambda t, y: [1 - y[0]]},
    ),
    "a slide": (
        lambda t, y, s, p: [-p[0] * s[0] + 0.5 * t, p[1] * y[0] - y[1]], (0, 4), [0.5, 1.0],
        {"guards": lambda t, y, p: y[0], "sliding": True, "params": [1.0, 2.0]},
    ),
    "times of jumps": (
        lambda t, y, p: [p[2] * y[0] if p[0] <= t < p[1] else 0.0], (0, 4), [1.0],
        {"params": [1.0, 2.5, 0.3], "jump_params": [0, 1]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("count", [1, 9])
def test_it_is_what_tangents_say(name, count):
    fun, span, y0, more = SYSTEMS[name]
    t = np.linspace(*span, count + 1)[1:] if count > 1 else None
    W = weights(len(y0), count)
    g = ess.gradient(lambda y: ((W * np.sin(y)).sum(), W * np.cos(y)), fun, span, y0, t_eval=t, **more, **TIGHT)
    r = ess.solve_ivp(fun, span, y0, t_eval=[span[1]] if t is None else t, tangents=True, **more, **TIGHT)
    assert g.success and g.smooth == r.smooth == "C1"
    np.testing.assert_allclose(g.y, r.y, atol=1e-8)
    expected = np.einsum("ik,ijk->j", W * np.cos(r.y), r.tangents_at)
    within = 1e-6 * max(1.0, np.abs(expected).max())
    np.testing.assert_allclose(np.concatenate([g.by_y0, g.by_params]), expected, atol=within)
    assert g.value == pytest.approx((W * np.sin(r.y)).sum(), abs=1e-7)


def test_the_initial_time_counts():
    g = ess.gradient(lambda y: (y.sum(), np.ones_like(y)), lambda t, y: -y, (0, 1), [2.0], t_eval=[0.0, 1.0], **TIGHT)
    assert g.value == pytest.approx(2 + 2 / math.e) and g.by_y0[0] == pytest.approx(1 + 1 / math.e)
    assert g.by_params.shape == (0,)


def test_with_jacobians_a_thousand_parameters_cost_what_two_do():
    def calls(count):
        w, number = np.arange(1, count + 1) * 0.01, [0, 0]

        def fun(t, y, s, p):
            number[0] += 1
            return [y[1], -math.sin(y[0]) - 0.1 * s[0] + p @ np.cos(w * t)]

        def params_jac(t, y, s, p):
            number[1] += 1
            return np.stack([np.zeros(count), np.cos(w * t)])

        def jac(t, y, s, p):
            number[1] += 1
            return [[0.0, 1.0], [-math.cos(y[0]), 0.0]]

        given = dict(params=np.full(count, 0.01 / count), guards=lambda t, y, p: y[0], rtol=1e-8, atol=1e-10)
        ess.solve_ivp(fun, (0, 10), [1.0, 0.0], **given)
        plain, number[0] = number[0], 0
        g = ess.gradient(
            lambda y: (y[0, 0], [1.0, 0.0]), fun, (0, 10), [1.0, 0.0], jac=jac, params_jac=params_jac, **given
        )
        assert g.success and g.by_params.shape == (count,)
        assert np.isfinite(g.by_params).all()
        return number[0] / plain, number[1] / plain

    few, many = calls(2), calls(1000)
    # of the right-hand side: forward, and back, and what differences at crossings take
    assert few[0] < 3 and many[0] < 3
    assert many[1] < 1.2 * few[1] and many[1] < 3
    # within five runs, where a derivative costs what the right-hand side does
    assert sum(many) < 5


def test_native_functions():
    numba = pytest.importorskip("numba")

    @numba.cfunc(ess.FIELD)
    def fun(t, y, sign, out, user):
        out[0] = -numba.carray(user, 1, numba.float64)[0] * y[0]
        return 0

    g = ess.gradient(lambda y: (y[0, 0], [1.0]), fun, (0, 1), [1.0], params=[2.0], **TIGHT)
    np.testing.assert_allclose([g.value, *g.by_y0, *g.by_params], np.exp(-2) * np.array([1, 1, -1]), rtol=1e-8)


def test_memory_that_is_short_repeats_parts_of_the_run():
    calls = [0]

    def fun(t, y, s):
        calls[0] += 1
        return [y[1], -y[0] - 0.1 * s[0]]

    given = dict(fun=fun, t_span=(0, 1000), y0=[1.0, 0.0], guards=lambda t, y: y[0], rtol=1e-9, atol=1e-11)
    plenty = ess.gradient(lambda y: (y[0, 0], [1.0, 0.0]), **given)
    once, calls[0] = calls[0], 0
    short = ess.gradient(lambda y: (y[0, 0], [1.0, 0.0]), memory=3 << 19, **given)
    assert plenty.success and short.success and calls[0] > 1.1 * once
    np.testing.assert_allclose(short.by_y0, plenty.by_y0, rtol=1e-12)
    none = ess.gradient(lambda y: (y[0, 0], [1.0, 0.0]), memory=65536, **given)
    assert not none.success and none.reason == "ENOMEM" and "value" not in none
    enough = int(none.message.rpartition("; ")[2].split()[0])
    assert none.message == f"libess: the recording does not fit into `memory`; {enough} bytes are enough"
    assert ess.gradient(lambda y: (y[0, 0], [1.0, 0.0]), memory=enough, **given).success


def test_runs_that_fail_have_no_gradient():
    r = ess.gradient(lambda y: (y[0, 0], [1.0]), lambda t, y: y * math.nan, (0, 1), [1.0])
    assert not r.success and r.reason == "EFIELD" and "by_y0" not in r
    late = ess.gradient(lambda y: (y[0, 0], [1.0, 0.0]), lambda t, y: [y[1], -y[0]], (0, 1e9), [1.0, 0.0], max_time=0.1)
    assert late.reason == "EMAXTIME" and "value" not in late


@pytest.mark.parametrize("name", ["impacts", "a slide", "backward"])
def test_the_time_and_state_of_an_event(name):
    """against tangents: a function of both, by the initial state and all parameters"""

    def event(t, y, *p):
        if name == "backward":
            return y[0] - 1.5 * p[0][0]
        return y[1] if name == "impacts" else y[1] - 0.5

    systems = SYSTEMS | {"backward": (lambda t, y, p: [-p[0] * y[0]], (0, -math.inf), [1.0], {"params": [0.7]})}
    fun, span, y0, more = systems[name]
    event.direction = -1 if name != "backward" else 0
    span = span if name == "a slide" else (0, math.copysign(math.inf, span[1]))

    def objective(t, y):
        return t * y[0] + np.sin(t), y[0] + np.cos(t), t * np.eye(len(y))[0]

    g = ess.gradient(objective, fun, span, y0, event=event, **more, **TIGHT)
    event.terminal = True
    r = ess.solve_ivp(fun, span, y0, events=event, tangents=True, **more, **TIGHT)
    assert g.success and g.status == r.status == 1 and g.t[0] == pytest.approx(r.t_end, abs=1e-8)
    by_t, by_y = objective(r.t_end, r.y_end)[1:]
    expected = by_t * r.event_dt + by_y @ r.event_dy
    within = 1e-6 * max(1.0, np.abs(expected).max())
    np.testing.assert_allclose(np.concatenate([g.by_y0, g.by_params]), expected, atol=within)
    assert g.value == pytest.approx(objective(r.t_end, r.y_end)[0], abs=1e-7)


def test_a_native_event_and_one_that_does_not_occur():
    numba = pytest.importorskip("numba")

    @numba.cfunc(ess.GUARDS)
    def half(t, y, g, user):
        g[0] = y[0] - numba.carray(user, 2, numba.float64)[1]
        return 0

    def objective(t, y):
        return t, 1.0, [0.0]

    def fun(t, y, p):
        return -p[0] * y

    # ln(1 / p1) / p0
    g = ess.gradient(objective, fun, (0, math.inf), [1.0], event=half, params=[2.0, 0.5], **TIGHT)
    np.testing.assert_allclose([*g.by_y0, *g.by_params], [0.5, -math.log(2) / 4, -1.0], rtol=1e-8)
    late = ess.gradient(objective, fun, (0, 0.1), [1.0], event=half, params=[2.0, 0.5], **TIGHT)
    assert late.status == 0 and late.value == 0.1 and not late.by_y0.any() and not late.by_params.any()


@pytest.mark.parametrize("rtol", [1e-3, 1e-6, 1e-10])
def test_an_event_that_is_only_touched_has_no_derivative(rtol):
    """where its zero is within the tolerance of the turn; further from it the closed form holds"""
    top, refused = 25.0 / (2 * 9.81), []
    for below in 10.0 ** -np.arange(1, 14.0):

        def event(t, y):
            return y[0] - (top - below)

        given = dict(fun=lambda t, y: [y[1], -9.81], t_span=(0, 3), y0=[0.0, 5.0], rtol=rtol, atol=1e-2 * rtol)
        g = ess.gradient(lambda t, y: (t, 1.0, [0.0, 0.0]), event=event, **given)
        event.terminal = True
        r = ess.solve_ivp(events=event, tangents=True, **given)
        assert g.reason == r.reason and g.success == (g.reason == "SUCCESS")
        if g.status == 1:
            speed = math.sqrt(2 * 9.81 * below)
            right = -np.array([1.0, (5.0 - speed) / 9.81]) / speed
            np.testing.assert_allclose(g.by_y0, right, rtol=0.3)
            np.testing.assert_allclose(r.event_dt, g.by_y0, rtol=1e-6)
        else:
            refused.append(below)
            assert g.reason in ("EGRAZING", "SUCCESS") and "by_y0" not in g or g.status == 0
            assert np.isnan(r.get("event_dt", np.nan)).all()
    assert refused and max(refused) < 100 * rtol and len(refused) >= 3


def decay(t, y):
    return -y


@pytest.mark.parametrize(
    "given, word",
    [
        ({"objective": 3}, "`objective` must be a function"),
        ({"objective": lambda y: 1.0}, "`objective` must return a pair"),
        ({"objective": lambda y: (1.0, [1.0, 2.0])}, r"the shape \(1, 1\), that of `y`; it has \(2,\)"),
        ({"objective": lambda y: (math.nan, [1.0])}, "finite numbers"),
        ({"objective": lambda y: ("a", [1.0])}, "first result is a number"),
        ({"event": 3}, "`event` must be a function"),
        ({"event": decay, "t_eval": [1.0]}, "`t_eval` and `event` exclude each other"),
        ({"event": decay, "objective": lambda t, y: 1.0}, "must return three results"),
        ({"event": decay, "objective": lambda t, y: (1.0, "a", [1.0])}, "second result is a number"),
        ({"memory": 10}, "`memory` must be an integer"),
        ({"memory": 1e9}, "`memory` must be an integer"),
        ({"y0": []}, "`y0` must be real, with at least one state"),
        ({"y0": [1j]}, "`y0` must be real"),
        ({"t_eval": []}, "`t_eval` must have at least one time"),
        ({"t_eval": [2.0]}, "within `t_span`"),
        ({"base": "rodas"}, "does not support `tangents`"),
        ({"params": [math.inf]}, "`params` must be"),
        ({"t_span": (0, math.inf)}, "`t_span` must be finite"),
    ],
)
def test_bad_arguments(given, word):
    arguments = {"objective": lambda y: (y[0, 0], [1.0]), "fun": decay, "t_span": (0, 1), "y0": [1.0]} | given
    with pytest.raises(ValueError, match=word) as error:
        ess.gradient(**arguments)
    assert "\n" not in str(error.value)


def test_an_exception_propagates():
    def objective(y):
        raise LookupError("odd")

    with pytest.raises(LookupError, match="odd"):
        ess.gradient(objective, decay, (0, 1), [1.0])
