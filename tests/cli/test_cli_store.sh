#!/bin/bash
# The database of results: kills at random times, a disk that fills in the middle, files that are none of
# ours, the files of results against its tables, and what the guide says to ask of it.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_store.sh ESSBENCH SOURCE
guide=$2/docs/guide/running.md
. "$(dirname "$0")/../support/cli_room.sh"
plate='tolerance --contacts 20 --damping 60 --tolerances 1e-2,1e-3 --trials 40 --processes 2'
clockless() {
  awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /time_s|cost_over/) time[i] = 1 }
    { for (i in time) $i = ""; print }' "$1/tolerance.csv"
}
run $plate --out whole
expect 'a run' success
whole=$(cells whole)

# --- killed at random times -----------------------------------------------------------------------

# nothing that was there is lost, nothing is there twice, and all that is there is whole
RANDOM=28
known=0
kills=0
while [ $kills -lt 25 ] && [ "$(ended_runs killed)" -eq 0 ]; do
  setsid "$essbench" $plate --out killed >"$room/out" 2>&1 </dev/null &
  sleep "0.$((RANDOM % 3))$((RANDOM % 10))"
  kill -KILL -- -$! 2>/dev/null
  wait $! 2>/dev/null
  kills=$((kills + 1))
  now=$(cells killed)
  [ "$now" -ge "$known" ] || break
  known=$now
done
expect "after $kills kills nothing is lost" [ "$(cells killed)" -ge "$known" ]
[ "$(ended_runs killed)" -eq 1 ] || run $plate --out killed
expect 'it comes to its end' [ "$(asked killed 'SELECT count(*), count(ended) FROM run')" = '1|1' ]
expect 'with each cell once' [ "$(asked killed 'SELECT count(*), count(DISTINCT name) FROM cell')" = "$whole|$whole" ]
expect 'and all rows' [ "$(asked killed 'SELECT count(*) FROM tolerance_laps')" -eq \
  "$(asked whole 'SELECT count(*) FROM tolerance_laps')" ]
expect 'and the same results' [ "$(clockless killed)" = "$(clockless whole)" ]

# --- a disk that fills in the middle --------------------------------------------------------------

cat >full.sh <<'END2'
mkdir -p full && mount -t tmpfs -o size="$2" none full || exit 77
"$1" $3 --out full >out 2>err </dev/null
echo $? >status
sqlite3 full/essbench.sqlite 'SELECT count(*) FROM cell' >known 2>/dev/null || echo 0 >known
mount -o remount,size=16m full
"$1" $3 --out full >more 2>&1 </dev/null
echo $? >later
sqlite3 full/essbench.sqlite 'SELECT count(*), count(DISTINCT name), (SELECT count(*) FROM run) FROM cell' >cells
cp full/tolerance.csv .
END2
if unshare -rm true 2>/dev/null; then
  for size in 40k 90k 150k; do
    rm -f known status later cells tolerance.csv
    unshare -rm sh full.sh "$essbench" $size "$plate"
    [ $? -eq 77 ] && break
    cp err "$room/err"
    status=$(cat status)
    expect "a disk of $size: one line" one_line 1 "'full/essbench.sqlite'"
    expect "a disk of $size: it goes on when there is room" [ "$(cat later)" -eq 0 ]
    expect "a disk of $size: what was kept is, and nothing twice" [ "$(cat cells)" = "$whole|$whole|1" ]
    expect "a disk of $size: and the same results" [ "$(clockless .)" = "$(clockless whole)" ]
  done
  expect 'one of them had kept some' [ "$(cat known)" -gt 0 ]
else
  echo 'no namespaces here: a full disk is tried by limits of files alone'
fi

# --- files that are none of ours ------------------------------------------------------------------

mkdir other
echo 'no database at all, but a file of words' >other/essbench.sqlite
before=$(fingerprint)
run order --out other
expect_refusal 1 "cannot use 'other/essbench.sqlite': file is not a database; move it away" 'words'
run sweep --table --out other
expect_refusal 1 'file is not a database; move it away' 'words, looked at'
run sweep --contacts 2 --trials 1 --out other
expect_refusal 1 'file is not a database; move it away' 'words, and no look at the machine before'
rm other/essbench.sqlite
sqlite3 other/essbench.sqlite 'CREATE TABLE mine (x)'
before=$(fingerprint)
run order --out other
expect_refusal 1 "'other/essbench.sqlite' is another program's; move it away" 'foreign'
# a folder in which a tool has written first is one of ours
cp "$2"/results/outside* .
"$2/tools/page" keep outside.json tools
run $plate --out tools
expect 'where a tool has written before' success
cp whole/essbench.sqlite other/
sqlite3 other/essbench.sqlite 'PRAGMA user_version = 99'
before=$(fingerprint)
for study in order 'sweep --contacts 2 --trials 1'; do
  # shellcheck disable=SC2086
  run $study --out other
  expect_refusal 1 'is of a newer essbench; use that one, or move it away' "$study: newer"
done
cp whole/essbench.sqlite other/
cut_to other 10
printf 'xxxxxxxx%.0s' $(seq 4096) | dd of=other/essbench.sqlite bs=4096 seek=2 conv=notrunc 2>"$room/dd"
run $plate --out other
expect 'damaged' one_line 1 'database disk image is malformed; move it away'
for model in affine3 hopper; do run work-precision --model $model --trials 1 --methods hybrid --out heads; done
expect 'two cases' success
sqlite3 heads/essbench.sqlite "UPDATE run SET head = 'words' WHERE id = 1"
run work-precision --table --out heads
expect 'a case whose settings are damaged has no others' one_line 1 'has a run of work-precision without a head; move it away'
mkdir locked
if unshare -rm true 2>/dev/null; then
  unshare -rm sh -c 'mount -t tmpfs -o ro none locked && "$1" order --out locked' sh "$essbench" >"$room/out" 2>"$room/err"
  status=$?
  expect 'a folder that may not be written' one_line 1 "cannot write in folder 'locked': Read-only file system"
fi

# --- the files are its tables ---------------------------------------------------------------------

run sweep --contacts 2,4 --trials 2 --processes 1 --epsilon 1e-3 --duration 0.6 --out results
expect 'a sweep' success
run order --out results
expect 'another study beside it' success
before=$(asked results 'SELECT sum(seconds), count(*) FROM sweep_laps')
run work-precision --model hopper --trials 1 --methods libess --out results
expect 'another race beside it' success
command=$(sed -n 's/^    \(sqlite3 results.* FROM lap .*\)/\1/p' "$guide")
expect 'laps of all are in one table' [ "$(sh -c "$command" | cut -d'|' -f 1 | sort -u | xargs)" = 'order sweep work-precision' ]
expect 'and each has its own' [ "$(asked results 'SELECT sum(seconds), count(*) FROM sweep_laps')" = "$before" ]
run sweep --contacts 2 --trials 2 --processes 1 --epsilon 1e-3 --duration 0.6 --out results
expect 'and derives its results from them' success
run sweep --contacts 2,4 --trials 2 --processes 1 --epsilon 1e-3 --duration 0.6 --out results
expect 'the sweep again' success
cat >same.py <<'END2'
import csv, json, math, sqlite3, sys
store = sqlite3.connect(sys.argv[1] + "/essbench.sqlite")
store.row_factory = sqlite3.Row

def newest(table):
    return [dict(x) for x in store.execute(
        f"SELECT * FROM `{table}` JOIN newest USING (run) ORDER BY within, row")]

def flat(row):
    """with the members of its settings beside it, as the csv has them"""
    return {**json.loads(row["settings"]), **row} if "settings" in row else row

def same(text, value):
    if value is None:
        return text in ("", "nan", "inf")
    return text == value if isinstance(value, str) else math.isclose(float(text), value, rel_tol=1e-15)

for name in sys.argv[2:]:
    member = name.partition("/")[2]
    kept = newest(name.replace("/", "_") if member else name)
    if member:
        rows = json.load(open(f"{sys.argv[1]}/{name.partition('/')[0]}.json"))[member]
    else:
        rows = list(csv.DictReader(open(f"{sys.argv[1]}/{name}.csv")))
    assert len(rows) == len(kept) > 0, name
    for row, stored in zip(rows, map(flat, kept)):
        for column, value in row.items():
            if not member:
                assert same(value, stored[column]), (name, column, value, stored[column])
            elif isinstance(value, (list, dict)):
                assert value == json.loads(stored[column]), (name, column)
            else:
                assert value == stored[column], (name, column, value, stored[column])
END2
expect 'csv and json are what the tables have' python3 same.py results sweep sweep/ratios sweep/slopes \
  order order_fit projection_path order_flat

# --- what the guide says --------------------------------------------------------------------------

command=$(sed -n 's/^    \(sqlite3 results.* = 100"\)/\1/p' "$guide" | sed 's/= 100/= 4/')
expect 'the line of the guide' [ "$(sh -c "$command" | cut -c 1-14)" = "$(python3 -c 'import json
for x in json.load(open("results/sweep.json"))["ratios"]:
    if x["contacts"] == 4: print(x["protocol"], x["mujoco_over_libess"], sep="|")' | cut -c 1-14)" ]
expect 'answers' [ "$(sh -c "$command" | grep -c '^paper|[0-9]')" -eq 1 ]
sed -n '/^    import pandas/,/^$/p' "$guide" | sed 's/^    //' >ask.py
python3 -c 'import pandas' 2>/dev/null || cat >pandas.py <<'END2'
def read_sql(sql, store):
    at = store.execute(sql)
    return [[x[0] for x in at.description], *at.fetchall()]
END2
expect 'three lines of Python' [ "$(wc -l <ask.py)" -eq 4 ]
expect 'and they answer' sh -c 'python3 ask.py | grep -q mujoco_over_libess'
# where there is a DuckDB
query=$(sed -n 's/^    duckdb -c "\(.* = 100\)"/\1/p' "$guide" | sed 's/= 100/= 4/')
expect 'the guide has a query for DuckDB' [ -n "$query" ]
if python3 -c 'import duckdb' 2>/dev/null; then
  expect 'which answers the same' [ "$(python3 -c 'import duckdb, sys
for row in duckdb.sql(sys.argv[1]).fetchall(): print("%s|%.6g" % row)' "$query")" = "$(asked results \
    "SELECT protocol || printf('|%.6g', mujoco_over_libess) FROM sweep_ratios JOIN newest USING (run) WHERE contacts = 4")" ]
fi
expect "ratios of a sweep lie in their own intervals" sh -c "$2/tools/page compare results results | grep -qE '^([1-9][0-9]*) of \\1 ratios'"
command=$(sed -n 's/^    \(sqlite3 results.*ATTACH.*\)/\1/p' "$guide")
mkdir earlier && cp results/essbench.sqlite earlier
expect 'two databases answer together' [ "$(sh -c "$command" | awk -F'|' '$3 > 0 && $3 == $4' | wc -l)" -eq \
  "$(asked results 'SELECT count(*) FROM sweep_ratios JOIN newest USING (run)')" ]
command=$(sed -n 's/^    \(sqlite3 results.*VACUUM"\)/\1/p' "$guide" | sed 's/2026-11-01/9999/')
sh -c "$command"
expect 'runs are forgotten with all that is theirs' [ "$(asked results \
  'SELECT (SELECT count(*) FROM run) + (SELECT count(*) FROM cell) + (SELECT count(*) FROM sweep_ratios)')" -eq 0 ]

finish
