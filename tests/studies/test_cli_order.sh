#!/bin/bash
# essbench order: both orders of the projection on the paper's affine system.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_order.sh ESSBENCH
. "$(dirname "$0")/../support/cli_room.sh"

run order --out results
expect 'a run' success
count() { asked results "SELECT count(*) FROM $1"; }
# whether no pair of neighbouring points of order $1, as epsilon falls, is as $2 has it
none() {
  [ "$(count "\`order\` a JOIN \`order\` b ON b.row = a.row + 1 AND b.projection_order = a.projection_order
    WHERE a.projection_order = $1 AND ($2)")" -eq 0 ]
}
points() { all_rows results "(SELECT * FROM \`order\` WHERE $1)" "$(count "\`order\` WHERE $1")" "$2"; }

# all epsilons of the paper's figure and more; order two in epsilon falls on to 1e-6 without a floor,
# order three has one below the fitted range: rounding, and the integration's tolerance
floor=0
for order in 1 2; do
  expect "order $order: epsilon falls from 1" none $order 'b.epsilon >= a.epsilon'
  expect "order $order: to 1e-6" [ "$(asked results "SELECT max(epsilon) >= 1 AND min(epsilon) <= 1.0001e-6
    FROM \`order\` WHERE projection_order = $order")" = 1 ]
  expect "order $order: and the error with it" none $order \
    "a.epsilon <= 0.05 AND b.epsilon >= $floor AND b.rms_error >= a.rms_error"
  floor=1e-4
done
expect 'the same epsilons, at each of which order 2 errs less' [ "$(count "\`order\` a JOIN \`order\` b
  USING (epsilon) WHERE a.projection_order = 1 AND b.projection_order = 2 AND b.rms_error < a.rms_error")" -eq \
  "$(count '`order` WHERE projection_order = 1')" ]
expect 'order 1 ends at 1e-9' points 'projection_order = 1 AND epsilon <= 1.0001e-5' 'rms_error > 0 AND rms_error <= 1e-9'
expect 'order 2 at 1e-13' points 'projection_order = 2 AND epsilon <= 1.0001e-5' 'rms_error <= 1e-13'
expect 'of which what is fitted keeps clear' points 'projection_order = 2 AND epsilon >= 0.9999e-4' \
  'rms_error >= 10 * (SELECT rms_error FROM `order` WHERE projection_order = 2 ORDER BY epsilon LIMIT 1)'

# least squares on logarithms, written again here; the paper's slope stands beside this order's
expect 'slopes are those of the points' all_rows results "(SELECT f.*, count(*) AS n, (count(*) * sum(u * v) - sum(u) * sum(v))
  / (count(*) * sum(u * u) - sum(u) * sum(u)) AS found FROM order_fit f JOIN (SELECT *, ln(epsilon) AS u,
  ln(rms_error) AS v FROM \`order\`) p ON p.projection_order = f.projection_order
  AND p.epsilon BETWEEN 0.9999 * f.fit_min AND 1.0001 * f.fit_max GROUP BY f.row)" 2 "n >= 10 AND monotone
  AND abs(slope - found) < 1e-6 AND slope_lo <= found AND found <= slope_hi
  AND abs(found - (projection_order + 1)) <= iif(projection_order = 1, 0.03, 0.1) AND abs(fit_max - 1e-2) < 1e-11
  AND abs(fit_min / iif(projection_order = 1, 1e-5, 1e-4) - 1) < 1e-9
  AND paper_slope IS iif(projection_order = 1, 2.1, NULL)"
# the second in closed form: ln 1.3
expect 'the exact crossings' all_rows results order_crossing_times 3 \
  'abs(value - CASE row WHEN 0 THEN 0.20958808 WHEN 1 THEN ln(1.3) ELSE 0.36920715 END) <= 1e-8'

run order --out again
expect 'a second run' success
for table in order.csv order_fit.csv projection_path.csv; do
  expect "has the same $table" same_bytes results/$table again/$table
  expect 'which is not empty' [ "$(wc -c <again/$table)" -gt 100 ]
done
# all but the environment
timeless() { sqlite3 :memory: "SELECT json_remove(readfile('$1/order.json'), '$.environment')"; }
expect 'and the same json' [ "$(timeless results)" = "$(timeless again)" ]
finish
