# SPDX-License-Identifier: Apache-2.0
"""Native functions, and many runs of them in threads."""

import ctypes
import os
import signal
import threading

import numpy as np
import pytest

import ess

cffi = pytest.importorskip("cffi")
numba = pytest.importorskip("numba")
scipy = pytest.importorskip("scipy")

OPTIONS = {"rtol": 1e-9, "atol": 1e-12}
Double = ctypes.POINTER(ctypes.c_double)
FIELD = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_double, Double, Double, Double, ctypes.c_void_p)
GUARDS = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_double, Double, Double, ctypes.c_void_p)


@numba.cfunc(ess.FIELD)
def hopper(t, y, sign, dydt, user):
    stiffness = numba.carray(user, 1, numba.float64)[0]
    dydt[0] = y[1]
    dydt[1] = (stiffness * (1.0 - y[0]) if sign[0] > 0 else 0.0) - 9.81
    return 0


@numba.cfunc(ess.GUARDS)
def height(t, y, h, user):
    h[0] = 1.0 - y[0]
    return 0


@numba.cfunc(ess.GUARDS)
def ground(t, y, h, user):
    h[0] = y[0]
    return 0


@numba.cfunc(ess.FIELD)
def fall(t, y, sign, dydt, user):
    dydt[0] = y[1]
    dydt[1] = -9.81
    return 0


@numba.cfunc(ess.IMPACT)
def bounce(t, y, sign, crossed, count, after, mode, user):
    after[0] = 0.0
    after[1] = -0.8 * y[1]
    return 0


@numba.cfunc(ess.FIELD)
def fails(t, y, sign, dydt, user):
    return 7


@numba.cfunc(ess.FIELD)
def turns(t, y, sign, dydt, user):
    dydt[0] = y[1]
    dydt[1] = -y[0]
    return 0


def in_python(stiffness):
    return ess.solve_ivp(
        lambda t, y, s: [y[1], (stiffness * (1.0 - y[0]) if s[0] > 0 else 0.0) - 9.81],
        (0, 2), [2.0, 0.0], guards=lambda t, y: 1.0 - y[0], tangents=True, **OPTIONS,
    )  # fmt: skip


def test_numba_makes_the_same_run():
    r = ess.solve_ivp(
        hopper, (0, 2), [2.0, 0.0], guards=height, guard_count=1, tangents=True,
        user=np.array([1000.0]), **OPTIONS,
    )  # fmt: skip
    other = in_python(1000.0)
    assert np.array_equal(r.y_end, other.y_end) and r.nfev == other.nfev
    assert np.array_equal(r.tangents, other.tangents)


def test_numba_impact():
    r = ess.solve_ivp(
        fall, (0, 3), [1.0, 0.0], guards=ground, guard_count=1, impact=bounce,
        impacts_at=[(0, -1)], events=lambda t, y: y[1], **OPTIONS,
    )  # fmt: skip
    other = ess.solve_ivp(
        lambda t, y, s: [y[1], -9.81], (0, 3), [1.0, 0.0], guards=lambda t, y: y[0],
        impact=lambda t, y, s, c: [0.0, -0.8 * y[1]], impacts_at=[(0, -1)], events=lambda t, y: y[1], **OPTIONS,
    )  # fmt: skip
    np.testing.assert_allclose(r.t_impacts, other.t_impacts, rtol=1e-12)
    assert len(r.t_events[0]) >= 5


CFFI_FIELD = "int(double, const double *, const double *, double *, void *)"


@pytest.mark.parametrize(
    "kind", ["ctypes", "ctypes of numba", "LowLevelCallable", "cffi", "cffi of numba", "cffi, void *"]
)
def test_other_native_functions(kind):
    if kind == "ctypes":

        @FIELD
        def field(t, y, sign, dydt, user):
            dydt[0], dydt[1] = y[1], -y[0]
            return 0

    elif kind == "ctypes of numba":
        field = FIELD(turns.address)
    elif kind == "cffi":

        @cffi.FFI().callback(CFFI_FIELD)
        def field(t, y, sign, dydt, user):
            dydt[0], dydt[1] = y[1], -y[0]
            return 0

    elif kind == "cffi of numba":
        field = cffi.FFI().cast(CFFI_FIELD.replace("(", "(*)(", 1), turns.address)
    elif kind == "cffi, void *":
        field = cffi.FFI().cast("void *", turns.address)
    else:
        field = scipy.LowLevelCallable(turns.ctypes)
    r = ess.solve_ivp(field, (0, 1), [1.0, 0.0], **OPTIONS)
    np.testing.assert_allclose(r.y_end, [np.cos(1), -np.sin(1)], rtol=1e-8)


def test_cffi_makes_the_same_run_with_guards_and_impacts():
    ffi = cffi.FFI()

    @ffi.callback(CFFI_FIELD)
    def field(t, y, sign, dydt, user):
        dydt[0], dydt[1] = y[1], -ffi.cast("double *", user)[0]
        return 0

    @ffi.callback("int(double, const double *, double *, void *)")
    def guards(t, y, h, user):
        h[0] = y[0]
        return 0

    @ffi.callback(
        "int(double, const double *, const double *, const size_t *, size_t, double *, double *, void *)"
    )
    def impact(t, y, sign, crossed, count, after, mode, user):
        after[0], after[1] = 0.0, -0.8 * y[1]
        return 0 if count == 1 and crossed[0] == 0 else 1

    r = ess.solve_ivp(
        field, (0, 3), [1.0, 0.0], guards=guards, guard_count=1, impact=impact,
        impacts_at=[(0, -1)], user=np.array([9.81]), **OPTIONS,
    )  # fmt: skip
    other = ess.solve_ivp(
        fall, (0, 3), [1.0, 0.0], guards=ground, guard_count=1, impact=bounce,
        impacts_at=[(0, -1)], **OPTIONS,
    )  # fmt: skip
    assert r.success and np.array_equal(r.t_impacts, other.t_impacts) and len(r.t_impacts) >= 5


def test_user_data_of_a_low_level_callable():
    data = np.array([500.0])
    field = scipy.LowLevelCallable(hopper.ctypes, ctypes.c_void_p(data.ctypes.data))
    r = ess.solve_ivp(field, (0, 2), [2.0, 0.0], guards=height, guard_count=1, **OPTIONS)
    np.testing.assert_allclose(r.y_end, in_python(500.0).y_end, rtol=1e-7)


def made_native(function, kind):
    if kind == "numba":
        return numba.cfunc(ess.FIELD)(function)
    return FIELD(function) if kind == "ctypes" else cffi.FFI().callback(CFFI_FIELD, function)


@pytest.mark.parametrize("kind", ["ctypes", "cffi", "numba"])
@pytest.mark.parametrize("more", [{}, {"guards": lambda t, y: [y[0] - 9.0]}])
def test_an_exception_in_a_function_made_native_is_raised(kind, more, capfd):
    def raises(t, y, sign, dydt, user):
        dydt[0] = -y[0]
        if t > 0.5:
            raise ValueError("odd")
        return 0

    with pytest.raises(ValueError, match="odd"):
        ess.solve_ivp(made_native(raises, kind), (0, 1), [1.0], **more)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("kind", ["ctypes", "cffi", "numba"])
def test_an_exception_in_an_ensemble_is_raised(kind):
    def raises(t, y, sign, dydt, user):
        dydt[0] = 0.0
        if t >= 0.0:
            raise ValueError("odd")
        return 0

    with pytest.raises(ValueError, match="odd"):
        ess.ensemble(made_native(raises, kind), (0, 1), [[1.0], [2.0]], threads=2)


@pytest.mark.parametrize("kind", ["ctypes", "cffi"])
@pytest.mark.parametrize("more", [{}, {"events": lambda t, y: y[0] - 9.0}])
def test_interrupt_stops_a_function_made_native(kind, more):
    def turn(t, y, sign, dydt, user):
        dydt[0], dydt[1] = y[1], -y[0]
        return 0

    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        ess.solve_ivp(
            made_native(turn, kind), (0, 1e9), [1.0, 0.0], max_step=1e-3, t_eval=[1.0], max_steps=2**62,
            **more,
        )  # fmt: skip
    timer.join()


@pytest.mark.parametrize("kind", ["ctypes", "cffi"])
@pytest.mark.parametrize("where", ["events", "guards"])
def test_nothing_native_is_called_once_an_interrupt_is_raised(kind, where, capfd):
    # libess goes on where an event function fails, which an interrupt's is not
    calls, later = [], []

    def decay(t, y, sign, dydt, user):
        if last and len(calls) >= last:
            later.append(t)
        dydt[0] = -y[0]
        return 0

    def crossed(t, y):
        calls.append(t)
        if len(calls) == last:
            raise KeyboardInterrupt
        return y[0] - 0.7

    field = made_native(decay, kind)
    last = 0
    ess.solve_ivp(field, (0, 1), [1.0], tangents=True, **{where: crossed})
    count = len(calls)
    assert count > 20
    for last in range(1, count + 1):
        calls.clear()
        with pytest.raises(KeyboardInterrupt):
            ess.solve_ivp(field, (0, 1), [1.0], tangents=True, **{where: crossed})
        assert later == []
    assert capfd.readouterr().err == ""


def test_a_native_function_that_fails_is_told():
    r = ess.solve_ivp(fails, (0, 1), [1.0])
    assert not r.success and r.reason == "ECALLBACK" and "returned 7" in r.message


@pytest.mark.parametrize(
    "more, word",
    [
        ({"fun": height}, "fun"),
        ({"guards": hopper}, "guards"),
        ({"guards": height}, "guard_count"),
        ({"user": "a"}, "user"),
        ({"fun": FIELD(0)}, "fun"),
        ({"fun": cffi.FFI().cast("int(*)(double)", turns.address)}, "fun"),
        ({"fun": cffi.FFI().cast("void *", 0)}, "fun"),
        ({"fun": cffi.FFI().new("double[2]")}, "fun"),
    ],
)
def test_wrong_native_functions_are_refused(more, word):
    given = {"fun": turns, "t_span": (0, 1), "y0": [1.0, 0.0]} | more
    with pytest.raises(ValueError) as error:
        ess.solve_ivp(**given)
    assert word in str(error.value) and "\n" not in str(error.value)


def test_interrupt_stops_a_native_run():
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        ess.solve_ivp(
            turns, (0, 1e9), [1.0, 0.0], max_step=1e-3, t_eval=[1.0], max_steps=2**62
        )
    timer.join()


# ---- ensembles ----------------------------------------------------------------------------------


def many(threads, count=64, **more):
    starts = np.stack([np.linspace(1.2, 3.0, count), np.zeros(count)], axis=1)
    stiffness = np.linspace(500.0, 2000.0, count)[:, None]
    return starts, stiffness, ess.ensemble(
        hopper, (0, 2), starts, guards=height, guard_count=1, user=stiffness, threads=threads,
        **OPTIONS, **more,
    )  # fmt: skip


def test_ensemble_is_its_runs():
    t = np.linspace(0, 2, 5)
    starts, stiffness, r = many(2, t_eval=t, tangents=True)
    assert r.success.all() and (r.t_end == 2.0).all() and r.y.shape == (64, 2, 5)
    for i in (0, 17, 63):
        one = ess.solve_ivp(
            hopper, (0, 2), starts[i], guards=height, guard_count=1, user=stiffness[i],
            t_eval=t, tangents=True, **OPTIONS,
        )  # fmt: skip
        assert np.array_equal(r.y_end[i], one.y_end) and np.array_equal(r.y[i], one.y)
        assert np.array_equal(r.tangents[i], one.tangents)
        assert r.crossings[i] == len(one.t_crossings) and r.nfev[i] == one.nfev


def test_ensemble_does_not_depend_on_threads():
    results = [many(threads)[2] for threads in (1, 2, 7)]
    for r in results[1:]:
        assert np.array_equal(r.y_end, results[0].y_end)


@numba.cfunc(ess.FIELD)
def pulse(t, y, sign, dydt, user):
    dydt[0] = 20.0 * y[1] if 5.0 <= t < 5.05 else 0.0
    dydt[1] = 0.0
    return 0


def test_ensemble_misses_no_pulse():
    starts = [[0.0, size] for size in range(5)]
    r = ess.ensemble(pulse, (0, 10), starts, t_jumps=[5, 5.05], threads=2)
    assert r.success.all()
    np.testing.assert_allclose(r.y_end[:, 0], range(5), atol=1e-9)
    with pytest.raises(ValueError, match="`t_jumps` must ascend"):
        ess.ensemble(pulse, (0, 10), starts, t_jumps=[5.05, 5])


def test_ensemble_tells_of_each_failure():
    r = ess.ensemble(
        turns, (0, 1), [[1.0, 0.0], [1e308, 1e308]], max_steps=1000, rtol=1e-6, atol=1e-9
    )
    assert list(r.success)[0] and r.reason[0] == "SUCCESS"
    assert r.status[1] in (-1, 0)


def test_ensemble_refuses_bad_arguments():
    for given in (
        {"fun": turns, "y0": [1.0, 0.0]},
        {"fun": turns, "y0": [[1.0, np.nan]]},
        {"fun": turns, "y0": [[1.0, 0.0]], "threads": 0},
        {"fun": turns, "y0": [[1.0, 0.0]], "tie": -1.0},
    ):
        with pytest.raises(ValueError):
            ess.ensemble(t_span=(0, 1), **given)


def test_ensemble_of_nothing():
    r = ess.ensemble(turns, (0, 1), np.zeros((0, 2)))
    assert r.y_end.shape == (0, 2) and len(r.reason) == 0


def test_interrupt_stops_an_ensemble():
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        ess.ensemble(turns, (0, 1e9), np.ones((8, 2)), max_step=1e-3, max_steps=2**62, threads=2)
    timer.join()
