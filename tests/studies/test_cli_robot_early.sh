#!/bin/sh
# essbench robot where the reference stops before the time asked for: what is raced against it is what
# --time set to that moment races, run by run.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_robot_early.sh ESSBENCH
. "$(dirname "$0")/../support/cli_room.sh"

model() {
  printf '<mujoco><option timestep="0.002"/>%s<worldbody>%s</worldbody></mujoco>\n' "${3-}" "$2" >"$1.xml"
}

# $1.xml for $2 s, into the folder $3; a twin refuses points that have no event function of their own
twin='--twin 5000,40'
study() {
  # shellcheck disable=SC2086 # two words
  run robot-race "$1.xml" $twin --starts 1 --time "$2" --time-steps 0.002,0.001,0.0005 --tolerances 1e-2,1e-4 \
    --check-step 1e-4 --out "$3" --restart
}

# every run of both: the work that is timed, and its error. Errors are against references that end a
# step apart, and differ by no more than these two do, each as far from its own at another tolerance
cat >same_work.py <<'END'
import json, sqlite3, sys
def apart(folder):
    return json.load(open(folder + "/robot.json"))["reference"]["tolerances_apart"]
def runs(folder):
    rows = sqlite3.connect(folder + "/essbench.sqlite").execute(
        "SELECT rms_error, field_evaluations, steps FROM robot_laps WHERE run = (SELECT max(id) FROM run) "
        "ORDER BY within, row")
    return list(rows)
whole, cut = runs("whole"), runs("cut")
assert len(whole) == len(cut) > 8
most = apart("whole") + apart("cut") + sys.float_info.epsilon
ran = 0
for a, b in list(zip(whole, cut))[1:]:
    assert a[1:] == b[1:], (a, b)
    assert (a[0] is None) == (b[0] is None), (a, b)
    if a[0] is not None:
        ran += 1
        assert abs(a[0] - b[0]) <= most, (a, b)
assert ran > 6, ran
END

# the last output that the reference of `whole` has, as a --time
last_output() {
  python3 -c 'import json, math
r = json.load(open("whole/robot.json"))
assert r["reference"]["until"] < 0.9 and r["reached"] == 0
print(0.002 * math.floor(r["reference"]["until"] / 0.002))'
}

plane='<geom name="floor" type="plane" size="5 5 .1"/>'
model can "$plane<body pos='0 0 .1'><freejoint/><geom name='can' type='cylinder' size='.1 .1'/></body>"
model hill '<geom name="hill" type="hfield" hfield="h"/><body pos="0 0 .1"><freejoint/><geom size=".1"/></body>' \
  '<asset><hfield name="h" nrow="3" ncol="3" size="1 1 .1 .1" elevation="0 0 0 0 0 0 0 0 0"/></asset>'
# a ball lands in its turn, a box on a shelf later
model stack "$plane<geom name='shelf' type='box' size='.3 .3 .02' pos='2 0 .05'/>
  <body pos='2 0 .4'><freejoint/><geom name='parcel' type='box' size='.1 .1 .1'/></body>
  <body pos='0 0 .1'><freejoint/><geom name='ball' size='.1'/></body>"

for name in can hill stack; do
  study $name 1 whole
  expect "$name: a study" [ "$status" -eq 0 ]
  expect "$name: where it will end is told first, and what helps" \
    grep -qE '^warning: the reference of the first initial condition will end at about 0\.[0-9]* s: .* touch, .*--without' "$room/err"
  expect "$name: how far MuJoCo is off is told with where it ends" \
    grep -qE "^Error of MuJoCo at the model's own settings .*, up to 0\.[0-9]* s:\$" "$room/out"
  at=$(last_output)
  study $name "$at" cut
  expect "$name: a study of $at s" success
  expect "$name: the same work is timed" python3 same_work.py
done

# a can on a box: nobody can tell before that MuJoCo finds its distance too inexactly
twin='--height 0 --tilt 0.3'
model tin "<geom name='table' type='box' size='1 1 .1'/>
  <body pos='0 0 .4'><freejoint/><geom name='tin' type='cylinder' size='.1 .1'/></body>"
study tin 1 whole
expect 'tin: a study' success
at=$(last_output)
study tin "$at" cut
expect "tin: a study of $at s" success
expect 'tin: the same work is timed' python3 same_work.py
twin='--twin 5000,40'

# --- nothing to compare ---------------------------------------------------------------------------

rm -rf whole
model sunk "$plane<body pos='0 0 -.1'><freejoint/><geom name='can' type='cylinder' size='.1 .1'/></body>"
study sunk 1 whole
expect 'a reference that ends at once: one line' one_line 1 "floor - can touch, and --twin needs event functions"
expect 'a reference that ends at once: what helps' one_line 1 "--without 'floor,can' leaves this pair out"
expect 'a reference that ends at once: nothing is written' [ ! -e whole ]
twin=
model rests '<body pos="0 0 1"><joint name="a" axis="0 0 1"/><geom size=".1"/></body>'
study rests 1 whole
expect 'nothing moves: one line' one_line 1 'rests.xml: nothing moves within 1 s of the first initial condition'
expect 'nothing moves: it has no actuators' one_line 1 'it has no actuators; --starts 10 adds random velocities'
run robot-race rests.xml --starts 2 --time 0.1 --time-steps 0.002,0.001 --tolerances 1e-3 --check-step 1e-4 --out whole
expect 'drawn velocities move it' success
on_screen() { grep -qE -- "$1" "$room/out"; }
expect 'no body moves its origin: nothing is said of mm' on_screen '^Its error is about [0-9.e-]+ mrad[.]$'
expect 'nothing that can be seen is off: it is said' on_screen '^  less than 1e-06 mm and 1e-06 mrad'
expect 'whose error it is' on_screen "^Over all positions and velocities the error of the reference is about "

# of a json by python's words, where r is the results
holds() { [ "$(python3 -c "import json; r = json.load(open('$1/robot.json')); print(bool($2))")" = True ]; }

# --- the screen -----------------------------------------------------------------------------------

no_line_beyond() { ! grep -qE "^.{$(($1 + 1))}" "$room/out"; }
hung="<body pos='0 0 1'><joint name='swing' axis='0 1 0'/><geom type='capsule' size='.03' fromto='0 0 0 .3 0 0'/>
  <body pos='.3 0 0'><joint name='elbow' axis='0 1 0'/><geom type='capsule' size='.03' fromto='0 0 0 .3 0 0'/></body></body>"
model hung "$hung"
model lands "$plane<body pos='0 0 .1'><freejoint name='root'/><geom name='ball' size='.1'/><body><joint name='arm' axis='0 1 0'/><geom type='capsule' size='.02' fromto='.1 0 0 .3 0 0' contype='0' conaffinity='0'/></body></body>"
screen() { run robot-race "$@" --starts 1 --time 0.4 --check-step 2e-5 --out out --restart; }
screen lands.xml --time-steps 0.002,0.001,0.0005,0.00025 --tolerances 1e-2,1e-3,1e-5
expect 'brief: a study' success
expect 'brief: raised' on_screen 'qpos0, raised by 0.05 m, tilted by 0.1 rad'
expect 'brief: bodies in mm' on_screen '^  bodies +[0-9.]+ mm, root mean square'
expect 'brief: the base in mm' on_screen '^  base +[0-9.]+ mm at most, along [xyz] \(root\)$'
expect 'brief: the worst joint by name' on_screen '^  worst joint +[0-9.]+ mrad at most: arm$'
expect 'brief: since when' on_screen '^  begins at +0\.[0-9]+ s, (after|before)'
expect 'brief: hinges in mrad' on_screen '^  hinges +[0-9.]+ mrad, root mean square'
expect 'brief: what halves it' on_screen "^  half the error +MuJoCo's [A-Za-z0-9]+ at [0-9.]+ ms: "
expect 'brief: what 1 mm takes' on_screen "^  cheapest for 1 mm +MuJoCo's "
expect 'brief: what 1 mrad takes' on_screen "^  cheapest for 1 mrad +MuJoCo's "
expect 'brief: how well the reference is known, in both' on_screen '^Its error is about [0-9.e-]+ mm and [0-9.e-]+ mrad[.]$'
expect 'brief: a smaller step' on_screen '^  a smaller step +helps: '
expect 'brief: no tables' [ "$(grep -c 'Elements that switch' "$room/out")" -eq 0 ]
expect 'brief: nothing that is not a number' [ "$(grep -c 'nan' "$room/out")" -eq 0 ]
expect 'brief: at most 100 columns' no_line_beyond 100
# what the first lines say is what the csv of the first start says
expect 'brief: the worst joint is the csv'"'"'s' python3 -c '
import csv, re, sys
off = max(abs(float(x["reference"]) - float(x["mujoco"])) for x in csv.DictReader(open("out/robot_paths.csv")) if x["state"] == "arm")
said = float(re.search(r"worst joint +([0-9.e-]+) mrad", open(sys.argv[1]).read()).group(1))
assert abs(said - 1e3 * off) < 0.01 * said, (said, off)' "$room/out"
expect 'a hinge is told in rad' python3 -c '
import csv, json
off = [float(x["reference"]) - float(x["mujoco"]) for x in csv.DictReader(open("out/robot_paths.csv")) if x["state"] == "arm"][1:]
r = json.load(open("out/robot.json"))
own, = [m["hinge_error"] for m in r["mujoco"] if m["own"]]
assert abs(own - (sum(x * x for x in off) / len(off)) ** 0.5) < 1e-9 * own
assert 0 < r["reference"]["hinges_estimate"] < 0.1 * own and 0 < r["reference"]["bodies_estimate"] < 1e-4'
screen lands.xml --time-steps 0.002,0.001,0.0005,0.00025 --tolerances 1e-2,1e-3,1e-5 --all
expect 'all: tables' on_screen '^Elements that switch:'
expect 'all: nothing that is not a number' [ "$(grep -c 'nan' "$room/out")" -eq 0 ]
expect 'all: at most 100 columns' no_line_beyond 100
screen hung.xml --time-steps 0.002,0.001 --tolerances 1e-3
expect 'what cannot be raised is not' on_screen 'hinges turned by 0.1 rad, as no body is free'
# an arm that falls with its body turns by nothing but rounding
model falls "<body pos='0 0 1'><freejoint/><geom size='.1'/><body><joint name='arm' axis='0 1 0'/><geom size='.05'/></body></body>"
run robot-race falls.xml --starts 1 --time 0.1 --tilt 0 --time-steps 0.002,0.001 --tolerances 1e-3 --check-step 1e-4 --out out --restart
expect 'what is off by rounding is not off' holds out 'r["off"]["joint"] is None and r["off"]["name"] == "" and r["off"]["base"] > 1e-4'
# its touch-down falls on the end of a step: a disturbance to one side moves that by a step
model wall "<geom name='wall' type='box' size='.1 5 .1' pos='2 0 0'/><body><joint name='x' type='slide' axis='1 0 0'/><geom type='box' size='.1 .1 .1'/></body>" \
  "<keyframe><key qvel='4'/></keyframe><option gravity='0 0 0'/>"
run robot-race wall.xml --starts 1 --height 0 --time 0.6 --time-steps 0.002,0.001 --tolerances 1e-3 --check-step 1e-4 --out out --restart
expect 'a step is no growth' holds out '1 < r["growth"] < 100'
# all words are in the help
run robot-race --help
for word in base 'worst joint' 'bodies, hinges' 'begins at' reference libess plain; do
  expect "help: $word" on_screen "^  $word  "
done
expect 'help: at most 100 columns' no_line_beyond 100
# two steps of one integrator do not fail a check that they cannot make
screen lands.xml --time-steps 0.002,0.001 --integrators Euler --tolerances 1e-3
expect 'few steps: checked by RK4 all the same' holds out 'r["reference"]["check_step"] < 1e-4'
screen lands.xml --time-steps 0.002,0.001 --integrators Euler --tolerances 1e-3 --check-step 0.001
expect 'few steps: no false alarm' [ "$(grep -c 'misses an event' "$room/out")" -eq 0 ]

# --- pairs that are left out ----------------------------------------------------------------------

# $1.xml with --without $2 goes to the end in both engines, and says what it lacks
leaves_out() {
  run robot-race "$1.xml" --starts 1 --time 0.4 --time-steps 0.002,0.001,0.0005,0.00025 --tolerances 1e-3,1e-5 \
    --check-step 1e-4 --out out --restart --all --without "$2"
  expect "$1 --without $2: a study" success
  expect "$1 --without $2: it goes to the end" holds out 'r["reached"] == 1'
  expect "$1 --without $2: libess agrees with itself" holds out 'r["reference"]["tolerances_apart"] < 1e-6'
  expect "$1 --without $2: mj_step tends to it" holds out \
    'r["reference"]["mujoco_apart"] < 0.3 * max(m["rms_error"] for m in r["mujoco"]) + 1e-9'
  expect "$1 --without $2: the results say so" holds out \
    'r["without"] == "'"$2"'" and [f for f in r["survey"] if f["treatment"] == "left out" and "'"$3 pair"'" in f["name"]]'
  expect "$1 --without $2: the screen says so" grep -qF "Excluded from contact in MuJoCo and in the reference: --without" "$room/out"
}
leaves_out sunk floor,can 1
leaves_out can can,floor 1
expect 'it falls through the floor in both' holds out 'not r["touchdowns"]'
# a given pair is left out, too, and a body stands for all its geoms; a foot still lands
arm="<geom name='hand' type='cylinder' size='.05 .05' pos='0 0 .12'/><geom name='thumb' size='.02' pos='0 0 .2'/>"
model robot "$plane<body pos='0 0 .2'><freejoint/><geom name='base' type='cylinder' size='.1 .1'/><geom name='foot' size='.05' pos='0 0 -.14'/>
  <body name='arm' pos='0 0 .05'><joint axis='0 1 0'/>$arm<body><joint axis='1 0 0'/><geom type='box' size='.05 .04 .03' pos='0 .1 0'/></body></body></body>"
sed 's|</mujoco>|<contact><pair geom1="base" geom2="hand"/></contact></mujoco>|' robot.xml >pair.xml
leaves_out robot self 2
expect 'self: the floor is still there' holds out 'len(r["touchdowns"]) > 0'
twin='--twin 5000,40'
study pair 1 whole
expect 'a given pair touches' one_line 1 '--without self all pairs within'
leaves_out pair "base,hand,base,body 3,foot,body 3" 3
refused() {
  words=$1
  shift
  run robot-race "$@"
  expect "robot $*: status 2 and one line with: $words" one_line 2 "$words"
}
refused 'no geoms or bodies of these names may touch' robot.xml --without base,nothing
refused 'is not accepted; it is self, or names' robot.xml --without base
refused 'no two geoms of one robot may touch' can.xml --without self

finish
