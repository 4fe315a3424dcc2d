"""Audit of a lossless Ethernet fabric: deadlock under PFC, forwarding loops, delivery, and mistakes in its maps.

A cycle of buffers is a deadlock where packets of some flows come to stand still for ever, as a replay shows.
"""

from __future__ import annotations

from dataclasses import dataclass

from unknot._base.deadline import MINUTE, Deadline, counts_work
from unknot._base.errors import UnknotError
from unknot._base.three_valued import ThreeValued, all_hold
from unknot.certificates import evidence_holds
from unknot.certificates.verdict import Verdict
from unknot.fabrics.ethernet.fabric import EthernetFabric
from unknot.fabrics.ethernet.qos import DSCPS
from unknot.flow_control.techniques import PFC
from unknot.routing.lossless import PfcModel, header_name
from unknot.routing.lossless_classes import ClassWalk, lossless_relation
from unknot.routing.relation import Relation
from unknot.verify.adaptive_next_hops import judge_packets
from unknot.verify.audit_findings import circle_of, forwarding_loops, lossless_drops, odd_maps, places_without_route
from unknot.verify.check import check
from unknot.verify.pause_headroom import hasty_watchdogs, lossy_queues, small_headroom
from unknot.verify.pause_reach import PauseReach
from unknot.verify.pfc_replay import Flow, flows_that_wait, replay

PARTLY = "what is read closes no cycle of buffers, but not all is read: {}"
FREE = "no cyclic buffer dependency, so PFC cannot deadlock"
OPEN = (
    "a cyclic buffer dependency, but no flows were found that fill it: it is necessary for a deadlock, not sufficient"
)
STUCK = "a cyclic buffer dependency, and flows that fill the buffers: in the replay the flows stand still for ever"
LOOPED = "packets circle until their TTL ends, and can fill the lossless buffers on their way"


@dataclass(frozen=True, eq=False)
class EthernetAudit(ThreeValued, asks="holds"):
    """The answer about a fabric.

    Attributes
    ----------
    deadlock_free : bool or None
        None: there is a cyclic buffer dependency, which no replayed flows fill; or what is read has none, but not all
        is read; or it was not decided in time.
    established : str
        What was shown.
    loop : tuple of str
        Receiving ports and priority groups that wait for one another; empty without a cyclic buffer dependency.
    flows : tuple of str
        Flows that fill it: source, destination, and the switches that the hash chooses.
    circle : tuple of int
        Channels of `loop`.
    paths : tuple of tuple of int
        Channels of each of `flows`.
    replay_seed : int or None
        Seed of the replay in which the flows stand still for ever; null where there is none.
    delivered : bool
        Whether every switch with hosts reaches every destination, whatever the hash chooses.
    forwarding_loops : tuple of str
        Switches on which packets circle until their TTL ends.
    lost : tuple of str
        Switches that drop packets, for want of a route.
    losses : tuple of str
        Ports where packets of a lossless class can be dropped, and why.
    findings : tuple of str
        Maps that are odd, though nothing is lost by them.
    headroom : tuple of str
        Ports with less headroom than can come after a pause, and watchdogs that act on legal pauses.
    reach : PauseReach or None
        What stops if a port is paused for ever, where that was asked.
    spraying_free : bool or None
        Whether no deadlock is possible if each packet of a flow is put into the queue of some next hop; false: a
        replay shows one; null: open.
    adaptive_free : bool or None
        The same if each packet goes by any next hop that is not paused.
    """

    fabric: EthernetFabric
    relation: Relation
    verdict: Verdict
    certificate_holds: bool | None
    deadlock_free: bool | None
    established: str
    loop: tuple[str, ...]
    flows: tuple[str, ...]
    circle: tuple[int, ...]
    paths: tuple[tuple[int, ...], ...]
    replay_seed: int | None
    delivered: bool
    forwarding_loops: tuple[str, ...]
    lost: tuple[str, ...]
    losses: tuple[str, ...]
    findings: tuple[str, ...]
    headroom: tuple[str, ...]
    assumption: str
    reach: PauseReach | None = None
    spraying_free: bool | None = None
    adaptive_free: bool | None = None

    @property
    def cyclic_dependency(self) -> bool | None:
        """Whether buffers depend on one another in a cycle; None: undecided, or not all is read."""
        free = self.verdict.deadlock_free
        return None if free is None or (free and self.fabric.unread) else not free

    @property
    def holds(self) -> bool | None:
        """Whether it cannot deadlock, delivers all, and drops nothing of a lossless class; None: open."""
        return all_hold((self.deadlock_free, self.delivered, not self.losses))


@counts_work
def audit_ethernet(
    fabric: EthernetFabric, *, dscps: tuple[int, ...] = DSCPS, time_limit: float | Deadline = MINUTE
) -> EthernetAudit:
    """Judge a lossless Ethernet fabric.

    Parameters
    ----------
    fabric : EthernetFabric
    dscps : tuple of int
        DSCPs with which hosts send; of those that all switches treat alike one is followed.
    time_limit : float or Deadline
        Seconds for the decision whether buffers depend on one another in a cycle.

    Raises
    ------
    UnknotError
        If no packet is lossless anywhere, or no switch has hosts that others reach.

    Examples
    --------
    >>> from unknot.fabrics.ethernet.folder import read_ethernet
    >>> audit = audit_ethernet(read_ethernet("examples/ethernet/frr-two-links-down"))
    >>> audit.deadlock_free, len(audit.loop)
    (False, 4)
    """
    walk = ClassWalk(PfcModel(fabric, dscps))
    if not walk.model.marks:
        raise UnknotError(f"{fabric.name}: no DSCP falls into a lossless priority group{_without_dscps(fabric)}")
    if not walk.starts:
        raise UnknotError(f"{fabric.name}: there are hosts at one switch only, so there is no traffic to judge")
    relation = lossless_relation(walk)
    verdict = check(relation, flow=PFC, time_limit=time_limit)
    circle, headers = circle_of(verdict.configuration), [*walk.addresses]
    messages = () if verdict.configuration is None else verdict.configuration.messages
    flows = flows_that_wait(walk, ((one.held[-1], one.wanted[0], headers[one.address]) for one in messages))
    seed = replay(walk, flows) if flows else None
    packets = judge_packets(walk, flows, cyclic=verdict.deadlock_free is not True)
    loops, lost = forwarding_loops(walk), places_without_route(walk)
    free = verdict.deadlock_free if verdict.deadlock_free is not False or seed is not None else None
    established = verdict.established
    if verdict.deadlock_free is not None:
        established = FREE if free else OPEN if free is None else STUCK
    if free and fabric.unread:
        free, established = None, PARTLY.format("; ".join(fabric.unread))
    return EthernetAudit(
        fabric, relation, verdict, evidence_holds(relation, verdict), free,
        established + (f"; {LOOPED}" if loops else ""),
        tuple(map(walk.vc_name, circle)), tuple(_flow_name(fabric, flow) for flow in flows),
        tuple(int(relation.vcs.channel[vc]) for vc in circle),
        tuple(tuple(hop.channel for hop in flow.hops) for flow in flows), seed,
        not loops and not lost, loops, lost, (*lossless_drops(walk), *lossy_queues(fabric)), odd_maps(walk),
        (*small_headroom(fabric), *hasty_watchdogs(fabric)), _assumption(fabric, walk),
        spraying_free=packets.spraying_free and (None if fabric.unread else True),
        adaptive_free=packets.adaptive_free and (None if fabric.unread else True),
    )  # fmt: skip


def _without_dscps(fabric: EthernetFabric) -> str:
    """Why no packet is lossless."""
    if fabric.unread:
        return f", but not all is read: {'; '.join(fabric.unread)}"
    for own, switch in zip(fabric.qos, map(fabric.network.router_name, range(len(fabric.qos))), strict=True):
        for name in sorted(own.ports):
            if own.ports[name].enabled:
                return f", although PFC is on at {switch} {name}: no packet comes to a buffer that pauses"
    return ", and no port has PFC: it is not in use"


def _assumption(fabric: EthernetFabric, walk: ClassWalk) -> str:
    if not any(one.configured for one in fabric.qos):
        return (
            "no config_db.json or nvue.json, so one lossless class is assumed for all traffic and PFC on every cable"
        )
    classes = ", ".join(map(str, walk.model.marks))
    return f"lossless classes by configurations; judged for DSCP {classes}, others are treated alike or are lossy"


def _flow_name(fabric: EthernetFabric, flow: Flow) -> str:
    name = fabric.network.router_name
    path = [name(flow.start.router), *(name(hop.place.router) for hop in flow.hops)]
    return f"to {header_name(fabric, flow.start.header)}: {' → '.join(path)}"
