#!/bin/sh
# essbench robot on models of every kind: each ends in numbers that are consistent, or in one clear
# line with exit status 1 or 2. Robots from .deps are run where tools/setup has put them.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_robot.sh ESSBENCH ROBOTS
. "$(dirname "$0")/../support/cli_room.sh"
robots=$2

# a model of these bodies in $1.xml, with what else belongs into it
model() {
  printf '<mujoco><option timestep="0.002" %s/><worldbody>%s</worldbody>%s</mujoco>\n' \
    "${4-}" "$2" "${3-}" >"$1.xml"
}

# a short run of it, and its results
study() {
  name=$1
  shift
  run robot-race "$name" --starts 2 --time 0.2 --time-steps 0.002,0.001,0.0005,0.00025 \
    --tolerances 1e-3,1e-5 --check-step 2e-5 --budget 20 --out results --restart "$@"
}

# a number, or a text, of the results by python's words, where r is the results
of_results() {
  python3 -c "import json; r = json.load(open('results/robot.json')); print($1)"
}

holds() { [ "$(of_results "bool($1)")" = True ]; }

# $1.xml ends in numbers: errors of MuJoCo at its finest step are below those at its coarsest, and
# the two tolerances agree far better than that
converges() {
  study "$1.xml"
  expect "$1: a study" success
  expect "$1: both starts reach the end" holds 'r["reached"] == 2 and r["reference"]["status"] == "success"'
  expect "$1: libess agrees with itself" holds 'r["reference"]["tolerances_apart"] < 1e-6'
  expect "$1: mj_step tends to it" \
    holds 'r["reference"]["mujoco_apart"] < 0.3 * max(m["rms_error"] for m in r["mujoco"]) + 1e-9'
}

says_once() { [ "$(said | grep -o "$1" | wc -l)" -eq 1 ]; }

# $1.xml is refused with status $2 and the words $3
refuses() {
  rm -rf results
  study "$1"
  expect "$1: status $2 and one line with: $3" one_line "$2" "$3"
  expect "$1: nothing printed" nothing_printed
  expect "$1: the command is named once" says_once 'robot-race: '
}

plane='<geom name="floor" type="plane" size="5 5 .1"/>'
link='<geom type="capsule" size=".03" fromto="0 0 0 .3 0 0"/>'
ball='<body pos="0 0 .1"><freejoint/><geom name="ball" size=".1"/></body>'

# --- in numbers -----------------------------------------------------------------------------------

model no_contact '<body><joint name="a" axis="0 1 0"/><geom size=".05" pos="0 0 -.5" contype="0" conaffinity="0"/></body>'
converges no_contact
expect 'no contact: no event function' holds 'r["events"] == 0 and not r["touchdowns"]'

model free_ball "$plane$ball"
converges free_ball
# 5 cm at 9.81 m/s^2
expect 'free ball: it lands when it must' \
  holds 'abs(r["touchdowns"][0]["time"] - (2 * 0.05 / 9.81) ** 0.5) < 1e-6'
expect 'free ball: what lands' holds '"ball" in r["touchdowns"][0]["foot"]'

model tendon "$plane<body pos='0 0 .5'><joint name='a' axis='0 1 0'/>$link<body pos='.3 0 0'><joint name='b' axis='0 1 0'/>$link<site name='s2' pos='.3 0 0'/></body></body><site name='s0' pos='0 0 1'/>" \
  "<tendon><spatial limited='true' range='0 0.8' stiffness='10' damping='1'><site site='s0'/><site site='s2'/></spatial></tendon>"
study tendon.xml
expect 'tendon: a study' success

model equality "<body pos='0 0 .5'><joint name='a' axis='0 1 0'/>$link<body pos='.3 0 0'><joint name='b' axis='0 1 0'/>$link</body></body>" \
  "<equality><joint joint1='a' joint2='b'/></equality>"
converges equality

model muscles "$plane<body pos='0 0 .3'><joint name='a' axis='0 1 0' range='-60 60' limited='true'/>$link</body>" \
  "<actuator><muscle joint='a' lengthrange='0 1'/><general joint='a' dyntype='filter' dynprm='.05'/></actuator>"
converges muscles
expect 'muscles: activations are states' holds 'r["activations"] == 2'

model box "$plane<body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
converges box

model no_gravity "$plane$ball" '' 'gravity="0 0 0"'
converges no_gravity

# a step of its own that fits no output time, another integrator, one beyond the end
for option in 'integrator="implicit" timestep="0.003"' 'integrator="RK4" timestep="5"'; do
  printf '<mujoco><option %s/><worldbody>%s%s</worldbody></mujoco>\n' "$option" "$plane" "$ball" >own.xml
  converges own
  expect "own step: it is among those measured" holds '[m for m in r["mujoco"] if m["own"]]'
done

# --- contacts that are followed -------------------------------------------------------------------

hills='<asset><hfield name="h" nrow="3" ncol="3" size="1 1 .1 .1" elevation="0 0 0 0 0 0 0 0 0"/></asset>'
model hfield "<geom name='hill' type='hfield' hfield='h'/>$ball" "$hills"
model cylinder "$plane<body pos='0 0 .1'><freejoint/><geom name='can' type='cylinder' size='.1 .1'/></body>"
for name in hfield cylinder; do
  study $name.xml
  expect "$name: a study" success
  expect "$name: it goes to the end" holds 'r["reached"] == 2 and r["touchdowns"]'
  expect "$name: the survey says it is followed" holds '[f for f in r["survey"] if f["treatment"] == "followed"]'
  expect "$name: the estimate is both comparisons'" \
    holds 'r["reference"]["estimate"] == max(r["reference"]["mujoco_apart"], r["reference"]["tolerances_apart"])'
done

# a can rocks from one point of its rim to four: a jump that is told, and what it costs
study cylinder.xml
expect 'cylinder: its points jump' holds 'r["reference"]["jumps"] >= 1 and 0 < r["reference"]["refused"] < 1'
expect 'cylinder: the screen says so' \
  grep -qE '^The points of followed contacts jumped [0-9.]+ times' "$room/out"
converges free_ball
expect 'free ball: nothing jumps' holds 'r["reference"]["jumps"] == 0'
expect 'free ball: nothing is said of it' [ "$(grep -c 'followed contacts' "$room/out")" -eq 0 ]

# one that never touches costs no steps
model far "$plane$ball<geom name='can' type='cylinder' size='.1 .1' pos='9 9 .1'/>"
study far.xml
expect 'far: a study' success
expect 'far: six bases and two solvers of order 2 run by default' holds 'r["base"] == "dopri5,chosen,rkc,ros2,lit,lit_unlocated,heun,adams2"'
expect 'far: it is followed in the survey' holds '[f for f in r["survey"] if f["treatment"] == "followed"]'
expect 'far: the end is reached' holds 'r["reference"]["status"] == "success"'
expect 'far: steps are as long as the tolerance lets them' holds 'r["libess"][0]["evaluations"] < 400'

# where stiffness alone sets the steps, those of another base are fewer, and err no more than they
# may; each base is raced with event functions and without, and the cheapest is the one that counts
"$essbench" xml legged --contacts 6 --output legs.xml
legs() {
  run robot-race legs.xml --starts 2 --time 0.4 --time-steps 0.008,0.004,0.002 --tolerances 1e-1,1e-2 \
    --check-step 2e-5 --all "$@"
}
legs --base dopri5,chosen --out results
expect 'two bases: a study' success
expect 'two bases: every row is of one' holds 'r["base"] == "dopri5,chosen" and
  all([(x["base"], x["tolerance"]) for x in r[k]] ==
    [(b, t) for b in ("dopri5", "chosen") for t in (1e-1, 1e-2)] for k in ("libess", "plain"))'
expect 'two bases: fewer evaluations, at an error of the tolerance' \
  holds 'r["libess"][2]["evaluations"] < 0.7 * r["libess"][0]["evaluations"] and r["libess"][2]["rms_error"] < 0.1'
# which one that is, the clock says, and on a busy machine it may say anything: it is the one that
# the told times make the cheapest, over all starts or over the start that is not held out
expect 'two bases: the cheapest is raced' holds 'r["reach"][0]["own"] and
  [r["reach"][0][k] for k in ("libess_base", "tolerance")] ==
    [min(r["libess"], key=lambda x: x["seconds"])[k] for k in ("base", "tolerance")]'
cat >held_out.py <<'end'
import csv, json, sqlite3
told = json.load(open("results/robot.json"))
first = 1 + len(told["mujoco"])
store = sqlite3.connect("results/essbench.sqlite")
def cheapest(start):
    of = [seconds for seconds, in store.execute(
        "SELECT seconds FROM lap WHERE run = (SELECT max(id) FROM run) AND trial = ? "
        "ORDER BY row", (start,))][first:]
    best = min(range(len(told["libess"])), key=lambda i: of[i])
    return told["libess"][best]["base"], told["libess"][best]["tolerance"]
rows = [x for x in csv.DictReader(open("results/robot_held_out.csv")) if x["own"] == "1"]
assert len(rows) == 2 and all(x["plain_base"] for x in rows)
for x in rows:
    assert (x["libess_base"], float(x["tolerance"])) == cheapest(1 - int(x["start"])), x
end
expect 'two bases: as it is of the starts held out' python3 held_out.py
expect 'two bases: of the first start one is drawn' [ "$(python3 -c 'import csv
rows = list(csv.DictReader(open("results/robot_errors.csv")))
of = lambda who: [float(x["t"]) for x in rows if x["who"] == who]
print(all(of(w) and len(of(w)) == len(set(of(w))) for w in ("libess", "plain")))')" = True ]
# an integrator that fails from some starts is told, however good the others are
expect 'what does not get to the end is told' grep -qE '^  MuJoCo, RK4: 0.008: [01].*; .*unstable' "$room/out"
# event-unaware solvers that are no base of libess race as plain alone
legs --base dopri5,heun,adams2 --tolerances 1e-2,1e-4 --out results/unaware
expect 'event-unaware solvers of order 2' python3 -c 'import json
r = json.load(open("results/unaware/robot.json"))
assert {x["base"] for x in r["libess"]} == {"dopri5"}
of = {(x["base"], x["tolerance"]): x for x in r["plain"]}
assert {b for b, t in of} == {"dopri5", "heun", "adams2"}
for b in "heun", "adams2":
    assert of[b, 1e-4]["rms_error"] < 0.3 * of[b, 1e-2]["rms_error"] and of[b, 1e-4]["rms_error"] < 0.01
assert of["adams2", 1e-4]["evaluations"] < 0.5 * of["heun", 1e-4]["evaluations"]'
legs --base rkc --out results/rkc
expect 'one base alone' python3 -c 'import json
r = json.load(open("results/rkc/robot.json"))
assert r["base"] == "rkc" and {x["base"] for x in r["libess"] + r["plain"]} == {"rkc"}'
rm -r results

model explodes '<body><joint type="slide" axis="0 0 1" stiffness="-1e7"/><geom size=".1" mass="1e-3"/></body>'
study explodes.xml
expect 'unstable: a study' success
expect 'unstable: its reference ends' holds 'r["reached"] == 0 and r["reference"]["until"] < 0.1'
expect 'unstable: nothing is claimed' holds 'not r["reach"]'

# --- one line -------------------------------------------------------------------------------------

model only_planes "$plane"
refuses only_planes.xml 1 'nothing in it moves'
model empty ''
refuses empty.xml 1 'nothing in it moves'
model zero_mass '<body><freejoint/><geom size=".1" mass="0"/></body>'
refuses zero_mass.xml 1 'mass and inertia of moving bodies'
echo '<mujoco><worldbody><nonsense/></worldbody></mujoco>' >no_compile.xml
refuses no_compile.xml 1 'nonsense'
echo 'this is no XML' >not_xml.xml
refuses not_xml.xml 1 'not_xml.xml does not compile'
: >nothing.xml
refuses nothing.xml 1 'nothing.xml'
mkdir folder.xml
refuses folder.xml 1 'folder.xml is a folder, not a model file'
refuses missing.xml 1 'missing.xml'
model many "$plane$(awk 'BEGIN { for (i = 0; i < 10000; i++) printf "<body pos=\"%g %g .2\"><geom size=\".1\"/></body>", i % 100, i / 100 }')$ball"
study many.xml
expect '10 000 bodies: numbers, or one line' \
  test "$status" -eq 0 -o "$(said | wc -l)" -eq 1 -a "$status" -le 2

model many_free "$plane$(awk 'BEGIN { for (i = 0; i < 10000; i++) printf "<body pos=\"%g %g .2\"><freejoint/><geom size=\".1\"/></body>", i % 100, i / 100 }')"
# where memory is refused, MuJoCo keeps what it had by then
sanitizer=$ASAN_OPTIONS
ASAN_OPTIONS=$sanitizer:detect_leaks=0
study many_free.xml
ASAN_OPTIONS=$sanitizer
expect '10 000 free bodies: one line that says what is accepted' test "$(said | wc -l)" -eq 1 -a "$status" -le 2
expect '10 000 free bodies: it says what is accepted' [ -n "$(said | grep -E '20000 pairs of (its )?geoms (that )?may touch')" ]

refused() {
  words=$1
  shift
  run robot-race free_ball.xml "$@"
  expect "robot $*: status 2 and one line with: $words" one_line 2 "$words"
}
refused '7 finite numbers' --qpos 1,2
refused 'no actuator' --ctrl 1
refused 'longer than the run' --output-step 2
refused 'than a trajectory may have' --time 1000 --output-step 0.0001
refused 'there are Euler, implicitfast, RK4' --integrators Heun
refused 'there are dopri5, rkc, chosen, rodas, ros2, chosen_rodas, lit, heun, adams2' --base RKC
refused "--base begins with heun, which is event-unaware; the first must be one of libess" --base heun,dopri5
refused 'all 10 initial conditions are equal; --starts 1 is' --height 0 --tilt 0
refused 'needs a --ctrl FILE.csv with more than one row' --period 0.03
run robot-race
expect 'no file: one line' one_line 2 'FILE is missing'

# --- what a program reads -------------------------------------------------------------------------

run robot-race free_ball.xml --starts 1 --time 0.2 --time-steps 0.002,0.001 --tolerances 1e-3 --check-step 1e-4 \
  --out results --json
expect '--json: success' success
expect '--json: it is the file' same_bytes "$room/out" results/robot.json
expect '--json: members' holds 'all(set(m) >= {"variant", "time_step", "rms_error", "seconds"} for m in r["mujoco"]) and
  all(set(m) >= {"tolerance", "rms_error", "seconds", "evaluations"} for m in r["libess"] + r["plain"]) and
  set(r["reference"]) >= {"until", "status", "contact", "estimate"} and len(r["mujoco"]) == 6'
expect 'paths: a line for each state and time' [ "$(wc -l <results/robot_paths.csv)" -eq $((13 * 101 + 1)) ]

# --- the race -------------------------------------------------------------------------------------

# what r["reach"] says is what the csv of held-out starts says, for which each start's settings are of
# the others: recomputed here
cat >held_out.py <<'END'
import csv, json, statistics, sys
reach = json.load(open("results/robot.json"))["reach"]
rows = list(csv.DictReader(open("results/robot_held_out.csv")))
starts, processes = int(sys.argv[1]), int(sys.argv[2])
assert reach and len(rows) == starts * len(reach), (len(rows), len(reach))
for i, r in enumerate(reach):
    own = rows[i * starts : (i + 1) * starts]
    assert [int(x["start"]) for x in own] == list(range(starts))
    assert [int(x["process"]) for x in own] == [k % processes for k in range(starts)]
    ratio = [float(x["mujoco_over_libess"]) for x in own if x["mujoco_over_libess"] != "nan"]
    assert len(ratio) == r["held_out"]
    if not ratio:
        assert r["mujoco_over_libess"] is None
        continue
    assert abs(statistics.median(ratio) / r["mujoco_over_libess"] - 1) < 1e-9
    for x in own:
        if x["mujoco_over_libess"] != "nan":
            of = float(x["mujoco_seconds"]) / float(x["libess_seconds"])
            assert abs(of / float(x["mujoco_over_libess"]) - 1) < 1e-9
    low, high = r["mujoco_over_libess_low"], r["mujoco_over_libess_high"]
    assert (low is None) == (len(ratio) < 5), (low, len(ratio))
    assert low is None or low <= r["mujoco_over_libess"] <= high
if starts > 1:
    assert len({x["time_step"] for x in rows}) > len(reach), "every start has the same settings"
print("True")
END
holds_out() { [ "$(python3 held_out.py "$@")" = True ]; }
race() {
  run robot-race free_ball.xml --starts "$1" --time 0.2 --time-steps 0.002,0.001,0.0005 --tolerances 1e-2,1e-3,1e-5 \
    --base dopri5,chosen --check-step 2e-5 --out results --restart --processes "$2"
}
for of in '6 1' '6 3' '1 1'; do
  # shellcheck disable=SC2086 # two words
  race $of
  expect "a race of $of starts and processes: success" success
  # shellcheck disable=SC2086
  expect "a race of $of starts and processes: what is held out" holds_out $of
done

# libess ends early, and at once, from the starts $1 and on: the database says so, and the study goes on
cat >early.py <<'END'
import json, sqlite3, sys
r = json.load(open("results/robot.json"))
first = 1 + len(r["mujoco"])
end = first + sum(x["base"] in sys.argv[2:] for x in r["libess"])
with sqlite3.connect("results/essbench.sqlite") as store:
    store.execute("""UPDATE lap SET rms_error = NULL, position_error = NULL, seconds = 1e-9, field_evaluations = 1,
        message = 'too many steps' WHERE row >= ? AND row < ? AND within IN (SELECT id FROM cell
        WHERE run = (SELECT max(id) FROM run) AND CAST(substr(name, 7) AS INTEGER) >= ?)""", (first, end, sys.argv[1]))
END
ends_early() {
  race 6 1
  cut_to results 6
  python3 early.py "$@"
  run robot-race free_ball.xml --starts 6 --time 0.2 --time-steps 0.002,0.001,0.0005 --tolerances 1e-2,1e-3,1e-5 \
    --base dopri5,chosen --check-step 2e-5 --out results --all
}
ends_early 4 dopri5 chosen
expect 'two of six starts end early: a ratio of the others' \
  holds '{x["held_out"] for x in r["reach"]} in ({4}, {0, 4})'
expect 'two of six starts end early: what has no end has no cost' [ "$(python3 -c 'import csv
rows = list(csv.DictReader(open("results/robot_held_out.csv")))
early = [x for x in rows if int(x["start"]) >= 4]
print(bool(early) and all(x["libess_seconds"] == x["libess_evaluations"] == "nan" for x in early))')" = True ]
expect 'two of six starts end early: the screen says so' grep -q 'the ratio is known from 4 of 6 initial conditions' "$room/out"
expect 'two of six starts end early: and with which base and tolerance' \
  grep -qE '^  libess, chosen: 0.01: 4, 0.001: 4, 1e-05: 4; too many steps' "$room/out"
# a base that does not get to the end from some starts, at once though it be, is no cheaper for it:
# in the median over them its errors and its times are above all others
ends_early 2 dopri5
expect 'four of six starts end early by one base: the other is raced' \
  holds 'r["reach"] and all(x["libess_base"] == "chosen" and x["held_out"] == 6 for x in r["reach"] if x["mujoco_seconds"])'
expect 'four of six starts end early by one base: it is told all the same' \
  grep -qE '^  libess, dopri5: 0.01: 2, 0.001: 2, 1e-05: 2; too many steps' "$room/out"
ends_early 3 dopri5 chosen
expect 'half of the starts end early: no error is reached' \
  holds 'r["reach"] and all(x["libess_seconds"] is None and x["held_out"] == 0 for x in r["reach"])'

# one base takes no time from four of six starts, and very long from two: the median says that it is the cheapest
race 6 1
cut_to results 6
python3 - <<'END'
import json, sqlite3
r = json.load(open("results/robot.json"))
first = 1 + len(r["mujoco"])
end = first + sum(x["base"] == "dopri5" for x in r["libess"])
with sqlite3.connect("results/essbench.sqlite") as store:
    store.execute("""UPDATE lap SET seconds = CASE WHEN trial < 4 THEN 1e-9 ELSE 100 END
        WHERE row >= ? AND row < ? AND run = (SELECT max(id) FROM run)""", (first, end))
END
run robot-race free_ball.xml --starts 6 --time 0.2 --time-steps 0.002,0.001,0.0005 --tolerances 1e-2,1e-3,1e-5 \
  --base dopri5,chosen --check-step 2e-5 --out results
expect 'a base that takes very long from two of six starts: the other is raced' \
  holds 'r["reach"] and all(x["libess_base"] == "chosen" for x in r["reach"] if x["mujoco_seconds"])'

# --- what an unfinished run goes on with ----------------------------------------------------------

model changing "<body><joint name='a' axis='0 1 0'/>$link</body>" '<actuator><motor joint="a"/></actuator>'
printf 'u\n1\n' >torque.csv
leave_unfinished() {
  study changing.xml --ctrl torque.csv
  expect 'unfinished: a study' success
  cut_to results 2
}
goes_on() {
  run robot-race changing.xml --starts 2 --time 0.2 --time-steps 0.002,0.001,0.0005,0.00025 \
    --tolerances 1e-3,1e-5 --check-step 2e-5 --budget 20 --out results --ctrl torque.csv
}
leave_unfinished
goes_on
expect 'unfinished: the same file goes on' success
expect 'unfinished: and is whole' [ "$(unended results)" -eq 0 ]
leave_unfinished
sed -i 's/size=".03"/size=".04"/' changing.xml
goes_on
expect 'unfinished: another model of that name is another run' [ "$(unended results)" -eq 2 ]
leave_unfinished
printf 'u\n2\n' >torque.csv
goes_on
expect 'unfinished: and so are other controls of that name' [ "$(unended results)" -eq 4 ]

# --- where the clock ends a run -------------------------------------------------------------------

# what is drawn of the first start ends where that start ended, however fast the machine is now
drawn() {
  run robot-race legs.xml --starts 1 --time 0.5 --time-steps 0.002 --tolerances 1e-2,1e-6 --check-step 1e-4 \
    --budget 0.002 --out results
  expect 'a short budget: a study' success
  cat results/robot_errors.csv results/robot_paths.csv results/robot_touchdowns.csv | sha256sum >>drawn
}
rm -rf results
drawn
expect 'a short budget: it ends the reference' holds '"--budget" in r["reference"]["status"]'
expect 'a short budget: the check has longer steps' holds 'r["reference"]["check_step"] > 1e-4'
expect 'a short budget: the screen says so' grep -qE "^MuJoCo's smallest step is .*--budget leaves no time" "$room/out"
for _ in 1 2 3; do
  cut_to results 1
  drawn
done
expect 'a short budget: four times the same' [ "$(sort -u drawn | wc -l)" -eq 1 ]

# --- controls by a table --------------------------------------------------------------------------

model two "<body><joint name='a' axis='0 1 0'/>$link<body pos='.3 0 0'><joint name='b' axis='0 1 0'/>$link</body></body>" \
  '<actuator><motor name="u" joint="a"/><motor name="w" joint="b"/></actuator>'
# the table $1 (lines by \n) is refused with the words $2
refuses_table() {
  printf "$1" >table.csv
  run robot-race two.xml --ctrl table.csv --starts 1 --time 0.1 --out results --restart
  expect "a table of controls: one line with: $2" one_line 2 "$2"
}
refuses_table 'u,w,u\n1,2,3\n' "column 'u' is there twice"
refuses_table 'u,w,time\n1,2,3\n' "column 'time' is of no actuator"
refuses_table '1,2\n3,4\n' 'the first line must name the columns'
refuses_table 'u,x\n1,2\n' 'a column for each of 2 actuators'
refuses_table 'u,w\n' 'no row below its header'
refuses_table 'u,w\n1,nan\n' 'row 1 has nan for actuator 2'
refuses_table 'u,w\n1\n' 'the header has 2'
# a byte-order mark and carriage returns are a spreadsheet's own
for written in 'u,w\n1,2\n' '\357\273\277w,u\r\n2,1\r\n' 'one,other\n1,2\n'; do
  printf "$written" >table.csv
  study two.xml --ctrl table.csv
  expect "a table of controls: $written" success
  of_results 'r["mujoco"][0]["rms_error"]' >>same
done
expect 'a table of controls: the same by each' [ "$(sort -u same | wc -l)" -eq 1 ]
expect 'one row is held for no period' holds 'r["period"] is None'
run robot-race two.xml --ctrl table.csv --period 0.05 --out results --restart
expect 'one row: a period is refused' one_line 2 'needs a --ctrl FILE.csv with more than one row'
run robot-race two.xml --ctrl 0.5 --period 0.05 --out results --restart
expect 'a constant: a period is refused' one_line 2 'needs a --ctrl FILE.csv with more than one row'
printf 'u,w\n1,2\n2,1\n' >table.csv
study two.xml --ctrl table.csv
expect 'rows are held for a period' holds 'r["period"] == 0.02'

# --- twins ----------------------------------------------------------------------------------------

model twin "$plane$ball"
study twin.xml --twin 5000,40 --write written.xml
expect 'a twin: a study' success
expect 'a twin: MuJoCo has the same field, and its text nearly' \
  holds 'r["twin_gap"] < 1e-7 and 1e-7 < r["twin_text_gap"] < 1e-2'
expect 'a twin: mj_step tends to it' \
  holds 'r["reference"]["mujoco_apart"] < 0.3 * max(m["rms_error"] for m in r["mujoco"]) + 1e-9'
expect 'a twin: written' grep -q '<pair ' written.xml
study twin.xml
expect 'no twin: no gap' holds 'r["twin_gap"] is None'
study twin.xml --twin 5000
expect 'a twin without a damping' one_line 2 '--twin 5000 is not accepted; it is K,C'
study twin.xml --twin 5000,x
expect 'a damping that is no number' one_line 2 '--twin 5000,x is not accepted; it is K,C'
study twin.xml --write written.xml
expect 'nothing to write' one_line 2 '--write needs --twin K,C'
cp twin.xml kept.xml
ln -s twin.xml other.xml
for written in twin.xml ./twin.xml other.xml; do
  study twin.xml --twin 5000,40 --write "$written"
  expect "not over the model: $written" one_line 2 "write $written would overwrite a file that this study reads"
  expect "and it is as it was: $written" cmp -s twin.xml kept.xml
done
study twin.xml --twin 5000,40 --write nowhere/written.xml
expect 'nowhere to write' one_line 1 'cannot write nowhere/written.xml'

# --- robots ---------------------------------------------------------------------------------------

if [ -e "$robots/ant.xml" ]; then
  for name in ant hopper half_cheetah; do
    cp "$robots/$name.xml" .
    converges $name
    expect "$name: touch-downs" holds 'len(r["touchdowns"]) > 0 and r["growth"] > 0.1'
    expect "$name: guards are far better than none, or no worse" \
      holds 'r["libess"][-1]["rms_error"] < 3 * r["plain"][-1]["rms_error"]'
  done
  # what is found does not hang on what ran before, and how often it was timed
  for _ in 1 2 3; do
    study ant.xml
    python3 -c 'import csv
for of in "mujoco", "libess", "plain":
    print([x["rms_error"] for x in csv.DictReader(open(f"results/robot_{of}.csv"))])' | sha256sum >>again
  done
  expect 'ant: three times the same errors' [ "$(sort -u again | wc -l)" -eq 1 ]
  # controls change at ticks, which the integrator stops at
  printf 'a,b,c\n.3,-.2,.1\n-.4,.1,.3\n.2,.2,-.3\n' >ctrl.csv
  cp "$robots/hopper.xml" steered.xml
  study steered.xml --ctrl ctrl.csv --period 0.04
  expect 'controls by a table: mj_step tends to it' holds 'r["reference"]["estimate"] < 2e-3'
  # its joints stand on their limits, where rounding would have them act and not act without end
  cp "$robots/walker2d.xml" .
  unmoved() {
    run robot walker2d.xml --qpos 0,1.25,0,0,0,0,0,0,0 --height 0 --tilt 0 --starts 1 --time 1 \
      --time-steps 0.002,0.001 --tolerances 1e-2 --check-step 1e-4 --budget 60 --out results --restart "$@"
  }
  unmoved --reference 1e-5
  expect 'joints on their limits: the end is reached' holds 'r["reference"]["status"] == "success"'
  # then a foot bounces on the floor, ever less and ever faster, and slides: mj_step tends to that
  unmoved --reference 1e-8
  expect 'a foot slides: the end is reached' holds 'r["reference"]["status"] == "success"'
  expect 'a foot slides: mj_step tends to it' holds 'r["reference"]["mujoco_apart"] < 1e-3'
  study steered.xml
  expect 'without them it goes another way' holds 'r["file"] == "steered.xml"'
else
  echo "left out: no robots in $robots (tools/setup test fetches them)"
fi

finish
