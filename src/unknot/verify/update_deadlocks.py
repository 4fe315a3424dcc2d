"""Deadlocks that moves of packets and updates of routers lead to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, pairwise

from unknot._base.deadline import Deadline
from unknot._base.switching import Switching
from unknot.certificates.verdict import Configuration
from unknot.routing.contract import NO_WAIT, VC_MASK
from unknot.verify.mixture import Mixture, Moment, MomentVerdict

MOST_SETS = 1024
"""Sets of updated routers up to which each is judged."""


def deadlocks(
    both: Mixture,
    technique: Switching,
    first: list[Configuration | None],
    proofs: list[MomentVerdict],
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
        decided = both.decided(Moment(updated=chosen, passed=chosen), technique, deadline)
        if decided.verdict.deadlock_free:
            proofs.append(decided)
        elif (knot := decided.verdict.configuration) is not None and (updated := updated_in(both, knot)) is not None:
            yield knot, updated


def _sets(routers: list[int]) -> Iterator[tuple[int, ...]]:
    """Sets of routers: all, the largest first; where these are too many the first of them, and the last."""
    if 2 ** len(routers) <= MOST_SETS:
        for size in range(len(routers), -1, -1):
            yield from combinations(routers, size)
    else:
        for count in range(len(routers), 0, -1):
            yield tuple(routers[:count])
            yield tuple(routers[count:])


def updated_in(both: Mixture, configuration: Configuration) -> frozenset[int] | None:
    """Routers that have been updated when messages have gone one after the other to where they block each other.

    None if one router would have to be updated before a message passes it and after a later one does, or both to
    block a header and to let it come.
    """
    if not configuration.reachable:
        return None
    before: dict[int, int] = {}
    after: dict[int, int] = {}
    moment = 0
    for message in configuration.messages:
        path = [both.old.num_vcs + message.source, *message.lead, *message.held]
        for at, vc in pairwise(path):
            old, new = both.answers[message.address][at]
            router, moment = both.router[at], moment + 1
            by_old, by_new = vc in _vcs(old), vc in _vcs(new)
            if by_old and not by_new:
                before[router] = moment
            elif by_new and not by_old:
                after.setdefault(router, moment)
    if any(before.get(router, 0) > moment for router, moment in after.items()):
        return None
    held = set(configuration.holder)
    updated: set[int] = set()
    kept: set[int] = set()
    for message in configuration.messages:
        at = message.held[-1]
        old, new = both.answers[message.address][at]
        blocked_old, blocked_new = (_waits(answer, both.old.commits, held) for answer in (old, new))
        if not blocked_old:
            updated.add(both.router[at])
        if not blocked_new:
            kept.add(both.router[at])
    return None if kept & (updated | after.keys()) else frozenset(both.changed) - kept


def _vcs(entries: Iterable[int]) -> set[int]:
    return {entry & VC_MASK for entry in entries}


def _waits(entries: tuple[int, ...], commits: bool, held: set[int]) -> bool:
    """Whether a header with these candidates stays blocked by VCs that are held."""
    waited = {entry & VC_MASK for entry in entries if commits or not entry & NO_WAIT}
    return bool(waited & held) if commits else bool(waited) and waited <= held


def blocked_at_last(both: Mixture, configuration: Configuration) -> bool:
    """Whether the messages stay blocked when all routers have been updated."""
    held = set(configuration.holder)
    last = [both.answers[message.address][message.held[-1]][1] for message in configuration.messages]
    return all(_waits(answer, both.new.commits, held) for answer in last)
