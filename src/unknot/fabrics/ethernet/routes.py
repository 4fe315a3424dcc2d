"""Routes of switches: the JSON of `show ip route` and `show ipv6 route` of FRR and SONiC, and Batfish's frame."""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import Any

from unknot._base.errors import TextError
from unknot._base.input import read_lines
from unknot.fabrics.ethernet.document import Document

Prefix = IPv4Network | IPv6Network
LOCAL = ("connected", "local", "kernel")
"""Protocols of routes that end at the switch."""


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


@lru_cache(maxsize=1 << 16)
def prefix_of(text: str) -> Prefix:
    """Return a prefix; ValueError if the text is none."""
    return ip_network(text, strict=False)


def read_routes(path: str | Path) -> dict[Prefix, Route]:
    """Read the selected routes of one switch in its default VRF.

    Raises
    ------
    TextError
        With the line, for what is not the JSON of `show ip route json`.
    """
    document = Document.read(Path(path))
    routes: dict[Prefix, Route] = {}
    for text, entries in document.table(document.content).items():
        try:
            prefix = prefix_of(text)
        except ValueError:
            raise document.error(
                f"{text!r} is not a prefix; `show ip route json` of the default VRF is needed", text
            ) from None
        for entry in document.rows(entries, text):
            if entry.get("selected") is True and entry.get("vrfName", "default") == "default":
                hops = document.rows(entry.get("nexthops", []), text, "nexthops")
                routes[prefix] = Route(entry.get("protocol") in LOCAL, _interfaces(document, text, hops))
    return {prefix: route for prefix, route in routes.items() if not prefix.is_link_local}


def _interfaces(document: Document, prefix: str, hops: list[dict[str, Any]]) -> tuple[str, ...]:
    """Interfaces of the next hops in use: those that are installed, else those that are active."""
    hops = [hop for hop in hops if not hop.get("recursive")]
    used = [hop for hop in hops if hop.get("fib") is True] or [hop for hop in hops if hop.get("active") is True]
    names: list[str] = []
    for hop in used:
        name = hop.get("interfaceName")
        if name is None and ("blackhole" in hop or "unreachable" in hop or "reject" in hop):
            continue
        if not isinstance(name, str):
            raise document.error(f"{prefix}: a next hop in use without interfaceName", prefix, "nexthops")
        names.append(name)
    return tuple(dict.fromkeys(names))


COLUMNS = ("Node", "VRF", "Network", "Next_Hop_IP", "Next_Hop_Interface", "Protocol")
_UNRESOLVED = ("dynamic", "", "AUTO/NONE(-1l)")
"""Names of interfaces of next hops that are known by their address alone."""


def read_batfish_routes(path: str | Path) -> dict[str, dict[Prefix, Route]]:
    """Read routes of all nodes: ``bf.q.routes().answer().frame().to_csv(path)``.

    Rows of one node and prefix are equal-cost. A next hop known by address alone leaves through the interface to
    which the address is connected.

    Raises
    ------
    TextError
        With the line, if a column is missing, a prefix or an address is none, or no interface leads to a next hop.
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
                    known = [port for net, port in ports if address in net]
                except ValueError:
                    known = []
                if not known:
                    raise error(f"{node}: no connected interface leads to next hop {row['Next_Hop_IP']!r}", number)
                name = known[0]
            before = table.get(prefix, Route(False, ()))
            names = before.interfaces if name == "null_interface" else (*before.interfaces, name)
            table[prefix] = Route(before.local or row["Protocol"] in LOCAL, tuple(dict.fromkeys(names)))
    return routes
