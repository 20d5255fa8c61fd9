# What the cases share: a case prints its tables as JSON, and a row of the first says who has which number.
# SPDX-License-Identifier: GPL-3.0-or-later
import json
import sys
import time


def row(problem, quantity, by, theirs, ours, exact=None, source=""):
    """A number of another engine beside that of libess, and the exact one where it is known."""
    return dict(problem=problem, quantity=quantity, by=by, theirs=theirs, ours=ours, exact=exact, source=source)


def hand_over(**tables):
    """What an engine prints may have come before; the tables are the last line."""
    print("\n" + json.dumps({name: [plain(one) for one in rows] for name, rows in tables.items()}))
    sys.stdout.flush()


def plain(one):
    """NumPy's numbers as Python's."""
    return {name: value.item() if hasattr(value, "item") else value for name, value in one.items()}


def in_turns(runs, rounds):
    """The least processor time that each takes, of several in turns: what else runs on the machine only adds to it."""
    took = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            begun = time.process_time()
            run()
            took[name].append(time.process_time() - begun)
    return {name: min(times) for name, times in took.items()}
