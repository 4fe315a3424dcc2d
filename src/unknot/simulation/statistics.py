"""What the counters of a run say: percentiles, steady or not, saturated or not."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Times = npt.NDArray[np.int64]

BATCHES = 20
"""Batches into which a measuring window is divided."""
FEWEST = 5
"""Fewest independent values from which a confidence interval is told."""


def percentiles(values: Times, shares: Sequence[float]) -> list[float | None]:
    """Exact percentiles by nearest rank: the smallest value below or at which that share of the values lies."""
    if not values.size:
        return [None] * len(shares)
    ranks = [max(0, math.ceil(share * values.size) - 1) for share in shares]
    ordered = np.partition(values, sorted(set(ranks)))
    return [float(ordered[rank]) for rank in ranks]


def mean(total: float, count: int) -> float | None:
    """Mean, or None of nothing."""
    return float(total) / count if count else None


def half_width(means: npt.NDArray[np.float64]) -> float | None:
    """Half the 95 % confidence interval of the mean of independent values (Student); None of fewer than `FEWEST`."""
    from scipy.special import stdtrit

    if means.size < FEWEST:
        return None
    return float(stdtrit(means.size - 1, 0.975) * means.std(ddof=1) / math.sqrt(means.size))


def steady(means: Sequence[float | None], *, change: float = 0.05, phases: int = 2) -> bool:
    """Whether the mean latency changed by less than `change` from phase to phase, so many times in a row."""
    last = means[-phases - 1 :]
    if len(last) <= phases:
        return False
    return all(a is not None and b is not None and abs(b - a) <= change * a for a, b in pairwise(last))


def saturated(
    lag_before: Times,
    lag_after: Times,
    cycles: int,
    packet_length: int,
    accepted: float,
    offered: float,
    packets: int,
    name: Callable[[int], str],
) -> str:
    """Why the network cannot take the offered load; empty if it can.

    Parameters
    ----------
    lag_before, lag_after : int64 arrays, shape (terminals,)
        Cycles each source was behind when measuring began and ended.
    packets : int
        Packets created in that time; the tolerance for chance shrinks with their root.
    name : callable
        Name of a terminal.
    """
    # Steady queues fluctuate by a few packets; what counts is a backlog that is long and grew with the time measured.
    growth = (lag_after - lag_before) / cycles
    long = _long(packet_length)
    figures = f"accepted {accepted:.4g} of {offered:.4g} flits per terminal and cycle"
    if growth.mean() > _growing(cycles) and lag_after.mean() > long:
        return f"saturated: {figures}; source queues fall behind by {growth.mean():.1%} of the time"
    worst = int(np.argmax(growth))
    if growth[worst] > 0.03 and lag_after[worst] > 4 * long:
        return (
            f"saturated: {figures}; the source queue of {name(worst)} falls behind by {growth[worst]:.1%} of the time"
        )
    if accepted < (0.95 - 3 / math.sqrt(max(packets, 1))) * offered:
        return f"saturated: {figures}"
    return ""


def doubtful(lag_before: Times, lag_after: Times, cycles: int, packet_length: int) -> bool:
    """Whether sources are far behind and fell back further, but too little to call it saturation."""
    growth = float((lag_after - lag_before).mean()) / cycles
    return 0.001 < growth <= _growing(cycles) and float(lag_after.mean()) > _long(packet_length)


def _growing(cycles: int) -> float:
    """Part of the time by which sources fall back in so many cycles that is not by chance."""
    return min(0.01, max(0.002, 100 / cycles))


def _long(packet_length: int) -> int:
    """How many cycles a source may be behind for a moment, by chance alone."""
    return 10 * packet_length + 20
