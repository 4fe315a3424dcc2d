"""Places of packets under PFC by classes of destinations, those with the same next hops at a switch.

A place stands for packets to a set of destinations, the bits of an integer. The set parts where their next hops do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, reduce
from operator import and_, or_
from typing import NamedTuple

import numpy as np

from unknot._base import memory
from unknot.network.graph import backwards
from unknot.routing.lossless import (
    ANY,
    Header,
    Hop,
    PacketPlace,
    PfcBuffers,
    Walk,
    header_name,
    offered_relation,
)
from unknot.routing.relation import Relation

PLACE = 10_000
"""Bytes that an audit takes for each channel and mark, beside a bit for each destination in each of its sets."""
SETS = 4
"""Sets of destinations that an audit keeps for each channel and mark."""
Sets = dict[PacketPlace, int]
"""Destinations by place, as bits."""


class ClassSteps(NamedTuple):
    """Destinations to which a switch treats packets of a kind alike, and steps; `ends`: packets leave the fabric."""

    destinations: int
    hops: tuple[Hop, ...]
    ends: bool


def members(destinations: int) -> Iterator[int]:
    """Yield the numbers in a set, ascending."""
    while destinations:
        low = destinations & -destinations
        yield low.bit_length() - 1
        destinations ^= low


@dataclass(eq=False)
class ClassWalk(PfcBuffers):
    """All places reached by packets, with the destinations of the packets there.

    Attributes
    ----------
    starts, reached : dict
        Places at which packets start, and those to which packets come, by `ANY` destination; with sets.
    kinds : dict
        Places without channel and group, with sets.

    Examples
    --------
    >>> from unknot.fabrics.ethernet.folder import read_ethernet
    >>> from unknot.routing.lossless import PfcModel
    >>> walk = ClassWalk(PfcModel(read_ethernet("examples/ethernet/frr-all-links-up")))
    >>> len(walk.reached), len(Walk(walk.model).steps)
    (20, 44)
    """

    starts: Sets = field(default_factory=dict)
    reached: Sets = field(default_factory=dict)
    kinds: Sets = field(default_factory=dict)

    def __post_init__(self) -> None:
        fabric = self.model.fabric
        most = len(self.model.marks) * fabric.network.num_channels
        size = PLACE + SETS * len(fabric.destinations) // 8
        memory.require(f"{fabric.name}: up to {most:,} places of packets", size * most)
        for source in fabric.edges:
            sends = sum(1 << number for number in fabric.sends(source))
            self.starts |= dict.fromkeys(self.model.enters(source, ANY), sends) if sends else {}
        self.reached, self.kinds = self.flood(self.starts)

    @cached_property
    def classes(self) -> list[list[int]]:
        """For each switch the sets of destinations with the same next hops, owners and tunnels there."""
        fabric = self.model.fabric
        rows = list[list[int]]()
        for router in range(fabric.network.num_routers):
            sets: defaultdict[tuple[object, ...], int] = defaultdict(int)
            for number, one in enumerate(fabric.destinations):
                sets[one.next_hops.get(router, ()), router in one.owners, one.standby.get(router)] |= 1 << number
            rows.append([*sets.values()])
        return rows

    @cached_property
    def parts(self) -> dict[PacketPlace, list[ClassSteps]]:
        """Steps by kind, as they are asked for."""
        return {}

    def after(self, place: PacketPlace, destinations: int) -> Iterator[ClassSteps]:
        """Yield the steps of packets at a place, with the share of the destinations that takes each."""
        kind = place.kind
        if kind not in self.parts:
            # Within a tunnel the address of its end alone leads packets on.
            tunnelled = kind.header.inner is not None
            sets = [(1 << len(self.model.fabric.destinations)) - 1] if tunnelled else self.classes[kind.router]
            self.parts[kind] = [self._part(kind, one) for one in sets]
        for part in self.parts[kind]:
            if share := part.destinations & destinations:
                yield part._replace(destinations=share)

    def _part(self, kind: PacketPlace, destinations: int) -> ClassSteps:
        place = kind.to(next(members(destinations)))
        ends = self.model.ends(place)
        hops = () if ends else self.model.hops(place)
        return ClassSteps(destinations, tuple(hop._replace(place=hop.place.to(ANY)) for hop in hops), ends)

    def flood(self, starts: Mapping[PacketPlace, int]) -> tuple[Sets, Sets]:
        """Return the places to which packets come from some places, and their kinds."""
        reached, kinds, todo = {**starts}, Sets(), defaultdict[PacketPlace, int](int)
        for place, destinations in starts.items():
            todo[place.kind] |= destinations
        while todo:
            now, todo = todo, defaultdict(int)
            for kind, destinations in now.items():
                new = destinations & ~kinds.get(kind, 0)
                kinds[kind] = kinds.get(kind, 0) | new
                for part in self.after(kind, new):
                    for hop in part.hops:
                        reached[hop.place] = reached.get(hop.place, 0) | part.destinations
                        todo[hop.place.kind] |= part.destinations
        return reached, kinds

    def steps(self) -> Iterator[tuple[PacketPlace, ClassSteps]]:
        """Yield all places, each with the steps of some of the packets there."""
        return ((place, part) for place, some in self.reached.items() for part in self.after(place, some))

    def to(self, destination: int) -> Walk:
        """Return the places of packets to a single destination."""
        if destination not in self._walks:
            self._walks[destination] = Walk(self.model, only=(destination,), waiting=self.waiting)
        return self._walks[destination]

    @cached_property
    def _walks(self) -> dict[int, Walk]:
        return {}

    @cached_property
    def _before(self) -> dict[PacketPlace, list[PacketPlace]]:
        """For each kind the kinds from which packets come."""
        return backwards({
            kind: dict.fromkeys(hop.place.kind for part in self.after(kind, some) for hop in part.hops)
            for kind, some in self.kinds.items()
        })  # fmt: skip

    def _settled(self, sets: Sets, of: Callable[[int, int], int]) -> Sets:
        """Return the sets of all kinds once each is what `of` makes of itself and those of its next places."""
        todo = dict.fromkeys(self.kinds)
        while todo:
            now, todo = todo, {}
            for kind in now:
                onward = 0
                for part in self.after(kind, self.kinds[kind]):
                    for hop in part.hops:
                        onward |= part.destinations & sets.get(hop.place.kind, 0)
                if (new := of(sets.get(kind, 0), onward)) != sets.get(kind, 0):
                    sets[kind] = new
                    todo |= dict.fromkeys(self._before.get(kind, ()))
        return sets

    def leading(self, kinds: Sets) -> Sets:
        """Return the kinds from which packets come to some, themselves among these."""
        return self._settled({**kinds}, or_)

    @cached_property
    def circling(self) -> int:
        """Destinations to which packets can go on for ever: all places are taken out from which none can."""
        return reduce(or_, self._settled({**self.kinds}, and_).values(), 0)

    @cached_property
    def addresses(self) -> dict[Header, int]:
        """The address of each header in the relation."""
        return {header: number for number, header in enumerate(dict.fromkeys(place.header for place in self.reached))}


def lossless_relation(walk: ClassWalk) -> Relation:
    """Return the relation of what packets wait for under PFC.

    An address stands for packets with a header to any destination: buffers depend on one another as by all of them
    alone, since an input VC is offered what some packet waits for that comes there. Packets that leave the fabric
    are offered nothing. A packet whose header changes on a tunnel, or that leaves a lossy group, goes on as one with
    another address from the terminal of that switch. A packet of several groups' queue is offered all of them, since
    each alone can hold it back.
    """
    fabric, first, terminal = walk.model.fabric, walk.first, walk.first[-1]
    offers: list[dict[int, set[int]]] = [{} for _ in walk.addresses]
    for place, part in walk.steps():
        here, address = walk.vc(place.channel, place.group), walk.addresses[place.header]
        if here is not None:
            offers[address].setdefault(here, set())
        for hop in part.hops:
            into, waits = walk.vc(hop.channel, hop.place.group), walk.waits(hop)
            if here is not None:
                offers[address][here].update(waits)
            if into is not None and (here is None or hop.place.header != place.header or into not in waits):
                offers[walk.addresses[hop.place.header]].setdefault(terminal + place.router, set()).add(into)
    labels = [header_name(fabric, header) for header in walk.addresses]
    homes = [0] * len(labels)
    return offered_relation(fabric.network, np.diff(first).tolist(), offers, homes, "PFC", labels)
