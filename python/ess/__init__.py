# SPDX-License-Identifier: Apache-2.0
"""libess: differential equations that change on the way.

`solve_ivp` takes what `scipy.integrate.solve_ivp` takes, and what changes the equations: `guards`,
whose signs say which equations hold, and `impact`, which moves the state. `ensemble` makes many runs
in threads. `ess.jax` has derivatives for JAX, `ess.mujoco` robots.
"""

from ._ensemble import ensemble
from ._functions import FIELD, GUARDS, IMPACT
from ._ivp import OdeResult, OdeSolution, solve_ivp
from ._native import version as __version__

__all__ = [
    "FIELD",
    "GUARDS",
    "IMPACT",
    "OdeResult",
    "OdeSolution",
    "ensemble",
    "solve_ivp",
    "__version__",
]
