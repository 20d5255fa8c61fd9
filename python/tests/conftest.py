# SPDX-License-Identifier: Apache-2.0
import pytest


@pytest.fixture
def num_parallel_threads():
    """what SciPy's own tests ask for"""
    return 1


def pytest_configure(config):
    for mark in ("slow", "fail_slow(seconds)", "thread_unsafe(reason)"):
        config.addinivalue_line("markers", f"{mark}: of SciPy's own tests")
