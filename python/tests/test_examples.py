# SPDX-License-Identifier: Apache-2.0
"""Examples and notebooks run, and so do the pages about them, which show what they print."""

import glob
import importlib.util
import json
import os
import re
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = sorted(glob.glob(os.path.join(HERE, "..", "examples", "*.py")))
NOTEBOOKS = sorted(glob.glob(os.path.join(HERE, "..", "notebooks", "*.ipynb")))
ROOT = os.path.join(HERE, "..", "..")
PACKAGES = ("jax", "numba", "mujoco", "matplotlib", "pandas", "scipy")
GUIDE = sorted(glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True))
PAGES = [os.path.join(ROOT, "README.md"), os.path.join(ROOT, "python", "README.md")] + [
    page for page in GUIDE if "```python\n" in open(page).read()
]
NUMBER = r"[-+]?(?:[0-9]+[.]?[0-9]*|[.][0-9]+)(?:e[-+]?[0-9]+)?"
# pages that show what an example prints
SHOWN = {"periodic_orbits.py": "docs/results/derivatives.md"}
NEEDS = {"fit_ball.py": ["scipy"], "hop_by_gradient.py": ["jax"], "audit_robot.py": ["mujoco", "ess.mujoco"],
         "audit_policy.py": ["mujoco", "ess.mujoco"]}  # fmt: skip


def lacks(module):
    try:
        return importlib.util.find_spec(module) is None
    except ImportError:
        return True


@pytest.mark.parametrize("path", EXAMPLES, ids=map(os.path.basename, EXAMPLES))
def test_example(path):
    for module in NEEDS.get(os.path.basename(path), []):
        if lacks(module):
            pytest.skip(f"without {module}")
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=300)
    if "is not built for MuJoCo" in done.stderr:
        pytest.skip("ess.mujoco is not built")
    assert done.returncode == 0, done.stderr
    assert done.stdout
    page = os.path.join(ROOT, SHOWN.get(os.path.basename(path), "docs/none"))
    if os.path.exists(page):
        name = re.escape(os.path.basename(path))
        with open(page) as file:
            said = re.search(rf"{name}\).*?^```text\n(.*?)^```$", file.read(), flags=re.S | re.M)
        assert_printed(done.stdout, said[1])


def test_there_are_ten():
    assert len(EXAMPLES) == 10


def words_and_numbers(text):
    return "".join(re.sub(NUMBER, "#", text).split()), [float(one) for one in re.findall(NUMBER, text)]


def assert_printed(printed, said, place=""):
    """but for rounding, which is the machine's; and numbers of rounding alone are not compared"""
    (words, numbers), (right_words, right) = words_and_numbers(printed), words_and_numbers(said)
    assert words == right_words, f"{place} prints\n{printed}"
    for number, one in zip(numbers, right):
        assert number == pytest.approx(one, rel=1e-3, abs=1e-6), f"{place} prints\n{printed}"


def test_numbers_of_a_page_are_compared():
    assert_printed("[ 1.00000001  2.] done 3e-11", "[1. 2.] done 2e-12")
    for wrong in ("[1.1 2.] done 3e-11", "[1. 2.] 3e-11", "[1. 2. 3.] done 3e-11", ""):
        with pytest.raises(AssertionError):
            assert_printed(wrong, "[1. 2.] done 2e-12")


@pytest.mark.parametrize("page", PAGES, ids=[os.path.relpath(page, ROOT) for page in PAGES])
def test_a_page_prints_what_it_says(page, capsys, monkeypatch, tmp_path):
    """all its blocks of Python, one after the other, but for those whose packages are missing"""
    if not os.path.exists(page):
        pytest.skip("without the page")
    with open(page) as file:
        text = file.read()
    blocks = list(re.finditer(r"^```python\n(.*?)^```\n(?:\n*```text\n(.*?)^```$)?", text, flags=re.S | re.M))
    assert blocks
    monkeypatch.chdir(tmp_path)  # for what they write
    os.symlink(os.path.abspath(os.path.join(ROOT, "experiments")), "experiments")  # whose models they read
    monkeypatch.setenv("MPLBACKEND", "Agg")
    scope: dict = {}
    for found in blocks:
        block, said = found.groups("")
        if any(lacks(m) for m in PACKAGES if re.search(rf"\b{m}\b", block)):
            continue
        line = text.count("\n", 0, found.start(1))
        place = f"{os.path.relpath(page, ROOT)}:{line + 1}"
        try:
            exec(compile("\n" * line + block, page, "exec"), scope)
        except ImportError as error:
            assert "not built for MuJoCo" in str(error), place
            continue
        except Exception as error:
            pytest.fail(f"{place}: {type(error).__name__}: {error}")
        assert_printed(capsys.readouterr().out, said, place)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=map(os.path.basename, NOTEBOOKS))
def test_a_notebook_prints_what_it_says(path, capsys, monkeypatch):
    """its cells in order; a cell of text that follows shows what one prints; no output is stored"""
    plt = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    plt.switch_backend("Agg")
    with open(path) as file:
        notebook = json.load(file)
    cells = notebook["cells"]
    text = ["".join(cell["source"]) for cell in cells]
    for module in PACKAGES:
        if lacks(module) and any(re.search(rf"^import {module}|^from {module}", one, flags=re.M) for one in text):
            pytest.skip(f"without {module}")
    assert notebook["nbformat"] == 4 and os.path.getsize(path) < 20_000
    scope: dict = {}
    for i, cell in enumerate(cells):
        if cell["cell_type"] != "code":
            continue
        assert cell["outputs"] == [] and cell["execution_count"] is None
        exec(compile(text[i], f"{path}, cell {i}", "exec"), scope)
        said = re.search(r"^```text\n(.*?)^```", text[i + 1], flags=re.S | re.M) if i + 1 < len(cells) else None
        assert_printed(capsys.readouterr().out, said[1] if said else "")
    drawn = [plt.figure(number).axes for number in plt.get_fignums()]
    plt.close("all")
    assert drawn and all(axes and axes[0].has_data() for axes in drawn)


def test_there_are_three_notebooks():
    assert [os.path.basename(path) for path in NOTEBOOKS] == ["ensemble.ipynb", "fit.ipynb", "gait.ipynb"]
