#!/usr/bin/env bash
# Tests tools/regress on made-up repositories with a made-up essbench that only notes how it was
# called, and then the real one ($1) on baselines that were tampered with.
# SPDX-License-Identifier: GPL-3.0-or-later
set -uo pipefail
export LC_ALL=C
top=$(cd "$(dirname "$0")/../.." && pwd)
real=$1
room=$(mktemp -d) || exit 1
trap 'rm -rf "$room"' EXIT
failed=0
passed=0
unset BASE SEED GIT_DIR GIT_WORK_TREE
export PAIRS=4
# a repository of its own, whatever the user's git is told to do
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b

# --- a project, all made up -----------------------------------------------------------------------

# an essbench whose commands succeed but for those in the file `broken`; says whether it had a base
write_essbench() {
  mkdir -p "$(dirname "$1")"
  cat >"$1" <<SCRIPT
#!/bin/sh
case "\$1 \$2" in
"bench -o") echo "$2" >>'$room/calls'; : >"\$3" ;;
"bench --help") ;;
"regress-time ") cat '$room/verdict'; [ -d results/regress/base ] && echo "judged with a base" || echo "judged alone" ;;
*) echo "\$1 called" ;;
esac
! grep -qx "\$1" '$room/broken'
SCRIPT
  chmod +x "$1"
}

# the first revision; its CMake project builds the essbench that lies in it
new_project() {
  rm -rf "$room/project" "$room/calls" "$room/broken"
  mkdir -p "$room/project"/{tools,cmake,integrator,docs}
  : >"$room/calls"
  : >"$room/broken"
  : >"$room/verdict"
  cd "$room/project" || exit 1
  cp "$top/tools/regress" "$top/tools/measured.list" tools/
  printf '/build/\n/results/\n' >.gitignore
  cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(made_up NONE)
file(COPY essbench DESTINATION experiments)
add_custom_target(essbench)
CMAKE
  write_essbench essbench base
  write_essbench build/release/experiments/essbench now
  printf 'MUJOCO:STRING=system\nCMAKE_BUILD_TYPE:STRING=Release\n' >build/release/CMakeCache.txt
  echo one >integrator/code.c
}

commit() {
  git add -A . && git commit -q -m "$1" && git rev-parse --short=12 HEAD
}

new_repository() {
  new_project
  git init -q .
  first=$(commit "first")
}

# --- what is expected -----------------------------------------------------------------------------

note() {
  if [ "$1" = 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED: %s\n%s\n' "$2" "$(cat "$room/output")"
  fi
}

# $1: name of the test, $2: exit status, then texts that the output must have
expect() {
  local name=$1 status=$2 found ok=0
  shift 2
  "${run[@]}" >"$room/output" 2>&1 </dev/null
  found=$?
  [ "$found" = "$status" ] || ok=1
  for text; do grep -qF -- "$text" "$room/output" || ok=1; done
  note $ok "$name (exit status $found, expected $status and: $*)"
}

calls() {
  grep -c "^$1$" "$room/calls"
}

run=(tools/regress)

new_project
expect "a tree without git's records" 0 "regress called" "is no git checkout" "judged alone"

mkdir "$room/bin"
for tool in bash env dirname mkdir rm grep sed sh; do ln -s "$(command -v $tool)" "$room/bin/"; done
run=(env PATH="$room/bin" tools/regress)
expect "a machine without git" 0 "git is not installed" "judged alone"
run=(tools/regress)

new_repository
expect "the very first commit" 0 "no earlier revision differs" "judged alone"

run=(env BASE=nonsense tools/regress)
expect "a base that is none" 1 "BASE=nonsense is no revision"
run=(tools/regress)

# the newest revision with other code, past commits that touch documents only
echo two >integrator/code.c
second=$(commit "second")
echo more >docs/text.md
third=$(commit "third")
: >"$room/calls"
expect "the revision before the last change of code" 0 "against $first (first)" "judged with a base"
[ "$(calls base)" = 4 ] && [ "$(calls now)" = 4 ]
note $? "as many processes of the base as of the tree"
[ "$(cd results/regress/base && echo *)" = "0001.json 0002.json 0003.json 0004.json" ]
note $? "one file per process"
[ "$(paste -sd ' ' "$room/calls" | grep -cE '^(base now now base|now base base now) ')" = 1 ]
note $? "pairs in an order of ABBA or BAAB"

echo three >integrator/code.c
expect "a change not committed" 0 "against $third (third)"
git checkout -q integrator/code.c
echo new >integrator/new.c
expect "a new file not committed" 0 "against $third (third)"
rm integrator/new.c
run=(env BASE="$second" tools/regress)
expect "a base by name" 0 "against $second (second)"
run=(env BASE="$second" tools/regress --times)
expect "times alone" 0 "judged with a base"
! grep -q "regress called" "$room/output"
note $? "counters left out"
run=(env BASE="$first" tools/regress --build)
expect "a build alone" 0 "build/regress-base/$first"
run=(tools/regress --count)
expect "an option that is none" 1 "--count is no option"
run=(tools/regress)

# both halves are run, and either fails the whole
echo regress >"$room/broken"
expect "counters that differ" 1 "judged with a base"
echo regress-time >"$room/broken"
echo "slower than the base revision" >"$room/verdict"
expect "times that grew" 1 "judged with a base"
git commit -q --allow-empty -m "a reason" -m "Slower: it looks twice now"
expect "times that grew for a reason" 0 "accepted" "(Slower: it looks twice now)"
echo "cannot read" >"$room/verdict"
expect "a reason excuses nothing else" 1 "cannot read"
: >"$room/broken"

git clone -q --depth 1 "file://$room/project" "$room/shallow"
cp -r build "$room/shallow/"
cd "$room/shallow" || exit 1
expect "a shallow clone" 0 "this clone is shallow" "git fetch --unshallow" "judged alone"

new_repository
sed -i 's/"bench --help") ;;/"bench --help") exit 2 ;;/' essbench
echo two >integrator/code.c
commit "without bench" >/dev/null
echo three >integrator/code.c
expect "a base without the command" 0 "has no command bench yet" "judged alone"

new_repository
echo "message(FATAL_ERROR no)" >>CMakeLists.txt
commit "broken" >/dev/null
echo two >integrator/code.c
expect "a base that does not build" 0 "does not build here; see build/regress-base/" "judged alone"

run=(tools/regress --baseline)
expect "a new baseline" 0 "baseline called"
run=(tools/regress build/absent)
expect "nothing built" 1 "build/absent/experiments/essbench is not there"

# --- the real one ---------------------------------------------------------------------------------

cd "$room" || exit 1
run=("$real" regress --out "$room/absent")
expect "no baseline" 1 "$room/absent/baseline/counters.json"
[ "$(wc -l <"$room/output")" = 1 ]
note $? "in one line"

mkdir -p tampered/baseline tampered/regress/now
head -c 5000 "$top/results/baseline/counters.json" >tampered/baseline/counters.json
run=("$real" regress --out tampered)
expect "half a baseline" 1 "tampered/baseline/counters.json"
[ "$(wc -l <"$room/output")" = 1 ]
note $? "in one line"

# what cannot be told
cp "$top/results/baseline/counters.json" tampered/baseline/
run=(sh -c "'$real' regress --out tampered >/dev/full")
expect "a full disk" 1 "essbench: cannot write to the standard output: No space left on device"
[ "$(wc -l <"$room/output")" = 1 ]
note $? "in one line"
run=(env PATH=/nonexistent "$real" regress --out tampered)
expect "no Python" 1 "essbench regress: cannot run python3, which judges: No such file or directory"

# one projection less in the first case
sed -e '0,/"projections": 3,/s//"projections": 2,/' \
  "$top/results/baseline/counters.json" >tampered/baseline/counters.json
run=("$real" regress --out tampered)
expect "one projection more" 1 "projections 2 in the baseline, 3 now" "1 differences from the baseline"

[ "$(grep -c '"name": ' "$top/results/baseline/counters.json")" -gt 100 ] &&
  [ -z "$(grep '"name": ' "$top/results/baseline/counters.json" | sort | uniq -d)" ]
note $? "each case has a name of its own"

# real samples, on their own and beside themselves
for process in 1 2 3 4 5 6 7 8; do "$real" bench -o "tampered/regress/now/$process.json"; done
run=("$real" regress-time --out tampered)
expect "no ratios" 1 "tampered/baseline/ratio.json"
cp "$top/results/baseline/ratio.json" tampered/baseline/
sed -i 's/"ratio": 0\./"ratio": 999./' tampered/baseline/ratio.json
expect "ratios alone" 0 "5 cases within 2 times the baseline's"
cp -r tampered/regress/now tampered/regress/base
expect "samples beside themselves" 0 "plate-100" "no difference shown" "overall"
sed -i 's/"ratio": 999\./"ratio": 0.000/' tampered/baseline/ratio.json
expect "far from the committed ratio" 1 "more than 2 times as much" "far slower beside MuJoCo"

printf '%d passed, %d failed\n' $passed $failed
[ $failed = 0 ]
