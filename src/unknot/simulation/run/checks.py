"""What runs may be asked for."""

from __future__ import annotations

import math

import numpy as np

from unknot.errors import SimulationError
from unknot.switching import Switching

MOST = 2**40
"""Most cycles of a part of a run."""
MOST_THREADS = 1024


def check_point(packet_length: int, switching: Switching, buffer_depth: int, seed: int) -> None:
    """Refuse numbers that no run can have."""
    for name, value, least, most in (
        ("packet_length", packet_length, 1, 1 << 20),
        ("buffer_depth", buffer_depth, 1, 1 << 20),
        ("seed", seed, 0, 2**64 - 1),
    ):
        whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        if not whole or not least <= value <= most:
            raise SimulationError(f"{name} must be a whole number from {least} to {most}, got {value!r}")
    if switching in ("saf", "vct") and packet_length > buffer_depth:
        raise SimulationError(
            f"a packet of {packet_length} flits does not fit a buffer of {buffer_depth}; {switching} needs "
            f"buffer_depth of at least packet_length: give {packet_length}, or another switching technique such as "
            "wormhole"
        )


def check_run(
    load: float,
    warmup: int | None,
    measure: int | None,
    precision: float | None,
    interval: int | None,
    threads: int,
) -> None:
    """Refuse what no run can be asked for."""
    if not _is_number(load) or not 0 <= load <= 1:
        raise SimulationError(f"load must be a number from 0 to 1 flit per terminal and cycle, got {load!r}")
    for name, cycles, least in (("warmup", warmup, 0), ("measure", measure, 1), ("interval", interval, 1)):
        if cycles is not None and (
            isinstance(cycles, bool) or not isinstance(cycles, (int, np.integer)) or not least <= cycles <= MOST
        ):
            raise SimulationError(f"{name} must be a whole number of cycles from {least} to {MOST}, got {cycles!r}")
    if precision is not None and (not _is_number(precision) or not 0 < precision < 1):
        raise SimulationError(f"precision must be a number between 0 and 1, such as 0.02, got {precision!r}")
    if precision is not None and measure is not None:
        raise SimulationError("precision chooses how long to measure: give either it or measure")
    if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or not 1 <= threads <= MOST_THREADS:
        raise SimulationError(f"threads must be a whole number from 1 to {MOST_THREADS}, got {threads!r}")


def _is_number(value: object) -> bool:
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    return number and math.isfinite(value)  # type: ignore[arg-type]
