#!/bin/bash
# tools/counts: its tables from made-up counts and errors; one line where something is missing; and, of this build, that
# no event-unaware solver takes over a tenth more instructions than what is written by hand, and that MuJoCo is counted.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_counts.sh SOURCE BUILD
. "$(dirname "$0")/../support/check.sh"
tool=$1/tools/counts
page=$1/docs/results/protocol.md
build=$2
cp "$page" "$room/page"

# what is counted here, where the compiler and its flags are those of the published table
if [ "$build" != none ] && command -v valgrind >/dev/null; then
  "$tool" plain-cost "$build" "$room/page" >"$room/out" 2>"$room/err"
  check "it counts here: $(cat "$room/err")" $?
  awk -F'|' '/plain-/ { for (i = 3; i < NF; i++) { n++; if ($i + 0 > 1.1 || $i + 0 < 0.5) { bad = 1; print $0 } } }
             END { exit bad || n != 18 }' "$room/out"
  check 'no event-unaware solver costs more than by hand' $?
  cp "$page" "$room/page"
  "$tool" race "$build" "$room/counted" small 2>"$room/err"
  check "it counts MuJoCo here: $(cat "$room/err")" $?
  python3 -c 'import sqlite3, sys
rows = sqlite3.connect(sys.argv[1]).execute("SELECT solver, error, instructions FROM counts_runs")
cost = {(solver, error): count for solver, error, count in rows}
assert 1e5 < cost["libess", None] < 1e9, cost
assert cost["libess", 1e-3] < cost["mujoco-Euler", 1e-3] and cost["mujoco-Euler", 1e-5] is None, cost' "$room/counted/essbench.sqlite" 2>"$room/err"
  check "MuJoCo takes more than libess on the hopper, and no practical step has a small error" $?
fi

# a room in which the tool has made-up programs alone
mkdir -p "$room/bin" "$room/build/tests"
python=$(python3 -c 'import sys; print(sys.executable)')
try() { PATH=$room/bin "$python" "$tool" "$1" "$room/build" "$room/page" >"$room/out" 2>"$room/err"; }
told() { # line
  [ $? -eq 1 ] && [ "$(wc -l <"$room/err")" -eq 1 ] && grep -qF "counts: $1" "$room/err" && cmp -s "$page" "$room/page"
  check "one line, and the page stays: $1" $?
}
program() { # file, lines: a script
  printf '#!/bin/sh\n%s\n' "$2" >"$room/$1"
  chmod +x "$room/$1"
}
try plain-cost
told 'valgrind is not installed; tools/setup names the package'
program bin/valgrind 'echo "Collected : 0"'
program bin/cmake 'echo "no such build"; exit 1'
try plain-cost
told 'cmake: no such build'
program bin/cmake ''
try plain-cost
told 'valgrind has counted nothing in'
"$tool" plain-cost --what >"$room/out" 2>"$room/err"
[ $? -eq 2 ] && grep -q "'--what' is no option; usage: tools/counts " "$room/err"
check 'a wrong option' $?
"$tool" cost >"$room/out" 2>"$room/err"
[ $? -eq 2 ] && grep -q "'cost' is not accepted; usage: tools/counts plain-cost .* | race " "$room/err"
check 'a table that is none' $?

# 1000 instructions by hand; ours one more for each contact
program bin/valgrind 'while [ $# -gt 4 ]; do shift; done
[ "$2" = ours ] && count=$((1000 + $4)) || count=1000
echo "==1== Collected : $count"'
try plain-cost
check 'the first table' $?
for method in euler rk4 dopri5 cvode heun adams2; do
  grep -qxF "| \`plain-$method\` | 1.01 (0.00 of 0.00) | 1.10 (0.00 of 0.00) | 2.00 (0.00 of 0.00) |" "$room/page"
  check "$method has its row" $?
done
[ "$(grep -c '^| `plain-[a-z0-9]*` | 1.01' "$room/page")" -eq 6 ]
check 'no other rows' $?

# libess's error is the tolerance, that of others a thousand times as much, and runs fail where it is largest; a run costs
# 8e6 instructions over the root of the tolerance. There is no plain-heun
program build/tests/equal_error '[ "$3" = libess ] && times=1 || times=1000
[ "$3" != plain-heun ] || exit 2
[ "$1" = errors ] || exit 0
shift 4
for value in "$@"; do
  [ "$times$value" = 10002e-1 ] && error=inf || error=$(echo "$value" | /usr/bin/awk "{ print $times * \$1 }")
  echo "$value $error $error"
done'
program bin/valgrind 'if [ $# -eq 1 ]; then echo valgrind-0; exit; fi
case $2,$4 in *=hostile_reach,*/population_hostile) echo "==1== Collected : ${6}00"; exit; esac
trials=$8
while [ $# -gt 1 ]; do shift; done
echo "==1== Collected : $(echo "$1" | /usr/bin/awk "{ printf \"%.0f\", $trials * 1e6 / sqrt(\$1) }")"'
mkdir -p "$room/build/experiments"
program build/experiments/essbench 'echo "{\"environment\": {\"cpu\": \"none\"}}" >"$3/order.json"'
PATH=$room/bin:/usr/bin:/bin "$python" "$tool" race "$room/build" "$room/counts" >"$room/out" 2>"$room/err"
check 'the race is counted' $?
python3 -c 'import json, sqlite3, sys
kept = sqlite3.connect(sys.argv[1])
(study, head), = kept.execute("SELECT study, head FROM run")
assert study == "counts" and json.loads(head)["environment"] == {"cpu": "none", "valgrind": "valgrind-0"}
rows = kept.execute("SELECT system, solver, error, instructions FROM counts_runs")
cost = {(system, solver, error): count for system, solver, error, count in rows}
for system in "hopper", "N = 2", "N = 10", "N = 100", "N = 1000", "6 legs":
    assert [round(cost[system, "libess", e] / 1e6, 2) for e in (1e-1, 1e-2, 1e-3)] == [3.16, 10.0, 31.62], cost
    assert [round(cost[system, "plain-dopri5", e] / 1e6, 2) for e in (1e-1, 1e-2)] == [100.0, 316.23], cost
    assert cost[system, "mujoco-Euler", 1e-2] is None  # its finest step has an error of at least 0.06
assert cost["50 hostile", "libess", None] == 5000 and (len(cost) - 1) % 5 == 0
assert not any(solver == "plain-heun" for _, solver, _ in cost)' "$room/counts/essbench.sqlite" 2>"$room/err"
check 'each error between two values, by logarithms; and who is absent is left out' $?
finish
