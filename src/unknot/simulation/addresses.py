"""Which addresses a message may carry."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from unknot.errors import RelationError
from unknot.routing.relation import Relation

Numbers = npt.NDArray[np.int64]


def addresses_drawn(relation: Relation, source: Numbers, destination: Numbers, seed: int | None) -> Numbers:
    """An address for each message: one of those its source may use for its destination, all alike; or the first."""
    pairs, which = np.unique(source * relation.network.num_terminals + destination, return_inverse=True)
    usable = [addresses(relation, *divmod(int(p), relation.network.num_terminals)) for p in pairs]
    many = np.array([len(found) for found in usable], dtype=np.int64)
    first = np.cumsum(many) - many
    turn = 0 if seed is None else np.random.default_rng(seed).integers(0, many[which])
    flat = np.array([a for found in usable for a in found], dtype=np.int64)
    return np.asarray(flat[first[which] + turn] if source.size else flat, dtype=np.int64)


def addresses(relation: Relation, source: int, destination: int) -> list[int]:
    """Addresses a terminal may use for another.

    Raises
    ------
    RelationError
        If there is none.
    """
    network = relation.network
    found = np.flatnonzero(relation.destination == destination)
    if relation.may_use is not None:
        found = found[relation.may_use[source, found]]
    if not found.size:
        ends = f"{network.terminal_name(source)} has no address for {network.terminal_name(destination)}"
        raise RelationError(f"{relation.name}: {ends}")
    return [int(a) for a in found]
