# SPDX-License-Identifier: Apache-2.0
"""Derivatives for JAX, through crossings and impacts.

`flow` returns a function from the initial state and parameters to the final state. JAX differentiates
it by `jax.grad`, `jax.jvp`, `jax.vjp` and `jax.jacobian`. libess propagates the derivatives.
"""

from __future__ import annotations

import functools
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
                return np.asarray(self._traced(t, y, sign, p))
            except jax.errors.ConcretizationTypeError:
                self._is_by_mode = True
        key = sign.tobytes()
        if key not in self._modes:
            mode = sign.copy()
            self._modes[key] = jax.jit(lambda t, y, p: self._function(t, y, mode, p))
        return np.asarray(self._modes[key](t, y, p))


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
    if not r.success:
        kind = NoDerivative if r.reason in ("EGRAZING", "EDISCONTINUOUS") else RuntimeError
        raise kind(r.message)


def _refuse_pieces(smooth):
    if smooth != "C1":
        raise NoDerivative(
            f"libess: the flow is {smooth} there: events are simultaneous, and the derivative depends "
            "on the direction; jax.jvp returns the derivative in one direction"
        )


class _Flow:
    """One flow for parameters of one structure, as libess sees it: `params` are the numbers in it."""

    def __init__(self, fun, t_span, guards, impact, options, unravel, select, count, t_eval, event, memory):
        self._t_span, self._options, self._memory = t_span, options, memory
        self._is_grid = t_eval is not None
        self._times = t_eval if self._is_grid else () if event else t_span[-1:]
        self._select, self._places = select, _places_of(select, unravel, count) if select else None
        self._has_guards, self._has_impact = guards is not None, impact is not None

        def rate(t, y, s, p):
            rest = (s, unravel(p)) if guards is not None else (unravel(p),)
            return jnp.asarray(fun(t, y, *rest), dtype=float)

        self._rate = _Compiled(rate)
        self._rate_y = _Compiled(jax.jacfwd(rate, argnums=1))
        self._rate_p = _Compiled(jax.jacfwd(rate, argnums=3))
        if guards is not None:
            self._guards = _Compiled(
                lambda t, y, s, p: jnp.atleast_1d(jnp.asarray(guards(t, y, unravel(p)), dtype=float))
            )
        self._impact, self._unravel = impact, unravel
        self._event = event and _Compiled(
            lambda t, y, s, p: jnp.reshape(jnp.asarray(event(t, y, unravel(p)), dtype=float), ())
        )
        self._direction = getattr(event, "direction", 0)

    def shape(self, n):
        """of what is returned: the state at the end, states at times, or the end's time and state"""
        return (len(self._times), n) if self._is_grid else (n + 1,) if self._event else (n,)

    def _outcome(self, r, has_directions):
        """what is returned, and its derivative"""
        if has_directions and "tangents" not in r:
            raise NoDerivative("libess: a direction became non-finite during the run")
        if self._is_grid:
            return r.y.T, r.tangents_at.transpose(2, 0, 1) if has_directions else None
        if not self._event:
            return r.y_end, r.tangents if has_directions else None
        if r.status != 1:
            raise RuntimeError(f"libess: `event` has not occurred by t = {r.t_end:.9g}")
        end = np.concatenate([[r.t_end], r.y_end])
        return end, np.vstack([r.event_dt, r.event_dy]) if has_directions else None

    def _given(self, p, has_derivatives):
        """the field and options of a run"""
        none = np.zeros(0)

        # each calls what follows the time and the state: the signs, where there are guards, and the
        # parameters, where there are some
        def split(rest):
            sign = rest[0] if self._has_guards else none
            return sign, rest[-1] if len(p) else p

        def field(t, y, *rest):
            return self._rate(t, y, *split(rest))

        def impact(t, y, sign, crossed, *rest):
            # JAX may keep what it is given; libess moves these numbers
            parameters = rest[0].copy() if len(p) else p
            found = self._impact(t, y, sign, crossed, self._unravel(parameters))
            after: tuple[np.ndarray, ...] = ()
            if isinstance(found, tuple) and len(found) == 2 and np.ndim(found[0]) == 1:
                found, after = found[0], (np.asarray(found[1]),)
            state = np.asarray(jnp.asarray(found, dtype=float))
            return (state, *after) if after else state

        options = dict(self._options)
        if len(p):
            options["params"] = p
        if self._select:
            if not np.array_equal(np.ravel(self._select(self._unravel(p))), p[self._places]):
                raise ValueError(_NO_SELECTION)
            options["jump_params"] = self._places
        if self._has_guards:
            options["guards"] = lambda t, y, *rest: self._guards(t, y, none, rest[0] if len(p) else p)
        if self._has_impact:
            options["impact"] = impact
        if has_derivatives:
            options["jac"] = lambda t, y, *rest: self._rate_y(t, y, *split(rest))
            if len(p):
                options["params_jac"] = lambda t, y, *rest: self._rate_p(t, y, *split(rest))
        if self._event:

            def ends(t, y, *rest):
                return self._event(t, y, none, rest[0] if len(p) else p)

            vars(ends).update(terminal=True, direction=self._direction)
            options["events"] = ends
        return field, options

    def run(self, y0, p, directions=None):
        """what is returned; with directions (dy; dp) its derivative, and whether that is linear"""
        field, options = self._given(p, directions is not None)
        if directions is not None:
            options["tangents"] = directions
        r = solve_ivp(field, self._t_span, y0, t_eval=self._times, **options)
        _refuse_failed(r)
        has_directions = directions is not None
        return (*self._outcome(r, has_directions), r.smooth if has_directions else "C1")

    def end(self, y0, p):
        return self.run(_double(y0), _double(p))[0]

    def back(self, y0, p, cotangent):
        """the gradient by (y0, p) of what is returned times its cotangent, by the adjoint"""
        y0, p = _double(y0), _double(p)
        weight = _double(cotangent).reshape(-1, len(y0)).T
        field, options = self._given(p, True)
        for name in ("rest", "t_eval"):
            options.pop(name, None)
        r = gradient(
            lambda y: (float((weight * y).sum()), weight), field, self._t_span, y0, t_eval=self._times,
            memory=self._memory, **options,
        )  # fmt: skip
        _refuse_failed(r)
        _refuse_pieces(r.smooth)
        return r.by_y0, r.by_params

    def jacobian(self, y0, p):
        """the end, and its derivative by (y0, p), where that is one for all directions"""
        y0, p = _double(y0), _double(p)
        end, found, smooth = self.run(y0, p, np.eye(len(y0) + len(p)))
        _refuse_pieces(smooth)
        return end, found

    def along(self, y0, p, dy, dp):
        """the end, and its derivative along one direction, one-sided where it is so"""
        y0, p = _double(y0), _double(p)
        direction = np.concatenate([_double(dy), _double(dp)])[:, None]
        end, found, _ = self.run(y0, p, direction)
        return end, found[..., 0]


def _as_reverse(flow):
    """what JAX differentiates backward alone, by the adjoint: of flat arrays"""

    @jax.custom_vjp
    def end(y0, p):
        if _is_concrete((y0, p)):
            return jnp.asarray(flow.end(y0, p))
        shape = jax.ShapeDtypeStruct(flow.shape(y0.shape[0]), y0.dtype)
        return jax.pure_callback(flow.end, shape, y0, p, vmap_method="sequential")

    def forward(y0, p):
        return end(y0, p), (y0, p)

    def backward(kept, cotangent):
        y0, p = kept
        if _is_concrete((y0, p, cotangent)):
            return tuple(map(jnp.asarray, flow.back(y0, p, cotangent)))
        shapes = jax.ShapeDtypeStruct(y0.shape, y0.dtype), jax.ShapeDtypeStruct(p.shape, p.dtype)
        return jax.pure_callback(flow.back, shapes, y0, p, cotangent, vmap_method="sequential")

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
        if _is_concrete((y0, p)):
            return tuple(map(jnp.asarray, flow.jacobian(y0, p)))
        return jax.pure_callback(flow.jacobian, shapes(y0, p), y0, p, vmap_method="sequential")

    @jacobian.defjvp
    def no_second(primals, tangents):
        raise NoDerivative("libess: second derivatives of a flow are not available, only first ones")

    @jax.custom_jvp
    def end(y0, p):
        if _is_concrete((y0, p)):
            return jnp.asarray(flow.end(y0, p))
        return jax.pure_callback(flow.end, shapes(y0, p)[0], y0, p, vmap_method="sequential")

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
        many states and parameters. Only `jax.grad`, `jax.vjp` and `jax.jacrev` are then supported, and
        no `event`. Default is False.
    memory : int, optional
        Bytes in which the adjoint records a run. Default is 64 MB.
    t_jumps : array_like or callable, optional
        Times at which `fun` jumps by time alone, as in `ess.solve_ivp`; `fun` compares ``t < T`` by
        `jnp.where`. An array lists constants. A function ``t_jumps(p)`` selects the times from `p`,
        in any order, such as ``lambda p: p["times"]``; the derivative by `p` then contains their
        effect. It must not compute, so that `fun` and libess have the same numbers: compute the times
        before, and pass them in `p`.

    Returns
    -------
    callable
        ``end(y0, p=())`` returns the final state, shape (n,); with `t_eval` the states, shape (k, n);
        with `event` the pair of the final time and state. `p` may be any pytree of arrays.

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
        "max_time": max_time,
    }  # fmt: skip
    t_span = tuple(map(float, t_span))
    if event is not None and t_eval is not None:
        raise ValueError("`t_eval` and `event` exclude each other")
    if event is not None and not callable(event):
        raise ValueError(f"`event` must be a function; it is {type(event).__name__}")
    if event is not None and adjoint:
        raise ValueError("`event` and `adjoint` exclude each other")
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
            fun, t_span, guards, impact, options, unravel, select, count, times, event, memory
        )
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
