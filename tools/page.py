# What tools share: how they fail, of which machine and commit results are, and lines between the marks of a page.
# SPDX-License-Identifier: GPL-3.0-or-later
import fnmatch
import functools
import glob
import importlib.machinery
import importlib.util
import itertools
import json
import os
import re
import subprocess
import sys


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


def given(*defaults):
    """The words of the command line, and defaults for those that are not there."""
    words = sys.argv[1:]
    if len(words) > len(defaults):
        usage(f"'{words[len(defaults)]}' is one word too many")
    for word in words:
        if word.startswith("-"):
            usage(f"'{word}' is no option")
    return [*words, *defaults[len(words) :]]


def opened(path, mode="r"):
    try:
        return open(path, mode)
    except OSError as why:
        fail(f"{why.filename}: {why.strerror}")


def git(*words):
    """What git says, or None where it fails."""
    done = subprocess.run(["git", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def declared():
    """What studies say of themselves in their sources, a line each: by the source of each that says how it is small."""
    studies = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../experiments/studies/*.c")
    for path in sorted(glob.glob(studies)):
        with open(path) as file:
            text = file.read()
        said = dict(re.findall(r'^    \.(name|file|small|page) = "(.*)",$', text, re.M))
        if "small" in said:
            timed = not re.search(r"^    (STUDY_BRIEF|\.untimed = true),$", text, re.M)
            yield f"experiments/studies/{os.path.basename(path)}", {"page": None, "timed": timed, **said}


@functools.cache
def measured_code():
    """Patterns of files that numbers depend on, with the parts that each matters to; those that are compiled first."""
    try:
        with open("tools/measured.list") as file:
            compiled, _, other = re.sub(r"^#.*\n", "", file.read(), flags=re.M).partition("\n\n")
    except OSError:  # outside the repository nothing says what is measured
        return [], []
    compiled += "".join(f"\n{path} {said['file']}" for path, said in declared())
    return [[line.split() for line in half.splitlines()] for half in (compiled, other)]


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


def watched(folder, part, e):
    """The environment of a part, its warnings about the machine replaced by the load while the part ran: the first
    moment of a study has the load of what ran before."""
    try:
        with open(f"{folder}/results.json") as file:
            kept = json.load(file)["cost"][part]
    except (OSError, ValueError, KeyError):
        return e
    if not is_same_code(kept.get("commit"), e["git_commit"], part):
        return e
    if "load" not in kept:
        return {**e, "warnings": ["no times are measured"]}
    warnings = [w for w in e.get("warnings") or [] if not w.startswith(("load average", "other tasks"))]
    return {**e, "warnings": [*warnings, f"load average while it ran: {kept['load']:.1f} on {e['cores']} cores"]}


def machine(e, *more):
    """Of which commit, build, machine and day a file of results is; warnings come last."""
    versions = {"MuJoCo": (e.get("mujoco") or {}).get("version"), "CVODE": e.get("sundials"), "GSL": e.get("gsl"),
                "ODE": e.get("ode"), "Drake": e.get("drake")}
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
