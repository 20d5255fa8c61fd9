# SPDX-License-Identifier: Apache-2.0
"""Types: what is installed says them, and they fit what users write."""

import glob
import os
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = sorted(glob.glob(os.path.join(HERE, "..", "examples", "*.py")))
SETTINGS = os.path.join(HERE, "..", "..", "pyproject.toml")

for module in ("mypy", "jax", "mujoco"):
    pytest.importorskip(module)


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
