"""Routes without valleys instead of more queues, as FRR route-maps: what comes from above goes down only.

A switch marks by a community what it learns from switches as far from hosts as itself or farther, and announces none
of it to such switches. So packets go up, at most one step aside, and down, whatever fails and whatever the AS plan.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, reduce
from ipaddress import ip_address
from operator import or_
from pathlib import Path

from unknot._base.errors import TextError
from unknot._base.input import read_lines
from unknot._base.output import write_text
from unknot._base.three_valued import ThreeValued
from unknot.certificates import evidence_holds
from unknot.certificates.verdict import Verdict
from unknot.fabrics.ethernet.document import Document, files_of
from unknot.fabrics.ethernet.fabric import EthernetFabric
from unknot.fabrics.ethernet.vendor_tables import tables_of
from unknot.flow_control.techniques import PFC
from unknot.lane_assignment.forced import climbing
from unknot.network import Network
from unknot.network.metrics import hops_from_any
from unknot.routing.lossless import offered_relation
from unknot.routing.relation import EJECT, Relation
from unknot.verify.check import check

FILE = "frr-route-maps.conf"
MOST = 5_000_000
"""Channels times switches with hosts for which the routes to each switch are judged apart."""
MARK = "65533:1"
"""Community of routes that were learned from above."""
FAMILIES = {"route.json": "ipv4 unicast", "route6.json": "ipv6 unicast"}
MAPS = f"""bgp community-list standard UNKNOT-ABOVE permit {MARK}
route-map UNKNOT-FROM-ABOVE permit 10
 set community {MARK} additive
route-map UNKNOT-FROM-BELOW permit 10
 set comm-list UNKNOT-ABOVE delete
route-map UNKNOT-TO-ABOVE deny 10
 match community UNKNOT-ABOVE
route-map UNKNOT-TO-ABOVE permit 20
"""
Turns = Callable[[int, int], bool]
"""Whether packets that came by a channel may leave by another."""


@dataclass(frozen=True)
class RouteMaps(ThreeValued, asks="free"):
    """What route-maps that were written and read back make of a fabric.

    Attributes
    ----------
    free : bool or None
        Whether no route that they admit lets buffers wait in a cycle, proved and checked; None: open.
    cut, pairs : int
        Ordered pairs of switches with hosts that no admitted path joins on the cables in use, and all.
    """

    free: bool | None
    cut: int
    pairs: int


def write_route_maps(fabric: EthernetFabric, folder: Path) -> None:
    """Write a fragment of FRR's configuration for each switch into a folder of a fabric."""
    network, files = fabric.network, files_of(folder)
    tier = hops_from_any(network, fabric.edges)
    for router in range(network.num_routers):
        name, lines = network.router_name(router), [MAPS, "router bgp\n"]
        for kind, family in FAMILIES.items():
            if kind not in files[name] and any(one in files[name] for one in FAMILIES):
                continue
            known = _neighbours(files[name][kind]) if kind in files[name] else {}
            lines.append(f" address-family {family}\n")
            for channel, (port, _) in enumerate(fabric.ends):
                if network.source[channel] == router:
                    far = known.get(port.name, port.name)
                    above = tier[network.target[channel]] >= tier[router]
                    maps = {"FROM-ABOVE": "in", "TO-ABOVE": "out"} if above else {"FROM-BELOW": "in"}
                    lines += [f"  neighbor {far} route-map UNKNOT-{one} {way}\n" for one, way in maps.items()]
            lines.append(" exit-address-family\n")
        write_text(_path(folder, name, files[name]), "".join(lines))


def judge_route_maps(fabric: EthernetFabric, folder: Path) -> RouteMaps:
    """Read route-maps of a folder back, and judge all routes that they admit.

    Raises
    ------
    TextError
        With the line, if a file names a neighbour that is none.
    """
    ways = _admitted_ways(fabric, read_route_maps(fabric, folder))
    network, homes = fabric.hosted, ways.homes
    pairs = len(homes) * (len(homes) - 1)
    # If turns to all homes together close no cycle, turns to each close none. Packets that leave are offered nothing.
    verdict, relation = _judged(network, [ways.offers(ways.every)], [0])
    if not verdict.deadlock_free:
        if len(ways.after) * len(homes) > MOST:
            return RouteMaps(None, ways.cut, pairs)
        verdict, relation = _judged(network, [*map(ways.offers_to, homes)], range(len(homes)))
    accepted = evidence_holds(relation, verdict) is not False
    free = None if not accepted or (verdict.deadlock_free and fabric.unread) else verdict.deadlock_free
    return RouteMaps(free, ways.cut, pairs)


@dataclass(frozen=True)
class _AdmittedWays:
    """Channels in use, and how packets may follow them.

    Attributes
    ----------
    network : Network
        With a terminal at each switch with hosts, a home.
    leaving, after : mapping of int to list of int
        Channels that leave each switch, and those to which packets may go on from each channel.
    leads : mapping of int to int
        Homes to which each channel leads, as bits.
    """

    network: Network
    leaving: Mapping[int, list[int]]
    after: Mapping[int, list[int]]
    leads: Mapping[int, int]

    @cached_property
    def homes(self) -> list[int]:
        """Switches with hosts; bit n stands for the home at place n."""
        return [int(home) for home in self.network.eject]

    @property
    def every(self) -> int:
        """All homes, as bits."""
        return (1 << len(self.homes)) - 1

    @property
    def cut(self) -> int:
        """Ordered pairs of homes that no way joins."""
        reached = (
            reduce(or_, map(self.leads.__getitem__, self.leaving.get(home, ())), 1 << place)
            for place, home in enumerate(self.homes)
        )
        return sum((self.every & ~some).bit_count() for some in reached)

    def offers(self, some: int) -> dict[int, set[int]]:
        """Return the channels that are offered to packets to some homes, at each channel and terminal."""
        places = {c: onward for c, onward in self.after.items() if self.leads[c] & some}
        first = self.network.num_channels
        places |= {first + place: self.leaving.get(home, []) for place, home in enumerate(self.homes)}
        return {at: {c for c in onward if self.leads[c] & some} for at, onward in places.items()}

    def offers_to(self, home: int) -> dict[int, set[int]]:
        """Return the same to a single home, where packets leave."""
        place = self.homes.index(home)
        offered = self.offers(1 << place)
        del offered[self.network.num_channels + place]
        ends = {c: {EJECT} for c in self.after if self.network.target[c] == home}
        return offered | ends


def _admitted_ways(fabric: EthernetFabric, admitted: Turns) -> _AdmittedWays:
    """Return the ways of packets by turns that are admitted, on cables that routes use."""
    network = fabric.hosted
    ends, used = network.ends, set[int]()
    for one in fabric.destinations:
        used.update(*one.next_hops.values())
    up = [c for c, (u, v) in enumerate(ends) if not used.isdisjoint((c, *network.between(v, u)))]
    # A ToR on standby sends packets up again in a tunnel, whatever BGP announces.
    tunnels = {router for one in fabric.destinations for router in one.standby}
    leaving = defaultdict[int, list[int]](list)
    for c in up:
        leaving[ends[c][0]].append(c)
    after = {c: [e for e in leaving[ends[c][1]] if ends[e][0] in tunnels or admitted(c, e)] for c in up}
    at = {home: 1 << place for place, home in enumerate(network.eject.tolist())}
    return _AdmittedWays(network, leaving, after, _leads(after, {c: at.get(ends[c][1], 0) for c in up}))


def _judged(
    network: Network, offers: Sequence[Mapping[int, set[int]]], homes: Sequence[int]
) -> tuple[Verdict, Relation]:
    relation = offered_relation(network, [1] * network.num_channels, offers, homes, "route-maps")
    return check(relation, flow=PFC), relation


def _leads(after: Mapping[int, Sequence[int]], own: dict[int, int]) -> dict[int, int]:
    """The homes to which each channel leads, as bits, from the homes at its end on."""
    keys = climbing(((c, e) for c, onward in after.items() for e in onward), max(after, default=0) + 1)
    order = [*own] if keys is None else sorted(own, key=lambda c: -keys[c])
    leads, again = own, True
    # By the keys what follows a channel comes before: one round is enough where turns close no cycle.
    while again:
        again = False
        for c in order:
            if (now := reduce(or_, map(leads.__getitem__, after[c]), leads[c])) != leads[c]:
                leads[c], again = now, keys is None
    return leads


def read_route_maps(fabric: EthernetFabric, folder: Path) -> Turns:
    """Read which turns of packets route-maps admit: no marked route is announced where such are denied."""
    files, network = files_of(folder), fabric.network
    marked, denied = set[tuple[str, str]](), set[tuple[str, str]]()
    for name in map(network.router_name, range(network.num_routers)):
        marks, denials = _read(_path(folder, name, files[name]), _ports(fabric, name, files[name]))
        marked |= {(name, port) for port in marks}
        denied |= {(name, port) for port in denials}

    def may_follow(came: int, leaves: int) -> bool:
        here, onward = fabric.ends[came][1], fabric.ends[leaves][0]
        valley = (onward.switch, onward.name) in marked and (here.switch, here.name) in denied
        return not valley and network.source[came] != network.target[leaves]

    return may_follow


def _read(path: Path, ports: dict[str, str]) -> tuple[set[str], set[str]]:
    """Ports whose routes are marked in every address family, and ports to which marked routes are denied."""
    lists, sets, denies = dict[str, str](), dict[str, str](), dict[str, str]()
    block, family = ("", ""), ""
    marked: dict[str, set[str]] = {}
    denied: dict[str, set[str]] = {}
    for number, line in enumerate(lines := read_lines(path), 1):
        words = line.split()
        if words[:3] == ["bgp", "community-list", "standard"] and words[4:5] == ["permit"]:
            lists[words[3]] = " ".join(words[5:])
        elif words[:1] == ["route-map"]:
            block = words[1], words[2]
        elif words[:2] == ["set", "community"] and block[1] == "permit":
            sets[block[0]] = words[2]
        elif words[:2] == ["match", "community"] and block[1] == "deny":
            denies[block[0]] = lists.get(words[2], "")
        elif words[:1] == ["address-family"]:
            family = " ".join(words[1:])
            marked[family], denied[family] = set(), set()
        elif (applied := re.fullmatch(r"\s*neighbor (\S+) route-map (\S+) (in|out)\s*", line)) is not None:
            far, name, way = applied.groups()
            if far not in ports:
                raise TextError(f"{far} is no neighbour of this switch", path, number, text=lines[number - 1])
            if way == "in" and sets.get(name) == MARK:
                marked[family].add(ports[far])
            if way == "out" and denies.get(name) == MARK:
                denied[family].add(ports[far])
    if not marked:
        raise TextError("no address-family with neighbours", path)
    return set.intersection(*marked.values()), set.intersection(*denied.values())


def _ports(fabric: EthernetFabric, name: str, files: dict[str, Path]) -> dict[str, str]:
    """The port of each neighbour, by its address or by the port itself."""
    ports = {near.name: near.name for near, _ in fabric.ends if near.switch == name}
    for kind in FAMILIES:
        if kind in files:
            ports |= {address: port for port, address in _neighbours(files[kind]).items() if port in ports}
    return ports


def _neighbours(path: Path) -> dict[str, str]:
    """The address of the neighbour behind each interface with routes, without link-local addresses."""
    document, known = Document.read(path, several=True), dict[str, str]()
    rows = ((*keys, prefix, entries) for keys, table in tables_of(document) for prefix, entries in table.items())
    for *keys, entries in rows:
        for entry in document.rows(entries, *keys):
            for hop in document.rows(entry.get("nexthops", []), *keys, "nexthops"):
                address, port = hop.get("ip"), hop.get("interfaceName")
                with suppress(ValueError):
                    if isinstance(address, str) and isinstance(port, str) and not ip_address(address).is_link_local:
                        known[port] = address
    return known


def _path(folder: Path, name: str, files: dict[str, Path]) -> Path:
    """Where the fragment of a switch is: beside its routes."""
    own = next((path.parent for path in files.values() if path.parent != folder), None)
    return folder / f"{name}.{FILE}" if own is None else own / FILE
