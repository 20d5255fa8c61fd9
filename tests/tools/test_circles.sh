#!/usr/bin/env bash
# No file of a library needs another that needs it: symbols are used downwards only.
# Usage: test_circles.sh LIBRARY.a...
# SPDX-License-Identifier: GPL-3.0-or-later
set -euo pipefail
export LC_ALL=C

# "user owner" for every symbol that one object of the archive has and another wants
uses() {
  nm -A "$1" | awk '
    { split($1, part, ":"); object = part[2] }
    $(NF - 1) ~ /^[TDBRVW]$/ { owner[$NF] = object }
    $(NF - 1) == "U" { user[++count] = object; wanted[count] = $NF }
    END { for (i = 1; i <= count; i++)
            if (wanted[i] in owner && owner[wanted[i]] != user[i]) print user[i], owner[wanted[i]] }' |
    sort -u
}

for library; do
  pairs=$(uses "$library")
  [ -n "$pairs" ] || { echo "$library: no file uses another, which cannot be" >&2; exit 1; }
  if ! order=$(tsort <<<"$pairs" 2>&1); then
    printf '%s: files in a circle:\n%s\n' "$library" "$(grep '^tsort: ' <<<"$order")" >&2
    exit 1
  fi
done
echo "no circle"
