"""Routes that orders allow, chosen so that the busiest channel carries little."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unknot.synthesis.laned import Routes
from unknot.synthesis.ways import Demand

if TYPE_CHECKING:
    from unknot.synthesis.orders_kernel import Orders, Ways

MOVES = 200
"""Moves of the search for each pair, in all rounds together."""
ROUNDS = ((1.1, 0.1, 0.003), (1.05, 0.05, 0.001))
"""Scale of the loads, by the mean one, and temperatures at the beginning and at the end of each round."""


def balanced(given: Demand, ways: Ways, orders: Orders, *, seed: int = 0, moves: int = MOVES) -> Routes:
    """Routes along climbing shortest paths in the lanes of some orders, of low highest load.

    By simulated annealing on the sum of the 16th powers of loads; what follows a channel in a lane on the way to a
    destination is one channel, so a change moves all that comes this way. Time and memory: lanes × channels ×
    destinations.
    """
    from unknot.synthesis.load_kernel import balance, choose

    lanes, channels = orders.key.shape
    routers, homes = given.wanted.shape
    rate = np.where(given.wanted, given.rate, -1.0)
    lane, start = np.full((routers, homes), -1), np.full((routers, homes), -1)
    follow = np.empty((lanes, channels, homes), dtype=np.int8)
    flow, load = np.zeros((lanes, channels, homes)), np.zeros(channels)
    state = np.array([np.random.default_rng([seed, lanes]).integers(2**63)], dtype=np.uint64)
    choose(ways, orders.key, orders.reach, rate, lane, start, follow, flow, load, state)
    mean = load.sum() / max(1, channels)
    best = Routes(lane.copy(), start.copy(), follow.copy(), load.copy())
    for scale, hot, cold in ROUNDS if mean > 0 else ():
        balance(
            ways, orders.key, orders.reach, rate, lane, start, follow, flow, load, state,
            moves * given.pairs // len(ROUNDS), scale * mean, hot, cold,
        )  # fmt: skip
        if load.max() < best.load.max():
            best = Routes(lane.copy(), start.copy(), follow.copy(), load.copy())
    return best
