#!/bin/bash
# A run of scale that is stopped goes on where it was, and ends with what an uninterrupted one has:
# everything that comes from no clock. Other settings are not mixed in.
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

lines() { if [ -e "$1" ]; then wc -l <"$1"; else echo 0; fi; }

measure "$room/whole" >"$room/out"
check "an uninterrupted run ends with 0" $?

for signal in INT KILL; do
  out=$room/$signal
  journal=$out/scale.journal
  measure "$out" >"$room/out" &
  pid=$!
  while [ "$(lines "$journal")" -lt 40 ] && kill -0 $pid 2>/dev/null; do sleep 0.02; done
  pkill "-$signal" -P $pid 2>/dev/null
  kill "-$signal" $pid 2>/dev/null
  wait $pid 2>/dev/null
  before=$(lines "$journal")
  [ "$before" -ge 40 ]
  check "$signal leaves the samples taken" $?
  [ "$before" -lt "$(lines "$room/whole/scale.journal")" ]
  check "$signal came before the end" $?
  [ ! -e "$out/scale.csv" ]
  check "$signal leaves no results" $?

  measure "$out" --seed 2 >"$room/out" 2>"$room/refusal"
  [ $? -eq 1 ]
  check "$signal: other settings are refused with 1" $?
  [ "$(lines "$journal")" -eq "$before" ]
  check "$signal: the journal is untouched by them" $?

  measure "$out" >"$room/out"
  check "$signal: the same command ends with 0" $?
  cmp -s <(clockless "$room/whole") <(clockless "$out")
  check "$signal: the same results as without" $?
  [ "$(lines "$journal")" -eq "$(lines "$room/whole/scale.journal")" ]
  check "$signal: nothing was measured twice" $?
done
grep -q "differs in seed; finish that one, or begin anew with --restart" "$room/errors"
check "the refusal names the setting" $?

finish
