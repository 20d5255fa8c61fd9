#!/bin/bash
# What tools/findings and tools/cover make of results.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_tables.sh SOURCES
set -u
sources=$1
room=$(mktemp -d) || exit 1
trap 'rm -rf "$room"' EXIT
failures=0

check() { # what, condition's status
  if [ "$2" -ne 0 ]; then
    echo "FAILED: $1"
    failures=$((failures + 1))
  fi
}

# --- findings: the cheapest of each, the others over libess's, bold where they take less -----------
head='model,law,method,label,solver,variant,knob,status,contacts,value,rms_error,median_s,evaluations'
cat >"$room/work_precision.csv" <<END
$head
hopper,,libess,libess,libess,,tolerance,ok,1,0.01,0.005,0.0002,100
hopper,,libess,libess,libess,,tolerance,ok,1,0.001,0.0005,0.0004,300
hopper,,a,a,location,,rtol,ok,1,0.1,0.006,0.0004,50
hopper,,a,a,location,,rtol,failed,1,0.1,0.0001,0.0001,1
hopper,,b,b,gsl,,rtol,ok,1,0.1,0.00005,0.001,900
END
cat >"$room/crossing_cost.csv" <<END
contacts,solver,status,ns_per_crossing,evaluations_per_crossing
10,libess,ok,500,4.25
10,mujoco,ok,20000,9
10,location,not reached,1,1
END
cat >"$room/work_precision.json" <<END
{"cases": [{"name": "hopper", "trials": 12, "environment": {"git_commit": "0123456789", "mujoco": {"version": "4.0.0"},
  "compiler": "cc", "cores": 2, "cpu": "none", "date": "2000-01-01T00:00:00Z", "warnings": []}}]}
END
cp "$sources/docs/FINDINGS.md" "$room/page"
(cd "$room" && "$sources/tools/findings" . page)
check 'findings ends with 0' $?
grep -q '^| hopper | 1e-02 | 0.2 | 1e-02 |  |  | 2 |  | 5 |' "$room/page"
check 'times are over those of libess' $?
grep -q '^| hopper | 1e-02 | 100 | 1e-02 |  |  | \*\*0.50\*\* |' "$room/page"
check 'what is less is bold' $?
grep -q '^| hopper | 1e-03 | 0.4 | 1e-03 |  |  |  |  | 2.5 |' "$room/page"
check 'what failed is none' $?
grep -q '^| hopper | 1e-04 | not reached; gsl 1 ' "$room/page"
check 'who gets there alone is told' $?
grep -q '^| hopper | 1e-04: gsl | 1e-01: location 0.50; 1e-02: location 0.50; 1e-04: gsl |' "$room/page"
check 'where libess is not the cheapest is told' $?
grep -q '^| 10 | 500 | 4.25 |  |  |  |  |  |  |  |  | 40 |' "$room/page"
check 'crossings have their costs' $?
grep -q '^- hopper: commit `0123456`' "$room/page"
check 'the source is told' $?
cp "$room/page" "$room/again"
(cd "$room" && "$sources/tools/findings" . again) && cmp -s "$room/page" "$room/again"
check 'a second time changes nothing' $?
"$sources/tools/findings" "$room/nowhere" "$room/page" 2>"$room/err"
[ $? -eq 1 ] && grep -q 'work_precision.csv' "$room/err"
check 'what is missing is named' $?

# --- cover ------------------------------------------------------------------------------------------
sweep() { # folder, median in ms, ratio
  mkdir -p "$room/$1"
  cat >"$room/$1/sweep.json" <<END
{"benchmarks": [{"name": "a", "real_time": $2, "real_time_lo": 0.9, "real_time_hi": 1.1}],
 "ratios": [{"contacts": 2, "solver": "libess", "protocol": "paper", "mujoco_over_projection": $3,
   "interval": [9.0, 11.0]}]}
END
}
sweep a 1.0 10.0
sweep b 1.05 10.5
sweep c 1.05 11.5
"$sources/tools/cover" "$room/a" "$room/b" >"$room/out"
check 'runs that cover each other do' $?
"$sources/tools/cover" "$room/a" "$room/c" >"$room/out"
[ $? -eq 1 ] && grep -q "^ratio: 1 cells; A's interval holds B's median in 0.0 %, B's A's in 100.0 %" "$room/out"
check 'others do not' $?
"$sources/tools/cover" "$room/a" 2>/dev/null
[ $? -eq 2 ]
check 'one folder is too few' $?

[ $failures -eq 0 ] && echo 'all as it should be'
exit $((failures > 0))
