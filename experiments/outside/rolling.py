# SimBenchmark's rolling balls: a box that slides under 25 balls, which roll on it. The error is that of the velocities.
# SPDX-License-Identifier: GPL-3.0-or-later
# needs: mujoco
import mujoco
import numpy as np

import ess
from share import hand_over, row

# data/rolling/default.csv of https://github.com/leggedrobotics/SimBenchmark at 3fd1764, steps of 1 ms, Newton; constants and
# error are those of benchmark/res/yaml/rolling.yaml and RollingBenchmark.hpp, the bodies those of rolling.xml
SOURCE = "[default.csv](https://github.com/leggedrobotics/SimBenchmark/blob/3fd17646352f4c1c2c3108f93dae00f2a2d60097/data/rolling/default.csv)"
PUBLISHED = {"MuJoCo 1.5, Euler": 0.00692691, "MuJoCo 1.5, RK4": 0.0027148, "RaiSim": 4.13711e-07, "Bullet": 5.70654e-09,
             "ODE": 3.14497, "DART": 3.14497}  # fmt: skip
BOX, BALL, COUNT, GRAVITY, FORCE, TIME, STEP = 10.0, 1.0, 25, 9.81, 150.0, 4.0, 1e-3
GROUND, ON_BOX, ALONG = 0.4, 0.8, np.array([0.5, 0.866025403784439])

# the exact motion: the box slides on the ground, and each ball rolls on the box
drag = GROUND * (BOX + COUNT * BALL) * GRAVITY
push = (FORCE - drag) / BOX / (3.5 / BALL + COUNT / BOX)  # of the box on a ball
of_box, of_ball = (FORCE - drag - COUNT * push) / BOX, push / BALL
times = STEP * np.arange(round(TIME / STEP))


def error(box, ball):
    """Velocities by time, along x, y and z."""
    exact = np.outer(times, [*ALONG, 0.0])
    return np.mean(np.sum((box - of_box * exact) ** 2 + (ball - of_ball * exact) ** 2, axis=1))


def by_libess():
    """Along the force: the velocities of the box, a ball and its rim; friction keeps the ball's rim on the box."""

    def field(t, y, sign):
        friction = -ON_BOX * BALL * GRAVITY * sign[0]
        box = (FORCE - drag - COUNT * friction) / BOX
        return [box, friction / BALL, -friction / (0.4 * BALL)]

    # of the ball's point of contact over the box; from rest the box slides forward
    r = ess.solve_ivp(field, (0, TIME), [0.0, 0.0, 0.0], guards=lambda t, y: y[1] - y[2] - y[0], sliding=True,
                      t_eval=times, rtol=1e-9, atol=1e-9)  # fmt: skip
    assert r.success, r.message
    return error(np.outer(r.y[0], [*ALONG, 0.0]), np.outer(r.y[1], [*ALONG, 0.0]))


def by_mujoco(integrator):
    balls = "".join(
        f'<body pos="{x} {y} 1.499998"><inertial pos="0 0 0" mass="1" diaginertia=".1 .1 .1"/><freejoint/>'
        f'<geom size=".5" friction="{ON_BOX} 0 0"/></body>'
        for x in range(-4, 5, 2) for y in range(-4, 5, 2)
    )  # fmt: skip
    m = mujoco.MjModel.from_xml_string(
        f'<mujoco><option cone="elliptic" timestep="{STEP}" integrator="{integrator}" solver="Newton" tolerance="1e-12"/>'
        f'<worldbody><geom type="plane" size="100 100 5" friction="{GROUND} 0 0"/><body pos="0 0 0.499998"><inertial pos="0 0 0"'
        ' mass="10" diaginertia="334.16666666666669 334.16666666666669 666.66666666666674"/><freejoint/>'
        f'<geom type="box" size="10 10 .5" friction="{GROUND} 0 0"/></body>{balls}</worldbody></mujoco>'
    )
    d, box, ball = mujoco.MjData(m), [], []
    d.xfrc_applied[1, :2] = FORCE * ALONG
    for _ in times:
        box.append(d.qvel[:3].copy())
        ball.append(d.qvel[6:9].copy())
        mujoco.mj_step(m, d)
    return error(np.array(box), np.array(ball))


ours, now = by_libess(), mujoco.mj_versionString()
rows = [row("rolling", "squared error of the velocities, mean (m²/s²)", f"{by}, 1 ms", theirs, ours, 0, SOURCE)
        for by, theirs in PUBLISHED.items()]  # fmt: skip
for integrator in "Euler", "RK4":
    rows.append(row("rolling", "squared error of the velocities, mean (m²/s²)", f"MuJoCo {now}, {integrator}, 1 ms",
                    by_mujoco(integrator), ours, 0))  # fmt: skip
hand_over(rows=rows)
