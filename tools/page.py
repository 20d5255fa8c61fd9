# What tools share: how they fail, the database of a folder of results, of which machine and commit these are, and lines
# between the marks of a page.
# SPDX-License-Identifier: GPL-3.0-or-later
import contextlib
import csv
import fnmatch
import functools
import glob
import importlib.machinery
import importlib.util
import itertools
import json
import os
import platform
import re
import sqlite3
import subprocess
import sys
import time
import urllib.parse


DATABASE = "essbench.sqlite"


def fail(line):
    sys.exit(f"{os.path.basename(sys.argv[0])}: {line}")


def tool(name):
    """Another of the tools, whose sentences or tables are used."""
    loader = importlib.machinery.SourceFileLoader(name, os.path.join(os.path.dirname(os.path.abspath(__file__)), name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def usage(line):
    """Ends with what is wrong and what the tool's own comment says of its use."""
    with open(sys.argv[0]) as file:
        said = next(row[2:].strip() for row in file if row.startswith("# usage: "))
    print(f"{os.path.basename(sys.argv[0])}: {line}; {said}", file=sys.stderr)
    sys.exit(2)


def options(flags=(), valued=(), most=99):
    """The words of the command line, and by name its options: flags, and those that take a value."""
    words, found, rest = [], {}, iter(sys.argv[1:])
    for word in rest:
        if word in valued:
            found[word] = next(rest, None)
            if found[word] is None:
                usage(f"{word} needs a value")
        elif word in flags:
            found[word] = True
        elif word.startswith("-"):
            usage(f"'{word}' is no option")
        else:
            words.append(word)
    if len(words) > most:
        usage(f"'{words[most]}' is one word too many")
    return words, found


def given(*defaults):
    """The words of the command line, and defaults for those that are not there."""
    words, _ = options(most=len(defaults))
    return [*words, *defaults[len(words) :]]


def whole(name, text, least=1):
    """A whole number of the command line."""
    if not re.fullmatch(r"\d{1,9}", text) or int(text) < least:
        usage(f"{name} {text} is not accepted; it is a whole number from {least} on")
    return int(text)


def opened(path, mode="r"):
    try:
        return open(path, mode)
    except OSError as why:
        fail(f"{why.filename}: {why.strerror}")


def make_folder(folder):
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as why:
        fail(f"{why.filename}: {why.strerror}")


def git(*words):
    """What git says, or None where it fails."""
    done = subprocess.run(["git", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def environment(commit, packages, *sources):
    """Of which machine, packages and commit measurements are; a change of the sources is a warning."""
    with open("/proc/cpuinfo") as file:
        models = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    changed = git("status", "--porcelain", "--untracked-files=no", "--", *sources)
    return {"git_commit": commit, "compiler": ", ".join(packages), "cpu": models[0] if models else platform.machine(),
            "cores": os.cpu_count(), "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "warnings": ["sources have been changed since this commit"] * bool(changed)}  # fmt: skip


def ask_pip(what, *words):
    """Ends with one line where packages cannot be had."""
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        said = [line.strip() for line in (done.stderr or done.stdout).split("\n") if line.strip()]
        fail(f"skipped, since {what} cannot be had here: {said[-1] if said else 'pip does not say why'}")


def fetch(what, place, pin, cost):
    """Sets up a Python with the packages that a file lists, unless it is there."""
    stamp = f"{place}/done"
    with open(pin) as file:
        pinned = file.read()
    if os.path.exists(stamp) and open(stamp).read() == pinned:
        return
    print(f"{os.path.basename(sys.argv[0])}: setting up {place}: {cost}", flush=True)
    ask_pip(f"{what} ({pin})", sys.executable, "-m", "venv", "--clear", place)
    ask_pip(f"{what} ({pin})", f"{place}/bin/python", "-m", "pip", "install", "--disable-pip-version-check", "--quiet", "-r", pin)
    with open(stamp, "w") as file:
        file.write(pinned)


def of_studies(names, end):
    """The declarations of studies, by their sources: these members, if one of them is there."""
    studies = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../experiments/studies/*.c")
    for path in sorted(glob.glob(studies)):
        with open(path) as file:
            found = re.split(r"^const study ", file.read(), flags=re.M)[1:]
        for text in found:
            said = dict(re.findall(rf'^    \.({names}) = "(.*)",$', text, re.M))
            if end in said:
                timed = not re.search(r"^    (STUDY_BRIEF|\.untimed = true),$", text, re.M)
                yield f"experiments/studies/{os.path.basename(path)}", {"page": None, "timed": timed, **said}


def declared():
    """The studies that say how they are small."""
    return of_studies("name|file|small|page", "small")


@functools.cache
def files():
    """The names of studies, by those of their files of results."""
    return {said["file"]: said["name"] for _, said in of_studies("name|file", "file")}


# ---- the database of a folder -----------------------------------------------------------------------

# as essbench makes it (measure/store.c, experiments/core/study_store.c), which refuses what does not bear its mark
MARK = "PRAGMA application_id = 0x65737362", "PRAGMA user_version = 1"
RUNS = """CREATE TABLE IF NOT EXISTS run (id INTEGER PRIMARY KEY, study TEXT NOT NULL, place TEXT NOT NULL,
  settings TEXT NOT NULL, git_commit TEXT, host TEXT NOT NULL, load REAL, seed INTEGER,
  begun TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, ended TEXT, head TEXT)"""
ROWS = "run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, row INTEGER NOT NULL, within INTEGER"


def as_kept(value):
    """A value as the database has it: lists and objects are JSON, and an empty text is none."""
    if isinstance(value, (list, dict)):
        return json.dumps(value, ensure_ascii=False)
    return None if value == "" or value != value else value


def keep(folder, study, head, place="", **tables):
    """Writes the measurements of a tool in the form of a study: a completed run, and its rows by the names of their
    tables. An earlier run of the same place is removed."""
    make_folder(folder or ".")
    try:
        with sqlite3.connect(os.path.join(folder, DATABASE), timeout=60) as db:
            db.execute("PRAGMA foreign_keys = ON")
            if db.execute("PRAGMA application_id").fetchone() == (0,):
                for mark in MARK:
                    db.execute(mark)
            db.execute(RUNS)
            db.execute("DELETE FROM run WHERE (study, place) = (?, ?)", [study, place])
            run = db.execute("INSERT INTO run (study, place, settings, host, ended, head) VALUES (?, ?, '{}', '', "
                             "CURRENT_TIMESTAMP, ?)", [study, place, json.dumps(head)]).lastrowid
            for table, rows in tables.items():
                db.execute(f'CREATE TABLE IF NOT EXISTS "{table}" ({ROWS})')
                there = {name for _, name, *_ in db.execute(f'PRAGMA table_info("{table}")')}
                for name in dict.fromkeys(name for row in rows for name in row if name not in there):
                    db.execute(f'ALTER TABLE "{table}" ADD COLUMN "{name}"')
                for number, row in enumerate(rows):
                    row = {"run": run, "row": number, **row}
                    db.execute(f"""INSERT INTO "{table}" ({', '.join(f'"{name}"' for name in row)})
                      VALUES ({', '.join('?' * len(row))})""", [*map(as_kept, row.values())])
        db.close()
    except sqlite3.Error as why:
        fail(f"{os.path.join(folder, DATABASE)}: {why}")


def value_of(text):
    """A cell of a .csv: a number where it is one."""
    for kind in int, float:
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def draw(folder, figure):
    """A figure of the folder's tables, for the pages; without gnuplot it stays."""
    settings = f"data='{folder}'; out='docs/figures'; format='png'"
    try:
        done = subprocess.run(["gnuplot", "-e", settings, f"plots/{figure}.gp"], capture_output=True, text=True)
        why = done.stderr.strip().splitlines()[-1:] if done.returncode else []
    except OSError:
        why = ["gnuplot is not installed; apt-get install gnuplot-nox"]
    if why:
        print(f"docs/figures/{figure}.png stays as it was: {why[0]}", file=sys.stderr)


def take(path, folder):
    """Takes the results of another program from NAME.json and NAME_*.csv beside it: each list of rows is a table, and the
    other members are the head. Cases with an environment are places, to which the rows of the same case belong."""
    stem = os.path.splitext(path)[0]
    name, tables = os.path.basename(stem), {}
    with opened(path) as file:
        try:
            top = json.load(file)
            lists = {member for member, rows in top.items() if isinstance(rows, list) and isinstance(rows[0], dict)}
        except (ValueError, AttributeError, IndexError) as why:
            fail(f"{path} is no object of lists of rows: {why}")
    tables = {f"{name}_{member}": top.pop(member) for member in lists}
    for csv_path in sorted(glob.glob(f"{glob.escape(stem)}_*.csv")):
        with opened(csv_path) as file:
            tables[os.path.splitext(os.path.basename(csv_path))[0]] = [
                {column: value_of(cell or "") for column, cell in row.items()} for row in csv.DictReader(file)]
    cases = [case for case in tables.get(f"{name}_cases", []) if "environment" in case]
    for case in cases:
        own = {table: [row for row in rows if row.get("case", row.get("name")) == case["name"]] for table, rows in tables.items()}
        keep(folder, name, {**top, "environment": case["environment"]}, case["name"], **own)
    if not cases:
        keep(folder, name, top, **tables)


class Store:
    """The database of a folder: for each study and place the run that ended last."""

    def __init__(self, path):
        self.path, self.folder, self.runs = path, os.path.dirname(path), {}
        try:
            # a new database has no tables yet
            _, runs = self.ask("SELECT id, study, place, head FROM run JOIN (SELECT max(id) AS id, min(id) AS first FROM run "
                               "WHERE ended IS NOT NULL GROUP BY study, place) USING (id) ORDER BY first") or ((), ())
            for run, study, place, head in runs:
                self.runs[run] = study, {"command": study, "place": place, **json.loads(head or "{}")}
        except (ValueError, TypeError) as why:
            fail(f"{path}: {why}")

    def ask(self, query):
        """The columns and rows of a query; None where a table is absent. The last reader of a database that a killed study
        has left takes its journal in, so it may write."""
        try:
            with contextlib.closing(sqlite3.connect(f"file:{urllib.parse.quote(self.path)}?mode=rw", uri=True, timeout=60)) as db:
                cursor = db.execute(query)
                return [name for name, *_ in cursor.description], cursor.fetchall()
        except sqlite3.Error as why:
            if not str(why).startswith("no such table"):
                fail(f"{self.path}: {why}")

    def of(self, file):
        """The heads of the study with this file of results, by their runs."""
        name = files().get(file, None if file in files().values() else file)
        return {run: head for run, (study, head) in self.runs.items() if study == name}

    def tables(self):
        """All tables of rows, without those of samples."""
        return [name for name, in self.ask("SELECT m.name FROM sqlite_schema m, pragma_table_info(m.name) c "
                                           "WHERE m.type = 'table' AND c.name = 'row' AND m.name != 'lap' "
                                           "AND m.name NOT LIKE '%\\_cells' ESCAPE '\\'")[1]]

    def rows(self, table):
        """The columns and rows of a table, each row with its run. The rows of FILE_top also have the members of their
        run's head. None where there is no such table."""
        heads = self.of(table.removesuffix("_top")) if table.endswith("_top") else {}
        found = {run: [] for run in self.runs}
        there = self.ask(f'SELECT * FROM "{table}" WHERE run IN ({", ".join(map(str, found))}) ORDER BY row')
        columns, rows = there or (["run"], ())
        for row in rows:
            found[row[0]].append(dict(zip(columns, map(as_kept, row))))
        for run, head in heads.items():
            head = {name: as_kept(value) for name, value in head.items()}
            columns = [*dict.fromkeys([*head, *columns])]
            found[run] = [{"run": run, **head, **row} for row in found[run] or [{}]]
        return (columns, [row for rows in found.values() for row in rows]) if there or heads else None


def stores(folder, below=""):
    """The databases of the folders below that a pattern finds, in their order."""
    return map(Store, sorted(glob.glob(os.path.join(glob.escape(folder), below, DATABASE), recursive=True),
                             key=os.path.dirname))


@functools.cache
def measured_code():
    """Patterns of files that numbers depend on, with the parts that each matters to; those that are compiled first."""
    try:
        with open("tools/measured.list") as file:
            compiled, _, other = re.sub(r"^#.*\n", "", file.read(), flags=re.M).partition("\n\n")
    except OSError:  # outside the repository nothing says what is measured
        return [], []
    compiled, other = ([line.split() for line in half.splitlines()] for half in (compiled, other))
    own = {}
    for path, said in of_studies("name|file", "file"):
        own.setdefault(path, []).append(said["file"])
    named = [pattern for pattern, *_ in compiled if pattern.startswith("experiments/studies/")]
    compiled += [[path, *of] for path, of in own.items() if not any(fnmatch.fnmatchcase(path, x) for x in named)]
    return compiled, other


def code_commit():
    """The last commit that changed what is compiled: essbench names it, too. Pages alone make no other."""
    return git("log", "-1", "--format=%H", "--", *(path for path, *_ in measured_code()[0])) or git("rev-parse", "HEAD")


@functools.cache
def changed_files(one, other):
    """None where git does not know one of the commits."""
    said = git("diff", "--name-only", str(one), str(other))
    return said if said is None else said.split()


def matters(file, part):
    """Whether a part's numbers depend on a file."""
    parts = None
    for path, *named in itertools.chain(*measured_code()):
        if file == path or file.startswith(f"{path}/") or fnmatch.fnmatchcase(file, path):
            parts = named
    return parts is not None and (not parts or part.startswith(tuple(parts)))


def changed_code(one, other, part):
    """Files that a part's numbers depend on and that differ between two commits; None where one is unknown."""
    files = [] if one == other else changed_files(one, other)
    return files if files is None else [file for file in files if matters(file, part)]


def is_same_code(one, other, part):
    """Whether what measures a part is the same at two commits."""
    return one == other or any(measured_code()) and changed_code(one, other, part) == []


def listed(names):
    names = list(names)
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def table(*head, rule=" --- "):
    return [line(head), f"|{'|'.join([rule] * len(head))}|"]


def cost_of(folder, part):
    """The record of make results of a complete part: its commit, times and load."""
    found = [rows for store in stores(folder) if (rows := store.rows("results_cost"))]
    return next((row for _, rows in found for row in rows if row["part"] == part and row["whole"]), {})


def watched(folder, part, e):
    """The environment of a part, its warnings about the machine replaced by the load while the part ran: the first
    moment of a study has the load of what ran before."""
    kept = cost_of(folder, part)
    if not kept or not is_same_code(kept.get("commit"), e["git_commit"], part):
        return e
    if kept.get("load") is None:
        return {**e, "warnings": ["no times are measured"]}
    warnings = [w for w in e.get("warnings") or [] if not w.startswith(("load average", "other tasks"))]
    return {**e, "warnings": [*warnings, f"load average while it ran: {kept['load']:.1f} on {e['cores']} cores"]}


def machine(e, *more):
    """Of which commit, build, machine and day a file of results is; warnings come last."""
    versions = {"MuJoCo": (e.get("mujoco") or {}).get("version"), "CVODE": e.get("sundials"), "GSL": e.get("gsl"),
                "ODE": e.get("ode"), "Drake": e.get("drake"), "Simbody": e.get("simbody")}
    rivals = [f"{name} {version}" for name, version in versions.items() if version]
    said = [*rivals, e["compiler"], f"{e['cores']} cores ({e['cpu']})", e["date"][:10]]
    return f"commit `{e['git_commit'][:7]}`, {', '.join(said)}; {disturbed(e, *more)}"


def disturbed(e, *more):
    """What may have disturbed times."""
    return "; ".join([*more, *(e.get("warnings") or ["no warning"])])


def origins(found):
    """The machine's line of each (name, environment, what more to say): once what all have in common."""
    heads = [machine({**e, "warnings": []}).removesuffix("; no warning") for _, e, *_ in found]
    if len(found) < 2 or len(set(heads)) > 1:
        return [f"- {name}: {machine(e, *more)}" for name, e, *more in found]
    return [f"All measurements are of {heads[0]}.", "", *(f"- {name}: {disturbed(e, *more)}" for name, e, *more in found)]


def line(cells):
    return f"| {' | '.join(map(str, cells))} |"


def rewrite(page, tables):
    with opened(page) as file:
        text = file.read()
    for name, lines in tables.items():
        pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.S)
        if not pattern.search(text):
            fail(f"{page} has no place for {name}")
        body = "\n".join(lines) + "\n"
        text = pattern.sub(lambda m: m[1] + body + m[2], text)
    with opened(page, "w") as file:
        file.write(text)
