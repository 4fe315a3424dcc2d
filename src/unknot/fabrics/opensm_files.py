"""Files that OpenSM loads: forwarding tables, options, and a QoS policy that carries service levels."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np

from unknot._base.errors import UnknotError
from unknot._base.output import write_text
from unknot.fabrics.fabric import Fabric
from unknot.fabrics.levels import LEVELS, UNKNOWN


def write_lfts(fabric: Fabric, path: str | Path) -> None:
    """Write the forwarding tables as OpenSM dumps them, and as ``opensm -R file -U`` loads them.

    Raises
    ------
    UnknotError
        If the fabric has no tables.
    """
    if fabric.tables is None:
        raise UnknotError(f"{fabric.name} has no forwarding tables to write")
    hosts, top = fabric.network.num_terminals, int(fabric.lids.max(initial=0))
    base = {int(who): int(lid) for lid, who in zip(fabric.lids[::-1], fabric.owner[::-1], strict=True)}
    said = []
    for lid, who in zip(fabric.lids.tolist(), fabric.owner.tolist(), strict=True):
        kind = "Switch" if who >= hosts else "Channel Adapter"
        guid = (
            f" # {kind} portguid 0x{int(fabric.port_guid[who]):016x}: '{fabric.owner_name(who)}'" if who >= 0 else ""
        )
        said.append((f"0x{lid:04x} ", guid))
    text = []
    for r, row in enumerate(fabric.tables.tolist()):
        switch = f"guid 0x{int(fabric.switch_guid[r]):016x} ('{fabric.network.router_name(r)}')"
        text.append(f"Unicast lids [0-{top}] of switch Lid {base.get(hosts + r, 0)} {switch}:")
        text += [f"{lid}{port:03d}{owner}" for (lid, owner), port in zip(said, row, strict=True) if port >= 0]
        text.append(f"{top} lids dumped")
    write_text(path, "\n".join(text) + "\n")


def write_slvl(fabric: Fabric, lanes: int, path: str | Path) -> None:
    """Write tables that map each SL to the VL of the same number modulo `lanes`, as `ibdmchk -d` reads them."""
    packed = " ".join(f"0x{i % lanes:x}{(i + 1) % lanes:x}" for i in range(0, LEVELS, 2))
    text = []
    for r, guid in enumerate(fabric.switch_guid.tolist()):
        ports = range(int(fabric.switch_ports[r]) + 1)
        text += [f"0x{guid:016x} {came} {out} {packed}" for came in ports for out in ports[1:]]
    write_text(path, "\n".join(text) + "\n")


def write_options(lanes: int, policy: str, path: str | Path) -> None:
    """Write the options under which OpenSM uses `lanes` virtual lanes and a QoS policy, for ``opensm -F``."""
    table = ",".join(str(i % lanes) for i in range(LEVELS))
    high = ",".join(f"{i}:{4 if i == 0 else 0}" for i in range(lanes))
    low = ",".join(f"{i}:4" for i in range(lanes))
    options = {
        "qos": "TRUE",
        "qos_policy_file": policy,
        "qos_max_vls": str(max(2, lanes)),
        "qos_high_limit": "0",
        "qos_vlarb_high": high,
        "qos_vlarb_low": low,
        "qos_sl2vl": table,
    }
    write_text(path, "".join(f"{name} {setting}\n" for name, setting in options.items()))


def write_policy(fabric: Fabric, path: str | Path) -> None:
    """Write a QoS policy by which OpenSM answers path record queries with the service levels of the fabric.

    Hosts of a switch that have the same levels share a rule for each level: their port GUIDs are one port group, and
    so are those of hosts to which all have the same levels.

    Raises
    ------
    UnknotError
        If the fabric has no service levels, or one port has LIDs of different levels: a rule names ports, not LIDs.
    """
    if fabric.levels is None:
        raise UnknotError(f"{fabric.name} has no service levels to write")
    hosts = fabric.network.num_terminals
    level = np.zeros((hosts, hosts), dtype=np.int8)
    has_level = np.zeros((hosts, hosts), dtype=bool)
    for column, who in enumerate(fabric.owner.tolist()):
        if 0 <= who < hosts:
            new = fabric.levels[:hosts, column]
            clash = np.flatnonzero(has_level[:, who] & (new != UNKNOWN) & (level[:, who] != new))
            if clash.size:
                raise UnknotError(
                    f"from {fabric.network.terminal_name(int(clash[0]))} the LIDs of {fabric.owner_name(who)} have "
                    "different service levels; a QoS policy knows ports, not LIDs"
                )
            level[:, who] = np.where(new != UNKNOWN, new, level[:, who])
            has_level[:, who] |= new != UNKNOWN
    alike: dict[bytes, list[int]] = defaultdict(list)
    keys = np.where(np.eye(hosts, dtype=bool), -1, level)
    for host in range(hosts):
        router = int(fabric.network.inject[host])
        others = np.where(fabric.network.inject == router, 0, keys[host])
        alike[router.to_bytes(4, "big") + others.tobytes()].append(host)
    groups, rules = ["port-groups"], ["qos-match-rules"]
    home, first = fabric.network.inject, [members[0] for members in alike.values()]
    rows = np.where(home[first][:, None] == home, 0, level[first])
    columns, place = np.unique(rows, axis=1, return_inverse=True)
    for number in np.flatnonzero(columns.any(axis=0)).tolist():
        groups += _group(fabric, f"to{number}", np.flatnonzero(place.reshape(-1) == number).tolist())
    for number, members in enumerate(alike.values()):
        used = [sl for sl in np.unique(columns[number]).tolist() if sl]
        if used:
            groups += _group(fabric, f"from{number}", members)
        for sl in used:
            to = ", ".join(f"to{other}" for other in np.flatnonzero(columns[number] == sl).tolist())
            rules += [
                "    qos-match-rule", f"        source: from{number}", f"        destination: {to}",
                f"        qos-level-name: SL{sl}", "    end-qos-match-rule",
            ]  # fmt: skip
    levels = ["qos-levels"]
    for sl in range(int(level.max(initial=0)) + 1):
        name = f"SL{sl}" if sl else "DEFAULT"
        levels += ["    qos-level", f"        name: {name}", f"        sl: {sl}", "    end-qos-level"]
    ends = (groups, "end-port-groups"), (levels, "end-qos-levels"), (rules, "end-qos-match-rules")
    write_text(path, "\n".join(line for lines, end in ends for line in (*lines, end, "")))


def _group(fabric: Fabric, name: str, members: list[int]) -> list[str]:
    guids = [f"        port-guid: 0x{int(fabric.port_guid[member]):016x}" for member in members]
    return ["    port-group", f"        name: {name}", *guids, "    end-port-group"]
