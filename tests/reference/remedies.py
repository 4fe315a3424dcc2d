"""Naive twins: the fewest candidates to remove, and the fewest routes to change, by trying everything."""

from __future__ import annotations

from itertools import combinations, pairwise, permutations

from tests.reference.brute_force import deadlock
from tests.reference.exploration import comes_to_block
from unknot.network import Network
from unknot.routing import Relation
from unknot.routing.parts import Addressing
from unknot.routing.relation import Candidate
from unknot.routing.table import encode

Entry = tuple[int, int, int]


def entries(relation: Relation) -> dict[tuple[int, int], list[Candidate]]:
    """Candidates of all states that packets come to."""
    offered: dict[tuple[int, int], list[Candidate]] = {}
    for address in range(relation.num_addresses):
        todo = [relation.num_vcs + int(s) for s in relation.sources(address)]
        while todo:
            at = todo.pop()
            if (at, address) not in offered:
                offered[at, address] = relation.candidates(at, address)
                todo += [c.vc for c in offered[at, address] if c.vc is not None]
    return offered


def without(relation: Relation, gone: frozenset[Entry]) -> Relation:
    """The relation without some candidates."""

    def rule(at, address, out):  # type: ignore[no-untyped-def]
        kept = [c for c in relation.candidates(at, address) if (at, address, c.vc) not in gone]
        for i, candidate in enumerate(kept):
            out[i] = encode(candidate)
        return len(kept)

    addresses = Addressing(relation.destination, relation.may_use)
    return Relation(relation.network, relation.vcs, rule, addresses=addresses, commits=relation.commits)


def delivers(relation: Relation, gone: frozenset[Entry]) -> bool:
    """Whether ejection stays possible from all states, and every header has something to wait for."""
    seen: dict[tuple[int, int], list[Candidate]] = {}
    for address in range(relation.num_addresses):
        todo = [relation.num_vcs + int(s) for s in relation.sources(address)]
        while todo:
            at = todo.pop()
            if (at, address) in seen:
                continue
            kept = [c for c in relation.candidates(at, address) if (at, address, c.vc) not in gone]
            if not any(c.waits for c in kept):
                return False
            seen[at, address] = kept
            todo += [c.vc for c in kept if c.vc is not None]
    good = {state for state, kept in seen.items() if any(c.vc is None for c in kept)}
    while True:
        more = {s for s, kept in seen.items() if s not in good and any((c.vc, s[1]) in good for c in kept)}
        if not more:
            return len(good) == len(seen)
        good |= more


def fewest_removed(relation: Relation, switching: str) -> int | None:
    """The fewest candidates without which the relation is safe and delivers; None if there are none."""
    removable = [(at, a, c.vc) for (at, a), offered in entries(relation).items() for c in offered if c.vc is not None]
    for size in range(len(removable) + 1):
        for gone in combinations(removable, size):
            chosen = frozenset(gone)
            if delivers(relation, chosen) and safe(without(relation, chosen), switching):
                return size
    return None


def safe(relation: Relation, switching: str) -> bool:
    """Whether packets cannot block each other, or as worms of several VCs never come to do so."""
    if deadlock(relation, switching) is None:
        return True
    worms = switching == "wormhole" and deadlock(relation, "vct") is None
    return worms and not comes_to_block(relation, switching, 200_000)


def fewest_changed(network: Network, routes: dict[tuple[int, int], tuple[int, ...]]) -> int | None:
    """The fewest routes to change so that all climb in one order of the channels; None if no order connects all."""
    best = None
    for order in permutations(range(network.num_channels)):
        rank = {c: i for i, c in enumerate(order)}
        missed = sum(any(rank[a] >= rank[b] for a, b in pairwise(way)) for way in routes.values())
        if best is not None and missed >= best:
            continue
        reach: dict[int, set[int]] = {}
        for c in reversed(order):
            v = int(network.target[c])
            reach[c] = {v}.union(
                *(reach[e] for e in range(network.num_channels) if network.source[e] == v and rank[e] > rank[c])
            )
        from_router = {
            u: {u}.union(*(reach[c] for c in reach if network.source[c] == u)) for u in range(network.num_routers)
        }
        if all(t in from_router[s] for s, t in routes):
            best = missed
    return best
