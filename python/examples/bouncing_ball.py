# SPDX-License-Identifier: Apache-2.0
"""A ball that bounces: in place of SciPy's solve_ivp, with what changes the equations."""

import numpy as np

import ess

result = ess.solve_ivp(
    lambda t, y, sign: [y[1], -9.81],  # y: height and velocity
    (0, 3),
    [1, 0],
    guards=lambda t, y: y[0],
    impact=lambda t, y, sign, crossed: [0, -0.8 * y[1]],
    impacts_at=[(0, -1)],  # where guard 0 passes zero downward
)
print("bounces at", result.t_impacts)

# it falls for a time, and each flight takes 0.8 of the time of the one before
fall = np.sqrt(2 / 9.81)
flights = 2 * fall * 0.8 ** np.arange(1, len(result.t_impacts))
np.testing.assert_allclose(result.t_impacts, fall + np.append(0, np.cumsum(flights)), rtol=1e-6)
