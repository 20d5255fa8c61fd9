#!/bin/bash
# essbench mujoco: its tables have every setting with what it does to the trajectory, the race's own
# leaves it unchanged, and the profile adds up. No time is judged, so that a
# busy machine fails nothing.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_mujoco.sh ESSBENCH
. "$(dirname "$0")/../support/cli_room.sh"

run mujoco --contacts 3 --trials 2 --out results
expect 'a run' success

# the hopper, then the plate, each with the same settings: MuJoCo's own, the race's, and changes
expect 'every setting has a row' all_rows results mujoco_settings 104 "model = iif(row < 52, 'hopper', 'plate')
  AND contacts = iif(row < 52, 1, 3) AND base IN ('mujoco', 'race')"
expect 'the same for both' [ "$(asked results 'SELECT count(*) FROM mujoco_settings a JOIN mujoco_settings b
  ON b.row = a.row + 52 AND b.base = a.base AND b.changes = a.changes')" -eq 52 ]
expect 'each once' [ "$(asked results 'SELECT count(DISTINCT base || changes) FROM mujoco_settings')" -eq 52 ]
expect 'what is left out has a reason, and no numbers' [ "$(asked results "SELECT count(*) FROM mujoco_settings
  WHERE (verdict = 'left out') <> (difference IS NULL) OR (verdict = 'left out') <> (median_s IS NULL)
  OR (verdict = 'left out') <> (length(left_out) > 20)")" -eq 0 ]
measured=$(asked results "SELECT count(*) FROM mujoco_settings WHERE verdict <> 'left out'")
expect 'every version has the bases and most of the changes' [ "$measured" -gt 52 ]
expect 'what is not has difference and error' all_rows results \
  "(SELECT * FROM mujoco_settings WHERE verdict <> 'left out')" "$measured" "difference >= 0
  AND (verdict = 'changes the trajectory') = (difference > 1e-9) AND verdict NOT IN ('faster', 'slower')
  AND median_s > 0 AND median_lo_s > 0 AND median_lo_s <= median_hi_s AND q25_s > 0 AND q75_s > 0
  AND min_s > 0 AND ratio > 0 AND ratio_lo > 0 AND ratio_hi > 0 AND rms_error > 0 AND rms_worst > 0
  AND field_gap > 0 AND scaling_s = 1e6"
expect 'the race computes what MuJoCo does' [ "$(asked results "SELECT count(*) FROM mujoco_settings race
  JOIN mujoco_settings own ON own.row = race.row - 1 WHERE race.row IN (1, 53) AND own.difference = 0
  AND race.difference <= 1e-9 AND race.verdict = 'the race''s' AND race.ratio = 1 AND race.field_gap <= 1e-7
  AND abs(race.rms_error / own.rms_error - 1) < 1e-6")" -eq 2 ]
expect 'and another integrator does not' [ "$(asked results "SELECT count(*) FROM mujoco_settings r
  JOIN mujoco_settings race ON race.row = r.row / 52 * 52 + 1 WHERE r.changes = 'integrator=RK4'
  AND r.verdict = 'changes the trajectory' AND r.rms_error < 0.5 * race.rms_error")" -eq 2 ]
expect 'all samples are kept' all_rows results '(SELECT * FROM mujoco_settings_laps WHERE session)' \
  $((2 * measured)) 'seconds > 0 AND rms_error > 0 AND trial < 2 AND session = 1'

# shares of the whole, the parts of each with what they leave adding up to it
timers="(SELECT * FROM mujoco_profile WHERE timer <> 'rest') part"
count() { asked results "SELECT count(*) FROM $1"; }
expect 'timers are timed' all_rows results "$timers" "$(count "$timers")" "timers_cost > 0 AND reading_s > 0
  AND calls > 0 AND calls <= 1 AND measured_s > net_s
  AND iif(timer = 'step', share = 1 AND calls = 1 AND part_of = '', part_of <> '')"
expect 'each profile has a step' [ "$(count "$timers WHERE timer = 'step'")" -eq 4 ]
sums="(SELECT whole.net_s, sum(part.net_s) AS sum FROM mujoco_profile whole JOIN mujoco_profile part
  ON part.part_of = whole.timer AND part.model = whole.model AND part.base = whole.base
  WHERE whole.timer <> 'rest' GROUP BY whole.row) x JOIN newest"
expect 'parts add up' [ "$(asked results "SELECT count(*) >= 12 AND max(abs(sum - net_s)) < 1e-15 FROM $sums")" = 1 ]

# with the force as a callback the same settings are tried, and its trajectory is that by contacts
run mujoco --callback --contacts 3 --trials 1 --processes 1 --out called
expect 'by a callback' success
expect 'all are there' all_rows called mujoco_settings 104 "model = iif(row < 52, 'hopper', 'plate')"
expect 'the result says so' [ "$(sqlite3 :memory: "SELECT json_extract(readfile('called/mujoco_settings.json'), '$.callback')")" = 1 ]
error() { asked "$1" "SELECT printf('%.2e', rms_error) FROM mujoco_settings_laps
  WHERE session AND model = 'hopper' AND setting = 1 AND trial = 0"; }
expect 'the hopper has the error that contacts make' [ "$(error called)" = "$(error results)" ]

finish
