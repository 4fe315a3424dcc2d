"""Deadlocks of packets that go by any next hop that is not paused, as adaptive routing and careful spraying do.

Two readings of spraying differ. A packet that is put into the queue of one port waits there: every choice counts, as
with a hash. A packet that takes whichever port is free waits only while all next hops are paused.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from unknot._base.arrays import Flags, Ints
from unknot.fabrics.ethernet.fabric import Destination, EthernetFabric
from unknot.fabrics.ethernet.qos import SwitchQos
from unknot.fabrics.ethernet.routes import Port
from unknot.routing.ethernet import PathVector
from unknot.routing.lossless import PacketPlace
from unknot.routing.lossless_classes import ClassSteps, ClassWalk, members
from unknot.verify.pfc_replay import SEEDS, Flow, fills, leads, replay

STARTS = 40
"""Virtual channels from which a small set that stands is grown."""
MOST_HELD = 40
"""Most virtual channels to which flows are replayed."""
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


def smallest_standing(walk: ClassWalk) -> list[tuple[PacketPlace, ClassSteps]]:
    """Return packets of a small set of virtual channels that can wait for the set alone; none if no channels can.

    The smallest of the sets that grow from a few virtual channels, each with the packets that add the fewest others.
    """
    stands, options = walk_stands(walk), defaultdict[int, list[tuple[PacketPlace, ClassSteps]]](list)
    for place, part in walk.steps():
        vc = walk.vc(place.channel, place.group)
        if vc in stands and part.hops and all(stands.intersection(walk.waits(hop)) for hop in part.hops):
            options[vc].append((place, part))
    best: dict[int, tuple[PacketPlace, ClassSteps]] = {}
    for start in sorted(stands)[:: max(1, len(stands) // STARTS)]:
        chosen, known, todo = dict[int, tuple[PacketPlace, ClassSteps]](), {start}, [start]

        def added(part: ClassSteps, known: set[int] = known) -> set[int]:
            """The virtual channels that stand too, once packets with these steps wait."""
            hops = (walk.waits(hop) for hop in part.hops)
            return {min(stands.intersection(waits)) for waits in hops if known.isdisjoint(waits)}

        while todo and not 0 < len(best) <= len(known):
            vc = todo.pop()
            chosen[vc] = min(options[vc], key=lambda option: len(added(option[1])))
            new = added(chosen[vc][1])
            known |= new
            todo += sorted(new)
        best = best if todo else chosen
    return [*best.values()]


class PacketChoices(NamedTuple):
    """Whether no deadlock is possible where switches choose for each packet; False: replayed; None: open."""

    spraying_free: bool | None
    adaptive_free: bool | None


def judge_packets(walk: ClassWalk, flows: Sequence[Flow], *, cyclic: bool, seeds: int = SEEDS) -> PacketChoices:
    """Judge both readings of spraying: by a proof that no buffers wait so, or by a replay.

    Parameters
    ----------
    flows : sequence of Flow
        Flows that fill buffers on a cycle by the choice of a hash.
    cyclic : bool
        Whether buffers may depend on one another in a cycle.
    seeds : int
        Most runs of each replay.
    """
    spreads = cyclic and flows and replay(walk, flows, "spraying", seeds=seeds) is not None
    held = smallest_standing(walk)
    places = [place.to(next(members(part.destinations))) for place, part in held[:MOST_HELD]]
    stands = len(places) == len(held) and fills(walk, places)
    if held and not stands:
        ways = (lead for at in places for lead in leads(walk.to(at.destination), at))
        starts = [Flow(start, ()) for start in dict.fromkeys(way[0] for way in ways)]
        stands = replay(walk, starts, "adaptive", seeds=seeds) is not None
    return PacketChoices(
        True if not cyclic else False if spreads else None, True if not held else False if stands else None
    )


def fabric_of_routes(vector: PathVector, alive: Flags, hosts: Ints, homes: Ints) -> EthernetFabric | None:
    """Return the fabric with the routes after failures, in one lossless class.

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
    EthernetFabric or None
        None: routes are not settled by the paths alone, or are too many.
    """
    if homes.size * alive.size > MOST or vector.most is not None:
        return None
    network, destinations = vector.network, list[Destination]()
    name = network.router_name
    for home in homes[hosts[homes] > 0].tolist():
        tables = vector.tables(home, alive)
        if len(tables) > 1:
            return None
        rows = enumerate(vector.taken(tables[0]).lists())
        hops = {router: tuple(row) for router, row in rows if row}
        destinations.append(Destination(name(home), (home,), hops, {}, hosts=True))
    ends = tuple(
        (Port(name(source), f"to {channel}"), Port(name(target), f"from {channel}"))
        for channel, (source, target) in enumerate(network.ends)
    )
    qos = (SwitchQos(),) * network.num_routers
    return EthernetFabric(network.name, network, ends, qos, tuple(destinations))
