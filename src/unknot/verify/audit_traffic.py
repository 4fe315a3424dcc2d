"""Audit of one kind of traffic on a fabric: its verdict, its delivery, and the lengths of its routes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unknot._base.arrays import Ints
from unknot._base.deadline import Deadline
from unknot._base.switching import Switching
from unknot._base.three_valued import ThreeValued, all_hold
from unknot.certificates import evidence_holds
from unknot.certificates.verdict import Verdict
from unknot.fabrics import Fabric
from unknot.fabrics.levels import unrecorded
from unknot.network.model import IntArray
from unknot.routing.fabric_relation import dropped_for_their_lane, fabric_relation
from unknot.routing.relation import Relation
from unknot.routing.switchboard import Switchboard, Traffic, destinations
from unknot.verify.audit_findings import SHOWN, Unknown, loop_of, lost_packets, unknown_traffic
from unknot.verify.audit_merged import merged_relation
from unknot.verify.check import check
from unknot.verify.delivery import Delivery, deliver

REPLIES = "replies"
"""Host-to-host traffic together with replies at the level of the request."""
MERGED = 1_000_000
"""Pairs of ports and LIDs from which on one sender stands for all of its switch, where there is one lane."""
MEANING: dict[str, str] = {
    "host-to-host": "what applications send",
    "host-to-switch": (
        "queries to the switches' own ports, as of performance counters: few, small, and sent by monitoring alone; "
        "the subnet manager's own packets are not among them (VL 15, without credits)"
    ),
    "switch-to-switch": (
        "from one switch's own port to another's: none, unless a subnet manager or other software runs on switches"
    ),
    "all": (
        "every port to every other at once, answers of switches to hosts included: what must hold if nothing is "
        "assumed about who sends"
    ),
    REPLIES: (
        "between hosts, where whoever receives a packet may answer at its service level: the accepting side of a "
        "connection takes the level from the request"
    ),
}
"""Descriptions of the kinds of traffic, and of when each matters."""


@dataclass(frozen=True, eq=False)
class TrafficAudit(ThreeValued, asks="holds"):
    """Verdict and delivery for one kind of traffic.

    Attributes
    ----------
    traffic : str
        One of `TRAFFICS`, or `REPLIES`.
    relation : Relation
        Its addresses are the LIDs of the destinations; for all but host-to-host its network has one terminal more
        for the management port of each switch. Of large safe fabrics it has one sender at each switch
        (`audit_merged`).
    verdict : Verdict
    certificate_holds : bool or None
        Whether the separate checker accepts the evidence of the verdict, on what is known; None when it had nothing
        to check, or too much.
    delivery : Delivery
    loop : tuple of str
        Names of the switches on the loop of the counterexample, in the order of its channels; empty without one.
    lost : tuple of str
        The first dead ends and loops in words, each with its switch and LID.
    longer_pairs : int
        Pairs of a source and a LID whose route by the tables is longer than the shortest path.
    extra_hops : int
        Hops by which the worst of them is longer.
    unknown : Unknown
        What the files do not tell; only the rest was judged.
    """

    traffic: str
    relation: Relation
    verdict: Verdict
    certificate_holds: bool | None
    delivery: Delivery
    loop: tuple[str, ...]
    lost: tuple[str, ...]
    longer_pairs: int
    extra_hops: int
    unknown: Unknown

    @property
    def meaning(self) -> str:
        """Description of this traffic, and of when it matters."""
        return MEANING[self.traffic]

    @property
    def holds(self) -> bool | None:
        """Whether it is deadlock-free, and every pair is delivered; None: open."""
        return all_hold((self.verdict.deadlock_free, self.delivery.delivered))


@dataclass(frozen=True, eq=False)
class FollowedTables:
    """Tables of a fabric, their routes, and how they are judged.

    Attributes
    ----------
    hops, extra : int32 arrays, shape (routers, LIDs)
        Hops of each route, negative where it does not arrive, and those of them beyond a shortest path.
    lanes, technique, time_limit
        As for `unknot.verify.audit.audit`.
    """

    fabric: Fabric
    board: Switchboard
    hops: IntArray
    extra: IntArray
    lanes: int | None
    technique: Switching
    time_limit: float | Deadline


def audit_traffic(tables: FollowedTables, traffic: Traffic, *, replies: bool = False) -> TrafficAudit:
    """Judge one kind of traffic: with a sender for each port, or on large fabrics for each switch if that says all.

    Parameters
    ----------
    replies : bool
        Whether hosts also answer at the level of the request.
    """
    fabric, board, lids = tables.fabric, tables.board, destinations(tables.fabric, traffic)
    name = REPLIES if replies else traffic
    if board.network.num_terminals * fabric.lids.size > MERGED:
        merged = merged_relation(fabric, board, traffic, tables.lanes, replies=replies)
        audit = None if merged is None else _audited(tables, name, lids, *merged, merged=True)
        if audit is not None:
            return audit
    relation = fabric_relation(fabric, traffic, lanes=tables.lanes, replies=replies)
    usable = relation.usable().reshape(relation.network.num_terminals, -1, lids.size)
    counts = np.asarray(usable.any(axis=1), dtype=np.int32)
    counts[: fabric.network.num_terminals] |= unrecorded(fabric, lids)
    audit = _audited(tables, name, lids, relation, counts, merged=False)
    assert audit is not None
    return audit


def _audited(
    tables: FollowedTables,
    traffic: str,
    lids: Ints,
    relation: Relation,
    counts: IntArray,
    *,
    merged: bool,
) -> TrafficAudit | None:
    """Audit the traffic of a relation; `counts` are the pairs that each of its terminals and LIDs stand for.

    A pair is lost if its packets do at one of its levels; a pair of hosts without path record is unknown.

    None where one sender at each switch (`merged`) does not tell which hosts are concerned. So it is where packets
    are dropped for their lanes or between hosts of a switch, and where one in the counterexample begins at the switch
    of its destination: the sender might be the receiver.
    """
    fabric, delivery = tables.fabric, deliver(relation)
    inject, ports = relation.network.inject, np.arange(fabric.network.num_terminals)
    stopped, known = tables.hops[np.ix_(inject, lids)], counts.copy()
    np.subtract.at(known, fabric.network.inject if merged else ports, unrecorded(fabric, lids))
    dropped = np.zeros(known.shape, dtype=bool)
    if merged:
        at_home = relation.destination[: lids.size], np.arange(lids.size)
        missed = np.where(stopped < 0, known, 0)
        open_states = int(relation.usable().reshape(stopped.shape[0], -1, lids.size).sum(axis=1)[stopped < -1].sum())
        laned = fabric.levels is not None or fabric.lanes is not None
        if missed[at_home][stopped[at_home] == -1].any() or (laned and delivery.undelivered_pairs > open_states):
            return None  # without a verdict, which would be in vain
    elif fabric.lanes is not None:
        dropped = dropped_for_their_lane(fabric, tables.board, relation, lids, stopped, tables.lanes)
    verdict = check(relation, tables.technique, time_limit=tables.time_limit)
    stuck = verdict.configuration if merged else None
    if stuck is not None and any(m.source == relation.destination[m.address] for m in stuck.messages):
        return None
    unknown = unknown_traffic(fabric, tables.board, lids, stopped, np.where(dropped, 0, known))
    lost = int(known[(stopped == -1) | dropped].sum())
    whole = unknown.delivery(delivery, int(counts.sum()), lost)
    extra = tables.extra[np.ix_(inject, lids)]
    longer = (known > 0) & (extra > 0)
    return TrafficAudit(
        traffic=traffic,
        relation=relation,
        verdict=unknown.verdict(verdict, whole.pairs),
        certificate_holds=evidence_holds(relation, verdict),
        delivery=whole,
        loop=loop_of(relation, verdict.configuration),
        lost=lost_packets(fabric, relation, delivery, lids)[:SHOWN],
        longer_pairs=int(known[longer].sum()),
        extra_hops=int(extra[longer].max(initial=0)),
        unknown=unknown,
    )
