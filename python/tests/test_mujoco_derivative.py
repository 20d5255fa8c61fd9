# SPDX-License-Identifier: Apache-2.0
"""Derivatives of robots' trajectories: the reference against closed forms and differences."""

import json
import math
import pathlib
import subprocess

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco")
robots = pytest.importorskip("ess.mujoco", exc_type=ImportError)


def model_of(bodies, options=""):
    return mujoco.MjModel.from_xml_string(
        f"<mujoco><option timestep='0.002' {options}/><worldbody>{bodies}</worldbody></mujoco>"
    )


HEAVY = "<body><joint type='slide' axis='0 0 1' stiffness='40' damping='1'/><geom size='.1' mass='2'/></body>"
BALL = "<geom type='plane' size='1 1 1'/><body pos='0 0 .3'><freejoint/><geom size='.1' mass='1'/></body>"
LEG = """<geom type='plane' size='9 9 1'/><body pos='0 0 .9'>
  <joint type='slide' axis='0 0 1'/><joint type='slide' axis='1 0 0'/><geom size='.1' mass='3'/>
  <body pos='0 0 -.1'><joint name='hip' axis='0 1 0' stiffness='30' damping='.5'/>
    <geom type='capsule' fromto='0 0 0 0 0 -.5' size='.03' mass='.5' contype='0' conaffinity='0'/>
    <geom pos='0 0 -.55' size='.05' mass='.1'/></body></body>"""


def test_a_spring_is_its_matrix_exponential():
    """x'' = -20 x - x'/2"""
    robot = robots.Robot(model_of(HEAVY))
    t, half = 0.5, 0.25
    found = robots._exact(robot, robot.state([0.1], [0.0]), robot.control(), [t], 1e-10)[0]
    w = math.sqrt(20 - half**2)
    c, s, e = math.cos(w * t), math.sin(w * t), math.exp(-half * t)
    exact = e * np.array([[c + half * s / w, s / w], [-20 * s / w, c - half * s / w]])
    np.testing.assert_allclose(found, exact, atol=1e-7)


def test_both_ways_are_of_first_order_on_a_spring():
    audit = robots.audit_derivative(model_of(HEAVY), [0.1], [0.0], times=[0.1, 0.5])
    assert len(audit.rows) == 12 and max(audit.reference) < 1e-7
    for way in ("transitions", "whole runs"):
        for t in (0.1, 0.5):
            error = [r["error"] for r in audit.rows if r["way"] == way and r["t"] == t]
            assert 1e-5 < error[0] < 0.1
            assert 1.7 < error[0] / error[1] < 2.3 and 1.7 < error[1] / error[2] < 2.3
    assert audit.verdict.startswith("At 0.5 s, at steps of 0.002 s, MuJoCo's derivative differs from the flow's by 0.1")
    assert "whole runs" in repr(audit) and max(map(len, repr(audit).splitlines())) <= 100


@pytest.mark.parametrize(
    "bodies, qpos, qvel, time",
    [
        (BALL, [0, 0, 0.25, 0.9, 0.1, 0.3, 0.2], [0.3, 0.1, -0.5, 1, 2, 3], 0.25),
        (LEG, [0.0, 0.0, 0.2], [-0.5, 0.4, 0.0], 0.4),
    ],
)
def test_the_reference_is_that_of_differences_of_right_runs(bodies, qpos, qvel, time):
    robot = robots.Robot(model_of(bodies, "integrator='implicitfast'"))
    m, x0 = robot.model, robot.normalise(robot.state(qpos, qvel))
    found = robots._exact(robot, x0, robot.control(), [time], 1e-10)[0]
    by, count = 1e-6, 2 * m.nv
    ends = [
        [
            robot.normalise(
                robot.simulate(y[: m.nq], y[m.nq :], time, 1e-12, t_eval=[time]).y_end
            )
            for y in (robots._moved(m, x0, way, -by), robots._moved(m, x0, way, by))
        ]
        for way in np.eye(count)
    ]
    differences = np.array([robots._apart(m, a, b) / (2 * by) for a, b in ends]).T
    assert np.linalg.norm(found - differences) < 2e-4 * np.linalg.norm(differences)
    touched = robot.simulate(x0[: m.nq], x0[m.nq :], time, 1e-8)
    assert len(touched.t_crossings) > 0


def bouncing(stiffness, impedance=""):
    """a body between a floor and nothing, whose contact is a spring without a damper"""
    spring = f"solref='-{stiffness:g} 0' {impedance}"
    return model_of(
        f"<geom type='plane' size='9 9 1' {spring}/><body pos='0 0 .1'>"
        f"<joint type='slide' axis='0 0 1'/><geom size='.1' mass='1' {spring}/></body>",
        "gravity='0 0 0'",
    )


CONSTANT = "solimp='.95 .95 .001 .5 2'"


@pytest.mark.parametrize("impedance, allowed", [("", 1e-3), (CONSTANT, 1e-7)], ids=["spline", "constant"])
@pytest.mark.parametrize("stiffness", [1e4, 1e5, 1e6])
@pytest.mark.parametrize("speed", [0.5, 2.0, 5.0])
def test_the_reference_through_an_undamped_contact(stiffness, speed, impedance, allowed):
    """a body leaves as fast as it came: heights have the derivative -1, and speeds none by them"""
    robot = robots.Robot(bouncing(stiffness, impedance))
    audit = robots.audit_derivative(robot, [0.3], [-speed], times=[1.0], time_steps=[0.002])
    x0 = robot.state([0.3], [-speed])
    found = robots._exact(robot, x0, robot.control(), [1.0], 1e-9, robots._SHORT)[0]
    known = np.array([[-1.0, found[0, 1]], [0.0, -1.0]])
    error = np.linalg.norm(found - known) / np.linalg.norm(known)
    assert error < allowed and error < 2 * audit.reference[0]


def test_an_audit_says_what_a_missed_spline_costs():
    """the spline of solimp takes 0.2 ms here, and a step goes over it"""
    robot = robots.Robot(bouncing(1e4))
    start = [[0.3], [-5.0]]
    audit = robots.audit(robot, *start, integrators=["Euler"], time_steps=[0.002], reference=1e-8)
    times = 0.002 * np.arange(501)
    coarse, fine = (robot.simulate(*start, 1.0, tol, t_eval=times).y for tol in (1e-8, 1e-13))
    error = np.sqrt(np.mean((coarse - fine) ** 2))
    assert error > 1e-5 and error < 2 * audit.reference


def test_rk4_has_no_transitions():
    audit = robots.audit_derivative(model_of(HEAVY, "integrator='RK4'"), [0.1], [0.0], times=[0.1])
    assert {row["way"] for row in audit.rows} == {"whole runs"}
    assert audit.rows[0]["error"] < 1e-6


def test_a_quaternion_need_not_be_of_length_one():
    model = model_of("<body><joint type='ball'/><geom type='box' size='.1 .05 .02' pos='.1 0 -.2'/></body>")
    one, two = (
        robots.audit_derivative(model, [length, 0, 0, 0], [1, 2, 3], times=[0.1]) for length in (1, 2)
    )
    for a, b in zip(one.rows, two.rows):
        assert b["error"] < 0.01 and b["error"] == pytest.approx(a["error"], rel=1e-3)


CUBE = pathlib.Path(__file__).parents[2] / "experiments/outside/cube.xml"


def test_along_one_direction_there_is_a_derivative_through_simultaneous_contacts():
    """Two corners of a cube touch at once. The motion stays in a plane, and its derivative by the initial
    vertical velocity is the same from both sides."""
    start, ends = [0, -0.1, -2, 0, 0, 0], {"times": [1.0], "time_steps": [0.01]}
    downward = np.eye(12)[8]
    with pytest.raises(RuntimeError, match="no single derivative .*corner 1, .*corner 2"):
        robots.audit_derivative(CUBE, qvel=start, qpos=[0, 0, 0.2, 1, 0, 0, 0], **ends)
    audit = robots.audit_derivative(CUBE, qvel=start, qpos=[0, 0, 0.2, 1, 0, 0, 0], along=downward, **ends)
    found, robot = audit.derivative[0][1, 0], robots.Robot(CUBE)
    sides = [
        robot.simulate([0, 0, 0.2, 1, 0, 0, 0], np.add(start, move * np.eye(6)[2]), 1.0, 1e-11).y_end[1]
        for move in (-1e-5, 1e-5)
    ]
    assert found == pytest.approx((sides[1] - sides[0]) / 2e-5, abs=1e-3)
    assert found == pytest.approx(0.5758, abs=1e-4) and audit.reference[0] < 1e-3
    by_steps = {row["way"]: row["derivative"][1, 0] for row in audit.rows}
    assert by_steps == pytest.approx({"transitions": 6.168, "whole runs": 6.168}, abs=1e-3)
    # where the force jumps at touch-down, the order of the corners matters to a cube that is turned
    hard = mujoco.MjModel.from_xml_path(str(CUBE))
    hard.geom_solimp[:, 0] = 0.9
    with pytest.raises(RuntimeError, match="no single derivative .*corner 1, .*corner 2"):
        robots.audit_derivative(
            hard, qvel=start, qpos=[0, 0, 0.2, 1, 0, 0, 0], along=np.eye(12)[4], times=[0.1], time_steps=[0.01]
        )


@pytest.mark.parametrize(
    "more, word",
    [
        ({"times": [0.1], "along": [1.0]}, "`along`"),
        ({"times": [0.1], "along": [0.0, 0.0]}, "`along`"),
        ({"times": [0.1], "along": "x"}, "`along`"),
        ({"times": []}, "`times`"),
        ({"times": [0.2, 0.1]}, "`times`"),
        ({"times": [0.1], "time_steps": [0.003]}, "multiples"),
        ({"times": [0.1], "time_steps": [-0.01]}, "multiples"),
        ({"times": "x"}, "`times`"),
        ({"times": [math.inf]}, "`times`"),
        ({"times": [0.1], "time_steps": []}, "`time_steps`"),
        ({"times": [0.1], "time_steps": "x"}, "`time_steps`"),
    ],
)
def test_wrong_arguments_are_named(more, word):
    with pytest.raises(ValueError, match=word):
        robots.audit_derivative(model_of(HEAVY), **more)


def test_smaller_steps_do_not_help_where_a_force_jumps_at_touch_down():
    """differences by small moves miss what an earlier touch-down does; by larger ones they do not"""
    land = "<geom type='plane' size='9 9 1'/><body pos='0 0 .1'><joint type='slide' axis='0 0 1'/><geom size='.1'/></body>"
    robot = robots.Robot(model_of(land))
    start, time = [[0.2], [-2.0]], 0.12
    audit = robots.audit_derivative(robot, *start, times=[time], time_steps=[1e-3, 2.5e-4])
    x0 = robot.state(*start)
    exact = robots._exact(robot, x0, robot.control(), [time], 1e-9)[0]
    assert min(row["error"] for row in audit.rows) > 0.5
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><option timestep='1e-5'/><worldbody>{land}</worldbody></mujoco>"
    )

    def end(z, v):
        data = mujoco.MjData(model)
        data.qpos[0], data.qvel[0] = z, v
        mujoco.mj_step(model, data, round(time / 1e-5))
        return np.array([data.qpos[0], data.qvel[0]])

    by = 1e-3
    differences = np.array(
        [(end(0.2 + by, -2.0) - end(0.2 - by, -2.0)), (end(0.2, by - 2.0) - end(0.2, -by - 2.0))]
    ).T / (2 * by)
    assert np.linalg.norm(differences - exact) < 0.05 * np.linalg.norm(exact)


FEET = """<geom name='floor' type='plane' size='9 9 1'/><body pos='0 0 .3'><freejoint/>
  <geom name='left' size='.1' pos='-.2 0 0' mass='1'/><geom name='right' size='.1' pos='.2 0 0' mass='1'/></body>"""


def test_where_two_feet_touch_down_at_once_what_is_before_is_kept():
    start = model_of(FEET), [0, 0, 0.3, 1, 0, 0, 0], [0] * 6
    audit = robots.audit_derivative(*start, times=[0.1, 0.3, 0.4], time_steps=[0.002])
    assert audit.times == [0.1] and len(audit.reference) == 1
    assert "no single derivative at 0.3 s" in audit.note and audit.note in repr(audit).replace("\n", " ")
    assert "left" in audit.note and "right" in audit.note
    with pytest.raises(RuntimeError, match="at 0.3 s: earlier events are simultaneous, .*left.*right at 0.2"):
        robots.audit_derivative(*start, times=[0.3], time_steps=[0.002])


ESSBENCH = pathlib.Path(__file__).parents[2] / "build/release/experiments/essbench"


@pytest.mark.skipif(not ESSBENCH.exists(), reason="essbench is not built")
def test_essbench_has_the_same_errors(tmp_path):
    """two programs, of which one is C and starts from directions, the other moves states"""
    xml = tmp_path / "leg.xml"
    xml.write_text(f"<mujoco><option timestep='0.002'/><worldbody>{LEG}</worldbody></mujoco>")
    words = "--derivative --time 0.4 --output-step 0.2 --halvings 1 --moves 1e-6 --height 0.2 --out"
    subprocess.run(
        [ESSBENCH, "robot", xml, *words.split(), tmp_path], check=True, capture_output=True
    )
    found = json.loads((tmp_path / "robot_derivative.json").read_text())
    robot = robots.Robot(str(xml))
    start = robot.start(0.2)
    audit = robots.audit_derivative(
        robot, start[: robot.nq], start[robot.nq :], times=[0.2, 0.4], time_steps=[0.002, 0.001]
    )
    assert found["status"] == "success" and found["crossings"]
    names = {"transitions": "transitions", "whole runs": "differences"}
    for row in audit.rows:
        same = [
            e["error"]
            for e in found["errors"]
            if e["who"] == "MuJoCo"
            and e["way"] == names[row["way"]]
            and math.isclose(e["step"], row["step"])
            and math.isclose(e["t"], row["t"])
        ]
        assert same == [pytest.approx(row["error"], rel=1e-3, abs=10 * row["reference"])]
