#!/bin/bash
# A signal to a command that measures: it ends with 128 and the signal's number, says so in one line,
# leaves no process behind and what it has measured in its journal.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$(dirname "$0")/../support/cli_room.sh"

# lines of a file that may not be there yet
lines() { cat "$1" 2>/dev/null | wc -l; }

# $1 is the signal, $2 the status it ends with, $3 the journal, the rest the command's words. The
# command alone is told, as by kill; what it has started is its own to end.
ends() {
  local signal=$1 wanted=$2 journal=$3 children before
  shift 3
  rm -rf results
  "$essbench" "$@" --out results >"$room/out" 2>"$room/err" </dev/null &
  local pid=$!
  while [ "$(lines "results/$journal")" -lt 4 ] && kill -0 $pid 2>/dev/null; do sleep 0.05; done
  children=$(pgrep -P $pid)
  before=$(lines "results/$journal")
  kill "-$signal" $pid
  wait $pid
  status=$?
  expect "$1, $signal: status $wanted and a line" ended "$wanted"
  for child in $children; do
    expect "$1, $signal: process $child has ended" gone "$child"
  done
  expect "$1, $signal: the journal keeps its $before lines" \
    [ "$(lines "results/$journal")" -ge "$before" ]
  expect "$1, $signal: and they are samples" grep -qE '"type":"(sample|choice|probe)"' "results/$journal"
}
ended() { [ "$status" -eq "$1" ] && said | grep -q "interrupted"; }
gone() { ! kill -0 "$1" 2>/dev/null; }

# several processes, each way they are made, and one
parts='--contacts 2,3 --trials 100 --epsilon 1e-3 --min-time 0.02'
for signal in 'INT 130' 'TERM 143'; do
  # shellcheck disable=SC2086 # words
  {
    ends $signal sweep.journal sweep $parts --processes 3
    ends $signal tolerance.journal tolerance --contacts 100 --trials 1000 --processes 2
  }
done
# shellcheck disable=SC2086
ends INT 130 sweep.journal sweep $parts --processes 1
ends TERM 143 scale.journal scale --contacts 1000 --trials 20
ends INT 130 crossing_cost.journal crossing-cost --contacts 2
ends TERM 143 work_precision_plate_100.journal work-precision --contacts 100
finish
