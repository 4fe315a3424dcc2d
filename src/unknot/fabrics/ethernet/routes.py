"""Routes and neighbours as switches print them, and lists of cables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import Any

from unknot._base.errors import TextError, near
from unknot._base.input import read_lines
from unknot.fabrics.ethernet.document import Document
from unknot.fabrics.ethernet.unread import DEFAULT, MANAGEMENT, unread_hops
from unknot.fabrics.ethernet.vendor_tables import tables_of

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
    leaves : bool
        Whether a next hop is in another VRF.
    """

    local: bool
    interfaces: tuple[str, ...]
    leaves: bool = False


@dataclass(frozen=True)
class VrfTable:
    """Routes of a switch in a VRF, and the interfaces of the VRF by its connected routes."""

    routes: dict[Prefix, Route] = field(default_factory=dict)
    ports: set[str] = field(default_factory=set)


_shared = lru_cache(maxsize=1 << 16)(Route)
"""A route, the same object for most equal ones: large fabrics have a million."""


@lru_cache(maxsize=1 << 16)
def prefix_of(text: str) -> Prefix:
    """Return a prefix; ValueError if the text is none."""
    return ip_network(text, strict=False)


def read_routes(path: str | Path, unread: Callable[[str], object] = str) -> dict[str, VrfTable]:
    """Read the selected routes of one switch by VRF, without those of the management network.

    A file has the table of one VRF, tables of several one after the other, or an object with a table for each VRF,
    as `show ip route vrf all json` prints them in older and newer versions of FRR, or what EOS or NVUE prints.

    Parameters
    ----------
    unread : callable
        Takes what is left out, in words.

    Raises
    ------
    TextError
        With the line, for what is not such JSON; routes of other systems are named.
    """
    document, tables = Document.read(Path(path), several=True), dict[str, VrfTable]()
    for keys, table in tables_of(document):
        ports = _connected(table, *keys)
        for name, its in ports.items():
            tables.setdefault(name, VrfTable()).ports.update(port for _, port in its)
        for text, entries in table.items():
            try:
                prefix = prefix_of(text)
            except ValueError:
                raise document.error(
                    f"{text!r} is not a prefix; `show ip route json` is needed", *keys, text
                ) from None
            for entry in document.rows(entries, *keys, text):
                name = _vrf(entry, *keys)
                if entry.get("selected") is not True or name == MANAGEMENT:
                    continue
                hops = document.rows(entry.get("nexthops", []), *keys, text, "nexthops")
                others = [*unread_hops(hops, name)]
                for what in others:
                    unread(what)
                hops = [_resolved(hop, ports[name]) for hop in hops if not hop.get("recursive")]
                # A segment of SRv6 can lead to no interface: its packets go on as others.
                bare = [hop for hop in hops if _is_used(hop) and not isinstance(hop.get("interfaceName"), str)]
                if any(not DROPS & {*hop} for hop in bare):
                    if not others:
                        unread("next hops without an interface")
                    continue
                leaves = any(hop.get("vrf") not in (None, name) for hop in hops)
                route = _shared(entry.get("protocol") in LOCAL, _interfaces(hops), leaves)
                if tables.setdefault(name, VrfTable()).routes.setdefault(prefix, route) != route:
                    raise document.error(f"{text} has two routes that are selected, and differ", *keys, text)
    for one in tables.values():
        for prefix in [prefix for prefix in one.routes if prefix.is_link_local]:
            del one.routes[prefix]
    return tables


def _vrf(entry: dict[str, Any], key: str = DEFAULT) -> str:
    """The VRF of a route, by its own word or the key of its table."""
    return str(entry.get("vrfName", key))


def _connected(table: dict[str, Any], *keys: str) -> defaultdict[str, list[tuple[Prefix, str]]]:
    """Prefixes connected to a switch and their interfaces by VRF, the longest first."""
    ports = defaultdict[str, list[tuple[Prefix, str]]](list)
    for text, entries in table.items():
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict) and entry.get("protocol") == "connected":
                for hop in entry.get("nexthops") or ():
                    if isinstance(hop, dict) and isinstance(hop.get("interfaceName"), str):
                        with suppress(ValueError):
                            ports[_vrf(entry, *keys)].append((prefix_of(text), hop["interfaceName"]))
    for its in ports.values():
        its.sort(key=lambda one: -one[0].prefixlen)
    return ports


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
    """Read the neighbours of a switch: output of `lldpcli -f json` or `-f json0`, or what EOS prints.

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
    whole = document.table(document.content)
    neighbours = list[tuple[Port, tuple[Port, ...]]]()
    if "lldpNeighbors" in whole:
        for row in document.rows(whole["lldpNeighbors"], "lldpNeighbors"):
            own, device, facing = (_word(row.get(key)) for key in ("port", "neighborDevice", "neighborPort"))
            neighbours += [(Port(switch, own), (Port(device, facing),))] if own and device and facing else []
        return neighbours
    top = whole.get("lldp")
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
