#!/bin/sh
# docs/guide/first-program.md quotes examples/hopper.c and what it prints verbatim, docs/guide/mechanisms.md a model, and
# the README a part of an example in Python. Every way of installing and linking libess that the README and docs/guide/install.md give works when it is copied.
# Usage: test_examples_readme.sh SOURCE_DIR HOPPER CC ALONE
# ALONE is the folder in which libess alone is built; it is left there for others.
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
source=$1
hopper=$2
export CC="$3"
alone=$4
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT

fail() {
  echo "$*" >&2
  exit 1
}

# $1: the document, if it is not the README
block() {
  sh "$source/tests/examples/test_examples_block.sh" "$source/${3-README.md}" "$1" >"$room/$2"
}

# runs copied commands in folder $1 with the compiler under test for cc, and says what they said when
# they fail; they see a home of their own, no program that is not installed, and no manual reader
commands() {
  {
    # shellcheck disable=SC2016 # the $ belong to the commands
    echo 'cc() { "$CC" "$@"; }; man() { test -f "$2/man3/$3.3"; }'
    cat "$room/$2"
  } >"$room/script"
  (cd "$1" && HOME=$room/home sh -eu "$room/script") >"$room/log" 2>&1 || {
    cat "$room/log" >&2
    fail "$3: the commands do not work"
  }
}

same() {
  diff -u "$1" "$2" >&2 || fail "$3 is not what the document says"
}

# what is quoted
block 'examples/hopper.c' quoted.c docs/guide/first-program.md
same "$source/examples/hopper.c" "$room/quoted.c" "the example"
block 'output of the example' expected docs/guide/first-program.md
"$hopper" >"$room/printed"
same "$room/printed" "$room/expected" "the example's output"

block 'models/ball_under_ceiling.c' mechanism.c docs/guide/mechanisms.md
same "$source/models/ball_under_ceiling.c" "$room/mechanism.c" "the mechanism"

# the part of one in Python in the README: its lines stand in the example, one after the other
block 'from python/examples/bouncing_ball.py' part
[ "$(wc -l <"$room/part")" -ge 10 ] || fail "README.md: hardly any of the example in Python"
first=$(grep -nxF -e "$(head -n 1 "$room/part")" "$source/python/examples/bouncing_ball.py" | cut -d: -f1)
tail -n "+${first:-1}" "$source/python/examples/bouncing_ball.py" | head -n "$(wc -l <"$room/part")" >"$room/there"
same "$room/there" "$room/part" "the part of the example in Python in README.md"

# installing, but for the build folder, which is not put into the checkout
block 'how to install libess' install
grep -q 'build/libess' "$room/install" || fail "README.md: no build/libess"
sed -i "s|build/libess|$alone|" "$room/install"
rm -rf "$alone"
commands "$source" install README.md

# what follows is about how libess is linked: compiled without optimisation it prints the same
export CMAKE_BUILD_TYPE=Debug

# a reader's own CMake project, with the libess installed, and with one in a folder below it
mkdir "$room/project"
block 'CMakeLists.txt of a program that links libess' project/CMakeLists.txt docs/guide/install.md
cp "$room/quoted.c" "$room/project/hopper.c"
cmake_project() {
  echo "cmake -S '$room/project' -B '$room/$1' -DCMAKE_PREFIX_PATH=\"\$HOME/.local\" &&
    cmake --build '$room/$1'" >"$room/build-project"
  commands "$room" build-project "docs/guide/install.md's CMakeLists.txt, $1"
  "$room/$1/hopper" >"$room/printed"
  same "$room/printed" "$room/expected" "what the program prints, $1"
}
cmake_project installed
ln -s "$source" "$room/project/essbench"
sed -i 's/^find_package(.*)$/add_subdirectory(essbench)/' "$room/project/CMakeLists.txt"
grep -q '^add_subdirectory' "$room/project/CMakeLists.txt" || fail "docs/guide/install.md: no find_package"
mv "$room/home" "$room/home.hidden"
cmake_project contained
rm -rf "${room:?}/home" # a cache of the compiler's makes one anew
mv "$room/home.hidden" "$room/home"

# pkg-config alone, in a folder that has nothing but the example
mkdir -p "$room/alone/examples"
cp "$room/quoted.c" "$room/alone/examples/hopper.c"
block 'pkg-config alone' pkg-config docs/guide/install.md
commands "$room/alone" pkg-config docs/guide/install.md
"$room/alone/hopper" >"$room/printed"
same "$room/printed" "$room/expected" "what the program built with pkg-config prints"

# the one command, run where install.md says: in the checkout
block 'one command' command docs/guide/install.md
grep -q '^cc .*-o hopper$' "$room/command" || fail "docs/guide/install.md: no cc command"
sed -i "s|-o hopper|-o $room/compiled|" "$room/command"
commands "$source" command docs/guide/install.md
"$room/compiled" >"$room/printed"
same "$room/printed" "$room/expected" "what the compiled program prints"

# the way from a clean clone; the clone is this checkout
rm -rf "${room:?}/home"
mkdir "$room/clone"
ln -s "$source" "$room/clone/essbench"
block 'from a clean clone' clone-commands docs/guide/install.md
commands "$room/clone" clone-commands docs/guide/install.md
[ "$(grep -c '^success' "$room/log")" -eq 10 ] || fail "docs/guide/install.md: not every example ran"
