#!/bin/bash
# A sweep that is killed goes on where it was, and ends with what an uninterrupted one has: everything
# that comes from no clock. Other settings are not mixed in.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_resume.sh ESSBENCH
. "$(dirname "$0")/../support/check.sh"
. "$(dirname "$0")/../support/interrupt.sh"
essbench=$1

measure() { # results folder, further options
  local out=$1
  shift
  "$essbench" sweep --contacts 2..6 --trials 24 --epsilon 0.003 --min-time $patience \
    --processes 3 --out "$out" "$@" 2>>"$room/errors"
}

# what no clock decides
clockless() {
  for name in contacts solver protocol trial process rms_error events events_reference; do
    column "$1/sweep_samples.csv" $name | grep . || echo "no column $name in $1"
  done
}

# the order of the projection with so many contacts
order() { column <(grep -e ^contacts -e ,projection, "$1/sweep.csv") projection_order "$2"; }

measure "$room/whole" >"$room/out"
check "an uninterrupted sweep ends with 0" $?
whole=$(cells "$room/whole")

for signal in INT KILL; do
  out=$room/$signal
  interrupt $signal "$out" 12 "$whole"

  # other settings are another run, and so is another order
  for other in '--trials 1' '--trials 1 --projection-order 2'; do
    # shellcheck disable=SC2086 # words
    measure "$out" $other --contacts 2 --processes 1 >"$room/out"
    check "$signal: other settings are another run" $?
    [ "$(unended "$out")" -eq "$before" ]
    check "$signal: it leaves the samples alone" $?
  done
  [ "$(ended_runs "$out")" -eq 2 ]
  check "$signal: both are kept" $?
  cp -r "$out" "$room/$signal-chosen"

  measure "$out" >"$room/out"
  check "$signal: the same command goes on and ends with 0" $?
  [ "$(asked "$out" "SELECT count(*) FROM cell GROUP BY run" | head -n 1)" -eq "$whole" ]
  check "$signal: in the same run, which has each cell once" $?
  cmp -s <(clockless "$out") <(clockless "$room/whole")
  check "$signal: the results are those of an uninterrupted sweep" $?
done

# settings that a search chose for a row are those it goes on with: here the first row's
for signal in INT KILL; do
  out=$room/$signal-chosen
  changed=$(asked "$out" "UPDATE lap
    SET settings = replace(settings, '\"projection_order\":1,', '\"projection_order\":2,')
    WHERE within IN (SELECT cell.id FROM cell JOIN run ON run.id = run WHERE ended IS NULL
      AND (name LIKE '%contacts=2' OR name LIKE '%contacts=2 %')) AND settings LIKE '%\"projection_order\":1,%';
    SELECT changes()")
  [ "$changed" -gt 0 ]
  check "$signal: the first row is in the database" $?
  measure "$out" >"$room/out"
  check "$signal: goes on with other settings in a row" $?
  [ "$(order "$out" 2)" = 2 ]
  check "$signal: that row keeps its order" $?
  [ "$(order "$out" 6)" = 1 ]
  check "$signal: others have theirs" $?
done

# a finished sweep is begun anew by the same command
measure "$room/whole" >"$room/out"
check "a finished sweep can be run again" $?
[ "$(ended_runs "$room/whole")" -eq 2 ]
check "as another run" $?

# and stands in no other's way
"$essbench" sweep --contacts 3 --trials 2 --epsilon 0.003 --out "$room/whole" >"$room/out" 2>>"$room/errors"
check "a finished sweep gives way to one with other settings" $?

# a study whose samples stand in a file themselves
calibrate() { "$essbench" calibrate --trials 1 --out "$room/calibration" >"$room/out" 2>>"$room/errors"; }
calibrate
cp "$room/calibration/calibration.csv" "$room/calibration.csv"
asked "$room/calibration" 'UPDATE run SET ended = NULL'
calibrate
check "a calibration goes on, too" $?
cmp -s "$room/calibration/calibration.csv" "$room/calibration.csv"
check "with what it had measured" $?

[ $failures -eq 0 ] || cat "$room/errors"
finish
