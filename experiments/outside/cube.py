# The tossed cube of DiffMJX in MuJoCo as it is: its place after a second, and the derivative of that by the initial
# vertical velocity, over the time step.
# SPDX-License-Identifier: GPL-3.0-or-later
# needs: mujoco
import pathlib

import mujoco
import numpy as np

import ess.mujoco
from share import hand_over, row

FILE = pathlib.Path(__file__).with_name("cube.xml")
QPOS, QVEL, DOWNWARD = [0, 0, 0.2, 1, 0, 0, 0], [0, -0.1, -2, 0, 0, 0], np.eye(12)[8]
STEPS = [1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5]
FAR = 1e-3  # of the initial velocity, m/s: the shift of a touch-down is then longer than the shorter steps
# cube_results.csv of https://github.com/martius-lab/diffmjx at 7c0242c, experiments/04_time-toss/results: columns loss and grad
DIFFMJX = {
    "DiffMJX, adaptive, tolerance 1e-12": (-0.301795222627779, 0.1726698600126482),
    "DiffMJX, its MJX at 10 ms": (-1.571686727811291, 4.336281317049474),
    "DiffMJX, its MJX at 1 ms": (-0.2982783773274352, 3.240441400144758),
}
SOURCE = "[cube_results.csv](https://github.com/martius-lab/diffmjx/blob/7c0242cef6afc74c2747afe013e85428201f1973/experiments/04_time-toss/results/cube_results.csv) of [DiffMJX](https://arxiv.org/abs/2506.14186)"


def place(step, by=0.0):
    m = mujoco.MjModel.from_xml_path(str(FILE))
    m.opt.timestep = step
    d = mujoco.MjData(m)
    d.qpos[:], d.qvel[:] = QPOS, QVEL
    d.qvel[2] += by
    mujoco.mj_step(m, d, round(1 / step))
    return d.qpos[1]


audit = ess.mujoco.audit_derivative(FILE, QPOS, QVEL, times=[1.0], time_steps=STEPS, along=DOWNWARD)
flow = audit.derivative[0][1, 0]
at = ess.mujoco.simulate(FILE, QPOS, QVEL, 1.0, 1e-10).y_end[1]
apart = [ess.mujoco.simulate(FILE, QPOS, np.add(QVEL, by * np.eye(6)[2]), 1.0, 1e-10).y_end[1] for by in (-1e-4, 1e-4)]
by_way = {"transitions": "mjd_transitionFD", "whole runs": "runs moved by 1e-6"}
cube = [
    {"way": by_way[r["way"]], "step": r["step"], "derivative": r["derivative"][1, 0], "y": place(r["step"]), "flow": flow}
    for r in audit.rows
]
cube += [
    {"way": "runs moved by 1e-3", "step": step, "derivative": (place(step, FAR) - place(step, -FAR)) / (2 * FAR),
     "y": place(step), "flow": flow}
    for step in [*STEPS, 1e-5]
]  # fmt: skip
rows = [row("tossed cube", "y after 1 s (m)", by, y, at, None, SOURCE) for by, (y, _) in DIFFMJX.items()]
rows += [row("tossed cube", "∂y/∂v_z (s)", by, slope, flow, None, SOURCE) for by, (_, slope) in DIFFMJX.items()]
for step, said in (1e-2, "10 ms, the file's own"), (1e-3, "1 ms"), (2e-5, "0.02 ms"):
    one = next(c for c in cube if c["step"] == step and c["way"] == "mjd_transitionFD")
    by = f"MuJoCo {mujoco.mj_versionString()}, {said}"
    rows.append(row("tossed cube", "y after 1 s (m)", by, one["y"], at))
    rows.append(row("tossed cube", "∂y/∂v_z (s)", f"{by}, `mjd_transitionFD`", one["derivative"], flow))
differences = (apart[1] - apart[0]) / 2e-4
rows.append(row("tossed cube", "∂y/∂v_z (s)", "differences of libess's own runs", differences, flow))
hand_over(rows=rows, cube=cube)
