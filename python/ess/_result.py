# SPDX-License-Identifier: Apache-2.0
"""Results of a run."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["OdeResult", "OdeSolution"]


class OdeResult(dict[str, Any]):
    """Result of a run: a dictionary whose entries are also attributes.

    `solve_ivp` returns `t`, `y`, `sol`, `t_events`, `y_events`, `nfev`, `njev`, `nlu`, `status`,
    `message`, `success`, `t_crossings`, `crossings`, `t_impacts`, `y_impacts`, `t_slides`, `slides`,
    `t_end`, `y_end`, `sign`, `tangents`, `smooth`, `event_dt`, `event_dy`, `reason`, `ngev` and
    `nsteps`. Its docstring describes them.
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

    def __repr__(self) -> str:
        width = max(map(len, self), default=0)
        lines = []
        for name, value in self.items():
            text = repr(value).replace("\n", "\n" + " " * (width + 2))
            lines.append(f"{name:>{width}}: {text}")
        return "\n".join(lines)


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
