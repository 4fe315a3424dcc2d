"""Files that OpenSM loads: forwarding tables, options, a QoS policy that carries service levels, and LIDs.

LIDs are kept from one start to the next in `guid2lid` of its cache folder, a line for each port with its GUID, its
first LID and its last. OpenSM gives the ports these LIDs when it starts.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from unknot._base.arrays import Ints
from unknot._base.errors import TextError, UnknotError
from unknot._base.input import read_lines
from unknot._base.numbers import require_whole
from unknot._base.output import write_text
from unknot.fabrics.fabric import LAST_UNICAST, MOST_LMC, Fabric
from unknot.fabrics.format import FabricText
from unknot.fabrics.levels import LEVELS, UNKNOWN, columns_of_hosts


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


_ROW = re.compile(r"^0x([0-9a-fA-F]{1,16})\s+0x([0-9a-fA-F]{1,4})\s+0x([0-9a-fA-F]{1,4})\s*$")


@dataclass
class LidFile(FabricText):
    """First and last LID of each port and the line of the file, by GUID."""

    ports: dict[int, tuple[int, int, int]] = field(default_factory=dict)


def read_guid2lid(path: str | Path) -> LidFile:
    """Read the LIDs of ports.

    Raises
    ------
    TextError
        With file and line: an unknown line, LIDs that are no block of a power of two, a port or LID that is there
        twice.
    """
    lines = read_lines(path)
    file = LidFile(path, lines)
    holder: dict[int, int] = {}
    for number, line in enumerate(lines, start=1):
        match = _ROW.match(line)
        if match is None:
            if line.strip():
                raise file.error(
                    "guid2lid has no such line; it has the GUID of a port, its first and last LID", number
                )
            continue
        guid, first, last = (int(part, 16) for part in match.groups())
        size = last - first + 1
        if first < 1 or last > LAST_UNICAST or size < 1 or size & (size - 1) or first % size:
            raise file.error(
                f"LIDs 0x{first:04x} to 0x{last:04x} are no block of 2^LMC unicast LIDs that begins at a multiple of "
                "its size",
                number,
            )
        for lid in range(first, last + 1):
            if holder.setdefault(lid, number) != number:
                raise file.error(f"LID 0x{lid:04x} is a port's in line {holder[lid]} already", number)
        if guid in file.ports:
            raise file.error(f"port 0x{guid:016x} stands in line {file.ports[guid][2]} already", number)
        file.ports[guid] = first, last, number
    return file


def write_guid2lid(fabric: Fabric, path: str | Path) -> None:
    """Write the LIDs of all ports as OpenSM keeps them.

    Raises
    ------
    UnknotError
        If two ports have one GUID.
    """
    ports: dict[int, list[int]] = {}
    for lid, who in zip(fabric.lids.tolist(), fabric.owner.tolist(), strict=True):
        ports.setdefault(who, []).append(lid)
    guids = fabric.port_guid.tolist()
    named = {guids[who]: lids for who, lids in ports.items() if who >= 0}
    if len(named) < len(ports) - (-1 in ports):
        raise UnknotError(f"{fabric.fabric_file}: ports share a GUID, by which OpenSM gives LIDs")
    write_text(path, "".join(f"0x{guid:016x} 0x{lids[0]:04x} 0x{lids[-1]:04x}\n\n" for guid, lids in named.items()))


def with_lids(fabric: Fabric, file: LidFile) -> Fabric:
    """The fabric, still without tables, with the LIDs of a file instead of those it has.

    Raises
    ------
    TextError
        If a port of the fabric that has LIDs has none there.
    """
    lids, owner = list[int](), list[int]()
    for who in np.unique(fabric.owner[fabric.owner >= 0]).tolist():
        guid = int(fabric.port_guid[who])
        if guid not in file.ports:
            raise TextError(f"{fabric.owner_name(who)}, port 0x{guid:016x}, has no LIDs here", file.where)
        first, last, _ = file.ports[guid]
        lids += range(first, last + 1)
        owner += [who] * (last - first + 1)
    return _addressed(fabric, np.array(lids), np.array(owner))


def reassigned(fabric: Fabric, lmc: int) -> Fabric:
    """The fabric, without tables, with 2^`lmc` LIDs for each host port that has some, and one for each switch.

    Host ports take the first blocks from LID 2^lmc on, then switches a LID each, both in the order of the LIDs that
    they had. Nothing is left free between them.

    Raises
    ------
    UnknotError
        If there are not enough LIDs.
    """
    require_whole("the LMC", lmc, 0, most=MOST_LMC, error=UnknotError)
    size, hosts = 1 << lmc, fabric.network.num_terminals
    order = np.array(list(dict.fromkeys(fabric.owner[fabric.owner >= 0].tolist())), dtype=np.int64)
    ports, switches = order[order < hosts], order[order >= hosts]
    last = size * (1 + ports.size) + switches.size - 1
    if last > LAST_UNICAST:
        raise UnknotError(
            f"{fabric.name}: {ports.size:,} host ports with {size} LIDs each and {switches.size:,} switches with one "
            f"take {last:,} LIDs; InfiniBand has {LAST_UNICAST:,}: try a smaller LMC than {lmc}"
        )
    owner = np.concatenate([np.repeat(ports, size), switches])
    return _addressed(fabric, np.arange(size, last + 1), owner)


def lmc_of(fabric: Fabric) -> int:
    """The LMC of the host ports; the greatest, if they differ."""
    hosts = fabric.owner[columns_of_hosts(fabric)]
    return int(np.unique(hosts, return_counts=True)[1].max(initial=1)).bit_length() - 1


def _addressed(fabric: Fabric, lids: Ints, owner: Ints) -> Fabric:
    order = np.argsort(lids)
    at, whose = lids[order].astype(np.int32), owner[order].astype(np.int32)
    cleared = replace(fabric, tables=None, tables_file="", levels=None, levels_file="", multicast=None)
    return replace(cleared, lids=at, owner=whose)
