"""Few removed candidates after which a relation is safe and delivers: named routings, orders of VCs, local search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from unknot._base.deadline import clock
from unknot._base.errors import UnknotError
from unknot.lanes.effort import SearchEffort
from unknot.lanes.orders import search
from unknot.lanes.path_set import following, packed
from unknot.network import Network
from unknot.repair.branching import Branching
from unknot.repair.prune_space import EJECTED, Entry, Fact, Knot, Literals, Offers
from unknot.routing.named import routing, routings

MOST_NAMED = 20_000
"""Most candidates of a relation beside which named routings are tried."""
NAMED_SHARE = 0.2
"""Share of the time for these."""
CYCLE = 5
"""Rounds of local search of which the first begins with what the linear program removes."""


def size(removed: frozenset[Entry] | None) -> float:
    """Number of removed candidates; None: no way was found."""
    return float("inf") if removed is None else len(removed)


def named(offers: Offers, effort: SearchEffort) -> Iterator[frozenset[Entry]]:
    """Candidates that a named routing does not have, if it has no others, is safe and delivers."""
    relation, known = offers.relation, set[frozenset[Entry]]()
    end = clock() + NAMED_SHARE * (effort.deadline - clock())
    for name in routings().core if offers.count <= MOST_NAMED else ():
        if clock() > end:
            return
        try:
            other = routing(relation.network, name)
            if other.num_vcs != relation.num_vcs or not np.array_equal(other.destination, relation.destination):
                continue
            kept = Offers(other, offers.switching, offers.minimal).after
        except UnknotError:
            continue
        removed = frozenset(
            (at, address, vc)
            for address, states in enumerate(offers.after)
            for at, candidates in states.items()
            for vc, _ in candidates
            if vc != EJECTED and vc not in (there for there, _ in kept[address].get(at, ()))
        )
        removed = frozenset(entry for entry in removed if entry[0] in offers.reached(entry[1], removed))
        if removed not in known and not offers.wrong(removed):
            yield _put_back(offers, removed, frozenset(), effort)
        known.add(removed)


def nearby(search: Branching, chosen: frozenset[Entry], number: int, effort: SearchEffort) -> frozenset[Entry] | None:
    """Complete a choice; or put back what the best removes at two neighbours, and remove candidates anew."""
    best, relation = search.best, search.offers.relation
    if best is not None and number % CYCLE:
        channel = int(np.random.default_rng([effort.seed, number]).integers(relation.network.num_channels))
        ends = [int(relation.network.source[channel]), int(relation.network.target[channel])]
        router = np.concatenate([relation.vcs.router, relation.network.inject])
        chosen = frozenset(entry for entry in best if int(router[entry[0]]) not in ends)
    return greedy(search.offers, chosen, search.facts, effort)


def climbing(offers: Offers, effort: SearchEffort) -> frozenset[Entry] | None:
    """Candidates removed until all others lead to VCs of higher keys; None if no keys were found that allow it."""
    relation, vcs = offers.relation, offers.relation.vcs
    own = relation.network
    network = Network(
        "VCs", own.num_routers, own.source[vcs.channel], own.target[vcs.channel], inject=own.inject, eject=own.eject
    )
    home = own.eject[relation.destination].astype(np.int64)
    needed = np.zeros((own.num_routers, home.size), dtype=bool)
    taken = np.zeros((vcs.total, home.size), dtype=bool)
    for address, states in enumerate(offers.after):
        needed[own.inject[relation.sources(address)], address] = True
        for candidates in states.values():
            taken[[vc for vc, waits in candidates if vc != EJECTED and waits], address] = True
    needed[home, np.arange(home.size)] = False
    paths = following(network, packed(taken), packed(needed), home)
    few = replace(effort, deadline=(effort.deadline + clock()) / 2, tried={})
    random = np.random.default_rng(effort.seed)
    orders = search(paths, 1, few, first=0, rounds=2, begin=lambda number: (random.random((1, vcs.total)), None))
    if orders is None:
        return None
    key, removed = orders.key[0], frozenset[Entry]()
    for address, states in enumerate(offers.after):
        falls = {
            (at, address, vc)
            for at, candidates in states.items()
            for vc, _ in candidates
            if vc != EJECTED and at < vcs.total and key[vc] <= key[at]
        }
        closed = offers.closed(frozenset(falls), address)
        if closed is None:
            return None
        removed |= {entry for entry in closed if entry[0] in offers.reached(address, closed)}
    return _put_back(offers, removed, frozenset(), effort)


def greedy(
    offers: Offers, removed: frozenset[Entry], facts: dict[Fact, Literals], effort: SearchEffort
) -> frozenset[Entry] | None:
    """Candidates removed one after the other until nothing is wrong, and then put back while nothing is."""
    random = np.random.default_rng([effort.seed, len(facts)])
    start = removed
    while wrong := offers.wrong(removed):
        if effort.over:
            return None
        facts.update(wrong)
        fact, (gone, _) = next(iter(wrong.items()))
        if not isinstance(fact, Knot):
            return None
        options = [offers.closed(removed | {entry}, entry[1]) for entry in sorted(gone)]
        sizes = [float("inf") if option is None else len(option) + random.random() for option in options]
        chosen = options[int(np.argmin(sizes))]
        if chosen is None:
            return None
        removed = chosen
    return _put_back(offers, removed, start, effort)


def _put_back(
    offers: Offers, removed: frozenset[Entry], start: frozenset[Entry], effort: SearchEffort
) -> frozenset[Entry]:
    """Put removed candidates back, but those of `start`, one after the other, while nothing is wrong."""
    end = (clock() + effort.deadline) / 2
    for entry in sorted(removed - start):
        if clock() > end:
            break
        if not offers.wrong(removed - {entry}):
            removed = removed - {entry}
    return removed
