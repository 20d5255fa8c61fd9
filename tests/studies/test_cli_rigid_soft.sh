#!/bin/bash
# essbench rigid-soft: what is known of rigid contacts, where springs lead as they grow stiff, and how
# close MuJoCo's steps let it come.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_rigid_soft.sh ESSBENCH
. "$(dirname "$0")/../support/cli_room.sh"

run rigid-soft --stiffnesses 1e8,1e6 --ratios 10,0.2 --time-steps 2,0.25 --integrators RK4 --out stiff
expect 'springs' success
# row $1, in the order of the rows: block, rigid without and with pseudo-impulses, then 1e8 and 1e6 N/m
# at ratios 10 and 0.2; the landing, rigid, then the same
row() { all_rows stiff "(SELECT * FROM rigid_soft WHERE row = $1)" 1 "$2"; }
of() { echo "(SELECT $2 FROM rigid_soft WHERE row = $1)"; }
expect 'a rigid block' row 0 'abs(landing - 0.102296) < 1e-6 AND abs(spin_ratio - 0.7) < 1e-7 AND stop_speed = 0'
expect 'by a pseudo-impulse' row 1 'abs(stop_speed - 0.063064) < 1e-6 AND abs(stop_delta_t - 0.03) < 1e-12'
# much damping: each hundredfold stiffness brings it a hundred times closer
expect 'stiff springs that damp' row 2 "abs(spin_ratio - 0.7) < 1e-4 AND field_evaluations > 4 * $(of 3 field_evaluations)"
expect 'softer ones' row 3 "abs(angle_rms / $(of 2 angle_rms) - 100) < 40 AND abs(landing_off / $(of 2 landing_off) - 100) < 20
  AND abs(stop_speed / $(of 2 stop_speed) - 10) < 0.5 AND field_evaluations > 20 * $(of 0 field_evaluations)"
expect 'the landing on stiff ones' row 7 "abs(end_rate - $(of 6 end_rate)) < 1e-4"
# little: it bounces, and stiffness does not help
for i in 4 5; do
  expect 'springs that bounce' row $i 'spin_ratio > 0.73 AND angle_rms > 0.01'
  expect 'and the landing on them' row $((i + 5)) 'end_rate < -0.5'
done
expect 'all are timed' all_rows stiff '(SELECT * FROM rigid_soft WHERE row < 11)' 11 'time_s > 0'

run rigid-soft --stiffnesses 1e6 --ratios 2,0.2 --time-steps 2,0.25 --integrators RK4,Euler --out results
expect 'MuJoCo' success
# the first of each system's that $1 is true of; those at either step, beside MuJoCo's defaults
first() { echo "(SELECT *, min(row) FROM rigid_soft WHERE $1 GROUP BY system)"; }
steps() {
  echo "(SELECT c.run, $2 FROM $(first "time_step = 0.002 AND $1") c JOIN $(first "time_step = 0.00025 AND $1") f USING (system)
    JOIN $(first "time_step = 0.002 AND choice = 'default' AND contacts = 'own'") usual USING (system))"
}
both="c.stiffness AS c, f.stiffness AS f, c.time_constant / f.time_constant AS shorter"
expect 'a shorter step bears stiffer springs' all_rows results \
  "$(steps "choice = 'stiffest' AND contacts = 'springs' AND damping_ratio = 2" "$both")" 2 'f > 10 * c'
expect 'and stiffer contacts of its own' all_rows results \
  "$(steps "choice = 'stiffest' AND contacts = 'own'" "$both")" 2 'f > 10 * c AND abs(shorter - 8) < 3'
expect 'which come closer' all_rows results "$(steps "choice = 'closest'" 'usual.time_constant, usual.angle_rms AS usual,
  c.angle_rms AS c, f.angle_rms AS f, f.steps / c.steps AS longer, f.time_s > c.time_s AS slower')" 2 'time_constant = 0.02
  AND usual > 4e-3 AND usual < 2e-2 AND c < 0.5 * usual AND f < 0.5 * c AND longer = 8 AND slower'
expect 'the block by its defaults' all_rows results "(SELECT * FROM rigid_soft WHERE system = 'block' AND choice = 'default'
  AND time_step = 0.00025 ORDER BY row LIMIT 1)" 1 'abs(landing_off + 1.1e-3) < 4e-4 AND abs(stop_speed - 0.045) < 0.005'
closest="(SELECT * FROM rigid_soft WHERE engine = 'mujoco' AND contacts = 'springs' AND choice = 'closest')"
expect 'the same springs by both engines' all_rows results "$closest" "$(asked results "SELECT count(*) FROM $closest")" \
  'soft_angle_rms < 2e-3'
# as a callback: on the landing alone, with the same springs in the same steps
expect 'the landing has its springs as a callback, too' all_rows results \
  "(SELECT * FROM rigid_soft WHERE engine = 'mujoco-callback' AND choice = 'closest')" 4 \
  "system = 'trot' AND contacts = 'springs' AND time_s > 0 AND soft_angle_rms > 0"
expect 'which are as stiff as by contacts, and do the same' all_rows results "(SELECT a.run, a.stiffness AS a, b.stiffness AS b,
  a.angle_rms / b.angle_rms AS same FROM rigid_soft a JOIN rigid_soft b USING (system, choice, contacts, integrator, time_step,
  damping_ratio) WHERE a.engine = 'mujoco' AND b.engine = 'mujoco-callback' AND choice = 'stiffest')" 8 \
  'a = b AND abs(same - 1) < 1e-3'
finish
