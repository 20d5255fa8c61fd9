#!/bin/bash
# A run of work-precision that is killed goes on where it was, and ends with what an uninterrupted
# one has: everything that comes from no clock. Other settings are not mixed in; other models do not
# get in its way.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_work_precision.sh ESSBENCH
. "$(dirname "$0")/../support/check.sh"
. "$(dirname "$0")/../support/interrupt.sh"
essbench=$1

measure() { # results folder, further options
  local out=$1
  shift
  "$essbench" work-precision --contacts 6 --trials 60 --processes 3 --methods projection-1 \
    --min-time $patience --out "$out" "$@" 2>>"$room/errors"
}

# what no clock decides: model, method, value, status, error, crossings, evaluations
clockless() {
  awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i }
    { print $col["model"], $col["method"], $col["value"], $col["status"], $col["rms_error"],
      $col["rms_worst"], $col["events_ratio"], $col["evaluations"] }' "$1/work_precision.csv"
}

measure "$room/whole" >"$room/out"
check "an uninterrupted run ends with 0" $?
whole=$(cells "$room/whole")

for signal in INT KILL; do
  out=$room/$signal
  interrupt $signal "$out" 4 "$whole"

  "$essbench" work-precision --model affine3 --trials 2 --methods hybrid --out "$out" \
    >"$room/out" 2>>"$room/errors"
  check "$signal: another model is measured meanwhile" $?
  [ "$(unended "$out")" -eq "$before" ]
  check "$signal: what is kept is untouched by it" $?

  measure "$out" >"$room/out"
  check "$signal: the same command ends with 0" $?
  [ "$(asked "$out" 'SELECT count(*) FROM cell WHERE run = 1')" -eq "$whole" ]
  check "$signal: it went on in the same run" $?
  cmp -s <(clockless "$room/whole") <(clockless "$out" | grep -v affine3)
  check "$signal: the same results as without" $?
done

"$essbench" work-precision --model slip --trials 1 --methods libess,mujoco-RK4 \
  --out "$room/refused" >"$room/out" 2>&1
[ "$(grep -c ',refused,' "$room/refused/work_precision.csv")" -gt 5 ]
check "a method that refuses has a row for each value" $?
[ "$(grep -c 'no MuJoCo twin' "$room/out")" -eq 1 ]
check "and says so once" $?

finish
