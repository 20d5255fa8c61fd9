#!/bin/bash
# tools/run-cost: its table from made-up errors and counts, between two tolerances by logarithms; a dash where an error
# is not reached; one line where something is missing.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_run_cost.sh SOURCE
. "$(dirname "$0")/../support/counted.sh" run-cost "$1"

# libess errs by the tolerance, the other by a thousand times as much, and runs fail where it is largest; a run costs
# 8e6 instructions over the root of the tolerance
cat >"$room/build/tests/equal_error" <<'E1'
#!/bin/sh
[ "$3" = libess ] && times=1 || times=1000
shift 4
for tolerance in "$@"; do
  [ "$times$tolerance" = 10000.2 ] && error=inf || error=$(echo "$tolerance" | /usr/bin/awk "{ print $times * \$1 }")
  echo "$tolerance $error $error"
done
E1
chmod +x "$room/build/tests/equal_error"
counts_by 'while [ $# -gt 1 ]; do shift; done
echo "==1== Collected : $(echo "$1" | /usr/bin/awk "{ printf \"%.0f\", 8e6 / sqrt(\$1) }")"'
for contacts in 10 100 1000; do
  grep -qxF "| $contacts | \`libess\` | 10.00 | 31.62 | 100.00 | 316.23 | 1000.00 |" "$room/page" ||
    fail "$contacts has no row: $(cat "$room/out")"
  grep -qxF "| $contacts | \`plain-dopri5\` | 316.23 | 1000.00 | 3162.28 | 10000.00 | – |" "$room/page" ||
    fail "$contacts has no row of the plain method: $(cat "$room/out")"
done
finish
