#!/bin/sh
# essbench sweep --table: a few lines, which are of the results in the folder and of nothing else.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_verdict.sh ESSBENCH
. "$(dirname "$0")/../support/cli_room.sh"

lines() { [ "$(wc -l <"$room/out")" -eq "$1" ]; }
says() { grep -qF -- "$1" "$room/out"; }
# sets a column of a table of the sweep to $3 wherever it is, or where $4 says
set_all() { asked results "UPDATE sweep_$1 SET $2 = $3 WHERE ${4-1}"; }

small='--trials 2 --processes 1 --epsilon 1e-3 --duration 0.6'
# shellcheck disable=SC2086 # words
run sweep --contacts 2,4 --protocol paper,equal-error $small
expect 'a race' success
expect 'its table names the engines as the verdict does' grep -qE "^ +2 paper's method +paper " "$room/out"
expect 'and no other name of theirs' [ "$(grep -c projection "$room/out")" -eq 0 ]
expect 'the cheapest plain method races at equal error, at each N' \
  [ "$(grep -cE '^[24],plain-[a-z0-9]+,equal-error,' results/sweep.csv)" -eq 2 ]
expect 'and nowhere else' [ "$(grep -c ',plain-' results/sweep.csv)" -eq 2 ]
cp results/essbench.sqlite whole.sqlite
run sweep --table
expect 'a verdict' success
expect 'of five lines' lines 5
expect 'about both protocols' [ "$(grep -c 'MuJoCo takes .* times as long as .*; N = 2 to 4' "$room/out")" -eq 2 ]
number='-?[0-9.]+(e[-+][0-9]+)?'
cost="$number us \[$number, $number\]"
expect 'and the price of a contact with its interval, where event-unaware solvers are one' grep -qE \
  "^one more contact at equal error \[95 %\]: MuJoCo $cost, MuJoCo by a callback $cost, libess $cost, the cheapest event-unaware solver $cost$" "$room/out"

set_all ratios mujoco_over_libess 12.5
set_all ratios callback_over_libess 4.5
set_all slopes s_per_contact 0.0015
set_all plain plain_over_libess 0.5
run sweep --table
expect 'the plain method' says 'the cheapest event-unaware solver takes 0.5 times as long as libess'
expect 'another ratio' says 'at equal error: MuJoCo takes 12.5 times as long as libess, whose error is '
expect 'MuJoCo by a callback' says 'with the contact force by a callback MuJoCo takes 4.5 times as long'
expect 'by the paper, too' says "by the paper's protocol: MuJoCo takes 12.5 times as long as libess by the paper's method,"
expect 'another slope' says ', libess 1.5e+03 us ['
expect 'engines by what they are' \
  says "contact by the paper's protocol [95 %]: libess by the paper's method 1.5e+03 us ["
# the first ratio alone
cp whole.sqlite results/essbench.sqlite
set_all ratios mujoco_over_libess 3
set_all ratios mujoco_over_libess 7 'row = 0'
run sweep --table
expect 'a range' grep -q 'MuJoCo takes 3 to 7 times' "$room/out"

for table in ratios slopes plain; do set_all $table protocol "'free'" "protocol = 'equal-error'"; done
run sweep --table
expect 'a protocol that nobody raced by' says 'at equal error: not measured'
# shellcheck disable=SC2086
run sweep --contacts 3 --solvers projection $small --restart
expect 'one alone' success
run sweep --table
expect 'three lines where nobody races by it' lines 3
expect 'without a slope' says 'one more contact: not known from one N'

run sweep --table --out nowhere
expect 'no results' one_line 1 'nowhere holds no results of sweep; run it first'
finish
