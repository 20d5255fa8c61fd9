#!/bin/bash
# essbench sweep on a small one: its tables, both engines' errors and crossings, the field gap, whose
# settings are in force, and that a seed gives the same starts, errors and crossings again.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_sweep.sh ESSBENCH
. "$(dirname "$0")/../support/cli_room.sh"

# a sweep into results/, which is all that there is
sweep() {
  rm -rf results
  run sweep --processes 1 --out results "$@"
  expect "sweep $*" success
}
of_json() { sqlite3 :memory: "SELECT json_extract(readfile('results/sweep.json'), '$1')"; }

sweep --contacts 2,10 --trials 40 --epsilon 2.657e-3
expect 'a row for each number of contacts and solver' \
  [ "$(asked results 'SELECT contacts, solver FROM sweep ORDER BY row' | xargs)" = \
  '2|projection 2|mujoco 2|mujoco-callback 10|projection 10|mujoco 10|mujoco-callback' ]
expect 'with its times' all_rows results sweep 6 "protocol = 'paper' AND 0 < min_s AND min_s <= q25_s
  AND q25_s <= median_s AND median_s <= q75_s AND median_lo_s <= median_s AND median_s <= median_hi_s
  AND marginal_s IS NOT NULL"
expect 'with errors, and what it saw is what happened' all_rows results sweep 6 "0 < rms_error
  AND rms_error < 0.1 AND rms_error <= rms_q90 AND rms_q90 <= rms_worst AND events > 0
  AND abs(events_ratio - 1) <= 0.01"
expect 'of the same mechanical system' all_rows results sweep 6 \
  "0 <= field_gap AND field_gap <= iif(solver = 'mujoco-callback', 1e-14, 1e-7)
  AND scaling_s IS iif(solver = 'mujoco-callback', NULL, 1e6)"
expect 'and of the same trajectory by contacts and by a callback' [ "$(asked results "SELECT count(*) FROM sweep a
  JOIN sweep b USING (contacts) WHERE a.solver = 'mujoco' AND b.solver = 'mujoco-callback'
  AND abs(a.rms_error / b.rms_error - 1) < 1e-4 AND a.events = b.events")" -eq 2 ]
expect 'both ratios are there' all_rows results sweep_ratios 2 'mujoco_over_libess > 0 AND callback_over_libess > 0
  AND callback_s > 0 AND callback_interval->>0 <= callback_over_libess AND rms_error_callback > 0'
expect 'and with its epsilon' all_rows results sweep 6 \
  "settings->>'epsilon' IS iif(solver = 'projection', 2.657e-3, NULL)"
laps='(SELECT * FROM sweep_laps WHERE seconds > 0)'
expect 'all samples are there' all_rows results "$laps" 240 \
  'trial < 40 AND seconds > 0 AND rms_error > 0'
expect 'and their crossings make the ratio' all_rows results sweep 6 "1e-12 > abs(events_ratio -
  (SELECT sum(events) / sum(events_reference) FROM sweep_laps s
    WHERE s.contacts = sweep.contacts AND s.solver = sweep.solver))"
expect 'the table is of these rows' [ "$(wc -l <results/sweep.csv) $(wc -l <results/sweep_samples.csv)" = '7 241' ]
# all that no clock has a hand in
clockless() { asked results 'SELECT contacts, solver, trial, rms_error, events, events_reference FROM sweep_laps WHERE seconds > 0'; }
for out in first again; do
  sweep --contacts 2,10 --trials 5 --epsilon 2.657e-3 --seed 7
  clockless >$out
done
expect 'a sample for each start' [ "$(wc -l <again)" -eq 30 ]
expect 'a seed gives the same sweep' same_bytes first again
for seed in 1 2; do
  sweep --contacts 2 --trials 5 --epsilon 1e-3 --solvers projection --seed $seed
  asked results 'SELECT rms_error FROM sweep_laps WHERE seconds > 0' >errors_$seed
done
expect 'another seed draws other starts' [ "$(sort -u errors_1 errors_2 | wc -l)" -eq 10 ]

for order in 1 2; do
  sweep --contacts 40 --trials 3 --epsilon 0.05 --projection-order $order --protocol free --solvers projection
  expect 'a setting stands in the table' all_rows results sweep 1 "settings->>'projection_order' = $order"
  asked results 'SELECT rms_error FROM sweep_laps WHERE seconds > 0' >order_$order
done
expect 'and in what is run' [ "$(cat order_1)" != "$(cat order_2)" ]

# a model that no callback does races without, unless it is asked for
sweep --model legged --contacts 2 --trials 1 --epsilon 1e-3 --duration 0.1
expect 'who races by default need not do every model' \
  [ "$(asked results 'SELECT solver FROM sweep ORDER BY row' | xargs)" = 'projection mujoco' ]

expect 'the file tells which model ran' [ "$(of_json '$.model.name')" = legged ]
expect 'and the run' all_rows results '(SELECT id AS run, settings FROM run)' 1 "settings ->> '\$.model.name' = 'legged'"

sweep --contacts 2 --trials 2
expect 'without --epsilon one is calibrated' all_rows results sweep_top 1 'epsilon > 0.0025 AND epsilon < 0.0028'
echo '{"epsilon": 0.0007}' >results/calibration.json
run sweep --contacts 2 --trials 2 --processes 1 --out results
expect 'or is that of the calibration in the folder' [ "$(of_json '$.epsilon')" = 0.0007 ]

sweep --contacts 2 --trials 2 --epsilon 5e-4 --rtol 1e-7 --variant RK4 --solvers libess,projection,mujoco
cat >expected <<'END'
libess||1.0e-07|0.002||||
projection|0.0005|1.0e-07|0.002|0.001|1||
mujoco||||||0.002|RK4
END
of_settings() { printf ", settings->>'%s'" "$@"; }
asked results "SELECT solver $(of_settings epsilon rtol h_max projection_max projection_order time_step variant) FROM sweep" >found
expect 'of each solver the settings in force, and no others' same_bytes found expected
for setting in epsilon=0.0005 settings.epsilon=0.0005 settings.h_max=0.002 settings.time_step=0.002 settings.variant=RK4; do
  expect "all have $setting" [ "$(of_json "\$.${setting%=*}")" = "${setting#*=}" ]
done

sweep --contacts 2 --trials 2 --protocol paper,free --solvers libess,mujoco
for member in epsilon epsilon_source 'ratios[0].epsilon' 'ratios[0].settings.epsilon' settings.h_max; do
  expect "$member: nobody has one, or they differ" [ "$(of_json "\$.$member")" = '' ]
done
expect 'the rest is known' [ "$(of_json '$.ratios[0].settings.h_max') $(of_json '$.ratios[0].settings.rtol')" = '0.002 1.0e-08' ]

sweep --contacts 2,3 --trials 4 --epsilon 1e-3 --solvers projection,mujoco --protocol paper,free --processes 2
expect "the command's words reach its processes" all_rows results "$laps" 32 'process = trial % 2'
finish
