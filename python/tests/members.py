# SPDX-License-Identifier: Apache-2.0
"""Functions of ensembles that workers import by name."""

import os
import signal


def dies(t, y, p):
    if p[0] < 0.0:
        os._exit(3)
    return -p[0] * y


def dies_once(t, y, p, mark):
    """of whichever member is the first that is past a quarter"""
    if p[0] > 1.25:
        try:
            os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
            os.kill(os.getpid(), signal.SIGKILL)
        except FileExistsError:
            pass
    return -p[0] * y


def decay(t, y, p):
    if p[0] == 3.0:
        raise ValueError("odd rate")
    return -p[0] * y


def half(t, y, p):
    return y[0] - 0.5


def fall(t, y, sign, p):
    return [y[1], -9.81]


def height(t, y, p):
    return y[0]


def bounce(t, y, sign, crossed, p):
    return [0.0, -p[0] * y[1]]
