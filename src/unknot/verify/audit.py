"""Audit of a fabric and its forwarding tables: deadlock, delivery, and lengths of routes.

Host-to-host traffic is what the answer is about; traffic to and between the switches, and all of it together, is
judged beside it, since it shares the buffers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from unknot.checker import evidence_holds
from unknot.errors import UnknotError
from unknot.fabrics import Fabric
from unknot.network import distances_from
from unknot.network.model import IntArray
from unknot.routing.forwarding_table import (
    TRAFFICS,
    Switchboard,
    Traffic,
    destinations,
    fabric_relation,
    route_lengths,
    switchboard,
)
from unknot.routing.relation import Relation
from unknot.switching import DEFAULT_SWITCHING, Switching, switching_named
from unknot.verify.audit_hops import HopAudit, audit_hops
from unknot.verify.audit_multicast import MulticastAudit, audit_multicast
from unknot.verify.check import check
from unknot.verify.delivery import Delivery, deliver
from unknot.verify.lost import loop_of, lost_packets
from unknot.verify.verdict import Configuration, Reachability, Verdict

SHOWN = 20
"""Most dead ends and loops that are described for each kind of traffic."""
MERGED = 1_000_000
"""Pairs of ports and LIDs from which on one sender stands for all of its switch, where there is one lane."""
ONE_LANE = (
    "no service levels are known, so all traffic is judged as sharing one virtual lane (VL) of every link; tables "
    "that need several lanes to be safe, such as those of LASH or Torus-2QoS, may look worse here than in use"
)
MEANING: dict[Traffic, str] = {
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
}
"""Descriptions of the kinds of traffic, and of when each matters."""


@dataclass(frozen=True, eq=False)
class TrafficAudit:
    """Verdict and delivery for one kind of traffic.

    Attributes
    ----------
    traffic : str
        One of `TRAFFICS`.
    relation : Relation
        Its addresses are the LIDs of the destinations; for all but host-to-host its network has one terminal more
        for the management port of each switch. Of large safe fabrics it has one sender at each switch
        (`audit_merged`).
    verdict : Verdict
    certificate_holds : bool or None
        Whether the separate checker accepts the evidence of the verdict; None when it had nothing to check, or too
        much.
    delivery : Delivery
    loop : tuple of str
        Names of the switches on the loop of the counterexample, in the order of its channels; empty without one.
    lost : tuple of str
        The first dead ends and loops in words, each with its switch and LID.
    longer_pairs : int
        Pairs of a source and a LID whose route by the tables is longer than the shortest path.
    extra_hops : int
        Hops by which the worst of them is longer.
    """

    traffic: Traffic
    relation: Relation
    verdict: Verdict
    certificate_holds: bool | None
    delivery: Delivery
    loop: tuple[str, ...]
    lost: tuple[str, ...]
    longer_pairs: int
    extra_hops: int

    @property
    def meaning(self) -> str:
        """Description of this traffic, and of when it matters."""
        return MEANING[self.traffic]

    @property
    def holds(self) -> bool:
        """Deadlock-free, and every pair is delivered."""
        return self.verdict.deadlock_free is True and self.delivery.delivered


@dataclass(frozen=True, eq=False)
class Audit:
    """The answer about a fabric; `deadlock_free`, `delivered` and so on are those of host-to-host traffic.

    Attributes
    ----------
    fabric : Fabric
    switching : str
    lanes : int
        Virtual lanes that were distinguished.
    assumption : str
        What was assumed where the files say nothing.
    host_to_host : TrafficAudit
    others : tuple of TrafficAudit
        Host-to-switch, switch-to-switch, and all together, as far as the fabric has such traffic.
    multicast : MulticastAudit or None
        Multicast groups together with host-to-host traffic, where the fabric has some.
    hops : HopAudit or None
        The LID matrix against cables and routes, where there is one.
    """

    fabric: Fabric
    switching: Switching
    lanes: int
    assumption: str
    host_to_host: TrafficAudit
    others: tuple[TrafficAudit, ...]
    multicast: MulticastAudit | None = None
    hops: HopAudit | None = None

    @property
    def traffics(self) -> tuple[TrafficAudit, ...]:
        """Audits of all kinds of traffic, host-to-host first."""
        return (self.host_to_host, *self.others)

    @property
    def holds(self) -> bool:
        """Whether neither host-to-host traffic nor multicast can deadlock, and everything is delivered."""
        return self.host_to_host.holds and (self.multicast is None or self.multicast.holds)

    @property
    def deadlock_free(self) -> bool | None:
        return self.host_to_host.verdict.deadlock_free

    @property
    def method(self) -> str:
        return self.host_to_host.verdict.method

    @property
    def reachability(self) -> Reachability | None:
        return self.host_to_host.verdict.reachability

    @property
    def configuration(self) -> Configuration | None:
        return self.host_to_host.verdict.configuration

    @property
    def loop(self) -> tuple[str, ...]:
        return self.host_to_host.loop

    @property
    def delivered(self) -> bool:
        return self.host_to_host.delivery.delivered


def audit(
    fabric: Fabric,
    *,
    switching: str = DEFAULT_SWITCHING,
    lanes: int | None = None,
    multicast_level: int = 0,
    time_limit: float = 60.0,
) -> Audit:
    """Judge the forwarding tables of a fabric.

    Parameters
    ----------
    fabric : Fabric
        With tables, and with service levels and SL to VL tables where the lanes of packets matter; see
        `unknot.fabrics.read_fabric`.
    switching : {"vct", "saf", "wormhole", "wormhole-nonatomic"}
        InfiniBand switches cut through, which is the default.
    lanes : int, optional
        Lanes in use, where there are service levels but no SL to VL tables: the lane is the SL modulo their number.
        By default as many as the service levels ask for.
    multicast_level : int
        Service level of multicast packets.
    time_limit : float
        Seconds for each kind of traffic.

    Raises
    ------
    UnknotError
        If the fabric has no tables, or fewer than two host ports with LIDs; or lanes are given without service
        levels.
    """
    technique = switching_named(switching)
    board = switchboard(fabric)
    talking = np.unique(fabric.owner[(fabric.owner >= 0) & (fabric.owner < fabric.network.num_terminals)])
    if talking.size < 2:
        raise UnknotError(
            f"{fabric.name} has {talking.size} host ports with a LID, so there is no host-to-host traffic to judge"
        )
    if lanes is not None and fabric.levels is None:
        raise UnknotError(
            "a number of lanes says nothing without the service levels of the paths; give them too (--sl)"
        )
    hops = route_lengths(fabric.network, board.next_channel)
    extra = _extra_hops(fabric, hops)
    found: list[TrafficAudit] = []
    for traffic in TRAFFICS:
        if traffic != "host-to-host" and (fabric.owner < fabric.network.num_terminals).all():
            continue
        judged = None
        if fabric.levels is None and fabric.lanes is None and board.network.num_terminals * fabric.lids.size > MERGED:
            judged = _judged_merged(fabric, board, traffic, technique, time_limit, hops, extra)
        found.append(judged or _judged(fabric, traffic, lanes, technique, time_limit, extra))
    widest = max(kind.relation.vcs.widest for kind in found)
    return Audit(
        fabric, technique, widest, _assumption(fabric, widest), found[0], tuple(found[1:]),
        audit_multicast(fabric, technique, level=multicast_level, lanes=lanes, time_limit=time_limit),
        audit_hops(fabric, board, hops),
    )  # fmt: skip


def _judged(
    fabric: Fabric, traffic: Traffic, lanes: int | None, technique: Switching, time_limit: float, extra: IntArray
) -> TrafficAudit:
    """Judge one kind of traffic, with a sender for each port."""
    relation = fabric_relation(fabric, traffic, lanes=lanes)
    lids = destinations(fabric, traffic)
    verdict = check(relation, technique, time_limit=time_limit)
    delivery = deliver(relation)
    lengthened = np.where(_used(relation, lids.size), extra[np.ix_(relation.network.inject, lids)], 0)
    return TrafficAudit(
        traffic=traffic,
        relation=relation,
        verdict=verdict,
        certificate_holds=evidence_holds(relation, verdict),
        delivery=delivery,
        loop=loop_of(relation, verdict.configuration) if verdict.configuration is not None else (),
        lost=lost_packets(fabric, relation, delivery, lids)[:SHOWN],
        longer_pairs=int(np.count_nonzero(lengthened > 0)),
        extra_hops=int(lengthened.max(initial=0)),
    )


def _judged_merged(
    fabric: Fabric,
    board: Switchboard,
    traffic: Traffic,
    technique: Switching,
    time_limit: float,
    hops: IntArray,
    extra: IntArray,
) -> TrafficAudit | None:
    """Judge with one sender at each switch; None unless all is well, since faults are reported of real hosts."""
    from unknot.verify.audit_merged import merged_relation

    relation, counts = merged_relation(fabric, board, traffic)
    if (hops[:, destinations(fabric, traffic)][counts > 0] < 0).any():
        return None
    delivery = deliver(relation)
    verdict = check(relation, technique, time_limit=time_limit) if delivery.delivered else None
    if verdict is None or not verdict.deadlock_free:
        return None
    lengthened = np.where(counts > 0, extra[:, destinations(fabric, traffic)], 0)
    return TrafficAudit(
        traffic=traffic,
        relation=relation,
        verdict=verdict,
        certificate_holds=evidence_holds(relation, verdict),
        delivery=replace(delivery, pairs=int(counts.sum())),
        loop=(),
        lost=(),
        longer_pairs=int(counts[lengthened > 0].sum()),
        extra_hops=int(lengthened.max(initial=0)),
    )


def _assumption(fabric: Fabric, lanes: int) -> str:
    """Describe what the lanes of packets were taken from."""
    if fabric.levels is None and fabric.lanes is None:
        return ONE_LANE
    count = f"{lanes} virtual lanes (VLs)" if lanes > 1 else "one virtual lane (VL)"
    level = f"service levels (SLs) by {fabric.levels_file}" if fabric.levels is not None else "all at SL 0"
    lane = (
        f"mapped to VLs by {fabric.lanes_file}"
        if fabric.lanes is not None
        else "the VL is the SL modulo their number"
    )
    return f"{count} in use; {level}, SL 0 where there is no path record; {lane}"


def _used(relation: Relation, lids: int) -> npt.NDArray[np.bool_]:
    """Pairs of terminal and LID that are used, at whatever service level."""
    if relation.may_use is None:
        return np.ones((relation.network.num_terminals, lids), dtype=bool)
    if relation.num_addresses == lids:
        return relation.may_use
    return np.asarray(relation.may_use.reshape(relation.network.num_terminals, -1, lids).any(axis=1))


def _extra_hops(fabric: Fabric, hops: IntArray) -> IntArray:
    """Hops by which the route from each router to each LID exceeds the shortest path; 0 where it does not arrive."""
    network = fabric.network
    homes = np.concatenate([network.eject, np.arange(network.num_routers), [-1]])[fabric.owner]
    shortest = {int(home): distances_from(network, int(home), reverse=True) for home in set(homes[homes >= 0])}
    away = np.zeros_like(hops)
    for index, home in enumerate(homes.tolist()):
        if home >= 0:
            away[:, index] = shortest[home]
    return np.where(hops >= 0, hops - away, 0).astype(np.int32)
