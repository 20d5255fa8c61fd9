# SPDX-License-Identifier: Apache-2.0
"""ensemble: many runs of one problem, in threads, one after the other, or by an executor."""

from __future__ import annotations

import concurrent.futures
import functools
import inspect
import math
import os
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _ivp, _native, _plotting
from ._callbacks import Watch
from ._functions import FIELD, GUARDS, IMPACT, native
from ._progress import Reported, check_max_time
from ._result import OdeResult

__all__ = ["EnsembleResult", "ensemble"]


class EnsembleResult(OdeResult):
    """Results of an ensemble: a dictionary whose entries are also attributes.

    The docstring of `ensemble` describes the entries.

    Examples
    --------
    >>> import ess
    >>> many = ess.ensemble(lambda t, y: -y, (0, 1), [[1.0], [2.0]], rtol=1e-8)
    >>> print(many.y_end.round(4).ravel())
    [0.3679 0.7358]
    """

    def _summary(self) -> list[tuple[str, str]]:
        count, good = len(self.success), int(self.success.sum())
        rows = [("members", str(count)), ("succeeded", str(good))]
        for reason in sorted({self.reason[i] for i in np.flatnonzero(~self.success)}):
            which = [i for i, one in enumerate(self.reason) if one == reason]
            rows.append((reason, f"{len(which)}, the first: member {which[0]}"))
        if good:
            lowest, highest = self.y_end[self.success].min(axis=0), self.y_end[self.success].max(axis=0)
            with np.printoptions(edgeitems=2, threshold=6, precision=6):
                rows += [("least y_end", str(lowest)), ("largest y_end", str(highest))]
        return [*rows, ("nfev", str(int(self.nfev.sum())))]

    def plot(
        self,
        components: int | str | Sequence[int | str] | None = None,
        *,
        ax: Any = None,
        names: Sequence[str] | None = None,
        marks: bool = True,
    ) -> Any:
        """Draw the states of all members at `t_eval`; needs matplotlib.

        Parameters
        ----------
        components, ax, names
            As in `OdeResult.plot`.
        marks : bool, optional
            Without effect.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        ValueError
            If the ensemble had no `t_eval`, or an argument has a wrong value.

        Examples
        --------
        >>> import ess, numpy as np
        >>> starts = np.linspace(1, 2, 5)[:, None]
        >>> many = ess.ensemble(lambda t, y: -y, (0, 1), starts, t_eval=np.linspace(0, 1, 50))
        >>> len(many.plot().lines)  # one for each member, and one in the legend
        6
        """
        if self.y is None:
            raise ValueError("`plot` of an ensemble needs the states on the way: use `t_eval`")
        return _plotting.plot_many(self.t, self.y, components, ax, names)

    def to_dataframe(self, *, names: Sequence[str] | None = None) -> tuple[Any, Any]:
        """Return two tables, of members and of events; needs pandas.

        Parameters
        ----------
        names : list of str, optional
            Names of all states. Default is y0, y1, ...

        Returns
        -------
        members : pandas.DataFrame
            A row for each member: `success`, `reason`, `t_end`, the final states, `crossings`,
            `impacts` and `nfev`.
        events : pandas.DataFrame
            A row for each event: `member`, `index` of the event, `t` and the states.

        Examples
        --------
        >>> import ess
        >>> many = ess.ensemble(lambda t, y: -y, (0, 1), [[1.0], [2.0]], rtol=1e-8)
        >>> print(many.to_dataframe()[0][["success", "y0"]].round(4))
           success      y0
        0     True  0.3679
        1     True  0.7358
        """
        return _plotting.frames_of_many(self, names)


def _check_threads(threads):
    if threads is None:
        return max(1, len(os.sched_getaffinity(0)))
    if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or not 1 <= threads <= 4096:
        raise ValueError("`threads` must be an integer from 1 to 4096")
    return int(threads)


def _check_starts(y0):
    starts = np.ascontiguousarray(_ivp._numbers(y0, "y0"))
    if starts.ndim != 2 or starts.shape[1] == 0:
        raise ValueError("`y0` must have the shape (count, n) with n >= 1, a row for each run")
    bad = ~np.isfinite(starts).all(axis=1)
    if bad.any():
        raise ValueError(
            "All components of the initial states `y0` must be finite; "
            f"those of member {np.flatnonzero(bad)[0]} are not."
        )
    return starts


def _rows_of_params(params, count):
    """a row for each member, or None"""
    if params is None:
        return None
    values = _ivp._numbers(params, "params")
    if values.ndim == 0:
        values = values.reshape(1)
    if values.ndim == 1:
        values = np.tile(values, (count, 1))
    if values.ndim != 2 or len(values) != count or values.shape[1] == 0:
        raise ValueError(
            f"`params` must have the shape (p,), the same for all, or ({count}, p), a row for each member; "
            f"it has {np.shape(params)}"
        )
    bad = ~np.isfinite(values).all(axis=1)
    if bad.any():
        raise ValueError(f"`params` must be finite; those of member {np.flatnonzero(bad)[0]} are not")
    return np.ascontiguousarray(values)


def _rows_of_user(user, count):
    """whether it has a row for each member"""
    shape: tuple[int, ...] = getattr(user, "shape", ())
    return len(shape) > 1 and shape[0] == count


def _addresses(rows):
    first = rows.__array_interface__["data"][0]
    return np.uint64(first) + np.arange(len(rows), dtype=np.uint64) * np.uint64(rows.strides[0])


def _listed(events):
    if events is None:
        return []
    return [events] if callable(events) or not hasattr(events, "__iter__") else list(events)


def _is_native(given):
    """whether all functions are; then runs do not hold the lock of Python"""
    kinds = {"fun": FIELD, "guards": GUARDS, "impact": IMPACT, "jac": FIELD, "guard_jac": GUARDS,
             "params_jac": FIELD}  # fmt: skip
    functions = [(given[name], kind) for name, kind in kinds.items() if given[name] is not None]
    functions += [(event, GUARDS) for event in given["events"]]
    # a matrix is called from Python
    return all(native(one, kind, 0, "a function") for one, kind in functions)


# ---- results --------------------------------------------------------------------------------------


class _Gathered:
    """what comes of all members"""

    def __init__(self, count, n, times, directions):
        self.times, self.directions = times, directions
        self.y_end, self.t_end = np.full((count, n), np.nan), np.full(count, np.nan)
        self.y = np.full((count, len(times), n), np.nan)
        self.tangents = np.full((count, n, directions), np.nan)
        self.tangents_at = np.full((count, len(times), n, directions), np.nan)
        self.event_dt = np.full((count, directions), np.nan)
        self.event_dy = np.full((count, n, directions), np.nan)
        self.smooth = np.zeros(count, np.int64)
        self.status = np.full(count, -1)
        self.crossings, self.impacts, self.nfev = (np.zeros(count, np.int64) for _ in range(3))
        self.reason, self.message = [""] * count, [""] * count
        self.errors: dict[int, BaseException] = {}
        self.noted, self.noted_y = np.zeros((0, 3)), np.zeros((0, n))  # member, time, event

    def fail(self, i, error):
        """a member whose function has raised has no results"""
        self.errors[i] = error
        self.status[i], self.reason[i] = -1, "ECALLBACK"
        self.message[i] = f"{type(error).__name__}: {error}"
        self.y_end[i] = self.y[i] = self.t_end[i] = self.tangents[i] = self.tangents_at[i] = np.nan
        self.event_dt[i] = self.event_dy[i] = np.nan
        self.noted_y = self.noted_y[self.noted[:, 0] != i]
        self.noted = self.noted[self.noted[:, 0] != i]

    def skip(self, i, t0, y0):
        """the time is over before this member begins"""
        self.t_end[i], self.y_end[i], self.reason[i] = t0, y0, "EMAXTIME"
        self.message[i] = _ivp._message({"status": _ivp._NAMES.index("EMAXTIME"), "t_end": t0}, -1, None, None)

    def take(self, i, run):
        """one member's result of `solve_ivp`"""
        self.y_end[i], self.t_end[i], self.status[i] = run.y_end, run.t_end, run.status
        self.reason[i], self.message[i], self.nfev[i] = run.reason, run.message, run.nfev
        self.crossings[i], self.impacts[i] = len(run.t_crossings), len(run.t_impacts)
        if self.y.shape[1]:
            self.y[i, : run.y.shape[1]] = run.y.T
        if "tangents" in run:
            self.tangents[i], self.smooth[i] = run.tangents, _ivp._SMOOTH.index(run.smooth)
        if "tangents_at" in run:
            self.tangents_at[i, : run.tangents_at.shape[2]] = run.tangents_at.transpose(2, 0, 1)
        if "event_dt" in run:
            self.event_dt[i], self.event_dy[i] = run.event_dt, run.event_dy
        for k, found in enumerate(run.t_events or ()):
            self.noted = np.concatenate([self.noted, [(i, t, k) for t in found]]) if len(found) else self.noted
            self.noted_y = np.concatenate([self.noted_y, run.y_events[k]]) if len(found) else self.noted_y


def _padded(noted, noted_y, count, n, events):
    """times and states of each event, a row for each member, NaN after its last"""
    t_events, y_events = [], []
    for k in range(events):
        mine = noted[:, 2] == k
        member, t, y = noted[mine, 0].astype(int), noted[mine, 1], noted_y[mine]
        order = np.argsort(member, kind="stable")
        member, t, y = member[order], t[order], y[order]
        counts = np.bincount(member, minlength=count)
        most = int(counts.max()) if count else 0
        place = np.arange(len(member)) - np.repeat(np.cumsum(counts) - counts, counts)
        times, states = np.full((count, most), np.nan), np.full((count, most, n), np.nan)
        times[member, place], states[member, place] = t, y
        t_events.append(times)
        y_events.append(states)
    return t_events, y_events


def _result(found, times, is_grid, events, directions):
    count, n = found.y_end.shape
    t_events = y_events = None
    if events is not None:
        t_events, y_events = _padded(found.noted, found.noted_y, count, n, events)
    result = EnsembleResult(
        t=times if is_grid else None,
        y=found.y.transpose(0, 2, 1) if is_grid else None,
        mask=np.isnan(found.y).any(axis=2) if is_grid else None,
        t_end=found.t_end,
        y_end=found.y_end,
        status=found.status,
        success=found.status >= 0,
        reason=found.reason,
        message=found.message,
        t_events=t_events,
        y_events=y_events,
        crossings=found.crossings,
        impacts=found.impacts,
        nfev=found.nfev,
    )
    if directions:
        result.tangents = found.tangents
        result.smooth = [_ivp._SMOOTH[kind] for kind in found.smooth.tolist()]
    if directions and is_grid:
        result.tangents_at = found.tangents_at.transpose(0, 2, 3, 1)
    if directions and events is not None:
        result.event_dt, result.event_dy = found.event_dt, found.event_dy
    return result


def _warn_of(errors, count):
    """one line about members whose functions have raised; nothing is left where that is all"""
    if not errors:
        return
    first = min(errors)
    if len(errors) == count:
        raise errors[first]
    warnings.warn(
        f"{len(errors)} of {count} members failed with an exception; the first is member {first}: "
        f"{type(errors[first]).__name__}: {errors[first]}",
        RuntimeWarning,
        stacklevel=3,
    )


# ---- three ways to make them ------------------------------------------------------------------------


def _in_threads(given, options, starts, rows, user, threads, t0, t1, found):
    """native functions: in threads that do not hold the lock of Python"""
    count = len(starts)
    kept = rows if rows is not None else np.ascontiguousarray(user) if _rows_of_user(user, count) else None
    users = np.zeros(0, np.uint64) if kept is None else _addresses(kept)
    numbers, failed_at = np.zeros((count, 8), np.int64), np.full(count, np.nan)
    with Watch(is_threaded=True) as watch:
        options["watch"] = watch
        found.noted, found.noted_y = _native.ensemble(
            t0, _ivp._far(t1), starts, users, np.zeros((0, 0)) if rows is None else rows,
            min(threads, max(count, 1)), options, found.y_end, found.t_end, failed_at, found.y,
            found.tangents, found.tangents_at, found.event_dt, found.event_dy, numbers,
        )  # fmt: skip
    failed = numbers[:, 0] != 0
    found.status[:] = np.where(failed, -1, np.where(numbers[:, 1] != 0, 1, 0))
    found.reason[:] = [_ivp._NAMES[code] for code in numbers[:, 0]]
    found.message[:] = [_ivp._MESSAGES[status] if status >= 0 else "" for status in found.status.tolist()]
    found.crossings, found.impacts, found.nfev = numbers[:, 2].copy(), numbers[:, 3].copy(), numbers[:, 4].copy()
    found.smooth[:] = numbers[:, 7]
    for i in np.flatnonzero(failed):
        code, guard = int(numbers[i, 0]), int(numbers[i, 5])
        run = {
            "status": code, "status_message": _native.status_message(code), "reason": None,
            "failure_row": None, "failure_guard": None if guard < 0 else guard,
            "failure_time": failed_at[i], "t_end": found.t_end[i], "callback_code": int(numbers[i, 6]),
        }  # fmt: skip
        found.message[i] = _ivp._message(run, -1, options["guard_count"], options)
        if code == 1:  # ESS_EINVAL: the same for all, and a single run has the reason
            raise ValueError(_native.solve(t0, _ivp._far(t1), starts[i], options)["reason"])
    for i, error in watch.errors.items():
        found.fail(i, error)


def _one_by_one(given, starts, rows, user, until, report, found):
    """by `solve_ivp`, since functions of Python run one at a time"""
    count = len(starts)
    for i in range(count):
        left = until - time.monotonic()
        mine = dict(given)
        if rows is not None:
            mine["params"] = rows[i]
        if user is not None:
            mine["user"] = np.ascontiguousarray(user[i]) if _rows_of_user(user, count) else user
        try:
            if left <= 0:
                found.skip(i, given["t_span"][0], starts[i])
            else:
                limit = left if left < math.inf else None
                found.take(i, _ivp.solve_ivp(y0=starts[i], max_time=limit, **mine))
        except Exception as error:
            found.fail(i, error)
        report(i + 1, count)


# ---- chunks of members, by an executor --------------------------------------------------------------


def _chunk(given, starts, rows, user):
    """in a worker of an executor: all results, and the seconds that they took"""
    began = time.perf_counter()
    found = _ensemble(given, starts, rows, user, 1, None, Reported(None, ""))
    return found, time.perf_counter() - began


class _Chunks:
    """Members in order, in chunks sized by what those before have cost.

    A chunk takes a part of what is left to each worker, so that workers end at about the same time
    though members differ in cost; but at least so long that handing it over is little beside it, and
    not so long that much is lost with a worker.
    """

    LEAST, MOST, PARTS = 0.1, 5.0, 3  # seconds; chunks for each worker

    def __init__(self, count, workers):
        self._next, self._count, self._workers, self._seconds = 0, count, workers, None

    def take(self):
        """the next members, or None"""
        left, first = self._count - self._next, self._next
        size = 1.0  # as long as nothing is known
        if self._seconds is not None:
            share = max(left / (self.PARTS * self._workers), self.LEAST / self._seconds)
            size = min(share, self.MOST / self._seconds, left / self._workers)
        self._next = min(self._count, first + max(1, math.ceil(size)))
        return slice(first, self._next) if left else None

    def learn(self, place, seconds):
        """of the last chunks most"""
        each = max(seconds, 1e-9) / (place.stop - place.start)
        self._seconds = each if self._seconds is None else 0.5 * (each + self._seconds)


def _has_died(error):
    """whether a worker has ended, and its chunk with it; dask has its own name for that"""
    broken = concurrent.futures.BrokenExecutor
    return isinstance(error, broken) or type(error).__name__ == "KilledWorker"


class _Pool:
    """An executor; if a process of its has ended it takes no more, and one like it follows."""

    def __init__(self, executor):
        self._first = self._executor = executor
        self.workers = getattr(executor, "_max_workers", None) or os.cpu_count() or 1

    def submit(self, *arguments):
        try:
            return self._executor.submit(*arguments)
        except concurrent.futures.BrokenExecutor:
            old = self._executor
            if not isinstance(old, concurrent.futures.ProcessPoolExecutor):
                raise
            self.close()
            self._executor = concurrent.futures.ProcessPoolExecutor(
                self.workers, old._mp_context, old._initializer, old._initargs
            )
            return self._executor.submit(*arguments)

    def close(self):
        if self._executor is not self._first:
            self._executor.shutdown(cancel_futures=True)


def _by_executor(executor, given, starts, rows, user, report, found):
    count, pool = len(starts), _Pool(executor)
    chunks = _Chunks(count, pool.workers)
    # chunks to be made again, one at a time: what ends a worker is found by halves
    running: dict[concurrent.futures.Future[Any], slice] = {}
    again: list[slice] = []
    done = 0

    def submit(place):
        mine = user[place] if _rows_of_user(user, count) else user
        part = None if rows is None else rows[place]
        running[pool.submit(_chunk, given, starts[place], part, mine)] = place

    def settle(future, place, was_alone):
        """how many members have ended"""
        size = place.stop - place.start
        try:
            part, seconds = future.result()
        except Exception as error:
            if "pickle" in f"{type(error).__name__} {error}".lower():
                raise ValueError(
                    "`executor` needs functions and arguments that pickle can handle, "
                    f"such as functions defined in a module ({error})"
                ) from None
            if _has_died(error) and not (was_alone and size == 1):
                middle = place.start + size // 2 if was_alone else place.stop
                halves = slice(place.start, middle), slice(middle, place.stop)
                again.extend(half for half in halves if half.start < half.stop)
                return 0
            for i in range(place.start, place.stop):
                found.fail(i, error)
        else:
            chunks.learn(place, seconds)
            _merge(found, place, part)
        return size

    try:
        while done < count:
            while not again and len(running) < 2 * pool.workers and (place := chunks.take()):
                submit(place)
            is_alone = not running
            if is_alone:
                submit(again.pop())
            ended, _ = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in ended:
                done += settle(future, running.pop(future), is_alone)
            report(done, count)
    finally:
        for future in running:
            future.cancel()
        pool.close()


_PARTS = (
    "y_end", "t_end", "y", "tangents", "tangents_at", "event_dt", "event_dy", "smooth", "status",
    "crossings", "impacts", "nfev",
)  # fmt: skip


def _merge(found, place, part):
    for name in _PARTS:
        getattr(found, name)[place] = getattr(part, name)
    found.reason[place], found.message[place] = part.reason, part.message
    found.errors |= {place.start + i: error for i, error in part.errors.items()}
    part.noted[:, 0] += place.start
    found.noted = np.concatenate([found.noted, part.noted])
    found.noted_y = np.concatenate([found.noted_y, part.noted_y])


def _ensemble(given, starts, rows, user, threads, executor, report, seconds=math.inf):
    """all members' results"""
    count, n = starts.shape
    t0, t1 = _ivp._check_span(given["t_span"])
    until = time.monotonic() + seconds
    shared = user[0] if count and _rows_of_user(user, count) else user
    more = {name: value for name, value in given.items() if name not in ("fun", "t_span")}
    options = _ivp._options(
        given["fun"], t0, t1, starts[0] if count else np.zeros(n), False, dense_output=False,
        params=None if rows is None else rows[0] if count else np.zeros(rows.shape[1]), user=shared,
        **{name: value for name, value in more.items() if name != "jac_sparsity"},
    )  # fmt: skip
    found = _Gathered(count, n, options["times"], options["directions"].shape[1])
    if executor is not None:
        _by_executor(executor, given, starts, rows, user, report, found)
    elif _is_native(given) and given["jump_params"] is None:
        # without a grid nothing of the way is kept
        options["is_grid"], options["max_time"], options["progress"] = True, seconds, report.function
        _in_threads(given, options, starts, rows, user, threads, t0, t1, found)
        report(count, count)
    else:
        fixed = given if given["t_eval"] is not None else given | {"t_eval": ()}
        _one_by_one(fixed, starts, rows, user, until, report, found)
    return found


def ensemble(
    fun: Any,
    t_span: Sequence[float],
    y0: ArrayLike,
    *,
    method: str | type | None = None,
    t_eval: ArrayLike | None = None,
    events: Callable[..., Any] | Iterable[Any] | None = None,
    vectorized: bool = False,
    args: Iterable[Any] | None = None,
    guards: Any = None,
    guard_count: int | None = None,
    impact: Any = None,
    impacts_at: Iterable[int | Sequence[int]] | int | None = None,
    jac: Any = None,
    guard_jac: Any = None,
    params: ArrayLike | None = None,
    params_jac: Any = None,
    tangents: bool | ArrayLike | None = None,
    rtol: ArrayLike = 1e-3,
    atol: ArrayLike = 1e-6,
    max_step: float = np.inf,
    first_step: float | None = None,
    max_steps: int = 10_000_000,
    tie: float = 0.0,
    base: str | None = None,
    sliding: bool | Iterable[int] | int | None = None,
    rest: bool = False,
    user: Any = None,
    threads: int | None = None,
    t_jumps: ArrayLike | None = None,
    jump_params: Iterable[int] | int | None = None,
    progress: bool | Callable[[float, float], object] | None = None,
    max_time: float | None = None,
    executor: concurrent.futures.Executor | None = None,
) -> EnsembleResult:
    """Solve the same problem from many initial conditions, with many parameters.

    Members whose functions are all native (`numba.cfunc`, ctypes, cffi, `scipy.LowLevelCallable`) run
    in threads without Python, unless there are `jump_params`. All other members run one after the
    other, or by an `executor`. The arguments that are not listed here are those of `solve_ivp`.

    Parameters
    ----------
    y0 : array_like, shape (count, n)
        Initial states, a row for each member.
    params : array_like, shape (p,) or (count, p), optional
        Parameters: the same for all members, or a row for each. Functions receive them as in
        `solve_ivp`.
    user : array, optional
        With the shape (count, ...) the functions of each member receive the address of its row.
    threads : int, optional
        Number of threads. Default is the number of processors.
    progress : bool or callable, optional
        As in `solve_ivp`; ``progress(done, whole)`` receives the number of members that have ended,
        and that of all.
    max_time : float, optional
        Seconds that the whole ensemble may take. Members that have not ended by then have `reason`
        'EMAXTIME' and the state reached; those that have not begun have their initial state. It is
        not used together with `executor`. Default is None: no limit.
    executor : concurrent.futures.Executor, optional
        Runs the members, in chunks that are sized by the measured cost of a member. Workers that are
        processes need functions that pickle can handle: those defined in a module. If a worker dies,
        its chunk is run again, in a new pool if need be; only a member that ends its worker again
        fails. Without it nothing leaves this process.

    Returns
    -------
    EnsembleResult
        t : ndarray or None
            `t_eval`.
        y : ndarray, shape (count, n, len(t_eval)), or None
            States at `t_eval`; NaN after the end of a member. None without `t_eval`.
        mask : ndarray of bool, shape (count, len(t_eval)), or None
            True where a member had ended before.
        t_end : ndarray, shape (count,)
            Final times.
        y_end : ndarray, shape (count, n)
            Final states; NaN for members whose functions have raised an exception.
        status : ndarray of int, shape (count,)
            0, 1 or -1, as in `solve_ivp`.
        success : ndarray of bool, shape (count,)
            Whether `status` is 0 or 1.
        reason, message : list of str
            As in `solve_ivp`. The message of a member whose function has raised is that exception's.
        t_events, y_events : list of ndarray, or None
            Times and states of each of `events`: shapes (count, most) and (count, most, n), NaN after
            a member's last event.
        crossings, impacts, nfev : ndarray of int, shape (count,)
            Numbers of crossings, impacts and right-hand-side evaluations of each member.
        tangents : ndarray, shape (count, n, directions)
            Derivatives of the final states, if `tangents` is given; NaN where there is none.
        tangents_at : ndarray, shape (count, n, directions, len(t_eval))
            Derivatives of the states at `t_eval`, with `tangents` and `t_eval`.
        event_dt, event_dy : ndarray, shapes (count, directions) and (count, n, directions)
            Derivatives of the final time and state of members that an event ended, with `tangents`
            and `events`.
        smooth : list of str
            Differentiability of the flow of each member, with `tangents`, as in `solve_ivp`.

    Raises
    ------
    ValueError
        If an argument has a wrong value. The message names it and the accepted values.
    Exception
        What the functions of *all* members have raised. If some members succeed, their results are
        returned and a `RuntimeWarning` names the first member that failed.
    KeyboardInterrupt
        Ctrl-C ends all members.

    See Also
    --------
    ess.solve_ivp : A single run.

    Examples
    --------
    Balls that keep different parts of their speed at an impact:

    >>> import ess, numpy as np
    >>> restitution = np.array([[0.5], [0.7], [0.9]])
    >>> many = ess.ensemble(
    ...     lambda t, y, sign, p: [y[1], -9.81], (0, 1), np.tile([1.0, 0.0], (3, 1)),
    ...     guards=lambda t, y, p: y[0], impact=lambda t, y, sign, crossed, p: [0.0, -p[0] * y[1]],
    ...     impacts_at=[(0, -1)], params=restitution, rtol=1e-8,
    ... )
    >>> print(many.y_end[:, 0].round(4), many.impacts)
    [0.0613 0.2251 0.7109] [2 1 1]
    """
    given = locals().copy()
    result, errors = run_members(**given)
    _warn_of(errors, len(result.success))
    return result


@functools.cache
def _defaults():
    """those of all other arguments"""
    taken = inspect.signature(run_members).parameters
    known = inspect.signature(ensemble).parameters.items()
    return {name: one.default for name, one in known if name not in taken}


def run_members(
    y0, params=None, user=None, threads=None, progress=None, max_time=None, executor=None, **given
):  # fmt: skip
    """all members' results, and the exceptions of those that have raised some"""
    given = _defaults() | given
    starts = _check_starts(y0)
    rows = _rows_of_params(params, len(starts))
    threads = _check_threads(threads)
    reported, seconds = Reported(progress, "runs"), check_max_time(max_time, _ivp._number)
    if executor is not None and not hasattr(executor, "submit"):
        raise ValueError(
            f"`executor` must be a concurrent.futures.Executor; it is {type(executor).__name__}"
        )
    if executor is not None and max_time is not None:
        raise ValueError("`max_time` and `executor` exclude each other")
    args, events = given["args"], given["events"]
    given |= {"events": _listed(events), "args": None if args is None else _ivp._check_args(args)}
    with reported:
        found = _ensemble(given, starts, rows, user, threads, executor, reported, seconds)
    count = None if events is None else len(given["events"])
    result = _result(found, found.times, given["t_eval"] is not None, count, found.directions)
    return result, found.errors
