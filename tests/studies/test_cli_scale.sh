#!/bin/bash
# essbench scale: the orders of both projections, and epsilons about the distance between crossings. A
# run that is stopped goes on where it was, and ends with what an uninterrupted one has: everything
# that comes from no clock.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_scale.sh ESSBENCH
. "$(dirname "$0")/../support/check.sh"
. "$(dirname "$0")/../support/interrupt.sh"
essbench=$1

measure() { # results folder, further options
  local out=$1
  shift
  "$essbench" scale --contacts 20,40 --trials 2 --point-time 0.01 --out "$out" "$@" \
    2>>"$room/errors"
}

clockless() { without "$1/scale.csv" time_s; }

measure "$room/whole" >"$room/out"
check "an uninterrupted run ends with 0" $?

for signal in INT KILL; do
  out=$room/$signal
  interrupt $signal "$out" 39 "$(cells "$room/whole")"
  [ ! -e "$out/scale.csv" ]
  check "$signal leaves no results" $?

  measure "$out" >"$room/out"
  check "$signal: the same command ends with 0" $?
  cmp -s <(clockless "$room/whole") <(clockless "$out")
  check "$signal: the same results as without" $?
  [ "$(cells "$out")" -eq "$(cells "$room/whole")" ]
  check "$signal: nothing was measured twice" $?
done

# the orders of both projections, and exact crossings
"$essbench" scale --contacts 10,20 --trials 2 --point-time 0 --out "$room/orders" \
  --epsilons 2e-1,3e-4,1e-4,3e-5,1e-5,1e-6 >"$room/out" 2>>"$room/errors"
expect 'a slope and a plateau for each order' all_rows "$room/orders" scale_series 4 "projection_order = 1 + row % 2
  AND abs(slope - (projection_order + 1)) < iif(projection_order = 1, 0.03, 0.1) AND exact_epsilon >= 3e-4
  AND plateau_rms_error > iif(projection_order = 1, 1e-2, 1e-6)"
expect 'a row for each epsilon' all_rows "$room/orders" scale 24 "contacts = iif(row < 12, 10, 20)
  AND projection_order = 1 + row / 6 % 2 AND time_s > 0 AND (epsilon = 0.2 OR exact_counts = 2)"
expect 'and in the table' [ "$(wc -l <"$room/orders/scale.csv")" -eq 25 ]

# without --epsilons they reach from above the distance between crossings to far below it
"$essbench" scale --contacts 5 --trials 1 --point-time 0 --out "$room/about" >"$room/out" 2>>"$room/errors"
expect 'epsilons are about the distance' [ "$(asked "$room/about" 'SELECT count(*) / 2, max(epsilon / crossing_distance)
  BETWEEN 46 AND 100, min(epsilon / crossing_distance) BETWEEN 1e-3 AND 2.2e-3 FROM scale')" = '15|1|1' ]

finish
