#!/bin/sh
# The README quotes examples/hopper.c and what it prints verbatim, and both ways of linking libess
# that it gives work when they are copied. Usage: test_examples_readme.sh SOURCE_DIR HOPPER CC
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
source=$1
hopper=$2
export CC="$3"
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT

fail() {
  echo "$*" >&2
  exit 1
}

block() {
  sh "$source/tests/test_examples_block.sh" "$source/README.md" "$1" >"$room/$2"
}

same() {
  diff -u "$1" "$2" >&2 || fail "README.md: $3 is not what it says"
}

# what is quoted
block 'examples/hopper.c' quoted.c
same "$source/examples/hopper.c" "$room/quoted.c" "the example"
block 'output of the example' expected
"$hopper" >"$room/printed"
same "$room/printed" "$room/expected" "the example's output"

# a reader's own CMake project, with libess in a folder below it
mkdir "$room/project"
block 'CMakeLists.txt of a program that links libess' project/CMakeLists.txt
ln -s "$source" "$room/project/essbench"
cp "$room/quoted.c" "$room/project/hopper.c"
cmake -S "$room/project" -B "$room/build" >"$room/log" 2>&1 &&
  cmake --build "$room/build" >>"$room/log" 2>&1 || {
  cat "$room/log" >&2
  fail "README.md: the CMakeLists.txt does not build"
}
"$room/build/hopper" >"$room/linked"
same "$room/linked" "$room/expected" "what the CMake project's program prints"

# the one command, run where the README says: in the checkout
block 'one command' command
grep -q '^cc ' "$room/command" || fail "README.md: no cc command"
(cd "$source" && sh -ec "$(sed "s|^cc |\$CC |; s|-o hopper|-o $room/compiled|" "$room/command")")
"$room/compiled" >"$room/printed"
same "$room/printed" "$room/expected" "what the compiled program prints"
