# SPDX-License-Identifier: Apache-2.0
"""libess: differential equations that change on the way.

`solve_ivp` takes what `scipy.integrate.solve_ivp` takes, and what changes the equations: `guards`,
whose signs say which equations hold, and `impact`, which moves the state.
"""

from ._ivp import OdeResult, OdeSolution, solve_ivp
from ._native import version as __version__

__all__ = ["OdeResult", "OdeSolution", "solve_ivp", "__version__"]
