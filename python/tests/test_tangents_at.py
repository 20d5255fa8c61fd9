# SPDX-License-Identifier: Apache-2.0
"""Derivatives at output times, by one run: against closed forms, and runs that end there."""

import math

import numpy as np
import pytest

import ess

TIGHT = {"rtol": 1e-10, "atol": 1e-12}


def bouncing(e=0.8, g=9.81, **more):
    return ess.solve_ivp(
        lambda t, y, s, p: [y[1], -p[1]], (0, 1), [1.0, 0.0], params=[e, g], guards=lambda t, y, p: y[0],
        impact=lambda t, y, s, c, p: [0.0, -p[0] * y[1]], impacts_at=[(0, -1)], **(TIGHT | more),
    )  # fmt: skip


def test_a_ball_on_the_way_through_an_impact():
    t = np.linspace(0, 1, 41)
    r = bouncing(tangents=True, t_eval=t)
    assert r.success and r.tangents_at.shape == (2, 4, 41)
    assert np.array_equal(r.tangents_at[:, :, -1], r.tangents)
    assert np.array_equal(r.tangents_at[:, :, 0], np.eye(2, 4))
    assert len(r.t_impacts) == 1
    by = 1e-5
    for column, (e, g) in ((2, (by, 0)), (3, (0, by))):
        up, down = (bouncing(0.8 + s * e, 9.81 + s * g, t_eval=t).y for s in (1, -1))
        away = np.abs(t - r.t_impacts[0]) > 1e-3
        np.testing.assert_allclose(r.tangents_at[:, column, away], (up - down)[:, away] / (2 * by), atol=1e-6)


def test_sampling_changes_neither_steps_nor_evaluations():
    t = np.linspace(0, 1, 1000)
    plain, sampled = bouncing(tangents=True, t_eval=[1.0]), bouncing(tangents=True, t_eval=t)
    assert (plain.nfev, plain.nsteps) == (sampled.nfev, sampled.nsteps)
    assert np.array_equal(plain.tangents, sampled.tangents)
    # states are those without tangents
    assert np.array_equal(bouncing(t_eval=t).y, sampled.y)


SYSTEMS = {
    "crossings": dict(
        fun=lambda t, y, s: [y[1], (1000 * (1 - y[0]) if s[0] > 0 else 0) - 9.81], y0=[2.0, 0.0],
        guards=lambda t, y: [1 - y[0]], t_span=(0, 2),
    ),
    "crossings, backward": dict(
        fun=lambda t, y, s: [y[1], (1000 * (1 - y[0]) if s[0] > 0 else 0) - 9.81], y0=[2.0, 0.0],
        guards=lambda t, y: [1 - y[0]], t_span=(2, 0),
    ),
    "a slide": dict(
        fun=lambda t, y, s: [-s[0] + 0.5 * t, y[0] - y[1]], y0=[0.5, 1.0], guards=lambda t, y: y[0],
        sliding=True, t_span=(0, 4),
    ),
    "a guard that moves": dict(
        fun=lambda t, y, s: [1 + 0.5 * s[0]], y0=[0.5], guards=lambda t, y: y[0] - 1 - np.sin(3 * t), t_span=(0, 3),
    ),
    "a stiff field": dict(
        fun=lambda t, y: [y[1], 50 * (1 - y[0] ** 2) * y[1] - y[0]], y0=[2.0, 0.0], base="chosen", t_span=(0, 50),
    ),
    "stabilised steps": dict(
        fun=lambda t, y: [-1000 * (y[0] - math.cos(t)), -y[1]], y0=[0.0, 1.0], base="rkc", t_span=(0, 3),
        rtol=1e-6, atol=1e-8,
    ),
    "parameters": dict(
        fun=lambda t, y, p: [p[0] * y[0] + math.sin(p[1] * t)], y0=[1.0], params=[0.3, 2.0], t_span=(0, 3),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SYSTEMS)
def test_they_are_those_of_runs_that_end_there(name):
    given = {"rtol": 1e-9, "atol": 1e-11} | SYSTEMS[name]
    t0, t1 = given.pop("t_span")
    t = np.linspace(t0, t1, 12)
    r = ess.solve_ivp(t_span=(t0, t1), t_eval=t, tangents=True, **given)
    assert r.success
    for k in range(1, 12):
        one = ess.solve_ivp(t_span=(t0, t[k]), tangents=True, **given)
        within = 1e-6 * max(1.0, np.abs(one.tangents).max())
        np.testing.assert_allclose(r.tangents_at[:, :, k], one.tangents, atol=within)


def test_at_a_jump_it_is_the_side_after():
    doses = {
        "guards": lambda t, y: [t - 1, t - 2.5], "impact": lambda t, y, s, c: y * (1 + y) + len(c),
    }  # fmt: skip
    r = ess.solve_ivp(lambda t, y, s: -y, (0, 4), [0.5], t_eval=[0.5, 1.0, 2.5, 4.0], tangents=True, **doses, **TIGHT)
    y = 0.5 * math.exp(-1)
    assert r.y[0, 1] == pytest.approx(y * (1 + y) + 1, rel=1e-9)
    # the derivative of y (1 + y) after that of the decay
    assert r.tangents_at[0, 0, 1] == pytest.approx((1 + 2 * y) * math.exp(-1), rel=1e-8)
    before = r.tangents_at[0, 0, 1] * math.exp(-1.5)
    y = (y * (1 + y) + 1) * math.exp(-1.5)
    assert r.tangents_at[0, 0, 2] == pytest.approx((1 + 2 * y) * before, rel=1e-8)


@pytest.mark.parametrize("way", [1, -1])
def test_both_sides_of_impacts(way):
    """times of impacts, and the states before and after, against differences of runs"""

    def run(e, g, height, speed, **more):
        return ess.solve_ivp(
            lambda t, y, s, p: [way * y[1], way * -p[1]], (0, way * 3), [height, speed], params=[e, g],
            guards=lambda t, y, p: y[0], impact=lambda t, y, s, c, p: [0.0, -p[0] * y[1]],
            impacts_at=[(0, -1)], rtol=1e-11, atol=1e-13, **more,
        )  # fmt: skip

    at = np.array([0.8, 9.81, 1.0, 0.0])
    r = run(*at, tangents=True)
    count = len(r.t_impacts)
    assert count == 6 and r.tangents_impacts.shape == (6, 2, 2, 4) and r.dt_impacts.shape == (6, 4)
    rate = way * np.stack([r.y_impacts[..., 1], np.full((6, 2), -9.81)], axis=2)
    for column, which in enumerate((2, 3, 0, 1)):
        step = 1e-5 * np.eye(4)[which]
        up, down = run(*(at + step)), run(*(at - step))
        dt = (up.t_impacts - down.t_impacts) / 2e-5
        dy = (up.y_impacts - down.y_impacts) / 2e-5
        np.testing.assert_allclose(r.dt_impacts[:, column], dt, rtol=1e-6, atol=1e-6)
        moved = r.tangents_impacts[..., column] + rate * r.dt_impacts[:, None, None, column]
        np.testing.assert_allclose(moved, dy, rtol=1e-6, atol=1e-5)
    # the sides are those of runs that end just there
    first = r.t_impacts[0]
    for side, t in ((0, first - way * 1e-9), (1, first + way * 1e-9)):
        near = ess.solve_ivp(
            lambda t, y, s, p: [way * y[1], way * -p[1]], (0, t), [1.0, 0.0], params=[0.8, 9.81],
            guards=lambda t, y, p: y[0], impact=lambda t, y, s, c, p: [0.0, -p[0] * y[1]],
            impacts_at=[(0, -1)], rtol=1e-11, atol=1e-13, tangents=True,
        )  # fmt: skip
        np.testing.assert_allclose(r.tangents_impacts[0, side], near.tangents, rtol=1e-6, atol=1e-7)


def test_both_sides_of_simultaneous_impacts():
    """two balls that land at once, each with its own restitution"""
    r = ess.solve_ivp(
        lambda t, y, s, p: [y[1], -9.81, y[3], -9.81], (0, 1), [1.0, 0.0, 1.0, 0.0], params=[0.8, 0.5],
        guards=lambda t, y, p: [y[0], y[2]], impacts_at=[(0, -1), (1, -1)], tangents=True, **TIGHT,
        impact=lambda t, y, s, c, p: [
            0.0 if 0 in c else y[0], -p[0] * y[1] if 0 in c else y[1],
            0.0 if 1 in c else y[2], -p[1] * y[3] if 1 in c else y[3],
        ],
    )  # fmt: skip
    assert r.success and r.t_impacts[0] == pytest.approx(math.sqrt(2 / 9.81)) and len(r.t_impacts) == 2
    t = r.t_impacts[0]
    before = np.kron(np.eye(2), [[1.0, t], [0.0, 1.0]])
    np.testing.assert_allclose(r.tangents_impacts[0, 0], np.hstack([before, np.zeros((4, 2))]), atol=1e-7)
    # the first that the impact lists: of the first ball
    np.testing.assert_allclose(r.dt_impacts[0, :2], [1 / (9.81 * t), 1 / 9.81], rtol=1e-7)
    after = np.kron(np.diag([0.8, 0.5]), [[-1.0, -t], [0.0, 0.0]])
    after[1::2] += np.kron(np.diag([1.8, 1.5]), [1 / t, 1.0]) - np.kron(np.diag([0.8, 0.5]), [0.0, 1.0])
    assert r.tangents_impacts[0, 1].shape == (4, 6) and np.isfinite(r.tangents_impacts).all()
    near = ess.solve_ivp(
        lambda t, y, s, p: [y[1], -9.81], (0, t + 1e-9), [1.0, 0.0], params=[0.8], tangents=True, **TIGHT,
        guards=lambda t, y, p: y[0], impacts_at=[(0, -1)], impact=lambda t, y, s, c, p: [0.0, -p[0] * y[1]],
    )  # fmt: skip
    np.testing.assert_allclose(r.tangents_impacts[0, 1][:2, [0, 1, 4]], near.tangents, atol=1e-6)


def test_runs_that_end_early():
    def half(t, y):
        return y[0] - 0.5

    half.terminal = True
    r = ess.solve_ivp(lambda t, y: -y, (0, 9), [1.0], events=half, t_eval=[0, 0.5, 1, 2], tangents=True, **TIGHT)
    assert r.status == 1 and r.tangents_at.shape == (1, 1, 2)
    np.testing.assert_allclose(r.tangents_at[0, 0], np.exp([0, -0.5]), rtol=1e-9)
    limited = ess.solve_ivp(lambda t, y: -y, (0, 9), [1.0], t_eval=[0, 1, 9], tangents=True, max_steps=5, **TIGHT)
    assert not limited.success and limited.tangents_at.shape[2] == len(limited.t)
    assert np.isfinite(limited.tangents_at).all()


def test_without_times_there_are_none():
    assert "tangents_at" not in bouncing(tangents=True)
    assert "tangents_at" not in bouncing(t_eval=[1.0])
    assert bouncing(tangents=True, t_eval=[]).tangents_at.shape == (2, 4, 0)


def fit_problem():
    def fun(t, y, s, p):
        return [y[1], (p[0] * (p[3] - y[0]) - p[1] * y[1] if s[0] > 0 else 0.0) - p[2]]

    def jac(t, y, s, p):
        return [[0.0, 1.0], [-p[0], -p[1]]] if s[0] > 0 else [[0.0, 1.0], [0.0, 0.0]]

    def params_jac(t, y, s, p):
        stance = [p[3] - y[0], -y[1], -1.0, p[0]] if s[0] > 0 else [0.0, 0.0, -1.0, 0.0]
        return [[0.0, 0.0, 0.0, 0.0], stance]

    t = np.linspace(0.1, 4, 40)
    true = np.array([500.0, 2.0, 9.81, 1.0])
    directions = np.eye(6)[:, 2:]

    def solve(p, with_tangents):
        more = {"tangents": directions, "jac": jac, "params_jac": params_jac} if with_tangents else {}
        return ess.solve_ivp(
            fun, (0, 4), [1.5, 0.0], params=p, guards=lambda t, y, p: p[3] - y[0], t_eval=t,
            rtol=1e-7, atol=1e-9, **more,
        )  # fmt: skip

    data = solve(true, False).y[0] + 1e-3 * np.random.default_rng(1).normal(size=40)
    return solve, data, true


def test_a_fit_takes_fewer_evaluations_than_by_differences():
    optimize = pytest.importorskip("scipy.optimize")
    solve, data, true = fit_problem()
    evaluations = [0, 0]

    def run(p, with_tangents):
        r = solve(p, with_tangents)
        evaluations[with_tangents] += r.nfev
        return r

    def residuals(p):
        return run(p, False).y[0] - data

    latest: dict = {}

    def cached(p):
        if latest.get("p") != p.tobytes():
            latest.update(p=p.tobytes(), r=run(p, True))
        return latest["r"]

    start = true * [1.1, 0.8, 1.01, 0.995]
    by_differences = optimize.least_squares(residuals, start, x_scale=true)
    by_tangents = optimize.least_squares(
        lambda p: cached(p).y[0] - data, start, jac=lambda p: cached(p).tangents_at[0].T, x_scale=true
    )
    np.testing.assert_allclose(by_tangents.x, by_differences.x, rtol=1e-5)
    np.testing.assert_allclose(by_tangents.x, true, rtol=0.02)
    # a run with tangents evaluates the right-hand side as often as one without; differences repeat it
    plain, with_tangents = solve(true, False).nfev, solve(true, True).nfev
    assert with_tangents <= 1.05 * plain
    assert 3 * evaluations[1] < evaluations[0]


KINDS = {
    "lists": lambda J: J.tolist(),
    "tuples": lambda J: tuple(map(tuple, J.tolist())),
    "numbers of numpy": lambda J: [list(row) for row in J],
    "rows of arrays": list,
    "an array": lambda J: J,
    "columns first": np.asfortranarray,
    "every other entry": lambda J: np.repeat(J, 2, axis=1)[:, ::2],
    "single precision": lambda J: J.astype(np.float32),
    "a sparse matrix": lambda J: pytest.importorskip("scipy.sparse").csc_matrix(J),
    "a sparse array": lambda J: pytest.importorskip("scipy.sparse").csr_array(J),
}


@pytest.mark.parametrize("kind", KINDS)
def test_jacobians_of_any_kind(kind):
    make = KINDS[kind]
    r = ess.solve_ivp(
        lambda t, y, p: [y[1], -p[0] * y[0]], (0, 1), [1.0, 0.0], params=[2.0], tangents=True, t_eval=[1.0],
        jac=lambda t, y, p: make(np.array([[0.0, 1.0], [-p[0], 0.0]])),
        params_jac=lambda t, y, p: make(np.array([[0.0], [-float(np.float32(y[0])) if kind == "single precision" else -y[0]]])),
        **TIGHT,
    )  # fmt: skip
    w = math.sqrt(2.0)
    exact = [[math.cos(w), math.sin(w) / w], [-w * math.sin(w), math.cos(w)]]
    np.testing.assert_allclose(r.tangents[:, :2], exact, rtol=1e-8)
    # of cos(w t) by w^2
    np.testing.assert_allclose(r.tangents[0, 2], -math.sin(w) / (2 * w), rtol=1e-6)


@pytest.mark.parametrize(
    "J, word",
    [
        ([[0.0, 1.0]], r"jac returned an array of shape \(1, 2\); it must be \(2, 2\)"),
        ([[0.0, 1.0], [1.0]], "jac must return numbers"),
        ([[0.0, 1.0], [1.0, "a"]], "jac must return numbers"),
        ([0.0, 1.0, 1.0, 0.0], r"shape \(4,\); it must be \(2, 2\)"),
        (np.zeros((2, 3)), r"shape \(2, 3\); it must be \(2, 2\)"),
        (None, "jac returned None"),
        ([[0j, 1.0], [1.0, 0.0]], "jac"),
    ],
)
def test_jacobians_that_are_none(J, word):
    with pytest.raises(ValueError, match=word) as error:
        ess.solve_ivp(lambda t, y: [y[1], -y[0]], (0, 1), [1.0, 0.0], tangents=True, jac=lambda t, y: J)
    assert "\n" not in str(error.value)
