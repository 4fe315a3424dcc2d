"""Tables of rules: what a rule answers at every reachable state.

The prover reads small relations from their table, so that nothing is compiled for them; a rule that Numba cannot
compile is read from its table everywhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unknot.errors import RelationError
from unknot.routing.relation import EJECT, NO_WAIT, TIER, VC_MASK, Candidate, Relation

MAX_STATES = 20_000_000
FEW = 100_000
"""Pairs of a place and an address up to which a rule is tabulated rather than compiled: about as long either way."""
SECONDS = 0.5
"""A rule that takes longer to tabulate is compiled after all."""


@dataclass(frozen=True, eq=False)
class Table:
    """Candidates of every reachable state, address by address, in the order of a breadth-first search.

    Attributes
    ----------
    first : int64 array, shape (addresses + 1,)
        States of address a are ``first[a]:first[a + 1]``.
    place : int64 array, shape (states,)
        Place of each state.
    start : int64 array, shape (states + 1,)
        Candidates of state s are ``value[start[s]:start[s + 1]]``.
    value : int64 array
        Candidates as a rule writes them.
    """

    first: npt.NDArray[np.int64]
    place: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]
    value: npt.NDArray[np.int64]


def small_table(relation: Relation) -> Table | None:
    """The table of a relation that has few states and answers quickly; None of any other.

    Raises
    ------
    RelationError
        If the rule breaks its contract.
    """
    if relation.vcs.router.size * relation.num_addresses > FEW:
        return None
    end = time.monotonic() + SECONDS

    def look(done: int, total: int) -> None:
        if done < total and time.monotonic() > end:
            raise TimeoutError

    try:
        return tabulate(relation, progress=look)
    except TimeoutError:
        return None


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
    vcs, rule = relation.num_vcs, relation.rule
    tail, router = relation.network.source[relation.vcs.channel].tolist(), relation.vcs.router.tolist()
    out = np.zeros(relation.max_candidates, dtype=np.int64)
    first, start = [0], [0]
    place: list[int] = []
    value: list[int] = []
    for address in range(relation.num_addresses):
        order: list[int] = (vcs + relation.sources(address)).tolist()
        seen = {EJECT}
        for at in order:
            try:
                count = int(rule(at, address, out))
            except Exception:
                count = -1
            if not 0 <= count <= out.size:
                _broken(relation, at, address)
            found = out[:count].tolist()
            value += found
            start.append(len(value))
            if len(start) - 1 > limit:
                raise RelationError(
                    f"{relation.name} on {relation.network.name}: Numba cannot compile the rule and a table of it "
                    f"would have more than {limit} states; write the rule with plain numbers and arrays"
                )
            for candidate in found:
                vc = candidate & VC_MASK
                if vc not in seen:
                    if vc >= vcs or tail[vc] != router[at]:
                        _broken(relation, at, address)
                    seen.add(vc)
                    order.append(vc)
        place += order
        first.append(len(place))
        if progress is not None:
            progress(address + 1, relation.num_addresses)
    return Table(*(np.array(column, dtype=np.int64) for column in (first, place, start, value)))


def _broken(relation: Relation, at: int, address: int) -> None:
    """Raise the error of a state that breaks the contract."""
    relation.candidates(at, address)
    raise RelationError(
        f"{relation.name} at {relation.vcs.name(at)} for {relation.address_name(address)}: its answers change from "
        "one question to the next"
    )


def encode(candidate: Candidate) -> int:
    """A candidate as a rule writes it."""
    vc = EJECT if candidate.vc is None else candidate.vc
    return vc + candidate.tier * TIER + (0 if candidate.waits else NO_WAIT)
