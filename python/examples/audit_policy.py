# SPDX-License-Identifier: Apache-2.0
"""A PD controller on recorded targets, at 50 Hz: the error of mj_step in its loop, and of each step of a recording."""

import mujoco
import numpy as np

import ess.mujoco

LEGS = """<mujoco><option timestep="0.002"/><worldbody><geom name="floor" type="plane" size="5 5 .1"/>
  <body name="trunk" pos="0 0 .36"><freejoint name="root"/><geom type="box" size=".2 .1 .05" mass="4" contype="0"/>
    <body name="front" pos=".2 0 0"><joint name="front" axis="0 1 0" damping=".2" armature=".01"/>
      <geom name="front left" type="capsule" size=".02" fromto="0 .1 0 0 .12 -.3"/>
      <geom name="front right" type="capsule" size=".02" fromto="0 -.1 0 0 -.12 -.3"/></body>
    <body name="rear" pos="-.2 0 0"><joint name="rear" axis="0 1 0" damping=".2" armature=".01"/>
      <geom name="rear left" type="capsule" size=".02" fromto="0 .1 0 0 .11 -.3"/>
      <geom name="rear right" type="capsule" size=".02" fromto="0 -.1 0 0 -.11 -.3"/></body></body></worldbody>
  <actuator><motor joint="front"/><motor joint="rear"/></actuator>
  <keyframe><key name="stand" qpos="0 0 .36 1 0 0 0 .2 -.2"/></keyframe></mujoco>"""

PERIOD = 0.02
TARGETS = 0.3 * np.sin(2 * np.pi * np.outer(np.arange(50) * PERIOD, [2, 2]) + [0, 2])  # as a log would have them


def policy(t, qpos, qvel):
    target = TARGETS[min(round(t / PERIOD), len(TARGETS) - 1)]
    return 30 * (target - qpos[7:]) - 2 * qvel[6:]


model = mujoco.MjModel.from_xml_string(LEGS)
robot = ess.mujoco.Robot(model, keyframe="stand")
audit = ess.mujoco.audit(robot, t=0.5, policy=policy, period=PERIOD, integrators=["Euler"])
print(audit)

# the same motion as a recording, which any program might have made
x, data = robot.state(), mujoco.MjData(model)
data.qpos[:], data.qvel[:] = x[: model.nq], x[model.nq :]
rows = []
for k in range(250):
    if k % 10 == 0:
        data.ctrl[:] = policy(data.time, data.qpos, data.qvel)
    rows.append((data.time, data.qpos.copy(), data.qvel.copy(), data.ctrl.copy()))
    mujoco.mj_step(model, data)
times, qpos, qvel, ctrl = (np.array(column) for column in zip(*rows))
recording = ess.mujoco.audit_trajectory(robot, times, qpos, qvel, ctrl)
print(recording)
assert audit.error["bodies"] > audit.bound["bodies"] and recording.total > recording.total_bound
