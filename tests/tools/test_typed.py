#!/usr/bin/env python3
# Every number in docs/results that was measured is written by a tool: outside what stands between
# <!-- NAME --> and <!-- end -->, and in the text of its template's blocks, no number has a unit of time, size or share, and
# none is a power of ten, but for those in typed.txt, which are settings, limits or the papers'.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_typed.py SOURCES
import glob
import os
import re
import sys

NUMBER = r"(?<![\w.])[-−]?\d[\d .]*(?:[.,]\d+)?(?:e-?\d+)?(?:·10[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)?"
WORDS = "two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|half|a tenth|a fifth"
UNITS = r"s|ms|µs|us|ns|%|per cent|times|minutes?|hours?|seconds?|kB|MB|GB|mm|m|rad|rad/s|cm/s"
MEASURED = [
    re.compile(rf"{NUMBER} ?(?:{UNITS})(?![\w/])"),
    re.compile(rf"\b(?:{WORDS}) (?:times|per cent|minutes|hours|seconds)\b"),
    re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+|·10[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)"),
]


def of_template(text):
    """Of a template the text that a hand wrote, which stands above each query; its lines keep their numbers."""
    lines, query = [], False
    for line in text.split("\n"):
        query = query or re.match(r" *(SELECT|WITH)\b|or as before: ", line) is not None
        lines.append("" if query else re.sub(r"\{[^}]*\}", " ", line))
        query = query and not re.search(r";( *--.*)?$|^-->$", line) and not line.startswith("or as before: ")
    return "\n".join(lines)


def of_page(text):
    """Of a page what no tool writes: without blocks' lines."""
    return re.sub(r"<!-- [^\n]* -->\n.*?<!-- end -->", lambda found: "\n" * found[0].count("\n"), text, flags=re.S)


def outside(text):
    """Without code that is set apart, and addresses."""
    text = re.sub(r"^( {4}|```).*$", "", text, flags=re.M)
    return re.sub(r"\]\([^)]*\)|`[^`\n]*`", " ", text)


def typed(path):
    with open(path) as file:
        text = of_template(file.read()) if path.endswith(".page") else of_page(file.read())
        for number, line in enumerate(outside(text).split("\n"), 1):
            for pattern in MEASURED:
                for found in pattern.finditer(line):
                    yield number, found[0].strip()


def main():
    here, sources = os.path.dirname(os.path.abspath(__file__)), sys.argv[1]
    with open(f"{here}/typed.txt") as file:
        allowed = {tuple(row.rstrip("\n").split("\t")[:2]) for row in file if "\t" in row}
    left, failures = set(allowed), 0
    pages = sorted(glob.glob(f"{sources}/docs/results/*.md"))
    templates = [f"{sources}/tools/pages/{os.path.basename(page)[:-3]}.page" for page in pages]
    for path in [*pages, *filter(os.path.exists, templates)]:
        name = os.path.basename(path).replace(".page", ".md")
        for number, found in typed(path):
            left.discard((name, found))
            if (name, found) not in allowed:
                failures += 1
                print(f"FAILED: {os.path.relpath(path, sources)}:{number}: '{found}' stands outside the blocks that tools write")
    for name, found in sorted(left):
        failures += 1
        print(f"FAILED: typed.txt allows '{found}' in {name}, which has it no more")
    print("all as it should be" if not failures else f"{failures} failures")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
