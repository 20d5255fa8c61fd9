# SPDX-License-Identifier: Apache-2.0
"""A ring of neurons that integrate and fire: each spike kicks the next one."""

import numpy as np

import ess

COUNT, KICK, TIME = 20, 0.02, 5.0
drive = np.linspace(1.2, 1.6, COUNT)


def charge(t, v, sign):
    return drive - v


def threshold(t, v):
    return v - 1.0


def fire(t, v, sign, crossed):
    after = v.copy()
    for k in crossed:
        after[(k + 1) % COUNT] += KICK
    after[crossed] = 0.0
    return after


result = ess.solve_ivp(
    charge, (0, TIME), np.zeros(COUNT), guards=threshold, impact=fire, rtol=1e-8, atol=1e-10
)
assert result.success, result.message
spikes = result.crossings[:, 0]
print(len(spikes), "spikes; by neuron", np.bincount(spikes, minlength=COUNT))

# without kicks a neuron fires every log(drive / (drive - 1))
alone = ess.solve_ivp(
    charge, (0, TIME), np.zeros(COUNT), guards=threshold, rtol=1e-8, atol=1e-10,
    impact=lambda t, v, sign, crossed: np.where(np.isin(np.arange(COUNT), crossed), 0.0, v),
)  # fmt: skip
expected = np.floor(TIME / np.log(drive / (drive - 1)))
assert np.array_equal(np.bincount(alone.crossings[:, 0], minlength=COUNT), expected)
assert len(spikes) > expected.sum()
