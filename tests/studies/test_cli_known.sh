#!/bin/bash
# The studies of a mass on a belt, of landings on two feet, of Table 4.1's derivatives and of
# pseudo-impulses, as a user runs them with few settings: beside what is known on paper.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_known.sh ESSBENCH
. "$(dirname "$0")/../support/cli_room.sh"

# whether row $2 of table $1, in the order of the rows, keeps to $3
row() { all_rows results "(SELECT * FROM $1 ORDER BY rowid LIMIT 1 OFFSET $2)" 1 "$3"; }

# --- sliding: the cheapest of its own rows within an error ------------------------------------------

run sliding --trials 2 --widths 1e-2,1e-3,1e-5 --tolerances 1e-3,1e-5,1e-7
expect 'sliding' success
expect 'all runs' all_rows results sliding_runs 12 'calls > 0'
least() { echo "(SELECT min(calls) FROM sliding_runs r WHERE r.solver = '$1' AND r.error <= target)"; }
expect 'the cheapest within an error count' all_rows results sliding 5 \
  "libess_calls IS $(least libess) AND tanh_calls IS $(least tanh-cvode)"
# three widths reach three errors: a tanh errs by about its width
expect 'tanh reaches the first error' row sliding 0 'target = 1e-2 AND tanh_calls > 0'
expect 'and not the last' row sliding 4 'target = 1e-6 AND tanh_calls IS NULL'
# it slips at t = 2, at x = 1, and sticks again at 7.266719402578, x = 0.264941105407
slide() { expect "slide $1" row sliding_slides "$1" "abs(t - $2) < 1e-7 AND abs(x - $3) < 1e-7 AND begins = $4"; }
slide 0 0 0 1
slide 1 2 1 0
slide 2 7.266719402578 0.264941105407 1

# --- limbs: inertia 4, 2, 1, 0.5; then soft limbs, decoupled and coupled -----------------------------

run limbs --rotations 5
expect 'limbs' success
body() { # row, limbs, flow, orthogonality, turn
  expect "body $1" row limbs_bodies "$1" "limbs = '$2' AND flow = '$3' AND block_diagonal = (limbs = 'soft')
    AND abs(orthogonality - $4) < 1e-12 AND abs(turn_right + $5) < 2e-6 AND abs(turn_left - $5) < 2e-6"
}
body 0 rigid discontinuous 0.6 0.394543
body 1 rigid discontinuous '1.0 / 3' 0.365317
body 2 rigid C1 0 0
body 3 rigid C1 '-1.0 / 3' 0
body 4 soft C1 0 0
body 5 soft piecewise 0 0
expect 'decoupled limbs add up' row limbs_bodies 4 'additivity <= 1e-4 AND "foreign" <= 1e-4'
expect 'coupled ones do not' row limbs_bodies 5 'additivity > 1e-4 AND "foreign" > 1e-4
  AND abs(vz_right - 2.6936) < 1e-4 AND abs(vz_left + 2.6936) < 1e-4'
# 6 bodies from 11 rotations; the fifth body's sixth is none
expect 'a row for each rotation' all_rows results limbs 66 1
expect 'without a tilt' row limbs $((4 * 11 + 5)) 'tilt = 0 AND abs(d_theta - 0.09277210) < 1e-7 AND abs(d_omega + 15.509511) < 1e-5'
expect 'a rigid one jumps there' row limbs 5 'omega IS NULL'
expect 'between starts the derivative is that of the outcome, as far as trapezia say' \
  [ "$(asked results 'SELECT count(*) FROM limbs a JOIN limbs b ON b.rowid = a.rowid + 1 WHERE a.rowid BETWEEN 45 AND 54
    AND abs((b.theta - a.theta) / (b.tilt - a.tilt) - (a.d_theta + b.d_theta) / 2) < 2e-3')" -eq 10 ]

# --- derivatives: errors fall by the order of the projection; at the corner, too, by one tolerance ---

run derivative-error
expect 'derivative-error' success
fits() { all_rows results "(SELECT * FROM derivative_error_fit WHERE $1)" "$2" "$3"; }
expect 'one order more than that of the projection' fits "crossings = 'isolated' AND \"order\" > 0" 4 \
  'abs(slope - ("order" + 1)) < 0.15'
expect 'known along either side of the corner' fits "\"order\" = 0 AND \"of\" = 'tangents'" 3 \
  'smallest < 1e-8 AND largest < 0.1 AND slope > 0.5'

# --- contact-modes: a point on a hill, a rocking block, the paper's examples, what delta_t cuts off ----

run contact-modes --slope-step 15 --speed-step 0.03 --truncations 0.03,0.01,0.001
expect 'contact-modes' success
limit='9.81 * 0.03 * tan(radians(slope))'
expect 'a hill holds a point at the threshold' all_rows results contact_modes 4 \
  "slope = 15 * (row + 1) AND abs(known - $limit) < 1e-12 AND abs(found - known) < 1e-8 * known"
expect 'which is known at 30 degrees' row contact_modes 1 'abs(found - 0.169914) < 1e-6'
expect 'and below it' all_rows results contact_modes_hill 80 "rests = (speed < $limit)"
# the speeds are those of the corner: twice the centre's
impacts="(SELECT *, row_number() OVER (PARTITION BY delta_t ORDER BY t) AS number FROM contact_modes_block WHERE impact)"
expect 'a block lands when it must' [ "$(asked results "WITH lands (number, t, speed) AS (VALUES (1, 0.102296, 0.216184),
  (2, 0.218653, 0.151328), (3, 0.294712, 0.105930), (4, 0.346423, 0.074152)) SELECT count(*) FROM $impacts i
  JOIN lands USING (number) WHERE abs(i.t - lands.t) < 1e-6 AND abs(i.speed - lands.speed) < 1e-6")" -eq 7 ]
expect 'its centre falls at half that speed' [ "$(asked results "SELECT max(-velocity) > 0.105 AND max(-velocity) < 0.108093
  FROM contact_modes_block WHERE delta_t = 0 AND NOT impact")" -eq 1 ]
expect 'by a pseudo-impulse three times, and without ever more' [ "$(asked results "SELECT sum(delta_t > 0), sum(delta_t = 0) > 40,
  abs(max(iif(delta_t = 0, t, 0)) - 0.464672) < 1e-6 FROM $impacts")" = '3|1|1' ]
expect 'every number is known in all of its digits' all_rows results contact_modes_known 32 agrees
expect 'and every sequence of modes' all_rows results "(SELECT * FROM contact_modes_words WHERE known <> 'in kind')" 13 'found = known'
cut() { expect "delta_t of $1" row contact_modes_truncation "$1" "abs(earlier - $2) < 1e-6 AND angle < $3"; }
before() { echo "(SELECT angle FROM contact_modes_truncation WHERE delta_t = $1)"; }
cut 0 0.169960 1
cut 1 0.057692 "$(before 0.03)"
cut 2 0.004745 "$(before 0.01)"
# Figure 4: how often a foot's force goes to zero at an instant
let_go() {
  asked results "SELECT sum($1 = 0 AND before > 1 AND t = time) FROM (SELECT *, lag($1) OVER w AS before, lag(t) OVER w AS time
    FROM contact_modes_leap WHERE delta_t = $2 WINDOW w AS (ORDER BY rowid))"
}
expect 'the front foot chatters without pseudo-impulses' [ "$(let_go front 0)" -ge 1 ]
expect 'and the rear one' [ "$(let_go rear 0)" -gt 5 ]
expect 'and not with them' [ "$(let_go front 0.03) $(let_go rear 0.03)" = '0 0' ]
finish
