# SPDX-License-Identifier: Apache-2.0
"""Results that are looked at: pictures, tables, and what a notebook shows."""

import builtins
import pickle
import re

import numpy as np
import pytest

import ess

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
pandas = pytest.importorskip("pandas")


def apex(t, y):
    return y[1]


def ball(**more):
    return ess.solve_ivp(
        lambda t, y, sign: [y[1], -9.81], (0, 3), [1.0, 0.0], guards=lambda t, y: y[0],
        impact=lambda t, y, sign, crossed: [0.0, -0.8 * y[1]], impacts_at=[(0, -1)], rtol=1e-8,
        **more,
    )  # fmt: skip


def stick(**more):
    return ess.solve_ivp(
        lambda t, y, sign: [-sign[0] + 0.5 * t], (0, 4), [0.5], guards=lambda t, y: y[0], sliding=True, **more
    )


def curves(ax):
    """lines that are no marks"""
    return [line for line in ax.lines if line.get_linestyle() == "-" and len(line.get_xdata())]


def marks(ax, name):
    """the data of marks of this name, one for each state, by their place in the legend"""
    names = [line.get_label() for line in ax.lines]
    at = names.index(name)
    marker = ax.lines[at].get_marker(), ax.lines[at].get_fillstyle()
    return [x for x in ax.lines[:at] if (x.get_marker(), x.get_fillstyle()) == marker]


@pytest.mark.parametrize("more", [{}, {"dense_output": True}, {"t_eval": [0.0, 3.0]}])
def test_the_ball_flies_in_arcs(more):
    r = ball(**more)
    height, speed = curves(r.plot())
    t, y = height.get_data()
    flight = np.isfinite(y)
    # between the impacts it is where a ball is: no line along the floor
    hits = np.concatenate([[0.0], r.t_impacts, [3.0]])
    for begin, end, up in zip(hits, hits[1:], [0.0, *r.y_impacts[:, 1, 1]]):
        inside = flight & (t > begin) & (t < end)
        assert inside.sum() > 10
        at = t[inside] - begin
        start = 1.0 if begin == 0.0 else 0.0
        np.testing.assert_allclose(y[inside], start + up * at - 9.81 * at**2 / 2, atol=1e-7)
    # a gap where the speed jumps: both sides of it are drawn
    t, v = speed.get_data()
    gaps = np.flatnonzero(np.isnan(v))
    assert np.array_equal(t[gaps], r.t_impacts)
    np.testing.assert_allclose(np.stack([v[gaps - 1], v[gaps + 1]], 1), r.y_impacts[:, :, 1], rtol=1e-12)


def test_what_happens_is_marked():
    r = ball(events=apex)
    ax = r.plot(names=["height", "speed"])
    for name, t, y in [
        ("before impact", r.t_impacts, r.y_impacts[:, 0]),
        ("after impact", r.t_impacts, r.y_impacts[:, 1]),
        ("event", r.t_events[0], r.y_events[0]),
    ]:
        found = marks(ax, name)
        assert len(found) == 2
        for i, line in enumerate(found):
            assert np.array_equal(line.get_xdata(), t) and np.array_equal(line.get_ydata(), y[:, i])
    said = [text.get_text() for text in ax.get_legend().get_texts()]
    assert said == ["height", "speed", "before impact", "after impact", "event"]
    assert len(ball().plot(marks=False).lines) == 2


def test_slides_and_crossings_are_marked():
    r = stick()
    ax = r.plot()
    (span,) = ax.patches
    assert (span.get_x(), span.get_x() + span.get_width()) == pytest.approx(r.t_slides)
    assert np.array_equal(marks(ax, "crossing")[0].get_xdata(), r.t_crossings)
    # a slide that the end cuts off, and one on two guards at once
    r.t_slides, r.slides = np.array([1.0, 1.5, 2.0]), np.array([[0, 1], [1, 1], [0, -1]])
    (span,) = r.plot().patches
    assert (span.get_x(), span.get_x() + span.get_width()) == (1.0, 4.0)


def test_backward_and_complex_runs_and_runs_of_nothing():
    r = ess.solve_ivp(lambda t, y: y, (1, -1), [1.0], rtol=1e-8)
    (line,) = curves(r.plot())
    np.testing.assert_allclose(line.get_ydata(), np.exp(line.get_xdata() - 1), rtol=1e-6)
    r = ess.solve_ivp(lambda t, y: 1j * y, (0, 3), [1.0 + 0j], rtol=1e-8)
    re_, im = r.plot().lines
    np.testing.assert_allclose(re_.get_ydata(), np.cos(re_.get_xdata()), atol=1e-6)
    np.testing.assert_allclose(im.get_ydata(), np.sin(im.get_xdata()), atol=1e-6)
    assert (re_.get_label(), im.get_label()) == ("Re y0", "Im y0")
    (line,) = ess.solve_ivp(lambda t, y: y, (1, 1), [2.0]).plot().lines
    assert line.get_ydata().tolist() == [2.0]


def test_states_are_chosen_by_index_or_name_and_axes_given():
    _, ax = matplotlib.pyplot.subplots()
    r = ball()
    assert r.plot("speed", names=["height", "speed"], ax=ax) is ax and ax.get_ylabel() == "speed"
    assert [line.get_label() for line in curves(r.plot([-1, 0]))] == ["y1", "y0"]
    matplotlib.pyplot.close("all")


@pytest.mark.parametrize(
    "given, word",
    [
        ({"components": 2}, "`components` must list indices of states, 0 to 1"),
        ({"components": True}, "True is neither"),
        ({"components": []}, "at least one state"),
        ({"components": "speed"}, "'speed' is neither"),
        ({"names": ["a"]}, "`names` must have a string for each of the 2 states"),
        ({"names": [1, 2]}, "`names` must have a string"),
    ],
)
def test_bad_arguments_of_plot(given, word):
    with pytest.raises(ValueError, match=word) as error:
        ball().plot(**given)
    assert "\n" not in str(error.value)


def test_a_path_that_is_not_known_is_refused():
    r = pickle.loads(pickle.dumps(ball()))
    with pytest.raises(ValueError, match="use `dense_output=True`"):
        r.plot()
    kept = pickle.loads(pickle.dumps(ball(dense_output=True)))
    assert len(kept.plot().lines) > 2
    # functions that do something else when they are called again
    rate = [1.0]
    r = ess.solve_ivp(lambda t, y: rate[0] * y, (0, 1), [1.0])
    rate[0] = 2.0
    with pytest.raises(ValueError, match="ends in another state: its functions have changed"):
        r.plot()


@pytest.mark.parametrize("package", ["matplotlib", "pandas"])
def test_a_package_that_is_missing_is_named(package, monkeypatch):
    real = builtins.__import__

    def absent(name, *rest, **more):
        if name.partition(".")[0] == package:
            raise ModuleNotFoundError(name)
        return real(name, *rest, **more)

    import importlib

    monkeypatch.setattr(importlib, "import_module", absent)
    r = ball()
    with pytest.raises(ModuleNotFoundError) as error:
        r.plot() if package == "matplotlib" else r.to_dataframe()
    assert str(error.value).endswith(f"needs the package {package}: pip install {package}")


def test_tables_of_the_ball():
    r = ball(events=apex)
    states, events = r.to_dataframe(names=["height", "speed"])
    assert list(states) == ["t", "height", "speed"]
    assert np.array_equal(states["t"], r.t) and np.array_equal(states["speed"], r.y[1])
    hits, tops = events[events.kind == "impact"], events[events.kind == "event"]
    assert len(events) == len(hits) + len(tops) == len(r.t_impacts) + len(r.t_events[0])
    assert events.t.is_monotonic_increasing
    assert np.array_equal(hits.t, r.t_impacts) and np.array_equal(hits.speed_after, r.y_impacts[:, 1, 1])
    assert np.array_equal(hits.speed, r.y_impacts[:, 0, 1]) and (hits["index"] == 0).all() and (hits.direction == -1).all()
    assert np.array_equal(tops.height, r.y_events[0][:, 0]) and tops.height_after.isna().all()


def test_tables_of_slides_and_of_backward_runs():
    _, events = stick().to_dataframe()
    assert events.kind.tolist() == ["crossing", "slide begins", "slide ends"] and events.y0.isna().all()
    _, events = stick(dense_output=True).to_dataframe()
    np.testing.assert_allclose(events.y0, 0, atol=1e-3)
    r = ess.solve_ivp(lambda t, y, s: [1.0], (1, -1), [1.0], guards=lambda t, y: [y[0] - 0.5, y[0] + 0.5])
    _, events = r.to_dataframe()
    assert events["index"].tolist() == [0, 1] and events.direction.tolist() == r.crossings[:, 1].tolist()
    states, events = ess.solve_ivp(lambda t, y: -y, (0, 1), [1.0]).to_dataframe()
    assert len(events) == 0 and list(events) == ["t", "kind", "index", "direction", "y0", "y0_after"]


def test_a_notebook_shows_a_short_table():
    r = ball(events=apex)
    page = r._repr_html_()
    assert page.startswith("<table>") and page.count("<tr>") == len(r._summary()) < 12
    rows = dict(re.findall(r"<th[^>]*>(.*?)</th><td[^>]*>(.*?)</td>", page))
    assert rows["success"] == "True" and rows["impacts"] == "6" and rows["events"] == "12" and rows["t_end"] == "3"
    failed = ess.solve_ivp(lambda t, y: y * np.nan, (0, 1), [1.0])
    assert dict(failed._summary())["reason"] == "EFIELD"
    nothing = ess.solve_ivp(lambda t, y: y, (0, 1), [])
    assert "<table>" in nothing._repr_html_() and repr(nothing)
    # what users write is not markup
    r.message = "<b>"
    assert "&lt;b&gt;" in r._repr_html_()


def test_a_result_prints_on_few_lines():
    r = ess.solve_ivp(lambda t, y: -y, (0, 10), np.ones(500), rtol=1e-9, max_step=0.01)
    text = repr(r)
    assert max(map(len, text.splitlines())) <= 110 and len(text.splitlines()) < 60
    assert text.lstrip().startswith("message: ") and all(f"{name}: " in text for name in r)


def test_pictures_and_tables_of_an_ensemble():
    t = np.linspace(0, 1, 50)
    event = lambda t, y: y[0] - 1.0  # noqa: E731
    many = ess.ensemble(lambda t, y: -y, (0, 1), np.linspace(1.5, 3.5, 5)[:, None], t_eval=t, events=event)
    lines = curves(many.plot(names=["level"]))
    assert len(lines) == 5
    for i, line in enumerate(lines):
        assert np.array_equal(line.get_xdata(), t) and np.array_equal(line.get_ydata(), many.y[i, 0])
    table, events = many.to_dataframe()
    assert np.array_equal(table.y0, many.y_end[:, 0]) and table.success.all() and len(table) == 5
    # exp(1) is between 2.5 and 3
    assert events.member.tolist() == [0, 1, 2] and (events["index"] == 0).all()
    np.testing.assert_allclose(events.y0, 1.0, rtol=1e-3)
    assert "largest y_end" in many._repr_html_() and len(repr(many).splitlines()) < 60
    without = ess.ensemble(lambda t, y: -y, (0, 1), [[1.0]])
    with pytest.raises(ValueError, match="use `t_eval`"):
        without.plot()
    assert len(without.to_dataframe()[1]) == 0
