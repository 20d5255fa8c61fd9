#!/bin/sh
# essbench columns says every column of every study: what is in its schema, and in the csv of one that takes no time. And
# the build has a schema of each study.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_columns.sh ESSBENCH SOURCE SCHEMAS
. "$(dirname "$0")/../support/cli_room.sh"
source=$2 schemas=$3

run columns
expect 'the columns of all studies' success
cp "$room/out" "$room/all"
expect 'there are studies in it' [ "$(grep -c '^## essbench ' "$room/all")" -ge 1 ]
says() { # columns: the section of the study has them all
  local name
  for name; do
    grep -qF -e "| \`$name\` |" "$room/section" || "$essbench" "$study" --help | grep -qF -e "--$(echo $name | tr _ -)=" || { echo "no $name in the columns of $study"; return 1; }
  done
}
in_schema() { # the names of what rows have; a case has the study's settings, too
  python3 -c 'import json, sys
def names(schema, is_row):
    for name, value in schema.get("properties", {}).items():
        if not isinstance(value, dict) or name in ("environment", "host"): continue
        if is_row and "description" in value and value.get("type") not in ("object", "array"): yield name
        yield from names(value.get("items", {}), True)
print(*dict.fromkeys(names(json.load(sys.stdin), False)))' <"$1"
}
for study in $(sed -n 's/^## essbench //p' "$room/all"); do
  run columns "$study"
  expect "the columns of $study alone" success
  cp "$room/out" "$room/section"
  expect "they are a section of all" [ "$(sed -n "/^## essbench $study\$/,/^## /p" "$room/all" | sed '1!{/^## /d}')" = "$(cat "$room/section")" ]
  run schema "$study"
  expect "a schema of $study" success
  expect "every column of it is said" says $(in_schema "$room/out")
  file=$(sed -n 's/^  "title": "\(.*\)\.json of .*/\1/p' "$room/out")
  expect "the build has $file.schema.json, as essbench schema $study writes it" same_bytes "$room/out" \
    "$schemas/$file.schema.json"
  echo "$file.schema.json" >>"$room/written"
done
ls "$source/schema" >>"$room/written"
expect 'beside them it has those of a hand, and no other' [ "$(sort "$room/written")" = "$(ls "$schemas")" ]

for command in schema columns; do
  run $command nothing
  expect 'no study of that name' one_line 2 "$command: nothing is not a study; there are order, "
done

study=order
run columns order
cp "$room/out" "$room/section"
run order --out .
for file in order.csv order_fit.csv; do
  expect "every column of $file is said" says $(head -n 1 $file | tr , ' ')
done

finish
