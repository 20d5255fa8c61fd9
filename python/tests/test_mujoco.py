# SPDX-License-Identifier: Apache-2.0
"""Robots: against closed forms, and against what essbench robot says of the same models."""

import json
import os
import subprocess

import numpy as np
import pytest

WANTED = os.environ.get("ESS_MUJOCO")  # the release that is asked for: nothing is skipped then

if WANTED is None:
    mujoco = pytest.importorskip("mujoco")
    robots = pytest.importorskip("ess.mujoco", exc_type=ImportError)
else:
    import mujoco

    import ess.mujoco as robots

ROOT = os.path.join(os.path.dirname(__file__), "..", "..")
MODELS = os.path.join(ROOT, ".deps", "robots")
ESSBENCH = os.path.join(ROOT, "build", "release", "experiments", "essbench")

BALL = """<mujoco><option timestep="0.002"/><worldbody>
  <geom type="plane" size="1 1 1"/>
  <body pos="0 0 1"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body>
</worldbody></mujoco>"""


def ball():
    return mujoco.MjModel.from_xml_string(BALL)


def test_the_release_is_the_one_that_is_asked_for():
    assert mujoco.mj_versionString() in robots.releases()
    assert WANTED in (None, mujoco.mj_versionString())


@pytest.mark.parametrize("release", [3008001, 4000009, 337])
def test_another_release_is_refused_in_one_line(release, monkeypatch):
    text = ".".join(map(str, robots._parts(release)))
    monkeypatch.setattr(mujoco, "mj_version", lambda: release)
    monkeypatch.setattr(mujoco, "mj_versionString", lambda: text)
    with pytest.raises(ImportError) as error:
        robots._load()
    line = str(error.value)
    assert text in line and all(one in line for one in robots.releases()) and "\n" not in line


def test_a_ball_falls_and_touches_when_it_should():
    r = robots.simulate(ball(), [0, 0, 1, 1, 0, 0, 0], np.zeros(6), 0.6, 1e-9)
    assert r.success and r.reason == "SUCCESS"
    np.testing.assert_allclose(r.t_crossings[0], np.sqrt(2 * 0.9 / 9.81), rtol=1e-7)
    assert "ball" not in r.crossings_of[0] and len(r.crossings_of) == len(r.t_crossings)
    assert r.qpos.shape[0] == 7 and r.qvel.shape[0] == 6


def test_tangents_of_free_fall():
    r = robots.simulate(ball(), [0, 0, 1, 1, 0, 0, 0], np.zeros(6), 0.2, 1e-9, tangents=np.eye(13)[:, 9])
    np.testing.assert_allclose(r.tangents[2, 0], 0.2, rtol=1e-6)


def test_the_robot_is_a_copy_and_can_be_used_again():
    model = ball()
    robot = robots.Robot(model)
    before = robots.simulate(robot, t=0.5).y_end
    model.opt.gravity[2] = 0.0
    del model
    np.testing.assert_array_equal(robots.simulate(robot, t=0.5).y_end, before)
    assert robot.findings and robot.events and all(robot.is_contact)


def test_damped_joints_by_implicit_steps():
    text = ("<mujoco><worldbody><geom type='plane' size='5 5 .1'/><body pos='0 0 .4'><freejoint/>"
            "<geom size='.1'/><body pos='.1 0 0'><joint axis='0 1 0' stiffness='5' damping='5'/>"
            "<geom type='capsule' size='.02' fromto='0 0 0 .2 0 -.2' density='200'/></body></body>"
            "</worldbody></mujoco>")  # fmt: skip
    robot = robots.Robot(mujoco.MjModel.from_xml_string(text))
    right = robots.simulate(robot, t=0.5, tol=1e-9)
    explicit = robots.simulate(robot, t=0.5, tol=1e-2, base="dopri5")
    for base in "ros2", "lit":
        ours = robots.simulate(robot, t=0.5, tol=1e-2, base=base)
        np.testing.assert_allclose(ours.y_end, right.y_end, atol=1e-1)
        assert ours.nfev < 0.3 * explicit.nfev
        with pytest.raises(ValueError, match=base):
            robots.simulate(robot, t=0.5, base=base, tangents=np.eye(15)[:, :1])


def test_events_are_stepped_over():
    robot = robots.Robot(ball())
    right = robots.simulate(robot, t=0.6, tol=1e-9)
    assert right.unlocated == 0 and len(right.crossings) > 0
    for locate in "none", "chosen":
        for base in "dopri5", "ros2", "lit":
            ours = robots.simulate(robot, t=0.6, tol=1e-4, base=base, locate=locate)
            assert ours.success and ours.reason == "SUCCESS"
            np.testing.assert_allclose(ours.y_end, right.y_end, atol=1e-2)
            np.testing.assert_array_equal(ours.sign, right.sign)
            assert len(ours.t_crossings) == 0 and ours.crossings_of == []
            assert 0 < ours.unlocated <= ours.nsteps and (ours.unlocated == ours.nsteps or locate == "chosen")
            assert ours.ngev == 0 or locate == "chosen"
    held = robots.simulate(robot, t=0.6, tol=1e-4, base="lit", locate="none", policy=lambda t, q, v: [])
    np.testing.assert_allclose(held.y_end, right.y_end, atol=1e-2)
    with pytest.raises(ValueError, match="`locate` must be 'all' with `tangents`"):
        robots.simulate(robot, locate="none", tangents=True)
    with pytest.raises(ValueError, match="`locate` must be 'all', 'none' or 'chosen'"):
        robots.simulate(robot, locate="some")


def test_a_can_is_followed_and_mj_step_tends_to_it():
    text = (
        "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .3'><freejoint/>"
        "<geom name='can' type='cylinder' size='.1 .2'/></body></worldbody></mujoco>"
    )
    model = mujoco.MjModel.from_xml_string(text)
    start = [0, 0, 0.23, np.cos(0.1), np.sin(0.1), 0, 0]
    robot = robots.Robot(model)
    assert [kind for treatment, kind, _, _ in robot.findings if treatment == "followed"] == ["contact"]
    right = robots.simulate(robot, start, np.zeros(6), 0.2, 1e-9)
    assert right.success and right.crossings_of
    model.opt.timestep = 1e-5
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    data = mujoco.MjData(model)
    data.qpos[:] = start
    for _ in range(20000):
        mujoco.mj_step(model, data)
    np.testing.assert_allclose(right.y_end[:7], data.qpos, atol=2e-5)


def test_errors_of_mujoco_stay_errors_of_python():
    """the bridge has the handlers, and the program lives"""
    robots.simulate(ball(), t=0.01)
    with pytest.raises((mujoco.FatalError, ValueError)):
        mujoco.MjModel.from_xml_string("<mujoco><nonsense/></mujoco>")
    model = ball()
    data = mujoco.MjData(model)
    with pytest.raises((mujoco.FatalError, TypeError, ValueError)):
        mujoco.mj_applyFT(model, data, np.zeros(3), np.zeros(3), np.zeros(3), 99, data.qfrc_applied)


@pytest.mark.parametrize(
    "more, word",
    [
        ({"model": 3}, "model"),
        ({"qpos": [1.0]}, "qpos"),
        ({"qvel": [np.nan] * 6}, "qvel"),
        ({"t": -1.0}, "`t`"),
        ({"tol": -1.0}, "`tol`"),
        ({"t_eval": [3.0]}, "t_eval"),
        ({"max_step": 0}, "max_step"),
    ],
)
def test_wrong_arguments_are_named(more, word):
    given = {"model": more.pop("model", None) or ball(), **more}
    with pytest.raises(ValueError) as error:
        robots.simulate(**given)
    assert word in str(error.value) and "\n" not in str(error.value)


def test_a_table_and_a_frame():
    pandas = pytest.importorskip("pandas")
    table = robots.audit(ball(), t=0.6, integrators=["Euler"])
    frame = table.frame()
    assert isinstance(frame, pandas.DataFrame) and list(frame.step) == [0.004, 0.002, 0.001, 0.0005]
    assert frame.own.sum() == 1 and "*" in repr(table)
    # first order: half the step, half the error or less
    assert frame.error.iloc[-1] < frame.error.iloc[0]


def test_an_audit_has_what_a_program_moves_where_the_reference_has_it():
    model = mujoco.MjModel.from_xml_string("""<mujoco><worldbody>
      <body name="hand" mocap="true"><geom size=".1"/></body>
      <body name="load"><freejoint/><geom size=".1"/></body></worldbody>
      <contact><exclude body1="hand" body2="load"/></contact>
      <equality><weld body1="hand" body2="load" solref=".1 1"/></equality>
      <keyframe><key mpos=".3 .1 .2" mquat=".8 .6 0 0"/></keyframe></mujoco>""")
    table = robots.audit(model, t=0.2, integrators=["RK4"], time_steps=[0.0005])
    assert table.rows[0]["error"] < 1e-4


def test_an_audit_is_of_the_model_as_it_was():
    model = ball()
    robot = robots.Robot(model)
    model.opt.gravity[2] = 0.0
    assert robots.audit(robot, t=0.2, integrators=["RK4"]).rows[-1]["error"] < 1e-6


def falling(tmp_path, floor=""):
    path = tmp_path / "falling.xml"
    path.write_text(f"""<mujoco><option timestep="0.002"/><worldbody>{floor}
      <body name="ball" pos="0 0 .1"><freejoint name="root"/><geom name="ball" size=".1"/></body>
      </worldbody></mujoco>""")
    return str(path)


def test_an_audit_has_units_a_bound_and_the_worst_joint(tmp_path):
    table = robots.audit(falling(tmp_path), t=0.4)
    # semi-implicit Euler falls by g h t/2 too far
    off = 9.81 * 0.002 / 2 * 0.002 * np.arange(1, 201)
    assert abs(table.error["bodies"] - np.sqrt(np.mean(off**2))) <= table.bound["bodies"] + 1e-12
    assert table.bound["bodies"] <= 0.1 * table.error["bodies"] and np.isnan(table.error["hinges"])
    worst = table.worst[0]
    assert (worst["joint"], worst["unit"], worst["t"]) == ("root z", "m", pytest.approx(0.4))
    assert abs(worst["error"] - off[-1]) <= worst["bound"] + 1e-12
    np.testing.assert_allclose(table.over_time, off, rtol=0.1)
    assert table.how.startswith("libess") and table.until == pytest.approx(0.4)
    assert "mm" in repr(table) and "root z" in repr(table)
    own = next(row for row in table.rows if row["own"])
    assert own["bodies"] == pytest.approx(table.error["bodies"], rel=0.1)


@pytest.mark.parametrize("budget", [0.02, 1.0, 60.0])
def test_a_bound_holds_for_a_reference_of_any_cost(budget, tmp_path):
    path = falling(tmp_path, '<geom name="floor" type="plane" size="5 5 .1"/>')
    exact = robots.audit(path, t=0.3, reference=1e-10)
    lines: list[str] = []
    found = robots.audit(path, t=0.3, budget=budget, progress=lines.append)
    for part in "bodies", "states":
        off = abs(found.error[part] - exact.error[part])
        assert off <= found.bound[part] + exact.bound[part], (part, off, found.bound[part])
    assert lines and all("\n" not in line for line in lines)


def test_an_audit_where_libess_has_no_time_is_by_finer_steps(tmp_path, monkeypatch):
    path = falling(tmp_path, '<geom name="floor" type="plane" size="5 5 .1"/>')
    exact = robots.audit(path, t=0.3, reference=1e-10)
    monkeypatch.setattr(robots._Search, "libess", lambda self, tol, seconds: None)
    found = robots.audit(path, t=0.3)
    assert found.how.startswith("MuJoCo's Euler")
    assert abs(found.error["bodies"] - exact.error["bodies"]) <= found.bound["bodies"]
    assert found.bound["bodies"] <= 0.15 * found.error["bodies"]


def test_contacts_are_left_out_by_name(tmp_path):
    path = falling(tmp_path, '<geom name="floor" type="plane" size="5 5 .1"/>')
    for without in "floor,ball", "world,ball":
        robot = robots.Robot(path, without=without)
        assert robots.simulate(robot, t=0.5).y_end[2] < -0.5
    assert robots.simulate(path, t=0.5).y_end[2] > 0.0
    assert "floor" not in str(robots.audit(path, t=0.2, without="floor,ball").worst)
    for given, word in ("floor,none", "none"), ("floor", "pairs of names"):
        with pytest.raises(ValueError, match=word):
            robots.Robot(path, without=given)
    with pytest.raises(ValueError, match="path of an MJCF"):
        robots.Robot(ball(), without="self")
    with pytest.raises(ValueError, match="made already"):
        robots.audit(robots.Robot(path), without="self")


def test_wrong_arguments_of_an_audit_are_named():
    for more, word in ({"budget": 0}, "budget"), ({"progress": 3}, "progress"):
        with pytest.raises(ValueError, match=word):
            robots.audit(ball(), t=0.1, **more)


def test_an_audit_draws_its_error_over_time_and_over_the_step(tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    table = robots.audit(falling(tmp_path), t=0.2)
    axes = table.plot()
    assert axes.get_xlabel() == "time, s" and axes.get_ylabel() == "error, mm"
    np.testing.assert_allclose(axes.lines[0].get_ydata(), 1e3 * table.over_time)
    assert table.plot(over="step").get_xlabel() == "step, s"
    with pytest.raises(ValueError, match="over"):
        table.plot(over="days")


def colours(path, k):
    """of image k of an animation: numbers of pixels that are red, and that are blue"""
    from PIL import Image

    with Image.open(path) as animation:
        count = animation.n_frames
        animation.seek(k % count)
        red, green, blue = np.moveaxis(np.asarray(animation.convert("RGB"), dtype=int), 2, 0)
    clearly = 40
    return count, np.sum(red > blue + clearly), np.sum(blue > red + clearly)


def rendered(table, path, **more):
    pytest.importorskip("PIL", reason="no Pillow: animations are not written")
    try:
        table.render(path, size=(160, 120), **more)
    except RuntimeError as absent:
        assert "EGL" in str(absent) and "\n" not in str(absent)
        pytest.skip(str(absent))


def test_an_overlay_has_the_robot_and_a_ghost_where_the_reference_is(tmp_path):
    path, shown = falling(tmp_path), str(tmp_path / "overlay.gif")
    text = open(path).read().replace('name="ball" size=".1"', 'name="ball" size=".1" rgba="1 0 0 1"')
    open(path, "w").write(text)
    table = robots.audit(path, t=0.4, time_steps=[0.002])
    # at first both are at one place; then Euler's ball is 4 mm below the reference, here 40 cm
    rendered(table, shown, magnify=100, speed=1, fps=10)
    count, red, blue = colours(shown, -1)
    assert count == 4 and red > 20 and blue > 20, (count, red, blue)
    _, red_before, blue_before = colours(shown, 0)
    assert red_before > 20 and blue_before < blue / 4, (red_before, blue_before)
    # as it is, the ghost hardly shows
    rendered(table, shown, speed=1, fps=10)
    assert colours(shown, -1)[2] < blue / 4


def test_an_overlay_without_a_renderer_says_so_in_one_line(tmp_path, monkeypatch):
    table = robots.audit(falling(tmp_path), t=0.1)
    import ess._overlay as overlay

    def absent(name):
        raise ImportError(f"{name} is not here\nat all")

    monkeypatch.setattr(overlay.importlib, "import_module", absent)
    with pytest.raises(RuntimeError, match="EGL .* or OSMesa") as error:
        table.render(str(tmp_path / "a.gif"))
    assert "\n" not in str(error.value)
    for given, word in (
        ({"file": "a.png"}, "must end in .gif"),
        ({"magnify": 0}, "magnify"),
        ({"speed": -1}, "speed"),
        ({"fps": np.inf}, "fps"),
        ({"size": (3, 3)}, "size"),
    ):
        with pytest.raises(ValueError, match=word):
            table.render(**{"file": "a.gif", **given})


def slider(control):
    """a mass on a motor, with a hinge that its limit stops"""
    return mujoco.MjModel.from_xml_string(f"""<mujoco><option timestep="0.001" integrator="RK4"/><worldbody>
      <body><joint name="x" type="slide" axis="1 0 0"/><geom size="0.1" mass="2"/>
        <body pos="0 0 -0.2"><joint name="hinge" axis="0 1 0" limited="true" range="-30 30"/>
          <geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.02" mass="0.5" contype="0"/></body></body>
      </worldbody><actuator><{control}/></actuator></mujoco>""")


@pytest.mark.parametrize(
    "control",
    [
        'motor joint="x" gear="3"',
        'position joint="x" kp="20" kv="2"',
        'general joint="x" dyntype="filter" dynprm="0.05" gainprm="4" actlimited="true" actrange="-0.5 0.5"',
        'motor joint="x" gear="3" forcelimited="true" forcerange="-0.4 0.4"',
    ],
)
def test_small_steps_of_mujoco_lead_where_libess_does(control):
    """the field is this release's own: what it makes of actuators, limits and bodies"""
    model = slider(control)
    robot = robots.Robot(model)
    audit = robots.audit(
        robot, qpos=[0.0, 0.3], qvel=[0.5, 3.0], t=0.4, ctrl=0.8, integrators=["RK4", "Euler"],
        time_steps=[1e-3, 2.5e-4, 6.25e-5],
    )  # fmt: skip
    errors = {(row["integrator"], row["step"]): row["error"] for row in audit.rows}
    assert errors["RK4", 6.25e-5] < 5e-4 and errors["Euler", 6.25e-5] < 5e-3
    assert errors["Euler", 6.25e-5] < 0.2 * errors["Euler", 1e-3]
    assert np.ptp(robots.simulate(robot, [0, 0.3], [0.5, 3.0], 0.4, ctrl=0.8).qpos[1]) > 0.2


def test_digits_shown_are_those_that_are_known():
    assert robots._shown(1.864e-2, 1e-9) == "1.86e-02" and robots._shown(1.864e-2, 0.0) == "1.86e-02"
    assert robots._shown(1.864e-2, 1.4e-3) == "1.9e-02" and robots._shown(1.8e-3, 1.4e-3) == "2e-03"
    assert robots._shown(1e-3, 1.4e-3) == "<1e-03" and robots._shown(np.nan, 0.0) == "-"


def said_by_essbench(model, out):
    subprocess.run(
        [ESSBENCH, "robot-race", model, "--starts", "1", "--out", out, "--budget", "2", "--tolerances", "1e-4"],
        check=True, capture_output=True, timeout=300,
    )  # fmt: skip
    with open(os.path.join(out, "robot_mujoco.csv")) as file:
        lines = file.read().split("\n")
    names = lines[0].split(",")
    return [dict(zip(names, line.split(","))) for line in lines[1:] if line]


@pytest.mark.skipif(not os.access(ESSBENCH, os.X_OK), reason="essbench is not built")
@pytest.mark.parametrize("name", os.environ.get("ESS_ROBOTS", "hopper").split(","))
def test_the_audit_is_that_of_essbench(name, tmp_path):
    model = os.path.join(MODELS, f"{name}.xml")
    if not os.path.exists(model):
        pytest.skip("tools/setup robots has not been here")
    said = said_by_essbench(model, str(tmp_path))
    with open(tmp_path / "robot.json") as file:
        if json.load(file)["environment"]["mujoco"]["version"] != mujoco.mj_versionString():
            pytest.skip("essbench is built for another release of MuJoCo")
    steps = {float(row["time_step"]) for row in said}
    robot = robots.Robot(model)
    own = [step for step in steps if step >= robot.time_step / 4 and step <= 4 * robot.time_step]
    compared = 0
    audit = robots.audit(robot, time_steps=own, reference=1e-9)
    for row in audit.rows:
        for other in said:
            if other["variant"] == row["integrator"] and float(other["time_step"]) == row["step"]:
                # the same steps from the same start: equal but for rounding, however chaotic the robot is
                np.testing.assert_allclose(row["error"], float(other["rms_error"]), 1e-9)
                compared += 1
    assert compared >= 6


def test_surfaces_that_move_need_a_release_whose_contacts_say_it():
    if mujoco.mj_version() < 3011000:
        pytest.skip("there are none")
    model = mujoco.MjModel.from_xml_string(
        """<mujoco><worldbody><geom type="plane" size="1 1 1" surfacevel="1 0 0 0 0 0"/>
        <body pos="0 0 0.2"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"""
    )
    if mujoco.mj_version() < 4000000:
        with pytest.raises(ValueError, match="needs MuJoCo 4.0"):
            robots.Robot(model)
    else:
        assert robots.Robot(model).n == 13
