"""Routes and cables of switches: what FRR and SONiC print, Batfish's frame, neighbours by LLDP, a list of cables."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import Any

from unknot._base.errors import TextError, near
from unknot._base.input import read_lines
from unknot.fabrics.ethernet.document import Document
from unknot.fabrics.ethernet.unread import OWN, unread_hops, vrf

Prefix = IPv4Network | IPv6Network
LOCAL = ("connected", "local", "kernel")
"""Protocols of routes that end at the switch."""
DROPS = {"blackhole", "unreachable", "reject"}
"""Fields of a next hop that drops packets."""


@dataclass(frozen=True)
class Route:
    """The selected route of a switch to a prefix.

    Attributes
    ----------
    local : bool
        Whether the prefix is connected to the switch.
    interfaces : tuple of str
        Interfaces of the next hops in use; none: packets are dropped.
    """

    local: bool
    interfaces: tuple[str, ...]


_shared = lru_cache(maxsize=1 << 16)(Route)
"""A route, the same object for most equal ones: large fabrics have a million."""


@lru_cache(maxsize=1 << 16)
def prefix_of(text: str) -> Prefix:
    """Return a prefix; ValueError if the text is none."""
    return ip_network(text, strict=False)


def read_routes(path: str | Path, unread: Callable[[str], object] = str) -> dict[Prefix, Route]:
    """Read the selected routes of one switch in its default VRF.

    Parameters
    ----------
    unread : callable
        Takes what is left out, in words.

    Raises
    ------
    TextError
        With the line, for what is not the JSON of `show ip route json`.
    """
    document = Document.read(Path(path))
    routes: dict[Prefix, Route] = {}
    table = document.table(document.content)
    ports = _connected(table)
    for text, entries in table.items():
        try:
            prefix = prefix_of(text)
        except ValueError:
            raise document.error(
                f"{text!r} is not a prefix; `show ip route json` of the default VRF is needed", text
            ) from None
        for entry in document.rows(entries, text):
            if entry.get("selected") is not True:
                continue
            name = entry.get("vrfName", "default")
            hops = document.rows(entry.get("nexthops", []), text, "nexthops")
            others = [*unread_hops(hops)] if name == "default" else [vrf(name)] if name not in OWN else []
            for what in others:
                unread(what)
            if name != "default":
                continue
            hops = [_resolved(hop, ports) for hop in hops if not hop.get("recursive")]
            # A segment of SRv6 can lead to no interface: its packets go on as others.
            bare = [hop for hop in hops if _is_used(hop) and not isinstance(hop.get("interfaceName"), str)]
            if any(not DROPS & {*hop} for hop in bare):
                if not others:
                    unread("next hops without an interface")
                continue
            route = _shared(entry.get("protocol") in LOCAL, _interfaces(hops))
            if routes.setdefault(prefix, route) != route:
                raise document.error(f"{text} has two routes that are selected, and differ", text)
    return {prefix: route for prefix, route in routes.items() if not prefix.is_link_local}


def _connected(table: dict[str, Any]) -> list[tuple[Prefix, str]]:
    """Prefixes connected to a switch and their interfaces, the longest first."""
    ports = []
    for text, entries in table.items():
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict) and entry.get("protocol") == "connected":
                for hop in entry.get("nexthops") or ():
                    if isinstance(hop, dict) and isinstance(hop.get("interfaceName"), str):
                        with suppress(ValueError):
                            ports.append((prefix_of(text), hop["interfaceName"]))
    return sorted(ports, key=lambda one: -one[0].prefixlen)


def _resolved(hop: dict[str, Any], ports: list[tuple[Prefix, str]]) -> dict[str, Any]:
    """A next hop, with the interface of its address where none is told."""
    if "interfaceName" not in hop and "ip" in hop:
        with suppress(ValueError):
            address = ip_address(str(hop["ip"]))
            name = next((name for prefix, name in ports if address in prefix), None)
            return hop if name is None else {**hop, "interfaceName": name}
    return hop


def _is_used(hop: dict[str, Any]) -> bool:
    return hop.get("fib") is True or hop.get("active") is True


def _interfaces(hops: list[dict[str, Any]]) -> tuple[str, ...]:
    """Interfaces of the next hops in use, by name: installed next hops, else active next hops."""
    used = [hop for hop in hops if hop.get("fib") is True] or list(filter(_is_used, hops))
    return tuple(sorted({hop["interfaceName"] for hop in used if isinstance(hop.get("interfaceName"), str)}))


COLUMNS = ("Node", "VRF", "Network", "Next_Hop_IP", "Next_Hop_Interface", "Protocol")
_UNRESOLVED = ("dynamic", "", "AUTO/NONE(-1l)")
"""Names of interfaces of next hops that are known by their address alone."""


def read_batfish_routes(
    path: str | Path, unread: Callable[[str, str], object] = lambda node, what: None
) -> dict[str, dict[Prefix, Route]]:
    """Read routes of all nodes: ``bf.q.routes().answer().frame().to_csv(path)``.

    Rows of one node and prefix are equal-cost. A next hop known by address alone leaves through the interface to
    which the address is connected.

    Parameters
    ----------
    unread : callable
        Takes a node and what is left out of its rows, in words.

    Raises
    ------
    TextError
        With the line, if a column is missing, a prefix or an address is none, or not one interface leads to a next
        hop.
    """
    lines = read_lines(path)

    def error(message: object, line: int = 1) -> TextError:
        line = min(max(1, line), len(lines))
        return TextError(f"{message}", path, line, text=lines[line - 1])

    reader = csv.DictReader(lines, restval="")
    rows: defaultdict[str, list[tuple[int, Prefix, dict[str, str]]]] = defaultdict(list)
    try:
        missing = ", ".join(sorted({*COLUMNS} - {*(reader.fieldnames or ())}))
        if missing:
            command = f'bf.q.routes().answer().frame().to_csv("{Path(path).name}")'
            raise error(f"no column {missing}; Batfish writes them by {command}")
        for row in reader:
            if row["VRF"] == "default":
                rows[row["Node"]].append((reader.line_num, prefix_of(row["Network"]), row))
            elif row["VRF"] not in OWN:
                unread(row["Node"], vrf(row["VRF"]))
    except (ValueError, csv.Error) as fault:
        raise error(fault, reader.line_num) from None
    routes: dict[str, dict[Prefix, Route]] = {}
    for node, its in rows.items():
        table = routes[node] = dict[Prefix, Route]()
        ports = [(prefix, row["Next_Hop_Interface"]) for _, prefix, row in its if row["Protocol"] == "connected"]
        for number, prefix, row in its:
            name = row["Next_Hop_Interface"]
            if name in _UNRESOLVED:
                try:
                    address = ip_address(row["Next_Hop_IP"])
                    known = {(net.prefixlen, port) for net, port in ports if address in net}
                except ValueError:
                    known = set()
                longest = [port for length, port in known if length == max(known)[0]]
                if len(longest) != 1:
                    many = "several connected interfaces lead" if longest else "no connected interface leads"
                    raise error(f"{node}: {many} to next hop {row['Next_Hop_IP']!r}", number)
                name = longest[0]
            before = table.get(prefix, Route(False, ()))
            names = before.interfaces if name == "null_interface" else (*before.interfaces, name)
            table[prefix] = Route(before.local or row["Protocol"] in LOCAL, tuple(sorted({*names})))
    return routes


@dataclass(frozen=True, order=True)
class Port:
    """A port of a switch, by their names."""

    switch: str
    name: str

    def __str__(self) -> str:
        return f"{self.switch} {self.name}"


def read_cable_list(path: str | Path, switches: Collection[str] | None = None) -> list[tuple[Port, Port]]:
    """Read a list of cables: in each line switch, interface, switch, interface; ``#`` begins a remark.

    Raises
    ------
    TextError
        With the line, if there are not four words in it, a port has two cables, or none of `switches` has it.
    """
    cables: list[tuple[Port, Port]] = []
    line_of: dict[Port, int] = {}
    for number, line in enumerate(read_lines(path), 1):
        words = line.split("#")[0].split()
        if words and len(words) != 4:
            raise TextError(f"4 words are needed: switch, interface, switch, interface; got {len(words)}",
                            path, number, text=line)  # fmt: skip
        if words:
            ends = Port(*words[:2]), Port(*words[2:])
            for end in ends:
                if end in line_of or ends[0] == ends[1]:
                    first = line_of.get(end, number)
                    raise TextError(f"{end} has a cable by line {first} already", path, number, text=line)
                if switches is not None and end.switch not in switches:
                    message = (
                        f"{end.switch} has cables but no routes in this folder: add them, or mend the line (switch, "
                        f"interface, switch, interface); {near(end.switch, switches)}"
                    )
                    raise TextError(message, path, number, text=line)
            line_of |= dict.fromkeys(ends, number)
            cables.append(ends)
    return cables


def read_lldp(path: str | Path, switch: str) -> list[tuple[Port, tuple[Port, ...]]]:
    """Read the neighbours of a switch: output of `lldpcli -f json` or `-f json0`, `show neighbors`.

    Returns
    -------
    list of (Port, tuple of Port)
        A port of this switch, and names of the port at the far end: its ID and its description.

    Raises
    ------
    TextError
        With the line, for what is not such output.
    """
    document = Document.read(Path(path))
    top = document.table(document.content).get("lldp")
    neighbours = []
    for name, interface in _neighbours(document, top):
        if interface.get("via", "LLDP") != "LLDP":
            continue
        chassis = _only(document, interface.get("chassis"), name)
        # A chassis without a name has its facts in the place of the name.
        bare = "id" in chassis or "name" in chassis
        far = next((key for key, inner in chassis.items() if isinstance(inner, dict) and not bare), None)
        far = _word(chassis["name"]) if "name" in chassis else far
        port = _only(document, interface.get("port"), name)
        words = (_word(_only(document, port.get("id"), name).get("value")), _word(port.get("descr")))
        ends = tuple(Port(far, word) for word in words if word) if far else ()
        if ends:
            neighbours.append((Port(switch, name), ends))
    return neighbours


def _neighbours(document: Document, top: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Name and facts of each interface, in whichever of the three shapes."""
    for part in document.rows(top if isinstance(top, list) else [top], "lldp"):
        listed = part.get("interface", [])
        for row in document.rows(listed if isinstance(listed, list) else [listed], "interface"):
            if isinstance(row.get("name"), str):
                yield row["name"], row
            else:
                for name, facts in row.items():
                    yield name, document.table(facts, "interface", name)


def _only(document: Document, content: Any, name: str) -> dict[str, Any]:
    """An object, or the first of a list of objects."""
    first = content[0] if isinstance(content, list) and content else content
    return document.table(first, "interface", name)


def _word(content: Any) -> str | None:
    """A text, or that in the first of a list of objects."""
    if isinstance(content, list) and content and isinstance(content[0], dict):
        content = content[0].get("value")
    return content if isinstance(content, str) else None
