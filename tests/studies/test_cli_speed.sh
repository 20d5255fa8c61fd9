#!/bin/sh
# essbench speed: what it refuses, and that an interrupt leaves what was measured.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_speed.sh ESSBENCH
. "$(dirname "$0")/../support/cli_room.sh"

before=$(fingerprint)
refuses() {
  wanted=$1
  words=$2
  shift 2
  run speed "$@"
  expect_refusal "$wanted" "$words" "$*"
}
refuses 2 '--trials 0 is not accepted' --trials 0
refuses 2 'unknown option --model' --model plate
refuses 2 '--contacts' --contacts 2,x
refuses 2 '--targets' --targets 1e-3,1e-2
refuses 2 '--stiff' --stiff 0
refuses 2 '--before wants a value' --before
refuses 2 'x is not accepted' x
refuses 1 'holds neither speed.json nor sweep.json' --before nowhere
refuses 1 'speed.json' --table --out nowhere

cells() { cat results/speed.journal 2>/dev/null | grep -c '"type":"sample"'; }
names() { grep -o '"cell":"[^"]*"' results/speed.journal | sort; }

# the choices of a hopper and two plates, and of each the race in two processes
"$essbench" speed --contacts 2 --trials 2 --processes 2 --out results >"$room/out" 2>"$room/err" \
  </dev/null &
child=$!
while [ "$(cells)" -lt 5 ] && kill -0 $child; do sleep 0.05; done
kill -INT $child
wait $child
expect 'an interrupt ends it with 130' [ $? -eq 130 ]
expect 'and is told' grep -q 'interrupted; the same command goes on from here' "$room/err"
expect 'what was measured is kept' [ "$(cells)" -ge 5 ]
expect 'there are no results yet' [ ! -e results/speed.json ]
run speed --contacts 2 --trials 2 --processes 2 --out results
expect 'the same command goes on' success
expect 'to the end' [ "$(cells)" -eq 9 ]
expect 'and measures nothing twice' [ -z "$(names | uniq -d)" ]
expect 'the hopper is in the table' grep -q '^hopper  *libess equal-error' "$room/out"
grep '^hopper\|^plate' "$room/out" >"$room/rows"
run speed --table --out results
expect 'its tables are shown again' success
grep '^hopper\|^plate' "$room/out" >"$room/again"
expect 'and are the same' same_bytes "$room/rows" "$room/again"

# every start, of whoever races, in every process
awk -F, 'NR > 1 { n[$1 "," $2 "," $3 "," $4 "," $5 "," $6]++ }
  END { for (k in n) if (n[k] != 4) bad = 1; exit bad || !length(n) }' results/speed_samples.csv
expect 'speed_samples.csv has two starts in two processes' [ $? -eq 0 ]
finish
