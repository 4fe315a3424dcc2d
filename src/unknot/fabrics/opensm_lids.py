"""LIDs as OpenSM keeps them from one start to the next: `guid2lid` in its cache folder.

A line for each port has its GUID, its first LID and its last. OpenSM gives the ports these LIDs when it starts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from unknot._base.errors import TextError, UnknotError
from unknot._base.input import read_lines
from unknot._base.numbers import require_whole
from unknot._base.output import write_text
from unknot.fabrics.fabric import LAST_UNICAST, MOST_LMC, Fabric
from unknot.fabrics.fabric_text import FabricText

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
    hosts = fabric.owner[(fabric.owner >= 0) & (fabric.owner < fabric.network.num_terminals)]
    return int(np.unique(hosts, return_counts=True)[1].max(initial=1)).bit_length() - 1


def _addressed(fabric: Fabric, lids: npt.NDArray[np.int64], owner: npt.NDArray[np.int64]) -> Fabric:
    order = np.argsort(lids)
    at, whose = lids[order].astype(np.int32), owner[order].astype(np.int32)
    cleared = replace(fabric, tables=None, tables_file="", levels=None, levels_file="", multicast=None)
    return replace(cleared, lids=at, owner=whose)
