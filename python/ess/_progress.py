# SPDX-License-Identifier: Apache-2.0
"""How far a run or an ensemble is: a bar by tqdm, a line on the terminal, or the caller's function."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any, Protocol


class Progress(Protocol):
    def __call__(self, done: float, whole: float) -> object: ...


class _Line:
    """for those without tqdm"""

    def __init__(self, unit: str) -> None:
        self._unit, self._is_shown = unit, False

    def __call__(self, done: float, whole: float) -> None:
        share = f"{100 * done / whole:3.0f} %, " if 0 < whole < 1e299 else ""
        of = f" of {whole:.6g}" if share else ""
        print(f"\r{share}{done:.6g}{of} {self._unit}", end="", file=sys.stderr, flush=True)
        self._is_shown = True

    def close(self) -> None:
        if self._is_shown:
            print(file=sys.stderr, flush=True)


class _Bar:
    def __init__(self, tqdm: Any, unit: str) -> None:
        self._tqdm, self._unit, self._bar = tqdm, unit, None

    def __call__(self, done: float, whole: float) -> None:
        if self._bar is None:
            form = "{l_bar}{bar}| {n:.6g}/{total:.6g} [{elapsed}<{remaining}]"
            total = whole if 0 < whole < 1e299 else None
            self._bar = self._tqdm(total=total, unit=self._unit, bar_format=form if total else None)
        bar: Any = self._bar
        bar.update(done - bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


class Reported:
    """`with Reported(progress, unit) as report`: what the native part calls, or None"""

    def __init__(self, progress: Any, unit: str) -> None:
        self._shown: Any = None
        self.function: Progress | None = None
        if progress is None or progress is False:
            return
        if progress is True:
            try:
                from tqdm.auto import tqdm

                self._shown = _Bar(tqdm, unit)
            except ModuleNotFoundError:
                self._shown = _Line(unit)
            self.function = self._shown
        elif callable(progress):
            self.function = progress
        else:
            raise ValueError(
                f"`progress` must be True, False or a function (done, whole); it is {type(progress).__name__}"
            )

    def __enter__(self) -> Reported:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown is not None:
            self._shown.close()

    def __call__(self, done: float, whole: float) -> None:
        if self.function is not None:
            self.function(done, whole)


def check_max_time(max_time: Any, number: Callable[[Any, str], float]) -> float:
    """seconds; infinite where there is no limit"""
    if max_time is None:
        return math.inf
    seconds = number(max_time, "max_time")
    if isinstance(max_time, bool) or not seconds > 0:
        raise ValueError("`max_time` must be a positive number of seconds, or None")
    return seconds
