#!/bin/bash
# A sweep that is killed goes on where it was, and ends with what an uninterrupted one has: everything
# that comes from no clock. Other settings are not mixed in.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_resume.sh ESSBENCH
. "$(dirname "$0")/../support/check.sh"
essbench=$1

patience=0
sweep() { # results folder, further options
  local out=$1
  shift
  "$essbench" sweep --contacts 2..6 --trials 24 --epsilon 0.003 --min-time $patience \
    --processes 3 --out "$out" "$@" 2>>"$room/errors"
}

# what no clock decides: contacts, solver, protocol, trial, process, errors, crossings
clockless() { cut -d, -f1-5,9-12 "$1/sweep_samples.csv"; }

# a column of the table, of the projection with so many contacts
column() { # results folder, name, contacts
  awk -F, -v name="$2" -v contacts="$3" '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
    $1 == contacts && $2 == "projection" { print $at }' "$1/sweep.csv"
}

lines() { if [ -e "$1" ]; then wc -l <"$1"; else echo 0; fi; }

# Starts a sweep, and sends it a signal once some samples are journalled. One that is faster than
# this shell notices is begun anew with longer samples.
interrupt() { # signal, folder, samples
  patience=0.0005
  while :; do
    sweep "$2" >"$room/out" &
    local pid=$!
    while [ "$(lines "$2/sweep.journal")" -lt "$3" ] && kill -0 $pid 2>/dev/null; do sleep 0.05; done
    pkill "-$1" -P $pid 2>/dev/null
    kill "-$1" $pid 2>/dev/null
    wait $pid 2>/dev/null
    [ "$(lines "$2/sweep.journal")" -lt "$whole" ] || [ $patience = 0.128 ] && break
    patience=$(echo "$patience" | awk '{ print 2 * $1 }')
    rm -rf "$2"
  done
}

sweep "$room/whole" >"$room/out"
check "an uninterrupted sweep ends with 0" $?
whole=$(lines "$room/whole/sweep.journal")

for signal in INT KILL; do
  out=$room/$signal
  interrupt $signal "$out" 12
  before=$(lines "$out/sweep.journal")
  [ "$before" -ge 12 ]
  check "$signal leaves the samples taken" $?
  [ "$before" -lt "$whole" ]
  check "$signal came before the end" $?

  "$essbench" sweep --contacts 2..6 --trials 25 --epsilon 0.003 --min-time $patience \
    --processes 3 --out "$out" >"$room/out" 2>"$room/refusal"
  [ $? -eq 1 ]
  check "$signal: other settings are refused with 1" $?
  grep -q "differs in trials" "$room/refusal"
  check "$signal: the refusal names the setting" $?
  [ "$(lines "$out/sweep.journal")" -eq "$before" ]
  check "$signal: the refusal leaves the journal alone" $?

  sweep "$out" --projection-order 2 >"$room/out"
  [ $? -eq 1 ] && tail -1 "$room/errors" | grep -q "differs in settings"
  check "$signal: another order is refused" $?
  cp -r "$out" "$room/$signal-chosen"

  sweep "$out" >"$room/out"
  check "$signal: the same command goes on and ends with 0" $?
  cmp -s <(clockless "$out") <(clockless "$room/whole")
  check "$signal: the results are those of an uninterrupted sweep" $?
done

# settings that a search chose for a row are those it goes on with: here of the first row's journal
for signal in INT KILL; do
  out=$room/$signal-chosen
  sed -i '/"cell":"[a-z ]*contacts=2[" ]/s/"projection_order":1,/"projection_order":2,/g' \
    "$out/sweep.journal"
  grep -q '"projection_order":2,' "$out/sweep.journal"
  check "$signal: the first row is in the journal" $?
  sweep "$out" >"$room/out"
  check "$signal: goes on with other settings in a row" $?
  [ "$(column "$out" projection_order 2)" = 2 ]
  check "$signal: that row keeps its order" $?
  [ "$(column "$out" projection_order 6)" = 1 ]
  check "$signal: others have theirs" $?
done

# a finished sweep is begun anew by the same command
sweep "$room/whole" >"$room/out"
check "a finished sweep can be run again" $?
[ "$(grep -c '"settings"' "$room/whole/sweep.journal" | head -1)" -ge 1 ]
check "its journal begins anew" $?

# and stands in no other's way
"$essbench" sweep --contacts 3 --trials 2 --epsilon 0.003 --out "$room/whole" >"$room/out" 2>>"$room/errors"
check "a finished sweep gives way to one with other settings" $?

[ $failures -eq 0 ] || cat "$room/errors" "$room/refusal"
finish
