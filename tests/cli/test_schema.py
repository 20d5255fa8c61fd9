#!/usr/bin/env python3
"""Validates what essbench writes against its schemas, and that damage of any value in it is noticed.

Usage: test_schema.py ESSBENCH SCHEMAS quick|calibration|mujoco|precision|speed|scale|
tolerance|ensemble|derivative KEPT. In KEPT are the results of mujoco and speed, which another test has
measured. Ends with
status 77 (skipped) where no python3 has the module jsonschema (Debian: python3-jsonschema).
SPDX-License-Identifier: GPL-3.0-or-later
"""
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile

DISTRIBUTION_PYTHON = "/usr/bin/python3"

try:
    import jsonschema
except ImportError:
    # the first python3 of the path need not be the one that apt-get fills
    if os.path.exists(DISTRIBUTION_PYTHON) and not os.environ.get("SCHEMA_TEST_AGAIN"):
        os.environ["SCHEMA_TEST_AGAIN"] = "1"
        os.execv(DISTRIBUTION_PYTHON, [DISTRIBUTION_PYTHON] + sys.argv)
    print("skipped: no python3 here has the module jsonschema (apt-get install python3-jsonschema)")
    sys.exit(77)

essbench, schemas, part, kept = sys.argv[1:]
failures = 0


def fail(text):
    global failures
    failures += 1
    print("FAILED", text)


def load(name):
    with open(os.path.join(schemas, name + ".schema.json"), encoding="utf-8") as file:
        return json.load(file)


def validator(name):
    """A validator of schema `name` that finds the shared parts."""
    schema = load(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    try:
        from referencing import Registry, Resource
        shared = Resource.from_contents(load("common"))
        registry = Registry().with_resource("common.schema.json", shared)
        return jsonschema.Draft202012Validator(schema, registry=registry)
    except ImportError:
        # jsonschema before 4.18
        folder = pathlib.Path(schemas).resolve().as_uri() + "/"
        resolver = jsonschema.RefResolver(folder, schema)
        return jsonschema.Draft202012Validator(schema, resolver=resolver)


def run(*words, status=0):
    """What essbench prints; its warnings about this machine are of no concern here."""
    done = subprocess.run([essbench, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True)
    if done.returncode != status:
        fail("essbench " + " ".join(words) + ": " + done.stderr.strip())
        return "null"
    return done.stdout


def leaves(value, path=()):
    """The paths of all values that hold no others."""
    if isinstance(value, (dict, list)) and value:
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from leaves(value[key], path + (key,))
    else:
        yield path


def damaged(document, path, value=None):
    """A copy with a value of a wrong kind, or the one given, at the path."""
    result = copy.deepcopy(document)
    at = result
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = {"damaged": [True]} if value is None else value
    return result


def lacking(document, path):
    """A copy without what is at the path."""
    result = copy.deepcopy(document)
    at = result
    for key in path[:-1]:
        at = at[key]
    del at[path[-1]]
    return result


def thinned(value):
    """Of many rows alike the first two and the last: damage of one is as good as of another."""
    if isinstance(value, dict):
        return {key: thinned(one) for key, one in value.items()}
    if not isinstance(value, list):
        return value
    kept = value if len(value) <= 3 else value[:2] + value[-1:]
    return [thinned(one) for one in kept]


def check_settings(what, rules, document, path):
    """A solver's settings miss none of their members, and an order is 1 or 2."""
    place = "/".join(map(str, path))
    if rules.is_valid(lacking(document, path)):
        fail("%s: that %s is missing is not noticed" % (what, place))
    for value in (0, 3, "1") if path[-1] == "projection_order" else ():
        if rules.is_valid(damaged(document, path, value)):
            fail("%s: %r for %s is not noticed" % (what, value, place))


def check(name, what, text, free=()):
    """`text` is valid; thinned out it is too, but with any value damaged, or any member at the top
    gone, it is not. Below the names in `free` anything may stand."""
    rules = validator(name)
    document = json.loads(text)
    for error in rules.iter_errors(document):
        fail("%s: %s: %s" % (what, "/".join(map(str, error.path)), error.message))
    if not isinstance(document, dict):
        return
    document = thinned(document)
    for error in rules.iter_errors(document):
        fail("%s: thinned out: %s" % (what, error.message))
    count = settings = 0
    for path in leaves(document):
        if any(key in free for key in path):
            continue
        count += 1
        if rules.is_valid(damaged(document, path)):
            fail("%s: damage of %s is not noticed" % (what, "/".join(map(str, path))))
        if path[-2:-1] in (("settings",), ("options",)):
            settings += path[-1] == "projection_order"
            check_settings(what, rules, document, path)
    for key in document:
        if rules.is_valid({k: v for k, v in document.items() if k != key}):
            fail("%s: that %s is missing is not noticed" % (what, key))
    for key, value in (("schema", "essbench-other-1"), ("schema_version", 2)):
        if rules.is_valid({**document, key: value}):
            fail("%s: %s %s is not noticed" % (what, key, value))
    if count < 10:
        fail("%s: only %d values were damaged" % (what, count))
    print("%s: valid, %d settings in it, and %d damages noticed"
          % (what, settings, count + len(document) + 2))


def read(folder, name):
    try:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        fail(str(error))
        return "null"


def check_quick(folder):
    run("order", "--out", folder)
    check("order", "order.json", read(folder, "order.json"))
    for words in (["--contacts", "2,4", "--trials", "6"], ["--contacts", "3", "--trials", "2"],
                  ["--contacts", "2", "--trials", "2", "--solvers", "projection"]):
        what = "sweep " + " ".join(words)
        here = os.path.join(folder, what)
        run("sweep", *words, "--epsilon", "1e-3", "--out", here)
        check("sweep", what, read(here, "sweep.json"), free=["context"])
        check("compare", "compare of " + what, run("compare", "--json", here, here))
    for words in (["--contacts", "3"], ["--model", "hopper", "--solver", "mujoco"],
                  ["--solver", "reference"], ["--model", "hill"],
                  ["--model", "affine3", "--no-reference", "--h-max", "inf"]):
        check("run", "run " + " ".join(words), run("run", "--json", *words))
    check("run", "run into zeno",
          run("run", "--json", "--model", "rocking-block", "--delta-t", "0", status=1))


def check_calibration(folder):
    run("calibrate", "--trials", "2", "--out", folder)
    check("calibration", "calibration.json", read(folder, "calibration.json"))


def check_mujoco(_):
    check("mujoco_settings", "mujoco_settings.json", read(kept, "mujoco_settings.json"))


def check_precision(folder):
    methods = ["--methods", "libess,projection-1,hybrid,mujoco-Euler,mujoco-implicitfast"]
    small = ["--trials", "2", "--point-work", "0", "--duration", "0.02", "--out", folder]
    run("work-precision", "--contacts", "2", *methods, *small)
    run("work-precision", "--model", "affine3", *methods, *small)
    check("work_precision", "work_precision.json", read(folder, "work_precision.json"))
    run("crossing-cost", "--contacts", "2,3", "--methods", "projection-1,hybrid,mujoco-Euler",
        "--target", "1e-4", *small[:4], "--duration", "0.7", "--out", folder)
    check("crossing_cost", "crossing_cost.json", read(folder, "crossing_cost.json"))


def check_speed(_):
    check("speed", "speed.json", read(kept, "speed.json"))


def check_scale(folder):
    for contacts in ("5", "2,3,4"):
        here = os.path.join(folder, contacts)
        run("scale", "--contacts", contacts, "--trials", "2", "--point-time", "0", "--epsilons",
            "1e-1,1e-3,1e-4,1e-5,1e-6", "--duration", "1", "--out", here)
        check("scale", "scale of " + contacts, read(here, "scale.json"))


def check_ensemble(folder):
    run("ensemble", "--contacts", "2", "--tolerance", "1e-3", "--trials", "40", "--out", folder)
    check("ensemble", "ensemble.json", read(folder, "ensemble.json"))
    run("ensemble", "--contacts", "2", "--tolerance", "1e-16", "--trials", "3", "--out", folder)
    check("ensemble", "ensemble.json of failures", read(folder, "ensemble.json"))


def check_tolerance(folder):
    run("tolerance", "--contacts", "2", "--tolerances", "1e-2,1e-4,1e-6", "--trials", "4", "--out",
        folder)
    check("tolerance", "tolerance.json", read(folder, "tolerance.json"))


def check_derivative(folder):
    for words in (["--model", "slip", "--direction", "0,1,0,0,0"], ["--contacts", "3"],
                  ["--model", "trot", "--coupling", "1"], ["--model", "trot", "--limbs", "rigid"],
                  ["--model", "hopper", "--epsilon", "1e-4"]):
        check("derivative", "derivative " + " ".join(words), run("derivative", "--json", *words))
    for words in (["--model", "walker"], ["--model", "walker", "--by", "slope", "--to", "0.016", "--steps", "4"],
                  ["--model", "slip", "--passages", "2", "--duration", "3", "--guess", "0.95"]):
        check("orbit", "orbit " + " ".join(words), run("orbit", "--json", *words))
    run("derivative-error", "--out", folder)
    check("derivative_error", "derivative_error.json", read(folder, "derivative_error.json"))
    run("limbs", "--rotations", "1", "--out", folder)
    check("limbs", "limbs.json", read(folder, "limbs.json"))
    run("rigid-soft", "--stiffnesses", "1e5", "--ratios", "2", "--time-steps", "2",
        "--integrators", "Euler", "--out", folder)
    check("rigid_soft", "rigid_soft.json", read(folder, "rigid_soft.json"))
    # where MuJoCo is too old for robots there is no such study
    if "\n  robot " in run("--help"):
        scene = os.path.join(folder, "hopper.xml")
        run("xml", "hopper", "-o", scene)
        run("robot", scene, "--starts", "1", "--time", "0.3", "--time-steps", "0.002,0.001", "--tolerances",
            "1e-3", "--check-step", "1e-4", "--out", folder)
        check("robot", "robot.json", read(folder, "robot.json"))
        run("robot", scene, "--derivative", "--time", "0.2", "--halvings", "1", "--out", folder)
        check("robot_derivative", "robot_derivative.json", read(folder, "robot_derivative.json"))
    run("contact-modes", "--slope-step", "20", "--speed-step", "0.6", "--out", folder)
    check("contact_modes", "contact_modes.json", read(folder, "contact_modes.json"))


with tempfile.TemporaryDirectory() as temporary:
    {"quick": check_quick, "calibration": check_calibration, "mujoco": check_mujoco,
     "precision": check_precision, "speed": check_speed,
     "scale": check_scale, "tolerance": check_tolerance, "ensemble": check_ensemble,
     "derivative": check_derivative}[part](temporary)
sys.exit(1 if failures else 0)
