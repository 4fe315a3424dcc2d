"""Reach of a pause: what stops if one port pauses for ever, as a broken NIC does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from unknot._base.errors import UnknotError, near
from unknot.fabrics.ethernet.fabric import EthernetFabric
from unknot.fabrics.ethernet.routes import Port
from unknot.routing.lossless import PacketPlace, PfcModel
from unknot.routing.lossless_classes import ClassSteps, ClassWalk, Sets


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
    walk, port = ClassWalk(PfcModel(fabric)), _port(fabric, text)
    waiting: defaultdict[int, Sets] = defaultdict(Sets)
    stuck, todo, full = Sets(), Sets(), set[int]()
    holds: defaultdict[PacketPlace, list[tuple[int, int]]] = defaultdict(list)
    for place, some in walk.reached.items():
        vc = walk.vc(place.channel, place.group)
        if vc is not None:
            holds[place.kind].append((vc, some))
    for kind, some in walk.kinds.items():
        for part in walk.after(kind, some):
            for vc in {vc for hop in part.hops for vc in walk.waits(hop)}:
                waiting[vc][kind] = waiting[vc].get(kind, 0) | part.destinations
            if _is_paused(walk, port, kind, part):
                todo[kind] = todo.get(kind, 0) | part.destinations
    # Buffers behind fill, and packets that wait for these stand.
    while todo:
        now, todo = todo, Sets()
        for kind, some in now.items():
            new = some & ~stuck.get(kind, 0)
            stuck[kind] = stuck.get(kind, 0) | new
            filled = {vc for vc, held in holds[kind] if held & new} - full
            full |= filled
            for vc in filled:
                for behind, more in waiting[vc].items():
                    todo[behind] = todo.get(behind, 0) | more
    touched = walk.leading(stuck)
    starts = {place: some for place, some in walk.starts.items() if walk.model.is_lossless(place)}
    name = fabric.network.router_name
    return PauseReach(
        str(port),
        tuple(f"{fabric.ends[walk.channel_of(vc)][0]}, by {walk.vc_name(vc)}" for vc in sorted(full)),
        len(fabric.ends),
        _pairs((place.router, some & touched.get(place.kind, 0)) for place, some in starts.items()),
        _pairs((place.router, some) for place, some in starts.items()),
        tuple(map(name, sorted({p.router for p, some in starts.items() if some & stuck.get(p.kind, 0)}))),
    )


def _pairs(rows: Iterable[tuple[int, int]]) -> int:
    """The number of pairs of a switch and a destination of one of its sets."""
    sets: defaultdict[int, int] = defaultdict(int)
    for router, destinations in rows:
        sets[router] |= destinations
    return sum(map(int.bit_count, sets.values()))


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


def _is_paused(walk: ClassWalk, port: Port, kind: PacketPlace, part: ClassSteps) -> bool:
    """Whether packets at a place wait in a queue of the port that a pause stops."""
    model = walk.model
    senders = [near for near, _ in model.fabric.ends]
    if port in senders:
        out = senders.index(port)
        return any(hop.channel == out and hop.queue in model.pauses[out].values() for hop in part.hops)
    if not part.ends or model.fabric.network.router_name(kind.router) != port.switch:
        return False
    own = model.fabric.qos[kind.router].port(port.name)
    return own.tc_to_queue[kind.traffic_class] in {own.priority_to_queue[p] for p in own.obeyed}
