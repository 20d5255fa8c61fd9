# SPDX-License-Identifier: Apache-2.0
"""Types: what is installed says them, and they fit what users write."""

import ast
import glob
import os
import re
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = sorted(glob.glob(os.path.join(HERE, "..", "examples", "*.py")))
SETTINGS = os.path.join(HERE, "..", "..", "pyproject.toml")

for module in ("mypy", "jax", "mujoco"):
    pytest.importorskip(module)

import ess._native as native


def check(*arguments):
    command = [sys.executable, "-m", "mypy", "--config-file", SETTINGS, "--no-incremental", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=HERE, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_public_interface_is_typed_in_full():
    check("--strict", "typed.py")


def test_the_package_fits_its_types():
    check("-p", "ess")


def test_examples_fit_the_types():
    # functions have attributes as SciPy's events have them, which mypy knows of none
    check("--disable-error-code", "attr-defined", *EXAMPLES)


def test_the_native_part_is_what_its_stub_says():
    with open(os.path.join(os.path.dirname(native.__file__), "_native.pyi")) as file:
        stub = ast.parse(file.read()).body
    said = {f.name: [a.arg for a in f.args.args] for f in stub if isinstance(f, ast.FunctionDef)}
    others = {v.target.id for v in stub if isinstance(v, ast.AnnAssign) and isinstance(v.target, ast.Name)}
    there = {}
    for name in dir(native):
        if name.startswith("_"):
            continue
        thing = getattr(native, name)
        if callable(thing):
            # nanobind writes: name(argument: type, ...) -> type
            there[name] = re.findall(r"[(,] ?(\w+): ", thing.__doc__.splitlines()[0])
        else:
            others.remove(name)
    assert there == said and not others
