#!/bin/bash
# How libess is built is held to: the trip of a step (tools/trip), and the counts of tools/structure, which count what they
# say in a library of one file.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_structure.sh SOURCE
. "$(dirname "$0")/../support/check.sh"
command -v addr2line >/dev/null || exit 77

# at most so many: step, functions, files, depth
"$1/tools/trip" >"$room/out" 2>"$room/err"
check "trip: $(cat "$room/err")" $?
while IFS=';' read -r step functions files depth; do
  awk -F' *[|] *' -v step="$step" -v functions="$functions" -v files="$files" -v depth="$depth" '
    $2 == step { found = 1; if ($3 > functions || $4 > files || $6 > depth) { print; failed = 1 } } END { exit failed || !found }' "$room/out"
  check "the trip of a step, $step: at most $functions functions, $files files, depth $depth" $?
done <<'END'
one event function, nothing crossed;30;7;8
no event functions;19;6;8
cut at a crossing;65;13;11
along a slide;67;17;13
END

"$1/tools/structure" >"$room/out" 2>"$room/err"
check "structure: $(cat "$room/err")" $?
while IFS=, read -r what most; do
  awk -F' *[|] *' -v what="$what" -v most="$most" '
    $2 == what { found = 1; if ($3 + 0 > most) { print; failed = 1 } } END { exit failed || !found }' "$room/out"
  check "$what: at most $most" $?
done <<'END'
files that write the next length,1
functions of more than 60 lines,0
tuning constants,175
their names in several files,0
static functions called once,151
members of ess_system and ess_options,38
members of the driver,60
booleans in internal structs,45
END

# a library of one file
mkdir -p "$room/tree/integrator"
cat >"$room/tree/integrator/ess.h" <<'END'
typedef struct ess_system {
  int (*field)(double t, void *params);
  size_t m, n;
} ess_system;
typedef struct ess_options {
  bool is_on;
} ess_options;
END
cat >"$room/tree/integrator/driver_state.h" <<'END'
struct ess_driver {
  double t, *x;   /* a; b */
  bool latched;
};
END
{
  printf 'static const double HALF = 0.5, THIRD = 1.0 / 3; // static const double FOURTH = 0.25;\nenum { MANY = 3 };\n'
  printf 'static int once(int a) {\n  return a;\n}\n\nint twice(int a) {\n'
  printf '  a++;\n%.0s' $(seq 60)
  printf '  d->control.next = HALF;\n  return once(a);\n}\n'
} >"$room/tree/integrator/one.c"
printf 'static const double HALF = 1.0;\n' >"$room/tree/integrator/two.c"
"$1/tools/structure" "$room/tree" >"$room/out" 2>"$room/err"
check "structure of two files: $(cat "$room/err")" $?
expect 'its counts' diff "$room/out" - <<'END'
| what | count |
| --- | --- |
| lines | 82 |
| tuning constants | 4 |
| their names in several files | 1 |
| static functions called once | 1 of 1 |
| functions of more than 60 lines | 1 |
| files that write the next length | 1 |
| members of ess_system and ess_options | 4 |
| members of the driver | 3 |
| booleans in internal structs | 1 |
END
"$1/tools/structure" "$room" >"$room/out" 2>"$room/err" && check 'a folder without a library is refused' 1
"$1/tools/trip" --list nothing >"$room/out" 2>"$room/err" && check 'a case that is none is refused' 1
finish
