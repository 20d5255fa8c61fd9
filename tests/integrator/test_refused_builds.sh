#!/bin/sh
# Compilers and flags with which libess would be wrong: each of its files says which, and what it needs; what it is built
# with where no tests are; and compilers of other machines that build it, where they are installed.
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
    case $* in
    -U*) ;; # no compiler that there is: its headers complain, too
    *) [ "$(echo "$found" | grep -c 'error: ')" -eq 1 ] || fail "$file with $*: more than one error: $found" ;;
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
  refuses "$(echo integrator/*.c)" "libess needs double arithmetic, and this is x87's" -mfpmath=387
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

# as a user builds it for 32 bits, and for Windows, without a warning
builds() { # compiler, flags, system
  flags=$2 system=$3
  if ! echo 'int main(void) { return 0; }' | "$1" $flags -x c - -o "$room/any" 2>/dev/null; then
    echo "skipped: $1 $flags is not installed"
    return
  fi
  rm -rf "$room/other"
  if ! { CC=$1 cmake -S . -B "$room/other" -DESS_HARNESS=OFF -DESS_TESTS=OFF -DESS_WERROR=ON \
    "-DCMAKE_SYSTEM_NAME=$system" "-DCMAKE_C_FLAGS=$flags" -DCMAKE_BUILD_TYPE=Debug &&
    cmake --build "$room/other"; } >"$room/log" 2>&1; then
    fail "$1 $flags does not build libess:"
    grep -E -m 3 'error|Error' "$room/log" >&2
  fi
}
builds "$compiler" '-m32 -msse2 -mfpmath=sse' "$(uname -s)"
builds x86_64-w64-mingw32-gcc '' Windows
builds i686-w64-mingw32-gcc '-msse2 -mfpmath=sse' Windows
exit $failed
