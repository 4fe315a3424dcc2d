"""Deadlocks of packets that go by any next hop that is not paused, as adaptive routing and careful spraying do.

Two readings of spraying differ. A packet that is put into the queue of one port waits there: every choice counts, as
with a hash. A packet that takes whichever port is free waits only while all next hops are paused.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable

import numpy as np

from unknot._base.arrays import Flags, Ints
from unknot.routing.ethernet import PathVector
from unknot.routing.lossless_classes import ClassWalk
from unknot.verify.failure_routes import route_steps

MOST = 400_000
"""Channels times destinations up to which routes after failures are judged so."""
Waits = Collection[Collection[int]]
"""For each next hop the buffers any of which pauses it."""


def standing(places: Iterable[tuple[int, Waits]]) -> frozenset[int]:
    """Return the largest set of buffers in which every packet can wait for the set alone.

    Parameters
    ----------
    places : iterable of (int, collection of collections of int)
        A buffer that a packet may be in, and for each of its next hops the buffers any of which pauses that.

    Returns
    -------
    frozenset of int
        Empty: whatever packets are in the buffers, some can go on, so no deadlock is possible.

    Examples
    --------
    >>> ring = [(0, [[1]]), (1, [[0]])]
    >>> sorted(standing(ring)), sorted(standing([(0, [[1], [2]]), (1, [[0]]), (2, [])]))
    ([0, 1], [])
    """
    rows = [(buffer, hops) for buffer, hops in places if hops]
    stands = {buffer for buffer, _ in rows}
    while True:
        left = {buffer for buffer, hops in rows if buffer in stands and all(stands & {*hop} for hop in hops)}
        if left == stands:
            return frozenset(stands)
        stands = left


def walk_stands(walk: ClassWalk) -> frozenset[int]:
    """Return the virtual channels of a fabric without failures that can wait for one another.

    Parameters
    ----------
    walk : ClassWalk
    """
    held = ((walk.vc(place.channel, place.group), part.hops) for place, part in walk.steps())
    rows = ((vc, tuple(dict.fromkeys(tuple(walk.waits(hop)) for hop in hops))) for vc, hops in held if vc is not None)
    return standing(dict.fromkeys(rows))


def routes_stand(vector: PathVector, alive: Flags, hosts: Ints, homes: Ints) -> frozenset[int] | None:
    """Return the channels that can wait for one another in a lossless class, by routes after failures.

    Parameters
    ----------
    vector : PathVector
    alive : bool array, shape (channels,)
    hosts : int array, shape (routers,)
        Terminals at each router.
    homes : int array
        Destinations.

    Returns
    -------
    frozenset of int or None
        None: routes are not settled by the paths alone, or are too many.
    """
    if homes.size * alive.size > MOST or vector.most is not None:
        return None
    target, senders, places = vector.network.target, np.flatnonzero(hosts).tolist(), list[tuple[int, Waits]]()
    for home in homes.tolist():
        tables = vector.tables(home, alive) if hosts[home] else []
        if len(tables) > 1:
            return None
        for words in tables:
            waits = defaultdict[int, list[list[int]]](list)
            for channel, awaited in route_steps(senders, vector.taken(words).lists().__getitem__, target):
                waits[channel].append([awaited])
            places += waits.items()
    return standing(places)
