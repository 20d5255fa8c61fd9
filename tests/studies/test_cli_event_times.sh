#!/bin/sh
# essbench event-times: errors of event times fall with the tolerance, and processes change nothing.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_event_times.sh ESSBENCH
. "$(dirname "$0")/../support/cli_room.sh"
small='event-times --contacts 2,10 --tolerances 1e-3,1e-5,1e-7 --trials 6'

# shellcheck disable=SC2086 # words
run $small --out whole
expect 'a run' success
expect 'a row for each tolerance and number of contacts' all_rows whole event_times 6 \
  'trials = 6 AND same BETWEEN 1 AND 6 AND events > 2 AND mean_s <= worst_s AND worst_s <= worst_of_all_s'
expect 'events are those of the fine run at 1e-7' all_rows whole \
  '(SELECT * FROM event_times WHERE tolerance = 1e-7)' 2 'same = 6 AND worst_s < 1e-6'
falls="SELECT count(*), sum(mean_s < 0.2 * before) FROM (SELECT run, contacts, mean_s, lag(mean_s)
  OVER (PARTITION BY contacts ORDER BY tolerance DESC) AS before FROM event_times) WHERE before > 0"
expect 'errors fall with the tolerance' [ "$(asked whole "$falls")" = '4|4' ]

# shellcheck disable=SC2086
run $small --processes 1 --out one
expect 'one process' success
expect 'gives the same' same_bytes one/event_times.csv whole/event_times.csv

run event-times --tolerances 1e-5,1e-3 --out none
expect 'tolerances that grow: one line' one_line 2 '--tolerances'
expect 'and nothing is written' [ ! -e none ]

finish
