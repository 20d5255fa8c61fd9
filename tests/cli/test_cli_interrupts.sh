#!/bin/bash
# A signal to a command that measures: it ends with 128 and the signal's number, says so in one line,
# leaves no process behind and what it has measured in the database.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$(dirname "$0")/../support/cli_room.sh"

# $1 is the signal, $2 the status it ends with, $3 how many cells it has when the signal comes, the
# rest the command's words. The command alone is told, as by kill; what it has
# started is its own to end.
ends() {
  local signal=$1 wanted=$2 some=$3 children before
  shift 3
  rm -rf results
  "$essbench" "$@" --out results >"$room/out" 2>"$room/err" </dev/null &
  local pid=$!
  while [ "$(cells results)" -lt "$some" ] && kill -0 $pid 2>/dev/null; do sleep 0.05; done
  children=$(pgrep -P $pid)
  before=$(cells results)
  kill "-$signal" $pid
  wait $pid
  status=$?
  expect "$1, $signal: status $wanted and a line" ended "$wanted"
  for child in $children; do
    expect "$1, $signal: process $child has ended" gone "$child"
  done
  expect "$1, $signal: it keeps its $before cells" \
    [ "$(cells results)" -ge "$before" ]
}
ended() { [ "$status" -eq "$1" ] && said | grep -q "interrupted"; }
gone() { ! kill -0 "$1" 2>/dev/null; }

# several processes, each way they are made, and one; the settings and who races with each of eight
# numbers of contacts are known before the first race
parts='--contacts 2..9 --trials 30 --epsilon 1e-3 --min-time 0.01'
for signal in 'INT 130' 'TERM 143'; do
  # shellcheck disable=SC2086 # words
  {
    ends $signal 9 sweep $parts --processes 3
    ends $signal 3 tolerance --contacts 100 --trials 1000 --processes 2
  }
done
# shellcheck disable=SC2086
ends INT 130 9 sweep $parts --processes 1
ends TERM 143 3 scale --contacts 1000 --trials 20
ends INT 130 3 crossing-cost --contacts 2
ends TERM 143 3 work-precision --contacts 100
finish
