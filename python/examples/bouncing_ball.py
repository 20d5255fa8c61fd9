# SPDX-License-Identifier: Apache-2.0
"""A ball that bounces: one line differs from SciPy's solve_ivp."""

import numpy as np

import ess


def fall(t, y, sign):
    return [y[1], -9.81]


def height(t, y):
    return y[0]


def bounce(t, y, sign, crossed):
    return [0.0, -0.8 * y[1]]


def apex(t, y):
    return y[1]


apex.direction = -1
result = ess.solve_ivp(
    fall, (0, 3), [1.0, 0.0], guards=height, impact=bounce, impacts_at=[(0, -1)], events=apex,
    dense_output=True, rtol=1e-9, atol=1e-12,
)  # fmt: skip
print("bounces at", result.t_impacts)
print("apexes at ", result.t_events[0])
print("heights   ", result.y_events[0][:, 0])

# each bounce leaves 0.64 of the height
np.testing.assert_allclose(result.y_events[0][:, 0], 0.64 ** np.arange(1, 7), rtol=1e-8)
np.testing.assert_allclose(result.sol(0.25)[0], 1 - 0.5 * 9.81 * 0.25**2, rtol=1e-9)
