# SPDX-License-Identifier: Apache-2.0
"""Runs that go on along a guard's zero, against closed forms."""

import math

import numpy as np
import pytest

import ess

BELT, FRICTION, PULL = 0.5, 1.0, 0.8


def relay(t, y, sign):
    return [-sign[0] + 0.5 * t]


def at_zero(t, y):
    return y[0]


@pytest.mark.parametrize("sliding", [True, [0], 0, np.array([0])])
def test_it_goes_on_along_zero_until_the_field_is_stronger(sliding):
    # y' = -1 + t/2 from 1/2: comes to 0 at 2 - sqrt(2), stays while |t/2| < 1, then y' = t/2 - 1
    r = ess.solve_ivp(
        relay, (0, 4), [0.5], guards=at_zero, sliding=sliding, rtol=1e-10, atol=1e-12,
        t_eval=[0.2, 1.0, 3.0, 4.0],
    )  # fmt: skip
    assert r.success
    np.testing.assert_allclose(r.t_slides, [2 - math.sqrt(2), 2], atol=1e-8)
    np.testing.assert_array_equal(r.slides, [[0, 1], [0, -1]])
    np.testing.assert_allclose(r.y[0], [0.5 - 0.2 + 0.01, 0, 0.25, 1], atol=1e-8)
    assert r.sign[0] == 1


def test_it_is_refused_where_it_is_not_asked_for():
    r = ess.solve_ivp(relay, (0, 4), [0.5], guards=at_zero)
    assert not r.success and r.reason == "ESLIDING" and len(r.t_slides) == 0
    off = ess.solve_ivp(relay, (0, 4), [0.5], guards=at_zero, sliding=False)
    assert off.reason == "ESLIDING"
    for run in (r, off):
        assert run.message.endswith("with `sliding=True` or `sliding=[0]` the state slides along the guard")


def stick_slip(t, y, sign):
    """a block on a belt by a spring: friction pulls it on where it is slower than the belt"""
    return [y[1], -y[0] - FRICTION * sign[0] + 0.3 * (y[1] - BELT)]


def faster(t, y):
    return y[1] - BELT


def test_a_block_sticks_to_a_belt_and_its_derivative_is_that_of_differences():
    def end(y0, **more):
        return ess.solve_ivp(
            stick_slip, (0, 12), y0, guards=faster, sliding=True, rtol=1e-11, atol=1e-13, **more
        )

    r = end([0.2, 0.0], tangents=True, dense_output=True)
    assert r.success and (r.slides[:, 1] == 1).sum() >= 2
    for k in range(0, len(r.t_slides) - 1, 2):
        stuck = np.linspace(r.t_slides[k] + 1e-6, r.t_slides[k + 1] - 1e-6, 5)
        np.testing.assert_allclose(r.sol(stuck)[1], BELT, atol=1e-9)
    by = 1e-6
    for i, step in enumerate(np.eye(2) * by):
        difference = (end([0.2, 0.0] + step).y_end - end([0.2, 0.0] - step).y_end) / (2 * by)
        np.testing.assert_allclose(r.tangents[:, i], difference, atol=1e-5)


def test_events_and_moving_guards_beside_a_slide():
    """y follows sin t, as fast as 2: its guard moves, and an event tells of its way"""

    def event(t, y):
        return y[0] - 0.5

    r = ess.solve_ivp(
        lambda t, y, s: [-2 * s[0]], (0, 6), [1.0], guards=lambda t, y: y[0] - math.sin(t),
        sliding=True, events=event, rtol=1e-9, atol=1e-11,
    )  # fmt: skip
    assert r.success and r.slides.tolist() == [[0, 1]]
    np.testing.assert_allclose(r.y_end[0], math.sin(6), atol=1e-8)
    # before the slide it falls from 1 to where it meets the sine; then it passes 1/2 twice
    assert all(abs(math.sin(t) - 0.5) < 1e-7 for t in r.t_events[0] if t > r.t_slides[0])
    np.testing.assert_allclose(r.t_events[0][-1], 5 * math.pi / 6, atol=1e-7)


def test_backwards_and_in_an_ensemble():
    back = ess.solve_ivp(
        lambda t, y, s: [s[0] - 0.5 * t], (0, -1), [0.5], guards=at_zero, sliding=True, rtol=1e-9
    )
    assert back.success and back.slides[0].tolist() == [0, 1] and abs(back.y_end[0]) < 1e-9
    numba = pytest.importorskip("numba")

    @numba.cfunc(ess.FIELD)
    def field(t, y, sign, out, user):
        out[0] = -sign[0]
        return 0

    @numba.cfunc(ess.GUARDS)
    def guard(t, y, out, user):
        out[0] = y[0]
        return 0

    starts = np.array([[0.5], [-0.25], [3.0]])
    r = ess.ensemble(field, (0, 1), starts, guards=guard, guard_count=1, sliding=True)
    np.testing.assert_allclose(r.y_end[:, 0], [0, 0, 2], atol=1e-9)
    assert r.success.all()


@pytest.mark.parametrize("sliding", [[1], [-1], ["0"], [0.5], [True], [None], [[0]], "x", [math.nan]])
def test_what_cannot_be_slid_on_is_told(sliding):
    with pytest.raises(ValueError, match="`sliding` must be True, False or a list .* indices are 0 to 0"):
        ess.solve_ivp(relay, (0, 1), [0.5], guards=at_zero, sliding=sliding)


def test_sliding_needs_guards_and_no_impact():
    with pytest.raises(ValueError, match="`sliding` needs `guards`"):
        ess.solve_ivp(lambda t, y: y, (0, 1), [0.5], sliding=True)
    with pytest.raises(ValueError, match="slides|impact"):
        ess.solve_ivp(
            relay, (0, 1), [0.5], guards=at_zero, sliding=[0], impact=lambda t, y, s, c: y
        )
    # each that may: none, and the run is as without
    r = ess.solve_ivp(
        relay, (0, 0.4), [0.5], guards=at_zero, sliding=True, impact=lambda t, y, s, c: y
    )
    assert r.success


def test_an_exit_on_both_sides_is_not_unique():
    r = ess.solve_ivp(lambda t, y, s: [s[0]], (0, 1), [0.0], guards=at_zero, sliding=True)
    assert not r.success and r.reason == "ESLIDING"
    assert "`sliding=" not in r.message


A, W, G = 0.1, 12.0, 9.81
LEAVES = math.asin(G / (A * W * W)) / W


def falls(t, y, sign):
    return [y[1], -G]


def above_table(t, y):
    return y[0] - A * math.sin(W * t)


def bounces(restitution):
    def impact(t, y, sign, crossed):
        table = A * W * math.cos(W * t)
        return [y[0], table - restitution * (y[1] - table)]

    return impact


@pytest.mark.parametrize("restitution", [0.5, 0.0])
def test_a_ball_rests_on_a_table_until_that_falls_faster(restitution):
    # it comes to rest by its bounces, and leaves where A W^2 sin(W t) = G
    r = ess.solve_ivp(
        falls, (0, LEAVES + 0.05), [1e-4, A * W], guards=above_table, impact=bounces(restitution),
        rest=True, rtol=1e-10, atol=1e-10,
    )  # fmt: skip
    assert r.success, r.message
    np.testing.assert_array_equal(r.slides, [[0, 1], [0, -1]])
    assert r.t_slides[0] < 0.02
    np.testing.assert_allclose(r.t_slides[1], LEAVES, rtol=0, atol=1e-8)
    speed = A * W * math.cos(W * LEAVES)
    height = G / W**2 + 0.05 * speed - 0.5 * G * 0.05**2
    np.testing.assert_allclose(r.y_end, [height, speed - 0.05 * G], rtol=0, atol=1e-8)


def test_it_ends_where_rest_is_not_asked_for_or_directions_are_followed():
    for more in ({}, {"sliding": True}, {"rest": True, "tangents": True}):
        r = ess.solve_ivp(
            falls, (0, 0.1), [1e-4, A * W], guards=above_table, impact=bounces(0.5), **more
        )
        assert not r.success and r.reason == "EZENO", (more, r.message)
        # directions would not be carried there
        assert ("`rest=True` the state stays" in r.message) == ("rest" not in more)


def test_rest_alone_lets_nothing_else_slide():
    def field(t, y, sign):
        return [y[1], -G, -sign[1]]

    def guards(t, y):
        return [y[0], y[2]]

    def impact(t, y, sign, crossed):
        return [y[0], -0.5 * y[1], y[2]]

    def run(**more):
        return ess.solve_ivp(
            field, (0, 2), [0.01, 0, 1], guards=guards, impact=impact, impacts_at=0, rest=True,
            rtol=1e-9, atol=1e-9, **more,
        )  # fmt: skip

    alone, both = run(), run(sliding=True)
    assert not alone.success and alone.reason == "ESLIDING"
    assert "`sliding=[1]`" in alone.message
    np.testing.assert_allclose(alone.t_end, 1, atol=1e-6)
    np.testing.assert_array_equal(alone.slides, [[0, 1]])
    assert both.success
    np.testing.assert_array_equal(both.slides, [[0, 1], [1, 1]])


def test_what_rest_needs_is_told():
    with pytest.raises(ValueError, match="`rest` must be True or False"):
        ess.solve_ivp(falls, (0, 1), [1.0, 0], guards=above_table, impact=bounces(0.5), rest=[0])
    with pytest.raises(ValueError, match="`rest` needs `impact`"):
        ess.solve_ivp(falls, (0, 1), [1.0, 0], guards=above_table, rest=True)


def test_what_lies_on_the_table_at_the_start_stays():
    def run(**more):
        return ess.solve_ivp(
            falls, (0, 3), [0, 0], guards=lambda t, y: y[0], impact=lambda t, y, s, c: [y[0], -0.5 * y[1]],
            **more,
        )  # fmt: skip

    lies = run(rest=True)
    assert lies.success, lies.message
    np.testing.assert_array_equal(lies.slides, [[0, 1]])
    np.testing.assert_allclose(lies.y_end, 0, atol=1e-9)
    assert run().reason == "EGRAZING"
