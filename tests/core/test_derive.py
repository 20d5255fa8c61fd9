"""Derives the tables of studies again from samples that were kept, and compares every cell.

Each folder in `frozen` has the command of a small run, its database, its .csv files and its screen, as they were
when every study derived its tables in C of its own. The samples are put under a run of the program
that is tested, which finds nothing to measure and derives its tables; those in the database, which
the .json and the screen are of, and the .csv files are to be the same. Where samples say more today
than they did, `samples.sql` says it of those that were kept.
SPDX-License-Identifier: GPL-3.0-or-later
usage: test_derive.py ESSBENCH NAME...
"""

import contextlib
import csv
import gzip
import json
import math
import os
import pathlib
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

FROZEN = pathlib.Path(__file__).resolve().parent / "frozen"
CLOSE = 1e-12

# columns of samples that have another name today
RENAMED = {
    ("mujoco_settings_cells", "variant"): "setting",
    ("work_precision_cells", "status"): "obstacle",
    ("crossing_cost_cells", "status"): "obstacle",
}


def asked(database, sql):
    """What SQL gives of a database that another process may be making."""
    try:
        with contextlib.closing(
            sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=10)
        ) as store:
            return store.execute(sql).fetchall()
    except sqlite3.OperationalError:
        return []


def begin(command, models, folder):
    """The run that the command begins in a new folder, without its cells."""
    database = folder / "essbench.sqlite"
    process = subprocess.Popen(
        command, cwd=models, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    while process.poll() is None and not asked(database, "SELECT 1 FROM run"):
        time.sleep(0.002)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)  # and the processes that it has started
    process.wait()
    return database


def put(database, kept, changes):
    """The cells and samples of a kept run, with changes, as those of the only run of a database."""
    store = sqlite3.connect(database, timeout=60)
    store.execute("ATTACH ? AS kept", (str(kept),))
    (run,) = store.execute("SELECT max(id) FROM run").fetchone()
    (old,) = store.execute("SELECT max(id) FROM kept.run").fetchone()
    # samples are the first of a study's tables
    (kept_table,), (table,) = (
        store.execute(
            f"SELECT name FROM {of}.sqlite_schema WHERE sql LIKE '%within INTEGER%' ORDER BY rowid"
        ).fetchone()
        for of in ("kept", "main")
    )
    store.execute("UPDATE run SET ended = NULL")
    store.execute("DELETE FROM cell")
    store.execute(f"INSERT INTO cell SELECT id, {run}, name FROM kept.cell WHERE run = {old}")
    has = {x[1] for x in store.execute(f"PRAGMA main.table_info({table})")}
    names = [x[1] for x in store.execute(f"PRAGMA kept.table_info({kept_table})")][1:]
    names = {x: RENAMED.get((kept_table, x), re.sub("time_s$", "seconds", x)) for x in names}
    names = {x: now for x, now in names.items() if now in has}
    columns, before = (", ".join(f'"{x}"' for x in of) for of in (names.values(), names))
    store.execute(f"DELETE FROM main.{table}")
    store.execute(
        f"INSERT INTO main.{table} (run, {columns}) SELECT {run}, {before} "
        f"FROM kept.{kept_table} WHERE run = {old}"
    )
    store.executescript(changes)
    store.commit()
    store.close()


def tables_of(database):
    """What a database has of its newest run beside samples: a table of cells by each name."""
    tables = {}
    with contextlib.closing(sqlite3.connect(database)) as store:
        (run,) = store.execute("SELECT max(id) FROM run").fetchone()
        for (name,) in store.execute("SELECT name FROM sqlite_schema WHERE sql LIKE '%within INTEGER%'").fetchall():
            rows = store.execute(f"SELECT * FROM `{name}` WHERE run = {run} ORDER BY row")
            # samples that are derived are in the .csv alone
            if name != "lap" and not name.endswith(("_cells", "_samples")):
                tables[name] = [[x[0] for x in rows.description][2:], *(list(x)[2:] for x in rows)]
    return tables


def csv_of(folder):
    """The .csv files of a folder: a table of cells by each name."""
    return {x.name: list(csv.reader(x.open())) for x in sorted(folder.glob("*.csv"))}


def derive(program, words, kept, changes, models, folder):
    """What the program derives from the samples of a kept database: tables by their names, and its screen."""
    command = [program, *words, "--out", str(folder)]
    database = begin(command, models, folder)
    put(database, kept, changes)
    before = asked(database, "SELECT count(*) FROM cell")
    done = subprocess.run(command, cwd=models, capture_output=True, text=True, timeout=600)
    if done.returncode:
        sys.exit(f"{shlex.join(words)}: {done.stderr}")
    if asked(database, "SELECT count(*) FROM cell") != before:
        sys.exit(f"{shlex.join(words)}: cells were measured")
    # the last lines name the files
    return {**csv_of(folder), **tables_of(database)}, done.stdout.partition("\nresults in ")[0].replace(str(folder), "OUT")


def value_of(cell):
    """A cell as JSON has it, where it is JSON."""
    try:
        return json.loads(cell)
    except (TypeError, ValueError):
        return cell


def difference(a, b):
    """Of two values, relative; the largest of those in lists and objects."""
    if a == b:
        return 0.0
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return max(map(difference, a, b))
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        return max(difference(a[x], b[x]) for x in a)
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return abs(a - b) / max(abs(a), abs(b))
    return math.inf


def compare(expected, found, where):
    """How many cells are compared, and the largest difference: a table in the database may say more."""
    cells, largest, (names, *rows) = 0, 0.0, found
    more = [x for x in names if x not in expected[0]]
    if [x for x in names if x not in more] != expected[0] or (more and where.endswith(".csv")):
        sys.exit(f"{where}: columns are {names} instead of {expected[0]}")
    if len(found) != len(expected):
        sys.exit(f"{where}: {len(found)} rows instead of {len(expected)}")
    for number, (had, has) in enumerate(zip(expected[1:], rows)):
        for name, a in zip(expected[0], had):
            b = has[names.index(name)]
            cells, d = cells + 1, difference(value_of(a), value_of(b))
            largest = max(largest, d)
            if not d <= CLOSE:
                print(f"{where}, row {number}, {name}: {b} instead of {a}")
    return cells, largest


def unpacked(packed, folder):
    """A database that is kept."""
    kept = folder / "kept.sqlite"
    kept.write_bytes(gzip.decompress(packed.read_bytes()))
    return kept


def check(program, name):
    """Whether all cells of a kept run are derived again."""
    of, total, worst = FROZEN / name, 0, 0.0
    with tempfile.TemporaryDirectory() as room:
        kept = unpacked(of / "essbench.sqlite.gz", pathlib.Path(room))
        words = shlex.split((of / "command").read_text())
        expected = {**csv_of(of), **tables_of(kept)}
        changes = (of / "samples.sql").read_text() if (of / "samples.sql").exists() else ""
        found, screen = derive(program, words, kept, changes, of, pathlib.Path(room) / "out")
    if (of / "screen").exists() and (of / "screen").read_text() != screen:
        sys.exit(f"{name}: the screen has changed:\n{screen}")
    for table, rows in expected.items():
        if table not in found:
            sys.exit(f"{name}: there is no {table}")
        cells, largest = compare(rows, found[table], f"{name}/{table}")
        total, worst = total + cells, max(worst, largest)
    print(f"{name}: {total} cells of {len(expected)} tables, largest difference {worst:.2g}")
    return total > 0 and worst <= CLOSE


def main():
    """Checks the runs that are named."""
    program, *names = sys.argv[1:]
    program = os.path.abspath(program)
    sys.exit(0 if all([check(program, x) for x in names]) and names else 1)


if __name__ == "__main__":
    main()
