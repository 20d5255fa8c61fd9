# A mass on a belt by nosnoc and by libess: it slips, sticks to the belt until its spring pulls it off, and slips again. The
# model is examples/periodic_stick_slip/periodic_stick_slip.py of https://github.com/nosnoc/nosnoc_py at 26f5803, with one
# switch; settings are those of the oscillator.
# SPDX-License-Identifier: GPL-3.0-or-later
# needs: nosnoc casadi scipy
from casadi import SX, vertcat
from scipy.integrate import solve_ivp as scipy_ivp

from share import hand_over, orders

SOURCE = "[periodic_stick_slip](https://github.com/nosnoc/nosnoc_py/blob/26f5803579bdfd9e62a8de0371ef9e199e1d78bd/examples/periodic_stick_slip/periodic_stick_slip.py)"


def rates(y, force):
    """For numbers, and for CasADi's symbols."""
    return vertcat(y[1], force) if isinstance(y, SX) else [y[1], force]


class Belt:
    name, duration, start = "mass on a belt", 6.0, [0.04, -0.01]
    source = SOURCE
    sliding, speed = True, 0.2

    def switch(self, y):
        return y[1] - self.speed

    @staticmethod
    def above(y):
        return rates(y, -y[0] - 1 / (0.8 + y[1]))

    @staticmethod
    def below(y):
        return rates(y, -y[0] + 1 / (1.2 - y[1]))

    def exact(self):
        """By SciPy's DOP853 where it slips. Where it sticks it moves with the belt, until it is at 1."""

        def slip(t, y):
            return self.below(y)

        def sticks(t, y):
            return self.switch(y)

        sticks.terminal, sticks.direction = True, 1
        to = dict(method="DOP853", rtol=1e-13, atol=1e-14)
        first = scipy_ivp(slip, (0, self.duration), self.start, events=sticks, **to)
        released = first.t[-1] + (1 - first.y[0, -1]) / self.speed
        return scipy_ivp(slip, (released, self.duration), [1, self.speed], **to).y[:, -1]


fesd, best = orders(Belt(), "nosnoc 0.2.0")
hand_over(rows=[best], fesd=fesd)
