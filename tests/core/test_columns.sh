#!/bin/sh
# schema/ and docs/guide/columns.md are what the program says of its studies' columns; make columns writes
# them.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_columns.sh ESSBENCH SOURCE
. "$(dirname "$0")/../support/cli_room.sh"
source=$2

run columns
expect 'docs/guide/columns.md is what essbench columns writes' same_bytes "$room/out" \
  "$source/docs/guide/columns.md"
expect 'there are studies in it' [ "$(grep -c '^## essbench ' "$room/out")" -ge 1 ]
for study in $(sed -n 's/^## essbench //p' "$source/docs/guide/columns.md"); do
  run schema "$study"
  expect "a schema of $study" success
  file=$(sed -n 's/^  "title": "\(.*\)\.json of .*/\1/p' "$room/out")
  expect "schema/$file.schema.json is what essbench schema $study writes" same_bytes "$room/out" \
    "$source/schema/$file.schema.json"
done

run schema nothing
expect 'no study of that name' one_line 2 'schema: nothing is no study; there are order, '

finish
