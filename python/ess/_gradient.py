# SPDX-License-Identifier: Apache-2.0
"""gradient: the derivative of one number, by an adjoint."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _ivp, _native
from ._callbacks import Watch
from ._progress import check_max_time
from ._result import OdeResult

__all__ = ["gradient"]


def check_memory(memory):
    is_count = isinstance(memory, (int, np.integer)) and not isinstance(memory, bool)
    if not is_count or not 2**16 <= memory < 2**46:
        raise ValueError("`memory` must be an integer, a number of bytes from 65536 on")
    return int(memory)


def _evaluate(objective, y, t):
    """the number, and its derivative by each of the states"""
    if not callable(objective):
        raise ValueError(f"`objective` must be a function; it is {type(objective).__name__}")
    found = objective(y.copy())
    if not isinstance(found, tuple) or len(found) != 2:
        raise ValueError("`objective` must return a pair: a number, and its derivative of the shape of `y`")
    value = _ivp._number(found[0], "objective", "a function whose first result is a number")
    slope = _ivp._numbers(found[1], "objective", "a function whose second result is an array")
    if slope.shape == (len(y),) and len(t) == 1:
        slope = slope[:, None]
    if slope.shape != y.shape:
        raise ValueError(
            f"`objective` must return a derivative of the shape {y.shape}, that of `y`; it has {slope.shape}"
        )
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
            As in `solve_ivp`. A run that fails has none of the entries above.

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
    """
    t0, t1 = _ivp._check_span(t_span)
    x0, as_complex = _ivp._check_y0(y0)
    memory, seconds = check_memory(memory), check_max_time(max_time, _ivp._number)
    if as_complex or len(x0) == 0:
        raise ValueError("`y0` must be real, with at least one state")
    times = _ivp.check_times([t1] if t_eval is None else t_eval, t0, t1)
    if len(times) == 0:
        raise ValueError("`t_eval` must have at least one time")
    count = len(x0) + (0 if params is None else np.size(params))
    options = _ivp._options(
        fun, t0, t1, x0, False, None, times, False, None, False, args, guards, guard_count, impact,
        impacts_at, jac, guard_jac, np.zeros((count, 1)), rtol, atol, max_step, first_step, max_steps,
        tie, base, user, sliding, params, params_jac, t_jumps=t_jumps, jump_params=jump_params,
    )  # fmt: skip
    options |= {"directions": np.zeros((count, 0)), "memory": memory, "max_time": seconds}
    with Watch() as options["watch"]:
        run = _native.solve(t0, t1, x0, options)
    options["watch"]()
    if run["reason"] and "t" not in run:
        raise ValueError(run["reason"])
    return _result(objective, run, len(x0), times, options)


def _result(objective, run, n, times, options):
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
    y, parts = run["x"].T, run["along"].reshape(len(times), -1)
    value, slope = _evaluate(objective, y, times)
    at, by_params = np.zeros(n), np.zeros((parts.shape[1] - n * n) // n)
    # from the last stretch to the first: what is seen at its end, and what follows it
    for k in reversed(range(len(times))):
        at = at + slope[:, k]
        by_params = by_params + parts[k, n * n :].reshape(-1, n) @ at
        at = parts[k, : n * n].reshape(n, n) @ at
    result.update(
        value=value, by_y0=at, by_params=by_params, t=times, y=y, smooth=_ivp._SMOOTH[run["smooth"]]
    )
    return result
