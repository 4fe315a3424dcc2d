"""Remedies for a routing by tables that can deadlock, with what each costs."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from unknot.network import Network
from unknot.routing.relation import Relation
from unknot.synthesis.lanes import Lanes, lanes
from unknot.synthesis.orders import Progress
from unknot.synthesis.tables import table_of

KINDS = ("same routes", "new tables", "new routes")
PAIRS = 200_000
"""Most pairs of routers whose routes are compared."""


@dataclass(frozen=True, eq=False)
class Remedy:
    """A safe relation in place of one that was refuted.

    Attributes
    ----------
    kind : {"same routes", "new tables", "new routes"}
        What changes: only the lanes; tables of shortest paths, the same in all lanes; shortest paths, each its own.
    found : Lanes
        The lanes, their lower bound and its evidence.
    changed_pairs : int or None
        Pairs of routers whose route has other channels than before; None if there are too many to compare.
    pairs : int
        Pairs of routers.
    """

    kind: str
    found: Lanes
    changed_pairs: int | None
    pairs: int

    @property
    def relation(self) -> Relation:
        """The relation of the remedy."""
        return self.found.relation


def repair(
    relation: Relation, *, time_limit: float = 60.0, seed: int = 0, progress: Progress | None = None
) -> tuple[Remedy, ...]:
    """Three remedies, from the one that changes least: the same routes in lanes, new tables, new routes.

    Parameters
    ----------
    relation : Relation
        Deterministic: one way for each router and address.
    time_limit : float
        Seconds for all of them.

    Raises
    ------
    RelationError
        If the relation has several ways somewhere, or some packets do not arrive.

    Examples
    --------
    >>> from unknot.routing import shortest_paths
    >>> from unknot.synthesis import repair
    >>> from unknot.topologies import torus
    >>> [(r.kind, r.found.count, r.changed_pairs) for r in repair(shortest_paths(torus(5)))][0]
    ('same routes', 2, 0)
    """
    table_of(relation)
    network, flows = relation.network, _flows(relation)
    before = paths_of(relation)
    found = []
    for number, (kind, paths) in enumerate(zip(KINDS, ("given", "table", "free"), strict=True)):
        began = time.monotonic()
        made = lanes(
            network,
            paths,
            routing=relation if paths == "given" else None,
            flows=None if paths == "given" else flows,
            time_limit=max(1.0, time_limit / (len(KINDS) - number)),
            seed=seed,
            progress=progress,
        )
        time_limit -= time.monotonic() - began
        after = paths_of(made.relation)
        changed = None
        if before is not None and after is not None:
            changed = sum(after[pair] != path for pair, path in before.items())
        found.append(Remedy(kind, made, changed, made.pairs if before is None else len(before)))
    return tuple(found)


def paths_of(relation: Relation) -> dict[tuple[int, int], frozenset[tuple[int, ...]]] | None:
    """The channels of the routes between every two routers one of whose terminals sends to one of the other's.

    A terminal that has several addresses has several routes. None if there are more than `PAIRS` pairs of terminals.
    """
    network: Network = relation.network
    if network.num_terminals * relation.num_addresses > PAIRS:
        return None
    found: dict[tuple[int, int], set[tuple[int, ...]]] = {}
    known: dict[tuple[int, int], tuple[int, ...]] = {}
    for address in range(relation.num_addresses):
        home = int(network.eject[relation.destination[address]])
        for source in relation.sources(address).tolist():
            start = int(network.inject[source])
            if start == home:
                continue
            if (start, address) not in known:
                way, at = [], relation.num_vcs + source
                while True:
                    vcs = [c.vc for c in relation.candidates(at, address) if c.vc is not None]
                    if not vcs:
                        break
                    at = vcs[0]
                    way.append(int(relation.vcs.channel[at]))
                known[start, address] = tuple(way)
            found.setdefault((start, home), set()).add(known[start, address])
    return {pair: frozenset(paths) for pair, paths in found.items()}


def _flows(relation: Relation) -> np.ndarray | None:
    """Who sends to whom, if the relation says so; None: everyone to everyone."""
    if relation.may_use is None:
        return None
    terminals = relation.network.num_terminals
    sends = np.zeros((terminals, terminals))
    for address, destination in enumerate(relation.destination.tolist()):
        sends[relation.may_use[:, address], destination] = 1.0
    np.fill_diagonal(sends, 0.0)
    return None if sends.sum() == terminals * (terminals - 1) else sends
