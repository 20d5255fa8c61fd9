# SPDX-License-Identifier: Apache-2.0
"""Results of a run."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _plotting

__all__ = ["OdeResult", "OdeSolution"]


class OdeResult(dict[str, Any]):
    """Result of a run: a dictionary whose entries are also attributes.

    `solve_ivp` returns `t`, `y`, `sol`, `t_events`, `y_events`, `nfev`, `njev`, `nlu`, `status`,
    `message`, `success`, `t_crossings`, `crossings`, `t_impacts`, `y_impacts`, `t_slides`, `slides`,
    `t_end`, `y_end`, `sign`, `tangents`, `tangents_at`, `smooth`, `event_dt`, `event_dy`,
    `reason`, `ngev`, `nsteps` and `unlocated`. Its docstring describes them.

    Examples
    --------
    >>> import ess
    >>> run = ess.solve_ivp(lambda t, y: -y, (0, 1), [1.0])
    >>> run["success"] is run.success
    True
    """

    # entries whose type depends on the arguments have none
    t: NDArray[Any]
    y: NDArray[Any]
    message: str

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __delattr__(self, name: str) -> None:
        try:
            del self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def __getstate__(self) -> None:
        """entries are pickled; how the run is made again is not, since functions often cannot be"""

    def __repr__(self) -> str:
        # what is read first
        first = [name for name in _FIRST if name in self]
        names = first + [name for name in self if name not in first]
        width = max(map(len, names), default=0)
        with np.printoptions(linewidth=96 - width, edgeitems=2, threshold=12, precision=6):
            lines = [f"{name:>{width}}: {_short(self[name], width + 2)}" for name in names]
        return "\n".join(lines)

    def _summary(self) -> list[tuple[str, str]]:
        """a few lines about the run, for a notebook"""
        rows = [("message", str(self.get("message"))), ("success", str(self.get("success")))]
        if not self.get("success", True):
            rows.append(("reason", str(self.get("reason"))))
        if "t_end" in self:
            with np.printoptions(edgeitems=2, threshold=6, precision=6):
                rows += [("t_end", f"{self.t_end:.9g}"), ("y_end", str(self.y_end))]
        counts = {name: len(self[name]) for name in ("t_crossings", "t_impacts") if name in self}
        counts["slides"] = int((self.slides[:, 1] > 0).sum()) if "slides" in self else 0
        names = {"t_crossings": "crossings", "t_impacts": "impacts"}
        rows += [(names.get(name, name), str(count)) for name, count in counts.items() if count]
        if self.get("t_events"):
            rows.append(("events", ", ".join(str(len(times)) for times in self.t_events)))
        rows += [(name, str(self[name])) for name in ("nsteps", "nfev") if name in self]
        if self.get("unlocated"):
            rows.append(("unlocated", f"{self.unlocated} of {self.nsteps} steps pass over events"))
        return rows

    def _repr_html_(self) -> str:
        cells = (
            f"<tr><th style='text-align:right'>{html.escape(name)}</th>"
            f"<td style='text-align:left'>{html.escape(text)}</td></tr>"
            for name, text in self._summary()
        )
        return f"<table>{''.join(cells)}</table>"

    def plot(
        self,
        components: int | str | Sequence[int | str] | None = None,
        *,
        ax: Any = None,
        names: Sequence[str] | None = None,
        marks: bool = True,
    ) -> Any:
        """Draw the states over time; needs matplotlib.

        The lines follow the solution between the steps, and have gaps where the state jumps.
        Crossings, impacts (the states before and after) and events are marked. Where the state slides
        the background is grey. Without `dense_output` the run is repeated for its path, which calls
        its functions again.

        Parameters
        ----------
        components : int, str or list, optional
            States to draw, by index or by name. Default is all states.
        ax : matplotlib.axes.Axes, optional
            Where to draw. Default is a new figure.
        names : list of str, optional
            Names of all states. Default is y0, y1, ...
        marks : bool, optional
            Whether events are marked. Default is True.

        Returns
        -------
        matplotlib.axes.Axes
            ``plot().figure.savefig("run.png")`` writes a file.

        Raises
        ------
        ModuleNotFoundError
            If matplotlib is not installed.
        ValueError
            If an argument has a wrong value, or the path is not known: a result that was pickled
            without `dense_output`.

        Examples
        --------
        >>> import ess
        >>> run = ess.solve_ivp(lambda t, y: [y[1], -y[0]], (0, 6), [1.0, 0.0])
        >>> ax = run.plot(0, names=["angle", "speed"])
        >>> ax.get_ylabel()
        'angle'
        """
        return _plotting.plot(self, self._path(), components, ax, names, marks)

    def to_dataframe(self, *, names: Sequence[str] | None = None) -> tuple[Any, Any]:
        """Return two tables, of states and of events; needs pandas.

        Parameters
        ----------
        names : list of str, optional
            Names of all states. Default is y0, y1, ...

        Returns
        -------
        states : pandas.DataFrame
            A row for each of `t`: the time, then the states.
        events : pandas.DataFrame
            A row for each crossing, impact, beginning and end of a slide, and event, by time: `t`,
            `kind`, `index` (of the guard or event), `direction`, the state (before an impact; NaN
            for crossings and slides without `dense_output`) and the state after an impact
            (``y0_after``, ...).

        Raises
        ------
        ModuleNotFoundError
            If pandas is not installed.

        Examples
        --------
        >>> import ess
        >>> run = ess.solve_ivp(
        ...     lambda t, y, sign: [y[1], -9.81], (0, 1), [1.0, 0.0],
        ...     guards=lambda t, y: y[0], impact=lambda t, y, sign, crossed: [0.0, -0.8 * y[1]],
        ... )
        >>> states, events = run.to_dataframe(names=["height", "speed"])
        >>> print(events[["kind", "index", "speed", "speed_after"]].round(2).to_string())
             kind  index  speed  speed_after
        0  impact      0  -4.43         3.54
        """
        return _plotting.frames(self, names)

    def _path(self) -> OdeSolution:
        """the solution between the steps, by another run unless it is kept"""
        sol = self.get("sol")
        again = self.__dict__.get("_again")
        if sol is None and again is not None:
            run = again()
            sol = run.sol
            if not np.allclose(run.y_end, self.y_end, rtol=1e-6, atol=1e-9, equal_nan=True):
                raise ValueError(
                    "the run repeated for its path ends in another state: its functions have changed; "
                    "use `dense_output=True`"
                )
        if sol is None:
            raise ValueError("the path between steps is not kept: use `dense_output=True`")
        return sol

    def _keep(self, again: Callable[[], OdeResult]) -> None:
        """how the run is made again with its path; no entry"""
        self.__dict__["_again"] = again


_FIRST = ("message", "success", "reason", "status", "t_end", "y_end", "t", "y")


def _short(value: Any, indent: int) -> str:
    """on few lines"""
    if isinstance(value, list) and len(value) > 6:
        return f"[{_short(value[0], indent)}, ..., {_short(value[-1], indent)}] ({len(value)} entries)"
    if getattr(value, "ndim", 0) > 2:
        return f"array of shape {value.shape}"
    return repr(value).replace("\n", "\n" + " " * indent)


# of the barycentric form through five places at equal distances
_WEIGHTS = np.array([1.0, -4.0, 6.0, -4.0, 1.0])


def _values(nodes, part):
    """polynomials of degree 4, each at its own place: nodes[p, 5, n], part[p]; exact at the nodes"""
    away = part[:, None] - np.linspace(0.0, 1.0, 5)[None, :]
    on_node = away == 0.0
    hit = on_node.any(axis=1)
    away[on_node] = 1.0
    share = _WEIGHTS[None, :] / away
    share[hit] = on_node[hit]
    share /= share.sum(axis=1, keepdims=True)
    return np.einsum("pi,pin->pn", share, nodes)


class OdeSolution:
    """The solution as a function of time, like `scipy.integrate.OdeSolution`.

    `sol(t)` has the shape (n,) for a number and (n, len(t)) for an array. At the time of an impact
    it is the state after the impact, in the direction of the run.

    Examples
    --------
    >>> import ess
    >>> run = ess.solve_ivp(lambda t, y: -y, (0, 1), [1.0], dense_output=True, rtol=1e-8)
    >>> print(run.sol([0.0, 0.5]).round(6))
    [[1.       0.606531]]
    """

    ts: NDArray[Any]
    t_min: float
    t_max: float
    n_segments: int

    def __init__(
        self,
        pieces: NDArray[Any],
        nodes: NDArray[Any],
        n: int,
        t0: float,
        y0: ArrayLike,
        way: float,
        as_complex: bool = False,
        end: tuple[float, ArrayLike] | None = None,
    ) -> None:
        self._pieces, self._n, self._way = pieces, n, way
        self._nodes = nodes.reshape(len(pieces), 5, n)
        self._y0, self._complex = np.array(y0, dtype=float), as_complex
        self._begins = way * pieces[:, 0]
        last = pieces[-1:, 1] if len(pieces) else np.array([t0])
        self.ts = np.concatenate([pieces[:, 0], last])
        self.t_min, self.t_max = float(self.ts.min()), float(self.ts.max())
        self.n_segments = len(pieces)
        # where the run ends with an impact, the last piece ends before that
        self._end = None if end is None else (float(end[0]), np.array(end[1], dtype=float))

    def _sampled(self, part: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """times and states at these parts of all pieces, and the places before which the state jumps"""
        count = len(part)
        which = np.repeat(np.arange(self.n_segments), count)
        y = _values(self._nodes[which], np.tile(part, self.n_segments))
        begin, end = self._pieces[:, :1], self._pieces[:, 1:]
        t = (begin + part * (end - begin)).ravel()
        jumps = 1 + np.flatnonzero((self._nodes[1:, 0] != self._nodes[:-1, -1]).any(axis=1))
        return t, y.view(complex) if self._complex else y, count * jumps

    def __call__(self, t: ArrayLike) -> NDArray[Any]:
        t = np.asarray(t, dtype=float)
        if t.ndim > 1:
            raise ValueError("`t` must be a number or an array of one dimension")
        flat = np.atleast_1d(t)
        if self.n_segments == 0:
            y = np.repeat(self._y0[None, :], len(flat), axis=0)
        else:
            which = np.searchsorted(self._begins, self._way * flat, side="right") - 1
            which = np.clip(which, 0, self.n_segments - 1)
            begin, end = self._pieces[which, 0], self._pieces[which, 1]
            y = _values(self._nodes[which], (flat - begin) / (end - begin))
        if self._end is not None:
            y[flat == self._end[0]] = self._end[1]
        if self._complex:
            y = y.view(complex)
        return y[0] if t.ndim == 0 else y.T
