# What tests ask of the database in a folder of results. Sourced.
# SPDX-License-Identifier: GPL-3.0-or-later

# $1 is the folder, $2 SQL; nothing where there is no database, or no such table yet
asked() { [ -e "$1/essbench.sqlite" ] && sqlite3 -cmd '.timeout 10000' "$1/essbench.sqlite" "$2" 2>/dev/null; }

# how many cells the newest run has, or those that have not ended
cells() { number "$(asked "$1" 'SELECT count(*) FROM cell WHERE run = (SELECT max(id) FROM run)')"; }
unended() { number "$(asked "$1" 'SELECT count(*) FROM cell JOIN run ON run.id = run WHERE ended IS NULL')"; }
number() { echo "${1:-0}"; }

# how many runs have ended
ended_runs() { number "$(asked "$1" 'SELECT count(*) FROM run WHERE ended IS NOT NULL')"; }

# whether table $2 of the newest run in folder $1 has $3 rows, of which all keep to the SQL $4
all_rows() { [ "$(asked "$1" "SELECT count(*), sum($4) FROM $2 JOIN newest USING (run)")" = "$3|$3" ]; }

# makes the newest run in folder $1, which has ended, one that has not: with its first $2 cells alone
cut_to() {
  newest='(SELECT max(id) FROM run)'
  asked "$1" "UPDATE run SET ended = NULL WHERE id = $newest;
    DELETE FROM cell WHERE run = $newest AND id NOT IN (SELECT id FROM cell WHERE run = $newest ORDER BY id LIMIT $2)"
  for table in $(asked "$1" "SELECT name FROM sqlite_schema WHERE sql LIKE '%within INTEGER%'"); do
    case $table in
      *_cells | lap) asked "$1" "DELETE FROM $table WHERE within NOT IN (SELECT id FROM cell)" ;;
      *) asked "$1" "DELETE FROM $table WHERE run = $newest" ;;
    esac
  done
}

# the values of a column of a table, or of its rows that begin with $3
column() {
  awk -F, -v name="$2" -v first="${3-}" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
    first == "" || $1 == first { print $at }' "$1"
}

# a table without a column: what no clock decides
without() {
  awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } { $at = ""; print }' "$1"
}

# .csv files of folder $1 become tables of the database there, as if a run had left them
put() {
  python3 - "$@" <<'END'
import csv, sqlite3, sys
store = sqlite3.connect(sys.argv[1] + "/essbench.sqlite")
store.execute("INSERT OR IGNORE INTO run VALUES (99, 'all', '', '', '', '', 0, 0, '', 'now', '')")
for name in sys.argv[2:]:
    head, *rows = csv.reader(open(f"{sys.argv[1]}/{name}"))
    table = name[:-4]
    if table == "claims":
        continue
    store.execute(f"DROP TABLE IF EXISTS `{table}`")
    columns = ", ".join(f"`{x}` NUMERIC" for x in head)
    store.execute(f"CREATE TABLE `{table}` (run, row INTEGER PRIMARY KEY, within, {columns})")
    for row in rows:
        values = [None if x == "nan" else x for x in row]
        store.execute(f"INSERT INTO `{table}` VALUES (99, NULL, NULL{', ?' * len(row)})", values)
store.commit()
END
}
