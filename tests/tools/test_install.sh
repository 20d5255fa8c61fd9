#!/bin/sh
# Installs libess into a temporary folder, moves it elsewhere, and builds and runs every example with
# it: with CMake and with pkg-config alone, shared and static; and a C++ program. Checks what else is
# installed, and which symbols the libraries show.
# Usage: [CC=gcc] [CXX=g++] tests/tools/test_install.sh [BUILD]
# BUILD is a folder in which this project is built already; without it libess alone is built.
# Ends with status 77 after its other checks when there is no C++ compiler.
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
LC_ALL=C
export LC_ALL
source=$(cd "$(dirname "$0")/../.." && pwd)
CC=${CC-gcc}
case $(basename "$CC") in clang*) CXX=${CXX-clang++} ;; *) CXX=${CXX-g++} ;; esac
export CC
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
trap 'exit 1' HUP INT TERM
prefix=$room/elsewhere
warnings='-Wall -Wextra -Wconversion -Wshadow -pedantic -Werror'

fail() {
  printf 'install: %s\n' "$*" >&2
  exit 1
}

# a step: its command says nothing unless it fails
quietly() {
  "$@" >"$room/log" 2>&1 || {
    cat "$room/log" >&2
    fail "failed: $*"
  }
}

same() {
  diff -u "$1" "$2" >&2 || fail "$3"
}

# --- what is installed ---------------------------------------------------------------------------

install_and_move() {
  build=${1-$room/build}
  if [ $# -eq 0 ]; then
    quietly cmake -S "$source" -B "$build" -DESS_HARNESS=OFF -DESS_TESTS=OFF
    quietly cmake --build "$build"
  fi
  quietly cmake --install "$build" --prefix "$room/first"
  mv "$room/first" "$prefix"
  ! grep -rIl -e "$room/first" -e "$source" -e "$build" "$prefix" >&2 ||
    fail "installed files name the folder they were built in or installed to"
}

# sets libdir, relative to the prefix, and version
find_library() {
  pc=$(find "$prefix" -name ess.pc)
  [ -n "$pc" ] || fail "no ess.pc was installed"
  libdir=$(dirname "$(dirname "$pc")")
  PKG_CONFIG_PATH=$libdir/pkgconfig
  export PKG_CONFIG_PATH
  version=$(pkg-config --modversion ess)
}

check_files() {
  soname=libess.so.${version%.*}
  for file in include/ess.h include/ess_tangents.h share/man/man3/libess.3 share/doc/libess/LICENSE \
    share/doc/libess/examples/CMakeLists.txt; do
    [ -f "$prefix/$file" ] || fail "$file was not installed"
  done
  [ "$(readlink "$libdir/libess.so")" = "$soname" ] || fail "libess.so does not lead to $soname"
  [ "$(readlink "$libdir/$soname")" = "libess.so.$version" ] || fail "$soname leads elsewhere"
  readelf -d "$libdir/libess.so" | grep -q "SONAME.*\[$soname\]" || fail "the SONAME is not $soname"
}

# the shared library shows the functions that its headers declare, the static one nothing without ess_
check_symbols() {
  cat "$prefix"/include/*.h | "$CC" -E -P -I "$prefix/include" - | grep -oE '\bess_[a-z0-9_]+\(' |
    tr -d '(' | sort -u >"$room/declared"
  nm -D --defined-only "$libdir/libess.so" | awk '{ print $3 }' | sort >"$room/shown"
  same "$room/declared" "$room/shown" "libess.so does not show exactly what its headers declare"
  foreign=$(nm -g --defined-only "$libdir/libess.a" | awk 'NF == 3 && $3 !~ /^ess_/ { print $3 }')
  [ -z "$foreign" ] || fail "symbols of libess.a that do not begin with ess_: $foreign"
  while read -r name; do
    [ -f "$prefix/share/man/man3/$name.3" ] || fail "no manual page $name.3 was installed"
  done <"$room/declared"
}

# --- building with it ----------------------------------------------------------------------------

# runs a program, which links libess as $1 says, and keeps what it prints for compare_kinds
run() {
  linked=static
  if readelf -d "$3" | grep -q 'NEEDED.*libess'; then linked=shared; fi
  [ "$linked" = "$1" ] || fail "$3 is linked with the $linked library, not the $1 one"
  "$3" >"$room/printed.$2.$1.$(basename "$3")" || fail "$3 failed with status $?"
  # "stopped by" is how a run ends that its own event has ended
  grep -qE '^(success|stopped by)' "$room/printed.$2.$1.$(basename "$3")" || fail "$3 did not succeed"
}

# $1 is the kind, the other arguments are options by which a project asks for it
build_with_cmake() {
  kind=$1
  shift
  quietly cmake -S "$room/examples" -B "$room/cmake-$kind" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_FLAGS="$warnings" -DCMAKE_PREFIX_PATH="$prefix" "$@"
  quietly cmake --build "$room/cmake-$kind"
  for example in $examples; do run "$kind" cmake "$room/cmake-$kind/$example"; done
}

# find_package takes this version and refuses others; components choose the library
check_package() {
  mkdir "$room/package"
  cat >"$room/package/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.18)
project(package LANGUAGES C)
find_package(ess ${WANTED} CONFIG REQUIRED COMPONENTS static)
get_target_property(aliased ess::ess ALIASED_TARGET)
if(NOT aliased STREQUAL "ess::static" OR NOT ess_VERSION VERSION_EQUAL FOUND)
  message(FATAL_ERROR "found ${aliased} of version ${ess_VERSION}")
endif()
END
  package="-S $room/package -B $room/package/build -DCMAKE_PREFIX_PATH=$prefix -DFOUND=$version"
  # shellcheck disable=SC2086 # a list of words
  quietly cmake $package -DWANTED="${version%.*}"
  minor=$(echo "$version" | cut -d . -f 2)
  for other in $((minor + 1)) $((minor - 1)); do
    [ "$other" -ge 0 ] || continue
    # shellcheck disable=SC2086
    if cmake $package -DWANTED="${version%%.*}.$other" >"$room/log" 2>&1; then
      fail "find_package(ess ${version%%.*}.$other) accepts $version"
    fi
    grep -q "version: $version" "$room/log" || fail "$(cat "$room/log")"
  done
}

# pkg-config alone: $1 is the kind, $2 its options of the compiler and $3 of pkg-config, and $4 what
# an example that uses libm itself has to add
build_with_pkg_config() {
  mkdir "$room/pkg-config-$1"
  for example in $examples; do
    program=$room/pkg-config-$1/$example
    # shellcheck disable=SC2046,SC2086 # lists of words
    quietly "$CC" -std=c17 -O2 $warnings $2 "$room/examples/$example.c" -o "$program" \
      $(pkg-config $3 --cflags --libs ess) $4
    LD_LIBRARY_PATH=$libdir run "$1" pkg-config "$program"
  done
}

# the same objects, so the same digits
compare_kinds() {
  for way in cmake pkg-config; do
    for example in $examples; do
      same "$room/printed.$way.static.$example" "$room/printed.$way.shared.$example" \
        "$example prints something else with the static library than with the shared one"
    done
  done
}

check_cxx() {
  for standard in c++11 c++17; do
    # shellcheck disable=SC2046,SC2086 # lists of words
    quietly "$CXX" -std=$standard $warnings "$source/tests/tools/install_hopper.cpp" -o "$room/cxx" \
      $(pkg-config --cflags --libs ess)
    LD_LIBRARY_PATH=$libdir quietly "$room/cxx"
  done
}

# --- in order ------------------------------------------------------------------------------------

[ $# -le 1 ] || fail "usage: tests/tools/test_install.sh [BUILD]"
install_and_move "$@"
find_library
check_files
check_symbols
echo "install: libess $version is complete, and can be moved"

# the examples as they were installed, so that nothing else of this repository is in reach
cp -R "$prefix/share/doc/libess/examples" "$room/examples"
examples=$(cd "$room/examples" && echo *.c | sed 's/\.c//g')
build_with_cmake shared
build_with_cmake static -DBUILD_SHARED_LIBS=OFF
check_package
echo "install: built with CMake, shared and static: $examples"
build_with_pkg_config shared '' '' -lm
build_with_pkg_config static -static --static ''
compare_kinds
echo "install: built with pkg-config, shared and static: $examples"

command -v "$CXX" >/dev/null || {
  echo "install: skipped C++: no $CXX (apt-get install g++)"
  exit 77
}
check_cxx
echo "install: built with $CXX"
