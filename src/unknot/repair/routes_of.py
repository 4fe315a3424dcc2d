"""The routes of a relation by tables, and who uses them."""

from __future__ import annotations

import numpy as np

from unknot._base.deadline import NEVER, Deadline
from unknot.network import Network
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation

PAIRS = 200_000
"""Most pairs of terminals whose routes are compared."""


@takes_relation
def paths_of(
    relation: Relation, deadline: Deadline = NEVER
) -> dict[tuple[int, int], frozenset[tuple[int, ...]]] | None:
    """The channels of the routes between every two routers one of whose terminals sends to one of the other's.

    A terminal that has several addresses has several routes. None if there are more than `PAIRS` pairs of terminals,
    or no time for them.
    """
    network: Network = relation.network
    if network.num_terminals * relation.num_addresses > PAIRS:
        return None
    paths: dict[tuple[int, int], set[tuple[int, ...]]] = {}
    known: dict[tuple[int, int], tuple[int, ...]] = {}
    for address in range(relation.num_addresses):
        if deadline.over:
            return None
        home = int(network.eject[relation.destination[address]])
        for source in relation.sources(address).tolist():
            start = int(network.inject[source])
            if start == home:
                continue
            if (start, address) not in known:
                path, at = [], relation.num_vcs + source
                while True:
                    vcs = [c.vc for c in relation.candidates(at, address) if c.vc is not None]
                    if not vcs:
                        break
                    at = vcs[0]
                    path.append(int(relation.vcs.channel[at]))
                known[start, address] = tuple(path)
            paths.setdefault((start, home), set()).add(known[start, address])
    return {pair: frozenset(channels) for pair, channels in paths.items()}


def flows_of(relation: Relation) -> np.ndarray | None:
    """Flows of a relation that limits them; None: everyone to everyone."""
    if relation.may_use is None:
        return None
    terminals = relation.network.num_terminals
    sends = np.zeros((terminals, terminals))
    for address, destination in enumerate(relation.destination.tolist()):
        sends[relation.may_use[:, address], destination] = 1.0
    np.fill_diagonal(sends, 0.0)
    return None if sends.sum() == terminals * (terminals - 1) else sends
