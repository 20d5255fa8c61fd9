#!/bin/sh
# essbench robot --derivative: errors of derivatives that are known, where there is none, and one clear
# line for what is not accepted. Robots from .deps are audited where tools/setup has put them.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_robot_derivative.sh ESSBENCH ROBOTS
. "$(dirname "$0")/../support/cli_room.sh"
robots=$2

model() {
  printf '<mujoco><option timestep="0.002" %s/><worldbody>%s</worldbody>%s</mujoco>\n' \
    "${4-}" "$2" "${3-}" >"$1.xml"
}

# an audit of a model, and its results
audit() {
  name=$1
  shift
  run robot "$name" --derivative --out results --restart "$@"
}

# a condition in python's words, where r is the results, of(way, t, step, move) an error of MuJoCo's by them,
# and steps those of mj_step
holds() {
  [ "$(python3 -c "
import json
r = json.load(open('results/robot_derivative.json'))
near = lambda a, b: b is None or (a is not None and abs(a - b) < 1e-9 * abs(b))
steps = sorted({e['step'] for e in r['errors'] if e['who'] == 'MuJoCo'}, reverse=True)
def of(way, t, step, move=None):
    found = [e['error'] for e in r['errors'] if e['who'] == 'MuJoCo' and e['way'] == way
             and near(e['t'], t) and near(e['step'], step) and near(e['move'], move)]
    return found[0] if found else None
print($1)")" = True ]
}
says() { grep -qE -- "$1" "$room/out"; }

plane='<geom name="floor" type="plane" size="5 5 .1"/>'
spring='<body><joint type="slide" axis="0 0 1" stiffness="40" damping="1" springref="0.3"/><geom size=".1" mass="2"/></body>'
drop='<body pos="0 0 .1"><joint type="slide" axis="0 0 1"/><geom name="ball" size=".1"/></body>'

# --- errors that are known ------------------------------------------------------------------------

model spring "$spring"
audit spring.xml --halvings 3
expect 'a spring: success' success
expect 'a spring: to the end' holds 'r["status"] == "success" and r["audited"] == 0.5 and len(r["times"]) == 5'
expect 'a spring: libess agrees with itself' holds 'all(t["estimate"] < 1e-6 for t in r["times"])'
expect 'a spring: halves of the step' holds 'steps == [0.002, 0.001, 0.0005, 0.00025]'
expect "a spring: MuJoCo's derivative is of first order" \
  holds 'all(1.8 < of(w, 0.5, a, 1e-6) / of(w, 0.5, b, 1e-6) < 2.2 for w in ("transitions", "differences")
    for a, b in zip(steps, steps[1:]))'
expect 'a spring: both ways are the same of a linear system' \
  holds 'abs(of("transitions", 0.5, 0.002) / of("differences", 0.5, 0.002, 1e-3) - 1) < 1e-4'
expect 'a spring: the own step is told' holds '{e["step"] for e in r["errors"] if e["own"]} == {0.002}'
expect 'a spring: the verdict' \
  says '^Verdict: up to 0.5 s, at the model.s time step of 2 ms, mjd_transitionFD.s matrices \(.*\) differ from the flow.s derivative by up to 0\.[0-9]+ %,'

# a robot at rest has no error of a run, and a derivative all the same
model rests '<body><joint axis="0 0 1" damping="1"/><geom size=".1"/></body>'
audit rests.xml --time 0.1 --halvings 1 --tilt 0
expect 'at rest: an audit' success
expect 'at rest: the derivative has an error, which falls with the step' holds \
  'of("transitions", 0.1, 0.002, 1e-6) > 1.8 * of("transitions", 0.1, 0.001, 1e-6) > 0'

# times are ends of steps, whatever these are
sed 's/0\.002/0.003/' spring.xml >slow.xml
audit slow.xml --time 0.2 --halvings 0
expect 'steps of 3 ms: success' success
expect 'steps of 3 ms: times are ends of them' holds '[round(t["t"], 12) for t in r["times"]] == [0.099, 0.198]'
expect 'steps of 3 ms: errors' holds '0 < of("transitions", 0.198, 0.003) < 0.1'

# a force that jumps at touch-down: differences by small moves miss the saltation at every step, by larger
# ones they find it as steps grow small
model drop "$plane$drop"
audit drop.xml --height 0.2 --time 0.21 --output-step 0.21 --halvings 6
expect 'a drop: success' success
expect 'a drop: it touches' holds '[e["begins"] for e in r["crossings"]] == [True] and "ball" in r["crossings"][0]["event"]'
expect 'a drop: when' holds 'abs(r["crossings"][0]["t"] - (2 * 0.2 / 9.81) ** 0.5) < 1e-6'
expect 'a drop: libess agrees with differences of its runs' holds 'r["times"][0]["estimate"] < 1e-4'
expect 'a drop: small moves do not see it, at any step' \
  holds 'all(of(w, 0.21, h, 1e-6) > 0.3 for w in ("transitions", "differences") for h in steps)'
expect 'a drop: larger moves do' holds 'of("differences", 0.21, steps[-1], 1e-3) < 0.2'

# springs and dampers in N/m are smooth but for their touch-down, whose force jumps by the damper's
audit drop.xml --twin 5000,40 --height 0.1 --time 0.2 --halvings 1
expect 'a twin: success' success
expect 'a twin: libess agrees with itself' holds 'r["status"] == "success" and all(t["estimate"] < 1e-3 for t in r["times"])'

# controls change at ticks, and the derivative goes on across them
model driven "$spring" '<actuator><motor joint="a" gear="3"/></actuator>'
sed -i 's/<joint /<joint name="a" /' driven.xml
printf 'u\n1\n-2\n3\n' >ctrl.csv
audit driven.xml --ctrl ctrl.csv --period 0.03
expect 'controls: success' success
expect 'controls: of first order' holds '1.8 < of("transitions", 0.5, 0.002) / of("transitions", 0.5, 0.001) < 2.2'

# activations are directions, too
model muscles "$plane<body pos='0 0 .3'><joint name='a' axis='0 1 0' range='-60 60' limited='true'/><geom type='capsule' size='.03' fromto='0 0 0 .3 0 0'/></body>" \
  "<actuator><general joint='a' dyntype='filter' dynprm='.05' ctrlrange='0 1'/></actuator>"
audit muscles.xml --ctrl 0.5 --time 0.1 --output-step 0.05
expect 'activations: success' success
expect 'activations: they are directions' holds 'r["directions"] == 3 and all(t["estimate"] < 1e-5 for t in r["times"])'

model fourth "$spring" '' 'integrator="RK4"'
audit fourth.xml
expect 'RK4: success' success
expect 'RK4: matrices are of Euler' holds '{e["integrator"] for e in r["errors"] if e["way"] == "transitions"} == {"Euler"}'
expect 'RK4: it is exact' holds 'of("differences", 0.5, 0.002, 1e-6) < 1e-6'

# a quaternion moves in three directions
model ball "$plane<body pos='0 0 .1'><freejoint/><geom name='ball' size='.1'/><geom size='.05' pos='.03 .02 .05' contype='0' conaffinity='0'/></body>"
audit ball.xml --height 0.02 --time 0.2
expect 'a free ball: success' success
expect 'a free ball: directions' holds 'r["directions"] == 12 and r["times"] and r["times"][0]["estimate"] < 1e-4'

# --- where there is none --------------------------------------------------------------------------

model box "$plane<body pos='0 0 .1'><freejoint/><geom name='box' type='box' size='.1 .1 .1'/></body>"
audit box.xml --tilt 0 --output-step 0.05 --time 0.2
expect 'corners that meet: success' success
expect 'corners that meet: up to there' holds 'r["audited"] == 0.1 and abs(r["until"] - (2 * 0.05 / 9.81) ** 0.5) < 1e-6'
expect 'corners that meet: which' holds '" are simultaneous" in r["status"] and "box" in r["status"]'
expect 'corners that meet: errors up to there' holds 'max(e["t"] for e in r["errors"]) == 0.1'
expect 'corners that meet: the screen says so' says '^Compared up to 0\.1 s\. At 0\.10.* s it ends: .*box.* are simultaneous'
audit box.xml --tilt 0 --output-step 0.15 --time 0.15
expect 'none at the first time: success' success
expect 'none at the first time: nothing is compared' holds 'r["audited"] == 0 and not r["errors"] and not r["times"]'
expect 'none at the first time: the verdict' says '^Verdict: there is no derivative at the first output time'

model can "$plane<body pos='0 0 .1'><freejoint/><geom name='can' type='cylinder' size='.1 .1'/></body>"
audit can.xml --time 0.4
expect 'points that jump: success' success
expect 'points that jump: it ends there' holds '"jump" in r["status"] and r["audited"] < 0.4 and r["until"] > 0.1'

# it starts on a limit, which half of the moved starts begin behind: no one derivative is known
model limit "<body><joint name='a' type='hinge' axis='0 1 0' range='0 90' limited='true' stiffness='1'/><geom size='.1' pos='.3 0 0'/></body>"
audit limit.xml --tilt 0 --time 0.1 --output-step 0.02 --moves 1e-3 --halvings 0
expect 'a limit: success' success
expect 'a limit: it is audited, or said not to be' \
  holds 'all(t["estimate"] <= 0.1 for t in r["times"] if t["t"] <= r["audited"]) and
    (r["status"] == "success") == (r["audited"] == r["until"] == 0.1)'

audit drop.xml --budget 0.001 --reference 1e-10 --time 2
expect 'a short budget: success' success
expect 'a short budget: it ends there' holds '"--budget" in r["status"] and r["audited"] < 2'

# --- as a study -----------------------------------------------------------------------------------

audit spring.xml --halvings 0 --json
expect '--json: it is the file' same_bytes "$room/out" results/robot_derivative.json
cp results/robot_derivative.csv kept.csv
run robot-derivative spring.xml --halvings 0 --out results --restart
expect 'by its own name: success' success
expect 'by its own name: the same' same_bytes kept.csv results/robot_derivative.csv
run robot-derivative spring.xml --table --out results
expect '--table: success' success
expect '--table: the verdict' says '^Verdict: up to 0.5 s'
[ ! -e results/robot.json ]
expect 'no file of essbench robot' [ $? -eq 0 ]

refuses() {
  words=$1
  shift
  run robot "$@"
  expect "robot $*: one line with: $words" one_line 2 "$words"
  expect "robot $*: nothing printed" nothing_printed
}
refuses 'shorter than 0.006 s, which are whole steps of 0.003 s' slow.xml --derivative --time 0.005 --output-step 0.005
refuses 'longer than the run' spring.xml --derivative --output-step 1
refuses '--halvings 13 is not accepted' spring.xml --derivative --halvings 13
refuses '--moves' spring.xml --derivative --moves 1e-6,1e-3
refuses 'unknown option --starts' --derivative spring.xml --starts 3
refuses 'FILE is missing' --derivative
run robot missing.xml --derivative
expect 'no such file: one line' one_line 1 'missing.xml'

# --- robots ---------------------------------------------------------------------------------------

if [ -e "$robots/hopper.xml" ]; then
  audit "$robots/hopper.xml" --time 0.2 --halvings 1
  expect 'hopper: success' success
  expect 'hopper: to the end' holds 'r["status"] == "success" and r["times"][-1]["estimate"] < 1e-2'
  expect 'hopper: what MuJoCo makes of it' holds 'of("transitions", 0.2, 0.002) > 0.1'
  audit "$robots/ant.xml" --time 0.1 --halvings 0
  expect 'ant: success' success
else
  echo "left out: no robots in $robots (tools/setup test fetches them)"
fi

finish
