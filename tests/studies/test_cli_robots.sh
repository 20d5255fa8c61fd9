#!/bin/sh
# essbench robots, the question and the race: a line for each model of a list or a folder, whatever fails,
# and again where it was cut short.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_robots.sh ESSBENCH
. "$(dirname "$0")/../support/cli_room.sh"

plane='<geom name="floor" type="plane" size="5 5 .1"/>'
model() {
  printf '<mujoco><option timestep="0.002"/><worldbody>%s</worldbody></mujoco>\n' "$2" >"$1.xml"
}
short="--time 0.3 --time-steps 0.004,0.002,0.001 --tolerances 1e-2,1e-4 --base dopri5 --reference 1e-7"
many() {
  run robots "$@" --race $short --starts 1 --out many
}
# of the models in robots.json, and of their classes, in Python
holds() {
  python3 -c 'import json, sys
of = json.load(open("many/robots.json"))
r, classes = of["models"], {c["class"]: c for c in of["classes"]}
sys.exit(not eval(sys.argv[1]))' "$1"
}

mkdir all all/parts
model all/ball "$plane<body pos='0 0 .15'><freejoint/><geom name='ball' size='.1'/></body>"
model all/bar "<body pos='0 0 1'><joint name='elbow' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .4 0 0' size='.02'/></body>"
model all/box "$plane<body pos='0 0 .1'><freejoint/><geom name='can' type='cylinder' size='.1 .1'/></body>"
model all/still "<body pos='0 0 1'><joint axis='0 0 1'/><geom size='.1'/></body>"
printf '<mujoco><worldbody><body><geom type="mesh" mesh="gone"/></body></worldbody></mujoco>' >all/mesh.xml
printf '<mujocoinclude/>' >all/parts/part.xml
printf 'not a model\n' >all/README.txt
ln -s .. all/parts/again
ln -s nowhere all/lost.xml

many all
expect 'a folder' [ "$status" -eq 0 ]
expect 'all its models, in order, and no part of one' \
  holds '[m["model"] for m in r] == ["all/%s.xml" % n for n in ("ball", "bar", "box", "lost", "mesh", "still")]'
expect 'the base is told in the units of the model' holds 'r[0]["whole"] and r[0]["base"] > 0 and not r[0]["joint"]'
expect 'and so is a joint' holds 'r[1]["joint"] == "elbow" and r[1]["unit"] == "rad" and r[1]["base"] is None'
expect 'what has no event functions for its points goes to the end' holds 'r[2]["whole"] and r[2]["until"] > 0.29'
expect 'what MuJoCo refuses stops no other' holds 'r[4]["status"].startswith("failed: ") and "gone" in r[4]["status"]'
expect 'what stands still is said' holds '"nothing moves" in r[5]["status"] and not r[5]["answered"]'
expect 'what cannot be read has a line' holds '"failed: cannot be read: No such file" in r[3]["status"]'
expect 'a line for each' [ "$(grep -cE '^(ball|bar|box|lost|mesh|still) ' "$room/out")" -eq 6 ]
expect 'a single start has no interval, and decides nothing' holds 'r[0]["ratio"] > 0 and r[0]["ratio_low"] is None and r[0]["verdict"] == "undecided"'
expect 'what fails is counted' holds 'classes["all"]["models"] == 6 and classes["all"]["no_answer"] == 3 and classes["all"]["undecided"] == 3' 
expect 'a line that is cut ends with a whole word' grep -q '[^ ] \.\.\.$' "$room/out"
expect 'none is long' sh -c '! grep -qE "^.{101}" "$1"' - "$room/out"
expect 'how well the references are known' holds 'all(m["reference"] < 1e-3 for m in (r[0], r[1]))'
expect 'how many' grep -q '^3 of 6 models have an answer, 3 of them for the whole time' "$room/out"
expect 'each has its own screen' grep -q 'Error of MuJoCo at the model'\''s own settings' many/01-ball/screen.txt
expect 'a table' [ "$(wc -l <many/robots.csv)" -eq 7 ]
run robots-race all --table --out many
expect 'the table again' grep -q '^3 of 6 models have an answer' "$room/out"

# --- the question ---------------------------------------------------------------------------------

answers() {
  python3 -c 'import json, sys
of = json.load(open("errors/robots_error.json"))
r, classes = of["models"], {c["class"]: c for c in of["classes"]}
sys.exit(not eval(sys.argv[1]))' "$1"
}
run robots all --time 0.3 --budget 5 --out errors
expect 'errors of a folder' [ "$status" -eq 0 ]
expect 'errors: each model has a row' answers '[m["name"] for m in r] == ["ball", "bar", "box", "lost", "mesh", "still"]'
expect 'errors: an answer with a bound' answers 'all(m["verdict"] == "libess" and 0 < m[k + "_bound"] < 0.2 * m[k] for m, k in zip(r, ("bodies", "hinges", "bodies")))'
expect 'errors: of the own settings' answers 'all(m["time_step"] == 0.002 and m["integrator"] == "Euler" and m["stable"] for m in r[:3])'
expect 'errors: those of the single answer' python3 -c 'import json
row, a = json.load(open("errors/robots_error.json"))["models"][0], json.load(open("errors/01-ball/robot_error.json"))
one = a["answers"][0]
same = ("bodies", "bodies_bound", "energy_drift", "penetration", "penetration_reference", "creep", "half_by", "small_step")
assert all(row[k] == one[k] for k in same), (row, one)
worst = max(a["joints"], key=lambda j: j["most"])
assert (row["joint"], row["joint_error"], row["unit"]) == (worst["name"], worst["most"], worst["unit"])'
expect 'errors: a floor is penetrated' answers 'r[0]["penetration"] > 0 and r[1]["penetration"] == 0'
expect 'errors: what fails has its reason' answers 'r[4]["verdict"] == "no answer" and "gone" in r[4]["status"] and "nothing moves" in r[5]["status"]'
expect 'errors: classes are counted' answers 'classes["all"]["models"] == 6 and classes["all"]["by_libess"] == 3 and classes["all"]["no_answer"] == 3'
expect 'errors: a line for each' [ "$(grep -cE '^(ball|bar|box|lost|mesh|still) ' "$room/out")" -eq 6 ]
expect 'errors: how many' grep -q '^3 of 6 models have an answer' "$room/out"
expect 'errors: none is long' sh -c '! grep -qE "^.{121}" "$1"' - "$room/out"
run robots all --table --out errors
expect 'errors: the table again' grep -q '^3 of 6 models have an answer' "$room/out"
printf 'legged all/ball.xml --height 0.2\n' >one
run robots one --time 0.3 --budget 5 --out errors --json
expect 'errors: options of a line' answers 'r[0]["class"] == "legged" and len(r) == 1'
expect 'errors: json is printed' python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$room/out"
run robots all --race --budget 5 --starts 1 --out errors --tolerances 7
expect 'errors: --race has the options of the race' one_line 2 'tolerances'

# --- lists, and options of a line -----------------------------------------------------------------

printf '# a comment\n\nall/ball.xml --height 0.2\nall/bar.xml\n' >list
many list --json
expect 'a list' holds '[m["model"] for m in r] == ["all/ball.xml", "all/bar.xml"] and r[0]["class"] == ""'
expect 'json is printed' python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$room/out"
expect 'options of a line are of that model' grep -q 'raised by 0.2 m' many/01-ball/screen.txt

# --- classes, and names ----------------------------------------------------------------------------

mkdir -p all/go/parts all/stay/parts
cp all/ball.xml all/go/scene_flat.xml
cp all/ball.xml all/go/parts/ball.xml
cp all/bar.xml all/stay/parts/ball.xml
printf 'legged go/scene_flat.xml\nlegged  ball.xml  --height 0.2\narm bar.xml\nother mesh.xml\narm go/parts/ball.xml\narm stay/parts/ball.xml\n' >classes
run robots-race classes --folder all $short --out many
expect 'classes' [ "$status" -eq 0 ]
expect 'each has its own' holds '[m["class"] for m in r] == ["legged", "legged", "arm", "other", "arm", "arm"]'
expect 'a name is as short as it may be' \
  holds '[m["name"] for m in r] == ["go", "ball", "bar", "mesh", "go/parts/ball", "stay/parts/ball"]'
expect 'files are within a folder, which is no part of them' holds 'r[1]["model"] == "ball.xml" and r[1]["answered"]'
expect 'one that MuJoCo refuses is a line of the table' \
  holds 'r[3]["verdict"] == "no answer" and "failed: " in r[3]["status"]'
expect 'five starts have an interval' \
  holds 'all(m["ratio_low"] <= m["ratio"] <= m["ratio_high"] and m["known"] == 5 for m in r[:2])'
expect 'which decides' holds 'all(m["verdict"] == ("faster" if m["ratio_low"] > 1 else "slower" if m["ratio_high"] < 1 else "undecided") for m in r[:3])'
expect 'verdicts are counted by class' holds '[(c["class"], c["models"]) for c in of["classes"]] == [("legged", 2), ("arm", 3), ("other", 1), ("all", 6)] and all(sum(c[k] for k in ("faster", "slower", "undecided", "stops_early", "no_answer")) == c["models"] and all(c[k] == sum(m["class"] in (c["class"], "") or c["class"] == "all" for m in r if m["verdict"] == k.replace("_", " ")) for k in ("faster", "slower", "undecided", "stops_early", "no_answer")) for c in of["classes"])'
expect 'and told' grep -q '^legged *2 models: libess is faster on ' "$room/out"

# --- killed in the middle ---------------------------------------------------------------------------

printf 'all/ball.xml\nall/bar.xml\nall/box.xml\n' >three
rm -r many
"$essbench" robots-race three $short --starts 1 --out many >/dev/null 2>&1 </dev/null &
pid=$!
while [ ! -e many/02-bar ]; do sleep 0.1; done
kill -KILL "$pid" $(ps -o pid= --ppid "$pid")
wait "$pid" 2>/dev/null
touch -d '2000-01-01' many/01-ball/robot.json
many three
expect 'it goes on where it was killed' [ "$status" -eq 0 ]
expect 'and measures no row again' sh -c '[ "$(date -r many/01-ball/robot.json +%Y)" = 2000 ]'
expect 'but the others' holds '[m["answered"] for m in r] == [True, True, True]'

# --- what was done is not done again --------------------------------------------------------------

many list

cut_to many 1
touch -d '2000-01-01' many/01-ball/robot.json
many list
expect 'it goes on' [ "$status" -eq 0 ]
expect 'and leaves what it has' sh -c '[ many/01-ball/robot.json -ot list ] && [ many/02-bar/robot.json -nt list ]'

# --- a mesh that is not convex: MuJoCo takes its hull ------------------------------------------------

printf '<mujoco><asset><mesh name="ell" vertex="%s" face="%s"/></asset><worldbody>%s<body pos="0 0 .1"><freejoint/><geom type="mesh" mesh="ell"/></body></worldbody></mujoco>\n' \
  "0 0 0 0.2 0 0 0.2 0.1 0 0.1 0.1 0 0.1 0.2 0 0 0.2 0 0 0 0.1 0.2 0 0.1 0.2 0.1 0.1 0.1 0.1 0.1 0.1 0.2 0.1 0 0.2 0.1" \
  "0 2 1 0 3 2 0 5 3 3 5 4 6 7 8 6 8 9 6 9 11 9 10 11 0 1 7 0 7 6 1 2 8 1 8 7 2 3 9 2 9 8 3 4 10 3 10 9 4 5 11 4 11 10 5 0 6 5 6 11" \
  "$plane" >ell.xml
run robot-race ell.xml --starts 1 --time 0.2 --time-steps 0.004,0.001 --tolerances 1e-2 --out ell
expect 'an L: a study' [ "$status" -eq 0 ]
expect 'an L: its hull is told, once' \
  [ "$(grep -c '^Mesh ell: not convex: MuJoCo collides the convex hull' "$room/out")" -eq 1 ]

# --- files that MuJoCo refuses: one line, status 1 ------------------------------------------------

one() { run robot-race "$1" --starts 1 --out one; }
one all/mesh.xml
expect 'a mesh that is not there' one_line 1 'gone'
printf '<mujoco><asset><mesh name="m" file="gone.stl"/></asset><worldbody><body><freejoint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>' >file.xml
one file.xml
expect 'a file of a mesh that is not there' one_line 1 'gone.stl'
printf '<mujoco><extension><plugin plugin="mujoco.nobody"/></extension><worldbody/></mujoco>' >plugin.xml
one plugin.xml
expect 'a plugin that is not there' one_line 1 'plugin'
printf '<mujoco><worldbody><nonsense/></worldbody></mujoco>' >nonsense.xml
one nonsense.xml
expect 'a word that is none' one_line 1 'nonsense'
printf '<mujoco><worldbody><body>' >cut.xml
one cut.xml
expect 'a file cut short' one_line 1 'cut.xml'
python3 - >many.xml <<'END'
print("<mujoco><worldbody><geom type='plane' size='5 5 .1'/>" + "".join(
    f"<body pos='{i % 100} {i // 100} .5'><freejoint/><geom size='.1'/></body>" for i in range(10000)) + "</worldbody></mujoco>")
END
# MuJoCo does not free what it had made of a model that is too large: not ours to report
printf 'leak:mj_makeRawData\n' >mujoco.leaks
LSAN_OPTIONS="suppressions=$PWD/mujoco.leaks:print_suppressions=0${LSAN_OPTIONS:+:$LSAN_OPTIONS}"
export LSAN_OPTIONS
one many.xml
expect '10 000 geoms' one_line 1 'many.xml'

# --- refused --------------------------------------------------------------------------------------

run robots
expect 'no list' one_line 2 'LIST|DIR'
run robots nowhere
expect 'a list that is not there' one_line 1 'nowhere: No such file'
printf '# nothing\n' >empty
run robots empty
expect 'an empty list' one_line 1 'empty names no model'
run robots all/ball.xml
expect 'a model is no list' one_line 2 'for one model: essbench robot'

printf 'legged all/ball.xml\nleged all/bar.xml\n' >misspelt
run robots misspelt
expect 'a class that is none' one_line 2 'misspelt, line 2: leged is no class; legged, arm and other are accepted'
printf 'all/ball.xml\nlegged all/gone.xml --height 0.2\n' >missing
run robots missing
expect 'a file that is not there, before any is measured' one_line 1 'missing, line 2: all/gone.xml: No such file'
printf 'all/ball.xml\nlegged\n' >classless
run robots classless
expect 'a class without a file' one_line 2 'classless, line 2: legged is followed by no file'
run robots classes --folder nowhere
expect 'a folder of a list that is not there' one_line 2 '--folder nowhere is no folder'
run robots all --folder all
expect 'a folder has no other' one_line 2 'all is no list'

mkdir none
cp all/mesh.xml none
run robots none --out none.out
expect 'no model has an answer: status 1' [ "$status" -eq 1 ]
expect 'its last line says so' grep -q '^essbench robots: none: no model has an answer' "$room/err"
expect 'its table is there' grep -q '^mesh .*gone' "$room/out"

finish
