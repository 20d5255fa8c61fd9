#!/bin/bash
# A run of scale that is stopped goes on where it was, and ends with what an uninterrupted one has:
# everything that comes from no clock.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_scale.sh ESSBENCH
. "$(dirname "$0")/../support/check.sh"
essbench=$1

measure() { # results folder, further options
  local out=$1
  shift
  "$essbench" scale --contacts 20,40 --trials 2 --point-time 0.01 --out "$out" "$@" \
    2>>"$room/errors"
}

# what no clock decides: all but time_s
clockless() {
  awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "time_s") time = i } { $time = ""; print }' \
    "$1/scale.csv"
}

measure "$room/whole" >"$room/out"
check "an uninterrupted run ends with 0" $?

for signal in INT KILL; do
  out=$room/$signal
  measure "$out" >"$room/out" &
  pid=$!
  while [ "$(cells "$out")" -lt 39 ] && kill -0 $pid 2>/dev/null; do sleep 0.02; done
  pkill "-$signal" -P $pid 2>/dev/null
  kill "-$signal" $pid 2>/dev/null
  wait $pid 2>/dev/null
  before=$(cells "$out")
  [ "$before" -ge 39 ]
  check "$signal leaves the samples taken" $?
  [ "$before" -lt "$(cells "$room/whole")" ]
  check "$signal came before the end" $?
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
