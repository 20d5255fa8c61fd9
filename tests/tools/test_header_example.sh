#!/bin/bash
# The program at the top of ess.h compiles as it stands there, and runs.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_header_example.sh SOURCE LIBRARY
. "$(dirname "$0")/../support/check.sh"
{
  echo '#include "ess.h"'
  sed -n '/^ \*   static int f(/,/^ \*   }$/s/^ \*  //p' "$1/integrator/ess.h"
  sed -n '/^ \*   static int h(/,/^ \*   }$/s/^ \*  //p' "$1/integrator/ess.h"
} >"$room/example.c"
grep -q 'int main' "$room/example.c"
check "a program" $?
${CC:-cc} -std=c17 -Wall -Werror -I"$1/integrator" "$room/example.c" "$2" -lm -o "$room/example" 2>"$room/err"
check "it compiles: $(cat "$room/err")" $?
"$room/example"
check "it runs" $?
finish
