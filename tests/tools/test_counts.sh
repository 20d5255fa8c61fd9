#!/bin/bash
# tools/counts: its tables from made-up counts and errors; one line where something is missing; and, of this build, that
# no plain method takes over a tenth more instructions than what is written by hand.
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
  check 'no plain method is dearer than by hand' $?
  cp "$page" "$room/page"
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
[ $? -eq 2 ] && grep -q "'cost' is no table; usage: tools/counts plain-cost|run-cost" "$room/err"
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

# libess errs by the tolerance, the other by a thousand times as much, and runs fail where it is largest; a run costs
# 8e6 instructions over the root of the tolerance
program build/tests/equal_error '[ "$3" = libess ] && times=1 || times=1000
shift 4
for tolerance in "$@"; do
  [ "$times$tolerance" = 10002e-1 ] && error=inf || error=$(echo "$tolerance" | /usr/bin/awk "{ print $times * \$1 }")
  echo "$tolerance $error $error"
done'
program bin/valgrind 'while [ $# -gt 1 ]; do shift; done
echo "==1== Collected : $(echo "$1" | /usr/bin/awk "{ printf \"%.0f\", 8e6 / sqrt(\$1) }")"'
try run-cost
check 'the second table' $?
for contacts in 10 100 1000; do
  grep -qxF "| $contacts | \`libess\` | 10.00 | 31.62 | 100.00 | 316.23 | 1000.00 |" "$room/page" &&
    grep -qxF "| $contacts | \`plain-dopri5\` | 316.23 | 1000.00 | 3162.28 | 10000.00 | – |" "$room/page"
  check "$contacts contacts have their rows" $?
done
finish
