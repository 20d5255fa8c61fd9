#!/bin/sh
# docs/guide/columns.md is what the program says of its studies' columns (make columns writes it), and the
# build has a schema of each study.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_columns.sh ESSBENCH SOURCE SCHEMAS
. "$(dirname "$0")/../support/cli_room.sh"
source=$2 schemas=$3

run columns
expect 'docs/guide/columns.md is what essbench columns writes' same_bytes "$room/out" \
  "$source/docs/guide/columns.md"
expect 'there are studies in it' [ "$(grep -c '^## essbench ' "$room/out")" -ge 1 ]
for study in $(sed -n 's/^## essbench //p' "$source/docs/guide/columns.md"); do
  run schema "$study"
  expect "a schema of $study" success
  file=$(sed -n 's/^  "title": "\(.*\)\.json of .*/\1/p' "$room/out")
  expect "the build has $file.schema.json, as essbench schema $study writes it" same_bytes "$room/out" \
    "$schemas/$file.schema.json"
  echo "$file.schema.json" >>"$room/written"
done
ls "$source/schema" >>"$room/written"
expect 'beside them it has those of a hand, and no other' [ "$(sort "$room/written")" = "$(ls "$schemas")" ]

run schema nothing
expect 'no study of that name' one_line 2 'schema: nothing is no study; there are order, '

finish
