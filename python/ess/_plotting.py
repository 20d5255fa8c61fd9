# SPDX-License-Identifier: Apache-2.0
"""Pictures and tables of results. matplotlib and pandas are imported when they are used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._result import OdeResult

# samples of a whole picture, and of one piece of the path
_SAMPLES, _MOST, _LEAST = 20_000, 24, 2


def optional(name: str, what: str) -> Any:
    """an optional package, or one line that says how to get it"""
    import importlib

    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        package = name.partition(".")[0]
        raise ModuleNotFoundError(f"{what} needs the package {package}: pip install {package}") from None


def names_of(names: Iterable[str] | None, count: int) -> list[str]:
    """of all states"""
    if names is None:
        return [f"y{i}" for i in range(count)]
    found = [names] if isinstance(names, str) else list(names)
    if len(found) != count or not all(isinstance(name, str) for name in found):
        raise ValueError(f"`names` must have a string for each of the {count} states")
    return found


def _chosen(components: Any, names: list[str]) -> list[int]:
    """indices of the states that are drawn: given by index or by name"""
    count = len(names)
    if components is None:
        return list(range(count))
    chosen = []
    for one in [components] if np.ndim(components) == 0 else components:
        if isinstance(one, str) and one in names:
            one = names.index(one)
        is_index = isinstance(one, (int, np.integer)) and not isinstance(one, bool)
        if not is_index or not -count <= one < count:
            raise ValueError(
                f"`components` must list indices of states, 0 to {count - 1}, or `names`; {one!r} is neither"
            )
        chosen.append(int(one) % count)
    if not chosen:
        raise ValueError("`components` must list at least one state")
    return chosen


def path(sol: Any) -> tuple[Any, Any]:
    """times and states along the solution; NaN where the state jumps, so that no line is drawn there"""
    per = int(np.clip(_SAMPLES // max(sol.n_segments, 1), _LEAST, _MOST))
    if sol.n_segments == 0:
        return np.array([sol.t_min]), np.atleast_1d(sol(sol.t_min))[None, :]
    t, y, jumps = sol._sampled(np.linspace(0.0, 1.0, per))
    return np.insert(t, jumps, t[jumps]), np.insert(y, jumps, np.nan, axis=0)


def _marks(result: OdeResult, sol: Any) -> Iterable[tuple[str, Any, Any, dict[str, Any]]]:
    """what happened: a name, times, states, and how it is drawn"""
    small = {"linestyle": "none", "markersize": 5, "zorder": 3}
    at_impact = np.isin(result.t_crossings, result.t_impacts)
    crossed = result.t_crossings[~at_impact]
    if len(crossed):
        tick = {**small, "marker": "|", "markersize": 11, "markeredgewidth": 1.8}
        yield "crossing", crossed, sol(crossed).T, tick
    if len(result.t_impacts):
        before, after = result.y_impacts[:, 0], result.y_impacts[:, 1]
        yield "before impact", result.t_impacts, before, {**small, "marker": "o", "fillstyle": "none"}
        yield "after impact", result.t_impacts, after, {**small, "marker": "o"}
    for k, t in enumerate(result.t_events or ()):
        if len(t):
            name = "event" if len(result.t_events) == 1 else f"event {k}"
            yield name, t, result.y_events[k], {**small, "marker": "x", "markersize": 6}


def slid_spans(result: OdeResult) -> list[tuple[float, float]]:
    """intervals in which the state slides along any guard"""
    spans, open_since, depth = [], 0.0, 0
    for t, (_, begins) in zip(result.t_slides, result.slides):
        if begins > 0 and depth == 0:
            open_since = float(t)
        depth += int(begins)
        if depth == 0:
            spans.append((open_since, float(t)))
    if depth > 0:
        spans.append((open_since, float(result.t_end)))
    return spans


def plot(result: OdeResult, sol: Any, components: Any, ax: Any, names: Any, marks: bool) -> Any:
    """the picture that `OdeResult.plot` describes"""
    pyplot = optional("matplotlib.pyplot", "`plot`")
    labels = names_of(names, len(result.y))
    chosen = _chosen(components, labels)
    t, y = path(sol)
    is_complex = np.iscomplexobj(y)
    if ax is None:
        _, ax = pyplot.subplots(layout="constrained")
    colors = []
    for i in chosen:
        label = f"Re {labels[i]}" if is_complex else labels[i]
        (line,) = ax.plot(t, y[:, i].real, label=label, linewidth=1.6)
        colors.append(line.get_color())
        if is_complex:
            ax.plot(t, y[:, i].imag, "--", label=f"Im {labels[i]}", color=line.get_color())
    if marks and not is_complex:
        _draw_marks(ax, result, sol, chosen, colors)
    ax.set_xlabel("t")
    if len(chosen) == 1:
        ax.set_ylabel(labels[chosen[0]])
    handles, _ = ax.get_legend_handles_labels()
    if len(handles) > 1:
        ax.legend()
    return ax


def _draw_marks(ax: Any, result: OdeResult, sol: Any, chosen: list[int], colors: list[str]) -> None:
    """each kind of event in the colour of its line, and once in the legend, in grey"""
    for name, t, y, style in _marks(result, sol):
        for i, color in zip(chosen, colors):
            ax.plot(t, y[:, i], color=color, **style)
        ax.plot([], [], color="0.35", label=name, **style)
    for k, (begin, end) in enumerate(slid_spans(result)):
        ax.axvspan(begin, end, color="0.5", alpha=0.18, linewidth=0, label=None if k else "slide")


# ---- many runs ----------------------------------------------------------------------------------


def plot_many(t: Any, y: Any, components: Any, ax: Any, names: Any) -> Any:
    """a thin line for each member, in the colour of its state"""
    pyplot = optional("matplotlib.pyplot", "`plot`")
    labels = names_of(names, y.shape[1])
    chosen = _chosen(components, labels)
    if ax is None:
        _, ax = pyplot.subplots(layout="constrained")
    alpha = float(np.clip(4.0 / max(len(y), 1), 0.08, 1.0))
    for place, i in enumerate(chosen):
        color = f"C{place}"
        ax.plot(t, y[:, i].T, color=color, alpha=alpha, linewidth=1.0)
        ax.plot([], [], color=color, label=labels[i])
    ax.set_xlabel("t")
    if len(chosen) == 1:
        ax.set_ylabel(labels[chosen[0]])
    else:
        ax.legend()
    return ax


# ---- tables -------------------------------------------------------------------------------------


def _rows(result: OdeResult) -> Iterable[tuple[float, str, int, int, Any, Any]]:
    """all that happened: time, kind, index, direction, the state and, at an impact, the one after"""
    sol, none = result.get("sol"), None
    for t, (guard, way) in zip(result.t_crossings, result.crossings):
        if t not in result.t_impacts:
            yield float(t), "crossing", int(guard), int(way), sol(t) if sol else none, none
    for t, (before, after) in zip(result.t_impacts, result.y_impacts):
        here = result.crossings[result.t_crossings == t]
        guard, way = (int(here[0, 0]), int(here[0, 1])) if len(here) else (-1, 0)
        yield float(t), "impact", guard, way, before, after
    for t, (guard, begins) in zip(result.t_slides, result.slides):
        kind = "slide begins" if begins > 0 else "slide ends"
        yield float(t), kind, int(guard), 0, sol(t) if sol else none, none
    for k, found in enumerate(result.t_events or ()):
        for t, y in zip(found, result.y_events[k]):
            yield float(t), "event", k, 0, y, none


def frames(result: OdeResult, names: Sequence[str] | None) -> tuple[Any, Any]:
    """states by time, and events, as `OdeResult.to_dataframe` describes them"""
    pandas = optional("pandas", "`to_dataframe`")
    n = len(result.y)
    labels = names_of(names, n)
    states = pandas.DataFrame({"t": result.t, **dict(zip(labels, result.y))})
    way = -1.0 if len(result.t) > 1 and result.t[-1] < result.t[0] else 1.0
    rows = sorted(_rows(result), key=lambda row: way * row[0])
    unknown = np.full(n, np.nan)
    columns: dict[str, Any] = {
        "t": np.array([row[0] for row in rows], dtype=float),
        "kind": [row[1] for row in rows],
        "index": np.array([row[2] for row in rows], dtype=int),
        "direction": np.array([row[3] for row in rows], dtype=int),
    }
    before = np.array([unknown if row[4] is None else row[4] for row in rows]).reshape(-1, n)
    after = np.array([unknown if row[5] is None else row[5] for row in rows]).reshape(-1, n)
    columns |= {name: before[:, i] for i, name in enumerate(labels)}
    columns |= {f"{name}_after": after[:, i] for i, name in enumerate(labels)}
    return states, pandas.DataFrame(columns)


def frames_of_many(result: Any, names: Sequence[str] | None) -> tuple[Any, Any]:
    """members and events, as `EnsembleResult.to_dataframe` describes them"""
    pandas = optional("pandas", "`to_dataframe`")
    n = result.y_end.shape[1]
    labels = names_of(names, n)
    members: dict[str, Any] = {name: result[name] for name in ("success", "reason", "t_end")}
    members |= {name: result.y_end[:, i] for i, name in enumerate(labels)}
    members |= {name: result[name] for name in ("crossings", "impacts", "nfev")}
    parts = [np.zeros((0, 3 + n))]
    for k, t in enumerate(result.t_events or ()):
        member, place = np.nonzero(~np.isnan(t))
        index = np.full(len(member), k)
        parts.append(np.column_stack([member, index, t[member, place], result.y_events[k][member, place]]))
    table = np.concatenate(parts)
    table = table[np.lexsort((table[:, 2], table[:, 0]))]
    events = pandas.DataFrame(table, columns=["member", "index", "t", *labels])
    return pandas.DataFrame(members), events.astype({"member": int, "index": int})
