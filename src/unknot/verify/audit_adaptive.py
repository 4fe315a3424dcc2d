"""Audit of traffic between hosts where switches choose ports, beside that of the static tables alone.

What a switch does with a packet while all its candidates are blocked is not published. Two readings are decided: the
packet waits for the port that it was given on arrival, or it takes whichever candidate is free first. Free under the
first is free under the second; a deadlock of the second is one of the first. Anything between is open.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace

from unknot._base.phrases import few
from unknot.certificates import evidence_holds
from unknot.certificates.verdict import Verdict
from unknot.fabrics import Fabric
from unknot.fabrics.choices import KEYS
from unknot.routing.adaptive_fabric import AdaptiveRouting
from unknot.routing.relation import Relation
from unknot.verify.audit_findings import SHOWN, Unknown, loop_of
from unknot.verify.audit_traffic import FollowedTables, TrafficAudit
from unknot.verify.check import check
from unknot.verify.delivery import Delivery, deliver

BETWEEN = (
    "packets that wait for the port they were given can deadlock, those that take whichever port is free cannot; "
    "nothing published says how these switches wait"
)


@dataclass(frozen=True)
class AdaptiveVerdicts:
    """Verdicts on traffic between hosts, by what its packets do.

    Attributes
    ----------
    static : bool or None
        Deadlock-free where packets follow the static tables alone.
    given_port : bool or None
        Deadlock-free where a packet waits for the port that its switch gave it on arrival; None: open.
    free_port : bool or None
        Deadlock-free where a packet takes whichever port of its group is free; None: open.
    circling : bool or None
        Whether packets can go round in circles for ever, by bad luck.
    levels : tuple of str
        Service levels at which switches choose, and which switches.
    """

    static: bool | None
    given_port: bool | None
    free_port: bool | None
    circling: bool | None
    levels: tuple[str, ...]


def adaptive_audit(
    tables: FollowedTables, static: TrafficAudit, routing: AdaptiveRouting
) -> tuple[TrafficAudit, AdaptiveVerdicts]:
    """Judge traffic between hosts as configured, beside the audit of the static tables.

    Parameters
    ----------
    tables : FollowedTables
        Of a fabric with `groups`.
    static : TrafficAudit
        Of the static tables.
    routing : AdaptiveRouting
        Of the same traffic.
    """
    relation, verdict, free_port = decided(routing, tables)
    delivery = deliver(routing.waits)
    unknown = Unknown(0, (*static.unknown.unknown_because, *routing.unknown))
    whole = _weighed(routing, delivery, unknown)
    audit = TrafficAudit(
        traffic=static.traffic,
        relation=relation,
        verdict=unknown.verdict(verdict, whole.pairs),
        certificate_holds=evidence_holds(relation, verdict),
        delivery=whole,
        loop=loop_of(relation, verdict.configuration if verdict.deadlock_free is False else None),
        lost=_lost(routing, delivery),
        longer_pairs=static.longer_pairs,
        extra_hops=static.extra_hops,
        unknown=unknown,
    )
    given = verdict.deadlock_free if verdict.deadlock_free is not None or free_port is None else False
    circling = None if delivery.livelock_free is None else not delivery.livelock_free
    levels = levels_in_words(tables.fabric)
    return audit, AdaptiveVerdicts(static.verdict.deadlock_free, given, free_port, circling, levels)


def decided(routing: AdaptiveRouting, tables: FollowedTables) -> tuple[Relation, Verdict, bool | None]:
    """Return the relation and verdict that count, and the verdict on packets that take whichever port is free."""
    waits = check(routing.waits, tables.technique, time_limit=tables.time_limit)
    if waits.deadlock_free is not False:
        return routing.waits, waits, waits.deadlock_free
    anew = routing.chooses_anew()
    verdict = check(anew, tables.technique, time_limit=tables.time_limit)
    if verdict.deadlock_free is not True:
        return (anew, verdict, False) if verdict.deadlock_free is False else (routing.waits, _open(waits), None)
    return routing.waits, _open(waits), True


def _open(waits: Verdict) -> Verdict:
    return replace(waits, deadlock_free=None, certificate=None, configuration=None, established=BETWEEN)


def _weighed(routing: AdaptiveRouting, delivery: Delivery, unknown: Unknown) -> Delivery:
    """Delivery in pairs of hosts and LIDs where all arrive; else in pairs of sets that are routed alike."""
    if delivery.undelivered_pairs and not routing.unknown:
        return delivery
    return unknown.delivery(delivery, int(routing.pairs.sum()), 0)


def _lost(routing: AdaptiveRouting, delivery: Delivery) -> tuple[str, ...]:
    if routing.unknown:
        return ()
    relation = routing.waits
    name, router = relation.network.router_name, relation.vcs.router
    ends = [f"{name(int(router[at]))} has no port for {relation.address_name(to)}" for at, to in delivery.dead_ends]
    loops = [
        f"{relation.address_name(to)} goes round for ever at {few([name(int(router[at])) for at in places])}"
        for places, to in delivery.loops
    ]
    return tuple(dict.fromkeys([*ends, *loops]))[:SHOWN]


def levels_in_words(fabric: Fabric) -> tuple[str, ...]:
    """Return at which service levels the switches of a fabric choose ports, and which do.

    Examples
    --------
    >>> from unknot.fabrics import read_fabric
    >>> levels_in_words(read_fabric("examples/fabrics/opensm-ring12-lash"))
    ('at no SL: S0, S1, S2 and 9 more',)
    """
    switches: dict[int, list[str]] = defaultdict(list)
    groups = fabric.groups or {}
    for guid, router in fabric.router_of.items():
        bits = groups[guid].enabled if guid in groups and groups[guid].adapts else 0
        switches[bits].append(fabric.network.router_name(router))
    words = []
    for bits, names in sorted(switches.items(), reverse=True):
        levels = [sl for sl in range(KEYS) if bits >> sl & 1]
        which = "no" if not levels else "every" if len(levels) == KEYS else ", ".join(map(str, levels))
        words.append(f"at {which} SL: {few(names)}")
    return tuple(words)
