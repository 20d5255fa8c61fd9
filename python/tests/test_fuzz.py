# SPDX-License-Identifier: Apache-2.0
"""Bad calls: each ends by an ordinary exception or a result, and the interpreter lives."""

import math
import os
import random
import warnings

import numpy as np

import ess

COUNT = int(os.environ.get("ESS_FUZZ", "10000"))
ODD = [
    None, True, -1, 0, 1, 2.5, 1e308, math.nan, math.inf, -math.inf, 10**400, "a", b"", 1j, [], [0.0],
    [1.0, 2.0], [[1.0]], [math.nan], np.zeros(0), np.zeros((2, 2)), np.array("x"), {}, object(), print,
    np.zeros(3, dtype=np.float32), np.array([1, 2], dtype=object), (0, 1), (1, 0), (0, -math.inf), iter(()),
]  # fmt: skip


def spoiler(rng, good):
    """a function that now and then does something else"""
    share = rng.choice([0.0, 0.01, 0.2])

    def function(t, y, *rest):
        if rng.random() < share:
            what = rng.randrange(6)
            if what == 0:
                raise rng.choice([ValueError, KeyError, MemoryError, StopIteration])("odd")
            if what == 1:
                y.resize(rng.randrange(50), refcheck=False)
            if what == 2:
                y.dtype = np.int64
            if what == 3 and rest and isinstance(rest[0], np.ndarray):
                rest[0].fill(math.nan)
            if what > 3:
                return rng.choice(ODD)
        return good(t, y, *rest)

    return function


def call(rng):
    n = rng.choice([1, 2, 5])
    given = {
        "fun": spoiler(rng, lambda t, y, *s: np.cos(y[::-1]) if rng.random() < 0.9 else [1.0] * n),
        "t_span": rng.choice([(0, 1), (1, -1), (0, 0), (0.0, 1e-30)]),
        "y0": [rng.uniform(-1, 1) for _ in range(n)],
        "max_steps": 200,
    }
    if rng.random() < 0.5:
        given["guards"] = spoiler(rng, lambda t, y, *s: [y[0] - 0.1, y[-1] * t])
    if rng.random() < 0.3:
        given["impact"] = spoiler(rng, lambda t, y, *s: rng.choice([y, -y, (y, [0, 1])]))
    if rng.random() < 0.5:
        event = spoiler(rng, lambda t, y: y[0] - 0.2)
        event.terminal = rng.choice([None, True, 2, -1, "a", math.nan, 10**30])
        event.direction = rng.choice([0, 1, -1, None, "a"])
        given["events"] = rng.choice([event, [event, event]])
    for name in ("t_eval", "dense_output", "tangents", "jac", "guard_jac", "args"):
        if rng.random() < 0.1:
            given[name] = rng.choice([True, *ODD])
    for _ in range(rng.choice([0, 0, 1, 2])):
        name = rng.choice(
            "fun t_span y0 method t_eval dense_output events vectorized args guards guard_count impact "
            "impacts_at jac guard_jac tangents rtol atol max_step first_step max_steps tie base user params "
            "sliding rest t_jumps progress max_time".split()
        )
        given[name] = rng.choice(ODD)
        if name == "max_steps" and given[name] is True:
            given[name] = 1
    return given


def test_bad_calls_end_well():
    rng = random.Random(30)
    ended, refused = 0, 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(COUNT):
            given = call(rng)
            try:
                r = ess.solve_ivp(**given)
                if r.success and r.y is not None and len(r.t):
                    assert np.isfinite(r.y).all()
                if callable(r.sol):
                    r.sol(rng.uniform(-2, 2))
                ended += 1
            except Exception as error:
                assert not isinstance(error, (AssertionError, SystemError)), given
                refused += 1
    assert ended > COUNT // 10 and refused > COUNT // 10
