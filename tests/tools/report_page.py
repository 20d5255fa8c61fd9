#!/usr/bin/env python3
# Whether a report is whole: no network, each name once, links that resolve, every figure of the folder drawn and
# with text for those who cannot see it, every claim with a verdict.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: report_page.py FOLDER
import csv
import glob
import html.parser
import os
import sys

VOID = {"meta", "br", "hr", "img", "input", "link"}
failures = []


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.names, self.links, self.open, self.pictures, self.captions, self.text = [], [], [], [], 0, []

    def handle_starttag(self, tag, attributes):
        self.seen(tag, dict(attributes))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen(tag, dict(attributes))

    def seen(self, tag, attributes):
        if "id" in attributes:
            self.names.append(attributes["id"])
        self.links += [attributes[k] for k in ("href", "xlink:href", "src") if k in attributes]
        if tag == "svg":
            self.pictures.append(attributes)
        self.captions += tag == "figcaption"
        if tag in ("script", "iframe", "link", "object", "embed"):
            failures.append(f"<{tag}> would load something")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            failures.append(f"</{tag}> at line {self.getpos()[0]} closes nothing")

    def handle_data(self, data):
        self.text.append(data)


def check(what, holds):
    if not holds:
        failures.append(what)


folder = sys.argv[1]
with open(f"{folder}/report.html") as file:
    text = file.read()
page = Page()
page.feed(text)
check(f"never closed: {page.open}", not page.open)
twice = {name for name in page.names if page.names.count(name) > 1}
check(f"names that stand twice: {sorted(twice)[:5]}", not twice)
for link in page.links:
    check(f"leads out of the page: {link}", link.startswith("#"))
    check(f"leads nowhere: {link}", link[1:] in page.names)
check("url( of something else", text.count("url(") == text.count("url(#"))
check("no text for who cannot see", all(p.get("aria-label") and p.get("role") == "img" for p in page.pictures))
drawn = [p for p in glob.glob(f"{folder}/figures/*.svg") if not os.path.basename(p).startswith("robot")]
check(f"{len(page.pictures)} pictures of {len(drawn)}", len(page.pictures) >= len(drawn))
check("a picture without a sentence", page.captions == len(page.pictures))
for wanted in ("prefers-color-scheme: dark", 'name="viewport"', 'lang="en"'):
    check(f"no {wanted}", wanted in text)
said = "".join(page.text)
if os.path.exists(f"{folder}/claims.csv"):
    with open(f"{folder}/claims.csv") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        check(f"claim not told: {row['says']}", row["says"] in said and row["criterion"] in said)
    for verdict in ("holds", "fails"):
        count = sum(row["verdict"] == verdict for row in rows)
        check(f"not {count} times {verdict}", text.count(f'<span class="{verdict}">') == count)
for line in failures:
    print(f"FAILED: {line}")
sys.exit(1 if failures else 0)
