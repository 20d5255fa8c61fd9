# SPDX-License-Identifier: Apache-2.0
"""What the site refuses of a page: the warning, which is an error of `make site`, names file and line."""

import os
import re
import runpy
import subprocess
import sys

import pytest

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))

if not os.path.exists(os.path.join(ROOT, "docs", "site", "conf.py")):
    pytest.skip("without the pages", allow_module_level=True)
pytest.importorskip("sphinx")
pytest.importorskip("latex2mathml")

PAGE = r"""# A page

$$
x = \frac{1}{2} \tag{A1}
$$

$$
x = \unknown{1}
$$

$$
x = \frac{1
$$

[nowhere](nowhere.md), [no heading](#none)

$a & b$
"""


def test_old_numbers_are_found(monkeypatch):
    """as tools/page prints them"""
    monkeypatch.setenv("ESS_TOP", ROOT)
    done = subprocess.run([sys.executable, "tools/page", "stale"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        pytest.skip("not in a git repository")
    none = done.stdout.splitlines()[-1].startswith("no ")
    found = runpy.run_path(os.path.join(ROOT, "docs", "site", "conf.py"))["stale"]()
    assert bool(found) != none
    assert all(os.path.exists(os.path.join(ROOT, page)) for page in found)


@pytest.mark.parametrize("page, source", [("ess", "__init__"), ("jax", "jax"), ("mujoco", "mujoco")])
def test_the_reference_has_every_public_name(page, source):
    """but for numba's signatures and the version, which are no functions or classes"""
    with open(os.path.join(ROOT, "python", "ess", f"{source}.py")) as file:
        listed = re.search(r"^__all__ = \[(.*?)\]", file.read(), re.S | re.M)[1]
    with open(os.path.join(ROOT, "docs", "site", f"{page}.rst")) as file:
        shown = re.findall(r"^\.\. auto(?:function|class|exception):: (\w+)", file.read(), re.M)
    names = [name for name in re.findall(r'"(\w+)"', listed) if not name.isupper() and name != "__version__"]
    assert sorted(shown) == sorted(names)


def test_a_fault_is_refused_with_its_line(tmp_path):
    (tmp_path / "README.md").write_text(PAGE)
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-E", "-c", os.path.join(ROOT, "docs", "site"), ".", "out"],
        cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "ESS_TOP": ROOT},
    )  # fmt: skip
    said = [line for line in done.stderr.splitlines() if "toctree contains" not in line]
    for line, fault in (
        (7, "formula: \\unknown is not known"),
        (11, "formula:"),
        (15, "nowhere.md"),
        (15, "none"),
        (17, "formula: is not well formed"),
    ):
        assert any(f"README.md:{line}: WARNING: " in one and fault in one for one in said), (line, said)
    with open(tmp_path / "out" / "README.html") as file:
        page = file.read()
    assert '<span class="eqno">(A1)</span>' in page and "<mfrac>" in page
    assert not any("README.md:3:" in one for one in said)
