#!/bin/sh
# Where Drake cannot be had, its race is skipped in one line.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_drake.sh SOURCE
set -u
room=$(mktemp -d) || exit 1
trap 'rm -rf "$room"' EXIT
mkdir "$room/tools"
cp "$1/tools/drake" "$1/tools/drake.pin" "$1/tools/page.py" "$room/tools"
cd "$room" || exit 1
if PIP_NO_INDEX=1 tools/drake install >out 2>told; then
  echo "FAILED: there is a Drake without an index of packages"
elif [ "$(wc -l <told)" -ne 1 ] || ! grep -q '^drake: skipped, since Drake (tools/drake.pin) cannot be had here: ' told; then
  echo "FAILED: without an index of packages it says:"
  cat told
elif [ -e .deps/drake/done ]; then
  echo "FAILED: what is not there counts as set up"
else
  echo 'all as it should be'
  exit 0
fi
exit 1
