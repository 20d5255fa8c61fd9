#!/usr/bin/env python3
# Every link of a page leads to a file that is there, and to a heading that it has; some other page links to
# each of docs/; the citation is of the version that ess.h has; the glossary lists its words, and troubleshooting.md
# the statuses; comments cite formulas that pages have; the README and the changelog are short.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_links.py SOURCE
import glob
import os
import re
import sys


def prose(path):
    """A page without its code: blocks and `spans` hold no links."""
    with open(path) as file:
        text = re.sub(r"^ *```.*?^ *```", "", file.read(), flags=re.S | re.M)
    return re.sub(r"(?<!\[)`[^`\n]*`(?!\])", "", text)


def anchors(path):
    """A page's headings as GitHub names them."""
    with open(path) as file:
        text = re.sub(r"^ *```.*?^ *```", "", file.read(), flags=re.S | re.M)
    names = set()
    for heading in re.findall(r"^#+ +(.*)$", text, re.M):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        names.add(re.sub(r"[^\w\- ]", "", words).replace(" ", "-"))
    return names


def links_of(page):
    """Text, link, file and heading of each that leads to a file."""
    for text, link in re.findall(r"\[([^\]]*)\]\(([^)\s]+)\)", prose(page)):
        if not re.match(r"[a-z]+:", link):
            file, _, anchor = link.partition("#")
            yield text, link, os.path.normpath(os.path.join(os.path.dirname(page), file)) if file else page, anchor


def wrong(page):
    for text, link, target, anchor in links_of(page):
        if not os.path.exists(target):
            yield f"{page}: [{text}]({link}): no such file"
        elif anchor and anchor not in anchors(target):
            yield f"{page}: [{text}]({link}): {target} has no such heading"


os.chdir(sys.argv[1])
pages = glob.glob("*.md") + glob.glob("*/*.md") + glob.glob("docs/*/*.md")
pages = [page for page in pages if page.split("/")[0] not in ("build", "results")]
faults = [fault for page in pages for fault in wrong(page)]
reached = {target for page in pages for _, _, target, _ in links_of(page) if target != page}
faults += [f"{page}: no other page links to it" for page in pages if page.startswith("docs/") and page not in reached]
with open("integrator/ess.h") as header, open("CITATION.cff") as citation:
    version = re.search(r'ESS_VERSION +"(.*)"', header.read())[1]
    cited = citation.read()
    if f"\nversion: {version}\n" not in cited:
        faults.append(f"CITATION.cff does not name version {version}")
    year = re.search(r"^date-released: (\d+)", cited, re.M)[1]
with open("README.md") as file:
    readme = file.read()
    lines = readme.splitlines()
faults += [f"README.md: the BibTeX entry has another {name} than {value}; tools/page RESULTS README.md writes it"
           for name, value in (("version", version), ("year", year)) if f"{name} = {{{value}}}," not in readme]
faults += [f"README.md:{n}: {len(line)} columns" for n, line in enumerate(lines, 1)
           if len(line) > 110 and line[:1] not in "|!" and not line.startswith(("<!-- measured", "*Measured"))]
faults += [f"README.md has {len(lines)} lines"] * (len(lines) > 120)
with open("CHANGELOG.md") as file:
    lines = file.read().splitlines()
faults += [f"CHANGELOG.md has {len(lines)} lines"] * (len(lines) > 100)
# the glossary lists each of its words, once
with open("docs/guide/glossary.md") as file:
    glossary = file.read()
words = re.findall(r"^### (.*)$", glossary, re.M)
listed = re.findall(r"\[([^\]]*)\]\(#[^)]*\)", re.search(r"^\| subject.*?\n\n", glossary, re.M | re.S)[0])
for word in words:
    if words.count(word) > 1 or word.lower() not in map(str.lower, listed):
        faults.append(f"docs/guide/glossary.md: {word} is not listed, or stands there twice")
# each status has one row
with open("integrator/ess.h") as header:
    statuses = re.findall(r"^  (ESS_[A-Z]+)\b", re.search(r"typedef enum ess_status \{(.*?)^\}", header.read(), re.M | re.S)[1], re.M)
with open("docs/guide/troubleshooting.md") as file:
    rows = re.findall(r"^\| `(ESS_[A-Z]+)` \|", file.read(), re.M)
faults += [f"docs/guide/troubleshooting.md: {status} has {rows.count(status)} rows"
           for status in sorted({*statuses, *rows}) if rows.count(status) != 1 or status not in statuses]
if len(statuses) < 15:
    faults.append(f"integrator/ess.h: {len(statuses)} statuses were found: too few")
# the formulas that comments cite
cited = 0
for path in glob.glob("integrator/*.[ch]"):
    with open(path) as file:
        text = re.sub(r"\n \* ?", " ", file.read())
    for names, page in re.findall(r"(\([A-Z]\d+\)(?: and \([A-Z]\d+\))*) of (docs/theory/[\w-]+\.md)", text):
        with open(page) as file:
            numbers = re.findall(r"\\tag\{(.*?)\}", file.read())
        cited += 1
        faults += [f"{path}: {page} has no formula ({name})" for name in re.findall(r"[A-Z]\d+", names) if name not in numbers]
if cited < 6:
    faults.append(f"{cited} citations of formulas were found: too few")
links = sum(len(re.findall(r"\]\([^)\s]+\)", prose(page))) for page in pages)
if len(pages) < 30 or links < 140:
    faults.append(f"{len(pages)} pages and {links} links were found: too few")
print("\n".join(faults) or f"{len(pages)} pages, {links} links")
sys.exit(bool(faults))
