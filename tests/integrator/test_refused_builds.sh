#!/bin/sh
# Compilers and flags with which libess would be wrong: each of its files says which, and what it needs; and what it is
# built with where no tests are.
# SPDX-License-Identifier: Apache-2.0
# usage: test_refused_builds.sh COMPILER
set -u
LC_ALL=C
export LC_ALL
compiler=$1
cd "$(dirname "$0")/../.." || exit 1
failed=0
fail() {
  echo "$*" >&2
  failed=1
}

# $1 is the files, $2 what is said, the rest the flags
refuses() {
  files=$1 said=$2
  shift 2
  for file in $files; do
    found=$("$compiler" -std=c17 -Iintegrator -fsyntax-only -Wno-psabi "$@" "$file" 2>&1) && fail "$file: accepted with $*"
    case $found in
    *"error: "*"$said"*) ;;
    *) fail "$file with $*: not said: $said; but: $found" ;;
    esac
  done
}

finite='libess needs infinities and NaN: compile it without -ffast-math'
refuses "$(echo integrator/*.c)" "$finite" -ffast-math
refuses integrator/driver.c "$finite" -ffast-math -ffp-contract=off -fno-math-errno -fno-trapping-math
refuses integrator/driver.c "$finite" -Ofast
refuses integrator/driver.c "$finite" -ffinite-math-only
refuses integrator/driver.c 'libess needs the vector extension of gcc and clang' -U__GNUC__ -U__clang__
if "$compiler" -mfpmath=387 -dM -E -x c /dev/null 2>/dev/null | grep -q 'FLT_EVAL_METHOD__ 2$'; then
  refuses integrator/driver.c "libess needs double arithmetic, and this is x87's" -mfpmath=387
fi

# a user's build does not end at a warning that no developer has seen
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
for tests in OFF ON; do
  CC=$compiler cmake -S . -B "$room/$tests" -DESS_HARNESS=OFF -DESS_TESTS=$tests >"$room/log" 2>&1 || {
    fail "configuring with ESS_TESTS=$tests"
    cat "$room/log" >&2
  }
  grep -qx "ESS_WERROR:BOOL=$tests" "$room/$tests/CMakeCache.txt" ||
    fail "ESS_TESTS=$tests: $(grep ESS_WERROR "$room/$tests/CMakeCache.txt")"
done
exit $failed
