"""From an empty network to one in balance."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from unknot.simulation.engine.engine import Engine
from unknot.simulation.run.statistics import truncation

PARTS = 60
"""Parts of equal length by which the latencies of a warm-up are judged."""
LONGEST = 64
"""How many times as long as the shortest a warm-up is at most."""


def warm_up(engine: Engine, rate: float, say: Callable[[str, int], None]) -> None:
    """Run until the mean latency of the packets that arrive has been in balance for half of the time.

    The shortest warm-up brings 600 packets and takes 1,500 cycles, or more in large or slow networks. It doubles
    until MSER (`statistics.truncation`) would leave out no more than the first half of it; until then at least six
    mean latencies have passed. Saturated networks never come into balance: it also ends when sources fall far behind.

    Parameters
    ----------
    rate : float
        Packets created per cycle in the whole network.
    """
    if not rate:
        return
    part = math.ceil(3 * min(20_000, max(500, math.ceil(200 / rate))) / PARTS)
    longest = LONGEST * part * PARTS
    found = np.zeros((0, 2))
    while True:
        while len(found) < PARTS:
            say("warming up", engine.now)
            before = np.array([engine.count("latency"), engine.count("arrived")], dtype=np.float64)
            if not engine.run(part):
                return
            after = np.array([engine.count("latency"), engine.count("arrived")], dtype=np.float64)
            found = np.concatenate([found, [after - before]])
        cycles, lag = part * PARTS, engine.lag()
        if lag.mean() > max(200, cycles / 40) or lag.max() > max(1000, cycles / 4) or cycles >= longest:
            return
        means = found[:, 0] / np.maximum(1, found[:, 1])
        last = found[-PARTS // 3 :].sum(axis=0)
        if last[1] and 6 * last[0] <= cycles * last[1] and truncation(means) <= PARTS // 2:
            return
        found, part = found.reshape(-1, 2, 2).sum(axis=1), 2 * part
