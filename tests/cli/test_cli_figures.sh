#!/bin/sh
# essbench figures: a table without rows is said in one line and keeps no other figure from being
# drawn; figures are named after their model, with its contacts where their number can be chosen.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_figures.sh ESSBENCH
tables=$(cd "$(dirname "$0")" && pwd)/../plots/tables
. "$(dirname "$0")/../support/cli_room.sh"

drawn() {
  for format in svg pdf png; do [ -s "results/figures/$1.$format" ] || return 1; done
}
missing() { [ -z "$(find results/figures -name "$1.*")" ]; }
# one line on the standard error, which holds $1
says_only() { [ "$(wc -l <"$room/err")" -eq 1 ] && grep -qF -- "$1" "$room/err"; }
gone() { ! kill -0 "$1" 2>/dev/null; }
titled() { grep -qF "$2" "results/figures/$1.svg"; }

# --- tables without rows --------------------------------------------------------------------------

mkdir results
head -n 1 "$tables/crossing_cost.csv" >results/crossing_cost.csv
run figures --out nowhere
expect 'a folder that is not there is not made' one_line 1 'folder nowhere does not exist'
expect 'and it is still not there' [ ! -e nowhere ]
run figures
expect 'nothing to draw: failed' [ "$status" -eq 1 ]
expect 'nothing to draw: what is missing' grep -qF \
  'crossing_cost is not drawn: results/crossing_cost.csv has no rows' "$room/err"

cp "$tables/order.csv" "$tables/order_fit.csv" results/
run figures
expect 'another table has rows' [ "$status" -eq 0 ]
expect 'one line about the one that has none' says_only \
  'crossing_cost is not drawn: results/crossing_cost.csv has no rows'
expect 'the other figure is drawn' drawn fig4_1_order
expect 'the one without rows is not' missing crossing_cost

cp "$tables/crossing_cost.csv" results/
run figures --only order
expect 'those of one study' drawn fig4_1_order
expect 'and of no other' missing crossing_cost
run figures --only order,nowhere
expect 'a study without figures' one_line 2 "'nowhere' is not a study with figures; accepted are order, "
run figures --only scale
expect 'a study without results' one_line 1 'results holds no results of scale; run these studies first'
run figures
expect 'of every method' drawn crossing_cost
expect 'and of a few' drawn crossing_cost_few
cp "$tables/rigid_soft.csv" "$tables/rigid_soft_paths.csv" results/
run figures
expect 'by every integrator' titled fig_rigid_soft 'MuJoCo Euler<'
expect 'by one of them' drawn fig_rigid_soft_few
expect 'and by no other' [ "$(grep -c 'MuJoCo Euler' results/figures/fig_rigid_soft_few.svg)" -eq 0 ]

: >results/crossing_cost.csv
run figures
expect 'an empty file is the same' says_only 'results/crossing_cost.csv has no rows'

# a plate without time to fall: no crossing, whose cost nobody knows
run crossing-cost --contacts 2,3 --trials 1 --duration 0.004 --methods hybrid
expect 'a cost of no crossing' [ "$status" -eq 0 ]
expect 'is not infinite' [ "$(grep -c inf results/crossing_cost.csv)" -eq 0 ]
run figures
expect 'it is drawn' success
expect 'with a word about it' titled crossing_cost 'without a crossing, and not shown: N = 2 3'

# --- an interrupt ---------------------------------------------------------------------------------

# a gnuplot that begins a figure and would never end: it says which process it is
mkdir "$room/bin"
cat >"$room/bin/gnuplot" <<SCRIPT
#!/bin/sh
echo begun >results/figures/fig4_1_order.svg
echo \$\$ >"$room/drawing"
exec tail -f /dev/null
SCRIPT
chmod +x "$room/bin/gnuplot"
for signal in INT:130 TERM:143; do
  rm -f "$room/drawing"
  # a shell starts what runs beside it deaf to SIGINT
  PATH=$room/bin:$PATH env --default-signal=INT "$essbench" figures >"$room/out" 2>"$room/err" &
  child=$!
  while [ ! -s "$room/drawing" ] && kill -0 $child; do sleep 0.05; done
  kill -${signal%:*} $child
  wait $child
  status=$?
  expect "$signal: in one line" one_line "${signal#*:}" 'interrupted; fig4_1_order is not drawn'
  expect "$signal: gnuplot has ended" gone "$(cat "$room/drawing")"
  expect "$signal: what it has begun is gone" [ ! -e results/figures/fig4_1_order.svg ]
done

# --- names ----------------------------------------------------------------------------------------

for model in 'plate --contacts 1' 'plate --contacts 2' affine3; do
  # shellcheck disable=SC2086 # words
  run work-precision --model $model --trials 1 --duration 0.02 --methods hybrid
  expect "points of $model" [ "$status" -eq 0 ]
done
run figures
expect 'all is drawn' success
for name in plate_1 plate_2 affine3; do
  expect "a figure of $name" drawn "work_precision_$name"
  expect "another of $name" drawn "work_precision_${name}_evaluations"
done
expect 'one contact' titled work_precision_plate_1 'plate, 1 contact<'
expect 'two contacts' titled work_precision_plate_2 'plate, 2 contacts<'
expect 'none to speak of' titled work_precision_affine3 'affine3<'
expect 'no other figure' missing work_precision_plate
run work-precision --table
expect 'one contact in the table' [ "$(grep -c '^plate  .* 1  *0.01 ' "$room/out")" -gt 0 ]

finish
