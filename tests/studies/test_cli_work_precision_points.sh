#!/bin/bash
# essbench work-precision on small runs: a point for every method and value, whatever came of it;
# variants that are the same; models that accumulate; any number of starts.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_work_precision_points.sh ESSBENCH
. "$(dirname "$0")/../support/cli_room.sh"

measure() {
  run work-precision --trials 2 --processes 2 --out results "$@"
  expect "work-precision $*" success
}
# whether $1 points, which are those that $2 is true of, all keep to $3
points() { all_rows results "(SELECT * FROM work_precision WHERE $2) point" "$1" "$3"; }
values() { asked results "SELECT group_concat(value, ' ') FROM work_precision JOIN newest USING (run) WHERE $1"; }

steps='0.024 0.02 0.016 0.014 0.012 0.01 0.008 0.006 0.004 0.002 0.001 0.000666666666666667 0.0005
  0.000333333333333333 0.00025 0.0002 0.000142857142857143 0.0001 5.0e-05 2.0e-05 1.0e-05'
steps=$(echo $steps)
epsilons='0.03 0.01 0.003 0.001 0.0003 0.0001 3.0e-05 1.0e-05 3.0e-06 1.0e-06 3.0e-07'
# a method that another stands for has its first run, whose time has no interval
measured="rms_error > 0 AND rms_error <= rms_worst AND median_s > 0 AND failures = 0
  AND evaluations = field_evaluations + event_evaluations
  AND iif(coincides_with = '', trials = 2 AND median_lo_s <= median_s AND median_s <= median_hi_s,
    trials = 1 AND median_lo_s IS NULL)"

measure --contacts 2 --duration 0.7 --methods projection-1,hybrid,mujoco-Euler,mujoco-implicitfast
for method in hybrid mujoco-Euler mujoco-implicitfast; do
  expect "$method has each step" [ "$(values "method = '$method'")" = "$steps" ]
done
expect 'projection-1 has each epsilon' [ "$(values "method = 'projection-1'")" = "$epsilons" ]
expect 'all are measured' points 74 1 "contacts = 2 AND damping = 60 AND $measured"
expect 'MuJoCo evaluates once a step' points 42 "solver = 'mujoco'" 'evaluations = steps'
expect 'Euler and implicitfast do the same, and the first of the table stands for both' points 74 1 \
  "coincides_with = iif(method = 'mujoco-implicitfast', 'mujoco-Euler', '')"
expect 'the finest value is far better than the coarsest' points 4 'value IN (3e-7, 1e-5) AND
  (value = 3e-7) = (solver = '\''projection'\'')' "status = 'ok' AND rms_error < 1e-2 *
  (SELECT max(rms_error) FROM work_precision w WHERE w.method = point.method AND value >= 0.01)"
of_environment() { sqlite3 :memory: "SELECT json_extract(readfile('results/work_precision.json'), '$.cases[0].environment.$1')"; }
for library in sundials gsl; do expect "results name $library" [ -n "$(of_environment $library)" ]; done
expect 'and the version of MuJoCo' [ "MuJoCo $(of_environment mujoco.version)" = "$("$essbench" --version | grep MuJoCo)" ]
expect 'and the same system' all_rows results work_precision_cases 1 "field_gap->>'gap' <= 1e-7"

# a model that MuJoCo does not do is a row all the same; the model before stays
measure --model affine3 --duration 0.7 --methods projection-1,mujoco-RK4
expect 'refusals are rows' points 21 "method = 'mujoco-RK4'" \
  "status = 'refused' AND message LIKE '%no MuJoCo twin%' AND rms_error IS NULL"
expect 'beside what is measured' points 11 "model = 'affine3' AND status <> 'refused'" "$measured"
run work-precision --table --out results
for row in 'affine3 projection-1                 ok' 'plate   projection-1                 ok' \
  'affine3 mujoco-RK4                   refused'; do
  expect "the table has $row" grep -qF "$row" "$room/out"
done

# other methods of a model come beside those it has only together with them
rm -r results
measure --model affine3 --duration 0.7 --methods hybrid
measure --model hopper --duration 0.7 --methods projection-1
measure --model affine3 --duration 0.7 --methods hybrid,projection-1
for of in affine3,hybrid hopper,projection-1 affine3,projection-1; do
  expect "$of is there" grep -q "^${of%,*},[^,]*,${of#*,}," results/work_precision.csv
done

# however many starts there are, and however few of them a setting is given
for trials in 1 2 3 4 5; do
  for work in 1e15 3e4 0; do
    measure --model affine3 --methods projection-1,listing,hybrid --trials $trials --point-work $work \
      --processes $((trials % 2 + 1)) --restart
    few="trials IN (1, 3, $trials)"
    [ $work = 1e15 ] && few="trials = $trials"
    [ $work = 0 ] && few='trials = 1'
    expect "$trials starts, $work" points 43 "model = 'affine3'" \
      "$few AND (median_lo_s IS NULL) = (trials = 1) AND rms_error > 0"
  done
done

# all that no clock has a hand in
for out in first again; do
  measure --contacts 4 --duration 0.7 --seed 7 --methods projection-1,hybrid --restart
  asked results 'SELECT value, rms_error, rms_worst, events_ratio, evaluations FROM work_precision
    JOIN newest USING (run) WHERE contacts = 4' >$out
done
expect 'a seed gives the same points' same_bytes first again
expect 'of which there is one for each value' [ "$(wc -l <again)" -eq 32 ]
finish
