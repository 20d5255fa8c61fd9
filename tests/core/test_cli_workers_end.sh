#!/bin/bash
# Ranks of MPI that are killed or interrupted: the run ends, and the same command goes on with the loss
# of the cells under way.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_workers_end.sh ESSBENCH
. "$(dirname "$0")/../support/mpi_room.sh"
longer='tolerance --contacts 60 --damping 60 --tolerances 1e-2,1e-3 --trials 80'

run $longer --processes 2 --out whole
expect 'a longer run' success

# starts ranks and waits until some cells are known: $mpirun, and $workers with rank 0 first
start() {
  $mpi -n 4 "$essbench" $longer --out "$1" >"$room/out" 2>"$room/err" </dev/null &
  mpirun=$!
  waited=0
  while [ "$(lines "$1/tolerance.journal")" -lt 5 ] && [ $waited -lt 1500 ]; do
    sleep 0.01
    waited=$((waited + 1))
  done
  workers=$(for pid in $(pgrep -P $mpirun); do
    rank=$(tr '\0' '\n' 2>/dev/null <"/proc/$pid/environ" | sed -n 's/^OMPI_COMM_WORLD_RANK=//p')
    [ -n "$rank" ] && echo "$rank $pid"
  done | sort -n | sed 's/.* //')
}
goes_on() {
  known=$(lines "$1/tolerance.journal")
  expect "$1: what was measured is known" [ "$known" -ge 5 ]
  expect "$1: what was not is not" [ "$known" -lt "$(lines whole/tolerance.journal)" ]
  expect "$1: there are no results yet" [ ! -e "$1/tolerance.csv" ]
  ranks 4 $longer --out "$1"
  expect "$1: the same command goes on" success
  expect "$1: and ends with the same" like "$1" whole
  expect "$1: and has measured nothing twice" \
    [ "$(lines "$1/tolerance.journal")" -eq "$(lines whole/tolerance.journal)" ]
}
gone() {
  for pid in $workers; do
    waited=0
    while kill -0 "$pid" 2>/dev/null && [ $waited -lt 500 ]; do
      sleep 0.01
      waited=$((waited + 1))
    done
    ! kill -0 "$pid" 2>/dev/null || return 1
  done
}

start killed
kill -KILL "$(echo "$workers" | tail -n 1)"
wait $mpirun
status=$?
expect 'a rank that is killed ends the run' [ $status -ne 0 ]
expect 'and all ranks' gone
goes_on killed

for signal in INT:130 TERM:143; do
  start "told_${signal#*:}"
  kill "-${signal%:*}" "$(echo "$workers" | head -n 1)"
  wait $mpirun
  status=$?
  expect "rank 0 is told to end: status ${signal#*:}" [ $status -eq "${signal#*:}" ]
  expect 'and says so' grep -q 'essbench tolerance: interrupted' "$room/err"
  expect 'and all ranks end' gone
  expect 'what was measured is known' [ "$(lines "told_${signal#*:}/tolerance.journal")" -ge 5 ]
done

start mpirun
kill -INT $mpirun
wait $mpirun
status=$?
expect 'mpirun is told to end' [ $status -ne 0 ]
expect 'and all ranks end' gone
expect 'what was measured is known' [ "$(lines mpirun/tolerance.journal)" -ge 5 ]

finish
