"""Destinations of a folder of Ethernet switches: prefixes, next hops and dual-ToR muxes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from ipaddress import ip_address
from typing import NamedTuple

from unknot._base.arrays import columns
from unknot._base.errors import UnknotError
from unknot._base.phrases import few
from unknot.fabrics.ethernet.fabric import Destination
from unknot.fabrics.ethernet.routes import (
    Prefix,
    prefix_of,
)
from unknot.fabrics.ethernet.switch_tables import SwitchTables, is_loopback
from unknot.network import Network
from unknot.network.graph import strong_components


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


def destinations_of(
    tables: SwitchTables, notes: list[str], note: Callable[[str, str], None]
) -> tuple[Destination, ...]:
    """Prefixes of a VRF by how switches treat them, those of servers behind two ToRs by the state of their muxes."""
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
        notes.append(
            f"prefixes that no switch lists as connected are taken to end where no route goes on: {few(assumed, 1)}"
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
        if route.local and all(map(is_loopback, route.interfaces))
    }
    for treatment, prefixes in groups.items():
        shown = [prefix for prefix in prefixes if prefix not in loopbacks and prefix not in tunnels]
        for prefix in prefixes:
            to[prefix] = len(destinations)
        name = str((shown or prefixes)[0]) + (f" and {len(prefixes) - 1} more" if len(prefixes) > 1 else "")
        destinations.append(
            Destination(name, treatment.owners, dict(treatment.hops), {}, bool(shown), treatment.dropped)
        )
    if destinations and not any(one.hosts and one.owners and not one.dropped for one in destinations):
        destinations = [replace(one, hosts=True) for one in destinations]
        notes.append("only addresses of single switches are announced; they are taken for those of hosts")
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
    tail, head = columns(pairs)
    return bool(strong_components(tail, head, network.num_routers)[1].any())


def _prefixes(tables: SwitchTables) -> set[Prefix]:
    """Prefixes that some switch announces: not the default route, and not those of cables between switches."""
    inner = {
        prefix
        for router, routes in enumerate(tables.routes)
        for prefix, route in routes.items()
        if route.local and route.interfaces and any(tables.leads(router, name) for name in route.interfaces)
    }
    return {prefix for routes in tables.routes for prefix in routes if prefix.prefixlen and prefix not in inner}


def _ways(tables: SwitchTables, prefix: Prefix) -> _Ways:
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
            + "; are a cable, the ports of a port channel or the routes of a switch missing? "
            + f"{tables.switches[mixed[0]]} has cables at "
            + (", ".join(ports) or "no port")
        )
    owners = sorted([*local, *outside])
    reached = {int(tables.network.target[channel]) for channels in hops.values() for channel in channels}
    ends = sorted(reached - {*hops, *owners})
    if owners:
        return _Ways(tuple(owners), hops, tuple(ends))
    doubtful = len(ends) > 1 or any(tables.lists_hosts(router) for router in ends)
    return _Ways(tuple(ends), hops, tuple(ends) if doubtful else (), assumed=bool(ends) and not doubtful)


def muxes_of_others(tables: SwitchTables) -> Iterator[tuple[str, str]]:
    """Yield switches with a connected server whose mux only another switch declares, with the reason in words."""
    servers = sorted({server for one in tables.qos for server in one.mux})
    for router, one in enumerate(tables.qos):
        for server in servers:
            route = tables.route(router, prefix_of(server)) if server not in one.mux else None
            if route is not None and route.local:
                yield tables.switches[router], f"the mux of {server}, which another ToR names"
                break


def _standby(
    tables: SwitchTables, owners: tuple[int, ...], prefixes: list[Prefix], tunnel_to: dict[Prefix, int]
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
