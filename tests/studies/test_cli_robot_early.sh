#!/bin/sh
# essbench robot where the reference stops before the time asked for: what is raced against it is what
# --time set to that moment races, run by run.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_robot_early.sh ESSBENCH
. "$(dirname "$0")/../support/cli_room.sh"

model() {
  printf '<mujoco><option timestep="0.002"/>%s<worldbody>%s</worldbody></mujoco>\n' "${3-}" "$2" >"$1.xml"
}

# $1.xml for $2 s, into the folder $3
study() {
  run robot "$1.xml" --starts 1 --time "$2" --time-steps 0.002,0.001,0.0005 --tolerances 1e-2,1e-4 \
    --check-step 1e-4 --out "$3" --restart
}

# every run of both journals: the work that is timed, and its error; errors are against references that
# end a step apart. $1 is the program's word for where the reference stops, or nothing
cat >same_work.py <<'END'
import json
def runs(folder):
    lines = [json.loads(x) for x in open(folder + "/robot.journal")]
    return [row for x in lines if x["type"] == "sample" for row in x["rows"]]
whole, cut = runs("whole"), runs("cut")
assert len(whole) == len(cut) > 8
ran = 0
for a, b in list(zip(whole, cut))[1:]:
    assert a[4:6] == b[4:6], (a, b)  # evaluations, steps
    assert (a[1] is None) == (b[1] is None), (a, b)
    if a[1] is not None:
        ran += 1
        assert abs(a[1] - b[1]) <= 1e-6 * b[1] + 1e-9, (a, b)
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
  expect "$name: a study" success
  at=$(last_output)
  study $name "$at" cut
  expect "$name: a study of $at s" success
  expect "$name: the same work is timed" python3 same_work.py
done

finish
