# SPDX-License-Identifier: Apache-2.0
import signal

import pytest


@pytest.fixture
def num_parallel_threads():
    """what SciPy's own tests ask for"""
    return 1


def pytest_configure(config):
    # a shell starts what runs in the background with Ctrl-C ignored, and Python leaves it so
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for mark in ("slow", "fail_slow(seconds)", "thread_unsafe(reason)"):
        config.addinivalue_line("markers", f"{mark}: of SciPy's own tests")
