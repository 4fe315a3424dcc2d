"""Which VCs are left when all that can drain has drained: by repeated passes over sets, as it is defined."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx

from tests.reference.brute_force import blockings, states_of
from unknot.routing.relation import Relation


def components(relation: Relation) -> dict[int, int]:
    """The dependency component of every VC on a cycle."""
    graph: nx.DiGraph = nx.DiGraph()
    for answers in states_of(relation):
        graph.add_edges_from((at, vc) for at, a in answers.items() if at < relation.num_vcs for vc in a.may)
    part_of = {}
    for number, part in enumerate(nx.strongly_connected_components(graph)):
        if len(part) > 1 or graph.has_edge(*(2 * tuple(part))):
            part_of.update(dict.fromkeys(part, number))
    return part_of


def left_over(relation: Relation, *, spread: bool, entered: bool = False) -> frozenset[int]:
    """The greatest set of VCs each with a state that is blocked by the set, or (spread) leads over it to such a one.

    Waits and steps count within a component of dependencies only; with `entered` only packets that stand in the
    first VC of their route may block.
    """
    part = components(relation)
    states = states_of(relation)
    doors = [{vc for at, a in answers.items() if at >= relation.num_vcs for vc in a.may} for answers in states]

    def blocked(address: int, at: int, kept: frozenset[int]) -> bool:
        if entered and at not in doors[address]:
            return False
        choices = blockings(relation, states[address][at])
        return any(all(w in kept and part.get(w) == part[at] for w in choice) for choice in choices)

    def supported(kept: frozenset[int]) -> frozenset[int]:
        good_ends: set[int] = set()
        for address, answers in enumerate(states):
            good = {at for at in answers if at in kept and blocked(address, at, kept)}
            while spread:
                more = {
                    at
                    for at in answers
                    if at in kept
                    and at not in good
                    and any(v in good and part[v] == part[at] for v in answers[at].may)
                }
                if not more:
                    break
                good |= more
            good_ends |= good
        return frozenset(good_ends)

    return _greatest(supported, frozenset(part))


def _greatest(step: Callable[[frozenset[int]], frozenset[int]], kept: frozenset[int]) -> frozenset[int]:
    while (fewer := step(kept)) != kept:
        kept = fewer
    return kept
