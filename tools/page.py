# What the tools that write pages share: a row of a table, and lines between the marks of a page.
# SPDX-License-Identifier: GPL-3.0-or-later
import os
import re
import sys


def fail(line):
    sys.exit(f"{os.path.basename(sys.argv[0])}: {line}")


def opened(path, mode="r"):
    try:
        return open(path, mode)
    except OSError as why:
        fail(f"{why.filename}: {why.strerror}")


def line(cells):
    return f"| {' | '.join(cells)} |"


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
