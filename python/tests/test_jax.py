# SPDX-License-Identifier: Apache-2.0
"""Derivatives by JAX, against differences and closed forms."""

import numpy as np
import pytest

import ess

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)
jnp = jax.numpy
ess_jax = pytest.importorskip("ess.jax")

G = 9.81
EXACT = {"rtol": 1e-12, "atol": 1e-14}


def hopper(t, y, s, p):
    return [y[1], (p[0] * (1.0 - y[0]) if s[0] > 0 else 0.0) - G]


def hopper_where(t, y, s, p):
    return jnp.stack([y[1], jnp.where(s[0] > 0, p[0] * (1.0 - y[0]), 0.0) - G])


def height(t, y, p):
    return [1.0 - y[0]]


def differences(f, x, by=1e-5):
    x = np.asarray(x, dtype=float)
    return np.array([(f(x + by * e) - f(x - by * e)) / (2 * by) for e in np.eye(len(x))])


@pytest.mark.parametrize("fun", [hopper, hopper_where])
def test_gradient_through_touch_down(fun):
    end = ess_jax.flow(fun, (0, 1), guards=height, **EXACT)
    y0, p = jnp.array([2.0, 0.0]), jnp.array([1000.0])

    def speed(y0, p):
        return end(y0, p)[1] ** 2

    by_y, by_p = jax.grad(speed, argnums=(0, 1))(y0, p)
    found = differences(lambda y: float(speed(y, p)), y0)
    np.testing.assert_allclose(by_y, found, rtol=1e-6)
    found = differences(lambda q: float(speed(y0, jnp.asarray(q))), p, by=1e-2)
    np.testing.assert_allclose(by_p, found, rtol=1e-6)


def test_jvp_and_vjp_are_of_one_matrix():
    end = ess_jax.flow(hopper, (0, 1), guards=height)
    y0, p = jnp.array([2.0, 0.0]), jnp.array([1000.0])
    J = jax.jacrev(end)(y0, p)
    np.testing.assert_allclose(J, jax.jacfwd(end)(y0, p), rtol=1e-9)
    value, along = jax.jvp(end, (y0, p), (jnp.array([1.0, 2.0]), jnp.array([0.0])))
    np.testing.assert_allclose(along, J @ jnp.array([1.0, 2.0]), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(value, end(y0, p), rtol=1e-6, atol=1e-7)


def test_gradient_through_impacts():
    end = ess_jax.flow(
        lambda t, y, s, p: [y[1], -G], (0, 1.5), guards=lambda t, y, p: y[0],
        impact=lambda t, y, s, c, p: [0.0, -p["bounce"] * y[1]], impacts_at=[(0, -1)], **EXACT,
    )  # fmt: skip

    def closed(h, e):
        """two bounces"""
        first = np.sqrt(2 * h / G)
        up = e * np.sqrt(2 * G * h)
        second = first + 2 * up / G
        rest = 1.5 - second
        return e * up * rest - 0.5 * G * rest**2

    by = jax.grad(lambda y0, p: end(y0, p)[0], argnums=(0, 1))(
        jnp.array([1.0, 0.0]), {"bounce": jnp.array(0.8)}
    )
    d = 1e-5
    by_h = (closed(1 + d, 0.8) - closed(1 - d, 0.8)) / (2 * d)
    by_e = (closed(1, 0.8 + d) - closed(1, 0.8 - d)) / (2 * d)
    np.testing.assert_allclose(by[0][0], by_h, rtol=1e-6)
    np.testing.assert_allclose(by[1]["bounce"], by_e, rtol=1e-6)


def two(t, y, s, p):
    """two surfaces that meet in a corner, whose order changes what is left"""
    first, second = s[0] > 0, s[1] > 0
    speed = jnp.where(first, jnp.where(second, 1.0, 2.0), jnp.where(second, 4.0, 1.0))
    return jnp.stack([jnp.ones(()), jnp.ones(()), speed])


def test_at_a_corner_each_direction_has_its_own():
    end = ess_jax.flow(two, (0, 2), guards=lambda t, y, p: [y[0], y[1]], **EXACT)
    y0 = jnp.array([-1.0, -1.0, 0.0])
    for direction in ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 3.0, 0.0], [-2.0, 1.0, 0.0]):
        d = jnp.array(direction)
        along = jax.jvp(end, (y0,), (d,))[1]
        by = 1e-4
        one_sided = (end(y0 + by * d) - end(y0)) / by
        np.testing.assert_allclose(along, one_sided, rtol=1e-6, atol=1e-6)
    with pytest.raises(ess_jax.NoDerivative, match="libess: the flow is piecewise"):
        jax.grad(lambda y: end(y)[2])(y0)


def test_refuses_where_there_is_none():
    """an event of no rate: the ball's apex just touches the plate that stops it"""
    end = ess_jax.flow(
        lambda t, y, s, p: [y[1], -2.0], (0, 2), guards=lambda t, y, p: y[0] - 1.0,
        impact=lambda t, y, s, c, p: [y[0], -y[1]],
    )  # fmt: skip
    with pytest.raises(ess_jax.NoDerivative, match="libess: "):
        jax.grad(lambda y: end(y)[0])(jnp.array([0.0, 2.0 + 1e-13]))


def test_under_jit_and_vmap():
    end = ess_jax.flow(hopper, (0, 1), guards=height)
    y0, p = jnp.array([2.0, 0.0]), jnp.array([1000.0])
    plain = jax.grad(lambda q: end(y0, q)[0])(p)
    np.testing.assert_allclose(jax.jit(jax.grad(lambda q: end(y0, q)[0]))(p), plain, rtol=1e-12)
    several = jax.vmap(lambda q: end(y0, q))(jnp.array([[900.0], [1000.0]]))
    np.testing.assert_allclose(several[1], end(y0, p), rtol=1e-12)


def test_second_derivatives_are_refused():
    end = ess_jax.flow(hopper, (0, 1), guards=height)
    y0, p = jnp.array([2.0, 0.0]), jnp.array([1000.0])
    for second in (jax.hessian(lambda q: end(y0, q)[0]), jax.jit(jax.hessian(lambda q: end(y0, q)[0]))):
        with pytest.raises(ess_jax.NoDerivative, match="second derivatives"):
            second(p)


def test_without_guards_or_parameters():
    end = ess_jax.flow(lambda t, y, p: -y, (0, 1), **EXACT)
    np.testing.assert_allclose(jax.jacobian(end)(jnp.array([1.0]))[0, 0], np.exp(-1), rtol=1e-9)


def test_parameters_do_not_loosen_the_tolerance():
    """the state where a derivative is taken is that of the run alone, however many parameters"""
    end = ess_jax.flow(lambda t, y, p: [y[1], -9.81 * jnp.sin(y[0]) + 0 * p.sum()], (0, 5), rtol=1e-6)
    y0, none = jnp.array([2.0, 0.0]), jnp.zeros(300)
    along = jax.jvp(end, (y0, none), (jnp.zeros(2), none))[0]
    np.testing.assert_allclose(along, end(y0, none), rtol=1e-9)


BEGINS = np.arange(5) + 0.3
TRAIN = np.stack([BEGINS, BEGINS + 0.05], axis=1).ravel()


def pulses(t, y, p):
    """y' = p0 u - p1 y, where u is 1 in each pulse"""
    return p[0] * (jnp.searchsorted(TRAIN, t, side="right") % 2) - p[1] * y


def after_pulses(y0, p, times=TRAIN, end=5.0):
    ways = jnp.exp(-p[1] * (end - times[1::2])) - jnp.exp(-p[1] * (end - times[::2]))
    return y0 * jnp.exp(-p[1] * end) + p[0] / p[1] * ways.sum()


@pytest.mark.parametrize("transform", [lambda f: f, jax.jit])
def test_a_train_of_pulses(transform):
    end = ess_jax.flow(pulses, (0, 5), t_jumps=TRAIN)
    y0, p = jnp.array([0.5]), jnp.array([2.0, 0.1])
    np.testing.assert_allclose(transform(end)(y0, p), after_pulses(y0, p), rtol=1e-8)
    found = transform(jax.jacobian(end, argnums=(0, 1)))(y0, p)
    for one, right in zip(found, jax.jacobian(after_pulses, argnums=(0, 1))(y0, p)):
        np.testing.assert_allclose(one, right, rtol=1e-6)
    # steps pass over pulses of which nobody has told
    assert abs(ess_jax.flow(pulses, (0, 5))(y0, p)[0] - after_pulses(y0, p)[0]) > 0.01


@pytest.mark.parametrize("transform", [lambda f: f, jax.jit])
def test_derivatives_by_the_times_of_a_train(transform):
    """in both modes, and by numbers that the times are computed from before"""

    def pulses(t, y, p):
        return p["size"] * (jnp.searchsorted(p["times"], t, side="right") % 2) - p["decay"] * y

    end = ess_jax.flow(pulses, (0, 5), t_jumps=lambda p: p["times"])

    def as_tree(p, times):
        return {"size": p[0], "decay": p[1], "times": times}

    y0, p, times = jnp.array([0.5]), jnp.array([2.0, 0.1]), jnp.asarray(TRAIN)
    right = jax.jacobian(after_pulses, argnums=(0, 1, 2))(y0, p, times)
    for mode in (jax.jacrev, jax.jacfwd):
        found = transform(mode(lambda y0, p, times: end(y0, as_tree(p, times)), argnums=(0, 1, 2)))
        for one, its in zip(found(y0, p, times), right):
            np.testing.assert_allclose(one, its, rtol=1e-6, atol=1e-9)

    def by_period(of):
        def run(period, width):
            begins = period * jnp.arange(5) + 0.3
            return of(jnp.stack([begins, begins + width], axis=1).ravel())

        return transform(jax.grad(run, argnums=(0, 1)))(0.9, 0.06)

    found = by_period(lambda times: end(y0, as_tree(p, times))[0])
    np.testing.assert_allclose(found, by_period(lambda times: after_pulses(y0, p, times)[0]), rtol=1e-6)
    # along one direction
    dt = jnp.linspace(-1, 1, 10)
    along = jax.jvp(lambda times: end(y0, as_tree(p, times)), (times,), (dt,))[1]
    np.testing.assert_allclose(along, right[2] @ dt, rtol=1e-6)


def test_times_that_are_computed_are_refused():
    def pulse(t, y, p):
        return jnp.where(t < 2 * p[0], 1.0, 0.0) * jnp.ones(1)

    for t_jumps in (lambda p: 2 * p, lambda p: p / 3, lambda p: jnp.where(p > 0, p - p % 1, p)):
        with pytest.raises(ValueError, match="`t_jumps` must select numbers of `p`"):
            ess_jax.flow(pulse, (0, 5), t_jumps=t_jumps)(jnp.zeros(1), jnp.array([1.5]))


def test_derivatives_by_the_times_of_a_pulse():
    """as guards of time"""
    end = ess_jax.flow(
        lambda t, y, s, p: p[0] * (s[0] > 0) * (s[1] < 0) - p[1] * y, (0, 5),
        guards=lambda t, y, p: [t - p[2], t - p[3]],
    )  # fmt: skip
    y0, p = jnp.array([0.5]), jnp.array([2.0, 0.1, 2.3, 3.1])

    def right(p):
        return after_pulses(y0, p, p[2:])[0]

    np.testing.assert_allclose(end(y0, p)[0], right(p), rtol=1e-8)
    np.testing.assert_allclose(jax.grad(lambda p: end(y0, p)[0])(p), jax.grad(right)(p), rtol=1e-6)


def test_bad_calls():
    with pytest.raises(ValueError, match="`t_jumps` must be finite, and within `t_span`"):
        ess_jax.flow(pulses, (0, 5), t_jumps=[6.0])
    with pytest.raises(ValueError, match="y0"):
        ess_jax.flow(hopper, (0, 1), guards=height)(jnp.zeros((2, 2)), jnp.ones(1))
    with pytest.raises(RuntimeError, match="not finite"):
        ess_jax.flow(lambda t, y, p: y * jnp.nan, (0, 1))(jnp.ones(1))
    with pytest.raises(ValueError, match="impacts_at"):
        ess_jax.flow(hopper, (0, 1), guards=height, impacts_at=[0])
    jax.config.update("jax_enable_x64", False)
    try:
        with pytest.raises(ValueError, match="jax_enable_x64"):
            ess_jax.flow(hopper, (0, 1), guards=height)
    finally:
        jax.config.update("jax_enable_x64", True)
