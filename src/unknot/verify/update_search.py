"""Searches over the moments of an update: for a deadlock that it can lead to, and for a safe order of routers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise

from unknot._base.deadline import Deadline, NoAnswerError
from unknot._base.shown import Brief
from unknot._base.switching import Switching
from unknot.certificates.verdict import Configuration
from unknot.routing.contract import NO_WAIT, VC_MASK
from unknot.routing.waiting import effective
from unknot.verify.mixture import Mixture, Moment, MomentVerdict

MOST_SETS = 1024
"""Sets of updated routers up to which each is judged."""


@dataclass(frozen=True, eq=False)
class PossibleDeadlock:
    """A deadlock reached by moves of packets and updates of routers, or the proof that none exists.

    Attributes
    ----------
    configuration : Configuration or None
    updated : frozenset of int
        Routers that have been updated in it.
    proofs : tuple of MomentVerdict
        Without one: that no set of updated routers can deadlock; empty where some were not decided.
    """

    configuration: Configuration | None = None
    updated: frozenset[int] = frozenset()
    proofs: tuple[MomentVerdict, ...] = ()


def possible_deadlock(
    both: Mixture, technique: Switching, first: list[Configuration | None], deadline: Deadline
) -> PossibleDeadlock:
    """Look for a deadlock that a sequence of moves and updates leads to.

    A deadlock for all orders at once need be none: two headers at a router may wait by different routings, and
    headers with a choice wait for too little. So the `first` ones are tried, then sets of updated routers with what
    was left behind.
    """
    proofs: list[MomentVerdict] = []

    def knots() -> Iterator[Configuration | None]:
        yield from first
        for chosen in _sets(both.changed):
            if deadline.over:
                return
            decided = both.decided(Moment(updated=chosen, passed=chosen), technique, deadline)
            if decided.verdict.deadlock_free:
                proofs.append(decided)
            yield decided.verdict.configuration

    for knot in knots():
        if knot is not None and (updated := updated_in(both, knot)) is not None:
            return PossibleDeadlock(knot, updated)
    return PossibleDeadlock(proofs=tuple(proofs) if len(proofs) == 2 ** len(both.changed) else ())


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
    """Routers updated by the time the messages, moving one after another, block each other.

    None if one router would have to be updated before a message passes it and after a later one does, or both to
    block a header and to let it come. None too for messages that stand still on their way: they go one by one here.
    """
    if not configuration.reachable or configuration.order:
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
    waited = {entry & VC_MASK for entry in entries if not effective(entry, commits) & NO_WAIT}
    return bool(waited & held) if commits else bool(waited) and waited <= held


def blocked_at_last(both: Mixture, configuration: Configuration) -> bool:
    """Whether the messages stay blocked when all routers have been updated."""
    held = set(configuration.holder)
    last = [both.answers[message.address][message.held[-1]][1] for message in configuration.messages]
    return all(_waits(answer, both.new.commits, held) for answer in last)


@dataclass(frozen=True, eq=False, repr=False)
class BatchOrder(Brief):
    """Batches of routers to update one after the other.

    Before the next batch, the packets that were sent before the last update have to have left the network; traffic
    goes on meanwhile.

    Attributes
    ----------
    batches : tuple of tuple of int
        Routers that are updated in any order, batch after batch; empty if there is no safe order, or none was found.
    complete : bool
        Whether all orders were tried; then no batches means that none is safe.
    drained : tuple of int
        Without batches: addresses to which nothing may be sent during the update, and all packets to which have to
        have left the network before it begins, so that any order is safe; such packets are left out of the proof.
    proofs : tuple of MomentVerdict
        Of the old routing and of each batch; or that any order is safe without these addresses.
    """

    batches: tuple[tuple[int, ...], ...]
    complete: bool
    drained: tuple[int, ...]
    proofs: tuple[MomentVerdict, ...]


class _UpdateSearch:
    """The sets of updated routers that can be come to safely, one router at a time."""

    def __init__(self, both: Mixture, switching: Switching, deadline: Deadline) -> None:
        self.both, self.switching, self.deadline = both, switching, deadline
        self.open = False
        """Whether some question was not decided."""

    def proved(self, moment: Moment) -> MomentVerdict | None:
        """The proof that no packet is lost and nothing can deadlock at a moment; None without one."""
        if next(self.both.lost(moment), None) is not None:
            return None
        decided = self.both.decided(moment, self.switching, self.deadline, shorten=False)
        self.open |= decided.verdict.deadlock_free is None
        return decided if decided.verdict.deadlock_free else None

    def step(self, updated: frozenset[int], batch: tuple[int, ...]) -> MomentVerdict | None:
        """The proof that a batch can be updated after these routers."""
        if len(batch) == 1:
            return self.proved(Moment(updated=updated | {*batch}, passed=batch))
        return self.proved(Moment(updated=updated, updating=batch))

    def one_by_one(self, changed: list[int]) -> dict[int, MomentVerdict]:
        """Routers in a safe order with their proofs, by depth-first search over sets that were not tried before."""
        path: dict[int, MomentVerdict] = {}
        untried = [iter(changed)]
        tried = {frozenset[int]()}
        while untried and len(path) < len(changed):
            if self.deadline.over:
                self.open = True
                return {}
            router = next(untried[-1], None)
            if router is None:
                untried.pop()
                if path:
                    path.popitem()
            elif router not in path and (after := frozenset((*path, router))) not in tried:
                tried.add(after)
                proof = self.step(frozenset(path), (router,))
                if proof is not None:
                    path[router] = proof
                    untried.append(iter(changed))
        return path

    def merged(self, path: dict[int, MomentVerdict]) -> Iterator[tuple[tuple[int, ...], MomentVerdict]]:
        """Batches of as many routers that follow one another as can be updated in any order."""
        routers = [*path]
        while routers:
            updated = frozenset(path) - {*routers}
            batch: tuple[int, ...] = (routers[0],)
            proof = path[routers[0]]
            for size in _sizes(len(routers)):
                larger = tuple(sorted(routers[:size]))
                of_larger = None if self.deadline.over else self.step(updated, larger)
                if of_larger is None:
                    break
                batch, proof = larger, of_larger
            yield batch, proof
            routers = routers[len(batch) :]

    def drained(self) -> tuple[tuple[int, ...], tuple[MomentVerdict, ...]]:
        """Addresses without whose packets the update is safe in any order, and the proof."""
        every = range(self.both.old.network.num_routers)
        stopped: set[int] = {address for _, address in self.both.lost(Moment(updating=every))}
        while not self.deadline.over:
            moment = Moment(updating=every, drained=frozenset(stopped))
            decided = self.both.decided(moment, self.switching, self.deadline, shorten=False)
            if decided.verdict.deadlock_free:
                return tuple(sorted(stopped)), (decided,)
            configuration = decided.verdict.configuration
            messages = () if configuration is None else configuration.messages
            if {message.address for message in messages} <= stopped:
                break
            stopped |= {message.address for message in messages}
        return (), ()


def _sizes(most: int) -> Iterator[int]:
    """Sizes of batches to try, each twice the one before, and all."""
    size = 2
    while size < most:
        yield size
        size *= 2
    if most > 1:
        yield most


def safe_order(both: Mixture, switching: Switching, deadline: Deadline) -> BatchOrder:
    """Look for an order of updates in which packets are neither lost nor blocked for good.

    Any safe batch can be updated one router at a time, so all orders are tried by single routers: O(2^routers) proofs
    at most.
    """
    search = _UpdateSearch(both, switching, deadline)
    try:
        before = search.proved(Moment())
        path = search.one_by_one(both.changed) if before is not None else {}
        if before is not None and path:
            batches, proofs = zip(*search.merged(path), strict=True)
            return BatchOrder(batches, True, (), (before, *proofs))
        complete = not search.open
        return BatchOrder((), complete, *search.drained())
    except NoAnswerError:
        return BatchOrder((), False, (), ())
