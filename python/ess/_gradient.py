# SPDX-License-Identifier: Apache-2.0
"""gradient: the derivative of one number, by an adjoint."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _ivp, _native
from ._callbacks import Watch
from ._functions import GUARDS, native
from ._progress import check_max_time
from ._result import OdeResult

__all__ = ["gradient"]


def check_memory(memory):
    is_count = isinstance(memory, (int, np.integer)) and not isinstance(memory, bool)
    if not is_count or not 2**16 <= memory < 2**46:
        raise ValueError("`memory` must be an integer, a number of bytes from 65536 on")
    return int(memory)


_PAIR = "a pair: a number, and its derivative of the shape of `y`"
_TRIPLE = "three results: a number, and its derivatives by `t` and by `y`"


class _Objective:
    """What is differentiated, which the native part asks for once, at the end of the run."""

    def __init__(self, function, has_event):
        self._function, self._has_event = function, has_event
        self.value, self.slope = np.nan, np.zeros((0, 0))

    def __call__(self, t, y):
        self.value, slope = _evaluate(self._function, y.T, t, self._has_event)
        self.slope = slope[: y.shape[1]]
        by_t = slope[y.shape[1] :, -1] if self._has_event else [0.0]
        return np.concatenate([self.slope[:, -1], by_t])


def _evaluate(objective, y, t, has_event):
    """the number, and its derivative by each of the states, and then by the time of an event"""
    found = objective(float(t[0]), y[:, 0].copy()) if has_event else objective(y.copy())
    if not isinstance(found, tuple) or len(found) != 2 + has_event:
        raise ValueError(f"`objective` must return {_TRIPLE if has_event else _PAIR}")
    value = _ivp._number(found[0], "objective", "a function whose first result is a number")
    slope = _ivp._numbers(found[-1], "objective", "a function whose last result is an array")
    if slope.shape == (len(y),) and len(t) == 1:
        slope = slope[:, None]
    if slope.shape != y.shape:
        wanted = y.shape[:1] if has_event else y.shape
        raise ValueError(
            f"`objective` must return a derivative of the shape {wanted}, that of `y`; it has {slope.shape}"
        )
    if has_event:
        by_t = _ivp._number(found[1], "objective", "a function whose second result is a number")
        slope = np.vstack([slope, [[by_t]]])
    if not np.isfinite(value) or not np.isfinite(slope).all():
        raise ValueError("`objective` must return finite numbers")
    return value, slope


def gradient(
    objective: Callable[..., Any],
    fun: Any,
    t_span: Sequence[float],
    y0: ArrayLike,
    *,
    t_eval: ArrayLike | None = None,
    event: Any = None,
    args: Iterable[Any] | None = None,
    guards: Any = None,
    guard_count: int | None = None,
    impact: Any = None,
    impacts_at: Iterable[int | Sequence[int]] | int | None = None,
    jac: Any = None,
    guard_jac: Any = None,
    params: ArrayLike | None = None,
    params_jac: Any = None,
    rtol: ArrayLike = 1e-8,
    atol: ArrayLike = 1e-10,
    max_step: float = np.inf,
    first_step: float | None = None,
    max_steps: int = 10_000_000,
    tie: float = 0.0,
    base: str | None = None,
    sliding: bool | Iterable[int] | int | None = None,
    user: Any = None,
    t_jumps: ArrayLike | None = None,
    jump_params: Iterable[int] | int | None = None,
    max_time: float | None = None,
    memory: int = 1 << 26,
) -> OdeResult:
    """Return a number that depends on a run, and its gradient by the adjoint method.

    The gradient with respect to the initial state and all `params` passes through crossings, impacts
    and slides. With `jac` and `params_jac` its cost hardly depends on the number of parameters. The
    arguments that are not listed here are those of `solve_ivp`.

    Parameters
    ----------
    objective : callable
        ``objective(y)`` receives the states at `t_eval`, shape (n, k). It returns a number and its
        derivative with respect to `y`, shape (n, k); without `t_eval` also (n,).
    t_eval : array_like, shape (k,), optional
        Times at which `objective` looks at the state. The run ends at the last of them. Default is
        the final time alone.
    event : callable, optional
        ``event(t, y)``, whose zero ends the run; it may have SciPy's attribute `direction`. The call
        is then ``objective(t, y)`` with the final time and state, shape (n,), and returns a number and
        its derivatives with respect to `t` and to `y`. The gradient contains the change of the final
        time. `t_span` may be infinite. It is not used together with `t_eval`.
    rtol, atol : float or array_like, shape (n,), optional
        Relative and absolute tolerance. Defaults are 1e-8 and 1e-10.
    memory : int, optional
        Bytes in which the run between two of `t_eval` is recorded. If it does not fit, parts of the
        run are repeated, at the cost of one more run. Default is 64 MB. Besides, each of `t_eval`
        takes n (n + p) numbers.

    Returns
    -------
    OdeResult
        value : float
            What `objective` has returned.
        by_y0 : ndarray, shape (n,)
            Derivative with respect to the initial state.
        by_params : ndarray, shape (p,)
            Derivative with respect to `params`; empty without them.
        t, y : ndarray, shapes (k,) and (n, k)
            Times and states that `objective` has received.
        smooth : str
            Differentiability of the flow, as in `solve_ivp`. Unless it is 'C1', the gradient is that of
            one of several pieces.
        nfev, njev, nsteps, status, success, message, reason
            As in `solve_ivp`: `status` is 1 if `event` ended the run. A run that fails has none of the
            entries above. It fails with `reason` 'EGRAZING' if `event` turns back at its zero within
            the tolerance, where its time has no derivative.

    Raises
    ------
    ValueError
        If an argument has a wrong value.
    Exception
        Exceptions of the given functions end the run and propagate.

    See Also
    --------
    ess.solve_ivp : With `tangents`, all derivatives of few parameters.
    ess.jax.flow : Derivatives for JAX.

    Notes
    -----
    An integral over the run is an additional state, whose rate is the integrand. Parameters that the
    guards or `impact` depend on are differentiated by differences at each crossing, and so are all
    without `params_jac`.

    Examples
    --------
    The height to which a ball has bounced after 1 s, by its initial state and its restitution:

    >>> import ess
    >>> run = ess.gradient(
    ...     lambda y: (y[0, 0], [1.0, 0.0]), lambda t, y, sign, p: [y[1], -9.81], (0, 1), [1.0, 0.0],
    ...     params=[0.8], guards=lambda t, y, p: y[0],
    ...     impact=lambda t, y, sign, crossed, p: [0.0, -p[0] * y[1]], impacts_at=[(0, -1)],
    ... )
    >>> print(round(run.value, 4), run.by_y0.round(4), run.by_params.round(4))
    0.468 [1.3865 0.1873] [2.4294]

    The time of a fall from 1 m, by the initial state:

    >>> run = ess.gradient(
    ...     lambda t, y: (t, 1.0, [0.0, 0.0]), lambda t, y: [y[1], -9.81], (0, 9), [1.0, 0.0],
    ...     event=lambda t, y: y[0],
    ... )
    >>> print(round(run.value, 4), run.by_y0.round(4))
    0.4515 [0.2258 0.1019]
    """
    t0, t1 = _ivp._check_span(t_span)
    x0, as_complex = _ivp._check_y0(y0)
    memory, seconds = check_memory(memory), check_max_time(max_time, _ivp._number)
    if as_complex or len(x0) == 0:
        raise ValueError("`y0` must be real, with at least one state")
    if event is not None and t_eval is not None:
        raise ValueError("`t_eval` and `event` exclude each other")
    if event is not None and not native(event, GUARDS, 0, "`event`"):
        _ivp._callable(event, "event")
    _ivp._check_handed(_ivp._callable(objective, "objective"), "objective", ["y"] if event is None else ["t", "y"])
    end = t1 if event is None else _ivp._far(t1)
    times = _ivp.check_times([end] if t_eval is None else t_eval, t0, end)
    if len(times) == 0:
        raise ValueError("`t_eval` must have at least one time")
    count = len(x0) + (0 if params is None else np.size(params))
    options = _ivp._options(
        fun, t0, end, x0, False, None, None, False, None if event is None else [event], False, args, guards, guard_count, impact,
        impacts_at, jac, guard_jac, np.zeros((count, 1)), rtol, atol, max_step, first_step, max_steps,
        tie, base, user, sliding, params, params_jac, t_jumps=t_jumps, jump_params=jump_params,
    )  # fmt: skip
    options |= {
        "directions": np.zeros((count, 0)), "memory": memory, "max_time": seconds, "times": times,
        "is_grid": True, "objective": _Objective(objective, event is not None), "terminal": np.ones(0 if event is None else 1, np.uint64),
    }  # fmt: skip
    with Watch() as options["watch"]:
        run = _native.solve(t0, end, x0, options)
    options["watch"]()
    if run["reason"] and "t" not in run:
        raise ValueError(run["reason"])
    return _result(run, len(x0), options)


def _result(run, n, options):
    status = _ivp._status(run)
    result = OdeResult(
        status=status,
        success=status >= 0,
        message=_ivp._message(run, status, options["guard_count"], options),
        reason=_ivp._NAMES[run["status"]],
        nfev=run["field_evaluations"],
        njev=run["jacobian_evaluations"],
        nsteps=run["steps"],
    )
    if result.reason == "ENOMEM":
        enough = 4 * run["recorded"]
        result.message = f"libess: the recording does not fit into `memory`; {enough} bytes are enough"
    if status < 0:
        return result
    # the last stretch, and those before it with all states as outcomes: what is seen at the end of
    # each, and what follows it
    found, objective = run["along"], options["objective"]
    each = n + len(options["params"])
    at, by_params = found[-each : n - each or None], found[n - each :] if each > n else np.zeros(0)
    earlier = found[:-each].reshape(-1, each, n)
    for k in reversed(range(len(earlier))):
        seen = at + objective.slope[:, k]
        by_params = by_params + earlier[k, n:] @ seen
        at = earlier[k, :n] @ seen
    result.update(
        value=objective.value, by_y0=at, by_params=by_params, t=run["t"], y=run["x"].T,
        smooth=_ivp._SMOOTH[run["smooth"]],
    )  # fmt: skip
    return result
