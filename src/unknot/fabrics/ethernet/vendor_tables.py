"""Tables of routes that other systems print, in FRR's shape: Arista EOS and NVIDIA's NVUE; the rest is named."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from unknot.fabrics.ethernet.document import Document

NVUE = "nv show vrf default router rib ipv4 route -o json"
UNDERSTOOD = (
    "FRR and SONiC (`vtysh -c 'show ip route vrf all json'`), Arista EOS (`show ip route vrf all | json`) and "
    f"Cumulus Linux (FRR's, or `{NVUE}`) are read; of other systems give routes.csv, which Batfish computes from "
    "their configurations"
)
OTHERS = {
    "route-information": "Junos", "multi-routing-engine-results": "Junos", "rpc-reply": "Junos",
    "TABLE_vrf": "Cisco NX-OS", "ins_api": "Cisco NX-OS", "imdata": "Cisco NX-OS", "Cisco-IOS-XR-": "Cisco IOS XR",
    "instance": "Nokia SR Linux", "srl_nokia-": "Nokia SR Linux", "nokia-state:": "Nokia SR OS",
    "openconfig-": "OpenConfig", "ietf-routing:": "YANG ietf-routing", "dst": "`ip -j route` of Linux",
}  # fmt: skip
"""Beginnings of keys in routes that are refused, and their systems."""
DROPPED = ("blackhole", "unreachable", "reject", "null")


def tables_of(document: Document) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Yield tables of prefixes in FRR's shape, each with the VRF that a key names.

    Raises
    ------
    TextError
        With the line, for broken tables and tables of other systems.
    """
    for part in document.content:
        _refuse(document, part)
        part = document.table(part)
        if "vrfs" in part:
            for name, facts in document.table(part["vrfs"], "vrfs").items():
                yield (name,), _of_eos(document, name, document.table(facts, name).get("routes", {}))
            continue
        named = {name: inner for name, inner in part.items() if isinstance(inner, dict) and "/" not in name}
        yield (), _of_nvue(document, {text: entries for text, entries in part.items() if text not in named})
        for name, inner in named.items():
            # NVUE may put a table below this word: no VRF has the name.
            yield () if name == "route" else (name,), _of_nvue(document, inner, name)


def _refuse(document: Document, part: Any) -> None:
    """Name the system whose routes these are, if they are not read."""
    first = part[0] if isinstance(part, list) and part else part
    for key in first if isinstance(first, dict) else ():
        for sign, system in OTHERS.items():
            if key == sign or (sign[-1] in "-:" and key.startswith(sign)):
                raise document.error(f"routes of {system}, which are not read: {UNDERSTOOD}", key)


def _of_eos(document: Document, name: str, routes: Any) -> dict[str, Any]:
    """The table of a VRF that EOS printed, as FRR prints one."""
    table = {}
    for text, row in document.table(routes, name, "routes").items():
        row = document.table(row, name, text)
        vias = document.rows(row.get("vias", []), name, text, "vias")
        hops: list[dict[str, Any]] = [{"active": True, "blackhole": True}]
        if row.get("routeAction", "forward") == "forward":
            names = {"interface": "interfaceName", "nexthopAddr": "ip"}
            hops = [{"active": True, **{names.get(key, key): value for key, value in via.items()}} for via in vias]
            hops = [{**hop, "vrf": "another"} for hop in hops] if row.get("routeLeaked") is True else hops
        protocol = "connected" if row.get("routeType") in ("connected", "direct") else "other"
        table[text] = [{"selected": True, "protocol": protocol, "nexthops": hops}]
    return table


def _of_nvue(document: Document, table: dict[str, Any], *keys: str) -> dict[str, Any]:
    """A table with the routes of NVUE in FRR's shape; other routes stay."""
    return {
        text: [_route(document, entry, *keys, text) for entry in _entries(document, row, *keys, text)]
        if isinstance(row, dict)
        else row
        for text, row in table.items()
    }


def _entries(document: Document, row: dict[str, Any], *keys: str) -> Iterator[dict[str, Any]]:
    """Routes to a prefix: numbered, or by protocol and numbered."""
    if "route-entry" in row:
        for entry in document.table(row["route-entry"], *keys, "route-entry").values():
            yield document.table(entry, *keys, "route-entry")
        return
    if "protocol" not in row:
        raise document.error(f"{keys[-1]} has no `route-entry`; `{NVUE}` is needed", *keys)
    for protocol, facts in document.table(row["protocol"], *keys, "protocol").items():
        where = (*keys, "protocol", protocol)
        entries = document.table(document.table(facts, *where).get("entry-index", {}), *where, "entry-index")
        yield from ({"protocol": protocol, **document.table(entry, *where)} for entry in entries.values())


def _route(document: Document, entry: dict[str, Any], *keys: str) -> dict[str, Any]:
    field = next((name for name in ("via-entry", "via") if name in entry), "via-entry")
    hops = [
        hop
        for name, via in document.table(entry.get(field, {}), *keys, field).items()
        for hop in _hops(document, name, document.table(via, *keys, field, name), *keys, field)
    ]
    return {**entry, "selected": "selected" in _flags(document, entry, *keys), "nexthops": hops}


def _hops(document: Document, name: str, via: dict[str, Any], *keys: str) -> Iterator[dict[str, Any]]:
    """The next hop of a row, or the next hops that resolve its address."""
    if resolved := document.table(via.get("resolved-via", {}), *keys, "resolved-via"):
        for inner, facts in resolved.items():
            yield from _hops(document, inner, document.table(facts, *keys, inner), *keys)
        return
    kind, flags = via.get("type"), _flags(document, via, *keys)
    hop: dict[str, Any] = {"active": not flags or "active" in flags, "fib": "installed" in flags}
    hop |= {"vrf": via["vrf"]} if "vrf" in via else {}
    hop |= {"labels": via["label"]} if via.get("label") else {}
    if kind in DROPPED or name in DROPPED:
        yield {**hop, "blackhole": True}
    elif "recursive" in flags:
        yield {**hop, "recursive": True}
    else:
        if kind == "interface":
            hop["interfaceName"] = via.get("interface", name)
        else:
            hop["ip"] = via.get("via", name)
            hop |= {"interfaceName": via["interface"]} if "interface" in via else {}
        yield hop


def _flags(document: Document, facts: dict[str, Any], *keys: str) -> dict[str, Any] | list[Any]:
    flags = facts.get("flags", {})
    if not isinstance(flags, dict | list):
        raise document.error(f"{keys[-1]}: words of `flags` are needed, got {flags!r}", *keys, "flags")
    return flags
