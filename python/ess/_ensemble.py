# SPDX-License-Identifier: Apache-2.0
"""ensemble: many runs of native functions, in threads that do not hold the lock of Python."""

import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _ivp, _native
from ._callbacks import Watch
from ._result import OdeResult

__all__ = ["ensemble"]


def _check_users(user, count):
    """one address for each run: of the rows of an array, or the same for all"""
    if user is None:
        return np.zeros(0, np.uint64), None
    shape: tuple[int, ...] = getattr(user, "shape", ())
    if len(shape) > 1 and shape[0] == count:
        rows = np.ascontiguousarray(user)
        first = rows.__array_interface__["data"][0]
        return np.uint64(first) + np.arange(count, dtype=np.uint64) * np.uint64(rows.strides[0]), rows
    return np.zeros(0, np.uint64), user


def _check_threads(threads):
    if threads is None:
        return max(1, len(os.sched_getaffinity(0)))
    if not isinstance(threads, (int, np.integer)) or not 1 <= threads <= 4096:
        raise ValueError("`threads` must be an integer from 1 to 4096")
    return int(threads)


def ensemble(
    fun: Any,
    t_span: Sequence[float],
    y0: ArrayLike,
    *,
    t_eval: ArrayLike | None = None,
    events: Any = None,
    guards: Any = None,
    guard_count: int | None = None,
    impact: Any = None,
    impacts_at: Iterable[int | Sequence[int]] | int | None = None,
    jac: Any = None,
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
) -> OdeResult:
    """Solve the same problem from many initial conditions, in threads.

    All functions must be native (`numba.cfunc`, ctypes, cffi, `scipy.LowLevelCallable`), because the
    threads run without Python. The other arguments are those of `solve_ivp`.

    Parameters
    ----------
    y0 : array_like, shape (count, n)
        Initial states.
    user : array, optional
        With the shape (count, ...) the functions of each run receive the address of its row.
    threads : int, optional
        Number of threads. Default is the number of processors.

    Returns
    -------
    OdeResult
        t_end : ndarray, shape (count,)
        y_end : ndarray, shape (count, n)
        y : ndarray, shape (count, n, len(t_eval))
            States at `t_eval`; NaN after the end of a run. None without `t_eval`.
        status : ndarray of int, shape (count,)
            0, 1 or -1, as in `solve_ivp`.
        success : ndarray of bool, shape (count,)
        reason : list of str
            Statuses of libess.
        crossings, impacts, nfev : ndarray of int, shape (count,)
            Numbers of crossings, impacts and right-hand-side evaluations of each run.
        tangents : ndarray, shape (count, n, directions)
            Derivatives of the final states, if `tangents` is given; NaN where there is none.

    See Also
    --------
    ess.solve_ivp : A single run.
    """
    starts = np.ascontiguousarray(_ivp._numbers(y0, "y0"))
    if starts.ndim != 2 or starts.shape[1] == 0:
        raise ValueError("`y0` must have the shape (count, n) with n >= 1, a row for each run")
    if not np.isfinite(starts).all():
        raise ValueError("All components of the initial states `y0` must be finite.")
    count, n = starts.shape
    t0, t1 = _ivp._check_span(t_span)
    threads = _check_threads(threads)
    users, kept = _check_users(user, count)
    options = _ivp._options(
        fun, t0, t1, starts[0] if count else np.zeros(n), False, None, t_eval, False, events, False,
        None, guards, guard_count, impact, impacts_at, jac, None, tangents, rtol, atol, max_step,
        first_step, max_steps, tie, base, kept, sliding, rest=rest,
        t_jumps=t_jumps,
    )  # fmt: skip
    if any(callable(function) for function in options["functions"]):
        raise ValueError(
            "all functions of an ensemble must be native (numba.cfunc, ctypes, cffi, LowLevelCallable)"
        )
    # without a grid nothing of the way is kept
    is_grid, options["is_grid"] = options["is_grid"], True
    grid = options["times"]
    ends, times = np.full((count, n), np.nan), np.full(count, np.nan)
    states = np.full((count, len(grid), n), np.nan)
    followed = np.full((count, n, options["directions"].shape[1]), np.nan)
    numbers = np.zeros((count, 5), np.int64)
    with Watch(is_threaded=True) as options["watch"]:
        _native.ensemble(
            t0, _ivp._far(t1), starts, users, min(threads, max(count, 1)), options, ends, times,
            states, followed, numbers,
        )  # fmt: skip
    options["watch"]()
    failed = numbers[:, 0] != 0
    if failed.any() and np.isnan(ends[failed]).all() and numbers[failed, 4].sum() == 0:
        _refuse(numbers[failed][0, 0])
    status = np.where(failed, -1, np.where(numbers[:, 1] != 0, 1, 0))
    result = OdeResult(
        t_end=times,
        y_end=ends,
        y=states.transpose(0, 2, 1) if is_grid else None,
        status=status,
        success=status >= 0,
        reason=[_ivp._NAMES[code] for code in numbers[:, 0]],
        crossings=numbers[:, 2],
        impacts=numbers[:, 3],
        nfev=numbers[:, 4],
    )
    if options["directions"].shape[1]:
        result.tangents = followed
    return result


def _refuse(code):
    raise ValueError(f"libess: {_native.status_message(int(code))}")
