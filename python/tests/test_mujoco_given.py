# SPDX-License-Identifier: Apache-2.0
"""Robots as their users run them: from keyframes and files, with a policy; and recorded trajectories."""

import os

import numpy as np
import pytest

WANTED = os.environ.get("ESS_MUJOCO")  # the release that is asked for: nothing is skipped then

if WANTED is None:
    mujoco = pytest.importorskip("mujoco")
    robots = pytest.importorskip("ess.mujoco", exc_type=ImportError)
else:
    import mujoco

    import ess.mujoco as robots

MASS = """<mujoco><option timestep="0.005" gravity="0 0 0"/><worldbody><body>
  <joint name="x" type="slide" axis="1 0 0"/><geom size="0.1" mass="2"/></body></worldbody>
  <actuator><motor joint="x" gear="3"/></actuator>
  <keyframe><key name="home"/><key name="away" qpos="0.5" qvel="1" ctrl="2"/><key qpos="7"/></keyframe></mujoco>"""

BALL = """<mujoco><option timestep="0.002"/><worldbody><geom name="floor" type="plane" size="5 5 .1"/>
  <body name="ball" pos="0 0 .1"><freejoint name="root"/><geom name="ball" size="0.1"/></body>
  </worldbody></mujoco>"""

LEGS = """<mujoco><option timestep="0.002"/><worldbody><geom name="floor" type="plane" size="5 5 .1"/>
  <body pos="0 0 .4"><freejoint name="root"/><geom type="box" size=".15 .1 .05" mass="2" contype="0"/>
  <body pos=".1 0 0"><joint name="a" axis="0 1 0" damping=".1"/>
    <geom type="capsule" size=".02" fromto="0 .05 0 0 .05 -.3"/></body>
  <body pos="-.1 0 0"><joint name="b" axis="0 1 0" damping=".1"/>
    <geom type="capsule" size=".02" fromto="0 -.05 0 0 -.05 -.3"/></body></body></worldbody>
  <actuator><motor joint="a"/><motor joint="b"/></actuator></mujoco>"""


def model(text):
    return mujoco.MjModel.from_xml_string(text)


# ---- keyframes and files ---------------------------------------------------------------------------


def test_a_keyframe_has_its_velocities_and_controls():
    robot = robots.Robot(model(MASS), keyframe="away")
    np.testing.assert_array_equal(robot.state(), [0.5, 1.0])
    r = robot.simulate(t=0.2, tol=1e-9)
    np.testing.assert_allclose(r.y_end, [0.5 + 0.2 + 3 * 0.02, 1 + 6 * 0.1], rtol=1e-8)
    np.testing.assert_array_equal(robots.Robot(model(MASS), keyframe="2").state(), [7.0, 0.0])
    with pytest.raises(ValueError, match="there are home, away, 2") as error:
        robots.Robot(model(MASS), keyframe="far")
    assert "\n" not in str(error.value)
    with pytest.raises(ValueError, match="the model has none"):
        robots.Robot(model(BALL), keyframe="far")


def test_a_keyframe_has_its_mocap_bodies():
    text = """<mujoco><worldbody>
      <body name="hand" mocap="true"><geom size=".1"/></body>
      <body name="load"><freejoint/><geom size=".1"/></body></worldbody>
      <contact><exclude body1="hand" body2="load"/></contact>
      <equality><weld body1="hand" body2="load" solref=".1 1"/></equality>
      <keyframe><key/><key name="up" mpos=".3 .1 .2" mquat=".8 .6 0 0"/></keyframe></mujoco>"""
    robot = robots.Robot(model(text), keyframe="up")
    # long after, the load hangs below the hand by what the weld gives way, which is little
    assert np.abs(robot.simulate(t=2.0).y_end[:2] - [0.3, 0.1]).max() < 1e-3
    table = robots.audit(robot, *np.split(robot.start(), [7]), t=0.2, integrators=["RK4"], time_steps=[0.0005])
    assert table.rows[0]["error"] < 1e-4


def test_initial_conditions_come_from_files(tmp_path):
    robot = robots.Robot(model(BALL))
    qpos = np.array([[0, 0, 1, 1, 0, 0, 0], [1, 2, 3, 2, 0, 0, 0]], dtype=float)
    qvel = np.arange(12.0).reshape(2, 6)
    np.savez(tmp_path / "a.npz", qpos=qpos, qvel=qvel)
    x = np.hstack([qpos, qvel])
    names = [robot.name(k) for k in range(13)]
    for name, header, rows in ("b.csv", [f"c{k}" for k in range(13)], x), ("c.csv", names[::-1], x[:, ::-1]):
        np.savetxt(tmp_path / name, rows, delimiter=",", header=",".join(header), comments="")
    for name in "a.npz", "b.csv", "c.csv":
        found = robot.load_states(tmp_path / name)
        assert len(found) == 2
        np.testing.assert_array_equal(found[1]["qpos"], qpos[1])
        np.testing.assert_array_equal(found[1]["qvel"], qvel[1])
        assert robot.simulate(**found[0], t=0.05).success
    np.savez(tmp_path / "one.npz", qpos=qpos[0])
    np.testing.assert_array_equal(robot.load_states(tmp_path / "one.npz")[0]["qvel"], np.zeros(6))


def test_files_that_have_no_initial_conditions_are_refused(tmp_path):
    robot = robots.Robot(model(BALL))
    bad = np.zeros((2, 7))
    bad[1, 2] = np.nan
    np.savez(tmp_path / "nan.npz", qpos=bad)
    np.savez(tmp_path / "shape.npz", qpos=np.zeros((2, 5)))
    np.savez(tmp_path / "less.npz", qvel=np.zeros((2, 6)))
    (tmp_path / "word.csv").write_text("a,b\n1,x\n")
    (tmp_path / "short.csv").write_text("a,b\n1,2\n")
    (tmp_path / "ragged.csv").write_text("a,b\n1,2\n\n3\n")
    (tmp_path / "head.csv").write_text("a,b\n")
    (tmp_path / "no.npz").write_text("no archive")
    names = [robot.name(k) for k in range(13)]
    for name, header in (("rows", ["0"] * 13), ("typo", [*names[1:], "typo"]), ("twice", [*names[1:], names[1]])):
        (tmp_path / f"{name}.csv").write_text(",".join(header) + "\n" + ",".join(["0"] * 13) + "\n")
    (tmp_path / "empty.csv").write_text("")
    for name, words in (
        ("rows.csv", "the first line must name the columns; it has numbers"),
        ("typo.csv", f"by name or in their order; '{names[0]}' is missing"),
        ("twice.csv", f"by name or in their order; '{names[0]}' is missing"),
        ("empty.csv", "is empty"),
        ("nan.npz", r"row 2 has nan for qpos\[2\]"),
        ("shape.npz", "qpos has the shape"),
        ("less.npz", "must have an array qpos"),
        ("word.csv", "row 1 has 'x' in column 2"),
        ("ragged.csv", "row 2 has 1 fields; the header has 2"),
        ("head.csv", "has no row below its header"),
        ("short.csv", "it has 2 columns"),
        ("no.npz", "it is no archive of numpy"),
        ("gone.csv", "no such file"),
    ):
        with pytest.raises(ValueError, match=words) as error:
            robot.load_states(tmp_path / name)
        assert name in str(error.value) and "\n" not in str(error.value)


# ---- a policy --------------------------------------------------------------------------------------


def test_a_policy_is_held_over_its_period():
    """of a mass the states at the ticks are known"""
    seen = []

    def policy(t, qpos, qvel):
        seen.append((t, *qpos, *qvel))
        return 4 * (0.2 - qpos) - qvel

    robot = robots.Robot(model(MASS), keyframe="away")
    r = robot.simulate(t=0.31, tol=1e-10, policy=policy, period=0.02, t_eval=np.linspace(0, 0.31, 32))
    x, v = 0.5, 1.0
    for k, (t, q, p) in enumerate(seen):
        np.testing.assert_allclose((t, q, p), (0.02 * k, x, v), atol=1e-9)
        u = 4 * (0.2 - x) - v
        np.testing.assert_allclose(r.ctrl[k, 0], u, atol=1e-8)
        x, v = x + 0.02 * v + 0.0002 * 1.5 * u, v + 0.02 * 1.5 * u
    assert r.success and len(seen) == 16 == len(r.t_ctrl) and r.t.shape == (32,)
    # the dense output knows the ticks, too
    both = robot.simulate(t=0.31, tol=1e-10, policy=policy, dense_output=True)
    np.testing.assert_allclose(both.sol(r.t), r.y, atol=1e-8)


def test_mj_step_in_the_loop_tends_to_the_reference():
    def policy(t, qpos, qvel):
        return 2 * (0.3 * np.sin(8 * t) - qpos[7:]) - 0.1 * qvel[6:]

    table = robots.audit(model(LEGS), t=0.4, policy=policy, budget=20, integrators=["Euler"])
    errors = {row["step"]: row["bodies"] for row in table.rows}
    assert table.how.startswith("libess") and table.bound["bodies"] <= 0.1 * table.error["bodies"]
    assert errors[0.0005] < 0.5 * errors[0.002]
    # without it, or with another period, the motion is another
    one, two, three = (
        robots.simulate(model(LEGS), t=0.4, **given).y_end
        for given in ({"policy": policy}, {"policy": policy, "period": 0.05}, {})
    )
    assert min(np.abs(one - two).max(), np.abs(one - three).max()) > 100 * table.bound["bodies"]


def test_a_policy_costs_little():
    """right-hand-side evaluations at 50 Hz, beside the same controls held for all time"""
    root = os.path.join(os.path.dirname(__file__), "..", "..", ".deps", "robots")
    names = [name for name in ("ant", "hopper", "half_cheetah") if os.path.exists(f"{root}/{name}.xml")]
    if not names:
        pytest.skip("tools/setup test has not been run")
    for name in names:
        robot = robots.Robot(f"{root}/{name}.xml")
        u = np.full(robot.nu, 0.1)
        held = robot.simulate(tol=1e-8, ctrl=u)
        told = robot.simulate(tol=1e-8, policy=lambda t, qpos, qvel, u=u: u)
        assert told.nfev <= 1.1 * held.nfev, name
        np.testing.assert_allclose(told.y_end, held.y_end, atol=1e-4)


@pytest.mark.parametrize(
    "policy, words",
    [
        (lambda t, qpos, qvel: np.zeros(3), "a control for each of 1 actuators; .* shape .3,."),
        (lambda t, qpos, qvel: np.full(1, np.nan if t > 0.1 else 0), "finite controls"),
        (lambda t, qpos, qvel: 1 / 0 if t > 0.1 else 0.0, "ZeroDivisionError"),
        (lambda t, qpos, qvel: "left", "could not convert"),
        (lambda t, qpos: 0.0, "TypeError"),
    ],
)
def test_a_policy_that_fails_ends_the_run_in_one_line(policy, words):
    import re

    r = robots.simulate(model(MASS), t=0.3, policy=policy)
    assert not r.success and r.reason == "ECALLBACK" and "\n" not in r.message
    assert re.search(words, r.message) and r.message.startswith("policy at ")
    # what was computed is there
    late = "0.12 s" in r.message
    assert r.t_end == pytest.approx(0.12 if late else 0.0) and len(r.ctrl) == (6 if late else 0)
    with pytest.raises(ValueError, match=words):
        robots.audit(model(MASS), t=0.3, policy=policy)


def test_wrong_policies_are_refused():
    robot = robots.Robot(model(MASS))

    def policy(t, qpos, qvel):
        return np.zeros(1)

    for given, words in (
        ({"policy": 3}, "function of t, qpos and qvel"),
        ({"policy": policy, "ctrl": 1.0}, "exclude"),
        ({"policy": policy, "period": 0}, "period"),
        ({"policy": policy, "tangents": True}, "tangents"),
    ):
        with pytest.raises(ValueError, match=words):
            robot.simulate(t=0.1, **given)
    r = robot.simulate(t=0.1, policy=lambda t, qpos, qvel: robot.simulate(t=0.1).y_end[:1])
    assert not r.success and "may have its own" in r.message
    with pytest.raises(KeyboardInterrupt):

        def interrupted(t, qpos, qvel):
            raise KeyboardInterrupt

        robot.simulate(t=0.1, policy=interrupted)
    assert robot.simulate(t=0.1, max_steps=10_000, policy=policy).success
    assert robot.simulate(t=0.1, max_steps=3, policy=policy).reason == "EMAXSTEPS"


def test_callbacks_of_mujoco_are_refused():
    m = model(MASS)
    robot = robots.Robot(m)
    mujoco.set_mjcb_control(lambda m, d: None)
    try:
        for run in (lambda: robots.Robot(m), lambda: robot.simulate(t=0.1), lambda: robots.audit(robot)):
            with pytest.raises(ValueError, match="mjcb_control .*`policy`"):
                run()
    finally:
        mujoco.set_mjcb_control(None)
    assert robot.simulate(t=0.1).success


# ---- recorded trajectories -------------------------------------------------------------------------


def record(m, steps, controls=None, qpos=None):
    d = mujoco.MjData(m)
    if qpos is not None:
        d.qpos[:] = qpos
    rows = [(d.time, d.qpos.copy(), d.qvel.copy(), d.ctrl.copy())]
    for k in range(steps):
        if controls is not None:
            d.ctrl[:] = rows[-1][3][:] = controls(k)
        mujoco.mj_step(m, d)
        rows.append((d.time, d.qpos.copy(), d.qvel.copy(), d.ctrl.copy()))
    return [np.array(column) for column in zip(*rows)]


def test_the_local_error_of_a_fall_is_that_of_the_formula():
    m = model(BALL)
    t, q, v, u = record(m, 100, qpos=[0, 0, 1, 1, 0, 0, 0])
    found = robots.audit_trajectory(m, t, q, v)
    h, g = 0.002, 9.81
    # semi-implicit Euler falls by g h^2 / 2 too far in each step, and by g h t / 2 in all
    np.testing.assert_allclose([row["bodies"] for row in found.rows], g * h * h / 2, rtol=1e-5)
    np.testing.assert_allclose(found.over_time, g * h * t[1:] / 2, rtol=1e-5)
    assert found.total == found.over_time[-1] and found.growth == pytest.approx(1, rel=1e-4)
    assert found.error["bodies"] == pytest.approx(g * h * h / 2, rel=1e-5) and found.bound["bodies"] < 1e-8
    assert found.at_events[0] == 0 and not found.note and np.isnan(found.error["hinges"])


def test_errors_of_a_trajectory_are_at_its_touch_downs(monkeypatch):
    m = model(LEGS)
    m.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    t, q, v, u = record(m, 200, controls=lambda k: 0.3 * np.sin([0.1 * (k // 10), k // 10]))
    found = robots.audit_trajectory(m, t, q, v, u)
    count, share = found.at_events
    assert 0 < count < 60 and share > 0.9
    assert found.total == pytest.approx(found.growth * sum(row["bodies"] for row in found.rows))
    # the whole reference is that of a run with the same controls
    r = robots.simulate(m, q[0], v[0], t[-1], 1e-9, policy=lambda t, qpos, qvel: u[round(t / 0.02) * 10], t_eval=t)
    off = np.linalg.norm(q[-1, :3] - r.y[:3, -1])
    worst = np.abs(found.over_time[-1] - off)
    assert r.success and worst < found.total
    # another stepper's trajectory has another error: that of the reference itself has none
    states = r.y.T
    of_reference = robots.audit_trajectory(m, t, states[:, :9], states[:, 9:], u)
    assert of_reference.error["bodies"] < 1e-3 * found.error["bodies"]
    assert f"at events     {count} steps, with" in repr(found) and "largest" in repr(found)
    monkeypatch.setattr(type(found), "at_events", (1, share))
    assert "at events     1 step, with" in repr(found)
    axes = pytest.importorskip("matplotlib.axes")
    import matplotlib

    matplotlib.use("Agg")
    drawn = found.plot()
    assert isinstance(drawn, axes.Axes) and drawn.get_ylabel() == "error of the bodies, mm"


def test_a_trajectory_in_single_precision_shows_its_rounding():
    m = model(LEGS)
    m.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    t, q, v, u = record(m, 40)
    double = robots.audit_trajectory(m, t, q, v, u)
    single = robots.audit_trajectory(m, t, q.astype(np.float32), v.astype(np.float32), u)
    assert single.error["bodies"] > 2 * double.error["bodies"]
    assert 1e-9 < single.error["bodies"] < 1e-6


def test_a_trajectory_is_audited_as_far_as_it_is_finite():
    m = model(BALL)
    t, q, v, u = record(m, 20)
    q[15:] = np.nan
    found = robots.audit_trajectory(m, t, q, v)
    assert len(found.rows) == 14 and "not finite from 0.03 s on" in found.note and found.note in repr(found)


def test_activations_are_recorded_states():
    text = MASS.replace('<motor joint="x" gear="3"/>', '<general joint="x" dyntype="filter" dynprm=".05" gainprm="4"/>')
    m = model(text.split("<keyframe>")[0] + "</mujoco>")
    m.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    d, rows = mujoco.MjData(m), []
    for _ in range(50):
        d.ctrl[:] = 1.0
        rows.append((d.time, d.qpos.copy(), d.qvel.copy(), d.act.copy()))
        mujoco.mj_step(m, d)
    t, q, v, act = (np.array(column) for column in zip(*rows))
    found = robots.audit_trajectory(m, t, q, v, 1.0, act)
    assert found.error["bodies"] < 1e-5 and np.abs(q).max() > 0.01
    assert robots.audit_trajectory(m, t, q, v, 1.0, 0.5 * act).error["bodies"] > 1e-5
    with pytest.raises(ValueError, match="`act` must have the 1 activations"):
        robots.audit_trajectory(m, t, q, v, 1.0)


def test_trajectories_that_are_none_of_this_model_are_refused():
    m = model(LEGS)
    t, q, v, u = record(m, 10)
    twice = t.copy()
    twice[5] = twice[4]
    half = q.copy()
    half[3, 3:7] = 0.5 * half[3, 3:7]
    early = q.copy()
    early[1] = np.inf
    for given, words in (
        ((twice, q, v, u), r"`times` must increase; times\[5\]"),
        ((t[:1], q[:1], v[:1]), "at least two"),
        ((t, q[:-1], v, u), r"`qpos` must have the shape \(11, 9\)"),
        ((t, q[:, :-1], v, u), "`qpos` must have the shape"),
        ((t, q, v[:, 1:], u), "`qvel` must have the shape"),
        ((t, q, v, u[:, :1]), r"`ctrl` must have the shape \(11, 2\)"),
        ((t, q, v, u[:5]), "`ctrl` must have the shape"),
        ((t, q, v, u * np.nan), "`ctrl` must be finite; row 0"),
        ((t, half, v, u), r"qpos\[3, 3\] is of a quaternion"),
        ((t, early, v, u), "`qpos` must be finite; row 1"),
    ):
        with pytest.raises(ValueError, match=words) as error:
            robots.audit_trajectory(m, *given)
        assert "\n" not in str(error.value)
