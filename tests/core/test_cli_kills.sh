#!/bin/bash
# kill -9 at random moments, to a run in several processes and to one of three shares: the same
# commands go on at once, no cell and no row of a cell is lost or there twice, and the rows are those
# of a run that nothing has cut short.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_kills.sh ESSBENCH [COUNT]
# shellcheck disable=SC2086,SC2207 # commands and processes are lists of words
. "$(dirname "$0")/../support/share_room.sh"
count=${2:-10}
rows_of_cell=6 # two tolerances by two methods, and two more of location alone

whole() {
  run $longer --processes 2 --out whole
  expect 'a run without a kill' success
}

# a database that may be written meanwhile: what is wrong with it, which is nothing
faults() {
  for database in "$1"/essbench*.sqlite; do
    [ -e "$database" ] && sqlite3 -cmd '.timeout 10000' "$database" \
      "SELECT * FROM pragma_integrity_check WHERE integrity_check <> 'ok';
       SELECT 'twice', name FROM cell GROUP BY run, name HAVING count(*) > 1;
       SELECT 'rows', c.name, count(t.row) FROM cell c LEFT JOIN tolerance_laps t
         ON t.run = c.run AND t.within = c.id GROUP BY c.id HAVING count(t.row) <> $rows_of_cell;
       SELECT 'row twice', within, row FROM tolerance_laps GROUP BY run, within, row
         HAVING count(*) > 1;
       SELECT 'of no cell', within FROM tolerance_laps WHERE within NOT IN (SELECT id FROM cell)"
  done
}
names() {
  for database in "$1"/essbench*.sqlite; do
    [ -e "$database" ] && sqlite3 -cmd '.timeout 10000' "$database" 'SELECT name FROM cell'
  done | sort
}

# waits a moment of at most half a second, and kills one of these processes, or one that the first of
# them has started; a process that has ended is no kill
kill_one() {
  sleep "0.$(printf %03d $((RANDOM % 500)))"
  local chosen=("$@" $(pgrep -P "$1"))
  kill -KILL "${chosen[RANDOM % ${#chosen[@]}]}" 2>/dev/null && kills=$((kills + 1))
}

# $1, a folder; a run there, or three shares side by side, and a kill
attempt_alone() {
  "$essbench" $longer --processes 3 --out "$1" >/dev/null 2>&1 </dev/null &
  kill_one $!
  wait
}
attempt_shares() {
  local pids=()
  for share in 1 2 3; do
    "$essbench" $longer --share $share/3 --out "$1" >/dev/null 2>&1 </dev/null &
    pids+=($!)
  done
  kill_one "${pids[@]}"
  wait
}

end_alone() {
  run $longer --processes 3 --out "$1"
  expect "$1: the same command ends it" success
}
end_shares() {
  for share in 1 2 3; do run $longer --share $share/3 --out "$1"; done
  run merge --out "$1"
  expect "$1: the shares merge" success
}

# as many kills as are asked for, in as many folders as that takes: a run that ended anyway is compared
kills=0 folders=0 wrong=
whole
while [ "$kills" -lt "$count" ]; do
  for form in alone shares; do
    folder=$form.$folders known=
    for _ in 1 2 3 4; do
      attempt_$form "$folder"
      wrong+=$(faults "$folder")
      now=$(names "$folder")
      [ -z "$(comm -23 <(echo "$known") <(echo "$now") | grep .)" ] || wrong+=" $folder lost cells"
      known=$now
      [ -e "$folder/tolerance.csv" ] && break
    done
    [ -e "$folder/tolerance.csv" ] || end_$form "$folder"
    wrong+=$(faults "$folder")
    expect "$folder: nothing is lost" like "$folder" whole
    expect "$folder: as many cells" [ "$(names "$folder" | wc -l)" -eq "$(names whole | wc -l)" ]
  done
  folders=$((folders + 1))
done 2>/dev/null
expect "there were $count kills" [ "$kills" -ge "$count" ]
expect "after each of $kills kills no cell and no row is lost or doubled:$wrong" [ -z "$wrong" ]
echo "$kills kills, $folders folders of each form"

finish
