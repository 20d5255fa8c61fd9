# SPDX-License-Identifier: Apache-2.0
"""How wrong is mj_step? For a robot of gymnasium, or an MJCF of your own: audit_robot.py [FILE]"""

import importlib.util
import os
import sys

import mujoco

import ess.mujoco

LEG = """<mujoco><option timestep="0.002" integrator="RK4"/><worldbody>
  <geom type="plane" size="5 5 1"/>
  <body pos="0 0 1.2"><joint type="slide" axis="0 0 1"/><joint type="slide" axis="1 0 0"/>
    <joint type="hinge" axis="0 1 0"/><geom type="capsule" size="0.05" fromto="0 0 0.2 0 0 -0.2"/>
    <body pos="0 0 -0.2"><joint type="hinge" axis="0 1 0" range="-60 60"/>
      <geom type="capsule" size="0.04" fromto="0 0 0 0 0 -0.4"/></body></body>
</worldbody></mujoco>"""


def choose():
    if len(sys.argv) > 1:
        return sys.argv[1]
    found = importlib.util.find_spec("gymnasium")
    if found and found.origin:
        return os.path.join(os.path.dirname(found.origin), "envs", "mujoco", "assets", "hopper.xml")
    return mujoco.MjModel.from_xml_string(LEG)


robot = ess.mujoco.Robot(choose())
for finding in robot.findings:
    print(*finding[:3], sep="  ")
audit = ess.mujoco.audit(robot)
print(audit)
assert any(row["own"] and row["error"] > audit.reference for row in audit.rows)
