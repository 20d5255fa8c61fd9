# SPDX-License-Identifier: Apache-2.0
"""Which stiffness and damping make a hopper rise to a given height with a given force? By jax.grad.

The gradient goes through touch-down and lift-off.
"""

import jax

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp  # noqa: E402

import ess.jax  # noqa: E402

TARGET = 1.4


def hop(t, y, sign, p):
    """a mass above a leg of length 1, which pushes with its spring, and damps, while it touches"""
    stiffness, damping = 1000.0 * p[0], 10.0 * p[1]
    push = stiffness * (1.0 - y[0]) - damping * y[1]
    return jnp.stack([y[1], jnp.where(sign[0] > 0, push, 0.0) - 9.81])


end = ess.jax.flow(hop, (0, 0.7), guards=lambda t, y, p: [1.0 - y[0]])
start = jnp.array([1.5, 0.0])


def miss(p):
    """how far the energy after the hop is from that at the target"""
    y = end(start, p)
    return (0.5 * y[1] ** 2 + 9.81 * (y[0] - TARGET)) ** 2


p = jnp.array([1.0, 0.5])
for step in range(30):
    value, gradient = jax.value_and_grad(miss)(p)
    if value < 1e-12:
        break
    # a square's zero, by Newton along the gradient
    p = p - 2.0 * value * gradient / (gradient @ gradient)
print(f"stiffness {1000 * p[0]:.3f}, damping {10 * p[1]:.3f}; after {step} steps it misses by {value:.1e}")
assert value < 1e-12
