# SPDX-License-Identifier: Apache-2.0
"""Initial value problems with events that switch the equations.

`solve_ivp` extends `scipy.integrate.solve_ivp` by `guards`, whose signs select the equations, and by
`impact`, which resets the state. `ensemble` makes many runs, and `gradient` differentiates one number
by any number of parameters. `ess.jax` has derivatives for JAX, and `ess.mujoco` integrates MuJoCo
robots.
"""

from ._ensemble import EnsembleResult, ensemble
from ._functions import FIELD, GUARDS, IMPACT
from ._gradient import gradient
from ._ivp import OdeResult, OdeSolution, solve_ivp
from ._native import version as __version__

__all__ = [
    "FIELD",
    "EnsembleResult",
    "GUARDS",
    "IMPACT",
    "OdeResult",
    "OdeSolution",
    "ensemble",
    "gradient",
    "solve_ivp",
    "__version__",
]
