# SPDX-License-Identifier: Apache-2.0
"""Derivatives by parameters, against closed forms and differences."""

import ctypes
import math

import numpy as np
import pytest

import ess


def fall(t, y, sign, p):
    return [y[1], -p[0]]


def height(t, y, p):
    return y[0] - p[2]


def bounce(t, y, sign, crossed, p):
    return [y[0], -p[1] * y[1]]


def once(g, e, z0, ground=0.0, t=1.0):
    """a ball's height and speed after one bounce"""
    hit = math.sqrt(2 * (z0 - ground) / g)
    up, rest = e * g * hit, t - hit
    return np.array([ground + up * rest - g * rest**2 / 2, up - g * rest])


def numeric(of, at, by=1e-6):
    steps = np.eye(len(at)) * by
    return np.transpose([(of(*(at + s)) - of(*(at - s))) / (2 * by) for s in steps])


def test_a_ball_by_gravity_restitution_and_ground():
    p = np.array([9.81, 0.8, 0.1])
    more = {"guards": height, "impact": bounce, "impacts_at": [(0, -1)], "rtol": 1e-11, "atol": 1e-13}
    r = ess.solve_ivp(fall, (0, 1), [1.0, 0.0], params=p, tangents=True, **more)
    assert r.success and r.tangents.shape == (2, 5) and r.smooth == "C1"
    np.testing.assert_allclose(r.y_end, once(9.81, 0.8, 1.0, 0.1), atol=1e-9)
    exact = numeric(lambda g, e, ground: once(g, e, 1.0, ground), p)
    np.testing.assert_allclose(r.tangents[:, 2:], exact, rtol=1e-6, atol=1e-6)
    # one direction in which all moves, and the field's own derivative
    jac = ess.solve_ivp(
        fall, (0, 1), [1.0, 0.0], params=p, tangents=[1, 2, 3, 4, 5],
        params_jac=lambda t, y, s, p: [[0, 0, 0], [-1, 0, 0]], **more,
    )  # fmt: skip
    np.testing.assert_allclose(jac.tangents[:, 0], r.tangents @ [1, 2, 3, 4, 5], rtol=1e-7, atol=1e-7)
    assert (p == [9.81, 0.8, 0.1]).all()


def test_an_event_at_the_end_and_args_beside_them():
    def landed(t, y, p, scale):
        return scale * y[0]

    landed.terminal = True
    r = ess.solve_ivp(
        lambda t, y, p, scale: [y[1], -p[0]], (0, 9), [1.0, 0.0], params=9.81, args=(2.0,),
        events=landed, tangents=True, rtol=1e-11, atol=1e-13,
    )  # fmt: skip
    assert r.status == 1
    # it lands at sqrt(2 z / g), as fast as -sqrt(2 g z)
    by_z, by_g = math.sqrt(1 / (2 * 9.81)), -0.5 * math.sqrt(2 / 9.81**3)
    np.testing.assert_allclose(r.event_dt[[0, 2]], [by_z, by_g], rtol=1e-8)
    np.testing.assert_allclose(r.event_dy[1, 2], -0.5 * math.sqrt(2 / 9.81), rtol=1e-8)


def test_what_is_given_is_not_moved_and_cannot_be():
    given = np.array([2.0])
    seen = []

    def field(t, y, p):
        seen.append(p[0])
        with pytest.raises(ValueError):
            p[0] = 3.0
        return -p[0] * y

    r = ess.solve_ivp(field, (0, 1), [1.0], params=given, tangents=True, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(r.tangents, [[math.exp(-2), -math.exp(-2)]], rtol=1e-8)
    assert given[0] == 2.0 and min(seen) < 2.0 < max(seen)
    # without tangents nothing moves
    seen.clear()
    ess.solve_ivp(field, (0, 1), [1.0], params=given)
    assert set(seen) == {2.0}


def test_they_slide():
    """y is carried along a line p t + q by friction: its derivative by both is that of the line"""
    r = ess.solve_ivp(
        lambda t, y, s, p: [-3 * s[0]], (0, 2), [1.0], guards=lambda t, y, p: y[0] - p[0] * t - p[1],
        sliding=True, params=[0.5, 0.25], tangents=True, rtol=1e-9, atol=1e-11,
    )  # fmt: skip
    assert r.success and len(r.slides) == 1
    np.testing.assert_allclose(r.y_end, [1.25], atol=1e-9)
    np.testing.assert_allclose(r.tangents, [[0, 2, 1]], atol=1e-6)


def test_native_functions_are_handed_them():
    numba = pytest.importorskip("numba")

    @numba.cfunc(ess.FIELD)
    def field(t, y, sign, out, user):
        p = numba.carray(user, 2, numba.float64)
        out[0] = -p[0] * y[0] + p[1]
        return 0

    r = ess.solve_ivp(field, (0, 1), [1.0], params=[2.0, 1.0], tangents=True, rtol=1e-10, atol=1e-12)
    # y = (1 - q/p) exp(-p t) + q/p
    e = math.exp(-2)
    np.testing.assert_allclose(r.y_end, [0.5 * e + 0.5], rtol=1e-9)
    exact = [e, 0.25 * e - 0.5 * e - 0.25, (1 - e) / 2]
    np.testing.assert_allclose(r.tangents[0], exact, rtol=1e-7)
    with pytest.raises(ValueError, match="`user` and `params` exclude each other"):
        ess.solve_ivp(field, (0, 1), [1.0], params=[2.0, 1.0], user=np.zeros(2))


def test_a_function_with_data_of_its_own_does_not_see_them():
    scipy, numba = pytest.importorskip("scipy"), pytest.importorskip("numba")

    @numba.cfunc(ess.FIELD)
    def field(t, y, sign, out, user):
        out[0] = numba.carray(user, 1, numba.float64)[0] * y[0]
        return 0

    data = np.array([1.0])
    one = scipy.LowLevelCallable(field.ctypes, ctypes.c_void_p(data.ctypes.data))
    with pytest.raises(ValueError, match="must not have user data"):
        ess.solve_ivp(one, (0, 1), [1.0], params=[1.0], tangents=True)
    r = ess.solve_ivp(scipy.LowLevelCallable(field.ctypes), (0, 1), [1.0], params=[1.0], tangents=True)
    np.testing.assert_allclose(r.tangents, [[math.e, math.e]], rtol=1e-2)


@pytest.mark.parametrize("params", [[], [math.nan], [math.inf], [[1.0]], "abc", [None], [1j], {}])
def test_params_that_are_none(params):
    with pytest.raises(ValueError, match="`params` must be"):
        ess.solve_ivp(lambda t, y, p: y, (0, 1), [1.0], params=params)


def test_wrong_shapes():
    def field(t, y, p):
        return y

    with pytest.raises(ValueError, match=r"shape \(3, count\): a row for each state, then one"):
        ess.solve_ivp(field, (0, 1), [1.0], params=[1.0, 2.0], tangents=[[1.0]])
    with pytest.raises(ValueError, match="params_jac"):
        ess.solve_ivp(
            field, (0, 1), [1.0], params=[1.0], tangents=True, params_jac=lambda t, y, p: [1.0, 2.0]
        )
    with pytest.raises(ValueError, match="needs `params`"):
        ess.solve_ivp(lambda t, y: y, (0, 1), [1.0], params_jac=lambda t, y: [[1.0]])
