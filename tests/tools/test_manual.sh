#!/bin/sh
# The manual pages that the build wrote: none is missing, stale or damaged, and what they refer to
# exists; each says which header to include; and tools/manual follows its headers. Usage: test_manual.sh SOURCE_DIR FOLDER
# Ends with status 77 (skipped) after its other checks when mandoc is missing.
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
source=$1
pages=$2
header=$source/integrator/ess.h
more=$source/integrator/ess_tangents.h
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT

fail() {
  echo "$*" >&2
  exit 1
}

# public functions and types, found in another way than the generator's: what looks like one outside
# of comments
public_names() {
  sed 's,/\*.*\*/,,; /\/\*/,/\*\//d' "$1" |
    grep -oE '^(ESS_API .*|} |typedef struct )ess_[a-z0-9_]+[(;]' | grep -oE 'ess_[a-z0-9_]+[(;]$' |
    tr -d '(;' | sort -u
}

# writes the manual of a header whose line $1 (an expression of sed) was changed
manual_of_changed() {
  sed "$1" "$header" >"$room/ess.h"
  ! cmp -s "$header" "$room/ess.h" || fail "no line of ess.h matches $1"
  "$source/tools/manual" "$room/changed" "$source/examples/hopper.c" \
    "$source/integrator/options.c" "$room/ess.h" "$more" 2>"$room/error"
}

# all are there, and those of these headers (only the date may differ)
for each in "$header" "$more"; do
  public_names "$each" >"$room/names"
  [ "$(wc -l <"$room/names")" -ge 10 ] || fail "only $(wc -l <"$room/names") public names found in $each"
  while read -r name; do
    grep -q "^$name .*\\\\- [^ ]" "$pages/$name.3" || fail "no page $name.3 with a line NAME"
    grep -qF "#include <$(basename "$each")>" "$pages/$name.3" || fail "$name.3 does not name its header"
  done <"$room/names"
done
"$source/tools/manual" "$room/fresh" "$source/examples/hopper.c" "$source/integrator/options.c" \
  "$header" "$more" 2>"$room/error"
[ ! -s "$room/error" ] || fail "tools/manual warns: $(sort -u "$room/error")"
diff -r -I '^\.TH ' "$room/fresh" "$pages" >&2 || fail "the pages are not those of $header and $more"

# every page that is referred to exists
sed -n 's/^\.BR \([A-Za-z_]*\) (3).*/\1/p' "$pages"/*.3 | sort -u >"$room/references"
[ -s "$room/references" ] || fail "no page refers to another"
while read -r name; do
  [ -e "$pages/$name.3" ] || fail "$name(3) is referred to, and has no page"
done <"$room/references"

# each member of a structure has its description and, where it has one, its default
for line in '^\.I rtol, atol$' '^The error of each state x_i is at most' '^rtol.1e-8$'; do
  grep -q "$line" "$pages/ess_options.3" || fail "ess_options.3 has no line $line"
done

# what the header says goes into the page; without a comment there is no manual, and the old stays
manual_of_changed 's/Frees a driver; NULL/Quibbles: a driver; NULL/'
grep -q 'Quibbles: a driver' "$room/changed/ess_driver_free.3" || fail "a changed comment is lost"
grep -q 'quibbles$' "$room/changed/ess_driver_free.3" || fail "NAME does not follow the comment"
if manual_of_changed '/Frees a driver/d'; then fail "an undocumented function is accepted"; fi
grep -q 'ess.h:[0-9]*: ess_driver_free has no comment' "$room/error" || fail "$(cat "$room/error")"
grep -q 'Quibbles' "$room/changed/ess_driver_free.3" || fail "the old manual was lost"

command -v mandoc >/dev/null || {
  echo "skipped: mandoc, which checks the pages, is missing (apt-get install mandoc)"
  exit 77
}
mandoc -Tlint -W warning "$pages"/*.3 >&2 || fail "mandoc has warnings"
