#!/bin/sh
# The house stays in order: a study is data, one study is one file, arrows between files run one
# way, and each of libess's headers can be read alone.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_house.sh SOURCE
set -u
cd "$1" || exit 1
failures=0

fail() {
  echo "FAILED: $1"
  failures=$((failures + 1))
}

# --- studies --------------------------------------------------------------------------------------

# files, the database, parsing, signals, intervals, the command line
forbidden='fopen|open_memstream|unlink|measure_(file|folder|json_write|json_read|store|csv|table)'
forbidden="$forbidden|results_file|resume_|strto[a-z]+ ?\\(|strsep|sscanf|measure_number_parse"
forbidden="$forbidden|signal ?\\(|sigaction|interrupts_|fork ?\\(|posix_spawn"
forbidden="$forbidden|draws_(pick|interval|median)|measure_fit_line|argp|argv|\"(arguments|command)\.h"
lines_max=1200

count=0
for path in experiments/studies/*.[ch]; do
  count=$((count + 1))
  if grep -nE "$forbidden" "$path"; then fail "$path does what is the core's to do"; fi
  if [ "$(wc -l <"$path")" -gt $lines_max ]; then fail "$path has more than $lines_max lines"; fi
done
[ $count -ge 10 ] || fail "there are no studies in experiments/studies"

# --- rooms ----------------------------------------------------------------------------------------

# what a room may not include of others: arrows run down
upward() { # room, those above it
  room=$1
  shift
  for above; do
    for header in experiments/"$above"/*.h; do
      grep -ln "#include \"$(basename "$header")\"" experiments/"$room"/*.[ch] |
        sed "s|$| includes $header|"
    done
  done
}
up=$(upward core studies gate cli; upward studies gate cli)
[ -z "$up" ] || fail "$up"

# the program stays in the C locale, whose numbers files and messages have
if grep -nE '\b(setlocale|uselocale)\b' experiments/*/*.[ch] measure/*.[ch] solvers/*.[ch]; then
  fail "numbers may get a decimal comma"
fi

# --- circles --------------------------------------------------------------------------------------

# a file of a room is NAME.c and NAME.h together. libess has a header a room, which its files share:
# headers alone make no circle there, and of files `circles` tells by what they use of each other.
# They are seen by nobody else, so that others may have their names
edges() {
  for path in mechanics/*.[ch] models/*.[ch] solvers/*.[ch] mujoco_bridge/*/*.[ch] \
    xmlgen/*.[ch] measure/*.[ch] experiments/*/*.[ch]; do
    unit=$(basename "$path" | sed 's/\.[ch]$//')
    sed -n 's/^#include "\(.*\)\.h".*/\1/p' "$path" | grep -vx "$unit" | sed "s/^/$unit /"
  done | sort -u
  for path in integrator/*.h; do
    unit=$(basename "$path" | sed 's/\.[ch]$//')
    sed -n 's/^#include "\(.*\)\.h".*/\1/p' "$path" | grep -vx "$unit" |
      sed "s|^|integrator/|; s|^|integrator/$unit |"
  done | sort -u
}
all=$(edges)
[ "$(echo "$all" | wc -l)" -ge 100 ] || fail "there are hardly any includes"
echo "$all" | tsort >/dev/null || fail "files include each other in a circle"

# --- libess's rooms -------------------------------------------------------------------------------

# the table of CONTRIBUTING.md has each of its files, and no other
for path in integrator/*.[ch]; do
  grep -q "^| .*\`${path##*/}\`" CONTRIBUTING.md || fail "CONTRIBUTING.md has no room for $path"
done
gone=$(sed -n '/^| Room of/,/^$/p' CONTRIBUTING.md | grep -o '`[a-z_0-9]*\.[ch]`' | tr -d '`' |
  while read -r name; do [ -e "integrator/$name" ] || echo "$name"; done)
[ -z "$gone" ] || fail "CONTRIBUTING.md has a room for what is not there: $gone"

# so has that of the harness's core
for path in experiments/core/*.c; do
  grep -q "^| .*\`${path##*/}\`" CONTRIBUTING.md || fail "CONTRIBUTING.md has no part for $path"
done
gone=$(sed -n '/^| Part of/,/^$/p' CONTRIBUTING.md | grep -o '`[a-z_0-9]*\.c`' | tr -d '`' |
  while read -r name; do [ -e "experiments/core/$name" ] || echo "$name"; done)
[ -z "$gone" ] || fail "CONTRIBUTING.md has a part for what is not there: $gone"

# --- the bridge's rooms ---------------------------------------------------------------------------

# each includes itself and those above it in CONTRIBUTING.md, and has one licence
known=
rooms=$(sed -n '/^| Room of `mujoco_bridge/,/^$/s/^| `\([a-z]*\)\/`.*/\1/p' CONTRIBUTING.md)
[ "$(echo "$rooms" | sort)" = "$(ls -d mujoco_bridge/*/ | xargs -n 1 basename | sort)" ] ||
  fail "CONTRIBUTING.md has other rooms of mujoco_bridge than there are"
for room in $rooms; do
  known="$known $room"
  for path in mujoco_bridge/"$room"/*.[ch]; do
    for header in $(sed -n 's/^#include "\(.*\)"$/\1/p' "$path"); do
      for of in mujoco_bridge/*/"$header"; do
        [ ! -e "$of" ] || echo " $known " | grep -q " $(basename "$(dirname "$of")") " || fail "$path includes $of, which is below it"
      done
    done
  done
  licences=$(cat mujoco_bridge/"$room"/*.[ch] | grep -o 'SPDX-License-Identifier: .*' | sed 's, \*/$,,' | sort -u)
  [ "$(echo "$licences" | wc -l)" -eq 1 ] || fail "mujoco_bridge/$room has several licences"
  case $room in solver | use) licence=GPL-3.0-or-later ;; *) licence=Apache-2.0 ;; esac
  [ "$licences" = "SPDX-License-Identifier: $licence" ] || fail "mujoco_bridge/$room has another licence than $licence"
done

# --- headers --------------------------------------------------------------------------------------

# each of libess's can be read alone: it includes what it uses
for path in integrator/*.h; do
  ${CC:-cc} -std=c17 -w -fsyntax-only -x c "$path" || fail "$path needs what it does not include"
done

[ $failures -eq 0 ] && echo "all passed"
exit $((failures > 0))
