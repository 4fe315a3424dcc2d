"""Two routings of one network, and what packets may do while routers change from one to the other."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from unknot._base.deadline import Deadline
from unknot._base.errors import RelationError
from unknot._base.shown import Brief
from unknot.certificates.documents import Document
from unknot.certificates.verdict import Verdict
from unknot.certificates.verdict_claims import verdict_claim
from unknot.routing.contract import EJECT, NO_WAIT, VC_MASK
from unknot.routing.nimble import nimble
from unknot.routing.parts import Addressing
from unknot.routing.relation import Relation
from unknot.routing.table import Table, lookup
from unknot.routing.tabulate import MAX_STATES
from unknot.verify.check import check

Answer = tuple[tuple[int, ...], tuple[int, ...]]
"""What the old rule writes for a state, and what the new one writes."""


@dataclass(frozen=True)
class Moment:
    """How far an update has come.

    Attributes
    ----------
    updated : collection of int
        Routers that follow the new routing; all others follow the old one.
    updating : collection of int
        Routers of which it is not known which routing they follow. If there are any, a header waits for any one of
        its candidates, as of relations that commit: with one candidate from each routing that is exact, with more it
        allows too many deadlocks, never too few.
    passed : collection of int
        Updated routers that packets still in the network may have passed before they were updated.
    drained : collection of int
        Addresses to which nothing is sent before all routers have been updated, and no packet is under way by the old
        routing.
    """

    updated: Collection[int] = ()
    updating: Collection[int] = ()
    passed: Collection[int] = ()
    drained: Collection[int] = ()

    def followed(self, router: int, address: int, answer: Answer) -> tuple[tuple[int, ...], ...]:
        """What the routing answers that a router follows; of both, if either may be followed."""
        if router in self.updating and address not in self.drained:
            return answer
        return answer[1:] if router in self.updated or address in self.drained else answer[:1]

    def entries(self, router: int, address: int, answer: Answer) -> tuple[int, ...]:
        """Candidates of a header; older candidates, possible only before an update, are marked as never
        waited for.
        """
        if router in self.passed and address not in self.drained:
            old, new = answer
            return _joined(new, old, NO_WAIT if new else 0)
        first, *others = self.followed(router, address, answer)
        return _joined(first, others[0]) if others else first


@dataclass(frozen=True, eq=False, repr=False)
class MomentVerdict(Brief):
    """Whether packets can deadlock at a moment of an update.

    Attributes
    ----------
    moment : Moment
    relation : Relation
        What packets may do then.
    verdict : Verdict
        Of that relation.
    """

    moment: Moment
    relation: Relation
    verdict: Verdict

    @property
    def claim(self) -> Document:
        """The moment and its proof as plain data."""
        routers = {name: sorted(getattr(self.moment, name)) for name in ("updated", "updating", "passed")}
        return routers | {"proof": verdict_claim(self.verdict)["proof"]}


@dataclass(frozen=True, eq=False)
class Mixture:
    """What two routings answer wherever packets can come to while each router follows the one or the other.

    Attributes
    ----------
    old, new : Relation
        Relations on one network, with the same VCs and addresses.
    answers : list of dict of int to (old entries, new entries)
        For each address, by input VC or injection port.
    router : list of int
        Router of each input VC and injection port.
    """

    old: Relation
    new: Relation
    answers: list[dict[int, Answer]]
    router: list[int]

    @property
    def changed(self) -> list[int]:
        """Routers at which some packet may go on otherwise than before, ascending."""
        return sorted({self.router[at] for rows in self.answers for at, (old, new) in rows.items() if old != new})

    def sources(self, address: int) -> list[int]:
        """Terminals that send to an address, by the one routing or the other."""
        return sorted({*self.old.sources(address).tolist(), *self.new.sources(address).tolist()})

    def reached(self, moment: Moment) -> Iterator[dict[int, tuple[int, ...]]]:
        """The entries of each state that packets come to, address by address."""
        vcs = self.old.num_vcs
        for address, rows in enumerate(self.answers):
            reached: dict[int, tuple[int, ...]] = {}
            todo = [vcs + source for source in self.sources(address)]
            while todo:
                at = todo.pop()
                if at not in reached:
                    reached[at] = moment.entries(self.router[at], address, rows[at])
                    todo += [entry & VC_MASK for entry in reached[at] if entry & VC_MASK != EJECT]
            yield reached

    def relation(self, moment: Moment) -> Relation:
        """What packets may do at a moment, as a relation."""
        table = Table.of(self.reached(moment))
        sender = None if self.old.may_use is None or self.new.may_use is None else self.old.may_use | self.new.may_use
        return Relation(
            self.old.network,
            self.old.vcs,
            lookup(table),
            name=f"{self.old.name} becoming {self.new.name}",
            commits=self.old.commits or bool(moment.updating),
            addresses=Addressing(
                destination=self.old.destination, may_use=sender, address_labels=self.old.address_labels
            ),
        )

    def decided(self, moment: Moment, technique: str, deadline: Deadline, **options: Any) -> MomentVerdict:
        """Decide whether packets can deadlock at a moment; `options` are those of `check`."""
        relation = self.relation(moment)
        return MomentVerdict(moment, relation, check(relation, technique, time_limit=deadline, **options))

    def lost(self, moment: Moment) -> Iterator[tuple[int, int]]:
        """States (input VC, address) in which a packet has come to a router without a way for it."""
        for address, reached in enumerate(self.reached(moment)):
            own = self.old.num_vcs + int(self.old.destination[address])
            for at in reached:
                if at != own and not all(moment.followed(self.router[at], address, self.answers[address][at])):
                    yield at, address


def mixture(old: Relation, new: Relation) -> Mixture:
    """Follow the packets of all addresses while each router follows the one routing or the other.

    O(states that packets can come to then), some microseconds each, and about 300 bytes.

    Raises
    ------
    RelationError
        If the relations are not of the same network, VCs and addresses, only one of them commits, or there are more
        than `MAX_STATES` states.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> from unknot.routing import dimension_order, up_down
    >>> mixture(dimension_order(ring(5)), up_down(ring(5), root=0)).changed
    [2, 3, 4]
    """
    _require_alike(old, new)
    router, vcs = old.vcs.router.tolist(), old.num_vcs
    both = Mixture(old, new, [], router)
    ask_old, ask_new = _CheckedRule(old), _CheckedRule(new)
    states = 0
    for address in range(old.num_addresses):
        rows: dict[int, Answer] = {}
        todo = [vcs + source for source in both.sources(address)]
        while todo:
            at = todo.pop()
            if at in rows:
                continue
            answers = rows[at] = ask_old(at, address), ask_new(at, address)
            todo += [entry & VC_MASK for answer in answers for entry in answer if entry & VC_MASK != EJECT]
        states += len(rows)
        if states > MAX_STATES:
            raise RelationError(
                f"an update on {old.network.name}: packets come to more than {MAX_STATES:,} states, about "
                f"{states * old.num_addresses // (address + 1):,}; judge a part with fewer flows"
            )
        both.answers.append(rows)
    return both


class _CheckedRule:
    """The rule of a relation, its answers checked where packets of this routing alone would never come."""

    def __init__(self, relation: Relation) -> None:
        self.relation, self.rule = relation, nimble(relation.rule)
        self.out = np.zeros(relation.max_candidates, dtype=np.int64)
        self.tail = relation.network.source[relation.vcs.channel].tolist()
        self.router = relation.vcs.router.tolist()

    def __call__(self, at: int, address: int) -> tuple[int, ...]:
        try:
            entries = tuple(self.out[: self.rule(at, address, self.out)].tolist())
            wrong = any(
                self.tail[entry & VC_MASK] != self.router[at] for entry in entries if entry & VC_MASK != EJECT
            )
        except Exception:  # a rule of the user may raise whatever it likes
            wrong = True
        if wrong or (entries and entries[0] & VC_MASK == EJECT):
            self.relation.candidates(at, address)
            entries = tuple(self.out[: self.relation.rule(at, address, self.out)].tolist())
        return entries


def _joined(entries: tuple[int, ...], others: tuple[int, ...], mark: int = 0) -> tuple[int, ...]:
    """Entries, and other entries that lead elsewhere, marked."""
    known = {entry & VC_MASK for entry in entries} | ({EJECT} if mark else set())  # ejection is never blocked
    return (*entries, *(entry | mark for entry in others if entry & VC_MASK not in known))


def _require_alike(old: Relation, new: Relation) -> None:
    def vcs(relation: Relation) -> str:
        return " to ".join(map(str, sorted({int(each) for each in relation.vcs.counts[[0, -1]]}))) + " per channel"

    def several(relation: Relation) -> str:
        return f"{relation.num_addresses} for {relation.network.num_terminals} terminals"

    def choice(relation: Relation) -> str:
        return "once, on arrival" if relation.commits else "anew in every cycle"

    for what, same, words in (
        ("network", old.network == new.network, lambda relation: relation.network.name),
        ("VCs", old.vcs.counts.tolist() == new.vcs.counts.tolist(), vcs),
        ("addresses", old.destination.tolist() == new.destination.tolist(), several),
        ("way of choosing", old.commits == new.commits, choice),
    ):
        if not same:
            raise RelationError(
                f"an update keeps the {what}: {old.name} has {words(old)}, {new.name} {words(new)}"
                + ("; --vcs gives both as many" if what == "VCs" else "")
            )
