"""Does every packet arrive? Dead ends, loops, shortest or longer routes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from unknot._base.errors import RelationError
from unknot._base.kernels.lazy_kernel import is_small, plainly
from unknot._base.progress import Progress, with_bar
from unknot._base.quantities import Hops
from unknot._base.shown import Brief
from unknot._base.threads import threads_of
from unknot._base.three_valued import ThreeValued
from unknot.certificates.documents import Document
from unknot.certificates.verdict import Verdict
from unknot.certificates.verdict_claims import delivery_claim, verdict_claim
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation
from unknot.verify.effort import Effort, step
from unknot.verify.explorer import Explorer

Pairs = list[tuple[int, int]]

SHOWN = 1000
"""Dead ends and states on loops that are kept by name."""
CYCLES_KEPT = 100
"""Cycles that are kept."""


@dataclass(frozen=True, repr=False)
class Delivery(ThreeValued, Brief, asks="delivered"):
    """Delivery of a relation: dead ends, loops, and lengths of routes.

    Attributes
    ----------
    delivered : bool or None
        Every pair a source may use is delivered: no dead end, and ejection stays possible from every reachable state.
        None: open, since there was no time to follow the routes.
    pairs : int
        (source, address) pairs that are used, terminals at the same router included; those of a terminal to itself
        count only where such packets are taken and lost.
    undelivered_pairs : int
        Pairs with a reachable dead end, or a state from which ejection cannot be reached.
    dead_ends : tuple of (input VC, address)
        Reachable states without candidates; the first few, ascending by address.
    loops : tuple of (tuple of input VCs, address)
        Cycles of states that can never reach ejection; the first few.
    livelock_free : bool or None
        No cycle of reachable states at all, so every route ends. None: open.
    minimal : bool or None
        Every route is a shortest path between the routers; None when a route may be endless.
    longest_route : int or None
        Hops (channel traversals) of the longest route; None when routes may be endless.
    longest_pair : (source terminal, address) or None
        A pair that has it.

    Examples
    --------
    >>> delivery = deliver("mesh(3, 3)", routing="dimension_order")
    >>> delivery.delivered, delivery.minimal, delivery.longest_route
    (True, True, 4)
    """

    delivered: bool | None
    pairs: int
    undelivered_pairs: int
    dead_ends: tuple[tuple[int, int], ...]
    loops: tuple[tuple[tuple[int, ...], int], ...]
    livelock_free: bool | None
    minimal: bool | None
    longest_route: Hops | None
    longest_pair: tuple[int, int] | None


NOT_FOLLOWED = Delivery(None, 0, 0, (), (), None, None, None, None)
"""Delivery where there was no time to follow the routes."""


@takes_relation
@with_bar
def deliver(relation: Relation, *, threads: int | None = None, progress: Progress | None = None) -> Delivery:
    """Follow every route of every address from all sources that use it.

    O(transitions between reachable states) time; memory of one address at a time for each thread.

    Parameters
    ----------
    threads : int, optional
        Addresses followed at a time, as in `check`. The answer does not depend on it.
    progress : callable(stage, done, total), optional
        Told how many addresses are done.

    Returns
    -------
    Delivery
        What is delivered, and what stops the rest.

    Raises
    ------
    RelationError
        If a reachable state breaks the relation's contract.

    Examples
    --------
    >>> deliver("mesh(3, 3)", routing="west_first").delivered
    True
    >>> deliver("torus(4, 4)", routing="up_down").minimal
    True
    """
    from unknot.verify.delivery_kernel import follow_routes

    table = relation.table
    with plainly(table is not None and is_small(table.input_vc.size, follow_routes)):
        routes = _followed(relation, threads, progress)
        loops: dict[tuple[tuple[int, ...], int], None] = {}
        explorer = Explorer(relation)
        for at, to in routes.looped:
            if all(at not in input_vcs or to != other for input_vcs, other in loops):
                loops[explorer.loop(to, at), to] = None
    endless = routes.endless > 0
    none = endless or routes.source < 0
    return Delivery(
        delivered=routes.undelivered == 0,
        pairs=routes.pairs,
        undelivered_pairs=routes.undelivered,
        dead_ends=tuple(routes.dead),
        loops=tuple(loops),
        livelock_free=not endless,
        minimal=None if endless else not routes.longer,
        longest_route=None if none else routes.longest,
        longest_pair=None if none else (routes.source, routes.address),
    )


class _Routes(NamedTuple):
    """What was met on all routes: numbers in the order of the kernel, the longest route and its pair, and places.

    Attributes
    ----------
    dead, looped, circling : list of (input VC, address)
        The first dead ends, the first states that never reach ejection, and the first addresses with cycles.
    """

    pairs: int
    undelivered: int
    dead_ends: int
    loops: int
    endless: int
    longer: int
    longest: int
    source: int
    address: int
    dead: Pairs
    looped: Pairs
    circling: Pairs


def _followed(relation: Relation, threads: int | None = 1, progress: Progress | None = None) -> _Routes:
    """Follow all routes, blocks of addresses at a time."""
    from unknot.verify import delivery_kernel as kernel

    network = relation.network
    first, channels = network.incoming
    neighbours = first, network.source[channels], network.target[relation.vcs.channel]
    _ = relation.table or relation.compiled

    def follow(explorer: Explorer, start: int, stop: int) -> tuple[list[int], list[Pairs]]:
        totals = np.zeros(kernel.BROKEN + 1, dtype=np.int64)
        totals[kernel.LONGEST_SOURCE] = -1
        places = [np.empty(2 * most, dtype=np.int64) for most in (SHOWN, SHOWN, CYCLES_KEPT)]
        failed = kernel.follow_routes(explorer.traversal, neighbours, start, stop, kernel.RouteNotes(totals, *places))
        if failed >= 0:
            explorer.relation.refuse(int(totals[kernel.BROKEN]), int(failed))
        counts = totals[[kernel.DEAD_ENDS, kernel.LOOPS, kernel.ENDLESS]]
        rows = (flat.reshape(-1, 2)[:count].tolist() for flat, count in zip(places, counts, strict=True))
        return totals.tolist(), [[(at, to) for at, to in pairs] for pairs in rows]

    effort = Effort(threads_of(threads, "deliver", wrong=RelationError), progress=progress)
    size, explorers = relation.vcs.router.size, partial(Explorer, relation)
    blocks = effort.over("routes", relation.num_addresses, step(size), explorers, follow, input_vcs=size)
    sums = [sum(totals[i] for totals, _ in blocks) for i in range(kernel.LONGEST)]
    routes = (totals[kernel.LONGEST : kernel.BROKEN] for totals, _ in blocks)
    longest = max(routes, key=lambda route: route[0], default=[0, -1, -1])
    dead, looped, circling = ([pair for _, notes in blocks for pair in notes[k]] for k in range(3))
    return _Routes._make((*sums, *longest, dead[:SHOWN], looped[:SHOWN], circling[:CYCLES_KEPT]))


@dataclass(frozen=True, repr=False)
class Livelock(Brief):
    """Whether every route ends.

    Attributes
    ----------
    free : bool
        No address has a cycle of reachable states, so that every route ends whatever is selected.
    addresses : int
        Addresses that have cycles.
    cycles : tuple of (tuple of input VCs, address)
        For the first `CYCLES_KEPT` of them a short cycle, beginning at its lowest input VC.

    Examples
    --------
    >>> answer = livelock("torus(4, 4)", routing="dimension_order")
    >>> answer.free, answer.cycles
    (True, ())
    """

    free: bool
    addresses: int
    cycles: tuple[tuple[tuple[int, ...], int], ...]

    def describe(self, relation: Relation) -> list[str]:
        """The cycles by names of virtual channels."""
        name = relation.vcs.name
        return [
            f"bound for {relation.address_name(address)}: {' ⟶ '.join(name(at) for at in (*input_vcs, input_vcs[0]))}"
            for input_vcs, address in self.cycles
        ]


@takes_relation
def livelock(relation: Relation) -> Livelock:
    """Look for cycles of reachable states, address by address.

    A cycle need not be fatal: a selection that leaves it now and then delivers every packet. Without cycles no
    selection can keep a packet in the network for ever. Time is linear in the transitions.

    Returns
    -------
    Livelock
        Cycles of states, for each address that has one.

    Raises
    ------
    RelationError
        If a reachable state breaks the relation's contract.

    Examples
    --------
    >>> livelock("mesh(3, 3)", routing="dimension_order").free
    True
    """
    routes, explorer = _followed(relation), Explorer(relation)
    cycles = tuple((explorer.loop(address), address) for _, address in routes.circling)
    return Livelock(not routes.endless, routes.endless, cycles)


def answer_claims(relation: Relation, verdicts: Iterable[Verdict], delivery: Delivery | None) -> list[Document]:
    """The claims of verdicts with evidence, and of delivery and route lengths if routes were followed."""
    claims = [verdict_claim(verdict) for verdict in verdicts if verdict.certificate or verdict.configuration]
    if delivery is None or delivery.delivered is None:
        return claims
    longest = None if delivery.minimal is None else delivery.longest_route or 0
    lengths: Document = {"subject": "lengths", "longest": longest, "minimal": delivery.minimal, "proof": {}}
    return [*claims, delivery_claim(relation, delivery.delivered), lengths]
