"""Updates: can packets block each other while routers change from one routing to another, in any order?

A router changes at one moment; packets that it sent before stand in the network with those of the new routing. So a
packet may have been routed by the old rule at some routers and by the new one at others, and two routings that are
each free of deadlock can deadlock together (Lysne, Pinkston & Duato 2005).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from unknot._base.deadline import MINUTE, Deadline, counts_work
from unknot._base.progress import Progress, with_bar
from unknot._base.quantities import RouterNumber
from unknot._base.shown import Brief
from unknot._base.switching import DEFAULT_SWITCHING
from unknot._base.three_valued import ThreeValued
from unknot.certificates import plain
from unknot.certificates.documents import Document, document
from unknot.certificates.verdict import Configuration
from unknot.certificates.verdict_checker import holds
from unknot.certificates.verdict_claims import message_of
from unknot.fabrics import Fabric
from unknot.network.graph import hops_around
from unknot.routing.contract import EJECT, NO_WAIT, VC_MASK
from unknot.routing.fabric_relation import fabric_relation
from unknot.routing.relation import Relation
from unknot.routing.waiting import effective
from unknot.verify.audit_findings import open_tables
from unknot.verify.delivery import livelock
from unknot.verify.mixture import Mixture, Moment, MomentVerdict, mixture
from unknot.verify.smallest import smallest
from unknot.verify.update_search import BatchOrder, PossibleDeadlock, blocked_at_last, possible_deadlock, safe_order

LOST = 1000
"""States where a packet is lost that are kept."""


SHARE = 0.2
"""Part of the time for the smallest deadlock."""


@dataclass(frozen=True, eq=False, repr=False)
class Update(ThreeValued, Brief, asks="deadlock_free"):
    """What can happen while routers change from one routing to another.

    Attributes
    ----------
    deadlock_free : bool or None
        Whether no deadlock is possible, in whatever order routers are updated; None: open.
    switching : str
    established : str
        The answer in words.
    mixture : Mixture
        What the two routings answer wherever packets can come.
    proofs : tuple of MomentVerdict
        If it is free of deadlock: the proof for all orders at once, or one for each set of updated routers.
    configuration : Configuration or None
        A deadlock, its messages in the order in which they go to where they stand.
    updated : tuple of int
        Routers that have been updated in this deadlock.
    lasts : bool
        Whether its messages stay blocked when all routers have been updated.
    lost : tuple of (input VC, address)
        Where packets can come to a router that has no way for them, before or after its update; the first few.
    loops : tuple of (tuple of input VC, address)
        Ways on which packets can go round until another router is updated; the first few.
    order : Order or None
        Batches of routers that can be updated one after the other; None where any order will do, and where the new
        routing alone can deadlock.
    smallest : bool
        Whether it is shown that no deadlock has fewer messages than the one here.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> from unknot.routing import dimension_order
    >>> change = update(dimension_order(mesh(3, 3)), dimension_order(mesh(3, 3), order=[1, 0]))
    >>> change.deadlock_free, change.lasts, change.order.batches
    (False, True, ((0, 1), (2, 3), (4, 5), (6, 7, 8)))
    """

    deadlock_free: bool | None
    switching: str
    established: str
    mixture: Mixture
    proofs: tuple[MomentVerdict, ...]
    configuration: Configuration | None
    updated: tuple[RouterNumber, ...]
    lasts: bool
    lost: tuple[tuple[int, int], ...]
    loops: tuple[tuple[tuple[int, ...], int], ...]
    order: BatchOrder | None
    smallest: bool = False

    @property
    def relation(self) -> Relation:
        """What packets may do where each router follows either routing."""
        return self.mixture.relation(Moment(updating=range(self.mixture.old.network.num_routers)))

    @property
    def claims(self) -> list[Document]:
        """The claims that any order is safe or of a deadlock; and of the order or the drained addresses."""
        claim = {"subject": "update", "switching": self.switching, "relation": plainly(self.mixture)}
        claims: list[Document] = []
        if self.proofs:
            claims.append({**claim, "how": "any order", "proof": {"moments": [proof.claim for proof in self.proofs]}})
        if self.configuration is not None:
            messages = [message_of(message) for message in self.configuration.messages]
            for message in messages:
                del message["length"]  # nothing rests on it
            proof = {"updated": list(self.updated), "messages": messages}
            proof |= {"smallest": True} if self.smallest else {}
            claims.append({**claim, "how": "deadlock", "proof": proof})
        order = self.order
        if order is not None and order.proofs:
            how: Document = (
                {"how": "batches"} if order.batches else {"how": "any order", "drained": list(order.drained)}
            )
            claims.append({**claim, **how, "proof": {"moments": [proof.claim for proof in order.proofs]}})
        return claims

    @property
    def evidence_holds(self) -> bool | None:
        """Whether the separate checker accepts the evidence; None: there is none, or it is too large."""
        claims = self.claims
        return holds(lambda: plain.accept(document(self.mixture.old.network, None, claims))) if claims else None


@with_bar
@counts_work
def update(
    old: Relation,
    new: Relation,
    switching: str = DEFAULT_SWITCHING,
    *,
    time_limit: float | Deadline = MINUTE,
    progress: Progress | None = None,
) -> Update:
    """Decide whether a network can deadlock while its routers change from one routing to another.

    All orders are judged at once: each router follows either routing. If that is not free of deadlock, the routers
    that must have been updated for a deadlock are read off from it, and a safe order is looked for.

    Parameters
    ----------
    old, new : Relation
        On one network, with the same VCs and addresses. Where headers have a choice, the answer may stay open.
    switching : {"vct", "saf", "wormhole", "wormhole-nonatomic"}
    time_limit : float or Deadline
        Seconds.
    progress : callable, optional
        Called with the stage and how far it is, see `unknot._base.progress`.

    Returns
    -------
    Update
        The verdict, and a safe order where one was sought and found.

    Raises
    ------
    RelationError
        If the relations do not fit to each other, or break their contract where packets of the other come.

    References
    ----------
    O. Lysne, T. M. Pinkston, J. Duato: A methodology for developing deadlock-free dynamic network reconfiguration
    processes, part II. IEEE Transactions on Parallel and Distributed Systems, 16(5), 2005, 428–443.

    Examples
    --------
    >>> from unknot.network.families import line
    >>> from unknot.routing import dimension_order, up_down
    >>> update(dimension_order(line(4)), up_down(line(4), root=1)).deadlock_free
    True
    """
    deadline = Deadline.of(time_limit, "update")
    both = mixture(old, new)
    every = Moment(updating=range(old.network.num_routers))
    in_any_order = both.decided(every, switching, deadline, progress=progress)
    relation, verdict = in_any_order.relation, in_any_order.verdict
    technique, least = verdict.switching, 0
    if verdict.deadlock_free:
        possible = PossibleDeadlock(proofs=(in_any_order,))
    else:
        fewest = smallest(relation, technique, time_limit=deadline.part(SHARE))
        first, least = [fewest.configuration, verdict.configuration], fewest.messages_bound
        possible = possible_deadlock(both, technique, first, deadline)
    configuration, is_smallest = possible.configuration, False
    free = True if possible.proofs else None
    words = "in whatever order routers are updated, packets cannot block each other"
    if configuration is not None:
        free, configuration = False, replace(configuration, reachability="scheduled")
        words = f"{len(configuration.messages)} messages that can never move hold all that they wait for"
        is_smallest = len(configuration.messages) <= least
        words += "; no deadlock has fewer" * is_smallest
    elif free is None:
        words = "undecided: messages may block each other, but no order of updates was found in which they do"
    lost = tuple(islice(both.lost(every), LOST))
    unsafe = [
        one
        for alone, one in ((Moment(), old), (Moment(updated=both.changed), new))
        if free is False and both.decided(alone, technique, deadline, shorten=False).verdict.deadlock_free is False
    ]
    if unsafe:
        words = f"{' and '.join(one.name for one in unsafe)} alone can deadlock"
    order = safe_order(both, technique, deadline) if new not in unsafe and (lost or not free) else None
    loops = tuple(loop for loop in livelock(relation).cycles if _goes_round(both, *loop))
    return Update(
        free,
        technique,
        words,
        both,
        possible.proofs,
        configuration,
        tuple(sorted(possible.updated)),
        configuration is not None and blocked_at_last(both, configuration),
        lost,
        loops,
        order,
        is_smallest,
    )


def _goes_round(both: Mixture, loop: tuple[int, ...], address: int) -> bool:
    """Whether each router on a loop can send packets round by one routing."""
    next_routers: dict[int, list[set[int]]] = {}
    for at, vc in hops_around(loop):
        answers = enumerate(both.answers[address][at])
        by = {new for new, answer in answers if any(entry & VC_MASK == vc for entry in answer)}
        next_routers.setdefault(both.router[at], []).append(by)
    return all(set.intersection(*choices) for choices in next_routers.values())


@counts_work
def update_fabric(
    old: Fabric, new: Fabric, switching: str = DEFAULT_SWITCHING, *, time_limit: float | Deadline = MINUTE
) -> Update | None:
    """Judge the traffic between hosts while the switches of a fabric change from old tables to new ones.

    Parameters
    ----------
    old, new : Fabric
        Both with tables.
    switching : str
        The switching technique.
    time_limit : float or Deadline
        Seconds for the search.

    Returns
    -------
    Update or None
        None where cables, LIDs or lanes have changed too.

    Examples
    --------
    >>> from unknot.fabrics import read_fabric
    >>> before = read_fabric("examples/fabrics/opensm-torus8x8-updn-rooted")
    >>> after = read_fabric("examples/fabrics/opensm-torus8x8-dor")
    >>> update_fabric(before, after).established
    'host-to-host on the tables of opensm-torus8x8-dor alone can deadlock'
    """
    if old.network != new.network or old.lids.tolist() != new.lids.tolist():
        return None
    before, after = fabric_relation(old), fabric_relation(new)
    if before.vcs.counts.tolist() != after.vcs.counts.tolist() or before.num_addresses != after.num_addresses:
        return None
    found = update(before, after, switching, time_limit=time_limit)
    causes = [*dict.fromkeys((*open_tables(old), *open_tables(new)))]
    if found.deadlock_free is not True or not causes:
        return found
    text = f"open, although what the tables tell is free: {'; '.join(causes)}"
    return replace(found, deadlock_free=None, proofs=(), established=text)


def plainly(both: Mixture) -> Document:
    """Both routings as plain data, with the entries of the old one and of the new one in each state."""
    old = both.old
    return {
        "vcs": old.vcs.counts.tolist(),
        "commits": bool(old.commits),
        "destination": old.destination.tolist(),
        "sources": [both.sources(address) for address in range(old.num_addresses)],
        "states": [
            [[at, *(_entries(answer, old.commits) for answer in answers)] for at, answers in sorted(rows.items())]
            for rows in both.answers
        ],
    }


def _entries(answer: tuple[int, ...], commits: bool) -> list[int]:
    """The entries of a rule as plain data; marks have no effect where headers commit."""
    plain_entries: dict[int, Any] = {}
    for entry in answer:
        vc = entry & VC_MASK
        marked = effective(entry, commits) & NO_WAIT
        plain_entries.setdefault(plain.EJECT if vc == EJECT else -vc - 2 if marked else vc)
    return [*plain_entries]
