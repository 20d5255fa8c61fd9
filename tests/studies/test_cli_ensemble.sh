#!/bin/bash
# essbench ensemble: the same files, bit for bit, whoever runs its blocks; counts that do not depend on
# the blocks either; a run that goes on; starts that fail.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_ensemble.sh ESSBENCH
. "$(dirname "$0")/../support/cli_room.sh"
files='ensemble.csv ensemble_distribution.csv ensemble_map.csv ensemble_status.csv ensemble_failures.csv'
plate='ensemble --contacts 4 --tolerance 1e-3 --trials 2500'

same() {
  for file in $files; do cmp -s "$1/$file" "$2/$file" || return 1; done
}
# the value in column $3 of the row that begins with $2, in folder $1
value() { column "$1/ensemble.csv" "$3" "$2"; }
# the sum of a column by its name
total() { column "$1" "$2" | awk '{ sum += $1 } END { print sum + 0 }'; }
holds() { awk "BEGIN { exit !($1) }"; }

run $plate --processes 1 --out one
expect 'one process' success
expect 'every start is in the distributions' [ "$(value one z starts)" -eq 2500 ]
expect 'and in the map' [ "$(total one/ensemble_map.csv starts)" -eq 2500 ]
expect 'and each quantity has as many' [ "$(total one/ensemble_distribution.csv starts)" -eq \
  $((2500 * $(($(wc -l <one/ensemble.csv) - 1)))) ]
expect 'none fails' [ "$(wc -l <one/ensemble_failures.csv)" -eq 1 ]
run $plate --processes 3 --out three
expect 'three processes' success
expect 'give the same files' same three one
run $plate --processes 2 --block 170 --out blocks
expect 'blocks of another size' success
for file in ensemble_distribution.csv ensemble_map.csv; do
  expect "give the same $file" same_bytes "blocks/$file" "one/$file"
done
run $plate --processes 1 --seed 2 --out other
expect 'another seed gives another' [ "$(value other z mean)" != "$(value one z mean)" ]

run ensemble --contacts 4 --tolerance 1e-3 --trials 1 --seed 1500 --processes 1 --out single
expect 'the mean of one is itself' [ "$(value single z mean)" = "$(value single z median)" ]

for share in 1 2; do run $plate --share $share/2 --out shares; done
run merge --out shares
expect 'two shares' success
expect 'give the same files' same shares one

# the pilot, and one block of three
mkdir part
cp one/essbench.sqlite part
cut_to part 2
run $plate --processes 2 --out part
expect 'a run that goes on' success
expect 'ends with the same' same part one
expect 'and runs nothing twice' [ "$(cells part) $(ended_runs part)" = "$(cells one) 1" ]

# without damping nothing is lost but by the error of integration
run ensemble --model hopper --spread 0.1 --tolerance 1e-8 --trials 300 --processes 1 --out hopper
expect 'the hopper' success
expect 'keeps its energy' holds "$(value hopper energy_change max) < 1e-5 && $(value hopper energy_change min) > -1e-5"
expect 'its map is of both states' grep -q '^z,vz,vz,' hopper/ensemble_map.csv
run ensemble --contacts 4 --damping 0 --tolerance 1e-8 --trials 50 --processes 1 --out plate
expect 'and so does the plate' holds "$(value plate energy_change max) < 1e-4 && $(value plate energy_change min) > -1e-4"
expect 'which loses it with damping' holds "$(value one energy_change max) < -1"
run ensemble --model affine3 --trials 20 --processes 1 --out affine
expect 'a model without energy, and with a single start' success
expect 'has none' [ -z "$(value affine energy_change mean)" ]
expect 'and one place' [ "$(wc -l <affine/ensemble_map.csv)" -eq 2 ]

# starts whose run fails
run ensemble --tolerance 1e-16 --trials 1030 --processes 2 --out failing
expect 'runs that fail do not fail the study' success
expect 'all are counted' grep -q 'below the rounding.*,1030$' failing/ensemble_status.csv
expect 'the first of each block are rows' [ "$(wc -l <failing/ensemble_failures.csv)" -eq 41 ]
expect 'with their seeds' [ "$(cut -d, -f 1 failing/ensemble_failures.csv | sed -n 22p)" = 1001 ]
expect 'and are on the map' [ "$(total failing/ensemble_map.csv failed)" -eq 1030 ]

run ensemble --across nothing --out none
expect 'a state that there is not' one_line 2 '--across nothing is not accepted; there are x, z, theta'
run ensemble --across z --up z --out none
expect 'an axis twice' one_line 2 '--up z is not accepted'
run ensemble --contacts 2 --trials 200 --across theta --up z --outcome crossings --processes 1 --out turned
expect 'axes the other way round' success
expect 'are so in the map' grep -q '^theta,z,crossings,' turned/ensemble_map.csv

finish
