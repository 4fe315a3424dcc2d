"""Coherent routes: every suffix of a route is a route of its own first node."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from unknot._base.compressed_rows import grouped
from unknot.network.model import IntArray
from unknot.routing.relation import EJECT, VC_MASK, Relation
from unknot.routing.taking import takes_relation
from unknot.verify.states import Explorer

States = frozenset[int]
Follower = tuple[int, int, States]
"""Packet that follows a route: its terminal, where on the route it begins, and its possible states by now."""


@dataclass(frozen=True)
class Suffix:
    """A route part of which is no route of the terminal where it begins.

    Attributes
    ----------
    source, address : int
        Terminal and address of a message.
    route : tuple of int
        Channels it may take, up to and with the first that decides.
    start : int
        How many of them come before the suffix.
    terminal : int
        A terminal where the suffix begins; a message from there to the same address cannot take it.
    ejects : bool
        The suffix itself can be taken, but a message from `terminal` cannot leave the network at its end, while the
        other can.
    """

    source: int
    address: int
    route: tuple[int, ...]
    start: int
    terminal: int
    ejects: bool

    def describe(self, relation: Relation) -> str:
        """The route by the names of its routers, and where its suffix is none."""
        network = relation.network
        stops = [int(network.source[self.route[0]]), *(int(network.target[c]) for c in self.route)]
        names = [network.router_name(r) for r in stops]
        to, name = relation.address_name(self.address), network.terminal_name
        what = " and leave there" if self.ejects else ""
        return (
            f"{name(self.source)} may send to {to} by {' → '.join(names)}{what}, but {name(self.terminal)} at "
            f"{names[self.start]} may not by {' → '.join(names[self.start :])}"
        )


@dataclass(frozen=True)
class Coherence:
    """Whether every suffix of a route is a route of its own first node.

    Attributes
    ----------
    coherent : bool
    addresses : int
        Addresses for which it is not so.
    witness : Suffix or None
        Of the first such address, a route as short as may be.

    Examples
    --------
    >>> answer = coherence("mesh(3, 3)", routing="dimension_order")
    >>> answer.coherent, answer.addresses
    (True, 0)
    """

    coherent: bool
    addresses: int
    witness: Suffix | None


@takes_relation
def coherence(relation: Relation) -> Coherence:
    """Decide whether the routes of a relation are coherent (Bermond & Syska).

    A route is the sequence of channels of a message from injection to ejection; virtual channels do not matter. A
    relation that leaves a choice is called coherent when every suffix of every route it permits is permitted as a
    route from each terminal, at the router where the suffix begins, that may use the address. Suffixes that begin
    where there is no such terminal are not judged, nor are walks that cannot end in ejection. With one route for
    every pair that is the usual notion.

    Time is linear in the transitions where states of one router agree, and grows with the sets of virtual channels
    that must be distinguished where they do not.

    Raises
    ------
    RelationError
        If a reachable state breaks the relation's contract.

    Examples
    --------
    >>> coherence("mesh(3, 3)", routing="dimension_order").coherent
    True
    >>> coherence("mesh(3, 3)", routing="dimension_order").witness is None
    True
    """
    from unknot.verify.minimal_paths_kernel import incoherent
    from unknot.verify.states_kernel import find_delivering

    vcs = relation.vcs
    explorer = Explorer(relation)
    words = max(1, -(-int(vcs.counts.max(initial=1)) // 64))
    virtual = vcs.router, vcs.first, vcs.channel, vcs.index
    slot = np.full(vcs.router.size, -1, dtype=np.int64)
    sets = np.zeros(words, dtype=np.uint64)
    size, wrong, witness = 4096, 0, None
    for address in range(relation.num_addresses):
        order, first, value = explorer.visit(address)
        delivers = np.zeros(order.size, dtype=bool)
        find_delivering(order.size, order, first, value, slot, delivers)
        seats = _seats(relation, address, order)
        while True:
            table = np.empty(1 << (2 * size + 64).bit_length(), dtype=np.int64)
            pairs = sets, table, np.empty(size, dtype=np.int64), np.zeros(size * words, dtype=np.uint64)
            answer = incoherent((order, first, value, slot, delivers), virtual, seats, words, pairs)
            if answer >= 0:
                break
            size *= 2
        if answer:
            wrong += 1
            if witness is None:
                witness = _witness(explorer, address, order[delivers].tolist())
    return Coherence(not wrong, wrong, witness)


def _seats(relation: Relation, address: int, order: np.ndarray) -> tuple[np.ndarray, IntArray]:
    """Numbers of the injection states grouped by router, without that of the destination itself."""
    network, vcs = relation.network, relation.num_vcs
    states = np.flatnonzero((order >= vcs) & (order != vcs + relation.destination[address]))
    at = network.inject[order[states] - vcs]
    first, order = grouped(at, network.num_routers)
    return first, states[order].astype(np.int32)


def _witness(explorer: Explorer, address: int, delivering: list[int]) -> Suffix | None:
    """A shortest route that decides, breadth first from all sources: the state, and who could be in which states."""
    relation, able = explorer.relation, {*delivering}
    vcs, home = relation.vcs, relation.num_vcs + int(relation.destination[address])
    order, first, value = explorer.visit(address)
    leaves = {*np.repeat(order, np.diff(first))[value & VC_MASK == EJECT].tolist()}
    steps = {at: [vc for vc in after if vc in able] for at, after in explorer.steps(address).items()}
    ports = [at for at in steps if at >= vcs.total]

    queue: deque[tuple[int, int, tuple[int, ...], Follower | None]] = deque()
    seen: set[tuple[int, States | None]] = set()
    for at in ports:
        if at in able:
            queue.append((at, at - vcs.total, (), None))
    while queue:
        state, source, route, follower = queue.popleft()
        if follower is None and route:
            for at in ports:
                if at != home and vcs.router[at] == vcs.router[state]:
                    queue.appendleft((state, source, route, (at - vcs.total, len(route), frozenset({at}))))
        if follower is not None and state in leaves and not follower[2] & leaves:
            return Suffix(source, address, route, follower[1], follower[0], True)
        for after in steps[state]:
            channel = int(vcs.channel[after])
            way = (*route, channel)
            if follower is None:
                if (after, None) not in seen:
                    seen.add((after, None))
                    queue.append((after, source, way, None))
                continue
            reached = frozenset(vc for other in follower[2] for vc in steps[other] if vcs.channel[vc] == channel)
            if not reached:
                return Suffix(source, address, way, follower[1], follower[0], False)
            if after not in reached and (after, reached) not in seen:
                seen.add((after, reached))
                queue.append((after, source, way, (follower[0], follower[1], reached)))
    return None
