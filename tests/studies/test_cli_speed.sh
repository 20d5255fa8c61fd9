#!/bin/sh
# essbench speed: what it refuses, that an interrupt leaves what was measured, and who races at which
# error, with stiff springs too.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_speed.sh ESSBENCH
. "$(dirname "$0")/../support/cli_room.sh"

before=$(fingerprint)
refuses() {
  wanted=$1
  words=$2
  shift 2
  run speed "$@"
  expect_refusal "$wanted" "$words" "$*"
}
refuses 2 '--trials 0 is not accepted' --trials 0
refuses 2 'unknown option --model' --model plate
refuses 2 '--contacts' --contacts 2,x
refuses 2 '--targets' --targets 1e-3,1e-2
refuses 2 '--stiff' --stiff 0
refuses 2 'unknown option --before' --before earlier
refuses 2 'x is not accepted' x
refuses 1 'holds no results of speed; run it first' --table --out nowhere


# the choices of a hopper and three plates, and of a hopper and a plate with stiff springs, and of
# each the race in two processes
small='--contacts 2,3 --many 4 --errors 1e-2 --trials 2 --processes 2 --stiff 20000 --out results'
# shellcheck disable=SC2086 # words
"$essbench" speed $small >"$room/out" 2>"$room/err" </dev/null &
child=$!
while [ "$(cells results)" -lt 5 ] && kill -0 $child; do sleep 0.05; done
kill -INT $child
wait $child
expect 'an interrupt ends it with 130' [ $? -eq 130 ]
expect 'and is told' grep -q 'interrupted; the same command goes on from here' "$room/err"
expect 'what was measured is kept' [ "$(cells results)" -ge 5 ]
expect 'there are no results yet' [ ! -e results/speed.json ]
# shellcheck disable=SC2086
run speed $small
expect 'the same command goes on' success
expect 'to the end' [ "$(cells results)" -eq 21 ]
expect 'and measures nothing twice' [ "$(ended_runs results)" -eq 1 ]
expect 'the hopper is in the table' grep -q '^hopper  *libess  *equal-error' "$room/out"
grep '^hopper\|^plate' "$room/out" >"$room/rows"
run speed --table --out results
expect 'its tables are shown again' success
grep '^hopper\|^plate' "$room/out" >"$room/again"
expect 'and are the same' same_bytes "$room/rows" "$room/again"

for row in 'plate  contacts   libess          equal-error       2  60' \
  'plate  aggregated libess          equal-median      3   0' 'plate             mujoco-callback equal-error       2  60' 'one more contact' 'event_rates of 8'; do
  expect "a table has $row" grep -qF "$row" "$room/out"
done

# hopper; plate with 2 and 3 contacts, the last against RK4 too and without damping; a hopper and a
# plate with stiff springs; a plate without MuJoCo. Whether $1 of these rows, all that $2 is true of,
# keep to $3
rows() { all_rows results "(SELECT * FROM speed WHERE $2)" "$1" "$3"; }
expect 'rows of whoever races' rows 79 1 "rms_error <= rms_worst AND solver GLOB '[mlp][uil]*'"
# yardstick and equal-error; with equal-median and the fixed setting; with RK4 twice; stiff
expect "MuJoCo's" rows $((2 + 4 + 6 + 3 + 2 * 2)) "solver = 'mujoco'" 'variant > ""'
# the same without the yardsticks
expect "MuJoCo's by a callback" rows $((1 + 3 + 4 + 2 + 2)) "solver = 'mujoco-callback'" \
  "variant > '' AND field_gap < 1e-14 AND scaling_s IS NULL AND mujoco_over_this > 0 AND callback_over_this = 1"
expect "libess's, and at an error without MuJoCo" rows $((1 + 2 * (3 + 4 + 2) + 1 + 2 + 4)) "solver = 'libess'" \
  'steps > 0 AND bound_s > 0'
expect 'of plain methods' rows $((2 + (4 + 1) + (6 + 1) + 4 + 3 + 1)) "solver LIKE 'plain-%'" 'mujoco_over_bound IS NULL'
expect 'libess has a plain rival' rows 22 "solver = 'libess' AND protocol <> 'fixed-tolerance'" \
  "plain_solver LIKE 'plain-%' AND plain_s > 0 AND plain_setting > 0 AND plain_over_this_lo <= plain_over_this
  AND plain_over_this <= plain_over_this_hi"
# what MuJoCo chose takes no longer a step than six of its own
expect 'and MuJoCo' rows "$(asked results "SELECT count(*) FROM speed WHERE protocol NOT LIKE 'error-%'")" \
  "protocol NOT LIKE 'error-%'" "mujoco_time_step > 0.124 * 2e-3 AND mujoco_time_step < 6.001 * 2e-3
  AND field_gap < 1e-7 AND mujoco_over_this_lo <= mujoco_over_this AND mujoco_over_this <= mujoco_over_this_hi"
expect 'whoever races MuJoCo races both' rows "$(asked results "SELECT count(*) FROM speed WHERE protocol NOT LIKE 'error-%'
  AND protocol NOT LIKE '%-2ms'")" "protocol NOT LIKE 'error-%' AND protocol NOT LIKE '%-2ms'" "callback_time_step > 0.124 * 2e-3
  AND callback_over_this_lo <= callback_over_this AND callback_over_this <= callback_over_this_hi AND callback_s > 0
  AND callback_rms_error <= callback_rms_worst"
expect 'one more contact costs something by either form' all_rows results speed_marginals 2 \
  's_per_contact IS NOT NULL AND callback_s_per_contact IS NOT NULL AND callback_share IS NOT NULL'
expect 'callbacks are timed' all_rows results speed_callbacks $((5 * (1 + 4 * 2))) 's_per_call > 0'

# the .csv has the settings of each row, and nothing of what does not concern it
stepping="solver IN ('mujoco', 'mujoco-callback', 'plain-euler', 'plain-rk4')"
expect 'settings in force' rows 79 1 "(settings->>'rtol' IS NULL) = ($stepping) AND (settings->>'atol' IS NULL) = ($stepping)
  AND (settings->>'time_step' IS NOT NULL) = ($stepping) AND settings->>'epsilon' IS NULL"
cp results/essbench.sqlite beside.sqlite
sqlite3 -csv beside.sqlite '.import results/speed.csv beside'
same() { echo "iif(beside.$1 = '', NULL, beside.$1 / (settings->>'$1') BETWEEN 1 - 1e-12 AND 1 + 1e-12) IS iif(settings->>'$1', 1, NULL)"; }
expect 'are those of the table' [ "$(sqlite3 beside.sqlite "SELECT count(*) FROM speed JOIN beside
  ON beside.rowid = row + 1 WHERE $(same rtol) AND $(same atol) AND $(same time_step) AND $(same epsilon)")" -eq 79 ]

# every start, of whoever races on whichever system, in every process
awk -F, 'NR > 1 { n[$1 "," $2 "," $3 "," $4 "," $5 "," $6 "," $13]++ }
  END { for (k in n) if (n[k] != 4) bad = 1; exit bad || !length(n) }' results/speed_samples.csv
expect 'speed_samples.csv has two starts in two processes' [ $? -eq 0 ]

# --- stiff springs: either at the same error, MuJoCo at the output step beside them ----------------
# (to a factor of 3: settings are chosen on other starts than the two that are timed)

for model in hopper plate; do
  for who in 'mujoco Euler-2ms' 'mujoco target-0.01' 'libess target-0.01'; do
    # shellcheck disable=SC2086
    set -- $who
    awk -F, -v model=$model -v solver="$1" -v protocol="$2" '
      NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
      NR > 1 && $at["model"] == model && $at["solver"] == solver && $at["protocol"] == protocol &&
        $at["stiffness"] == 20000 && $at["field_gap"] <= 1e-7 &&
        (protocol != "target-0.01" || $at["rms_error"] <= 0.03) { found = 1 }
      END { exit !found }' results/speed.csv
    expect "$model with stiff springs has $who" [ $? -eq 0 ]
  done
done
# and the series of the others is as without them
expect 'what one more contact costs is found beside stiff springs' \
  [ "$(grep -c '"s_per_contact"' results/speed.json)" = 2 ]

finish
