# SPDX-License-Identifier: Apache-2.0
"""What a user who checks types writes: all of the public interface. It is checked, and not run."""

from typing import Any, assert_type

import jax
import mujoco
import numpy as np
from numpy.typing import NDArray

import ess
import ess.jax
import ess.mujoco


def field(t: float, y: NDArray[np.float64], sign: NDArray[np.float64]) -> list[float]:
    return [float(y[1]), -9.81]


def height(t: float, y: NDArray[np.float64]) -> float:
    return float(y[0])


def bounce(
    t: float, y: NDArray[np.float64], sign: NDArray[np.float64], crossed: list[int]
) -> tuple[list[float], list[float]]:
    return [0.0, -0.8 * float(y[1])], [1.0]


r = ess.solve_ivp(
    field, (0, 3), [1.0, 0.0], "RK45", np.linspace(0, 3, 4), True, [height], False, (), guards=height,
    impact=bounce, impacts_at=[(0, -1)], jac=None, guard_jac=None, tangents=True, rtol=1e-9,
    atol=[1e-9, 1e-9], max_step=0.1, first_step=None, max_steps=100, tie=0.0, base="dopri5", sliding=[0], rest=False,
)  # fmt: skip
assert_type(r, ess.OdeResult)
assert_type(r.message, str)
assert_type(r.y, NDArray[Any])
assert_type(r["t"], Any)
sol: ess.OdeSolution = r.sol
assert_type(sol(0.5), NDArray[Any])
assert_type(sol.ts, NDArray[Any])
assert_type(ess.__version__, str)
assert_type(ess.FIELD, str)

many = ess.ensemble(
    None, (0, 1), np.zeros((3, 2)), guards=None, guard_count=1, user=np.zeros((3, 1)), threads=2,
    params=[1.0], progress=True, max_time=2.0, executor=None,
)  # fmt: skip
assert_type(many, ess.EnsembleResult)
states, events = r.to_dataframe(names=["height", "speed"])
axes = many.plot([0, "speed"], names=["height", "speed"])

g = ess.gradient(lambda y: (0.0, y), field, (0, 3), [1.0, 0.0], t_eval=[1.0], guards=height, memory=1 << 20)
assert_type(g, ess.OdeResult)

end = ess.jax.flow(field, (0, 1), guards=height, rtol=1e-6, t_eval=[0.5], event=None, sliding=True, rest=False)
ends: jax.Array = end(jax.numpy.zeros(2))

robot = ess.mujoco.Robot("robot.xml")
assert_type(robot.state([0.0], qvel=[0.0]), NDArray[Any])
assert_type(robot.events, list[str])
assert_type(ess.mujoco.simulate(robot, t=0.1, tol=1e-6), ess.OdeResult)
audit = ess.mujoco.audit(mujoco.MjModel.from_xml_path("robot.xml"), t=1.0, time_steps=[0.01])
assert_type(audit, ess.mujoco.Audit)
derivative = ess.mujoco.audit_derivative("robot.xml", times=[0.1], time_steps=[0.01])
assert_type(derivative, ess.mujoco.DerivativeAudit)
assert_type(derivative.verdict, str)
assert_type(audit.reference, float)
assert_type(ess.mujoco.releases(), list[str])

ess.solve_ivp(field, 3.0, [1.0])  # type: ignore[arg-type]
ess.solve_ivp(field, (0, 1), [1.0], tol=1e-6)  # type: ignore[call-arg]
ess.solve_ivp(field, (0, 1), [1.0], max_step="a")  # type: ignore[arg-type]
ess.ensemble(field, (0, 1), [[1.0]], dense_output=True)  # type: ignore[call-arg]
ess.jax.flow(3, (0, 1))  # type: ignore[arg-type]
