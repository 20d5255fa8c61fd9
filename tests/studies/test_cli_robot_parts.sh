#!/bin/sh
# essbench robot interrupted within its only start: what was measured is kept, is shown, and is not measured
# again.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_robot_parts.sh ESSBENCH
. "$(dirname "$0")/../support/cli_room.sh"

# a chain over a floor, whose small steps take long
python3 - >chain.xml <<'END'
links = 12
body = "".join(f"<body pos='{.2 if i else 0} 0 {0 if i else .6}'><joint name='j{i}' axis='0 1 0'/>"
               "<geom type='capsule' fromto='0 0 0 .2 0 0' size='.02'/>" for i in range(links))
print("<mujoco><option timestep='0.002'><flag contact='disable'/></option><worldbody>" + body + "</body>" * links + "</worldbody></mujoco>")
END
study="robot-race chain.xml --starts 1 --time 1 --time-steps 0.002,0.0001,0.000004,0.000002 --integrators Euler
  --tolerances 1e-4,1e-6 --reference 1e-8 --check-step 1e-4 --budget 100 --out results"

parts() { number "$(asked results 'SELECT count(*) FROM part WHERE run = (SELECT max(id) FROM run)')"; }

# begins it, and interrupts it when so many parts are there
interrupt_at() {
  # shellcheck disable=SC2086
  "$essbench" $study "$@" >"$room/out" 2>"$room/err" </dev/null &
  pid=$!
  for _ in $(seq 1200); do
    [ "$(parts)" -ge 6 ] && break
    kill -0 $pid 2>/dev/null || break
    sleep 0.05
  done
  kill -INT $pid
  wait $pid
  status=$?
}

interrupt_at
expect 'interrupted' one_line 130 'what is done is kept, within the initial conditions, too'
kept=$(parts)
expect 'parts are kept' [ "$kept" -ge 6 ]
run robot-race chain.xml --table --out results
expect 'a table of what is there' sh -c 'grep -q "^start=0 is under way" "$1" && grep -q "reference: libess at 1e-08" "$1" &&
  grep -qE "MuJoCo +Euler +0.002 .* mm" "$1"' - "$room/out"

cp chain.xml other.xml
run robot-race other.xml --table --out results
expect 'a table of another file' one_line 1 'results holds results of chain.xml, not of other.xml'
run robot-race ./chain.xml --table --out results
expect 'a table of the file by another path' success

# what is kept is believed: a number in it is that of the results
python3 - <<'END'
import json, sqlite3
with sqlite3.connect("results/essbench.sqlite") as store:
    store.execute("UPDATE part SET value = json_set(value, '$.value', 12345.0) WHERE name = 'growth'")
    long = store.execute("UPDATE part SET value = json_set(value, '$.position_error', 0.125) "
                         "WHERE name LIKE 'run%' AND value ->> 'seconds' > 0.15").rowcount
assert long, "no long run is kept"
json.dump(long, open("long", "w"))
END
# shellcheck disable=SC2086
run $study
expect 'it goes on' success
expect 'with what was kept' python3 -c 'import json
r = json.load(open("results/robot.json"))
assert r["growth"] == 12345.0
assert sum(m["position_error"] == 0.125 for m in r["mujoco"]) == json.load(open("long"))'
expect 'and no part is left' [ "$(parts)" -eq 0 ]
run robot-race chain.xml --table --out results
expect 'a table of all' grep -qE 'libess +dopri5 +1e-06 .* mm' "$room/out"

# begun anew, a part is none
interrupt_at
asked results "UPDATE part SET value = json_set(value, '\$.value', 12345.0) WHERE name = 'growth'"
# shellcheck disable=SC2086
run $study --restart
expect 'begun anew' success
expect 'it is measured' python3 -c 'import json; assert json.load(open("results/robot.json"))["growth"] != 12345.0'

# on a terminal it is told how far a start is
cat >watch.py <<'END'
import os, pty, re, subprocess, sys
lead, end = pty.openpty()
done = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=end)
os.close(end)
said = b""
while True:
    try:
        said += os.read(lead, 4096)
    except OSError:
        break
assert done.wait() == 0
# which of them are drawn depends on how long those before took
assert re.search(rb"initial conditions 0/1, run \d+ of 30: (MuJoCo|libess|no guards)", said), said
END
# shellcheck disable=SC2086
expect 'how far it is, is shown within a start' python3 watch.py "$essbench" $study --restart

finish
