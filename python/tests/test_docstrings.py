# SPDX-License-Identifier: Apache-2.0
"""Docstrings of what is public: their sections, and their examples, which run."""

import doctest
import importlib
import inspect
import pydoc
import re

import pytest

import ess

MODULES = ["ess", "ess.jax", "ess.mujoco"]
SECTIONS = {
    "ess.solve_ivp": ["Parameters", "Returns", "Raises", "See Also", "Notes", "Examples"],
    "ess.ensemble": ["Parameters", "Returns", "Raises", "See Also", "Examples"],
    "ess.gradient": ["Parameters", "Returns", "Raises", "See Also", "Notes", "Examples"],
    "ess.jax.flow": ["Parameters", "Returns", "Raises", "See Also", "Notes", "Examples"],
    "ess.mujoco.simulate": ["Parameters", "Returns", "Raises", "See Also", "Notes", "Examples"],
    "ess.mujoco.audit": ["Parameters", "Returns", "Raises", "See Also", "Examples"],
    "ess.mujoco.audit_trajectory": ["Parameters", "Returns", "Raises", "See Also", "Examples"],
    "ess.mujoco.audit_derivative": ["Parameters", "Returns", "Raises", "See Also", "Examples"],
}


def public(module):
    try:
        found = importlib.import_module(module)
    except ImportError:
        return {}
    names = [name for name in found.__all__ if callable(getattr(found, name))]
    if module == "ess.mujoco":  # of its classes what returns them has the examples
        names = [name for name in names if not name.endswith("Audit")]
    things = {f"{module}.{name}": getattr(found, name) for name in names}
    for name, thing in list(things.items()):
        for method in ("plot", "to_dataframe"):
            if method in getattr(thing, "__dict__", {}):
                things[f"{name}.{method}"] = getattr(thing, method)
    return things


PUBLIC = {name: thing for module in MODULES for name, thing in public(module).items()}


@pytest.fixture(autouse=True)
def without_windows():
    try:
        import matplotlib

        matplotlib.use("Agg")
    except ModuleNotFoundError:
        pass


@pytest.mark.parametrize("name", PUBLIC)
def test_its_example_runs(name):
    if name.endswith(".plot"):
        pytest.importorskip("matplotlib")
    if name.endswith(".to_dataframe"):
        pytest.importorskip("pandas")
    thing = PUBLIC[name]
    example = doctest.DocTestParser().get_doctest(inspect.getdoc(thing), {}, name, None, 0)
    assert example.examples, f"{name} has no example"
    assert any(one.want for one in example.examples), f"{name} shows no output"
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    said = []
    runner.run(example, out=said.append)
    assert runner.failures == 0, "".join(said)


@pytest.mark.parametrize("name", SECTIONS)
def test_it_has_the_sections_of_numpydoc(name):
    if name not in PUBLIC:
        pytest.skip("without the module")
    text = inspect.getdoc(PUBLIC[name])
    found = re.findall(r"^(\w[\w ]*)\n-{3,}$", text, flags=re.M)
    assert found == SECTIONS[name]
    assert text.splitlines()[0].endswith(".") and text.splitlines()[1] == ""


def test_what_differs_from_scipy_is_said():
    assert "Differences from SciPy" in ess.solve_ivp.__doc__


@pytest.mark.parametrize("name", SECTIONS)
def test_help_has_a_short_signature_and_all_arguments(name):
    if name not in PUBLIC:
        pytest.skip("without the module")
    page = pydoc.plain(pydoc.render_doc(PUBLIC[name]))
    signature = page.splitlines()[2]
    assert len(signature) < 1700 and "numpy._typing" not in signature and "collections.abc" not in signature
    text = inspect.getdoc(PUBLIC[name])
    arguments = re.search(r"^Parameters\n-+\n(.*?)^Returns\n", text, flags=re.M | re.S).group(1)
    documented = {
        one for line in re.findall(r"^(\w.*?)(?: :.*)?$", arguments, flags=re.M) for one in line.split(", ")
    }
    known = set(inspect.signature(PUBLIC[name]).parameters)
    others = set(inspect.signature(ess.solve_ivp).parameters) if name in ("ess.ensemble", "ess.gradient") else set()
    if "more" in known:  # whatever they are, they are listed
        known = documented | known - {"more"}
    assert documented <= known and known - documented <= others
