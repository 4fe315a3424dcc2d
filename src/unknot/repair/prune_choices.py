"""Candidates to remove that do, but need not be the fewest: by orders, and one after the other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unknot._base.background import clock
from unknot.lanes.effort import SearchEffort
from unknot.lanes.orders import search
from unknot.lanes.ways import following, packed
from unknot.network import Network
from unknot.repair.prune_bounds import Entry, Fact, Knot, Literals
from unknot.repair.prune_space import EJECTED, Offers


def climbing(offers: Offers, effort: SearchEffort) -> frozenset[Entry] | None:
    """Candidates removed until all others lead to VCs of higher keys; None if no keys were found that allow it."""
    relation, vcs = offers.relation, offers.relation.vcs
    own = relation.network
    network = Network(
        "VCs", own.num_routers, own.source[vcs.channel], own.target[vcs.channel], inject=own.inject, eject=own.eject
    )
    home = own.eject[relation.destination].astype(np.int64)
    wanted = np.zeros((own.num_routers, home.size), dtype=bool)
    taken = np.zeros((vcs.total, home.size), dtype=bool)
    for address, states in enumerate(offers.after):
        wanted[own.inject[relation.sources(address)], address] = True
        for found in states.values():
            taken[[vc for vc, waits in found if vc != EJECTED and waits], address] = True
    wanted[home, np.arange(home.size)] = False
    ways = following(network, packed(taken), packed(wanted), home)
    few = replace(effort, deadline=(effort.deadline + clock()) / 2, tried={})
    random = np.random.default_rng(effort.seed)
    orders = search(ways, 1, few, first=0, rounds=2, begin=lambda number: (random.random((1, vcs.total)), None))
    if orders is None:
        return None
    key, removed = orders.key[0], frozenset[Entry]()
    for address, states in enumerate(offers.after):
        falls = {
            (at, address, vc)
            for at, found in states.items()
            for vc, _ in found
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
