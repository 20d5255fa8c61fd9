# SPDX-License-Identifier: Apache-2.0
"""Derivatives for JAX, through crossings and impacts.

`flow` returns a function from the initial state and parameters to the final state. JAX differentiates
it by `jax.grad`, `jax.jvp`, `jax.vjp` and `jax.jacobian`. libess propagates the derivatives.
"""

from __future__ import annotations

import concurrent.futures
import functools
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

try:
    import jax
    import jax.numpy as jnp
    from jax.flatten_util import ravel_pytree
except ModuleNotFoundError as absent:
    raise ModuleNotFoundError("ess.jax needs the package jax: pip install jax") from absent

from ._ensemble import run_members
from ._functions import FIELD, GUARDS, IMPACT, native
from ._gradient import check_memory, gradient
from ._ivp import check_jumps, check_times, solve_ivp

__all__ = ["NoDerivative", "flow"]


class NoDerivative(ValueError):
    """Raised if there is no derivative, or none that is valid for all directions.

    Examples
    --------
    >>> from ess.jax import NoDerivative
    >>> print(issubclass(NoDerivative, ValueError))
    True
    """


class _Compiled:
    """A function of arrays, compiled. One that looks at a sign with `if` is compiled for each mode."""

    def __init__(self, function):
        self._traced = jax.jit(function)
        self._function = function
        self._modes = {}
        self._is_by_mode = False

    def __call__(self, t, y, sign, p):
        if not self._is_by_mode:
            try:
                return jax.tree_util.tree_map(np.asarray, self._traced(t, y, sign, p))
            except jax.errors.ConcretizationTypeError:
                self._is_by_mode = True
        key = sign.tobytes()
        if key not in self._modes:
            mode = sign.copy()
            self._modes[key] = jax.jit(lambda t, y, p: self._function(t, y, mode, p))
        return jax.tree_util.tree_map(np.asarray, self._modes[key](t, y, p))


class _Both:
    """Derivatives of a rate by the state and by p, in one call: libess asks for one after the other."""

    def __init__(self, rate):
        by_p = _by_parameters(rate)
        self._compiled = _Compiled(lambda *at: (jax.jacfwd(rate, argnums=1)(*at), by_p(*at)))
        self._last: tuple[Any, Any] = None, None

    def __call__(self, which, t, y, sign, p):
        at = t, y.tobytes(), sign.tobytes(), p.tobytes()
        before, found = self._last
        if at != before:
            found = self._compiled(t, y, sign, p)
            self._last = at, found
        return found[which]


def _by_parameters(rate):
    """the derivative by p, in the mode that takes fewer passes"""

    def derivative(t, y, s, p):
        if p.size > y.size:
            try:
                return jax.jacrev(rate, argnums=3)(t, y, s, p)
            except ValueError:  # a loop whose length is not known has no such mode
                pass
        return jax.jacfwd(rate, argnums=3)(t, y, s, p)

    return derivative


def _is_concrete(tree):
    return not any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree_util.tree_leaves(tree))


def _double(x):
    return np.array(x, dtype=float)


def _places_of(select, unravel, count):
    """which numbers of p a function of p selects"""
    with jax.ensure_compile_time_eval():
        places = np.ravel(np.asarray(select(unravel(jnp.arange(count, dtype=float)))))
    if not (np.isin(places, np.arange(count)).all()):
        raise ValueError(_NO_SELECTION)
    return places.astype(np.intp)


_NO_SELECTION = (
    "`t_jumps` must select numbers of `p`, and not compute: compute the times before, and pass them in `p`"
)


def _refuse_failed(r):
    if np.all(r.success):
        return
    reason, message = r.reason, r.message
    if isinstance(reason, list):
        first = int(np.flatnonzero(~r.success)[0])
        reason, message = reason[first], f"member {first}: {message[first]}"
    raise (NoDerivative if reason in ("EGRAZING", "EDISCONTINUOUS") else RuntimeError)(message)


def _refuse_pieces(smooth):
    worst = [kind for kind in np.atleast_1d(smooth) if kind != "C1"]
    if worst:
        raise NoDerivative(
            f"libess: the flow is {worst[0]} there: events are simultaneous, and the derivative depends "
            "on the direction; jax.jvp returns the derivative in one direction"
        )


def _as_rows(outcomes, batch):
    """outcomes of the members of a batch, in its shape"""
    return tuple(one.reshape(*batch, *one.shape[1:]) for one in map(np.asarray, outcomes))


class _Flow:
    """One flow for parameters of one structure, as libess sees it: `params` are the numbers in it.

    Its methods take one initial state and its parameters, or a batch of them, whose runs are one
    ensemble.
    """

    def __init__(
        self, fun, t_span, guards, impact, options, unravel, select, count, t_eval, event, memory, jac,
        params_jac,
    ):  # fmt: skip
        self._t_span, self._options, self._memory = t_span, options, memory
        self._times, self._has_event = t_eval, event is not None
        self._select, self._places = select, _places_of(select, unravel, count) if select else None
        self._unravel = unravel
        self._derivatives: dict[str, Any] = {}
        self._field = fun
        self.is_native = _is_native(fun, FIELD, "fun")
        has_params, none = count > 0, np.zeros(0)

        # each calls what follows the time and the state: the signs, where there are guards, and the
        # parameters, where there are some
        def split(rest):
            return rest[0] if guards is not None else none, rest[-1] if has_params else none

        def rate(t, y, s, p):
            rest = (s, unravel(p)) if guards is not None else (unravel(p),)
            return jnp.asarray(fun(t, y, *rest), dtype=float)

        def signed(compiled):
            return lambda t, y, *rest: compiled(t, y, *split(rest))

        def unsigned(function, shape):
            compiled = _Compiled(
                lambda t, y, s, p: jnp.reshape(jnp.asarray(function(t, y, unravel(p)), dtype=float), shape)
            )
            return lambda t, y, *rest: compiled(t, y, none, rest[0] if has_params else none)

        if self.is_native:
            self._derivatives |= {"jac": jac, "params_jac": params_jac if has_params else None}
        else:
            self._field = signed(_Compiled(rate))
            if has_params:
                both = _Both(rate)
                self._derivatives["jac"] = signed(functools.partial(both, 0))
                self._derivatives["params_jac"] = signed(functools.partial(both, 1))
            else:
                self._derivatives["jac"] = signed(_Compiled(jax.jacfwd(rate, argnums=1)))

        def reset(t, y, sign, crossed, *rest):
            # JAX may keep what it is given; libess moves these numbers
            parameters = rest[0].copy() if has_params else none
            found = impact(t, y, sign, crossed, unravel(parameters))
            after: tuple[np.ndarray, ...] = ()
            if isinstance(found, tuple) and len(found) == 2 and np.ndim(found[0]) == 1:
                found, after = found[0], (np.asarray(found[1]),)
            state = np.asarray(jnp.asarray(found, dtype=float))
            return (state, *after) if after else state

        def ends(*arguments):
            return reached(*arguments)

        self._functions: dict[str, Any] = {}
        if guards is not None:
            is_native = _is_native(guards, GUARDS, "guards")
            self.is_native &= is_native
            self._functions["guards"] = guards if is_native else unsigned(guards, -1)
        if impact is not None:
            is_native = _is_native(impact, IMPACT, "impact")
            self.is_native &= is_native
            self._functions["impact"] = impact if is_native else reset
        if event is not None:
            reached, self.is_native = unsigned(event, ()), False
            vars(ends).update(terminal=True, direction=getattr(event, "direction", 0))
            self._functions["events"] = ends

    def shape(self, n):
        """of what is returned: the state at the end, states at times, or the end's time and state"""
        return (n + 1,) if self._has_event else (n,) if self._times is None else (len(self._times), n)

    def _outcome(self, r, has_directions):
        """what is returned, and its derivative; of a run, or of all members"""
        _refuse_failed(r)
        if has_directions and np.isnan(r.get("tangents", np.nan)).any():
            raise NoDerivative("libess: a direction became non-finite during the run")
        if self._times is not None:
            along = np.moveaxis(r.tangents_at, -1, -3) if has_directions else None
            return np.swapaxes(r.y, -1, -2), along
        if not self._has_event:
            return r.y_end, r.tangents if has_directions else None
        late = np.ravel(r.t_end)[np.ravel(r.status) != 1]
        if len(late):
            raise RuntimeError(f"libess: `event` has not occurred by t = {late[0]:.9g}")
        end = np.concatenate([np.expand_dims(r.t_end, -1), r.y_end], axis=-1)
        if not has_directions:
            return end, None
        return end, np.concatenate([np.expand_dims(r.event_dt, -2), r.event_dy], axis=-2)

    def _given(self, p, has_derivatives):
        """the options of a run, or of all members"""
        options = self._options | self._functions
        if p.shape[-1]:
            options["params"] = p
        if self._select:
            for row in p.reshape(-1, p.shape[-1]):
                if not np.array_equal(np.ravel(self._select(self._unravel(row))), row[self._places]):
                    raise ValueError(_NO_SELECTION)
            options["jump_params"] = self._places
        return options | self._derivatives if has_derivatives else options

    def run(self, y0, p, directions=None):
        """what is returned; with directions (dy; dp) its derivative, and whether that is linear"""
        options, has_directions = self._given(p, directions is not None), directions is not None
        options["tangents"] = directions
        if y0.ndim == 1:
            times = self._times if self._times is not None else ()
            r = solve_ivp(self._field, self._t_span, y0, t_eval=times, **options)
        else:
            r, errors = run_members(
                fun=self._field, t_span=self._t_span, y0=y0, t_eval=self._times, **options
            )
            for error in errors.values():
                raise error
        return (*self._outcome(r, has_directions), r.smooth if has_directions else "C1")

    def _batched(self, method, y0, *more):
        """`method` of one member, or of a batch as rows"""
        given = [_double(one) for one in (y0, *more)]
        batch = given[0].shape[:-1]
        if len(batch) < 2:
            return method(*given)
        found = method(*[one.reshape(-1, *one.shape[len(batch) :]) for one in given])
        return _as_rows(found, batch) if isinstance(found, tuple) else _as_rows((found,), batch)[0]

    def end(self, y0, p):
        return self._batched(lambda y0, p: self.run(y0, p)[0], y0, p)

    def jacobian(self, y0, p):
        """the end, and its derivative by (y0, p), where that is one for all directions"""

        def both(y0, p):
            end, found, smooth = self.run(y0, p, np.eye(y0.shape[-1] + p.shape[-1]))
            _refuse_pieces(smooth)
            return end, found

        return self._batched(both, y0, p)

    def along(self, y0, p, dy, dp):
        """the end, and its derivative along one direction, one-sided where it is so"""
        direction = np.concatenate([_double(dy), _double(dp)])[:, None]
        end, found, _ = self.run(_double(y0), _double(p), direction)
        return end, found[..., 0]

    def back(self, y0, p, cotangent):
        """the gradient by (y0, p) of what is returned times its cotangent, by the adjoint"""

        def rows(y0, p, cotangent):
            if y0.ndim == 1:
                return self._back(y0, p, cotangent)
            # of native functions in threads, which do not hold the lock of Python
            threads = len(os.sched_getaffinity(0)) if self.is_native else 1
            with concurrent.futures.ThreadPoolExecutor(threads) as executor:
                found = list(executor.map(self._back, y0, p, cotangent))
            return tuple(map(np.array, zip(*found)))

        return self._batched(rows, y0, p, cotangent)

    def _back(self, y0, p, cotangent):
        options = self._given(p, True)
        options.pop("rest")
        if self._has_event:
            weight = cotangent[1:]
            options["event"] = options.pop("events")
            r = gradient(
                lambda t, y: (cotangent[0] * t + weight @ y, cotangent[0], weight), self._field,
                self._t_span, y0, memory=self._memory, **options,
            )  # fmt: skip
        else:
            weight = cotangent.reshape(-1, len(y0)).T
            r = gradient(
                lambda y: (float((weight * y).sum()), weight), self._field, self._t_span, y0,
                t_eval=self._times, memory=self._memory, **options,
            )  # fmt: skip
        _refuse_failed(r)
        _refuse_pieces(r.smooth)
        return r.by_y0, r.by_params


def _is_native(function, kind, name):
    found = native(function, kind, 0, f"`{name}`")
    if not found and not callable(function):
        raise ValueError(f"`{name}` must be a function; it is {type(function).__name__}")
    return found is not None


def _call(method, shapes, *arguments):
    """a batch by jax.vmap is one call, with all of its members"""
    if _is_concrete(arguments):
        return jax.tree_util.tree_map(jnp.asarray, method(*arguments))
    return jax.pure_callback(method, shapes, *arguments, vmap_method="broadcast_all")


def _as_reverse(flow):
    """what JAX differentiates backward alone, by the adjoint: of flat arrays"""

    @jax.custom_vjp
    def end(y0, p):
        return _call(flow.end, jax.ShapeDtypeStruct(flow.shape(y0.shape[0]), y0.dtype), y0, p)

    def forward(y0, p):
        return end(y0, p), (y0, p)

    def backward(kept, cotangent):
        y0, p = kept
        shapes = jax.ShapeDtypeStruct(y0.shape, y0.dtype), jax.ShapeDtypeStruct(p.shape, p.dtype)
        return _call(flow.back, shapes, y0, p, cotangent)

    end.defvjp(forward, backward)
    return end


def _as_function(flow):
    """what JAX differentiates: of flat arrays"""

    def shapes(y0, p):
        shape = flow.shape(y0.shape[0])
        end = jax.ShapeDtypeStruct(shape, y0.dtype)
        return end, jax.ShapeDtypeStruct((*shape, y0.shape[0] + p.shape[0]), y0.dtype)

    @jax.custom_jvp
    def jacobian(y0, p):
        return _call(flow.jacobian, shapes(y0, p), y0, p)

    @jacobian.defjvp
    def no_second(primals, tangents):
        raise NoDerivative("libess: second derivatives of a flow are not available, only first ones")

    @jax.custom_jvp
    def end(y0, p):
        return _call(flow.end, shapes(y0, p)[0], y0, p)

    @end.defjvp
    def end_jvp(primals, tangents):
        y0, p = primals
        dy, dp = tangents
        if _is_concrete((y0, p, dy, dp)):
            return tuple(map(jnp.asarray, flow.along(y0, p, dy, dp)))
        value, J = jacobian(y0, p)
        n = y0.shape[0]
        return value, J[..., :n] @ dy + J[..., n:] @ dp

    return end


def flow(
    fun: Callable[..., Any],
    t_span: Sequence[float],
    *,
    guards: Callable[..., Any] | None = None,
    impact: Callable[..., Any] | None = None,
    impacts_at: Iterable[int | Sequence[int]] | int | None = None,
    rtol: ArrayLike = 1e-8,
    atol: ArrayLike = 1e-10,
    max_step: float = np.inf,
    max_steps: int = 10_000_000,
    tie: float = 0.0,
    base: str | None = None,
    t_jumps: ArrayLike | Callable[[Any], Any] | None = None,
    t_eval: ArrayLike | None = None,
    event: Callable[..., Any] | None = None,
    sliding: bool | Iterable[int] | int | None = None,
    rest: bool = False,
    max_time: float | None = None,
    adjoint: bool = False,
    memory: int = 1 << 26,
    guard_count: int | None = None,
    jac: Any = None,
    params_jac: Any = None,
) -> Callable[..., Any]:
    """Return the outcome of a run as a function that JAX can differentiate.

    The outcome is the final state. With `t_eval` it is the states at these times, and with `event` the
    time and the state at which the event ends the run.

    Parameters
    ----------
    fun : callable
        Right-hand side ``fun(t, y, sign, p)``, or ``fun(t, y, p)`` without guards, in jax.numpy. It may
        select equations by `sign` with ``if`` or `jnp.where`.
    t_span : (float, float)
        Initial and final time.
    guards : callable, optional
        ``guards(t, y, p)`` returns the numbers whose signs select the equations.
    impact : callable, optional
        ``impact(t, y, sign, crossed, p)`` returns the state after an impact. It may use numpy.
    rtol, atol : float or array_like, shape (n,), optional
        Relative and absolute tolerance. Defaults are 1e-8 and 1e-10: stricter than those of
        `ess.solve_ivp` (1e-3 and 1e-6).
    impacts_at, max_step, max_steps, tie, base, sliding, rest, max_time
        As in `ess.solve_ivp`. A run that comes to rest has no derivative.
    t_eval : array_like, shape (k,), optional
        Times at which to return the state, as in `ess.solve_ivp`.
    event : callable, optional
        ``event(t, y, p)``, in jax.numpy, whose zero ends the run. It may have SciPy's attribute
        `direction`. `t_span` may then be infinite. It is not used together with `t_eval`.
    adjoint : bool, optional
        True: gradients are computed by the adjoint method, as in `ess.gradient`. That is faster for
        many states and parameters. Only `jax.grad`, `jax.vjp` and `jax.jacrev` are then supported.
        Default is False.
    memory : int, optional
        Bytes in which the adjoint records a run. Default is 64 MB.
    t_jumps : array_like or callable, optional
        Times at which `fun` jumps by time alone, as in `ess.solve_ivp`; `fun` compares ``t < T`` by
        `jnp.where`. An array lists constants. A function ``t_jumps(p)`` selects the times from `p`,
        in any order, such as ``lambda p: p["times"]``; the derivative by `p` then contains their
        effect. It must not compute, so that `fun` and libess have the same numbers: compute the times
        before, and pass them in `p`.
    guard_count, jac, params_jac
        As in `ess.solve_ivp`, for native functions: `fun`, `guards` and `impact` may be such as
        `numba.cfunc` returns. They receive the address of the numbers in `p`, in the order of
        `jax.flatten_util.ravel_pytree`. Derivatives that are missing are found by differences.

    Returns
    -------
    callable
        ``end(y0, p=())`` returns the final state, shape (n,); with `t_eval` the states, shape (k, n);
        with `event` the pair of the final time and state. `p` may be any pytree of arrays. Under
        `jax.vmap` all members are one `ess.ensemble`, on all cores if all functions are native;
        `max_time` is then that of the ensemble, and a member that fails is named by its number.

    Raises
    ------
    NoDerivative
        If there is no derivative, with the reason. Where several events are simultaneous the flow may
        have a derivative for each direction alone: `jax.jvp` returns it, `jax.grad` raises.
    RuntimeError
        If a run fails, or ends without `event`.

    See Also
    --------
    ess.solve_ivp : A run with all its results.
    ess.gradient : The adjoint without JAX.

    Notes
    -----
    **Differences from `jax.experimental.ode.odeint`.** Events are located, and the derivative has their effect
    (the saltation matrix), so that `fun` may select equations by `sign`. The functions run in double precision
    outside of XLA, through a callback, unless they are native. Derivatives of higher order are not available.

    Examples
    --------
    How the end of a decay depends on its rate:

    >>> import jax, jax.numpy as jnp, ess.jax
    >>> jax.config.update("jax_enable_x64", True)
    >>> end = ess.jax.flow(lambda t, y, p: -p[0] * y, (0, 1))
    >>> slope = jax.grad(lambda p: end(jnp.array([1.0]), p)[0])(jnp.array([2.0]))
    >>> print(slope.round(6))
    [-0.135335]

    How the time of a fall from 1 m depends on gravity:

    >>> end = ess.jax.flow(lambda t, y, p: [y[1], -p], (0, 9), event=lambda t, y, p: y[0])
    >>> time = lambda p: end(jnp.array([1.0, 0.0]), p)[0]
    >>> print(time(9.81).round(6), jax.grad(time)(9.81).round(6))
    0.451524 -0.023013
    """
    options = {
        "impacts_at": impacts_at, "rtol": rtol, "atol": atol, "max_step": max_step,
        "max_steps": max_steps, "tie": tie, "base": base, "sliding": sliding, "rest": rest,
        "max_time": max_time, "guard_count": guard_count,
    }  # fmt: skip
    if not _is_native(fun, FIELD, "fun") and (jac is not None or params_jac is not None):
        raise ValueError("`jac` and `params_jac` are for a native `fun`; JAX differentiates others")
    t_span = tuple(map(float, t_span))
    if event is not None and t_eval is not None:
        raise ValueError("`t_eval` and `event` exclude each other")
    if event is not None and not callable(event):
        raise ValueError(f"`event` must be a function; it is {type(event).__name__}")
    times, memory = None if t_eval is None else check_times(t_eval, *t_span), check_memory(memory)
    select = t_jumps if callable(t_jumps) else None
    options["t_jumps"] = check_jumps(None if select else t_jumps, *t_span)
    if not jax.config.read("jax_enable_x64"):
        raise ValueError('ess.jax needs double precision: jax.config.update("jax_enable_x64", True)')
    if impact is None and impacts_at is not None:
        raise ValueError("`impacts_at` needs `impact`")

    @functools.lru_cache(maxsize=None)
    def of(structure, sizes):
        leaves = [jnp.zeros(shape, dtype) for shape, dtype in sizes]
        _, unravel = ravel_pytree(jax.tree_util.tree_unflatten(structure, leaves))
        count = sum(leaf.size for leaf in leaves)
        made = _Flow(
            fun, t_span, guards, impact, options, unravel, select, count, times, event, memory, jac,
            params_jac,
        )  # fmt: skip
        return _as_reverse(made) if adjoint else _as_function(made)

    def end(y0, p=()):
        y0 = jnp.asarray(y0, dtype=float)
        if y0.ndim != 1 or y0.shape[0] == 0:
            raise ValueError("`y0` must be 1-dimensional with at least one state.")
        p = jax.tree_util.tree_map(lambda leaf: jnp.asarray(leaf, dtype=float), p)
        leaves, structure = jax.tree_util.tree_flatten(p)
        flat, _ = ravel_pytree(p)
        key = tuple((leaf.shape, leaf.dtype) for leaf in leaves)
        found = of(structure, key)(y0, jnp.asarray(flat, dtype=float))
        return (found[0], found[1:]) if event is not None else found

    return end
