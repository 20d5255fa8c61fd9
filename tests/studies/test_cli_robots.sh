#!/bin/sh
# essbench robots: a line for each model of a list or a folder, whatever fails, and again where it was cut
# short.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_robots.sh ESSBENCH
. "$(dirname "$0")/../support/cli_room.sh"

plane='<geom name="floor" type="plane" size="5 5 .1"/>'
model() {
  printf '<mujoco><option timestep="0.002"/><worldbody>%s</worldbody></mujoco>\n' "$2" >"$1.xml"
}
many() {
  run robots "$@" --time 0.3 --time-steps 0.004,0.002,0.001 --tolerances 1e-2,1e-4 --out many
}
# of the models in robots.json, in Python
holds() {
  python3 -c 'import json, sys
r = json.load(open("many/robots.json"))["models"]
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
expect 'a line for each' [ "$(grep -cE '^all/' "$room/out")" -eq 6 ]
expect 'a line that is cut ends with a whole word' grep -q '[^ ] \.\.\.$' "$room/out"
expect 'none is long' sh -c '! grep -qE "^.{101}" "$1"' - "$room/out"
expect 'how well the references are known' holds 'all(m["reference"] < 1e-3 for m in (r[0], r[1]))'
expect 'how many' grep -q '^3 of 6 models have an answer, 3 of them for the whole time' "$room/out"
expect 'each has its own screen' grep -q 'MuJoCo as the file has it' many/01-ball/screen.txt
expect 'a table' [ "$(wc -l <many/robots.csv)" -eq 7 ]
run robots all --table --out many
expect 'the table again' grep -q '^3 of 6 models have an answer' "$room/out"

# --- lists, and options of a line -----------------------------------------------------------------

printf '# a comment\n\nall/ball.xml --height 0.2\nall/bar.xml\n' >list
many list --json
expect 'a list' holds '[m["model"] for m in r] == ["all/ball.xml", "all/bar.xml"]'
expect 'json is printed' python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$room/out"
expect 'options of a line are of that model' grep -q 'raised by 0.2 m' many/01-ball/screen.txt

# --- what was done is not done again --------------------------------------------------------------

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
run robot ell.xml --starts 1 --time 0.2 --time-steps 0.004,0.001 --tolerances 1e-2 --out ell
expect 'an L: a study' [ "$status" -eq 0 ]
expect 'an L: its hull is told, once' \
  [ "$(grep -c '^Mesh ell: not convex: MuJoCo collides the convex hull' "$room/out")" -eq 1 ]

# --- files that MuJoCo refuses: one line, status 1 ------------------------------------------------

one() { run robot "$1" --starts 1 --out one; }
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

mkdir none
cp all/mesh.xml none
run robots none --out none.out
expect 'no model has an answer: status 1' [ "$status" -eq 1 ]
expect 'its last line says so' grep -q '^essbench robots: none: no model has an answer' "$room/err"
expect 'its table is there' grep -q '^none/mesh.xml .*gone' "$room/out"

finish
