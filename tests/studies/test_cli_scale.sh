#!/bin/bash
# A run of scale that is stopped goes on where it was, and ends with what an uninterrupted one has:
# everything that comes from no clock.
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

finish
