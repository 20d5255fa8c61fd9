# SPDX-License-Identifier: Apache-2.0
"""What flows of JAX return besides the final state: states at times, and the end by an event."""

import math

import numpy as np
import pytest

import ess

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)
jnp = jax.numpy
ess_jax = pytest.importorskip("ess.jax")

TIGHT = {"rtol": 1e-10, "atol": 1e-12}
BALL = dict(
    guards=lambda t, y, p: [y[0]], impact=lambda t, y, s, c, p: [0.0, -p[0] * y[1]], impacts_at=[(0, -1)],
)  # fmt: skip


def fall(t, y, s, p):
    return [y[1], -p[1]]


def numeric(of, at, by=1e-6):
    steps = np.eye(len(at)) * by
    return np.stack([(of(at + s) - of(at - s)) / (2 * by) for s in steps], axis=-1)


def test_states_at_times_and_their_derivatives():
    t = np.array([0.0, 0.3, 0.7, 1.0])
    path = ess_jax.flow(fall, (0, 1), t_eval=t, **BALL, **TIGHT)
    y0, p = jnp.array([1.0, 0.0]), jnp.array([0.8, 9.81])
    r = ess.solve_ivp(
        lambda t, y, s: [y[1], -9.81], (0, 1), [1.0, 0.0], t_eval=t, guards=lambda t, y: y[0],
        impact=lambda t, y, s, c: [0.0, -0.8 * y[1]], impacts_at=[(0, -1)], **TIGHT,
    )  # fmt: skip
    np.testing.assert_allclose(path(y0, p), r.y.T, rtol=1e-9, atol=1e-9)
    J = jax.jacobian(path, argnums=1)(y0, p)
    assert J.shape == (4, 2, 2)
    np.testing.assert_allclose(J, numeric(lambda q: np.asarray(path(y0, jnp.asarray(q))), np.array(p)), atol=1e-5)
    # forward, backward, and compiled
    forward = jax.jacfwd(path, argnums=1)(y0, p)
    np.testing.assert_allclose(forward, J, atol=1e-7)
    np.testing.assert_allclose(jax.jit(jax.jacobian(path, argnums=1))(y0, p), J, atol=1e-12)
    loss = jax.grad(lambda p: (path(y0, p)[:, 0] ** 2).sum())(p)
    np.testing.assert_allclose(loss, 2 * np.einsum("k,kj->j", path(y0, p)[:, 0], J[:, 0]), rtol=1e-9)


def test_the_end_by_an_event_is_differentiable():
    end = ess_jax.flow(lambda t, y, p: [y[1], -p["g"]], (0, math.inf), event=lambda t, y, p: y[0] - p["floor"], **TIGHT)
    y0, p = jnp.array([1.0, 0.0]), {"g": 9.81, "floor": 0.2}

    def exact(z, g, floor):
        return math.sqrt(2 * (z - floor) / g)

    t, y = end(y0, p)
    np.testing.assert_allclose(t, exact(1.0, 9.81, 0.2), rtol=1e-9)
    np.testing.assert_allclose(y, [0.2, -9.81 * t], rtol=1e-9, atol=1e-9)
    slope = jax.grad(lambda p: end(y0, p)[0])(p)
    np.testing.assert_allclose(slope["g"], -0.5 * t / 9.81, rtol=1e-7)
    np.testing.assert_allclose(slope["floor"], -1 / (9.81 * t), rtol=1e-7)
    by_y0 = jax.jacobian(lambda y0: end(y0, p)[1])(y0)
    # the height there is the floor's; the speed is -sqrt(v^2 + 2 g (z - floor))
    np.testing.assert_allclose(by_y0, [[0, 0], [-1 / t, 0]], atol=1e-7)
    np.testing.assert_allclose(jax.jit(lambda p: end(y0, p)[0])(p), t, rtol=1e-12)


def test_the_direction_of_an_event():
    def top(t, y, p):
        return y[0]

    top.direction = 1
    end = ess_jax.flow(lambda t, y, p: [y[1], -y[0]], (0, 9), event=top, **TIGHT)
    np.testing.assert_allclose(end(jnp.array([1.0, 0.0]))[0], 1.5 * math.pi, rtol=1e-9)


def test_slides_have_derivatives_and_rests_have_none():
    end = ess_jax.flow(
        lambda t, y, s, p: [-3 * s[0] + 0 * y[0]], (0, 2), guards=lambda t, y, p: [y[0] - p[0] * t - p[1]],
        sliding=True, rtol=1e-9, atol=1e-11,
    )  # fmt: skip
    p = jnp.array([0.5, 0.25])
    np.testing.assert_allclose(end(jnp.array([1.0]), p), [1.25], atol=1e-8)
    np.testing.assert_allclose(jax.jacobian(end, argnums=1)(jnp.array([1.0]), p), [[2, 1]], atol=1e-6)
    rest = ess_jax.flow(fall, (0, 9), rest=True, **BALL)
    y0, p = jnp.array([1.0, 0.0]), jnp.array([0.5, 9.81])
    np.testing.assert_allclose(rest(y0, p), [0, 0], atol=1e-6)
    with pytest.raises(Exception, match="impacts accumulate"):
        jax.grad(lambda p: rest(y0, p)[0])(p)


def test_a_time_limit():
    end = ess_jax.flow(lambda t, y, p: [y[1], -y[0]], (0, 1e7), max_time=0.2)
    with pytest.raises(RuntimeError, match="`max_time` is over"):
        end(jnp.array([1.0, 0.0]))


@pytest.mark.parametrize(
    "given, word",
    [
        ({"t_eval": [2.0]}, "within `t_span`"),
        ({"t_eval": [0.5], "event": lambda t, y, p: y[0]}, "exclude each other"),
        ({"event": 3}, "`event` must be a function"),
    ],
)
def test_bad_arguments(given, word):
    with pytest.raises(ValueError, match=word) as error:
        ess_jax.flow(lambda t, y, p: -y, (0, 1), **given)
    assert "\n" not in str(error.value)


def test_an_event_that_does_not_occur():
    end = ess_jax.flow(lambda t, y, p: -y, (0, 1), event=lambda t, y, p: y[0] + 1)
    with pytest.raises(RuntimeError, match="`event` has not occurred by t = 1"):
        end(jnp.array([1.0]))


@pytest.mark.parametrize("times", [None, [0.3, 0.7, 1.0]])
def test_the_adjoint_has_the_same_gradient(times):
    y0, p = jnp.array([1.0, 0.0]), jnp.array([0.8, 9.81])
    tangents, adjoint = (ess_jax.flow(fall, (0, 1), t_eval=times, adjoint=way, **BALL, **TIGHT) for way in (False, True))

    def loss(end):
        return lambda y0, p: (end(y0, p) ** 2).sum()

    expected = jax.grad(loss(tangents), argnums=(0, 1))(y0, p)
    for found in (
        jax.grad(loss(adjoint), argnums=(0, 1))(y0, p),
        jax.jit(jax.grad(loss(adjoint), argnums=(0, 1)))(y0, p),
    ):
        np.testing.assert_allclose(found[0], expected[0], rtol=1e-6)
        np.testing.assert_allclose(found[1], expected[1], rtol=1e-6)
    J = jax.jacrev(adjoint, argnums=1)(y0, p)
    np.testing.assert_allclose(J, jax.jacobian(tangents, argnums=1)(y0, p), rtol=1e-6, atol=1e-7)
    with pytest.raises(TypeError, match="custom_vjp"):
        jax.jvp(lambda p: adjoint(y0, p), (p,), (p,))


def test_the_adjoint_refuses_what_it_cannot():
    with pytest.raises(ValueError, match="`memory` must be an integer"):
        ess_jax.flow(lambda t, y, p: -y, (0, 1), adjoint=True, memory=3)
    short = ess_jax.flow(lambda t, y, p: [y[1], -y[0]], (0, 1000), adjoint=True, memory=1 << 16)
    with pytest.raises(RuntimeError, match="does not fit into `memory`"):
        jax.grad(lambda y0: short(y0)[0])(jnp.array([1.0, 0.0]))


# ---- an event's time, by the adjoint ----------------------------------------------------------------


@pytest.mark.parametrize("transform", [lambda f: f, jax.jit])
def test_the_adjoint_has_the_gradient_of_an_events_time_too(transform):
    """through an impact, of the time and of a function of time and state"""

    def apex(t, y, p):
        return y[1]

    apex.direction = -1
    tangents, adjoint = (
        ess_jax.flow(fall, (0, jnp.inf), event=apex, adjoint=way, **BALL, **TIGHT) for way in (False, True)
    )
    y0, p = jnp.array([1.0, 0.0]), jnp.array([0.8, 9.81])
    # down, and up with 0.8 of the speed
    np.testing.assert_allclose(adjoint(y0, p)[0], 1.8 * math.sqrt(2 / 9.81), rtol=1e-9)
    for of in (lambda t, y: t, lambda t, y: t * y[0] ** 2):
        found, expected = (
            transform(jax.grad(lambda y0, p: of(*flow(y0, p)), argnums=(0, 1)))(y0, p)
            for flow in (adjoint, tangents)
        )
        for one, right in zip(found, expected):
            np.testing.assert_allclose(one, right, rtol=1e-7, atol=1e-9)


def test_the_time_of_an_event_that_is_only_touched_has_no_gradient():
    top = 25.0 / (2 * 9.81)
    for adjoint in (False, True):
        for below, is_near in ((1e-4, False), (1e-11, True)):
            end = ess_jax.flow(
                lambda t, y, p: [y[1], -9.81], (0, 3), event=lambda t, y, p: y[0] - (top - below), adjoint=adjoint
            )
            time = jax.grad(lambda y0: end(y0)[0])
            if is_near:
                with pytest.raises(ess_jax.NoDerivative, match="grazing"):
                    time(jnp.array([0.0, 5.0]))
            else:
                speed = np.sqrt(2 * 9.81 * below)
                np.testing.assert_allclose(time(jnp.array([0.0, 5.0]))[0], -1 / speed, rtol=1e-5)


# ---- batches ----------------------------------------------------------------------------------------


@pytest.fixture
def calls(monkeypatch):
    """how many members each ensemble and each single run have had"""
    seen = {"ensembles": [], "runs": 0}

    def run_members(**given):
        seen["ensembles"].append(len(given["y0"]))
        return ess._ensemble.run_members(**given)

    def solve_ivp(*args, **given):
        seen["runs"] += 1
        return ess.solve_ivp(*args, **given)

    monkeypatch.setattr(ess_jax, "run_members", run_members)
    monkeypatch.setattr(ess_jax, "solve_ivp", solve_ivp)
    return seen


OUTCOMES = {
    "the end": {},
    "times": {"t_eval": [0.3, 0.7, 1.0]},
    "an event": {"event": lambda t, y, p: y[1] + 3.0},
}


@pytest.mark.parametrize("name", OUTCOMES)
@pytest.mark.parametrize("transform", [lambda f: f, jax.jit])
def test_a_batch_is_one_ensemble(name, transform, calls):
    end = ess_jax.flow(fall, (0, 1), **OUTCOMES[name], **BALL, **TIGHT)
    y0 = jnp.stack([jnp.linspace(0.7, 1.3, 5), jnp.zeros(5)], axis=1)
    p = jnp.stack([jnp.linspace(0.6, 0.9, 5), jnp.full(5, 9.81)], axis=1)
    several = transform(jax.vmap(end))(y0, p)
    assert calls == {"ensembles": [5], "runs": 0}
    for i in range(5):
        one = end(y0[i], p[i])
        assert all(np.array_equal(a[i], b) for a, b in zip(jax.tree.leaves(several), jax.tree.leaves(one)))
    assert calls == {"ensembles": [5], "runs": 5}

    def jacobians(y0, p):
        return jax.jacobian(end, argnums=(0, 1))(y0, p)

    calls["ensembles"].clear()
    several = transform(jax.vmap(jacobians))(y0, p)
    assert calls["ensembles"] == [5] and calls["runs"] == 5
    for i in range(5):
        one = jacobians(y0[i], p[i])
        for a, b in zip(jax.tree.leaves(several), jax.tree.leaves(one)):
            np.testing.assert_allclose(a[i], b, rtol=1e-13, atol=1e-13)  # J times a unit vector is rounded


def test_a_batch_of_batches_is_one_ensemble(calls):
    end = ess_jax.flow(lambda t, y, p: -p * y, (0, 1), **TIGHT)
    y0, p = jnp.ones((3, 1)), jnp.array([1.0, 2.0])
    found = jax.vmap(lambda y0: jax.vmap(lambda p: end(y0, p))(p))(y0)
    assert calls == {"ensembles": [6], "runs": 0} and found.shape == (3, 2, 1)
    np.testing.assert_allclose(found[..., 0], np.exp(-np.array([[1.0, 2.0]] * 3)), rtol=1e-9)


def test_the_adjoint_of_a_batch():
    end = ess_jax.flow(fall, (0, 1), adjoint=True, **BALL, **TIGHT)
    y0 = jnp.stack([jnp.linspace(0.7, 1.3, 3), jnp.zeros(3)], axis=1)
    p = jnp.array([0.8, 9.81])
    slope = jax.grad(lambda y0, p: end(y0, p)[0], argnums=(0, 1))
    several = jax.vmap(slope, in_axes=(0, None))(y0, p)
    for i in range(3):
        assert all(np.array_equal(a[i], b) for a, b in zip(several, slope(y0[i], p)))


def test_a_member_that_fails_is_named():
    end = ess_jax.flow(lambda t, y, p: y * jnp.where(p > 1, jnp.nan, 1.0), (0, 1))
    with pytest.raises(Exception, match="member 2: libess: .*not finite"):
        jax.vmap(lambda p: end(jnp.ones(1), p))(jnp.array([0.0, 1.0, 2.0]))


def native_decay():
    numba = pytest.importorskip("numba")

    @numba.cfunc(ess.FIELD)
    def fun(t, y, sign, out, user):
        out[0] = -numba.carray(user, 1, numba.float64)[0] * y[0]
        return 0

    @numba.cfunc(ess.FIELD)
    def jac(t, y, sign, out, user):
        out[0] = -numba.carray(user, 1, numba.float64)[0]
        return 0

    @numba.cfunc(ess.FIELD)
    def params_jac(t, y, sign, out, user):
        out[0] = -y[0]
        return 0

    return fun, {"jac": jac, "params_jac": params_jac}


@pytest.mark.parametrize("adjoint", [False, True])
@pytest.mark.parametrize("given", [False, True])
def test_native_functions(adjoint, given, calls):
    fun, derivatives = native_decay()
    end = ess_jax.flow(fun, (0, 1), adjoint=adjoint, **(derivatives if given else {}), **TIGHT)
    rates = jnp.linspace(0.5, 2.0, 4)[:, None]
    found = jax.vmap(lambda p: end(jnp.ones(1), p))(rates)
    assert calls == {"ensembles": [4], "runs": 0}
    np.testing.assert_allclose(found, np.exp(-rates), rtol=1e-9)
    slope = jax.jit(jax.vmap(jax.grad(lambda p: end(jnp.ones(1), p)[0])))(rates)
    np.testing.assert_allclose(slope, -np.exp(-rates), rtol=1e-7)


def test_jac_is_for_native_functions():
    with pytest.raises(ValueError, match="`jac` and `params_jac` are for a native `fun`"):
        ess_jax.flow(lambda t, y, p: -y, (0, 1), jac=lambda t, y: -1.0)
