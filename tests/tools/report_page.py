#!/usr/bin/env python3
# Whether a report is whole: no network, each name once, links that resolve, every figure of the folder drawn and
# with text for those who cannot see it, every claim with a verdict.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: report_page.py FOLDER
import csv
import glob
import html
import html.parser
import json
import os
import re
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
check("a cell that does not say what it is of", text.count("<td") == text.count('<td data-head="'))
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
for path in glob.glob(f"{folder}/**/robot.json", recursive=True):
    with open(path) as file:
        robot = json.load(file)
    here = os.path.dirname(path)
    name = os.path.basename(robot["file"] if os.path.samefile(here, folder) else here)
    check(f"{name}: no page of its own, or nothing leads there", {f"robot-{name}"} <= {*page.names} & {l[1:] for l in page.links})
    begin = text.find(f'<h3 id="robot-{html.escape(name)}">')
    part = re.split('</section>|<h3 id="robot-', text[begin + 1 :])[0] if begin >= 0 else ""
    part = html.unescape(re.sub(r"<svg.*?</svg>", "[picture]", part, flags=re.S))
    part = re.sub(r'<td data-head=".*?">', "<td>", part)
    for finding in robot["survey"]:
        check(f"{name}: not surveyed: {finding['why']}", finding["why"] in part)
    for row in robot["touchdowns"][:12]:
        check(f"{name}: no touch-down of {row['foot']}", f"<td>{row['time']:.6f}</td><td>{row['foot']}</td>" in part)
    for row in robot["mujoco"]:
        check(f"{name}: no step of {row['time_step']} s", f"<td>{1e3 * row['time_step']:.5g}</td>" in part)
    for row in robot["reach"]:
        ends = [row.get(f"mujoco_over_libess_{end}") for end in ("low", "high")]
        if None not in ends:
            check(f"{name}: no interval at {row['rms_error']}", f"[{ends[0]:.2g}, {ends[1]:.2g}]" in part)
    count = len(glob.glob(f"{os.path.dirname(path)}/figures/*robot*.svg"))
    check(f"{name}: {part.count('[picture]')} pictures of {count}", part.count("[picture]") == count)
for line in failures:
    print(f"FAILED: {line}")
sys.exit(1 if failures else 0)
