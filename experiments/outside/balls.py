# Gradients through elastic impacts whose answers are known: two balls, and a ball on a floor.
# SPDX-License-Identifier: GPL-3.0-or-later
# needs: mujoco
import mujoco
import numpy as np

import ess
import ess.mujoco
from share import hand_over, row

# Two equal balls of radius 0.1 m on a line; the first, at 0, moves at 1 m/s to the second, which rests at 0.52 m. They
# exchange their velocities, and the second ends at v_0 T + x_1 + 2 r.
RADIUS, NIMBLE = 0.1, [0.75, 0.25, 0.91, 0.08]
SOURCE = "[nimblephysics 97](https://github.com/keenon/nimblephysics/issues/97)"
two = ess.solve_ivp(
    lambda t, y, sign: [y[2], y[3], 0.0, 0.0], (0, 1), [0.0, 0.52, 1.0, 0.0], rtol=1e-10, atol=1e-12,
    guards=lambda t, y: [y[1] - y[0] - 2 * RADIUS], impacts_at=[(0, -1)],
    impact=lambda t, y, sign, crossed: [y[0], y[1], y[3], y[2]], tangents=True,
)  # fmt: skip
assert two.success, two.message
names = ["x₁", "x₂", "v₁", "v₂"]
rows = [
    row("two elastic balls", f"∂x₂(1 s)/∂{name}(0)", "Nimble 0.8.38", theirs, ours, exact, SOURCE)
    for name, theirs, ours, exact in zip(names, NIMBLE, two.tangents[1], [1, 0, 1, 0])
]

# A ball without gravity, 0.5 m above a floor that is a stiff spring; it leaves as fast as it came, so that a higher
# initial position is a lower final one.
SPRING = "solref='-100000 0' solimp='.95 .95 .001 .5 2'"
MODEL = f"""<mujoco><option gravity='0 0 0'/><worldbody><geom type='plane' size='9 9 1' {SPRING}/>
  <body pos='0 0 .1'><joint type='slide' axis='0 0 1'/><geom size='.1' mass='1' {SPRING}/></body></worldbody></mujoco>"""
STEPS = [2e-3, 2e-4, 2e-5]
audit = ess.mujoco.audit_derivative(
    mujoco.MjModel.from_xml_string(MODEL), [0.5], [-1.0], times=[1.0], time_steps=STEPS, along=np.eye(2)[0]
)
for one in audit.rows:
    if one["way"] == "whole runs":
        by = f"MuJoCo {mujoco.mj_versionString()}, {1e3 * one['step']:g} ms"
        rows.append(row("ball on an elastic floor", "∂z(1 s)/∂z(0)", by, one["derivative"][0, 0],
                        audit.derivative[0][0, 0], -1))  # fmt: skip
hand_over(rows=rows)
