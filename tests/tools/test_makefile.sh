#!/bin/sh
# What the Makefile would do: experiments build the program and no tests, and the tests are run with and
# without AVX.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_makefile.sh SOURCE
set -u
cd "$1" || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL MUJOCO
failures=0

fail() {
  echo "FAILED: $1"
  failures=$((failures + 1))
}

# the commands of a target, each in a line
commands() {
  make -n "$1" | sed -e :more -e '/\\$/{N;s/\\\n//;b more' -e '}'
}

for target in build order calibrate sweep mujoco work-precision crossing-cost speed scale tolerance ensemble derivative limbs \
  figures regress baseline columns; do
  built=$(commands $target | grep -F 'cmake --build')
  [ -n "$built" ] || fail "make $target builds nothing"
  [ -z "$(echo "$built" | grep -v -- '--target essbench ')" ] || fail "make $target builds more: $built"
done

tests=$(commands test-all)
for build in release clang asan-ubsan plain; do
  echo "$tests" | grep -q "ctest --test-dir build/$build " || fail "make test-all leaves out build/$build"
done
for label in "exclude '^long" "regex '^long"; do
  echo "$tests" | grep -qF "ctest --test-dir build/release --label-$label" || fail "make test-all has no --label-$label"
done
if commands test | grep -qE 'build/(clang|asan)'; then fail 'make test is more than one build'; fi
echo "$tests" | grep -qE 'cmake --preset plain -B build/plain ' || fail 'build/plain is another preset'

commands sweep | tail -n 1 | grep -q ' sweep --table --out ' || fail 'make sweep ends without a verdict'
for target in install uninstall; do
  commands $target | grep -qE "tools/install (add build/release|remove) '/usr/local'" ||
    fail "make $target is about another prefix"
done

ranks="mpirun --allow-run-as-root --oversubscribe -n '4' build/release/experiments/essbench tolerance"
RANKS=4 commands tolerance | grep -qF "$ranks" || fail 'RANKS=4 starts no ranks'
RANKS=4 commands tolerance | grep -qF -- "--share auto && build/release/experiments/essbench merge --out 'results'" ||
  fail 'RANKS=4 does not merge shares'
if commands tolerance | grep -q mpirun; then fail 'mpirun is not asked for'; fi

plate=$(SEED=7 commands sweep | tr -s ' ')
echo "$plate" | grep -qF "sweep --contacts '2..100' --seed '7' --protocol 'paper,equal-error' --out 'results'" ||
  fail "make sweep: $plate"
legged=$(MODEL=legged commands sweep | tr -s ' ')
echo "$legged" | grep -qF "sweep --model 'legged' --contacts '2,4,6,10,20,50,100' --trials '24' --protocol 'equal-error'" ||
  fail "make sweep MODEL=legged: $legged"
echo "$legged" | grep -qF "figures --out 'results/legged'" || fail 'its figures are elsewhere'
MODEL=legged CONTACTS=6 TRIALS=2 commands sweep | tr -s ' ' | grep -qF -- "--contacts '6' --trials '2'" ||
  fail 'make sweep MODEL=legged does not take CONTACTS and TRIALS'

# --- variables that nobody reads ------------------------------------------------------------------

# one line that names it, and which was meant where one is near
refuses() { # assignment, what is said of it
  said=$(make -n sweep "$1" 2>&1 >"$output")
  [ $? -eq 2 ] || fail "make sweep $1 is not refused"
  [ -s "$output" ] && fail "make sweep $1 begins"
  [ "$(echo "$said" | wc -l)" -eq 1 ] || fail "make sweep $1 says more than a line: $said"
  echo "$said" | grep -qF "there is no $2" || fail "make sweep $1: $said"
}
output=$(mktemp)
refuses TRAILS=3 'TRAILS to set; did you mean TRIALS? make help says what there is'
refuses 'contact=2 10' 'contact to set; did you mean CONTACTS? make help'
refuses XYZZY=1 'XYZZY to set; make help says what there is'
refuses "A'B=1" "A'B to set; make help"

# nor what nothing makes, or no run can be: told before anything is built
is_told() { # line, words
  line=$1
  shift
  said=$(make -n "$@" 2>&1 >"$output")
  [ $? -eq 2 ] && [ ! -s "$output" ] || fail "make $* is not refused"
  [ "$(echo "$said" | wc -l)" -eq 1 ] || fail "make $* says more than a line: $said"
  echo "$said" | grep -qF "$line" || fail "make $*: $said"
}
is_told 'there is no target extra; make help' sweep extra
is_told 'there is no target swep; did you mean sweep?' swep
is_told 'RANKS=x is not accepted; it is a whole number from 1 on' tolerance RANKS=x
is_told 'RANKS=0 is not accepted' tolerance RANKS=0
empty=$(mktemp -d)
mkdir -p "$empty/baseline" && echo '{}' >"$empty/baseline/ratio.json"
for out in "$empty" "$empty/not there"; do
  is_told "$out holds no results to report; make sweep measures some, and so does each experiment of make help" report OUT="$out"
done
echo '{}' >"$empty/order.json"
make -n report OUT="$empty" >/dev/null || fail 'make report does not report what is there'
rm -r "$empty"
said=$(make robot-file ROBOT='no such robot.xml' 2>&1) && fail 'a robot that is not there is there'
echo "$said" | grep -qF 'make robot: ROBOT=no such robot.xml cannot be read' || fail "$said"
ROBOT='my robot.xml' commands robot | grep -qF "essbench robot 'my robot.xml'" || fail 'a name with a space is two'

# those of make help, and what every make takes
named=$(make help | sed -n 's/^\([A-Z_]*\)=.*/\1/p')
[ "$(echo "$named" | wc -l)" -ge 15 ] || fail 'make help names hardly any variable'
default=$(sed -n 's/^\([A-Z_]*\) ?=.*/\1/p' Makefile)
for name in $named $default CC CFLAGS LDFLAGS V VERBOSE DESTDIR prefix MAKEFLAGS CMAKE_BUILD_PARALLEL_LEVEL; do
  make -n order "$name=" >/dev/null 2>&1 || fail "make order $name= is refused"
done
make -n outside ONLY=cube,many | grep -qF "tools/outside run 'results' 'cube,many' " || fail 'make outside runs other cases than ONLY'
make -n install prefix=/usr | grep -qF "tools/install add build/release '/usr'" || fail 'prefix is not read'

rm -f "$output"
[ $failures -eq 0 ] && echo 'all as it should be'
