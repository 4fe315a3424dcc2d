"""Deadlocks that moves of packets and updates of routers lead to."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from unknot._base.deadline import Deadline
from unknot._base.switching import Switching
from unknot.certificates.verdict import Configuration
from unknot.verify.check import check
from unknot.verify.mixture import Mixture, Moment, updated_in
from unknot.verify.update_order import MomentProof

MOST_SETS = 1024
"""Sets of updated routers up to which each is judged."""


def deadlocks(
    both: Mixture,
    technique: Switching,
    first: list[Configuration | None],
    proofs: list[MomentProof],
    deadline: Deadline,
) -> Iterator[tuple[Configuration, frozenset[int]]]:
    """Deadlocks that a sequence of moves and updates leads to, with the routers that have been updated in them.

    A deadlock for all orders at once need be none: two headers at a router may wait by different routings, and
    headers with a choice wait for too little. So the `first` ones are tried, then sets of updated routers with what
    was left behind; `proofs` has one for each set if none of them can deadlock.
    """
    for one in first:
        if one is not None and (updated := updated_in(both, one)) is not None:
            yield one, updated
    for chosen in _sets(both.changed):
        if deadline.over:
            return
        moment = Moment(updated=chosen, passed=chosen)
        relation = both.relation(moment)
        verdict = check(relation, technique, time_limit=deadline)
        if verdict.deadlock_free:
            proofs.append(MomentProof(moment, relation, verdict))
        elif verdict.configuration is not None:
            updated = updated_in(both, verdict.configuration)
            if updated is not None:
                yield verdict.configuration, updated


def _sets(routers: list[int]) -> Iterator[tuple[int, ...]]:
    """Sets of routers: all, the largest first; where these are too many the first of them, and the last."""
    if 2 ** len(routers) <= MOST_SETS:
        for size in range(len(routers), -1, -1):
            yield from combinations(routers, size)
    else:
        for count in range(len(routers), 0, -1):
            yield tuple(routers[:count])
            yield tuple(routers[count:])
