"""A lossless Ethernet fabric: switches, cables, the next hops to each destination, and the QoS maps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

from unknot.fabrics.ethernet.qos import PortQos, SwitchQos
from unknot.fabrics.ethernet.routes import Port
from unknot.fabrics.ethernet.unread import DEFAULT, vrf
from unknot.network import Network
from unknot.network.parts import frozen


@dataclass(frozen=True)
class Destination:
    """Prefixes that all switches treat alike.

    Attributes
    ----------
    name : str
        Its first prefix, with the number of the others.
    owners : tuple of int
        Switches at which routes to it end; none where packets circle.
    next_hops : mapping
        For each other switch that has a route the outgoing channels, one for each choice of ECMP; none: dropped.
    standby : mapping
        For each ToR that is on standby for these servers, the destination of its tunnel to the other ToR.
    hosts : bool
        Whether hosts send there; else it is the address of a switch.
    dropped : bool
        Whether its owners drop the packets, as those to an aggregate of prefixes that have no hosts.
    vrf : str
        The VRF of its prefixes, and of the hosts that send there.
    """

    name: str
    owners: tuple[int, ...]
    next_hops: Mapping[int, tuple[int, ...]]
    standby: Mapping[int, int]
    hosts: bool
    dropped: bool = False
    vrf: str = DEFAULT


@dataclass(frozen=True, eq=False)
class EthernetFabric:
    """Ethernet switches as routers, each with one terminal for all its hosts; a cable is two channels.

    Attributes
    ----------
    ends : tuple of (Port, Port)
        Sending and receiving port of each channel.
    qos : tuple of SwitchQos
        By switch.
    destinations : tuple of Destination
    folder : str
        Where it was read from.
    notes : tuple of str
        What was found on reading and is not an error.
    unread : tuple of str
        What the files hold and the model leaves out: beside it no answer is a plain yes.
    """

    name: str
    network: Network
    ends: tuple[tuple[Port, Port], ...]
    qos: tuple[SwitchQos, ...]
    destinations: tuple[Destination, ...]
    folder: str = ""
    notes: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    def sender(self, channel: int) -> PortQos:
        """Maps of the port from which a channel leaves."""
        return self.qos[int(self.network.source[channel])].port(self.ends[channel][0].name)

    def receiver(self, channel: int) -> PortQos:
        """Maps of the port at which a channel arrives."""
        return self.qos[int(self.network.target[channel])].port(self.ends[channel][1].name)

    @cached_property
    def host_ports(self) -> tuple[tuple[PortQos, ...], ...]:
        """For each switch the maps of its ports without a cable, those that are alike once."""
        cabled, rows = {near for near, _ in self.ends}, list[tuple[PortQos, ...]]()
        for router, own in enumerate(self.qos):
            switch = self.network.router_name(router)
            maps = [own.ports[name] for name in sorted(own.ports) if Port(switch, name) not in cabled]
            rows.append(tuple(dict.fromkeys(maps)) or (own.unknown,))
        return tuple(rows)

    @cached_property
    def edges(self) -> tuple[int, ...]:
        """Switches with hosts, ascending."""
        return tuple(sorted({*chain(*self.edges_of.values())}))

    @cached_property
    def edges_of(self) -> dict[str, tuple[int, ...]]:
        """Switches with hosts in each VRF, ascending."""
        edges: dict[str, set[int]] = {}
        for one in self.destinations:
            edges.setdefault(one.vrf, set()).update(one.owners if one.hosts and not one.dropped else ())
        return {name: tuple(sorted(its)) for name, its in edges.items()}

    @cached_property
    def one_vrf(self) -> EthernetFabric:
        """The fabric with the destinations of its first VRF alone; other VRFs are unread."""
        first, *others = self.edges_of
        kept = tuple(one for one in self.destinations if one.vrf == first)
        unread = (f"{vrf(name)}: routes of VRF {first} alone are taken here" for name in others)
        return replace(self, destinations=kept, unread=(*self.unread, *unread))

    def sends(self, edge: int) -> list[int]:
        """Destinations to which hosts at a switch send over the network."""
        rows = enumerate(self.destinations)
        away = [pair for pair in rows if pair[1].hosts and (edge not in pair[1].owners or edge in pair[1].standby)]
        return [number for number, one in away if edge in self.edges_of[one.vrf]]

    @property
    def hosted(self) -> Network:
        """The network with a terminal at each switch with hosts, and at no other."""
        labels, edges = tuple(map(self.network.router_name, self.edges)), frozen(self.edges)
        return replace(
            self.network, inject=edges, eject=edges, places=replace(self.network.places, terminal_labels=labels)
        )

    def __repr__(self) -> str:
        return (
            f"<EthernetFabric {self.name}: {self.network.num_routers} switches, {len(self.ends) // 2} cables, "
            f"{len(self.destinations)} destinations>"
        )
