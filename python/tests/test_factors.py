# SPDX-License-Identifier: Apache-2.0
"""What is raced against SciPy is the same: both ways end where neither has taken part."""

import numpy as np
import pytest

pytest.importorskip("numba")
import factors  # noqa: E402


@pytest.mark.parametrize("name", factors.CASES)
def test_all_ways_end_at_the_same_state(name):
    case = factors.CASES[name]
    truth = case.truth() if hasattr(case, "truth") else factors.run_scipy(case, factors.EXACT)[0]
    for found, _ in (
        factors.run_scipy(case, factors.OPTIONS),
        factors.run_ess(case, False, factors.OPTIONS),
        factors.run_ess(case, True, factors.OPTIONS),
    ):
        np.testing.assert_allclose(found, truth, rtol=0, atol=3e-5)
