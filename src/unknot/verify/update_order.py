"""Orders in which routers can be updated without a deadlock: batches, each proved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from unknot._base.deadline import Deadline, NoAnswerError
from unknot._base.shown import Brief
from unknot._base.switching import Switching
from unknot.verify.mixture import Mixture, Moment, MomentVerdict


@dataclass(frozen=True, eq=False, repr=False)
class Order(Brief):
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
        Without batches: addresses to which nothing may be sent during the update, so that it is safe in any order.
    proofs : tuple of MomentVerdict
        Of the old routing and of each batch; or that any order is safe without these addresses.
    """

    batches: tuple[tuple[int, ...], ...]
    complete: bool
    drained: tuple[int, ...]
    proofs: tuple[MomentVerdict, ...]


class _Search:
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
        """Addresses without which the update is safe in any order, and the proof."""
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


def safe_order(both: Mixture, switching: Switching, deadline: Deadline) -> Order:
    """Look for an order of updates in which packets are neither lost nor blocked for good.

    Any safe batch can be updated one router at a time, so all orders are tried by single routers: O(2^routers) proofs
    at most.
    """
    search = _Search(both, switching, deadline)
    try:
        before = search.proved(Moment())
        path = search.one_by_one(both.changed) if before is not None else {}
        if before is not None and path:
            batches, proofs = zip(*search.merged(path), strict=True)
            return Order(batches, True, (), (before, *proofs))
        complete = not search.open
        return Order((), complete, *search.drained())
    except NoAnswerError:
        return Order((), False, (), ())
