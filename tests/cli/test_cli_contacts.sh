#!/usr/bin/env bash
# Runs of models with contact modes tell of impacts and modes: one command for each known number.
# usage: test_cli_contacts.sh ESSBENCH
# SPDX-License-Identifier: GPL-3.0-or-later
. "$(dirname "$0")/../support/cli_room.sh"

# "time contact speed" of the table's row that is number $1
row() { awk -v number="$1" 'NF >= 5 && $1 + 0 > 0 && ++n == number { print $1, $2, $3 }' "$room/out"; }
near() { # the row's time and speed, to within $3 and $5
  row "$1" | awk -v t="$2" -v dt="$3" -v v="$4" -v dv="$5" '
    function off(a, b) { return a > b ? a - b : b - a }
    { found = 1; exit !(off($1, t) <= dt && off($3, v) <= dv) } END { if (!found) exit 1 }'
}
ends_in() { [ "$(grep -oE '\{[^}]*\}$' "$room/out" | tail -1)" = "$1" ]; }
word() { grep -oE '\{[^}]*\}$' "$room/out" | tr '\n' ' '; }
says() { [ "$(word)" = "$1 " ]; }

# the corner's speed is twice the centre's
run run --model rocking-block --tilt 0.2 --no-reference
expect "block: success" success
expect "block: first impact" near 1 0.102296 5e-7 0.216184 1e-6
expect "block: third impact" near 3 0.294712 5e-7 0.105930 1e-6
expect "block: its modes" says "{left} {right} {left} {left, right}"

run run --model rocking-block --tilt 0.2 --delta-t 0 --no-reference
expect "block without delta-t: status 1 and the time" one_line 1 "at t = 0.46467"
expect "block without delta-t: fourth impact" near 4 0.346423 5e-7 0.074152 1e-6

run run --model rocking-block --friction none --tilt 0.2 --no-reference
expect "sliding block: impact" near 1 0.0586794 5e-8 0.341818 1e-6
expect "sliding block: rests" ends_in "{left, right}"

run run --model hill --slope 30 --speed 1 --delta-t 0.03 --no-reference
expect "hill: its modes" says "{G} {H} {G}"
expect "hill: back" near 2 0.476619 1e-6 0.433013 1e-6

run run --model ball-under-ceiling --no-reference
expect "ball: its modes" says "{} {1} {}"

for start in '--model ball-under-ceiling --height 0' '--model hill --distance 0'; do
  run run $start
  expect "$start: the reference lands at the start, too" grep -qE '^RMS error [0-9.]+e-1[0-9] ' "$room/out"
done

for curve in a b c d; do
  run run --model particle-on-curve --curve $curve --no-reference
  case $curve in a | c) expect "curve $curve lets go" says "{}" ;; *) expect "curve $curve holds" says "{curve}" ;; esac
done

for scenario in forward vertical ledge; do
  run run --model rhex --scenario $scenario --no-reference
  expect "rhex $scenario: is in the air" grep -qE ' \{\}$' "$room/out"
  case $scenario in forward) lands="{edge, nose on ledge}" ;; vertical) lands="{nose, tail}" ;; *) lands="{tail}" ;; esac
  expect "rhex $scenario: where it lands" ends_in "$lands"
done

run run --model hill --json --no-reference
expect "json: impacts" grep -qF '"mode_after": "{H}"' "$room/out"
expect "json: modes" grep -qF '"modes": [' "$room/out"
run run --model rocking-block --tilt 0.2 --delta-t 0 --json
expect "json of impacts that accumulate: status 1, which is said" one_line 1 "at t = 0.46467"
expect "json of impacts that accumulate: it is so" grep -qF '"status": "zeno"' "$room/out"
expect "json of impacts that accumulate: when" grep -qE '^  "time": 0\.46467' "$room/out"
expect "json of impacts that accumulate: impacts until then" [ "$(grep -c '"mode_after"' "$room/out")" -gt 10 ]
expect "json of impacts that accumulate: the state then" grep -qE '^    0\.0104318' "$room/out"
run run --model hopper --json --no-reference
expect "json: none of a model without modes" [ "$(grep -cE '"(impacts|modes|mode_choices)": null' "$room/out")" = 3 ]
run run --model rhex --no-reference
expect "modes that a rule chose are counted" grep -q '^impacts without a mode by pseudo-impulses: 0, with several: 0$' "$room/out"

run run --model rocking-block --tilt 2
expect "a tilt that is too large" one_line 2 "tilt: 2 is not accepted; it is a number from -1.5 to 1.5"
for block in rocking-block block-on-springs; do
  run run --model $block --tilt -0.47 --no-reference
  expect "$block: a tilt from which it falls over" one_line 2 "tilt: -0.47 is not accepted; from 0.463647609 rad on"
  run run --model $block --tilt 0.47 --width 0.06 --no-reference
  expect "$block: a wider one does not" success
done
run run --model rhex --torque 0
expect "legs that do not lift their body" one_line 2 "torque: 0 is not accepted; above 4.2"
run run --model rhex --mass 12 --no-reference
expect "nor a heavier one" one_line 2 "torque: 8 is not accepted; above 8.4"
run run --model rhex --torque 4.3 --duration 0.15 --no-reference --json
expect "legs that just do land few times" [ "$(sed -n 's/^  "events": \([0-9]*\),/\1/p' "$room/out")" -lt 10 ]

finish
