"""Lossless Ethernet as a relation: where packets under priority flow control (PFC) stand and what they wait for.

The virtual channels of a channel are the priority groups at its receiving port that can pause the sender. A packet
in one of them is in the queue of an outgoing port too. It waits while any group at the far end pauses that queue.
ECMP chose the port by a hash, once. docs/ethernet.md has the model and its assumptions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from unknot._base import memory
from unknot.fabrics.ethernet.fabric import EthernetFabric
from unknot.fabrics.ethernet.qos import DSCPS, PortQos
from unknot.network import Network
from unknot.network.graph import backwards, reached_from
from unknot.routing.packet_marks import Mark, marks_that_matter
from unknot.routing.parts import Addressing
from unknot.routing.relation import Relation
from unknot.routing.table import Table, lookup

PLACE = 700
"""Bytes that an audit takes for each pair of a destination and a channel."""
SENT = -1
"""Channel of a packet that has just come from a host."""
ANY = -1
"""Destination of a header that stands for many."""
LOSSY = -1
"""Priority group of a packet from a host whose port has no headroom for it."""


class Header(NamedTuple):
    """Destination, DSCP and 802.1p priority of a packet, and the header within if it is encapsulated."""

    destination: int
    dscp: int
    inner: Header | None = None
    pcp: int = 0


class PacketPlace(NamedTuple):
    """A packet at a switch: the channel it came by (`SENT` from a host), its priority group, header, and class."""

    router: int
    channel: int
    group: int
    header: Header
    traffic_class: int

    @property
    def kind(self) -> PacketPlace:
        """The place without channel and group, which have no say in where the packet goes."""
        return self._replace(channel=SENT, group=LOSSY)

    @property
    def destination(self) -> int:
        """Where the packet goes in the end, through whatever tunnels."""
        return (self.header.inner or self.header).destination

    def to(self, destination: int) -> PacketPlace:
        """The place of a packet to another destination, through the same tunnel."""
        header = self.header
        if header.inner is None:
            return self._replace(header=header._replace(destination=destination))
        return self._replace(header=header._replace(inner=header.inner._replace(destination=destination)))


class Hop(NamedTuple):
    """A step of a packet: into the queue of an outgoing channel, then to its next place."""

    channel: int
    queue: int
    place: PacketPlace


@dataclass(frozen=True, eq=False)
class PfcModel:
    """The rules of PFC, QoS maps and tunnels of a fabric; `only`: DSCPs with which hosts send, by default all."""

    fabric: EthernetFabric
    only: tuple[int, ...] = DSCPS

    @cached_property
    def pauses(self) -> list[dict[int, int]]:
        """For each channel the priority groups at its end that pause its sender, and the queue that each pauses.

        A group does if its buffer is lossless and PFC is on at both ends for the priority that it sends.
        """
        rows = []
        for channel in range(self.fabric.network.num_channels):
            near, far = self.fabric.sender(channel), self.fabric.receiver(channel)
            sent = {group: far.group_to_priority[group] for group in sorted(far.lossless)}
            rows.append({g: near.priority_to_queue[p] for g, p in sent.items() if p in far.enabled & near.obeyed})
        return rows

    def is_lossless(self, place: PacketPlace) -> bool:
        """Whether a packet is in a group whose buffer has headroom."""
        if place.channel == SENT:
            return place.group != LOSSY
        return place.group in self.fabric.receiver(place.channel).lossless

    def enter(self, router: int, port: PortQos, header: Header) -> PacketPlace:
        """The place of a packet that comes from a host, by the maps of its port."""
        tc = port.traffic_class(header.dscp, header.pcp)
        group = port.tc_to_group[tc]
        return PacketPlace(router, SENT, group if group in port.lossless else LOSSY, header, tc)

    def enters(self, router: int, destination: int) -> Iterator[PacketPlace]:
        """The places of packets that hosts at a switch send to a destination."""
        for port in self.fabric.host_ports[router]:
            for mark in self.marks:
                yield self.enter(router, port, Header(destination, mark.dscp, pcp=mark.pcp))

    def ends(self, place: PacketPlace) -> bool:
        """Whether a packet leaves the fabric here."""
        one = self.fabric.destinations[place.header.destination]
        return place.header.inner is None and place.router in one.owners and place.router not in one.standby

    def arrive(self, router: int, channel: int, header: Header) -> PacketPlace:
        """The place of a packet that arrives, decapsulated if its tunnel ends here."""
        port, tunnel = self.fabric.receiver(channel), self.fabric.qos[router].tunnel
        inner = header.inner
        if inner is None or router not in self.fabric.destinations[header.destination].owners:
            tc = port.traffic_class(header.dscp, header.pcp)
            return PacketPlace(router, channel, port.tc_to_group[tc], header, tc)
        if tunnel.uniform:
            inner = inner._replace(dscp=header.dscp)
        tc = port.traffic_class(header.dscp, header.pcp)
        if tunnel.decap_dscp_to_tc is not None:
            tc = tunnel.decap_dscp_to_tc[inner.dscp]
        return PacketPlace(router, channel, (tunnel.decap_tc_to_group or port.tc_to_group)[tc], inner, tc)

    def hops(self, place: PacketPlace) -> Iterator[Hop]:
        """All steps from a place, one for each choice of ECMP."""
        fabric, header, tc = self.fabric, place.header, place.traffic_class
        tunnel = fabric.qos[place.router].tunnel
        one, queues = fabric.destinations[header.destination], None
        if header.inner is None and place.router in one.standby:
            dscp = header.dscp if tunnel.encap_tc_to_dscp is None else tunnel.encap_tc_to_dscp[tc]
            header, queues = Header(one.standby[place.router], dscp, header, header.pcp), tunnel.encap_tc_to_queue
            one = fabric.destinations[header.destination]
        for channel in one.next_hops.get(place.router, ()):
            port = fabric.sender(channel)
            remark = -1 if port.tc_to_dscp is None else port.tc_to_dscp[tc]
            sent = header if remark < 0 else header._replace(dscp=remark)
            queue = (queues or port.tc_to_queue)[tc]
            yield Hop(channel, queue, self.arrive(int(fabric.network.target[channel]), channel, sent))

    @cached_property
    def marks(self) -> tuple[Mark, ...]:
        """Marks that matter: see `marks_that_matter`."""
        return marks_that_matter(self.fabric, self.only)


@dataclass(eq=False)
class PfcBuffers:
    """Virtual channels of a fabric: the priority groups that can pause their sender.

    Attributes
    ----------
    waiting : dict
        Virtual channels that pause a queue, as they are asked for.
    """

    model: PfcModel
    waiting: dict[tuple[int, int], list[int]] = field(default_factory=dict, repr=False, kw_only=True)

    @cached_property
    def first(self) -> list[int]:
        """First virtual channel of each channel; each has at least one."""
        return [0, *np.cumsum([max(1, len(row)) for row in self.model.pauses]).tolist()]

    def vc(self, channel: int, group: int) -> int | None:
        """Virtual channel of a priority group; None where packets in it are dropped, not held back."""
        return self.vcs.get((channel, group))

    @cached_property
    def vcs(self) -> dict[tuple[int, int], int]:
        """Virtual channels by channel and priority group."""
        rows = enumerate(zip(self.first, self.model.pauses, strict=False))
        return {(channel, group): first + i for channel, (first, row) in rows for i, group in enumerate(row)}

    def waits(self, hop: Hop) -> list[int]:
        """Virtual channels any of which, when full, holds a packet back in the queue of its step."""
        if (key := (hop.channel, hop.queue)) not in self.waiting:
            row = self.model.pauses[hop.channel]
            self.waiting[key] = [
                self.first[hop.channel] + i for i, queue in enumerate(row.values()) if queue == hop.queue
            ]
        return self.waiting[key]

    def channel_of(self, vc: int) -> int:
        """The channel of a virtual channel."""
        return int(np.searchsorted(self.first, vc, side="right")) - 1

    def vc_name(self, vc: int) -> str:
        """A virtual channel in words: the receiving port, with the sender, and the priority group."""
        channel = self.channel_of(vc)
        near, far = self.model.fabric.ends[channel]
        group = list(self.model.pauses[channel])[vc - self.first[channel]]
        return f"{far.switch} {far.name} (from {near.switch}), priority group {group}"


@dataclass(eq=False)
class Walk(PfcBuffers):
    """All places reached by packets to some destinations, each place for a single destination; see `ClassWalk`.

    Attributes
    ----------
    only : collection of int, optional
        Destinations to which hosts send; by default all.
    steps : dict
        The steps from each place; one list for all channels by which packets of a kind come to a switch.
    starts : dict
        Places at which packets start, as keys.
    leaving : dict
        Steps by place without channel and group.
    """

    only: Collection[int] | None = None
    steps: dict[PacketPlace, list[Hop]] = field(default_factory=dict)
    starts: dict[PacketPlace, None] = field(default_factory=dict)
    leaving: dict[PacketPlace, list[Hop]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        fabric = self.model.fabric
        only = range(len(fabric.destinations)) if self.only is None else self.only
        flows = sum(fabric.destinations[number].hosts for number in only)
        most = len(self.model.marks) * flows * fabric.network.num_channels
        memory.require(f"{fabric.name}: up to {most:,} places of packets", PLACE * most)
        for source in fabric.edges:
            for number in (number for number in fabric.sends(source) if number in only):
                self.starts |= dict.fromkeys(self.model.enters(source, number))
        reached_from(self.starts, self._onward)

    def _onward(self, place: PacketPlace) -> list[PacketPlace]:
        kind = place.kind
        if kind not in self.leaving:
            self.leaving[kind] = [] if self.model.ends(place) else list(self.model.hops(place))
        self.steps[place] = self.leaving[kind]
        return self.after(place)

    def after(self, place: PacketPlace) -> list[PacketPlace]:
        """Return the places after one step."""
        return [hop.place for hop in self.steps[place]]

    def leading(self, places: Iterable[PacketPlace]) -> dict[PacketPlace, PacketPlace]:
        """Return the places from which packets come to some places, each with the next place."""
        return reached_from(places, lambda place: self._before.get(place, ()))

    @cached_property
    def _before(self) -> dict[PacketPlace, list[PacketPlace]]:
        return backwards({place: self.after(place) for place in self.steps})


def offered_relation(
    network: Network,
    vcs: Sequence[int],
    offers: Sequence[Mapping[int, Iterable[int]]],
    homes: Sequence[int],
    name: str,
    labels: Sequence[str] | None = None,
) -> Relation:
    """Return the relation of packets that keep their choice, from what each is offered.

    Parameters
    ----------
    vcs : sequence of int
        Virtual channels of each channel.
    offers : sequence of mapping
        Candidates at each input VC, by address; a terminal sends to the addresses for which it has any.
    homes : sequence of int
        The terminal of each address.
    """
    terminals = range(sum(vcs), sum(vcs) + network.num_terminals)
    used = np.array([[terminal in rows for rows in offers] for terminal in terminals])
    table = Table.of({at: sorted(out) for at, out in rows.items()} for rows in offers)
    return Relation(network, vcs, lookup(table), name, Addressing(homes, used, labels), commits=True)


def header_name(fabric: EthernetFabric, header: Header) -> str:
    """A header in words."""
    to = "any destination" if header.destination == ANY else fabric.destinations[header.destination].name
    name = f"{to} (DSCP {Mark(header.dscp, header.pcp)})"
    return name if header.inner is None else f"{name} with {header_name(fabric, header.inner)} inside"
