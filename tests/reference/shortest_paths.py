"""Shortest paths by enumeration: every path written out, and followed over all choices of virtual channels."""

from __future__ import annotations

from collections.abc import Iterator

from unknot.network import Network, distances_from
from unknot.routing.relation import Relation


def shortest_paths(network: Network, start: int, end: int) -> Iterator[tuple[int, ...]]:
    """Every shortest path between two routers as a sequence of channels."""
    distance = distances_from(network, end, reverse=True)

    def onward(router: int, path: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if router == end:
            yield path
            return
        for channel in range(network.num_channels):
            to = int(network.target[channel])
            if network.source[channel] == router and distance[to] == distance[router] - 1 >= 0:
                yield from onward(to, (*path, channel))

    if distance[start] >= 0:
        yield from onward(start, ())


def starts(relation: Relation, source: int, home: int) -> list[tuple[int, int]]:
    """States in which a terminal may inject for another."""
    usable = relation.may_use
    return [
        (relation.num_vcs + source, address)
        for address in range(relation.num_addresses)
        if relation.destination[address] == home and (usable is None or usable[source, address])
    ]


def taken(relation: Relation, source: int, home: int, path: tuple[int, ...]) -> int:
    """How many channels of a path some choice of virtual channels can take; one more if it may eject at the end."""
    states = set(starts(relation, source, home))
    for i, channel in enumerate(path):
        states = {
            (c.vc, address)
            for at, address in states
            for c in relation.candidates(at, address)
            if c.vc is not None and relation.vcs.channel[c.vc] == channel
        }
        if not states:
            return i
    ejects = any(c.vc is None for at, address in states for c in relation.candidates(at, address))
    return len(path) + ejects


def lacking(relation: Relation, source: int, home: int) -> int | None:
    """Fewest shortest steps from a source to a state that lacks a channel that brings it nearer, if there is one."""
    network = relation.network
    distance = distances_from(network, int(network.eject[home]), reverse=True)
    layer = set(starts(relation, source, home))
    steps = 0
    while layer:
        following = set()
        for at, address in layer:
            here = int(relation.vcs.router[at])
            if distance[here] <= 0:
                continue
            nearer = {
                c
                for c in range(network.num_channels)
                if network.source[c] == here and distance[network.target[c]] == distance[here] - 1
            }
            onward = {
                c.vc
                for c in relation.candidates(at, address)
                if c.vc is not None and int(relation.vcs.channel[c.vc]) in nearer
            }
            if {int(relation.vcs.channel[vc]) for vc in onward} != nearer:
                return steps
            following |= {(vc, address) for vc in onward}
        layer, steps = following, steps + 1
    return None
