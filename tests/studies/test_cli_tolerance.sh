#!/bin/sh
# essbench tolerance: errors fall with the tolerance, processes change nothing but times, and a run
# that was stopped goes on where it was.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_tolerance.sh ESSBENCH
. "$(dirname "$0")/../support/cli_room.sh"

measure() { # results folder, further options
  out=$1
  shift
  run tolerance --contacts 2 --damping 60 --tolerances 1e-2,1e-4,1e-6 --trials 4 --out "$out" "$@"
}

# values of column $2 in folder $1
values() { column "$1/tolerance.csv" "$2"; }

# all that no clock decides
clockless() { without "$1/tolerance.csv" time_s; }
like_whole() { [ "$(clockless "$1")" = "$(clockless whole)" ]; }
all_are() { [ "$(values whole "$1" | sort -u)" = "$2" ]; }

measure whole
expect 'a run' success
expect 'a row for each tolerance' [ "$(values whole tolerance | wc -l)" -eq 3 ]
expect 'no run fails' all_are failed 0
expect 'the reference has as many crossings at 1e-6' [ "$(values whole events_ratio | tail -n 1)" = 1 ]
falls() { values whole "$1" | awk 'NR > 1 && $1 >= 0.2 * last { bad = 1 } { last = $1 } END { exit bad }'; }
for error in rms_median rms_worst location_rms_median; do
  expect "$error falls with the tolerance" falls "$error"
done
expect 'every start has been timed' [ "$(values whole time_s | awk '$1 > 0' | wc -l)" -eq 3 ]

measure one --processes 1
expect 'one process' success
expect 'gives the same' like_whole one

# two of four starts
mkdir part
cp whole/essbench.sqlite part
cut_to part 2
measure part --seed 2
expect 'another seed is another run' success
expect 'which leaves the first alone' [ "$(unended part)" -eq 2 ]
measure part
expect 'a run that goes on' success
expect 'ends with the same' like_whole part
expect 'and measures nothing twice' [ "$(asked part 'SELECT count(*) FROM cell WHERE run = 1')" -eq "$(cells whole)" ]
measure part --restart
expect 'a run begun anew' success
expect 'is another' [ "$(ended_runs part)" -eq 3 ]

# its processes keep to no core, which is a warning on any machine
run tolerance --strict --out strict/deeper
expect '--strict refuses' [ "$status" -eq 1 ]
expect 'says so' grep -q 'essbench tolerance: --strict, and .* nothing is measured' "$room/err"
expect 'and leaves no folder' [ ! -e strict ]

# a process that is killed ends the run with the loss of what was under way
longer() {
  run tolerance --contacts 60 --damping 60 --tolerances 1e-2,1e-4 --trials 24 --out "$@"
}
longer all
longer killed &
while [ "$(cells killed)" -lt 4 ] && kill -0 $!; do sleep 0.02; done
for child in $(pgrep -P "$(pgrep -P $! | head -n 1)"); do kill -KILL "$child"; done
wait $!
known=$(cells killed)
expect 'what was measured is known' [ "$known" -ge 4 ]
expect 'what was not is not' [ "$known" -lt "$(cells all)" ]
expect 'there are no results yet' [ ! -e killed/tolerance.csv ]
longer killed
expect 'the same command goes on' success
values all rms_median >all_values
values killed rms_median >killed_values
expect 'and ends with the same' same_bytes all_values killed_values
expect 'and has measured nothing twice' [ "$(cells killed)" -eq "$(cells all)" ]

finish
