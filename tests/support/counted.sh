# What the tests of tools/plain-cost and tools/run-cost share: a room in which the tool has made-up programs alone, and
# what it says without them. Sourced with the tool's name and the sources.
# SPDX-License-Identifier: GPL-3.0-or-later
set -u
name=$1
tool=$2/tools/$1
page=$2/docs/results/protocol.md
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
told() { [ "$(wc -l <"$room/err")" -eq 1 ] && grep -qF "$name: $1" "$room/err" || fail "says not '$1': $(cat "$room/err")"; }
cp "$page" "$room/page"

try && fail 'succeeds without valgrind'
told 'valgrind is not installed; tools/setup names the package'
cmp -s "$page" "$room/page" || fail 'a failure writes into the page'

# $1: what valgrind does with its last arguments; a build fails first, and then succeeds
counts_by() {
  printf '#!/bin/sh\necho "$@" | /bin/grep -q tool=callgrind || exit 1\n%s\n' "$1" >"$room/bin/valgrind"
  printf '#!/bin/sh\necho "no such build"\nexit 1\n' >"$room/bin/cmake"
  chmod +x "$room/bin/valgrind" "$room/bin/cmake"
  try && fail 'succeeds without a build'
  told 'cmake: no such build'
  printf '#!/bin/sh\n' >"$room/bin/cmake"
  try || fail "fails: $(cat "$room/err")"
}

# the last line of a test
finish() {
  printf '#!/bin/sh\necho "Collected : 0"\n' >"$room/bin/valgrind"
  try && fail 'nothing counted is a count'
  told 'valgrind has counted nothing in'
  "$tool" --what >"$room/out" 2>"$room/err"
  [ $? -eq 2 ] && grep -q "'--what' is no option; usage: tools/$name " "$room/err" || fail 'a wrong call is not told'
  [ $failures -eq 0 ] && echo 'all as it should be'
}
