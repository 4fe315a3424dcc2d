"""A folder of what switches printed: a folder for each, or files named by them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple

import numpy as np

from unknot._base.errors import UnknotError
from unknot.fabrics.ethernet.cables import cables_of
from unknot.fabrics.ethernet.document import ROUTES, files_of
from unknot.fabrics.ethernet.fabric import Destination, EthernetFabric
from unknot.fabrics.ethernet.qos import SwitchQos, read_config_db
from unknot.fabrics.ethernet.routes import (
    Port,
    Prefix,
    Route,
    prefix_of,
    read_batfish_routes,
    read_routes,
)
from unknot.fabrics.ethernet.unread import in_words
from unknot.network import Network
from unknot.network.graph import strong_components

BATFISH = "routes.csv"


class _Treatment(NamedTuple):
    """How the switches treat a prefix, which may be the end of a tunnel, and whose owners may drop its packets."""

    owners: tuple[int, ...]
    hops: tuple[tuple[int, tuple[int, ...]], ...]
    tunnel: bool = False
    dropped: bool = False


class _Ways(NamedTuple):
    """Owners of a prefix, channels towards these, and switches without a route.

    Owners are assumed where no switch lists the prefix as connected.
    """

    owners: tuple[int, ...]
    hops: dict[int, tuple[int, ...]]
    missing: tuple[int, ...]
    assumed: bool = False


def _is_loopback(interface: str) -> bool:
    return interface.lower().startswith(("lo", "dummy"))


@dataclass(frozen=True)
class _Tables:
    """Routes of all switches, and their interfaces."""

    network: Network
    routes: list[dict[Prefix, Route]]
    channels: dict[Port, tuple[int, ...]]
    switches: list[str]
    qos: list[SwitchQos]

    def leads(self, router: int, interface: str) -> tuple[int, ...]:
        """Channels behind an interface; those of all members of a port channel."""
        names = self.qos[router].members.get(interface, (interface,))
        ports = [Port(self.switches[router], part) for name in names for part in (name, name.partition(".")[0])]
        return tuple(dict.fromkeys(channel for port in ports for channel in self.channels.get(port, ())))

    def channels_of(self, router: int, route: Route) -> tuple[int, ...]:
        """Channels by which the next hops of a route leave, ascending."""
        return tuple(sorted({c for name in route.interfaces for c in self.leads(router, name)}))

    def lists_hosts(self, router: int) -> bool:
        """Whether the routes of a switch list prefixes of hosts connected to it."""
        return any(
            route.local and not all(_is_loopback(name) or self.leads(router, name) for name in route.interfaces)
            for route in self.routes[router].values()
        )

    def route(self, router: int, prefix: Prefix) -> Route | None:
        """The route by the longest prefix that covers one."""
        table = self.routes[router]
        wide = prefix
        while wide not in table:
            if wide.prefixlen == 0:
                return None
            wide = wide.supernet()
        return table[wide]


def is_ethernet(folder: Path) -> bool:
    """Whether a folder holds routes of switches."""
    return folder.is_dir() and (
        (folder / BATFISH).is_file() or any(kind in kinds for kinds in files_of(folder).values() for kind in ROUTES)
    )


def read_ethernet(folder: str | Path) -> EthernetFabric:
    """Read a lossless Ethernet fabric from a folder.

    Raises
    ------
    UnknotError
        If there are no routes or no cables, or routes contradict one another.
    TextError
        With file and line, when a file is broken.

    Examples
    --------
    >>> read_ethernet("examples/ethernet/frr-all-links-up")
    <EthernetFabric frr-all-links-up: 6 switches, 8 cables, 4 destinations>
    """
    folder = Path(folder)
    files, unread = files_of(folder), defaultdict[str, list[str]](list)

    def note(switch: str, what: str) -> None:
        """Keep what the files of a switch hold and is left out."""
        if switch not in unread[what]:
            unread[what].append(switch)

    computed = read_batfish_routes(folder / BATFISH, note) if (folder / BATFISH).is_file() else {}
    files |= {switch: {} for switch in computed if switch not in files}
    switches = [s for s, kinds in sorted(files.items()) if s in computed or any(kind in kinds for kind in ROUTES)]
    if not switches:
        raise UnknotError(f"{folder}: no routes; SWITCH/route.json or SWITCH.route.json of each switch are needed")
    notes = [f"{switch} has no routes and is left out" for switch in sorted({*files} - {*switches})]
    qos = [
        read_config_db(kinds["config_db.json"], kinds.get("mux.json")) if "config_db.json" in kinds else SwitchQos()
        for kinds in map(files.__getitem__, switches)
    ]
    if any(one.configured for one in qos):
        for switch, one in zip(switches, qos, strict=True):
            if not one.configured:
                note(switch, "QoS maps, for want of config_db.json: one lossless class is assumed")
    for switch in switches:
        if "mux.json" in files[switch] and "config_db.json" not in files[switch]:
            note(switch, "mux.json, for want of the servers in config_db.json")
    for kind, family in zip(ROUTES, ("IPv4", "IPv6"), strict=True):
        if not computed and not any(kind in files[switch] for switch in switches):
            notes.append(f"no {kind}: packets of {family} are not judged")
    cables = cables_of(folder, files, switches, qos, notes)
    number = {switch: router for router, switch in enumerate(switches)}
    ends = tuple(sorted(end for cable in cables for end in (cable, cable[::-1])))
    source, target = ([number[end.switch] for end in column] for column in zip(*ends, strict=True))
    names = tuple(switches)
    network = Network(folder.resolve().name, len(names), source, target, router_labels=names, terminal_labels=names)
    channels: defaultdict[Port, tuple[int, ...]] = defaultdict(tuple)
    for channel, (near, _) in enumerate(ends):
        channels[near] += (channel,)
    routes = [
        computed.get(switch, {})
        | dict(
            pair
            for kind in ROUTES if kind in files[switch]
            for pair in read_routes(files[switch][kind], partial(note, switch)).items()
        )
        for switch in switches
    ]  # fmt: skip
    for switch, one in zip(switches, qos, strict=True):
        for what in one.unread:
            note(switch, what)
    for end, _ in ends:
        own = qos[number[end.switch]]
        if own.ports and end.name not in own.ports:
            note(end.switch, f"port {end.name}, which has a cable and is not in config_db.json")
    tables = _Tables(network, routes, dict(channels), switches, qos)
    for switch, what in _muxes_of_others(tables):
        note(switch, what)
    return EthernetFabric(
        network.name, network, ends, tuple(qos), _destinations(tables, notes, note), str(folder), tuple(notes),
        in_words(unread),
    )  # fmt: skip


def _destinations(tables: _Tables, notes: list[str], note: Callable[[str, str], None]) -> tuple[Destination, ...]:
    """Prefixes by how the switches treat them, those of servers behind two ToRs by the state of their muxes."""
    missing: defaultdict[int, list[Prefix]] = defaultdict(list)
    assumed: list[str] = []
    groups: dict[_Treatment, list[Prefix]] = defaultdict(list)
    tunnels = {prefix_of(one.peer) for one in tables.qos if one.peer is not None}
    for prefix in sorted({*tunnels, *_prefixes(tables)}, key=lambda one: (one.version, one)):
        owners, hops, lost, is_assumed = _ways(tables, prefix)
        for router in lost:
            missing[router].append(prefix)
        assumed += [f"{prefix} at {tables.switches[owner]}" for owner in owners] * is_assumed
        dropping = () if owners or _circular(tables.network, hops) else tuple(r for r in hops if not hops[r])
        if dropping:
            owners, hops = dropping, {router: channels for router, channels in hops.items() if channels}
        if hops or (len(owners) > 1 and not dropping):
            rows = tuple(sorted(hops.items()))
            groups[_Treatment(owners, rows, prefix in tunnels, bool(dropping))].append(prefix)
    if assumed:
        more = f" and {len(assumed) - 1} more" if len(assumed) > 1 else ""
        notes.append(
            f"prefixes that no switch lists as connected are taken to end where no route goes on: {assumed[0]}{more}"
        )
    for router, prefixes in missing.items():
        more = f" and {len(prefixes) - 1} more prefixes" if len(prefixes) > 1 else ""
        note(tables.switches[router], f"the route to {prefixes[0]}{more}, to which others send packets there")
    for prefix in sorted({p for routes in tables.routes for p in routes if not p.prefixlen}, key=str):
        # A default route leads out of the fabric, unless it comes back to a switch.
        table = {r: routes[prefix] for r, routes in enumerate(tables.routes) if prefix in routes}
        hops = {r: tables.channels_of(r, route) for r, route in table.items()}
        if _circular(tables.network, hops):
            groups[_Treatment((), tuple(sorted(hops.items())))].append(prefix)
    destinations: list[Destination] = []
    to: dict[Prefix, int] = {}
    # Addresses of switches are on loopback interfaces.
    loopbacks = {
        prefix
        for routes in tables.routes
        for prefix, route in routes.items()
        if route.local and all(map(_is_loopback, route.interfaces))
    }
    for treatment, prefixes in groups.items():
        shown = [prefix for prefix in prefixes if prefix not in loopbacks and prefix not in tunnels]
        for prefix in prefixes:
            to[prefix] = len(destinations)
        name = str((shown or prefixes)[0]) + (f" and {len(prefixes) - 1} more" if len(prefixes) > 1 else "")
        destinations.append(
            Destination(name, treatment.owners, dict(treatment.hops), {}, bool(shown), treatment.dropped)
        )
    if not any(one.hosts and one.owners and not one.dropped for one in destinations):
        destinations = [replace(one, hosts=True) for one in destinations]
        notes.append("only addresses of single switches are announced; they are taken for those of hosts")
    if not destinations:
        raise UnknotError(f"{tables.network.name}: no prefix is announced by one switch and reached from another")
    for index, (treatment, prefixes) in enumerate(groups.items()):
        states = _standby(tables, treatment.owners, prefixes, to)
        if states:
            one = destinations[index]
            destinations[index] = replace(one, hosts=False)
            destinations += [
                replace(one, name=f"{one.name}, {text}", standby=state, hosts=True) for text, state in states
            ]
    return tuple(destinations)


def _circular(network: Network, hops: dict[int, tuple[int, ...]]) -> bool:
    """Whether packets can come back to a switch."""
    pairs = [(router, int(network.target[channel])) for router, channels in hops.items() for channel in channels]
    tail, head = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return bool(strong_components(tail, head, network.num_routers)[1].any())


def _prefixes(tables: _Tables) -> set[Prefix]:
    """Prefixes that some switch announces: not the default route, and not those of cables between switches."""
    inner = {
        prefix
        for router, routes in enumerate(tables.routes)
        for prefix, route in routes.items()
        if route.local and route.interfaces and any(tables.leads(router, name) for name in route.interfaces)
    }
    return {prefix for routes in tables.routes for prefix in routes if prefix.prefixlen and prefix not in inner}


def _ways(tables: _Tables, prefix: Prefix) -> _Ways:
    """Find the owners of a prefix, and the channels towards these.

    A switch owns what is connected to it or leaves through a port without a cable. If none does, the one owns it that
    has no route where others send packets: FRR announces networks that it has no route to. A default route through
    a port without a cable, as to the management network, counts for nothing.

    Raises
    ------
    UnknotError
        If packets leave through ports with and without a cable, as where the files of a switch are missing.
    """
    local: list[int] = []
    outside: dict[int, str] = {}
    hops: dict[int, tuple[int, ...]] = {}
    for router, name in enumerate(tables.switches):
        route = tables.route(router, prefix)
        if route is None:
            continue
        open_ports = [port for port in route.interfaces if not tables.leads(router, port)]
        channels = tables.channels_of(router, route)
        if route.local:
            local.append(router)
        elif not open_ports or channels:
            hops[router] = channels
        elif prefix in tables.routes[router]:
            outside[router] = f"{name} {open_ports[0]}"
        if open_ports and channels:
            outside[router] = f"{name} {open_ports[0]}"
    mixed = [router for router in outside if local or router in hops]
    if mixed:
        ports = [port.name for port in sorted(tables.channels) if port.switch == tables.switches[mixed[0]]]
        raise UnknotError(
            f"{tables.network.name}: {outside[mixed[0]]} has no cable, but packets to {prefix} leave there, which "
            + (f"is connected to {tables.switches[local[0]]}" if local else "also leave by cables")
            + f"; are a cable or the routes of a switch missing? {tables.switches[mixed[0]]} has cables at "
            + (", ".join(ports) or "no port")
        )
    owners = sorted([*local, *outside])
    reached = {int(tables.network.target[channel]) for channels in hops.values() for channel in channels}
    ends = sorted(reached - {*hops, *owners})
    if owners:
        return _Ways(tuple(owners), hops, tuple(ends))
    doubtful = len(ends) > 1 or any(tables.lists_hosts(router) for router in ends)
    return _Ways(tuple(ends), hops, tuple(ends) if doubtful else (), assumed=bool(ends) and not doubtful)


def _muxes_of_others(tables: _Tables) -> Iterator[tuple[str, str]]:
    """Yield switches with a connected server whose mux only another switch declares, with the reason in words."""
    servers = sorted({server for one in tables.qos for server in one.mux})
    for router, one in enumerate(tables.qos):
        for server in servers:
            route = tables.route(router, prefix_of(server)) if server not in one.mux else None
            if route is not None and route.local:
                yield tables.switches[router], f"the mux of {server}, which another ToR names"
                break


def _standby(
    tables: _Tables, owners: tuple[int, ...], prefixes: list[Prefix], tunnel_to: dict[Prefix, int]
) -> list[tuple[str, dict[int, int]]]:
    """States of the muxes of servers with these prefixes: in words, and the tunnels of the ToRs on standby."""
    servers: defaultdict[str, dict[int, int]] = defaultdict(dict)
    for router in owners:
        one = tables.qos[router]
        for server, on_standby in one.mux.items():
            address = ip_address(server)
            if not any(address in prefix for prefix in prefixes):
                continue
            tunnels = servers[server]
            if on_standby:
                far = None if one.peer is None else tunnel_to.get(prefix_of(one.peer))
                if far is None:
                    raise UnknotError(
                        f"{tables.network.name}: {tables.switches[router]} is on standby for {server}, but the "
                        f"address of its peer switch ({one.peer or 'no PEER_SWITCH'}) is announced by no switch"
                    )
                tunnels[router] = far
    states: dict[tuple[int, ...], tuple[str, dict[int, int]]] = {}
    for server, tunnels in sorted(servers.items()):
        names = " and ".join(tables.switches[router] for router in tunnels)
        states.setdefault(tuple(tunnels), (f"{server}, {f'standby at {names}' if names else 'active'}", tunnels))
    return list(states.values())
