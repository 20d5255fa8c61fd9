# SPDX-License-Identifier: Apache-2.0
from typing import Any

from numpy.typing import NDArray

NODES: int
version: str

def solve(t0: float, t1: float, y0: NDArray[Any], options: dict[str, Any]) -> dict[str, Any]: ...
def ensemble(
    t0: float,
    t1: float,
    starts: NDArray[Any],
    users: NDArray[Any],
    params: NDArray[Any],
    threads: int,
    options: dict[str, Any],
    ends: NDArray[Any],
    times: NDArray[Any],
    failed_at: NDArray[Any],
    grid: NDArray[Any],
    tangents: NDArray[Any],
    along: NDArray[Any],
    event_dt: NDArray[Any],
    event_dx: NDArray[Any],
    numbers: NDArray[Any],
) -> tuple[Any, ...]: ...
def status_message(status: int) -> str: ...
