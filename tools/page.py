# What tools share: how they fail, of which machine and commit results are, and lines between the marks of a page.
# SPDX-License-Identifier: GPL-3.0-or-later
import functools
import importlib.machinery
import importlib.util
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


@functools.cache
def is_same_code(one, other):
    """Whether what measures is the same at two commits: what tools/measured.list names, and what is fetched."""
    if one == other:
        return True
    try:
        with open("tools/measured.list") as file:
            measures = [*file.read().split(), "tools/mujoco.pin", "tools/robots.pin"]
    except OSError:  # not in the house: nothing says what measures
        return False
    return git("diff", "--quiet", str(one), str(other), "--", *measures) is not None


def listed(names):
    names = list(names)
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def table(*head, rule=" --- "):
    return [line(head), f"|{'|'.join([rule] * len(head))}|"]


def watched(folder, part, e):
    """The environment of a part, its warnings by what make results saw while it ran: a study's first moment has the
    load of the study before it, too."""
    try:
        with open(f"{folder}/results.json") as file:
            kept = json.load(file)["cost"][part]
    except (OSError, ValueError, KeyError):
        return e
    if not is_same_code(kept.get("commit"), e["git_commit"]):
        return e
    if "others" not in kept:
        return {**e, "warnings": ["takes no times"]}
    warnings = [w for w in e.get("warnings") or [] if not w.startswith(("load average", "other tasks"))]
    seen = [f"tasks of others that were ready to run beside it: {kept['others']:.2f}"]
    if "memory" in kept:
        seen.append(f"memory up to {kept['memory']:.1f} times as slow as at its best")
    return {**e, "warnings": [*warnings, *seen]}


def machine(e, *more):
    """Of which commit, build, machine and day a file of results is; warnings come last."""
    mujoco = [f"MuJoCo {e['mujoco']['version']}"] if e.get("mujoco") else []
    said = [*mujoco, e["compiler"], f"{e['cores']} cores ({e['cpu']})", e["date"][:10]]
    return f"commit `{e['git_commit'][:7]}`, {', '.join(said)}; {disturbed(e, *more)}"


def disturbed(e, *more):
    """What may have disturbed times."""
    return "; ".join([*more, *(e.get("warnings") or ["no warning"])])


def origins(found):
    """The machine's line of each (name, environment, what more to say): once what all have in common."""
    heads = [machine({**e, "warnings": []}).removesuffix("; no warning") for _, e, *_ in found]
    if len(found) < 2 or len(set(heads)) > 1:
        return [f"- {name}: {machine(e, *more)}" for name, e, *more in found]
    return [f"All are of {heads[0]}.", "", *(f"- {name}: {disturbed(e, *more)}" for name, e, *more in found)]


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
