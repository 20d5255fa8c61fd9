#!/bin/sh
# essbench robot with what the user gives: a keyframe, initial conditions from a file, a PD controller. Each is the same
# as by other words, or known in closed form; and one clear line with exit status 1 or 2 for all that is wrong.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_robot_given.sh ESSBENCH
. "$(dirname "$0")/../support/cli_room.sh"

ask() { run robot "$@" --time 0.3 --budget 20 --out results --restart; }

# python's words about the answers a of the results
holds() {
  python3 -c "import json, sys
a = json.load(open('results/robot_error.json'))['answers']
sys.exit(not ($1))"
}

# two commands have the same errors
keep() { cp results/robot_error.json kept.json; }
same() {
  python3 -c "import json
a, b = (json.load(open(f))['answers'][$1] for f in ('kept.json', 'results/robot_error.json'))
for name in 'bodies', 'hinges', 'energy':
    assert abs(a[name] / b[name] - 1) < 1e-9 if a[name] else not b[name], (name, a[name], b[name])"
}

cat >legs.xml <<'END'
<mujoco model="legs"><option timestep="0.002"/><worldbody><geom name="floor" type="plane" size="5 5 .1"/>
<body name="hand" mocap="true" pos="0 0 2"><geom size=".1" contype="0" conaffinity="0"/></body>
<body pos="0 0 .5"><freejoint name="root"/><geom type="box" size=".15 .1 .05" mass="2"/>
<body pos=".1 0 -.05"><joint name="a" axis="0 1 0" damping=".1"/><geom type="capsule" size=".02" fromto="0 0 0 0 0 -.3"/></body>
<body pos="-.1 0 -.05"><joint name="b" axis="0 1 0" damping=".1"/><geom type="capsule" size=".02" fromto="0 0 0 0 0 -.3"/></body></body>
</worldbody><actuator><motor name="m1" joint="a" gear="2"/><motor name="m2" joint="b"/></actuator>
<keyframe><key name="home" qpos="0 0 .5 1 0 0 0 0 0"/><key qpos="0 0 .6 1 0 0 0 0 0"/>
<key name="jump" qpos="0 0 .45 1 0 0 0 .3 -.2" qvel="0 0 1 0 0 0 2 0" ctrl=".5 -.5" mpos="1 1 1"/></keyframe></mujoco>
END

# --- a keyframe, and a file with the same state ---------------------------------------------------

ask legs.xml --keyframe jump
expect 'keyframe: an answer' success
keep
printf 'x0,x1,x2,x3,x4,x5,x6,x7,x8,v0,v1,v2,v3,v4,v5,v6,v7\n' >states.csv
printf '0,0,.45,1,0,0,0,.3,-.2,0,0,1,0,0,0,2,0\n0,0,.5,2,0,0,0,0,0,0,0,0,0,0,0,0,0\n' >>states.csv
ask legs.xml --states states.csv --ctrl .5,-.5
expect 'states: an answer for each row' success
expect 'states: two initial conditions' holds 'len(a) == 2 and all(x["how"] for x in a)'
expect 'states: the first row is the keyframe' same 0
ask legs.xml --states states.csv --ctrl .5,-.5 --starts 1
expect 'states: the first of them alone' holds 'len(a) == 1'
expect 'states: it is the same' same 0
ask legs.xml --keyframe 1
keep
ask legs.xml --keyframe home --height 0.1
expect 'keyframe: raised where that is asked for, which is the one without a name' same 0
# by names, in any order
python3 - <<'END'
names = ["root x", "root y", "root z", "root qw", "root qx", "root qy", "root qz", "a", "b"]
names += ["d root x", "d root y", "d root z", "d root wx", "d root wy", "d root wz", "d a", "d b"]
values = [0, 0, .6, 1, 0, 0, 0, 0, 0] + 8 * [0]
rows = [",".join(map(str, reversed(row))) for row in (names, values)]
open("named.csv", "w").write("\n".join(rows) + "\n")
END
ask legs.xml --states named.csv
expect 'states: by names, too' same 0

# --- a PD controller ------------------------------------------------------------------------------

# a mass on a motor, whose control is held over whole steps: RK4 has no error, and Euler that of a quadratic
cat >mass.xml <<'END'
<mujoco model="mass"><option timestep="0.005" integrator="RK4" gravity="0 0 0"/><worldbody><body>
<joint name="x" type="slide" axis="1 0 0"/><geom size=".1" mass="2"/></body></worldbody>
<actuator><motor joint="x" gear="3"/></actuator><keyframe><key name="away" qpos=".5" qvel="1"/></keyframe></mujoco>
END
ask mass.xml --keyframe away --pd 4,1 --period 0.02 --ctrl 0.2
expect 'PD: an answer' success
expect 'PD: RK4 is exact between the ticks' holds 'a[0]["bodies"] < 1e-9 and a[0]["bodies_bound"] < 1e-6'
expect 'PD: the energy is that of the recursion' holds '(lambda r: abs(a[0]["energy"] - (r(15)[1] ** 2 - 1)) < 1e-9)(
  lambda n: __import__("functools").reduce(lambda s, _: (lambda u: (s[0] + .02 * s[1] + .0002 * u, s[1] + .02 * u))(
  1.5 * (4 * (.2 - s[0]) - s[1])), range(n), (.5, 1.)))'
# recorded positions, one of which is that of the keyframe
printf 'x\n0.5\n0.1\n' >targets.csv
ask mass.xml --keyframe away --pd 4,1 --period 0.1 --ctrl targets.csv
expect 'PD: recorded positions' holds 'a[0]["bodies"] < 1e-9'
ask mass.xml --keyframe away --pd 4,1
keep
ask mass.xml --keyframe away --pd 4,1 --period 0.02 --ctrl 0.5
expect 'PD: without positions those of the keyframe' same 0

# --- settings compared ----------------------------------------------------------------------------

# of each setting the steps' error is that of essbench robot on a file that has it
run robot legs.xml --compare --time 0.3 --settings 'solver=CG,solref=0.05 1,cone=elliptic' --out results --restart
expect 'compare: a table' success
expect 'compare: it names what matters' grep -qE '^The model with solref=0.05 1 is [0-9.]+ mm from' "$room/out"
sed 's/<worldbody>/<default><geom solref=".05 1"\/><\/default><worldbody>/' legs.xml >soft.xml
sed 's/timestep="0.002"/timestep="0.002" cone="elliptic"/' legs.xml >elliptic.xml
compared() { # file, name of the setting
  ask "$1.xml"
  expect "compare: $1 by itself" success
  python3 - "$2" <<'END'
import json, sys
a = json.load(open("results/robot_error.json"))["answers"][0]
rows = {r["setting"]: r for r in json.load(open("results/robot_compare.json"))["settings_compared"]}
r = rows[sys.argv[1]]
for part in "bodies", "hinges":
    assert abs(r[part] - a[part]) <= r[part + "_bound"] + a[part + "_bound"], (part, r[part], a[part])
own, same, other = rows[""], rows["solver=CG"], rows["solref=0.05 1"]
assert same["model_bodies"] == 0 and not same["changes"] and abs(same["bodies"] / own["bodies"] - 1) < 0.01, same
assert other["changes"] and other["model_bodies"] > 10 * other["model_bodies_bound"] > 0, other
END
  expect "compare: $1 has the errors of the table" [ $? -eq 0 ]
}
compared legs ''
compared soft 'solref=0.05 1'
compared elliptic 'cone=elliptic'

# --- what is wrong --------------------------------------------------------------------------------

sed 's/\.45/nan/' states.csv >nan.csv
cut -d, -f2- states.csv >short.csv
sed 's/<keyframe.*keyframe>//' mass.xml >bare.xml
sed 's/<motor \(.*\)\/><\/actuator>/<position \1\/><\/actuator>/' mass.xml >servo.xml
before=$(fingerprint)
run robot legs.xml --states gone.csv --out results
expect_refusal 1 "cannot read 'gone.csv'" 'a file of states that is not there'
# status 2, one line with the words $1, nothing measured
wrong() {
  words=$1
  shift
  run robot "$@" --out results
  expect_refusal 2 "$words" "$*"
}
wrong '--keyframe fly is not accepted; there are home, 1, jump' legs.xml --keyframe fly
wrong 'the model has no keyframe' bare.xml --keyframe fly
wrong 'row 1 has nan for state 3; each must be a finite number' legs.xml --states nan.csv
wrong 'must have a column for each of 17 states, by name or in their order; it has 16' legs.xml --states short.csv
wrong 'do not go with it' legs.xml --states states.csv --height 1
wrong '--starts 3 is not accepted; --states states.csv has 2' legs.xml --states states.csv --starts 3
wrong 'is of one model; 2 files are given' legs.xml mass.xml --states states.csv
wrong 'two numbers >= 0 with a comma between' mass.xml --pd 3
wrong 'two numbers >= 0 with a comma between' mass.xml --pd 3,-1
wrong 'a PD controller needs motors of hinges or slides' servo.xml --pd 3,1
wrong '--period needs' mass.xml --period 0.01
wrong 'is one of solver, iterations, integrator, cone, solref, solimp' legs.xml --compare --settings noslip=3
wrong 'solver is PGS, CG or Newton' legs.xml --compare --settings cone=elliptic,solver=LU
wrong 'two numbers, both > 0 or both <= 0' legs.xml --compare --settings 'solref=0.01 -1'
wrong 'with white space between' legs.xml --compare --settings 'solref=0.01,1'
wrong 'a whole number >= 1' legs.xml --compare --settings iterations=0
