# SPDX-License-Identifier: Apache-2.0
"""Runs that take long: progress and a time limit."""

import sys
import time

import numpy as np
import pytest

import ess


def turn(t, y, *sign):
    return [y[1], -y[0]]


def native_turn():
    numba = pytest.importorskip("numba")

    @numba.cfunc(ess.FIELD)
    def field(t, y, sign, dydt, user):
        dydt[0] = y[1]
        dydt[1] = -y[0]
        return 0

    return field


def field_of(kind):
    return turn if kind == "Python" else native_turn()


@pytest.mark.parametrize("kind", ["Python", "native"])
@pytest.mark.parametrize("end", [1e9, -1e9])
def test_a_time_limit_ends_a_run_with_the_state_reached(kind, end):
    began = time.monotonic()
    r = ess.solve_ivp(field_of(kind), (0, end), [1.0, 0.0], rtol=1e-9, atol=1e-12, max_time=0.2, max_steps=2**62)
    assert 0.2 <= time.monotonic() - began < 3.0
    assert (r.success, r.status, r.reason) == (False, -1, "EMAXTIME")
    assert r.message == f"libess: `max_time` is over; the run has reached t = {r.t_end:.9g}"
    assert 1.0 < abs(r.t_end) < 1e9 and r.t[-1] == r.t_end and np.array_equal(r.y[:, -1], r.y_end)
    np.testing.assert_allclose(r.y_end, [np.cos(r.t_end), -np.sin(r.t_end)], atol=1e-2)


def test_a_time_limit_that_is_not_reached_changes_nothing():
    for more in ({}, {"t_eval": [0.0, 1.0, 10.0]}, {"dense_output": True}, {"tangents": True}):
        plain = ess.solve_ivp(turn, (0, 10), [1.0, 0.0], **more)
        limited = ess.solve_ivp(turn, (0, 10), [1.0, 0.0], max_time=60, progress=lambda *_: None, **more)
        assert np.array_equal(plain.y, limited.y) and np.array_equal(plain.t, limited.t)
        assert plain.nfev == limited.nfev and limited.success


def test_what_a_limited_run_has_found_is_kept():
    def zero(t, y):
        return y[0]

    r = ess.solve_ivp(
        turn, (0, 1e9), [1.0, 0.0], max_time=0.2, events=zero, guards=lambda t, y: y[1], dense_output=True,
        t_eval=[0.0, 1.0, 2.0, 1e9], tangents=True, rtol=1e-8,
    )  # fmt: skip
    assert r.reason == "EMAXTIME" and r.t.tolist() == [0.0, 1.0, 2.0]
    assert len(r.t_events[0]) > 3 and len(r.t_crossings) > 3 and r.tangents.shape == (2, 2)
    np.testing.assert_allclose(r.sol(r.t_end), r.y_end, rtol=1e-12)
    assert r.event_dt if "event_dt" in r else True


@pytest.mark.parametrize("kind", ["Python", "native"])
def test_progress_is_reported(kind):
    seen = []
    ess.solve_ivp(
        field_of(kind), (5, 1e9), [1.0, 0.0], max_time=0.5, max_steps=2**62,
        progress=lambda done, whole: seen.append((done, whole, time.monotonic())),
    )  # fmt: skip
    done, whole, times = np.array(seen).T
    assert 3 <= len(done) <= 8 and (np.diff(done) > 0).all() and (whole == 1e9 - 5).all()
    assert (np.diff(times)[:-1] > 0.08).all()
    seen.clear()
    ess.solve_ivp(turn, (3, 1), [1.0, 0.0], progress=lambda *both: seen.append(both))
    assert seen == [(2.0, 2.0)]


@pytest.mark.parametrize("kind", ["Python", "native"])
def test_an_exception_of_progress_ends_the_run(kind):
    def progress(done, whole):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        ess.solve_ivp(field_of(kind), (0, 1e9), [1.0, 0.0], progress=progress, max_steps=2**62)


def test_true_shows_a_bar(capsys):
    pytest.importorskip("tqdm")
    ess.solve_ivp(turn, (0, 10), [1.0, 0.0], progress=True)
    assert "100%" in capsys.readouterr().err


def test_true_shows_a_line_without_tqdm(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    ess.solve_ivp(turn, (0, 10), [1.0, 0.0], progress=True)
    assert capsys.readouterr().err == "\r100 %, 10 of 10 units of time\n"

    def down(t, y):
        return y[0] + 0.5

    down.terminal = True
    ess.solve_ivp(turn, (0, np.inf), [1.0, 0.0], events=down, progress=True, rtol=1e-8)
    assert capsys.readouterr().err == "\r2.0944 units of time\n"


@pytest.mark.parametrize("value", [0, -1.0, np.nan, True, "a", [1.0, 2.0]])
def test_bad_time_limits(value):
    with pytest.raises(ValueError, match="`max_time` must be") as error:
        ess.solve_ivp(turn, (0, 1), [1.0, 0.0], max_time=value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("value", [1, "bar", [print]])
def test_bad_progress(value):
    with pytest.raises(ValueError, match="`progress` must be True, False or a function") as error:
        ess.solve_ivp(turn, (0, 1), [1.0, 0.0], progress=value)
    assert "\n" not in str(error.value)
