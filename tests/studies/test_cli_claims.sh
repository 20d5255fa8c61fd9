#!/bin/sh
# claims judges what is in the folder: a value that is changed changes the verdict.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_claims.sh ESSBENCH
. "$(dirname "$0")/../support/cli_room.sh"

# the line of a verdict, and the one below, of what says $1
verdict() { grep -F -A1 -- "$1" "$room/out"; }
is() { verdict "$1" | grep -q "^  $2 "; }
number() { verdict "$1" | grep -q -- ": $2\$"; }
# judges the .csv files here
judge() {
  put . *.csv && run claims --out .
}
order='the projection is of second order'
plate='the epsilon calibrated on the hopper'
slope='one more contact costs about'

run claims --out .
expect 'without results nothing holds' success
expect 'nothing holds' grep -q '^0 of [0-9]* claims hold, 0 fail, ' "$room/out"
expect 'says what to run' grep -q 'run make order$' "$room/out"
expect 'writes what it said' grep -q '"verdict": "not measured"' claims.json

# the rule that the page tells is the one that judges
cat >rules.py <<'END'
import csv, re, sys
from fractions import Fraction
number = r"(-?\d[\d.]*(?:e-?\d+|/\d+)?)"
inf = float("inf")
def value(text): return float(Fraction(text)) if "/" in text else float(text)
wrong = judged = 0
for row in csv.DictReader(open("claims.csv")):
    if not row["command"].startswith("make "): continue
    judged += 1
    low, high = float(row["low"]), float(row["high"])
    low, high = -inf if low != low else low, inf if high != high else high
    told = row["criterion"]
    two = re.search(rf"from {number} to {number}(?: \S+)?$", told)
    one = re.search(rf"(at most|at least|below) {number}(?: \S+)?$", told)
    near = re.search(rf"within {number} of 1$", told)
    if two: good = (low, high) == (value(two[1]), value(two[2]))
    elif near: good = (low, high) == (1 - value(near[1]), 1 + value(near[1]))
    elif one and one[1] == "at least": good = (low, high) == (value(one[2]), inf)
    else: good = bool(one) and high == value(one[2]) and low in (0, 1, -high, -inf)
    if not good: wrong += 1; print(told, low, high)
sys.exit(wrong > 0 or judged < 30)
END
expect 'each rule in words is the one in numbers' python3 rules.py

# what a test asserts has a test, and its source
cat >named.py <<'END'
import csv, os, subprocess, sys
source, build = sys.argv[1:]
known = subprocess.run(["ctest", "--test-dir", build, "-N"], capture_output=True, text=True).stdout
known = {line.rpartition(" ")[2] for line in known.splitlines() if " Test " in line}
rows = [*csv.DictReader(open("claims.csv"))]
tested = [row for row in rows if row["verdict"] == "tested"]
for row in tested:
    name = row["command"].removeprefix("ctest -R '^").removesuffix("$'")
    if name not in known: sys.exit(f"no test {name}")
    if not os.path.isfile(f"{source}/{row['results']}"): sys.exit(f"no file {row['results']}")
    if row["low"] + row["high"] + row["number"] != "nannannan": sys.exit(f"a number: {row['says']}")
sys.exit(len(tested) < 10 or any(row["verdict"].startswith("cannot") and row["command"] for row in rows))
END
expect 'each test that is named is one' python3 named.py "$(dirname "$0")/../.." "$(dirname "$essbench")/.."
expect 'they are counted' grep -q "^0 of .*, $(grep -c ,tested, claims.csv) are asserted by tests, 0 cannot be reproduced," "$room/out"

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
printf 'solver,protocol,s_per_contact\nprojection,paper,3e-5\nmujoco,paper,4e-5\n' >sweep_slopes.csv
judge
expect 'of few contacts nothing follows for many' is "$plate" 'not measured'
expect 'nor from their slope' is "$slope" 'not measured'
expect 'what to run for that' grep -q 'run make sweep$' "$room/out"
printf '100,projection,paper,0.02\n100,mujoco,paper,0.02\n' >>sweep.csv
printf 'main,status,epsilon,runtime_projection_s,runtime_mujoco_s\n1,ok,0.04,1,2\n0,ok,0.01,1,2\n' >calibration.csv
judge
expect 'results are read' success
expect 'order 2 holds' is "$order" holds
expect 'by its slope' number "$order" 2.002
expect 'the worst N decides' is "$plate" 'cannot be reproduced'
expect 'over MuJoCo at the same N and protocol' number "$plate" 1.5
expect 'a number that the paper does not state in full is not refuted' is "MuJoCo's error is met with epsilon" 'cannot be reproduced'
expect 'the number is told' number "MuJoCo's error is met with epsilon" 0.04
expect 'rows of a member of a .json' is "$slope" holds
expect 'their quotient' number "$slope" 0.75

printf 'delta_t,t,front,rear\n0,0.03,0,9\n0.03,0.03,50,9\n0.03,0.1,0,9\n' >contact_modes_leap.csv
judge
expect 'the least within two bounds' number 'the front leg stays' 50
expect 'a leg that leaves' is 'the front leg leaves as' holds
sed -i 's/^0,0.03,0,/0,0.03,5,/' contact_modes_leap.csv
judge
expect 'a leg that stays' is 'the front leg leaves as' fails

# rules that say which number decides
cat >order_flat.csv <<END
epsilon,rtol,rms_error
1e-5,1e-6,2.4e-8
1e-6,1e-6,2.3e-8
END
printf 'epsilon,projection_order,rms_error\n1e-5,1,1e-10\n1e-6,1,1e-12\n' >order.csv
cat >derivative_error.csv <<END
crossings,method,order,knob,tangent_error,difference_error
x first,projection,1,1e-05,1e-9,1e-4
y first,projection,1,1e-05,0.05,2.5e-4
y first,projection,1,1e-04,0.05,0.9
END
cat >limbs_bodies.csv <<END
limbs,inertia,coupling,turn_right,turn_left,vz_right,vz_left
rigid,2,0,-0.365317,0.365317,nan,nan
rigid,1,0,1.1e-16,-1.1e-16,nan,nan
rigid,0.5,0,0,0,nan,nan
soft,2,0,0,0,-2.9e-16,2.9e-16
soft,2,1,0,-8e-8,2.5,-2.5
END
cat >work_precision.csv <<END
model,contacts,solver,status,rms_error,median_s
plate,100,listing,ok,0.5,1e-3
plate,100,projection,ok,0.009,1e-3
plate,100,location,ok,0.009,4e-3
plate,100,smooth,ok,0.02,1e-3
hopper,1,listing,ok,0.001,1e-3
END
cat >contact_modes.csv <<END
slope,known,found
0.1,1,1
0.2,2,1
END
cat >contact_modes_known.csv <<END
example,quantity,found
rocking-block --tilt 0.2,"stops below, centre",6.3
rocking-block --tilt 0.2,"stops below, (103) as printed",22.05
rocking-block --tilt 0.2,"stops below, (103) with -2 I_b",6.3
rocking-block --tilt 0.2 --delta-t 0 --complete yes,fastest rate at the end,0
END
printf 'delta_t,impacts,earlier\n0.1,1,1\n0.0001,19,1\n' >contact_modes_truncation.csv
judge
flat='for small epsilon the error no longer falls'
expect 'flat is judged under the usual tolerance' is "$flat" holds
expect 'by the quotient there' number "$flat" 1.043
meet='right where three guards meet'
expect 'at a corner one-sided differences are judged' is "$meet" holds
expect 'on the worse side, at the smallest epsilon' number "$meet" 0.00025
coupled='coupled forces: the outcome is not'
expect 'rounding of either sign is none' is 'decoupled inertia makes' holds
expect 'nor does it make a kink' is 'soft limbs that are decoupled' holds
expect 'half a jump is a magnitude' is 'rigid limbs: the outcome jumps' holds
expect 'the largest of those that may jump' number 'without condition 6' 0.3653
expect 'of ratios the one farthest from 1 decides' number 'an arrival at a hill' 0.5
expect 'with a kink it may be continuous' is 'coupled forces: the outcome is continuous' holds
expect 'a kink has two slopes' is "$coupled" holds
expect 'of either sign' number "$coupled" 2
sed -i 's/^plate,100,listing,ok,0.5/plate,100,listing,failed,nan/' work_precision.csv
judge
many='many contacts that come and go need no root finding'
expect 'a method that always fails has been measured' is "$many" 'cannot be reproduced'
expect 'of which the screen has words' number "$many" 'no run ends'
expect 'and the file a number without bound' grep -q 'go need no root finding .*,1e+308,cannot be reproduced,' claims.csv
expect 'a single one needs none' is 'a contact that comes and goes needs no root' holds
expect 'the projection is another row' number 'many contacts: finding each' 0.25
expect 'a printed program is judged by a test' is 'smooth: low accuracy' tested
expect 'a loop of ours judges no program of one contact' is 'hybrid: does not scale' 'cannot be tested'
expect 'a force between many contacts' is 'smooth: many contacts' fails
expect 'a formula in print' number 'the formula as printed' 3.5
expect 'and its other sign' is 'the formula with -2 I_b' holds
expect 'of all delta_t the most impacts' number 'ends the block' 19
expect 'the block past its impacts' is 'past the accumulation' holds
sed -i 's/^soft,2,1,0,-8e-8,2.5,-2.5/soft,2,1,0.1,-0.1,2.5,2.5/' limbs_bodies.csv
sed -i 's/^1e-6,1e-6,2.3e-8/1e-6,1e-6,2.3e-9/' order_flat.csv
judge
expect 'one slope on both sides is no kink' is "$coupled" fails
expect 'and a jump is not continuous' is 'coupled forces: the outcome is continuous' fails
expect 'an error that falls is not flat' is "$flat" fails

mkdir old
cp order_fit.csv old
run claims --out old
expect 'what an earlier program left' one_line 1 'old/order_fit.csv is of an earlier essbench'
run claims --out nowhere
expect 'a folder that is not there' one_line 1 'no folder nowhere'
expect 'is not made' test ! -e nowhere

sed -i 's/^1,2.002/1,1.5/' order_fit.csv
sed -i 's/3e-5/9e-5/' sweep_slopes.csv
judge
expect 'a changed value fails' is "$order" fails
expect 'and another' is 'one more contact costs no more' fails
expect 'a cost of another program is not' is "$slope" 'cannot be reproduced'
expect 'the file says so' grep -q 'second order in epsilon,.*,1.5,fails,' claims.csv

echo 'projection_order,slope,slope_lo,slope_hi' >order_fit.csv
judge
expect 'no rows' is "$order" 'not measured'
echo 'no database' >essbench.sqlite
run claims --out .
expect 'what is no database' one_line 1 'file is not a database; move it away'

finish
