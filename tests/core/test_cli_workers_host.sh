#!/bin/bash
# A study that times, under MPI and not: all its times are of one host, which is on record.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_workers_host.sh ESSBENCH
. "$(dirname "$0")/../support/mpi_room.sh"
timing='scale --contacts 2 --epsilons 1e-2,1e-3 --trials 2 --point-time 0'

# of the newest run, and of the results
host() { asked "$1" 'SELECT host FROM run ORDER BY id DESC LIMIT 1'; }
results_host() { sed -n 's/^  "host": "\([^"]*\)",$/\1/p' "$1/scale.json"; }
# the columns that no clock decides
clockless() { cut -d, -f 1-7 "$1/scale.csv"; }

run $timing --out here
expect 'a run' success
expect 'its host is in the database' [ "$(host here)" = "$(hostname)" ]
expect 'and in the results' [ "$(results_host here)" = "$(hostname)" ]

ranks 3 $timing --out ranks
expect 'ranks of one host' success
expect 'give the same' [ "$(clockless ranks)" = "$(clockless here)" ]
expect 'and the same host' [ "$(host ranks)" = "$(hostname)" ]

$mpi -n 2 -x ESSBENCH_HOST=alpha "$essbench" $timing --out apart : \
  -n 1 -x ESSBENCH_HOST=beta "$essbench" $timing --out apart >"$room/out" 2>"$room/all" </dev/null
status=$?
grep -E '^(warning|essbench)' "$room/all" >"$room/err"
expect 'ranks of two hosts are refused' one_line 1 'these ranks are on alpha and beta'
expect 'and nothing is written' [ ! -e apart ]

# what was begun on one host is not gone on with on another
mkdir part
cp here/essbench.sqlite part
cut_to part 1
ESSBENCH_HOST=gamma run $timing --out part
expect 'another host begins another run' success
expect 'there' [ "$(host part)" = gamma ]
expect 'and leaves what is not its own' [ "$(unended part)" -eq 1 ]
run $timing --out part
expect 'the same goes on' success
expect 'with what it had' [ "$(asked part 'SELECT count(*), min(host) FROM run WHERE ended IS NOT NULL')" = "2|$(printf '%s\ngamma\n' "$(hostname)" | sort | head -n 1)" ]

finish
