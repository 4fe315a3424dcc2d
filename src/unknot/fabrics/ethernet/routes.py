"""Routes of a switch: the JSON of `show ip route` and `show ipv6 route` of FRR and SONiC."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any

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
                f"{text!r} is not a prefix; `show ip route json` of the default VRF is wanted", text
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
