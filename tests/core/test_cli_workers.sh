#!/bin/bash
# A study's cells in several processes: the same rows as in one; and what signals and kills leave.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_workers.sh ESSBENCH
. "$(dirname "$0")/../support/share_room.sh"

run $small --processes 1 --out one
expect 'one process' success
run $small --processes 3 --out three
expect 'three processes' success
expect 'give the same rows' like three one
run $small --processes 9 --out nine
expect 'more processes than cells' success
expect 'give the same rows' like nine one

# a reference that cannot be had: one line, although no process can run a cell
run $small --processes 3 --duration 1.0011 --out bad
expect 'a failing cell ends all with one line' one_line 1 '--duration 1.0011 is not accepted'
expect 'and writes no results' [ ! -e bad/tolerance.csv ]

run $longer --processes 2 --out whole
expect 'a longer run' success

# starts processes and waits until some cells are known: $leader
start() {
  "$essbench" $longer --processes 3 --out "$1" >"$room/out" 2>"$room/err" </dev/null &
  leader=$!
  while [ "$(cells "$1")" -lt 4 ] && kill -0 $leader 2>/dev/null; do sleep 0.01; done
  workers=$(pgrep -P $leader)
}
gone() {
  for pid in $workers; do
    for _ in $(seq 6000); do
      kill -0 "$pid" 2>/dev/null || continue 2
      sleep 0.01
    done
    return 1
  done
}
goes_on() {
  expect "$1: what was measured is known" [ "$(cells "$1")" -ge 4 ]
  expect "$1: there are no results yet" [ ! -e "$1/tolerance.csv" ]
  run $longer --processes 2 --out "$1"
  expect "$1: the same command goes on" success
  expect "$1: and ends with the same" like "$1" whole
  expect "$1: and has measured nothing twice" [ "$(cells "$1")" -eq "$(cells whole)" ]
}

for signal in INT:130 TERM:143; do
  start "told_${signal#*:}"
  kill "-${signal%:*}" $leader
  wait $leader
  status=$?
  expect "the leader is told to end: status ${signal#*:}" [ $status -eq "${signal#*:}" ]
  expect 'and says so' grep -q 'essbench tolerance: interrupted' "$room/err"
  expect 'and all processes end' gone
  goes_on "told_${signal#*:}"
done

start killed
kill -KILL "$(echo "$workers" | tail -n 1)"
wait $leader
status=$?
expect 'a process that is killed ends the run' one_line 1 'a process of the measurement ended early'
expect 'and all processes' gone
goes_on killed

start orphaned
kill -KILL $leader
wait $leader 2>/dev/null
status=
expect 'no process outlives the leader' gone
goes_on orphaned

finish
