#!/bin/sh
# tools/run-cost: its table from made-up errors and counts, between two tolerances by logarithms; a dash where an error
# is not reached; one line where something is missing.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_run_cost.sh SOURCE
set -u
tool=$1/tools/run-cost
page=$1/docs/results/protocol.md
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
failures=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

mkdir -p "$room/bin" "$room/build/tests"
python=$(python3 -c 'import sys; print(sys.executable)')
try() { PATH=$room/bin "$python" "$tool" "$room/build" "$room/page" >"$room/out" 2>"$room/err"; }
told() { [ "$(wc -l <"$room/err")" -eq 1 ] && grep -qF "run-cost: $1" "$room/err" || fail "says not '$1': $(cat "$room/err")"; }
cp "$page" "$room/page"

try && fail 'succeeds without valgrind'
told 'valgrind is not installed; tools/setup names the package'
cmp -s "$page" "$room/page" || fail 'a failure writes into the page'

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
cat >"$room/bin/valgrind" <<'E2'
#!/bin/sh
echo "$@" | /bin/grep -q 'tool=callgrind' || exit 1
while [ $# -gt 1 ]; do shift; done
echo "==1== Collected : $(echo "$1" | /usr/bin/awk '{ printf "%.0f", 8e6 / sqrt($1) }')"
E2
printf '#!/bin/sh\necho "no such build"\nexit 1\n' >"$room/bin/cmake"
chmod +x "$room/bin/valgrind" "$room/bin/cmake" "$room/build/tests/equal_error"
try && fail 'succeeds without a build'
told 'cmake: no such build'
printf '#!/bin/sh\n' >"$room/bin/cmake"
try || fail "fails: $(cat "$room/err")"
for contacts in 10 100 1000; do
  grep -qxF "| $contacts | \`libess\` | 10.00 | 31.62 | 100.00 | 316.23 | 1000.00 |" "$room/page" ||
    fail "$contacts has no row: $(cat "$room/out")"
  grep -qxF "| $contacts | \`plain-dopri5\` | 316.23 | 1000.00 | 3162.28 | 10000.00 | – |" "$room/page" ||
    fail "$contacts has no row of the plain method: $(cat "$room/out")"
done
printf '#!/bin/sh\necho "Collected : 0"\n' >"$room/bin/valgrind"
try && fail 'nothing counted is a count'
told 'valgrind has counted nothing in'
"$tool" --what 2>"$room/err"
[ $? -eq 2 ] && grep -q "'--what' is no option; usage: tools/run-cost " "$room/err" || fail 'a wrong call is not told'

[ "$failures" -eq 0 ] && echo 'all as it should be'
exit "$((failures > 0))"
