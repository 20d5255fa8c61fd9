#!/bin/sh
# essbench columns explains the columns of every study. Of one that takes no time, these are all that its files have.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_columns.sh ESSBENCH
. "$(dirname "$0")/../support/cli_room.sh"

run columns
expect 'the columns of all studies' success
cp "$room/out" "$room/all"
expect 'there are studies in it' [ "$(grep -c '^## essbench ' "$room/all")" -ge 1 ]
for study in $(sed -n 's/^## essbench //p' "$room/all"); do
  run columns "$study"
  expect "the columns of $study alone" success
  cp "$room/out" "$room/section"
  expect "it has some" grep -q '^| `' "$room/section"
  expect "they are a section of all" [ "$(sed -n "/^## essbench $study\$/,/^## /p" "$room/all" | sed '1!{/^## /d}')" = "$(cat "$room/section")" ]
done

run columns nothing
expect 'no study of that name' one_line 2 "columns: nothing is not a study; there are order, "

run columns order
cp "$room/out" "$room/section"
run order --out .
says() { # columns: the section has them all
  local name
  for name; do
    grep -qF -e "| \`$name\` |" "$room/section" || "$essbench" order --help | grep -qF -e "--$(echo $name | tr _ -)=" || { echo "no $name in the columns of order"; return 1; }
  done
}
for file in order.csv order_fit.csv; do
  expect "every column of $file is said" says $(head -n 1 $file | tr , ' ')
done
members() { # the names in the rows of a json
  python3 -c 'import json, sys
rows = [row for value in json.load(sys.stdin).values() if isinstance(value, list) for row in value if isinstance(row, dict)]
print(*dict.fromkeys(name for row in rows for name, value in row.items() if not isinstance(value, (dict, list))))' <"$1"
}
expect 'and every member of order.json' says $(members order.json)

finish
