"""Tables of rules that cannot be compiled: one entry per reachable state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unknot.errors import RelationError
from unknot.routing.relation import EJECT, NO_WAIT, TIER, Candidate, Relation

MAX_STATES = 20_000_000


@dataclass(frozen=True, eq=False)
class Table:
    """Candidates of every reachable state, grouped by address.

    Attributes
    ----------
    first : int64 array, shape (addresses + 1,)
        States of address a are ``first[a]:first[a + 1]``.
    place : int64 array, shape (states,)
        Place of each state, ascending within an address.
    start : int64 array, shape (states + 1,)
        Candidates of state s are ``value[start[s]:start[s + 1]]``.
    value : int64 array
        Candidates as a rule writes them.
    """

    first: npt.NDArray[np.int64]
    place: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]
    value: npt.NDArray[np.int64]


def tabulate(
    relation: Relation, *, limit: int = MAX_STATES, progress: Callable[[int, int], None] | None = None
) -> Table:
    """Ask a rule, in plain Python, for every state reachable from injection.

    Parameters
    ----------
    limit : int
        Most states to visit.
    progress : callable, optional
        Called with (addresses done, addresses) after each address.

    Raises
    ------
    RelationError
        If the rule breaks its contract or has more reachable states than `limit`.
    """
    first, start = [0], [0]
    place: list[int] = []
    value: list[int] = []
    for address in range(relation.num_addresses):
        found: dict[int, list[Candidate]] = {}
        todo = [relation.num_vcs + int(t) for t in relation.sources(address)]
        seen = set(todo)
        while todo:
            at = todo.pop()
            found[at] = relation.candidates(at, address)
            if len(place) + len(found) > limit:
                raise RelationError(
                    f"{relation.name} on {relation.network.name}: Numba cannot compile the rule and a table of it "
                    f"would have more than {limit} states; write the rule with plain numbers and arrays"
                )
            new = {c.vc for c in found[at] if c.vc is not None} - seen
            seen |= new
            todo += new
        for at in sorted(found):
            place.append(at)
            value += [encode(candidate) for candidate in found[at]]
            start.append(len(value))
        first.append(len(place))
        if progress is not None:
            progress(address + 1, relation.num_addresses)
    return Table(*(np.array(column, dtype=np.int64) for column in (first, place, start, value)))


def encode(candidate: Candidate) -> int:
    """A candidate as a rule writes it."""
    vc = EJECT if candidate.vc is None else candidate.vc
    return vc + candidate.tier * TIER + (0 if candidate.waits else NO_WAIT)
