#!/usr/bin/env python3
# The method's page has each threshold with the value that the code has.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_thresholds.py SOURCE
import glob
import os
import re
import sys

PAGE, ROWS_LEAST = "docs/theory/method.md", 30


def value_of(expression):
    """A number, or an expression of C or of the page; None where it is another thing."""
    text = expression.replace("DBL_EPSILON", "2**-52").replace("^", "**").replace("1 << 24", "2**24")
    text = re.sub(r"0x1p(-?\d+)", r"2.0**\1", text)
    return eval(text) if re.fullmatch(r"[-+*/()\d.e ]+", text) else None


def defined():
    """name -> the values that it has in the library"""
    found = {}
    for path in glob.glob("integrator/*.[ch]"):
        with open(path) as file:
            text = file.read()
        plain = re.findall(r"\b([A-Z][A-Z_]+) = ([^,;{}]+?)(?=[,;]| })", text)
        listed = [(name, first) for name, first in re.findall(r"\b([A-Z_]+)\[\w*\] = {([^,}]+)", text)]
        macros = re.findall(r"^#define ([A-Z_]+) +(-?[\d.]+(?:e-?\d+)?)$", text, re.M)
        for name, expression in plain + listed + macros:
            value = value_of(expression.strip())
            if value is not None:
                found.setdefault(name, []).append(value)
    return found


def faults(page, code):
    rows = re.findall(r"^\| (`.*?) \| (.*?) \|", page.split("\n## Thresholds\n")[1].split("\n## ")[0], re.M)
    if len(rows) < ROWS_LEAST:
        yield f"only {len(rows)} thresholds were found"
    for names, values in rows:
        names, values = re.findall(r"`(\w+)`", names), values.split(", ")
        if len(names) != len(values):
            yield f"{names}: {len(values)} values"
        for name, value in zip(names, values):
            if not any(abs(value_of(value) - its) <= 1e-9 * abs(its) for its in code.get(name, [])):
                yield f"{name} is {value} on the page, and {code.get(name, 'nowhere')} in integrator/"


def main():
    os.chdir(sys.argv[1])
    with open(PAGE) as file:
        found = [f"FAILED: {PAGE}: {fault}" for fault in faults(file.read(), defined())]
    print("\n".join(found) or "all as it should be")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
