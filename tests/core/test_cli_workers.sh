#!/bin/bash
# Workers of a study: the same rows whether its cells run in this process, in several, or in ranks of
# MPI; and what is refused is said once.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_workers.sh ESSBENCH
. "$(dirname "$0")/../support/mpi_room.sh"
small='tolerance --contacts 2 --damping 60 --tolerances 1e-2,1e-4 --trials 6'
unloaded() { ! ldd "$essbench" | grep -q libmpi; }

# --- the same rows --------------------------------------------------------------------------------

expect 'a run without mpirun does not load MPI' unloaded
run $small --processes 1 --out one
expect 'one process' success
run $small --processes 3 --out three
expect 'three processes' success
expect 'give the same rows' like three one
ranks 4 $small --out four
expect 'four ranks' success
expect 'give the same rows' like four one
expect 'and print the results once' [ "$(grep -c '^results in' "$room/out")" -eq 1 ]
ranks 9 $small --out nine
expect 'more ranks than cells' success
expect 'give the same rows' like nine one
ranks 1 $small --processes 1 --out alone
expect 'a rank alone' success
expect 'gives the same rows' like alone one
expect 'no folder of MPI is left' [ -z "$(find . -name '*ompi*')" ]

# --- what is refused is said once -----------------------------------------------------------------

ranks 4 tolerance --trials x --out none
expect 'a usage error: one line' one_line 2 '--trials x is not accepted'
ranks 4 nothing
expect 'an unknown command: one line' one_line 2 'nothing is not a command'
ranks 4 run
expect 'a command that is no study: one line' one_line 2 'run does not run in several ranks'
ranks 3 tolerance --help
expect 'help: once' [ "$(grep -c '^Usage' "$room/out")" -eq 1 ]
expect 'nothing is written' [ ! -e none ]

# a reference that cannot be had: where no cell can be run, one line is said of one of them
ranks 4 $small --duration 1.0011 --out bad
expect 'a failing cell ends all with one line' one_line 1 '--duration 1.0011 is not accepted'
run $small --duration 1.0011 --out bad
expect 'as it does in one process' one_line 1 '--duration 1.0011 is not accepted'
"$essbench" $longer --processes 1 --out locked >"$room/out" 2>&1 </dev/null &
while [ "$(cells locked)" -lt 1 ] && kill -0 $!; do sleep 0.02; done
ranks 3 $longer --out locked
expect 'a run under way: one line' one_line 1 'is in use by another run of tolerance'
kill -INT $!
wait $!

finish
