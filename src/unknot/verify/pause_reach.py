"""Reach of a pause: what stops if one port pauses for ever, as a broken NIC does."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from unknot._base.errors import UnknotError, near
from unknot.fabrics.ethernet.fabric import EthernetFabric
from unknot.fabrics.ethernet.routes import Port
from unknot.network.graph import reached_from
from unknot.routing.lossless import Hop, PacketPlace, PfcModel, Walk


@dataclass(frozen=True)
class PauseReach:
    """Ports, flows and hosts that can stop while a device behind a port pauses the port for ever.

    Attributes
    ----------
    port : str
        The port that is paused: switch and name.
    stopped_ports : tuple of str
        Ports that stop sending, as buffers behind fill one after the other; with the priority group that stops each.
    ports : int
        Ports between switches.
    stopped_flows : int
        Pairs of a switch with hosts and a destination that can stop, whatever part of these the hash leads elsewhere.
    flows : int
        All such pairs.
    stopped_hosts : tuple of str
        Switches that pause their hosts.
    """

    port: str
    stopped_ports: tuple[str, ...]
    ports: int
    stopped_flows: int
    flows: int
    stopped_hosts: tuple[str, ...]


def pause_reach(fabric: EthernetFabric, text: str) -> PauseReach:
    """Return the flows and ports that can stop if a port is paused for ever.

    Parameters
    ----------
    fabric : EthernetFabric
    text : str
        ``SWITCH:PORT``; a port without a cable leads to hosts.

    Returns
    -------
    PauseReach

    Raises
    ------
    UnknotError
        If there is no such switch, or no such port where configurations tell the ports.

    Examples
    --------
    >>> from unknot.fabrics.ethernet.folder import read_ethernet
    >>> reach = pause_reach(read_ethernet("examples/ethernet/frr-all-links-up"), "leaf0:hosts")
    >>> reach.stopped_flows, reach.flows, reach.stopped_hosts
    (9, 12, ('leaf1', 'leaf2', 'leaf3'))
    """
    walk, port = Walk(PfcModel(fabric)), _port(fabric, text)
    waiting: defaultdict[int, list[PacketPlace]] = defaultdict(list)
    for place, hops in walk.steps.items():
        for vc in {vc for hop in hops for vc in walk.waits(hop)}:
            waiting[vc].append(place)
    first = [place for place, hops in walk.steps.items() if _is_paused(walk, port, place, hops)]

    def behind(place: PacketPlace) -> list[PacketPlace]:
        own = walk.vc(place.channel, place.group)
        return [] if own is None else waiting[own]

    stuck = reached_from(first, behind)
    held = (walk.vc(place.channel, place.group) for place in stuck)
    full = sorted({one for one in held if one is not None})
    touched = walk.leading(stuck)
    starts = [place for place in walk.starts if walk.model.is_lossless(place)]
    name = fabric.network.router_name
    return PauseReach(
        str(port),
        tuple(f"{fabric.ends[walk.channel_of(vc)][0]}, by {walk.vc_name(vc)}" for vc in full),
        len(fabric.ends),
        len({(place.router, place.header.destination) for place in starts if place in touched}),
        len({(place.router, place.header.destination) for place in starts}),
        tuple(map(name, sorted({place.router for place in starts if place in stuck}))),
    )


def _port(fabric: EthernetFabric, text: str) -> Port:
    switch, _, name = text.partition(":")
    switches = [fabric.network.router_name(router) for router in range(fabric.network.num_routers)]
    if switch not in switches or not name:
        raise UnknotError(f"--paused {text}: SWITCH:PORT is needed; {near(switch, switches)}")
    known = {end.name for end, _ in fabric.ends if end.switch == switch}
    configured = {*fabric.qos[switches.index(switch)].ports}
    if configured and name not in known | configured:
        raise UnknotError(f"--paused {text}: {switch} has no port {name}; {near(name, sorted(known | configured))}")
    return Port(switch, name)


def _is_paused(walk: Walk, port: Port, place: PacketPlace, hops: list[Hop]) -> bool:
    """Whether packets at a place wait in a queue of the port that a pause stops."""
    model = walk.model
    senders = [near for near, _ in model.fabric.ends]
    if port in senders:
        out = senders.index(port)
        return any(hop.channel == out and hop.queue in model.pauses[out].values() for hop in hops)
    if model.fabric.network.router_name(place.router) != port.switch or not model.ends(place):
        return False
    own = model.fabric.qos[place.router].port(port.name)
    return own.tc_to_queue[place.traffic_class] in {own.priority_to_queue[p] for p in own.obeyed}
