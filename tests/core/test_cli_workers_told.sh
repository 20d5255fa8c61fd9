#!/bin/bash
# Ranks of MPI that are told to end: by a signal to rank 0, which makes the status of all, and by one to
# mpirun.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_workers_told.sh ESSBENCH
. "$(dirname "$0")/../support/mpi_room.sh"

for signal in INT:130 TERM:143; do
  start "told_${signal#*:}"
  kill "-${signal%:*}" "$(echo "$workers" | head -n 1)"
  wait $mpirun
  status=$?
  expect "rank 0 is told to end: status ${signal#*:}" [ $status -eq "${signal#*:}" ]
  expect 'and says so' grep -q 'essbench tolerance: interrupted' "$room/err"
  expect 'and all ranks end' gone
  expect 'what was measured is known' [ "$(cells "told_${signal#*:}")" -ge 4 ]
done

start mpirun
kill -INT $mpirun
wait $mpirun
status=$?
expect 'mpirun is told to end' [ $status -ne 0 ]
expect 'and all ranks end' gone
expect 'what was measured is known' [ "$(cells mpirun)" -ge 4 ]

finish
