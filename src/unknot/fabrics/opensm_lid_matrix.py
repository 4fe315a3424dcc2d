"""Hop counts as OpenSM dumps them (`opensm-lid-matrix.dump`) and loads them (``-M``), joined to their fabric.

For each switch and LID of a switch a row has the least number of hops, and then the number through each port; ``ff``
where the routing engine allows no way. Of up*/down* they count the ways that climb first and then go down.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from unknot._base import memory
from unknot._base.errors import TextError
from unknot._base.input import read_lines
from unknot.fabrics.fabric import NO_HOPS, Fabric
from unknot.fabrics.format import Format
from unknot.fabrics.noise import Noise
from unknot.fabrics.side_file import SideFile
from unknot.network import Network, distances_from

_HEAD = re.compile(r"^Switch: guid 0x([0-9a-f]{16})\s*$")
_ENTRY = re.compile(r"^0x([0-9a-f]{4}):((?: [0-9a-f]{2})+)(?:\s+# portguid 0x([0-9a-f]{16}).*)?\s*$")
_IGNORED = re.compile(r"^\s*(?:#.*)?$")


@dataclass
class HopFile(SideFile):
    """Rows of one file: (node GUID of the switch, LID, port GUID of its owner or −1, hops by port, line)."""

    rows: list[tuple[int, int, int, bytes, int]] = field(default_factory=list)


def read_lid_matrix(path: str | Path) -> HopFile:
    """Read hop counts.

    Raises
    ------
    TextError
        With file and line: no matrix at all, an unknown line, a row outside a matrix, a second matrix of a switch, a
        LID twice.
    """
    lines = read_lines(path)
    file, noise = HopFile(path, lines), Noise()
    switch: int | None = None
    begun: dict[int, int] = {}
    seen: dict[int, int] = {}
    for number, line in enumerate(lines, start=1):
        if match := _ENTRY.match(line):
            if switch is None:
                raise file.error("a row outside a matrix; the line that names its switch is missing", number)
            lid = int(match[1], 16)
            if seen.setdefault(lid, number) != number:
                raise file.error(f"a second row of LID 0x{lid:04x}; line {seen[lid]} was the first", number)
            file.rows.append((switch, lid, int(match[3], 16) if match[3] else -1, bytes.fromhex(match[2]), number))
        elif match := _HEAD.match(line):
            switch, seen = int(match[1], 16), {}
            if begun.setdefault(switch, number) != number:
                raise file.error(f"a second matrix of switch 0x{switch:016x}; line {begun[switch]} began one", number)
        elif not _IGNORED.match(line) and not noise.has(line, number):
            raise file.error("a LID matrix has no such line; is it broken or cut off?", number)
    if not begun:
        raise TextError("no LID matrix in this file", path)
    file.notes += noise.notes(lines)
    return file


def with_hops(fabric: Fabric, file: HopFile) -> Fabric:
    """The fabric with the hop counts of its switches.

    Raises
    ------
    TextError
        If a matrix belongs to no switch of the fabric, a LID to no port or to another one, a row has not one number
        for each port, or a switch has no row for another.
    """
    if not file.rows:
        note = f"{file.where} has no row of hop counts, as where the routing engine keeps none"
        return replace(fabric, notes=(*fabric.notes, *file.notes, note))
    network, size = fabric.network, int(fabric.switch_ports.max(initial=0)) + 1
    routers, hosts = network.num_routers, network.num_terminals
    memory.require(f"hop counts of {routers} switches", 2 * routers * routers * size)
    hops = np.full((routers, routers, size), NO_HOPS, dtype=np.uint8)
    known = np.zeros((routers, routers), dtype=bool)
    router = {int(guid): r for r, guid in enumerate(fabric.switch_guid)}
    owner = {int(lid): int(who) for lid, who in zip(fabric.lids, fabric.owner, strict=True)}
    others = 0
    together = "do fabric and LID matrix belong together?"
    for guid, lid, port_guid, counts, line in file.rows:
        r, who = router.get(guid), owner.get(lid)
        if r is None:
            raise file.error(f"{fabric.fabric_file} has no switch 0x{guid:016x}; {together}", line)
        if who is None:
            raise file.error(f"no port in {fabric.fabric_file} has LID 0x{lid:04x}; {together}", line)
        if port_guid >= 0 and who >= 0 and port_guid != int(fabric.port_guid[who]):
            raise file.error(
                f"by {fabric.fabric_file}, LID 0x{lid:04x} is {fabric.owner_name(who)}; {together}", line
            )
        if len(counts) != fabric.switch_ports[r] + 1:
            raise file.error(
                f"{network.router_name(r)} has ports 0 to {fabric.switch_ports[r]}, but the row has {len(counts)} "
                "numbers",
                line,
            )
        if who < hosts:
            others += 1
            continue
        hops[r, who - hosts, : len(counts)] = np.frombuffer(counts, dtype=np.uint8)
        known[r, who - hosts] = True
    with_lid = np.unique(fabric.owner[fabric.owner >= hosts]) - hosts
    missing = np.argwhere(~known[:, with_lid])
    if missing.size:
        r, to = int(missing[0, 0]), int(with_lid[missing[0, 1]])
        raise TextError(
            f"no row of {network.router_name(r)} for {network.router_name(to)}; is this file cut off?", file.where
        )
    notes = [*fabric.notes, *file.notes]
    if others:
        notes.append(f"{others} rows of {file.where} are for LIDs of hosts and were not used")
    if _no_hop_counts(network, hops):
        notes.append(
            f"{file.where} names one port for each LID with numbers that are no hop counts, as Nue writes it; it was "
            "not used"
        )
        return replace(fabric, notes=tuple(notes))
    return replace(fabric, hops=hops, hops_file=str(file.where), notes=tuple(notes))


def _no_hop_counts(network: Network, hops: npt.NDArray[np.uint8]) -> bool:
    """Whether each row has one port, though the cables leave a choice, and some number is less than they allow."""
    if ((hops[:, :, 1:] != NO_HOPS).sum(axis=2) > 1).any():
        return False
    away = np.array([distances_from(network, r) for r in range(network.num_routers)])
    nearer = away[network.target] == away[network.source] - 1
    nearer_links = np.zeros(away.shape, dtype=np.int64)
    np.add.at(nearer_links, network.source, nearer)
    return bool((nearer_links > 1).any() and (hops[:, :, 0] < away).any())


_SIGN = re.compile(r"^Switch: guid 0x[0-9a-f]{16}\s*$", re.M)
FORMAT = Format(
    "lidmatrix", "an OpenSM LID matrix", (".lidmatrix",), read_lid_matrix, sign=_SIGN.search, holds="hops"
)  # fmt: skip
