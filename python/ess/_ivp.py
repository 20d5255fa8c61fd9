# SPDX-License-Identifier: Apache-2.0
"""solve_ivp: checks the arguments, and assembles the result."""

from __future__ import annotations

import functools
import inspect
import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _native
from ._callbacks import Watch
from ._functions import FIELD, GUARDS, IMPACT, has_own_data, native
from ._progress import Reported, check_max_time
from ._result import OdeResult, OdeSolution

__all__ = ["OdeResult", "OdeSolution", "solve_ivp"]

_LOCATES = {"all": 0, "none": 1, "chosen": 2}
_BASES = {"dopri5": 0, "rkc": 1, "chosen": 2, "rodas": 3, "ros2": 4, "chosen_rodas": 5, "lit": 6}
# SciPy's methods by the base that stands for each, and the base for runs with tangents
_METHODS = {
    "RK23": ("dopri5", "dopri5"),
    "RK45": ("dopri5", "dopri5"),
    "DOP853": ("dopri5", "dopri5"),
    "Radau": ("rodas", "chosen"),
    "BDF": ("rodas", "chosen"),
    "LSODA": ("chosen_rodas", "chosen"),
}
_MESSAGES = {
    0: "The solver successfully reached the end of the integration interval.",
    1: "A termination event occurred.",
}
_SMOOTH = ("C1", "piecewise", "not counted")
_EPS = np.finfo(float).eps
_NAMES = (
    "SUCCESS EINVAL ENOMEM ECALLBACK EFIELD EEVENT EUNDERFLOW ELIVENESS ECHATTER EMAXSTEPS "
    "EMAXCROSSINGS ESTOP ESLIDING ETOLERANCE EJACOBIAN EIMPACT EZENO EGRAZING EDISCONTINUOUS "
    "EAFFINE EMAXTIME"
).split()


# ---- what is given ----------------------------------------------------------------------------


def _numbers(value, name, what="an array of numbers"):
    if value is None:
        raise ValueError(f"`{name}` must be {what}; it is None")
    try:
        return np.array(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"`{name}` must be {what} ({error})") from None


def _number(value, name, what="a number"):
    array = _numbers(value, name, what)
    if array.size != 1:
        raise ValueError(f"`{name}` must be {what}")
    return float(array.reshape(()))


def _check_span(t_span):
    try:
        t0, t1 = t_span
    except (TypeError, ValueError):
        raise ValueError("`t_span` must be two times, (t0, t1)") from None
    t0, t1 = _number(t0, "t_span", "two times"), _number(t1, "t_span", "two times")
    if not math.isfinite(t0) or math.isnan(t1):
        raise ValueError("`t_span` must be two times (t0, t1), t0 finite and t1 not NaN")
    return t0, t1


def _check_y0(y0):
    if y0 is None:
        raise ValueError("`y0` must be an array of numbers; it is None")
    try:
        y0 = np.array(y0)
        is_complex = np.issubdtype(y0.dtype, np.complexfloating)
        y0 = np.ascontiguousarray(y0, dtype=complex if is_complex else float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"`y0` must be an array of numbers ({error})") from None
    if y0.ndim == 0:
        y0 = y0.reshape(1)
    if y0.ndim != 1:
        raise ValueError("`y0` must be 1-dimensional.")
    if not np.isfinite(y0).all():
        raise ValueError("All components of the initial state `y0` must be finite.")
    return (y0.view(float), True) if is_complex else (y0, False)


def _check_tolerances(rtol, atol, n, as_complex):
    rtol, atol = _numbers(rtol, "rtol"), _numbers(atol, "atol")
    for name, value in (("rtol", rtol), ("atol", atol)):
        if as_complex and value.ndim == 1:
            value = np.repeat(value, 2)
        if value.shape not in ((), (1,), (n,)):
            raise ValueError(f"`{name}` has wrong shape: it must be a number or one for each state")
        if not (np.isfinite(value) & (value >= 0)).all():
            raise ValueError(f"`{name}` must be positive.")
        if name == "rtol":
            rtol = value
        else:
            atol = value
    if (rtol < 100 * _EPS).any():
        warnings.warn(
            "At least one element of `rtol` is too small. "
            f"Setting `rtol = np.maximum(rtol, {100 * _EPS})`.",
            stacklevel=4,
        )
        rtol = np.maximum(rtol, 100 * _EPS)
    if (rtol >= 1).any():
        raise ValueError("`rtol` must be below 1.")
    return np.array(np.broadcast_to(rtol, n)), np.array(np.broadcast_to(atol, n))


def _check_args(args):
    if args is None:
        return ()
    try:
        return (*args,)
    except TypeError as error:
        raise TypeError(
            "Supplied 'args' cannot be unpacked. Please supply `args` as a tuple "
            f"(e.g. `args=({args},)`)"
        ) from error


def _check_params(params, params_jac, user):
    """a copy for this run: libess perturbs the values when it takes finite differences"""
    if params is None:
        if params_jac is not None:
            raise ValueError("`params_jac`, the derivative with respect to `params`, needs `params`")
        return None
    values = _numbers(params, "params")
    if values.ndim == 0:
        values = values.reshape(1)
    if values.ndim != 1 or values.size == 0 or not np.isfinite(values).all():
        raise ValueError("`params` must be a 1-dimensional array of finite numbers")
    if user is not None:
        raise ValueError(
            "`user` and `params` exclude each other: native functions receive the address of `params`"
        )
    values = np.ascontiguousarray(values)
    values.setflags(write=False)
    return values


def check_times(t_eval, t0, t1):
    if t_eval is None:
        return np.zeros(0)
    times = np.ascontiguousarray(_numbers(t_eval, "t_eval"))
    if times.ndim != 1:
        raise ValueError("`t_eval` must be 1-dimensional.")
    if not ((times >= min(t0, t1)) & (times <= max(t0, t1))).all():
        raise ValueError("Values in `t_eval` are not within `t_span`.")
    if (np.diff(times) * (1 if t1 >= t0 else -1) <= 0).any():
        raise ValueError("Values in `t_eval` are not properly sorted.")
    return times


def check_jumps(t_jumps, t0, t1):
    """times of jumps, as numbers"""
    if t_jumps is None:
        return np.zeros(0)
    times = np.ascontiguousarray(_numbers(t_jumps, "t_jumps", "an array of ascending times"))
    if times.ndim != 1:
        raise ValueError("`t_jumps` must be a 1-dimensional array of ascending times")
    if not ((times >= min(t0, t1)) & (times <= max(t0, t1)) & np.isfinite(times)).all():
        raise ValueError("`t_jumps` must be finite, and within `t_span`")
    if (np.diff(times) <= 0).any():
        raise ValueError("`t_jumps` must ascend, also if the run goes backward in time")
    return times


def _check_jump_params(jump_params, jumps, params, t0, t1):
    """all times of jumps in order, and for each its index among `params`, or -1: a constant"""
    if jump_params is None:
        return jumps, np.zeros(0, np.intp)
    if params is None:
        raise ValueError("`jump_params`, indices of times among `params`, needs `params`")
    try:
        places = np.atleast_1d(np.asarray(jump_params))
        ok = places.ndim == 1 and (places.size == 0 or np.issubdtype(places.dtype, np.integer))
    except (TypeError, ValueError):
        ok = False
    if not ok or not ((places >= 0) & (places < len(params))).all():
        raise ValueError(f"`jump_params` must list indices of `params`, which are 0 to {len(params) - 1}")
    times = params[places.astype(np.intp)]
    if not ((times >= min(t0, t1)) & (times <= max(t0, t1))).all():
        raise ValueError("the `params` that `jump_params` lists must be within `t_span`")
    all_times = np.concatenate([jumps, times])
    named = np.concatenate([np.full(len(jumps), -1, np.intp), places.astype(np.intp)])
    order = np.argsort(all_times, kind="stable")
    all_times = all_times[order]
    if (np.diff(all_times) <= 0).any():
        twice = all_times[:-1][np.diff(all_times) <= 0][0]
        raise ValueError(f"the times of `jump_params` and `t_jumps` must differ; {twice:.17g} occurs twice")
    return all_times, named[order]


def _check_steps(max_step, first_step, t0, t1):
    max_step = _number(max_step, "max_step")
    if not max_step > 0:
        raise ValueError("`max_step` must be positive.")
    if first_step is None:
        return max_step, 0.0
    first_step = _number(first_step, "first_step")
    if not first_step > 0:
        raise ValueError("`first_step` must be positive.")
    if first_step > abs(t1 - t0):
        raise ValueError("`first_step` exceeds bounds.")
    return max_step, first_step


def _base_of(method, has_tangents):
    """the base that stands for one of SciPy's methods"""
    name = method if isinstance(method, str) else getattr(method, "__name__", None)
    if name not in _METHODS:
        known = ", ".join([*_BASES, *_METHODS])
        raise ValueError(f"`method` must be one of {known}.")
    base, with_tangents = _METHODS[name]
    if not has_tangents or base == with_tangents:
        return base
    warnings.warn(
        f"`method` '{name}' selects `base` '{base}', which does not support `tangents`: "
        f"this run uses `base` '{with_tangents}'.",
        stacklevel=5,
    )
    return with_tangents


def _check_base(method, base, has_tangents):
    if base is None:
        if method is None or isinstance(method, str) and method in _BASES:
            base = method or "dopri5"
        else:
            base = _base_of(method, has_tangents)
    if not isinstance(base, str) or base not in _BASES:
        raise ValueError(f"`base` must be one of {', '.join(_BASES)}.")
    return _BASES[base]


def _callable(function, name):
    if not callable(function):
        raise ValueError(f"`{name}` must be a function; it is {type(function).__name__}")
    return function


def _check_handed(function, name, handed):
    """that it takes these arguments; not every function can tell"""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*handed)
    except TypeError as error:
        raise TypeError(f"`{name}` must take ({', '.join(handed)}): {error}") from None


def _function(function, kind, user, name, handed):
    """what the native part takes for it: a callable, or (address, data)"""
    if function is None:
        return None
    found = native(function, kind, user, f"`{name}`")
    if not found:
        _check_handed(_callable(function, name), name, handed)
    return found or function


def _check_events(events):
    """functions, which crossings count and how many end the run, as SciPy has it"""
    if events is None:
        return [], b"", np.zeros(0, np.uint64)
    if callable(events) or not hasattr(events, "__iter__"):
        events = (events,)
    functions, direction, terminal = list(events), [], []
    for event in functions:
        last = getattr(event, "terminal", None)
        if last is not None:
            try:
                ok = int(last) == last and 0 <= last < 2**63
            except (TypeError, ValueError, OverflowError):
                ok = False
            if not ok:
                raise ValueError(
                    "The `terminal` attribute of each event must be a boolean or positive integer."
                )
        way = _number(getattr(event, "direction", 0) or 0, "direction")
        if way != way:
            raise ValueError("The `direction` attribute of each event must be a number; it is nan")
        direction.append((way > 0) - (way < 0))
        terminal.append(int(last or 0))
    return functions, np.array(direction, np.intc).tobytes(), np.array(terminal, np.uint64)


def _count_guards(guards, count, t0, y0, args):
    if guards is None:
        return 0
    if isinstance(guards, tuple):
        if count is None:
            raise ValueError("`guard_count` is required if `guards` is a native function")
    else:
        found = _numbers(guards(t0, y0.copy(), *args), "guards", "a function that returns numbers")
        if found.ndim > 1 or found.size == 0:
            raise ValueError("`guards` must return a number or a 1-dimensional array of numbers, at least one")
        if count is not None and count != found.size:
            raise ValueError(f"`guard_count` must be {found.size}, the number of values that `guards` returns")
        count = found.size
    if not isinstance(count, (int, np.integer)) or not 0 < count < 2**24:
        raise ValueError("`guard_count` must be a positive integer, the number of event functions")
    return int(count)


def _check_impacts(impact, impacts_at, guard_count):
    """which guards, of both directions of each event function, are impacts"""
    at = np.zeros((guard_count, 2), dtype=bool)
    if impact is None:
        if impacts_at is not None:
            raise ValueError("`impacts_at` needs `impact`")
        return at.tobytes()
    if guard_count == 0:
        raise ValueError("`impact` needs `guards`, whose crossings are the impacts")
    if impacts_at is None:
        at[:] = True
        return at.tobytes()
    for entry in np.atleast_1d(impacts_at) if np.ndim(impacts_at) == 0 else impacts_at:
        try:
            k, way = (entry, 0) if np.ndim(entry) == 0 else entry
            ok = int(k) == k and 0 <= k < guard_count and way in (-1, 0, 1)
        except (TypeError, ValueError):
            ok = False
        if not ok:
            raise ValueError(
                "`impacts_at` must list indices of guards, or pairs of an index and a direction "
                f"(-1, 0 or 1); indices are 0 to {guard_count - 1}"
            )
        at[int(k)] |= (way >= 0, way <= 0)
    return at.tobytes()


def _check_sliding(sliding, guard_count):
    """whether the state may slide, and on which guards; none: on each that can be slid on"""
    if sliding is None or sliding is False:
        return False, b""
    if guard_count == 0:
        raise ValueError("`sliding` needs `guards`")
    if sliding is True:
        return True, b""
    may = np.zeros(guard_count, dtype=bool)
    for k in np.atleast_1d(sliding) if np.ndim(sliding) == 0 else sliding:
        try:
            ok = not isinstance(k, (bool, np.bool_)) and int(k) == k and 0 <= k < guard_count
        except (TypeError, ValueError):
            ok = False
        if not ok:
            raise ValueError(
                "`sliding` must be True, False or a list of the guards that allow sliding; "
                f"indices are 0 to {guard_count - 1}"
            )
        may[int(k)] = True
    return True, may.tobytes()


def _check_rest(rest, impact, sliding, slides, guard_count):
    """whether the state may rest on the guards of impacts: it slides there, and nowhere else unasked"""
    if not isinstance(rest, (bool, np.bool_)):
        raise ValueError("`rest` must be True or False")
    if not rest:
        return sliding, slides
    if impact is None:
        raise ValueError("`rest` needs `impact`")
    return True, slides if sliding else np.zeros(guard_count, dtype=bool).tobytes()


def _check_directions(tangents, n, of=""):
    if tangents is None or tangents is False:
        return np.zeros((n, 0))
    if tangents is True:
        return np.eye(n)
    directions = _numbers(tangents, "tangents", "True or an array of directions of the shape (n, count)")
    if directions.ndim == 1:
        directions = directions.reshape(-1, 1)
    if directions.ndim != 2 or directions.shape[0] != n or not np.isfinite(directions).all():
        raise ValueError(
            f"`tangents` must be True or an array of finite directions of the shape ({n}, count){of}"
        )
    return np.ascontiguousarray(directions)


def _check_jac(jac, user, name, handed, as_complex=False):
    """a function, native or not, or a matrix that does not change"""
    if jac is None or callable(jac) or native(jac, FIELD, user, f"`{name}`"):
        return _function(jac, FIELD, user, name, handed)
    if hasattr(jac, "toarray"):
        jac = jac.toarray()
    matrix = jac if as_complex else _numbers(jac, name, "a function or a matrix")
    return lambda t, y, *rest: matrix


# ---- functions that are handed something else -------------------------------------------------


def _one_column(fun):
    """`fun` is vectorized: it takes and returns columns"""
    return lambda t, y, *rest: np.asarray(fun(t, y[:, None], *rest)).ravel()


def _complex_field(fun):
    def field(t, y, *rest):
        found = np.asarray(fun(t, y.view(complex), *rest), dtype=complex)
        return np.ascontiguousarray(found.reshape(-1)).view(float)

    return field


def _complex_jac(jac):
    """of the real and imaginary parts in turn: multiplication by a + ib is [[a, -b], [b, a]]"""

    def parts(t, y, *rest):
        found = jac(t, y.view(complex), *rest)
        found = np.asarray(found.toarray() if hasattr(found, "toarray") else found, dtype=complex)
        return np.kron(found.real, np.eye(2)) + np.kron(found.imag, [[0.0, -1.0], [1.0, 0.0]])

    return parts


def _complex_event(event):
    return lambda t, y, *rest: event(t, y.view(complex), *rest)


# ---- what comes of it -------------------------------------------------------------------------


def _remedy(run, options):
    """which option lets the run go on, where it is not on already"""
    k, reason = run["failure_guard"], _NAMES[run["status"]]
    if reason == "EZENO" and not options["rest"] and not options["directions"].shape[1]:
        return "with `rest=True` the state stays on the guard"
    if reason != "ESLIDING" or run["reason"] or k is None or k >= options["guard_count"]:
        return None
    slides, is_impact = options["slides"], any(options["impact_at"][2 * k : 2 * k + 2])
    if is_impact or options["sliding"] and (not slides or slides[k]):
        return None
    return f"with `sliding=True` or `sliding=[{k}]` the state slides along the guard"


def _message(run, status, guard_count, options):
    if status >= 0:
        return _MESSAGES[status]
    if _NAMES[run["status"]] == "EMAXTIME":
        return f"libess: `max_time` is over; the run has reached t = {run['t_end']:.9g}"
    parts = [run["status_message"]]
    is_own = _NAMES[run["status"]] == "EJACOBIAN" and run["failure_row"] is None
    if run["reason"] and is_own:
        is_guard = guard_count is None or run["failure_guard"] < guard_count
        parts = ["differences of `events` contradict each other: is one not differentiable?"]
        if is_guard:
            parts = ["differences of `guards` contradict each other, and `guard_jac` is not given"]
    elif run["reason"]:
        parts.append(run["reason"])
    guard = run["failure_guard"]
    if run["failure_row"] is not None:
        entry = f"{run['failure_row']}, {run['failure_column']}"
        parts[-1] = f"`jac`[{entry}] differs from differences of `fun`"
    if guard is not None and guard_count is not None:
        name = f"guard {guard}" if guard < guard_count else f"event {guard - guard_count}"
        parts.append(name)
    if _NAMES[run["status"]] == "ECALLBACK":
        parts.append(f"a native function returned {run['callback_code']}")
    if math.isfinite(run["failure_time"]):
        parts.append(f"at t = {run['failure_time']:.9g}")
    if options and (remedy := _remedy(run, options)):
        parts.append(remedy)
    return "libess: " + "; ".join(parts)


def _per_event(noted, noted_y, count):
    which = noted[:, 1].astype(int)
    t_events = [noted[which == k, 0] for k in range(count)]
    # as SciPy: nothing at all has the shape (0,)
    y_events = [noted_y[which == k] if (which == k).any() else np.zeros(0) for k in range(count)]
    return t_events, y_events


def _solution(run, y0, t0, t1, as_complex):
    way = -1.0 if t1 < t0 else 1.0
    end = (run["t_end"], run["x_end"]) if "x_end" in run else (t0, y0)
    return OdeSolution(run["pieces"], run["nodes"], len(y0), t0, y0, way, as_complex, end)


def _along(run, n):
    """directions on the grid, as `y` has the states: the times last"""
    rows = run["along"]
    return rows.reshape(len(rows), n, rows.shape[1] // n).transpose(1, 2, 0)


def _result(
    run, status, y0, t0, t1, n_events, guard_count, dense_output, as_complex, options=None
):  # fmt: skip
    def states(rows):
        return rows.view(complex) if as_complex else rows

    t_events = y_events = None
    if n_events is not None:
        t_events, y_events = _per_event(run["noted"], states(run["noted_x"]), n_events)
    crossed = run["crossed"]
    result = OdeResult(
        t=run["t"],
        y=states(run["x"]).T,
        sol=_solution(run, y0, t0, t1, as_complex) if dense_output else None,
        t_events=t_events,
        y_events=y_events,
        nfev=run["field_evaluations"],
        njev=run["jacobian_evaluations"],
        nlu=0,
        status=status,
        message=_message(run, status, guard_count, options),
        success=status >= 0,
        reason=_NAMES[run["status"]],
        t_crossings=crossed[:, 0],
        crossings=crossed[:, 1:].astype(int),
        t_impacts=run["impacts"],
        y_impacts=run["jumps"].reshape(-1, 2, len(y0)),
        t_slides=run["slides"][:, 0],
        slides=run["slides"][:, 1:].astype(int),
        sign=run["sign_end"],
        t_end=run["t_end"],
        y_end=states(run["x_end"]),
        ngev=run["event_evaluations"],
        nsteps=run["steps"],
        unlocated=run["unlocated"],
    )
    if "tangents" in run:
        result.tangents = run["tangents"]
        result.smooth = _SMOOTH[run["smooth"]]
    if "along" in run:
        result.tangents_at = _along(run, len(y0))
    if "sides" in run:
        directions = run["sides"].shape[1] // (2 * len(y0) + 1)
        result.dt_impacts = run["sides"][:, 2 * len(y0) * directions :]
        result.tangents_impacts = run["sides"][:, : -directions].reshape(-1, 2, len(y0), directions)
    if "event_dx" in run:
        result.event_dt, result.event_dy = run["event_dt"], run["event_dx"]
    return result


def _empty_result(t0, t1, times, events, dense_output):
    """of no states: nothing changes"""
    t = np.array([t0, t1]) if times is None else np.array(times, dtype=float)
    none = np.zeros((0, 2))
    run = {"pieces": none, "nodes": np.zeros((0, 0))}
    sol = _solution(run, np.zeros(0), t0, t0, False) if dense_output else None
    is_noted = events is not None
    count = 0 if events is None else len(_check_events(events)[0])
    return OdeResult(
        t=t,
        y=np.zeros((0, len(t))),
        sol=sol,
        t_events=[np.zeros(0)] * count if is_noted else None,
        y_events=[np.zeros(0)] * count if is_noted else None,
        nfev=0,
        njev=0,
        nlu=0,
        status=0,
        message=_MESSAGES[0],
        success=True,
        reason="SUCCESS",
    )


def _options(
    fun, t0, t1, y0, as_complex, method, t_eval, dense_output, events, vectorized, args, guards,
    guard_count, impact, impacts_at, jac, guard_jac, tangents, rtol, atol, max_step, first_step,
    max_steps, tie, base, user, sliding=None, params=None,
    params_jac=None, rest=False, is_system=False, t_jumps=None, jump_params=None, locate="all",
):  # fmt: skip
    """all that the native part is told, checked"""
    args = _check_args(args)
    params = _check_params(params, params_jac, user)
    if params is not None:
        args, user = (params, *args), params
    # what functions are handed, by name
    more = ["params"] * (params is not None) + ["arg"] * (len(args) - (params is not None))
    at, signed = ["t", "y", *more], ["t", "y", *["sign"] * (guards is not None), *more]
    # before `fun`, which is handed signs because of it
    guarding = _function(guards, GUARDS, user, "guards", at)
    field = _function(fun, FIELD, user, "fun", signed)
    if field is None and not is_system:
        raise ValueError("`fun` must be a function")
    times = check_times(t_eval, t0, t1)
    jumps, jump_params = _check_jump_params(jump_params, check_jumps(t_jumps, t0, t1), params, t0, t1)
    rtols, atols = _check_tolerances(rtol, atol, len(y0), as_complex)
    max_step, first_step = _check_steps(max_step, first_step, t0, t1)
    functions, direction, terminal = _check_events(events)
    if math.isinf(t1) and not terminal.any():
        raise ValueError("`t_span` must be finite unless an event of `events` is `terminal`")
    given = (fun, guards, impact, jac, guard_jac, params_jac, *functions)
    if params is not None and any(map(has_own_data, given)):
        raise ValueError("with `params` a LowLevelCallable must not have user data of its own")
    guards = guarding
    guard_count = _count_guards(guards, guard_count, t0, y0, args)
    impact = _function(impact, IMPACT, user, "impact", ["t", "y", "sign", "crossed", *more])
    is_sliding, slides = _check_sliding(sliding, guard_count)
    is_sliding, slides = _check_rest(rest, impact, is_sliding, slides, guard_count)
    count = len(y0) + (0 if params is None else len(params))
    rows = "" if params is None else ": a row for each state, then one for each of `params`"
    directions = _check_directions(tangents, count, rows)
    base = _check_base(method, base, directions.shape[1] > 0)
    locate = _check_locate(locate, impact, events, is_sliding, directions.shape[1] > 0)
    is_implicit = base in (_BASES["rodas"], _BASES["chosen_rodas"])
    takes_matrix, name = base in (_BASES["ros2"], _BASES["lit"]), list(_BASES)[base]
    if takes_matrix and not is_system:
        raise ValueError(f"`base` '{name}' is only available in ess.mujoco, which knows the damping of a robot")
    if (is_implicit or takes_matrix) and directions.shape[1]:
        raise ValueError(
            f"`base` '{name}' does not support `tangents`; 'dopri5', 'rkc' and 'chosen' do"
        )
    uses_jac = directions.shape[1] or is_implicit
    jac = _check_jac(jac, user, "jac", signed, as_complex) if uses_jac else None
    params_jac = _check_jac(params_jac, user, "params_jac", signed) if directions.shape[1] else None
    if as_complex and callable(jac):
        jac = _complex_jac(jac)
    is_count = isinstance(max_steps, (int, np.integer)) and not isinstance(max_steps, bool)
    if not is_count or not 0 < max_steps < 2**63:
        raise ValueError("`max_steps` must be a positive integer")
    within = np.count_nonzero((jumps != t0) & (jumps != t1))
    if within >= max_steps and not terminal.any():
        raise ValueError(
            f"`max_steps` must exceed the {within} times of `t_jumps`, at each of which a step ends, "
            "unless a terminal event may end the run before"
        )
    if vectorized and callable(field):
        field = _one_column(field)
    if as_complex:
        field = _complex_field(field)
        functions = [_complex_event(event) for event in functions]
    events = [_function(event, GUARDS, user, "events", at) for event in functions]
    if guard_jac is not None and guards is None:
        raise ValueError("`guard_jac`, the Jacobian of `guards`, needs `guards`")
    guard_jac = _function(guard_jac, GUARDS, user, "guard_jac", at)
    functions = [field, guards, impact, jac, guard_jac, params_jac, *events]
    if user is not None and params is None and not any(isinstance(one, tuple) for one in functions):
        raise ValueError("`user` is for native functions, and none is given; use `args` for Python functions")
    return {
        "functions": functions,
        "params": np.zeros(0) if params is None else params,
        "guard_count": guard_count,
        "args": args,
        "rtols": rtols,
        "atols": atols,
        "max_step": max_step,
        "first_step": first_step,
        "tie": _number(tie, "tie"),
        "base": base,
        "locate": locate,
        "max_steps": int(max_steps),
        "times": times,
        "jumps": jumps,
        "jump_params": jump_params.astype(np.int64),
        "is_grid": t_eval is not None,
        "is_dense": bool(dense_output),
        "directions": directions,
        "impact_at": _check_impacts(impact, impacts_at, guard_count),
        "sliding": is_sliding,
        "slides": slides,
        "rest": bool(rest),
        "direction": direction,
        "terminal": terminal,
        "max_time": math.inf,
        "progress": None,
        "memory": 0,
    }


def _check_locate(locate, impact, events, is_sliding, is_followed):
    if not isinstance(locate, str) or locate not in _LOCATES:
        raise ValueError("`locate` must be 'all', 'none' or 'chosen'")
    others = {"impact": impact, "events": events, "sliding": is_sliding, "tangents": is_followed}
    excluded = [name for name, given in others.items() if given]
    if locate != "all" and excluded:
        raise ValueError(f"`locate` must be 'all' with `{excluded[0]}`, which needs the crossings")
    return _LOCATES[locate]


def _far(t1):
    """a run without an end ends by an event, or is too long for a double"""
    return math.copysign(1e300, t1) if math.isinf(t1) else t1


def _status(run):
    """SciPy's: 0 at the end, 1 by an event, -1 where it has failed"""
    if run["status"] != 0:
        return -1
    return 1 if run["is_ended_by_event"] else 0


def solve_ivp(
    fun: Any,
    t_span: Sequence[float],
    y0: ArrayLike,
    method: str | type | None = None,
    t_eval: ArrayLike | None = None,
    dense_output: bool = False,
    events: Callable[..., Any] | Iterable[Any] | None = None,
    vectorized: bool = False,
    args: Iterable[Any] | None = None,
    *,
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
    jac_sparsity: Any = None,
    t_jumps: ArrayLike | None = None,
    jump_params: Iterable[int] | int | None = None,
    locate: str = "all",
    progress: bool | Callable[[float, float], object] | None = None,
    max_time: float | None = None,
) -> OdeResult:
    """Solve an initial value problem with events that switch the equations.

    The arguments and the result are those of `scipy.integrate.solve_ivp`, and more: `guards` select
    the equations by their signs, and `impact` resets the state.

    Parameters
    ----------
    fun : callable
        Right-hand side: the time derivative of the state, shape (n,). The signature is ``fun(t, y)``,
        or ``fun(t, y, sign)`` with `guards`. ``sign[k]`` is -1.0 or 1.0: the side of guard k. `fun`
        must select its equations by `sign`, not by the values of the guards, because it is also
        evaluated slightly beyond a guard. Native functions (see `user`) run without Python.
    t_span : (float, float)
        Initial and final time. The final time may be less than the initial one, and infinite if an
        event ends the run.
    y0 : array_like, shape (n,)
        Initial state. It may be complex if there are no `guards`.
    method : str, optional
        SciPy's name of a method, or one of `base`; the default is 'dopri5'. 'RK23', 'RK45' and
        'DOP853' select 'dopri5', of order 5(4); 'DOP853' is not of order 8 here. 'Radau' and 'BDF'
        select 'rodas', and 'LSODA' selects 'chosen_rodas'. With `tangents`, which 'rodas' does not
        support, all three select 'chosen' with a warning.
    t_eval : array_like, shape (k,), optional
        Times at which to return the state. By default these are the ends of the steps, and an impact
        has two columns of the same time. At the time of an impact given in `t_eval` the state is the
        one after it, as in `sol` and `y_end`.
    dense_output : bool, optional
        Whether to return `sol`. Default is False.
    events : callable or list of callables, optional
        Functions ``event(t, y)`` without effect on the right-hand side, with SciPy's attributes
        `terminal` and `direction`. All zeros with a change of sign are located, also several within
        a step. A zero at the initial time does not count: a run that begins where an event ended
        another does not find that event again. If an impact changes the sign, the event is at the
        time of the impact, with the state after it.
    vectorized : bool, optional
        Whether `fun` takes states as columns. It is called with one column. Default is False.
    args : tuple, optional
        Further arguments of all functions.
    guards : callable, optional
        ``guards(t, y)`` returns m numbers, whose signs select the equations.
    guard_count : int, optional
        m; required if `guards` is native.
    impact : callable, optional
        ``impact(t, y, sign, crossed)`` is called when the guards in the list `crossed` cross zero at
        one instant. It returns the state after the impact, or ``(state, sign)``. If `sign` is missing
        or 0 for a guard, the state or the equations determine the side. If a guard depends on time
        alone, the time of the impact is exact. An impact at the final time is executed, and a run
        that begins there does not repeat it.
    impacts_at : int or list, optional
        Guards whose crossings are impacts: indices, or pairs ``(index, direction)`` with direction
        1 (upwards), -1 (downwards) or 0 (both). Default is all guards.
    jac : callable or array_like, shape (n, n), optional
        Jacobian of `fun`, constant or ``jac(t, y)``, or ``jac(t, y, sign)`` with `guards`.
        `tangents`, 'rodas' and 'chosen_rodas' use it. Default is finite differences. With 'rodas' a
        wrong Jacobian ends the run with `reason` 'EJACOBIAN'.
    guard_jac : callable, optional
        ``guard_jac(t, y)``: the Jacobian of `guards` with respect to the state, shape (m, n). Default
        is finite differences, whose cost grows with the number of guards. A wrong Jacobian ends the
        run.
    params : array_like, shape (p,), optional
        Parameters with respect to which `tangents` are computed, too. All functions receive them as
        one array before `args`; native functions receive their address instead of `user`. Functions
        must not keep the array, because finite differences perturb it.
    params_jac : callable or array_like, shape (n, p), optional
        Derivative of `fun` with respect to `params`: ``params_jac(t, y, params)``, or
        ``params_jac(t, y, sign, params)`` with `guards`. Default is finite differences, which guards
        and impacts always use.
    tangents : bool or array_like, shape (n, count), optional
        True: also return the derivative of the final state, and of the states at `t_eval`, with
        respect to `y0`, and then to `params`. An array: directions, with an additional row for each
        of `params`.
    rtol, atol : float or array_like, shape (n,), optional
        Relative and absolute tolerance. The estimated error of a step is below
        ``atol + rtol * abs(y)``, crossings and impacts included. Defaults are 1e-3 and 1e-6, as in
        SciPy; `ess.jax.flow` has its own.
    max_step : float, optional
        Longest step. Default is np.inf.
    first_step : float, optional
        Length of the first step. By default it is estimated.
    max_steps : int, optional
        Largest number of steps, after which the run ends with ``success=False``. Default is
        10_000_000.
    tie : float, optional
        Simultaneity tolerance: events closer in time than `tie` are simultaneous. With the default 0
        those are simultaneous whose order the tolerance cannot resolve. Guards that depend on time
        alone are always ordered.
    base : str, optional
        Step method: 'dopri5', 'rkc' (explicit stabilised, for mildly stiff equations), 'chosen' (the
        cheaper of these two), 'rodas' (linearly implicit, for stiff equations; uses `jac`, does not
        support `tangents`) or 'chosen_rodas' ('rodas' where the equations are stiff, else 'dopri5').
        Default is that of `method`.
    sliding : bool, int or list of int, optional
        True: if the right-hand side on both sides of a guard points towards it, as with static
        friction, the state slides along the guard's zero (Filippov). The same holds where a force
        holds a body on a guard against ever smaller bounces. A list: the guards that allow sliding,
        none of which may belong to an impact. By default such a run ends with ``success=False``.
    rest : bool, optional
        True: where impacts accumulate, or an impact absorbs all of the normal speed, the state stays
        on the guard until the contact force would have to pull. `slides` has these intervals.
        `impact` is then also evaluated for states that approach the guard slowly. By default, and
        with `tangents`, such a run ends with `reason` 'EZENO'.
    user : array, ctypes object or address, optional
        Data for native functions. Native functions are those of `numba.cfunc`, ctypes, cffi and
        `scipy.LowLevelCallable`, with the signatures `ess.FIELD`, `ess.GUARDS` and `ess.IMPACT`.
    jac_sparsity : optional
        Accepted for compatibility with SciPy and ignored.
    t_jumps : array_like, optional
        Times within `t_span`, in the direction of the run, at which `fun` jumps by time alone. Steps
        end there. Before such a time T `fun` receives only times below T, and after it only T or
        later, in both directions of time, so a comparison ``t < T`` is always on the right side.
        Without `t_jumps` a step may miss a short pulse while the run ends with ``success=True``.
        Guards must be continuous at these times. `impact` handles jumps of the state. The times are
        constants of `tangents`; those of `jump_params` are not.
    jump_params : int or list of int, optional
        Indices of those `params` that are further times at which `fun` jumps, in any order. `fun`
        compares `t` with them. `tangents` contain the derivative with respect to such a time; at an end
        of `t_span` its jump has no effect. Without `params_jac` a rate takes three evaluations of
        `fun` for each time. If `fun` only compares `t` with the times, their columns in `params_jac`
        are 0. If a crossing or an impact is simultaneous with such a time, the derivative depends on
        their order, and a run with `tangents` ends with `reason` 'EDISCONTINUOUS'.
    locate : str, optional
        'all' (default): crossings are located. 'none': steps pass over them, and `fun` is evaluated with
        the signs of its own state; only the error estimate shortens steps there, and it sees a part of the
        effect, so that errors may be tens of tolerances. 'chosen': whichever of both takes fewer
        evaluations, tried in turn. With 'none' and 'chosen' no crossing is reported; `unlocated` counts
        such steps. For loose tolerances and runs whose crossing times are not needed; not with `impact`,
        `events`, `sliding` or `tangents`.
    progress : bool or callable, optional
        True: show how much of `t_span` is done, by tqdm if it is installed, otherwise as a line on
        standard error. A function ``progress(done, whole)`` is called about ten times a second and at
        the end, with the time integrated so far and that of the whole run. An exception in it ends
        the run and propagates. Default is None.
    max_time : float, optional
        Seconds that the run may take. It is checked after each step; a run that takes longer ends
        with ``success=False``, `reason` 'EMAXTIME' and the results up to the time reached. Default is
        None: no limit.

    Returns
    -------
    OdeResult
        SciPy's entries:

        t : ndarray, shape (k,)
            Times.
        y : ndarray, shape (n, k)
            States at `t`.
        sol : OdeSolution or None
            The solution as a function of time, with `dense_output`.
        t_events, y_events : list of ndarray or None
            Times and states of each of `events`: shapes (count,) and (count, n).
        nfev, njev, nlu : int
            Evaluations of `fun` and `jac`, and LU factorisations.
        status : int
            0: the final time was reached. 1: an event ended the run. -1: the run failed.
        message : str
            Description of `status`.
        success : bool
            Whether `status` is 0 or 1.

        Further entries:

        t_crossings, crossings : ndarray, shapes (count,) and (count, 2)
            Times of guard crossings, and rows ``(guard, direction)``.
        t_impacts, y_impacts : ndarray, shapes (count,) and (count, 2, n)
            Times of impacts, and the states before and after each.
        t_slides, slides : ndarray, shapes (count,) and (count, 2)
            Times at which slides begin and end, and rows ``(guard, 1)`` or ``(guard, -1)``.
        t_end, y_end, sign
            Final time, state and signs.
        tangents : ndarray, shape (n, count)
            Derivative of the final state.
        tangents_at : ndarray, shape (n, count, k)
            Derivatives of the states at `t_eval`, with `tangents` and `t_eval`; at the time of an
            impact those of the state after it. They take no further evaluations.
        tangents_impacts : ndarray, shape (count, 2, n, directions)
            Derivatives just before and just after each impact, with `tangents`: those of the state at
            this fixed time.
        dt_impacts : ndarray, shape (count, directions)
            Derivatives of `t_impacts`. A state of `y_impacts` changes by its derivative in
            `tangents_impacts`, plus its rate times that of the time.
        smooth : str
            Differentiability of the flow there: 'C1', 'piecewise' or 'not counted'.
        event_dt, event_dy : ndarray
            Derivatives of the final time and state, if an event ended the run.
        reason : str
            Status of libess: 'SUCCESS', or the reason for which the run ended early.
        ngev, nsteps, unlocated : int
            Evaluations of guards and events, steps, and those of them that locate no crossings.

    Raises
    ------
    ValueError
        If an argument has a wrong value, or if arguments contradict each other. The message names the
        argument and the accepted values.
    TypeError
        If a function does not accept the arguments it would receive, or an argument has a wrong type.
    Exception
        Exceptions of the given functions end the run and propagate. A run that fails raises nothing:
        it returns with ``success=False`` and a `reason`.

    See Also
    --------
    ess.ensemble : Many runs of native functions in threads.
    ess.jax.flow : The final state as a function that JAX differentiates.
    ess.mujoco.simulate : Runs of a MuJoCo model.

    Notes
    -----
    **Differences from SciPy.**

    - `guards` and `impact` change the equations and the state within one run. In SciPy such a run
      ends with a terminal event and is restarted.
    - All zeros of an event within a step are located. SciPy finds at most one per step.
    - `method` selects one of the methods of libess (see above). A class is not accepted unless it is
      one of SciPy's, whose name then counts.
    - The error estimate includes crossings and impacts.
    - `jac_sparsity` is ignored, and options of SciPy that are not listed here are refused.

    Examples
    --------
    A ball falls from a height of 1 m and bounces with a restitution of 0.8:

    >>> from ess import solve_ivp
    >>> run = solve_ivp(
    ...     lambda t, y, sign: [y[1], -9.81], (0, 1), [1.0, 0.0],
    ...     guards=lambda t, y: y[0], impact=lambda t, y, sign, crossed: [0.0, -0.8 * y[1]],
    ... )
    >>> print(run.t_impacts.round(3))
    [0.452]

    A pulse of length 0.05, which steps would miss without `t_jumps`:

    >>> pulse = lambda t, y: [20.0 if 5.0 <= t < 5.05 else 0.0]
    >>> run = solve_ivp(pulse, (0, 10), [0.0], t_jumps=[5.0, 5.05])
    >>> print(round(run.y_end[0], 9))
    1.0

    The derivative of the end with respect to the times of such a pulse:

    >>> pulse = lambda t, y, p: [20.0 if p[0] <= t < p[1] else 0.0]
    >>> run = solve_ivp(
    ...     pulse, (0, 10), [0.0], params=[5.0, 5.05], jump_params=[0, 1],
    ...     tangents=True, params_jac=[[0.0, 0.0]],
    ... )
    >>> print(run.tangents.round(9))
    [[  1. -20.  20.]]
    """
    given = locals() | {"t_eval": None, "dense_output": True, "progress": None, "max_time": None}
    t0, t1 = _check_span(t_span)
    x0, as_complex = _check_y0(y0)
    reported, seconds = Reported(progress, "units of time"), check_max_time(max_time, _number)
    if len(x0) == 0:
        _check_args(args)
        return _empty_result(t0, t1, t_eval, events, dense_output)
    if as_complex and (guards is not None or tangents is not None or native(fun, FIELD, 0, "`fun`")):
        raise ValueError("`y0` must be real if there are guards, tangents or native functions")
    options = _options(
        fun, t0, t1, x0, as_complex, method, t_eval, dense_output, events, vectorized, args, guards,
        guard_count, impact, impacts_at, jac, guard_jac, tangents, rtol, atol, max_step, first_step,
        max_steps, tie, base, user, sliding, params, params_jac, rest,
        t_jumps=t_jumps, jump_params=jump_params, locate=locate,
    )  # fmt: skip
    options["max_time"], options["progress"] = seconds, reported.function
    with reported, Watch() as options["watch"]:
        run = _native.solve(t0, _far(t1), x0, options)
        if "t_end" in run:
            reported(abs(run["t_end"] - t0), abs(_far(t1) - t0))
    options["watch"]()
    if run["reason"] and "t" not in run:
        raise ValueError(run["reason"])
    n_events = None if events is None else len(options["terminal"])
    guard_count = options["guard_count"]
    result = _result(
        run, _status(run), x0, t0, t1, n_events, guard_count, dense_output, as_complex, options
    )
    if result.reason == "EMAXTIME":
        given["t_span"] = (t0, result.t_end)
    result._keep(functools.partial(solve_ivp, **given))
    return result
