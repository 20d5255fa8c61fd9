#!/bin/sh
# essbench robot: errors that are known in closed form, bounds against another computation, models that stop a
# reference, and one clear line with exit status 1 or 2 for all that has no answer.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_robot_error.sh ESSBENCH
. "$(dirname "$0")/../support/cli_room.sh"

# a model of these bodies in $1.xml, with what else belongs into it
model() {
  printf '<mujoco model="%s"><option timestep="0.002" %s/><worldbody>%s</worldbody>%s</mujoco>\n' \
    "$1" "${4-}" "$2" "${3-}" >"$1.xml"
}

ask() { run robot "$@" --out results --restart; }

# python's words about the results r, its first answer a, and its own step's row s
holds() {
  python3 -c "import json
r = json.load(open('results/robot_error.json'))
a = r['answers'][0]
own = [s for s in r['steps'] if s['own']]
import sys; sys.exit(not ($1))"
}

shows() { grep -qF -- "$1" "$room/out"; }
answers() {
  expect "$1: an answer" success
  expect "$1: of the whole time" holds 'a["how"] and a["until"] == r["time"]'
  expect "$1: the step for 1 mm has that with its bound" holds 'not a["small_by"] or [s for s in r["steps"]
    if (s["name"], s["knob"]) == (a["small_by"], a["small_step"]) and s["bodies"] + a["bodies_bound"] <= 1e-3]'
}

plane='<geom name="floor" type="plane" size="5 5 .1"/>'
ball='<body name="ball" pos="0 0 .1"><freejoint/><geom name="ball" size=".1"/></body>'

# --- closed forms ---------------------------------------------------------------------------------

# semi-implicit Euler falls by g h t/2 too far; all times are ends of steps
model falling "$ball"
touch scene_with_floor.xml
ask falling.xml --time 0.4
answers falling
expect 'falling: the error is g h t/2, within the bound' holds 'abs(a["bodies"] -
  (sum((9.81 * 0.002 * 0.002 * i / 2) ** 2 for i in range(1, 201)) / 200) ** 0.5) <= a["bodies_bound"] <= 0.1 * a["bodies"]'
expect 'falling: the energy drift is that of the formula, - m g^2 h T/2, and nothing touches' holds \
  '(lambda e: abs(a["energy_drift"] - e) <= a["energy_bound"] + 1e-6 and a["energy_bound"] <= abs(0.1 * e))(
  -1000 * 4 / 3 * __import__("math").pi * 1e-3 * 9.81**2 * 0.002 * 0.4 / 2) and a["penetration"] == 0 == a["creep"]'
expect 'falling: it is on the screen' shows '  energy drift     -0.161 +- '
expect 'falling: half of the step has half of the error' holds '[s for s in r["steps"] if s["name"] == "Euler" and
  abs(s["knob"] - 0.001) < 1e-12 and abs(s["bodies"] / own[0]["bodies"] - 0.5) < 0.05]'
expect 'falling: it is said, with the file that may have a floor' \
  shows 'the file has no floor, so the robot falls freely; scene_with_floor.xml beside it may have one'
expect 'falling: the model has its own name' shows 'falling: the error of MuJoCo'

# a damped spring by MuJoCo's Euler, which has the damping implicitly
model spring '<body><joint name="s" type="slide" axis="1 0 0" stiffness="100" damping="2"/><geom size=".1" mass="1"/></body>' \
  '<keyframe><key qpos="0.1"/></keyframe>'
ask spring.xml --tilt 0 --height 0 --qpos 0.1 --time 0.5
answers spring
expect 'spring: the error is that of the formulas' holds '(lambda e: abs(a["bodies"] - e) <= a["bodies_bound"] + 1e-9 and
  a["bodies_bound"] <= 0.1 * e)((lambda m, c: (sum((x - c(0.002 * i)) ** 2 for i, x in enumerate(m, 1)) / 250) ** 0.5)(
  (lambda: [(lambda st: (st.__setitem__(1, (st[1] - 0.002 * 100 * st[0]) / 1.004), st.__setitem__(0, st[0] + 0.002 * st[1]))
   and None or st[0])(st) for st in [[0.1, 0.0]] for _ in range(250)])(),
  lambda t: 0.1 * __import__("math").exp(-t) * (__import__("math").cos(99 ** 0.5 * t) + __import__("math").sin(99 ** 0.5 * t) / 99 ** 0.5)))'
expect 'spring: no hinge has an error' holds 'a["hinges"] is None'
expect 'spring: its joint is named, and in m' holds 'r["joints"][0]["name"] == "s" and r["joints"][0]["unit"] == "m"'

# --- against another computation ------------------------------------------------------------------

# the race's reference at 1e-10, with an estimate of its own, from the same initial condition
agrees() {
  name=$1
  shift
  ask "$name.xml" --time 0.3 "$@"
  answers "$name"
  cp results/robot_error.json answer.json
  run robot-race "$name.xml" --starts 1 --time 0.3 --time-steps 0.002 --tolerances 1e-3 --base dopri5 --integrators Euler \
    --reference "${reference-1e-10}" --check-step 1e-5 --budget 60 --out race --restart "$@"
  expect "$name: a race" success
  python3 - <<'END'
import json
a, r = json.load(open("answer.json"))["answers"][0], json.load(open("race/robot.json"))
own, known = next(m for m in r["mujoco"] if m["own"]), r["reference"]
assert known["status"] == "success", known
off, may = abs(a["bodies"] - own["position_error"]), a["bodies_bound"] + known["bodies_estimate"]
assert off <= may, ("bodies", off, may)
assert a["bodies_bound"] <= 0.1 * a["bodies"] + 1e-6, a
assert a["states_bound"] >= abs(a["states"] - own["rms_error"]) - known["estimate"], (a, own)
END
  expect "$name: the bound holds" [ $? -eq 0 ]
}
model ball "$plane$ball"
agrees ball
model box "$plane<body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
agrees box
model can "$plane<body pos='0 0 .1'><freejoint/><geom name='can' type='cylinder' size='.1 .1'/></body>"
reference=1e-8 agrees can
"$essbench" xml legged --contacts 6 --output legs.xml
agrees legs

# --- what stops a reference with event functions --------------------------------------------------

# a pair that is refused touches from the beginning: libess goes on without event functions
tetra='<asset><mesh name="t" vertex="0 0 0  .1 0 0  0 .1 0  0 0 .1"/></asset>'
sdf='<geom name="ground" type="ellipsoid" size=".3 .3 .3" pos="0 0 -.3"/>'
model meshes "$sdf<body pos='0 0 .05'><freejoint/><geom name='t' type='mesh' mesh='t' mass='1'/></body>" "$tetra"
ask meshes.xml --time 0.2
answers meshes

# an actuator that holds on to whatever its body touches has no field: MuJoCo's own steps answer, and say so
model gecko "$plane<body name='pad' pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .02'/></body>" \
  '<actuator><adhesion body="pad" ctrlrange="0 1" gain="5"/></actuator>'
ask gecko.xml --time 0.2 --ctrl 1
answers gecko
expect 'adhesion: by fine steps' holds 'a["how"] == "MuJoCo'"'"'s fine steps" and a["bodies_bound"] <= 0.15 * a["bodies"]'
expect 'adhesion: the screen says why' shows 'the model has no field: actuator'
run robot-race gecko.xml --out race
expect 'adhesion: the race refuses it' one_line 1 'acts on whatever touches its body'

# a spring that is too stiff for its step: the answer is that it is unstable
model stiff '<body><joint name="s" type="slide" axis="1 0 0" stiffness="3e6"/><geom size=".1" mass="1"/></body>'
ask stiff.xml --qpos 0.01 --time 0.1
answers stiff
expect 'unstable: it is said' shows 'is not known: it is unstable at this step'
expect 'unstable: and a step is named' holds '[s for s in r["steps"] if s["bodies"] is not None]'

# a ball that rolls at a distance of 0: rounding decides whether it touches, and a wide bound has that reason
printf '<mujoco model="grazing"><option timestep="0.02" integrator="RK4"/><worldbody><geom name="floor" type="plane" size="5 5 .1"/>
<body name="ball"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint name="r" axis="0 0 1"/>
<geom name="ball" size=".5" pos="0 0 .5"/><geom type="box" size=".1 .1 .1" pos=".6 0 .5"/></body></worldbody>
<actuator><motor joint="r"/></actuator></mujoco>' >grazing.xml
ask grazing.xml --ctrl 0.1
answers grazing
expect 'grazing: a wide bound has its reason' holds 'a["bodies_bound"] <= 0.1 * a["bodies"] + 1e-6 or
  "--without '"'"'floor,ball'"'"' excludes it" in a["note"]'
ask grazing.xml --ctrl 0.1 --without floor,ball
expect 'grazing: without that pair it is known' holds 'a["how"] == "libess" and a["bodies_bound"] <= 0.1 * a["bodies"] + 1e-6'

# a target that floats without a contact is no part of the robot
model target "$plane$ball<body name='ghost' pos='2 0 1' gravcomp='1'><freejoint/><geom size='.01' contype='0' conaffinity='0'/></body>"
ask target.xml --time 0.3
answers target
expect 'target: none of its coordinates is told' holds 'not [j for j in r["joints"] if "ghost" in j["name"]]'
cp results/robot_error.json with.json
ask ball.xml --time 0.3
expect 'target: nor do errors change' python3 -c 'import json
a, b = (json.load(open(f))["answers"][0]["bodies"] for f in ("with.json", "results/robot_error.json"))
assert abs(a / b - 1) < 0.1, (a, b)'

# --- a twin from another folder -------------------------------------------------------------------

mkdir -p far/parts
printf 'v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n' >far/parts/t.obj
model shell "$plane$ball<body pos='1 0 .5'><freejoint/><geom type='mesh' mesh='t' contype='0' conaffinity='0' mass='1'/></body>" \
  '<compiler meshdir="parts"/><asset><mesh name="t" file="t.obj"/></asset>'
mv shell.xml far
ask far/shell.xml --twin 5000,40 --time 0.2
answers 'twin'
run robot-race far/shell.xml --twin 5000,40 --write copy.xml --starts 1 --time 0.1 --time-steps 0.002 --tolerances 1e-3 \
  --check-step 1e-4 --out race --restart
expect 'twin: the race takes it, too' success
ask copy.xml --time 0.1
answers 'twin, written elsewhere'

# --- many files -----------------------------------------------------------------------------------

ask ball.xml falling.xml nothing.xml --time 0.2
expect 'many: a missing file is told before anything runs' one_line 1 'nothing.xml cannot be read'
model still "$plane"
ask ball.xml still.xml box.xml --time 0.2
expect 'many: success' success
expect 'many: a row for each, and a reason for what has none' holds \
  '[bool(x["how"]) for x in r["answers"]] == [True, False, True] and "moves" in r["answers"][1]["note"]'
expect 'many: the screen has each by its name' shows 'box: the error of MuJoCo'
expect 'many: and says why one has none' shows 'no answer: '
run robot ball.xml still.xml box.xml --time 0.2 --table --out results
expect 'many: --table shows them' shows 'box: the error of MuJoCo'
run robot box.xml --table --out results
expect 'a table of a file that the folder is not of' one_line 1 \
  'results holds results of ball.xml and others, not of box.xml; --out DIR names another folder'
run robot ball.xml --starts 3 --time 0.2 --out results --restart
expect 'three initial conditions: median and worst' python3 - "$room/out" <<'END'
import json, re, statistics, sys
of = {x["start"]: 1e3 * x["bodies"] for x in json.load(open("results/robot_error.json"))["answers"]}
said = re.search(r"over 3 initial conditions.*\n  bodies +median (\S+) mm, at most (\S+) mm \(initial condition (\d)\)", open(sys.argv[1]).read())
worst = max(of, key=of.get)
wanted = statistics.median(of.values()), of[worst], worst
assert all(abs(float(a) / b - 1) < 0.01 if b else float(a) == b for a, b in zip(said.groups(), wanted)), (said.groups(), wanted)
END
expect 'three initial conditions' holds '[x["start"] for x in r["answers"]] == [0, 1, 2]'

# --- one line -------------------------------------------------------------------------------------

refuses() {
  words=$2
  status_wanted=$1
  shift 2
  rm -rf results
  ask "$@"
  expect "$*: status $status_wanted and one line with: $words" one_line "$status_wanted" "$words"
}
refuses 1 'missing.xml' missing.xml
refuses 1 'nothing in it moves' still.xml
model asset "$ball" '<asset><mesh name="m" file="nowhere.stl"/></asset>'
refuses 1 'nowhere.stl' asset.xml
printf '<mujoco><include file="no_part.xml"/></mujoco>' >include.xml
refuses 1 'no_part.xml' include.xml
refuses 2 'FILE' --time 1
refuses 2 '7 finite numbers' ball.xml --qpos 1,2
printf '<mujoco><extension><plugin plugin="no.such"/></extension><worldbody>%s</worldbody></mujoco>' "$ball" >plugin.xml
refuses 1 'plugin' plugin.xml
# rest is no motion
model lies '<body><joint name="a" axis="0 1 0"/><geom size=".1"/></body>' '' 'gravity="0 0 0"'
refuses 1 'nothing moves' lies.xml --tilt 0 --height 0

# --- budgets --------------------------------------------------------------------------------------

ask legs.xml --time 1 --budget 0.05
expect 'a budget of 0.05 s: an answer, or one line' sh -c "[ $status -eq 0 ] || { [ $status -eq 1 ] && grep -q 'no answer\|budget' '$room/err'; }"
ask legs.xml --time 1 --budget 1
answers 'a budget of 1 s'
expect 'a budget of 1 s: a bound, and the own step in the table' holds '0 < a["bodies_bound"] < a["bodies"] and
  own[0]["bodies"] is not None'
# 1 s, and what the last run that was begun takes
expect 'a budget of 1 s: it is kept' holds 'a["total"] < 2'

# --- the figure -----------------------------------------------------------------------------------

if command -v gnuplot >/dev/null; then
  ask ball.xml --time 0.3
  run figures --out results
  expect 'figures: drawn' success
  expect 'figures: the error over time' [ -s results/figures/fig_robot_time.svg ]
fi
