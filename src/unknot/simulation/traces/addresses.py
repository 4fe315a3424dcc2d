"""Which addresses a message may carry."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from unknot.errors import RelationError
from unknot.routing.relation import Relation
from unknot.simulation.traces.trace import TraceError

Numbers = npt.NDArray[np.int64]
ANY = -1
"""Instead of a message class: addresses of every class."""


def addresses_drawn(
    relation: Relation, source: Numbers, destination: Numbers, seed: int | None, kind: Numbers | None = None
) -> Numbers:
    """An address for each message: one of those its source may use for its destination, all alike; or the first.

    Where packets compare a direct way with a detour (UGAL), only detours are drawn, if there are any. With `kind`,
    only addresses of the message class of that number, or of all classes where it is `ANY`.
    """
    terminals = relation.network.num_terminals
    kind = np.full(source.size, ANY) if kind is None else kind
    keys, which = np.unique(((kind + 1) * terminals + source) * terminals + destination, return_inverse=True)
    usable = []
    for key in keys.tolist():
        start, end = key // terminals % terminals, key % terminals
        found = addresses(relation, start, end, key // terminals**2 - 1)
        usable.append(_detours(relation, start, end, found) if relation.direct is not None else found)
    many = np.array([len(found) for found in usable], dtype=np.int64)
    first = np.cumsum(many) - many
    turn = 0 if seed is None else np.random.default_rng(seed).integers(0, many[which])
    flat = np.array([a for found in usable for a in found], dtype=np.int64)
    return np.asarray(flat[first[which] + turn] if source.size else flat, dtype=np.int64)


def addresses(relation: Relation, source: int, destination: int, kind: int = ANY) -> list[int]:
    """Addresses a terminal may use for another, of one message class or of all.

    Raises
    ------
    RelationError
        If there is none.
    """
    network = relation.network
    found = np.flatnonzero(relation.destination == destination)
    if kind != ANY:
        found = found[found * len(relation.classes) // relation.num_addresses == kind]
    if relation.may_use is not None:
        found = found[relation.may_use[source, found]]
    if not found.size:
        ends = f"{network.terminal_name(source)} has no address for {network.terminal_name(destination)}"
        raise RelationError(f"{relation.name}: {ends}{'' if kind == ANY else f' as {relation.classes[kind]}'}")
    return [int(a) for a in found]


def _detours(relation: Relation, source: int, destination: int, found: list[int]) -> list[int]:
    """The addresses by other waypoints than the source's own and the destination's own, or all if there are few."""
    assert relation.direct is not None
    own = {int(relation.direct[source, destination]), int(relation.direct[destination, destination])}
    return [a for a in found if a not in own] if len(found) > 2 else found


def kinds(relation: Relation, classes: Sequence[str]) -> Numbers | None:
    """Number of the class of each message among those of a relation, `ANY` for one without; None without classes.

    Raises
    ------
    TraceError
        If a message is of a class that the relation does not have.
    """
    if not relation.classes or not classes:
        return None
    known = {"": ANY} | {name: k for k, name in enumerate(relation.classes)}
    for i, name in enumerate(classes):
        if name not in known:
            raise TraceError(unknown_class(name, relation.classes), i, "class")
    return np.array([known[name] for name in classes], dtype=np.int64)


def unknown_class(name: str, classes: Sequence[str]) -> str:
    """What is said of a message whose class there is not."""
    return f"there is no message class {name!r}; the routing has {', '.join(classes)}"
