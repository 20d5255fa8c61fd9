#!/bin/bash
# A rank of MPI that is killed: the run ends, and the same command goes on with the loss of the cells
# under way.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_workers_killed.sh ESSBENCH
. "$(dirname "$0")/../support/mpi_room.sh"

run $longer --processes 2 --out whole
expect 'a longer run' success

goes_on() {
  known=$(cells "$1")
  expect "$1: what was measured is known" [ "$known" -ge 4 ]
  expect "$1: what was not is not" [ "$known" -lt "$(cells whole)" ]
  expect "$1: there are no results yet" [ ! -e "$1/tolerance.csv" ]
  ranks 4 $longer --out "$1"
  expect "$1: the same command goes on" success
  expect "$1: and ends with the same" like "$1" whole
  expect "$1: and has measured nothing twice" \
    [ "$(cells "$1")" -eq "$(cells whole)" ]
}
start killed
kill -KILL "$(echo "$workers" | tail -n 1)"
wait $mpirun
status=$?
expect 'a rank that is killed ends the run' [ $status -ne 0 ]
expect 'and all ranks' gone
goes_on killed

finish
