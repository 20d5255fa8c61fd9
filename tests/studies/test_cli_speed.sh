#!/bin/sh
# essbench speed: what it refuses, and that an interrupt leaves what was measured.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$(dirname "$0")/../support/cli_room.sh"

before=$(fingerprint)
refuses() {
  wanted=$1
  words=$2
  shift 2
  run speed "$@"
  expect_refusal "$wanted" "$words" "$*"
}
refuses 2 '--trials 1 is not accepted' --trials 1
refuses 2 'unknown option --model' --model plate
refuses 2 '--contacts' --contacts 2,x
refuses 2 '--before wants a value' --before
refuses 2 'x is not accepted' x
refuses 1 'holds neither speed.json nor sweep.json' --before nowhere
refuses 1 'speed.json' --table --out nowhere

# the hopper and two contacts are measured soon, five hundred take long
held=false
for seconds in 5 20 80 160; do
  timeout --preserve-status -s INT "$seconds" "$essbench" speed --contacts 2,500 --trials 2 --out results \
    >"$room/out" 2>"$room/err" </dev/null
  status=$?
  if grep -q 'speed: interrupted; results holds what was measured before' "$room/err"; then
    held=true
    break
  fi
done
expect "an interrupt is told" $held
expect "it ends with 130" [ "$status" -eq 130 ]
expect "the .json says so" grep -q '"complete": false' results/speed.json
expect "the hopper is in the table" grep -q '^| hopper |' "$room/out"
expect "nothing is left half written" [ "$(ls -A results | wc -l)" -eq 3 ]
run speed --table --out results
expect "its tables are shown again" success
finish
