#!/bin/sh
# Tests tools/setup without a network and without rights: the programs it calls are replaced by
# fakes that write down how they were called, and the wheel is a small one made here.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$(dirname "$0")/../support/check.sh"
tools=$(cd "$(dirname "$0")/../../tools" && pwd)

# --- a project folder, a wheel and a machine, all made up -----------------------------------------

# a wheel with the layout of the official one, version $1
make_wheel() {
  mkdir -p "$room/w/mujoco/include/mujoco" "$room/w/p.dist-info/licenses"
  echo "library $1" >"$room/w/mujoco/libmujoco.so.$1"
  echo "#define mjVERSION_HEADER $1" >"$room/w/mujoco/include/mujoco/mujoco.h"
  echo "licence" >"$room/w/p.dist-info/licenses/LICENSE"
  wheel=$room/mujoco_core-$1-cp311-cp311-manylinux_2_28_$(uname -m).whl
  (cd "$room/w" && python3 -m zipfile -c "$wheel" mujoco p.dist-info) || exit 1
  rm -rf "$room/w"
  printf 'project mujoco-core\nversion %s\npython 311\n%s %s\n' "$1" "$(uname -m)" \
    "$(sha256sum "$wheel" | cut -d ' ' -f 1)" >"$room/project/tools/mujoco.pin"
}

# a wheel of robots, with code that nobody wants
make_robots() {
  mkdir -p "$room/w/gymnasium/envs/mujoco/assets" "$room/w/p.dist-info/licenses"
  echo "<mujoco/>" >"$room/w/gymnasium/envs/mujoco/assets/ant.xml"
  echo "code" >"$room/w/gymnasium/__init__.py"
  echo "licence" >"$room/w/p.dist-info/licenses/LICENSE"
  robots=$room/gymnasium-$1-py3-none-any.whl
  (cd "$room/w" && python3 -m zipfile -c "$robots" gymnasium p.dist-info) || exit 1
  rm -rf "$room/w"
  printf 'project gymnasium\nversion %s\nany %s\n' "$1" \
    "$(sha256sum "$robots" | cut -d ' ' -f 1)" >"$room/project/tools/robots.pin"
}

# $1 in the made-up machine: a script with the lines given after it, which logs each call
fake() {
  name=$1
  shift
  {
    echo "#!/bin/sh"
    echo "echo \"$name \$*\" >>'$room/calls'"
    printf '%s\n' "$@"
  } >"$room/bin/$name"
  chmod +x "$room/bin/$name"
}

# what dpkg-query answers: every package asked for is installed, but for those in the file lacking
new_machine() {
  rm -rf "${room:?}/bin" "$room/project" "$room/lacking" "$room/calls" "$room"/*.whl
  mkdir -p "$room/bin" "$room/project/tools"
  cp "$tools/setup" "$room/project/tools/"
  : >"$room/lacking"
  : >"$room/calls"
  fake dpkg-query 'shift 3' "for p; do grep -qx \"\$p\" '$room/lacking' || echo \"installed \$p\"; done"
  fake id 'echo 1000'
  fake sudo 'exit 1'
  for tool in apt-get curl wget; do fake $tool 'echo "E: no network" >&2; exit 100'; done
  real_python=$(command -v python3)
  # shellcheck disable=SC2016 # the $ belong to the fake
  fake python3 'case "$*" in "-c import pip") exit 0 ;; "-m pip"*) . "$(dirname "$0")/pip" ;; esac' \
    "exec '$real_python' \"\$@\""
  offline
  make_wheel 9.9.9
  make_robots 1.2.3
}

# pip without a network, and a pip that serves the wheel of this test
offline() {
  echo 'echo "ERROR: No matching distribution found" >&2; exit 1' >"$room/bin/pip"
}

online() {
  # shellcheck disable=SC2016 # the $ belong to the fake
  printf '%s\n' 'while [ "$1" != --dest ]; do shift; done' \
    "case \$3 in gymnasium*) cp '$robots' \"\$2\"/ ;; *) cp '$wheel' \"\$2\"/ ;; esac; exit 0" \
    >"$room/bin/pip"
}

# runs the set-up on that machine: $status, and standard output and error in files
setup() {
  setup_with wheel "$@"
}

# the same with another MUJOCO than the wheel
setup_with() {
  PATH="$room/bin:$PATH" MUJOCO="$1" "$room/project/tools/setup" "$2" \
    >"$room/out" 2>"$room/err" </dev/null
  status=$?
}

# --- what is expected -----------------------------------------------------------------------------

silent_success() { [ "$status" -eq 0 ] && [ ! -s "$room/out" ] && [ ! -s "$room/err" ]; }
success() { [ "$status" -eq 0 ] && [ ! -s "$room/err" ]; }
called() { grep -q "^$1" "$room/calls"; }
not_called() { ! called "$1"; }
complete() { [ "$(cat "$room/project/.deps/mujoco/lib/libmujoco.so.$1" 2>&1)" = "library $1" ]; }
untidy() { find "$room/project/.deps" -name 'unpack*' | grep -q .; }
tidy() { ! untidy; }

# status 1 and one line on standard error that holds each of the given words
one_line() {
  [ "$status" -eq 1 ] && [ "$(wc -l <"$room/err")" -eq 1 ] || return 1
  for word in "$@"; do grep -qF -- "$word" "$room/err" || return 1; done
}

# --- the wheel ------------------------------------------------------------------------------------

new_machine
online
setup build
expect "a wheel is fetched and unpacked" success
expect "its library is there" complete 9.9.9
expect "its header is there" test -e "$room/project/.deps/mujoco/include/mujoco/mujoco.h"
expect "its licence is there" test -e "$room/project/.deps/mujoco/LICENSE"
expect "nothing temporary stays" tidy

offline
: >"$room/calls"
setup build
expect "complete: silent and offline" silent_success
expect "complete: no pip" not_called "python3"
expect "complete: no apt-get" not_called "apt-get"
setup test
expect "tests want robots, offline: one line" one_line "gymnasium 1.2.3" "No matching" ".deps/"
online
setup test
expect "robots are fetched and unpacked" success
expect "their models are there" test -e "$room/project/.deps/robots/ant.xml"
expect "with their licence" test -e "$room/project/.deps/robots/LICENSE"
expect "and no code" test ! -e "$room/project/.deps/robots/gymnasium"
offline
: >"$room/calls"
setup test
expect "complete for tests too: silent" silent_success
expect "complete for tests too: no pip" not_called "python3"
rm "$room/project/.deps/robots/ant.xml"
setup build
expect "a build wants none" silent_success
setup report
expect "nor does a report" silent_success
echo clang >"$room/lacking"
setup robots
expect "a robot is run without what tests need, restored from the kept wheel, offline" success
expect "no package is missing for it" not_called "apt-get"
: >"$room/lacking"
rm "$room/project/.deps/robots/ant.xml"
setup test
expect "robots are restored from the kept wheel, offline" success
expect "the model is back" test -e "$room/project/.deps/robots/ant.xml"
printf x >>"$room/project/.deps/gymnasium-1.2.3-py3-none-any.whl"
rm "$room/project/.deps/robots/ant.xml"
setup test
expect "an altered wheel of robots: one line" one_line "gymnasium-1.2.3" "altered" "remove .deps/gym"
rm -r "$room/project/.deps"
online
setup test
expect "both are fetched in one run" success
expect "library and robots" test -e "$room/project/.deps/robots/ant.xml" -a \
  -e "$room/project/.deps/mujoco/LICENSE"
offline

rm "$room/project/.deps/mujoco/include/mujoco/mujoco.h"
setup build
expect "a damaged folder is restored from the kept wheel, offline" success
expect "the header is back" test -e "$room/project/.deps/mujoco/include/mujoco/mujoco.h"

make_wheel 10.0.0
setup build
expect "a new pin without a network: one line" one_line "mujoco-core 10.0.0" "No matching" ".deps/"
expect "what was there stays" complete 9.9.9
online
setup build
expect "a new pin is fetched" success
expect "the new library is there" complete 10.0.0
expect "the old one is gone" test ! -e "$room/project/.deps/mujoco/lib/libmujoco.so.9.9.9"

make_wheel 11.0.0
online
truncate -s 200 "$wheel"
expected=$(awk 'END { print $2 }' "$room/project/tools/mujoco.pin")
found=$(sha256sum "$wheel" | cut -d ' ' -f 1)
setup build
expect "truncated: one line with file and sums" one_line "${wheel##*/}" "$expected" "$found"
expect "truncated: what was there stays" complete 10.0.0
expect "truncated: nothing temporary stays" tidy
expect "truncated: the wheel is not kept" test ! -e "$room/project/.deps/${wheel##*/}"

cp "$wheel" "$room/project/.deps/"
setup build
expect "truncated by hand: one line says what to remove" one_line "$found" "remove .deps/${wheel##*/}"
expect "truncated by hand: what was there stays" complete 10.0.0

new_machine
online
printf 'x' >>"$wheel"
setup build
expect "altered: one line with file and sums" one_line "${wheel##*/}" "truncated or altered"
expect "altered: nothing is unpacked" test ! -e "$room/project/.deps/mujoco"

fake uname 'echo riscv64'
setup build
expect "a machine without a wheel: one line" one_line "riscv64" "MUJOCO=system"

# --- another MuJoCo -------------------------------------------------------------------------------

new_machine
mkdir -p "$room/headers/include/mujoco" "$room/full/mujoco/include/mujoco"
: >"$room/headers/include/mujoco/mujoco.h"
: >"$room/full/mujoco/include/mujoco/mujoco.h"
: >"$room/full/mujoco/libmujoco.so.9.9.9"
setup_with "$room/absent" build
expect "no such folder: one line" one_line "MUJOCO=$room/absent" "no such folder" "wheel, system"
setup_with "$room/bin" build
expect "a folder without MuJoCo: one line" one_line "MUJOCO=$room/bin" "mujoco.h"
setup_with "$room/headers" build
expect "a folder without the library: one line" one_line "MUJOCO=$room/headers" "libmujoco.so"
setup_with '' build
expect "an empty MUJOCO: one line" one_line "MUJOCO=:" "wheel, system"
setup_with "$room/full" build
expect "the wheel's own layout: silent" silent_success
setup_with system build
expect "the distribution's, installed: silent" silent_success
expect "neither asks pip" not_called "python3"

# --- packages -------------------------------------------------------------------------------------

printf 'cmake\nlibgsl-dev\nclang\nlibmujoco-dev\n' >"$room/lacking"
setup_with "$room/full" build
expect "missing, no rights: one line with the command" \
  one_line "apt-get install --no-install-recommends cmake libgsl-dev"
expect "clang is none of build's business" sh -c "! grep -q clang '$room/err'"
expect "nothing is tried without rights" not_called "apt-get"
setup_with system test
expect "test and system ask for more" one_line "cmake libgsl-dev clang libmujoco-dev"

printf 'pkgconf\ngnuplot-nox\ngnuplot-x11\n' >"$room/lacking"
setup_with "$room/full" figures
expect "another package that does the job will do" silent_success

echo cmake >"$room/lacking"
fake id 'echo 0'
setup_with "$room/full" build
expect "offline root: one line with apt-get's word" one_line "cmake" "no network" ".deps/setup.log"

fake apt-get "[ \"\$DEBIAN_FRONTEND\" = noninteractive ] || exit 9" "case \"\$*\" in *install*) \
: >'$room/lacking' ;; esac"
: >"$room/calls"
setup_with "$room/full" build
expect "root installs" success
expect "and says what" grep -q "installing.*cmake" "$room/out"
expect "after an update" sh -c "grep '^apt-get' '$room/calls' | head -n 1 | grep -q update"
expect "only what is missing" grep -q "install cmake\$" "$room/calls"
: >"$room/calls"
setup_with "$room/full" build
expect "then silent" silent_success
expect "and no update" not_called "apt-get"

echo cmake >"$room/lacking"
fake id 'echo 1000'
# shellcheck disable=SC2016 # the $ belong to the fake
fake sudo '[ "$1" != -n ] || shift' 'exec "$@"'
setup_with "$room/full" build
expect "sudo installs where it asks no password" success
expect "through sudo" called "sudo env DEBIAN_FRONTEND=noninteractive apt-get"

setup everything
expect "an unknown mode: one line" one_line "'everything'" "build, install, test, figures, robots, report, browser or python"

finish
