# SPDX-License-Identifier: Apache-2.0
"""Examples run, and so do the pages about them, which show what they print."""

import glob
import importlib.util
import os
import re
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = sorted(glob.glob(os.path.join(HERE, "..", "examples", "*.py")))
PAGE = os.path.join(HERE, "..", "..", "docs", "guide", "python.md")
README = os.path.join(HERE, "..", "README.md")
NEEDS = {"hop_by_gradient.py": ["jax"], "audit_robot.py": ["mujoco", "ess.mujoco"]}


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


def test_there_are_seven():
    assert len(EXAMPLES) == 7


@pytest.mark.skipif(not os.path.exists(PAGE), reason="without the page")
def test_the_page_runs():
    """all blocks of Python of the page, one after the other; those of JAX and MuJoCo where they are"""
    text = open(PAGE).read()
    blocks = re.findall(r"^```python\n(.*?)^```", text, flags=re.S | re.M)
    assert len(blocks) >= 6
    scope = {}
    for block in blocks:
        if any(lacks(m) for m in ("jax", "numba", "mujoco") if re.search(rf"\b{m}\b", block)):
            continue
        try:
            exec(compile(block, PAGE, "exec"), scope)
        except ImportError as error:
            assert "not built for MuJoCo" in str(error)


@pytest.mark.parametrize("page", [README, os.path.join(HERE, "..", "..", "README.md")])
def test_a_readme_prints_what_it_says(page, capsys):
    if not os.path.exists(page):
        pytest.skip("without the page")
    text = open(page).read()
    found = re.search(r"^```python\n(.*?)^```\n+```text\n(.*?)^```", text, flags=re.S | re.M)
    exec(compile(found[1], page, "exec"), {})
    assert capsys.readouterr().out == found[2]
