# SPDX-License-Identifier: Apache-2.0
"""A block on a belt, held by a spring: it sticks until the spring is stronger, then slips.

Each phase is a run that an event ends. While the block slips nothing switches, so events are enough.
"""

import math

import numpy as np

import ess

BELT, STATIC, KINETIC = 0.5, 1.0, 0.6  # speed; friction over stiffness, at rest and in motion


def slip(t, y):
    """slower than the belt, which pulls it on"""
    return [y[1], -y[0] + KINETIC]


def sticks(t, y):
    return y[1] - BELT


sticks.terminal, sticks.direction = True, 1

t, y, periods = 0.0, [STATIC, BELT], []
for _ in range(4):
    r = ess.solve_ivp(slip, (t, t + 100), y, events=sticks, rtol=1e-10, atol=1e-12)
    assert r.status == 1 and abs(r.y_end[1] - BELT) < 1e-9
    # it is carried along until the spring is as strong as friction at rest
    stuck = (STATIC - r.y_end[0]) / BELT
    periods.append(r.t_end + stuck - t)
    t, y = r.t_end + stuck, [STATIC, BELT]
print("periods", periods)

# slipping is part of a circle about KINETIC
excess = STATIC - KINETIC
closed = math.pi + 2 * math.atan(BELT / excess) + 2 * excess / BELT
np.testing.assert_allclose(periods, closed, rtol=1e-8)
