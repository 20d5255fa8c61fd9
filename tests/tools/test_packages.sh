#!/bin/sh
# Without a package CMake says in one line which command installs what is missing, all of it at once.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_packages.sh SOURCE
set -u
source=$1
room=$(mktemp -d) || exit 1
trap 'rm -rf "$room"' EXIT
failures=0

# configures with these options; the line must be $1
says() {
  wanted=$1
  shift
  rm -rf "$room/build"
  if cmake -S "$source" -B "$room/build" "$@" >"$room/out" 2>&1; then
    echo "FAILED: configures with $*"
    failures=$((failures + 1))
  elif ! sed 's/^ *//' "$room/out" | grep -qxF -- "missing, or too old: apt-get install $wanted"; then
    echo "FAILED: with $* it says:"
    cat "$room/out"
    failures=$((failures + 1))
  fi
}

off=-DCMAKE_DISABLE_FIND_PACKAGE
says libgsl-dev ${off}_GSL=ON
says libsqlite3-dev ${off}_SQLite3=ON
says 'libgsl-dev libsundials-dev libxml2-dev' ${off}_GSL=ON ${off}_CVODE=ON ${off}_LibXml2=ON
says 'pkgconf libjansson-dev' -DPKG_CONFIG_EXECUTABLE=/nowhere
says 'pkgconf libcmocka-dev' -DPKG_CONFIG_EXECUTABLE=/nowhere -DESS_HARNESS=OFF

[ $failures -eq 0 ] && echo 'all as it should be'
exit $((failures > 0))
