"""QoS maps and tunnels of a switch, as packets meet them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from unknot.fabrics.ethernet.buffers import SwitchBuffers

DSCPS = tuple(range(64))
PRIORITIES = 8
CLASSES = 16
"""Traffic classes; there are 8 priorities, priority groups and pairs of them."""
Map = tuple[int, ...]
"""What each number is mapped to, by position."""
IDENTITY: Map = tuple(range(8))


@dataclass(frozen=True)
class PortQos:
    """Maps of a port. The default: one lossless class for all packets.

    Attributes
    ----------
    dscp_to_tc : tuple of int, length 64
    tc_to_group, tc_to_queue : tuple of int, length 16
    priority_to_queue, group_to_priority : tuple of int, length 8
    enabled : frozenset of int
        Priorities for which PFC is on, both sending and obeying.
    asymmetric : bool
        Whether the port obeys the pauses of all priorities; it sends those of `enabled` alone.
    lossless : frozenset of int
        Priority groups whose buffers have headroom.
    tc_to_dscp : tuple of int, length 16, or None
        With which DSCP packets leave; −1: with their own.
    dot1p_to_tc : tuple of int, length 8, or None
        Classes by the priority of 802.1p, in place of those by DSCP.
    """

    dscp_to_tc: Map = (3,) * 64
    tc_to_group: Map = tuple(range(CLASSES))
    tc_to_queue: Map = tuple(range(CLASSES))
    priority_to_queue: Map = IDENTITY
    group_to_priority: Map = IDENTITY
    enabled: frozenset[int] = frozenset({3})
    lossless: frozenset[int] = frozenset({3})
    tc_to_dscp: Map | None = None
    dot1p_to_tc: Map | None = None
    asymmetric: bool = False

    def traffic_class(self, dscp: int, pcp: int) -> int:
        """The class of a packet with a DSCP and a priority of 802.1p."""
        return self.dscp_to_tc[dscp] if self.dot1p_to_tc is None else self.dot1p_to_tc[pcp]

    def queues_of(self, lossless: bool) -> frozenset[int]:
        """Queues of the classes in use that arrive at this port lossless, or of the lossy classes."""
        used = {*(self.dscp_to_tc if self.dot1p_to_tc is None else self.dot1p_to_tc)}
        return frozenset(self.tc_to_queue[tc] for tc in used if (self.tc_to_group[tc] in self.lossless) is lossless)

    @property
    def obeyed(self) -> frozenset[int]:
        """Priorities whose pauses the port obeys."""
        return frozenset(IDENTITY) if self.asymmetric else self.enabled


@dataclass(frozen=True)
class Tunnel:
    """Maps of the tunnel between two ToRs; None where the port's own map holds.

    Attributes
    ----------
    uniform : bool
        Whether the inner DSCP is overwritten by the outer one at the end.
    """

    decap_dscp_to_tc: Map | None = None
    decap_tc_to_group: Map | None = None
    encap_tc_to_queue: Map | None = None
    encap_tc_to_dscp: Map | None = None
    uniform: bool = False


@dataclass(frozen=True)
class SwitchQos:
    """QoS of a switch; `unknown` is that of a port of which the file says nothing.

    Attributes
    ----------
    ports : mapping
        Maps of each port that has a row or is up.
    aliases : mapping
        Name of a port by its alias.
    members : mapping
        Ports of each port channel.
    peer : str or None
        Address of the other ToR, to which packets for servers on standby are tunnelled.
    mux : mapping
        Address of each server, and whether this ToR is on standby for it.
    buffers : SwitchBuffers
        Speeds, cables, headroom and watchdogs of its ports.
    unread : tuple of str
        What the file holds and the model leaves out, in words.
    """

    ports: Mapping[str, PortQos] = field(default_factory=dict)
    unknown: PortQos = PortQos()
    tunnel: Tunnel = Tunnel()
    aliases: Mapping[str, str] = field(default_factory=dict)
    members: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    peer: str | None = None
    mux: Mapping[str, bool] = field(default_factory=dict)
    configured: bool = False
    unread: tuple[str, ...] = ()
    buffers: SwitchBuffers = field(default_factory=SwitchBuffers)

    def port(self, name: str) -> PortQos:
        """Maps of a port."""
        return self.ports.get(name, self.unknown)
