"""Audit of a fabric and its forwarding tables: deadlock, delivery, and lengths of routes.

Host-to-host traffic is what the answer is about; traffic to and between the switches, and all of it together, is
judged beside it, since it shares the buffers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from unknot._base.deadline import MINUTE, Deadline, counts_work
from unknot._base.errors import UnknotError
from unknot._base.progress import found
from unknot._base.switching import DEFAULT_SWITCHING, Switching, switching_named
from unknot._base.three_valued import ThreeValued, all_hold
from unknot.fabrics import Fabric
from unknot.fabrics.levels import columns_of_hosts
from unknot.network import distances_from
from unknot.network.model import IntArray
from unknot.routing.adaptive_fabric import AdaptiveRouting, adaptive_routing
from unknot.routing.forwarding_table import route_lengths
from unknot.routing.switchboard import TRAFFICS, destinations, switchboard
from unknot.verify.audit_adaptive import AdaptiveVerdicts, adaptive_audit, decided
from unknot.verify.audit_merged import pairs_by_switch
from unknot.verify.audit_multicast import MulticastAudit, audit_multicast
from unknot.verify.audit_traffic import FollowedTables, TrafficAudit, audit_traffic
from unknot.verify.check import check
from unknot.verify.delivery import deliver

ONE_LANE = (
    "no service levels are known, so all traffic is judged as sharing one virtual lane (VL) of every link; tables "
    "safe only in several lanes, such as those of LASH or Torus-2QoS, may look worse than in use"
)
ONE_LEVEL = ONE_LANE.replace(
    "as sharing one virtual lane (VL) of every link", "at service level (SL) 0, mapped to virtual lanes (VLs) by {}"
)


@dataclass(frozen=True)
class PlaneAudit(ThreeValued, asks="deadlock_free"):
    """The tables of one plane.

    Attributes
    ----------
    plane : int
        From 1.
    first : str
        Its first switch.
    switches, hosts : int
    deadlock_free : bool or None
    established : str
    pairs, undelivered_pairs : int
        Pairs of a host port and a LID within the plane.
    """

    plane: int
    first: str
    switches: int
    hosts: int
    deadlock_free: bool | None
    established: str
    pairs: int
    undelivered_pairs: int


@dataclass(frozen=True, eq=False)
class Audit(ThreeValued, asks="holds"):
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
    replies : TrafficAudit or None
        Host-to-host traffic where hosts also answer at the level of the request; None without service levels.
    multicast : MulticastAudit or None
        Multicast groups together with host-to-host traffic, where the fabric has some.
    adaptive : AdaptiveVerdicts or None
        Verdicts on host-to-host traffic by what its packets do, where switches choose ports.
    planes : tuple of PlaneAudit
        Host-to-host traffic of each plane, where there are several: pairs in different planes are no pairs.
    """

    fabric: Fabric
    switching: Switching
    lanes: int
    assumption: str
    host_to_host: TrafficAudit
    others: tuple[TrafficAudit, ...]
    replies: TrafficAudit | None = None
    multicast: MulticastAudit | None = None
    adaptive: AdaptiveVerdicts | None = None
    planes: tuple[PlaneAudit, ...] = ()

    @property
    def traffics(self) -> tuple[TrafficAudit, ...]:
        """Audits of all kinds of traffic, host-to-host first."""
        return (self.host_to_host, *self.others)

    @property
    def rows(self) -> tuple[TrafficAudit, ...]:
        """Audits of all kinds of traffic; the audit of replies, if any, comes second."""
        return self.traffics if self.replies is None else (self.host_to_host, self.replies, *self.others)

    @property
    def holds(self) -> bool | None:
        """Whether host-to-host traffic, replies and multicast cannot deadlock, and all is delivered; None: open."""
        beside = (self.replies, self.multicast)
        return all_hold([self.host_to_host.holds, *(part.holds for part in beside if part is not None)])

    @property
    def deadlock_free(self) -> bool | None:
        return self.host_to_host.verdict.deadlock_free

    @property
    def loop(self) -> tuple[str, ...]:
        return self.host_to_host.loop

    @property
    def delivered(self) -> bool | None:
        return self.host_to_host.delivery.delivered


@counts_work
def audit(
    fabric: Fabric,
    *,
    switching: str = DEFAULT_SWITCHING,
    lanes: int | None = None,
    multicast_level: int = 0,
    time_limit: float | Deadline = MINUTE,
    only_hosts: bool = False,
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
    time_limit : float or Deadline
        Seconds.
    only_hosts : bool
        Leave out traffic of the switches' own ports.

    Raises
    ------
    UnknotError
        If the fabric has no tables, or fewer than two host ports with LIDs; or lanes are given without service
        levels.
    """
    technique, time_limit = switching_named(switching), Deadline.of(time_limit, "audit")
    board = switchboard(fabric)
    talking = np.unique(fabric.owner[columns_of_hosts(fabric)])
    if talking.size < 2:
        raise UnknotError(
            f"{fabric.name} has {talking.size} host ports with a LID, so there is no host-to-host traffic to judge"
        )
    if lanes is not None and fabric.levels is None:
        raise UnknotError(
            "a number of lanes says nothing without the service levels of the paths; give them too (--sl)"
        )
    hops = route_lengths(fabric.network, board.next_channel)
    tables = FollowedTables(fabric, board, hops, _extra_hops(fabric, hops), lanes, technique, time_limit)
    only_hosts |= bool((fabric.owner < fabric.network.num_terminals).all())
    adapts = fabric.groups is not None and bool(fabric.adaptive)
    of_hosts = replace(tables, fabric=replace(fabric, adaptive=())) if adapts else tables
    audits = []
    for traffic in TRAFFICS[:1] if only_hosts else TRAFFICS:
        audits.append(audit_traffic(of_hosts if traffic == "host-to-host" else tables, traffic))
        found(f"{traffic}: {audits[-1].verdict.established}")
    replies = None if fabric.levels is None else audit_traffic(of_hosts, "host-to-host", replies=True)
    adaptive = routing = None
    if adapts:
        if replies is not None:
            replies = adaptive_audit(tables, replies, adaptive_routing(fabric, lanes, replies=True))[0]
        routing = adaptive_routing(fabric, lanes)
        audits[0], adaptive = adaptive_audit(tables, audits[0], routing)
        found(f"as configured: {audits[0].verdict.established}")
    widest = max(kind.relation.vcs.widest for kind in audits)
    return Audit(
        fabric, technique, widest, _assumption(fabric, widest), audits[0], tuple(audits[1:]), replies,
        audit_multicast(
            fabric, technique, level=multicast_level, lanes=lanes, time_limit=time_limit,
            known=not audits[0].unknown.unknown_because, adaptive=routing,
        ),
        adaptive, tuple(_planes(tables, audits[0], routing)),
    )  # fmt: skip


def _planes(tables: FollowedTables, whole: TrafficAudit, routing: AdaptiveRouting | None) -> Iterator[PlaneAudit]:
    """Judge the host-to-host traffic of each plane, where there are several; `routing`, if switches choose ports."""
    fabric, relation, lids = tables.fabric, whole.relation, destinations(tables.fabric, "host-to-host")
    plane, home = fabric.plane, relation.network.inject
    _, counts = pairs_by_switch(fabric, tables.board, "host-to-host")
    lost = np.where(tables.hops[:, lids] == -1, counts, 0)
    for number in np.unique(plane).tolist() if plane.any() else []:
        mine = plane == number
        own = replace(relation.addresses, may_use=relation.usable() & mine[home][:, None])
        missed = int(lost[mine].sum())
        if routing is None:
            verdict = check(replace(relation, addresses=own), tables.technique, time_limit=tables.time_limit)
        else:
            waits = replace(routing.waits, addresses=own)
            verdict, missed = decided(replace(routing, waits=waits), tables)[1], deliver(waits).undelivered_pairs
        verdict = whole.unknown.verdict(verdict, whole.delivery.pairs)
        yield PlaneAudit(
            number + 1, fabric.network.router_name(int(np.argmax(mine))), int(mine.sum()),
            int(mine[fabric.network.inject].sum()), verdict.deadlock_free, verdict.established,
            int(counts[mine].sum()), missed,
        )  # fmt: skip


NO_MULTICAST = "there are no multicast tables, so multicast is not judged"


def _assumption(fabric: Fabric, lanes: int) -> str:
    """Describe the origin of the lanes of packets, and whether multicast is left out."""
    lanes_by = _lanes_by(fabric, lanes)
    return lanes_by if fabric.multicast is not None else f"{lanes_by}; {NO_MULTICAST}"


def _lanes_by(fabric: Fabric, lanes: int) -> str:
    """Describe the origin of the lanes of packets."""
    if fabric.levels is None:
        return ONE_LANE if fabric.lanes is None else ONE_LEVEL.format(fabric.lanes_file)
    count = f"{lanes} virtual lanes (VLs)" if lanes > 1 else "one virtual lane (VL)"
    lane = (
        f"mapped to VLs by {fabric.lanes_file}"
        if fabric.lanes is not None
        else "the VL is the SL modulo their number"
    )
    level = f"service levels (SLs) by {fabric.levels_file}"
    return f"{count} in use; {level}, SL 0 for the switches' own ports without a path record; {lane}"


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
