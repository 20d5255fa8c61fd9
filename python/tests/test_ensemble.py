# SPDX-License-Identifier: Apache-2.0
"""Ensembles: each member is the run of solve_ivp, whatever makes it."""

import concurrent.futures
import functools
import multiprocessing
import os
import signal
import threading
import time
import warnings

import members
import numpy as np
import pytest

import ess

# a fork would have the threads of other tests' packages
Processes = functools.partial(
    concurrent.futures.ProcessPoolExecutor, mp_context=multiprocessing.get_context("spawn")
)
OPTIONS = {"rtol": 1e-9, "atol": 1e-12}


def balls(count=6, **more):
    starts = np.stack([np.linspace(0.5, 1.5, count), np.zeros(count)], axis=1)
    rates = np.linspace(0.7, 0.9, count)[:, None]
    given = dict(
        guards=members.height, impact=members.bounce, impacts_at=[(0, -1)], params=rates,
        events=[lambda t, y, p: y[1], lambda t, y, p: y[0] - 0.25], tangents=True, **OPTIONS,
    )  # fmt: skip
    return starts, rates, given | more


def same(many, i, one):
    assert np.array_equal(many.y_end[i], one.y_end) and many.t_end[i] == one.t_end
    assert many.status[i] == one.status and many.reason[i] == one.reason and many.nfev[i] == one.nfev
    assert many.crossings[i] == len(one.t_crossings) and many.impacts[i] == len(one.t_impacts)
    if "tangents" in one:
        assert np.array_equal(many.tangents[i], one.tangents)
    for k, t in enumerate(one.t_events or ()):
        assert np.array_equal(many.t_events[k][i, : len(t)], t)
        assert np.isnan(many.t_events[k][i, len(t) :]).all()
        assert np.array_equal(many.y_events[k][i, : len(t)], np.reshape(one.y_events[k], (-1, len(one.y_end))))


def test_members_in_python_are_runs():
    starts, rates, given = balls(t_eval=np.linspace(0, 1, 7))
    many = ess.ensemble(members.fall, (0, 1), starts, **given)
    assert many.success.all() and not many.mask.any() and many.y.shape == (6, 2, 7)
    for i in range(6):
        one = ess.solve_ivp(members.fall, (0, 1), starts[i], **(given | {"params": rates[i]}))
        same(many, i, one)
        assert np.array_equal(many.y[i], one.y)
    assert len(many.t_events) == 2 and many.impacts.sum() >= 6


def test_one_array_of_params_is_for_all_and_args_follow():
    many = ess.ensemble(lambda t, y, p, a: p[0] * a * y, (0, 1), [[1.0], [2.0]], params=[2.0], args=(0.5,), **OPTIONS)
    np.testing.assert_allclose(many.y_end[:, 0], np.e * np.array([1, 2]), rtol=1e-8)


def native_hopper():
    numba = pytest.importorskip("numba")

    @numba.cfunc(ess.FIELD)
    def field(t, y, sign, dydt, user):
        p = numba.carray(user, 2, numba.float64)
        dydt[0] = y[1]
        dydt[1] = (p[0] * (1.0 - y[0]) if sign[0] > 0 else 0.0) - p[1]
        return 0

    @numba.cfunc(ess.GUARDS)
    def depth(t, y, h, user):
        h[0] = 1.0 - y[0]
        return 0

    @numba.cfunc(ess.GUARDS)
    def depth_jac(t, y, Dh, user):
        Dh[0], Dh[1] = -1.0, 0.0
        return 0

    @numba.cfunc(ess.GUARDS)
    def apex(t, y, h, user):
        h[0] = y[1]
        return 0

    count = 50
    starts = np.stack([np.linspace(1.2, 3.0, count), np.zeros(count)], axis=1)
    params = np.stack([np.linspace(500.0, 2000.0, count), np.linspace(9.0, 10.0, count)], axis=1)
    given = dict(guards=depth, guard_count=1, params=params, **OPTIONS)
    return field, starts, given, {"guard_jac": depth_jac, "tangents": True}, {"events": [apex]}


@pytest.mark.parametrize("which", ["events", "guard_jac"])
@pytest.mark.parametrize("threads", [1, 2])
def test_native_members_with_params_are_runs(which, threads):
    field, starts, given, by_jac, by_event = native_hopper()
    given = given | (by_event if which == "events" else by_jac)
    t = np.linspace(0, 2, 5)
    before = given["params"].copy()
    many = ess.ensemble(field, (0, 2), starts, t_eval=t, threads=threads, **given)
    assert many.success.all() and np.array_equal(given["params"], before)
    for i in (0, 17, 49):
        one = ess.solve_ivp(field, (0, 2), starts[i], t_eval=t, **(given | {"params": before[i]}))
        same(many, i, one)
        assert np.array_equal(many.y[i], one.y)


@pytest.mark.parametrize("kind", ["end", "grid"])
def test_native_members_take_all_of_two_cores(kind):
    """By times of the processor, since others may use this machine, too: the best of some tries.

    Threads share nothing but the counter of members. On two free cores a run would take the time of
    what the first thread does alone, and half of all the rest.
    """
    field, starts, given, _, _ = native_hopper()
    given |= {"params": np.tile(given["params"], (20, 1)), "t_eval": np.linspace(0, 5, 50) if kind == "grid" else None}

    def run(threads):
        whole, alone = time.process_time(), time.thread_time()
        many = ess.ensemble(field, (0, 5), np.tile(starts, (20, 1)), threads=threads, **given)
        assert many.success.all()
        return time.process_time() - whole, time.thread_time() - alone

    run(1)
    best = 0.0
    for _ in range(20):
        one, (all_of_two, alone) = run(1)[0], run(2)
        best = max(best, one / (2 * alone + (all_of_two - alone)))
        if best >= 0.9:
            return
    pytest.fail(f"{100 * best:.0f} % of two cores")


def test_native_hoppers_are_far_faster_than_a_loop_of_python():
    """with an event and parameters, in one thread: five times faster even without the other cores"""
    field, starts, given, _, by_event = native_hopper()
    count, many = len(starts), 20

    def fun(t, y, s, p):
        return [y[1], (p[0] * (1.0 - y[0]) if s[0] > 0 else 0.0) - p[1]]

    def taken(work):
        began = time.process_time()
        work()
        return time.process_time() - began

    def loop():
        for i in range(count):
            r = ess.solve_ivp(
                fun, (0, 2), starts[i], guards=lambda t, y, p: 1.0 - y[0], events=lambda t, y, p: y[1],
                params=given["params"][i], **OPTIONS,
            )  # fmt: skip
            assert r.success

    def ensemble():
        rows = np.tile(given["params"], (many, 1))
        found = ess.ensemble(
            field, (0, 2), np.tile(starts, (many, 1)), threads=1, **given | by_event | {"params": rows}
        )
        assert found.success.all() and found.y_end.shape == (1000, 2)

    ensemble()
    assert min(taken(loop) for _ in range(3)) * many > 5 * min(taken(ensemble) for _ in range(3))


def test_an_array_of_params_that_is_not_writable():
    field, starts, given, by_jac, _ = native_hopper()
    expected = ess.ensemble(field, (0, 2), starts, **given, **by_jac)
    given["params"].setflags(write=False)
    many = ess.ensemble(field, (0, 2), starts, **given, **by_jac)
    assert np.array_equal(many.tangents, expected.tangents)


def test_functions_of_both_kinds_and_data_for_the_native_ones():
    numba = pytest.importorskip("numba")

    @numba.cfunc(ess.FIELD)
    def field(t, y, sign, dydt, user):
        dydt[0] = numba.carray(user, 1, numba.float64)[0] * y[0]
        return 0

    def twice(t, y):
        return y[0] - 2.0

    for user, rates in ((np.array([0.8]), [0.8, 0.8]), (np.array([[0.8], [0.9]]), [0.8, 0.9])):
        many = ess.ensemble(field, (0, 1), np.ones((2, 1)), user=user, events=twice, **OPTIONS)
        np.testing.assert_allclose(many.y_end[:, 0], np.exp(rates), rtol=1e-8)
        np.testing.assert_allclose(many.t_events[0][:, 0], np.log(2) / rates, rtol=1e-8)
    none = ess.ensemble(field, (0, 1), np.zeros((0, 1)), user=np.zeros((0, 1)), events=twice)
    assert none.t_events[0].shape == (0, 0) and none.y_end.shape == (0, 1)


def test_times_of_jumps_of_each_member():
    def pulse(t, y, p):
        return [20.0 if p[0] <= t < p[1] else 0.0]

    times = np.array([[2.0, 2.05], [7.0, 7.1]])
    many = ess.ensemble(pulse, (0, 10), np.zeros((2, 1)), params=times, jump_params=[0, 1])
    np.testing.assert_allclose(many.y_end[:, 0], [1.0, 2.0], atol=1e-9)


@pytest.mark.parametrize("kind", ["raises", "nan"])
def test_one_member_of_a_thousand_that_fails(kind):
    def fun(t, y, p):
        if p[0] == 321.0 and t > 0.5:
            if kind == "raises":
                raise KeyError("odd")
            return np.nan * y
        return -y

    def run():
        return ess.ensemble(
            fun, (0, 1), np.ones((1000, 1)), params=np.arange(1000.0)[:, None], t_eval=[0, 0.25, 1]
        )

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        many = run()
    assert np.flatnonzero(~many.success).tolist() == [321]
    good = np.arange(1000) != 321
    assert (many.y_end[good] == many.y_end[0]).all() and not many.mask[good].any()
    assert "\n" not in many.message[321]
    if kind == "raises":
        assert len(caught) == 1 and "\n" not in str(caught[0].message)
        assert str(caught[0].message).startswith("1 of 1000 members failed with an exception; the first is member 321")
        assert many.message[321] == "KeyError: 'odd'" and np.isnan(many.y_end[321]).all()
    else:
        assert not caught and many.reason[321] == "EFIELD" and many.mask[321].tolist() == [False, False, True]
    assert "999" in many._repr_html_()


def test_one_native_member_that_raises():
    numba = pytest.importorskip("numba")

    @numba.cfunc(ess.FIELD)
    def field(t, y, sign, dydt, user):
        if numba.carray(user, 1, numba.float64)[0] == 5.0:
            raise ValueError("odd")
        dydt[0] = -y[0]
        return 0

    rates = np.arange(20.0)[:, None]
    with pytest.warns(RuntimeWarning, match="1 of 20 members failed with an exception; the first is member 5"):
        many = ess.ensemble(field, (0, 1), np.ones((20, 1)), params=rates, threads=2)
    assert np.flatnonzero(~many.success).tolist() == [5] and many.message[5] == "ValueError: odd"
    assert np.isnan(many.y_end[5]).all() and np.isfinite(many.y_end[np.arange(20) != 5]).all()


def test_what_all_members_raise_is_raised():
    def fun(t, y):
        raise ZeroDivisionError("odd")

    with pytest.raises(ZeroDivisionError, match="odd"):
        ess.ensemble(fun, (0, 1), np.ones((3, 1)))


@pytest.mark.parametrize("kind", [concurrent.futures.ThreadPoolExecutor, Processes])
def test_an_executor_makes_the_same_members(kind):
    rates = np.arange(9.0)[:, None]
    given = dict(params=rates, events=members.half, t_eval=[0, 0.1, 1], tangents=True, **OPTIONS)
    with pytest.warns(RuntimeWarning, match="the first is member 3"):
        expected = ess.ensemble(members.decay, (0, 1), np.ones((9, 1)), **given)
    seen = []
    with kind(2) as executor, pytest.warns(RuntimeWarning, match="1 of 9 members .* member 3: ValueError: odd"):
        many = ess.ensemble(
            members.decay, (0, 1), np.ones((9, 1)), executor=executor,
            progress=lambda done, whole: seen.append((done, whole)), **given,
        )  # fmt: skip
    for name in ("y", "mask", "y_end", "t_end", "status", "nfev", "tangents"):
        assert np.array_equal(many[name], expected[name], equal_nan=True), name
    assert many.reason == expected.reason and many.message == expected.message
    assert np.array_equal(many.t_events[0], expected.t_events[0], equal_nan=True)
    assert seen[-1] == (9, 9)


def test_a_cluster_of_dask_makes_the_same_members(monkeypatch):
    distributed = pytest.importorskip("distributed")
    # workers import what members do from here
    here = os.path.dirname(os.path.abspath(__file__))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [here, os.environ.get("PYTHONPATH")])))
    given = dict(params=np.linspace(4, 5, 12)[:, None], events=members.half, **OPTIONS)
    expected = ess.ensemble(members.decay, (0, 1), np.ones((12, 1)), **given)
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        many = ess.ensemble(members.decay, (0, 1), np.ones((12, 1)), executor=client.get_executor(), **given)
    assert many.success.all() and np.array_equal(many.y_end, expected.y_end)
    assert np.array_equal(many.t_events[0], expected.t_events[0])


def test_what_ends_a_worker_again_fails_alone():
    rates = np.full((16, 1), 2.0)
    rates[5] = rates[11] = -1.0  # end their process
    with Processes(2) as executor, pytest.warns(RuntimeWarning, match="^2 of 16 members failed") as caught:
        many = ess.ensemble(members.dies, (0, 1), np.ones((16, 1)), params=rates, executor=executor)
    assert np.flatnonzero(~many.success).tolist() == [5, 11] and len(caught) == 1
    assert "terminated abruptly" in many.message[5] and "\n" not in many.message[5]
    assert (many.y_end[many.success] == many.y_end[0]).all()


@pytest.mark.parametrize("workers", [1, 2])
def test_a_chunk_is_made_again_when_its_worker_dies(workers, tmp_path):
    """of a process that is ended from outside, once: nothing is missing"""
    mark = str(tmp_path / "died")
    rates = np.linspace(1.0, 2.0, 40)[:, None]
    seen = []
    with Processes(workers) as executor:
        many = ess.ensemble(
            members.dies_once, (0, 1), np.ones((40, 1)), params=rates, args=(mark,), executor=executor,
            progress=lambda *both: seen.append(both), **OPTIONS,
        )  # fmt: skip
    assert os.path.exists(mark) and many.success.all() and seen[-1] == (40, 40)
    np.testing.assert_allclose(many.y_end, np.exp(-rates), rtol=1e-8)


class Clock(concurrent.futures.Executor):
    """makes chunks at once, on a clock that each member moves by its cost"""

    def __init__(self, monkeypatch, workers):
        self._max_workers, self.now, self.sizes = workers, 0.0, []
        monkeypatch.setattr(ess._ensemble.time, "perf_counter", lambda: self.now)

    def submit(self, function, given, starts, rows, user):
        self.sizes.append(len(starts))
        future: concurrent.futures.Future = concurrent.futures.Future()
        future.set_result(function(given, starts, rows, user))
        return future


@pytest.mark.parametrize(
    "costs, most, longest",
    [
        (np.full(1000, 1e-5), 60, 250),  # next to nothing: chunks of a share each
        (np.full(100, 1.0), 100, 5),  # dear: few in a chunk
        (np.full(1000, 0.01), 60, 250),
        (np.where(np.arange(1000) < 100, 1e-4, 0.1), 100, 250),  # dear from some member on
    ],
)
def test_chunks_are_sized_by_their_cost(costs, most, longest, monkeypatch):
    executor = Clock(monkeypatch, 4)

    def fun(t, y, p):
        executor.now += p[0] * (t == 0.0) * costs[int(p[1])]
        return -y

    params = np.stack([np.ones(len(costs)), np.arange(float(len(costs)))], axis=1)
    many = ess.ensemble(fun, (0, 1), np.ones((len(costs), 1)), params=params, executor=executor)
    assert many.success.all() and sum(executor.sizes) == len(costs)
    assert executor.sizes[:4] == [1, 1, 1, 1] and len(executor.sizes) <= most
    assert max(executor.sizes) <= longest and executor.sizes[-1] <= max(executor.sizes[8:12])


def test_an_executor_of_processes_refuses_what_cannot_be_pickled():
    with Processes(1) as executor, pytest.raises(ValueError) as error:
        ess.ensemble(lambda t, y: -y, (0, 1), np.ones((3, 1)), executor=executor)
    assert "pickle" in str(error.value) and "\n" not in str(error.value)


def test_progress_counts_members():
    seen = []
    ess.ensemble(lambda t, y: -y, (0, 1), np.ones((5, 1)), progress=lambda *both: seen.append(both))
    assert seen == [(i, 5) for i in range(1, 6)]
    seen.clear()
    field, starts, given, _, _ = native_hopper()
    ess.ensemble(field, (0, 100), starts, progress=lambda *both: seen.append(both), threads=2, **given)
    assert seen[-1] == (50, 50) and all(0 <= done <= 50 and whole == 50 for done, whole in seen)


@pytest.mark.parametrize("kind", ["native", "Python"])
def test_max_time_of_an_ensemble(kind):
    field, starts, given, _, _ = native_hopper()
    if kind == "Python":
        field, given = (lambda t, y: [y[1], -y[0]]), {}
    began = time.monotonic()
    many = ess.ensemble(field, (0, 1e7), starts, max_time=0.3, t_eval=[0.0, 1.0, 1e7], threads=2, **given)
    assert time.monotonic() - began < 5.0
    assert not many.success.any() and set(many.reason) == {"EMAXTIME"} and np.isfinite(many.y_end).all()
    assert many.t_end[0] > 1.0 and not many.mask[0, :2].any() and many.mask[0, 2]
    # members that have not begun
    assert many.t_end[-1] == 0.0 and np.array_equal(many.y_end[-1], starts[-1])
    assert "`max_time` is over" in many.message[0]


def test_an_exception_of_progress_ends_an_ensemble():
    def progress(done, whole):
        raise LookupError("enough")

    field, starts, given, _, _ = native_hopper()
    with pytest.raises(LookupError, match="enough"):
        ess.ensemble(field, (0, 1e9), starts, progress=progress, max_steps=2**62, **given)
    with pytest.raises(LookupError, match="enough"):
        ess.ensemble(lambda t, y: -y, (0, 1), np.ones((5, 1)), progress=progress)


def test_interrupt_stops_an_ensemble_in_python():
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        ess.ensemble(lambda t, y: [y[1], -y[0]], (0, 1e9), np.ones((8, 2)), max_step=1e-3, max_steps=2**62)
    timer.join()


@pytest.mark.parametrize(
    "given, word",
    [
        ({"params": np.zeros((2, 1))}, r"`params` must have the shape \(p,\), the same for all, or \(3, p\)"),
        ({"params": [[1.0], [np.nan], [1.0]]}, "those of member 1 are not"),
        ({"params": "a"}, "`params` must be an array of numbers"),
        ({"params": np.zeros((3, 0))}, "`params` must have the shape"),
        ({"y0": [[1.0], [2.0], [np.inf]]}, "those of member 2 are not"),
        ({"y0": [1.0]}, "`y0` must have the shape"),
        ({"threads": True}, "`threads` must be an integer"),
        ({"executor": 3}, "`executor` must be a concurrent.futures.Executor"),
        ({"progress": 3}, "`progress` must be True, False or a function"),
        ({"max_time": 0}, "`max_time` must be a positive number"),
        ({"max_time": True}, "`max_time` must be a positive number"),
        ({"t_eval": [2.0]}, "`t_eval` are not within"),
        ({"user": np.zeros((3, 1))}, "`user` is for native functions"),
        ({"tangents": [[1.0, 2.0], [1.0, 2.0]]}, "`tangents` must be True or an array"),
    ],
)
def test_bad_arguments(given, word):
    arguments = {"fun": lambda t, y, *p: -y, "t_span": (0, 1), "y0": np.ones((3, 1))} | given
    with pytest.raises(ValueError, match=word) as error:
        ess.ensemble(**arguments)
    assert "\n" not in str(error.value)


def test_max_time_and_executor_exclude_each_other():
    with concurrent.futures.ThreadPoolExecutor(1) as executor, pytest.raises(ValueError, match="exclude"):
        ess.ensemble(lambda t, y: -y, (0, 1), np.ones((3, 1)), executor=executor, max_time=1.0)
