#!/bin/sh
# tools/plain-cost: its table from made-up counts, one line where something is missing; and, of this build, that no
# plain method takes over a tenth more instructions than what is written by hand.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_plain_cost.sh SOURCE BUILD
set -u
tool=$1/tools/plain-cost
page=$1/docs/results/protocol.md
build=$2
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
failures=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# the tool with made-up programs alone
mkdir "$room/bin" "$room/build"
python=$(python3 -c 'import sys; print(sys.executable)')
try() { PATH=$room/bin "$python" "$tool" "$room/build" "$room/page" >"$room/out" 2>"$room/err"; }
told() { [ "$(wc -l <"$room/err")" -eq 1 ] && grep -qF "plain-cost: $1" "$room/err" || fail "says not '$1': $(cat "$room/err")"; }
cp "$page" "$room/page"

try && fail 'succeeds without valgrind'
told 'valgrind is not installed; tools/setup names the package'
cmp -s "$page" "$room/page" || fail 'a failure writes into the page'

# 1000 instructions by hand; ours one more for each contact
cat >"$room/bin/valgrind" <<'E2'
#!/bin/sh
echo "$@" | /bin/grep -q 'tool=callgrind' || exit 1
while [ $# -gt 4 ]; do shift; done
[ "$2" = ours ] && count=$((1000 + $4)) || count=1000
echo "==1== Collected : $count"
E2
printf '#!/bin/sh\necho "no such build"\nexit 1\n' >"$room/bin/cmake"
chmod +x "$room/bin/valgrind" "$room/bin/cmake"
try && fail 'succeeds without a build'
told 'cmake: no such build'
printf '#!/bin/sh\n' >"$room/bin/cmake"
try || fail "fails: $(cat "$room/err")"
for method in euler rk4 dopri5 cvode; do
  grep -qxF "| \`plain-$method\` | 1.01 (0.00 of 0.00) | 1.10 (0.00 of 0.00) | 2.00 (0.00 of 0.00) |" "$room/page" ||
    fail "$method has no row: $(cat "$room/out")"
done
[ "$(grep -c '^| `plain-[a-z0-9]*` | 1.01' "$room/page")" -eq 4 ] || fail 'other rows'
printf '#!/bin/sh\necho "Collected : 0"\n' >"$room/bin/valgrind"
try && fail 'nothing counted is a count'
told 'valgrind has counted nothing in'
"$tool" --what 2>"$room/err"
[ $? -eq 2 ] && grep -q "'--what' is no option; usage: tools/plain-cost " "$room/err" || fail 'a wrong call is not told'

# what is counted here, where the compiler and its flags are those of the published table
if [ "$build" != none ] && command -v valgrind >/dev/null; then
  cp "$page" "$room/page"
  if "$tool" "$build" "$room/page" >"$room/out" 2>"$room/err"; then
    awk -F'|' '/plain-/ { for (i = 3; i < NF; i++) { n++; if ($i + 0 > 1.1 || $i + 0 < 0.5) { bad = 1; print $0 } } }
               END { exit bad || n != 12 }' "$room/out" || fail 'a plain method is dearer than by hand'
  else
    fail "fails here: $(cat "$room/err")"
  fi
fi
[ "$failures" -eq 0 ] && echo 'all as it should be'
exit "$((failures > 0))"
