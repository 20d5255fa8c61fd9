#!/bin/bash
# tools/plain-cost: its table from made-up counts, one line where something is missing; and, of this build, that no
# plain method takes over a tenth more instructions than what is written by hand.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_plain_cost.sh SOURCE BUILD
. "$(dirname "$0")/../support/counted.sh" plain-cost "$1"
build=$2

# what is counted here, where the compiler and its flags are those of the published table
if [ "$build" != none ] && command -v valgrind >/dev/null; then
  if "$tool" "$build" "$room/page" >"$room/out" 2>"$room/err"; then
    awk -F'|' '/plain-/ { for (i = 3; i < NF; i++) { n++; if ($i + 0 > 1.1 || $i + 0 < 0.5) { bad = 1; print $0 } } }
               END { exit bad || n != 12 }' "$room/out" || fail 'a plain method is dearer than by hand'
  else
    fail "fails here: $(cat "$room/err")"
  fi
fi

# 1000 instructions by hand; ours one more for each contact
counts_by 'while [ $# -gt 4 ]; do shift; done
[ "$2" = ours ] && count=$((1000 + $4)) || count=1000
echo "==1== Collected : $count"'
for method in euler rk4 dopri5 cvode; do
  grep -qxF "| \`plain-$method\` | 1.01 (0.00 of 0.00) | 1.10 (0.00 of 0.00) | 2.00 (0.00 of 0.00) |" "$room/page" ||
    fail "$method has no row: $(cat "$room/out")"
done
[ "$(grep -c '^| `plain-[a-z0-9]*` | 1.01' "$room/page")" -eq 4 ] || fail 'other rows'
finish
