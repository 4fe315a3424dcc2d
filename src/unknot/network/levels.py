"""Levels of a network that has its terminals at the bottom, such as a fat tree."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from unknot.network.model import Network


def levels(network: Network) -> npt.NDArray[np.int64] | None:
    """The level of each router, or None when some channel does not lead from a level to the next.

    The first coordinate where that is called ``level``; else the hops to the nearest of the routers with terminals
    or, where all have some, of those with more than the fewest.

    Returns
    -------
    int64 array, shape (routers,), or None
        0 at the bottom.
    """
    if network.coordinates is not None and network.dimensions[:1] == ("level",):
        level = network.coordinates[:, 0].astype(np.int64)
    else:
        level = _hops_to_seats(network)
    steps = np.abs(level[network.source] - level[network.target])
    return level if level.min() >= 0 and bool((steps == 1).all()) else None


def seated(network: Network) -> npt.NDArray[np.bool_]:
    """Routers with terminals, or, where all have some, those with more than the fewest; all where all are alike."""
    ends = np.bincount(np.concatenate([network.inject, network.eject]), minlength=network.num_routers)
    fewest = 0 if ends.min() == ends.max() else int(ends.min())
    return np.asarray(ends > fewest)


def _hops_to_seats(network: Network) -> npt.NDArray[np.int64]:
    """Hops to the nearest seated router, channels being gone either way; −1 where there is none."""
    seats = seated(network)
    level = np.where(seats, 0, -1).astype(np.int64)
    new = np.flatnonzero(seats)
    while new.size and not seats.all():
        reached = np.zeros(network.num_routers, dtype=bool)
        near = np.zeros(network.num_routers, dtype=bool)
        near[new] = True
        reached[network.target[near[network.source]]] = True
        reached[network.source[near[network.target]]] = True
        depth = int(level[new[0]]) + 1
        new = np.flatnonzero(reached & (level < 0))
        level[new] = depth
    return level
