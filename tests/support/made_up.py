#!/usr/bin/env python3
# Databases from made-up results: what stands in the .csv and .json below a folder, as essbench and tools keep it.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: made_up.py SOURCES FOLDER
import csv
import glob
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, f"{sys.argv[1]}/tools")
from page import files, keep, take as tool_take, value_of  # noqa: E402

# tables whose .csv has another name than the list in the .json
TABLES = {"robots_models": "robots", "robots_error_models": "robots_error", "sliding_costs": "sliding",
          "robot_compare_settings_compared": "robot_compare", "robot_derivative_errors": "robot_derivative",
          "robot_derivative_crossings": "robot_derivative_events"}

# and tables of files that are called otherwise
OWNERS = {"mujoco_profile": "mujoco_settings", "damped": "drake"}


def flat(row):
    """Members of objects are columns of their own, as essbench has them."""
    for name, value in row.items():
        if isinstance(value, dict) and name not in ("environment", "parameters", "derivative", "plain"):
            yield from ((f"{name}.{inner}", of) for inner, of in value.items())
        else:
            yield name, value


def is_rows(value):
    return isinstance(value, list) and all(isinstance(row, dict) for row in value)


def take(tables, file, lists):
    """Lists of rows, and those that stand in their rows."""
    for member, rows in lists.items():
        name = f"{file}_{member}"
        found = tables.setdefault(TABLES.get(name, name), [])
        for number, row in enumerate(rows):
            inner = {m: of for m, of in row.items() if m == "series"}
            events = {"reference_events": [{"value": of} for of in row.get("reference_events", [])]}
            found.append(dict(flat({m: of for m, of in row.items() if m not in {**inner, **events}})))
            for m, of in {**inner, **(events if "reference_events" in row else {})}.items():
                tables.setdefault(f"{file}_{m}", []).extend({"within": number, **dict(flat(one))} for one in of)


def put(folder):
    studies = {}  # the heads by their places, and the tables of each file
    for path in sorted(glob.glob(f"{folder}/*.json")):
        file = os.path.basename(path)[: -len(".json")]
        with open(path) as text:
            top = json.load(text)
        if file == "results":  # what make results has recorded
            keep(folder, file, {}, results_cost=[{"part": part, "whole": True, "load": None, **cost} for part, cost in top["cost"].items()])
            continue
        if file == "outside":
            tool_take(path, folder)
            continue
        lists = {m: of for m, of in top.items() if is_rows(of)}
        if file == "work_precision":
            studies[file] = {case["name"]: case for case in lists.pop("cases")}, {}
        else:
            studies[file] = {"": dict(flat({m: of for m, of in top.items() if not is_rows(of)}))}, {}
        take(studies[file][1], file, lists)
    for path in sorted(glob.glob(f"{folder}/*.csv")):
        table = os.path.basename(path)[: -len(".csv")]
        if table.startswith("outside_"):
            continue
        file = OWNERS.get(table, table)
        while file not in studies and file not in files() and "_" in file:
            file = file.rpartition("_")[0]
        with open(path) as text:
            rows = [{name: value_of(cell or "") for name, cell in row.items()} for row in csv.DictReader(text)]
        studies.setdefault(file, ({"": {}}, {}))[1][table] = rows
    for file, (heads, tables) in studies.items():
        for place, head in heads.items():
            keep(folder, files().get(file, file), head, place, **(tables if place == [*heads][-1] else {}))


for folder, _, names in os.walk(sys.argv[2]):
    if any(name.endswith((".csv", ".json")) for name in names):
        put(folder)
