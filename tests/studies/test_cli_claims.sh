#!/bin/sh
# claims judges what is in the folder: a value of a file that is changed changes the verdict.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_claims.sh ESSBENCH
. "$(dirname "$0")/../support/cli_room.sh"

# the line of a verdict, and the one below, of what says $1
verdict() { grep -F -A1 -- "$1" "$room/out"; }
is() { verdict "$1" | grep -q "^  $2 "; }
number() { verdict "$1" | grep -q -- ": $2\$"; }
order='the projection is of second order'
plate='the epsilon calibrated on the hopper'
slope='one more contact costs about'

run claims --out .
expect 'without results nothing holds' success
expect 'nothing holds' grep -q '^0 of [0-9]* claims hold, 0 fail, ' "$room/out"
expect 'says what to run' grep -q 'run make order$' "$room/out"
expect 'writes what it said' grep -q '"verdict": "not measured"' claims.json

cat >order_fit.csv <<END
projection_order,slope,slope_lo,slope_hi
1,2.002,2.001,2.003
2,3.006,3.005,3.008
END
cat >sweep.csv <<END
contacts,solver,protocol,rms_error
2,projection,paper,0.002
2,mujoco,paper,0.02
10,projection,paper,0.03
10,mujoco,paper,0.02
10,projection,equal-error,0.9
100,projection,equal-error,0.9
END
cat >sweep.json <<END
{"slopes": [{"solver": "projection", "protocol": "paper", "s_per_contact": 3e-5},
            {"solver": "mujoco", "protocol": "paper", "s_per_contact": 4e-5}]}
END
run claims --out .
expect 'of few contacts nothing follows for many' is "$plate" 'not measured'
expect 'nor from their slope' is "$slope" 'not measured'
expect 'what to run for that' grep -q 'run make sweep$' "$room/out"
printf '100,projection,paper,0.02\n100,mujoco,paper,0.02\n' >>sweep.csv
run claims --out .
expect 'results are read' success
expect 'order 2 holds' is "$order" holds
expect 'by its slope' number "$order" 2.002
expect 'the worst N decides' is "$plate" fails
expect 'over MuJoCo at the same N and protocol' number "$plate" 1.5
expect 'rows of a .json' is "$slope" holds
expect 'their quotient' number "$slope" 0.75

printf 'delta_t,t,front,rear\n0,0.03,0,9\n0.03,0.03,50,9\n0.03,0.1,0,9\n' >contact_modes_leap.csv
run claims --out .
expect 'the least within two bounds' number 'the front leg stays' 50
expect 'a leg that leaves' is 'the front leg leaves as' holds
sed -i 's/^0,0.03,0,/0,0.03,5,/' contact_modes_leap.csv
run claims --out .
expect 'a leg that stays' is 'the front leg leaves as' fails

sed -i 's/^1,2.002/1,1.5/' order_fit.csv
sed -i 's/3e-5/9e-5/' sweep.json
run claims --out .
expect 'a changed value of a .csv fails' is "$order" fails
expect 'a changed value of a .json fails' is "$slope" fails
expect 'the file says so' grep -q 'second order in epsilon,.*,1.5,fails,' claims.csv

echo 'projection_order,slope,slope_lo,slope_hi' >order_fit.csv
run claims --out .
expect 'no rows' is "$order" 'not measured'
echo '{"slopes": 3}' >sweep.json
run claims --out .
expect 'no rows in a member' is "$slope" 'not measured'
printf 'projection_order,slope\n1,2,3\n' >order_fit.csv
run claims --out .
expect 'a broken table' one_line 1 'order_fit.csv'
echo 'projection_order' >order_fit.csv
echo '{' >sweep.json
run claims --out .
expect 'broken JSON' one_line 1 'sweep.json'

finish
